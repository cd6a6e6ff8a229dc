//go:build unix

package browser

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"github.com/chromedp/chromedp"
)

// prepareTransport lets the browser talk over two pipes: no port is open that another program could use. The browser
// reads from file descriptor 3 and writes to 4.
func prepareTransport(cmd *exec.Cmd, dir string) (connect func(context.Context, <-chan struct{}) (chromedp.Transport, error), abandon func(), err error) {
	childR, ourW, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ourR, childW, err := os.Pipe()
	if err != nil {
		childR.Close()
		ourW.Close()
		return nil, nil, err
	}
	cmd.Args = append(cmd.Args, "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{childR, childW}
	connect = func(context.Context, <-chan struct{}) (chromedp.Transport, error) {
		childR.Close()
		childW.Close()
		return chromedp.NewPipeConn(ourR, ourW), nil
	}
	abandon = func() {
		for _, f := range []*os.File{childR, childW, ourR, ourW} {
			f.Close()
		}
	}
	return connect, abandon, nil
}

// killGroup kills the browser and the processes in its group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Process.Kill()
	}
}
