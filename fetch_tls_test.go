package amble

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// authority issues certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue makes a certificate for 127.0.0.1 that change may spoil.
func (a *authority) issue(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "www.example.test"},
		DNSNames: []string{"www.example.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.key}
}

func tlsServer(t *testing.T, cert tls.Certificate, http2 bool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestCertificateTroubles(t *testing.T) {
	ca := newAuthority(t)
	for _, c := range []struct {
		name  string
		cert  func(*x509.Certificate)
		roots *x509.CertPool
		want  Trouble
	}{
		{"good", nil, ca.pool(), ""},
		{"expired", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, ca.pool(), TroubleCertExpired},
		{"not valid yet", func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, ca.pool(), TroubleCertExpired},
		{"other name", func(c *x509.Certificate) { c.IPAddresses = nil }, ca.pool(), TroubleCertName},
		{"unknown authority", nil, x509.NewCertPool(), TroubleCertIssuer},
		{"not for servers", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, ca.pool(), TroubleCertInvalid},
	} {
		s := tlsServer(t, ca.issue(t, c.cert), true, func(http.ResponseWriter, *http.Request) {})
		f := newTestFetcher(t)
		f.RootCAs = c.roots
		r, err := f.Fetch(t.Context(), get(t, s.URL))
		if troubleOf(err) != c.want || (err == nil) != (c.want == "") {
			t.Errorf("%s: %v (%s), want %q", c.name, err, troubleOf(err), c.want)
		}
		if err != nil && !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v does not match ErrUnreachable", c.name, err)
		}
		r.Release()
	}
	base := rawServer(t, closes("HTTP/1.1 400 Bad Request\r\n\r\n"))
	if _, err := newTestFetcher(t).Fetch(t.Context(), get(t, strings.Replace(base, "http:", "https:", 1))); troubleOf(err) != TroubleTLS {
		t.Errorf("a port without TLS: %v (%s)", err, troubleOf(err))
	}
}

func TestResponseTellsHowItCame(t *testing.T) {
	ca := newAuthority(t)
	for _, http2 := range []bool{false, true} {
		s := tlsServer(t, ca.issue(t, nil), http2, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gz("hello"))
		})
		f := newTestFetcher(t)
		f.RootCAs, f.DisableHTTP2 = ca.pool(), !http2
		for i := range 2 {
			r, err := f.Fetch(t.Context(), get(t, s.URL))
			if err != nil {
				t.Fatal(err)
			}
			proto := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[http2]
			if r.Proto != proto || r.Status != 200 || string(r.Body) != "hello" || r.EncodedBytes != int64(len(gz("hello"))) {
				t.Errorf("%s %d %q, %d bytes encoded", r.Proto, r.Status, r.Body, r.EncodedBytes)
			}
			if r.Addr != netip.MustParseAddrPort(strings.TrimPrefix(s.URL, "https://")) {
				t.Errorf("address %v of %s", r.Addr, s.URL)
			}
			if r.TLS == nil || r.TLS.Version != "TLS 1.3" || !strings.HasPrefix(r.TLS.CipherSuite, "TLS_") || len(r.TLS.Chain) != 2 ||
				r.TLS.Chain[0].Subject.CommonName != "www.example.test" || http2 != (r.TLS.Protocol == "h2") {
				t.Errorf("TLS: %+v", r.TLS)
			}
			first := i == 0
			if r.Timing.Reused == first || first != (r.Timing.Connect > 0) || first != (r.Timing.TLS > 0) ||
				r.Timing.FirstByte <= 0 || r.Timing.Total < r.Timing.FirstByte || r.Sent.IsZero() {
				t.Errorf("fetch %d over %s: %+v", i, proto, r.Timing)
			}
			r.Release()
		}
	}
}

func TestConnectionTroubles(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = newTestFetcher(t).Fetch(t.Context(), get(t, "http://"+l.Addr().String()+"/"))
	if troubleOf(err) != TroubleRefused || !errors.Is(err, ErrUnreachable) {
		t.Errorf("closed port: %v (%s)", err, troubleOf(err))
	}
	f := newTestFetcher(t)
	f.Resolver = &net.Resolver{PreferGo: true}
	_, err = f.Fetch(t.Context(), get(t, "http://no-such-name.invalid/"))
	if troubleOf(err) != TroubleDNS && troubleOf(err) != TroubleForbidden {
		t.Errorf("name: %v (%s)", err, troubleOf(err))
	}
}

// h2Server speaks raw HTTP/2: serve gets each request's stream.
func h2Server(t *testing.T, cert tls.Certificate, serve func(f *http2.Framer, stream uint32)) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(30 * time.Second)) // a rescue, no measure
				if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
					return
				}
				f := http2.NewFramer(c, c)
				f.AllowIllegalWrites = true
				f.WriteSettings()
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					switch frame := frame.(type) {
					case *http2.HeadersFrame:
						go serve(f, frame.StreamID)
					case *http2.SettingsFrame:
						if !frame.IsAck() {
							f.WriteSettingsAck()
						}
					}
				}
			}()
		}
	}()
	return "https://" + l.Addr().String() + "/"
}

func TestHostileHTTP2(t *testing.T) {
	ca := newAuthority(t)
	var requests atomic.Int32
	fields := func(pairs ...string) []byte {
		var b strings.Builder
		e := hpack.NewEncoder(&b)
		for i := 0; i < len(pairs); i += 2 {
			e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
		}
		return []byte(b.String())
	}
	for _, c := range []struct {
		name    string
		serve   func(f *http2.Framer, stream uint32)
		trouble Trouble
		cut     Cut
	}{
		{"stream reset", func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeInternal) }, TroubleReset, 0},
		{"stream refused: not asked again", func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeRefusedStream) }, TroubleReset, 0},
		{"going away: not asked again", func(f *http2.Framer, s uint32) { f.WriteGoAway(0, http2.ErrCodeNo, nil) }, TroubleReset, 0},
		{"reset in the body", func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: fields(":status", "200"), EndHeaders: true})
			f.WriteData(s, false, []byte("hello"))
			f.WriteRSTStream(s, http2.ErrCodeInternal)
		}, "", CutBroken},
		{"flood of CONTINUATION", func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: fields(":status", "200")})
			block := fields("x", strings.Repeat("v", 1000))
			for range 10_000 {
				if f.WriteContinuation(s, false, block) != nil {
					return
				}
			}
		}, TroubleProtocol, 0},
		{"status 000", func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: fields(":status", "000"), EndHeaders: true, EndStream: true})
		}, TroubleProtocol, 0},
		{"status 101", func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: fields(":status", "101"), EndHeaders: true})
		}, TroubleTimeout, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			requests.Store(0)
			base := h2Server(t, ca.issue(t, nil), func(f *http2.Framer, s uint32) { requests.Add(1); c.serve(f, s) })
			f := newTestFetcher(t)
			f.RootCAs = ca.pool()
			if c.trouble == TroubleTimeout {
				f.HeaderTimeout = 100 * time.Millisecond
			}
			r, err := f.Fetch(t.Context(), get(t, base))
			if troubleOf(err) != c.trouble || (err == nil) != (c.trouble == "") {
				t.Errorf("%v (%s), want %q", err, troubleOf(err), c.trouble)
			}
			if err == nil && r.Cut != c.cut {
				t.Errorf("cut %d (%v), want %d", r.Cut, r.CutErr, c.cut)
			}
			r.Release()
			if n := requests.Load(); n != 1 {
				t.Errorf("the server saw %d requests", n)
			}
		})
	}
}

func TestConditionalRequestsAndEarlyClose(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Set-Cookie", "id=1")
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie came back")
		}
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if r.Header.Get("Accept-Encoding") != "gzip, br, zstd" || r.Header.Get("User-Agent") != "ExampleAudit/1.0" {
			t.Errorf("sent %v", r.Header)
		}
		w.Header().Set("Content-Type", "image/png")
		io.WriteString(w, strings.Repeat("x", 1<<20))
	}))
	defer s.Close()
	f := newTestFetcher(t)
	for _, c := range []struct {
		name   string
		change func(*Request)
		status int
		length int
		cut    Cut
	}{
		{"whole", func(r *Request) { r.MaxBytes = -1 }, 200, 1 << 20, CutNone},
		{"exactly the limit", func(r *Request) { r.MaxBytes = 1 << 20 }, 200, 1 << 20, CutNone},
		{"one byte over the limit", func(r *Request) { r.MaxBytes = 1<<20 - 1 }, 200, 1<<20 - 1, CutLimit},
		{"the first bytes", func(r *Request) { r.MaxBytes = 10 }, 200, 10, CutLimit},
		{"nothing", func(r *Request) { r.MaxBytes = 0 }, 200, 0, CutUnwanted},
		{"HEAD", func(r *Request) { r.Method = "HEAD" }, 200, 0, CutNone},
		{"unwanted type", func(r *Request) {
			r.Accept = func(status int, h http.Header) bool { return h.Get("Content-Type") != "image/png" }
		}, 200, 0, CutUnwanted},
		{"If-None-Match", func(r *Request) { r.Header.Set("If-None-Match", `"v1"`) }, 304, 0, CutNone},
	} {
		req := get(t, s.URL)
		c.change(req)
		r, err := f.Fetch(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Status != c.status || len(r.Body) != c.length || r.Cut != c.cut {
			t.Errorf("%s: status %d, %d bytes, cut %d", c.name, r.Status, len(r.Body), r.Cut)
		}
		r.Release()
		r.Release()
	}
}

func TestShortUnwantedBodyKeepsTheConnection(t *testing.T) {
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not here", http.StatusNotFound)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	f := newTestFetcher(t)
	for i := range 6 {
		req := get(t, s.URL)
		if i%2 == 0 {
			req.MaxBytes = 0
		} else {
			req.Accept = func(int, http.Header) bool { return false }
		}
		r, err := f.Fetch(t.Context(), req)
		if err != nil || r.Status != 404 || r.Cut != CutUnwanted || len(r.Body) > 0 {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestRedirectIsAnAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Error("the redirect was followed")
		}
		http.Redirect(w, r, "/next", http.StatusFound)
	}))
	defer s.Close()
	r, err := newTestFetcher(t).Fetch(t.Context(), get(t, s.URL+"/"))
	if err != nil || r.Status != 302 || r.Header.Get("Location") != "/next" {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestOnlyGetAndHeadAreSent(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "CONNECT", "get", "OPTIONS"} {
		req := get(t, "http://127.0.0.1:1/")
		req.Method = method
		if _, err := newTestFetcher(t).Fetch(t.Context(), req); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if _, err := newTestFetcher(t).Fetch(t.Context(), &Request{}); !errors.Is(err, ErrBadURL) {
		t.Errorf("no URL: %v", err)
	}
	u := &url.URL{Scheme: "http", Host: "u:p@127.0.0.1"}
	if _, err := newTestFetcher(t).Fetch(t.Context(), &Request{URL: u}); !errors.Is(err, ErrForbiddenAddr) {
		t.Errorf("a host with credentials: %v", err)
	}
}
