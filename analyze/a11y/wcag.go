package a11y

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// Criterion is a success criterion of WCAG.
type Criterion struct {
	Number string // "1.4.3"
	ID     string // W3C's own id, "contrast-minimum"
	Name   string
	Level  string // "A", "AA", "AAA"
	Since  string // the WCAG version that brought it: "2.0", "2.1", "2.2"
}

// Criteria returns all success criteria of WCAG 2.0 to 2.2 in order. 4.1.1 Parsing is among them: WCAG 2.2 dropped it,
// EN 301 549 V3.2.1 still has it. The slice is the caller's.
func Criteria() []Criterion { return slices.Clone(criteria) }

// CriterionByNumber returns a criterion by its number, and whether it exists.
func CriterionByNumber(number string) (Criterion, bool) {
	for _, c := range criteria {
		if c.Number == number {
			return c, true
		}
	}
	return Criterion{}, false
}

//go:embed criteria.json
var criteriaJSON []byte

// criterionNames are the names in the languages beside English, by number and language.
var criterionNames = sync.OnceValue(func() map[string]map[string]string {
	var m map[string]map[string]string
	if err := json.Unmarshal(criteriaJSON, &m); err != nil {
		return nil // TestCriterionNames proves that it cannot happen
	}
	return m
})

// Title returns the criterion's name in a language, in English when it is not written in it.
func (c Criterion) Title(lang string) string {
	if t := criterionNames()[c.Number][lang]; t != "" {
		return t
	}
	return c.Name
}

// Versions of EN 301 549 that are in use: V3.2.1 follows WCAG 2.1, V4.1.1 follows WCAG 2.2; both ask for levels A and AA.
const (
	EN301549V321 = "V3.2.1"
	EN301549V411 = "V4.1.1"
)

// Clause returns the clause of EN 301 549 about web pages that holds the criterion, "9.1.4.3"; "" when that version does
// not ask for it.
func (c Criterion) Clause(version string) string {
	if c.Level == "AAA" {
		return ""
	}
	switch version {
	case EN301549V321:
		if c.Since == "2.2" {
			return ""
		}
	case EN301549V411:
		if c.Number == "4.1.1" {
			return ""
		}
	default:
		return ""
	}
	return "9." + c.Number
}

// Coverage tells how far a criterion is judged here: the rules that can fail it, none when only people can judge it.
// That rules find nothing never proves that a criterion is met.
func (c Criterion) Coverage() []Rule {
	var out []Rule
	for _, r := range rules {
		if slices.Contains(r.SC, c.Number) {
			out = append(out, r)
		}
	}
	return out
}

var criteria = []Criterion{
	{"1.1.1", "non-text-content", "Non-text Content", "A", "2.0"},
	{"1.2.1", "audio-only-and-video-only-prerecorded", "Audio-only and Video-only (Prerecorded)", "A", "2.0"},
	{"1.2.2", "captions-prerecorded", "Captions (Prerecorded)", "A", "2.0"},
	{"1.2.3", "audio-description-or-media-alternative-prerecorded", "Audio Description or Media Alternative (Prerecorded)", "A", "2.0"},
	{"1.2.4", "captions-live", "Captions (Live)", "AA", "2.0"},
	{"1.2.5", "audio-description-prerecorded", "Audio Description (Prerecorded)", "AA", "2.0"},
	{"1.2.6", "sign-language-prerecorded", "Sign Language (Prerecorded)", "AAA", "2.0"},
	{"1.2.7", "extended-audio-description-prerecorded", "Extended Audio Description (Prerecorded)", "AAA", "2.0"},
	{"1.2.8", "media-alternative-prerecorded", "Media Alternative (Prerecorded)", "AAA", "2.0"},
	{"1.2.9", "audio-only-live", "Audio-only (Live)", "AAA", "2.0"},
	{"1.3.1", "info-and-relationships", "Info and Relationships", "A", "2.0"},
	{"1.3.2", "meaningful-sequence", "Meaningful Sequence", "A", "2.0"},
	{"1.3.3", "sensory-characteristics", "Sensory Characteristics", "A", "2.0"},
	{"1.3.4", "orientation", "Orientation", "AA", "2.1"},
	{"1.3.5", "identify-input-purpose", "Identify Input Purpose", "AA", "2.1"},
	{"1.3.6", "identify-purpose", "Identify Purpose", "AAA", "2.1"},
	{"1.4.1", "use-of-color", "Use of Color", "A", "2.0"},
	{"1.4.2", "audio-control", "Audio Control", "A", "2.0"},
	{"1.4.3", "contrast-minimum", "Contrast (Minimum)", "AA", "2.0"},
	{"1.4.4", "resize-text", "Resize Text", "AA", "2.0"},
	{"1.4.5", "images-of-text", "Images of Text", "AA", "2.0"},
	{"1.4.6", "contrast-enhanced", "Contrast (Enhanced)", "AAA", "2.0"},
	{"1.4.7", "low-or-no-background-audio", "Low or No Background Audio", "AAA", "2.0"},
	{"1.4.8", "visual-presentation", "Visual Presentation", "AAA", "2.0"},
	{"1.4.9", "images-of-text-no-exception", "Images of Text (No Exception)", "AAA", "2.0"},
	{"1.4.10", "reflow", "Reflow", "AA", "2.1"},
	{"1.4.11", "non-text-contrast", "Non-text Contrast", "AA", "2.1"},
	{"1.4.12", "text-spacing", "Text Spacing", "AA", "2.1"},
	{"1.4.13", "content-on-hover-or-focus", "Content on Hover or Focus", "AA", "2.1"},
	{"2.1.1", "keyboard", "Keyboard", "A", "2.0"},
	{"2.1.2", "no-keyboard-trap", "No Keyboard Trap", "A", "2.0"},
	{"2.1.3", "keyboard-no-exception", "Keyboard (No Exception)", "AAA", "2.0"},
	{"2.1.4", "character-key-shortcuts", "Character Key Shortcuts", "A", "2.1"},
	{"2.2.1", "timing-adjustable", "Timing Adjustable", "A", "2.0"},
	{"2.2.2", "pause-stop-hide", "Pause, Stop, Hide", "A", "2.0"},
	{"2.2.3", "no-timing", "No Timing", "AAA", "2.0"},
	{"2.2.4", "interruptions", "Interruptions", "AAA", "2.0"},
	{"2.2.5", "re-authenticating", "Re-authenticating", "AAA", "2.0"},
	{"2.2.6", "timeouts", "Timeouts", "AAA", "2.1"},
	{"2.3.1", "three-flashes-or-below-threshold", "Three Flashes or Below Threshold", "A", "2.0"},
	{"2.3.2", "three-flashes", "Three Flashes", "AAA", "2.0"},
	{"2.3.3", "animation-from-interactions", "Animation from Interactions", "AAA", "2.1"},
	{"2.4.1", "bypass-blocks", "Bypass Blocks", "A", "2.0"},
	{"2.4.2", "page-titled", "Page Titled", "A", "2.0"},
	{"2.4.3", "focus-order", "Focus Order", "A", "2.0"},
	{"2.4.4", "link-purpose-in-context", "Link Purpose (In Context)", "A", "2.0"},
	{"2.4.5", "multiple-ways", "Multiple Ways", "AA", "2.0"},
	{"2.4.6", "headings-and-labels", "Headings and Labels", "AA", "2.0"},
	{"2.4.7", "focus-visible", "Focus Visible", "AA", "2.0"},
	{"2.4.8", "location", "Location", "AAA", "2.0"},
	{"2.4.9", "link-purpose-link-only", "Link Purpose (Link Only)", "AAA", "2.0"},
	{"2.4.10", "section-headings", "Section Headings", "AAA", "2.0"},
	{"2.4.11", "focus-not-obscured-minimum", "Focus Not Obscured (Minimum)", "AA", "2.2"},
	{"2.4.12", "focus-not-obscured-enhanced", "Focus Not Obscured (Enhanced)", "AAA", "2.2"},
	{"2.4.13", "focus-appearance", "Focus Appearance", "AAA", "2.2"},
	{"2.5.1", "pointer-gestures", "Pointer Gestures", "A", "2.1"},
	{"2.5.2", "pointer-cancellation", "Pointer Cancellation", "A", "2.1"},
	{"2.5.3", "label-in-name", "Label in Name", "A", "2.1"},
	{"2.5.4", "motion-actuation", "Motion Actuation", "A", "2.1"},
	{"2.5.5", "target-size-enhanced", "Target Size (Enhanced)", "AAA", "2.1"},
	{"2.5.6", "concurrent-input-mechanisms", "Concurrent Input Mechanisms", "AAA", "2.1"},
	{"2.5.7", "dragging-movements", "Dragging Movements", "AA", "2.2"},
	{"2.5.8", "target-size-minimum", "Target Size (Minimum)", "AA", "2.2"},
	{"3.1.1", "language-of-page", "Language of Page", "A", "2.0"},
	{"3.1.2", "language-of-parts", "Language of Parts", "AA", "2.0"},
	{"3.1.3", "unusual-words", "Unusual Words", "AAA", "2.0"},
	{"3.1.4", "abbreviations", "Abbreviations", "AAA", "2.0"},
	{"3.1.5", "reading-level", "Reading Level", "AAA", "2.0"},
	{"3.1.6", "pronunciation", "Pronunciation", "AAA", "2.0"},
	{"3.2.1", "on-focus", "On Focus", "A", "2.0"},
	{"3.2.2", "on-input", "On Input", "A", "2.0"},
	{"3.2.3", "consistent-navigation", "Consistent Navigation", "AA", "2.0"},
	{"3.2.4", "consistent-identification", "Consistent Identification", "AA", "2.0"},
	{"3.2.5", "change-on-request", "Change on Request", "AAA", "2.0"},
	{"3.2.6", "consistent-help", "Consistent Help", "A", "2.2"},
	{"3.3.1", "error-identification", "Error Identification", "A", "2.0"},
	{"3.3.2", "labels-or-instructions", "Labels or Instructions", "A", "2.0"},
	{"3.3.3", "error-suggestion", "Error Suggestion", "AA", "2.0"},
	{"3.3.4", "error-prevention-legal-financial-data", "Error Prevention (Legal, Financial, Data)", "AA", "2.0"},
	{"3.3.5", "help", "Help", "AAA", "2.0"},
	{"3.3.6", "error-prevention-all", "Error Prevention (All)", "AAA", "2.0"},
	{"3.3.7", "redundant-entry", "Redundant Entry", "A", "2.2"},
	{"3.3.8", "accessible-authentication-minimum", "Accessible Authentication (Minimum)", "AA", "2.2"},
	{"3.3.9", "accessible-authentication-enhanced", "Accessible Authentication (Enhanced)", "AAA", "2.2"},
	{"4.1.1", "parsing", "Parsing", "A", "2.0"},
	{"4.1.2", "name-role-value", "Name, Role, Value", "A", "2.0"},
	{"4.1.3", "status-messages", "Status Messages", "AA", "2.1"},
}
