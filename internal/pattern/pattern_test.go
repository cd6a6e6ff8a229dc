package pattern

import "testing"

func TestMatchFollowsRFC9309Section223(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"/", "/", true},
		{"/a", "/abc", true},
		{"/a$", "/abc", false},
		{"/a$", "/a", true},
		{"/a*c", "/abbcd", true},
		{"/a*c$", "/abbcd", false},
		{"/a*c$", "/abcc", true},
		{"*", "/x", true},
		{"*.pdf$", "/x/y.pdf", true},
		{"*.pdf$", "/x/y.pdf?z", false},
		{"/*?page=", "/x?page=2", true},
		{"/a**b", "/a-b", true},
		{"/*a*a$", "/a", false}, // the two must not share a character
		{"/x", "/X", false},
	}
	for _, test := range tests {
		p, err := Compile(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match(test.path); got != test.want {
			t.Errorf("%s matches %s: %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
}

func TestCompileRefusesWhatCannotMatch(t *testing.T) {
	for _, text := range []string{"", "blog", "$"} {
		if _, err := Compile(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
