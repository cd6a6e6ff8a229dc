package ambletest

import (
	"testing"
)

// promise is one line of an interface's contract, and how to see whether an implementation keeps it.
type promise[T any] struct {
	name  string // what is promised; the subtest's name
	check func(t testing.TB, subject T)
}

// checkAll runs each promise as a subtest on a subject of its own.
func checkAll[T any](t *testing.T, promises []promise[T], subject func(t *testing.T) T) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.check(t, subject(t)) })
	}
}
