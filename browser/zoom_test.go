package browser

import (
	"net/http"
	"testing"
)

// TestZoom: the page is shown in the two smaller windows, where its own rules for them apply, and is as large as before when
// the next one comes.
func TestZoom(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		html(w, `<!doctype html><style>body{margin:0} p{margin:0;width:100%%} @media (max-width: 400px) { p { width: 50%% } }</style><p>Text`)
	}))
	r := newRenderer(t, func(r *Renderer) { r.Zoom = true })
	for range 2 {
		resp, err := fetchPage(t, r, server.URL+"/")
		if err != nil {
			t.Fatal(err)
		}
		snap := resp.Snapshot
		if len(snap.Zoomed) != 2 {
			t.Fatalf("%d smaller windows: %v", len(snap.Zoomed), snap.Problems)
		}
		width := func(i int) float64 {
			nodes := snap.Nodes
			if i >= 0 {
				nodes = snap.Zoomed[i].Nodes
			}
			for _, n := range nodes {
				if n.Name == "p" {
					return n.Box.W
				}
			}
			return 0
		}
		if width(-1) != 1366 || width(0) != 640 || width(1) != 160 {
			t.Errorf("widths %v, %v, %v; want 1366, 640, 160", width(-1), width(0), width(1))
		}
	}
}
