// Package mask takes personal data and secrets out of text before it is kept or logged: e-mail addresses, what looks like
// a telephone number, tokens and ids in URLs and attributes, credentials.
//
// It errs on the side of masking: a masked order number does no harm, a telephone number in a report does. It is no
// classifier of personal data: names and addresses of people cannot be told from other words.
package mask

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What stands in the place of what was masked.
const (
	Email  = "[e-mail]"
	Phone  = "[number]"
	Secret = "[masked]"
)

// Snippet masks a piece of a page's source and cuts it to at most limit characters.
func Snippet(s string, limit int) string {
	const slack = 512 // of bytes beyond the limit: what is cut off must not be half a secret
	if most := limit*utf8.UTFMax + slack; len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	s = phones(inputs(Text(s)))
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == limit { // one is for the ellipsis
			return s[:i] + "…"
		}
	}
	return s
}

// Text masks e-mail addresses, credentials and tokens, and leaves numbers alone.
func Text(s string) string {
	lower := strings.ToLower(s) // a quick look saves most of the searches
	if strings.Contains(s, "@") && strings.Contains(s, "://") {
		s = userinfo.ReplaceAllString(s, "${1}"+Secret+"@")
	}
	if containsAny(lower, "authorization", "cookie", "x-api-key") {
		s = header.ReplaceAllString(s, "${1}"+Secret)
	}
	if containsAny(lower, "bearer", "basic") {
		s = bearer.ReplaceAllString(s, "${1}"+Secret)
	}
	if strings.Contains(s, "eyJ") {
		s = jwt.ReplaceAllString(s, Secret)
	}
	if strings.Contains(s, "=") && strings.ContainsAny(s, "?&#") {
		s = queries(s)
	}
	if containsAny(lower, "token", "csrf", "nonce", "secret", "session", "apikey", "api-key", "passw", "private") {
		s = attribute.ReplaceAllString(s, "${1}"+Secret)
	}
	if containsAny(lower, "@", "%40", "&#64;", "&#x40;", "&commat;") {
		s = email.ReplaceAllStringFunc(s, maskEmail)
	}
	return s
}

func containsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

var (
	userinfo = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.\-]*://)[^\s/?#"'<>@]*@`)
	header   = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization\b["']?\s*[:=]\s*["']?|(?:set-)?cookie["']?\s*[:=]\s*["']?|x-api-key["']?\s*[:=]\s*["']?)[^\r\n"'<>]+`)
	bearer   = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/\-]{8,}=*`)
	jwt      = regexp.MustCompile(`eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+(?:\.[A-Za-z0-9_\-]*)?`)

	// attribute is a name and value, as in an attribute or a script, whose name says that it is a secret.
	attribute = regexp.MustCompile(`(?i)([\w\-]*(?:token|csrf|nonce|secret|session|api-?key|passw(?:or)?d|private-?key)[\w\-]*["']?\s*[=:]\s*["']?)[^\s"'<>&;,\[]+`)

	email = regexp.MustCompile(`(?i)[\p{L}\p{N}._%+'\-]+(?:@|%40|&#64;|&#x40;|&commat;)[\p{L}\p{N}\-]+(?:\.[\p{L}\p{N}\-]+)*\.\p{L}{2,}`)

	input = regexp.MustCompile(`(?i)(<(?:input|textarea|select)\b[^>]*?\bvalue\s*=\s*)("[^"]*"?|'[^']*'?|[^\s>"']+)`)
	phone = regexp.MustCompile(`(^|[^\w.#/\-])(\+?\(?\d[\d ().\-/\x{a0}]{5,24}\d)`)
)

// maskEmail spares file names for dense screens, such as logo@2x.png.
func maskEmail(s string) string {
	switch ext := strings.ToLower(s[strings.LastIndexByte(s, '.')+1:]); ext {
	case "png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "css", "js", "mjs", "json", "html":
		return s
	}
	return Email
}

// queries masks the values of parameters, in a URL's query or fragment, that are secrets by their name or look.
func queries(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '?' && s[i] != '&' && s[i] != '#' {
			continue
		}
		length := strings.IndexAny(s[i+1:], "=?&# \t\r\n\"'<>")
		if length < 0 {
			break
		}
		name := i + 1
		eq := name + length
		if length == 0 || s[eq] != '=' {
			i = eq - 1
			continue
		}
		end := len(s)
		if n := strings.IndexAny(s[eq+1:], "&#;<> \t\r\n\"'"); n >= 0 {
			end = eq + 1 + n
		}
		if value := s[eq+1 : end]; value != "" && (secretName(strings.TrimPrefix(s[name:eq], "amp;")) || secretValue(value)) {
			b.WriteString(s[done:eq+1] + Secret)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// secretNames are parts of a parameter's name that say what its value is.
var secretNames = []string{"token", "secret", "passw", "pwd", "auth", "sess", "signature", "apikey", "api_key", "api-key", "access_key", "csrf",
	"xsrf", "nonce", "jwt", "otp", "mail", "phone", "mobile", "credential", "user", "account", "customer", "client", "visitor", "member"}

// secretWords are whole names of the same sort.
var secretWords = []string{"sid", "sig", "key", "code", "state", "hash", "id", "uid", "uuid", "guid", "gclid", "fbclid", "msclkid", "tel", "jsessionid",
	"phpsessid", "ticket", "pin", "ssn", "dni", "iban"}

func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range secretNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	for _, word := range secretWords {
		if name == word || strings.HasSuffix(name, "_"+word) || strings.HasSuffix(name, "-"+word) {
			return true
		}
	}
	return false
}

// secretValue reports whether a value looks like an id or a token: many digits, or a long mixture of letters and digits.
func secretValue(v string) bool {
	letters, digits, upper := 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'A' <= c && c <= 'Z':
			upper++
			letters++
		case 'a' <= c && c <= 'z':
			letters++
		}
	}
	switch {
	case letters == 0 && digits >= 7:
		return true
	case len(v) >= 16 && digits >= 3 && letters >= 3:
		return true
	}
	return len(v) >= 24 && upper >= 4 && letters-upper >= 4
}

// inputs masks what was typed into fields.
func inputs(s string) string {
	if !strings.Contains(s, "<") || !containsAny(strings.ToLower(s), "<input", "<textarea", "<select") {
		return s
	}
	return input.ReplaceAllString(s, `${1}"`+Secret+`"`)
}

func phones(s string) string {
	digits := 0
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			digits++
		}
	}
	if digits < 7 {
		return s
	}
	return phone.ReplaceAllStringFunc(s, func(m string) string {
		sub := phone.FindStringSubmatch(m)
		if !isPhone(sub[2]) {
			return m
		}
		return sub[1] + Phone
	})
}

// isPhone decides about a run of digits and the marks that stand between them.
func isPhone(s string) bool {
	digits, groups, short, run := 0, 0, 0, 0
	end := func() {
		if run > 0 {
			groups++
			if run == 1 {
				short++
			}
		}
		run = 0
	}
	for _, c := range s {
		if '0' <= c && c <= '9' {
			digits++
			run++
		} else {
			end()
		}
	}
	end()
	if digits > 15 {
		return digits <= 19 && groups <= 5 // no telephone number, but a card's
	}
	if s[0] == '+' {
		return digits >= 7
	}
	if digits < 9 || groups > 6 || short > 1 {
		return false
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, ".") {
		return false
	}
	return !date.MatchString(s)
}

var date = regexp.MustCompile(`^(?:\d{4}[\-/.]\d{1,2}[\-/.]\d{1,2}|\d{1,2}[\-/.]\d{1,2}[\-/.]\d{4})(?:\D|$)`)
