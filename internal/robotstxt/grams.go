package robotstxt

import "strings"

// grams knows which runs of bytes occur in a path: of two bytes exactly, of four by a hash. It lets rules with wildcards be
// left out without a search for their pieces, each of which would go through the whole path: a hostile file has thousands
// of such rules.
type grams struct {
	pairs [1 << 16 / 64]uint64
	fours [1 << 16 / 64]uint64
}

// Below these sizes a search costs less than the table. The second is of rules with wildcards that one prefix leads to.
const (
	gramsPath  = 64
	gramsRules = 64
)

// fill notes the runs of a path.
func (g *grams) fill(path string) {
	var last uint32
	for i := range len(path) {
		last = last<<8 | uint32(path[i])
		if i >= 1 {
			g.pairs[last&0xffff/64] |= 1 << (last % 64)
		}
		if i >= 3 {
			h := fourHash(last)
			g.fours[h/64] |= 1 << (h % 64)
		}
	}
}

func fourHash(four uint32) uint32 { return four * 0x9e3779b1 >> 16 }

// has is false when a rule cannot match: a piece of it, what stands between two stars, holds a run that the path has
// not. Pieces are looked at from their ends, where many rules that begin alike differ.
func (g *grams) has(e *entry) bool {
	for rest := e.rest; rest != ""; {
		piece := rest
		if i := strings.LastIndexByte(rest, e.star); i >= 0 {
			piece, rest = rest[i+1:], rest[:i]
		} else {
			rest = ""
		}
		switch {
		case len(piece) >= 4:
			four := uint32(piece[len(piece)-4])<<24 | uint32(piece[len(piece)-3])<<16 | uint32(piece[len(piece)-2])<<8 | uint32(piece[len(piece)-1])
			for i := len(piece) - 4; ; i-- {
				if h := fourHash(four); g.fours[h/64]&(1<<(h%64)) == 0 {
					return false
				}
				if i == 0 {
					break
				}
				four = four>>8 | uint32(piece[i-1])<<24
			}
		case len(piece) == 3:
			if !g.pair(piece[0], piece[1]) || !g.pair(piece[1], piece[2]) {
				return false
			}
		case len(piece) == 2:
			if !g.pair(piece[0], piece[1]) {
				return false
			}
		}
	}
	return true
}

func (g *grams) pair(a, b byte) bool {
	p := uint32(a)<<8 | uint32(b)
	return g.pairs[p/64]&(1<<(p%64)) != 0
}
