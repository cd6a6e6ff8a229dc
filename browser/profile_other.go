//go:build !unix

package browser

import (
	"io/fs"
	"os"
)

// lockFile opens a file that no other can delete while it is open, or fails when another has it open.
func lockFile(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

func ownedByUs(fs.FileInfo) bool { return true }
