package httpframe

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

var answers = []struct {
	name, method, wire string
	whole              string // the part of wire that is the answer
}{
	{"Content-Length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"},
	{"no body", "GET", "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\nx", "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n"},
	{"bare line feeds", "GET", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhix", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi"},
	{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
	{"204 with a body", "GET", "HTTP/1.1 204 No Content\r\n\r\nbody", "HTTP/1.1 204 No Content\r\n\r\n"},
	{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\nx", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"},
	{"early hints first", "GET", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"},
	{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\nHTTP", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n"},
	{"chunked wins over Content-Length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
	{"until the end", "GET", "HTTP/1.1 200 OK\r\n\r\nall of this", "HTTP/1.1 200 OK\r\n\r\nall of this"},
	{"not understood passes", "GET", "SSH-2.0-OpenSSH\r\nHTTP/1.1 200", "SSH-2.0-OpenSSH\r\nHTTP/1.1 200"},
	{"a folded length passes", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\n0123456789", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\n0123456789"},
	{"a length in another field's fold", "GET", "HTTP/1.1 200 OK\r\nX: a\r\n Content-Length: 1\r\n\r\n0123", "HTTP/1.1 200 OK\r\nX: a\r\n Content-Length: 1\r\n\r\n0123"},
	{"two lengths pass", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc"},
	{"switching protocols passes", "GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc"},
	{"a broken chunk passes", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"},
}

func TestAnswerEndsWhereRFC9112Says(t *testing.T) {
	for _, c := range answers {
		for _, step := range []int{1, 2, 3, 7, len(c.wire)} {
			var f framer
			f.request([]byte(c.method + " / HTTP/1.1\r\n"))
			got := 0
			for got < len(c.wire) {
				piece := c.wire[got:min(got+step, len(c.wire))]
				n := f.feed([]byte(piece))
				got += n
				if n < len(piece) {
					break
				}
			}
			if c.wire[:got] != c.whole {
				t.Errorf("%s in steps of %d: got %q, want %q", c.name, step, c.wire[:got], c.whole)
			}
		}
	}
}

// The framer may only ever cut what net/http's own parser leaves unread.
func FuzzNeverCutsWhatTheClientReads(f *testing.F) {
	for _, c := range answers {
		f.Add(c.method == "HEAD", c.wire)
	}
	f.Fuzz(func(t *testing.T, head bool, wire string) {
		method := "GET"
		if head {
			method = "HEAD"
		}
		var fr framer
		fr.request([]byte(method + " / HTTP/1.1\r\n"))
		n := fr.feed([]byte(wire))
		if read(method, wire) != read(method, wire[:n]) {
			t.Fatalf("%q: the client reads %q, of the part let through %q", wire, read(method, wire), read(method, wire[:n]))
		}
	})
}

func read(method, wire string) string {
	br := bufio.NewReader(strings.NewReader(wire))
	for {
		resp, err := http.ReadResponse(br, &http.Request{Method: method})
		if err != nil {
			return "error"
		}
		if resp.StatusCode/100 == 1 && resp.StatusCode != 101 {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		out := resp.Status + " " + string(body)
		if err != nil {
			out += " broken"
		}
		return out
	}
}

func TestUnaskedBytesEndTheConnection(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	c := New(client)
	defer c.Close()
	go io.WriteString(server, "HTTP/1.1 200 OK\r\n\r\n")
	if n, err := c.Read(make([]byte, 64)); n != 0 || !errors.Is(err, ErrUnasked) {
		t.Fatalf("%d, %v", n, err)
	}
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n")); !errors.Is(err, ErrUnasked) {
		t.Fatalf("a request over it: %v", err)
	}
}

func TestNoRequestIsSentTwice(t *testing.T) {
	var e Exchange
	first, server := net.Pipe()
	a := New(first)
	if err := a.Bind(&e); err != nil {
		t.Fatal(err)
	}
	go func() { io.ReadFull(server, make([]byte, 5)); server.Close() }()
	if _, err := a.Write([]byte("GET /")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(make([]byte, 1)); err != io.EOF || e.Lost() != io.EOF {
		t.Fatalf("%v, lost %v", err, e.Lost())
	}
	second, _ := net.Pipe()
	b := New(second)
	if err := b.Bind(&e); !errors.Is(err, ErrRepeat) {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte("GET /")); !errors.Is(err, ErrRepeat) {
		t.Fatal(err)
	}
}
