package a11y

import (
	"slices"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Rules returns all rules, in a stable order. The slice is the caller's.
func Rules() []Rule { return slices.Clone(rules) }

// ByACT returns the rules that report failures of a W3C ACT rule.
func ByACT(id string) []Rule {
	var out []Rule
	for _, r := range rules {
		if slices.Contains(r.ACT, id) {
			out = append(out, r)
		}
	}
	return out
}

func act(ids ...string) []string { return ids }
func sc(ids ...string) []string  { return ids }

// rules is the table of all checks.
var rules = []Rule{
	// The page.
	{ID: "html-lang", ACT: act("b5c3f8"), SC: sc("3.1.1"), Severity: amble.Serious, run: htmlLang},
	{ID: "html-lang-valid", ACT: act("bf051a"), SC: sc("3.1.1"), Severity: amble.Serious, run: htmlLangValid},
	{ID: "lang-valid", ACT: act("de46e4"), SC: sc("3.1.2"), Severity: amble.Serious, Styles: true, run: partLang},
	{ID: "page-language", ACT: act("ucwvc8"), SC: sc("3.1.1"), Severity: amble.Serious, Styles: true, run: pageLanguage},
	{ID: "part-language", ACT: act("off6ek"), SC: sc("3.1.2"), Severity: amble.Warning, Styles: true, run: partLanguage},
	{ID: "page-title", ACT: act("2779a5"), SC: sc("2.4.2"), Severity: amble.Serious, run: pageTitle},
	{ID: "meta-refresh", ACT: act("bc659a"), SC: sc("2.2.1"), Severity: amble.Critical, run: metaRefresh},
	{ID: "meta-refresh-any", ACT: act("bisz58"), SC: sc("2.2.4", "3.2.5"), Severity: amble.Notice, run: metaRefreshAAA},
	{ID: "meta-viewport", ACT: act("b4f0c3"), SC: sc("1.4.4"), Severity: amble.Serious, run: metaViewport},

	// Text alternatives and names.
	{ID: "image-name", ACT: act("23a2a8"), SC: sc("1.1.1"), Severity: amble.Critical, Styles: true, run: imageName},
	{ID: "decorative-exposed", ACT: act("46ca7f"), SC: nil, Severity: amble.Warning, Styles: true, run: decorativeExposed},
	{ID: "svg-name", ACT: act("7d6734"), SC: sc("1.1.1"), Severity: amble.Serious, Styles: true, run: svgName},
	{ID: "object-name", ACT: act("8fc3b6"), SC: sc("1.1.1"), Severity: amble.Serious, Styles: true, run: objectName},
	{ID: "image-button-name", ACT: act("59796f"), SC: sc("1.1.1", "4.1.2"), Severity: amble.Critical, Styles: true, run: imageButtonName},
	{ID: "link-name", ACT: act("c487ae"), SC: sc("4.1.2", "2.4.4", "2.4.9"), Severity: amble.Serious, Styles: true, run: named(isLink, "The link has no name: neither text nor a text alternative inside of it.")},
	{ID: "button-name", ACT: act("97a4e1"), SC: sc("4.1.2"), Severity: amble.Critical, Styles: true, run: named(isButton, "The button has no name.")},
	{ID: "menuitem-name", ACT: act("m6b1q3"), SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: named(isMenuitem, "The menu item has no name.")},
	{ID: "field-name", ACT: act("e086e5"), SC: sc("4.1.2"), Severity: amble.Critical, Styles: true, run: named(func(n *dom.Node) bool { return isField(n) || isPlainField(n) }, "The form field has no name: no label belongs to it.")},
	{ID: "widget-name", SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: named(isNamedWidget, "The element has a role that needs a name, and has none.")},
	{ID: "summary-name", ACT: act("2t702h"), SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: summaryName},
	{ID: "frame-name", ACT: act("cae760"), SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: frameName},
	{ID: "heading-name", ACT: act("ffd0e9"), SC: nil, Severity: amble.Warning, Styles: true, run: named(isHeading, "The heading is empty.")},
	{ID: "label-in-name", ACT: act("2ee8b8"), SC: sc("2.5.3"), Severity: amble.Serious, Styles: true, run: labelInName},

	// Roles, states and properties.
	{ID: "aria-attr-valid", ACT: act("5f99a7"), SC: nil, Severity: amble.Serious, run: ariaAttrValid},
	{ID: "role-valid", ACT: act("674b10"), SC: nil, Severity: amble.Serious, Styles: true, run: roleValid},
	{ID: "aria-value-valid", ACT: act("6a7281"), SC: nil, Severity: amble.Serious, run: ariaValueValid},
	{ID: "aria-required", ACT: act("4e8ab6"), SC: nil, Severity: amble.Serious, Styles: true, run: ariaRequired},
	{ID: "aria-allowed", ACT: act("5c01ea"), SC: nil, Severity: amble.Serious, Styles: true, run: ariaAllowed},
	{ID: "aria-prohibited", ACT: act("kb1m8s"), SC: nil, Severity: amble.Warning, Styles: true, run: ariaProhibited},
	{ID: "aria-parent", ACT: act("ff89c9"), SC: sc("1.3.1"), Severity: amble.Serious, Styles: true, run: requiredParent},
	{ID: "aria-children", ACT: act("bc4a75"), SC: sc("1.3.1"), Severity: amble.Serious, Styles: true, run: requiredChildren},
	{ID: "aria-hidden-focus", ACT: act("6cfa84"), SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: ariaHiddenFocus},
	{ID: "aria-hidden-body", SC: sc("4.1.2"), Severity: amble.Critical, run: ariaHiddenBody},
	{ID: "nested-interactive", ACT: act("307n5z"), SC: sc("4.1.2"), Severity: amble.Serious, Styles: true, run: nestedInteractive},

	// Forms.
	{ID: "autocomplete-valid", ACT: act("73f2c2"), SC: sc("1.3.5"), Severity: amble.Serious, Styles: true, run: autocompleteValid},
	{ID: "label-title-only", Severity: amble.Warning, Styles: true, BestPractice: true, run: labelOnlyTitle},
	{ID: "label-multiple", Severity: amble.Warning, Styles: true, BestPractice: true, run: multipleLabels},

	// Tables.
	{ID: "table-headers-attr", ACT: act("a25f45"), SC: sc("1.3.1"), Severity: amble.Serious, Styles: true, run: headersAttr},
	{ID: "table-header-cells", ACT: act("d0f69e"), SC: sc("1.3.1"), Severity: amble.Serious, Styles: true, run: headerCells},
	{ID: "table-scope-valid", Severity: amble.Warning, Styles: true, BestPractice: true, run: scopeValid},

	// Structure and navigation.
	{ID: "heading-order", Severity: amble.Warning, Styles: true, BestPractice: true, run: headingOrder},
	{ID: "page-has-heading", Severity: amble.Warning, Styles: true, BestPractice: true, run: pageHasHeading},
	{ID: "landmark-main", Severity: amble.Warning, Styles: true, BestPractice: true, run: landmarkMain},
	{ID: "landmark-top", Severity: amble.Warning, Styles: true, BestPractice: true, run: landmarkTop},
	{ID: "landmark-unique", Severity: amble.Warning, Styles: true, BestPractice: true, run: landmarkUnique},
	{ID: "region", Severity: amble.Warning, Styles: true, BestPractice: true, run: region},
	{ID: "list-structure", SC: sc("1.3.1"), Severity: amble.Serious, Styles: true, run: listStructure},
	{ID: "duplicate-id", SC: sc("4.1.2"), Severity: amble.Serious, run: duplicateID},
	{ID: "tabindex-positive", Severity: amble.Warning, BestPractice: true, run: positiveTabindex},
	{ID: "accesskey-unique", Severity: amble.Warning, BestPractice: true, run: accessKeys},
	{ID: "image-map-server", SC: sc("2.1.1"), Severity: amble.Serious, Styles: true, run: imageMapServer},
	{ID: "moving-text", SC: sc("2.2.2"), Severity: amble.Serious, Styles: true, run: movingText},
	{ID: "alt-redundant", Severity: amble.Notice, Styles: true, BestPractice: true, run: redundantAlt},
	{ID: "role-allowed", Severity: amble.Warning, Styles: true, BestPractice: true, run: roleAllowed},
	{ID: "frame-tabindex", ACT: act("akn7bn"), SC: sc("2.1.1", "2.1.3"), Severity: amble.Serious, Styles: true, run: frameTabindex},
	{ID: "focus-visible", ACT: act("oj04fd"), SC: sc("2.4.7"), Severity: amble.Serious, Styles: true, run: focusVisible},
	{ID: "tab-trap", ACT: act("a1b64e"), Severity: amble.Serious, Styles: true, run: tabTrap},
	{ID: "keyboard-trap", ACT: act("80af7b", "ebe86a"), SC: sc("2.1.2"), Severity: amble.Critical, Styles: true, run: keyboardTrap},
	{ID: "motion-alternative", ACT: act("7677a9", "c249d5"), SC: sc("2.5.4"), Severity: amble.Warning, run: motionAlternative},
	{ID: "character-shortcuts", Rendered: true, Listens: true, ACT: act("ffbc54"), SC: sc("2.1.4"), Severity: amble.Serious, run: characterShortcuts},
	{ID: "bypass-heading", Linked: true, compares: true, ACT: act("047fe0"), Severity: amble.Warning, Styles: true, BestPractice: true, run: bypassRule(freshHeading, "No heading begins the content after the blocks that pages repeat.")},
	{ID: "bypass-landmark", Linked: true, compares: true, ACT: act("b40fd1"), Severity: amble.Warning, Styles: true, BestPractice: true, run: bypassRule(freshLandmark, "No landmark begins with the content after the blocks that pages repeat.")},
	{ID: "bypass-link", Linked: true, compares: true, ACT: act("ye5d6e"), Severity: amble.Warning, Styles: true, BestPractice: true, run: bypassRule(skipsAhead, "No link skips the blocks that pages repeat.")},
	{ID: "bypass", compares: true, ACT: act("cf77f2"), SC: sc("2.4.1"), Severity: amble.Serious, Styles: true, run: bypassRule(bypass, "Nothing lets people skip the blocks that pages repeat: no heading, landmark or link.")},
	{ID: "frame-same-name", compares: true, ACT: act("4b1c6c"), SC: sc("4.1.2"), Severity: amble.Warning, Styles: true, run: frameSameName},
	{ID: "link-same-context", compares: true, ACT: act("fd3a94"), SC: sc("2.4.4", "2.4.9"), Severity: amble.Warning, Styles: true, run: linkSameContext},
	{ID: "link-same-name", compares: true, ACT: act("b20e66"), SC: sc("2.4.9"), Severity: amble.Notice, Styles: true, run: linkSameName},

	// Style.
	{ID: "orientation", ACT: act("b33eff"), SC: sc("1.3.4"), Severity: amble.Serious, Styles: true, run: orientation},
	{ID: "contrast", ACT: act("afw4f7"), SC: sc("1.4.3"), Severity: amble.Serious, Rendered: true, run: contrast(4.5, 3)},
	{ID: "contrast-enhanced", ACT: act("09o5cg"), SC: sc("1.4.6"), Severity: amble.Notice, Rendered: true, run: contrast(7, 4.5)},
	{ID: "scrollable-focus", ACT: act("0ssw9k"), SC: sc("2.1.1", "2.1.3"), Severity: amble.Serious, Rendered: true, run: scrollableFocus},
	{ID: "zoom-clip", ACT: act("59br37"), SC: sc("1.4.4"), Severity: amble.Serious, Rendered: true, run: zoomClip},
	{ID: "reflow", SC: sc("1.4.10"), Severity: amble.Serious, Rendered: true, Zoomed: true, run: reflow},
	{ID: "target-size", SC: sc("2.5.8"), Severity: amble.Serious, Rendered: true, run: targetSize},
	{ID: "link-in-text", SC: sc("1.4.1"), Severity: amble.Serious, Rendered: true, run: linkInText},
	{ID: "letter-spacing", ACT: act("24afc2"), SC: sc("1.4.12"), Severity: amble.Serious, Styles: true, run: spacing("letter-spacing", 0.12)},
	{ID: "word-spacing", ACT: act("9e45ec"), SC: sc("1.4.12"), Severity: amble.Serious, Styles: true, run: spacing("word-spacing", 0.16)},
	{ID: "line-height", ACT: act("78fd32"), SC: sc("1.4.12"), Severity: amble.Serious, Styles: true, run: spacing("line-height", 1.5)},
}
