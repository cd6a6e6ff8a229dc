package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
)

// Script is a program of the user's that looks at pages once they have settled and been captured, such as another engine's
// rules. It runs in a JavaScript world of its own: the page's scripts neither see nor change it, whatever they did to their
// globals, and no content security policy holds it back. It sees the page's DOM, as all worlds do, and must not change it.
//
// What it answers is in Snapshot.Scripts, under its name.
type Script struct {
	Name string // of the world and of the answer; unique among the Scripts of a Renderer

	// Source is registered once for each tab and evaluated in every document, those of frames included, before the page's
	// own scripts. It should only define what Run calls.
	Source string

	// Run is called for each page, with the world of the top document. What it returns is kept as it is. Its context ends
	// after Timeout; a script that still runs then is terminated.
	Run func(ctx context.Context, top *World) (json.RawMessage, error)

	// Timeout is Run's time, beside the page's own. 0: 10 seconds.
	Timeout time.Duration
}

// scriptTimeout is Script.Timeout's default.
const scriptTimeout = 10 * time.Second

// World is a Script's world in one document of a page. It is of use while Run runs.
type World struct {
	load   *load
	script *Script
	s      *session
	frame  cdp.FrameID
	id     runtime.ExecutionContextID
}

// loadedMark tells that a world has its source.
const loadedMark = "__ambleScript"

// register adds the scripts to a target: every document that is made there from now on has them.
func (c *chrome) register(s *session) {
	for i := range c.r.Scripts {
		script := &c.r.Scripts[i]
		post(s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script.source(), WorldName: script.Name})
	}
}

func (s *Script) source() string { return s.Source + "\n;globalThis." + loadedMark + " = true;" }

// world opens the script's world of a frame. Documents that were there before the script was registered (a frame's first,
// empty one) get the source now.
func (l *load) world(ctx context.Context, script *Script, s *session, frame cdp.FrameID) (*World, error) {
	made, err := cdp.Call(ctx, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: script.Name})
	if err != nil {
		return nil, err
	}
	w := &World{load: l, script: script, s: s, frame: frame, id: made.ExecutionContextID}
	var loaded bool
	if err := w.Evaluate(ctx, "globalThis."+loadedMark+" === true", &loaded); err != nil || loaded {
		return w, err
	}
	return w, w.Evaluate(ctx, script.source(), nil)
}

// Evaluate runs JavaScript in the world and decodes the JSON of what it yields into value, which may be nil. Promises are
// awaited. An exception is an error; so are the end of ctx and a document that is gone.
func (w *World) Evaluate(ctx context.Context, expression string, value any) error {
	var raw json.RawMessage
	if err := evaluateIn(ctx, w.s, w.id, expression, &raw); err != nil || value == nil || len(raw) == 0 {
		return err
	}
	return json.Unmarshal(raw, value) // as encoding/json has it: the protocol's own decoder minds the case of names
}

// ErrNoFrame: an element holds no document that could be looked into.
var ErrNoFrame = errors.New("the element holds no document")

// Frame returns the script's world in the document of a frame, which may live in another process. The expression yields
// the frame's element. The error matches ErrNoFrame when it does not hold a document.
func (w *World) Frame(ctx context.Context, expression string) (*World, error) {
	l := w.load
	result, err := cdp.Call(ctx, w.s, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ContextID: w.id, Silent: new(true)})
	if err != nil {
		return nil, err
	}
	object := result.Result.ObjectID
	if result.ExceptionDetails != nil || object == "" {
		return nil, fmt.Errorf("%w: the expression yields no element", ErrNoFrame)
	}
	node, err := cdp.Call(ctx, w.s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object})
	post(w.s, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: object})
	if err != nil {
		return nil, err
	}
	frame := node.Node.FrameID
	if frame == "" {
		return nil, ErrNoFrame
	}
	s := w.s
	for _, child := range l.tab.frames() {
		if child.frame == frame {
			s = child.s
		}
	}
	return l.world(ctx, w.script, s, frame)
}

// scripts runs the Renderer's scripts one after the other. One that fails leaves its problem, never an error.
func (l *load) scripts(snap *amble.Snapshot) {
	for i := range l.chrome.r.Scripts {
		script := &l.chrome.r.Scripts[i]
		if snap.Scripts == nil {
			snap.Scripts = map[string]amble.ScriptResult{}
		}
		start := time.Now()
		result, err := l.script(script)
		answer := amble.ScriptResult{JSON: result, Took: time.Since(start)}
		if err != nil {
			answer.JSON, answer.Problem = nil, err.Error()
		}
		snap.Scripts[script.Name] = answer
		if l.lastWords() != nil {
			return
		}
	}
}

func (l *load) script(script *Script) (json.RawMessage, error) {
	timeout := or(script.Timeout, scriptTimeout)
	ctx, cancel := context.WithTimeout(l.ctx, timeout)
	defer cancel()
	var result json.RawMessage
	top, err := l.world(ctx, script, l.tab.main, l.frame)
	if err == nil && script.Run != nil {
		result, err = script.Run(ctx, top)
	}
	if ctx.Err() == nil || l.ctx.Err() != nil {
		return result, err
	}
	// Something still runs, in the page or in a frame's process: end it, and do not use the tab again.
	l.mu.Lock()
	l.spoiled = true
	l.mu.Unlock()
	l.terminate()
	for _, child := range l.tab.frames() {
		post(child.s, runtime.TerminateExecution, cdp.Empty{})
	}
	if err == nil {
		return result, nil // it was ready in the last moment
	}
	return nil, fmt.Errorf("not done within %v", timeout)
}

// checkScripts refuses scripts that could not be told apart.
func checkScripts(scripts []Script) error {
	seen := map[string]bool{"amble": true}
	for i, s := range scripts {
		if s.Name == "" || seen[s.Name] {
			return &amble.Error{Op: "render", Kind: amble.ErrConfig, Reason: fmt.Sprintf("Renderer.Scripts[%d] needs a Name of its own, not %q", i, s.Name)}
		}
		seen[s.Name] = true
	}
	return nil
}
