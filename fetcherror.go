package amble

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/amblecrawl/amble/internal/httpframe"
	"github.com/amblecrawl/amble/internal/netguard"
)

// Trouble is the kind of an exchange's failure: finer than the errors of errors.go, and stable for reports.
type Trouble string

const (
	TroubleCancelled Trouble = "cancelled" // the caller's context was cancelled
	TroubleForbidden Trouble = "forbidden" // the address guard refused; FetchError.Rule says by which rule

	TroubleDNS     Trouble = "dns"     // the name does not resolve, or the resolver does not answer
	TroubleRefused Trouble = "refused" // nobody listens on that port
	TroubleReset   Trouble = "reset"   // the connection ended before an answer
	TroubleNetwork Trouble = "network" // no way to that address, or another failure below HTTP
	TroubleTimeout Trouble = "timeout" // no answer in time

	TroubleTLS          Trouble = "tls"           // the handshake failed
	TroubleCertExpired  Trouble = "tls-expired"   // the certificate is out of its time
	TroubleCertName     Trouble = "tls-name"      // the certificate is for other names
	TroubleCertIssuer   Trouble = "tls-authority" // the certificate's issuer is not trusted
	TroubleCertInvalid  Trouble = "tls-invalid"   // the certificate has another fault
	TroubleProtocol     Trouble = "protocol"      // an answer that is not HTTP as RFC 9110 and 9112 have it
	TroubleHeaderTooBig Trouble = "header-size"   // the head of the answer is over its limit
)

// FetchError is what failed in an exchange. It is the Err of the *Error that the Fetchers of this package return; find
// it with errors.As.
type FetchError struct {
	Trouble Trouble
	Rule    string // the address guard's rule, for TroubleForbidden

	// Stale says that a connection kept from an earlier exchange ended before any answer came. Servers close kept
	// connections at will, so asking once more (through all gates, as a new request) is reasonable.
	Stale bool

	Err error // the cause
}

// Error gives the trouble and its cause; of a refusal by the address guard the cause alone, which says all.
func (e *FetchError) Error() string {
	if e.Err == nil {
		return string(e.Trouble)
	}
	if _, ok := errors.AsType[*netguard.Error](e.Err); ok && e.Trouble == TroubleForbidden {
		return e.Err.Error()
	}
	return string(e.Trouble) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// The causes that the fetcher's own watch ends an exchange with.
var (
	errTotalTime  = timeoutError("the exchange took longer than its limit")
	errHeaderTime = timeoutError("no answer within the limit")
	errStalled    = timeoutError("the body came too slowly")
)

type timeoutError string

func (e timeoutError) Error() string        { return string(e) }
func (e timeoutError) Timeout() bool        { return true }
func (e timeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// failure makes the error of an exchange without an answer. Parent is the caller's context; cause the reason why the
// exchange's own context ended, if it did.
func (x *httpExchange) failure(parent context.Context, cause, err error) error {
	f := &FetchError{Err: err}
	out := &Error{Op: "fetch", URL: x.req.URL.Redacted(), Kind: ErrUnreachable, Err: f}
	if lost := x.link.Lost(); lost != nil && errors.Is(err, httpframe.ErrRepeat) {
		f.Err = lost
	}
	if _, ok := errors.AsType[*netguard.Error](err); ok {
		return forbidden(out.URL, err)
	}
	if ended := endOf(parent); ended != nil {
		f.Trouble, f.Err = TroubleTimeout, ended
		if errors.Is(ended, context.Canceled) {
			f.Trouble, out.Kind = TroubleCancelled, nil
		}
		return out
	}
	if _, ok := cause.(timeoutError); ok {
		f.Trouble, f.Err = TroubleTimeout, cause
		return out
	}
	f.Trouble = x.trouble(f.Err)
	f.Stale = f.Trouble == TroubleReset && (x.reused || errors.Is(err, httpframe.ErrRepeat))
	if f.Trouble == TroubleProtocol || f.Trouble == TroubleHeaderTooBig {
		out.Kind = ErrProtocol
	}
	return out
}

// endOf returns why a context ended: its error with its cause, or the cause alone where it is one of our own limits, also
// when a stopwatch of ours cancelled it.
func endOf(ctx context.Context) error {
	err, why := ctx.Err(), context.Cause(ctx)
	if _, ours := why.(timeoutError); ours || err == nil || errors.Is(why, err) || errors.Is(why, context.DeadlineExceeded) {
		return why
	}
	return fmt.Errorf("%w: %w", err, why)
}

// trouble sorts the errors of net, crypto/tls and net/http.
func (x *httpExchange) trouble(err error) Trouble {
	if _, ok := errors.AsType[timeoutError](err); ok {
		return TroubleTimeout
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return TroubleDNS
	}
	if t := certTrouble(err); t != "" {
		return t
	}
	var netErr net.Error
	timeout := errors.As(err, &netErr) && netErr.Timeout()
	switch {
	case timeout:
		return TroubleTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return TroubleRefused
	case isTLS(err):
		return TroubleTLS
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return TroubleReset
	case x.conn == nil && !x.foreign:
		return TroubleNetwork
	// net/http has no types for these.
	case strings.Contains(err.Error(), "response headers exceeded"), strings.Contains(err.Error(), "header list larger than"):
		return TroubleHeaderTooBig
	case strings.Contains(err.Error(), "PROTOCOL_ERROR"): // HTTP/2, RFC 9113 section 7
		return TroubleProtocol
	case x.firstByte.Load() == 0 && !x.foreign:
		return TroubleReset
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return TroubleNetwork
	}
	if x.foreign && !strings.Contains(err.Error(), "malformed") {
		return TroubleNetwork
	}
	return TroubleProtocol
}

// certTrouble names what is wrong with a certificate, or returns the empty string.
func certTrouble(err error) Trouble {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return TroubleCertExpired
		}
		return TroubleCertInvalid
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return TroubleCertName
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return TroubleCertIssuer
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return TroubleCertInvalid
	}
	return ""
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	_, ok := errors.AsType[*handshakeError](err)
	return ok
}

// handshakeError marks what went wrong in the TLS handshake, which crypto/tls does not always type.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// timeoutIn turns the end of a step's own context into a timeout of that step.
func timeoutIn(step string, limit time.Duration) error {
	return timeoutError(step + " took longer than " + limit.String())
}
