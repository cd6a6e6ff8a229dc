package axe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/amblecrawl/amble/browser"
)

// World is the name of the JavaScript world that axe-core runs in, and of its answer in Snapshot.Scripts.
const World = "axe-core"

// Script returns what the Renderer needs to run axe-core on its pages.
func (e *Engine) Script() browser.Script {
	return browser.Script{Name: World, Source: e.source, Run: e.run, Timeout: e.timeout()}
}

func (e *Engine) timeout() time.Duration {
	if e.Timeout > 0 {
		return e.Timeout
	}
	return 10 * time.Second
}

// maxFrames is how many frames of a page are looked at.
const maxFrames = 100

// options is what axe-core is told.
func (e *Engine) options() string {
	o := map[string]any{"resultTypes": []string{"violations", "incomplete"}, "preload": e.Experimental}
	switch {
	case len(e.Only) > 0:
		o["runOnly"] = map[string]any{"type": "rule", "values": e.Only}
	case len(e.Tags) > 0:
		o["runOnly"] = map[string]any{"type": "tag", "values": e.Tags}
	}
	if e.Experimental && len(e.Only) == 0 {
		on := map[string]any{}
		for _, r := range e.rules {
			if r.Off && e.wanted(r) {
				on[r.ID] = map[string]bool{"enabled": true}
			}
		}
		o["rules"] = on
	}
	out, err := json.Marshal(o)
	if err != nil {
		return "{}" // strings and maps of strings: cannot happen
	}
	return string(out)
}

// finish is the last step: what the frames said becomes one report, of which only what findings hold is handed out.
const finish = `(async () => {
	const parts = globalThis.__ambleParts;
	delete globalThis.__ambleParts;
	const report = parts.report || await axe.finishRun(parts, %s);
	const short = (s, n) => { s = String(s ?? ''); return s.length > n ? s.slice(0, n) + '…' : s; };
	const messages = node => [...(node.none || []), ...(node.all || []), ...(node.any || [])].map(c => short(c.message, 300)).slice(0, 8);
	const evidence = node => {
		const data = (node.any || []).map(c => c.data).find(d => d && d.contrastRatio);
		return data ? {ratio: String(data.contrastRatio), foreground: String(data.fgColor), background: String(data.bgColor)} : undefined;
	};
	const rule = full => r => ({id: r.id, elements: r.nodes.length, nodes: !full ? undefined : r.nodes.slice(0, %d).map(n => ({
		target: short(n.target.flat().join(' >>> '), 1000), html: short(n.html, 300), impact: n.impact || '', messages: messages(n), evidence: evidence(n)}))});
	return {version: axe.version, failed: report.violations.map(rule(true)), cantTell: report.incomplete.map(rule(true)),
		passed: report.passes.map(rule(false)), inapplicable: report.inapplicable.map(r => ({id: r.id, elements: 0}))};
})()`

// answer is what run hands out.
type answer struct {
	Version                                string
	Failed, CantTell, Passed, Inapplicable []ruleAnswer
	Untested                               []string
}

type ruleAnswer struct {
	ID       string
	Elements int
	Nodes    []struct {
		Target, HTML, Impact string
		Messages             []string
		Evidence             map[string]string
	}
}

// frameContext is a frame as axe-core names it.
type frameContext struct {
	FrameSelector json.RawMessage
	FrameContext  json.RawMessage
}

// run runs axe-core in all frames, each in the process where it lives, and puts the parts together.
func (e *Engine) run(ctx context.Context, top *browser.World) (json.RawMessage, error) {
	r := &run{options: e.options(), top: top}
	if err := r.frame(ctx, top, "document", ""); err != nil {
		return nil, err
	}
	max := e.MaxElements
	if max <= 0 {
		max = 100
	}
	var report map[string]any
	if err := top.Evaluate(ctx, fmt.Sprintf(finish, r.options, max), &report); err != nil {
		return nil, err
	}
	report["untested"] = r.untested
	return json.Marshal(report)
}

// run is one page.
type run struct {
	options  string // JSON
	top      *browser.World
	frames   int
	untested []string
}

// errMany ends a page that has too many frames.
var errMany = errors.New("the page has more frames than are looked at")

// frame runs axe-core in one document and then in its frames, in axe-core's order. A frame that cannot be looked at leaves
// its place empty.
func (r *run) frame(ctx context.Context, w *browser.World, include, name string) error {
	var frames []frameContext
	if err := w.Evaluate(ctx, fmt.Sprintf(`axe.utils.getFrameContexts(%s, %s)`, include, r.options), &frames); err != nil {
		return err
	}
	part := fmt.Sprintf(`axe.runPartial(%s, %s)`, include, r.options)
	switch {
	case w == r.top && len(frames) == 0:
		// All in one, which is much quicker for large pages: parts hold more than the report.
		return w.Evaluate(ctx, fmt.Sprintf(`(async () => { globalThis.__ambleParts = {report: await axe.run(%s, {...%s, iframes: false})}; })()`, include, r.options), nil)
	case w == r.top:
		if err := w.Evaluate(ctx, `(async () => { globalThis.__ambleParts = [await `+part+`]; })()`, nil); err != nil {
			return err
		}
	default:
		var raw json.RawMessage
		if err := w.Evaluate(ctx, part, &raw); err != nil {
			return err
		}
		if err := r.top.Evaluate(ctx, `void globalThis.__ambleParts.push(`+string(raw)+`)`, nil); err != nil {
			return err
		}
	}
	for _, f := range frames {
		title := name + string(f.FrameSelector)
		err := r.child(ctx, w, f, title)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return err
		}
		r.untested = append(r.untested, fmt.Sprintf("frame %s: %v", title, err))
		if err := r.top.Evaluate(ctx, `void globalThis.__ambleParts.push(null)`, nil); err != nil {
			return err
		}
	}
	return nil
}

// child runs axe-core in a frame, within half of the time that is left: one that hangs must not cost the page its results.
func (r *run) child(ctx context.Context, w *browser.World, f frameContext, title string) error {
	if r.frames++; r.frames > maxFrames {
		return errMany
	}
	if at, ok := ctx.Deadline(); ok {
		limited, cancel := context.WithTimeout(ctx, time.Until(at)/2)
		defer cancel()
		ctx = limited
	}
	child, err := w.Frame(ctx, fmt.Sprintf(`axe.utils.shadowSelect(%s)`, f.FrameSelector))
	if err != nil {
		return err
	}
	return r.frame(ctx, child, string(f.FrameContext), title+" ")
}
