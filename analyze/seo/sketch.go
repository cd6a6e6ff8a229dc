package seo

// sketch is a MinHash of a text's shingles (Broder 1997), made with one permutation (Li, Owen and Zhang 2012) whose empty
// bins borrow from the next full one (Shrivastava and Li 2014): two texts agree in a share of bins that estimates the
// share of shingles they have in common.
type sketch [sketchSize]uint32

const (
	sketchSize = 64
	bandSize   = 4 // bins that must agree for a pair to be looked at: 16 bands find 99.99 % of the pairs that are 90 % alike
	emptyBin   = ^uint32(0)
)

func (s *sketch) take(h uint64) {
	bin, v := h>>58, uint32(h)
	if v != emptyBin && v < s[bin] {
		s[bin] = v
	}
}

func (s *sketch) densify() {
	full := 0
	for _, v := range s {
		if v != emptyBin {
			full++
		}
	}
	if full == 0 || full == sketchSize {
		return
	}
	src := *s
	for i := range s {
		for step := 1; s[i] == emptyBin; step++ {
			if v := src[(i+step)%sketchSize]; v != emptyBin {
				s[i] = v + uint32(step)*0x9e3779b1
				if s[i] == emptyBin {
					s[i]--
				}
			}
		}
	}
}

// alike estimates the share of shingles that two texts have in common.
func (s *sketch) alike(t *sketch) float64 {
	same := 0
	for i := range s {
		if s[i] == t[i] {
			same++
		}
	}
	return float64(same) / sketchSize
}

// band returns the key of one band.
func (s *sketch) band(i int) uint64 {
	h := uint64(i + 1)
	for _, v := range s[i*bandSize : (i+1)*bandSize] {
		h = (h ^ uint64(v)) * 0xff51afd7ed558ccd
		h ^= h >> 33
	}
	return h
}
