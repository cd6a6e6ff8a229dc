package amble

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/amblecrawl/amble/internal/httpsig"
)

// Signer signs requests, so that a server can check who asks (S4). The crawl calls it for every request that leaves,
// redirect hops and retries included, just before it leaves; a Fetcher that sends further requests finds it behind
// Request.Gate (see GateSigner).
//
// Implementers must be safe for concurrent use, quick, and must only add header fields to h.
type Signer interface {
	// Sign adds the fields that sign a request of the method to the absolute URL with the header fields h. Fields of an
	// earlier signature are replaced.
	Sign(method string, u *url.URL, h http.Header) error
}

// GateSigner may be implemented by a Gate whose crawl signs its requests. A Fetcher that loads whole pages calls it for
// each request that it sends, after Pass and with the headers that will be sent:
//
//	if s, ok := req.Gate.(amble.GateSigner); ok {
//		err = s.Sign("GET", u, header)
//	}
//
// Without Crawler.Signer it does nothing.
type GateSigner interface{ Signer }

// BotSigner is the Signer for HTTP message signatures as web-bot-auth has them: RFC 9421 with Ed25519 keys, whose public
// halves are published by Directory (draft-meunier-webbotauth-httpsig-protocol). The signature covers the method, the
// authority, the whole target URI and the Signature-Agent field, so that it is of no use on another path, and it expires
// after Lifetime. Fields must not be changed after first use; a BotSigner is safe for concurrent use.
type BotSigner struct {
	// Agent is the https origin where Directory is served, "https://bot.example.com". Sent as Signature-Agent.
	Agent string

	// Keys are the keys. The one that signs is the one that most lately came into its time; Directory publishes all that
	// have not passed theirs. To change keys, add the next one with a From some days ahead, so that verifiers have seen
	// it, and give the old one an Until after that.
	Keys []SigningKey

	// Lifetime is how long a signature is valid. Default 60 seconds; at most 24 hours.
	Lifetime time.Duration

	// Nonce adds a random nonce to each signature, for verifiers that keep account of them.
	Nonce bool

	// BareAgent sends Signature-Agent in the older form of the drafts, a bare string, for verifiers that do not read the
	// dictionary yet.
	BareAgent bool
}

// SigningKey is an Ed25519 key and its time. It prints as its public name.
type SigningKey struct {
	Private     ed25519.PrivateKey
	From, Until time.Time // zero: no bound
}

// ID is the public name of the key: its JWK thumbprint (RFC 7638).
func (k SigningKey) ID() string {
	if len(k.Private) != ed25519.PrivateKeySize {
		return ""
	}
	return httpsig.Thumbprint(k.Private.Public().(ed25519.PublicKey))
}

// String is ID: the private half is not printed.
func (k SigningKey) String() string { return k.ID() }

// GoString is ID.
func (k SigningKey) GoString() string { return k.ID() }

// MarshalText is ID.
func (k SigningKey) MarshalText() ([]byte, error) { return []byte(k.ID()), nil }

const (
	defaultSignatureLife = time.Minute
	maxSignatureLife     = 24 * time.Hour // of the drafts
	signatureLabel       = "sig1"
)

// Validate reports settings that cannot work; the error matches ErrConfig.
func (s *BotSigner) Validate() error {
	bad := func(format string, args ...any) error {
		return &Error{Op: "signer", Kind: ErrConfig, Reason: fmt.Sprintf(format, args...)}
	}
	u, err := url.Parse(s.Agent)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return bad("BotSigner.Agent: %q is not an https origin such as https://bot.example.com", s.Agent)
	}
	if s.Lifetime < 0 || s.Lifetime > maxSignatureLife {
		return bad("BotSigner.Lifetime: %v is not between 0 and %v", s.Lifetime, maxSignatureLife)
	}
	if len(s.Keys) == 0 {
		return bad("BotSigner.Keys is empty; make a key with ed25519.GenerateKey and keep it")
	}
	for i, k := range s.Keys {
		if len(k.Private) != ed25519.PrivateKeySize {
			return bad("BotSigner.Keys[%d] is not an Ed25519 private key", i)
		}
	}
	return nil
}

// origin is Agent in the form that is sent.
func (s *BotSigner) origin() string { return strings.TrimRight(s.Agent, "/") }

// DirectoryURL is where verifiers look for the keys.
func (s *BotSigner) DirectoryURL() string { return s.origin() + httpsig.DirectoryPath }

// active returns the key that signs now.
func (s *BotSigner) active(now time.Time) (SigningKey, error) {
	best := -1
	for i, k := range s.Keys {
		if now.Before(k.From) || !k.Until.IsZero() && !now.Before(k.Until) {
			continue
		}
		if best < 0 || !k.From.Before(s.Keys[best].From) {
			best = i
		}
	}
	if best < 0 {
		return SigningKey{}, &Error{Op: "signer", Kind: ErrConfig, Reason: "no key of BotSigner.Keys is in its time"}
	}
	return s.Keys[best], nil
}

func (s *BotSigner) life() time.Duration { return defaulted(s.Lifetime, defaultSignatureLife) }

// Sign implements Signer: it sets Signature-Agent, Signature-Input and Signature.
func (s *BotSigner) Sign(method string, u *url.URL, h http.Header) error {
	now := time.Now()
	key, err := s.active(now)
	if err != nil {
		return err
	}
	agent := httpsig.Component{Name: "signature-agent"}
	if s.BareAgent {
		h.Set("Signature-Agent", httpsig.Item{Value: s.origin()}.String())
	} else {
		h.Set("Signature-Agent", signatureLabel+"="+httpsig.Item{Value: s.origin()}.String())
		agent.Key = signatureLabel
	}
	if method == "" {
		method = http.MethodGet
	}
	p := httpsig.Params{
		Components: []httpsig.Component{{Name: "@method"}, {Name: "@authority"}, {Name: "@target-uri"}, agent},
		Created:    now.Unix(), Expires: now.Add(s.life()).Unix(), KeyID: key.ID(), Alg: httpsig.Alg, Tag: httpsig.Tag,
	}
	if s.Nonce {
		var nonce [64]byte
		_, _ = rand.Read(nonce[:]) // never fails
		p.Nonce = base64.StdEncoding.EncodeToString(nonce[:])
	}
	input, signature, err := httpsig.Sign(&httpsig.Message{Method: method, URL: u, Header: h}, p, key.Private, signatureLabel)
	if err != nil {
		return &Error{Op: "signer", URL: u.Redacted(), Kind: ErrConfig, Err: err}
	}
	h.Set("Signature-Input", input)
	h.Set("Signature", signature)
	return nil
}
