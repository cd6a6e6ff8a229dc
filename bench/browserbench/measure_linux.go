package browserbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Usage is what a tree of processes cost, from the start of its first to the end of its last.
type Usage struct {
	CPU     time.Duration // user and system, of all processes, also of those that were killed
	Own     time.Duration // of the first process and its threads alone; 0 when it was not seen
	Wall    time.Duration // until the first process ended
	Peak    int64         // bytes: the most anonymous memory that all had together
	Samples []Sample      // the memory over time

	// Kinds is the CPU time by kind of process ("renderer", "gpu-process", …; a program's name where Chrome says none), as
	// far as samples saw it: the last moments of short-lived processes are missing.
	Kinds map[string]time.Duration
	Exit  int // of the first process
}

// Sample is the memory of the tree at one time.
type Sample struct {
	At     time.Time
	Memory int64
}

const sampleEvery = 200 * time.Millisecond

// Measure runs a command and measures it with all that descends from it. It does so in a process of its own, which is
// this program called with the arguments of MeasureCommand: what loses its parent becomes a child of that process, and no
// CPU time gets lost, whoever was killed by whom.
func Measure(argv []string, limit time.Duration, output io.Writer) (Usage, error) {
	self, err := os.Executable()
	if err != nil {
		return Usage{}, err
	}
	cmd := exec.Command(self, append([]string{MeasureCommand, limit.String()}, argv...)...)
	cmd.Stderr = output
	out, err := cmd.Output()
	if err != nil {
		return Usage{}, fmt.Errorf("measuring %s: %w", filepath.Base(argv[0]), err)
	}
	var u Usage
	return u, json.Unmarshal(out, &u)
}

// MeasureCommand is the first argument of the process that measures.
const MeasureCommand = "browser-measure"

// MeasureMain is the process that measures: its arguments are the limit and the command. It prints a Usage as JSON.
func MeasureMain(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: " + MeasureCommand + " LIMIT COMMAND [ARGUMENT]")
	}
	limit, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	if err := becomeSubreaper(); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE)
	path, err := exec.LookPath(args[1])
	if err != nil {
		return err
	}
	start := time.Now()
	p, err := os.StartProcess(path, args[1:], &os.ProcAttr{Files: []*os.File{nil, os.Stderr, os.Stderr}})
	if err != nil {
		return err
	}
	w := &watch{first: p.Pid, stop: make(chan struct{}), cpu: map[int]time.Duration{}, kinds: map[int]string{}}
	var sampling sync.WaitGroup
	sampling.Go(w.run)
	timer := time.AfterFunc(limit, func() { killTree(os.Getpid()) })
	var u Usage
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, 0, &usage)
		if err == syscall.EINTR {
			continue
		}
		if err != nil { // ECHILD: all have ended
			break
		}
		u.CPU += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		if pid == p.Pid {
			u.Wall = time.Since(start)
			u.Exit = status.ExitStatus()
			if status.Signaled() {
				u.Exit = 128 + int(status.Signal())
			}
			timer.Reset(3 * time.Second) // a browser that was told to end may take a moment
		}
	}
	close(w.stop)
	sampling.Wait()
	u.Own, u.Peak, u.Samples, u.Kinds = w.cpu[w.first], w.peak, w.samples, map[string]time.Duration{}
	for pid, cpu := range w.cpu {
		u.Kinds[w.kinds[pid]] += cpu
	}
	return json.NewEncoder(os.Stdout).Encode(u)
}

// becomeSubreaper makes orphans below this process its children (prctl PR_SET_CHILD_SUBREAPER).
func becomeSubreaper() error {
	const prSetChildSubreaper = 36
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("prctl: %w", errno)
	}
	return nil
}

// watch samples the tree's memory.
type watch struct {
	first   int
	stop    chan struct{}
	cpu     map[int]time.Duration
	kinds   map[int]string
	peak    int64
	samples []Sample
}

func (w *watch) run() {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-ticker.C:
		}
		sum := int64(0)
		for _, pid := range descendants(os.Getpid()) {
			sum += anonymous(pid)
			if cpu := cpuOf(pid); cpu > 0 {
				w.cpu[pid] = cpu
			}
			if kind := kindOf(pid); kind != "" {
				w.kinds[pid] = kind
			}
		}
		w.peak = max(w.peak, sum)
		w.samples = append(w.samples, Sample{time.Now(), sum})
	}
}

// descendants returns the processes below one.
func descendants(root int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		if pid, fields := stat(name); len(fields) > 1 {
			if parent, err := strconv.Atoi(fields[1]); err == nil {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	var out []int
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		out = append(out, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return out
}

// stat returns a process and the fields of its stat file after the name: state, parent, …
func stat(name string) (pid int, fields []string) {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, nil
	}
	number, _, _ := strings.Cut(string(data), " ")
	pid, _ = strconv.Atoi(number)
	return pid, strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
}

// kindOf is what Chrome calls a process of its own, or a program's name.
func kindOf(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.FieldsFunc(string(data), func(r rune) bool { return r == 0 || r == ' ' })
	for _, arg := range args {
		if kind, ok := strings.CutPrefix(arg, "--type="); ok {
			return kind
		}
	}
	if len(args) == 0 {
		return "" // it has ended
	}
	return filepath.Base(args[0])
}

// cpuOf is the time that a process used so far, its children left out.
func cpuOf(pid int) time.Duration {
	_, fields := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100) // ticks of USER_HZ
}

// anonymous is the memory of a process that no file is behind.
func anonymous(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(data), "RssAnon:")
	if !ok {
		return 0
	}
	fields := strings.Fields(rest)
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

// killTree ends all processes below one, again and again until none is left.
func killTree(root int) {
	for range 100 {
		pids := descendants(root)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
