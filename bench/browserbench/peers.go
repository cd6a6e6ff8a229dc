package browserbench

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed peers
var peers embed.FS

// packages are what each script needs, as a folder below node_modules.
var packages = map[string]string{
	"puppeteer.mjs": "puppeteer-core", "playwright.mjs": "playwright-core", "crawlee.mjs": "@crawlee/playwright",
	"pa11y.mjs": "pa11y-ci", "lighthouse.mjs": "lighthouse",
}

// DefaultFolder is where the Node packages are installed: in the user's cache.
func DefaultFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "amble-bench", "node")
}

// missing says why a client cannot run, or nil.
func (c client) missing(folder string) error {
	if c.node == "" {
		return nil
	}
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("no program called node")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", packages[c.node])); err != nil {
		return fmt.Errorf("%s is not installed; run make bench-peers", packages[c.node])
	}
	return nil
}

// writeScript puts the script of a client where its packages are, and returns its path.
func writeScript(folder, name string) (string, error) {
	for _, file := range []string{"job.mjs", name} {
		if err := writePeer(folder, file); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, name), nil
}

func writePeer(folder, name string) error {
	data, err := fs.ReadFile(peers, "peers/"+name)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	return os.WriteFile(path, data, 0o644)
}

// Install puts the Node packages into a folder, without browsers of their own: all clients use one Chrome.
func Install(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := writePeer(folder, "package.json"); err != nil {
		return err
	}
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "PUPPETEER_SKIP_DOWNLOAD=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
	return cmd.Run()
}
