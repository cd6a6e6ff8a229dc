package trap

import (
	"fmt"
	"strings"
)

func (l *Limits) checkSegments(path string) Verdict {
	path = strings.TrimPrefix(path, "/")
	path = strings.TrimSuffix(path, "/")
	count := strings.Count(path, "/") + 1
	if l.Segments > 0 && count > l.Segments {
		return Verdict{Deep, fmt.Sprintf("%d segments, more than %d", count, l.Segments)}
	}
	if count < min(atLeast(l.Repeats), atLeast(l.SameSegment)) {
		return Verdict{}
	}
	var array [32]string
	segments := array[:0]
	for s := range strings.SplitSeq(path, "/") {
		segments = append(segments, s)
	}
	if v := l.checkBlocks(segments); v.Trap() || l.SameSegment <= 0 {
		return v
	}
	for i, s := range segments {
		if s == "" || isNumber(s) {
			continue
		}
		n := 1
		for _, other := range segments[i+1:] {
			if s == other {
				n++
			}
		}
		if n >= l.SameSegment {
			return Verdict{Repeated, fmt.Sprintf("the segment %q %d times", clip(s), n)}
		}
	}
	return Verdict{}
}

// checkBlocks looks for blocks that follow themselves. Blocks of up to eight segments, at most eight passes.
func (l *Limits) checkBlocks(segments []string) Verdict {
	if l.Repeats <= 0 {
		return Verdict{}
	}
	for size := 1; size <= 8; size++ {
		times := l.Repeats
		if size == 1 {
			times++
		}
		if size*times > len(segments) {
			break
		}
		run := 0 // segments in a row that equal the one a block further on
		for i := 0; i+size < len(segments); i++ {
			if segments[i] != segments[i+size] || size == 1 && isNumber(segments[i]) {
				run = 0
				continue
			}
			if run++; run >= size*(times-1) {
				block := strings.Join(segments[i+1:i+1+size], "/")
				return Verdict{Repeated, fmt.Sprintf("%q %d times in a row", "/"+clip(block), times)}
			}
		}
	}
	return Verdict{}
}

// atLeast is a limit, or a number that no path reaches where the rule is off.
func atLeast(limit int) int {
	if limit <= 0 {
		return 1 << 30
	}
	return limit
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// clip shortens text for a detail.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
