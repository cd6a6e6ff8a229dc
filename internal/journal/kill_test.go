//go:build unix

package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
)

// childDir names the folder that this test binary, started again as a child, works on; childWork says how.
const (
	childDir  = "AMBLE_JOURNAL_CHILD_DIR"
	childWork = "AMBLE_JOURNAL_CHILD_WORK"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir, os.Getenv(childWork)))
	}
	os.Exit(m.Run())
}

const killWriters = 4

// child appends until it is killed and prints each step once it is durable, or holds the journal until stdin ends.
func child(dir, work string) int {
	var next [killWriters]int
	var all [][]byte
	j, err := Open(dir, Options{}, func(_ int64, e []byte) error {
		all = append(all, append([]byte(nil), e...))
		w, n, _, err := parse(string(e))
		next[w] = n + 1
		return err
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if work == "hold" {
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin)
		return 0
	}
	var wg sync.WaitGroup
	for w := range killWriters {
		wg.Go(func() {
			for n := next[w]; ; n++ {
				s := step(entryText(w, n, 0), entryText(w, n, 1), entryText(w, n, 2))
				if _, err := j.Append(s); err != nil {
					fmt.Println(err)
					return
				}
				os.Stdout.WriteString(fmt.Sprintf("%d %d\n", w, n))
				if w == 0 && n == next[0]+2 { // a checkpoint of what this run found, while others go on
					j.Checkpoint(func(emit func([]byte) (int64, error)) error {
						return j.Scan(func(_ int64, e []byte) error {
							_, err := emit(e)
							return err
						})
					})
				}
			}
		})
	}
	wg.Wait()
	return 1
}

func entryText(w, n, part int) string { return fmt.Sprintf("%d %d %d %0200d", w, n, part, n) }

func parse(e string) (w, n, part int, err error) {
	_, err = fmt.Sscanf(e, "%d %d %d", &w, &n, &part)
	return w, n, part, err
}

func startChild(t *testing.T, dir, work string) (*exec.Cmd, *bufio.Scanner, io.WriteCloser) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childWork+"="+work)
	stdin := must(cmd.StdinPipe())
	stdout := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(stdout), stdin
}

// TestNothingAcknowledgedIsLostToSIGKILL kills 20 times; AMBLE_KILLS says another number (make kill-tests: 200).
func TestNothingAcknowledgedIsLostToSIGKILL(t *testing.T) {
	kills := 20
	if s := os.Getenv("AMBLE_KILLS"); s != "" {
		kills = must(strconv.Atoi(s))
	}
	dir := t.TempDir()
	var acked [killWriters]int // steps acknowledged
	for kill := range kills {
		cmd, out, _ := startChild(t, dir, "append")
		for left := rand.IntN(60); out.Scan(); left-- {
			var w, n int
			if _, err := fmt.Sscan(out.Text(), &w, &n); err != nil {
				t.Fatalf("child says %q", out.Text())
			}
			if n != acked[w] {
				t.Fatalf("kill %d: writer %d wrote step %d after %d", kill, w, n, acked[w])
			}
			acked[w] = n + 1
			if left == 0 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()

		j, all := reopen(t, dir, Options{})
		var got [killWriters]int
		parts := map[[2]int]int{}
		for _, e := range all {
			w, n, part, err := parse(e)
			if err != nil || part != parts[[2]int{w, n}] || n != got[w] && part == 0 {
				t.Fatalf("kill %d: unexpected entry %.20q (%v)", kill, e, err)
			}
			parts[[2]int{w, n}]++
			if part == 2 {
				got[w] = n + 1
			}
		}
		for id, n := range parts {
			if n != 3 {
				t.Errorf("kill %d: step %v has %d of 3 entries", kill, id, n)
			}
		}
		for w := range killWriters {
			if got[w] < acked[w] || got[w] > acked[w]+1 {
				t.Errorf("kill %d: writer %d: %d steps acknowledged, %d found", kill, w, acked[w], got[w])
			}
			acked[w] = got[w] // one more when the kill came between fsync and print
		}
		j.Close()
	}
	t.Logf("%d kills, steps acknowledged: %v", kills, acked)
}

func TestSecondProcessIsToldWhoHoldsTheJournal(t *testing.T) {
	dir := t.TempDir()
	cmd, out, stdin := startChild(t, dir, "hold")
	if !out.Scan() || out.Text() != "held" {
		t.Fatalf("child says %q", out.Text())
	}
	_, err := Open(dir, Options{}, nil)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Dir != dir {
		t.Errorf("got %v, want the lock of process %d", err, cmd.Process.Pid)
	}
	stdin.Close()
	cmd.Wait()
	j, _ := reopen(t, dir, Options{})
	if _, err := Open(dir, Options{}, nil); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second Open in one process: %v", err)
	}
	j.Close()
	reopen(t, dir, Options{})
}
