package journal

import (
	"errors"
	"os"
	"syscall"
)

const (
	sharingViolation = syscall.Errno(32)  // ERROR_SHARING_VIOLATION
	handleDiskFull   = syscall.Errno(39)  // ERROR_HANDLE_DISK_FULL
	diskFull         = syscall.Errno(112) // ERROR_DISK_FULL
)

func isFull(err error) bool { return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull) }

// lock opens the lock file and shares it with nobody; the system closes it when the process ends.
func lock(dir, name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, &LockedError{Dir: dir}
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// syncDir does nothing: Windows journals renames itself and cannot open a folder for writing.
func syncDir(string) error { return nil }
