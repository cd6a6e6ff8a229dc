package browser

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRootHasNoBrowser: importing the root package costs no browser code.
func TestRootHasNoBrowser(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/amblecrawl/amble").CombinedOutput()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("go list: %v: %s", err, out)
		}
		t.Skipf("go list: %v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "chromedp") || strings.Contains(line, "cdproto") {
			t.Errorf("the root package imports %s", strings.TrimSpace(line))
		}
	}
}
