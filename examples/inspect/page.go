package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// pageAnswer is what a page, or the head of an answer, says.
type pageAnswer struct {
	URL        string
	RetryAfter string `json:",omitempty"` // a wait, before any clamp
	Throttled  *bool  `json:",omitempty"` // known only with a status line
	Meta       *amble.Meta

	head bool // there was no body
}

// inspectHeader reads lines of "Name: value", with or without a status line before them.
func inspectHeader(name, at string, agents tokens, in io.Reader, now time.Time) (answer, error) {
	body, err := readAll(name, in)
	if err != nil {
		return nil, err
	}
	status := 0
	if line, rest, _ := bytes.Cut(body, []byte("\n")); bytes.HasPrefix(line, []byte("HTTP/")) {
		body = rest
		_, _ = fmt.Sscanf(string(line), "HTTP/%s %d", new(string), &status)
	}
	r := textproto.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.TrimRight(body, "\r\n")), strings.NewReader("\r\n\r\n"))))
	header, err := r.ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("these are no header lines of the form Name: value: %w", err)
	}
	a, err := read(nil, at, http.Header(header), agents, now)
	if err == nil && status > 0 {
		throttled := amble.Throttled(status, http.Header(header))
		a.Throttled = &throttled
	}
	return a, err
}

func inspectPage(name, at string, agents tokens, in io.Reader, now time.Time) (answer, error) {
	body, err := readAll(name, in)
	if err != nil {
		return nil, err
	}
	return read(body, at, http.Header{"Content-Type": {"text/html"}}, agents, now)
}

func read(body []byte, at string, h http.Header, agents tokens, now time.Time) (*pageAnswer, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	a := &pageAnswer{URL: at, Meta: amble.ParseMeta(body, u, h, agents, now), head: body == nil}
	if d, ok := amble.RetryAfter(h, now); ok {
		a.RetryAfter = d.String()
	}
	return a, nil
}

func (a *pageAnswer) text(w io.Writer) {
	m := a.Meta
	line := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(w, "%-13s %s\n", name, text)
		}
	}
	if a.Throttled != nil {
		line("Not now", "%t", *a.Throttled)
	}
	line("Retry-After", "%s", a.RetryAfter)
	if !a.head {
		line("Charset", "%s", m.Charset)
	}
	line("Title", "%s", m.Title)
	line("Description", "%s", m.Description)
	line("Language", "%s", m.Lang)
	for _, h1 := range m.H1 {
		line("Heading", "%s", h1)
	}
	for _, c := range m.Canonicals {
		line("Canonical", "%s (%s)", c.URL, where(c.Header, c.Head))
	}
	for _, tag := range m.RobotsTags {
		line("Robots", "%s: %s (%s)", tag.Name, tag.Value, where(tag.Header, tag.Head))
	}
	line("In force", "%s", strings.Join(inForce(m.Robots), ", "))
	if m.Refresh != nil {
		line("Refresh", "after %v to %s", m.Refresh.Delay, m.Refresh.URL)
	}
	for _, alt := range m.Alternates {
		line("Language of", "%s: %s (%s)", alt.Lang, alt.URL, where(alt.Header, alt.Head))
	}
	for _, d := range m.Data {
		line("Data", "%s (%s)", d.Type, d.Syntax)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Social)) {
		line("Social", "%s = %s", name, m.Social[name])
	}
	if len(m.Links) > 0 {
		line("Links", "%d internal, %d external, %d nofollow", m.Internal, m.External, m.Nofollow)
	}
	for _, l := range m.Links {
		line("", "%s -> %s", l.Href, l.URL)
	}
	for _, p := range m.Problems {
		line("Problem", "%s", p)
	}
	if m.Partial {
		line("Partial", "the reading ended early")
	}
}

// inForce lists the directives in force, those with values too.
func inForce(d amble.Directives) []string {
	out := slices.Clone(d.Names)
	if d.MaxSnippet != nil {
		out = append(out, fmt.Sprintf("max-snippet:%d", *d.MaxSnippet))
	}
	if d.MaxImagePreview != "" {
		out = append(out, "max-image-preview:"+d.MaxImagePreview)
	}
	if d.MaxVideoPreview != nil {
		out = append(out, fmt.Sprintf("max-video-preview:%d", *d.MaxVideoPreview))
	}
	if !d.UnavailableAfter.IsZero() {
		out = append(out, "unavailable_after "+d.UnavailableAfter.Format(time.RFC3339))
	}
	return out
}

// where says where something stood.
func where(header, head bool) string {
	switch {
	case header:
		return "header"
	case head:
		return "head"
	}
	return "body, where it may not count"
}
