package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// profile is the folder of one browser process: <temp>/amble-browser-<user>/<pid>-<random>. A file in it stays locked
// while its owner lives, so that a later start can tell folders that were left behind (by a SIGKILL of the owner, say)
// from those in use, also between containers that share a temporary folder but no process numbers.
type profile struct {
	dir  string
	lock *os.File
}

// lockName is the locked file of a profile.
const lockName = "amble.lock"

// newProfile makes the folder of a new browser below parent (empty: the system's temporary folder), and removes those
// that nobody owns any more.
func newProfile(parent string) (*profile, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	// One folder for each user: the names in a shared temporary folder are anybody's.
	base := filepath.Join(parent, "amble-browser-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(base); err != nil || !info.IsDir() || !ownedByUs(info) {
		return nil, fmt.Errorf("%s is not a folder of ours", base)
	}
	sweep(base)
	dir, err := os.MkdirTemp(base, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	p := &profile{dir: dir, lock: lock}
	if err := os.MkdirAll(filepath.Join(dir, "Default"), 0o700); err != nil {
		p.remove()
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "Default", "Preferences"), []byte(preferences), 0o600); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// remove deletes the folder. A process of the browser that is about to end may still write into it, so it tries again.
func (p *profile) remove() error {
	var err error
	for range 20 {
		if err = os.RemoveAll(p.dir); err == nil {
			break
		}
		pause()
	}
	p.lock.Close()
	os.Remove(p.lock.Name()) // where an open file cannot be deleted
	os.Remove(p.dir)
	return err
}

// sweep removes the folders whose owner is gone.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, entry := range entries {
		dir := filepath.Join(base, entry.Name())
		lock, err := lockFile(filepath.Join(dir, lockName))
		if err != nil {
			continue // in use, or being made
		}
		os.RemoveAll(dir)
		lock.Close()
		os.RemoveAll(dir)
	}
}
