package htmlmeta

import (
	"testing"

	"github.com/amblecrawl/amble/internal/realsite"
)

func BenchmarkPages(b *testing.B) {
	pages, _ := realsite.Pages(40)
	if len(pages) == 0 {
		b.Skip("no documentation on this machine")
	}
	size := int64(0)
	for _, p := range pages {
		size += int64(len(p))
	}
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		var parser Parser
		for b.Loop() {
			for _, p := range pages {
				parser.Parse(p, Options{})
			}
		}
	})
	b.Run("parse-all", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		var parser Parser
		for b.Loop() {
			for _, p := range pages {
				parser.Parse(p, Options{LinkText: true, Text: true, Resources: true, IDs: true})
			}
		}
	})
}
