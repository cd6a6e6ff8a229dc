package amble

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/amblecrawl/amble/internal/httpsig"
)

// jwk is a public key of the directory (RFC 7517, RFC 8037).
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Nbf int64  `json:"nbf,omitempty"`
	Exp int64  `json:"exp,omitempty"`
}

// Directory returns the handler that publishes the public keys. Serve it at the path of DirectoryURL, over https, without
// a redirect. The answer is signed with each key that it lists, for the authority of Agent: a proof that whoever serves
// it holds the keys.
func (s *BotSigner) Directory() http.Handler { return http.HandlerFunc(s.serveDirectory) }

func (s *BotSigner) serveDirectory(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	now := time.Now()
	keys := s.published(now)
	list := make([]jwk, len(keys))
	for i, k := range keys {
		list[i] = jwk{Kty: "OKP", Crv: "Ed25519", Kid: k.ID(), Use: "sig", Nbf: seconds(k.From), Exp: seconds(k.Until),
			X: base64.RawURLEncoding.EncodeToString(k.Private.Public().(ed25519.PublicKey))}
	}
	body, err := json.Marshal(map[string]any{"keys": list})
	if err == nil {
		err = s.signDirectory(w.Header(), body, keys, now)
	}
	if err != nil {
		http.Error(w, "the keys cannot be given", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", httpsig.DirectoryType)
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(directoryAge.Seconds())))
	_, _ = w.Write(body)
}

// directoryAge is how long the directory may be kept; its signatures hold for as long again.
const directoryAge = time.Hour

// published are the keys whose signatures may still be about, the active one first.
func (s *BotSigner) published(now time.Time) []SigningKey {
	var keys []SigningKey
	active, _ := s.active(now)
	for _, k := range s.Keys {
		switch {
		case active.Private != nil && k.Private.Equal(active.Private):
			keys = append([]SigningKey{k}, keys...)
		case k.Until.IsZero() || now.Before(k.Until.Add(s.life())):
			keys = append(keys, k)
		}
	}
	return keys
}

func (s *BotSigner) signDirectory(h http.Header, body []byte, keys []SigningKey, now time.Time) error {
	u, err := url.Parse(s.DirectoryURL())
	if err != nil {
		return err
	}
	h.Set("Content-Digest", httpsig.Digest(body))
	m := &httpsig.Message{Status: http.StatusOK, Header: h, For: &httpsig.Message{Method: http.MethodGet, URL: u}}
	for i, k := range keys {
		p := httpsig.Params{
			Components: []httpsig.Component{{Name: "@authority", Req: true}, {Name: "content-digest"}},
			Created:    now.Unix(), Expires: now.Add(2 * directoryAge).Unix(), KeyID: k.ID(), Alg: httpsig.Alg, Tag: httpsig.DirectoryTag,
		}
		input, signature, err := httpsig.Sign(m, p, k.Private, fmt.Sprintf("sig%d", i+1))
		if err != nil {
			return err
		}
		h.Add("Signature-Input", input)
		h.Add("Signature", signature)
	}
	return nil
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
