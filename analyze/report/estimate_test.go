package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/amblecrawl/amble"
)

func estimate(seen []float64, unseen, population int) Estimate {
	e := Estimator{Population: population}
	for _, s := range seen {
		e.Add(amble.OutcomeAnalysed, s)
	}
	for range unseen {
		e.Add(amble.OutcomeThrottled, 0)
	}
	return e.Estimate()
}

// TestEstimateNeedsEnough proves that no number is given where too little was seen, and none ever from pages that were
// not analysed (S20).
func TestEstimateNeedsEnough(t *testing.T) {
	same := func(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		name               string
		seen               []float64
		unseen, population int
		valid              bool
	}{
		{"nothing", nil, 0, 0, false},
		{"only refusals", nil, 500, 0, false},
		{"one page, all of the site", same(1, 80), 0, 0, true},
		{"29 of 1000", same(29, 80), 971, 0, false},
		{"30 of 1000", same(30, 80), 970, 0, true},
		{"30 of a known million", same(30, 80), 0, 1_000_000, true},
		{"half of 20", same(10, 80), 10, 0, true},
		{"one of two: too wide", same(1, 80), 1, 0, false},
	} {
		got := estimate(c.seen, c.unseen, c.population)
		if got.Valid != c.valid {
			t.Errorf("%s: %+v", c.name, got)
		}
		if !got.Valid && (got.Score != 0 || got.Low != 0 || got.High != 0) {
			t.Errorf("%s: a number without worth: %+v", c.name, got)
		}
		if got.Valid && (got.Low > got.Score || got.Score > got.High || got.Low < 0 || got.High > 100) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if all := estimate(same(40, 73), 0, 0); all.Low != 73 || all.High != 73 || all.Coverage != 1 {
		t.Errorf("all pages seen leave no doubt: %+v", all)
	}
	if few := estimate(same(30, 100), 970, 0); few.High-few.Low < 2 {
		t.Errorf("equal pages feign certainty: %+v", few)
	}
	e := Estimator{}
	for _, o := range []amble.Outcome{amble.OutcomeRedirected, amble.OutcomeHTTPError, amble.OutcomeNotHTML, amble.OutcomeOutOfScope} {
		e.Add(o, 0)
	}
	if got := e.Estimate(); got.Known != 0 {
		t.Errorf("what is no page counts: %+v", got)
	}
}

// TestIntervalCovers draws random samples from sites whose mean is known: the interval must hold it about as often as it
// says.
func TestIntervalCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, site := range []struct {
		name string
		page func() float64
	}{
		{"alike", func() float64 { return 90 + 10*r.Float64() }},
		{"two halves", func() float64 { return float64(r.IntN(2)) * 100 }},
		{"few bad ones", func() float64 {
			if r.IntN(10) == 0 {
				return 20
			}
			return 95
		}},
	} {
		for _, n := range []int{30, 100, 800} {
			const all, rounds = 1000, 400
			pages, sum := make([]float64, all), 0.0
			for i := range pages {
				pages[i] = site.page()
				sum += pages[i]
			}
			mean, held, given := sum/all, 0, 0
			for range rounds {
				r.Shuffle(all, func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
				if e := estimate(pages[:n], all-n, 0); e.Valid {
					given++
					if e.Low <= mean+1e-9 && mean <= e.High+1e-9 {
						held++
					}
				}
			}
			if share := float64(held) / float64(max(given, 1)); share < 0.91 {
				t.Errorf("%s, %d of %d pages: the interval held the mean in %.1f %% of %d", site.name, n, all, share*100, given)
			}
		}
	}
}

func TestPagePoints(t *testing.T) {
	rules := map[string]*amble.Rule{"better": {ID: "better", Certainty: amble.Opportunity}}
	f := func(rule string, s amble.Severity, r amble.Result) amble.Finding {
		return amble.Finding{Rule: rule, Severity: s, Result: r}
	}
	for _, c := range []struct {
		name string
		list []amble.Finding
		want float64
	}{
		{"nothing found", nil, 100},
		{"once a rule", []amble.Finding{f("a", amble.Serious, 0), f("a", amble.Serious, 0), f("a", amble.Critical, 0)}, 80},
		{"each rule", []amble.Finding{f("a", amble.Critical, 0), f("b", amble.Serious, 0), f("c", amble.Warning, 0), f("d", amble.Notice, 0)}, 65},
		{"opportunities are free", []amble.Finding{f("better", amble.Critical, 0)}, 100},
		{"doubt is free", []amble.Finding{f("a", amble.Critical, amble.CantTell), f("b", amble.Critical, amble.Passed)}, 100},
		{"information is free", []amble.Finding{f("a", amble.Info, 0)}, 100},
		{"not below zero", []amble.Finding{f("a", 4, 0), f("b", 4, 0), f("c", 4, 0), f("d", 4, 0), f("e", 4, 0), f("f", 4, 0)}, 0},
	} {
		if got := PagePoints(c.list, rules); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func siteURLs() []string {
	out := []string{"https://site.test/", "https://site.test/about", "https://site.test/contact.html"}
	for i := range 900 {
		out = append(out, fmt.Sprintf("https://site.test/blog/a-post-about-%d", i))
	}
	for i := range 90 {
		out = append(out, fmt.Sprintf("https://site.test/shop/item-%d?ref=x", i))
	}
	return out
}

// TestSampleRule proves what Sample's comment says.
func TestSampleRule(t *testing.T) {
	urls := siteURLs()
	s := Sample(urls, Sampling{Size: 40, Seed: 7})
	if len(s) != 40 || s[0].URL != "https://site.test/" || s[0].Why != "home" {
		t.Fatalf("%d URLs, first %+v", len(s), s[0])
	}
	kinds, random := map[string]int{}, 0
	seen := map[string]bool{}
	for _, x := range s {
		if seen[x.URL] {
			t.Errorf("%s twice", x.URL)
		}
		seen[x.URL] = true
		kinds[x.Kind]++
		if x.Why == "random" {
			random++
		}
	}
	for _, want := range []string{"site.test/", "site.test/about", "site.test/contact.html", "site.test/blog/*", "site.test/shop/*?ref"} {
		if kinds[want] == 0 {
			t.Errorf("no page of the kind %s among %v", want, kinds)
		}
	}
	if random != 20 {
		t.Errorf("%d drawn at random, want 20", random)
	}
	shuffled := slices.Clone(urls)
	slices.Reverse(shuffled)
	if !slices.Equal(s, Sample(append(shuffled, urls...), Sampling{Size: 40, Seed: 7})) {
		t.Error("the order or doubles of the URLs change the sample")
	}
	if slices.Equal(s, Sample(urls, Sampling{Size: 40, Seed: 8})) {
		t.Error("the seed changes nothing")
	}
	kept := 0
	for _, x := range Sample(append(slices.Clone(urls), "https://site.test/blog/one-more-1"), Sampling{Size: 40, Seed: 7}) {
		if seen[x.URL] {
			kept++
		}
	}
	if kept < 37 {
		t.Errorf("one more URL left only %d of 40 in the sample", kept)
	}
	if got := Sample(urls[:3], Sampling{Size: 40}); len(got) != 3 {
		t.Errorf("%d of 3 URLs", len(got))
	}
	if got := Sample(nil, Sampling{}); len(got) != 0 {
		t.Errorf("%v from nothing", got)
	}
	for _, x := range Sample(urls, Sampling{Size: 40, Random: -1}) {
		if x.Why == "random" {
			t.Error("a random page where none was wanted")
		}
	}
}

// TestSampleIsFair proves that the random part gives each URL about the same chance.
func TestSampleIsFair(t *testing.T) {
	urls := siteURLs()[3:]
	drawn, homes := map[string]int{}, map[string]bool{}
	const seeds, size = 100, 200
	for seed := range uint64(seeds) {
		for _, x := range Sample(urls, Sampling{Size: size, Seed: seed, Random: 1}) {
			if x.Why == "random" {
				drawn[x.URL]++
			} else {
				homes[x.URL] = true
			}
		}
	}
	expected := float64(seeds) * size / float64(len(urls)) // about 20
	for _, u := range urls {
		if n := float64(drawn[u]); !homes[u] && math.Abs(n-expected) > 5*math.Sqrt(expected) {
			t.Errorf("%s was drawn %v times, expected about %.0f", u, n, expected)
		}
	}
}
