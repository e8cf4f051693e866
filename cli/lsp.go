package cli

import (
	"context"
	"errors"
	"time"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lsp"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

const lspUsage = `usage: fencepost lsp [flags]

Serves an editor by the Language Server Protocol, on standard input and output. Kernels that are open are checked as they stand in
the editor, with the configuration and the suppressions of check:

  diagnostics    on opening, on changes (after a pause; a newer one ends the check of an older) and on saving, with the other side
                 of a race. What nothing decided (FP903) and text that is not read (FP906) are shown, too: as information, unless
                 fail-on or strict in .fencepost.yaml make errors of them
  hover          the finding, its counterexample and the page of its rule; on the line of a kernel, its verdict
  code actions   repairs that were tried and hold, as for --fix, and comments that suppress a finding

A folder that is open in the editor is the root that check has; nothing outside of it is read. Without a folder it is that of the file.

flags:
  --root DIR            the root, whatever folders the editor has open
  --engine NAME         as in check; the default is explore, the embedded engine alone
  --pause DURATION      without a change before what was changed is checked (default 300ms)
  --select RULES, --ignore RULES, --set NAME=VALUE, --launch, --limit-states N, --limit-memory SIZE, --limit-time DURATION,
  --all-rounds, --verify, --config, --no-config, --no-cache, --jobs N as in check
  --stdio               for editors that say so: it is what is done
  -v                    internal errors with their stack, on standard error

exit codes: 0 after shutdown and exit, 1 without, 2 wrong usage
`

func (a *app) lspCommand(ctx context.Context, args []string) (int, error) {
	var c searchFlags
	f := a.newFlags("lsp")
	c.register(f, check.Explore)
	c.chosen.register(f)
	f.BoolVar(&c.noCache, "no-cache", false, "")
	pause := f.Duration("pause", 300*time.Millisecond, "")
	f.Bool("stdio", true, "")
	rest, err := f.parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print(lspUsage)
	case err != nil:
		return 0, err
	case len(rest) > 0:
		return 0, usagef("lsp takes no argument: the editor says what is open; --root DIR says where")
	case *pause < 0:
		return 0, usagef("flag --pause: want 0s or more")
	}
	c.set = f.given()
	page := func(id string) string {
		if r := rules.ByID(id); r != nil {
			return r.Page()
		}
		return ""
	}
	return lsp.Serve(ctx, a.stdin, a.stdout, lsp.Options{Version: version(), Root: c.root, Pause: *pause, Long: time.Second, Page: page,
		Check: func(ctx context.Context, tree *source.Tree, name string) (finding.Report, error) {
			return a.checkOpen(ctx, c, tree, name)
		}}), nil
}

// checkOpen checks one file of a tree as check does. An editor shows nothing of what is fine: what was not decided or not read is a
// note, or it would look the same.
func (a *app) checkOpen(ctx context.Context, c searchFlags, tree *source.Tree, name string) (finding.Report, error) {
	cfg, err := c.load(tree)
	if err != nil {
		return finding.Report{}, err
	}
	opt, err := c.options(tree, cfg, []string{name})
	if err != nil {
		return finding.Report{}, err
	}
	graded, required := opt.Severity, map[string]bool{finding.UndecidedKernel: c.failOn.Inconclusive, finding.UnreadText: opt.Strict}
	opt.Undecided, opt.Strict = true, true
	opt.Severity = func(id string) (finding.Severity, bool) {
		s, ok := graded(id)
		if must, of := required[id]; of && !must && !ok {
			return finding.Note, true
		}
		return s, ok
	}
	if !c.noCache {
		opt.Cache, _ = cache.Open(tree.Dir()) // a run without one is as good
	}
	defer opt.Cache.Close()
	r, err := check.Run(ctx, opt)
	if err != nil && c.verbose {
		a.printStacks(err)
	}
	return r, err
}
