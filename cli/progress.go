package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/report"
)

// progressFlags are the flags of progress.
type progressFlags struct {
	common
	model, format string
	cooperative   bool
	ctas          int
}

func (a *app) progressCommand(ctx context.Context, args []string) (int, error) {
	p := progressFlags{format: "text"}
	models := []string{"all"}
	for _, g := range progress.Guarantees() {
		models = append(models, g.String())
	}
	f := a.newFlags("progress")
	p.register(f)
	f.IntVar(&p.ctas, "ctas", 0, "")
	f.Var(choice{&p.model, models}, "model", "")
	f.Var(choice{&p.format, []string{"text", "json"}}, "format", "")
	f.BoolVar(&p.cooperative, "cooperative", false, "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(progressUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		return 0, usagef("progress needs at least one file; for example: fencepost progress waits.jsonl")
	}
	wrong, undecided := 0, 0
	for _, path := range paths {
		tests, err := p.read(ctx, path)
		if err != nil {
			return 0, usagef("%v", err)
		}
		for i := range tests {
			if ctx.Err() != nil {
				return ExitInternal, ctx.Err()
			}
			v := tests[i].decide()
			if v.result == nil {
				undecided++
			}
			if err := a.printVerdicts(&p, v); err != nil {
				return ExitInternal, err
			}
			wrong += v.unexpected()
		}
	}
	switch {
	case wrong > 0:
		fmt.Fprintf(a.stderr, "fencepost: %d verdicts are not those that the files expect\n", wrong)
		return ExitFindings, nil
	case undecided > 0:
		return ExitInternal, nil
	}
	return ExitClean, nil
}

// progressTest is something to be decided: its system, or why there is none.
type progressTest struct {
	id       string
	within   string // the bounds of a kernel
	decided  *progress.Result
	system   progress.System
	expected map[string]bool
	why      error
}

// read reads the tests of a file: its kernels, a litmus test, or one test a line.
func (p *progressFlags) read(ctx context.Context, path string) ([]progressTest, error) {
	if check.HasKernelExtension(path) {
		return p.kernels(ctx, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	defer f.Close()
	if strings.HasSuffix(path, ".litmus") {
		test, err := memory.Read(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t := progressTest{id: test.Name}
		if t.system, err = memory.Interleave(test, p.cooperative); err != nil {
			t.system, t.why = nil, fmt.Errorf("%s: %w", path, err)
		}
		return []progressTest{t}, nil
	}
	tests, err := progress.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []progressTest
	for i := range tests {
		t := progressTest{id: tests[i].ID, expected: tests[i].Expected}
		tests[i].Cooperative = tests[i].Cooperative || p.cooperative
		t.system, t.why = tests[i].System()
		out = append(out, t)
	}
	return out, nil
}

// kernels decides the kernels of a file.
func (p *progressFlags) kernels(ctx context.Context, path string) ([]progressTest, error) {
	f, err := p.readKernels(path, p.constants)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opt := check.Scheduling{Set: map[string]int64{}, CTAs: p.ctas, Cooperative: p.cooperative, Sources: f.sources, Lower: f.lower}
	for name, text := range f.lower.Set {
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			opt.Set[name] = n
		}
	}
	var out []progressTest
	for _, k := range check.Schedule(ctx, f.program, f.table, opt, engine.Limits{States: 1 << 22, Memory: 1 << 30}) {
		t := progressTest{id: k.Name, within: k.Within(), decided: k.Result}
		if k.Err != nil {
			t.why = fmt.Errorf("%s: %w", path, k.Err)
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no kernel in it (a kernel is @cute.kernel, __global__ or .entry)", path)
	}
	return out, nil
}

// verdicts are what is known of a test.
type verdicts struct {
	*progressTest
	result *progress.Result // nil: it could not be decided
}

func (t *progressTest) decide() verdicts {
	if t.why != nil || t.decided != nil {
		return verdicts{t, t.decided}
	}
	r, err := progress.Decide(t.system)
	if err != nil {
		t.why = err
	}
	return verdicts{t, r}
}

// unexpected counts the verdicts that are not what the test expects.
func (v *verdicts) unexpected() (n int) {
	if v.result == nil {
		return 0
	}
	for g, a := range v.result.Answers {
		if want, ok := v.expected[g.String()]; ok && want != a.Ends {
			n++
		}
	}
	return n
}

func (a *app) printVerdicts(f *progressFlags, v verdicts) error {
	if f.format == "json" {
		return a.printVerdictsAsJSON(v)
	}
	var b strings.Builder
	if v.result == nil {
		fmt.Fprintf(&b, "%s: inconclusive: %v\n", v.id, v.why)
	} else {
		fmt.Fprintf(&b, "%s: %s\n", v.id, v.result.Needs())
		if v.within != "" {
			fmt.Fprintf(&b, "  within %s\n", v.within)
		}
		v.details(&b, f.model)
	}
	for line := range strings.Lines(b.String()) {
		if err := a.print(report.Clean(strings.TrimSuffix(line, "\n")) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// details are the verdicts that the file expects otherwise, and what the flag asks for.
func (v *verdicts) details(b *strings.Builder, model string) {
	r := v.result
	for _, g := range progress.Guarantees() {
		answer := r.Answers[g]
		if want, ok := v.expected[g.String()]; ok && want != answer.Ends {
			fmt.Fprintf(b, "  %s: %s; the file expects otherwise\n", g, ends(r, g))
		}
	}
	if model == "all" {
		table(b, r)
	}
	for _, g := range progress.Guarantees() {
		if g.String() == model {
			lasso(b, r, g)
		}
	}
}

func (a *app) printVerdictsAsJSON(v verdicts) error {
	line := struct {
		ID       string          `json:"id"`
		Verdicts map[string]bool `json:"verdicts"`
		States   int             `json:"states"`
		Within   string          `json:"within,omitempty"`
		Reason   string          `json:"reason,omitempty"`
	}{ID: v.id, Verdicts: map[string]bool{}, Within: v.within}
	if v.result == nil {
		line.Reason = v.why.Error()
	} else {
		line.States = v.result.States
		for g, answer := range v.result.Answers {
			line.Verdicts[g.String()] = answer.Ends
		}
	}
	return json.NewEncoder(a.stdout).Encode(line)
}

func ends(r *progress.Result, g progress.Guarantee) string {
	a, decided := r.Answers[g]
	if !decided {
		return "not decided"
	}
	if a.Ends {
		return "always ends"
	}
	return "may run for ever"
}

// table shows all models, a line each, weak and strong side by side.
func table(b *strings.Builder, r *progress.Result) {
	fmt.Fprintf(b, "  %-8s  %-16s  %s\n", "", "weak", "strong")
	for _, m := range progress.Models {
		fmt.Fprintf(b, "  %-8s  %-16s  %s\n", m, ends(r, progress.Guarantee{Model: m}), ends(r, progress.Guarantee{Model: m, Strong: true}))
	}
}

// lasso shows how a program may run for ever under a model.
func lasso(b *strings.Builder, r *progress.Result, g progress.Guarantee) {
	a := r.Answers[g]
	fmt.Fprintf(b, "  %s: %s\n", g, ends(r, g))
	if a.Lasso == nil {
		return
	}
	show := func(steps []progress.Step) {
		for i, s := range steps {
			who := r.Threads[s.Thread].Name
			if s.Line > 0 {
				who = fmt.Sprintf("%s, line %d:", who, s.Line)
			}
			fmt.Fprintf(b, "    %3d. %s %s\n", i+1, who, s.Text)
		}
	}
	if len(a.Lasso.Stem) > 0 {
		b.WriteString("  first\n")
		show(a.Lasso.Stem)
	}
	b.WriteString("  then, for ever\n")
	show(a.Lasso.Cycle)
	waits := "nobody else is guaranteed to execute"
	if g.Strong && len(a.Lasso.Held) > 0 {
		waits = "only " + threadList(r, a.Lasso.Held) + " must execute, and cannot get out of this"
	}
	fmt.Fprintf(b, "  %s\n", waits)
}

func threadList(r *progress.Result, list []int) string {
	var out []string
	for _, t := range slices.Sorted(slices.Values(list)) {
		out = append(out, r.Threads[t].Name)
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}
