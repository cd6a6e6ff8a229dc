package trap

import "strings"

// findSession returns the path and query without session ids, and the name of one it took out ("" where there is none).
func findSession(path, query string) (name, barePath, bareQuery string) {
	name, barePath = sessionInPath(path)
	bareQuery = query
	for p := range parameters(query) {
		n, v := query[p.name.from:p.name.to], query[p.value.from:p.value.to]
		if !isSession(n, v) {
			continue
		}
		name = n
		break
	}
	if name == "" || query == "" {
		return name, barePath, bareQuery
	}
	var b strings.Builder
	for p := range parameters(query) {
		if isSession(query[p.name.from:p.name.to], query[p.value.from:p.value.to]) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(query[p.whole.from:p.whole.to])
	}
	return name, barePath, b.String()
}

// sessionInPath knows ";jsessionid=..." at the end of a segment and the segment "(S(...))" of ASP.NET.
func sessionInPath(path string) (name, bare string) {
	bare = path
	for {
		semicolon := strings.IndexByte(bare, ';')
		if semicolon < 0 {
			break
		}
		end := endOfSegment(bare, semicolon)
		if i := strings.IndexByte(bare[semicolon+1:end], ';'); i >= 0 {
			end = semicolon + 1 + i
		}
		n, v, _ := strings.Cut(bare[semicolon+1:end], "=")
		if !isSession(n, v) {
			break
		}
		name, bare = n, bare[:semicolon]+bare[end:]
	}
	if i := strings.Index(bare, "/("); i >= 0 {
		end := endOfSegment(bare, i+1)
		if s := bare[i+1 : end]; strings.HasSuffix(s, "))") && strings.Contains(s, "S(") && len(s) >= 20 {
			name, bare = "(S(...))", bare[:i]+bare[end:]
		}
	}
	return name, bare
}

// isSession tells by the name, and by whether the value looks drawn by lot, the more so the less the name says.
func isSession(name, value string) bool {
	switch {
	case is(name, "jsessionid", "phpsessid", "oscsid", "xtcsid", "zenid", "cftoken", "phpsessionid"), hasPrefixFold(name, "aspsessionid"):
		return len(value) >= 8
	case is(name, "cfid"):
		return isNumber(value)
	case is(name, "sid", "sessid", "sess", "sess_id", "session", "session_id", "session-id", "sessionid", "session_key", "php_sessid"):
		return isHex(value, 16) || isLot(value, 20)
	case is(name, "s"): // bulletin boards
		return len(value) == 32 && isHex(value, 32)
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// isHex reports whether a value is at least so many hex digits, not all of them letters.
func isHex(s string, least int) bool {
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'f':
		default:
			return false
		}
	}
	return len(s) >= least && digits > 0
}

// isLot reports whether a value is at least so many letters and digits, with both among them and nothing between.
func isLot(s string, least int) bool {
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		default:
			return false
		}
	}
	return len(s) >= least && digits > 0 && digits < len(s)
}
