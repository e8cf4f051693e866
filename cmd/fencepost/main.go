// Command fencepost finds synchronization bugs in GPU kernels.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fencepost-dev/fencepost/cli"
)

func main() {
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
