package mask

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler passes records on with their message and attributes masked. Values that are neither numbers, times nor
// booleans are written as text first.
func Handler(inner slog.Handler) slog.Handler { return handler{inner} }

type handler struct{ inner slog.Handler }

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	masked := slog.NewRecord(r.Time, r.Level, Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(attr(a))
		return true
	})
	return h.inner.Handle(ctx, masked)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		own[i] = attr(a)
	}
	return handler{h.inner.WithAttrs(own)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.inner.WithGroup(name)} }

func attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		group := v.Group()
		own := make([]slog.Attr, len(group))
		for i, inner := range group {
			own[i] = attr(inner)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(own...)}
	case slog.KindString:
		return slog.String(a.Key, value(a.Key, v.String()))
	case slog.KindAny:
		return slog.String(a.Key, value(a.Key, fmt.Sprintf("%+v", v.Any())))
	}
	return a
}

// value masks a text attribute; one whose name says that it is a secret is masked whole.
func value(key, text string) string {
	if secretHeader(key) && text != "" {
		return Secret
	}
	return Text(text)
}

func secretHeader(key string) bool {
	return attribute.MatchString(key+"=x") || header.MatchString(key+"=x")
}
