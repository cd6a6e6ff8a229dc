// Package trap recognises families of URLs without end.
package trap

import "github.com/amblecrawl/amble/internal/urlkey"

// Limits says when a family of URLs counts as endless.
type Limits struct {
	Off bool // look for no traps
}

// Detector watches the URLs of one crawl.
type Detector struct{}

// New returns a Detector.
func New(Limits) *Detector { return &Detector{} }

// Check says why a URL belongs to an endless family; empty when it does not.
func (*Detector) Check(urlkey.URL) string { return "" }
