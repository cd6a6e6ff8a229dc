package amble

import "log/slog"

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
