package htmlmeta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/amblecrawl/amble/internal/charset"
)

const (
	maxJSON      = 4 << 20 // bytes of a JSON-LD block
	maxJSONDepth = 200
)

// isJSONLD reports whether a script's type is JSON-LD, whatever its parameters, case and outer space.
func isJSONLD(kind []byte) bool {
	kind, _, _ = bytes.Cut(kind, []byte{';'})
	return equalFold(bytes.Trim(kind, space), "application/ld+json")
}

// jsonLD reads the types of one block. A block that is no JSON gives a problem and no types.
func (b *builder) jsonLD(text []byte) {
	if len(text) > maxJSON {
		b.doc.Partial = true
		b.problem(fmt.Sprintf("JSON-LD: a block of %d bytes is too long to be read", len(text)))
		return
	}
	if !json.Valid(text) {
		b.doc.InvalidJSONLD++
		b.problem("JSON-LD: " + jsonTrouble(text))
		return
	}
	types, err := jsonTypes(text)
	if err != nil {
		b.doc.Partial = true
		b.problem("JSON-LD: " + err.Error())
	}
	for _, t := range types {
		b.addType(JSONLD, b.value([]byte(t)))
	}
}

// jsonTrouble says why a text is no JSON.
func jsonTrouble(text []byte) string {
	if len(bytes.Trim(text, space)) == 0 {
		return "the block is empty"
	}
	var v any
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte{'\n'})
		return fmt.Sprintf("line %d of the block: %s", line, syntax.Error())
	}
	return "no JSON"
}

func (b *builder) problem(text string) {
	if len(b.doc.Problems) < maxProblems {
		b.doc.Problems = append(b.doc.Problems, text)
	}
}

var errTooDeep = errors.New("nested too deeply to be read whole")

// jsonTypes gives the values of all @type members, an object's own before those inside of it, in the order of the text.
// What stands in an @context are definitions, no data.
func jsonTypes(text []byte) ([]string, error) {
	w := walker{dec: json.NewDecoder(bytes.NewReader(text))}
	w.dec.UseNumber()
	t, err := w.dec.Token()
	if err == nil {
		err = w.value(t, 0, true)
	}
	if err == io.EOF {
		err = nil
	}
	return w.types, err
}

type walker struct {
	dec   *json.Decoder
	types []string
}

// value walks the value that begins with a token. Types count only where wanted.
func (w *walker) value(t json.Token, depth int, wanted bool) error {
	delim, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if depth > maxJSONDepth {
		return errTooDeep
	}
	if delim == '[' {
		for w.dec.More() {
			t, err := w.dec.Token()
			if err != nil {
				return err
			}
			if err := w.value(t, depth+1, wanted); err != nil {
				return err
			}
		}
		_, err := w.dec.Token()
		return err
	}
	at, own := len(w.types), 0 // own types go before those of members that came earlier
	for w.dec.More() {
		name, err := w.dec.Token()
		if err != nil {
			return err
		}
		t, err := w.dec.Token()
		if err != nil {
			return err
		}
		if name != "@type" || !wanted {
			if err := w.value(t, depth+1, wanted && name != "@context"); err != nil {
				return err
			}
			continue
		}
		types, err := w.strings(t, depth+1)
		if err != nil {
			return err
		}
		w.types = slices.Replace(w.types, at, at+own, types...) // of two members with one name the last counts
		own = len(types)
	}
	_, err := w.dec.Token()
	return err
}

// strings gives a string, or the strings of an array.
func (w *walker) strings(t json.Token, depth int) (found []string, err error) {
	switch t := t.(type) {
	case string:
		return []string{t}, nil
	case json.Delim:
		if t != '[' {
			return nil, w.value(t, depth, false)
		}
		for w.dec.More() {
			item, err := w.dec.Token()
			if err != nil {
				return nil, err
			}
			if s, ok := item.(string); ok {
				if len(found) < maxItems {
					found = append(found, s)
				}
				continue
			}
			if err := w.value(item, depth, false); err != nil {
				return nil, err
			}
		}
		_, err = w.dec.Token()
	}
	return found, err
}

// labelIn gives the charset label in the content of a meta http-equiv=content-type.
func labelIn(content string) string { return charset.ContentLabel(content) }
