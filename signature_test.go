package amble

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble/internal/httpsig"
)

func testKey(n byte) SigningKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = n
	return SigningKey{Private: ed25519.NewKeyFromSeed(seed)}
}

func (k SigningKey) public() ed25519.PublicKey { return k.Private.Public().(ed25519.PublicKey) }

// checkRequest judges a request as a site's verifier does: it knows the URL under which it was reached.
func checkRequest(method, target string, h http.Header, at time.Time, keys ...SigningKey) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	c := httpsig.Check{Tag: httpsig.Tag, Now: at, Cover: []httpsig.Component{{Name: "@authority"}, {Name: "@method"}, {Name: "@target-uri"}}}
	agents, err := httpsig.ParseAgent(h.Get("Signature-Agent"))
	if err != nil || len(agents) != 1 {
		return fmt.Errorf("reading Signature-Agent %q: %w", h.Get("Signature-Agent"), err)
	}
	c.Cover = append(c.Cover, httpsig.Component{Name: "signature-agent", Key: agents[0].Label})
	for _, k := range keys {
		c.Keys = append(c.Keys, k.public())
	}
	_, err = httpsig.Verify(&httpsig.Message{Method: method, URL: u, Header: h}, c)
	return err
}

// A signature holds for its method, authority and path, for a minute, with and without nonce, in both forms of
// Signature-Agent; a replay anywhere else is refused.
func TestASignatureIsOfNoUseElsewhere(t *testing.T) {
	const target = "https://Shop.example:443/a%20b/?q=1"
	key := testKey(1)
	for _, s := range []BotSigner{{}, {Nonce: true}, {BareAgent: true}, {Lifetime: time.Hour}} {
		s.Agent, s.Keys = "https://bot.example/", []SigningKey{key}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			h := http.Header{"User-Agent": {"x"}}
			u, _ := url.Parse(target)
			if err := s.Sign("", u, h); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			other := h.Clone()
			other.Set("Signature-Agent", strings.Replace(h.Get("Signature-Agent"), "bot", "bad", 1))
			for _, row := range []struct {
				name, method, target string
				header               http.Header
				at                   time.Time
				key                  SigningKey
				want                 error
			}{
				{"as sent", "GET", target, h, now, key, nil},
				{"without the scheme's port", "GET", "https://shop.example/a%20b/?q=1", h, now.Add(30 * time.Second), key, nil},
				{"another path", "GET", "https://shop.example/a%20b/admin?q=1", h, now, key, httpsig.ErrSignature},
				{"another query", "GET", "https://shop.example/a%20b/?q=2", h, now, key, httpsig.ErrSignature},
				{"another authority", "GET", "https://evil.example/a%20b/?q=1", h, now, key, httpsig.ErrSignature},
				{"another port", "GET", "https://shop.example:8443/a%20b/?q=1", h, now, key, httpsig.ErrSignature},
				{"another scheme", "GET", "http://shop.example/a%20b/?q=1", h, now, key, httpsig.ErrSignature},
				{"another method", "POST", target, h, now, key, httpsig.ErrSignature},
				{"another agent", "GET", target, other, now, key, httpsig.ErrSignature},
				{"too late", "GET", target, h, now.Add(s.life() + time.Second), key, httpsig.ErrExpired},
				{"before it was made", "GET", target, h, now.Add(-2 * time.Second), key, httpsig.ErrExpired},
				{"a key that is not ours", "GET", target, h, now, testKey(9), httpsig.ErrKey},
				{"no signature", "GET", target, http.Header{"Signature-Agent": h["Signature-Agent"]}, now, key, httpsig.ErrUnsigned},
			} {
				if err := checkRequest(row.method, row.target, row.header, row.at, row.key); !errors.Is(err, row.want) {
					t.Errorf("%+v: %s: %v, want %v", s, row.name, err, row.want)
				}
			}
			if got := strings.Contains(h.Get("Signature-Input"), "nonce="); got != s.Nonce {
				t.Errorf("nonce: %v, want %v", got, s.Nonce)
			}
		})
	}
}

// Every request of a crawl is signed for its own URL and its own minute: robots.txt, sitemap, pages, redirect hops and
// retries, and what a Fetcher sends through the Gate.
func TestEveryRequestOfACrawlIsSigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := true
		handler := pages(map[string]string{"/": links("/hop", "/busy"), "/hop": "->/end", "/end": links(), "/late": links(),
			"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/late</loc></url></urlset>`}).Handler
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/busy" && busy {
				busy = false
				w.Header().Set("Retry-After", "20")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			handler.ServeHTTP(w, r)
		})}
		key := testKey(1)
		var mu sync.Mutex
		seen := map[string]int{}
		signatures := map[string]bool{}
		fetcher := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[req.URL.Path]++
			if err := checkRequest("GET", req.URL.String(), req.Header, time.Now(), key); err != nil {
				t.Errorf("%v %s: %v", req.Kind, req.URL, err)
			}
			if signatures[req.Header.Get("Signature")] {
				t.Errorf("%s: the signature was used before", req.URL)
			}
			signatures[req.Header.Get("Signature")] = true
			own := http.Header{}
			image, _ := url.Parse("https://cdn.test/a.png")
			if err := req.Gate.(GateSigner).Sign("GET", image, own); err != nil || checkRequest("GET", image.String(), own, time.Now(), key) != nil {
				t.Errorf("through the gate: %v", err)
			}
			return s.Fetch(ctx, req)
		})
		crawl(t, &Crawler{Fetcher: fetcher, Discover: DiscoverLinks | DiscoverSitemaps,
			Signer: &BotSigner{Agent: "https://bot.example", Keys: []SigningKey{key}}}, "https://a.test/")
		want := map[string]int{"/robots.txt": 1, "/sitemap.xml": 1, "/": 1, "/hop": 1, "/end": 1, "/busy": 2, "/late": 1}
		if !maps.Equal(seen, want) {
			t.Errorf("requests %v, want %v", seen, want)
		}
	})
}

// Without a Signer no request carries signature fields, and the shared headers are not copied.
func TestUnsignedRequestsAreLeftAlone(t *testing.T) {
	s := pages(map[string]string{"/": links()})
	fetcher := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
		if req.Header.Get("Signature")+req.Header.Get("Signature-Agent") != "" {
			t.Error("signed")
		}
		if s, ok := req.Gate.(GateSigner); ok {
			if err := s.Sign("GET", req.URL, nil); err != nil {
				t.Error(err)
			}
		}
		return s.Fetch(ctx, req)
	})
	crawl(t, &Crawler{Fetcher: fetcher}, "https://a.test/")
}

// Keys change without a gap: the next one is published before it signs, the old one as long as its signatures may live.
func TestKeysRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		old, next := testKey(1), testKey(2)
		old.Until = start.Add(3 * time.Hour)
		next.From = start.Add(2 * time.Hour)
		s := &BotSigner{Agent: "https://bot.example", Keys: []SigningKey{old, next}}
		u, _ := url.Parse("https://a.test/")
		for _, row := range []struct {
			after     time.Duration
			signs     SigningKey
			published []string
		}{
			{0, old, []string{old.ID(), next.ID()}},
			{2 * time.Hour, next, []string{next.ID(), old.ID()}},
			{3*time.Hour + 30*time.Second, next, []string{next.ID(), old.ID()}},
			{4 * time.Hour, next, []string{next.ID()}},
		} {
			time.Sleep(time.Until(start.Add(row.after)))
			h := http.Header{}
			if err := s.Sign("GET", u, h); err != nil {
				t.Fatal(err)
			}
			if err := checkRequest("GET", u.String(), h, time.Now(), row.signs); err != nil {
				t.Errorf("after %v: %v", row.after, err)
			}
			var got []string
			for _, k := range directoryOf(t, s) {
				got = append(got, k.Kid)
			}
			if fmt.Sprint(got) != fmt.Sprint(row.published) {
				t.Errorf("after %v: published %v, want %v", row.after, got, row.published)
			}
		}
		s.Keys = s.Keys[:1]
		if err := s.Sign("GET", u, http.Header{}); !errors.Is(err, ErrConfig) {
			t.Errorf("with no key in its time: %v", err)
		}
	})
}

// directoryOf asks the handler and checks what a verifier checks: status, media type, digest, signatures by every key.
func directoryOf(t *testing.T, s *BotSigner) []jwk {
	t.Helper()
	w := httptest.NewRecorder()
	s.Directory().ServeHTTP(w, httptest.NewRequest("GET", "http://inside:8080"+httpsig.DirectoryPath, nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/http-message-signatures-directory+json" {
		t.Fatalf("status %d, type %q", w.Code, w.Header().Get("Content-Type"))
	}
	if w.Header().Get("Content-Digest") != httpsig.Digest(w.Body.Bytes()) {
		t.Error("Content-Digest does not fit the body")
	}
	var doc struct{ Keys []jwk }
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || strings.Contains(w.Body.String(), `"d"`) {
		t.Fatalf("%v in %s", err, w.Body)
	}
	u, _ := url.Parse(s.DirectoryURL())
	m := &httpsig.Message{Status: 200, Header: w.Header(), For: &httpsig.Message{Method: "GET", URL: u}}
	inputs, _ := httpsig.ParseDictionary(strings.Join(w.Header().Values("Signature-Input"), ", "))
	signatures, _ := httpsig.ParseDictionary(strings.Join(w.Header().Values("Signature"), ", "))
	if len(inputs) != len(doc.Keys) || len(signatures) != len(inputs) {
		t.Fatalf("%d signatures for %d keys", len(inputs), len(doc.Keys))
	}
	for i, k := range doc.Keys {
		raw, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil || k.Kid != httpsig.Thumbprint(raw) || k.Kty != "OKP" || k.Crv != "Ed25519" {
			t.Errorf("key %+v: %v", k, err)
		}
		one := http.Header{"Content-Digest": w.Header()["Content-Digest"], "Signature-Input": {w.Header()["Signature-Input"][i]},
			"Signature": {w.Header()["Signature"][i]}}
		_, err = httpsig.Verify(&httpsig.Message{Status: 200, Header: one, For: m.For}, httpsig.Check{Tag: httpsig.DirectoryTag,
			Keys: []ed25519.PublicKey{raw}, Now: time.Now(), Cover: []httpsig.Component{{Name: "@authority", Req: true}}})
		if err != nil {
			t.Errorf("the directory's signature %d: %v", i, err)
		}
	}
	return doc.Keys
}

func TestDirectoryRefusesOtherMethods(t *testing.T) {
	w := httptest.NewRecorder()
	(&BotSigner{}).Directory().ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Error(w.Code)
	}
}

func TestBotSignerIsCheckedBeforeACrawl(t *testing.T) {
	for name, s := range map[string]*BotSigner{
		"no keys":    {Agent: "https://bot.example"},
		"http":       {Agent: "http://bot.example", Keys: []SigningKey{testKey(1)}},
		"a path":     {Agent: "https://bot.example/keys", Keys: []SigningKey{testKey(1)}},
		"a zero key": {Agent: "https://bot.example", Keys: []SigningKey{{}}},
		"two days":   {Agent: "https://bot.example", Keys: []SigningKey{testKey(1)}, Lifetime: 48 * time.Hour},
	} {
		_, err := (&Crawler{Agent: testAgent, Signer: s}).Run(t.Context(), "https://a.test/")
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Key material never prints.
func TestKeysDoNotPrint(t *testing.T) {
	k := testKey(7)
	secret := Secret("a very secret secret")
	s := &BotSigner{Agent: "https://bot.example", Keys: []SigningKey{k}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		out := fmt.Sprintf(format, k) + fmt.Sprintf(format, *s) + fmt.Sprintf(format, secret)
		for _, leak := range []string{"a very", fmt.Sprint([]byte(k.Private[:8])), fmt.Sprintf("%x", []byte(k.Private[32:40]))} {
			if strings.Contains(out, strings.Trim(leak, "[]")) {
				t.Errorf("%s: %s", format, out)
			}
		}
	}
	if b, err := json.Marshal(struct {
		A SigningKey
		B Secret
	}{k, secret}); err != nil || string(b) != `{"A":"`+k.ID()+`","B":"[secret]"}` {
		t.Errorf("%s %v", b, err)
	}
}

func BenchmarkBotSigner(b *testing.B) {
	s := &BotSigner{Agent: "https://bot.example", Keys: []SigningKey{testKey(1)}}
	u, _ := url.Parse("https://example.com/path?q=1")
	for b.Loop() {
		if err := s.Sign("GET", u, http.Header{}); err != nil {
			b.Fatal(err)
		}
	}
}
