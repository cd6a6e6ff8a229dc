package httpsig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
)

// Alg is the only algorithm in use here (RFC 9421 section 3.3.6).
const Alg = "ed25519"

// Sign signs a message and returns the values of Signature-Input and Signature, with the given label.
func Sign(m *Message, p Params, key ed25519.PrivateKey, label string) (input, signature string, err error) {
	item := p.item()
	text, err := base(m, item)
	if err != nil {
		return "", "", err
	}
	return label + "=" + item.String(), label + "=" + Item{Value: ed25519.Sign(key, []byte(text))}.String(), nil
}

// Thumbprint is the name of a key: the SHA-256 of its JWK's required members (RFC 7638, RFC 8037), base64url.
func Thumbprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(key) + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Digest is the value of Content-Digest (RFC 9530) for a body.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=" + Item{Value: sum[:]}.String()
}
