//go:build !linux

package browser

func killLeftovers(string) {}

func shmSize() (int64, bool) { return 0, false }

func residentBytes(int) (int64, bool) { return 0, false }
