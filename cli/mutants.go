package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/mutant"
)

// mutantsFlags are the flags of mutants.
type mutantsFlags struct {
	searchFlags
	operators list
	sample    int
	seed      uint64
	format    string
	all       bool
}

func (a *app) mutantsCommand(ctx context.Context, args []string) (int, error) {
	m := mutantsFlags{format: "text"}
	f := a.newFlags("mutants")
	m.register(f, check.Explore)
	m.registerRun(f)
	f.Var(&m.operators, "operator", "")
	f.IntVar(&m.sample, "sample", 0, "")
	f.Uint64Var(&m.seed, "seed", 1, "")
	f.Var(choice{&m.format, []string{"text", "json", "markdown"}}, "format", "")
	f.BoolVar(&m.all, "all", false, "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(mutantsHelp())
	}
	if err != nil {
		return 0, err
	}
	if err := knownOperators(m.operators); err != nil {
		return 0, err
	}
	m.set = f.given()
	m.set["engine"] = true // the default is explore's own, as for coverage
	tree, cfg, err := m.open(paths)
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	opt, err := m.options(tree, cfg, paths)
	if err != nil {
		return 0, err
	}
	ctx, stop := m.until(ctx)
	defer stop()
	files, runErr := mutant.Run(ctx, mutant.Options{Check: opt, Operators: m.operators, Sample: m.sample, Seed: m.seed})
	if isUsage(runErr) {
		return 0, usagef("%v", runErr)
	}
	if err := a.printMutants(&m, mutant.Count(files)); err != nil {
		return ExitInternal, err
	}
	return ExitClean, runErr
}

func mutantsHelp() string {
	var names []string
	for _, o := range mutant.Operators {
		names = append(names, fmt.Sprintf("%-18s %s", o.Name, o.Brief))
	}
	return strings.Replace(mutantsUsage, "OPERATORS", "\n                          "+strings.Join(names, "\n                          "), 1)
}

func knownOperators(given []string) error {
	var names []string
	for _, o := range mutant.Operators {
		names = append(names, o.Name)
	}
	for _, g := range given {
		known := false
		for _, n := range names {
			known = known || n == g
		}
		if !known {
			return usagef("flag --operator: no operator %q; the operators are %s", g, strings.Join(names, ", "))
		}
	}
	return nil
}

func (a *app) printMutants(m *mutantsFlags, t mutant.Table) error {
	switch m.format {
	case "json":
		text, err := json.MarshalIndent(t, "", "  ")
		if err != nil {
			return fmt.Errorf("write json: %w", err)
		}
		_, err = a.stdout.Write(append(finding.EscapeJSON(text), '\n'))
		return err
	case "markdown":
		return a.print(mutantsMarkdown(t, m.all))
	}
	return a.print(mutantsText(t, m.all))
}

func mutantsText(t mutant.Table, all bool) string {
	var b strings.Builder
	for _, f := range t.Files {
		if f.Skipped != "" {
			fmt.Fprintf(&b, "%s: not tried: %s\n", f.Path, f.Skipped)
		}
		for _, r := range f.Results {
			if all || r.Fate == mutant.Survived {
				fmt.Fprintf(&b, "%-10s  %s:%d  %s: %s\n", r.Fate, f.Path, r.Line, r.Operator, r.What)
				if d := detail(&r); d != "" {
					fmt.Fprintf(&b, "            %s\n", d)
				}
			}
		}
	}
	fmt.Fprintf(&b, "\n%-44s %7s %8s %10s %7s\n", "", "killed", "survived", "equivalent", "score")
	for _, rows := range [][]mutant.Tally{t.Operators, t.Paths, {t.All}} {
		for _, r := range rows {
			fmt.Fprintf(&b, "%-44s %7d %8d %10d %7s\n", r.Name, r.Killed, r.Survived, r.Equivalent, r.Score())
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "killed at: %s\n", strings.Join(t.Aims, ", "))
	return cleanLines(b.String())
}

func detail(r *mutant.Result) string {
	if r.Fate == mutant.Killed {
		return fmt.Sprintf("%s at line %d (%s): %s", r.Rule, r.At, r.Aim, r.Detail)
	}
	return r.Detail
}

func mutantsMarkdown(t mutant.Table, all bool) string {
	cell := func(s string) string {
		return strings.NewReplacer("|", "¦", "`", "'", "\n", " ").Replace(finding.Clean(s))
	}
	var b strings.Builder
	b.WriteString("## fencepost: mutants\n")
	for _, rows := range [][]mutant.Tally{append(t.Operators, t.All), t.Paths} {
		b.WriteString("\n| | Killed | Survived | Equivalent | Score |\n|---|---:|---:|---:|---:|\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %s |\n", cell(r.Name), r.Killed, r.Survived, r.Equivalent, r.Score())
		}
	}
	fmt.Fprintf(&b, "\nKilled at: %s\n", cell(strings.Join(t.Aims, ", ")))
	b.WriteString("\n| | Where | Operator | Change | |\n|---|---|---|---|---|\n")
	for _, f := range t.Files {
		for _, r := range f.Results {
			if all || r.Fate == mutant.Survived {
				fmt.Fprintf(&b, "| %s | `%s:%d` | %s | `%s` | `%s` |\n", r.Fate, cell(f.Path), r.Line, r.Operator, cell(r.What), cell(detail(&r)))
			}
		}
	}
	return b.String()
}
