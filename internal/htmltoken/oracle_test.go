package htmltoken

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble/internal/realsite"
)

// token is one token as either tokenizer gives it.
type token struct {
	kind  Kind
	name  string // or text
	attrs []string
	raw   string
}

var kinds = map[html.TokenType]Kind{html.TextToken: Text, html.StartTagToken: Start, html.EndTagToken: EndTag,
	html.SelfClosingTagToken: SelfClosing, html.CommentToken: Comment, html.DoctypeToken: Doctype}

// steer says before each token whether CDATA is allowed, and after each start tag whether it is NotRaw, so that both
// tokenizers are told the same: by the numbers of a page.
func steer(page []byte, n int) (cdata, notRaw bool) {
	mode := len(page) % 4
	return mode == 1 || mode == 2 && n%3 == 0, mode == 3 && n%5 == 0
}

func oracle(page []byte, max int) (list []token, over bool) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(max)
	for n := 0; ; n++ {
		cdata, notRaw := steer(page, n)
		z.AllowCDATA(cdata)
		t := z.Next()
		if t == html.ErrorToken {
			return list, z.Err() == html.ErrBufferExceeded
		}
		k := token{kind: kinds[t], raw: string(z.Raw())}
		switch t {
		case html.TextToken, html.DoctypeToken:
			k.name = string(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			k.name = string(name)
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				k.attrs = append(k.attrs, fmt.Sprintf("%q=%q", key, value))
			}
			if notRaw && t != html.EndTagToken {
				z.NextIsNotRawText()
			}
		}
		list = append(list, k)
	}
}

func ours(page []byte, max int) (list []token, over bool) {
	var z Tokenizer
	z.Reset(page, max)
	for n := 0; ; n++ {
		cdata, notRaw := steer(page, n)
		z.AllowCDATA(cdata)
		t := z.Next()
		if t == End {
			return list, z.Exceeded()
		}
		k := token{kind: t, raw: string(z.Raw())}
		switch t {
		case Text, Doctype:
			k.name = string(z.Text())
		case Start, EndTag, SelfClosing:
			k.name = string(z.Name())
			if t != EndTag {
				attrs, _ := z.Attrs()
				for _, a := range attrs {
					k.attrs = append(k.attrs, fmt.Sprintf("%q=%q", a.Key, a.Value))
				}
				if notRaw {
					z.NotRaw()
				}
			}
		}
		list = append(list, k)
	}
}

// slashInRepeated matches the tags that the two may read differently: see the package's documentation.
var slashInRepeated = regexp.MustCompile(`=[\s]*[^\s"'>]?[^\s>]*/>$`)

func differs(page []byte, longest int) string {
	want, wantOver := oracle(page, longest)
	got, over := ours(page, longest)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) {
			return fmt.Sprintf("%d tokens, want %d", len(got), len(want))
		}
		w, g := want[i], got[i]
		if len(w.attrs) > MaxAttrs {
			w.attrs = w.attrs[:MaxAttrs]
		}
		if w.kind == SelfClosing && g.kind == Start && slashInRepeated.MatchString(w.raw) {
			w.kind = Start
		}
		if fmt.Sprint(w) != fmt.Sprint(g) {
			return fmt.Sprintf("token %d: got %+v, want %+v", i, g, w)
		}
	}
	if over != wantOver {
		return fmt.Sprintf("exceeded: %v, want %v", over, wantOver)
	}
	return ""
}

var pieces = []string{
	"<p>", "<a href=x>", `<a href="x&amp;y" href=z>`, "<br/>", "<br / >", "<br a=1 a=b/>", "<br a=/>", "<a b='/'/>", "<A HREF=X y=\"\x00\">",
	"<!-- x -->", "<!-->", "<!--->", "<!--x--!>", "<!--x--!-->", "<!---!>y-->", "<!----!>", "<!--", "<!-", "<!", "<!>", "<!D", "<!DOCTYPE",
	"<!DOCTYPE html>", "<!doctype\nhtml PUBLIC \"x\">", "<![CDATA[x]]>", "<![CDATA[x>&amp;\x00]]]>", "<![CDATA[&lt;\x00", "<?xml x?>", "</>", "</ x>", "</p>",
	"</p a=1>", "<", "</", "<1", "<a", "<a ", "<a b", "<a b=", "<a b='x", "<a b=x", "<a =x>", "<a ==x>", "<a/b/c>", "<a b = c>", "<a b = >",
	"<script>", "</script>", "</SCRIPT >", "<script", "<!--<script>", "<!-- <", "-->", "--", "-", ">", "</scr", "</scriptx>", "<title>", "</title>",
	"<Textarea>", "</textarea\n>", "<style>", "</style/>", "<plaintext>", "<noscript>", "</noscript>", "<xmp>", "<iframe>", "<noembed>", "<noframes>",
	"&amp;", "&amp", "&ampx", "&notit;", "&notin;", "&NotEqualTilde;", "&fjlig;", "&semi;", "&#65;", "&#x41", "&#0;", "&#150;", "&#xD800;", "&#99999999999;",
	"&#", "&#x", "&;", "&", "&x=", "a=\"&lt=&lt;&ltx&lt\"", "\r", "\r\n", "\n", "\x00", " ", "x", "=", "\"", "'", "/", "é", "\xff",
}

// Every pair and many triples of what a page is made of.
func TestPiecesReadAsTheOracleReadsThem(t *testing.T) {
	wrong := 0
	check := func(page string) {
		if wrong > 20 {
			return
		}
		if d := differs([]byte(page), 0); d != "" {
			wrong++
			t.Errorf("%q: %s", page, d)
		}
	}
	for i, a := range pieces {
		for j, b := range pieces {
			check(a + b)
			check("<script>" + a + b)
			check("<title>" + a + b + "</title>x")
			check("<a b=\"" + a + "\" c='" + b + "'>")
			check("<a b=" + a + " " + b + ">")
			for k := (i + j) % 5; k < len(pieces); k += 5 {
				check(a + b + pieces[k] + "z")
			}
		}
	}
}

// All named references, in text and in values, with and without their semicolons: the list is the standard library's.
func TestReferencesAreAllKnown(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/html/entity.go"))
	if err != nil {
		t.Skip(err)
	}
	names := regexp.MustCompile(`"([A-Za-z0-9]+;?)":`).FindAllSubmatch(source, -1)
	if len(names) < 2000 {
		t.Fatalf("%d names", len(names))
	}
	for _, m := range names {
		name := string(m[1])
		page := "&" + name + " &" + name + "x &" + name + "= &" + strings.TrimSuffix(name, ";") + "."
		page += "<a b=\"" + page + "\" c=&" + name + ">"
		if d := differs([]byte(page), 0); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	}
}

func TestLongTokensEndTheReading(t *testing.T) {
	long := strings.Repeat("y", 40)
	for _, page := range []string{long + long, "<p>" + long, "<p " + long + ">x", "<!--" + long + "-->x", "</p " + long + ">",
		"<title>" + long + "</title>", "<script>" + long + "</script>", "<!DOCTYPE " + long + ">x", "<p>x</p>", "<!x" + long + ">"} {
		got, over := ours([]byte(page), 32)
		want, wantOver := oracle([]byte(page), 32)
		if over != wantOver || len(got) != len(want) {
			t.Errorf("%s: %d tokens (exceeded: %v), want %d (%v)", page, len(got), over, len(want), wantOver)
		}
	}
}

func TestManyAttributesAreBounded(t *testing.T) {
	var z Tokenizer
	var page strings.Builder
	page.WriteString("<p")
	for i := range 100_000 {
		fmt.Fprintf(&page, " a%d=1 A0=2", i)
	}
	page.WriteString("><q a=1 A=2 b=3>")
	z.Reset([]byte(page.String()), 0)
	z.Next()
	if attrs, whole := z.Attrs(); len(attrs) != MaxAttrs || whole || string(attrs[0].Value) != "1" || string(attrs[255].Key) != "a255" {
		t.Errorf("%d attributes, whole %v", len(attrs), whole)
	}
	z.Next()
	if attrs, whole := z.Attrs(); len(attrs) != 2 || !whole {
		t.Errorf("%q, whole %v", attrs, whole)
	}
}

// The pages of a dozen generators of two decades. AMBLE_ALL_PAGES takes all that are installed, some minutes' worth.
func TestDocumentationReadsAsTheOracleReadsIt(t *testing.T) {
	most := 40
	if os.Getenv("AMBLE_ALL_PAGES") != "" {
		most = -1
	}
	pages, names := realsite.Pages(most)
	if len(pages) == 0 {
		realsite.Sites[0].Need(t)
	}
	for i, page := range pages {
		if d := differs(page, 16<<20); d != "" {
			t.Errorf("%s: %.500s", names[i], d)
		}
	}
	t.Logf("%d pages", len(pages))
}

func FuzzTokens(f *testing.F) {
	for i, p := range pieces {
		f.Add([]byte(p+pieces[(i*7)%len(pieces)]+pieces[(i*13)%len(pieces)]), 0)
		f.Add([]byte("<script>"+p+"<a b='"+p+"'>"), 24)
	}
	f.Fuzz(func(t *testing.T, page []byte, max int) {
		if max != 0 {
			if max = max & 0xff; max < 2 {
				max = 0
			}
		}
		if max == 0 {
			if d := differs(page, 0); d != "" {
				t.Errorf("%q: %s", page, d)
			}
			return
		}
		ours(page, max) // which bytes of a token that is too long are still given is nobody's business
	})
}

func TestNothingIsAllocated(t *testing.T) {
	page := []byte("<!DOCTYPE html><html lang=en><title>A &amp; b</title><p class=x>Text <a HREF=\"/y?a&amp;b\">link</a> &eacute;\r\n</p>")
	var z Tokenizer
	read := func() {
		z.Reset(page, 0)
		for k := z.Next(); k != End; k = z.Next() {
			switch k {
			case Text:
				z.Text()
			case Start:
				z.Tag()
				z.Attrs()
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if !bytes.Contains(page, []byte("HREF")) {
		t.Error("the page was changed")
	}
}

func ExampleTokenizer() {
	var z Tokenizer
	z.Reset([]byte("<p class=x>Fish &amp; chips</p>"), 0)
	for k := z.Next(); k != End; k = z.Next() {
		switch k {
		case Text:
			fmt.Printf("%v %q\n", k, z.Text())
		default:
			fmt.Printf("%v %s\n", k, z.Name())
		}
	}
	// Output:
	// start tag p
	// text "Fish & chips"
	// end tag p
}
