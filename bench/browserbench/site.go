package browserbench

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/image/font/gofont/goregular"
)

// Site is a made-up site of pages with 21 files each, the same in every run: the page of about 12 KB, two style sheets, a
// web font, ten pictures, five scripts that build and change the document, what they fetch, and a beacon. Twelve files are
// shared by all pages; all may be kept for an hour.
type Site struct {
	pages, nodes int
	files        map[string]file

	mu   sync.Mutex
	seen Counts
	at   []Visit
}

type file struct {
	kind string
	body []byte
}

// Counts are the requests that the site was sent.
type Counts struct {
	Requests int // all
	Pages    int // for pages, repeats counted
	Unique   int // different pages
	Posts    int // that are not GET or HEAD
	Bytes    int64
	paths    map[string]int
}

// Visit is a request for a page.
type Visit struct {
	At   time.Time
	Path string
}

// NewSite makes a site. nodes is about how many elements each page has once its scripts ran.
func NewSite(pages, nodes int) *Site {
	s := &Site{pages: pages, nodes: nodes, files: map[string]file{}, seen: Counts{paths: map[string]int{}}}
	s.files["/font.ttf"] = file{"font/ttf", goregular.TTF}
	for i := range 2 {
		s.files[fmt.Sprintf("/style/%d.css", i)] = file{"text/css", styleSheet(i)}
	}
	for i := range 5 {
		s.files[fmt.Sprintf("/script/%d.js", i)] = file{"text/javascript", script(i)}
	}
	for i := range 24 { // 4 that all pages share, 20 for the others to choose from
		s.files[fmt.Sprintf("/picture/%d.jpg", i)] = file{"image/jpeg", picture(i)}
	}
	return s
}

// Counts tells what the site was asked for.
func (s *Site) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.seen
	c.Unique = len(c.paths)
	c.paths = nil
	return c
}

// Visits tells when pages were asked for, in order.
func (s *Site) Visits() []Visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Visit(nil), s.at...)
}

// Serve serves the site on a free port of loopback until shut is called.
func (s *Site) Serve() (base string, shut func(), err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := 0
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen.Requests++
		s.seen.Bytes += int64(n)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.seen.Posts++
		}
		if strings.HasPrefix(r.URL.Path, "/page/") {
			s.seen.Pages++
			s.seen.paths[r.URL.Path]++
			s.at = append(s.at, Visit{time.Now(), r.URL.Path})
		}
	}()
	send := func(kind string, body []byte) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "max-age=3600")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		n, _ = w.Write(body)
	}
	if f, ok := s.files[r.URL.Path]; ok {
		send(f.kind, f.body)
		return
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	i, err := strconv.Atoi(rest)
	known := err == nil && i >= 0 && i < s.pages
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	case kind == "page" && known:
		send("text/html; charset=utf-8", []byte(s.page(i)))
	case kind == "data" && known:
		send("application/json", fmt.Appendf(nil, `{"page":%d,"items":["one","two","three"]}`, i))
	case kind == "seen":
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}

// page is the HTML of one page. Its pictures have addresses of its own, as those of shops do.
func (s *Site) page(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Page %d of the bench site</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="The page number %d, with things to look at.">
<link rel="canonical" href="/page/%d"><link rel="stylesheet" href="/style/0.css"><link rel="stylesheet" href="/style/1.css">
<script src="/script/0.js"></script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","name":"Page %d"}</script></head>
<body data-page="%d" data-nodes="%d"><header><nav aria-label="Main"><ul>`, i, i, i, i, i, s.nodes)
	for k := range 12 {
		fmt.Fprintf(&b, `<li><a href="/page/%d">Section %d</a></li>`, (i+k+1)%s.pages, k)
	}
	b.WriteString("</ul></nav></header><main><h1>Things to look at</h1>\n")
	for k := range 10 {
		src := fmt.Sprintf("/picture/%d.jpg", k)
		if k >= 4 {
			src = fmt.Sprintf("/picture/%d.jpg?page=%d", 4+(i*6+k)%20, i)
		}
		fmt.Fprintf(&b, `<section class="card c%d"><h2>Thing %d</h2><img src=%q alt="Picture of thing %d" width="320" height="240">
<p>%s</p><p class="price">%d.00</p><button type="button" class="add">Add thing %d</button> <a href="/page/%d">More about thing %d</a></section>
`, k, k, src, k, strings.Repeat("Some words about the thing, enough of them to make lines that wrap. ", 9), 10+k, k, (i*7+k*3+1)%s.pages, k)
	}
	b.WriteString(`<form action="/page/0"><label for="q">Search</label><input id="q" name="q"><button>Go</button></form><div id="list"></div></main>
<footer><p>The end of the page.</p></footer>
`)
	for k := 1; k < 5; k++ {
		fmt.Fprintf(&b, "<script src=\"/script/%d.js\" defer></script>\n", k)
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// styleSheet is about 31 KB of rules, few of which match.
func styleSheet(i int) []byte {
	var b bytes.Buffer
	if i == 0 {
		b.WriteString(`@font-face { font-family: Bench; src: url(/font.ttf) }
body { font: 16px/1.5 Bench, sans-serif; margin: 0 auto; max-width: 1200px; color: #222; background: #fff }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 16px } h1, form, #list { grid-column: 1 / -1 }
nav ul { display: flex; flex-wrap: wrap; gap: 12px; list-style: none } .card { border: 1px solid #ccc; border-radius: 8px; padding: 12px; box-shadow: 0 2px 6px #0003 }
.price { color: #666; font-weight: 700 } .add { padding: 8px 16px } #list p { margin: 2px 0 } #list .late { color: #335 }
`)
	}
	for k := 0; b.Len() < 31_000; k++ {
		fmt.Fprintf(&b, ".s%d-%d .inner > p:not(.none) + a[href^=\"/x%d\"] { color: #%06x; margin: %dpx; transition: color .2s }\n", i, k, k, (k*7919+i)%0xffffff, k%40)
	}
	return b.Bytes()
}

// script is about 20 KB. Each does a part of what scripts of pages do.
func script(i int) []byte {
	parts := []string{
		`window.bench = {started: performance.now(), steps: []};`,
		`(() => { const list = document.getElementById('list'), n = +document.body.dataset.nodes;
for (let k = 0; k < n / 3; k++) { const p = document.createElement('p'); p.className = 'row r' + k % 7;
p.innerHTML = '<span>Row ' + k + '</span> <a href="/page/' + k % 12 + '">open row ' + k + '</a>'; list.append(p); }
bench.steps.push(list.offsetHeight); })();`,
		`(() => { let sum = 0; for (const p of document.querySelectorAll('#list p')) { sum += p.getBoundingClientRect().height; }
const words = {}; for (const w of document.body.innerText.split(/\s+/)) words[w] = (words[w] || 0) + 1;
bench.steps.push(sum, Object.keys(words).length); })();`,
		`fetch('/data/' + document.body.dataset.page).then(r => r.json()).then(d => { const p = document.createElement('p');
p.textContent = d.items.join(', '); document.querySelector('footer').append(p); bench.steps.push(d.page); });`,
		`addEventListener('load', () => { navigator.sendBeacon('/seen/' + document.body.dataset.page, JSON.stringify(bench.steps));
setTimeout(() => { for (const p of document.querySelectorAll('#list .r3')) p.classList.add('late'); }, 150); });`,
	}
	var b bytes.Buffer
	b.WriteString(parts[i])
	for k := 0; b.Len() < 20_000; k++ {
		fmt.Fprintf(&b, "\nfunction helper%d_%d(a, b) { const x = [a, b, %d].map(v => v * %d); return x.filter(v => v > %d).reduce((s, v) => s + v, 0); }", i, k, k, k+2, k)
	}
	fmt.Fprintf(&b, "\nfor (let k = 0, s = 0; k < 20000; k++) { s += helper%d_%d(k, s %% 7); }\n", i, 3)
	return b.Bytes()
}

// picture is a JPEG of about 30 KB.
func picture(i int) []byte {
	h := fnv.New64a()
	fmt.Fprint(h, i)
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	m := image.NewRGBA(image.Rect(0, 0, 480, 360))
	for y := range 360 {
		for x := range 480 {
			noise := uint8(random.UintN(36))
			m.SetRGBA(x, y, color.RGBA{uint8(x/2) + noise, uint8(y/2+i*8) + noise, uint8((x+y)/4) + noise, 255})
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, &jpeg.Options{Quality: 60})
	return b.Bytes()
}
