// Package botpage renders the page that tells site owners about a crawler, in five languages, from plain facts. It has no
// opinion about the facts: whoever fills them in takes them from the running configuration.
package botpage

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Facts is what the page says. Zero durations and numbers are left out of the page if not said otherwise; negative
// ones mean that there is no limit.
type Facts struct {
	Name, Operator, Contact string // Contact is a bare mailbox address
	Plain, Suffix           string // user agents; Suffix is empty when no browser is used
	Tokens                  []string

	Sitemaps, Links, Browser bool
	Switchable               bool // a site can be switched off during a visit
	Lengthened               bool // the wait grows when refusals go on
	PageBytes                int64
	PageTime                 time.Duration

	Paced                               bool // the figures of the limiter are known
	Pace                                time.Duration
	Concurrency, LinkConcurrency        int
	Files                               int           // of pages in a browser, at a time; they are outside Pace
	CrawlDelay                          time.Duration // the ceiling; 0: Crawl-delay is not obeyed
	WaitFloor, WaitDefault, WaitCeiling time.Duration
	Retries                             int
	RunPages                            int
	RunTime                             time.Duration
	DayPages                            int
	Between                             time.Duration
	GiveUpAfter                         int

	RobotsKnown bool // the policy is RFC 9309
	Google      bool // read as Google reads it
	RobotsAge   time.Duration

	Directory  string   // URL of the key directory; empty: not signed
	Keys       []string // their public names
	IPRanges   string   // URL
	ReverseDNS string   // domain
}

//go:embed *.tmpl
var files embed.FS

// Languages are those that the page is written in; the first is the default.
var Languages = []string{"en", "es", "fr", "de", "pt"}

// Page is the page, ready to be rendered. It is safe for concurrent use.
type Page struct{ texts map[string]*template.Template }

// New reads the texts.
func New() (*Page, error) {
	p := &Page{texts: make(map[string]*template.Template)}
	for _, lang := range Languages {
		t, err := template.New("layout.tmpl").Funcs(formats[lang].funcs()).ParseFS(files, "layout.tmpl", lang+".tmpl")
		if err != nil {
			return nil, fmt.Errorf("the bot page in %s: %w", lang, err)
		}
		p.texts[lang] = t
	}
	return p, nil
}

// Write renders the page in one of the Languages.
func (p *Page) Write(w io.Writer, lang string, f Facts) error {
	type name struct{ Code, Name string }
	var names []name
	for _, code := range Languages {
		names = append(names, name{code, formats[code].name})
	}
	return p.texts[lang].Execute(w, struct {
		Facts
		Lang      string
		Languages []name
		Style     template.CSS
	}{f, lang, names, Style})
}

// Snippet is a robots.txt group for the crawler's tokens.
func (f Facts) Snippet(rule string) string {
	var b strings.Builder
	for _, token := range f.Tokens {
		b.WriteString("User-agent: " + token + "\n")
	}
	return b.String() + rule
}

// ExampleDelay is a Crawl-delay that is obeyed in full.
func (f Facts) ExampleDelay() string {
	seconds := 5
	if f.CrawlDelay > 0 {
		seconds = min(seconds, max(int(f.CrawlDelay/time.Second), 1))
	}
	return fmt.Sprintf("Crawl-delay: %d", seconds)
}

// Verifiable reports whether there is any way to tell the crawler from an impostor.
func (f Facts) Verifiable() bool { return f.Directory+f.IPRanges+f.ReverseDNS != "" }

// Negotiate chooses a language: the wanted one if there is such a page, else by Accept-Language (RFC 9110 section
// 12.5.4), else the first.
func Negotiate(wanted, accept string) string {
	if lang := primary(wanted); slices.Contains(Languages, lang) {
		return lang
	}
	weights := make(map[string]float64)
	for i, part := range strings.Split(accept, ",") {
		if i > 50 {
			break
		}
		tag, params, _ := strings.Cut(part, ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			if _, err := fmt.Sscanf(v, "%g", &q); err != nil {
				q = 0
			}
		}
		lang := primary(tag)
		if q -= float64(i) * 1e-6; slices.Contains(Languages, lang) && q > weights[lang] {
			weights[lang] = q
		}
	}
	best := Languages[0]
	for _, lang := range slices.Sorted(maps.Keys(weights)) {
		if weights[lang] > weights[best] {
			best = lang
		}
	}
	return best
}

func primary(tag string) string {
	lang, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	return lang
}
