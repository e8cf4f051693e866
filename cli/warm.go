package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-dev/fencepost/check"
)

// warmCommand checks files for what the cache keeps of them, so that a hook that looks at them again need not. What it finds is not
// its business: check tells that.
func (a *app) warmCommand(ctx context.Context, args []string) (int, error) {
	var c searchFlags
	f := a.newFlags("warm")
	c.register(f, check.Explore)
	c.registerRun(f)
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(warmUsage)
	}
	if err != nil {
		return 0, err
	}
	c.set = f.given()
	c.set["engine"] = true // the hook's
	tree, cfg, err := c.open(paths)
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	opt, err := c.options(tree, cfg, paths)
	if err != nil {
		return 0, err
	}
	ctx, stop := c.until(ctx)
	defer stop()
	r, err := a.search(ctx, &c, opt)
	if isUsage(err) {
		return 0, usagef("%v", err)
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return 0, err
	}
	if e := a.print(fmt.Sprintf("%d kernels of %d files were checked; what was shown is in the cache\n", r.Summary.Kernels, r.Summary.Files)); e != nil {
		return ExitInternal, e
	}
	return ExitClean, err
}
