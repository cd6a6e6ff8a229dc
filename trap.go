package amble

import "github.com/amblecrawl/amble/internal/trap"

// TrapLimits says when a family of URLs counts as endless, so that its next member ends over budget with ErrTrap and a
// reason. A zero field means its default, given in brackets; a negative one switches that rule off.
type TrapLimits struct {
	Off bool // look for no traps at all

	Length        int // bytes of path and query [2048, the limit of sitemaps]
	Segments      int // segments of a path [24]
	Repeats       int // times a block of segments follows itself [3]
	SameSegment   int // times one segment stands in a path [6]
	FutureYears   int // years ahead that a date may lie [5]
	PastYears     int // years back that a date may lie [200]
	FutureDates   int // dates after today of one family of URLs [60]
	PastDates     int // dates up to today of one family of URLs [1000]
	Permutations  int // further orders of parameters already seen, for one path [8]
	ParameterSets int // sets of parameter names of one path [48]
	Combinations  int // combinations of three or more parameters of one set [2000]
	Sessions      int // negative: URLs with session ids pass

	// Memory bounds what is remembered, in entries of about 30 bytes for each of 16 parts [20000]. What was not seen for
	// long is forgotten first.
	Memory int
}

func (l TrapLimits) detector() *trap.Detector { return trap.New(trap.Limits(l)) }
