package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/report"
)

// progressFlags are the flags of progress.
type progressFlags struct{ model, format string }

func (a *app) progressCommand(ctx context.Context, args []string) (int, error) {
	p := progressFlags{format: "text"}
	models := []string{"all"}
	for _, g := range progress.Guarantees() {
		models = append(models, g.String())
	}
	f := newFlags("progress")
	f.Var(choice{&p.model, models}, "model", "")
	f.Var(choice{&p.format, []string{"text", "json"}}, "format", "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(progressUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		return 0, usagef("progress needs at least one file of tests; for example: fencepost progress waits.jsonl")
	}
	wrong := 0
	for _, path := range paths {
		tests, err := readTests(path)
		if err != nil {
			return 0, usagef("%v", err)
		}
		for i := range tests {
			if ctx.Err() != nil {
				return ExitInternal, ctx.Err()
			}
			r, err := progress.Decide(&tests[i].Program)
			if err != nil {
				return ExitInternal, fmt.Errorf("%s: %w", path, err)
			}
			if err := a.printVerdicts(&p, &tests[i], r); err != nil {
				return ExitInternal, err
			}
			wrong += unexpected(&tests[i], r)
		}
	}
	if wrong > 0 {
		fmt.Fprintf(a.stderr, "fencepost: %d verdicts are not those that the files expect\n", wrong)
		return ExitFindings, nil
	}
	return ExitClean, nil
}

func readTests(path string) ([]progress.Test, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	defer f.Close()
	tests, err := progress.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tests, nil
}

// unexpected counts the verdicts that are not what the test expects.
func unexpected(t *progress.Test, r *progress.Result) (n int) {
	for g, a := range r.Answers {
		if want, ok := t.Expected[g.String()]; ok && want != a.Ends {
			n++
		}
	}
	return n
}

func (a *app) printVerdicts(f *progressFlags, t *progress.Test, r *progress.Result) error {
	if f.format == "json" {
		verdicts := map[string]bool{}
		for g, answer := range r.Answers {
			verdicts[g.String()] = answer.Ends
		}
		return json.NewEncoder(a.stdout).Encode(struct {
			ID       string          `json:"id"`
			Verdicts map[string]bool `json:"verdicts"`
			States   int             `json:"states"`
		}{t.ID, verdicts, r.States})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.ID, weakest(r))
	for _, g := range progress.Guarantees() {
		answer := r.Answers[g]
		if want, ok := t.Expected[g.String()]; ok && want != answer.Ends {
			fmt.Fprintf(&b, "  %s: %s; the file expects otherwise\n", g, ends(answer))
		}
	}
	if f.model == "all" {
		table(&b, r)
	}
	for _, g := range progress.Guarantees() {
		if g.String() == f.model {
			lasso(&b, t, g, r.Answers[g])
		}
	}
	for line := range strings.Lines(b.String()) {
		if err := a.print(report.Clean(strings.TrimSuffix(line, "\n")) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func ends(a progress.Answer) string {
	if a.Ends {
		return "always ends"
	}
	return "may run for ever"
}

// weakest says in a line what a program needs of the scheduler.
func weakest(r *progress.Result) string {
	list := r.Weakest()
	if len(list) == 0 {
		return "may run for ever under every model"
	}
	var names []string
	for _, g := range list {
		names = append(names, g.String())
	}
	if names[0] == "weak_unfair" {
		return "always ends, whatever the scheduler does"
	}
	return "always ends under " + strings.Join(names, " or ") + ", and under no weaker model"
}

// table shows all models, a line each, weak and strong side by side.
func table(b *strings.Builder, r *progress.Result) {
	fmt.Fprintf(b, "  %-8s  %-16s  %s\n", "", "weak", "strong")
	for _, m := range progress.Models {
		fmt.Fprintf(b, "  %-8s  %-16s  %s\n", m, ends(r.Answers[progress.Guarantee{Model: m}]), ends(r.Answers[progress.Guarantee{Model: m, Strong: true}]))
	}
}

// lasso shows how a program may run for ever under a model.
func lasso(b *strings.Builder, t *progress.Test, g progress.Guarantee, a progress.Answer) {
	fmt.Fprintf(b, "  %s: %s\n", g, ends(a))
	if a.Ends {
		return
	}
	show := func(steps []progress.Step) {
		for i, s := range steps {
			in := t.Threads[s.Thread][s.At]
			fmt.Fprintf(b, "    %3d. thread %d at %d: cell %d is %d", i+1, s.Thread, s.At, in.Loc, s.Found)
			if in.Exch {
				fmt.Fprintf(b, ", set to %d", in.Value)
			}
			next := s.At + 1
			if s.Found == in.Check {
				next = in.Jump
			}
			switch next {
			case len(t.Threads[s.Thread]):
				b.WriteString("; ends\n")
			case s.At:
				b.WriteString("; again\n")
			default:
				fmt.Fprintf(b, "; on to %d\n", next)
			}
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
		waits = "only " + threadList(a.Lasso.Held) + " must execute, and cannot get out of this"
	}
	fmt.Fprintf(b, "  %s\n", waits)
}

func threadList(list []int) string {
	var out []string
	for _, t := range slices.Sorted(slices.Values(list)) {
		out = append(out, fmt.Sprint(t))
	}
	if len(out) == 1 {
		return "thread " + out[0]
	}
	return "threads " + strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}
