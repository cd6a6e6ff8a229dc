package amble_test

import (
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
)

func TestMemoryStoreKeepsTheContract(t *testing.T) {
	ambletest.TestStore(t, func(string) (amble.Store, error) { return amble.NewMemoryStore(), nil })
}

func TestFileStoreKeepsTheContract(t *testing.T) {
	ambletest.TestDurableStore(t, func(dir string) (amble.Store, error) { return amble.OpenFileStore(dir, nil) })
}

func TestFileStoreWithATinyQueueKeepsTheContract(t *testing.T) {
	ambletest.TestDurableStore(t, func(dir string) (amble.Store, error) {
		return amble.OpenFileStore(dir, &amble.FileStoreOptions{QueueBytes: 1})
	})
}

func TestFileStoreRewrittenAtEveryChanceKeepsTheContract(t *testing.T) {
	ambletest.TestDurableStore(t, func(dir string) (amble.Store, error) {
		return amble.OpenFileStore(dir, &amble.FileStoreOptions{RewriteBytes: -1})
	})
}
