package amble

import (
	"container/heap"
	"sync"
	"time"
)

// serverWakes lets the servers of a ServerLimiter that somebody waits for be looked at when their time comes. However
// many there are, one timer serves all. Its lock is taken last: whoever holds it asks for no other.
type serverWakes struct {
	mu    sync.Mutex
	heap  wakeHeap
	timer *time.Timer
	at    instant // what the timer is set to; 0: it is not running
}

// set sees to it that the server is looked at then; 0: not at all. The server's table is locked.
func (w *serverWakes) set(l *ServerLimiter, q *waiting, at instant) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q.at == at {
		return
	}
	q.at = at
	switch {
	case at == 0:
		heap.Remove(&w.heap, int(q.index)-1)
	case q.index == 0:
		heap.Push(&w.heap, q)
	default:
		heap.Fix(&w.heap, int(q.index)-1)
	}
	w.reset(l)
}

// reset sets the timer for the first server.
func (w *serverWakes) reset(l *ServerLimiter) {
	if len(w.heap) == 0 {
		if w.at != 0 {
			w.timer.Stop()
			w.at = 0
		}
		return
	}
	at := w.heap[0].at
	if w.at != 0 && w.at <= at {
		return // it rings in time, and is set anew then
	}
	w.at = at
	if wait := time.Duration(at - l.now()); w.timer == nil {
		w.timer = time.AfterFunc(wait, func() { w.ring(l) })
	} else {
		w.timer.Reset(wait)
	}
}

// ring lets all servers whose time has come start what they may.
func (w *serverWakes) ring(l *ServerLimiter) {
	w.mu.Lock()
	w.at = 0
	var due []*waiting
	for now := l.now(); len(w.heap) > 0 && w.heap[0].at <= now; {
		q := heap.Pop(&w.heap).(*waiting)
		q.at = 0
		due = append(due, q)
	}
	w.reset(l)
	w.mu.Unlock()
	for _, q := range due {
		q.table.Lock()
		if s := q.table.get(q.key, q.hash); s != nil && s.queue == q { // else all have left meanwhile
			l.pump(s)
		}
		q.table.Unlock()
	}
}

// wakeHeap has the server whose time comes first in front. index is the place from 1; 0: not there.
type wakeHeap []*waiting

func (h wakeHeap) Len() int           { return len(h) }
func (h wakeHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h wakeHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = int32(i)+1, int32(j)+1
}
func (h *wakeHeap) Push(x any) {
	q := x.(*waiting)
	*h = append(*h, q)
	q.index = int32(len(*h))
}
func (h *wakeHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	q.index = 0
	return q
}
