package tech

import (
	"strings"
	"time"
)

// cookies judges what the page's answer sets. A visit without consent should set none, which is not judged here.
func cookies(c *pass) {
	for _, line := range c.header.Values("Set-Cookie") {
		k, problem := parseCookie(line)
		if problem != "" {
			c.serverOf("cookie-refused", k.name, "A Set-Cookie header cannot be read.", "cookie", k.name, "error", problem)
			continue
		}
		if k.deletes(c.Response.Sent) {
			continue
		}
		say := func(rule, message string) { c.serverOf(rule, k.name, message, "cookie", k.name) }
		prefix := strings.ToLower(k.name)
		switch {
		case strings.HasPrefix(prefix, "__host-") && (!k.has("secure") || k.attrs["domain"] != "" || k.attrs["path"] != "/"):
			say("cookie-refused", "Browsers refuse the cookie "+k.name+": a name with __Host- wants Secure, Path=/ and no Domain.")
		case strings.HasPrefix(prefix, "__secure-") && !k.has("secure"):
			say("cookie-refused", "Browsers refuse the cookie "+k.name+": a name with __Secure- wants Secure.")
		case strings.EqualFold(k.attrs["samesite"], "none") && !k.has("secure"):
			say("cookie-refused", "Browsers refuse the cookie "+k.name+": SameSite=None wants Secure.")
		case c.secure && !k.has("secure"):
			say("cookie-not-secure", "The cookie "+k.name+" is also sent over http.")
		}
		if !k.has("httponly") {
			say("cookie-no-httponly", "Scripts can read the cookie "+k.name+".")
		}
		if !k.has("samesite") {
			say("cookie-no-samesite", "The cookie "+k.name+" does not say whether other sites may use it.")
		}
	}
}

// cookie is what a Set-Cookie header says.
type cookie struct {
	name, value string
	attrs       map[string]string // by name in lower case
}

func (k cookie) has(attr string) bool { _, ok := k.attrs[attr]; return ok }

// parseCookie reads a Set-Cookie header as browsers do (RFC 6265bis section 5.6): of a value they take nearly everything,
// also quotes, spaces, commas and letters outside of ASCII.
func parseCookie(line string) (k cookie, problem string) {
	k.attrs = make(map[string]string)
	pair, rest, _ := strings.Cut(line, ";")
	name, value, ok := strings.Cut(pair, "=")
	if !ok {
		name, value = "", pair
	}
	k.name, k.value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	for part := range strings.SplitSeq(rest, ";") {
		name, value, _ := strings.Cut(part, "=")
		if value = strings.Trim(value, " \t"); len(value) <= 1024 {
			k.attrs[strings.ToLower(strings.Trim(name, " \t"))] = value
		}
	}
	switch {
	case strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		problem = "it holds control characters"
	case k.name == "" && k.value == "":
		problem = "it has neither name nor value"
	case len(k.name)+len(k.value) > 4096:
		problem = "it has more than 4,096 bytes"
	}
	return k, problem
}

// deletes tells whether the header takes a cookie away: Max-Age counts, and Expires where there is none.
func (k cookie) deletes(now time.Time) bool {
	if k.value == "" {
		return true
	}
	if age, ok := k.attrs["max-age"]; ok {
		if age = strings.TrimSpace(age); strings.HasPrefix(age, "-") || age != "" && strings.Trim(age, "0") == "" {
			return true
		} else if _, ok := deltaSeconds(age); ok {
			return false
		}
	}
	if now.IsZero() {
		now = time.Now()
	}
	for _, layout := range []string{time.RFC1123, "Mon, 02-Jan-2006 15:04:05 MST", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, k.attrs["expires"]); err == nil {
			return t.Before(now)
		}
	}
	return false
}
