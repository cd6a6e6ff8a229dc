package a11ybench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/browser/axe"
)

// axeEngine is axe-core from the folder.
func axeEngine(folder string) (*axe.Engine, error) {
	e, err := axe.New(os.DirFS(filepath.Join(folder, "node_modules", "axe-core")), "axe.min.js")
	if err != nil {
		return nil, fmt.Errorf("%w; run make bench-a11y-peers", err)
	}
	e.Timeout = time.Minute
	return e, nil
}

// alfaWorld is the name of Alfa's script.
const alfaWorld = "alfa"

// alfaScript writes a page down with Alfa's own serialiser, as its adapters for browsers do. The rules run in Node.
func alfaScript(folder string) (browser.Script, error) {
	native, err := os.ReadFile(filepath.Join(folder, "node_modules", "@siteimprove", "alfa-dom", "dist", "native.js"))
	if err != nil {
		return browser.Script{}, fmt.Errorf("%w; run make bench-a11y-peers", err)
	}
	return browser.Script{Name: alfaWorld, Source: strings.ReplaceAll(string(native), "export var", "var"), Timeout: time.Minute,
		Run: func(ctx context.Context, top *browser.World) (json.RawMessage, error) {
			var page json.RawMessage
			err := top.Evaluate(ctx, `Native.fromNode(document)`, &page)
			return page, err
		}}, nil
}

// alfaACT are the ACT rules that Alfa's rules are about, by their subjects: Alfa's packages do not say it themselves.
var alfaACT = map[string][]string{
	"sia-r1": {"2779a5"}, "sia-r2": {"23a2a8"}, "sia-r4": {"b5c3f8"}, "sia-r5": {"bf051a"}, "sia-r7": {"de46e4"}, "sia-r8": {"e086e5"},
	"sia-r9": {"bc659a"}, "sia-r10": {"73f2c2"}, "sia-r11": {"c487ae"}, "sia-r12": {"97a4e1"}, "sia-r13": {"cae760"}, "sia-r14": {"2ee8b8"},
	"sia-r15": {"4b1c6c"}, "sia-r16": {"4e8ab6"}, "sia-r17": {"6cfa84"}, "sia-r18": {"5c01ea"}, "sia-r19": {"6a7281"}, "sia-r20": {"5f99a7"},
	"sia-r21": {"674b10"}, "sia-r28": {"59796f"}, "sia-r41": {"b20e66"}, "sia-r42": {"ff89c9"}, "sia-r43": {"7d6734"}, "sia-r44": {"b33eff"},
	"sia-r45": {"a25f45"}, "sia-r46": {"d0f69e"}, "sia-r47": {"b4f0c3"}, "sia-r48": {"aaa1bf"}, "sia-r49": {"4c31df"}, "sia-r50": {"80f0bf"},
	"sia-r63": {"8fc3b6"}, "sia-r64": {"ffd0e9"}, "sia-r65": {"oj04fd"}, "sia-r66": {"09o5cg"}, "sia-r67": {"46ca7f"}, "sia-r68": {"bc4a75"},
	"sia-r69": {"afw4f7"}, "sia-r81": {"fd3a94"}, "sia-r82": {"36b590"}, "sia-r83": {"59br37"}, "sia-r84": {"0ssw9k"}, "sia-r86": {"46ca7f"},
	"sia-r90": {"307n5z"}, "sia-r91": {"24afc2"}, "sia-r92": {"9e45ec"}, "sia-r93": {"78fd32"}, "sia-r94": {"m6b1q3"}, "sia-r95": {"akn7bn"},
	"sia-r96": {"bisz58"}, "sia-r109": {"ucwvc8"}, "sia-r110": {"674b10"}, "sia-r114": {"c4a8a4"}, "sia-r115": {"b49b2e"}, "sia-r116": {"2t702h"},
	"sia-r117": {"qt1vmo"},
}

// newRenderer is the browser that all engines share: two tabs, no waits for banners, loopback only.
func newRenderer(view amble.Viewport) *browser.Renderer {
	return &browser.Renderer{Agent: amble.Agent{Name: "AmbleBench", InfoURL: "https://example.com/crawler"}, Addresses: amble.LoopbackOnly(),
		Viewport: view, Tabs: 2, Limits: browser.Limits{Quiet: 100 * time.Millisecond, Settle: 5 * time.Second},
		Capture: browser.Capture{Styles: a11y.StyleNames(), NoHTML: true, NoMetrics: true, NoConsole: true, NoIssues: true}}
}
