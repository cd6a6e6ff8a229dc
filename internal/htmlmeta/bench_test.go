package htmlmeta

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// documentation gives real pages, or a made one when the machine has none.
func documentation() (pages [][]byte, size int64) {
	for _, pattern := range []string{
		"/usr/share/doc/git-doc/*.html", "/usr/share/doc/sqlite3/c*.html", "/usr/share/doc/postgresql-doc-15/html/a*.html",
		"/usr/share/doc/debian-policy/policy.html/*.html",
	} {
		names, _ := filepath.Glob(pattern)
		for i, name := range names {
			if page, err := os.ReadFile(name); err == nil && i < 40 {
				pages, size = append(pages, page), size+int64(len(page))
			}
		}
	}
	if pages == nil {
		page := append([]byte("<!DOCTYPE html><title>T</title>"), bytes.Repeat([]byte("<p class=x>Text <a href=/y>link</a> text</p>\n"), 2000)...)
		pages, size = [][]byte{page}, int64(len(page))
	}
	return pages, size
}

// bare takes title, metas, links and headings off the tokenizer, with no regard to what a browser would see. It is
// what the one pass is measured against.
func bare(page []byte) (found int) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var keep []string
	inTitle, inH1 := false, false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return len(keep)
		case html.TextToken:
			if inTitle || inH1 {
				keep = append(keep, string(z.Text()))
			}
		case html.EndTagToken:
			inTitle, inH1 = false, false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			switch tag {
			case atom.Title:
				inTitle = true
			case atom.H1:
				inH1 = true
			case atom.A, atom.Area, atom.Link, atom.Meta, atom.Html, atom.Base, atom.Script:
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					switch string(key) {
					case "href", "rel", "name", "content", "lang", "type", "hreflang", "property", "http-equiv":
						keep = append(keep, string(value))
					}
				}
			}
		}
	}
}

func BenchmarkPages(b *testing.B) {
	pages, size := documentation()
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range pages {
				Parse(p, Options{})
			}
		}
	})
	b.Run("parse-all", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range pages {
				Parse(p, Options{LinkText: true, Text: true, Resources: true, IDs: true})
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range pages {
				bare(p)
			}
		}
	})
}
