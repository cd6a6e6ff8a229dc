package browser

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestSnapshot: the tree holds frames of this and of other processes where they stand, shadow roots open and closed, styles
// and text boxes, in CSS pixels whatever the device's scale; requests, console, exceptions and metrics are there; what is
// typed into fields is not (S12); and the pictures are (S5).
func TestSnapshot(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			html(w, `<!doctype html><meta name=viewport content="width=device-width"><style>body{margin:0} iframe{position:absolute;left:100px;border:5px solid;width:200px;height:100px} h1{margin:0;color:#123456}</style>
				<h1>Top</h1><iframe style="top:100px" src="/frame"></iframe><iframe style="top:300px" src="http://%s/frame"></iframe>
				<div id=open></div><div id=closed></div><input value="secret"><script>
				for (const mode of ["open", "closed"]) document.getElementById(mode).attachShadow({mode}).innerHTML = "<b>in " + mode + "</b>";
				console.warn("careful"); setTimeout(() => { throw new Error("oops") });</script>`, strings.Replace(r.Host, "127.0.0.1", "localhost", 1))
		case "/frame":
			html(w, `<body style="margin:0"><p style="margin:0;width:50px;height:20px">framed`)
		}
	}))
	for _, mobile := range []bool{false, true} {
		t.Run(fmt.Sprintf("mobile=%v", mobile), func(t *testing.T) {
			r := newRenderer(t, func(r *Renderer) {
				r.Mobile, r.Capture.Accessibility = mobile, true
				r.Screenshot = ScreenshotPolicy{Take: true, Full: true}
			})
			resp, err := fetchPage(t, r, server.URL+"/")
			if err != nil {
				t.Fatal(err)
			}
			snap := resp.Snapshot
			var frames []amble.Rect
			shadows := map[string]bool{}
			for i, n := range snap.Nodes {
				switch {
				case n.Type == amble.NodeElement && n.Name == "p":
					frames = append(frames, n.Box)
				case n.Type == amble.NodeShadow:
					shadows[n.Value] = true
				case n.Name == "input" && n.InputValue != "•":
					t.Errorf("what is in a field: %q", n.InputValue)
				case n.Name == "h1" && (n.Box.W != float64(snap.Viewport.Width) || n.Box.H < 20 || n.Box.H > 60):
					t.Errorf("the heading's box is %+v", n.Box)
				}
				if n.Parent >= i {
					t.Errorf("node %d stands before its parent %d", i, n.Parent)
				}
			}
			want := []amble.Rect{{X: 105, Y: 105, W: 50, H: 20}, {X: 105, Y: 305, W: 50, H: 20}}
			if len(frames) != 2 || !near(frames[0], want[0]) || !near(frames[1], want[1]) {
				t.Errorf("in the frames: %+v, want %+v", frames, want)
			}
			if len(snap.Frames) != 3 || snap.Frames[2].Parent != 0 || snap.Frames[2].Owner < 0 || !snap.Frames[2].Tested {
				t.Errorf("frames %+v", snap.Frames)
			}
			if !shadows["open"] || !shadows["closed"] {
				t.Errorf("shadow roots %v", shadows)
			}
			if !styled(resp, "h1", "color", "rgb(18, 52, 86)") {
				t.Error("no styles")
			}
			heading := false
			for i, ax := range snap.AX {
				heading = heading || ax.Role == "heading" && ax.Name == "Top" && snap.Nodes[i].Name == "h1"
			}
			if !heading {
				t.Error("the accessibility tree has no heading")
			}
			said := fmt.Sprint(snap.Console)
			if !strings.Contains(said, "careful") || !strings.Contains(said, "oops") {
				t.Errorf("console %v", snap.Console)
			}
			if len(snap.Requests) != 3 || snap.Requests[0].Status != 200 || snap.Requests[0].Encoded == 0 {
				t.Errorf("requests %+v", snap.Requests)
			}
			if snap.Metrics.Nodes == 0 || snap.Metrics.Load == 0 {
				t.Errorf("metrics %+v", snap.Metrics)
			}
			picture, err := jpeg.Decode(bytes.NewReader(snap.Screenshot))
			if err != nil || math.Abs(float64(picture.Bounds().Dx())-float64(snap.Viewport.Width)*snap.Viewport.Scale) > 2 {
				t.Errorf("picture of type %q: %v; %v", snap.ScreenshotType, err, snap.Problems)
			}
			if resp.Addr.Addr().String() != "127.0.0.1" || resp.Sent.IsZero() || resp.Timing.FirstByte == 0 {
				t.Errorf("the answer's address %v, timing %+v", resp.Addr, resp.Timing)
			}
		})
	}
}

func near(a, b amble.Rect) bool {
	return math.Abs(a.X-b.X) < 2 && math.Abs(a.Y-b.Y) < 2 && math.Abs(a.W-b.W) < 2 && math.Abs(a.H-b.H) < 2
}
