package amble

import "github.com/amblecrawl/amble/internal/trap"

// TrapLimits says when a family of URLs counts as endless. Zero fields mean the defaults.
type TrapLimits = trap.Limits
