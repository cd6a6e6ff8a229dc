package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// secure servers misbehave in TLS or in HTTP/2.
var secure = []Behaviour{
	{Name: "tls-hang", What: "the connection opens and the handshake is never answered", Path: "/bad", Site: true, TLS: true,
		conn: func(c *conn) { c.hang() }},
	{Name: "tls-drip", What: "the handshake is answered a byte at a time", Path: "/bad", Site: true, TLS: true,
		conn: func(c *conn) { c.drip("\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03") }},
	{Name: "tls-junk", What: "a mail server's greeting in place of a handshake", Path: "/bad", Site: true, TLS: true,
		conn: func(c *conn) { c.send("220 mail.example ESMTP\r\n") }},
	{Name: "h2-rapid-reset", What: "HTTP/2: each stream is refused at once, again and again", Path: "/bad", TLS: true,
		conn: overHTTP2(func(f *http2.Framer, c *conn, stream uint32) bool {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) == nil
		})},
	{Name: "h2-continuation", What: "HTTP/2: a head in CONTINUATION frames without end", Path: "/bad", TLS: true,
		conn: overHTTP2(func(f *http2.Framer, c *conn, stream uint32) bool {
			head := headers("200", "x-flood", strings.Repeat("x", 8000))
			if f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head}) != nil {
				return false
			}
			for f.WriteContinuation(stream, false, literal("x-flood", strings.Repeat("x", 8000))) == nil {
			}
			return false
		})},
	{Name: "h2-ping-flood", What: "HTTP/2: pings without end, and no answer", Path: "/bad", TLS: true,
		conn: overHTTP2(func(f *http2.Framer, c *conn, stream uint32) bool {
			// A hundred thousand are flood enough; without a bound both ends would only burn time until the test's end.
			for range 100_000 {
				if f.WritePing(false, [8]byte{1}) != nil {
					return false
				}
			}
			return true
		})},
	{Name: "h2-endless-data", What: "HTTP/2: a body without end", Path: "/bad", TLS: true,
		conn: overHTTP2(func(f *http2.Framer, c *conn, stream uint32) bool {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: headers("200", "content-type", "text/html"), EndHeaders: true})
			// Only the window that every client opens at the start is used; a client that opens no more waits for ever.
			for range 3 {
				if f.WriteData(stream, false, make([]byte, 16<<10)) != nil {
					return false
				}
			}
			return true
		})},
	{Name: "h2-goaway", What: "HTTP/2: the connection is given up in the middle of an answer", Path: "/bad", TLS: true,
		conn: overHTTP2(func(f *http2.Framer, c *conn, stream uint32) bool {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: headers("200", "content-type", "text/html"), EndHeaders: true})
			f.WriteData(stream, false, []byte("<p>half"))
			f.WriteGoAway(0, http2.ErrCodeInternal, nil)
			return false
		})},
}

// certificate makes a certificate for 127.0.0.1, good for a day.
func certificate(t testing.TB) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "amble hostile test server"},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// overHTTP2 answers each stream in order but those on Path, which bad gets; bad returns false to end the connection.
// A client that does not speak HTTP/2 is answered in HTTP/1.1, in order.
func overHTTP2(bad func(f *http2.Framer, c *conn, stream uint32) bool) func(*conn) {
	return func(c *conn) {
		s := c.server
		secured := tls.Server(c.Conn, &tls.Config{Certificates: []tls.Certificate{*s.cert}, NextProtos: []string{"h2", "http/1.1"}})
		if secured.Handshake() != nil {
			return
		}
		c.Conn = secured
		if secured.ConnectionState().NegotiatedProtocol != "h2" {
			s.plainHTTP1(c)
			return
		}
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c.Conn, preface); err != nil {
			return
		}
		f := http2.NewFramer(c, c.Conn)
		f.WriteSettings()
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					f.WriteSettingsAck()
				}
			case *http2.PingFrame:
				if !frame.IsAck() {
					f.WritePing(true, frame.Data)
				}
			case *http2.MetaHeadersFrame:
				path := frame.PseudoValue("path")
				s.note(path)
				if hit(path, s.behaviour.Path) {
					if !bad(f, c, frame.StreamID) {
						return
					}
					continue
				}
				status, contentType, body := s.plain(getRequest(path))
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.StreamID, EndHeaders: true,
					BlockFragment: headers(status[:3], "content-type", contentType, "content-length", strconv.Itoa(len(body)))})
				f.WriteData(frame.StreamID, true, []byte(body))
			}
		}
	}
}

// headers encodes the head of an answer.
func headers(status string, pairs ...string) []byte {
	return append(literal(":status", status), literal(pairs...)...)
}

// literal encodes header fields in a way that touches no table, so that it can be repeated.
func literal(pairs ...string) []byte {
	var b strings.Builder
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1], Sensitive: true})
	}
	return []byte(b.String())
}
