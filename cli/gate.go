package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// failOn is the flag that says what makes the exit code 1.
type failOn struct {
	finding.FailOn
	given string
}

func (f *failOn) String() string { return f.given }

// Set reads a severity, inconclusive, or both.
func (f *failOn) Set(text string) (err error) {
	f.given = text
	f.FailOn, err = finding.ParseFailOn(text)
	return err
}

// code is the exit code of a report. Without the flag errors fail.
func (f *failOn) code(r finding.Report) int {
	on := f.FailOn
	if f.given == "" {
		on.Least = finding.Error
	}
	if on.Fails(r) {
		return ExitFindings
	}
	return ExitClean
}

// choosing is which rules --select and --ignore leave.
type choosing struct{ only, without ruleList }

func (c *choosing) register(f *flags) {
	f.Var(&c.only, "select", "")
	f.Var(&c.without, "ignore", "")
}

func (c *choosing) has(id string) bool {
	return (len(c.only) == 0 || c.only[id]) && !c.without[id]
}

// ruleList is a flag with rules by their identifiers or names, or by how identifiers begin: FP1 is all FP1xx.
type ruleList map[string]bool

func (l *ruleList) String() string { return "" }

// Set adds rules.
func (l *ruleList) Set(text string) error {
	if *l == nil {
		*l = ruleList{}
	}
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		found := false
		var known []string
		for _, r := range rules.All() {
			known = append(known, r.ID, r.Name)
			if strings.EqualFold(word, r.ID) || strings.EqualFold(word, r.Name) || len(word) >= 3 && strings.HasPrefix(r.ID, strings.ToUpper(word)) {
				(*l)[r.ID], found = true, true
			}
		}
		if near := nearest(word, known); !found && near != "" {
			return fmt.Errorf("there is no rule %s; did you mean %s?", word, near)
		} else if !found {
			return fmt.Errorf("there is no rule %s; `fencepost rules` lists them", word)
		}
	}
	return nil
}

// fromRevision has the configuration read from the revision that a pull request is merged into: else the pull request itself
// could leave out the files, the rules and the severities that it fails on.
func (c *checkFlags) fromRevision(ctx context.Context, a *app) error {
	rev := c.configFrom
	if rev == "" && c.diff == "pull-request" {
		rev = "pull-request"
	}
	if rev == "pull-request" {
		base, err := pullRequestBase(a.getenv)
		if err != nil {
			return usagef("%v", err)
		}
		rev = base
	}
	c.configFrom = rev
	if rev == "" {
		return nil
	}
	c.revision = func(tree *source.Tree, name string) (*source.File, error) {
		rel, err := tree.Rel(name)
		if err != nil {
			return nil, err
		}
		f, err := source.At(ctx, tree.Dir(), rev, rel)
		if err == nil && f == nil {
			err = fmt.Errorf("%s is not in revision %s: %w", rel, rev, fs.ErrNotExist)
		}
		return f, err
	}
	return nil
}

// gate takes over what the run is to insist on.
func (c *checkFlags) gate(opt *check.Options) error {
	opt.Strict = opt.Strict || c.strict
	opt.Undecided = c.failOn.Inconclusive
	for _, p := range c.required {
		if err := finding.CheckPattern(p); err != nil {
			return usagef("flag --require-holds: %v", err)
		}
		opt.Require = append(opt.Require, p)
	}
	if c.configFrom != "" && !c.noConfig {
		opt.ConfigFrom, opt.ConfigNames = c.configFrom, config.Names(c.config)
	}
	return nil
}

// unrequired is what to say where a pattern of kernels that have to hold means none. Where only some kernels are looked at it
// need not.
func unrequired(r finding.Report, opt *check.Options) error {
	if opt.Changed != nil || opt.Committed != nil || opt.Shards > 1 {
		return nil
	}
	if _, unmatched := finding.Required(r.Kernels, opt.Require); len(unmatched) > 0 {
		return usagef("require-holds: no kernel that was checked is called %s", strings.Join(unmatched, ", "))
	}
	return nil
}

// since compares with the baseline. On a pull request that is the one of the revision it is merged into.
func (c *checkFlags) since(tree *source.Tree, r *finding.Report) error {
	if c.baseline == "" {
		return nil
	}
	var before finding.Report
	var err error
	if rel, e := tree.Rel(c.baseline); e == nil && c.revision != nil {
		f, e := c.revision(tree, rel)
		if errors.Is(e, fs.ErrNotExist) {
			r.Notes = append(r.Notes, fmt.Sprintf("revision %s has no baseline %s: everything counts as new", c.configFrom, rel))
			return nil
		}
		if e != nil {
			return usagef("flag --baseline: %v", e)
		}
		before, err = report.ReadJSON(bytes.NewReader(f.Data))
	} else {
		before, err = readReport(c.baseline)
	}
	if err != nil {
		return usagef("flag --baseline: %v", err)
	}
	finding.Since(before, r)
	return nil
}

const stdinPath = "-"

// maxInput bounds standard input; what is over the size of a file that is read is refused where it is read.
const maxInput = 64<<20 + 1

// standardInput reads the text that the path "-" stands for, and puts its name in the place of the path.
func (a *app) standardInput(c *checkFlags, paths []string) ([]byte, error) {
	at := -1
	for i, p := range paths {
		if p == stdinPath {
			at = i
		}
	}
	switch {
	case at < 0 && c.stdinName != "":
		return nil, usagef("flag --stdin-filename: standard input is read for the path - alone; for example: fencepost check --stdin-filename k.cu - < k.cu")
	case at < 0:
		return nil, nil
	case len(paths) > 1:
		return nil, usagef("standard input (-) is checked alone, not beside other paths")
	}
	text, err := io.ReadAll(io.LimitReader(a.stdin, maxInput))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if paths[at] = c.stdinName; c.stdinName == "" {
		paths[at] = "stdin" + language(text)
	}
	if !check.HasKernelExtension(paths[at]) {
		return nil, usagef("flag --stdin-filename: %s: the extension says the language: .py, .cu, .cuh, .h, .hpp or .ptx", paths[at])
	}
	return append([]byte{}, text...), nil
}

// language guesses the extension of a text without a name.
func language(text []byte) string {
	switch {
	case bytes.Contains(text, []byte(".version")) && bytes.Contains(text, []byte(".entry")):
		return ".ptx"
	case bytes.Contains(text, []byte("__global__")), bytes.Contains(text, []byte("__device__")), bytes.Contains(text, []byte("#include")):
		return ".cu"
	}
	return ".py"
}

// given is the tree with a text in the place of the file of that name, which need not be there.
func given(tree *source.Tree, paths []string, text []byte) (*source.Tree, error) {
	name, err := tree.Rel(filepath.Clean(paths[0]))
	if err != nil {
		return nil, usagef("flag --stdin-filename: %v", err)
	}
	if most := max(tree.MaxFileSize, source.MaxFileSize); int64(len(text)) > most {
		return nil, usagef("standard input: more than %d bytes, which is what is read of a file", most)
	}
	return tree.With(name, text), nil
}
