package amble

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/internal/fakedns"
	"github.com/amblecrawl/amble/internal/ssrfcases"
)

// Each hop of a redirect is a Fetch of its own, as in a crawl.
func TestFetcherCases(t *testing.T) {
	ssrfcases.Run(t, "ssrf fetcher", func(d net.Dialer) func(context.Context, string) error {
		f := &HTTPFetcher{Resolver: d.Resolver, control: d.Control}
		return func(ctx context.Context, raw string) error {
			u, err := url.Parse(raw)
			if err != nil {
				_, err = AddressPolicy{}.ParseURL(raw) // a URL that cannot be read never becomes a Request
				return err
			}
			u.Fragment = ""
			r, err := f.Fetch(ctx, &Request{URL: u, MaxBytes: -1})
			r.Release()
			return err
		}
	}, func(err error) bool { return errors.Is(err, ErrForbiddenAddr) })
}

func TestRefusalNamesItsRule(t *testing.T) {
	_, err := (&HTTPFetcher{}).Fetch(t.Context(), get(t, "http://127.0.0.1/"))
	e, ok := errors.AsType[*FetchError](err)
	if !ok || !errors.Is(err, ErrForbiddenAddr) || e.Trouble != TroubleForbidden || e.Rule != "loopback" {
		t.Errorf("%v", err)
	}
	zone := fakedns.NewZone()
	zone.Set("rebound.example.test", "10.0.0.1")
	_, err = (&HTTPFetcher{Resolver: zone.Resolver()}).Fetch(t.Context(), get(t, "http://rebound.example.test/"))
	e, ok = errors.AsType[*FetchError](err)
	if !ok || !errors.Is(err, ErrForbiddenAddr) || e.Rule != "private" || !strings.Contains(err.Error(), "rebound.example.test") {
		t.Errorf("%v", err)
	}
}

func TestLoopbackOnlyIsLoopbackOnly(t *testing.T) {
	policy := LoopbackOnly()
	for raw, allowed := range map[string]bool{
		"http://127.0.0.1:12345/": true, "http://127.255.0.9/": true, "http://[::1]:8080/": true, "http://localhost:8080/": true,
		"http://8.8.8.8/": false, "http://126.255.255.255/": false, "http://128.0.0.0/": false, "http://10.0.0.1/": false,
		"http://169.254.169.254/": false, "http://[::2]/": false, "http://[::]/": false, "http://[2606:4700::1]/": false, "http://0.0.0.0/": false,
	} {
		if _, err := policy.ParseURL(raw); (err == nil) != allowed {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestEnvironmentChoosesNoProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	zone := fakedns.NewZone()
	zone.Set("www.example.test", "8.8.8.8")
	probe := &ssrfcases.Probe{}
	f := &HTTPFetcher{Resolver: zone.Resolver(), control: probe.Control}
	if _, err := f.Fetch(t.Context(), get(t, "http://www.example.test/")); !errors.Is(err, ssrfcases.ErrProbe) {
		t.Error(err)
	}
}

// waysOut are the names of other packages that open, or lead to, a connection past the guard.
var waysOut = map[string][]string{
	"net": {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
	"net/http": {"Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport",
		"ProxyFromEnvironment", "ProxyURL"},
	"crypto/tls":             {"Dial", "DialWithDialer", "Dialer"},
	"golang.org/x/net/proxy": {"*"},
	"golang.org/x/net/http2": {"Transport"},
	"golang.org/x/net/quic":  {"*"},
	"net/rpc":                {"*"},
	"net/smtp":               {"*"},
}

// mayOpen are the files that are the way out, or that talk to this machine's own browser.
var mayOpen = map[string]string{
	"httpfetcher.go":                  "the fetcher itself",
	"internal/netguard/dialer.go":     "the guarded dialer",
	"internal/egress/proxy.go":        "the browser's proxy, which dials through the guard that it is given",
	"browser/site.go":                 "the debugging port of the browser that the user named",
	"internal/ssrfcases/ssrfcases.go": "tests of ways out",
}

// mayOpenUnder are folders of another kind: servers and peers that are measured, not the crawl.
var mayOpenUnder = []string{"bench/"}

func TestNoOtherWayOut(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, folder := range mayOpenUnder {
			if strings.HasPrefix(path, folder) {
				return nil
			}
		}
		uses, err := usesOfWaysOut(path)
		if err != nil {
			return err
		}
		for _, use := range uses {
			found[path] = true
			if mayOpen[path] == "" {
				t.Errorf("%s: opens connections past the address guard; fetch through a Fetcher instead", use)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found["httpfetcher.go"] {
		t.Error("the scan does not even see the fetcher's own transport: it is broken")
	}
}

func TestWayOutScanSeesWhatItShould(t *testing.T) {
	for _, c := range []struct {
		src  string
		want int
	}{
		{`package p; import "net/http"; var _, _ = http.Get("x")`, 1},
		{`package p; import h "net/http"; var c = h.DefaultClient`, 1},
		{`package p; import "net/http"; var c = &http.Client{Transport: &http.Transport{}}`, 2},
		{`package p; import . "net/http"`, 1},
		{`package p; import "net"; var d net.Dialer; var f = net.DialTimeout`, 2},
		{`package p; import "net"; var l, _ = net.Listen("tcp", "127.0.0.1:0")`, 0},
		{`package p; import "net/http"; func f(w http.ResponseWriter, h http.Header) {}`, 0},
	} {
		path := filepath.Join(t.TempDir(), "p.go")
		if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		uses, err := usesOfWaysOut(path)
		if err != nil || len(uses) != c.want {
			t.Errorf("%s: %v, %v; want %d", c.src, uses, err, c.want)
		}
	}
}

// usesOfWaysOut lists where a file names one of waysOut. Types behind *http.Client parameters count too: a function
// that takes a client is a function that sends with it.
func usesOfWaysOut(path string) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{} // by the name under which the package is imported
	var out []string
	for _, spec := range file.Imports {
		pkg, _ := strconv.Unquote(spec.Path.Value)
		banned, ok := waysOut[pkg]
		if !ok {
			continue
		}
		name := pkg[strings.LastIndexByte(pkg, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || banned[0] == "*" {
			out = append(out, fset.Position(spec.Pos()).String()+": import of "+pkg)
			continue
		}
		names[name] = banned
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, name := range names[pkg.Name] {
			if sel.Sel.Name == name {
				out = append(out, fset.Position(sel.Pos()).String()+": "+pkg.Name+"."+name)
			}
		}
		return true
	})
	return out, nil
}
