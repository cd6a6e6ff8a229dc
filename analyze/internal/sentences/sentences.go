// Package sentences finds the messages in a package's source, for the tests that prove that each is told in every language.
package sentences

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/analyze/text"
)

// Check proves that a catalogue has each sentence of the package in the working folder.
func Check(t *testing.T, m *text.Messages, skip ...string) {
	t.Helper()
	list, err := Of(".", skip...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if !m.Knows(s) {
			t.Errorf("messages.json does not say in other languages: %s", s)
		}
	}
}

// Of returns the sentences of a folder's Go files but its tests and the skipped ones, as keys of a text.Messages: string
// expressions that begin with a capital letter or a value and end with a full stop, a question mark, or, after a colon,
// with a value. Values that stand between, whether joined by + or put in by fmt.Sprintf, are {1}, {2}, ….
func Of(dir string, skip ...string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(skip, filepath.Base(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			s, ok := flat(e)
			if !ok {
				return true
			}
			if s = number(s); sentence.MatchString(s) && strings.Contains(s, " ") {
				out = append(out, s)
			}
			return false
		})
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

var sentence = regexp.MustCompile(`^(?:[A-Z"]|\{1\} |robots\.txt |og:)[^|]*(?:[.?]|: .*\{\d\}>?|: )$`)

// value stands for what is not known in the source.
const value = "\x00"

// flat returns a string expression with its values marked; ok is false for other expressions and for those without text.
func flat(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		x, isX := flat(e.X)
		y, isY := flat(e.Y)
		if !isX && !isY {
			return "", false
		}
		if !isX {
			x = value
		}
		if !isY {
			y = value
		}
		return x + y, true
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Sprintf" || len(e.Args) == 0 {
			return "", false
		}
		s, ok := flat(e.Args[0])
		return regexp.MustCompile(`\{\d+\}`).ReplaceAllString(text.Key(s), value), ok
	case *ast.ParenExpr:
		return flat(e.X)
	}
	return "", false
}

// number gives the values of a sentence their places.
func number(s string) string {
	n := 0
	for strings.Contains(s, value) {
		n++
		s = strings.Replace(s, value, fmt.Sprintf("{%d}", n), 1)
	}
	return s
}
