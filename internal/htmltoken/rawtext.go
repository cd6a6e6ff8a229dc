package htmltoken

import "bytes"

// rawText says how text is read that holds no markup, by the element it stands in.
type rawText uint8

const (
	notRaw rawText = iota
	rawIframe
	rawNoembed
	rawNoframes
	rawNoscript
	rawPlaintext
	rawScript
	rawStyle
	rawTextarea
	rawTitle
	rawXMP
)

var rawNames = [...]string{
	rawIframe: "iframe", rawNoembed: "noembed", rawNoframes: "noframes", rawNoscript: "noscript", rawPlaintext: "plaintext",
	rawScript: "script", rawStyle: "style", rawTextarea: "textarea", rawTitle: "title", rawXMP: "xmp",
}

// rawElement tells whether the start tag at hand is one whose content is text alone.
func (z *Tokenizer) rawElement() rawText {
	name := z.page[z.dataFrom:z.dataTo]
	if len(name) < len("xmp") || len(name) > len("plaintext") {
		return notRaw
	}
	var how rawText
	switch name[0] | 0x20 {
	case 'i':
		how = rawIframe
	case 'n':
		switch name[2] | 0x20 {
		case 'e':
			how = rawNoembed
		case 'f':
			how = rawNoframes
		default:
			how = rawNoscript
		}
	case 'p':
		how = rawPlaintext
	case 's':
		if how = rawScript; name[1]|0x20 == 't' {
			how = rawStyle
		}
	case 't':
		if how = rawTitle; name[1]|0x20 == 'e' {
			how = rawTextarea
		}
	case 'x':
		how = rawXMP
	default:
		return notRaw
	}
	if len(name) != len(rawNames[how]) || !hasPrefixFold(name, rawNames[how]) {
		return notRaw
	}
	return how
}

// rawEnd gives the end of the raw text at hand: the place of its end tag, or the limit.
func (z *Tokenizer) rawEnd(how rawText) int {
	switch how {
	case rawPlaintext:
		return z.limit
	case rawScript:
		return z.scriptEnd()
	}
	page := z.page[:z.limit]
	for i := z.from; ; {
		n := bytes.IndexByte(page[i:], '<')
		if n < 0 {
			return z.limit
		}
		i += n + 1
		if closes(page[i:], rawNames[how]) {
			return i - 1
		}
	}
}

// scriptEnd is rawEnd for a script, in which "<!--" hides end tags that have a start tag (HTML 13.2.5.15 to 31). As with
// x/net/html, a "<" that begins no tag ends the hiding.
func (z *Tokenizer) scriptEnd() int {
	const (
		plain   = iota
		escaped // behind "<!--"
		double  // and behind "<script" in it
	)
	page := z.page[:z.limit]
	state, dashes := plain, 0
	for i := z.from; i < len(page); {
		if state == plain {
			n := bytes.IndexByte(page[i:], '<')
			if n < 0 {
				break
			}
			i += n + 1
			switch {
			case closes(page[i:], "script"):
				return i - 1
			case bytes.HasPrefix(page[i:], []byte("!--")):
				i += len("!--")
				state, dashes = escaped, 2
			}
			continue
		}
		c := page[i]
		i++
		if c == '-' {
			dashes++
			continue
		}
		switch {
		case c == '>' && dashes >= 2:
			state = plain
		case c != '<':
		case state == double:
			if closes(page[i:], "script") {
				i += len("/script>")
				state = escaped
			}
		case closes(page[i:], "script"):
			return i - 1
		case i == len(page) || page[i] == '/':
		case class[page[i]]&isLetter == 0:
			state = plain
		case opens(page[i:], "script"):
			i += len("script>")
			state = double
		}
		dashes = 0
	}
	return z.limit
}

// closes reports whether s begins with a slash, the name in any case, and what ends a tag's name.
func closes(s []byte, name string) bool {
	return len(s) > 0 && s[0] == '/' && opens(s[1:], name)
}

func opens(s []byte, name string) bool {
	return len(s) > len(name) && class[s[len(name)]]&(isSpace|isSlash|isClose) != 0 && hasPrefixFold(s, name)
}

// hasPrefixFold reports whether s begins with a lower-case word in any case.
func hasPrefixFold(s []byte, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if s[i] != word[i] && s[i] != word[i]-0x20 {
			return false
		}
	}
	return true
}
