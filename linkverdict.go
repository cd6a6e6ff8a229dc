package amble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/amblecrawl/amble/internal/challenge"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// linkAnswer is what is known of one URL by itself: where a redirect ends is another URL's answer.
type linkAnswer struct {
	known    bool
	source   string // LinkResult.Source
	status   int
	media    string // of an answer that was asked for just now
	next     string // where a redirect leads
	places   bool   // the redirect has a fragment of its own
	verdict  LinkVerdict
	problem  LinkProblem
	reason   string
	doubtful bool // it must be asked for once more before it counts
	at       time.Time
	chain    []Hop  // of a chain that was followed in one go, with its cookies
	final    string // where that ended
}

func notChecked(problem LinkProblem, reason string) linkAnswer {
	return linkAnswer{known: true, verdict: LinkNotChecked, problem: problem, reason: reason}
}

// answerOfPage reads what the crawl's own visit says of a URL. It is not known when the crawl did not ask for reasons
// that do not hold for a link check: the URL was out of scope, or over a budget.
func answerOfPage(p *Page) linkAnswer {
	a := linkAnswer{known: true, source: "crawl", status: p.Status, reason: p.Reason, at: p.Fetched}
	switch p.Outcome {
	case OutcomeAnalysed, OutcomeUnchanged, OutcomeNotHTML, OutcomeTooLarge, OutcomeTruncated:
		a.verdict, a.reason = LinkOK, ""
	case OutcomeRedirected:
		a.next, a.reason = p.Redirect, ""
		if p.Redirect == "" {
			a.unusableRedirect(p.Reason)
		}
		if p.Response != nil {
			a.places = hasFragment(p.Response.Header.Get("Location"))
		}
	case OutcomeHTTPError:
		var header http.Header
		if p.Response != nil {
			header = p.Response.Header
		}
		a.readStatus(header, nil)
	case OutcomeThrottled:
		a.verdict, a.problem = LinkUnverifiable, LinkThrottled
	case OutcomeBlocked:
		a.verdict, a.problem = LinkUnverifiable, LinkChallenge
	case OutcomeUnreachable:
		a.readError(p.Err)
	case OutcomeDisallowed:
		a.source, a.verdict, a.problem = "", LinkNotChecked, LinkDisallow
	case OutcomeForbidden:
		a.source, a.verdict, a.problem = "", LinkNotChecked, LinkForbidden
	case OutcomeGivenUp:
		a.source, a.verdict, a.problem = "", LinkNotChecked, LinkGivenUp
	case OutcomeBadURL:
		a.source, a.verdict, a.problem = "", LinkNotChecked, LinkInvalid
	default:
		if !errors.Is(p.Err, ErrTrap) {
			return linkAnswer{}
		}
		a.source, a.verdict, a.problem = "", LinkNotChecked, LinkLimit
	}
	return a
}

// answerOfExchange reads the answer to a link check.
func answerOfExchange(x exchange, u urlkey.URL) linkAnswer {
	a := linkAnswer{known: true, source: "check", at: x.sent}
	if x.err != nil {
		if x.sent.IsZero() {
			a.source = ""
		}
		a.readError(x.err)
		return a
	}
	a.status, a.media = x.resp.Status, mediaType(x.resp.Header)
	location := x.resp.Header.Get("Location")
	if a.status < 300 || a.status >= 400 || location == "" {
		a.readStatus(x.resp.Header, x.resp.Body)
		return a
	}
	target, err := urlkey.Resolve(u, location)
	if err != nil || target.Kind() != urlkey.KindHTTP {
		a.unusableRedirect(fmt.Sprintf("the Location %q cannot be followed", shortened(location)))
		return a
	}
	a.next, a.places = target.String(), target.HasFragment()
	return a
}

func hasFragment(location string) bool {
	for i := 0; i < len(location); i++ {
		if location[i] == '#' {
			return i+1 < len(location)
		}
	}
	return false
}

func (a *linkAnswer) unusableRedirect(reason string) {
	if a.status == http.StatusMultipleChoices || a.status == http.StatusNotModified {
		a.verdict, a.reason = LinkOK, "" // an answer in itself
		return
	}
	a.verdict, a.problem, a.reason, a.doubtful = LinkBroken, LinkRedirects, reason, true
}

// readStatus judges a final status. Only what says "it is not there" or "the server fails" is broken. The other 4xx are
// about the request: protection services, logins and forms answer with all of them.
func (a *linkAnswer) readStatus(header http.Header, body []byte) {
	if a.status >= 400 {
		v := challenge.Detect(challenge.Answer{Status: a.status, Header: header, Body: body})
		if v.Blocked {
			a.verdict, a.problem, a.reason = LinkUnverifiable, LinkChallenge, v.Vendor+" "+string(v.Kind)+": "+v.Evidence
			return
		}
		a.reason = fmt.Sprintf("status %d %s", a.status, http.StatusText(a.status))
	}
	switch {
	case Throttled(a.status, header):
		a.verdict, a.problem = LinkUnverifiable, LinkThrottled
	case a.status == http.StatusNotFound || a.status == http.StatusGone:
		a.verdict, a.problem = LinkBroken, LinkGone
	case a.status == http.StatusNetworkAuthenticationRequired || a.status >= 600:
		a.verdict, a.problem = LinkUnverifiable, LinkRefused
	case a.status >= 500:
		a.verdict, a.problem, a.doubtful = LinkBroken, LinkServerError, true
	case a.status >= 400:
		a.verdict, a.problem = LinkUnverifiable, LinkRefused
	case a.status >= 300 && a.status != http.StatusNotModified && a.status != http.StatusMultipleChoices:
		a.unusableRedirect(fmt.Sprintf("status %d without a Location", a.status))
	default:
		a.verdict = LinkOK
	}
}

// readError judges why no answer came. Failures that protection services bring about on purpose (a reset, silence after
// the connection, a handshake broken off) and those that browsers get over (an issuer missing from the chain) stay
// unverifiable.
func (a *linkAnswer) readError(err error) {
	a.reason = reasonOf(err)
	for _, row := range []struct {
		kind    error
		problem LinkProblem
	}{
		{ErrOutOfScope, LinkExcluded}, {ErrDisallowed, LinkDisallow}, {ErrForbiddenAddr, LinkForbidden},
		{ErrSiteGivenUp, LinkGivenUp}, {ErrBadURL, LinkInvalid}, {ErrBudget, LinkLimit}, {context.Canceled, LinkLimit},
	} {
		if errors.Is(err, row.kind) {
			a.verdict, a.problem = LinkNotChecked, row.problem
			return
		}
	}
	switch {
	case errors.Is(err, ErrThrottled):
		a.verdict, a.problem = LinkUnverifiable, LinkThrottled
		return
	case errors.Is(err, ErrProtocol): // a status such as 999 among them
		a.verdict, a.problem = LinkUnverifiable, LinkNoAnswer
		return
	}
	a.verdict, a.problem, a.doubtful = LinkBroken, LinkNoServer, true
	var failed *FetchError
	if !errors.As(err, &failed) {
		if !errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) {
			a.verdict, a.problem = LinkUnverifiable, LinkNoAnswer // a Fetcher's own error says nothing about the target
		}
		return
	}
	switch failed.Trouble {
	case TroubleCertExpired, TroubleCertName:
		a.problem = LinkCertificate
	case TroubleDNS:
		if unsure := new(net.DNSError); errors.As(err, &unsure) && !unsure.IsNotFound {
			a.verdict, a.problem = LinkUnverifiable, LinkNoAnswer // the resolver failed, which may be our own
		}
	case TroubleTimeout:
		if dial := new(net.OpError); !errors.As(err, &dial) || dial.Op != "dial" {
			a.verdict, a.problem = LinkUnverifiable, LinkNoAnswer
		}
	case TroubleReset, TroubleTLS, TroubleCertIssuer, TroubleCertInvalid, TroubleHeaderTooBig:
		a.verdict, a.problem = LinkUnverifiable, LinkNoAnswer
	}
}

// linkBody is how much of a refusal is read, to tell a challenge from a fault.
const linkBody = 64 << 10

// acceptLink ends the exchange early wherever the status says all.
func acceptLink(status int, _ http.Header) bool {
	return status >= 400 && status != http.StatusNotFound && status != http.StatusGone
}
