package robotstxt

import "strings"

// Key is what a line is about.
type Key uint8

const (
	KeyNone          Key = iota // a line that says nothing: empty, a comment, or words without a separator
	KeyUserAgent                // starts a group, or joins one more product token to it
	KeyAllow                    // a rule
	KeyDisallow                 // a rule
	KeySitemap                  // the URL of a sitemap
	KeyCrawlDelay               // seconds between two requests; not in RFC 9309
	KeyContentUsage             // a preference about the use of content (IETF AI preferences)
	KeyContentSignal            // the same in an older form
	KeyUnknown                  // anything else
)

var keyNames = [...]string{"none", "user-agent", "allow", "disallow", "sitemap", "crawl-delay", "content-usage",
	"content-signal", "unknown"}

// String returns the key's name in lower case, as it is written in a file.
func (k Key) String() string {
	if int(k) < len(keyNames) {
		return keyNames[k]
	}
	return "invalid"
}

// spelling is a way to write a key. The first four keys are compared by their beginning, as Google does: "disallowed"
// and "User-Agent-Name" count.
type spelling struct {
	name  string
	key   Key
	typo  bool // tolerated
	whole bool // the whole name must agree
}

var spellings = [...]spelling{
	{name: "user-agent", key: KeyUserAgent},
	{name: "useragent", key: KeyUserAgent, typo: true},
	{name: "user agent", key: KeyUserAgent, typo: true},
	{name: "allow", key: KeyAllow},
	{name: "disallow", key: KeyDisallow},
	{name: "dissallow", key: KeyDisallow, typo: true},
	{name: "dissalow", key: KeyDisallow, typo: true},
	{name: "disalow", key: KeyDisallow, typo: true},
	{name: "diasllow", key: KeyDisallow, typo: true},
	{name: "disallaw", key: KeyDisallow, typo: true},
	{name: "sitemap", key: KeySitemap},
	{name: "site-map", key: KeySitemap, typo: true},
	{name: "crawl-delay", key: KeyCrawlDelay, whole: true},
	{name: "crawldelay", key: KeyCrawlDelay, typo: true, whole: true},
	{name: "crawl delay", key: KeyCrawlDelay, typo: true, whole: true},
	{name: "content-usage", key: KeyContentUsage, whole: true},
	{name: "content-signal", key: KeyContentSignal, whole: true},
}

// keyOf reads the name of a line's key. The typo flag is set for a tolerated misspelling.
func keyOf(name string) (key Key, typo bool) {
	for i := range spellings {
		s := &spellings[i]
		if len(name) < len(s.name) || s.whole && len(name) != len(s.name) {
			continue
		}
		if lower(name[0]) == s.name[0] && equalFold(name[:len(s.name)], s.name) {
			return s.key, s.typo
		}
	}
	return KeyUnknown, false
}

// splitLine splits text[start:end], a line without its comment, into a name and a value. Without a colon, two words are
// taken for a name and its value; more words say nothing. The name is never empty when ok is true.
func splitLine(text string, start, end int) (name, value span, colon, ok bool) {
	start, end = trim(text, start, end)
	line := text[start:end]
	if sep := strings.IndexByte(line, ':'); sep >= 0 {
		name.start, name.end = trim(text, start, start+sep)
		value.start, value.end = trim(text, start+sep+1, end)
		return name, value, true, name.start < name.end
	}
	sep := strings.IndexAny(line, " \t")
	if sep < 0 {
		return name, value, false, false
	}
	name.start, name.end = trim(text, start, start+sep)
	value.start, value.end = start+sep, end
	for isBlank(text[value.start]) {
		value.start++ // ends, as the line's last byte is no white space
	}
	if strings.ContainsAny(text[value.start:value.end], " \t") {
		return name, value, false, false
	}
	value.start, value.end = trim(text, value.start, value.end)
	return name, value, false, true
}

// span is a part of the text.
type span struct{ start, end int }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// lower returns c in lower case, if it is a letter of US-ASCII.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// equalFold reports whether two strings of one length are equal but for the case of US-ASCII letters.
func equalFold(a, b string) bool {
	for i := range len(a) {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
