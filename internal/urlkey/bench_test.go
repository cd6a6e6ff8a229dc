package urlkey

import "testing"

func BenchmarkResolve(b *testing.B) {
	base := mustParse(b, "https://www.example.com/docs/guide/index.html?x=1")
	for _, bench := range []struct{ name, href string }{
		{"relative", "chapter-2/section.html"},
		{"dotdot", "../../about/team.html"},
		{"root", "/shop/shoes?page=2&sort=price"},
		{"query", "?page=2"},
		{"fragment", "#install"},
		{"absolute", "https://www.example.com/docs/reference/api.html"},
		{"otherHost", "https://cdn.example.net/docs/reference/api.html"},
		{"utf8", "/\u00fcber/uns"},
		{"mail", "mailto:someone@example.com"},
		{"oddLibrary", "https://b\u00fccher.example/x"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Resolve(base, bench.href); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkKey(b *testing.B) {
	u := mustParse(b, "https://www.example.com/docs/guide/chapter-2/section.html")
	secret := NewSecret()
	b.ReportAllocs()
	for b.Loop() {
		_ = u.Key(secret)
	}
}

func BenchmarkURL(b *testing.B) {
	u := mustParse(b, "https://www.example.com/docs/guide/chapter-2/section.html?x=1")
	b.ReportAllocs()
	for b.Loop() {
		_ = u.URL()
	}
}

func BenchmarkWithinDomain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = WithinDomain("www.example.com", "example.com")
	}
}
