package amble

import (
	"log/slog"

	"github.com/amblecrawl/amble/internal/mask"
)

// Secret is key material. It prints, logs and marshals as "[secret]", so that it cannot end up in a log by accident.
type Secret []byte

const hidden = "[secret]"

// String hides the bytes.
func (Secret) String() string { return hidden }

// GoString hides the bytes.
func (Secret) GoString() string { return hidden }

// LogValue hides the bytes.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the bytes: a Secret in a JSON file is lost on purpose.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// quiet returns the logger that the crawl writes to: without a logger nothing is written, and with one neither secrets
// nor personal data, at any level (S12).
func quiet(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(mask.Handler(log.Handler()))
}
