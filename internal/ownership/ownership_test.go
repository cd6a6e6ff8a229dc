package ownership

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The token depends on the secret and on each part, has 128 bits, and no two triples run together.
func TestTokenDependsOnEveryPart(t *testing.T) {
	seen := map[string]string{}
	for _, row := range [][4]string{
		{"s", "a", "h", "m"}, {"t", "a", "h", "m"}, {"s", "b", "h", "m"}, {"s", "a", "i", "m"}, {"s", "a", "h", "n"},
		{"s", "ah", "", "m"}, {"s", "", "ah", "m"}, {"s", "a", "hm", ""},
	} {
		token := Token([]byte(row[0]), row[1], row[2], row[3])
		if b, err := hex.DecodeString(token); err != nil || len(b)*8 != 128 {
			t.Errorf("%v: %q is not 128 bits", row, token)
		}
		if other, ok := seen[token]; ok {
			t.Errorf("%v and %s share a token", row, other)
		}
		seen[token] = strings.Join(row[:], "|")
		if token != Token([]byte(row[0]), row[1], row[2], row[3]) {
			t.Errorf("%v: not the same twice", row)
		}
	}
	if a, b := Random(), Random(); a == b {
		t.Error("Random repeats itself")
	}
}

// A meta element counts only where the site's owner alone can put it: in the head.
func TestMetaCountsOnlyInHead(t *testing.T) {
	const meta = `<meta name="x-site-verification" content="T">`
	for _, row := range []struct {
		name, page string
		want       bool
	}{
		{"in head", `<!doctype html><html><head>` + meta + `<title>t</title></head><body>x</body></html>`, true},
		{"in an implied head", meta + `<p>x`, true},
		{"after other head elements", `<head><title>t</title><style>a{}</style><script>"<body>"</script>` + meta, true},
		{"name in capitals, other attributes, quotes and spaces", `<head><META id=a CONTENT=' T ' data-x="1" NAME=X-Site-Verification />`, true},
		{"one of several", `<head><meta name="x-site-verification" content="other">` + meta, true},
		{"in body", `<head></head><body>` + meta, false},
		{"after text", `<head>hello ` + meta, false},
		{"after an element of the body", `<head><div></div>` + meta, false},
		{"after an unknown element", `<head><x-y></x-y>` + meta, false},
		{"in a comment", `<head><!-- ` + meta + ` -->`, false},
		{"in a comment that ends late", `<head><!--><!-- --!` + meta + `-->`, false},
		{"in noscript", `<head><noscript>` + meta + `</noscript>`, false},
		{"in template", `<head><template>` + meta + `</template>`, false},
		{"in a template in a template", `<head><template><template></template>` + meta + `</template>`, false},
		{"in script", `<head><script>` + meta + `</script>`, false},
		{"in style", `<head><style>` + meta + `</style>`, false},
		{"in title", `<head><title>` + meta + `</title>`, false},
		{"in textarea", `<body><textarea>` + meta + `</textarea>`, false},
		{"in svg", `<head><svg>` + meta + `</svg>`, false},
		{"in an attribute", `<head><meta name="description" content='` + meta + `'>`, false},
		{"escaped in an attribute", `<head><meta name="description" content="&lt;meta name=&quot;x-site-verification&quot; content=&quot;T&quot;&gt;">`, false},
		{"in CDATA", `<head><![CDATA[` + meta + `]]>`, false},
		{"in a declaration", `<head><?x ` + meta + `?>`, false},
		{"in an iframe's document", `<body><iframe srcdoc='` + meta + `'></iframe>`, false},
		{"as a property", `<head><meta property="x-site-verification" content="T">`, false},
		{"with another name", `<head><meta name="y-site-verification" content="T">`, false},
		{"with more around it", `<head><meta name="x-site-verification" content="T T">`, false},
		{"no content", `<head><meta name="x-site-verification">`, false},
	} {
		if got := InHead([]byte(row.page), "text/html; charset=utf-8", "x-site-verification", "T"); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
	for kind, want := range map[string]bool{"text/html": true, "Text/HTML;charset=x": true, "": false, "text/plain": false,
		"application/xhtml+xml": false, "image/svg+xml": false, "application/json": false} {
		if got := InHead([]byte("<head>"+meta), kind, "x-site-verification", "T"); got != want {
			t.Errorf("type %q: %v, want %v", kind, got, want)
		}
	}
	utf16 := append([]byte{0xff, 0xfe}, []byte(strings.Join(strings.Split("<head>"+meta, ""), "\x00")+"\x00")...)
	if !InHead(utf16, "text/html", "x-site-verification", "T") {
		t.Error("a UTF-16 page is not read")
	}
}

func TestFileHoldsTheTokenAlone(t *testing.T) {
	for body, want := range map[string]bool{"T": true, "T\n": true, "T\r\n": true, "T\n\n": false, " T": false, "T T": false,
		"": false, "<html>T</html>": false, "t": false, "\ufeffT": false} {
		if got := IsBody([]byte(body), "T"); got != want {
			t.Errorf("%q: %v", body, got)
		}
	}
}

func FuzzInHead(f *testing.F) {
	f.Add(`<head><meta name="x-site-verification" content="T">`)
	f.Add(`<head><template><meta name="x-site-verification" content="T"></template>`)
	f.Fuzz(func(t *testing.T, page string) {
		// What users write into a page's body, comments and noscript never proves anything.
		for _, frame := range []string{"<!doctype html><head></head><body><p>" + page, "<head><title></title><p></p>" + page} {
			if InHead([]byte(frame), "text/html; charset=utf-8", "x-site-verification", "T") {
				t.Error(frame)
			}
		}
	})
}
