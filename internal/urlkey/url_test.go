package urlkey

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

func mustParse(t testing.TB, raw string) URL {
	t.Helper()
	u, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPartsOfURL(t *testing.T) {
	tests := []struct {
		raw, str, scheme, host, hostname, port, origin, path, query, fragment, target string
		number                                                                        uint16
		kind                                                                          Kind
	}{
		{raw: "https://example.com", str: "https://example.com/", scheme: "https", host: "example.com",
			hostname: "example.com", origin: "https://example.com", path: "/", target: "/", number: 443, kind: KindHTTP},
		{raw: "HTTP://Example.com:8080/a/../b?x=1?#f#g", str: "http://example.com:8080/b?x=1?", scheme: "http",
			host: "example.com:8080", hostname: "example.com", port: "8080", origin: "http://example.com:8080", path: "/b",
			query: "x=1?", fragment: "f#g", target: "/b?x=1?", number: 8080, kind: KindHTTP},
		{raw: "https://u:p@[::1]:443/?", str: "https://u:p@[::1]/?", scheme: "https", host: "[::1]", hostname: "[::1]",
			origin: "https://[::1]", path: "/", target: "/?", number: 443, kind: KindHTTP},
		{raw: "https://u@[2001:db8::1]:80/#", str: "https://u@[2001:db8::1]:80/", scheme: "https",
			host: "[2001:db8::1]:80", hostname: "[2001:db8::1]", port: "80", origin: "https://[2001:db8::1]:80", path: "/",
			target: "/", number: 80, kind: KindHTTP},
		{raw: "mailto:a@b.example?subject=x", str: "mailto:a@b.example?subject=x", scheme: "mailto", origin: "null",
			path: "a@b.example", query: "subject=x", target: "a@b.example?subject=x", kind: KindMail},
		{raw: "TEL:+1 2", str: "tel:+1 2", scheme: "tel", origin: "null", path: "+1 2", target: "+1 2", kind: KindPhone},
		{raw: "file:///etc/x", str: "file:///etc/x", scheme: "file", origin: "null", path: "/etc/x", target: "/etc/x",
			kind: KindFile},
		{raw: "blob:https://a.example/1", str: "blob:https://a.example/1", scheme: "blob", origin: "null",
			path: "https://a.example/1", target: "https://a.example/1", kind: KindBlob},
		{raw: "about:blank#x", str: "about:blank", scheme: "about", origin: "null", path: "blank", target: "blank",
			fragment: "x", kind: KindAbout},
		{raw: "ws://h/", str: "ws://h/", scheme: "ws", host: "h", hostname: "h", origin: "null", path: "/", target: "/",
			number: 80, kind: KindSocket},
	}
	for _, test := range tests {
		u := mustParse(t, test.raw)
		got := []any{u.String(), u.Scheme(), u.Host(), u.Hostname(), u.Port(), u.Origin(), u.Path(), u.Query(), u.Fragment(),
			u.RequestURI(), u.PortNumber(), u.Kind()}
		want := []any{test.str, test.scheme, test.host, test.hostname, test.port, test.origin, test.path, test.query,
			test.fragment, test.target, test.number, test.kind}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: part %d is %q, want %q", test.raw, i, got[i], want[i])
			}
		}
	}
	var zero URL
	if !zero.IsZero() || zero.String()+zero.Host()+zero.Path()+zero.Query()+zero.Fragment()+zero.Port() != "" {
		t.Error("the zero URL has parts")
	}
}

func TestFragmentIsNoPartOfTheIdentity(t *testing.T) {
	a, b := mustParse(t, "https://example.com/x?y#one"), mustParse(t, "https://example.com/x?y#two")
	if a.String() != b.String() || a.WithoutFragment() != b.WithoutFragment() || a == b {
		t.Errorf("%q and %q", a.String(), b.String())
	}
	secret := NewSecret()
	if a.Key(secret) != b.Key(secret) {
		t.Error("fingerprints differ by fragment")
	}
	if a.Fragment() != "one" || !a.HasFragment() || a.WithoutFragment().HasFragment() {
		t.Error("the fragment is not kept apart")
	}
}

func TestTooLongIsRefused(t *testing.T) {
	base := mustParse(t, "https://example.com/")
	for _, href := range []string{
		strings.Repeat("a", MaxLength+1),
		strings.Repeat("a", MaxLength), // with its base
		"https://example.com/" + strings.Repeat("\u00fc", MaxLength/3),
		"foo://example.com/" + strings.Repeat("\u00fc", MaxLength/3),
		"#" + strings.Repeat("a", MaxLength),
		"https://" + strings.Repeat("\xff", MaxLength-100) + "@example.com/a/../..",
		"https://" + strings.Repeat("\u00fc", MaxLength/3) + "@example.com/a/../..",
		"https://" + strings.Repeat("\u00fc", 300) + "/",
		"data:" + strings.Repeat("a", MaxLength),
	} {
		u, err := Resolve(base, href)
		var e *Error
		if !u.IsZero() || !errors.Is(err, ErrTooLong) || !errors.As(err, &e) || len(e.Input) > 200 {
			t.Errorf("%.30q: %v", href, err)
		}
		if strings.HasPrefix(href, "data:") && e.Kind != KindData {
			t.Errorf("a long data: URL is of kind %v", e.Kind)
		}
	}
	fits := "/" + strings.Repeat("a", MaxLength-len("https://example.com/"))
	if u, err := Resolve(base, " \n"+fits+strings.Repeat(" ", 100)); err != nil || len(u.String()) != MaxLength {
		t.Errorf("the longest URL is refused: %v", err)
	}
}

func TestInvalidIsRefused(t *testing.T) {
	for _, raw := range []string{"", "x", "/x", "https://", "http://a<b/", "http://%zz/", "http://1.2.3.4.5/", "http://h:99999/",
		"http://[::1", "http://[[::1]]/", "http://+127.1/", "http://0x-1/", "http://[fe80::1%25eth0]/", "http://xn--/", "//h/",
		"http://\uff0b127.1/", "http://%2B127.1/"} {
		if u, err := Parse(raw); !errors.Is(err, ErrInvalid) || !u.IsZero() {
			t.Errorf("%q: got %q, %v", raw, u.Href(), err)
		}
	}
}

// Names with plus and minus signs that are no numbers stay domains, and numbers in other digits stay numbers.
func TestSignsInHosts(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a+b.example/":          "a+b.example",
		"http://a-1.example/":          "a-1.example",
		"http://\uff11\uff12\uff17.1/": "127.0.0.1",
		"http://%31%32%37.1/":          "127.0.0.1",
		"http://0X7F.0.0x0.01/":        "127.0.0.1",
	} {
		if u := mustParse(t, raw); u.Hostname() != want {
			t.Errorf("%s: host %q, want %q", raw, u.Hostname(), want)
		}
	}
}

func TestCredentialsAreEncoded(t *testing.T) {
	for raw, want := range map[string]string{
		"https://u:p@h.example/":         "https://u:p@h.example/",
		"https://:@h.example/":           "https://h.example/",
		"https://:p@h.example/":          "https://:p@h.example/",
		"https://u:@h.example/":          "https://u@h.example/",
		"https://a@b:c:d@h.example:80/x": "https://a%40b:c%3Ad@h.example:80/x",
		"https://\u00fc'%zz|@127.1?":     "https://%C3%BC'%zz%7C@127.0.0.1/?",
	} {
		if u := mustParse(t, raw); u.Href() != want || u.Origin() != u.Scheme()+"://"+u.Host() {
			t.Errorf("%s: got %s, origin %s; want %s", raw, u.Href(), u.Origin(), want)
		}
	}
	if _, err := Parse("https://u@/"); !errors.Is(err, ErrInvalid) {
		t.Errorf("credentials without a host: %v", err)
	}
}

func TestResultSharesNoMemoryWithHref(t *testing.T) {
	base := mustParse(t, "https://example.com/")
	for _, href := range []string{"https://example.com/a", "a", "#x", "mailto:a@b"} {
		raw := []byte(href)
		u, err := Resolve(base, string(raw))
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Clone(u.Href())
		for i := range raw {
			raw[i] = 'z'
		}
		if u.Href() != before {
			t.Errorf("%s changed under us", href)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	base := mustParse(t, "https://example.com/a/")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				for _, href := range fuzzHrefs {
					u, err := Resolve(base, href)
					if err == nil {
						_ = u.Origin()
						_, _ = Registrable(u.Hostname())
					}
				}
			}
		})
	}
	group.Wait()
}

func TestTypicalHrefAllocatesOnce(t *testing.T) {
	base := mustParse(t, "https://www.example.com/a/b/c.html?x=1")
	for href, most := range map[string]float64{
		"../d/e.html": 1, "/d/e.html?x=1&y=2": 1, "?page=2": 1, "#part": 1, "https://www.example.com/d": 1,
		"https://cdn.example.net/d#x": 1, "//other.example/": 1, "/\u00fcber/a b": 1, "mailto:a@b.example": 1, "": 0,
	} {
		if got := testing.AllocsPerRun(100, func() { _, _ = Resolve(base, href) }); got > most {
			t.Errorf("%q: %v allocations, want at most %v", href, got, most)
		}
	}
	got := testing.AllocsPerRun(100, func() {
		_, _, _, _, _ = base.String(), base.Host(), base.Port(), base.Origin(), base.RequestURI()
		_, _ = base.PortNumber(), base.Key(Secret{})
		_, _ = WithinDomain(base.Hostname(), "example.com"), HasPathPrefix(base.Path(), "/a/")
	})
	if got > 0 {
		t.Errorf("accessors allocate %v times", got)
	}
}
