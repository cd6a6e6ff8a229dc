// Package a11y judges the accessibility of pages: WCAG 2.2 by the published rules of W3C's ACT community, WAI-ARIA 1.2,
// the HTML Accessibility API Mappings and the Accessible Name and Description Computation 1.2, and good practice beside.
//
// The rules run over one model of a page: the flat tree of its nodes with attributes and styles, and what a browser
// measured when one rendered the page. Nothing is put into the page, so no page can break a check and no content
// security policy matters.
//
//   - CheckHTML is the static form: HTML in, Report out, no browser. It knows style elements, style attributes and the
//     style sheets it is given, declarative shadow roots and srcdoc frames.
//   - CheckSnapshot judges a page as a browser showed it, with contrast, sizes and what scripts built.
//   - Analyzer does both for a crawl, and with Compare judges at its end what takes several pages.
//
// A browser can also try a page out: browser.Renderer's Keyboard presses Tab, Zoom shows the page as at 200 % and 400 %,
// and Capture.Listeners lists who waits for events. The rules about focus, keyboard traps, text that is cut off or sticks
// out, and shortcuts then judge what happened instead of reading code. Shortcuts and reflow are untested without.
//
// Every rule answers with one of the five outcomes of EARL. What cannot be decided is cantTell with the reason; what was
// not run is untested with the reason; nothing is left out in silence. A page without failures is not proven accessible:
// a machine sees perhaps a third of what the criteria ask for.
//
// Files: rule.go what a rule is; registry.go the table of all rules; rules_*.go the rules by family; texts.json what
// people read, in five languages; wcag.go and criteria.json the success criteria; earl/ the report that W3C accepts;
// conformance/ tables by standard and an OpenACR draft.
package a11y
