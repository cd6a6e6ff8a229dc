package urlkey

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

var wireTargets = []string{
	"/", "/?", "/a|b", "/a^b", "/a[b]c", "/a%zzb", "/a%", "/a%2Fb", "/a%2fb", "/%7Euser", "/~user", "/a\"b'c", "/a'b", "/a*b",
	"/a!$&()+,;=:@b", "/a b", "/\u00fc", "/%C3%BC", "/%c3%bc", "/%ff", "/%00", "/a//b", "//a/b", "/a?b|c^[d]{e}`f", "/a?%zz",
	"/a?b?c", "/a?'\"<>", "/a?\u00fc", "/a;b=c?d;e", "/a|b?", "/{x}", "/a\\b", "/a?\\", "/*", "/a+b?c+d", "/a%2e%252e/b", "/%",
}

// The request line carries the very bytes of RequestURI.
func TestURLOnTheWire(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			lines <- strings.TrimSpace(line)
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
			_ = conn.Close()
		}
	}()
	defer func() { _ = listener.Close(); <-done }()
	transport := &http.Transport{DisableKeepAlives: true}
	for _, target := range append(wireTargets, "//a|b") {
		u := mustParse(t, "http://"+listener.Addr().String()+target)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.URL, request.Host = u.URL(), ""
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		_ = response.Body.Close()
		want := u.RequestURI()
		if target == "//a|b" {
			want = u.String() // absolute form
		}
		if got := <-lines; got != "GET "+want+" HTTP/1.1" {
			t.Errorf("%s: the line is %q, want target %q", target, got, want)
		}
	}
}

// A handler behind net/http's own server, over HTTP/1.1 and HTTP/2, sees them too, where that server takes them.
func TestURLThroughServer(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Target", r.RequestURI)
		}))
		server.EnableHTTP2 = h2
		server.StartTLS()
		defer server.Close()
		for _, target := range wireTargets {
			if strings.Contains(target, "%zz") && !strings.Contains(target, "?%zz") || strings.HasSuffix(target, "%") {
				continue // the server answers 400 by itself
			}
			u := mustParse(t, server.URL+target)
			request := &http.Request{Method: http.MethodGet, URL: u.URL(), Header: http.Header{}}
			response, err := server.Client().Transport.RoundTrip(request.WithContext(t.Context()))
			if err != nil {
				t.Errorf("%s: %v", target, err)
				continue
			}
			_ = response.Body.Close()
			if got := response.Header.Get("Target"); got != u.RequestURI() {
				t.Errorf("%s: the server saw %q, want %q (status %d, HTTP/%d)", target, got, u.RequestURI(),
					response.StatusCode, response.ProtoMajor)
			}
		}
	}
}

func TestFromNetIsTheWayBack(t *testing.T) {
	for _, target := range append(wireTargets, "//a|b", "//a|b?", "//%zz?x|y") {
		for _, front := range []string{"http://example.com", "https://example.com:8080", "http://[::1]:81",
			"https://u:p%40x@example.com"} {
			u := mustParse(t, front+target)
			back, err := FromNet(u.URL())
			if err != nil || back != u {
				t.Errorf("%s: came back as %q, %v", u.Href(), back.Href(), err)
			}
			if got := u.URL().RequestURI(); got != u.RequestURI() && !strings.HasPrefix(u.Path(), "//") {
				t.Errorf("%s: net/url asks for %q", u.Href(), got)
			}
		}
	}
	parsed, _ := url.Parse("HTTPS://Example.com:443/a/../b c?x#y z")
	if u, err := FromNet(parsed); err != nil || u.Href() != "https://example.com/b%20c?x#y%20z" {
		t.Errorf("got %q, %v", u.Href(), err)
	}
	for _, bad := range []*url.URL{nil, {}, {Path: "/x"}, {Scheme: "http"}, {Host: "h"}} {
		if u, err := FromNet(bad); err == nil {
			t.Errorf("%v gave %q", bad, u.Href())
		}
	}
	if mustParse(t, "mailto:a@b").URL() != nil {
		t.Error("a mail address is nothing to ask for")
	}
}
