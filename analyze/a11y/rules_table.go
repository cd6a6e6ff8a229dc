package a11y

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

func tableOf(n *dom.Node) *dom.Node {
	if n.Parent == nil {
		return nil
	}
	return n.Parent.Closest(func(e *dom.Node) bool { return e.Is("table") })
}

// headersAttr: headers attributes point to other cells of the same table (ACT a25f45).
func headersAttr(p *pass) {
	p.each(func(n *dom.Node) {
		h, ok := n.Get("headers")
		if !ok || !n.Is("td", "th") || n.NotRendered {
			return
		}
		t := tableOf(n)
		if t == nil || !css.Visible(t) || !aria.Exposed(t) {
			return
		}
		switch aria.Of(t) {
		case "table", "grid", "treegrid":
		default:
			return
		}
		bad, self := "", false
		for _, id := range strings.Fields(h) {
			good := false
			for _, e := range n.Doc.AllByID(n, id) {
				if e == n {
					self = true
				}
				good = good || e.Is("td", "th") && tableOf(e) == t
			}
			if !good && bad == "" {
				bad = id
			}
		}
		switch {
		case bad != "":
			p.fail(n, "The headers attribute names "+bad+", which is no cell of the same table.", "headers", h)
		case self:
			p.fail(n, "The headers attribute names the cell itself.", "headers", h)
		default:
			p.ok(n)
		}
	})
}

// scopeValid: scope attributes of header cells have one of their four values.
func scopeValid(p *pass) {
	p.each(func(n *dom.Node) {
		s, ok := n.Get("scope")
		if !ok || !n.Is("td", "th") || n.NotRendered {
			return
		}
		good := false
		switch strings.ToLower(s) {
		case "row", "col", "rowgroup", "colgroup":
			good = n.Is("th")
		}
		p.verdict(n, good, "The scope attribute is not used as HTML defines it.", "scope", s)
	})
}

// grid is a table laid out by rows and columns, as HTML's algorithm for forming a table does it, or by ARIA roles.
type grid struct {
	cells []gridCell
	at    map[[2]int]int // position to index of cells
	w, h  int

	rowData, colData       map[int]bool  // rows and columns with data cells
	rowHeaders, colHeaders map[int][]int // the header cells of each, in order
	groups                 []int         // cells with the scope of a row group or column group
}

type gridCell struct {
	n          *dom.Node
	x, y, w, h int
	role       string
	groupEnd   int // row at which the cell's row group ends
}

const maxCells = 50_000

// maxSlots bounds the places that cells with spans may take.
const maxSlots = 500_000

// layTable lays out a table, grid or treegrid.
func layTable(t *dom.Node) *grid {
	g := &grid{at: map[[2]int]int{}, rowData: map[int]bool{}, colData: map[int]bool{}, rowHeaders: map[int][]int{}, colHeaders: map[int][]int{}}
	type rowT struct {
		n     *dom.Node
		group *dom.Node
	}
	var rows []rowT
	var walk func(n, group *dom.Node)
	walk = func(n, group *dom.Node) {
		for _, c := range n.Children {
			if c.Kind != dom.ElementKind || c.NotRendered {
				continue
			}
			switch role := aria.Of(c); {
			case role == "row" || c.Is("tr"):
				rows = append(rows, rowT{c, group})
			case role == "table" || role == "grid" || role == "treegrid" || c.Is("table"):
			case role == "rowgroup" || c.Is("tbody", "thead", "tfoot"):
				walk(c, c)
			default:
				walk(c, group)
			}
		}
	}
	walk(t, nil)
	ends := make([]int, len(rows)) // where the row group of each row ends
	for y := len(rows) - 1; y >= 0; y-- {
		ends[y] = y + 1
		if y+1 < len(rows) && rows[y+1].group == rows[y].group {
			ends[y] = ends[y+1]
		}
	}
	for y := range rows {
		r, end, x := rows[y], ends[y], 0
		var cells func(n *dom.Node)
		cells = func(n *dom.Node) {
			for _, c := range n.Children {
				if c.Kind != dom.ElementKind || len(g.cells) > maxCells {
					continue
				}
				role := aria.Of(c)
				switch role {
				case "cell", "gridcell", "columnheader", "rowheader":
				default:
					if !c.Is("td", "th") {
						if role == "generic" || role == "none" || role == "" {
							cells(c)
						}
						continue
					}
				}
				for {
					if _, taken := g.at[[2]int{x, y}]; !taken {
						break
					}
					x++
				}
				w, h := span(c, "colspan", "aria-colspan"), span(c, "rowspan", "aria-rowspan")
				if rs, ok := c.Get("rowspan"); ok && strings.TrimSpace(rs) == "0" {
					h = end - y
				}
				h = min(h, end-y)
				if len(g.at)+w*h > maxSlots { // no table for people
					w, h = 1, 1
				}
				cell := gridCell{n: c, x: x, y: y, w: w, h: h, role: role, groupEnd: end}
				for i := x; i < x+w; i++ {
					for j := y; j < y+h; j++ {
						g.at[[2]int{i, j}] = len(g.cells)
					}
				}
				if isHeaderRole(role) {
					for i := x; i < x+w; i++ {
						g.colHeaders[i] = append(g.colHeaders[i], len(g.cells))
					}
					for j := y; j < y+h; j++ {
						g.rowHeaders[j] = append(g.rowHeaders[j], len(g.cells))
					}
				} else {
					for i := x; i < x+w; i++ {
						g.colData[i] = true
					}
					for j := y; j < y+h; j++ {
						g.rowData[j] = true
					}
				}
				switch strings.ToLower(c.A("scope")) {
				case "rowgroup", "colgroup":
					if len(g.groups) == maxHeaders {
						break
					}
					g.groups = append(g.groups, len(g.cells))
				}
				g.cells = append(g.cells, cell)
				g.w, g.h = max(g.w, x+w), max(g.h, y+h)
				x += w
			}
		}
		cells(r.n)
	}
	g.h = max(g.h, len(rows))
	for _, line := range g.rowHeaders {
		slices.SortStableFunc(line, func(a, b int) int { return cmp.Compare(g.cells[a].x, g.cells[b].x) })
	}
	for _, line := range g.colHeaders {
		slices.SortStableFunc(line, func(a, b int) int { return cmp.Compare(g.cells[a].y, g.cells[b].y) })
	}
	return g
}

func span(n *dom.Node, attrs ...string) int {
	for _, a := range attrs {
		if v, ok := n.Get(a); ok {
			if i, ok := aria.ParseInt(v); ok && i > 0 {
				return min(i, 1000)
			}
		}
	}
	return 1
}

// headers returns the header cells assigned to a cell, by HTML's algorithm for assigning header cells: the headers
// attribute when there is one, else what stands to the left and above.
func (g *grid) headers(c gridCell) map[*dom.Node]bool {
	out := map[*dom.Node]bool{}
	if h, ok := c.n.Get("headers"); ok && strings.TrimSpace(h) != "" {
		for _, id := range strings.Fields(h) {
			for _, e := range c.n.Doc.AllByID(c.n, id) {
				out[e] = true
			}
		}
		return out
	}
	for y := c.y; y < c.y+c.h; y++ {
		g.scan(out, c, g.rowHeaders[y], c.x, false)
	}
	for x := c.x; x < c.x+c.w; x++ {
		g.scan(out, c, g.colHeaders[x], c.y, true)
	}
	// Headers of the whole row group or column group.
	for _, i := range g.groups {
		h := g.cells[i]
		switch strings.ToLower(h.n.A("scope")) {
		case "rowgroup":
			if c.groupEnd == h.groupEnd && h.y <= c.y && h.x <= c.x && h.n != c.n {
				out[h.n] = true
			}
		case "colgroup":
			if h.y < c.y && c.x >= h.x && c.x < h.x+h.w {
				out[h.n] = true
			}
		}
	}
	return out
}

// maxHeaders bounds how many headers of one row or column are looked at from one cell, and those of whole groups.
const maxHeaders = 100

// scan collects the headers that apply to a cell in one line of the table, from the cell to the left or upwards: headers
// holds the line's header cells in order. Those beyond data still count, unless a header nearer to the cell, of the same
// width (or height), has taken their place.
func (g *grid) scan(out map[*dom.Node]bool, principal gridCell, headers []int, from int, vertical bool) {
	start := func(c gridCell) (at, size int) {
		if vertical {
			return c.y, c.h
		}
		return c.x, c.w
	}
	var opaque, current []gridCell
	if isHeaderRole(principal.role) {
		current = append(current, principal)
	}
	edge := from
	before := sort.Search(len(headers), func(k int) bool { at, _ := start(g.cells[headers[k]]); return at >= from })
	for k := before - 1; k >= max(0, before-maxHeaders); k-- {
		c := g.cells[headers[k]]
		at, size := start(c)
		if at+size < edge { // data stands between
			opaque = append(opaque, current...)
			current = nil
		}
		edge = at
		current = append(current, c)
		blocked := false
		for _, o := range opaque {
			blocked = blocked || vertical && o.x == c.x && o.w == c.w || !vertical && o.y == c.y && o.h == c.h
		}
		kind := "rowheader"
		if vertical {
			kind = "columnheader"
		}
		if !blocked && g.heads(c, kind) {
			out[c.n] = true
		}
	}
}

// heads tells whether a header cell heads its column, or its row. One without a scope or role of its own that stands in
// a row and in a column with data may be meant for either.
func (g *grid) heads(c gridCell, kind string) bool {
	if c.role == kind || aria.Explicit(c.n) != "" || !c.n.Is("th") {
		return c.role == kind
	}
	switch strings.ToLower(c.n.A("scope")) {
	case "row", "col", "rowgroup", "colgroup":
		return false
	}
	return g.dataIn(c, true) && g.dataIn(c, false)
}

// dataIn tells whether the rows, or the columns, of a cell hold data cells.
func (g *grid) dataIn(c gridCell, rows bool) bool {
	if rows {
		for y := c.y; y < c.y+c.h; y++ {
			if g.rowData[y] {
				return true
			}
		}
		return false
	}
	for x := c.x; x < c.x+c.w; x++ {
		if g.colData[x] {
			return true
		}
	}
	return false
}

func isHeaderRole(r string) bool { return r == "columnheader" || r == "rowheader" }

// headerCells: each header cell has cells that it is the header of (ACT d0f69e).
func headerCells(p *pass) {
	p.each(func(t *dom.Node) {
		switch aria.Of(t) {
		case "table", "grid", "treegrid":
		default:
			return
		}
		if !aria.Exposed(t) {
			return
		}
		g := layTable(t)
		used := map[*dom.Node]bool{}
		for _, c := range g.cells {
			if !aria.Inherits(c.role, "cell") {
				continue
			}
			for h := range g.headers(c) {
				if h != c.n {
					used[h] = true
				}
			}
		}
		for _, c := range g.cells {
			if !isHeaderRole(c.role) || !c.n.IsHTML() || !css.Visible(c.n) || !aria.Exposed(c.n) {
				continue
			}
			p.verdict(c.n, used[c.n], "No cell belongs to this header cell.")
		}
	})
}
