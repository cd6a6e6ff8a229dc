package amble

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRepairValue(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"X", "a\x01b\x7fc", "a\ufffdb\ufffdc"},
		{"X", "line\r\nInjected: yes", "line\ufffd\ufffdInjected: yes"},
		{"X", "tab\tstays", "tab\tstays"},
		{"X", "caf\u00e9", "caf\u00e9"},
		{"X", "caf\xe9", "caf\u00e9"},
		{"Location", "/caf\xe9", "/caf%E9"},
		{"Location", "/caf\u00e9", "/caf\u00e9"}, // UTF-8 is left for the URL parser
		{"Location", "/a\x00b", "/a\ufffdb"},
	} {
		got := http.Header{c.name: {c.in}}
		cleanHeader(got)
		if got[c.name][0] != c.want {
			t.Errorf("%s: %q: got %q, want %q", c.name, c.in, got[c.name][0], c.want)
		}
	}
	h := cleanHeader(http.Header{"Good": {"x"}, "Bad Name": {"x"}, "": {"x"}, "B\xffd": {"x"}})
	if len(h) != 1 || h.Get("Good") != "x" {
		t.Errorf("names: %v", h)
	}
	if cleanHeader(nil) == nil {
		t.Error("a nil header stays nil")
	}
}

func FuzzCleanHeader(f *testing.F) {
	f.Add("Location", "/caf\xe9")
	f.Add("X", "\u0085\x00")
	f.Fuzz(func(t *testing.T, name, value string) {
		for name, values := range cleanHeader(http.Header{name: {value}}) {
			if v := values[0]; !utf8.ValidString(name) || !utf8.ValidString(v) || strings.ContainsFunc(v, isControl) {
				t.Errorf("%q: %q", name, v)
			}
			if cleanHeader(http.Header{name: {values[0]}}).Get(name) != http.Header(map[string][]string{name: values}).Get(name) {
				t.Errorf("%q: cleaning twice changes %q", name, values[0])
			}
		}
	})
}
