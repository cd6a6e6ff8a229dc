// Package contact checks the syntax of mailto and tel links. It asks nobody whether an address or a number exists.
package contact

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// CheckMailto checks what stands behind "mailto:" (RFC 6068): addresses parted by commas, then header fields. Addresses
// in other scripts are right (RFC 6531). Without an address there must be fields: a link that shares a page by mail.
func CheckMailto(rest string) error {
	rest, _, _ = strings.Cut(rest, "#")
	to, fields, hasFields := strings.Cut(rest, "?")
	var list []string
	if to != "" {
		list = append(list, to)
	}
	for _, field := range strings.Split(fields, "&") {
		name, value, _ := strings.Cut(field, "=")
		if n := strings.ToLower(name); (n == "to" || n == "cc" || n == "bcc") && value != "" {
			list = append(list, value)
		}
	}
	if len(list) == 0 {
		if hasFields && fields != "" {
			return nil
		}
		return errors.New("no address")
	}
	for _, addresses := range list {
		for _, raw := range splitAddresses(addresses) {
			if err := checkAddress(raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// splitAddresses parts at commas that are not encoded; those within an address must be.
func splitAddresses(s string) []string { return strings.Split(strings.TrimSuffix(s, ","), ",") }

func checkAddress(raw string) error {
	address, err := url.PathUnescape(strings.TrimSpace(raw))
	if err != nil {
		return fmt.Errorf("%q is not percent-encoded as it must be", raw)
	}
	address = strings.TrimSpace(address)
	if address == "" {
		return errors.New("an empty address")
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return fmt.Errorf("%q has no @", address)
	}
	local, domain := address[:at], address[at+1:]
	switch {
	case local == "":
		return fmt.Errorf("%q has nothing before the @", address)
	case len(local) > 64:
		return fmt.Errorf("%q has more than 64 bytes before the @ (RFC 5321 section 4.5.3.1)", address)
	case domain == "":
		return fmt.Errorf("%q has nothing behind the @", address)
	}
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Name != "" || !strings.HasSuffix(parsed.Address, "@"+domain) {
		return fmt.Errorf("%q is no mail address (RFC 5322 section 3.4.1)", address)
	}
	if strings.HasPrefix(domain, "[") {
		return nil // a literal address
	}
	if _, err := urlkey.Host(domain); err != nil || strings.Contains(domain, "..") || strings.HasPrefix(domain, ".") {
		return fmt.Errorf("%q is no domain name", domain)
	}
	return nil
}

// CheckTel checks what stands behind "tel:" (RFC 3966): a number of digits with "-", ".", "(" and ")" to part them,
// then parameters. A global number begins with "+" and has at most 15 digits (E.164). A number without "+" is let pass
// without the phone-context that the RFC asks for: phones call it all the same.
func CheckTel(rest string) error {
	number, err := url.PathUnescape(rest)
	if err != nil {
		return fmt.Errorf("%q is not percent-encoded as it must be", rest)
	}
	number, _, _ = strings.Cut(number, ";")
	digits, global := number, false
	if after, ok := strings.CutPrefix(number, "+"); ok {
		digits, global = after, true
	}
	n := 0
	for _, r := range digits {
		switch {
		case r >= '0' && r <= '9':
			n++
		case strings.ContainsRune("-.()", r):
		case !global && strings.ContainsRune("*#ABCDabcd", r):
			n++
		case r == ' ' || r == '\u00a0':
			return fmt.Errorf("%q has a space; part the digits with hyphens, or not at all", number)
		default:
			return fmt.Errorf("%q has %q in it", number, r)
		}
	}
	switch {
	case n == 0:
		return errors.New("no digits")
	case global && n > 15:
		return fmt.Errorf("%q has %d digits; the longest numbers have 15", number, n)
	case global && n < 4:
		return fmt.Errorf("%q has only %d digits behind the +", number, n)
	}
	return nil
}
