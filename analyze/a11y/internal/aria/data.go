// Package aria holds what WAI-ARIA 1.2, its Graphics and Digital Publishing modules and the HTML Accessibility API
// Mappings say, as data, and computes over the model of package dom: roles, properties, accessible names, focusability,
// inclusion in the accessibility tree.
package aria

import "strings"

// ValueType of a state or property (WAI-ARIA 1.2, section 6.2).
type ValueType uint8

// The value types.
const (
	String    ValueType = iota
	Bool                // true, false
	BoolUndef           // true, false, undefined
	Tristate            // true, false, mixed, undefined
	Token
	TokenList
	IDRef
	IDRefs
	Integer
	Number
)

// Property describes one state or property.
type Property struct {
	Type   ValueType
	Tokens string // allowed tokens
	Global bool
}

// Properties lists the states and properties by name.
func Properties() map[string]Property { return properties }

var properties = map[string]Property{
	"aria-activedescendant":       {Type: IDRef},
	"aria-atomic":                 {Type: Bool, Global: true},
	"aria-autocomplete":           {Type: Token, Tokens: "inline list both none"},
	"aria-braillelabel":           {Type: String, Global: true},
	"aria-brailleroledescription": {Type: String, Global: true},
	"aria-busy":                   {Type: Bool, Global: true},
	"aria-checked":                {Type: Tristate},
	"aria-colcount":               {Type: Integer},
	"aria-colindex":               {Type: Integer},
	"aria-colindextext":           {Type: String},
	"aria-colspan":                {Type: Integer},
	"aria-controls":               {Type: IDRefs, Global: true},
	"aria-current":                {Type: Token, Tokens: "page step location date time true false", Global: true},
	"aria-describedby":            {Type: IDRefs, Global: true},
	"aria-description":            {Type: String, Global: true},
	"aria-details":                {Type: IDRefs, Global: true},
	"aria-disabled":               {Type: Bool, Global: true},
	"aria-dropeffect":             {Type: TokenList, Tokens: "copy execute link move none popup", Global: true},
	"aria-errormessage":           {Type: IDRefs, Global: true},
	"aria-expanded":               {Type: BoolUndef},
	"aria-flowto":                 {Type: IDRefs, Global: true},
	"aria-grabbed":                {Type: BoolUndef, Global: true},
	"aria-haspopup":               {Type: Token, Tokens: "false true menu listbox tree grid dialog", Global: true},
	"aria-hidden":                 {Type: BoolUndef, Global: true},
	"aria-invalid":                {Type: Token, Tokens: "grammar false spelling true", Global: true},
	"aria-keyshortcuts":           {Type: String, Global: true},
	"aria-label":                  {Type: String, Global: true},
	"aria-labelledby":             {Type: IDRefs, Global: true},
	"aria-level":                  {Type: Integer},
	"aria-live":                   {Type: Token, Tokens: "assertive off polite", Global: true},
	"aria-modal":                  {Type: Bool},
	"aria-multiline":              {Type: Bool},
	"aria-multiselectable":        {Type: Bool},
	"aria-orientation":            {Type: Token, Tokens: "horizontal undefined vertical"},
	"aria-owns":                   {Type: IDRefs, Global: true},
	"aria-placeholder":            {Type: String},
	"aria-posinset":               {Type: Integer},
	"aria-pressed":                {Type: Tristate},
	"aria-readonly":               {Type: Bool},
	"aria-relevant":               {Type: TokenList, Tokens: "additions all removals text", Global: true},
	"aria-required":               {Type: Bool},
	"aria-roledescription":        {Type: String, Global: true},
	"aria-rowcount":               {Type: Integer},
	"aria-rowindex":               {Type: Integer},
	"aria-rowindextext":           {Type: String},
	"aria-rowspan":                {Type: Integer},
	"aria-selected":               {Type: BoolUndef},
	"aria-setsize":                {Type: Integer},
	"aria-sort":                   {Type: Token, Tokens: "ascending descending none other"},
	"aria-valuemax":               {Type: Number},
	"aria-valuemin":               {Type: Number},
	"aria-valuenow":               {Type: Number},
	"aria-valuetext":              {Type: String},
}

// Role describes one role. Lists are space separated names; property names come without "aria-".
type Role struct {
	Super        string // superclass roles
	Props        string // supported states and properties of its own
	Required     string // required states and properties
	Default      string // required ones that have a default value
	Owned        string // required owned elements; "group>option" for one inside of another
	Context      string // required context roles
	Content      bool   // may be named from content
	NoName       bool   // naming is prohibited
	Presentation bool   // its children are presentational
	Abstract     bool
}

var roles = map[string]Role{
	"roletype": {Abstract: true}, "structure": {Super: "roletype", Abstract: true}, "widget": {Super: "roletype", Abstract: true},
	"window": {Super: "roletype", Props: "modal", Abstract: true}, "command": {Super: "widget", Abstract: true},
	"composite": {Super: "widget", Props: "activedescendant disabled", Abstract: true}, "input": {Super: "widget", Props: "disabled", Abstract: true},
	"landmark": {Super: "section", Abstract: true}, "range": {Super: "structure", Props: "valuemax valuemin valuenow", Abstract: true},
	"section": {Super: "structure", Abstract: true}, "sectionhead": {Super: "structure", Abstract: true},
	"select": {Super: "composite group", Props: "orientation", Abstract: true},

	"alert": {Super: "section"}, "alertdialog": {Super: "alert dialog", Props: "modal"},
	"application": {Super: "structure", Props: "activedescendant disabled errormessage expanded haspopup invalid"},
	"article":     {Super: "document", Props: "posinset setsize"},
	"banner":      {Super: "landmark"}, "blockquote": {Super: "section"},
	"button":       {Super: "command", Props: "disabled haspopup expanded pressed", Content: true, Presentation: true},
	"caption":      {Super: "section", NoName: true, Context: "figure grid table treegrid"},
	"cell":         {Super: "section", Props: "colindex colspan rowindex rowspan colindextext rowindextext", Content: true, Context: "row"},
	"checkbox":     {Super: "input", Props: "errormessage expanded invalid readonly required checked", Required: "checked", Content: true, Presentation: true},
	"code":         {Super: "section", NoName: true},
	"columnheader": {Super: "cell gridcell sectionhead", Props: "sort", Content: true, Context: "row"},
	"combobox":     {Super: "input", Props: "activedescendant autocomplete errormessage haspopup invalid readonly required expanded controls", Required: "controls expanded"},
	"comment":      {Super: "article", Props: "level", Content: true}, "complementary": {Super: "landmark"}, "contentinfo": {Super: "landmark"},
	"definition": {Super: "section"}, "deletion": {Super: "section", NoName: true}, "dialog": {Super: "window", Props: "modal"},
	"directory": {Super: "list"}, "document": {Super: "structure"}, "emphasis": {Super: "section", NoName: true},
	"feed": {Super: "list", Owned: "article"}, "figure": {Super: "section"}, "form": {Super: "landmark"}, "generic": {Super: "structure", NoName: true},
	"grid":     {Super: "composite table", Props: "multiselectable readonly", Owned: "row rowgroup>row caption"},
	"gridcell": {Super: "cell widget", Props: "disabled errormessage expanded haspopup invalid readonly required selected", Content: true, Context: "row"},
	"group":    {Super: "section", Props: "activedescendant disabled"},
	"heading":  {Super: "sectionhead", Props: "level", Required: "level", Content: true},
	"image":    {Super: "section", Presentation: true}, "img": {Super: "section", Presentation: true}, "insertion": {Super: "section", NoName: true},
	"link": {Super: "command", Props: "disabled expanded haspopup", Content: true},
	"list": {Super: "section", Owned: "listitem"},
	"listbox": {Super: "select", Props: "errormessage expanded invalid multiselectable readonly required orientation",
		Owned: "option group>option"},
	"listitem": {Super: "section", Props: "level posinset setsize", Context: "directory list"},
	"log":      {Super: "section"}, "main": {Super: "landmark"}, "mark": {Super: "section", NoName: true}, "marquee": {Super: "section"},
	"math": {Super: "section"}, "meter": {Super: "range", Props: "valuetext valuemax valuemin valuenow", Required: "valuenow", Presentation: true},
	"menu":             {Super: "select", Owned: "menuitem menuitemcheckbox menuitemradio separator group>menuitem group>menuitemcheckbox group>menuitemradio group>separator"},
	"menubar":          {Super: "menu", Owned: "menuitem menuitemcheckbox menuitemradio separator group>menuitem group>menuitemcheckbox group>menuitemradio group>separator"},
	"menuitem":         {Super: "command", Props: "disabled expanded haspopup posinset setsize", Content: true, Context: "group menu menubar"},
	"menuitemcheckbox": {Super: "menuitem", Props: "checked", Required: "checked", Content: true, Presentation: true, Context: "group menu menubar"},
	"menuitemradio":    {Super: "menuitem", Props: "checked", Required: "checked", Content: true, Presentation: true, Context: "group menu menubar"},
	"navigation":       {Super: "landmark"}, "none": {Super: "structure", NoName: true}, "note": {Super: "section"},
	"option":    {Super: "input", Props: "checked posinset selected setsize", Required: "selected", Default: "selected", Content: true, Presentation: true, Context: "group listbox"},
	"paragraph": {Super: "section", NoName: true}, "presentation": {Super: "structure", NoName: true},
	"progressbar": {Super: "range", Props: "valuetext valuemax valuemin valuenow", Presentation: true},
	"radio":       {Super: "input", Props: "checked posinset setsize", Required: "checked", Content: true, Presentation: true},
	"radiogroup":  {Super: "select", Props: "errormessage invalid readonly required orientation"},
	"region":      {Super: "landmark"},
	"row": {Super: "group widget", Props: "colindex expanded level posinset rowindex selected setsize rowindextext", Content: true,
		Owned: "cell columnheader gridcell rowheader", Context: "grid rowgroup table treegrid"},
	"rowgroup":  {Super: "structure", Owned: "row", Context: "grid table treegrid"},
	"rowheader": {Super: "cell gridcell sectionhead", Props: "sort", Content: true, Context: "row"},
	"scrollbar": {Super: "range", Props: "disabled orientation valuetext valuemax valuemin valuenow controls", Required: "controls valuenow", Presentation: true},
	"search":    {Super: "landmark"}, "searchbox": {Super: "textbox"},
	"separator":  {Super: "structure", Props: "orientation disabled valuetext valuemax valuemin valuenow", Required: "valuenow", Presentation: true},
	"slider":     {Super: "input range", Props: "errormessage haspopup invalid orientation readonly valuetext valuemax valuemin valuenow", Required: "valuenow", Presentation: true},
	"spinbutton": {Super: "composite input range", Props: "errormessage invalid readonly required valuetext valuemax valuemin valuenow"},
	"status":     {Super: "section"}, "strong": {Super: "section", NoName: true}, "subscript": {Super: "section", NoName: true},
	"suggestion": {Super: "section", NoName: true, Owned: "insertion deletion"}, "superscript": {Super: "section", NoName: true},
	"switch":   {Super: "checkbox", Props: "checked", Required: "checked", Content: true, Presentation: true},
	"tab":      {Super: "sectionhead widget", Props: "disabled expanded haspopup posinset selected setsize", Default: "selected", Content: true, Presentation: true, Context: "tablist"},
	"table":    {Super: "section", Props: "colcount rowcount", Owned: "row rowgroup>row caption"},
	"tablist":  {Super: "composite", Props: "multiselectable orientation level", Owned: "tab"},
	"tabpanel": {Super: "section"}, "term": {Super: "section"},
	"textbox": {Super: "input", Props: "activedescendant autocomplete errormessage haspopup invalid multiline placeholder readonly required"},
	"time":    {Super: "section"}, "timer": {Super: "status"}, "toolbar": {Super: "group", Props: "orientation"},
	"tooltip":  {Super: "section", Content: true},
	"tree":     {Super: "select", Props: "errormessage invalid multiselectable required orientation", Owned: "treeitem group>treeitem"},
	"treegrid": {Super: "grid tree", Owned: "row rowgroup>row caption"},
	"treeitem": {Super: "listitem option", Props: "expanded haspopup checked selected", Content: true, Context: "group tree"},

	"graphics-document": {Super: "document"}, "graphics-object": {Super: "group"}, "graphics-symbol": {Super: "img", Presentation: true},

	"doc-abstract": {Super: "section"}, "doc-acknowledgments": {Super: "landmark"}, "doc-afterword": {Super: "landmark"},
	"doc-appendix": {Super: "landmark"}, "doc-backlink": {Super: "link", Content: true}, "doc-biblioentry": {Super: "listitem"},
	"doc-bibliography": {Super: "landmark"}, "doc-biblioref": {Super: "link", Content: true}, "doc-chapter": {Super: "landmark"},
	"doc-colophon": {Super: "section"}, "doc-conclusion": {Super: "landmark"}, "doc-cover": {Super: "img"}, "doc-credit": {Super: "section"},
	"doc-credits": {Super: "landmark"}, "doc-dedication": {Super: "section"}, "doc-endnote": {Super: "listitem"}, "doc-endnotes": {Super: "landmark"},
	"doc-epigraph": {Super: "section"}, "doc-epilogue": {Super: "landmark"}, "doc-errata": {Super: "landmark"}, "doc-example": {Super: "section"},
	"doc-footnote": {Super: "section"}, "doc-foreword": {Super: "landmark"}, "doc-glossary": {Super: "landmark"}, "doc-glossref": {Super: "link", Content: true},
	"doc-index": {Super: "navigation"}, "doc-introduction": {Super: "landmark"}, "doc-noteref": {Super: "link", Content: true}, "doc-notice": {Super: "note"},
	"doc-pagebreak": {Super: "separator"}, "doc-pagefooter": {Super: "section"}, "doc-pageheader": {Super: "section"}, "doc-pagelist": {Super: "navigation"},
	"doc-part": {Super: "landmark"}, "doc-preface": {Super: "landmark"}, "doc-prologue": {Super: "landmark"}, "doc-pullquote": {Super: "section"},
	"doc-qna": {Super: "section"}, "doc-subtitle": {Super: "sectionhead", Content: true}, "doc-tip": {Super: "note"}, "doc-toc": {Super: "navigation"},
}

// Lookup returns what is known of a role, and whether it exists.
func Lookup(role string) (Role, bool) { r, ok := roles[role]; return r, ok }

// Valid tells whether the name is that of a role authors may use.
func Valid(role string) bool { r, ok := roles[role]; return ok && !r.Abstract }

// Inherits tells whether a role is of, or inherits from, another one.
func Inherits(role, from string) bool {
	if role == from {
		return role != ""
	}
	r, ok := roles[role]
	if !ok {
		return false
	}
	for _, s := range strings.Fields(r.Super) {
		if Inherits(s, from) {
			return true
		}
	}
	return false
}

// Supports tells whether a role has a state or property ("aria-checked") of its own, inherited or required.
func Supports(role, prop string) bool {
	r, ok := roles[role]
	if !ok {
		return false
	}
	if hasWord(r.Props, strings.TrimPrefix(prop, "aria-")) {
		return true
	}
	for _, s := range strings.Fields(r.Super) {
		if Supports(s, prop) {
			return true
		}
	}
	return false
}

// Prohibits tells whether authors must not use the state or property on the role.
func Prohibits(role, prop string) bool {
	switch prop {
	case "aria-label", "aria-labelledby", "aria-braillelabel":
		return roles[role].NoName
	case "aria-roledescription", "aria-brailleroledescription":
		return role == "generic" || role == "none" || role == "presentation"
	}
	return false
}

func hasWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}
