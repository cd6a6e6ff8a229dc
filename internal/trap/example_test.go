package trap_test

import (
	"fmt"
	"time"

	"github.com/amblecrawl/amble/internal/trap"
)

func ExampleLimits_Check() {
	now := time.Date(2026, 6, 15, 0, 0, 0, 0, time.UTC)
	fmt.Println(trap.Limits{}.Check("/img/css/img/css/img/css/", "", now))
	fmt.Println(trap.Limits{}.Check("/calendar", "year=2099&month=1", now))
	fmt.Println(trap.Limits{}.Check("/shop", "page=500", now))
	// Output:
	// repeated: "/img/css" 3 times in a row
	// far-date: 2099-01 is more than 5 years ahead
	// none
}

func ExampleSite_Check() {
	now := time.Date(2026, 6, 15, 0, 0, 0, 0, time.UTC)
	site := trap.NewSite(trap.Limits{FutureDates: 2})
	for _, month := range []string{"2026-07", "2026-08", "2026-09", "2026-07"} {
		fmt.Println(site.Check("https://example.com", "/calendar", "month="+month, now))
	}
	// Output:
	// none
	// none
	// calendar: 2026-09, after 2 other dates in the future
	// none
}
