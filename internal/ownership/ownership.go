// Package ownership makes the tokens by which an owner proves a site, and finds them: in a page's head, in a file, in
// DNS records. Fetching, and what follows from a proof, is not its business.
package ownership

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"mime"
	"strings"

	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/htmlmeta"
)

// TokenBytes is the length of a token before it is written in hexadecimal digits: 128 bits.
const TokenBytes = 16

// Token derives the token of an account for a host and a method. Nobody can make one without the secret, and one made
// for another account, host or method is of no use.
func Token(secret []byte, account, host, method string) string {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{account, host, method} { // none of them may hold a NUL
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:TokenBytes])
}

// Random returns text of a token's form that nobody can guess: the name of a file or record that cannot be there.
func Random() string {
	var b [TokenBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Equal compares in constant time.
func Equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// maxPage is how much of a page is searched: a head is at its start.
const maxPage = 512 << 10

// InHead reports whether an HTML page has <meta name="NAME" content="TOKEN"> in its head, as a browser with scripting
// builds it: what stands in a comment, noscript, template, script, title, attribute or in the body does not count, since
// users of a site may be able to write there. Only text/html is read.
func InHead(page []byte, contentType, name, token string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media != "text/html" {
		return false
	}
	text, _ := charset.Decode(page[:min(len(page), maxPage)], contentType)
	doc := htmlmeta.Parse(text, htmlmeta.Options{Bots: []string{name}})
	if doc.Partial {
		return false // past its bounds the reading is coarser
	}
	found := false
	for _, meta := range doc.Robots {
		if meta.InHead && strings.EqualFold(meta.Name, name) && Equal(strings.TrimSpace(meta.Content), token) {
			found = true
		}
	}
	return found
}

// IsBody reports whether a file holds the token and nothing else. Editors end a file with a line break: one is allowed.
func IsBody(body []byte, token string) bool {
	text := strings.TrimSuffix(strings.TrimSuffix(string(body), "\n"), "\r")
	return Equal(text, token)
}

// InRecords reports whether one of the TXT records is exactly the value.
func InRecords(records []string, value string) bool {
	found := false
	for _, record := range records {
		if Equal(strings.TrimSpace(record), value) {
			found = true
		}
	}
	return found
}
