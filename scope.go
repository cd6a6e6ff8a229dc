package amble

// Scope says what may be visited. The zero Scope means the origins of the seeds. All hosts are compared in one form:
// lower case, IDNA, without a final dot; never by suffix of characters.
type Scope struct {
	// Origins are servers: "https://example.com".
	Origins []string

	// Prefixes are URL prefixes, as a URL-prefix property of Search Console is: "https://example.com/blog/" covers what
	// begins with it, on a segment border: never /blogger (C1).
	Prefixes []string

	// Domains are whole domains, as a domain property is: every host below, every scheme and port. A public suffix such
	// as "co.uk" or "github.io" is refused.
	Domains []string

	// ExcludeHosts are never visited, nor any host below them: the operator's list. It beats all else.
	ExcludeHosts []string

	// Include, when not empty, lets in only URLs whose path and query match one of these patterns; Exclude keeps out
	// those that match one. Patterns are those of robots.txt rules: from the start of the path, * for any characters, a
	// final $ for the end.
	Include []string
	Exclude []string
}
