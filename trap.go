package amble

// TrapLimits says when a family of URLs counts as endless. Zero fields mean the defaults.
type TrapLimits struct {
	Off bool // look for no traps
}
