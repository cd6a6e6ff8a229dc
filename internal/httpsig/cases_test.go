package httpsig

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/cases"
)

type vectors struct {
	Requests []struct {
		Label, Method, KeyID, Nonce, Signature string
		Created, Expires                       int64
		Agent                                  string `json:"signature_agent"`
		AgentKey                               string `json:"signature_agent_key"`
		Base                                   string `json:"signature_base"`
		Input                                  string `json:"signature_input"`
		Target                                 string `json:"target_url"`
	} `json:"request_vectors"`
	Agents []struct {
		Name, Header string
		Entries      []struct{ Label, Type, URI string }
	} `json:"signature_agent_parse_vectors"`
	Tag string
	JWK struct{ D, X string } `json:"test_key_jwk"`
	Doc string                `json:"thumbprint_input"`
}

// The published vectors, byte for byte: signature base, Signature-Input and Signature, made and checked (RFC 9421, the
// web-bot-auth drafts).
func TestWebBotAuthVectorsCases(t *testing.T) {
	var v vectors
	cases.JSON(t, "identity/webbotauth-vectors.json", &v)
	seed, err := base64.RawURLEncoding.DecodeString(v.JWK.D)
	if err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	public := key.Public().(ed25519.PublicKey)
	tally := cases.NewTally("webbotauth")
	for _, r := range v.Requests {
		u, err := url.Parse(r.Target)
		if err != nil {
			t.Fatal(err)
		}
		m := &Message{Method: http.MethodGet, URL: u, Header: http.Header{}}
		p := Params{Created: r.Created, Expires: r.Expires, KeyID: Thumbprint(public), Alg: Alg, Nonce: r.Nonce, Tag: v.Tag,
			Components: []Component{{Name: "@authority"}}}
		if r.Agent != "" {
			m.Header.Set("Signature-Agent", r.Agent)
			p.Components = append(p.Components, Component{Name: "signature-agent", Key: r.AgentKey})
		}
		text, err := base(m, p.item())
		tally.Add(r.Label+" base", err == nil && text == r.Base)
		input, signature, err := Sign(m, p, key, r.Label)
		tally.Add(r.Label+" input", err == nil && input == r.Input)
		tally.Add(r.Label+" signature", signature == r.Signature)
		tally.Add(r.Label+" keyid", p.KeyID == r.KeyID)

		parsed, err := ParseDictionary(r.Input)
		tally.Add(r.Label+" input is read", err == nil && len(parsed) == 1 && parsed[0].Item.String() == r.Input[len(r.Label)+1:])
		sig, err := ParseDictionary(r.Signature)
		ok := err == nil && len(sig) == 1
		if ok {
			b, _ := sig[0].Value.([]byte)
			ok = ed25519.Verify(public, []byte(r.Base), b)
		}
		tally.Add(r.Label+" signature fits", ok)
		m.Header.Set("Signature-Input", r.Input)
		m.Header.Set("Signature", r.Signature)
		// The vectors are valid for a century; a crawler's signature is for a day at most.
		_, err = Verify(m, Check{Keys: []ed25519.PublicKey{public}, Tag: v.Tag, Now: time.Unix(r.Created+1, 0)})
		tally.Add(r.Label+" too long a life", r.Expires-r.Created <= 86400 || err == ErrExpired)
	}
	for _, a := range v.Agents {
		entries, err := ParseAgent(a.Header)
		ok := err == nil && len(entries) == len(a.Entries)
		for i := range entries {
			ok = ok && entries[i] == Agent{Label: a.Entries[i].Label, URI: a.Entries[i].URI, Type: a.Entries[i].Type}
		}
		tally.Add(a.Name, ok)
	}
	tally.Close(t, nil)
}
