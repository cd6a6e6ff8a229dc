package amble_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/realsite"
)

// TestIssue5RealSitesLinks checks the links of real documentation: the figures were found by other checkers, and each
// by a look into the files.
func TestIssue5RealSitesLinks(t *testing.T) {
	for _, row := range []struct {
		site                    realsite.Site
		dead, behind, fragments int // documents that are not there, references to them, places that are not there
		invalid                 int
		also                    string // a page that no link leads to, only a form
		alone                   bool   // as it is packaged, without the scripts of another package that it has links to
	}{
		{site: realsite.Sites[0], dead: 1, behind: 1, invalid: 2},
		{site: realsite.Sites[1], dead: 426, behind: 6959, fragments: 31},
		{site: realsite.Sites[2]},
		{site: realsite.Sites[3], dead: 7, behind: 132, also: "search.html", alone: true},
	} {
		t.Run(row.site.Package, func(t *testing.T) {
			row.site.Need(t)
			root := row.site.Root
			if row.alone {
				root = copyFiles(t, root)
			}
			server := realsite.Start(t, realsite.Options{Root: root})
			c := loopback()
			got, behind := map[amble.LinkProblem][]string{}, 0
			c.Links = &amble.LinkCheck{SkipExternal: true, Report: func(l *amble.LinkResult) {
				switch {
				case l.Verdict == amble.LinkOK, l.Verdict == amble.LinkRedirected, l.Problem == amble.LinkExcluded:
					return
				case l.Problem == amble.LinkGone && (l.Status != http.StatusNotFound || l.References == 0 || len(l.Referrers) == 0):
					t.Errorf("%+v", l)
				}
				if l.Problem == amble.LinkGone {
					behind += l.References
				}
				name := strings.TrimPrefix(l.URL, server.Base)
				if l.Fragment != "" {
					name += "#" + l.Fragment
				}
				got[l.Problem] = append(got[l.Problem], name)
			}}
			seeds := []string{server.Base + "/" + row.site.Start}
			if row.also != "" {
				seeds = append(seeds, server.Base+"/"+row.also)
			}
			sum, err := c.Run(t.Context(), seeds...)
			if err != nil {
				t.Fatal(err)
			}
			for problem, want := range map[amble.LinkProblem]int{
				amble.LinkGone: row.dead, amble.LinkNoFragment: row.fragments, amble.LinkInvalid: row.invalid,
			} {
				if len(got[problem]) != want {
					t.Errorf("%s: %d, want %d: %v", problem, len(got[problem]), want, first(got[problem], 50))
				}
				delete(got, problem)
			}
			for problem, list := range got {
				t.Errorf("unexpected %s: %v", problem, first(list, 20))
			}
			if behind != row.behind {
				t.Errorf("%d references to what is gone, want %d", behind, row.behind)
			}
			asked := map[string]int{}
			for _, r := range server.Requests(t) {
				if asked[r.Path]++; asked[r.Path] == 2 {
					t.Errorf("%s was asked for twice", r.Path)
				}
				if r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.Path)
				}
			}
			t.Logf("%d targets, %d references, %d requests for links, %v, fragments %v", sum.Links.Targets, sum.Links.References,
				sum.Links.Requests, sum.Links.Verdicts, sum.Links.Fragments)
		})
	}
}

// copyFiles copies a folder's files and leaves out what its symbolic links lead to.
func copyFiles(t *testing.T, root string) string {
	t.Helper()
	dir := realsite.Folder(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }
