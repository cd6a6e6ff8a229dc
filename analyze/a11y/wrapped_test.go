package a11y

import (
	"slices"
	"strings"
)

var (
	// pageLevel are rules about the page as a whole: what is in a frame or hidden says nothing about it.
	pageLevel = []string{"html-lang", "html-lang-valid", "page-language", "page-title", "meta-viewport",
		"heading-order", "page-has-heading", "landmark-main", "landmark-top", "landmark-unique", "region",
		"bypass", "bypass-heading", "bypass-landmark", "bypass-link"}

	// alsoHidden are rules about the code, whether it is shown or not: what is hidden may be shown later, or is used by
	// what is shown.
	alsoHidden = []string{"aria-attr-valid", "aria-value-valid", "duplicate-id", "motion-alternative"}

	// fineHidden are rules that are kept by what is hidden, so that it passes.
	fineHidden = []string{"aria-hidden-focus", "decorative-exposed"}
)

// wrapped returns the outcome of a rule for a page of our own that stands in a shadow tree, in a frame, or in an element
// that is not shown.
func wrapped(rule, how, want, html string) string {
	whole := slices.Contains(pageLevel, rule)
	switch {
	case how == "in a shadow root" && want == "passed" && (rule == "bypass" || rule == "bypass-link") && strings.Contains(html, `href="#`):
		return "failed" // the target of a link is not looked for in shadow trees
	case whole && how != "in a shadow root":
		return "not failed"
	case how == "in a frame" && rule == "frame-name" && want == "inapplicable":
		return "passed" // the frame around has a name
	case how != "hidden" || slices.Contains(alsoHidden, rule):
		return want
	case slices.Contains(fineHidden, rule) && want != "inapplicable":
		return "passed"
	}
	return "inapplicable"
}
