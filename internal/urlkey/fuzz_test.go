package urlkey

import (
	"strings"
	"testing"
)

var fuzzBases = []string{
	"https://www.example.com/a/b/c.html?x=1#frag",
	"http://127.0.0.1:8080/d//e/",
	"https://user:pw@xn--bcher-kva.example:80/",
	"http://[::1]/x?",
	"mailto:a@b.example",
	"foo://host/p/q",
	"",
}

var fuzzHrefs = []string{
	"", "?", "#", "d/", "../../d.html", "./b:c/d", "//cdn.example.net/d.js", "https:d.html", "http:/other.example/x",
	"https:///other.example/x", "  d.html  ", "/pa\nth", "my file.html", "d\u00a0e.html", "d\\e.html", "?a=b\\c",
	"#a\\b", "HTTPS://WWW.EXAMPLE.COM:443/A", "https://b\u00fccher.example/", "http://0x7f.1/", "http://127.1/",
	"http://[::ffff:127.0.0.1]/", "https://www.example.com:000443/x", "https://user@a@www.example.com/x",
	"/a/%2e%2E/b/.%2e", "/100%/x", "/a\"b'c<d>e`f{g}|^", "?q=\"a'b<c>", "#`<", "tel:+34 600 000 000",
	"data:text/html,<b>x</b>", "javascript:void(0)", "https://www.example.com./x", "https://a_b.example/", "mailto:x?y#z",
	"http://+127.1/", "http://0x+1/", "http://[[::1]]/", "http://a.-1/", "blob:https://example.com/1", "/..//../a/./",
	"http://xn--a/", "https://XN--BCHER-KVA.example", "http://h:80", "https://h:80/", "\xff/\xc3", "/a//b///", "x:y", "a:b/..",
}

// The fast path and the library always agree, where the fast path has an answer.
func FuzzFastAgreesWithLibrary(f *testing.F) {
	for _, base := range fuzzBases {
		for _, href := range fuzzHrefs {
			f.Add(base, href)
		}
	}
	f.Fuzz(func(t *testing.T, rawBase, href string) {
		if len(rawBase) > MaxLength || len(href) > MaxLength {
			t.Skip()
		}
		var base URL
		if rawBase != "" {
			var err error
			if base, err = Parse(rawBase); err != nil {
				t.Skip()
			}
		}
		quick, ok := fast(base, trim(href))
		if !ok {
			return
		}
		sure, err := slow(base, href)
		if err != nil {
			t.Fatalf("%q on %q: fast %q, library: %v", href, rawBase, quick.Href(), err)
		}
		if quick != sure {
			t.Fatalf("%q on %q:\nfast    %+v\nlibrary %+v", href, rawBase, quick, sure)
		}
	})
}

// What comes out of Parse has one spelling: reading it again changes nothing, its parts put together give the whole,
// and no input makes it panic.
func FuzzParseIsStable(f *testing.F) {
	for _, href := range fuzzHrefs {
		f.Add(href)
		f.Add("https://example.com/" + href)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := Parse(raw)
		if err != nil {
			if err.Error() == "" || !u.IsZero() {
				t.Fatalf("%q: a URL with an error: %+v, %v", raw, u, err)
			}
			return
		}
		again, err := Parse(u.Href())
		if err != nil || again != u {
			t.Fatalf("%q: first %+v, then %+v, %v", raw, u, again, err)
		}
		if u.Kind() != KindHTTP {
			return
		}
		if u.Hostname() == "" || !strings.HasPrefix(u.Path(), "/") {
			t.Fatalf("%q: no host or path in %+v", raw, u)
		}
		if !u.HasCredentials() && u.Origin()+u.RequestURI() != u.String() {
			t.Fatalf("%q: parts of %+v do not make the whole", raw, u)
		}
	})
}
