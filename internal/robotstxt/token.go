package robotstxt

// token is a product token that groups are looked up by.
type token struct {
	name   string
	digits bool // digits count as a part of the names in the file
	usable bool // some name in a file can equal it
}

// newToken prepares a lookup. A name with a character that no product token has (RFC 9309 section 2.2.1) is never
// found; digits are such characters in the Google mode.
func newToken(name string, mode Mode) token {
	t := token{name: name, usable: name != ""}
	for i := range len(name) {
		switch c := name[i]; {
		case isTokenByte(c):
		case isDigit(c) && mode == RFC9309:
			t.digits = true
		default:
			t.usable = false
		}
	}
	return t
}

// names reports whether the value of a user-agent line names the token: letters compare in any case, and the value is
// cut at the first character that does not belong to a token ("Bot/2.1" names Bot).
func (t *token) names(value string) bool {
	n := len(t.name)
	if !t.usable || len(value) < n || !equalFold(value[:n], t.name) {
		return false
	}
	if len(value) == n {
		return true
	}
	c := value[n]
	return !isTokenByte(c) && !(t.digits && isDigit(c))
}

// namesAll reports whether the value of a user-agent line means every crawler: a star, alone or before other words.
func namesAll(value string) bool {
	return len(value) > 0 && value[0] == '*' && (len(value) == 1 || isSpace(value[1]))
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
