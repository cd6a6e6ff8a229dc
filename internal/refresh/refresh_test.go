package refresh

import (
	"fmt"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in    string
		delay time.Duration
		url   string
		ok    bool
	}{
		{"0; url=/a", 0, "/a", true},
		{"5;URL='/a b'x", 5 * time.Second, "/a b", true},
		{`5,url="/a`, 5 * time.Second, "/a", true},
		{" 5 ; /a", 5 * time.Second, "/a", true},
		{"5 /a", 5 * time.Second, "/a", true},
		{"5 url = /a", 5 * time.Second, "/a", true},
		{"5; '/a'", 5 * time.Second, "/a", true},
		{"5; url", 5 * time.Second, "url", true},
		{"5; ur=/a", 5 * time.Second, "ur=/a", true},
		{"5; url/a", 5 * time.Second, "url/a", true},
		{"1.7; url=/a", time.Second, "/a", true},
		{".5; url=/a", 0, "/a", true},
		{"30", 30 * time.Second, "", true},
		{"30;", 30 * time.Second, "", true},
		{"0;url=", 0, "", true},
		{"99999999999999999999", maxSeconds * time.Second, "", true},
		{"url=/a", 0, "", false},
		{"-1; url=/a", 0, "", false},
		{"5x; url=/a", 0, "", false},
		{"", 0, "", false},
	} {
		r, ok := Parse(c.in)
		if ok != c.ok || r.Delay != c.delay || r.URL != c.url {
			t.Errorf("%q: got %+v %v", c.in, r, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("5; url='/a'")
	f.Add(".,\"")
	f.Fuzz(func(t *testing.T, s string) {
		if r, ok := Parse(s); !ok && r != (Refresh{}) || r.Delay < 0 {
			t.Errorf("%q: %+v %v", s, r, ok)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse("5; url='https://www.example.test/'")
	}
}

func ExampleParse() {
	r, ok := Parse("3; url=/new")
	fmt.Println(r.Delay, r.URL, ok)
	// Output: 3s /new true
}
