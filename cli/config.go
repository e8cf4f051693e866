package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// load reads the configuration file and checks what only this room can: the rules it names and the wrappers it defines.
func (c *common) load(tree *source.Tree) (*config.Config, error) {
	if c.noConfig {
		if c.config != "" {
			return nil, errors.New("--no-config and --config are two answers to one question; give one of them")
		}
		return &config.Config{}, nil
	}
	read := tree.Read
	if c.revision != nil {
		read = func(name string) (*source.File, error) { return c.revision(tree, name) }
	}
	cfg, err := config.LoadWith(read, c.config)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	if err := cfg.CheckRules(ids); err != nil {
		return nil, err
	}
	for i, w := range cfg.Wrappers {
		if _, err := check.Table(program.CuTe, cfg.Wrappers[i:i+1]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", cfg.Path, w.Line, err)
		}
	}
	return cfg, nil
}

// configure joins flags and configuration; a flag that was given wins.
func (c *searchFlags) configure(opt *check.Options, cfg *config.Config) error {
	if cfg.Engine != "" && !c.set["engine"] {
		opt.Engine = cfg.Engine
	}
	if cfg.FailOn != "" && !c.set["fail-on"] {
		c.failOn.Set(cfg.FailOn) // it was read before
	}
	opt.Strict = cfg.Strict
	opt.Require = cfg.Require
	opt.Tree.MaxFileSize = cfg.Limits.FileSize
	opt.Limits = engine.Limits{States: cfg.Limits.States, Memory: cfg.Limits.Memory, Time: cfg.Limits.Time}
	if c.states != 0 {
		opt.Limits.States = c.states
	}
	if c.time != 0 {
		opt.Limits.Time = c.time
	}
	if c.states < 0 || c.time < 0 || c.jobs < 0 {
		return usagef("limits and --jobs cannot be negative")
	}
	if c.memory != "" {
		n, err := bytesOf(c.memory)
		if err != nil {
			return err
		}
		opt.Limits.Memory = n
	}
	opt.Wrappers, opt.Includes, opt.ConfigPath = cfg.Wrappers, cfg.Includes, cfg.Path
	opt.Launch = func(kernel string, grid, block, cluster *[3]int) {
		cfg.Launches.Apply(kernel, grid, block, cluster)
		c.launches.Apply(kernel, grid, block, cluster)
	}
	opt.Include = cfg.Match
	opt.Enabled = func(id string) bool { return cfg.Rules[id] != config.Off }
	opt.Chosen = c.chosen.has
	opt.Severity = func(id string) (finding.Severity, bool) {
		for _, s := range []finding.Severity{finding.Note, finding.Warning, finding.Error} {
			if string(cfg.Rules[id]) == s.String() {
				return s, true
			}
		}
		return 0, false
	}
	return nil
}

func (a *app) configCommand(ctx context.Context, args []string) (int, error) {
	const usage = `usage: fencepost config verify [FILE]
       fencepost config schema

Checks .fencepost.yaml (or FILE): keys, values, patterns, rules and wrappers. The second form prints the JSON schema of the file,
for editors.

flags:
  --root DIR      the directory it is looked for in
  --config FILE   the same as FILE
  --no-config, --set   as in check
`
	var c common
	f := a.newFlags("config")
	c.register(f)
	rest, err := f.parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print(usage)
	case err != nil:
		return 0, err
	case len(rest) == 1 && rest[0] == "schema":
		return ExitClean, a.print(config.Schema)
	case len(rest) == 0 || len(rest) > 2 || rest[0] != "verify":
		return 0, usagef("config takes `verify` and at most one file, or `schema`; for example: fencepost config verify .fencepost.yaml")
	case len(rest) == 2:
		c.config = rest[1]
	}
	tree, cfg, err := c.open(nil)
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	if cfg.Path == "" {
		return ExitClean, a.print("there is no configuration file here; the defaults hold\n")
	}
	return ExitClean, a.print(cfg.Path + ": in order\n")
}
