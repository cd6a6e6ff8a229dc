package sitemapxml

import (
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// parseURL reads an absolute http or https URL. The zero URL means that it is none.
func parseURL(s string) urlkey.URL { return resolveURL(urlkey.URL{}, s) }

// resolveURL is parseURL for a reference that may be relative to base.
func resolveURL(base urlkey.URL, s string) urlkey.URL {
	u, err := urlkey.Resolve(base, s)
	if err != nil || u.Kind() != urlkey.KindHTTP {
		return urlkey.URL{}
	}
	return u
}

// directory is the path of u up to and with its last slash.
func directory(u urlkey.URL) string { return u.Path()[:strings.LastIndexByte(u.Path(), '/')+1] }
