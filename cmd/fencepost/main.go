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
	if os.Getenv(workerKey) == "" {
		if code, ok := supervise(os.Args[1:], standardOutput()); ok {
			os.Exit(code)
		}
		os.Exit(run(standardOutput()))
	}
	os.Unsetenv(workerKey)
	os.Exit(ended + run(os.Stdout))
}

func run(stdout *os.File) int {
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a report of what was found until then; a later one, or five seconds, ends it. A terminal
	// sends it to the supervisor too, which passes it on: two at a time are one.
	context.AfterFunc(ctx, func() {
		time.Sleep(200 * time.Millisecond)
		stop()
		time.Sleep(5 * time.Second)
		os.Exit(ended + cli.ExitInternal)
	})
	return cli.Main(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr, os.Getenv)
}
