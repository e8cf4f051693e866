// Command fencepost finds synchronization bugs in GPU kernels.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/fencepost-dev/fencepost/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}
