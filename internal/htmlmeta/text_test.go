package htmlmeta

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// However text is cut into pieces and whatever stands between its words, count and hash are those of its words with one
// space between them.
func TestVisibleTextIsCollapsed(t *testing.T) {
	const bytesOfText = "ab \n \xc3\xa9\x80\xff\x01\x1f!~\tcde"
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text []byte
		for range random.IntN(60) {
			text = append(text, bytesOfText[random.IntN(len(bytesOfText))])
		}
		words := bytes.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
		var b builder
		for rest := text; len(rest) > 0; {
			n := min(1+random.IntN(40), len(rest))
			b.visible(rest[:n])
			rest = rest[n:]
		}
		var want hash
		for _, c := range bytes.Join(words, []byte{' '}) {
			want.add(c)
		}
		if b.hashed.sum() != want.sum() || b.hashed.size != want.size || b.doc.Words != len(words) {
			t.Fatalf("%q: %d words, %d bytes, hash %x; want %d, %d, %x", text, b.doc.Words, b.hashed.size, b.hashed.sum(),
				len(words), want.size, want.sum())
		}
	}
}
