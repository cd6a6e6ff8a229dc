package tech

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	largeImage   = 100 << 10
	worthAFormat = 50 << 10 // smaller images gain little by another format
	worthASize   = 20 << 10
	rawPixel     = 3 // bytes of a pixel without any compression
)

// shownImages gives the largest area, in device pixels, that each image of the page is shown on, by its address.
func shownImages(s *amble.Snapshot) map[string]float64 {
	base, err := urlkey.Parse(s.URL)
	if err != nil {
		return nil
	}
	areas := make(map[string]float64)
	scale := max(s.Viewport.Scale, 1)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name != "img" || n.Frame != 0 {
			continue
		}
		src, _ := n.Attr("src")
		if _, ok := n.Attr("srcset"); ok || src == "" {
			continue // which file is shown where is not known
		}
		if u, err := urlkey.Resolve(base, src); err == nil {
			areas[u.String()] = max(areas[u.String()], n.Box.W*n.Box.H*scale*scale)
		}
	}
	return areas
}

// file judges one file that a browser loaded for the page.
func (c *pass) file(x amble.Exchange, boxes map[string]float64) {
	if x.Status != 200 || x.Problem != "" {
		return
	}
	size := strconv.FormatInt(x.Encoded, 10)
	switch x.Type {
	case "stylesheet", "script", "image", "font":
		if strings.HasPrefix(x.URL, c.At.Origin()+"/") && !cached(x) {
			c.Fail("file-not-cached", x.URL, "", "Browsers may not keep this file ("+x.Type+").", "type", x.Type, "Cache-Control", x.CacheControl)
		}
	}
	if x.Type != "image" {
		return
	}
	if x.Encoded > largeImage {
		c.Fail("img-large", x.URL, "", fmt.Sprintf("An image has %d bytes.", x.Encoded), "bytes", size, "type", x.MediaType)
	}
	switch x.MediaType {
	case "image/bmp", "image/x-ms-bmp", "image/tiff":
		c.Fail("img-format", x.URL, "", "An image has the format "+x.MediaType+".", "type", x.MediaType, "bytes", size)
	case "image/jpeg", "image/png", "image/gif":
		if x.Encoded > worthAFormat {
			c.Fail("img-format", x.URL, "", fmt.Sprintf("An image of %d bytes has the format %s.", x.Encoded, x.MediaType), "type", x.MediaType, "bytes", size)
		}
	}
	if area := boxes[x.URL]; area >= 1 && x.Encoded > worthASize && float64(x.Encoded) > rawPixel*area && x.MediaType != "image/svg+xml" && x.MediaType != "image/gif" {
		c.Fail("img-oversized", x.URL, "", fmt.Sprintf("An image of %d bytes is shown on %.0f pixels, which have %.0f bytes without any compression.", x.Encoded, area, rawPixel*area), "bytes", size, "pixels", fmt.Sprintf("%.0f", area))
	}
}

var lifetime = regexp.MustCompile(`(?i)\b(?:s-)?max-?age\s*=\s*"?0*[1-9]`)

// cached tells whether browsers may keep a file without asking again.
func cached(x amble.Exchange) bool {
	control := strings.ToLower(x.CacheControl)
	if strings.Contains(control, "no-store") || strings.Contains(control, "no-cache") {
		return false
	}
	return lifetime.MatchString(control) || !strings.Contains(control, "max-age") && strings.Contains(x.Expires, ":") || strings.Contains(control, "immutable")
}
