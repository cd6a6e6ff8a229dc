package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/amblecrawl/amble"
)

// JSONL writes one JSON object a line: a header, each page followed by its findings, the findings of the whole site, and
// a summary. SCHEMA.md says what each field means. It keeps nothing but counts.
type JSONL struct {
	out       *bufio.Writer
	enc       *json.Encoder
	o         Options
	known     map[string]*amble.Rule
	begun     bool
	err       error
	estimator Estimator
}

// NewJSONL returns a Sink that writes to w. End flushes; closing w is the caller's.
func NewJSONL(w io.Writer, o Options) *JSONL {
	j := &JSONL{out: bufio.NewWriter(w), o: o, known: o.index(), estimator: Estimator{Population: o.Population}}
	j.enc = json.NewEncoder(j.out)
	j.enc.SetEscapeHTML(false)
	return j
}

// Page implements Sink.
func (j *JSONL) Page(p *amble.Page) error {
	j.begin(p.URL)
	r := pageRecord(p, j.known)
	j.write(r)
	score := 0.0
	if r.Points != nil {
		score = *r.Points
	}
	j.estimator.Add(p.Outcome, score)
	for i := range p.Findings {
		j.write(findingRecord(&p.Findings[i], false))
	}
	return j.err
}

// Link writes a record for a target that was not found good. Set it as LinkCheck.Report: without these records Compare
// cannot tell a broken link that was mended from one that could not be checked.
func (j *JSONL) Link(r *amble.LinkResult) {
	if r.Verdict == amble.LinkOK || r.Verdict == amble.LinkRedirected {
		return
	}
	j.begin("")
	j.write(LinkRecord{"link", r.URL, r.Fragment, r.Verdict.String(), string(r.Problem), r.Reason, r.Status, r.Kind, r.Pages, r.References,
		r.Referrers})
}

// End implements Sink.
func (j *JSONL) End(s *amble.Summary) error {
	j.begin("")
	for i := range s.SiteFindings {
		j.write(findingRecord(&s.SiteFindings[i], true))
	}
	j.estimator.Unseen(s.Waiting + s.Dropped)
	j.write(summaryRecord(s, &j.o, j.estimator.Estimate()))
	if j.err == nil {
		j.err = j.out.Flush()
	}
	return j.err
}

func (j *JSONL) begin(pageURL string) {
	if !j.begun {
		j.begun = true
		j.write(headerOf(&j.o, j.o.site(pageURL)))
	}
}

func (j *JSONL) write(record any) {
	if j.err == nil {
		j.err = j.enc.Encode(record)
	}
}

// ErrSchema: a file is no report that this version reads.
var ErrSchema = errors.New("report: not a report of schema " + Schema)

// maxLine bounds one record of a file that is read.
const maxLine = 16 << 20

// Run is a crawl read back from its JSON Lines.
type Run struct {
	Header   Header
	Pages    map[string]PageRecord
	Findings []FindingRecord       // in the file's order
	Links    map[string]LinkRecord // targets not found good, by URL, with "#" and the fragment where they are places
	Summary  *SummaryRecord        // nil: the file was cut off

	order, linkOrder []string // keys of Pages and Links, in the file's order
}

// ReadRun reads what JSONL wrote. Records and fields that it does not know are skipped. A file that breaks off within a
// line is read up to there; Summary is nil then. The error matches ErrSchema when the first line is no header of a
// schema that is read here.
func ReadRun(r io.Reader) (*Run, error) {
	run := &Run{Pages: make(map[string]PageRecord), Links: make(map[string]LinkRecord)}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if len(strings.TrimSpace(string(line))) == 0 {
			continue
		}
		if run.Header.Schema == "" {
			if err := json.Unmarshal(line, &run.Header); err != nil || run.Header.Type != "header" || run.Header.Schema != Schema {
				return nil, fmt.Errorf("%w: line %d: it has to be a header with that schema", ErrSchema, n)
			}
			continue
		}
		if err := run.take(line); err != nil {
			var broken *json.SyntaxError
			if errors.As(err, &broken) && !lines.Scan() {
				return run, nil // the last line, cut off
			}
			return nil, fmt.Errorf("report: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if run.Header.Schema == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrSchema)
	}
	return run, nil
}

func (run *Run) take(line []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	switch kind.Type {
	case "page":
		var p PageRecord
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		if _, again := run.Pages[p.URL]; !again {
			run.order = append(run.order, p.URL)
		}
		run.Pages[p.URL] = p
	case "finding":
		var f FindingRecord
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		run.Findings = append(run.Findings, f)
	case "link":
		var l LinkRecord
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		key := linkKey(l.URL, l.Fragment)
		if _, again := run.Links[key]; !again {
			run.linkOrder = append(run.linkOrder, key)
		}
		run.Links[key] = l
	case "summary":
		run.Summary = &SummaryRecord{}
		return json.Unmarshal(line, run.Summary)
	}
	return nil
}

func linkKey(url, fragment string) string {
	if fragment == "" {
		return url
	}
	return url + "#" + fragment
}
