package amble_test

import (
	"context"
	"fmt"
	"os"

	"github.com/amblecrawl/amble"
)

func ExampleOpenFileStore() {
	dir, err := os.MkdirTemp("", "amble-store-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fresh, err := store.Commit(ctx, amble.Step{Push: []amble.Item{
		{URL: "https://example.com/a", Origin: "https://example.com"},
		{URL: "https://example.com/b", Origin: "https://example.com"},
		{URL: "https://example.com/a", Origin: "https://example.com"},
	}})
	fmt.Println(fresh, err)
	items, err := store.Lease(ctx, 1)
	fmt.Println(items[0].URL, err)
	store.Close() // or the process was killed: the page was not done

	store, err = amble.OpenFileStore(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	items, err = store.Lease(ctx, 10)
	for _, it := range items {
		fmt.Println(it.URL, err)
	}
	// Output:
	// [true true false] <nil>
	// https://example.com/a <nil>
	// https://example.com/a <nil>
	// https://example.com/b <nil>
}
