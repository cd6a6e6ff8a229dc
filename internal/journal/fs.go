package journal

import (
	"io"
	"os"
)

// FS is what the journal asks of a file system, so that tests can put a full or a failing disk in its place.
type FS interface {
	OpenFile(name string, flag int, perm os.FileMode) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error // makes creations, renames and removals in dir durable
}

// File is an open file of an FS.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}
func (osFS) Rename(from, to string) error { return os.Rename(from, to) }
func (osFS) Remove(name string) error     { return os.Remove(name) }
func (osFS) SyncDir(dir string) error     { return syncDir(dir) }
