package tech

import (
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	securityTxt = "/.well-known/security.txt"
	tdmrep      = "/.well-known/tdmrep.json"
)

var _ amble.Prober = (*Analyzer)(nil)

// Probes implements amble.Prober. With Probe set it asks each server for its http or https twin, for the name with or
// without www, and for two files under /.well-known/.
func (a *Analyzer) Probes(o amble.Origin) []string {
	u, err := urlkey.Parse(string(o))
	if !a.Probe || err != nil {
		return nil
	}
	list := []string{string(o) + securityTxt, string(o) + tdmrep}
	if u.Host() != u.Hostname() {
		return list // a port of its own has no twin
	}
	list = append(list, otherScheme(u.Scheme())+"://"+u.Host()+"/")
	if twin := otherName(u.Host()); twin != "" {
		list = append(list, u.Scheme()+"://"+twin+"/")
	}
	return list
}

func otherScheme(s string) string {
	if s == "https" {
		return "http"
	}
	return "https"
}

// otherName is a site's name with or without www; empty for names that have no such twin.
func otherName(host string) string {
	bare := strings.TrimPrefix(host, "www.")
	if own, ok := urlkey.Registrable(bare); !ok || own != bare {
		return ""
	}
	if bare != host {
		return bare
	}
	return "www." + host
}

// Probed implements amble.Prober.
func (a *Analyzer) Probed(l *amble.LinkResult, _ func(amble.Finding)) {
	u, err := urlkey.Parse(l.URL)
	if err != nil {
		return
	}
	reached := l.Verdict == amble.LinkOK || l.Verdict == amble.LinkRedirected
	switch u.Path() {
	case securityTxt:
		if l.Verdict == amble.LinkOK && l.MediaType == "text/plain" {
			a.servers.add("security-txt", l.URL, l.URL, amble.Passed, "The site has a security.txt.")
		}
	case tdmrep:
		if l.Verdict == amble.LinkOK && strings.HasSuffix(l.MediaType, "json") {
			a.servers.add("tdm-reservation", u.Origin()+" tdmrep.json", l.URL, amble.Passed, "The site states its rights in text and data mining in "+l.URL)
		}
	case "/":
		if reached {
			a.twin(u, l)
		}
	}
}

// twin judges how a server answers under its other scheme or name. Nothing is wrong when it leads to the one that the
// crawl visited, or the other way round.
func (a *Analyzer) twin(asked urlkey.URL, l *amble.LinkResult) {
	end, err := urlkey.Parse(l.Final)
	if err != nil {
		return
	}
	for _, o := range a.visited(asked) {
		switch {
		case o.Host() == asked.Host() && o.Scheme() != asked.Scheme():
			// Either the http address stays at http, or the pages came over http though https answers.
			if o.Scheme() == "https" && end.Scheme() == "http" || o.Scheme() == "http" && end.Scheme() == "https" {
				http := "http://" + o.Host()
				a.servers.add("http-not-redirected", http, o.String(), amble.Failed, "The site answers over https, and "+http+"/ does not lead there.", "asked", l.URL, "answer", l.Final)
			}
		case o.Scheme() == asked.Scheme() && o.Host() != asked.Host() && end.Host() == asked.Host():
			a.servers.add("www-not-redirected", l.URL, o.String(), amble.Failed, "The site answers under both names, "+o.Host()+" and "+asked.Host()+".", "asked", l.URL, "answer", l.Final)
		}
	}
}

// visited gives the visited servers that an address is a twin of.
func (a *Analyzer) visited(asked urlkey.URL) (out []urlkey.URL) {
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	for _, s := range []string{otherScheme(asked.Scheme()) + "://" + asked.Host(), asked.Scheme() + "://" + otherName(asked.Host())} {
		if !a.servers.seen[s] {
			continue
		}
		if u, err := urlkey.Parse(s + "/"); err == nil {
			out = append(out, u)
		}
	}
	return out
}
