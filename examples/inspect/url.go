package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/amblecrawl/amble"
)

type urlsAnswer struct {
	Base string `json:",omitempty"`
	URLs []urlAnswer
}

type urlAnswer struct {
	Href string
	URL  string `json:",omitempty"` // in the one spelling that a crawl knows it by
	Err  string `json:",omitempty"`
}

func inspectURLs(base string, hrefs []string) answer {
	a := &urlsAnswer{Base: base}
	for _, href := range hrefs {
		u, err := amble.ResolveURL(base, href)
		one := urlAnswer{Href: href, URL: u}
		if err != nil {
			one.Err = reason(err)
		}
		a.URLs = append(a.URLs, one)
	}
	return a
}

// reason leaves out of an error what the answer says already.
func reason(err error) string {
	var e *amble.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

func (a *urlsAnswer) text(w io.Writer) {
	for _, u := range a.URLs {
		if u.Err != "" {
			fmt.Fprintf(w, "%s\n  no URL: %s\n", u.Href, u.Err)
			continue
		}
		fmt.Fprintf(w, "%s\n  %s\n", u.Href, u.URL)
	}
}
