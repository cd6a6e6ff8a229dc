package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// process is a browser that we started, with its profile folder.
type process struct {
	cmd     *exec.Cmd
	profile *profile
	output  *tail
	done    chan struct{} // closed when it has ended
	err     error         // how it ended; read after done
}

// launch starts a browser and returns the transport to it. ctx bounds the start only; the process lives until stop.
func launch(ctx context.Context, path, parent string, o flagOptions) (*process, chromedp.Transport, error) {
	profile, err := newProfile(parent)
	if err != nil {
		return nil, nil, fmt.Errorf("no folder for the browser's profile: %w; set Renderer.TempDir to one that can be written", err)
	}
	p := &process{profile: profile, output: &tail{}, done: make(chan struct{})}
	p.cmd = exec.Command(path, flags(profile.dir, o)...)
	p.cmd.Stderr = p.output
	p.cmd.WaitDelay = 2 * time.Second
	ownGroup(p.cmd)
	connect, abandon, err := prepareTransport(p.cmd, profile.dir)
	if err == nil {
		err = p.start()
	}
	if err != nil {
		if abandon != nil {
			abandon()
		}
		profile.remove()
		return nil, nil, p.explain(path, err)
	}
	transport, err := connect(ctx, p.done)
	if err != nil {
		p.stop()
		return nil, nil, p.explain(path, err)
	}
	return p, transport, nil
}

// start runs the command and waits for it in one goroutine that stays on its thread: on Linux the browser is told to die
// with the thread that started it (go.dev/issue/27505).
func (p *process) start() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// stop ends the browser with all its processes and removes its folder. It may be called once.
func (p *process) stop() error {
	// The main process goes when its pipe closes; its children do not always.
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
	}
	killGroup(p.cmd)
	<-p.done
	killLeftovers(p.profile.dir)
	return p.profile.remove()
}

// explain turns the failure of a start into an error that says what to do.
func (p *process) explain(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	output := p.output.String()
	e := &NoBrowserError{Tried: []string{path + ": " + err.Error()}, Output: output, Hint: installHint(runtime.GOOS)}
	switch {
	case strings.Contains(output, "No usable sandbox") || strings.Contains(output, "unprivileged user namespaces"):
		e.Hint = "The system does not let Chrome build its sandbox (Ubuntu 23.10 and later restrict it by AppArmor). Use a packaged Chrome or Chromium, " +
			"or give this one an AppArmor profile; see https://chromium.googlesource.com/chromium/src/+/main/docs/security/apparmor-userns-restrictions.md. " +
			"In a container that is itself the sandbox, set Renderer.NoSandbox."
	case strings.Contains(output, "Running as root without --no-sandbox"):
		e.Hint = "Chrome does not run with its sandbox as root: use another user, or set Renderer.NoSandbox."
	case strings.Contains(output, "error while loading shared libraries"):
		e.Hint = "A library that Chrome needs is missing: install Chrome by the system's package manager, which brings them along."
	case strings.HasPrefix(path, "/snap/") || strings.Contains(output, "snap"):
		e.Hint = "A Chromium from snap sees only the user's home: set Renderer.TempDir to a folder below it, or install a Chromium that is no snap."
	}
	return e
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > tailSize {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

func pause() { time.Sleep(10 * time.Millisecond) }

// smallShm reports whether shared memory is too small for Chrome (64 MB in a container by default).
func smallShm() bool {
	size, ok := shmSize()
	return ok && size < 512<<20
}
