package amble

// Keyboard is what pressing Tab did on a page, and then Shift+Tab where the focus went round in circles. Nothing else was
// pressed. Frames of other processes count as one stop.
type Keyboard struct {
	Stops   []FocusStop // what got the focus, in the order of its first time
	Presses int
	End     string // why it ended: one of KeyboardLeft, KeyboardTrap, KeyboardPresses, KeyboardTime, KeyboardHang
}

// The ends of Keyboard.
const (
	KeyboardLeft    = "left"    // the focus left the page: the keyboard leads through it
	KeyboardTrap    = "trap"    // the focus goes round for ever, also backwards; FocusStop.Trapped tells where
	KeyboardPresses = "presses" // the bound of presses was reached first
	KeyboardTime    = "time"    // the bound of time was reached first
	KeyboardHang    = "hang"    // the page gave no answer
)

// FocusStop is one element that got the focus by Tab.
type FocusStop struct {
	Node    int    // index into Snapshot.Nodes; -1 for what came into the page later
	Seen    string // how the focus shows: one of the FocusSeen values
	Changed string // the computed property that shows it, "outline-style"; "" otherwise
	Trapped bool   // Tab and Shift+Tab lead only to other stops that are trapped
}

// How the focus of an element shows.
const (
	FocusUnknown = ""       // it was not looked at, or the page changes by itself
	FocusStyle   = "style"  // computed styles of the element, or of one near it, change with the focus
	FocusPixels  = "pixels" // no style of it changes, but the picture of the window does
	FocusCaret   = "caret"  // it is a text field, and shows where the text goes
	FocusUnseen  = "unseen" // neither styles nor the picture change
)

// Listener is a function that waits for an event, as the browser lists them.
type Listener struct {
	Node int    // index into Snapshot.Nodes; -1 for the window
	Type string // "keydown", "devicemotion"

	// Source is the start of the function's text, for events of keys, of the focus and of the device's motion, which
	// only the text tells more about. It is the page's own code.
	Source string
}

// StyleSheet is the text of a style sheet that the page loaded from a URL.
type StyleSheet struct {
	URL  string
	Text string
}
