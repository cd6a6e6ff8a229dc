package fragment

import "testing"

func TestTargetOfFragment(t *testing.T) {
	for fragment, want := range map[string]string{
		"a": "a", "a%20b": "a%20b", "a:~:text=x": "a", "a:b": "a:b", "page=2": "page=2", "topic": "topic",
		"": "", "top": "", "TOP": "", ":~:text=x": "", "/route": "", "!route": "",
	} {
		if got, ok := Target(fragment); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", fragment, got, ok)
		}
	}
}

func TestSetHasDecodedAndRaw(t *testing.T) {
	s := NewSet([]string{"a", "a", "größe", "50%25", "user-content-b", "user-content-é", "x%zz", "c d", ""})
	for name, want := range map[string]bool{
		"a": true, "gr%C3%B6%C3%9Fe": true, "größe": true, "50%25": true, "b": true, "%C3%A9": true, "x%zz": true, "c%20d": true,
		"t%6Fp": true, "%61": true,
		"A": false, "50": false, "c": false, "z": false, "%C3": false,
	} {
		if s.Has(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if s.Len() != 8 {
		t.Errorf("%d places", s.Len())
	}
}

func FuzzFragment(f *testing.F) {
	f.Add("a%20b", "a b")
	f.Add("%", "%")
	f.Fuzz(func(t *testing.T, fragment, id string) {
		if name, ok := Target(fragment); ok {
			NewSet([]string{id}).Has(name)
			if !NewSet([]string{name}).Has(name) {
				t.Errorf("%q is not found by its own name", name)
			}
		}
	})
}
