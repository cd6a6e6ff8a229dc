package sitemapxml

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/cases"
)

func TestSitemapCases(t *testing.T) {
	var set struct {
		Cases []struct {
			ID          string
			File        string
			ContentType string `json:"content_type"`
			Encoding    string `json:"content_encoding"`
			URL         string
			Expect      struct {
				Type    string
				Entries []struct {
					Loc, LastMod string
					Images       []string
					Alternates   map[string]string
				}
				AtLeast  int `json:"entries_at_least"`
				Problems []string
			}
		}
	}
	cases.JSON(t, "seo/sitemap-cases/expected.json", &set)
	tally := cases.NewTally("sitemap")
	for _, c := range set.Cases {
		body := cases.Read(t, "seo/sitemap-cases/"+c.File)
		if c.Encoding == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		s := NewScanner(bytes.NewReader(body), Options{
			URL: c.URL, ContentType: c.ContentType, Decoded: c.Encoding != "",
			Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
		})
		got := slices.Collect(s.Entries())
		ok := string(s.Format()) == c.Expect.Type
		var kinds []string
		for _, p := range s.Problems() {
			kinds = append(kinds, string(p.Kind))
		}
		slices.Sort(kinds)
		slices.Sort(c.Expect.Problems)
		ok = ok && slices.Equal(kinds, c.Expect.Problems) && len(got) >= c.Expect.AtLeast
		if c.Expect.AtLeast == 0 {
			ok = ok && len(got) == len(c.Expect.Entries)
			for i, want := range c.Expect.Entries {
				if i >= len(got) {
					break
				}
				lastmod := ""
				if !got[i].LastMod.IsZero() {
					lastmod = got[i].LastMod.Format(time.RFC3339Nano)
				}
				var images []string
				for _, image := range got[i].Images {
					images = append(images, image.Loc)
				}
				alternates := map[string]string{}
				for _, a := range got[i].Alternates {
					alternates[a.Lang] = a.URL
				}
				ok = ok && got[i].Loc.String() == want.Loc && lastmod == want.LastMod && slices.Equal(images, want.Images) &&
					maps.Equal(alternates, want.Alternates)
			}
		}
		if !ok {
			t.Logf("%s: %s, %d entries %+v, problems %+v", c.ID, s.Format(), len(got), got, s.Problems())
		}
		tally.Add(c.ID, ok)
	}
	tally.Close(t, nil)
}
