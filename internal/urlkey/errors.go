package urlkey

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrInvalid is in the chain of every error for text that is no URL by the standard.
	ErrInvalid = errors.New("not a valid URL")
	// ErrTooLong is in the chain of every error for a URL of more than [MaxLength] bytes.
	ErrTooLong = fmt.Errorf("URL is longer than %d bytes", MaxLength)
)

// Error says which text was refused and why. Its chain holds [ErrInvalid] or [ErrTooLong].
type Error struct {
	Input string // the text, cut after 200 bytes
	Kind  Kind   // what its scheme says it would have been; KindNone where the text names none
	Err   error
}

// Error returns the reason and the text it is about.
func (e *Error) Error() string { return fmt.Sprintf("url %q: %v", e.Input, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// refuse makes the error for a text.
func refuse(input string, reason error) *Error {
	const most = 200
	kind := KindNone
	if n := schemeLength(input); n > 0 {
		kind = kindOf(strings.ToLower(input[:n]))
	}
	if len(input) > most {
		input = input[:most]
	}
	return &Error{Input: strings.Clone(input), Kind: kind, Err: reason}
}
