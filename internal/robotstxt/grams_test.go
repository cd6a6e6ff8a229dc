package robotstxt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCrowdedRulesAgreeWithPlainOnes: rules that are passed over because of runs of bytes that the path has not would not
// have matched: the same rules, too few for that shortcut, give the same answer one by one.
func TestCrowdedRulesAgreeWithPlainOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int, letters string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return string(b)
	}
	for range 200 {
		var body strings.Builder
		body.WriteString("User-agent: *\n")
		var rules []string
		for range 150 {
			rule := "Disallow: /"
			for range rng.IntN(3) + 1 {
				rule += "*" + text(rng.IntN(7), "ab/%2A")
			}
			if rng.IntN(4) == 0 {
				rule += "$"
			}
			rules = append(rules, rule)
			body.WriteString(rule + "\n")
		}
		crowd := Parse([]byte(body.String()), RFC9309).For("ExampleBot")
		if !crowd.sets[0].crowded {
			t.Fatal("not crowded: nothing is tested")
		}
		for range 20 {
			path := "/" + text(gramsPath+rng.IntN(40), "abc/%2A"[rng.IntN(3):])
			want := Verdict{Allowed: true}
			best := -1
			for i, rule := range rules {
				one := Parse([]byte("User-agent: *\n"+rule+"\n"), RFC9309).For("ExampleBot")
				if v := one.Check(path); !v.Allowed && (best < 0 || one.sets[0].entries[0].rank>>33 < uint64(best)) {
					best = int(one.sets[0].entries[0].rank >> 33)
					want = v
					want.Line = i + 2
				}
			}
			got := crowd.Check(path)
			if got.Allowed != want.Allowed || got.Rule != want.Rule || got.Line != want.Line {
				t.Fatalf("%s:\n got %+v\nwant %+v", path, got, want)
			}
		}
	}
}

func FuzzGrams(f *testing.F) {
	f.Add("*ab*cde$", "/abcde")
	f.Add("*/%2A*x", "/a/*x")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		file := Parse([]byte("User-agent: *\nDisallow: /"+pattern+"\n"), RFC9309)
		m := file.For("ExampleBot")
		if len(m.sets) == 0 || len(m.sets[0].entries) != 1 {
			return
		}
		path = m.path("/" + path)
		e := &m.sets[0].entries[0]
		if !strings.HasPrefix(path, e.prefix) {
			return
		}
		var g grams
		g.fill(path)
		if e.wild && e.matches(path[len(e.prefix):]) && !g.has(e) {
			t.Errorf("%q matches %q, and would be passed over", pattern, path)
		}
	})
}
