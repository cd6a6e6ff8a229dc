//go:build !linux

package browserbench

import (
	"errors"
	"io"
	"time"
)

// Usage is what a tree of processes cost; it is measured on Linux only.
type Usage struct {
	CPU, Own, Wall time.Duration
	Peak           int64
	Samples        []Sample
	Exit           int
	Kinds          map[string]time.Duration
}

// Sample is the memory of the tree at one time.
type Sample struct {
	At     time.Time
	Memory int64
}

// MeasureCommand is the first argument of the process that measures.
const MeasureCommand = "browser-measure"

var errLinuxOnly = errors.New("whole trees of processes are measured on Linux only")

// Measure reports that it cannot.
func Measure([]string, time.Duration, io.Writer) (Usage, error) { return Usage{}, errLinuxOnly }

// MeasureMain reports that it cannot.
func MeasureMain([]string) error { return errLinuxOnly }
