package browser

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// gateFunc is a Gate made of a function that says why a URL is refused.
type gateFunc func(u *url.URL) error

func (g gateFunc) Pass(ctx context.Context, u *url.URL, kind amble.Kind) (func(amble.Feedback) amble.Advice, error) {
	if err := g(u); err != nil {
		return nil, err
	}
	return func(amble.Feedback) amble.Advice { return amble.Advice{} }, nil
}

// vectors are ways in which a page makes a browser ask for something. U is replaced by the address asked for, V by its
// WebSocket form.
var vectors = map[string]string{
	// Markup.
	"img": `<img src="U">`, "img-srcset": `<img srcset="U 1x">`, "picture": `<picture><source srcset="U"><img></picture>`,
	"input-image": `<input type=image src="U">`, "video": `<video src="U" preload=auto autoplay muted></video>`,
	"audio": `<audio src="U" preload=auto></audio>`, "poster": `<video poster="U"></video>`, "source": `<video preload=auto><source src="U"></video>`,
	"track":  `<video src="data:video/mp4;base64," ><track default src="U"></video>`,
	"object": `<object data="U"></object>`, "embed": `<embed src="U">`, "iframe": `<iframe src="U"></iframe>`,
	"srcdoc": `<iframe srcdoc="<img src='U'>"></iframe>`, "frame-refresh": `<iframe srcdoc="<meta http-equiv=refresh content='0;url=U'>"></iframe>`,
	"frame-script": `<iframe srcdoc="<script>location='U'</script>"></iframe>`, "sandbox": `<iframe sandbox="allow-scripts" srcdoc="<script>fetch('U').catch(()=>{})</script>"></iframe>`,
	"script": `<script async src="U"></script>`, "module": `<script type=module src="U"></script>`, "body-background": `<table background="U"><tr><td>x</table>`,
	"stylesheet": `<link rel=stylesheet href="U">`, "alternate": `<link rel="alternate stylesheet" title=x href="U">`, "icon": `<link rel=icon href="U">`,
	"manifest": `<link rel=manifest href="U">`, "preload-image": `<link rel=preload as=image href="U">`, "preload-script": `<link rel=preload as=script href="U">`,
	"preload-style": `<link rel=preload as=style href="U">`, "preload-font": `<link rel=preload as=font crossorigin href="U">`,
	"preload-fetch": `<link rel=preload as=fetch crossorigin href="U">`, "modulepreload": `<link rel=modulepreload href="U">`,
	"prefetch": `<link rel=prefetch href="U">`, "preconnect": `<link rel=preconnect href="U">`, "dns-prefetch": `<link rel=dns-prefetch href="U">`,
	"prerender": `<link rel=prerender href="U">`, "speculation-prefetch": `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["U"],"eagerness":"immediate"}]}</script>`,
	"speculation-prerender": `<script type="speculationrules">{"prerender":[{"source":"list","urls":["U"],"eagerness":"immediate"}]}</script>`,
	// Styles.
	"css-import": `<style>@import "U";</style>`, "css-background": `<style>#bg{background:url("U")}</style><p id=bg>x</p>`,
	"css-content": `<style>#ct::before{content:url("U")}</style><p id=ct>x</p>`, "css-mask": `<style>#mk{mask-image:url("U")}</style><p id=mk>x</p>`,
	"css-list": `<style>#ls{list-style-image:url("U")}</style><ul><li id=ls>x</ul>`, "css-border": `<style>#bd{border:3px solid;border-image:url("U") 3}</style><p id=bd>x</p>`,
	"css-image-set": `<style>#is{background:image-set("U" 1x)}</style><p id=is>x</p>`, "css-shape": `<style>#sh{float:left;shape-outside:url("U")}</style><p id=sh>x</p>`,
	"css-font": `<style>@font-face{font-family:f;src:url("U")}#ff{font-family:f}</style><p id=ff>x</p>`, "css-inline": `<p style="background:url('U')">x</p>`,
	// SVG.
	"svg-image": `<svg><image href="U" width=9 height=9 /></svg>`, "svg-use": `<svg><use href="U#a"/></svg>`, "svg-script": `<svg><script href="U"></script></svg>`,
	"svg-feimage": `<svg width=9 height=9><filter id=fi><feImage href="U"/></filter><rect width=9 height=9 filter="url(#fi)"/></svg>`,
	// Script.
	"fetch": `<script>fetch("U").catch(()=>{})</script>`, "fetch-nocors": `<script>fetch("U",{mode:"no-cors"}).catch(()=>{})</script>`,
	"fetch-keepalive": `<script>fetch("U",{keepalive:true}).catch(()=>{})</script>`, "fetch-post": `<script>fetch("U",{method:"POST",mode:"no-cors",body:"x"}).catch(()=>{})</script>`,
	"fetch-preflight": `<script>fetch("U",{method:"PUT",headers:{"X-A":"b"}}).catch(()=>{})</script>`, "fetch-later": `<script>try{fetchLater("U",{activateAfter:0})}catch(e){}</script>`,
	"xhr": `<script>{const x=new XMLHttpRequest();x.open("GET","U");x.send()}</script>`, "xhr-sync": `<script>try{const x=new XMLHttpRequest();x.open("GET","U",false);x.send()}catch(e){}</script>`,
	"eventsource": `<script>new EventSource("U")</script>`, "beacon": `<script>navigator.sendBeacon("U","x")</script>`,
	"pagehide": `<script>addEventListener("pagehide",()=>{navigator.sendBeacon("U","x");fetch("U",{keepalive:true})})</script>`,
	"image":    `<script>new Image().src="U"</script>`, "import": `<script>import("U").catch(()=>{})</script>`,
	"websocket": `<script>new WebSocket("V")</script>`, "ping": `<a id=pg ping="U" href="#">x</a><script>pg.click()</script>`,
	"download": `<a id=dl download href="U">x</a><script>dl.click()</script>`, "open": `<script>open("U")</script>`, "open-noopener": `<script>open("U","_blank","noopener")</script>`,
	"blank": `<a id=bl target=_blank href="U">x</a><script>bl.click()</script>`, "form-get": `<form id=fg target=fr1 action="U"></form><iframe name=fr1></iframe><script>fg.submit()</script>`,
	"form-post":    `<form id=fp method=post target=fr2 action="U"></form><iframe name=fr2></iframe><script>fp.submit()</script>`,
	"fedcm":        `<script>try{navigator.credentials.get({identity:{providers:[{configURL:"U",clientId:"x"}]}}).catch(()=>{})}catch(e){}</script>`,
	"webtransport": `<script>try{new WebTransport("U".replace("http:","https:"))}catch(e){}</script>`,
	// Workers.
	"worker": `<script>try{new Worker("U")}catch(e){}</script>`, "worker-fetch": `<script>new Worker(js("fetch('U').catch(()=>{})"))</script>`,
	"worker-import":  `<script>new Worker(js("try{importScripts('U')}catch(e){}"))</script>`,
	"worker-socket":  `<script>new Worker(js("new WebSocket('V')"))</script>`,
	"worker-nested":  `<script>new Worker(js("new Worker('/js?' + escape(\"fetch('U')\"))"))</script>`,
	"worker-blob":    `<script>new Worker(blob("fetch('U').catch(()=>{})"))</script>`,
	"shared-worker":  `<script>new SharedWorker(js("fetch('U').catch(()=>{})"))</script>`,
	"audio-worklet":  `<script>new OfflineAudioContext(1,9,44100).audioWorklet?.addModule("U").catch(()=>{})</script>`,
	"paint-worklet":  `<script>CSS.paintWorklet?.addModule("U").catch(()=>{})</script>`,
	"service-worker": `<script>navigator.serviceWorker?.register(js("fetch('U').catch(()=>{})")).catch(()=>{})</script>`,
	// What came later: rules added by script, documents within the page, animation, maps of paint, cookies' and fonts' APIs.
	"speculation-script": `<script>{const s=document.createElement("script");s.type="speculationrules";s.textContent='{"prefetch":[{"source":"list","urls":["U"],"eagerness":"immediate"}],"prerender":[{"source":"list","urls":["U"],"eagerness":"immediate"}]}';document.head.append(s)}</script>`,
	"font-face":          `<script>new FontFace("ff2","url(U)").load().catch(()=>{})</script>`, "css-cursor": `<style>#cu{cursor:url("U"),auto}</style><p id=cu>x</p>`,
	"adopted-sheet":        `<script>{const s=new CSSStyleSheet();s.replaceSync("#ad{background:url('U')}");document.adoptedStyleSheets.push(s)}</script><p id=ad>x</p>`,
	"shadow-image":         `<div><template shadowrootmode=closed><img src="U"></template></div>`,
	"object-svg":           `<object type="image/svg+xml" data="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='U'/></svg>"></object>`,
	"xslt":                 `<script>fetch("/xml?"+encodeURIComponent("U")).catch(()=>{})</script><iframe src="/xml?U"></iframe>`,
	"media-session":        `<script>if(navigator.mediaSession)navigator.mediaSession.metadata=new MediaMetadata({title:"x",artwork:[{src:"U"}]})</script>`,
	"notification":         `<script>try{new Notification("x",{icon:"U",image:"U"})}catch(e){}</script>`,
	"background-fetch":     `<script>navigator.serviceWorker?.ready.then(r=>r.backgroundFetch?.fetch("x",["U"])).catch(()=>{})</script>`,
	"reporting":            `<script>new ReportingObserver(()=>{}).observe();fetch("/report?"+encodeURIComponent("U")).catch(()=>{})</script>`,
	"frame-blob":           `<iframe id=fb></iframe><script>fb.src=URL.createObjectURL(new Blob(["<img src='U'>"],{type:"text/html"}))</script>`,
	"worker-socket-stream": `<script>try{new WebSocketStream("V")}catch(e){}</script>`,
	"import-map":           `<script type=importmap>{"imports":{"zz":"U"}}</script><script type=module>import("zz").catch(()=>{})</script>`,
	"attribution":          `<img attributionsrc="U" src="data:,">`, "private-token": `<script>try{fetch("U",{privateToken:{version:1,operation:"token-request"}}).catch(()=>{})}catch(e){}</script>`,
	// Redirects of something allowed.
	"redirect-img": `<img src="/to?U">`, "redirect-script": `<script async src="/to?U"></script>`, "redirect-frame": `<iframe src="/to?U"></iframe>`,
	"redirect-fetch": `<script>fetch("/to?U",{mode:"no-cors"}).catch(()=>{})</script>`, "redirect-css": `<link rel=stylesheet href="/to?U">`,
	"redirect-worker": `<script>try{new Worker("/to?U")}catch(e){}</script>`,
}

// escape is one page full of vectors, and what of it reached anybody.
type escape struct {
	page, other, denied *httptest.Server
	udp                 net.PacketConn
	mu                  sync.Mutex
	hits                map[string]bool
	packets             int
}

func newEscape(t *testing.T) *escape {
	e := &escape{hits: map[string]bool{}}
	record := func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.hits[r.Method+" "+r.Host+r.URL.Path] = true
		e.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/private/", record)
	mux.HandleFunc("/open/", record)
	mux.HandleFunc("/js", func(w http.ResponseWriter, r *http.Request) {
		code, _ := url.QueryUnescape(r.URL.RawQuery)
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, code)
	})
	mux.HandleFunc("/xml", func(w http.ResponseWriter, r *http.Request) {
		target, _ := url.QueryUnescape(r.URL.RawQuery)
		w.Header().Set("Content-Type", "text/xml")
		fmt.Fprintf(w, `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="%s"?><?xml-stylesheet type="text/css" href="%[1]s"?><a/>`, target)
	})
	mux.HandleFunc("/report", func(w http.ResponseWriter, r *http.Request) { // reports of what is blocked, by header
		target, _ := url.QueryUnescape(r.URL.RawQuery)
		w.Header().Set("Reporting-Endpoints", fmt.Sprintf(`default="%s"`, target))
		w.Header().Set("NEL", `{"report_to":"default","max_age":100,"success_fraction":1.0}`)
		w.Header().Set("Report-To", fmt.Sprintf(`{"group":"default","max_age":100,"endpoints":[{"url":"%s"}]}`, target))
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel=preload; as=image`, target))
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	})
	e.page = serve(t, mux)
	e.other = serve(t, http.HandlerFunc(record))
	listener, err := net.Listen("tcp4", "127.0.0.9:0")
	if err != nil {
		t.Skip("no second loopback address: ", err)
	}
	e.denied = &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(record)}}
	e.denied.Start()
	t.Cleanup(e.denied.Close)
	if e.udp, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 1500)
		for {
			if _, _, err := e.udp.ReadFrom(buf); err != nil {
				return
			}
			e.mu.Lock()
			e.packets++
			e.mu.Unlock()
		}
	}()
	t.Cleanup(func() { e.udp.Close() })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		base := map[string]string{"/origin": e.other.URL + "/v/", "/path": e.page.URL + "/private/", "/address": e.denied.URL + "/v/", "/allowed": e.page.URL + "/open/"}[r.URL.Path]
		for _, name := range slices.Sorted(maps.Keys(vectors)) {
			b.WriteString(strings.NewReplacer("U", base+name, "V", strings.Replace(base, "http", "ws", 1)+name).Replace(vectors[name]) + "\n")
		}
		html(w, `<!doctype html><title>x</title><script>
			const js = code => "/js?" + encodeURIComponent(code), blob = code => URL.createObjectURL(new Blob([code]));
			</script>%s<script>
			const pc = new RTCPeerConnection({iceServers: [{urls: "stun:%s"}]}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o));
			</script>`, b.String(), e.udp.LocalAddr())
	})
	return e
}

// load renders one of the pages under a gate that refuses the other server and the private folder, and returns what
// reached anybody.
func (e *escape) load(t *testing.T, r *Renderer, path string) (hits []string, packets int) {
	e.mu.Lock()
	clear(e.hits)
	e.packets = 0
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	u, _ := url.Parse(e.page.URL + path)
	gate := gateFunc(func(u *url.URL) error {
		if u.Host != strings.TrimPrefix(e.page.URL, "http://") && u.Host != strings.TrimPrefix(e.denied.URL, "http://") {
			return &amble.Error{Op: "scope", Kind: amble.ErrOutOfScope}
		}
		if strings.HasPrefix(u.Path, "/private/") {
			return &amble.Error{Op: "robots", Kind: amble.ErrDisallowed}
		}
		return nil
	})
	if _, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1, Gate: gate}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // what a page does when it is left
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.hits)), e.packets
}

func escapeRenderer(t *testing.T, set func(*Renderer)) *Renderer {
	return newRenderer(t, func(r *Renderer) {
		r.Addresses = amble.AddressPolicy{AnyPort: true, AllowSingleLabel: true,
			AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, DenyPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}
		r.Limits.Settle, r.Limits.Quiet = 8*time.Second, time.Second
		if set != nil {
			set(r)
		}
	})
}

// TestNothingEscapes: with every control on, nothing that the gate or the address guard refuses reaches a server, over TCP
// or UDP, whatever way the page asks for it; and of what is allowed, nothing that is no GET (S10, S12).
func TestNothingEscapes(t *testing.T) {
	if len(vectors) < 50 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	eachBrowser(t, func(t *testing.T, browser string) {
		e := newEscape(t)
		r := escapeRenderer(t, func(r *Renderer) { r.Path = browser })
		for _, path := range []string{"/origin", "/path", "/address"} {
			hits, packets := e.load(t, r, path)
			if len(hits) > 0 || packets > 0 {
				t.Errorf("%s: %d UDP packets, and these arrived: %v", path, packets, hits)
			}
		}
		hits, _ := e.load(t, r, "/allowed")
		for _, hit := range hits {
			if !strings.HasPrefix(hit, "GET ") && !strings.HasPrefix(hit, "OPTIONS ") {
				t.Errorf("sent: %s", hit)
			}
		}
		if len(hits) < 40 {
			t.Errorf("only %d vectors work at all: %v", len(hits), hits)
		}
		t.Logf("%d vectors, %d of them arrive where they are allowed; %+v", len(vectors), len(hits), r.Status())
	})
}

// TestControls: each control, switched off, lets something through, so that TestNothingEscapes can fail.
func TestControls(t *testing.T) {
	for _, test := range []struct {
		name, path string
		off        switches
		want       string // part of something that arrives; "udp" for a packet
	}{
		{"interception", "/path", switches{noIntercept: true, looseProxy: true}, "/private/img"},
		{"proxy", "/address", switches{noProxy: true, noIntercept: true}, "/v/img"},
		{"rules of the proxy", "/path", switches{looseProxy: true}, "/private/websocket"},
		{"methods", "/allowed", switches{allowMethods: true, looseProxy: true}, "POST "},
		{"workers", "/allowed", switches{allowWorkers: true}, "/open/shared-worker"},
		{"WebRTC", "/allowed", switches{allowWebRTC: true}, "udp"},
		{"pop-ups", "/path", switches{allowPopups: true, looseProxy: true}, "/private/open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := newEscape(t)
			r := escapeRenderer(t, func(r *Renderer) { r.off = test.off })
			hits, packets := e.load(t, r, test.path)
			if test.want == "udp" {
				if packets == 0 {
					t.Error("no packet arrived")
				}
				return
			}
			if !slices.ContainsFunc(hits, func(hit string) bool { return strings.Contains(hit, test.want) }) {
				t.Errorf("nothing like %q arrived: %v", test.want, hits)
			}
		})
	}
}
