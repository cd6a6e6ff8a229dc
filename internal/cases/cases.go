// Package cases finds the files with right answers that tests are measured by, and reports how many were met.
//
// A test asks for a file by its name inside the cases folder ("seo/url-cases.json"). The folder is the one named by
// AMBLE_CASES; without it, "../shared" beside the repository, then the repository's own testdata/cases.
package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Path returns the path of a file or folder of the cases, given by its slash-separated name. When the name exists
// nowhere the test is skipped and says where it looked: some sets are other people's data and cannot travel with a
// clone.
func Path(t testing.TB, name string) string {
	t.Helper()
	dirs := folders()
	for _, dir := range dirs {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("no cases %q in %s: set AMBLE_CASES to the folder that holds them", name, strings.Join(dirs, ", "))
	return ""
}

// Read returns the bytes of a file of the cases, as Path finds it.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// JSON reads a file of the cases, as Path finds it, into v.
func JSON(t testing.TB, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(Read(t, name), v); err != nil {
		t.Fatalf("cases %s: %v", name, err)
	}
}

// Tally counts the cases of one set. It is not safe for concurrent use.
type Tally struct {
	name    string
	total   int
	failing []string
}

// NewTally starts the count of a set; name is what the log line calls it.
func NewTally(name string) *Tally { return &Tally{name: name} }

// Add counts one case, by its id.
func (c *Tally) Add(id string, ok bool) {
	c.total++
	if !ok {
		c.failing = append(c.failing, id)
	}
}

// Close logs the line "cases NAME: X of Y" with the id of each failing case, and fails the test when a case failed
// that is not in disputed: the ids of cases whose answer we hold to be wrong, each with its reason.
func (c *Tally) Close(t testing.TB, disputed map[string]string) {
	t.Helper()
	line := "cases " + c.name + ": "
	t.Logf("%s%d of %d%s", line, c.total-len(c.failing), c.total, c.failures())
	if c.total == 0 {
		t.Errorf("%sno case was read", line)
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(c.failing))) {
		if reason, ok := disputed[id]; ok {
			t.Logf("disputed %s: %s", id, reason)
			continue
		}
		t.Errorf("case %s failed", id)
	}
}

func (c *Tally) failures() string {
	if len(c.failing) == 0 {
		return ""
	}
	return "; failing: " + strings.Join(c.failing, " ")
}

func folders() []string {
	if dir := os.Getenv("AMBLE_CASES"); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root(), dir)
		}
		return []string{dir}
	}
	return []string{filepath.Join(root(), "..", "shared"), filepath.Join(root(), "testdata", "cases")}
}

// root is the repository's folder, whatever package's test is running.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}
