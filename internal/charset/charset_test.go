package charset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble/internal/cases"
)

func TestCharsetCases(t *testing.T) {
	var set struct {
		Cases []struct {
			ID, File    string
			ContentType string `json:"content_type"`
			Expect      struct{ Encoding, Title string }
		}
	}
	cases.JSON(t, "seo/charset-cases/expected.json", &set)
	tally := cases.NewTally("charset")
	for _, c := range set.Cases {
		text, r := Decode(cases.Read(t, "seo/charset-cases/"+c.File), c.ContentType)
		title := title(t, text)
		ok := r.Name == c.Expect.Encoding && title == c.Expect.Title
		if !ok {
			t.Logf("%s: got %s %q, want %s %q", c.ID, r.Name, title, c.Expect.Encoding, c.Expect.Title)
		}
		tally.Add(c.ID, ok)
	}
	tally.Close(t, nil)
}

// title is document.title of a page: the first title's text, white space stripped and collapsed.
func title(t *testing.T, text []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data == "title" && n.Type == html.ElementNode && n.FirstChild != nil {
			return strings.Join(strings.FieldsFunc(n.FirstChild.Data, func(r rune) bool {
				return strings.ContainsRune("\t\n\f\r ", r)
			}), " ")
		}
	}
	return ""
}

// The expected values were read from document.characterSet in Chromium.
func TestDetermineFollowsBrowsers(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, c := range []struct{ name, contentType, body, want string }{
		{"nothing declared", "text/html", "<p>caf\xc3\xa9", "windows-1252 fallback"},
		{"meta after 1024 bytes, still in head", "", "<!--" + long + "--><meta charset=utf-8>", "UTF-8 meta"},
		{"meta after a long style", "", "<style>" + long + "</style><meta charset=utf-8>", "UTF-8 meta"},
		{"meta after 1024 bytes of body", "", "<p>" + long + "</p><meta charset=utf-8>", "windows-1252 fallback"},
		{"head ended before 1024 bytes", "", "<head><div>" + long + "</div><meta charset=utf-8>", "windows-1252 fallback"},
		{"meta in body, early", "", "<p>x</p><meta charset=utf-8>", "UTF-8 meta"},
		{"meta in noscript", "", "<noscript><meta charset=utf-8></noscript>", "UTF-8 meta"},
		{"meta in title", "", "<title><meta charset=utf-8></title>", "windows-1252 fallback"},
		{"meta in textarea", "", "<textarea><meta charset=utf-8></textarea>", "windows-1252 fallback"},
		{"meta in attribute", "", "<a title='<meta charset=koi8-r>'></a><meta charset=utf-8>", "UTF-8 meta"},
		{"end tag is no meta", "", "</meta charset=koi8-r><meta/charset=utf-8>", "UTF-8 meta"},
		{"unknown label, then known", "", "<meta charset=bogus><meta charset=utf-8>", "UTF-8 meta"},
		{"content without http-equiv", "", "<meta content='text/html; charset=utf-8'>", "windows-1252 fallback"},
		{"content before http-equiv", "", "<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", "KOI8-R meta"},
		{"charset after a content with label", "", "<meta http-equiv=content-type content='text/html; charset=utf-8' charset=koi8-r>", "UTF-8 meta"},
		{"open quote in content", "", `<meta http-equiv=content-type content='charset="utf-8'>`, "windows-1252 fallback"},
		{"second charset in content", "", "<meta http-equiv=content-type content='charsetx charset=utf-8'>", "UTF-8 meta"},
		{"utf-16 in meta", "", "<meta charset=utf-16be>", "UTF-8 meta"},
		{"x-user-defined in meta", "", "<meta charset=x-user-defined>", "windows-1252 meta"},
		{"x-user-defined in header", "text/html; charset=x-user-defined", "x", "x-user-defined header"},
		{"xml declaration", "", `<?xml version="1.0" encoding="utf-8"?>x`, "UTF-8 xml"},
		{"meta beats xml declaration", "", `<?xml version="1.0" encoding="utf-8"?><meta charset=koi8-r>`, "KOI8-R meta"},
		{"utf-16 in xml declaration", "", `<?xml version="1.0" encoding='utf-16'?>`, "UTF-8 xml"},
		{"unknown label in xml declaration", "", `<?xml version="1.0" encoding="utf8x"?>`, "windows-1252 fallback"},
		{"utf-16 xml without bom", "", "<\x00?\x00x\x00m\x00l\x00", "UTF-16LE xml"},
		{"space before equals", "text/html; charset = utf-8", "x", "windows-1252 fallback"},
		{"space after equals", "text/html; charset= utf-8 ", "x", "UTF-8 header"},
		{"escape in quotes", `text/html; charset="utf\-8"`, "x", "UTF-8 header"},
		{"open quote", `text/html; charset="utf-8`, "x", "UTF-8 header"},
		{"repeated header", "text/html; charset=utf-8, text/html", "x", "UTF-8 header"},
		{"repeated header with another type", "text/plain; charset=utf-8, text/html", "x", "windows-1252 fallback"},
		{"comma in quotes", `text/html; x="a,b"; charset=utf-8`, "x", "UTF-8 header"},
		{"upper case", "Text/HTML;CHARSET=UTF8", "x", "UTF-8 header"},
		{"empty parameter", "text/html; charset=", "<meta charset=utf-8>", "UTF-8 meta"},
		{"empty parameter, then another", "text/html; charset=; charset=utf-8", "x", "UTF-8 header"},
		{"utf-16be bom beats header", "text/html; charset=utf-8", "\xfe\xff\x00x", "UTF-16BE bom"},
		{"gb2312 is GBK", "text/html; charset=gb2312", "x", "GBK header"},
		{"latin5 is windows-1254", "text/html; charset=latin5", "x", "windows-1254 header"},
		{"logical Hebrew", "text/html; charset=iso-8859-8-i", "x", "ISO-8859-8-I header"},
	} {
		r := Determine([]byte(c.body), c.contentType)
		if got := r.Name + " " + r.Source.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestUndeclaredUTF8IsSeen(t *testing.T) {
	for body, want := range map[string]bool{"abc": false, "caf\xe9": false, "café": true, "<meta charset=utf-8>é": false} {
		if got := Determine([]byte(body), "").LooksUTF8; got != want {
			t.Errorf("%q: LooksUTF8 = %v", body, got)
		}
	}
}

func TestSingleByteEncodingsKeepControls(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"windows-1252", "a\x80\x81\x8d\xe9", "a€\u0081\u008dé"},
		{"ISO-8859-2", "\x80\x9f\xb1", "\u0080\u009fą"},
		{"ISO-8859-8-I", "\x80\xe0", "\u0080א"},
		{"windows-1253", "\xd2", "\uFFFD"},
		{"x-user-defined", "\x80\xff", "\uf780\uf7ff"},
		{"UTF-16LE", "\xff\xfea\x00", "a"},
		{"UTF-8", "\xef\xbb\xbfa\xffb", "a\uFFFDb"},
		{"ISO-2022-JP", "\x1b$BF|K\\\x1b(B", "日本"},
		{"replacement", "abc", "\uFFFD"},
	} {
		if got := string(DecodeAs([]byte(c.in), c.name)); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestDecodeSharesUTF8(t *testing.T) {
	body := []byte("\xef\xbb\xbf<p>é")
	text, _ := Decode(body, "")
	if &text[0] != &body[3] {
		t.Error("valid UTF-8 was copied")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=utf-8>"), "text/html; charset=utf-8")
	f.Add([]byte("<?xml version='1.0' encoding='big5'?>\x80"), `text/html; charset="`)
	f.Add([]byte("<meta http-equiv=content-type content='charset=x'>"), "")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, r := Decode(body, contentType)
		if !utf8.Valid(text) {
			t.Errorf("%s: not UTF-8: %q", r.Name, text)
		}
		if name, ok := Lookup(r.Name); !ok || name != r.Name {
			t.Errorf("%q is no name of an encoding", r.Name)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	body := []byte("<!DOCTYPE html><head><meta charset=utf-8><title>x</title></head><body>" + strings.Repeat("<p>Some text, déjà vu.</p>", 1000))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Decode(body, "text/html")
	}
}

func ExampleDecode() {
	text, r := Decode([]byte("<meta charset=latin1><p>caf\xe9"), "text/html")
	fmt.Printf("%s %s %s", r.Name, r.Source, text)
	// Output: windows-1252 meta <meta charset=latin1><p>café
}
