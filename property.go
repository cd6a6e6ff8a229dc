package amble

import (
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Property is a site, or a part of one, as an owner proves it: a URL prefix or a whole domain, named as Search Console
// names its properties (C1). The zero Property is none. Properties can be compared with ==.
type Property struct {
	domain string // of a domain property, canonical
	prefix string // of a URL-prefix property, canonical
}

const domainProperty = "sc-domain:"

// ParseProperty reads an identifier as Search Console has it: "sc-domain:example.com" for a domain with all its hosts,
// schemes and ports, "https://example.com/blog/" for what begins with that URL. A public suffix such as github.io is no
// domain property: it belongs to nobody. The error matches ErrConfig.
func ParseProperty(id string) (Property, error) {
	bad := func(why string) (Property, error) {
		return Property{}, &Error{Op: "property", URL: id, Kind: ErrConfig,
			Reason: why + "; give a URL prefix (https://example.com/blog/) or a domain (sc-domain:example.com)"}
	}
	if name, ok := strings.CutPrefix(id, domainProperty); ok {
		host, err := canonicalHost(name)
		if err != nil {
			return bad("this is no domain name")
		}
		if _, ok := urlkey.Registrable(host); !ok {
			return bad("a public suffix, an address or a single label is no domain property")
		}
		return Property{domain: strings.TrimSuffix(host, ".")}, nil
	}
	u, err := urlkey.Parse(id)
	switch {
	case err != nil || u.Kind() != urlkey.KindHTTP:
		return bad("this is no http or https address")
	case u.HasQuery() || u.HasCredentials() || strings.Contains(id, "#"):
		return bad("a property has neither query, fragment nor credentials")
	}
	return Property{prefix: u.String()}, nil
}

// String returns the identifier in its one form.
func (p Property) String() string {
	if p.domain != "" {
		return domainProperty + p.domain
	}
	return p.prefix
}

// MarshalText writes the identifier.
func (p Property) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads an identifier.
func (p *Property) UnmarshalText(text []byte) (err error) {
	*p, err = ParseProperty(string(text))
	return err
}

// IsDomain reports whether this is a domain property. Only DNS proves one.
func (p Property) IsDomain() bool { return p.domain != "" }

// Host is the domain, or the host of the prefix without its port.
func (p Property) Host() string {
	if p.IsDomain() {
		return p.domain
	}
	u, _ := urlkey.Parse(p.prefix)
	return u.Hostname()
}

// Scope is what a proof of the property lets a crawl visit. The Scope of the zero Property covers nothing.
func (p Property) Scope() Scope {
	switch {
	case p.domain != "":
		return Scope{Domains: []string{p.domain}}
	case p.prefix != "":
		return Scope{Prefixes: []string{p.prefix}}
	}
	return Scope{Include: []string{"/"}, Exclude: []string{"/"}}
}

// Seed is a URL to start from: the prefix itself, or the domain's https home page.
func (p Property) Seed() string {
	if p.domain != "" {
		return "https://" + p.domain + "/"
	}
	return p.prefix
}
