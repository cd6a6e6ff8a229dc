package browser

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup puts the browser into a process group of its own, and lets it die with us.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killLeftovers kills helpers of the browser that left its process group. They carry the profile's folder, which is
// used by one browser only, on their command line.
func killLeftovers(dir string) {
	want := []byte("--user-data-dir=" + dir)
	for quiet, pass := 0, 0; quiet < 2 && pass < 100; pass++ {
		quiet++
		entries, _ := os.ReadDir("/proc")
		for _, entry := range entries {
			pid, err := strconv.Atoi(entry.Name())
			if err != nil || pid == os.Getpid() {
				continue
			}
			cmdline, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
			if err == nil && bytes.Contains(cmdline, want) {
				syscall.Kill(pid, syscall.SIGKILL)
				quiet = 0
			}
		}
		if quiet < 2 {
			pause()
		}
	}
}

func shmSize() (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs("/dev/shm", &s) != nil {
		return 0, false
	}
	return int64(s.Blocks) * int64(s.Bsize), true
}

// residentBytes returns the memory that a process holds for itself, without what it shares.
func residentBytes(pid int) (int64, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data))
	if len(fields) < 3 {
		return 0, false
	}
	resident, err1 := strconv.ParseInt(fields[1], 10, 64)
	shared, err2 := strconv.ParseInt(fields[2], 10, 64)
	return (resident - shared) * int64(os.Getpagesize()), err1 == nil && err2 == nil
}
