package amble_test

import (
	"errors"
	"fmt"

	"github.com/amblecrawl/amble"
)

// One Agent makes every name: of plain requests, of pages loaded in Chrome, and for robots.txt.
func ExampleAgent() {
	agent := amble.Agent{Name: "ExampleAudit", Version: "2.1", InfoURL: "https://example.com/crawler"}
	fmt.Println(agent.Plain())
	fmt.Println(agent.Chrome("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36"))
	fmt.Println(agent.ProductTokens())
	fmt.Println(errors.Is(amble.Agent{}.Validate(), amble.ErrNoIdentity))
	// Output:
	// Mozilla/5.0 (compatible; ExampleAudit/2.1; +https://example.com/crawler)
	// Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 ExampleAudit/2.1 (+https://example.com/crawler)
	// [ExampleAudit]
	// true
}
