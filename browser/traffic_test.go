package browser

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/realsite"
)

// TestTraffic: the counters of a crawl are what the server's own log says, to 1 %: requests, bytes of bodies, bytes on the
// wire both ways. Everything is GET, and no process of the browser talks to anything but our proxies, by TCP or UDP:
// what Chrome would say on its own account is dropped and counted.
func TestTraffic(t *testing.T) {
	const pages, files = 8, 6
	eachBrowser(t, func(t *testing.T, path string) {
		dir := realsite.Folder(t)
		for n := range pages {
			page := fmt.Sprintf(`<!doctype html><title>Page %d</title><link rel=stylesheet href=/a.css><h1>x</h1><form method=post action=/post><input name=q autocomplete=email></form>
				<a href=/p%d.html>next</a>%s`, n, n+1, strings.Repeat("<p>Some text.", 500))
			for f := range files { // half of them on each page, half on this one only
				page += fmt.Sprintf(`<img src="/i%d.svg" alt="">`, f%(files/2)+f/(files/2)*(n+1)*10)
			}
			page += `<script src=/a.js></script>`
			write(t, dir, fmt.Sprintf("p%d.html", n), page)
		}
		for i := range (pages + 1) * 10 * files {
			write(t, dir, fmt.Sprintf("i%d.svg", i), `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">`+strings.Repeat("<!-- x -->", 300)+`</svg>`)
		}
		write(t, dir, "a.css", "h1{color:#123}"+strings.Repeat("/* x */", 1000))
		write(t, dir, "a.js", `navigator.sendBeacon("/beacon", "x"); fetch("/post", {method: "POST", body: "x"}).catch(() => {}); fetch("/data.json").catch(() => {});`)
		write(t, dir, "data.json", `{"a":"`+strings.Repeat("x", 2000)+`"}`)
		server := realsite.Start(t, realsite.Options{Root: dir, Server: `location ~ \.(css|js|svg)$ { expires 1h; }`})
		profile := t.TempDir()
		r := newRenderer(t, func(r *Renderer) { r.Path, r.TempDir = path, profile })
		strangers := watchSockets(t, r, profile)
		c := &amble.Crawler{Agent: testAgent, Renderer: r, Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
			Limiter: &amble.ServerLimiter{Pace: -1}, Analyzers: []amble.Analyzer{rendered{}}, Budget: amble.Budget{Pages: pages}}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		sum, err := c.Run(ctx, server.Base+"/p0.html")
		if err != nil || sum.Outcomes[amble.OutcomeAnalysed] != pages {
			t.Fatalf("%v: %v", sum.Outcomes, err)
		}
		for _, s := range strangers() {
			t.Error("the browser talked to", s)
		}
		status := r.Status()
		var requests, bodies, sent, received int64
		for _, line := range server.Requests(t) {
			if line.Method != "GET" {
				t.Errorf("sent: %s %s", line.Method, line.Path)
			}
			requests++
			bodies += line.Body
			if line.Path != "/robots.txt" {
				sent += line.Received
				received += line.Sent
			}
		}
		told := int64(0)
		for _, n := range sum.Requests {
			told += int64(n)
		}
		for _, x := range []struct {
			what      string
			told, log int64
		}{
			{"requests", told, requests},
			{"requests of the server's report", int64(sum.Servers[0].Requests[amble.KindPage] + sum.Servers[0].Requests[amble.KindResource] + sum.Servers[0].Requests[amble.KindRobots]), requests},
			{"bytes of bodies", sum.Bytes, bodies},
			{"bytes received", status.Received, received},
			{"bytes sent", status.Sent, sent},
		} {
			t.Logf("%s: %d told, %d in the log", x.what, x.told, x.log)
			if x.log == 0 || math.Abs(float64(x.told-x.log)) > 0.01*float64(x.log) {
				t.Errorf("%s: %d told, %d in the log", x.what, x.told, x.log)
			}
		}
		t.Logf("%+v; what was dropped: %v", status, droppedHosts(r))
	})
}

// droppedHosts are the servers that nobody had asked for.
func droppedHosts(r *Renderer) map[string]int {
	out := map[string]int{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.live {
		c.mu.Lock()
		for _, s := range c.sites {
			if s.proxy != nil {
				for host, n := range s.proxy.Denied() {
					out[host] += n
				}
			}
		}
		c.mu.Unlock()
	}
	return out
}

// watchSockets looks, until the returned function is called, at the sockets of the browser's processes, and returns the
// addresses of others than our proxies. Elsewhere than on Linux it sees nothing.
func watchSockets(t *testing.T, r *Renderer, dir string) func() []string {
	if runtime.GOOS != "linux" {
		return func() []string { return nil }
	}
	var stop atomic.Bool
	result := make(chan []string)
	go func() {
		found := map[string]bool{}
		for !stop.Load() {
			ours := map[netip.AddrPort]bool{netip.MustParseAddrPort("127.0.0.1:9"): true} // nowhere
			inodes := map[string]bool{}
			for _, pid := range browserProcesses(dir) {
				links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
				for _, link := range links {
					if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, "socket:[") {
						inodes[strings.Trim(name, "socket:[]")] = true
					}
				}
			}
			seen := sockets(inodes)
			r.mu.Lock() // after the sockets: the proxy of each was there before
			for c := range r.live {
				c.mu.Lock()
				for _, s := range c.sites {
					if s.proxy != nil {
						ours[netip.MustParseAddrPort(s.proxy.Addr())] = true
					}
				}
				c.mu.Unlock()
			}
			r.mu.Unlock()
			for socket, to := range seen {
				if !ours[to] {
					found[socket] = true
				}
			}
			time.Sleep(30 * time.Millisecond)
		}
		var out []string
		for s := range found {
			out = append(out, s)
		}
		result <- out
	}()
	return func() []string {
		stop.Store(true)
		return <-result
	}
}

// sockets are the connected TCP and UDP sockets among some, with their peers.
func sockets(inodes map[string]bool) map[string]netip.AddrPort {
	out := map[string]netip.AddrPort{}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		data, _ := os.ReadFile("/proc/net/" + table)
		for line := range strings.Lines(string(data)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || !inodes[fields[9]] {
				continue
			}
			if to, ok := hexAddr(fields[2]); ok && to.Port() != 0 {
				out[table+" "+to.String()] = to
			}
		}
	}
	return out
}

// hexAddr reads an address as /proc/net has it: words of four bytes in the machine's order, little endian here.
func hexAddr(s string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(s, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || len(host)%8 != 0 {
		return netip.AddrPort{}, false
	}
	var raw []byte
	for i := 0; i < len(host); i += 8 {
		word, err := strconv.ParseUint(host[i:i+8], 16, 32)
		if err != nil {
			return netip.AddrPort{}, false
		}
		raw = append(raw, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok
}
