package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/check/handoffs"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/launch"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/report"
)

// barriersFlags are the flags of barriers.
type barriersFlags struct {
	launch  exec.Launch
	stated  launch.List // for some kernels
	config  launch.List // what the configuration file states
	options order.Options
	kernels list
	format  string
	graph   bool
}

func (a *app) barriersCommand(ctx context.Context, args []string) (int, error) {
	p := barriersFlags{format: "text"}
	f := a.newFlags("barriers")
	var c common
	var params list
	var memory, limit string
	var cta launch.Extent
	f.Var((*launch.Extent)(&p.launch.Block), "block", "")
	f.Var((*launch.Extent)(&p.launch.Cluster), "cluster", "")
	f.Var((*launch.Extent)(&p.launch.Grid), "grid", "")
	f.Var(&cta, "cta", "")
	f.Var(&p.stated, "launch", "")
	f.StringVar(&c.root, "root", "", "")
	f.StringVar(&c.config, "config", "", "")
	f.BoolVar(&c.noConfig, "no-config", false, "")
	f.Var(&params, "param", "")
	f.Var(&p.kernels, "kernel", "")
	f.Var(choice{&p.format, []string{"text", "json"}}, "format", "")
	f.BoolVar(&p.graph, "graph", false, "")
	f.BoolVar(&p.options.WarpSynchronous, "warp-synchronous", false, "")
	f.IntVar(&p.options.Findings, "findings", 4, "")
	f.StringVar(&memory, "limit-memory", "", "")
	f.StringVar(&limit, "limit-time", "", "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(barriersUsage)
	}
	if err == nil {
		err = p.complete(params, memory, limit)
	}
	if err != nil {
		return 0, err
	}
	if f.given()["cta"] {
		p.launch.CTA = (*[3]int)(&cta)
	}
	if len(paths) == 0 {
		return 0, usagef("barriers needs at least one file of PTX or CUDA C++; for example: fencepost barriers kernel.ptx")
	}
	files, err := c.openCode(paths)
	if err != nil {
		return 0, err
	}
	defer files.Close()
	p.config = files.config.Launches
	code := ExitClean
	for _, path := range paths {
		one, err := a.barriersOf(ctx, &p, files, path)
		if err != nil {
			return one, err
		}
		code = worse(code, one)
	}
	return code, unlaunched(p.stated)
}

// worse is the exit code of two files: findings before what is not known.
func worse(a, b int) int {
	if a == ExitFindings || b == ExitFindings {
		return ExitFindings
	}
	return max(a, b)
}

// complete sets what the flags say in words.
func (p *barriersFlags) complete(params []string, memory, limit string) (err error) {
	p.options.Graph, p.options.Counts = p.graph, true
	if p.options.Findings < 1 {
		return usagef("flag --findings: want at least 1")
	}
	if memory != "" {
		if p.options.Limits.Memory, err = bytesOf(memory); err != nil {
			return err
		}
	}
	if limit != "" {
		if p.options.Limits.Time, err = time.ParseDuration(limit); err != nil || p.options.Limits.Time <= 0 {
			return usagef("flag --limit-time: %q is no duration; for example: 10s", limit)
		}
	}
	p.launch.Params = map[string]int64{}
	for _, text := range params {
		name, value, ok := strings.Cut(text, "=")
		n, err := strconv.ParseInt(value, 0, 64)
		if !ok || err != nil {
			return usagef("flag --param: %q is no NAME=INTEGER", text)
		}
		p.launch.Params[name] = n
	}
	return nil
}

// stating puts together what is stated of a kernel's launch: what --launch says for it, then the flags for all, then the configuration.
func (p *barriersFlags) stating(kernel string, l *exec.Launch) {
	p.config.Apply(kernel, &l.Grid, &l.Block, &l.Cluster)
	launch.Over(&l.Grid, p.launch.Grid)
	launch.Over(&l.Block, p.launch.Block)
	launch.Over(&l.Cluster, p.launch.Cluster)
	p.stated.Apply(kernel, &l.Grid, &l.Block, &l.Cluster)
}

// barriersOf checks the kernels of one file.
func (a *app) barriersOf(ctx context.Context, p *barriersFlags, files *codeFiles, path string) (int, error) {
	f, err := a.readCode(files, path)
	if err != nil {
		return 0, err
	}
	defer a.unread(files)
	var reports []kernelReport
	taken := map[string]bool{} // parameters that some kernel has
	code := ExitClean
	for _, fn := range f.Functions {
		if !fn.Kernel || len(p.kernels) > 0 && !chosen(p.kernels, fn.Name) {
			continue
		}
		if ctx.Err() != nil {
			return ExitInternal, ctx.Err()
		}
		k, err := files.translate(f, fn)
		switch {
		case err != nil && f.Language == program.CUDA: // the others of the file may be understood
			fmt.Fprintf(a.stderr, "fencepost: %s: not checked: %s\n", report.Clean(path), report.Clean(err.Error()))
			code = worse(code, ExitInternal)
			continue
		case err != nil:
			return 0, usagef("%s: %v", path, err)
		}
		l := p.launch
		l.Params = map[string]int64{}
		for given, n := range p.launch.Params {
			if name, _, _ := strings.Cut(given, "+"); slices.Contains(k.Formals, name) {
				l.Params[given], taken[given] = n, true
			}
		}
		p.stating(fn.Name, &l)
		r, err := barriers.Verify(k, l, p.options)
		if err != nil {
			return 0, usagef("%s: %v", path, err)
		}
		switch r.Verdict {
		case engine.Violated:
			if r.Guessed {
				code = worse(code, ExitInternal)
			} else {
				code = worse(code, ExitFindings)
			}
		case engine.Inconclusive:
			code = worse(code, ExitInternal)
		}
		reports = append(reports, kernelReport{file: f, name: fn.Name, Report: r, most: p.options.Findings, hands: len(handoffs.Of(k, r.Execution.Launch.Block, nil)) > 0})
	}
	if len(f.Skipped) > 0 || len(f.Notes) > 0 {
		code = worse(code, ExitInternal)
	}
	if len(reports) == 0 {
		return 0, usagef("%s has no kernel to check%s", path, skippedText(f))
	}
	for _, given := range slices.Sorted(maps.Keys(p.launch.Params)) {
		if !taken[given] {
			return 0, usagef("%s: no kernel that is checked has a parameter %s; names are those of the PTX, with +BYTES for parts", path, given)
		}
	}
	return code, a.printBarriers(p, path, reports)
}

func skippedText(f *program.File) string {
	if len(f.Skipped) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d functions could not be read", len(f.Skipped))
}

// chosen reports whether a name is one of those given, in full or in part.
func chosen(names []string, name string) bool {
	for _, n := range names {
		if strings.Contains(name, n) {
			return true
		}
	}
	return false
}

func (a *app) printBarriers(p *barriersFlags, path string, reports []kernelReport) error {
	switch {
	case p.graph:
		for k := range reports {
			if err := a.print(reports[k].dot()); err != nil {
				return err
			}
		}
		return nil
	case p.format == "json":
		for k := range reports {
			line, err := reports[k].json(path)
			if err != nil {
				return err
			}
			if err := a.print(line); err != nil {
				return err
			}
		}
		return nil
	}
	return a.print(cleanLines(barriersText(path, reports)))
}
