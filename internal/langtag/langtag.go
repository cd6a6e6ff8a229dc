// Package langtag checks language tags: BCP 47 (RFC 5646) as in the lang attribute, and the narrower codes of hreflang.
package langtag

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Problem says what is wrong with a tag. The zero value is none.
type Problem uint8

// The problems.
const (
	None            Problem = iota
	Empty                   // no tag at all; in lang it means "unknown language"
	Underscore              // subtags are parted by an underscore instead of a hyphen
	Malformed               // not built as RFC 5646 section 2.1 says
	UnknownLanguage         // the language subtag is not registered
	UnknownScript           // the script subtag is not registered
	UnknownRegion           // the region subtag is not registered, or for hreflang no country of ISO 3166-1
	NoLanguage              // hreflang: a region or script alone
	NotHreflang             // hreflang: more than language, script and region, or no ISO 639-1 language
)

// String says the problem in plain words.
func (p Problem) String() string {
	return [...]string{
		"", "empty", "underscore instead of hyphen", "malformed", "unknown language", "unknown script", "unknown region",
		"a region or script where the language belongs", "not language, script and region alone",
	}[min(p, NotHreflang)]
}

// Tag holds the parts of a language tag, as written.
type Tag struct {
	Language string   // with extended language subtags: "zh-cmn"
	Script   string   // four letters
	Region   string   // two letters, or three digits
	Variants []string // and extensions and private use, after the region
}

// Parse takes a tag apart and checks its form and its language, script and region subtags against the registry. Private
// tags ("x-…") and those registered as a whole before RFC 4646 ("i-klingon") have their text in Language.
func Parse(s string) (Tag, Problem) {
	switch {
	case s == "":
		return Tag{}, Empty
	case strings.Contains(s, "_"):
		return Tag{}, Underscore
	case len(s) > 255:
		return Tag{}, Malformed
	}
	if slices.Contains(grandfathered, strings.ToLower(s)) {
		return Tag{Language: s}, None
	}
	parts := strings.Split(s, "-")
	for _, p := range parts {
		if p == "" || len(p) > 8 || strings.ContainsFunc(p, func(r rune) bool { return !isLetter(r) && !isDigit(r) }) {
			return Tag{}, Malformed
		}
	}
	if strings.EqualFold(parts[0], "x") {
		if len(parts) == 1 {
			return Tag{}, Malformed
		}
		return Tag{Language: s}, None
	}
	t := Tag{Language: parts[0]}
	if len(t.Language) < 2 || !letters(t.Language) {
		return Tag{}, Malformed
	}
	rest := parts[1:]
	for n := 0; n < 3 && len(parts[0]) < 4 && len(rest) > 0 && len(rest[0]) == 3 && letters(rest[0]); n++ {
		t.Language += "-" + rest[0]
		rest = rest[1:]
	}
	if len(rest) > 0 && len(rest[0]) == 4 && letters(rest[0]) {
		t.Script, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 && (len(rest[0]) == 2 && letters(rest[0]) || len(rest[0]) == 3 && digits(rest[0])) {
		t.Region, rest = rest[0], rest[1:]
	}
	t.Variants = rest
	if !goodTail(rest) {
		return t, Malformed
	}
	return t, t.registered(parts[0])
}

func (t Tag) registered(base string) Problem {
	if _, err := language.ParseBase(base); err != nil {
		return UnknownLanguage
	}
	if t.Script != "" {
		if _, err := language.ParseScript(t.Script); err != nil {
			return UnknownScript
		}
	}
	if t.Region != "" {
		if _, err := language.ParseRegion(t.Region); err != nil || strings.EqualFold(t.Region, "uk") {
			return UnknownRegion // x/text takes UK for GB; the registry does not have it
		}
	}
	return None
}

// goodTail checks what may stand after the region: variants, then extensions, then private use (RFC 5646, 2.1).
func goodTail(rest []string) bool {
	i := 0
	for i < len(rest) && (len(rest[i]) >= 5 || len(rest[i]) == 4 && isDigit(rune(rest[i][0]))) {
		for _, before := range rest[:i] {
			if strings.EqualFold(before, rest[i]) {
				return false // a variant twice
			}
		}
		i++
	}
	for i < len(rest) {
		if len(rest[i]) != 1 {
			return false
		}
		private := strings.EqualFold(rest[i], "x")
		i++
		start := i
		for i < len(rest) && (private || len(rest[i]) >= 2) {
			i++
		}
		if i == start {
			return false
		}
	}
	return true
}

// Primary gives the primary language of a tag in lower case, for comparing: "de" of "de-AT". Underscores are understood.
func Primary(s string) string {
	if i := strings.IndexAny(s, "-_"); i >= 0 {
		s = s[:i]
	}
	return strings.ToLower(s)
}

// CheckHreflang judges an hreflang code as search engines read it: an ISO 639-1 language, then optionally an ISO 15924
// script, then optionally an ISO 3166-1 region; or "x-default". Regions that ISO 3166-1 only reserves (UK, EU, AN) are
// no countries. Case does not count.
func CheckHreflang(code string) Problem {
	if strings.EqualFold(code, "x-default") {
		return None
	}
	t, problem := Parse(code)
	switch {
	case problem == UnknownLanguage && onlyRegionOrScript(code):
		return NoLanguage
	case problem != None:
		return problem
	case len(t.Language) != 2 || len(t.Variants) > 0:
		return NotHreflang
	case t.Region == "":
		return None
	case len(t.Region) != 2 || slices.Contains(reserved, strings.ToUpper(t.Region)):
		return UnknownRegion
	}
	if r, err := language.ParseRegion(t.Region); err != nil || !r.IsCountry() || r.IsPrivateUse() {
		return UnknownRegion
	}
	return None
}

func onlyRegionOrScript(code string) bool {
	if _, err := language.ParseScript(code); err == nil {
		return true
	}
	_, err := language.ParseRegion(code)
	return err == nil && len(code) == 2
}

// reserved holds two-letter codes that ISO 3166-1 reserves or has withdrawn: no countries today.
var reserved = []string{
	"AC", "AN", "BU", "CP", "CQ", "CS", "DD", "DG", "EA", "EU", "EZ", "FX", "IC", "NT", "SF", "SU", "TA", "TP", "UK", "UN",
	"YD", "YU", "ZR",
}

// grandfathered holds the tags that RFC 5646 section 2.2.8 lists whole.
var grandfathered = []string{
	"en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo", "i-pwn",
	"i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de", "art-lojban", "cel-gaulish", "no-bok", "no-nyn",
	"zh-guoyu", "zh-hakka", "zh-min", "zh-min-nan", "zh-xiang",
}

// Meant gives the language that a code which is none was likely meant to be ("jp": "ja"), or "".
func Meant(language string) string { return meant[strings.ToLower(language)] }

var meant = map[string]string{
	"jp": "ja", "cz": "cs", "gr": "el", "dk": "da", "cn": "zh", "ua": "uk", "vn": "vi", "ae": "ar", "at": "de", "us": "en", "gb": "en",
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isLetter(r) })
}
func digits(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return !isDigit(r) }) }
