package httpfield_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/amblecrawl/amble/internal/httpfield"
)

func ExampleRetryAfter() {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(httpfield.RetryAfter([]string{"120"}, now))
	fmt.Println(httpfield.RetryAfter([]string{"Mon, 01 Jun 2026 12:00:30 GMT"}, now))
	fmt.Println(httpfield.RetryAfter([]string{"soon"}, now))
	// Output:
	// 2m0s true
	// 30s true
	// 0s false
}

func ExampleFresh() {
	h := http.Header{"Cache-Control": {"public, max-age=3600"}, "Age": {"600"}}
	fmt.Println(httpfield.Fresh(h, time.Now()))
	// Output: 50m0s true
}
