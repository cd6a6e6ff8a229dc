package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

func ownGroup(*exec.Cmd) {}

// prepareTransport uses a debugging port on loopback, which the browser chooses and writes into its profile: Go cannot
// hand pipes to a process on Windows.
func prepareTransport(cmd *exec.Cmd, dir string) (connect func(context.Context, <-chan struct{}) (chromedp.Transport, error), abandon func(), err error) {
	cmd.Args = append(cmd.Args, "--remote-debugging-port=0")
	connect = func(ctx context.Context, ended <-chan struct{}) (chromedp.Transport, error) {
		for {
			if data, err := os.ReadFile(portFile(dir)); err == nil {
				if port, path, ok := strings.Cut(strings.TrimSpace(string(data)), "\n"); ok {
					return remote.DialContext(ctx, "ws://127.0.0.1:"+strings.TrimSpace(port)+strings.TrimSpace(path))
				}
			}
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-ended:
				return nil, errors.New("it ended at once")
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return connect, func() {}, nil
}

// killGroup kills the browser with its children.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
		cmd.Process.Kill()
	}
}

// portFile is where a browser writes the address of its debugging port.
func portFile(dir string) string { return filepath.Join(dir, "DevToolsActivePort") }
