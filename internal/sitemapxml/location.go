package sitemapxml

import (
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// parseURL reads an absolute http or https URL. The zero URL means that it is none.
func parseURL(s string) urlkey.URL { return resolveURL(urlkey.URL{}, s) }

// resolveURL is parseURL for a reference that may be relative to base.
func resolveURL(base urlkey.URL, s string) urlkey.URL {
	if base.IsZero() && !mayBeHTTP(s) {
		return urlkey.URL{}
	}
	u, err := urlkey.Resolve(base, s)
	if err != nil || u.Kind() != urlkey.KindHTTP {
		return urlkey.URL{}
	}
	return u
}

// directory is the path of u up to and with its last slash.
func directory(u urlkey.URL) string { return u.Path()[:strings.LastIndexByte(u.Path(), '/')+1] }

// mayBeHTTP refuses quickly what cannot be an absolute http or https URL, such as each line of a text that is no list.
func mayBeHTTP(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r <= ' ' })
	return s != "" && s[0]|0x20 == 'h' && strings.IndexByte(s, ':') > 0
}
