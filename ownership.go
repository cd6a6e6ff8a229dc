package amble

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/ownership"
)

// ProofMethod is a way to prove that one runs a site (S6).
type ProofMethod string

const (
	ProofMeta ProofMethod = "meta" // a meta element in the head of the property's own page
	ProofFile ProofMethod = "file" // a file under /.well-known/ of the property's own origin
	ProofDNS  ProofMethod = "dns"  // a TXT record; the only way for a domain property
)

// Prover lets owners prove their sites. The token that an owner must show is derived from Secret, account, host and
// method (HMAC-SHA256, cut to 128 bits), so nothing has to be kept until the proof. A Prover is safe for concurrent use;
// its fields must not be changed after first use, and it must not be copied.
//
// A proof is checked again every MaxAge and before each recurring run, since sites change hands and abandoned hosts are
// taken over. Two failures at least DropAfter apart end it; one alone does not, for servers have bad days.
type Prover struct {
	// Secret makes the tokens: at least 32 random bytes, the same for ever. Whoever has it can forge proofs.
	Secret Secret

	// Name is the product's word in names that owners see: letters, digits and hyphens, such as "siteaudit". It gives
	//
	//	<meta name="siteaudit-site-verification" content="TOKEN">
	//	/.well-known/siteaudit-challenge/NAME
	//	_siteaudit-challenge.example.com TXT "siteaudit-site-verification=TOKEN"
	Name string

	// Notes remembers the proofs, so that a failure is told from a second one: a FileStore, for example. Nil: nothing is
	// remembered, and each Verify stands alone.
	Notes Notebook

	// Resolver looks TXT records up. Nil: the system's.
	Resolver TXTResolver

	// MaxAge is how long a proof is good before it must be checked again. Default 30 days.
	MaxAge time.Duration

	// DropAfter is how far apart two failures must be to end a proof. Default 72 hours. A proof that nobody checks again
	// ends this long after MaxAge.
	DropAfter time.Duration

	mu sync.Mutex // orders the changes of Notes
}

// TXTResolver looks up TXT records; *net.Resolver is one. An error that is a *net.DNSError with IsNotFound says that there
// are none.
type TXTResolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Challenge is what an owner must do to prove a property.
type Challenge struct {
	Method ProofMethod
	Token  string
	Where  string // the page's URL, the file's URL, or the record's name
	Put    string // the element, the file's whole content, or the record's value
}

// Validate reports settings that cannot work; the error matches ErrConfig.
func (p *Prover) Validate() error {
	bad := func(reason string) error { return &Error{Op: "ownership", Kind: ErrConfig, Reason: reason} }
	if len(p.Secret) < 32 {
		return bad("Prover.Secret has less than 32 bytes; make one with crypto/rand and keep it")
	}
	ok := p.Name != "" && len(p.Name) <= 40 && !strings.HasPrefix(p.Name, "-") && !strings.HasSuffix(p.Name, "-")
	for i := range len(p.Name) {
		ok = ok && p.Name[i] != '_' && p.Name[i] != '.'
	}
	if !ok || !isToken(p.Name) {
		return bad(fmt.Sprintf("Prover.Name %q is not a word of letters, digits and hyphens", p.Name))
	}
	if p.MaxAge < 0 || p.DropAfter < 0 {
		return bad("Prover.MaxAge and DropAfter must not be negative")
	}
	return nil
}

// Methods are the ways to prove a property.
func (p *Prover) Methods(property Property) []ProofMethod {
	if property.IsDomain() {
		return []ProofMethod{ProofDNS}
	}
	return []ProofMethod{ProofMeta, ProofFile, ProofDNS}
}

// Challenge says what the owner, who is known by account, must put where. The error matches ErrConfig.
func (p *Prover) Challenge(account string, property Property, method ProofMethod) (Challenge, error) {
	if err := p.Validate(); err != nil {
		return Challenge{}, err
	}
	bad := func(reason string) (Challenge, error) {
		return Challenge{}, &Error{Op: "ownership", URL: property.String(), Kind: ErrConfig, Reason: reason}
	}
	switch {
	case property == Property{}:
		return bad("no property; see ParseProperty")
	case account == "" || strings.ContainsRune(account, 0):
		return bad("the account is empty or holds a NUL")
	case property.IsDomain() && method != ProofDNS:
		return bad("a domain property is proved by DNS only: a page or a file speaks for one host")
	}
	host := property.Host()
	c := Challenge{Method: method, Token: p.token(account, host, string(method))}
	value := p.word() + "-site-verification"
	switch method {
	case ProofMeta:
		c.Where, c.Put = property.Seed(), fmt.Sprintf(`<meta name="%s" content="%s">`, value, c.Token)
	case ProofFile:
		// The file's name tells nothing of its content: a server that answers with what it was asked for proves nothing.
		c.Where, c.Put = p.fileURL(property, p.token(account, host, "file name")), c.Token
	case ProofDNS:
		if strings.HasPrefix(host, "[") || net.ParseIP(host) != nil {
			return bad("an address has no TXT records")
		}
		c.Where, c.Put = p.recordName("challenge", host), value+"="+c.Token
	default:
		return bad(fmt.Sprintf("there is no method %q", method))
	}
	return c, nil
}

func (p *Prover) word() string { return strings.ToLower(p.Name) }

func (p *Prover) token(account, host, method string) string {
	return ownership.Token(p.Secret, account, host, method)
}

func (p *Prover) fileURL(property Property, name string) string {
	return string(originOfKey(property.Seed())) + "/.well-known/" + p.word() + "-challenge/" + name
}

func (p *Prover) recordName(what, host string) string {
	return "_" + p.word() + "-" + what + "." + strings.TrimSuffix(host, ".")
}
