package browser

import (
	"errors"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/challenge"
	"github.com/amblecrawl/amble/internal/netguard"
)

// documentAnswer decides, while the browser holds the answer of the document, whether it is a page to show. Nothing of it
// has run yet: a challenge ends here (S10, S11).
func (l *load) documentAnswer(e fetch.EventRequestPaused) {
	l.mu.Lock()
	if !l.document.heard.IsZero() {
		l.mu.Unlock()
		l.chrome.proceed(l, e)
		return
	}
	l.document.heard = time.Now()
	l.phase = phaseAnswering
	sent := l.document.sent
	l.mu.Unlock()
	if e.ResponseErrorReason != "" {
		l.chrome.proceed(l, e) // as it is: the navigation then says more of it
		l.decide(nil, true, l.documentError(e))
		return
	}
	status := int(e.ResponseStatusCode)
	resp := &amble.Response{
		URL: l.req.URL, Status: status, Proto: "HTTP/1.1", Header: headerOf(e.ResponseHeaders), Sent: sent,
		Timing: amble.Timing{FirstByte: time.Since(sent)},
	}
	if addr := l.remote(l.req.URL.String()); addr.IsValid() {
		port, _ := strconv.ParseUint(hostPort(l.req.URL)[strings.LastIndexByte(hostPort(l.req.URL), ':')+1:], 10, 16)
		resp.Addr = netip.AddrPortFrom(addr, uint16(port))
	}
	bodyless := status >= 300 && status < 400 || status == http.StatusNoContent || status == http.StatusResetContent
	if bodyless || l.req.Accept != nil && !l.req.Accept(status, resp.Header) {
		if !bodyless {
			resp.Cut = amble.CutUnwanted
		}
		l.abort(e)
		l.finishAnswer(resp)
		return
	}
	body, taken, err := l.readBody(e, resp)
	if err != nil {
		l.abort(e)
		l.decide(nil, true, failure(l.req, amble.ErrUnreachable, "the body did not come", err))
		return
	}
	resp.Body = body
	resp.EncodedBytes = int64(len(body))
	verdict := challenge.Detect(challenge.Answer{URL: l.req.URL.String(), Status: status, Header: resp.Header, Body: body})
	switch {
	case resp.Cut != amble.CutNone, verdict.Blocked, !isPage(resp.Header, body),
		(status < 200 || status > 299) && (!l.chrome.r.RenderErrors || amble.Throttled(status, resp.Header)):
		l.abort(e)
		l.finishAnswer(resp)
	default:
		l.decide(resp, false, nil)
		l.deliver(e, body, taken)
	}
}

// isPage reports whether an answer is a document that a browser shows as a page.
func isPage(h http.Header, body []byte) bool {
	if kind, _, err := mime.ParseMediaType(h.Get("Content-Disposition")); err == nil && kind == "attachment" {
		return false
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// abort ends the document's request without showing anything.
func (l *load) abort(e fetch.EventRequestPaused) {
	post(l.chrome.conn.browser, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
}

// decide publishes the document's answer.
func (l *load) decide(resp *amble.Response, final bool, err error) {
	l.mu.Lock()
	l.answer, l.final, l.err = resp, final, err
	if !final {
		l.phase = phaseRendering
		l.busy = time.Now()
	}
	l.mu.Unlock()
	close(l.answered)
}

func (l *load) finishAnswer(resp *amble.Response) {
	resp.Timing.Total = time.Since(resp.Sent)
	l.decide(resp, true, nil)
}

// deliver hands the document to the page: as it came, or, when its body was taken as a stream, by value.
func (l *load) deliver(e fetch.EventRequestPaused, body []byte, taken bool) {
	headers, changed := withoutSpeculation(e.ResponseHeaders)
	quiet, rewritten := hushSpeculation(body)
	if !taken && !rewritten {
		if !changed {
			l.chrome.proceed(l, e)
			return
		}
		post(l.chrome.conn.browser, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: e.RequestID, ResponseCode: e.ResponseStatusCode, ResponseHeaders: headers})
		return
	}
	plain := headers[:0:0]
	for _, h := range headers {
		switch strings.ToLower(h.Name) {
		case "content-encoding", "content-length", "transfer-encoding":
		default:
			plain = append(plain, h)
		}
	}
	post(l.chrome.conn.browser, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: e.RequestID, ResponseCode: e.ResponseStatusCode, ResponsePhrase: e.ResponseStatusText, ResponseHeaders: plain, Body: quiet,
	})
}

// withoutSpeculation drops the header that asks the browser to fetch what nobody may ever look at: such requests pass by
// the interception.
func withoutSpeculation(headers []*fetch.HeaderEntry) (out []*fetch.HeaderEntry, changed bool) {
	for _, h := range headers {
		if strings.EqualFold(h.Name, "Speculation-Rules") {
			changed = true
			continue
		}
		out = append(out, h)
	}
	return out, changed
}

// hushSpeculation gives speculation rules in the document another type, of the same length, which does nothing.
func hushSpeculation(body []byte) (out []byte, changed bool) {
	const name, none = "speculationrules", "speculation-none"
	lower := strings.ToLower(string(body))
	if !strings.Contains(lower, name) {
		return body, false
	}
	out = append([]byte(nil), body...)
	for at := 0; ; {
		i := strings.Index(lower[at:], name)
		if i < 0 {
			return out, changed
		}
		at += i
		// Only as an attribute's value: type="speculationrules".
		before := strings.TrimRight(lower[:at], " \t\r\n\f\"'")
		if strings.HasSuffix(before, "=") && len(lower) == len(body) {
			copy(out[at:], none)
			changed = true
		}
		at += len(name)
	}
}

// bodyLimit is how much of the document may be read.
func (l *load) bodyLimit() int64 {
	if l.req.MaxBytes >= 0 {
		return l.req.MaxBytes
	}
	return l.limits.Document
}

// readBody reads the document's body, up to its limit. A body whose decoded size is known beforehand is read and left where
// it is. Any other is taken as a stream, so that one that grows without end cannot fill the browser's memory.
func (l *load) readBody(e fetch.EventRequestPaused, resp *amble.Response) (body []byte, taken bool, err error) {
	limit := l.bodyLimit()
	if limit == 0 {
		resp.Cut = amble.CutUnwanted
		return nil, false, nil
	}
	size, sizeErr := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 64)
	s := l.chrome.conn.browser
	if sizeErr == nil && size <= limit && resp.Header.Get("Content-Encoding") == "" {
		whole, err := cdp.Call(l.ctx, s, fetch.GetResponseBody, fetch.GetResponseBodyParams{RequestID: e.RequestID})
		if err != nil {
			return nil, false, err
		}
		if int64(len(whole.Body)) < size {
			resp.Cut = amble.CutBroken
		}
		return whole.Body, false, nil
	}
	stream, err := cdp.Call(l.ctx, s, fetch.TakeResponseBodyAsStream, fetch.TakeResponseBodyAsStreamParams{RequestID: e.RequestID})
	if err != nil {
		return nil, false, err
	}
	defer post(s, cdpio.Close, cdpio.CloseParams{Handle: stream.Stream})
	for {
		part, err := cdp.Call(l.ctx, s, cdpio.Read, cdpio.ReadParams{Handle: stream.Stream, Size: min(256<<10, limit-int64(len(body))+1)})
		if err != nil {
			if l.ctx.Err() == nil && len(body) > 0 {
				resp.Cut = amble.CutBroken
				return body, true, nil
			}
			return nil, true, err
		}
		body = append(body, part.Data...)
		if int64(len(body)) > limit {
			resp.Cut = amble.CutLimit
			return body[:limit], true, nil
		}
		if part.EOF {
			return body, true, nil
		}
	}
}

// remote is the address that the proxy reached a URL's server at.
func (l *load) remote(rawURL string) netip.Addr {
	u, err := url.Parse(rawURL)
	if err != nil || l.tab.site.proxy == nil {
		return netip.Addr{}
	}
	return l.tab.site.proxy.Remote(hostPort(u))
}

// documentError says why no answer came. The proxy knows more than the browser, which sees a closed connection only.
func (l *load) documentError(e fetch.EventRequestPaused) error {
	cause := netError(e.ResponseErrorReason)
	kind := amble.ErrUnreachable
	f := &amble.FetchError{Trouble: amble.TroubleNetwork, Err: cause}
	switch e.ResponseErrorReason {
	case network.ErrorReasonNameNotResolved:
		f.Trouble = amble.TroubleDNS
	case network.ErrorReasonConnectionRefused:
		f.Trouble = amble.TroubleRefused
	case network.ErrorReasonTimedOut:
		f.Trouble = amble.TroubleTimeout
	case network.ErrorReasonConnectionReset, network.ErrorReasonConnectionClosed, network.ErrorReasonConnectionAborted:
		f.Trouble = amble.TroubleReset
	}
	if l.tab.site.proxy != nil {
		if trouble := l.tab.site.proxy.Trouble(hostPort(l.req.URL)); trouble != nil {
			f.Err = trouble
			if errors.Is(trouble, syscall.ECONNREFUSED) {
				f.Trouble = amble.TroubleRefused
			}
			if guard, ok := errors.AsType[*netguard.Error](trouble); ok {
				kind, f.Trouble, f.Rule = amble.ErrForbiddenAddr, amble.TroubleForbidden, string(guard.Rule)
			}
		}
	}
	return failure(l.req, kind, "", f)
}

// explain makes a network failure more precise by the error text of the navigation, which knows certificates.
func explain(err, navigation error) error {
	f, ok := errors.AsType[*amble.FetchError](err)
	if !ok || f.Trouble != amble.TroubleNetwork || navigation == nil {
		return err
	}
	text := navigation.Error()
	for _, row := range []struct {
		text    string
		trouble amble.Trouble
	}{
		{"ERR_CERT_AUTHORITY_INVALID", amble.TroubleCertIssuer}, {"ERR_CERT_COMMON_NAME_INVALID", amble.TroubleCertName},
		{"ERR_CERT_DATE_INVALID", amble.TroubleCertExpired}, {"ERR_CERT_", amble.TroubleCertInvalid}, {"ERR_SSL_", amble.TroubleTLS},
		{"ERR_NAME_NOT_RESOLVED", amble.TroubleDNS},
	} {
		if strings.Contains(text, row.text) {
			f.Trouble, f.Err = row.trouble, navigation
			return err
		}
	}
	return err
}

// netError is a failure that the browser's network reports.
type netError network.ErrorReason

func (e netError) Error() string { return "browser: " + string(e) }

func asError(err error, target **amble.Error) bool { return errors.As(err, target) }
