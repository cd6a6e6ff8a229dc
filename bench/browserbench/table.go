package browserbench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// figures are the medians of a client's runs.
type figures struct {
	client
	runs, failed int
	pages        int
	cpu, own     float64 // seconds
	spread       [2]float64
	speed        float64 // pages a second
	peak         float64 // megabytes
	requests     float64
	posts        int
}

// summarise returns the figures of each client that has runs, in the order of the list. Runs that failed are counted and
// left out.
func summarise(results []result) []figures {
	var out []figures
	for _, c := range clients {
		f := figures{client: c}
		var cpu, own, speed, peak, requests []float64
		for _, r := range results {
			if r.Client != c.name {
				continue
			}
			if r.Error != "" {
				f.failed++
				continue
			}
			f.runs++
			f.pages, f.posts = r.Pages, max(f.posts, r.Counts.Posts)
			cpu, own = append(cpu, r.CPU.Seconds()), append(own, r.Own.Seconds())
			speed, peak = append(speed, float64(r.Pages)/r.Wall.Seconds()), append(peak, float64(r.Peak)/1e6)
			requests = append(requests, float64(r.Counts.Requests))
		}
		if f.runs > 0 {
			f.spread = [2]float64{slices.Min(cpu), slices.Max(cpu)}
			f.cpu, f.own, f.speed, f.peak, f.requests = median(cpu), median(own), median(speed), median(peak), median(requests)
		}
		if f.runs+f.failed > 0 {
			out = append(out, f)
		}
	}
	return out
}

// median is the middle value, of an even number the upper of the two.
func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// ratio of two clients by one of their figures, 0 when one has none.
func ratio(list []figures, a, b string, of func(figures) float64) float64 {
	find := func(name string) float64 {
		for _, f := range list {
			if f.name == name && f.runs > 0 {
				return of(f)
			}
		}
		return 0
	}
	if find(b) == 0 {
		return 0
	}
	return find(a) / find(b)
}

func cpuPerPage(f figures) float64 { return f.cpu / float64(f.pages) }
func peakOf(f figures) float64     { return f.peak }
func requestsOf(f figures) float64 { return f.requests }

// targets are what the product has to reach.
var targets = []struct {
	what string
	a, b string
	of   func(figures) float64
	max  float64
}{
	{"CPU, a context a page", "amble-fresh", "chromedp", cpuPerPage, 1.15},
	{"CPU, a context a page", "amble-fresh", "crawlee", cpuPerPage, 0.65},
	{"CPU, a context a site", "amble", "chromedp", cpuPerPage, 0.60},
	{"CPU, a context a site", "amble", "crawlee", cpuPerPage, 0.35},
	{"requests to the site", "amble", "crawlee", requestsOf, 0.55},
	{"CPU with the capture for analysers", "amble-capture", "amble", cpuPerPage, 1.35},
	{"peak memory", "amble", "crawlee", peakOf, 0.60},
	{"peak memory, a context a page", "amble-fresh", "crawlee", peakOf, 0.60},
	{"peak memory with the capture", "amble-capture", "crawlee", peakOf, 0.60},
	{"CPU of a whole audit", "amble-audit", "pa11y-ci", cpuPerPage, 0.35},
	{"CPU of a whole audit", "amble-audit", "lighthouse", cpuPerPage, 0.15},
}

// tables prints what was measured, as Markdown.
func tables(w io.Writer, results []result) error {
	list := summarise(results)
	if len(results) > 0 {
		last := results[len(results)-1]
		fmt.Fprintf(w, "%s, %s, %d tabs; medians, CPU of the whole tree of processes (least to most)\n", last.Date, last.Chrome, last.Tabs)
	}
	for _, audit := range []bool{false, true} {
		base := "chromedp"
		if audit {
			base = "pa11y-ci"
		}
		if !slices.ContainsFunc(list, func(f figures) bool { return f.audit == audit }) {
			continue
		}
		fmt.Fprintf(w, "\n| client | runs | pages | CPU s | to %s | of it the client's | pages/s | peak MB | requests | not GET |\n|---|---|---|---|---|---|---|---|---|---|\n", base)
		for _, f := range list {
			if f.audit != audit {
				continue
			}
			if f.runs == 0 {
				fmt.Fprintf(w, "| %s (%s) | %d failed | | | | | | | | |\n", f.name, f.about, f.failed)
				continue
			}
			fmt.Fprintf(w, "| %s (%s) | %d | %d | %.2f (%.2f–%.2f) | %s | %.2f | %.2f | %.0f | %.0f | %d |\n", f.name, f.about, f.runs, f.pages,
				f.cpu, f.spread[0], f.spread[1], share(ratio(list, f.name, base, cpuPerPage)), f.own, f.speed, f.peak, f.requests, f.posts)
		}
	}
	fmt.Fprint(w, "\n| what | ratio | at most | |\n|---|---|---|---|\n")
	for _, t := range targets {
		got := ratio(list, t.a, t.b, t.of)
		if got == 0 {
			continue
		}
		met := "met"
		if got > t.max {
			met = "not met"
		}
		fmt.Fprintf(w, "| %s, %s to %s | %.2f | %.2f | %s |\n", t.what, t.a, t.b, got, t.max, met)
	}
	return nil
}

func share(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// growth loads many pages and prints the memory of the tree by the pages loaded so far.
func (o options) growth(w io.Writer, chosen []client, pages int) error {
	const parts = 10
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	for _, c := range chosen {
		r, m, err := o.once(c, pages)
		if err != nil {
			return err
		}
		if r.Error != "" {
			return fmt.Errorf("%s: %s", c.name, r.Error)
		}
		fmt.Fprintf(w, "%s, %d pages, %.2f CPU s, %.0f s: MB in the middle of each tenth\n", c.name, pages, r.CPU.Seconds(), r.Wall.Seconds())
		for i := range parts {
			from, to := m.visits[i*len(m.visits)/parts].At, m.visits[min((i+1)*len(m.visits)/parts, len(m.visits)-1)].At
			fmt.Fprintf(out, "%d–%d\t%.0f\t\n", i*pages/parts, (i+1)*pages/parts, memoryBetween(m.usage.Samples, from, to)/1e6)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// memoryBetween is the median of the samples of a time.
func memoryBetween(samples []Sample, from, to time.Time) float64 {
	var values []int64
	for _, s := range samples {
		if !s.At.Before(from) && !s.At.After(to) {
			values = append(values, s.Memory)
		}
	}
	if len(values) == 0 {
		return 0
	}
	return float64(median(values))
}
