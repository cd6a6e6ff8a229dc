package text

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Teller may be implemented by an Analyzer that can say its findings' messages in several languages.
type Teller interface {
	// Tell returns the message of a finding of a rule in a language, given the English one that the finding carries.
	// ok is false where it cannot. Safe for concurrent use.
	Tell(rule, message, lang string) (told string, ok bool)
}

// Messages says sentences in several languages. As with gettext, the English sentence is the key: "The title has {1}
// characters." finds the translations of "The title has 93 characters.", and the 93 goes where they have {1}. So findings
// carry plain English, an old run can be told in every language, and code that reports names its message once.
//
// What stands for a place may be a sentence of the catalogue itself. Messages is safe for concurrent use.
type Messages struct {
	sentences []sentence // those with the most fixed text first
}

type sentence struct {
	key    string
	fixed  []string // the text around the places: one more than there are places
	places []int    // which number each place has, in the key's order
	said   map[string]string
	weight int
}

var place = regexp.MustCompile(`\{(\d+)\}`)

// ParseMessages reads a catalogue from JSON: {"The title has {1} characters.": [Spanish, French, German, Portuguese]}. The
// order is that of Languages without English. It refuses sentences with other places than their key has.
func ParseMessages(data []byte) (*Messages, error) {
	var raw map[string][]string
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	m := &Messages{}
	others := Languages()[1:]
	for key, list := range raw {
		s := sentence{key: key, said: make(map[string]string, len(list)), fixed: place.Split(key, -1)}
		for _, p := range place.FindAllStringSubmatch(key, -1) {
			n, err := strconv.Atoi(p[1])
			if err != nil || slices.Contains(s.places, n) {
				return nil, fmt.Errorf("messages: %q has the place {%s} twice", key, p[1])
			}
			s.places = append(s.places, n)
		}
		if len(list) != len(others) {
			return nil, fmt.Errorf("messages: %q has %d translations, not %d", key, len(list), len(others))
		}
		for i, text := range list {
			if strings.TrimSpace(text) == "" || !slices.Equal(placesOf(text), placesOf(key)) {
				return nil, fmt.Errorf("messages: %q in %s: %q is empty or has other places", key, others[i], text)
			}
			s.said[others[i]] = text
		}
		for _, f := range s.fixed {
			s.weight += len(f)
		}
		m.sentences = append(m.sentences, s)
	}
	slices.SortFunc(m.sentences, func(a, b sentence) int {
		if a.weight != b.weight {
			return b.weight - a.weight
		}
		return strings.Compare(a.key, b.key)
	})
	return m, nil
}

// placesOf lists the different places of a text in order.
func placesOf(text string) []string {
	list := place.FindAllString(text, -1)
	slices.Sort(list)
	return slices.Compact(list)
}

// Tell says an English sentence in a language. ok is false where the catalogue has neither. nil has none.
func (m *Messages) Tell(english, lang string) (told string, ok bool) {
	return m.tell(english, lang, 3)
}

func (m *Messages) tell(english, lang string, depth int) (string, bool) {
	if m == nil || lang == "en" || depth == 0 {
		return english, lang == "en"
	}
	for i := range m.sentences {
		s := &m.sentences[i]
		values, ok := s.match(english)
		if !ok {
			continue
		}
		said := s.said[lang]
		if said == "" {
			return english, false
		}
		return place.ReplaceAllStringFunc(said, func(p string) string {
			n, _ := strconv.Atoi(p[1 : len(p)-1])
			value := values[slices.Index(s.places, n)]
			if inner, ok := m.tell(value, lang, depth-1); ok {
				return inner
			}
			return value
		}), true
	}
	return english, false
}

// Knows reports whether the catalogue has a sentence, written as a key: see Key.
func (m *Messages) Knows(key string) bool {
	return slices.ContainsFunc(m.sentences, func(s sentence) bool { return s.key == key })
}

var verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-zA-Z%]`)

// Key makes a catalogue's key of a format of package fmt: its verbs become {1}, {2}, ….
func Key(format string) string {
	n := 0
	return verb.ReplaceAllStringFunc(format, func(v string) string {
		if v == "%%" {
			return "%"
		}
		n++
		return fmt.Sprintf("{%d}", n)
	})
}

// match takes a sentence apart: what stands at its places. The shortest values are tried first.
func (s *sentence) match(text string) (values []string, ok bool) {
	if len(s.places) == 0 {
		return nil, text == s.key
	}
	last := s.fixed[len(s.fixed)-1]
	rest, ok := strings.CutPrefix(text, s.fixed[0])
	if !ok || len(rest) < len(last) || !strings.HasSuffix(rest, last) {
		return nil, false
	}
	rest = rest[:len(rest)-len(last)]
	for _, f := range s.fixed[1 : len(s.fixed)-1] {
		value, after, ok := strings.Cut(rest, f)
		if !ok {
			return nil, false
		}
		values, rest = append(values, value), after
	}
	return append(values, rest), true
}

// LazyMessages returns a function that reads a package's embedded messages at the first call. Nil messages, which tell
// everything in English, stand for a file that ParseMessages refuses; the package's test reads it too.
func LazyMessages(data []byte) func() *Messages {
	return sync.OnceValue(func() *Messages {
		m, err := ParseMessages(data)
		if err != nil {
			return nil
		}
		return m
	})
}
