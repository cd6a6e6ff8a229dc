// Package realsite puts real documentation, as Debian packages it, behind a real nginx on loopback for tests.
package realsite

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
)

// Site is a folder of documentation and where its reader starts.
type Site struct {
	Package string // of Debian
	Root    string
	Start   string // path of the first page, relative to Root
}

// Sites are the documentation sites that tests crawl.
var Sites = []Site{
	{"git-doc", "/usr/share/doc/git-doc", "git.html"},
	{"sqlite3-doc", "/usr/share/doc/sqlite3", "index.html"},
	{"gnuplot-doc", "/usr/share/doc/gnuplot/htmldocs", "index.html"},
	{"debian-policy", "/usr/share/doc/debian-policy/policy.html", "index.html"},
	{"postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html", "index.html"},
	{"debian-handbook", "/usr/share/doc/debian-handbook/html/en-US", "index.html"},
}

// Need skips the test when a site is not installed; in CI it fails it.
func (s Site) Need(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.Root, s.Start)); err != nil {
		missing(t, "the documentation package "+s.Package+" is not installed (make setup)")
	}
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Nginx is a running server.
type Nginx struct {
	Base string // "http://127.0.0.1:PORT"
	log  string
}

// Request is one line of the access log.
type Request struct {
	Time   time.Time // when the answer was sent
	Status int
	Method string
	Path   string // with query
	Agent  string

	Received int64 // bytes of the request, with its head
	Sent     int64 // bytes of the answer, with its head
	Body     int64 // bytes of the answer's body
}

const config = `
daemon off;
worker_processes 1;
pid {{.Dir}}/pid;
error_log {{.Dir}}/error.log;
events { worker_connections 256; }
http {
	log_format times escape=json '$msec $status $request_method $request_length $bytes_sent $body_bytes_sent $request_uri $http_user_agent';
	access_log {{.Dir}}/access.log times;
	client_body_temp_path {{.Dir}}/body;
	proxy_temp_path {{.Dir}}/proxy;
	fastcgi_temp_path {{.Dir}}/fastcgi;
	uwsgi_temp_path {{.Dir}}/uwsgi;
	scgi_temp_path {{.Dir}}/scgi;
	types { text/html html htm; text/css css; image/png png; image/gif gif; image/svg+xml svg; application/javascript js;
		text/plain txt; application/xml xml; application/gzip gz; application/pdf pdf; }
	default_type application/octet-stream;
	{{.HTTP}}
	server {
		listen 127.0.0.1:{{.Port}};
		root {{.Root}};
		{{.Server}}
		location / { {{.Location}} }
	}
}
`

// Options are pieces of nginx configuration for each of its levels.
type Options struct {
	Root     string
	HTTP     string
	Server   string
	Location string
}

// Start runs nginx until the test ends.
func Start(t testing.TB, o Options) *Nginx {
	t.Helper()
	binary, err := exec.LookPath("nginx")
	if err != nil {
		if binary = "/usr/sbin/nginx"; !exists(binary) {
			missing(t, "nginx is not installed (make setup)")
		}
	}
	dir := Folder(t)
	n := &Nginx{log: filepath.Join(dir, "access.log")}
	port := freePort(t)
	n.Base = "http://127.0.0.1:" + strconv.Itoa(port)
	f, err := os.Create(filepath.Join(dir, "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	err = template.Must(template.New("nginx").Parse(config)).Execute(f, struct {
		Options
		Dir  string
		Port int
	}{o, dir, port})
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.Command(binary, "-p", dir, "-c", f.Name(), "-e", filepath.Join(dir, "start.log"))
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); ended.Store(true); close(done) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
	for range 200 {
		if exists(filepath.Join(dir, "pid")) { // written once it listens
			return n
		}
		if ended.Load() {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("nginx did not start: %s", stderr.String())
	return nil
}

// Folder makes a folder that nginx, whose worker runs as another user, can read. It is gone after the test.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "amble-nginx-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Requests reads the access log.
func (n *Nginx) Requests(t testing.TB) []Request {
	t.Helper()
	f, err := os.Open(n.log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []Request
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		fields := strings.SplitN(scanner.Text(), " ", 8)
		if len(fields) < 8 {
			t.Fatalf("access log: %q", scanner.Text())
		}
		seconds, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		status, _ := strconv.Atoi(fields[1])
		var counts [3]int64
		for i := range counts {
			counts[i], _ = strconv.ParseInt(fields[3+i], 10, 64)
		}
		out = append(out, Request{Time: time.UnixMicro(int64(seconds * 1e6)), Status: status, Method: fields[2], Path: fields[6], Agent: fields[7],
			Received: counts[0], Sent: counts[1], Body: counts[2]})
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
