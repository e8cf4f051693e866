// Command fencepost finds synchronization bugs in GPU kernels.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/fencepost-dev/fencepost/cli"
)

// A run is short and leaves little behind of what it allocates, so garbage is collected late, but not so late that a whole
// tree takes a gibibyte, for some of which the parsers allocate outside of Go's heap. GOGC and GOMEMLIMIT have the last word.
const (
	garbagePercent = 400
	memoryTarget   = 768 << 20
)

func collectLate() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryTarget)
	}
}

func main() {
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a report of what was found until then; the second, or five seconds, ends it.
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(5 * time.Second)
		os.Exit(cli.ExitInternal)
	})
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	os.Exit(code)
}
