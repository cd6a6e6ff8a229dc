package tech

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const expiresSoon = 14 * 24 * time.Hour

// certificate judges what the server proved itself with, as it sent it.
func certificate(c *pass) {
	t := c.Response.TLS
	if t == nil {
		return
	}
	switch t.Version {
	case "SSL 3.0", "SSLv3", "TLS 1.0", "TLS 1.1":
		c.serverOf("tls-weak", t.Version, "The connection used "+t.Version+", which is no longer safe.", "version", t.Version)
	}
	if len(t.Chain) == 0 {
		return
	}
	leaf := t.Chain[0]
	now := c.Response.Sent
	if now.IsZero() {
		now = time.Now()
	}
	what := leaf.SerialNumber.Text(16)
	until := leaf.NotAfter.Format(time.DateOnly)
	switch {
	case now.After(leaf.NotAfter):
		c.serverOf("tls-expired", what, "The certificate ended on "+until+".", "until", until)
	case now.Before(leaf.NotBefore):
		c.serverOf("tls-expired", what, "The certificate is not valid before "+leaf.NotBefore.Format(time.DateOnly)+".", "from", leaf.NotBefore.Format(time.DateOnly))
	case leaf.NotAfter.Sub(now) < expiresSoon:
		c.serverOf("tls-expiring", what, "The certificate ends on "+until+".", "until", until)
	}
	if err := leaf.VerifyHostname(strings.Trim(c.At.Hostname(), "[]")); err != nil {
		c.serverOf("tls-name", what, "The certificate is not for this host: "+err.Error(), "names", strings.Join(leaf.DNSNames, " "))
	}
	self := string(leaf.RawIssuer) == string(leaf.RawSubject)
	switch {
	case self && leaf.CheckSignatureFrom(leaf) == nil || self && !leaf.IsCA:
		c.serverOf("tls-self-signed", what, "The server signed its certificate itself.", "subject", leaf.Subject.String())
	case len(t.Chain) == 1:
		c.serverOf("tls-chain", what, "The server sends no certificate of its issuer; not every browser can fetch it.", "issuer", leaf.Issuer.String())
	default:
		for i := range len(t.Chain) - 1 {
			if string(t.Chain[i].RawIssuer) != string(t.Chain[i+1].RawSubject) && i == 0 {
				c.serverOf("tls-chain", what, "The second certificate is not that of the first one's issuer.", "issuer", leaf.Issuer.String())
			}
		}
	}
	if why := weak(leaf); why != "" {
		c.serverOf("tls-weak", what, "The certificate is weak: "+why+".", "why", why)
	}
}

func weak(cert *x509.Certificate) string {
	switch key := cert.PublicKey.(type) {
	case *rsa.PublicKey:
		if n := key.N.BitLen(); n < 2048 {
			return fmt.Sprintf("an RSA key of %d bits", n)
		}
	case *ecdsa.PublicKey:
		if n := key.Curve.Params().BitSize; n < 224 {
			return fmt.Sprintf("an elliptic curve of %d bits", n)
		}
	}
	switch cert.SignatureAlgorithm {
	case x509.MD5WithRSA, x509.SHA1WithRSA, x509.DSAWithSHA1, x509.ECDSAWithSHA1:
		return "signed with " + cert.SignatureAlgorithm.String()
	}
	return ""
}

const (
	worthPacking = 1400 // bytes: less fits into one packet anyway
	slow         = 800 * time.Millisecond
	large        = 2 << 20
	manyHeaders  = 30
	longHeader   = 600
)

// transport judges how the page came.
func transport(c *pass) {
	r := c.Response
	if r.Header.Get("Content-Encoding") == "" && len(r.Body) > worthPacking && c.Whole {
		c.server("uncompressed", "The server sends pages without compression.", "bytes", strconv.Itoa(len(r.Body)))
	}
	if strings.HasPrefix(r.Proto, "HTTP/1.") && c.secure {
		c.server("http-version", "The server answered with "+r.Proto+".", "version", r.Proto)
	}
	if r.Timing.FirstByte > slow {
		c.Fail("slow-answer", "", "", fmt.Sprintf("The first byte came after %v.", r.Timing.FirstByte.Round(time.Millisecond)), "first byte", r.Timing.FirstByte.String())
	}
	if len(r.Body) > large {
		c.Fail("html-size", "", "", fmt.Sprintf("The HTML has %d bytes.", len(r.Body)), "bytes", strconv.Itoa(len(r.Body)))
	}
	if r.Header.Get("Content-Type") == "" {
		c.Fail("content-type-missing", "", "", "The answer has no Content-Type.")
	}
	c.caching()
	count, long := 0, ""
	for name, values := range r.Header {
		count += len(values)
		for _, v := range values {
			if len(v) > longHeader && name != "Content-Security-Policy" && (long == "" || name < long) {
				long = name
			}
		}
	}
	if count > manyHeaders || long != "" {
		c.server("headers-heavy", fmt.Sprintf("The answer has %d header lines; the longest is %s.", count, long), "lines", strconv.Itoa(count), "long", long)
	}
	for _, name := range []string{"Server", "X-Powered-By", "X-AspNet-Version"} {
		if v := r.Header.Get(name); strings.ContainsAny(v, "0123456789") && strings.ContainsAny(v, "/.") {
			c.serverOf("server-version", name+": "+v, "The server tells its version: "+name+": "+v, "header", name+": "+v)
		}
	}
}

// caching reads Cache-Control for what contradicts itself or cannot be read (RFC 9111 section 5.2.2).
func (c *pass) caching() {
	h := c.Response.Header
	lines := h.Values("Cache-Control")
	seen := make(map[string]string)
	problem := ""
	for part := range strings.SplitSeq(unquoted(strings.Join(lines, ",")), ",") {
		name, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		v = strings.Trim(strings.TrimSpace(v), `"`)
		switch name {
		case "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error":
			if _, ok := deltaSeconds(v); !ok {
				problem = name + " is no number"
			}
			if old, ok := seen[name]; ok && old != v {
				problem = name + " is given twice"
			}
		}
		seen[name] = v
	}
	_, public := seen["public"]
	fields, private := seen["private"]
	private = private && fields == "" // private="name" keeps some headers only out of shared caches
	_, noStore := seen["no-store"]
	if problem == "" && public && private {
		problem = "public and private contradict each other"
	}
	if age := seen["max-age"]; problem == "" && noStore && age != "" && strings.Trim(age, "0") != "" {
		problem = "no-store and max-age=" + age + " contradict each other"
	}
	if problem != "" {
		value := strings.Join(lines, ", ")
		c.serverOf("cache-invalid", value, "Cache-Control: "+problem+".", "header", value)
	}
	if h.Get("ETag") == "" && h.Get("Last-Modified") == "" && !noStore {
		c.server("cache-no-validator", "Pages have neither ETag nor Last-Modified: they are sent whole each time.")
	}
}

// unquoted blanks out commas inside of quotes.
func unquoted(s string) string {
	b := []byte(s)
	in := false
	for i, ch := range b {
		if ch == '"' {
			in = !in
		} else if in && ch == ',' {
			b[i] = ' '
		}
	}
	return string(b)
}
