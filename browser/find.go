package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// ErrNoBrowser: no Chrome or Chromium was found or started. The error says what was tried and how to install one.
var ErrNoBrowser = errors.New("no browser found")

// NoBrowserError is the error around ErrNoBrowser.
type NoBrowserError struct {
	Tried  []string // each place that was looked at, with what was wrong with it
	Output string   // the last lines that a browser printed before it gave up; empty when none was started
	Hint   string   // what to do about it
}

// Error tells all of it, on several lines.
func (e *NoBrowserError) Error() string {
	var b strings.Builder
	b.WriteString("amble/browser: no usable Chrome or Chromium. Tried:\n")
	for _, tried := range e.Tried {
		b.WriteString("  - " + tried + "\n")
	}
	if e.Output != "" {
		b.WriteString("It printed:\n  " + strings.ReplaceAll(strings.TrimSpace(e.Output), "\n", "\n  ") + "\n")
	}
	b.WriteString(e.Hint)
	return b.String()
}

// Unwrap makes errors.Is(err, ErrNoBrowser) true.
func (e *NoBrowserError) Unwrap() error { return ErrNoBrowser }

// environment names the variables that point to a browser, in the order in which they are asked: our own, those of
// chrome-launcher and Lighthouse, of Karma, and of Puppeteer.
var environment = []string{"AMBLE_CHROME", "CHROME_PATH", "CHROME_BIN", "PUPPETEER_EXECUTABLE_PATH"}

// Find returns the path of the browser that a Renderer without a Path would start: the first that exists of
// the variables AMBLE_CHROME, CHROME_PATH, CHROME_BIN and PUPPETEER_EXECUTABLE_PATH; chrome-headless-shell, then Chromium,
// then Chrome, on PATH and in the usual folders; the caches of Playwright and Puppeteer. The headless shell comes first
// because it renders the same at less than half the cost, and makes no calls of its own. The error is a *NoBrowserError.
func Find() (string, error) {
	return find(lookup{goos: runtime.GOOS, env: os.Getenv, run: executable, glob: filepath.Glob})
}

// lookup is what find asks of the system.
type lookup struct {
	goos string
	env  func(string) string
	run  func(path string) (string, error) // the file behind a name, when it can be executed
	glob func(pattern string) ([]string, error)
}

func executable(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

func find(l lookup) (string, error) {
	var tried []string
	for _, name := range environment {
		value := l.env(name)
		if value == "" {
			tried = append(tried, "$"+name+": not set")
			continue
		}
		path, err := l.run(value)
		if err == nil {
			return path, nil
		}
		tried = append(tried, fmt.Sprintf("$%s=%s: %v", name, value, plain(err)))
	}
	var missing []string
	for _, place := range places(l) {
		if path, err := l.run(place); err == nil {
			return path, nil
		}
		missing = append(missing, place)
	}
	tried = append(tried, "not there, or not to be executed: "+strings.Join(missing, ", "))
	for _, pattern := range caches(l) {
		found, _ := l.glob(pattern)
		slices.SortFunc(found, newestFirst)
		for _, path := range found {
			if path, err := l.run(path); err == nil {
				return path, nil
			}
		}
		tried = append(tried, "nothing like "+pattern)
	}
	return "", &NoBrowserError{Tried: tried, Hint: installHint(l.goos)}
}

func plain(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// newestFirst compares the numbers in two paths, part by part: chromium-1200 is newer than chromium-999.
func newestFirst(a, b string) int {
	numbers := func(s string) (out []int) {
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(b), numbers(a))
}

// places are names on PATH and absolute paths, in order. The headless shells are asked before the full browsers.
func places(l lookup) []string {
	switch l.goos {
	case "windows":
		var out []string
		for _, base := range []string{l.env("ProgramFiles"), l.env("ProgramFiles(x86)"), l.env("LocalAppData")} {
			if base != "" {
				out = append(out, base+`\Chromium\Application\chrome.exe`, base+`\Google\Chrome\Application\chrome.exe`, base+`\Microsoft\Edge\Application\msedge.exe`)
			}
		}
		return append([]string{"chrome-headless-shell.exe"}, append(out, "chrome.exe", "msedge.exe")...)
	case "darwin":
		return []string{
			"chrome-headless-shell",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
			l.env("HOME") + "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"chromium", "google-chrome",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		}
	default:
		return []string{
			// Debian's package: the program itself, not the shell script in front of it, which would outlive it.
			"/usr/lib/chromium/chromium-headless-shell",
			"chrome-headless-shell", "chromium-headless-shell", "headless-shell", "headless_shell",
			"/headless-shell/headless-shell",
			"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "google-chrome-beta", "google-chrome-unstable",
			"/opt/google/chrome/chrome", "/usr/local/bin/chrome", "/snap/bin/chromium", "chrome", "microsoft-edge-stable", "microsoft-edge",
		}
	}
}

// caches are where Playwright and Puppeteer put the browsers that they download.
func caches(l lookup) []string {
	home := l.env("HOME")
	playwright, puppeteer := l.env("PLAYWRIGHT_BROWSERS_PATH"), l.env("PUPPETEER_CACHE_DIR")
	switch l.goos {
	case "windows":
		home = l.env("USERPROFILE")
		if playwright == "" {
			playwright = filepath.Join(l.env("LocalAppData"), "ms-playwright")
		}
	case "darwin":
		if playwright == "" {
			playwright = filepath.Join(home, "Library", "Caches", "ms-playwright")
		}
	default:
		if playwright == "" {
			playwright = filepath.Join(home, ".cache", "ms-playwright")
		}
	}
	if puppeteer == "" {
		puppeteer = filepath.Join(home, ".cache", "puppeteer")
	}
	shell, chrome, app := "*shell*", "chrome", filepath.Join("chrome-mac*", "*.app", "Contents", "MacOS", "*")
	if l.goos == "windows" {
		shell, chrome = "*shell*.exe", "chrome.exe"
	}
	out := []string{
		filepath.Join(playwright, "chromium_headless_shell-*", "chrome-*", shell),
		filepath.Join(puppeteer, "chrome-headless-shell", "*", "chrome-headless-shell-*", shell),
	}
	if l.goos == "darwin" {
		return append(out, filepath.Join(playwright, "chromium-*", app), filepath.Join(puppeteer, "chrome", "*", app))
	}
	return append(out, filepath.Join(playwright, "chromium-*", "chrome-*", chrome), filepath.Join(puppeteer, "chrome", "*", "chrome-*", chrome))
}

func installHint(goos string) string {
	how := "install Chrome or Chromium"
	switch goos {
	case "linux":
		how = "Debian: apt install chromium-headless-shell (or chromium); Ubuntu: apt install chromium-browser, or Chrome for Testing; Fedora: dnf install chromium-headless; Alpine: apk add chromium"
	case "darwin":
		how = "macOS: brew install --cask chromium, or install Google Chrome"
	case "windows":
		how = "Windows: winget install Google.Chrome; Microsoft Edge works too"
	}
	return how + ".\nOr point to one: set Renderer.Path, or the environment variable AMBLE_CHROME, to the program; or Renderer.Endpoint to a running browser."
}
