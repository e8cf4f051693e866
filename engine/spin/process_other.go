//go:build !unix

package spin

import "os/exec"

// group does nothing: without process groups only the command itself is ended at the deadline.
func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
