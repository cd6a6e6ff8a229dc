// Package a11ybench sets amble's accessibility rules beside axe-core and Alfa: what each finds on W3C's test cases, and
// what amble's rules and axe-core cost on the same pages. All engines look at the same load of a page in the same Chrome.
//
// The other engines are installed with npm, outside the repository, by Install.
package a11ybench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Main runs "cases" or "cost".
func Main(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "cases":
			return casesMain(args[1:])
		case "cost":
			return costMain(args[1:])
		}
	}
	return errors.New("usage: bench a11y cases|cost [flags]")
}

// packages are what Install puts into the folder, at the versions that the figures in RESULTS.md are of.
var packages = []string{
	"axe-core@4.14.1", "@siteimprove/alfa-act@0.114.0", "@siteimprove/alfa-device@0.114.0", "@siteimprove/alfa-dom@0.114.0",
	"@siteimprove/alfa-rules@0.114.0", "@siteimprove/alfa-web@0.114.0",
}

// DefaultFolder is where the other engines are installed: in the user's cache.
func DefaultFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "amble-bench", "a11y")
}

// Install puts the other engines into a folder.
func Install(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("npm", append([]string{"install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, packages...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("installing axe-core and Alfa: %w", err)
	}
	return nil
}
