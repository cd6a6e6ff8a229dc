package a11y

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/cases"
)

// actManifest is W3C's index of test cases, as far as the tests read it.
type actManifest struct {
	Rules []struct {
		ID       string
		Name     string
		Approved bool
	}
	Cases []actCase
}

type actCase struct {
	ID, RuleID, Expected, File, ServePath string
	NeedsMedia                            bool
}

func readACT(t *testing.T) (actManifest, string) {
	t.Helper()
	var m actManifest
	cases.JSON(t, "a11y/act/manifest.json", &m)
	return m, cases.Path(t, "a11y/act")
}

const actHost = "http://127.0.0.1:8000"

// judge compares the outcomes of all our rules that map to an ACT rule with what a case expects: a failed case must be
// reported as failed, a passed or inapplicable one must not.
func judge(rep *Report, act, expected string) bool {
	failed := false
	for _, r := range ByACT(act) {
		failed = failed || rep.Outcome(r.ID).Result == amble.Failed
	}
	return failed == (expected == "failed")
}

// TestACTStaticCases runs the static form over W3C's cases. Rules of ours that need a browser, and ACT rules without
// one of ours, are named in the log and not counted.
func TestACTStaticCases(t *testing.T) {
	m, dir := readACT(t)
	tally := cases.NewTally("act-static")
	consistent, falsePositives, missed := map[string]bool{}, []string{}, []string{}
	skipped := map[string]bool{}
	var left []string
	for _, c := range m.Cases {
		static := slices.ContainsFunc(ByACT(c.RuleID), func(r Rule) bool { return !r.Rendered })
		if c.NeedsMedia {
			continue
		}
		if !static {
			skipped[c.RuleID] = true
			continue
		}
		rep := checkCase(t, dir, c)
		ok := judge(rep, c.RuleID, c.Expected)
		if !ok && c.Expected == "failed" && scripted(t, dir, c) {
			left = append(left, c.ID)
			consistent[c.RuleID] = false // not without a browser
			continue
		}
		if _, seen := consistent[c.RuleID]; !seen {
			consistent[c.RuleID] = true
		}
		if !ok {
			consistent[c.RuleID] = false
			if c.Expected == "failed" {
				missed = append(missed, c.ID)
			} else {
				falsePositives = append(falsePositives, c.ID)
			}
		}
		tally.Add(c.ID, ok)
	}
	good := 0
	var bad []string
	for id, ok := range consistent {
		if ok {
			good++
		} else {
			bad = append(bad, id)
		}
	}
	sort.Strings(bad)
	t.Logf("rules consistent act-static: %d of %d; not: %s", good, len(consistent), strings.Join(bad, " "))
	t.Logf("false positives: %d %s", len(falsePositives), strings.Join(falsePositives, " "))
	t.Logf("missed: %d %s", len(missed), strings.Join(missed, " "))
	t.Logf("not judged without a browser or not written: %s", strings.Join(sortedKeys(skipped), " "))
	t.Logf("left to the browser, a script builds the page: %d %s", len(left), strings.Join(left, " "))
	tally.Close(t, disputedStatic)
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// scripted tells whether a script builds the page of a case: its fault is not in the HTML.
func scripted(t *testing.T, dir string, c actCase) bool {
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.File)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(body), "<script")
}

// disputedStatic are the cases that get cantTell instead of W3C's answer, with the reason.
var disputedStatic = map[string]string{
	"off6ek/895a754e85f4fbc8e11cea52295381f41eb384ca": "three words: too little to tell a language without a dictionary: cantTell",
	"ucwvc8/c4eaf50df4fa37f931374c74ac369a018b780ec6": "six words: too little to tell a language without a dictionary: cantTell",
	"ucwvc8/864ccfb9bdb2c7f797602c5e4f25d1a0ad2aad7c": "four words: too little to tell a language without a dictionary: cantTell",
	"fd3a94/8dc58c481c594488a331cd267974a324b97c9c98": "the links lead to other hosts, which a check must not ask: cantTell",
	"fd3a94/ef75d42424140b163d7939aacc6a80c8dbc8816a": "one page for both links; what differs is up to its script: cantTell",
	"fd3a94/f92350be3a294ad1a41de6d7202f09bdd4e5d6c0": "one page for both links; what differs is up to its script: cantTell",
	"fd3a94/7ebe961dbb4fb0e259fc3bc98a8f048170b063af": "one page for both links; what differs is up to its script: cantTell",
	"ffbc54/bd5c8ee943fe77cf5cd46ce0e810bd949b537050": "whether the controls switch the shortcut off shows only when somebody uses them: cantTell",
	"b20e66/f34241fb3e5b4e23fa3813f2f29ddb7227a79c65": "the links lead to other hosts, which a check must not ask: cantTell",
}

func checkCase(t *testing.T, dir string, c actCase) *Report {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.File)))
	if err != nil {
		t.Fatal(err)
	}
	media := "text/html"
	switch filepath.Ext(c.File) {
	case ".svg":
		media = "image/svg+xml"
	case ".xhtml", ".xml":
		media = "application/xhtml+xml"
	}
	rep, err := CheckHTML(context.Background(), body, actHost+c.ServePath, media, &Options{StyleSheet: func(u string) (string, bool) {
		data, err := os.ReadFile(assetPath(dir, u))
		return string(data), err == nil
	}, Linked: func(u string) (string, bool) {
		data, err := os.ReadFile(assetPath(dir, u))
		return string(data), err == nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return rep
}

// assetPath maps the address of an asset to its file.
func assetPath(dir, u string) string {
	u = strings.TrimPrefix(u, actHost)
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(u, "/WAI/content-assets/wcag-act-rules/")))
}
