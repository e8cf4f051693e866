package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/launch"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/source"
)

// checkFlags are the flags of check, as given.
type checkFlags struct {
	searchFlags
	format  string
	outputs list
	diff    string
	staged  bool
	touched bool
	cleared bool
	color   string

	required   list
	strict     bool
	baseline   string
	statistics bool
	configFrom string
	stdinName  string
	fix        bool
}

// searchFlags say how kernels are searched, whatever becomes of the answers.
type searchFlags struct {
	common
	engine    string
	shard     string
	states    int
	memory    string
	time      time.Duration
	jobs      int
	allRounds bool
	verify    bool
	failOn    failOn
	chosen    choosing
	noCache   bool
	quiet     bool
	verbose   bool
	deadline  time.Duration
	launches  launch.List
	set       map[string]bool // flags that were given, as against the configuration file's values
}

// common are the flags that check and model share.
type common struct {
	root      string
	config    string
	noConfig  bool
	constants list
	revision  func(tree *source.Tree, name string) (*source.File, error) // reads the configuration of a revision; nil: of the tree
}

func (c *common) register(f *flags) {
	f.StringVar(&c.root, "root", "", "")
	f.StringVar(&c.config, "config", "", "")
	f.BoolVar(&c.noConfig, "no-config", false, "")
	f.Var(&c.constants, "set", "")
}

func (c *checkFlags) register(f *flags) {
	c.searchFlags.register(f, check.Auto)
	c.registerRun(f)
	c.color = "auto"
	f.Var(choice{&c.format, formats}, "format", "")
	f.Var(&c.outputs, "output", "")
	f.Var(&c.failOn, "fail-on", "")
	f.Var(&c.required, "require-holds", "")
	c.chosen.register(f)
	f.BoolVar(&c.strict, "strict", false, "")
	f.StringVar(&c.baseline, "baseline", "", "")
	f.BoolVar(&c.statistics, "statistics", false, "")
	f.StringVar(&c.configFrom, "config-from", "", "")
	f.BoolVar(&c.fix, "fix", false, "")
	f.StringVar(&c.stdinName, "stdin-filename", "", "")
	f.StringVar(&c.diff, "diff", "", "")
	f.BoolVar(&c.staged, "staged", false, "")
	f.BoolVar(&c.touched, "touched", false, "")
	f.BoolVar(&c.cleared, "show-cleared", false, "")
	f.BoolVar(&c.noCache, "no-cache", false, "")
	f.Var(choice{&c.color, []string{"auto", "always", "never"}}, "color", "")
}

func (c *searchFlags) register(f *flags, engine string) {
	c.common.register(f)
	c.engine = engine
	f.Var(choice{&c.engine, []string{check.Auto, check.Explore, check.Spin, check.Both, check.None}}, "engine", "")
	f.Var(&c.launches, "launch", "")
	f.IntVar(&c.states, "limit-states", 0, "")
	f.StringVar(&c.memory, "limit-memory", "", "")
	f.DurationVar(&c.time, "limit-time", 0, "")
	f.BoolVar(&c.allRounds, "all-rounds", false, "")
	f.BoolVar(&c.verify, "verify", false, "")
	f.IntVar(&c.jobs, "jobs", 0, "")
	f.BoolVar(&c.verbose, "v", false, "")
}

// registerRun adds the flags of a command that runs once over a tree.
func (c *searchFlags) registerRun(f *flags) {
	f.StringVar(&c.shard, "shard", "", "")
	f.BoolVar(&c.quiet, "q", false, "")
	f.DurationVar(&c.deadline, "deadline", 0, "")
}

// until is the context of a run: it ends at the deadline, where there is one.
func (c *searchFlags) until(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.deadline <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.deadline, fmt.Errorf("the deadline of %v was reached", c.deadline))
}

func (a *app) checkCommand(ctx context.Context, args []string) (int, error) {
	var c checkFlags
	f := a.newFlags("check")
	c.register(f)
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(checkUsage)
	}
	if err != nil {
		return 0, err
	}
	c.set = f.given()
	outs, err := outputs(c.format, c.outputs)
	if err != nil {
		return 0, err
	}
	if err := c.fromRevision(ctx, a); err != nil {
		return 0, err
	}
	text, err := a.standardInput(&c, paths)
	if err != nil {
		return 0, err
	}
	tree, cfg, err := c.open(paths)
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	if text != nil {
		if c.fix {
			return 0, usagef("--fix writes files, and standard input is none")
		}
		if tree, err = given(tree, paths, text); err != nil {
			return 0, err
		}
	}
	opt, err := c.options(tree, cfg, paths)
	if err != nil {
		return 0, err
	}
	opt.ShowCleared = c.cleared
	if opt.Changed, err = c.changed(ctx, a, tree); err != nil {
		return 0, err
	}
	if c.touched {
		if opt.Changed != nil {
			return 0, usagef("--touched says itself what changed; give it without --staged and --diff")
		}
		opt.Committed = func(ctx context.Context, names []string) (map[string][]byte, error) {
			return source.Committed(ctx, tree.Dir(), names)
		}
	}
	if err := c.gate(&opt); err != nil {
		return 0, err
	}
	return a.runCheck(ctx, &c, opt, outs)
}

// runCheck runs and writes. A report is written even when the run was incomplete: what was found is worth having.
func (a *app) runCheck(ctx context.Context, c *checkFlags, opt check.Options, outs []output) (int, error) {
	ctx, stop := c.until(ctx)
	defer stop()
	r, runErr := a.search(ctx, &c.searchFlags, opt)
	if c.fix && runErr == nil {
		done, err := repair(opt.Tree, r.Findings)
		if err != nil {
			return ExitInternal, err
		}
		if len(done) > 0 { // what is told is what stands in the files now
			r, runErr = a.search(ctx, &c.searchFlags, opt)
			r.Notes = append(r.Notes, done...)
		}
	}
	if isUsage(runErr) {
		return 0, usagef("%v", runErr)
	}
	var usage *usageError
	if errors.As(runErr, &usage) {
		return 0, runErr
	}
	if err := c.since(opt.Tree, &r); err != nil {
		return 0, err
	}
	if err := a.writeReports(outs, r, rendering{opt.Tree, c.color, runErr != nil, c.statistics, c.verbose}); err != nil {
		return ExitInternal, err
	}
	if runErr != nil {
		return ExitInternal, runErr
	}
	if err := unrequired(r, &opt); err != nil {
		return 0, err
	}
	return c.failOn.code(r), nil
}

// search checks files while it shows how far it is.
func (a *app) search(ctx context.Context, c *searchFlags, opt check.Options) (finding.Report, error) {
	bar := a.progress(c.quiet)
	opt.Progress = bar.step
	var untold error // a run without a cache is as good as one with it
	if !c.noCache {
		opt.Cache, untold = cache.Open(opt.Tree.Dir())
	}
	opt.Settable = &lower.Settable{}
	r, err := check.Run(ctx, opt)
	bar.clear()
	if err == nil && opt.Engine != check.None {
		err = errors.Join(unset(opt.Settable, opt.Constants), unlaunched(c.launches))
	}
	if untold = errors.Join(untold, opt.Cache.Close()); untold != nil && c.verbose {
		a.complain(untold)
	}
	if c.quiet {
		r.Notes = nil
	}
	if err == nil && r.Summary.Files == 0 && !c.quiet && opt.Committed == nil {
		fmt.Fprintln(a.stderr, "fencepost: no kernel files among the paths given; nothing was checked")
	}
	if err != nil && c.verbose {
		a.printStacks(err)
	}
	return r, err
}

// printStacks prints where the internal errors among the joined ones happened.
func (a *app) printStacks(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			a.printStacks(e)
		}
		return
	}
	var internal *check.InternalError
	if errors.As(err, &internal) && internal.Stack != "" {
		fmt.Fprintln(a.stderr, cleanLines(internal.Stack))
	}
}

// isUsage tells a path that cannot be opened from a failure of fencepost's own.
func isUsage(err error) bool {
	var usage *check.PathError
	return errors.As(err, &usage)
}

// options joins flags and configuration; a flag that was given wins.
func (c *searchFlags) options(tree *source.Tree, cfg *config.Config, paths []string) (check.Options, error) {
	opt := check.Options{Tree: tree, Paths: paths, Engine: c.engine, Jobs: c.jobs, AllRounds: c.allRounds, Verify: c.verify, Shard: 1, Shards: 1}
	var err error
	if opt.Constants, err = constants(c.constants); err != nil {
		return opt, err
	}
	if opt.Shard, opt.Shards, err = shard(c.shard); err != nil {
		return opt, err
	}
	return opt, c.configure(&opt, cfg)
}

// changed finds the lines a run is limited to; nil means all.
func (c *checkFlags) changed(ctx context.Context, a *app, tree *source.Tree) (map[string][]source.Range, error) {
	if c.staged && c.diff != "" {
		return nil, usagef("--staged and --diff are two answers to one question; give one of them")
	}
	var lines map[string][]source.Range
	var err error
	switch rev := c.diff; {
	case c.staged:
		lines, err = source.StagedLines(ctx, tree.Dir())
	case rev == "":
		return nil, nil
	case rev == "pull-request":
		base, baseErr := pullRequestBase(a.getenv)
		if baseErr != nil {
			return nil, usagef("%v", baseErr)
		}
		if base == "" {
			return nil, nil
		}
		lines, err = source.ChangedLines(ctx, tree.Dir(), base)
	default:
		lines, err = source.ChangedLines(ctx, tree.Dir(), rev)
	}
	if err != nil {
		return nil, usagef("%v", err)
	}
	if lines == nil {
		lines = map[string][]source.Range{} // nothing changed is not everything
	}
	return lines, nil
}

// shard reads "2/4".
func shard(text string) (index, count int, err error) {
	if text == "" {
		return 1, 1, nil
	}
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || index < 1 || count < index {
		return 0, 0, usagef("flag --shard: %q: want INDEX/COUNT from 1/COUNT to COUNT/COUNT, for example 2/4", text)
	}
	return index, count, nil
}

// constants reads NAME=VALUE pairs.
func constants(given []string) (map[string]string, error) {
	m := map[string]string{}
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if _, err := strconv.ParseInt(value, 0, 64); !ok || name == "" || err != nil {
			return nil, usagef("flag --set: %q: want NAME=VALUE with an integer value, for example STAGES=4", g)
		}
		m[name] = value
	}
	return m, nil
}

// unset is what to say where constants were given that no kernel has: what was searched then is not what was asked for.
func unset(s *lower.Settable, given map[string]string) error {
	unused, known := s.Unused(given)
	if len(unused) == 0 {
		return nil
	}
	can := "nothing can be set here"
	if len(known) > 0 {
		can = "what can be set is " + strings.Join(known, ", ")
	}
	return usagef("flag --set: no kernel that was checked has a constant or parameter %s; %s", strings.Join(unused, ", "), can)
}

// unlaunched is what to say where a launch is stated of kernels that there are not.
func unlaunched(l launch.List) error {
	if pattern := l.Unused(); pattern != "" {
		return usagef("flag --launch: no kernel that was checked is called %s; * stands for any part of a name", pattern)
	}
	return nil
}

// bytesOf reads a size such as 256MiB; a bare number is bytes.
func bytesOf(text string) (int64, error) {
	number, shift := text, 0
	for suffix, s := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			number, shift = rest, s
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > 1<<40>>shift {
		return 0, usagef("flag --limit-memory: %q: want a size such as 256MiB", text)
	}
	return n << shift, nil
}
