package httpsig

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

// Structured fields (RFC 9651), as far as signatures need them.

// Token is a structured field's token.
type Token string

// Param is one parameter; Value is a string, Token, int64, []byte or bool.
type Param struct {
	Key   string
	Value any
}

// Item is a value with parameters; Value is of the types of Param, or []Item for an inner list.
type Item struct {
	Value  any
	Params []Param
}

// Member is one entry of a dictionary.
type Member struct {
	Key string
	Item
}

// Param returns the value of a parameter.
func (i Item) Param(key string) (any, bool) {
	for _, p := range i.Params {
		if p.Key == key {
			return p.Value, true
		}
	}
	return nil, false
}

var errField = errors.New("not a structured field (RFC 9651)")

// String serialises the item (RFC 9651 section 4.1).
func (i Item) String() string {
	var b strings.Builder
	i.write(&b)
	return b.String()
}

func (i Item) write(b *strings.Builder) {
	if list, ok := i.Value.([]Item); ok {
		b.WriteByte('(')
		for n, item := range list {
			if n > 0 {
				b.WriteByte(' ')
			}
			item.write(b)
		}
		b.WriteByte(')')
	} else {
		writeBare(b, i.Value)
	}
	for _, p := range i.Params {
		b.WriteByte(';')
		b.WriteString(p.Key)
		if p.Value != true {
			b.WriteByte('=')
			writeBare(b, p.Value)
		}
	}
}

func writeBare(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(quote(v))
	case Token:
		b.WriteString(string(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case []byte:
		b.WriteString(":" + base64.StdEncoding.EncodeToString(v) + ":")
	case bool:
		if v {
			b.WriteString("?1")
		} else {
			b.WriteString("?0")
		}
	}
}

// quote serialises a string. Its characters must be printable ASCII.
func quote(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return `"` + s + `"`
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// ParseDictionary reads a dictionary (RFC 9651 section 4.2.2). Of members with one key the last counts.
func ParseDictionary(text string) ([]Member, error) {
	p := parser{strings.Trim(text, " ")}
	var out []Member
	for p.rest != "" {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		m := Member{Key: key, Item: Item{Value: true}}
		if p.take('=') {
			m.Item, err = p.item()
		} else {
			m.Params, err = p.params()
		}
		if err != nil {
			return nil, err
		}
		for i := range out {
			if out[i].Key == key {
				out = append(out[:i], out[i+1:]...)
				break
			}
		}
		out = append(out, m)
		p.rest = strings.TrimLeft(p.rest, " \t")
		if p.rest == "" {
			break
		}
		if !p.take(',') {
			return nil, errField
		}
		if p.rest = strings.TrimLeft(p.rest, " \t"); p.rest == "" {
			return nil, errField
		}
	}
	return out, nil
}

// ParseItem reads a single item (RFC 9651 section 4.2.3).
func ParseItem(text string) (Item, error) {
	p := parser{strings.Trim(text, " ")}
	i, err := p.item()
	if err != nil || p.rest != "" {
		return Item{}, errField
	}
	return i, nil
}

type parser struct{ rest string }

func (p *parser) take(c byte) bool {
	if p.rest != "" && p.rest[0] == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// while cuts off the leading bytes that ok accepts.
func (p *parser) while(ok func(byte) bool) string {
	n := 0
	for n < len(p.rest) && ok(p.rest[n]) {
		n++
	}
	cut := p.rest[:n]
	p.rest = p.rest[n:]
	return cut
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) key() (string, error) {
	if p.rest == "" || !isLower(p.rest[0]) && p.rest[0] != '*' {
		return "", errField
	}
	return p.while(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 }), nil
}

func (p *parser) item() (i Item, err error) {
	if p.take('(') {
		list := []Item{}
		for {
			p.rest = strings.TrimLeft(p.rest, " ")
			if p.take(')') {
				break
			}
			inner, err := p.item()
			if err != nil {
				return i, err
			}
			if _, nested := inner.Value.([]Item); nested || p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' {
				return i, errField
			}
			list = append(list, inner)
		}
		i.Value = list
	} else if i.Value, err = p.bare(); err != nil {
		return i, err
	}
	i.Params, err = p.params()
	return i, err
}

func (p *parser) params() ([]Param, error) {
	var out []Param
	for p.take(';') {
		p.rest = strings.TrimLeft(p.rest, " ")
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		param := Param{key, true}
		if p.take('=') {
			if param.Value, err = p.bare(); err != nil {
				return nil, err
			}
		}
		out = append(out, param)
	}
	return out, nil
}

func (p *parser) bare() (any, error) {
	if p.rest == "" {
		return nil, errField
	}
	switch c := p.rest[0]; {
	case c == '"':
		return p.text()
	case c == ':':
		encoded, rest, ok := strings.Cut(p.rest[1:], ":")
		b, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil {
			return nil, errField
		}
		p.rest = rest
		return b, nil
	case c == '?':
		if len(p.rest) < 2 || p.rest[1] != '0' && p.rest[1] != '1' {
			return nil, errField
		}
		v := p.rest[1] == '1'
		p.rest = p.rest[2:]
		return v, nil
	case c == '-' || isDigit(c):
		n, err := strconv.ParseInt(p.while(func(c byte) bool { return c == '-' || isDigit(c) }), 10, 64)
		if err != nil || n > 999_999_999_999_999 || n < -999_999_999_999_999 {
			return nil, errField
		}
		return n, nil
	case isLower(c|0x20) || c == '*':
		return Token(p.while(func(c byte) bool {
			return isLower(c|0x20) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
		})), nil
	}
	return nil, errField
}

func (p *parser) text() (any, error) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String(), nil
		case c == '\\':
			if i++; i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return nil, errField
			}
			b.WriteByte(p.rest[i])
		case c < 0x20 || c > 0x7e:
			return nil, errField
		default:
			b.WriteByte(c)
		}
	}
	return nil, errField
}
