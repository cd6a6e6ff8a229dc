package browser

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
)

// KeyboardPolicy says whether the Tab key is tried on a page, for rules about the keyboard: where the focus goes, whether
// it shows, whether it comes out again. Only Tab and Shift+Tab are pressed: nothing is activated, and where the page wants
// to go because of it is refused. It happens when all else has been captured.
type KeyboardPolicy struct {
	Press   bool
	Presses int           // at most, of Tab. 0: 80.
	Time    time.Duration // at most, for all of it. 0: 10 seconds.
}

const (
	focusWait     = 50 * time.Millisecond // what a page gets to move the focus on, or back
	selfTurns     = 5                     // presses that leave the focus where it is, until that is a trap
	maxPictures   = 8                     // stops whose pictures are compared
	backwardsMore = 10                    // presses of Shift+Tab beyond twice the trap's size
)

//go:embed keyboard.js
var keyboardScript string

// focusState is what the script tells after a press.
type focusState struct {
	At      int    // number of the element with the focus, -1 for none
	Has     bool   // the page has the focus at all
	Caret   bool   // it is a text field that shows a caret
	Opaque  bool   // it may hold stops that the script does not see
	Changed string // what shows that the element before has lost the focus
	Compare bool   // whether Changed could be told
}

// keyboard presses Tab until the focus leaves the page.
func (l *load) keyboard(snap *amble.Snapshot, policy KeyboardPolicy) {
	if !policy.Press {
		return
	}
	l.mu.Lock()
	l.clicked = true // from here on the page goes nowhere
	l.mu.Unlock()
	most := min(or(policy.Time, 10*time.Second), max(l.remaining(), captureGrace))
	ctx, cancel := context.WithTimeout(l.ctx, most)
	defer cancel()
	k := &keyboardRun{load: l, ctx: ctx, result: &amble.Keyboard{}, stop: map[int]int{}, most: or(policy.Presses, 80)}
	snap.Keyboard = k.result
	if err := k.run(); err != nil {
		k.result.End = amble.KeyboardHang
		if ctx.Err() != nil {
			k.result.End = amble.KeyboardTime
		}
		if l.ctx.Err() == nil && ctx.Err() == nil {
			l.problem("the keyboard: %v", err)
		}
	}
}

// keyboardRun is the trial of the keyboard on one page.
type keyboardRun struct {
	load   *load
	ctx    context.Context
	world  runtime.ExecutionContextID
	result *amble.Keyboard
	most   int
	stop   map[int]int // from the script's numbers to places in result.Stops
	number []int       // and back
	opaque map[int]bool
	trail  []int // the script's numbers, press by press
}

func (k *keyboardRun) run() error {
	made, err := cdp.Call(k.ctx, k.load.tab.main, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: k.load.frame, WorldName: "amble"})
	if err != nil {
		return err
	}
	k.world = made.ExecutionContextID
	k.opaque = map[int]bool{}
	if err := k.evaluate(keyboardScript, nil); err != nil {
		return err
	}
	if err := k.forward(); err != nil {
		return err
	}
	return k.pictures()
}

func (k *keyboardRun) evaluate(script string, value any) error {
	return evaluateIn(k.ctx, k.load.tab.main, k.world, script, value)
}

// forward presses Tab until the focus leaves or goes in circles.
func (k *keyboardRun) forward() error {
	nowhere := 0
	for k.result.Presses < k.most {
		s, err := k.press(false)
		if err != nil {
			return err
		}
		if s.At < 0 {
			// Out of the page; or lost in it, twice in a row, where no browser is around the page to take it.
			if nowhere++; !s.Has || nowhere > 1 {
				k.result.End = amble.KeyboardLeft
				return nil
			}
			k.trail = append(k.trail, -1)
			continue
		}
		nowhere = 0
		k.trail = append(k.trail, s.At)
		if trap := k.circle(); trap != nil {
			return k.backward(trap)
		}
	}
	k.result.End = amble.KeyboardPresses
	return nil
}

// circle returns the stops that the focus went through twice in the same order, or one that it did not leave for several
// presses; nil when it did neither. Stops that may hold others prove nothing.
func (k *keyboardRun) circle() []int {
	n := len(k.trail)
	last := k.trail[n-1]
	if n >= selfTurns && !k.opaque[last] {
		stuck := true
		for _, at := range k.trail[n-selfTurns:] {
			stuck = stuck && at == last
		}
		if stuck {
			return []int{last}
		}
	}
	steps := slices.Compact(slices.Clone(k.trail)) // a date field has several stops inside
	n = len(steps)
	for size := 2; 2*size <= n; size++ {
		if steps[n-1] == steps[n-1-size] && slices.Equal(steps[n-size:], steps[n-2*size:n-size]) {
			members := slices.Clone(steps[n-size:])
			if slices.Contains(members, -1) {
				return nil
			}
			return members
		}
	}
	return nil
}

// backward presses Shift+Tab: what leads out that way is no trap.
func (k *keyboardRun) backward(trap []int) error {
	for range 2*len(trap) + backwardsMore {
		s, err := k.press(true)
		if err != nil {
			return err
		}
		if s.At < 0 && !s.Has {
			k.result.End = amble.KeyboardLeft
			return nil
		}
		if s.At >= 0 && !slices.Contains(trap, s.At) {
			k.result.End = amble.KeyboardLeft // it leads on from there, or Tab would not have come here
			return nil
		}
	}
	k.result.End = amble.KeyboardTrap
	for _, at := range trap {
		k.result.Stops[k.stop[at]].Trapped = true
	}
	return nil
}

// press presses Tab and notes where the focus went.
func (k *keyboardRun) press(back bool) (focusState, error) {
	params := input.DispatchKeyEventParams{Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9, NativeVirtualKeyCode: 9}
	if back {
		params.Modifiers = 8
	}
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		params.Type = kind
		if _, err := cdp.Call(k.ctx, k.load.tab.main, input.DispatchKeyEvent, params); err != nil {
			return focusState{}, err
		}
	}
	k.result.Presses++
	before := -1
	if n := len(k.trail); n > 0 {
		before = k.trail[n-1]
	}
	var s focusState
	if err := k.evaluate(fmt.Sprintf("ambleKeyboard.look(%d)", focusWait.Milliseconds()), &s); err != nil {
		return s, err
	}
	if place, ok := k.stop[before]; ok && s.At != before && s.Compare {
		if stop := &k.result.Stops[place]; stop.Seen == amble.FocusUnknown && s.Changed != "" {
			stop.Seen, stop.Changed = amble.FocusStyle, s.Changed
		}
	}
	if _, known := k.stop[s.At]; s.At >= 0 && !known {
		node, err := k.node(s.At)
		if err != nil {
			return s, err
		}
		k.stop[s.At] = len(k.result.Stops)
		k.number = append(k.number, s.At)
		k.opaque[s.At] = s.Opaque
		stop := amble.FocusStop{Node: node}
		if s.Caret {
			stop.Seen = amble.FocusCaret
		}
		k.result.Stops = append(k.result.Stops, stop)
	}
	return s, nil
}

// node returns the place of an element in the snapshot.
func (k *keyboardRun) node(number int) (int, error) {
	object, err := cdp.Call(k.ctx, k.load.tab.main, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("ambleKeyboard.elements[%d]", number), ContextID: k.world, ObjectGroup: "amble-keyboard",
	})
	if err != nil {
		return -1, err
	}
	defer post(k.load.tab.main, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: "amble-keyboard"})
	if object.Result == nil || object.Result.ObjectID == "" {
		return -1, nil
	}
	found, err := cdp.Call(k.ctx, k.load.tab.main, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object.Result.ObjectID})
	if err != nil || found.Node == nil {
		return -1, err
	}
	return k.load.tree.node(0, found.Node.BackendNodeID), nil
}

// pictures compares the window with and without the focus, for stops whose styles do not tell.
func (k *keyboardRun) pictures() error {
	shot := func() ([]byte, error) {
		s, err := cdp.Call(k.ctx, k.load.tab.main, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)})
		return s.Data, err
	}
	taken := 0
	for i := range k.result.Stops {
		stop := &k.result.Stops[i]
		if stop.Seen != amble.FocusUnknown || k.opaque[k.number[i]] || stop.Trapped || taken == maxPictures {
			continue
		}
		taken++
		var held bool
		if err := k.evaluate(fmt.Sprintf("ambleKeyboard.hold(%d, %d)", k.number[i], focusWait.Milliseconds()), &held); err != nil {
			return err
		}
		if !held {
			continue
		}
		with, err := shot()
		if err != nil {
			return err
		}
		var free bool
		if err := k.evaluate(fmt.Sprintf("ambleKeyboard.free(%d, %d)", k.number[i], focusWait.Milliseconds()), &free); err != nil {
			return err
		}
		if !free {
			continue
		}
		without, err := shot()
		if err != nil {
			return err
		}
		if bytes.Equal(with, without) {
			stop.Seen = amble.FocusUnseen
			continue
		}
		again, err := shot()
		if err != nil {
			return err
		}
		if bytes.Equal(without, again) {
			stop.Seen = amble.FocusPixels
		}
	}
	return nil
}
