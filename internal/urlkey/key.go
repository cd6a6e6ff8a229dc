package urlkey

import (
	"crypto/rand"
	"math/bits"
)

// Secret keys fingerprints. Keep it with the store and show it to nobody: who knows it can make two URLs collide, and
// so hide a page from the crawl. The zero Secret works and protects from nothing.
type Secret [16]byte

// NewSecret returns a random secret.
func NewSecret() Secret {
	var s Secret
	rand.Read(s[:]) // never fails
	return s
}

// Key returns the URL's fingerprint under a secret, the same in every process and on every machine: SipHash-2-4 of
// [URL.String]. It is a keyed function made for tables filled by strangers (Aumasson and Bernstein, 2012); hash/maphash
// is faster, but its seed cannot leave the process, and a store on disk outlives one.
//
// Among n URLs two share a fingerprint with a chance of about n²/2⁶⁵: 3 in a million at 10 million URLs, 3 in ten
// thousand at 100 million.
func (u URL) Key(secret Secret) uint64 { return secret.Sum(u.String()) }

// Sum returns the fingerprint of any text: SipHash-2-4.
func (s *Secret) Sum(text string) uint64 {
	k0, k1 := load(string(s[:8])), load(string(s[8:]))
	v0, v1 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d
	v2, v3 := k0^0x6c7967656e657261, k1^0x7465646279746573
	last := uint64(len(text)) << 56
	for len(text) >= 8 {
		m := load(text)
		text = text[8:]
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
	}
	for i := 0; i < len(text); i++ {
		last |= uint64(text[i]) << (8 * i)
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

func load(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
