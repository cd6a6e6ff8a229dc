package realsite

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Pages gives the HTML files of the documentation sites on this machine, at most so many of each site; most < 0 is all.
// They are read anew at each call.
func Pages(most int) (pages [][]byte, names []string) {
	for _, site := range Sites {
		n := 0
		_ = filepath.WalkDir(site.Root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || n == most {
				return fs.SkipAll
			}
			if !e.Type().IsRegular() || filepath.Ext(path) != ".html" {
				return nil
			}
			if page, err := os.ReadFile(path); err == nil {
				pages, names, n = append(pages, page), append(names, path), n+1
			}
			return nil
		})
	}
	return pages, names
}
