package amble

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"
)

// Job is one site that a Monitor scans again and again.
type Job struct {
	// Name identifies the site; two jobs may not share one. Two runs of one job never overlap.
	Name string

	// Every is the time from the start of one run to the start of the next. A run that takes longer delays the next one;
	// missed runs are not made up for. At least one minute.
	Every time.Duration

	// Run does the scan, within the context. Its error is logged and told to Monitor.Done; the job goes on.
	Run func(ctx context.Context) error
}

// Monitor runs recurring scans of many sites in one process: each at its own interval, at most so many at once, spread
// out in time, and remembered over restarts. Its fields must not be changed while it runs.
type Monitor struct {
	Jobs []Job

	// AtOnce is how many jobs may run at the same time. Default 4.
	AtOnce int

	// Jitter spreads the jobs: the first run of a job starts somewhere in the first interval, always at the same place for
	// one name, and each later one is late by a random-looking part of it. Default 0.1 of the interval for later runs;
	// negative: none, and every job is due at once.
	Jitter float64

	// Notes remembers when each job ran, so that a restart neither forgets nor repeats a run: a FileStore, for example.
	// Nil: every start of the Monitor begins anew.
	Notes Notebook

	// Done, when set, is told after each run. It is called from the job's goroutine.
	Done func(job string, started time.Time, err error)

	Logger *slog.Logger // nil: silent
}

// Notebook keeps small values by key. A Historian is one.
type Notebook interface {
	Note(ctx context.Context, key string) ([]byte, error)
	PutNote(ctx context.Context, key string, value []byte) error
}

// minEvery is the shortest interval of a job.
const minEvery = time.Minute

func (m *Monitor) validate() error {
	bad := func(format string, args ...any) error {
		return &Error{Op: "monitor", Kind: ErrConfig, Reason: fmt.Sprintf(format, args...)}
	}
	seen := make(map[string]bool, len(m.Jobs))
	for _, job := range m.Jobs {
		switch {
		case job.Name == "" || job.Run == nil:
			return bad("a job needs a Name and a Run")
		case seen[job.Name]:
			return bad("two jobs are called %q", job.Name)
		case job.Every < minEvery:
			return bad("job %q: Every is %v, the shortest interval is %v", job.Name, job.Every, minEvery)
		}
		seen[job.Name] = true
	}
	if m.AtOnce < 0 {
		return bad("AtOnce must not be negative")
	}
	return nil
}

// due is a job and the time of its next run.
type due struct {
	job  *Job
	at   time.Time
	runs int
}

// jobState is what is remembered of a job.
type jobState struct {
	Started time.Time `json:"started"`
	Runs    int       `json:"runs"`
}

// Run starts the jobs when they are due, until the context ends; it returns the context's error once every job under way
// has returned, or an error that matches ErrConfig or ErrStore at once.
func (m *Monitor) Run(ctx context.Context) error {
	if err := m.validate(); err != nil {
		return err
	}
	log := quiet(m.Logger)
	queue, err := m.schedule(ctx)
	if err != nil {
		return err
	}
	var (
		jobs     sync.WaitGroup
		slots    = make(chan struct{}, cmp.Or(m.AtOnce, 4))
		finished = make(chan *due, len(m.Jobs))
		timer    = time.NewTimer(time.Hour)
	)
	defer jobs.Wait()
	defer timer.Stop()
	for {
		for len(*queue) > 0 && !time.Now().Before((*queue)[0].at) && len(slots) < cap(slots) {
			d := heap.Pop(queue).(*due)
			slots <- struct{}{}
			jobs.Go(func() {
				m.once(ctx, d, log)
				<-slots
				finished <- d
			})
		}
		wait := time.Hour
		if len(*queue) > 0 && len(slots) < cap(slots) {
			wait = max(time.Until((*queue)[0].at), 0)
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case d := <-finished:
			heap.Push(queue, d)
		case <-timer.C:
		}
	}
}

// once runs a job and sets the time of its next run.
func (m *Monitor) once(ctx context.Context, d *due, log *slog.Logger) {
	started := time.Now()
	d.runs++
	if err := m.remember(ctx, d, started); err != nil {
		log.Error("the start of a job could not be noted", "job", d.job.Name, "error", err)
	}
	err := guardJob(ctx, d.job)
	if err != nil && ctx.Err() == nil {
		log.Warn("job failed", "job", d.job.Name, "error", err)
	}
	if m.Done != nil {
		m.Done(d.job.Name, started, err)
	}
	d.at = started.Add(d.job.Every + m.late(d.job, d.runs))
}

// guardJob turns a job's panic into its error: one site must not end the others.
func guardJob(ctx context.Context, job *Job) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("job %s panicked: %v", job.Name, v)
		}
	}()
	return job.Run(ctx)
}

// schedule works out when each job is due first.
func (m *Monitor) schedule(ctx context.Context) (*dueHeap, error) {
	queue := &dueHeap{}
	now := time.Now()
	for i := range m.Jobs {
		job := &m.Jobs[i]
		d := &due{job: job, at: now}
		if m.Jitter >= 0 {
			d.at = now.Add(part(job.Name, 0, job.Every))
		}
		if m.Notes != nil {
			switch note, err := m.Notes.Note(ctx, noteKey(job.Name)); {
			case errors.Is(err, ErrNoRecord):
			case err != nil:
				return nil, &Error{Op: "monitor", Kind: ErrStore, Err: err}
			default:
				var state jobState
				if json.Unmarshal(note, &state) == nil && !state.Started.IsZero() {
					d.runs = state.Runs
					d.at = state.Started.Add(job.Every + m.late(job, d.runs))
				}
			}
		}
		heap.Push(queue, d)
	}
	return queue, nil
}

func (m *Monitor) remember(ctx context.Context, d *due, started time.Time) error {
	if m.Notes == nil {
		return nil
	}
	note, err := json.Marshal(jobState{Started: started, Runs: d.runs})
	if err != nil {
		return err
	}
	return m.Notes.PutNote(ctx, noteKey(d.job.Name), note)
}

func (m *Monitor) late(job *Job, run int) time.Duration {
	if m.Jitter < 0 {
		return 0
	}
	return part(job.Name, run, time.Duration(cmp.Or(m.Jitter, 0.1)*float64(job.Every)))
}

// part is a part of a span that looks random and is the same for the same name and run.
func part(name string, run int, span time.Duration) time.Duration {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%d", name, run)
	return time.Duration(float64(h.Sum64()>>11) / (1 << 53) * float64(span))
}

func noteKey(job string) string { return "monitor " + job }

// dueHeap orders jobs by the time of their next run.
type dueHeap []*due

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(*due)) }
func (h *dueHeap) Pop() any {
	old := *h
	d := old[len(old)-1]
	*h = old[:len(old)-1]
	return d
}
