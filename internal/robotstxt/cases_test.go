package robotstxt_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/amblecrawl/amble/internal/cases"
	"github.com/amblecrawl/amble/internal/robotstxt"
)

// writtenCase is a line of google-cases.jsonl: a decision, or with the group "parse" how each line is read.
type writtenCase struct {
	Group   string     `json:"group"`
	Name    string     `json:"name"`
	Robots  string     `json:"robots"`
	Hex     string     `json:"robots_hex"`
	Agent   string     `json:"agent"`
	URL     string     `json:"url"`
	Google  bool       `json:"google"`
	RFC9309 *bool      `json:"rfc9309"`
	Recipe  string     `json:"robots_recipe"`
	Lines   []lineCase `json:"lines"`
}

type lineCase struct {
	Line         int    `json:"line"`
	Key          string `json:"key"`
	Name         string `json:"name"`
	Value        string `json:"value"`
	Empty        bool   `json:"empty"`
	CommentOnly  bool   `json:"comment_only"`
	HasComment   bool   `json:"has_comment"`
	Typo         bool   `json:"typo"`
	MissingColon bool   `json:"missing_colon"`
	TooLong      bool   `json:"too_long"`
	ValueLen     int    `json:"value_len"`
}

func writtenCases(t *testing.T) []writtenCase {
	t.Helper()
	var all []writtenCase
	for line := range bytes.Lines(cases.Read(t, "robots/google-cases.jsonl")) {
		var c writtenCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Hex != "" {
			body, err := hex.DecodeString(c.Hex)
			if err != nil {
				t.Fatal(err)
			}
			c.Robots = string(body)
		}
		if c.Recipe != "" {
			c.Robots = cook(t, c.Recipe)
		}
		all = append(all, c)
	}
	return all
}

// cook makes a file from its recipe: words of text, LF for a line end, and "+ N times X".
func cook(t *testing.T, recipe string) string {
	t.Helper()
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(recipe, " LF"), " LF ") {
		if text, more, ok := strings.Cut(line, " + "); ok {
			var n int
			var what string
			if _, err := fmt.Sscanf(more, "%d times %s", &n, &what); err != nil {
				t.Fatalf("recipe %q: %v", recipe, err)
			}
			line = text + strings.Repeat(what, n)
		}
		lines = append(lines, line+"\n")
	}
	return strings.Join(lines, "")
}

// The Google mode answers as Google's parser does, to the letter: its column of the written-down decisions.
func TestGoogleDecisionsCases(t *testing.T) {
	tally := cases.NewTally("robots/google-cases google")
	for i, c := range writtenCases(t) {
		if c.Group == "parse" {
			continue
		}
		got := robotstxt.Parse([]byte(c.Robots), robotstxt.Google).For(c.Agent).Check(c.URL)
		tally.Add(fmt.Sprintf("%s:%d", c.Group, i+1), got.Allowed == c.Google)
	}
	tally.Close(t, nil)
}

// The default mode answers as RFC 9309 says where that differs from Google's parser.
func TestRFC9309DecisionsCases(t *testing.T) {
	tally := cases.NewTally("robots/google-cases rfc9309")
	disputed := map[string]string{}
	for i, c := range writtenCases(t) {
		if c.Group == "parse" {
			continue
		}
		id, want := fmt.Sprintf("%s:%d", c.Group, i+1), c.Google
		if c.RFC9309 != nil {
			want = *c.RFC9309
		} else if strings.ContainsAny(c.Agent, "0123456789") {
			disputed[id] = "RFC 9309 has no product token with digits and gives no answer; we obey the group that names us"
		}
		got := robotstxt.Parse([]byte(c.Robots), robotstxt.RFC9309).For(c.Agent).Check(c.URL)
		tally.Add(id, got.Allowed == want)
	}
	tally.Close(t, disputed)
}

// Each line is read as Google's parser reports it: number, key, value, and what was tolerated.
func TestLinesCases(t *testing.T) {
	tally := cases.NewTally("robots/google-cases parse")
	for i, c := range writtenCases(t) {
		if c.Group != "parse" {
			continue
		}
		var got []lineCase
		for line := range robotstxt.Parse([]byte(c.Robots), robotstxt.Google).Lines() {
			got = append(got, asCase(line))
		}
		ok := len(got) == len(c.Lines)
		for j := 0; ok && j < len(got); j++ {
			if head, cut := strings.CutSuffix(c.Lines[j].Value, "..."); cut && c.Lines[j].ValueLen == got[j].ValueLen && strings.HasPrefix(got[j].Value, head) {
				got[j].Value = c.Lines[j].Value
			}
			if c.Lines[j].ValueLen == 0 {
				got[j].ValueLen = 0
			}
			if got[j] != c.Lines[j] {
				t.Logf("%s: got %+v, want %+v", c.Name, got[j], c.Lines[j])
				ok = false
			}
		}
		tally.Add(fmt.Sprintf("%s:%d", c.Name, i+1), ok)
	}
	tally.Close(t, nil)
}

// asCase puts a line into the words of the cases: Google has four keys, and its names are octets.
func asCase(line robotstxt.Line) lineCase {
	c := lineCase{
		Line: line.Number, Value: latin1(line.Value), ValueLen: len(line.Value),
		Empty: line.Empty, CommentOnly: line.CommentOnly, HasComment: line.Comment,
		Typo: line.Typo, MissingColon: line.MissingColon, TooLong: line.Long,
	}
	switch line.Key {
	case robotstxt.KeyNone:
	case robotstxt.KeyUserAgent, robotstxt.KeyAllow, robotstxt.KeyDisallow, robotstxt.KeySitemap:
		c.Key = line.Key.String()
	default:
		c.Key, c.Name = "unknown", latin1(line.Name)
	}
	return c
}

func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// decisionRow is a line of decisions.jsonl.gz: a real file, some URLs, and an answer for each agent and URL.
type decisionRow struct {
	File   string            `json:"file"`
	Agents []string          `json:"agents"`
	URLs   []string          `json:"urls"`
	As     map[string]string `json:"allowed"`
	Norm   map[string]string `json:"allowed_norm"`
	RFC    map[string]string `json:"allowed_rfc"`
}

// Real files get the answers of Google's parser for escaped URLs, and in the default mode those of RFC 9309.
func TestCorpusDecisionsCases(t *testing.T) {
	files := corpusByName(t)
	google := cases.NewTally("robots/decisions google")
	standard := cases.NewTally("robots/decisions rfc9309")
	unzip, err := gzip.NewReader(bytes.NewReader(cases.Read(t, "robots/decisions.jsonl.gz")))
	if err != nil {
		t.Fatal(err)
	}
	rows := bufio.NewScanner(unzip)
	rows.Buffer(nil, 1<<20)
	for rows.Scan() {
		var row decisionRow
		if err := json.Unmarshal(rows.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		body, ok := files[row.File]
		if !ok {
			t.Errorf("%s is not in the corpus", row.File)
			continue
		}
		asGoogle, asRFC := robotstxt.Parse(body, robotstxt.Google), robotstxt.Parse(body, robotstxt.RFC9309)
		for _, agent := range row.Agents {
			norm, rfc := row.As[agent], row.As[agent]
			if other, ok := row.Norm[agent]; ok {
				norm = other
			}
			if other, ok := row.RFC[agent]; ok {
				rfc = other
			}
			g, r := asGoogle.For(agent), asRFC.For(agent)
			for i, url := range row.URLs {
				id := row.File + "|" + agent + "|" + url
				google.Add(id, g.Check(robotstxt.Escape(url)).Allowed == (norm[i] == '1'))
				standard.Add(id, r.Check(url).Allowed == (rfc[i] == '1'))
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	google.Close(t, nil)
	standard.Close(t, nil)
}

// No real file is refused: each one is read line by line, and both ways of reading it agree on its rules.
func TestCorpusParsesCases(t *testing.T) {
	tally := cases.NewTally("robots/corpus parsed")
	for name, body := range corpusByName(t) {
		file := robotstxt.Parse(body, robotstxt.RFC9309)
		lines := 0
		for range file.Lines() {
			lines++
		}
		ends := bytes.Count(body, []byte("\n")) + bytes.Count(body, []byte("\r")) - bytes.Count(body, []byte("\r\n"))
		tally.Add(name, lines == ends+1 && len(file.Problems()) <= robotstxt.MaxProblems)
	}
	tally.Close(t, nil)
}

type corpusFile struct {
	name string
	body []byte
}

var loadCorpus = sync.OnceValues(func() ([]corpusFile, error) { return readCorpus(corpusPacked) })

var corpusPacked []byte

// corpus returns the real files of the cases.
func corpus(t testing.TB) []corpusFile {
	t.Helper()
	corpusPacked = cases.Read(t, "robots/corpus.tar.gz")
	files, err := loadCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func corpusByName(t testing.TB) map[string][]byte {
	t.Helper()
	byName := map[string][]byte{}
	for _, f := range corpus(t) {
		byName[f.name] = f.body
	}
	return byName
}

func readCorpus(packed []byte) ([]corpusFile, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var files []corpusFile
	for archive := tar.NewReader(unzip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		body, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		files = append(files, corpusFile{name: path.Base(header.Name), body: body})
	}
}
