package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/amblecrawl/amble/bench/browserbench"
)

// drivers are the small programs that tell other people's libraries what to do.
//
//go:embed peers
var drivers embed.FS

// nodeModules is where the Node packages are.
func nodeModules() string { return filepath.Join(browserbench.DefaultFolder(), "node_modules") }

// peer is somebody else's program: how it is told to do the work, without pauses, in a folder that is removed afterwards.
type peer struct {
	argv   func(start, dir, node string) []string
	driver string // the file of drivers that it needs, in dir
	module string // the Node package that it needs
}

var peers = map[string]peer{
	"wget": {argv: func(start, dir, _ string) []string {
		return []string{"wget", "-q", "-r", "-l", "inf", "--delete-after", "-nd", "-P", dir, start}
	}},
	"wget2": {argv: func(start, dir, _ string) []string {
		return []string{"wget2", "-q", "-r", "-l", "inf", "--max-threads=8", "--delete-after", "-nd", "-P", dir, start}
	}},
	"httrack": {argv: func(start, dir, _ string) []string {
		return []string{"httrack", start, "-O", dir, "-q", "-Q", "-I0", "-B", "-s2", "-c8", "-%c0", "-A0", "--disable-security-limits", "--max-rate=0"}
	}},
	"linkinator": {module: "linkinator", argv: func(start, _, node string) []string {
		return []string{"node", filepath.Join(node, "linkinator", "build", "src", "cli.js"), strings.TrimSuffix(start, "p/0"), "--recurse", "--concurrency", "8", "--verbosity", "none", "--timeout", "10000"}
	}},
	"scrapy": {driver: "scrapy_spider.py", argv: func(start, dir, _ string) []string {
		return []string{"scrapy", "runspider", filepath.Join(dir, "scrapy_spider.py"), "--nolog", "-a", "start=" + start}
	}},
	"crawlee": {driver: "crawlee.cjs", module: "@crawlee/cheerio", argv: func(start, dir, _ string) []string {
		return []string{"node", filepath.Join(dir, "crawlee.cjs"), start}
	}},
}

// missing says what this machine lacks to run the peer.
func (p peer) missing() error {
	node := nodeModules()
	if p.module != "" {
		if _, err := os.Stat(filepath.Join(node, p.module)); err != nil {
			return fmt.Errorf("the Node package %s is not there (make bench-peers)", p.module)
		}
	}
	tool := p.argv("", "", node)[0]
	if _, err := exec.LookPath(tool); err != nil {
		return fmt.Errorf("%s is not installed (make bench-peers)", tool)
	}
	return nil
}

// command makes the process, and the function that removes what it leaves behind.
func (p peer) command(start string) (*exec.Cmd, func(), error) {
	node := nodeModules()
	dir, err := os.MkdirTemp("", "amble-bench-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if p.driver != "" {
		text, err := drivers.ReadFile("peers/" + p.driver)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.driver), text, 0o600)
		}
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	argv := p.argv(start, dir, node)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NODE_PATH="+node)
	return cmd, remove, nil
}
