package amble_test

import (
	"fmt"

	"github.com/amblecrawl/amble"
)

// A prefix ends at a segment's border, a domain at a label's, and excluded hosts beat all.
func ExampleScope() {
	scope := amble.Scope{
		Prefixes:     []string{"https://example.com/blog"},
		Domains:      []string{"example.org"},
		ExcludeHosts: []string{"internal.example.org"},
		Exclude:      []string{"/*?print="},
	}
	for _, u := range []string{
		"https://example.com/blog/post", "https://example.com/blogger", "http://shop.example.org/", "https://notexample.org/",
		"https://wiki.internal.example.org/", "https://example.org/page?print=1",
	} {
		fmt.Println(scope.Check(u) == nil, u)
	}
	// Output:
	// true https://example.com/blog/post
	// false https://example.com/blogger
	// true http://shop.example.org/
	// false https://notexample.org/
	// false https://wiki.internal.example.org/
	// false https://example.org/page?print=1
}
