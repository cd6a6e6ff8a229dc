//go:build unix && !linux

package browser

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the browser into a process group of its own. It ends with us because its pipe closes.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
