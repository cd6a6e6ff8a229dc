package sitemapxml

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

// oracle reads the addresses of a well-formed urlset with encoding/xml; ok is false for anything else.
func oracle(body []byte) (locs []string, ok bool) {
	const sitemaps = "http://www.sitemaps.org/schemas/sitemap/0.9"
	d := xml.NewDecoder(bytes.NewReader(body))
	var path []xml.Name
	var text strings.Builder
	has, roots := false, 0
	first := ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			return locs, roots == 1
		}
		if err != nil {
			return nil, false
		}
		switch token := token.(type) {
		case xml.StartElement:
			seen := map[xml.Name]bool{}
			for _, a := range token.Attr {
				if seen[a.Name] {
					return nil, false // encoding/xml lets it pass
				}
				seen[a.Name] = true
			}
			if len(path) == 0 {
				if roots++; token.Name != (xml.Name{Space: sitemaps, Local: "urlset"}) {
					return nil, false
				}
			}
			if len(path) == 1 {
				has, first = false, ""
			}
			if path = append(path, token.Name); len(path) == 3 {
				text.Reset()
			}
			if len(path) > 60 || token.Name.Space != sitemaps {
				return nil, false // what we do with other namespaces has its own tests
			}
		case xml.EndElement:
			if len(path) == 3 && path[2].Local == "loc" && path[1].Local == "url" && !has {
				has, first = true, text.String()
			}
			if len(path) == 2 && path[1].Local == "url" {
				locs = append(locs, first)
			}
			path = path[:len(path)-1]
		case xml.CharData:
			if len(path) == 3 {
				text.Write(token)
			}
			if len(path) == 0 && len(bytes.TrimSpace(token)) > 0 {
				return nil, false
			}
		case xml.Directive:
			return nil, false
		}
	}
}

// Where encoding/xml finds a well-formed urlset, the scanner finds the same addresses and no fault of form.
func FuzzAgreesWithEncodingXML(f *testing.F) {
	f.Add([]byte("<?xml version='1.0'?>\n<!-- a --><?b c?>" + urls(home+"a", home+"?a&amp;b&#38;c", "<![CDATA["+home+"x]]>y", " \n"+home+"b ")))
	f.Add([]byte(`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url a="1" b='2>'><s:lastmod/><s:loc>` + home + `</s:loc></s:url></s:urlset>`))
	f.Add([]byte(open + "<url><x><loc>no</loc></x><loc>" + home + "a<b>c</b>d</loc><loc>" + home + "2</loc></url><url></url><url><loc/></url>" + close))
	f.Fuzz(func(t *testing.T, body []byte) {
		want, ok := oracle(body)
		if !ok || len(body) > 8000 {
			return
		}
		var normal []string
		for _, loc := range want {
			if u := parseURL(strings.Trim(loc, " \t\r\n")); !u.IsZero() && !slices.Contains(normal, u.String()) {
				normal = append(normal, u.String())
			}
		}
		s := NewScanner(bytes.NewReader(body), Options{Now: now})
		var got []string
		for e := range s.Entries() {
			got = append(got, e.Loc.String())
		}
		if !slices.Equal(got, normal) || s.Count(XML)+s.Count(Truncated)+s.Count(Namespace) > 0 {
			t.Fatalf("got %q, want %q; problems %+v", got, normal, s.Problems())
		}
	})
}
