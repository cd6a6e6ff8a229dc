package htmlmeta

import "strings"

// quirky reports whether a doctype puts browsers into quirks mode (HTML 13.2.6.4.1). s is what stands between
// "<!DOCTYPE" and ">".
func quirky(s string) bool {
	s = strings.TrimLeft(s, space)
	i := strings.IndexAny(s, space)
	if i < 0 {
		i = len(s)
	}
	name, rest := s[:i], strings.TrimLeft(s[i:], space)
	if !strings.EqualFold(name, "html") {
		return true
	}
	if rest == "" {
		return false
	}
	if len(rest) < 6 {
		return true // a doctype with junk behind the name has the force-quirks flag
	}
	var public, system string
	hasPublic, hasSystem, ok := false, false, false
	key := strings.ToLower(rest[:6])
	rest = strings.TrimLeft(rest[6:], space)
	switch key {
	case "public":
		if public, rest, ok = identifier(rest); !ok {
			return true
		}
		hasPublic = true
		if rest = strings.TrimLeft(rest, space); rest != "" {
			if system, _, ok = identifier(rest); !ok {
				return true
			}
			hasSystem = true
		}
	case "system":
		if system, _, ok = identifier(rest); !ok {
			return true
		}
		hasSystem = true
	default:
		return true
	}
	public, system = strings.ToLower(public), strings.ToLower(system)
	if system == "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd" {
		return true
	}
	if !hasPublic {
		return false
	}
	switch public {
	case "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html":
		return true
	}
	for _, p := range quirkyPublic {
		if strings.HasPrefix(public, p) {
			return true
		}
	}
	return !hasSystem && (strings.HasPrefix(public, "-//w3c//dtd html 4.01 frameset//") ||
		strings.HasPrefix(public, "-//w3c//dtd html 4.01 transitional//"))
}

// identifier reads a quoted string. A missing last quote is an error that forces quirks mode.
func identifier(s string) (id, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", "", false
	}
	return strings.Cut(s[1:], s[:1])
}

// quirkyPublic holds the beginnings of public identifiers that mean quirks mode.
var quirkyPublic = []string{
	"+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
	"-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html 2.0 level 1//", "-//ietf//dtd html 2.0 level 2//",
	"-//ietf//dtd html 2.0 strict level 1//", "-//ietf//dtd html 2.0 strict level 2//", "-//ietf//dtd html 2.0 strict//",
	"-//ietf//dtd html 2.0//", "-//ietf//dtd html 2.1e//", "-//ietf//dtd html 3.0//", "-//ietf//dtd html 3.2 final//",
	"-//ietf//dtd html 3.2//", "-//ietf//dtd html 3//", "-//ietf//dtd html level 0//", "-//ietf//dtd html level 1//",
	"-//ietf//dtd html level 2//", "-//ietf//dtd html level 3//", "-//ietf//dtd html strict level 0//",
	"-//ietf//dtd html strict level 1//", "-//ietf//dtd html strict level 2//", "-//ietf//dtd html strict level 3//",
	"-//ietf//dtd html strict//", "-//ietf//dtd html//", "-//metrius//dtd metrius presentational//",
	"-//microsoft//dtd internet explorer 2.0 html strict//", "-//microsoft//dtd internet explorer 2.0 html//",
	"-//microsoft//dtd internet explorer 2.0 tables//", "-//microsoft//dtd internet explorer 3.0 html strict//",
	"-//microsoft//dtd internet explorer 3.0 html//", "-//microsoft//dtd internet explorer 3.0 tables//",
	"-//netscape comm. corp.//dtd html//", "-//netscape comm. corp.//dtd strict html//", "-//o'reilly and associates//dtd html 2.0//",
	"-//o'reilly and associates//dtd html extended 1.0//", "-//o'reilly and associates//dtd html extended relaxed 1.0//",
	"-//sq//dtd html 2.0 hotmetal + extensions//", "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
	"-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//", "-//spyglass//dtd html 2.0 extended//",
	"-//sun microsystems corp.//dtd hotjava html//", "-//sun microsystems corp.//dtd hotjava strict html//",
	"-//w3c//dtd html 3 1995-03-24//", "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//", "-//w3c//dtd html 3.2//",
	"-//w3c//dtd html 3.2s draft//", "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//",
	"-//w3c//dtd html experimental 19960712//", "-//w3c//dtd html experimental 970421//", "-//w3c//dtd w3 html//",
	"-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html 2.0//", "-//webtechs//dtd mozilla html//",
}
