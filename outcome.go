package amble

// Outcome is how a URL ended. Every URL that a crawl ever saw ends in exactly one, with a reason. Only Analysed pages
// count in an estimate; the others are "not analysed" and never a defect of the site (S20).
type Outcome uint8

const (
	// OutcomeNone is the zero value: the URL has not ended yet.
	OutcomeNone Outcome = iota

	// OutcomeAnalysed: the page was answered with success and the Analyzers saw it.
	OutcomeAnalysed

	// OutcomeUnchanged: a conditional request was answered 304; what the last run knew still holds.
	OutcomeUnchanged

	// OutcomeRedirected: the answer was a redirect. Its target is a decision of its own, and another page.
	OutcomeRedirected

	// OutcomeHTTPError: the server answered with a final 4xx or 5xx status. Only rules that ask for error answers see
	// it (NeedErrors).
	OutcomeHTTPError

	// OutcomeNotHTML: an answer that is not a page (an image, a PDF). Its body was not read to the end.
	OutcomeNotHTML

	// OutcomeTooLarge: the body reached Budget.PageBytes. What was read was analysed as a partial page.
	OutcomeTooLarge

	// OutcomeTruncated: the body broke off. What was read was analysed as a partial page.
	OutcomeTruncated

	// OutcomeDisallowed: robots.txt forbids it, or robots.txt could not be read.
	OutcomeDisallowed

	// OutcomeOutOfScope: the Scope does not cover it.
	OutcomeOutOfScope

	// OutcomeForbidden: the address guard refused where it leads.
	OutcomeForbidden

	// OutcomeThrottled: the server said "not now" (429, or 503 with Retry-After) until the attempts ended.
	OutcomeThrottled

	// OutcomeBlocked: a challenge or block page came instead of the page (S11).
	OutcomeBlocked

	// OutcomeUnreachable: no usable answer: name, connection, TLS, time, protocol.
	OutcomeUnreachable

	// OutcomeGivenUp: not asked for, because the site was given up (S21).
	OutcomeGivenUp

	// OutcomeOverBudget: not asked for, because a limit was reached or the URL looks like a trap.
	OutcomeOverBudget

	// OutcomeBadURL: not a URL that can be asked for.
	OutcomeBadURL

	// OutcomeCancelled: the crawl was cancelled before the URL's turn came or its answer was read.
	OutcomeCancelled

	outcomeCount
)

var outcomeNames = [outcomeCount]string{
	"none", "analysed", "unchanged", "redirected", "http-error", "not-html", "too-large", "truncated", "disallowed",
	"out-of-scope", "forbidden", "throttled", "blocked", "unreachable", "given-up", "over-budget", "bad-url", "cancelled",
}

// String returns the outcome's stable name, such as "out-of-scope": the one used in reports.
func (o Outcome) String() string {
	if o < outcomeCount {
		return outcomeNames[o]
	}
	return "unknown"
}

// MarshalText writes the name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a name that String wrote.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i, name := range outcomeNames {
		if name == string(text) {
			*o = Outcome(i)
			return nil
		}
	}
	return &Error{Op: "outcome", Kind: ErrConfig, Reason: "unknown outcome " + string(text)}
}

// Asked reports whether the server gave an answer that ended the URL this way.
func (o Outcome) Asked() bool {
	switch o {
	case OutcomeAnalysed, OutcomeUnchanged, OutcomeRedirected, OutcomeHTTPError, OutcomeNotHTML, OutcomeTooLarge,
		OutcomeTruncated, OutcomeThrottled, OutcomeBlocked:
		return true
	}
	return false
}

// Source says how a URL became known.
type Source uint8

const (
	SourceSeed     Source = iota // given by the caller
	SourceLink                   // found on a page
	SourceSitemap                // listed in a sitemap
	SourceRedirect               // the target of a redirect
	sourceCount
)

var sourceNames = [sourceCount]string{"seed", "link", "sitemap", "redirect"}

// String returns the source's stable name.
func (s Source) String() string {
	if s < sourceCount {
		return sourceNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
