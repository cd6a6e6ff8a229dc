package amble

import "time"

// Summary is what a crawl came to.
type Summary struct {
	Started  time.Time
	Took     time.Duration
	Ended    string          // why it ended: "done", "the caller left", which limit, or the error
	Outcomes map[Outcome]int // URLs by outcome
	Statuses map[int]int     // pages by status
	Requests map[Kind]int    // requests sent, by kind
	Bytes    int64           // decoded bytes of all bodies
	Waiting  int             // URLs left for a later run, with a durable Store
	Findings map[string]int  // failures by rule
	Changes  map[Change]int  // pages by what changed since the last run; empty without a Store that remembers

	// Vanished is how many pages of earlier runs this one did not meet; VanishedURLs names the first of them.
	Vanished     int
	VanishedURLs []string

	Dropped  int // links not even noted, since Budget.URLs was reached
	Sitemaps []SitemapReport

	// SiteFindings are what LinkAnalyzers and SiteAnalyzers reported at the end.
	SiteFindings []Finding

	// AnalyzerErrors tells which Analyzers failed, in the order of Crawler.Analyzers. Empty: all did their work. Where it is
	// not, findings may be missing.
	AnalyzerErrors []AnalyzerError

	Links   *LinkSummary   // nil without Crawler.Links, or when the crawl ended before
	Servers []ServerReport // in order of first request
}

// URLs is how many URLs were seen.
func (s *Summary) URLs() int {
	n := 0
	for _, count := range s.Outcomes {
		n += count
	}
	return n
}

// AnalyzerError sums up the failures of one Analyzer: errors that it returned, panics, and findings of rules that it does
// not declare.
type AnalyzerError struct {
	Analyzer string // its Go type
	Count    int
	First    string // the first failure in words, at most 300 characters, masked (S12)
}

// SitemapReport is what became of one sitemap file.
type SitemapReport struct {
	URL      string
	Parent   string // the index that lists it, or the robots.txt
	Type     string // "urlset", "index", "text", "rss", "atom"; empty when it could not be read
	Entries  int
	Problems []string       // in words, the run's own limits among them
	Faults   []SitemapFault // what is wrong with the file itself
	Err      error

	skipped bool // a problem says that some of its files were not read
}

// ServerReport is what a crawl asked of one server, to show to an owner who wants to know.
type ServerReport struct {
	Origin    Origin
	Requests  map[Kind]int
	Bytes     int64
	Throttled int           // 429s, and 503s with Retry-After
	Waited    time.Duration // the longest wait obeyed
	Busiest   int           // most requests started within one second
	Robots    RobotsState
	TooMany   int // answers 429
	Outages   int // answers 503, with and without Retry-After

	First, Last time.Time // when the first and the last request left; zero when none did
	BusiestAt   time.Time // the second in which Busiest requests left
	// RobotsFetched is when requests for robots.txt left, redirect hops counted: the first 24 of them.
	RobotsFetched []time.Time
	CrawlDelay    time.Duration // as robots.txt asks, before any clamp; 0 when it asks for none
	GivenUp       bool
	Note          string // what was clamped or given up, for a person
}
