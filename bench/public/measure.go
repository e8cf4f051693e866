package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// answer is what is said of a kernel.
type answer struct {
	tree *tree
	kernel
	verdict engine.Verdict
	guessed bool
	why     string // the first reason, or the first finding
	where   string
	judged  string // of a violation: what reading the source says
	took    time.Duration
}

// measure checks the kernels, and writes the page.
func (p *public) measure(page string) error {
	judged := map[string]string{}
	if err := lines("judged.txt", func(f []string) { judged[f[0]+" "+f[1]+" "+f[2]] = strings.Join(f[3:], " ") }); err != nil && !os.IsNotExist(err) {
		return err
	}
	var all []answer
	for k := range p.trees {
		t := &p.trees[k]
		for _, n := range t.kernels {
			path, why, err := p.compile(t, n.file)
			if err == nil && why != "" {
				err = fmt.Errorf("it does not compile: %s", why)
			}
			var a answer
			if err == nil {
				a, err = check(path, n.name)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", t.name, n.file, err)
			}
			a.tree, a.kernel = t, n
			a.where = inTree.ReplaceAllString(a.where, "")
			a.judged = judged[t.name+" "+n.file+" "+n.name]
			fmt.Fprintln(os.Stderr, t.name, n.file, n.name, a.verdict, a.took.Round(time.Millisecond), a.where, a.why)
			all = append(all, a)
		}
	}
	if page == "" || p.only != "" {
		return p.print(os.Stdout, all)
	}
	f, err := os.Create(page)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.print(f, all); err != nil {
		return err
	}
	return f.Close()
}

// check is what `fencepost barriers` does with one kernel of a file, from reading on.
func check(path, name string) (answer, error) {
	begin := time.Now()
	data, err := os.ReadFile(path)
	if err != nil {
		return answer{}, err
	}
	f := ptx.Read(&source.File{Name: filepath.Base(path), Data: data})
	for _, fn := range f.Functions {
		if fn.Name != name {
			continue
		}
		k, err := frontend.Translate(f, fn)
		if err != nil {
			return answer{}, err
		}
		r, err := barriers.Verify(k, exec.Launch{}, order.Options{})
		if err != nil {
			return answer{}, err
		}
		a := answer{verdict: r.Verdict, guessed: r.Guessed, took: time.Since(begin)}
		switch {
		case r.Verdict == engine.Violated && len(r.Findings) > 0:
			a.why = r.Findings[0].Check.String() + ": " + r.Findings[0].Text
			if points := r.Findings[0].Points; len(points) > 0 {
				a.where = r.Execution.Kernel.Where(&r.Execution.Kernel.Places[points[len(points)-1].Place])
			}
		case r.Verdict == engine.Inconclusive && len(r.Reasons) > 0:
			a.why = r.Reasons[0].Text()
			if at := r.Reasons[0].Place; at != nil {
				a.where = r.Execution.Kernel.Where(at)
			}
		}
		return a, nil
	}
	return answer{}, fmt.Errorf("the PTX has no kernel %s", name)
}

// print writes the page.
func (p *public) print(w io.Writer, all []answer) error {
	var b strings.Builder
	b.WriteString("# Public kernels, compiled\n\nWritten by `go run ./bench/public docs/bench-public.md`, which says how the kernels were drawn (bench/public/doc.go); the list is\n" +
		"bench/public/kernels.txt. Each is compiled by nvcc for sm_80 and checked as `fencepost barriers FILE.ptx` does, with no parameter and no launch given.\n" +
		"*Decided* is what holds, and what is violated and was found to be so in the source. A violation under a shape that was guessed is a warning.\n\n")
	b.WriteString("| Tree | Kernels | Holds | Violated | Inconclusive | Decided | Median | Slowest |\n| --- | --: | --: | --: | --: | --: | --: | --: |\n")
	for k := range p.trees {
		t := &p.trees[k]
		row(&b, fmt.Sprintf("%s `%.12s`", t.name, t.commit), slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return a.tree != t }))
	}
	row(&b, "all", all)

	b.WriteString("\n## Violated\n\n| Kernel | Finding | Read |\n| --- | --- | --- |\n")
	for _, a := range all {
		if a.verdict == engine.Violated {
			fmt.Fprintf(&b, "| %s, %s `%s` | %s%s | %s |\n", a.tree.name, a.file, a.name, a.where, short(a.why), cmp.Or(a.judged, "not read"))
		}
	}
	b.WriteString("\n## Inconclusive\n\n| Reason | Kernels |\n| --- | --: |\n")
	reasons := map[string]int{}
	for _, a := range all {
		if a.verdict == engine.Inconclusive {
			reasons[group(a.why)]++
		}
	}
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "| %s | %d |\n", why, reasons[why])
	}
	b.WriteString("\n## All\n\n| Kernel | Verdict | Reason |\n| --- | --- | --- |\n")
	for _, a := range all {
		verdict := a.verdict.String()
		if a.guessed && a.verdict == engine.Violated {
			verdict += " (guessed launch)"
		}
		fmt.Fprintf(&b, "| %s, %s `%s` | %s | %s%s |\n", a.tree.name, a.file, a.name, verdict, a.where, short(a.why))
	}
	b.WriteString("\n## Files that do not compile\n\n")
	for k := range p.trees {
		for _, f := range p.trees[k].failed {
			fmt.Fprintf(&b, "- %s, %s: %s\n", p.trees[k].name, f.file, f.name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row is a line of the first table.
func row(b *strings.Builder, name string, all []answer) {
	if len(all) == 0 {
		fmt.Fprintf(b, "| %s | 0 | | | | | | |\n", name)
		return
	}
	count := map[engine.Verdict]int{}
	decided := 0
	for _, a := range all {
		count[a.verdict]++
		if a.verdict == engine.Holds || a.verdict == engine.Violated && strings.HasPrefix(a.judged, "true") {
			decided++
		}
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b answer) int { return cmp.Compare(a.took, b.took) })
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d %% | %v | %v |\n", name, len(all), count[engine.Holds], count[engine.Violated], count[engine.Inconclusive],
		100*decided/len(all), all[len(all)/2].took.Round(time.Millisecond), all[len(all)-1].took.Round(time.Millisecond))
}

// short is the first of what a reason says.
func short(why string) string {
	if why == "" {
		return ""
	}
	if len(why) > 160 {
		why = why[:160] + "…"
	}
	return ": " + strings.ReplaceAll(why, "|", "\\|")
}

// inTree is what stands before a path of a tree, or of nvcc, in the PTX.
var inTree = regexp.MustCompile(`^.*(/src-[0-9a-f]{12}|/include)/`)

var varies = regexp.MustCompile(`; it (may come|follows) .*|: (violated|held|inconclusive) for .*|[0-9]+(x[0-9]+)*|, and there is .* on a way from it`)

// group is what reasons have in common.
func group(why string) string { return varies.ReplaceAllString(why, "…") }
