package urlkey

import "testing"

// Vectors of the paper (appendix A) and of the reference implementation: key 00 01 ... 0f, input 00 01 02 ...
func TestKeyIsSipHash24(t *testing.T) {
	var secret Secret
	for i := range secret {
		secret[i] = byte(i)
	}
	input := make([]byte, 15)
	for i := range input {
		input[i] = byte(i)
	}
	for n, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 15: 0xa129ca6149be45e5} {
		if got := secret.Sum(string(input[:n])); got != want {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
		}
	}
}

func TestKeyDependsOnTheSecret(t *testing.T) {
	u := mustParse(t, "https://example.com/")
	if a, b := NewSecret(), NewSecret(); a == b || u.Key(a) == u.Key(b) {
		t.Error("two secrets, one fingerprint")
	}
}
