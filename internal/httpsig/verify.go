package httpsig

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The reasons why Verify says no.
var (
	ErrUnsigned  = errors.New("no signature of that kind")
	ErrExpired   = errors.New("the signature is not valid at this time")
	ErrKey       = errors.New("the key is not known")
	ErrSignature = errors.New("the signature does not fit the message")
)

// Check says what Verify demands besides a signature that fits.
type Check struct {
	Keys  []ed25519.PublicKey
	Tag   string      // the signature's tag
	Now   time.Time   // created must not be after it, expires not before
	Cover []Component // what must be covered
}

// Verify checks the first signature with the tag, as a server does that wants to know who asks. It returns the inner
// list that was signed.
func Verify(m *Message, c Check) (Item, error) {
	inputs, err := ParseDictionary(strings.Join(m.Header.Values("Signature-Input"), ", "))
	if err != nil {
		return Item{}, fmt.Errorf("reading Signature-Input: %w", err)
	}
	signatures, err := ParseDictionary(strings.Join(m.Header.Values("Signature"), ", "))
	if err != nil {
		return Item{}, fmt.Errorf("reading Signature: %w", err)
	}
	for _, input := range inputs {
		if tag, _ := input.Param("tag"); tag != c.Tag {
			continue
		}
		for _, s := range signatures {
			if signature, ok := s.Value.([]byte); ok && s.Key == input.Key {
				return input.Item, c.verify(m, input.Item, signature)
			}
		}
	}
	return Item{}, ErrUnsigned
}

func (c *Check) verify(m *Message, input Item, signature []byte) error {
	created, _ := input.Param("created")
	expires, _ := input.Param("expires")
	from, ok1 := created.(int64)
	until, ok2 := expires.(int64)
	if now := c.Now.Unix(); !ok1 || !ok2 || now < from || now > until || until-from > int64(24*time.Hour/time.Second) && c.Tag == Tag {
		return ErrExpired
	}
	if alg, ok := input.Param("alg"); ok && alg != Alg {
		return ErrKey
	}
	list, _ := input.Value.([]Item)
	for _, want := range c.Cover {
		covered := false
		for _, item := range list {
			covered = covered || item.String() == want.item().String()
		}
		if !covered {
			return fmt.Errorf("%w: %s is not covered", ErrSignature, want.item())
		}
	}
	text, err := base(m, input)
	if err != nil {
		return err
	}
	id, _ := input.Param("keyid")
	for _, key := range c.Keys {
		if Thumbprint(key) == id {
			if !ed25519.Verify(key, []byte(text), signature) {
				return ErrSignature
			}
			return nil
		}
	}
	return ErrKey
}
