package amble

import "time"

// Snapshot is a page as a browser showed it, as plain data: a browser fills it, Analyzers read it. Slices are shared by
// all who read: nobody changes them.
type Snapshot struct {
	URL      string // the document's URL when it had settled
	HTML     string // the final document, serialised; empty when not asked for
	Viewport Viewport
	Browser  string // product and version, "Chrome/156.0.8078.73"

	Settled Settled // what ended the wait, and how long it took

	// Nodes are the elements, texts and shadow roots of all frames in document order. Node 0 is the top document.
	Nodes []Node
	// StyleNames are the computed CSS properties that were captured; Node.Styles has one value for each.
	StyleNames []string
	Frames     []Frame

	// AX is the accessibility tree of Chrome, when an Analyzer asked for it; nil otherwise. Keyed by Node index.
	AX map[int]AXNode

	Sheets    []StyleSheet // the style sheets that were loaded; those in the document are in Nodes
	Listeners []Listener   // who waits for events, when asked for; nil otherwise
	Keyboard  *Keyboard    // what pressing Tab did, when asked for; nil otherwise

	// Zoomed is the page in windows of 640 by 512 and of 320 by 256 pixels, as people see it at 200 % and 400 %, when asked
	// for. Only URL, Viewport, Nodes, StyleNames and Frames are set; frames of other processes are missing.
	Zoomed []*Snapshot

	Requests []Exchange // what the page loaded, in order of start
	Console  []ConsoleMessage
	Issues   []BrowserIssue
	Metrics  Metrics
	Banner   Banner // what was done about a cookie banner (S9)

	// Scripts are the answers of the browser's Scripts, by name.
	Scripts map[string]ScriptResult

	Screenshot     []byte // PNG or JPEG; nil when not asked for or when it failed
	ScreenshotType string // its media type
	Problems       []string
}

// ScriptResult is what a program that the user let look at the page answered.
type ScriptResult struct {
	JSON    []byte
	Problem string // why there is no answer; empty when all went well
	Took    time.Duration
}

// Viewport is the window that the page was shown in.
type Viewport struct {
	Width, Height int // CSS pixels
	Scale         float64
	Mobile        bool
}

// Settled tells what ended the wait for a page.
type Settled struct {
	Reason   string // "settled", "cap", "js-hang", "dialog-storm", "crash"
	After    time.Duration
	InFlight []string // URLs still loading
}

// NodeType is the DOM's number for a kind of node, with shadow roots beside.
type NodeType uint8

const (
	NodeElement  NodeType = 1
	NodeText     NodeType = 3
	NodeComment  NodeType = 8
	NodeDocument NodeType = 9
	NodeDoctype  NodeType = 10
	NodeShadow   NodeType = 11 // a shadow root; Value is "open", "closed" or "user-agent"
)

// Node is one node of the flat list. Indexes are into Snapshot.Nodes; -1 means none.
type Node struct {
	Type     NodeType
	Parent   int
	Frame    int    // index into Snapshot.Frames
	Name     string // lower case for HTML elements
	Value    string // text, or the kind of a shadow root
	Attrs    []Attr
	Pseudo   string // "before", "after", "marker" for pseudo-elements
	Shadow   string // kind of the shadow tree that it is in ("open", "closed", "user-agent"); empty outside
	Slot     int    // the slot element that it is assigned to, or -1
	Document int    // for a frame element: the node of its document, or -1

	Rendered   bool     // it has a box
	Box        Rect     // border box, in CSS pixels of the page; frames are placed where they stand
	ClientBox  Rect     // client area, when captured
	ScrollBox  Rect     // scrollable area, when captured
	Paint      int      // paint order: higher is painted later
	Styles     []string // computed values, one for each of Snapshot.StyleNames; nil when not rendered
	TextBoxes  []TextBox
	Background string  // the blended background colour behind its text, as Chrome computed it; empty when unknown
	Opacity    float64 // of its text after all groups; 1 when unknown
	Clickable  bool    // it has a listener for clicks
	InputValue string  // of a form field; personal data is not kept: only whether it is empty ("" or "•")
	Checked    bool
	Selected   bool
}

// Attr is one attribute.
type Attr struct{ Name, Value string }

// Attr returns the value of an attribute and whether it is there.
func (n *Node) Attr(name string) (string, bool) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Value, true
		}
	}
	return "", false
}

// Rect is a rectangle in CSS pixels.
type Rect struct{ X, Y, W, H float64 }

// TextBox is one line box of a text node: its place, and the part of the text it shows (UTF-16 units).
type TextBox struct {
	Rect
	Start, Length int
}

// Frame is one document of the page.
type Frame struct {
	ID     string
	Parent int // index into Snapshot.Frames; -1 for the top document
	Owner  int // the node of the frame element, or -1
	URL    string
	Tested bool // false when its content could not be read; Reason says why
	Reason string
}

// AXNode is Chrome's own view of a node in the accessibility tree.
type AXNode struct {
	Role        string
	Name        string
	Description string
	Ignored     bool
	Properties  map[string]string
}

// Exchange is one request that the page made.
type Exchange struct {
	URL       string
	Type      string // "document", "stylesheet", "image", "script", "font", "fetch", "websocket", …
	Status    int
	MediaType string
	Encoded   int64
	Decoded   int64
	Start     time.Duration // from the navigation
	Took      time.Duration
	FromCache bool // the content; the server may have been asked whether it still holds
	Proto     string
	// CacheControl and Expires are the answer's headers of that name; empty when there are none.
	CacheControl, Expires string
	Problem               string // "blocked: robots.txt line 3", "net::ERR_…"; empty when all went well
	Blocking              bool   // render-blocking
}

// ConsoleMessage is a line of the console, or an uncaught exception.
type ConsoleMessage struct {
	Level string // "error", "warning", "info", "exception"
	Text  string
	URL   string
	Line  int
}

// BrowserIssue is a problem that the browser reports on its own.
type BrowserIssue struct {
	Code   string // "MixedContentIssue", "QuirksModeIssue", …
	Detail string
	URL    string
}

// Metrics are measures of the load in the lab.
type Metrics struct {
	FirstByte, DOMReady, Load time.Duration
	LCP                       time.Duration // largest contentful paint
	LCPURL                    string
	CLS                       float64 // cumulative layout shift
	LongTasks                 int
	LongTaskTime              time.Duration // what they took beyond 50 ms each
	Nodes                     int
	ScriptTime                time.Duration
	HeapBytes                 int64
}

// Banner tells what was done about a cookie banner.
type Banner struct {
	Found    bool
	Kind     string
	Action   string // "reject", "close", "save-none", "hide", "none"
	Clicks   int
	Verified bool
	Took     time.Duration
	Obstacle string // why nothing was done: "pay-or-consent", "age-gate", "login", …
}
