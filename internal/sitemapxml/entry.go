package sitemapxml

import (
	"time"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Entry is one address that a sitemap lists. All URLs are in the spelling of the URL standard, without fragment.
type Entry struct {
	Loc        urlkey.URL
	LastMod    time.Time // in UTC; zero when absent or invalid
	ChangeFreq string    // as the protocol spells it; empty when absent or invalid
	Priority   float64   // 0 to 1; meaningful with HasPriority, else the protocol's default 0.5
	// HasPriority tells a stated priority from the default.
	HasPriority bool
	Line        int // where the entry starts

	Images     []Image
	Videos     []Video
	News       *News
	Alternates []Alternate
}

// Image is an image:image of https://www.google.com/schemas/sitemap-image/1.1.
type Image struct {
	Loc, Caption, Title string
}

// Video is a video:video of https://www.google.com/schemas/sitemap-video/1.1; other children are not kept.
type Video struct {
	ThumbnailLoc, Title, Description string
	ContentLoc, PlayerLoc            string
	Duration, PublicationDate        string // as written
}

// News is a news:news of https://www.google.com/schemas/sitemap-news/0.9.
type News struct {
	Name, Language, Title string
	PublicationDate       string // as written
}

// Alternate is an xhtml:link rel="alternate": the same page in another language.
type Alternate struct {
	Lang string // as written: a language tag or x-default
	URL  string
}
