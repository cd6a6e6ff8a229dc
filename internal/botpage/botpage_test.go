package botpage

import (
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"time"
)

// Every text exists in every language, is not empty, and says the same figures.
func TestEveryTextInEveryLanguage(t *testing.T) {
	texts := map[string]map[string]string{} // language, block
	for _, lang := range Languages {
		tmpl, err := template.New("").Funcs(formats[lang].funcs()).ParseFS(files, lang+".tmpl")
		if err != nil {
			t.Fatal(err)
		}
		texts[lang] = map[string]string{}
		for _, block := range tmpl.Templates() {
			if block.Tree != nil && block.Name() != lang+".tmpl" {
				texts[lang][block.Name()] = block.Tree.Root.String()
			}
		}
		if f := formats[lang]; f.name == "" || f.s[1] == "" || f.none == "" || f.group == "" {
			t.Errorf("%s: the number formats are not complete", lang)
		}
	}
	actions := regexp.MustCompile(`{{[^}]*}}`)
	for name, english := range texts["en"] {
		for _, lang := range Languages {
			text, ok := texts[lang][name]
			if !ok || strings.TrimSpace(actions.ReplaceAllString(text, "")) == "" {
				t.Errorf("%s: %q is missing", lang, name)
				continue
			}
			want, got := actions.FindAllString(english, -1), actions.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %q has %v, English has %v", lang, name, got, want)
			}
			if lang != "en" && text == english && name != "crawldelay" {
				t.Errorf("%s: %q is in English", lang, name)
			}
		}
	}
	used := map[string]bool{}
	layout, err := template.New("").Funcs(formats["en"].funcs()).ParseFS(files, "layout.tmpl", "en.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	walk(layout.Lookup("layout.tmpl").Tree.Root, used)
	for _, lang := range Languages {
		for name := range maps.Keys(texts[lang]) {
			if !used[name] {
				t.Errorf("%s: %q is on no page", lang, name)
			}
		}
		for name := range used {
			if texts[lang][name] == "" {
				t.Errorf("%s: the page needs %q", lang, name)
			}
		}
	}
}

// walk notes the blocks that a template uses.
func walk(node parse.Node, used map[string]bool) {
	list := func(lists ...*parse.ListNode) {
		for _, l := range lists {
			if l != nil {
				walk(l, used)
			}
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, inner := range n.Nodes {
			walk(inner, used)
		}
	case *parse.IfNode:
		list(n.List, n.ElseList)
	case *parse.RangeNode:
		list(n.List, n.ElseList)
	case *parse.WithNode:
		list(n.List, n.ElseList)
	case *parse.TemplateNode:
		used[n.Name] = true
	}
}

func TestNegotiate(t *testing.T) {
	for _, row := range [][3]string{
		{"", "", "en"}, {"", "es-ES,es;q=0.9,en;q=0.8", "es"}, {"", "nl,fr;q=0.5,de;q=0.7", "de"}, {"", "nl", "en"}, {"", "en;q=0.1,pt;q=0", "en"},
		{"fr", "es", "fr"}, {"PT-br", "es", "pt"}, {"xx", "es", "es"}, {"", "de,en", "de"}, {"", ";;,;q=x", "en"}, {"", "*", "en"},
	} {
		if got := Negotiate(row[0], row[1]); got != row[2] {
			t.Errorf("%q, %q: %s, want %s", row[0], row[1], got, row[2])
		}
	}
}

func TestFormats(t *testing.T) {
	for _, row := range [][2]string{
		{formats["en"].duration(time.Second), "1 second"}, {formats["de"].duration(1500 * time.Millisecond), "1,5 Sekunden"},
		{formats["es"].duration(24 * time.Hour), "24 horas"}, {formats["fr"].duration(72 * time.Hour), "3 jours"},
		{formats["pt"].duration(90 * time.Second), "90 segundos"}, {formats["en"].duration(10 * time.Minute), "10 minutes"},
		{formats["en"].duration(200 * time.Millisecond), "200 milliseconds"}, {formats["es"].duration(-1), "sin límite"},
		{formats["en"].number(1000), "1000"}, {formats["en"].number(1234567), "1,234,567"}, {formats["de"].number(50000), "50.000"},
		{formats["en"].bytes(5 << 20), "5 MB"}, {formats["fr"].bytes(1536 << 10), "1,5 Mo"}, {formats["en"].bytes(512 << 10), "512 KB"}, {formats["en"].bytes(-1), "no limit"},
	} {
		if got := strings.ReplaceAll(row[0], "\u00a0", " "); got != row[1] {
			t.Errorf("%q, want %q", got, row[1])
		}
	}
}

// No fact can break out of the page.
func TestFactsAreEscaped(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const evil = `"><script>x</script>`
	var b strings.Builder
	if err := p.Write(&b, "en", Facts{Name: evil, Operator: evil, Contact: evil, Plain: evil, Tokens: []string{evil}, RobotsKnown: true,
		Directory: "javascript:x" + evil, Keys: []string{evil}, IPRanges: evil, ReverseDNS: evil}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), `href="javascript:`) {
		t.Error(b.String())
	}
}

func BenchmarkWrite(b *testing.B) {
	p, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := p.Write(io.Discard, "en", Facts{Name: "X", Tokens: []string{"X"}}); err != nil {
			b.Fatal(err)
		}
	}
}
