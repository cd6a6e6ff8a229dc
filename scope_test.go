package amble

import (
	"errors"
	"testing"
)

func TestExcludePatternsCompareEscapesAsRobotsRulesDo(t *testing.T) {
	s := Scope{Origins: []string{"https://site.test"}, Exclude: []string{"/private/", "/b%C3%BCcher"}}
	for _, u := range []string{"https://site.test/private/x", "https://site.test/%70rivate/x", "https://site.test/bücher", "https://site.test/b%c3%bccher"} {
		if err := s.Check(u); !errors.Is(err, ErrOutOfScope) {
			t.Errorf("%s: %v", u, err)
		}
	}
	in := Scope{Origins: []string{"https://site.test"}, Include: []string{"/*.html$"}}
	if err := in.Check("https://site.test/a%2Ehtml"); err != nil {
		t.Error(err)
	}
}

func TestScopeBorders(t *testing.T) {
	for _, test := range []struct {
		scope Scope
		url   string
		ok    bool
	}{
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test/blog/%2e%2e/secret", false},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test/blog/.%2E/secret", false},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, `https://e.test/blog\..\secret`, false},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test/blogger", false},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test/BLOG/", false},
		{Scope{Prefixes: []string{"https://e.test/blog"}}, "https://e.test/blog?x", true},
		{Scope{Prefixes: []string{"https://e.test/blog"}}, "https://e.test/blog-x", false},
		{Scope{Prefixes: []string{"https://E.test:443/blog/"}}, "https://e.TEST/blog/x", true},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test:8443/blog/x", false},
		{Scope{Prefixes: []string{"https://e.test/blog/"}}, "https://e.test./blog/x", false},
		{Scope{Domains: []string{"bücher.example"}}, "http://WWW.XN--BCHER-KVA.example:8080/", true},
		{Scope{Domains: []string{"example.com"}}, "https://notexample.com/", false},
		{Scope{Domains: []string{"example.com"}}, "https://example.com.evil.test/", false},
		{Scope{Domains: []string{"example.com"}}, "https://example.com@evil.test/", false},
		{Scope{Domains: []string{"example.com"}}, "https://www.example.com./", true},
		{Scope{Domains: []string{"example.com"}, ExcludeHosts: []string{"shop.example.com."}}, "https://SHOP.example.com./", false},
		{Scope{Domains: []string{"example.com"}, ExcludeHosts: []string{"shop.example.com"}}, "https://a.shop.example.com/", false},
		{Scope{Domains: []string{"example.com"}, ExcludeHosts: []string{"shop.example.com"}}, "https://shop.example.com../", false},
		{Scope{Origins: []string{"http://127.0.0.1"}, ExcludeHosts: []string{"127.0.0.1"}}, "http://0x7f.1/", false},
		{Scope{Origins: []string{"http://[::1]"}, ExcludeHosts: []string{"[::1]"}}, "http://[0:0::1]/", false},
	} {
		err := test.scope.Check(test.url)
		if (err == nil) != test.ok {
			t.Errorf("%+v: %s: %v", test.scope, test.url, err)
		}
		if err != nil && !errors.Is(err, ErrOutOfScope) && !errors.Is(err, ErrBadURL) {
			t.Errorf("%s: %v", test.url, err)
		}
	}
	for _, suffix := range []string{"co.uk", "com", "github.io", "COM.", "127.0.0.1", ""} {
		if err := (Scope{Domains: []string{suffix}}).Check("https://e.test/"); !errors.Is(err, ErrConfig) {
			t.Errorf("domain %q: %v", suffix, err)
		}
	}
}
