package urlkey

import (
	"errors"
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

// Our code and the library always agree, errors included.
func FuzzAgreesWithLibrary(f *testing.F) {
	for _, base := range fuzzBases {
		for _, href := range fuzzHrefs {
			f.Add(base, href)
		}
	}
	f.Fuzz(func(t *testing.T, rawBase, href string) {
		if len(rawBase) > 1000 || len(href) > 1000 {
			t.Skip()
		}
		var base URL
		if rawBase != "" {
			var err error
			if base, err = Parse(rawBase); err != nil {
				t.Skip()
			}
		}
		ours, err := resolve(base, trim(href))
		if errors.Is(err, ErrTooLong) {
			t.Skip()
		}
		theirs, theirErr := reference(base, string([]rune(href))) // decoded before anything else, as documents are
		if (err == nil) != (theirErr == nil) {
			t.Fatalf("%q on %q: ours %q, %v; library %q, %v", href, rawBase, ours.Href(), err, theirs.Href(), theirErr)
		}
		if ours != theirs {
			t.Fatalf("%q on %q:\nours    %+v\nlibrary %+v", href, rawBase, ours, theirs)
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
		if back, err := FromNet(u.URL()); err != nil || back != u.WithoutFragment() && !u.HasCredentials() {
			t.Fatalf("%q: %q came back from net/url as %q, %v", raw, u, back, err)
		}
		if asked := u.URL().RequestURI(); asked != u.RequestURI() && !strings.HasPrefix(u.Path(), "//") {
			t.Fatalf("%q: net/http would ask for %q, not %q", raw, asked, u.RequestURI())
		}
	})
}
