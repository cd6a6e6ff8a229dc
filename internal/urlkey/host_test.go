package urlkey

import "testing"

func TestRegistrable(t *testing.T) {
	for host, want := range map[string]string{
		"www.example.com": "example.com", "example.com": "example.com", "a.b.example.co.uk": "example.co.uk",
		"WWW.Example.COM.": "example.com", "me.github.io": "me.github.io", "x.me.github.io": "me.github.io",
		"www.b\u00fccher.example": "xn--bcher-kva.example", "www.xn--bcher-kva.example": "xn--bcher-kva.example",
		"com": "", "co.uk": "", "github.io": "", "localhost": "", "127.0.0.1": "", "0x7f.1": "", "[::1]": "", "::1": "", "": "",
		"a b": "", "..": "", "a..example.com": "",
	} {
		got, ok := Registrable(host)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v; want %q", host, got, ok, want)
		}
	}
}

func TestWithinDomainComparesLabels(t *testing.T) {
	for _, test := range []struct {
		host, domain string
		want         bool
	}{
		{"example.com", "example.com", true},
		{"www.example.com", "example.com", true},
		{"www.example.com.", "EXAMPLE.com", true},
		{"www.example.com", "example.com.", true},
		{"notexample.com", "example.com", false},
		{"example.com", "www.example.com", false},
		{"example.com.evil.example", "example.com", false},
		{"xn--bcher-kva.example", "b\u00fccher.example", true},
		{"www.xn--bcher-kva.example", "B\u00dcCHER.example", true},
		{"127.0.0.1", "127.1", true},
		{"127.0.0.1", "0.1", false},
		{"127.0.0.1", "1", false},
		{"[::1]", "::1", true},
		{"[::1]", "0:0::1", true},
		{"[::1]", "[::2]", false},
		{"", "example.com", false},
		{"example.com", "", false},
		{"", "", false},
		{"example.com", ".", false},
		{"www.example.com", "com", true},
		{"a/b", "a/b", false},
	} {
		if got := WithinDomain(test.host, test.domain); got != test.want {
			t.Errorf("WithinDomain(%q, %q) = %v", test.host, test.domain, got)
		}
	}
}

func TestHasPathPrefixEndsOnASegment(t *testing.T) {
	for _, test := range []struct {
		path, prefix string
		want         bool
	}{
		{"/blog/", "/blog/", true},
		{"/blog/x", "/blog/", true},
		{"/blog/x/y", "/blog/", true},
		{"/blog", "/blog/", false},
		{"/blogger", "/blog/", false},
		{"/blog", "/blog", true},
		{"/blog/", "/blog", true},
		{"/blog/x", "/blog", true},
		{"/blogger", "/blog", false},
		{"/blog-old", "/blog", false},
		{"/", "/", true},
		{"/x", "/", true},
		{"/x", "", true},
		{"/Blog/", "/blog/", false},
		{"/x/blog/", "/blog/", false},
	} {
		if got := HasPathPrefix(test.path, test.prefix); got != test.want {
			t.Errorf("HasPathPrefix(%q, %q) = %v", test.path, test.prefix, got)
		}
	}
}

func TestHostHasOneForm(t *testing.T) {
	for name, want := range map[string]string{
		"Example.COM": "example.com", "b\u00fccher.example": "xn--bcher-kva.example", "0x7f.1": "127.0.0.1", "::1": "[::1]",
		"[::1]": "[::1]", "example.com.": "example.com.", "a:80": "", "a/b": "", "u@a": "", "": "", "a?": "", "https://a": "",
		"[::1]:80": "", "[::1]/x": "", "fe80::1%eth0": "",
	} {
		got, err := Host(name)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("Host(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
}
