package main

import (
	"os"
	"testing"
)

// TestPeerLeavesNothing proves that a peer's folder, driver included, is gone after its run.
func TestPeerLeavesNothing(t *testing.T) {
	for name, p := range peers {
		cmd, remove, err := p.command("http://127.0.0.1:1/")
		if err != nil {
			t.Fatal(name, err)
		}
		if p.driver != "" {
			if _, err := os.Stat(cmd.Dir + "/" + p.driver); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		remove()
		if _, err := os.Stat(cmd.Dir); !os.IsNotExist(err) {
			t.Errorf("%s: %v is still there", name, cmd.Dir)
		}
	}
}
