package journal

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("journal: closed")
	// ErrFull matches a *FullError.
	ErrFull = errors.New("journal: no space left")
	// ErrBroken matches the errors of a journal that can no longer be written, because a failed write could not be
	// undone or an fsync failed (after which the kernel may have dropped the data: trying again proves nothing).
	// What was acknowledged before is safe and can be read; close the journal and open it again to go on.
	ErrBroken = errors.New("journal: writing has failed, close it and open it again")
	// ErrTooLarge is returned for a step above MaxStep.
	ErrTooLarge = errors.New("journal: step too large")
)

// A LockedError says that another process, or another part of this one, has the journal open.
type LockedError struct {
	Dir string
	PID int // the holder's process id; 0 when unknown
}

func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("journal %s is in use by %s: end it first, or use another folder", e.Dir, holder)
}

// A DamagedError says that acknowledged entries cannot be read: the bytes at Offset are broken and more follows.
// Nothing was changed on disk. Restore the file from a copy, or start again in an empty folder.
type DamagedError struct {
	File   string
	Offset int64 // where the broken bytes start
	Next   int64 // where the next readable frame starts; 0 when not known
	Reason string
}

func (e *DamagedError) Error() string {
	s := fmt.Sprintf("journal %s is damaged at byte %d: %s", e.File, e.Offset, e.Reason)
	if e.Next > 0 {
		s += fmt.Sprintf(" (readable again at byte %d)", e.Next)
	}
	return s + "; nothing was changed: restore it from a copy or use an empty folder"
}

// A VersionError says that the file was written by another version of the format.
type VersionError struct {
	File       string
	Have, Want uint32
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("journal %s has format version %d, this program reads version %d", e.File, e.Have, e.Want)
}

// A FullError says that the disk, or the user's quota on it, is full. The step that met it is not in the journal, not
// even in part; all earlier ones are. Once there is room again the same journal can be appended to.
type FullError struct {
	File string
	Err  error // what the system said
}

func (e *FullError) Error() string {
	return fmt.Sprintf("journal %s: no space left, the step was not stored: free some and go on (%v)", e.File, e.Err)
}

// Is makes errors.Is(err, ErrFull) true.
func (e *FullError) Is(target error) bool { return target == ErrFull }

// Unwrap gives the system's error.
func (e *FullError) Unwrap() error { return e.Err }

// storeErr types the error of a write to file.
func storeErr(file string, err error) error {
	if isFull(err) {
		return &FullError{File: file, Err: err}
	}
	return fmt.Errorf("journal %s: %w", file, err)
}
