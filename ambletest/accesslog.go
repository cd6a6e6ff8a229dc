package ambletest

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Access is one request that a handler got.
type Access struct {
	At     time.Time // when it came in
	Method string
	Scheme string // "http" or "https"
	Host   string
	Path   string // with the query, as asked for
	Header http.Header
	Status int // of the answer; 0 while there is none
}

// URL is the URL asked for.
func (a Access) URL() string { return a.Scheme + "://" + a.Host + a.Path }

// UserAgent is the request's User-Agent.
func (a Access) UserAgent() string { return a.Header.Get("User-Agent") }

// String is the access as a line of a log.
func (a Access) String() string {
	return fmt.Sprintf("%s %s %s %d %q", a.At.Format("15:04:05.000"), a.Method, a.URL(), a.Status, a.UserAgent())
}

// accessLog keeps what handlers were asked.
type accessLog struct {
	mu   sync.Mutex
	list []Access
}

// serve logs the request and lets h answer.
func (l *accessLog) serve(w http.ResponseWriter, r *http.Request, h http.Handler) {
	a := Access{At: time.Now(), Method: r.Method, Scheme: "http", Host: r.Host, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	if r.TLS != nil {
		a.Scheme = "https"
	}
	l.mu.Lock()
	place := len(l.list)
	l.list = append(l.list, a)
	l.mu.Unlock()
	logged := &loggedWriter{ResponseWriter: w, status: func(status int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list[place].Status = status
	}}
	h.ServeHTTP(logged, r)
	if !logged.wrote {
		logged.WriteHeader(http.StatusOK)
	}
}

// since returns a copy of the entries from place i on.
func (l *accessLog) since(i int) []Access {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Access(nil), l.list[i:]...)
}

func (l *accessLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.list)
}

// loggedWriter tells the status before it is sent: whoever has got the answer finds it in the log.
type loggedWriter struct {
	http.ResponseWriter
	status func(int)
	wrote  bool
}

func (w *loggedWriter) WriteHeader(status int) {
	if !w.wrote && status >= 200 {
		w.wrote = true
		w.status(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *loggedWriter) Write(p []byte) (int, error) {
	if !w.wrote {
		w.wrote = true
		w.status(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find what is below.
func (w *loggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what is there, where the writer below can.
func (w *loggedWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
