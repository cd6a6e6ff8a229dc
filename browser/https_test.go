package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// authority is a certificate authority that no system trusts.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &authority{key: key}
	ca.cert = ca.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil, &key.PublicKey)
	return ca
}

func (ca *authority) sign(t testing.TB, template, parent *x509.Certificate, key *ecdsa.PublicKey) *x509.Certificate {
	t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func (ca *authority) certs() []*x509.Certificate { return []*x509.Certificate{ca.cert} }

func (ca *authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

// serve runs a server over HTTP/2 with a certificate of the authority for 127.0.0.1 and localhost.
func (ca *authority) serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := ca.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, ca.cert, &key.PublicKey)
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw, ca.cert.Raw}, PrivateKey: key}}}
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// TestHTTPS: pages, their files and those of other servers come over https, HTTP/2 among it; a certificate that nobody
// vouches for is an error, of the page's server as of a file's.
func TestHTTPS(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprintf(w, "h1{color:rgb(1,2,%s)}", r.URL.RawQuery)
	})
	other, bad := ca.serve(t, files), stranger.serve(t, files)
	site := ca.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a.css" {
			files(w, r)
			return
		}
		html(w, `<!doctype html><title>t</title><link rel=stylesheet href="/a.css?3"><link rel=stylesheet href="%s/b.css?4"><link rel=stylesheet href="%s/c.css?5"><h1>x</h1>`, other.URL, bad.URL)
	}))
	eachBrowser(t, func(t *testing.T, path string) {
		r := newRenderer(t, func(r *Renderer) { r.Path, r.TrustCertificates = path, ca.certs() })
		resp, err := fetchPage(t, r, site.URL)
		if err != nil {
			t.Fatal(err)
		}
		if !styled(resp, "h1", "color", "rgb(1, 2, 4)") {
			t.Error("the style sheet of the other server has no effect")
		}
		got := map[string]string{}
		for _, x := range resp.Snapshot.Requests {
			u, _ := url.Parse(x.URL)
			got[u.Path] = x.Proto + " " + x.Problem
		}
		if got["/a.css"] != "h2 " || got["/b.css"] != "h2 " || !strings.Contains(got["/c.css"], "CERT_AUTHORITY") {
			t.Errorf("requests %v", got)
		}
		if s := r.Status(); s.Received == 0 || s.Requests < 4 {
			t.Errorf("%+v", s)
		}
		_, err = fetchPage(t, r, bad.URL)
		if f, ok := errors.AsType[*amble.FetchError](err); !ok || f.Trouble != amble.TroubleCertIssuer {
			t.Errorf("a page of a server that nobody vouches for: %v", err)
		}
	})
}

// TestSpeculation: what a page asks the browser to load ahead is not loaded, however it asks, over https, where neither the
// interception nor the proxy can see it; and without the flag that stops it, it is.
func TestSpeculation(t *testing.T) {
	ca := newAuthority(t)
	var mu sync.Mutex
	var hits []string
	site := ca.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/private/") {
			mu.Lock()
			hits = append(hits, r.URL.Path+" "+r.Header.Get("Sec-Purpose"))
			mu.Unlock()
		}
		if r.URL.Path == "/rules.json" {
			w.Header().Set("Content-Type", "application/speculationrules+json")
			fmt.Fprint(w, `{"prefetch":[{"source":"list","urls":["/private/header"],"eagerness":"immediate"}]}`)
			return
		}
		w.Header().Set("Speculation-Rules", `"/rules.json"`)
		html(w, `<!doctype html><title>t</title><h1>x</h1><a href=/private/document>x</a><link rel=prerender href=/private/link-prerender><link rel=prefetch href=/private/link-prefetch>
			<script type=speculationrules>{"prefetch":[{"source":"list","urls":["/private/markup"],"eagerness":"immediate"}]}</script>
			<script>
			function add(rules, how) {
				const s = document.createElement("script");
				how ? s.setAttribute("type", "speculation" + "rules") : s.type = "speculation" + "rules";
				s.textContent = JSON.stringify(rules);
				document.head.append(s);
			}
			const list = (url) => [{source: "list", urls: [url], eagerness: "immediate"}];
			add({prefetch: list("/private/script")}); add({prefetch: list("/private/attribute")}, true); add({prerender: list("/private/prerender")});
			add({prefetch: [{source: "document", where: {href_matches: "/private/document"}, eagerness: "immediate"}]});
			add({prefetch: [{source: "list", urls: ["/private/pointer"], eagerness: "eager"}]});
			document.write("<script type=speculation" + "rules>" + JSON.stringify({prefetch: list("/private/written")}) + "<\/script>");
			</script>`)
	}))
	load := func(t *testing.T, path string, off switches) []string {
		mu.Lock()
		hits = nil
		mu.Unlock()
		r := newRenderer(t, func(r *Renderer) {
			r.Path, r.TrustCertificates, r.off = path, ca.certs(), off
			r.Limits.Quiet = 2 * time.Second // time for what begins late
		})
		resp := fetchWith(t, r, site.URL, gateFunc(func(u *url.URL) error {
			if strings.HasPrefix(u.Path, "/private/") {
				return &amble.Error{Op: "robots", Kind: amble.ErrDisallowed}
			}
			return nil
		}))
		if resp.Snapshot == nil {
			t.Fatal("no page")
		}
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(hits)
	}
	eachBrowser(t, func(t *testing.T, path string) {
		if got := load(t, path, switches{}); len(got) > 0 {
			t.Errorf("loaded ahead: %v", got)
		}
	})
	t.Run("control", func(t *testing.T) {
		shell, err := Find()
		if err != nil {
			t.Skip(err)
		}
		if got := load(t, shell, switches{allowSpeculation: true}); len(got) == 0 {
			t.Error("nothing is loaded ahead even without the flag: this test proves nothing")
		} else {
			t.Log(got)
		}
	})
}
