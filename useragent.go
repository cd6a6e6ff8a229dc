package amble

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

// Agent says who crawls. It is the one place from which every name is made: both user agents, the product tokens that
// robots.txt is asked for, and the From header.
//
// Name and InfoURL are required: a site's owner must be able to find out who was there and how to stop them. The zero
// Agent is therefore refused with ErrNoIdentity. An Agent is a plain value; its methods may be called concurrently.
type Agent struct {
	// Name is the product's name as it stands in the user agent, for example "SiteNorma". One word of the characters
	// that RFC 9110 section 5.6.2 allows in a token.
	Name string

	// Version follows the name, for example "1.0". Empty: "1.0".
	Version string

	// InfoURL is the page that explains the crawler to site owners: http or https, absolute.
	InfoURL string

	// Tokens are the product tokens whose robots.txt groups are obeyed (RFC 9309 section 2.2.1). With several, a URL
	// must be allowed by each group that exists (S3). Nil: Name.
	Tokens []string

	// Contact is a mailbox of the operator, sent as From (RFC 9110 section 10.1.2). Empty: no From header.
	Contact string

	// Language is sent as Accept-Language, for example "es-ES,es;q=0.9". Empty: no such header.
	Language string
}

// Validate reports whether the Agent is fit to crawl with. The error matches ErrNoIdentity and says which field to set.
func (a Agent) Validate() error {
	bad := func(field, format string, args ...any) error {
		return &Error{Op: "identity", Kind: ErrNoIdentity, Reason: "Agent." + field + ": " + fmt.Sprintf(format, args...)}
	}
	if a.Name == "" {
		return bad("Name", "is empty; set the crawler's name, for example Agent{Name: \"ExampleAudit\", InfoURL: \"https://example.com/crawler\"}")
	}
	if !isToken(a.Name) {
		return bad("Name", "%q is not one word of letters, digits and -_.", a.Name)
	}
	if a.Version != "" && !isToken(a.Version) {
		return bad("Version", "%q is not a version such as 1.0", a.Version)
	}
	if a.InfoURL == "" {
		return bad("InfoURL", "is empty; set the address of a page that tells site owners who you are and how to stop you")
	}
	u, err := url.Parse(a.InfoURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.ContainsAny(a.InfoURL, " ()<>\"\r\n") {
		return bad("InfoURL", "%q is not an absolute http or https address", a.InfoURL)
	}
	for _, token := range a.Tokens {
		if !isToken(token) {
			return bad("Tokens", "%q is not a product token (letters, digits, - and _)", token)
		}
	}
	if a.Contact != "" {
		if _, err := mail.ParseAddress(a.Contact); err != nil || strings.ContainsAny(a.Contact, "\r\n") {
			return bad("Contact", "%q is not a mailbox", a.Contact)
		}
	}
	if strings.ContainsAny(a.Language, "\r\n") {
		return bad("Language", "%q is not a language list", a.Language)
	}
	return nil
}

// ProductTokens returns the tokens that robots.txt is asked for: Tokens, or else Name.
func (a Agent) ProductTokens() []string {
	if len(a.Tokens) > 0 {
		return a.Tokens
	}
	return []string{a.Name}
}

// Plain returns the user agent of requests that no browser makes (S2):
//
//	Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)
func (a Agent) Plain() string {
	return "Mozilla/5.0 (compatible; " + a.product() + "; +" + a.InfoURL + ")"
}

// Chrome returns the user agent of pages loaded in a browser (S1): the one that the browser reports, with its true
// version and without the word Headless, and our own ending.
func (a Agent) Chrome(reported string) string {
	return strings.Replace(reported, "HeadlessChrome/", "Chrome/", 1) + " " + a.Suffix()
}

// ChromeMobile is Chrome for a mobile scan (S1): the platform says Android, version and ending stay the same.
func (a Agent) ChromeMobile(reported string) string {
	ua := strings.Replace(reported, "HeadlessChrome/", "Chrome/", 1)
	open, end := strings.IndexByte(ua, '('), strings.IndexByte(ua, ')')
	if open >= 0 && end > open {
		ua = ua[:open] + "(Linux; Android 10; K" + ua[end:]
	}
	if !strings.Contains(ua, " Mobile ") {
		ua = strings.Replace(ua, " Safari/", " Mobile Safari/", 1)
	}
	return ua + " " + a.Suffix()
}

// Suffix is what Chrome puts at the end of the browser's own user agent: "SiteNorma/1.0 (+https://…)".
func (a Agent) Suffix() string { return a.product() + " (+" + a.InfoURL + ")" }

func (a Agent) product() string {
	version := a.Version
	if version == "" {
		version = "1.0"
	}
	return a.Name + "/" + version
}

// isToken reports whether s is one token of letters, digits, and the marks that a product token may hold.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != ""
}
