// Package directives reads robots directives: X-Robots-Tag header lines and robots meta elements.
//
// The rules are those of Google's robots meta page, MDN's X-Robots-Tag page and draft-illyes-repext, where they leave a
// choice the more restrictive reading is taken:
//
//   - names of rules and of bots have no case; header lines add up; each line starts unscoped, and "token:" scopes what
//     follows it on the line until the next token;
//   - the four rules with a value (unavailable_after, max-snippet, max-image-preview, max-video-preview) are never
//     names of bots;
//   - a bot obeys the general rules and its own, added up; of two values the more restrictive one is in force; a bot
//     with several tokens obeys the rules for each;
//   - unknown words and invalid values are ignored, and listed as problems.
package directives

import (
	"slices"
	"strings"
	"time"
)

// Rule is one directive as it stands somewhere.
type Rule struct {
	Bot   string    // lower-case token of the only bot it is for; empty: for all
	Name  string    // lower case: "noindex", "max-snippet"
	Text  string    // the value of a rule with a value, as written
	N     int       // the value of max-snippet and max-video-preview; -1 is no limit
	Date  time.Time // the value of unavailable_after, in UTC
	Where Where
}

// Where is the place of a rule or a problem.
type Where struct {
	Meta  bool   // a meta element; else a header line
	Index int    // which one, from 0, counting headers and meta elements apart
	Text  string // the whole line, or the whole content attribute
}

// Reason says what is wrong with a piece of a line.
type Reason uint8

// The reasons.
const (
	UnknownRule  Reason = iota // no known rule: ignored
	BadSeparator               // rules are parted by something other than commas: understood all the same
	BadValue                   // the value of a limit is none: ignored
	BadDate                    // the value of unavailable_after is no date: ignored
	RuleAsBot                  // a known rule stands where a bot's name does: read as a bot's name
	ScopeInMeta                // a bot's name inside a meta's content: ignored, the name belongs in the name attribute
	NameList                   // a meta's name holds several names: it counts for none
)

// String says the reason in plain words.
func (r Reason) String() string {
	return [...]string{
		"unknown rule", "rules must be separated by commas", "invalid value", "invalid date",
		"a rule's name stands where a bot's name belongs", "a bot's name does not belong in the content of a meta element",
		"several names in one meta element",
	}[min(r, NameList)]
}

// Problem is a malformed piece.
type Problem struct {
	Reason Reason
	Piece  string
	Where  Where
}

// String says what is wrong and where.
func (p Problem) String() string {
	place := "X-Robots-Tag"
	if p.Where.Meta {
		place = "meta robots"
	}
	return place + ": " + p.Reason.String() + ": " + clip(p.Piece)
}

func clip(s string) string {
	const most = 120
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// List holds the rules of one page in the order they were added. The zero value is empty and ready. At most
// MaxRules rules and as many problems are kept; Truncated says that there were more.
type List struct {
	Rules     []Rule
	Problems  []Problem
	Truncated bool

	headers, metas int
}

// MaxRules bounds a List.
const MaxRules = 1000

// plain holds the rules without a value, and whether each has an effect.
var plain = map[string]bool{
	"noindex": true, "nofollow": true, "noarchive": true, "nocache": true, "nosnippet": true, "noimageindex": true,
	"notranslate": true, "indexifembedded": true, "nositelinkssearchbox": true, "nopagereadaloud": true,
	"none": true, "all": false, "index": false, "follow": false, "archive": false, "snippet": false,
	"noodp": false, "noydir": false, // about directories that are gone
}

func valued(name string) bool {
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

// AddHeader reads the value of one X-Robots-Tag line.
func (l *List) AddHeader(value string) {
	l.add(value, Where{Index: l.headers, Text: value}, "")
	l.headers++
}

// AddMeta reads one meta element by its name and content attributes. Any name may be given: only "robots" is for all
// bots, another one is taken for a bot's token and counts for none but that bot.
func (l *List) AddMeta(name, content string) {
	where := Where{Meta: true, Index: l.metas, Text: content}
	l.metas++
	name = strings.ToLower(name)
	switch {
	case name == "robots":
		name = ""
	case strings.ContainsAny(name, ",; \t\n\f\r"):
		l.problem(NameList, name, where)
		return
	case name == "":
		return
	}
	l.add(content, where, name)
}

// add reads the comma-separated rules of a line or a content attribute for bot.
func (l *List) add(line string, where Where, bot string) {
	pieces := split(line)
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		if p.semicolon {
			l.problem(BadSeparator, line, where)
		}
		text := p.text
		for { // each pass takes one "token:" off the front
			name, value, found := strings.Cut(text, ":")
			if !found {
				break
			}
			name, value = strings.ToLower(trim(name)), trim(value)
			if valued(name) {
				next := ""
				if i+1 < len(pieces) && !pieces[i+1].semicolon {
					next = pieces[i+1].text
				}
				if l.addValued(name, value, next, bot, where) {
					i++
				}
				text = ""
				break
			}
			if where.Meta {
				l.problem(ScopeInMeta, text, where)
				text = ""
				break
			}
			if product, version, ok := strings.Cut(name, "/"); ok && isToken(version) {
				name = product // "amblebot/1.0": the version is no part of the token
			}
			if !isToken(name) {
				l.problem(UnknownRule, text, where)
				text = ""
				break
			}
			if _, known := plain[name]; known {
				l.problem(RuleAsBot, text, where)
			}
			if name == "*" || name == "robots" {
				name = ""
			}
			bot, text = name, value
		}
		l.addPlain(text, bot, where)
	}
}

// addPlain reads one rule without a value; several known ones parted by white space are understood as well.
func (l *List) addPlain(text, bot string, where Where) {
	if text == "" {
		return
	}
	words := strings.FieldsFunc(strings.ToLower(text), isSpace)
	for _, w := range words {
		if _, known := plain[w]; !known {
			l.problem(UnknownRule, text, where)
			return
		}
	}
	if len(words) > 1 {
		l.problem(BadSeparator, text, where)
	}
	for _, w := range words {
		if w != "none" {
			l.rule(Rule{Bot: bot, Name: w, Where: where})
			continue
		}
		l.rule(Rule{Bot: bot, Name: "noindex", Where: where})
		l.rule(Rule{Bot: bot, Name: "nofollow", Where: where})
	}
}

// addValued reads a rule with a value. next is the piece after the comma that follows, since a date may hold one; it
// reports whether that piece was used up.
func (l *List) addValued(name, value, next, bot string, where Where) (usedNext bool) {
	r := Rule{Bot: bot, Name: name, Text: value, Where: where}
	ok := false
	switch name {
	case "unavailable_after":
		if next != "" {
			if r.Date, ok = ParseDate(value + ", " + next); ok {
				r.Text = value + ", " + next
				usedNext = true
				break
			}
		}
		if r.Date, ok = ParseDate(value); !ok {
			l.problem(BadDate, name+": "+value, where)
			return false
		}
	case "max-image-preview":
		r.Text = strings.ToLower(value)
		ok = slices.Contains(imageSizes, r.Text)
	default:
		r.N, ok = limit(value)
	}
	if !ok {
		l.problem(BadValue, name+": "+value, where)
		return false
	}
	l.rule(r)
	return usedNext
}

// imageSizes holds the values of max-image-preview, the most restrictive first.
var imageSizes = []string{"none", "standard", "large"}

// limit reads the number of a limit: -1, or digits.
func limit(s string) (int, bool) {
	if s == "-1" {
		return -1, true
	}
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func (l *List) rule(r Rule) {
	if len(l.Rules) >= MaxRules {
		l.Truncated = true
		return
	}
	l.Rules = append(l.Rules, r)
}

func (l *List) problem(reason Reason, piece string, where Where) {
	if n := len(l.Problems); n > 0 && l.Problems[n-1] == (Problem{reason, piece, where}) {
		return
	}
	if len(l.Problems) >= MaxRules {
		l.Truncated = true
		return
	}
	l.Problems = append(l.Problems, Problem{reason, piece, where})
}

// piece is what stands between two separators.
type piece struct {
	text      string
	semicolon bool // the separator before it is a semicolon
}

// split parts a line at commas, and at semicolons, which are wrong but common.
func split(line string) []piece {
	var pieces []piece
	semicolon := false
	for len(pieces) < 2*MaxRules {
		i := strings.IndexAny(line, ",;")
		text := line
		if i >= 0 {
			text = line[:i]
		}
		if text = trim(text); text != "" {
			pieces = append(pieces, piece{text, semicolon})
			semicolon = false
		}
		if i < 0 {
			break
		}
		semicolon = semicolon || line[i] == ';'
		line = line[i+1:]
	}
	if len(pieces) > 0 {
		pieces[0].semicolon = false
	}
	return pieces
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r' }

func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// isToken reports whether a lower-case name can be a bot's: letters, digits, and the other characters of an HTTP token.
func isToken(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if ('a' > c || c > 'z') && ('0' > c || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return true
}
