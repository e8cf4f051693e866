//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/fencepost-dev/fencepost/cli"
)

const (
	// workerKey tells the process that does the work from the one that waits for it.
	workerKey = "FENCEPOST_WORKER"
	// ended is added to the exit code of a worker that came to its end: a Go program without memory, or with a stack that has
	// grown too far, exits with 2 by itself, which is wrong usage here, and nothing in the program can catch it.
	ended = 64
)

// supervise does the work in another process, so that its exit code is one of ours whatever becomes of it. Where there can be
// no other process, ok is false.
func supervise(args []string, stdout *os.File) (code int, ok bool) {
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	// The kernel ends the worker when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	worker := exec.Command(self, args...)
	worker.Args[0] = os.Args[0]
	worker.Stdin, worker.Stdout, worker.Stderr = os.Stdin, stdout, os.Stderr
	worker.Env = append(os.Environ(), workerKey+"=1")
	if os.Getenv("GOTRACEBACK") == "" {
		worker.Env = append(worker.Env, "GOTRACEBACK=none")
	}
	worker.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(worker.SysProcAttr)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := worker.Start(); err != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			worker.Process.Signal(s)
		}
	}()
	err = worker.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		fmt.Fprintln(os.Stderr, "fencepost:", err)
		return cli.ExitInternal, true
	}
	state := worker.ProcessState
	if state.ExitCode() >= ended {
		return state.ExitCode() - ended, true
	}
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		switch s.Signal() {
		case syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP:
			return 128 + int(s.Signal()), true // as a shell tells it
		}
	}
	fmt.Fprintf(os.Stderr, "fencepost: internal error: the run broke off and reported nothing (%v): most often memory ran out. "+
		"--jobs 1 and fewer files need less; with GOTRACEBACK=all in the environment a defect shows where it is\n", state)
	return cli.ExitInternal, true
}
