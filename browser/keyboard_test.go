package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestKeyboard: Tab goes through the page as a person's would, tells how the focus shows, and finds out where it does not
// get out again. It activates nothing.
func TestKeyboard(t *testing.T) {
	const ring = "outline-style"
	tests := []struct {
		name, page string
		end        string
		stops      string // id, how it is seen, what changed; "!" for trapped
	}{
		{"links", `<a id=a href="#x">A</a> <button id=b onclick="document.title='pressed'">B</button>`, amble.KeyboardLeft, "a style " + ring + ", b style " + ring},
		{"nothing", `<p>Text`, amble.KeyboardLeft, ""},
		{"no ring", `<style>a{outline:none}</style><a id=a href="#x">A</a>`, amble.KeyboardLeft, "a unseen"},
		{"a style sheet's other sign", `<style>a{outline:none} a:focus{background:yellow}</style><a id=a href="#x">A</a>`, amble.KeyboardLeft, "a style background-color"},
		{"a sibling shows it", `<style>input{opacity:0} input:focus + label{border:1px solid red}</style><input id=a type=checkbox><label for=a>L</label>`, amble.KeyboardLeft, "a style border-top-style"},
		{"an unseen element's ring", `<input id=a type=checkbox style="opacity:0"><label for=a>L</label>`, amble.KeyboardLeft, "a unseen"},
		{"far away", `<style>a{outline:none}</style><a id=a href="#x" onfocus="far.textContent='here'" onblur="far.textContent=''">A</a><div><div><div><p id=far style="height:20px"></div></div></div>`, amble.KeyboardLeft, "a pixels"},
		{"a text field", `<style>input{outline:none}</style><input id=a> <input id=b style="caret-color:transparent">`, amble.KeyboardLeft, "a caret, b unseen"},
		{"a shadow tree and a frame", `<div id=h></div><iframe srcdoc="<a id=f href='#x'>F</a>"></iframe><script>h.attachShadow({mode:'open'}).innerHTML='<button id=s>S</button>'</script>`, amble.KeyboardLeft, "s style " + ring + ", f style " + ring},
		{"a date field", `<input id=a type=date>`, amble.KeyboardLeft, "a style " + ring},
		{"takes the focus back", `<a id=a href="#x">A</a><button id=b onblur="setTimeout(() => this.focus(), 10)">B</button><a id=c href="#x">C</a>`, amble.KeyboardTrap, "a style " + ring + ", b  !"},
		{"two send it to each other", `<button id=a>A</button><button id=b>B</button><script>a.onblur=()=>b.focus(); b.onblur=()=>a.focus()</script>`, amble.KeyboardTrap, "a style " + ring + " !, b style " + ring + " !"},
		{"Tab is swallowed", `<textarea id=a onkeydown="if (event.key == 'Tab') event.preventDefault()"></textarea><a href="#x">B</a>`, amble.KeyboardTrap, "a caret !"},
		{"only forward", `<a id=a href="#x">A</a><textarea id=b onkeydown="if (event.key == 'Tab' && !event.shiftKey) event.preventDefault()"></textarea>`, amble.KeyboardLeft, "a style " + ring + ", b caret"},
		{"bounded", strings.Repeat(`<a href="#x">A</a> `, 40), amble.KeyboardPresses, "*"},
		{"wants away", `<a id=a href="#x" onfocus="location='/away'">A</a><a id=b href="#x">B</a>`, amble.KeyboardLeft, "a style " + ring + ", b style " + ring},
	}
	var body string
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Errorf("asked for %s", r.URL)
		}
		html(w, "<!doctype html><title>T</title>%s", body)
	}))
	r := newRenderer(t, func(r *Renderer) {
		r.Keyboard = KeyboardPolicy{Press: true, Presses: 30}
	})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body = test.page
			resp, err := fetchPage(t, r, server.URL+"/")
			if err != nil {
				t.Fatal(err)
			}
			snap := resp.Snapshot
			if snap.Keyboard == nil || snap.Keyboard.End != test.end {
				t.Fatalf("ended with %+v, want %s; %v", snap.Keyboard, test.end, snap.Problems)
			}
			if test.stops == "*" {
				return
			}
			var stops []string
			for _, s := range snap.Keyboard.Stops {
				id := "?"
				if s.Node >= 0 {
					id, _ = snap.Nodes[s.Node].Attr("id")
				}
				text := strings.TrimRight(fmt.Sprintf("%s %s %s", id, s.Seen, s.Changed), " ")
				if s.Trapped {
					text += " !"
				}
				stops = append(stops, text)
			}
			if got := strings.Join(stops, ", "); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(test.stops), " ") {
				t.Errorf("stops %q, want %q", got, test.stops)
			}
		})
	}
}

// TestSheetsAndListeners: the text of style sheets is there without another request, those that a sheet imports too, and
// listeners of the window, of nodes and of shadow trees are listed with the text of what waits for keys.
func TestSheetsAndListeners(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	asked := func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return counts[path]
	}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		counts[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/a.css", "/b.css":
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			w.Header().Set("Cache-Control", "max-age=600")
			if r.URL.Path == "/a.css" {
				fmt.Fprint(w, `@import "b.css"; p { color: red } /* ä */`)
				return
			}
			fmt.Fprint(w, `b { color: blue }`)
		default:
			html(w, `<!doctype html><link rel=stylesheet href=/a.css><link rel=stylesheet href=/missing.css media=print><p id=p>Text<div id=h></div><script>
				addEventListener('keydown', e => { if (e.key == 'x') location = '/x' });
				p.addEventListener('click', () => 1);
				h.attachShadow({mode:'closed'}).innerHTML = '<b onkeyup="go()">B</b>';</script>`)
		}
	}))
	r := newRenderer(t, func(r *Renderer) { r.Capture.Listeners = true })
	resp, err := fetchPage(t, r, server.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, s := range resp.Snapshot.Sheets {
		texts[strings.TrimPrefix(s.URL, server.URL)] = s.Text
	}
	if !strings.Contains(texts["/a.css"], "ä */") || texts["/b.css"] != "b { color: blue }" {
		t.Errorf("style sheets %q; %v", texts, resp.Snapshot.Problems)
	}
	if asked("/a.css") != 1 || asked("/b.css") != 1 {
		t.Errorf("requests %d and %d", asked("/a.css"), asked("/b.css"))
	}
	var list []string
	for _, l := range resp.Snapshot.Listeners {
		name := "window"
		if l.Node >= 0 {
			name = resp.Snapshot.Nodes[l.Node].Name
		}
		list = append(list, name+" "+l.Type+" "+fmt.Sprint(strings.Contains(l.Source, "e.key"), strings.Contains(l.Source, "go()")))
	}
	// A page later the browser has the style sheets from its cache.
	again, err := fetchPage(t, r, server.URL+"/again")
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Snapshot.Sheets) != len(resp.Snapshot.Sheets) || asked("/a.css") != 1 {
		t.Errorf("on the next page: %d style sheets of %d; %d requests; %v", len(again.Snapshot.Sheets), len(resp.Snapshot.Sheets), asked("/a.css"), again.Snapshot.Problems)
	}
	if got, want := strings.Join(list, ", "), "window keydown true false, p click false false, b keyup false true"; got != want {
		t.Errorf("listeners %q, want %q; %v", got, want, resp.Snapshot.Problems)
	}
}
