package amble

import "time"

// Ladder says how much may be asked of a site, by what its owner proved (S7): a few pages without a proof, full and
// recurring scans with one. The zero Ladder has the polite defaults. The Crawler's Switch and Scope.ExcludeHosts beat it.
type Ladder struct {
	// Unproved bounds a run without a proof. Zero fields: 3 pages, 100 URLs, 5 minutes, 1 sitemap file.
	Unproved Budget

	// UnprovedPerDay is how many pages of one site may be asked for in a day without a proof, all runs together. It holds
	// with a Store that remembers. 0: 10.
	UnprovedPerDay int

	// Proved bounds a run with a proof. Zero fields: Budget's own defaults. Quota is what a site bears in a day then.
	Proved Budget
	Quota  Quota
}

// Allowance is what a crawl may do.
type Allowance struct {
	Scope     Scope // zero without a proof: the seeds' own origins
	Budget    Budget
	Quota     Quota
	Recurring bool   // whether the site may be scanned again and again
	Reason    string // why, for a person
}

// For returns the step of the ladder for a proof, at a time. Any proof that does not hold, the zero Proof too, stands on
// the lowest.
func (l Ladder) For(proof Proof, now time.Time) Allowance {
	if proof.Valid(now) {
		return Allowance{Scope: proof.Property.Scope(), Budget: l.Proved, Quota: l.Quota, Recurring: true,
			Reason: "proved by " + string(proof.Method) + " on " + proof.At.UTC().Format(time.DateOnly)}
	}
	b := l.Unproved
	b.Pages = defaulted(b.Pages, 3)
	b.URLs = defaulted(b.URLs, 100)
	b.Time = defaulted(b.Time, 5*time.Minute)
	b.Sitemaps = defaulted(b.Sitemaps, 1)
	return Allowance{Budget: b, Quota: Quota{PagesPerDay: defaulted(l.UnprovedPerDay, 10), Day: l.Quota.Day},
		Reason: "nobody has proved to run this site: a few pages at most"}
}

// Apply sets a Crawler's Scope, Budget and Quota. What the Crawler excludes stays excluded.
func (a Allowance) Apply(c *Crawler) {
	scope := a.Scope
	scope.ExcludeHosts = append(scope.ExcludeHosts, c.Scope.ExcludeHosts...)
	scope.Exclude = append(scope.Exclude, c.Scope.Exclude...)
	scope.Include = append(scope.Include, c.Scope.Include...)
	c.Scope, c.Budget, c.Quota = scope, a.Budget, a.Quota
}
