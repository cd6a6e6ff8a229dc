package amble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var testSecret = Secret(strings.Repeat("0123456789abcdef", 2))

// records is a TXTResolver; "*" answers for every name that is not there, a nil list fails.
type records map[string][]string

func (r records) LookupTXT(_ context.Context, name string) ([]string, error) {
	list, ok := r[strings.TrimSuffix(name, ".")]
	if !ok {
		list, ok = r["*"]
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	if list == nil {
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	}
	return list, nil
}

func property(t testing.TB, id string) Property {
	t.Helper()
	p, err := ParseProperty(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Identifiers are those of Search Console; a proof's Scope covers what the identifier says, and nothing else (C1).
func TestPropertiesAndTheirScope(t *testing.T) {
	for id, rows := range map[string]map[string]bool{
		"sc-domain:example.com": {"https://example.com/": true, "http://www.example.com:8080/x": true, "https://notexample.com/": false, "https://example.com.evil.test/": false},
		"https://example.com/blog/": {"https://example.com/blog/": true, "https://example.com/blog/a?b": true, "https://example.com/blogger": false,
			"https://example.com/": false, "http://example.com/blog/": false, "https://www.example.com/blog/": false, "https://example.com:8443/blog/": false},
		"HTTP://Example.com:80":       {"http://example.com/x": true, "https://example.com/x": false},
		"sc-domain:someone.github.io": {"https://someone.github.io/": true, "https://other.github.io/": false},
	} {
		p := property(t, id)
		scope := p.Scope()
		for raw, want := range rows {
			if err := scope.Check(raw); (err == nil) != want {
				t.Errorf("%s: %s: %v", id, raw, err)
			}
		}
		var back Property
		text, _ := p.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != p {
			t.Errorf("%s: %s: %v", id, text, err)
		}
		if err := scope.Check(p.Seed()); err != nil {
			t.Errorf("%s: its seed: %v", id, err)
		}
	}
	for _, id := range []string{"", "example.com", "sc-domain:", "sc-domain:github.io", "sc-domain:co.uk", "sc-domain:com", "sc-domain:localhost",
		"sc-domain:127.0.0.1", "sc-domain:example.com/x", "sc-domain:user@example.com", "ftp://example.com/", "https://example.com/?a",
		"https://example.com/#a", "https://u:p@example.com/", "sc-domain:[::1]"} {
		if p, err := ParseProperty(id); !errors.Is(err, ErrConfig) {
			t.Errorf("%q was read as %v, %v", id, p, err)
		}
	}
	if (Property{}).Scope().Check("https://example.com/") == nil {
		t.Error("the zero Property covers something")
	}
}

// Each method proves what it can and nothing more; every way round it that we know of fails (S6).
func TestOwnership(t *testing.T) {
	prover := &Prover{Secret: testSecret, Name: "Audit"}
	const account = "ann"
	challenge := func(account, id string, m ProofMethod) Challenge {
		c, err := prover.Challenge(account, property(t, id), m)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const home = "https://a.test/"
	meta, file, dns := challenge(account, home, ProofMeta), challenge(account, home, ProofFile), challenge(account, home, ProofDNS)
	domain := challenge(account, "sc-domain:a.test", ProofDNS)
	head := func(c Challenge) string { return "<!doctype html><head>" + c.Put + "<title>t</title></head><body>x" }
	path := func(c Challenge) string { return strings.SplitAfterN(c.Where, "/", 4)[3] }
	put := func(pairs ...string) http.Handler { // URL without scheme, body; "->" redirects
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			scheme := "http://"
			if r.TLS != nil || r.URL.Scheme == "https" {
				scheme = "https://"
			}
			body, ok := m[scheme+r.Host+r.URL.Path]
			switch {
			case !ok:
				http.NotFound(w, r)
			case strings.HasPrefix(body, "->"):
				http.Redirect(w, r, body[2:], http.StatusFound)
			case strings.HasPrefix(body, "<"):
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, body)
			default:
				w.Header().Set("Content-Type", "text/plain")
				fmt.Fprint(w, body)
			}
		})
	}
	every := func(body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				fmt.Fprint(w, strings.ReplaceAll(body, "PATH", r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]))
			}
		})
	}
	for _, row := range []struct {
		name   string
		id     string
		method ProofMethod
		site   http.Handler
		dns    records
		want   error
	}{
		{"meta in head", home, ProofMeta, put(home, head(meta)), nil, nil},
		{"meta in body", home, ProofMeta, put(home, "<body>"+meta.Put), nil, ErrUnproved},
		{"meta in a comment", home, ProofMeta, put(home, "<head><!--"+meta.Put+"-->"), nil, ErrUnproved},
		{"meta in noscript", home, ProofMeta, put(home, "<head><noscript>"+meta.Put+"</noscript>"), nil, ErrUnproved},
		{"meta in template", home, ProofMeta, put(home, "<head><template>"+meta.Put+"</template>"), nil, ErrUnproved},
		{"meta of another account", home, ProofMeta, put(home, head(challenge("bob", home, ProofMeta))), nil, ErrUnproved},
		{"meta of another host", home, ProofMeta, put(home, head(challenge(account, "https://b.test/", ProofMeta))), nil, ErrUnproved},
		{"the file's token in a meta element", home, ProofMeta, put(home, strings.Replace(head(meta), meta.Token, file.Token, 1)), nil, ErrUnproved},
		{"meta on another page", home, ProofMeta, put(home, "<p>x", home+"users/eve", head(meta)), nil, ErrUnproved},
		{"meta on the page of a path", home + "blog/", ProofMeta, put(home+"blog/", head(meta)), nil, nil},
		{"meta of a path proves no root", home, ProofMeta, put(home+"blog/", head(meta)), nil, ErrUnproved},
		{"a path that redirects out", home + "blog/", ProofMeta, put(home+"blog/", "->/other/", home+"other/", head(meta)), nil, ErrUnproved},
		{"a redirect on the same server", home, ProofMeta, put(home, "->/en/", home+"en/", head(meta)), nil, nil},
		{"a redirect to another host", home, ProofMeta, put(home, "->https://www.a.test/", "https://www.a.test/", head(meta)), nil, ErrUnproved},
		{"a redirect from http to https", "http://a.test/", ProofMeta, put("http://a.test/", "->"+home, home, head(meta)), nil, nil},
		{"a redirect from https to http", home, ProofMeta, put(home, "->http://a.test/", "http://a.test/", head(meta)), nil, ErrUnproved},
		{"a redirect to another port", home, ProofMeta, put(home, "->https://a.test:444/", "https://a.test:444/", head(meta)), nil, ErrUnproved},
		{"redirects without end", home, ProofMeta, put(home, "->/x", home+"x", "->/"), nil, ErrUnproved},
		{"http proves no https", home, ProofMeta, put("http://a.test/", head(meta)), nil, ErrUnproved},
		{"http proves no other port", "https://a.test:8443/", ProofFile, put("http://a.test/"+path(file), file.Token), nil, ErrUnproved},
		{"a page with an error status", home, ProofMeta, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, head(meta))
		}), nil, ErrUnproved},

		{"file", home, ProofFile, put(file.Where, file.Token+"\n"), nil, nil},
		{"file proves a path too", home + "blog/", ProofFile, put(file.Where, file.Token), nil, nil},
		{"no file", home, ProofFile, put(home, "<p>"), nil, ErrUnproved},
		{"file with more in it", home, ProofFile, put(file.Where, "<html>"+file.Token), nil, ErrUnproved},
		{"file under a path", home, ProofFile, put(home+"blog/"+path(file), file.Token), nil, ErrUnproved},
		{"every name answers with the token", home, ProofFile, every(file.Token), nil, ErrUnproved},
		{"every name answers with what was asked for", home, ProofFile, every("PATH"), nil, ErrUnproved},
		{"file of another account", home, ProofFile, put(file.Where, challenge("bob", home, ProofFile).Token), nil, ErrUnproved},
		{"file on another host", home, ProofFile, put(file.Where, "->https://b.test/f", "https://b.test/f", file.Token), nil, ErrUnproved},
		{"robots.txt keeps us out", home, ProofFile, put(file.Where, file.Token, home+"robots.txt", "User-agent: *\nDisallow: /"), nil, ErrUnproved},

		{"record", home, ProofDNS, nil, records{dns.Where: {"v=spf1", dns.Put}}, nil},
		{"record of a domain", "sc-domain:a.test", ProofDNS, nil, records{domain.Where: {domain.Put}}, nil},
		{"no record", home, ProofDNS, nil, records{}, ErrUnproved},
		{"record on the bare host", home, ProofDNS, nil, records{"a.test": {dns.Put}}, ErrUnproved},
		{"record with more in it", home, ProofDNS, nil, records{dns.Where: {dns.Put + " x"}}, ErrUnproved},
		{"record of another account", home, ProofDNS, nil, records{dns.Where: {challenge("bob", home, ProofDNS).Put}}, ErrUnproved},
		{"a wildcard with the token", home, ProofDNS, nil, records{"*": {dns.Put}}, ErrUnproved},
		{"a wildcard with other things", home, ProofDNS, nil, records{dns.Where: {dns.Put}, "*": {"v=spf1"}}, nil},
		{"the wildcard cannot be looked up", home, ProofDNS, nil, records{dns.Where: {dns.Put}, "*": nil}, ErrUnproved},
		{"a meta element for a domain", "sc-domain:a.test", ProofMeta, put(home, head(meta)), nil, ErrConfig},
		{"a file for a domain", "sc-domain:a.test", ProofFile, put(file.Where, file.Token), nil, ErrConfig},
		{"an unknown method", home, "mail", nil, nil, ErrConfig},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &Prover{Secret: testSecret, Name: "Audit", Resolver: row.dns}
			s := &site{Handler: row.site}
			if row.site == nil {
				s.Handler = http.NotFoundHandler()
			}
			via, err := (&Crawler{Agent: testAgent, Fetcher: s}).Via()
			if err != nil {
				t.Fatal(err)
			}
			defer via.Close()
			proof, err := p.Verify(t.Context(), via, account, property(t, row.id), row.method)
			if !errors.Is(err, row.want) {
				t.Errorf("%s: %v, want %v", row.name, err, row.want)
			}
			if valid := proof.Valid(time.Now()); valid != (row.want == nil) {
				t.Errorf("%s: valid %v: %+v", row.name, valid, proof)
			}
			if row.want == ErrUnproved && err != nil && strings.Contains(err.Error(), string(testSecret)) {
				t.Errorf("%s: the error tells the secret: %v", row.name, err)
			}
			for i := 1; i < len(s.hits); i++ {
				if s.hits[i].at.Sub(s.hits[i-1].at) < time.Second && s.hits[i].url[:12] == s.hits[i-1].url[:12] {
					t.Errorf("%s: not paced: %v", row.name, s.hits)
				}
			}
		})
	}
}

// A proof is good for 30 days; one failure leaves it standing, a second one 72 hours later ends it; troubles of our own
// count as none; and a takeover is noticed before the next run.
func TestProofsAreCheckedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		notes := memoryNotes{}
		zone := records{}
		p := &Prover{Secret: testSecret, Name: "audit", Resolver: zone, Notes: notes}
		prop := property(t, "sc-domain:a.test")
		c, err := p.Challenge("ann", prop, ProofDNS)
		if err != nil {
			t.Fatal(err)
		}
		renew := func() (Proof, error) { return p.Renew(ctx, nil, "ann", prop) }
		if _, err := renew(); !errors.Is(err, ErrUnproved) {
			t.Fatalf("before any proof: %v", err)
		}
		zone[c.Where] = []string{c.Put}
		proof, err := p.Verify(ctx, nil, "ann", prop, ProofDNS)
		if err != nil || proof.Renew.Sub(proof.At) != 30*24*time.Hour || proof.Until.Sub(proof.Renew) != 72*time.Hour {
			t.Fatalf("%+v %v", proof, err)
		}
		if _, err := p.Proof(ctx, "bob", prop); !errors.Is(err, ErrUnproved) {
			t.Error("another account has the proof")
		}
		if _, err := p.Proof(ctx, "ann", property(t, "https://a.test/")); !errors.Is(err, ErrUnproved) {
			t.Error("another property has the proof")
		}

		delete(zone, c.Where)
		first := time.Now()
		for _, after := range []time.Duration{0, time.Hour, 71 * time.Hour} {
			time.Sleep(time.Until(first.Add(after)))
			proof, err := renew()
			if err != nil || !proof.Valid(time.Now()) || !proof.Failing.Equal(first) || proof.Problem == "" {
				t.Fatalf("after %v: %+v %v", after, proof, err)
			}
		}
		zone[c.Where] = []string{c.Put} // mended
		if proof, err := renew(); err != nil || !proof.Failing.IsZero() {
			t.Fatalf("mended: %+v %v", proof, err)
		}
		zone[c.Where] = nil // the name servers are down: a failure as well
		if _, err := renew(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Verify(ctx, nil, "ann", prop, ProofDNS); err != nil {
			t.Fatal("at once again: ", err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		time.Sleep(72 * time.Hour)
		if _, err := p.Renew(cancelled, nil, "ann", prop); errors.Is(err, ErrUnproved) || err == nil {
			t.Errorf("a context that ended: %v", err)
		}
		if _, err := p.Proof(ctx, "ann", prop); err != nil {
			t.Errorf("our own trouble ended the proof: %v", err)
		}
		if _, err := renew(); !errors.Is(err, ErrUnproved) || !strings.Contains(err.Error(), "dropped") {
			t.Errorf("the second failure: %v", err)
		}
		if _, err := p.Proof(ctx, "ann", prop); !errors.Is(err, ErrUnproved) {
			t.Errorf("after it was dropped: %v", err)
		}
		if len(notes) != 0 {
			t.Errorf("notes left: %v", notes)
		}

		zone[c.Where] = []string{c.Put}
		if _, err := p.Verify(ctx, nil, "ann", prop, ProofDNS); err != nil {
			t.Fatal(err)
		}
		time.Sleep(33 * 24 * time.Hour) // nobody checked
		if _, err := p.Proof(ctx, "ann", prop); !errors.Is(err, ErrUnproved) {
			t.Errorf("after 33 days: %v", err)
		}
		if _, err := p.Verify(ctx, nil, "ann", prop, ProofDNS); err != nil {
			t.Fatal(err)
		}
		if err := p.Drop(ctx, "ann", prop); err != nil || len(notes) != 0 {
			t.Errorf("taken back: %v, %v", err, notes)
		}
	})
}

type memoryNotes map[string][]byte

func (n memoryNotes) Note(_ context.Context, key string) ([]byte, error) {
	if v, ok := n[key]; ok {
		return v, nil
	}
	return nil, ErrNoRecord
}

func (n memoryNotes) PutNote(_ context.Context, key string, value []byte) error {
	if n[key] = value; value == nil {
		delete(n, key)
	}
	return nil
}

// The ladder (S7): without a proof a few pages at most, with one the property's scope, full and recurring. Excluded hosts
// and the Switch beat a proof.
func TestLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := map[string]string{"/blog/": links("/blog/1", "/blog/2", "/blog/3", "/blog/4", "/about")}
		for _, path := range []string{"/blog/1", "/blog/2", "/blog/3", "/blog/4", "/about"} {
			all[path] = links()
		}
		const seed = "https://a.test/blog/"
		prop := property(t, seed)
		proof := Proof{Property: prop, Method: ProofFile, At: time.Now(), Until: time.Now().Add(time.Hour)}
		old := proof
		old.Until = time.Now()
		var off Switch
		if err := off.Off("a.test"); err != nil {
			t.Fatal(err)
		}
		for name, row := range map[string]struct {
			proof     Proof
			crawler   Crawler
			analysed  int
			recurring bool
		}{
			"unproved":                 {Proof{}, Crawler{}, 3, false},
			"a proof that has ended":   {old, Crawler{}, 3, false},
			"proved":                   {proof, Crawler{}, 5, true},
			"proved, but excluded":     {proof, Crawler{Scope: Scope{ExcludeHosts: []string{"a.test"}}}, 0, true},
			"proved, but switched off": {proof, Crawler{Switch: &off}, 0, true},
		} {
			c := row.crawler
			allowance := Ladder{}.For(row.proof, time.Now())
			allowance.Apply(&c)
			c.Fetcher = pages(all)
			_, sum := crawl(t, &c, seed)
			if got := sum.Outcomes[OutcomeAnalysed]; got != row.analysed || allowance.Recurring != row.recurring || allowance.Reason == "" {
				t.Errorf("%s: %d pages, want %d; %+v", name, got, row.analysed, allowance)
			}
		}
	})
}

// A check of ownership passes the address guard: no proof is fetched from inside.
func TestOwnershipPassesTheGuard(t *testing.T) {
	p := &Prover{Secret: testSecret, Name: "audit"}
	via, err := (&Crawler{Agent: testAgent, Fetcher: &HTTPFetcher{}}).Via()
	if err != nil {
		t.Fatal(err)
	}
	defer via.Close()
	for _, id := range []string{"http://127.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "https://10.0.0.1/"} {
		for _, m := range []ProofMethod{ProofMeta, ProofFile} {
			if _, err := p.Verify(t.Context(), via, "ann", property(t, id), m); !errors.Is(err, ErrUnproved) {
				t.Errorf("%s by %s: %v", id, m, err)
			}
		}
	}
}

func TestProverIsCheckedFirst(t *testing.T) {
	prop := property(t, "https://a.test/")
	for name, p := range map[string]*Prover{
		"short secret": {Secret: testSecret[:31], Name: "audit"}, "no name": {Secret: testSecret}, "a dot": {Secret: testSecret, Name: "a.b"},
		"an underscore": {Secret: testSecret, Name: "a_b"}, "a hyphen in front": {Secret: testSecret, Name: "-a"},
	} {
		if _, err := p.Challenge("ann", prop, ProofMeta); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := &Prover{Secret: testSecret, Name: "audit"}
	for _, account := range []string{"", "a\x00b"} {
		if _, err := p.Challenge(account, prop, ProofMeta); !errors.Is(err, ErrConfig) {
			t.Errorf("account %q: %v", account, err)
		}
	}
	if _, err := p.Challenge("ann", property(t, "http://127.0.0.1/"), ProofDNS); !errors.Is(err, ErrConfig) {
		t.Errorf("records of an address: %v", err)
	}
	if _, err := p.Challenge("ann", Property{}, ProofMeta); !errors.Is(err, ErrConfig) {
		t.Errorf("no property: %v", err)
	}
}

func ExampleProver() {
	p := &Prover{Secret: testSecret, Name: "audit"}
	site, err := ParseProperty("https://example.com/blog/")
	if err != nil {
		panic(err)
	}
	for _, method := range p.Methods(site) {
		c, err := p.Challenge("account-7", site, method)
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Where, c.Put)
	}
	// Output:
	// https://example.com/blog/ <meta name="audit-site-verification" content="66f0dde02923b8e36e264bf931c32e34">
	// https://example.com/.well-known/audit-challenge/d9259ca36669a6ee7e7f57492e59d439 4de31b2c531a529325a8f157c2123be3
	// _audit-challenge.example.com audit-site-verification=3a739f495219534f446db42ca4190ea5
}
