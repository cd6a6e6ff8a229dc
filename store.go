package amble

import (
	"context"
	"iter"
	"time"
)

// Store is the frontier of a run: which URLs are known, which wait, how each ended. One call writes, so that nothing is
// torn apart when the process dies.
//
// The crawl calls Commit for every page that ended, and Lease when workers are free. Calls come from several goroutines
// at once.
//
// Implementers must
//   - make Commit atomic: all of the Step is kept or nothing; and, for a durable Store, on disk before it returns;
//   - claim a URL at most once per run: of all Push items with the same URL, in whatever calls, exactly one is fresh;
//   - hand out every fresh item that carries no Outcome by Lease, once, in the order of its server (scheme, host, port);
//     between servers Lease should be fair;
//   - hand out again, after reopening, what was leased and never came back in Step.Done;
//   - return an error that matches ErrClosed after Close, and the context's error when it ends first.
//
// Implementers must not block in Lease when nothing waits: it returns no items and no error.
type Store interface {
	// Commit records a step. fresh has one entry for each of s.Push: whether this call claimed it.
	Commit(ctx context.Context, s Step) (fresh []bool, err error)

	// Lease returns up to n waiting items.
	Lease(ctx context.Context, n int) ([]Item, error)

	// Close releases what the Store holds. It may be called once all other calls have returned.
	Close() error
}

// Step is one atomic change of a Store.
type Step struct {
	Done  []Record // URLs that ended, leased before
	Push  []Item   // URLs seen
	Spent []Spent  // what was used up, added to the counters
}

// Item is a URL that waits, or, with an Outcome, one that ended the moment it was seen (out of scope, a trap): it is
// claimed and never leased.
type Item struct {
	URL      string
	Origin   Origin
	Source   Source
	Depth    int
	Referrer string
	Chain    []Hop
	LastMod  time.Time // of the sitemap's entry; zero when there is none
	Outcome  Outcome
	Reason   string
}

// Record is what is kept of a URL that ended.
type Record struct {
	URL          string
	Outcome      Outcome
	Reason       string
	Status       int
	Hash         uint64 // of the content after normalisation; 0 when there was none
	ETag         string
	LastModified string
	Redirect     string
	Canonical    string
	At           time.Time // when it was last asked for; zero when it never was

	// Seen is when it last ended, asked for or not. Where it was not asked for, or could not be loaded, the record keeps
	// Status, Hash, validators, Redirect, Canonical, At and Links of the time before.
	Seen time.Time
	// Links are the URLs that the page leads to, kept only when a validator allows a conditional request: the answer
	// "not modified" brings none.
	Links []string
}

// Spent counts what was used up under a key, such as a site and a day.
type Spent struct {
	Key      string
	Requests int64
	Pages    int64
	Bytes    int64
}

// ServerLeaser may be implemented by a Store that can leave servers out: then the queue of a slow server does not keep
// other servers' URLs from being leased.
type ServerLeaser interface {
	// LeaseExcept is Lease without the items of servers for which skip reports true; a nil skip leaves none out. skip is
	// asked before each item, once for each item that it lets pass, and must not call the Store.
	LeaseExcept(ctx context.Context, n int, skip func(Origin) bool) ([]Item, error)
}

func skipName(skip func(Origin) bool) func(string) bool {
	if skip == nil {
		return nil
	}
	return func(name string) bool { return skip(Origin(name)) }
}

// RecordLister may be implemented by a Historian that can list its records: then a Summary tells which pages vanished.
type RecordLister interface {
	// Records yields what Last returns for every URL that has a record, in no particular order.
	Records(ctx context.Context) iter.Seq2[Record, error]
}

// Historian may be implemented by a Store that remembers over runs. The crawl then sends conditional requests and tells
// what changed.
type Historian interface {
	// StartRun begins a run, or goes on with one that never ended: resumed is then true, its URLs are still claimed and
	// its waiting ones are leased again. A new run starts with no claims; records, notes and counters stay.
	StartRun(ctx context.Context) (resumed bool, err error)

	// EndRun says that the run is over: nothing waits any more.
	EndRun(ctx context.Context) error

	// Last returns what is known of a URL from an earlier run, or an error that matches ErrNoRecord.
	Last(ctx context.Context, url string) (Record, error)

	// Counter returns the sum of all Spent committed under the key; zero when there is none.
	Counter(ctx context.Context, key string) (Spent, error)

	// Note returns a small value kept by key (a robots.txt, a schedule), or an error that matches ErrNoRecord; PutNote
	// keeps one. A nil value removes it.
	Note(ctx context.Context, key string) ([]byte, error)
	PutNote(ctx context.Context, key string, value []byte) error
}
