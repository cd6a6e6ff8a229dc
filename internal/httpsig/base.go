package httpsig

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Message is what is signed: a request, or an answer with the request that it answers.
type Message struct {
	Method string
	URL    *url.URL // absolute; nil for an answer
	Header http.Header
	Status int      // of an answer
	For    *Message // the request that an answer is for
}

// Component is one covered part of a message: a field in lower case, or a derived component ("@authority").
type Component struct {
	Name string
	Key  string // one member of a dictionary field
	Req  bool   // taken from the request that an answer is for
}

func (c Component) item() Item {
	i := Item{Value: c.Name}
	if c.Key != "" {
		i.Params = append(i.Params, Param{"key", c.Key})
	}
	if c.Req {
		i.Params = append(i.Params, Param{"req", true})
	}
	return i
}

// Params are the parameters of a signature (RFC 9421 section 2.3). Zero fields are left out.
type Params struct {
	Components []Component
	Created    int64 // seconds since 1970
	KeyID      string
	Alg        string
	Expires    int64
	Nonce      string
	Tag        string
}

// item gives the parameters in the order of the published vectors.
func (p Params) item() Item {
	list := make([]Item, len(p.Components))
	for i, c := range p.Components {
		list[i] = c.item()
	}
	i := Item{Value: list}
	if p.Created != 0 {
		i.Params = append(i.Params, Param{"created", p.Created})
	}
	for _, f := range []Param{{"keyid", p.KeyID}, {"alg", p.Alg}} {
		if f.Value != "" {
			i.Params = append(i.Params, f)
		}
	}
	if p.Expires != 0 {
		i.Params = append(i.Params, Param{"expires", p.Expires})
	}
	for _, f := range []Param{{"nonce", p.Nonce}, {"tag", p.Tag}} {
		if f.Value != "" {
			i.Params = append(i.Params, f)
		}
	}
	return i
}

// ErrComponent says that a covered component is not in the message, or is one that is not supported.
var ErrComponent = errors.New("component cannot be covered")

// base makes the signature base (RFC 9421 section 2.5) for an inner list of components with its parameters.
func base(m *Message, input Item) (string, error) {
	list, ok := input.Value.([]Item)
	if !ok {
		return "", errField
	}
	var b strings.Builder
	seen := make(map[string]bool, len(list))
	for _, component := range list {
		id := component.String()
		if seen[id] {
			return "", fmt.Errorf("%w: %s is covered twice", ErrComponent, id)
		}
		seen[id] = true
		value, err := m.value(component)
		if err != nil {
			return "", fmt.Errorf("%s: %w", id, err)
		}
		if strings.ContainsAny(value, "\r\n") {
			return "", fmt.Errorf("%w: %s has a line break", ErrComponent, id)
		}
		b.WriteString(id + ": " + value + "\n")
	}
	b.WriteString(`"@signature-params": ` + input.String())
	return b.String(), nil
}

// value is the value of a component (RFC 9421 sections 2.1 and 2.2).
func (m *Message) value(component Item) (string, error) {
	name, ok := component.Value.(string)
	if !ok {
		return "", ErrComponent
	}
	key := ""
	for _, p := range component.Params {
		switch p.Key {
		case "req":
			if m.For == nil {
				return "", fmt.Errorf("%w: there is no request", ErrComponent)
			}
			m = m.For
		case "key":
			if key, ok = p.Value.(string); !ok {
				return "", ErrComponent
			}
		default:
			return "", fmt.Errorf("%w: parameter %s", ErrComponent, p.Key)
		}
	}
	if !strings.HasPrefix(name, "@") {
		return m.field(name, key)
	}
	if name == "@status" && m.Status != 0 {
		return strconv.Itoa(m.Status), nil
	}
	if m.URL == nil || key != "" {
		return "", ErrComponent
	}
	target := m.URL.RequestURI()
	if strings.HasPrefix(m.URL.Opaque, "//") { // sent in absolute form (RFC 9112 section 3.2.2); the path stays what it is
		target = strings.TrimPrefix(target, m.URL.Scheme+"://"+m.URL.Host)
	}
	path, query, _ := strings.Cut(target, "?")
	switch name {
	case "@method":
		return m.Method, nil
	case "@authority":
		return authority(m.URL), nil
	case "@scheme":
		return strings.ToLower(m.URL.Scheme), nil
	case "@target-uri":
		return strings.ToLower(m.URL.Scheme) + "://" + authority(m.URL) + target, nil
	case "@request-target":
		return m.URL.RequestURI(), nil
	case "@path":
		return path, nil
	case "@query":
		return "?" + query, nil
	}
	return "", ErrComponent
}

func (m *Message) field(name, key string) (string, error) {
	values := m.Header.Values(name)
	if len(values) == 0 {
		return "", fmt.Errorf("%w: the message has no such field", ErrComponent)
	}
	trimmed := make([]string, len(values))
	for i, v := range values {
		trimmed[i] = strings.Trim(v, " \t")
	}
	whole := strings.Join(trimmed, ", ")
	if key == "" {
		return whole, nil
	}
	members, err := ParseDictionary(whole)
	if err != nil {
		return "", err
	}
	for _, member := range members {
		if member.Key == key {
			return member.Item.String(), nil
		}
	}
	return "", fmt.Errorf("%w: the field has no member %s", ErrComponent, key)
}

// authority is the host in lower case, with its port unless it is the scheme's own (RFC 9421 section 2.2.3).
func authority(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return host
}
