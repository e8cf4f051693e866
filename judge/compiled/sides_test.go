package compiled

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	fromcuda "github.com/fencepost-dev/fencepost/frontend/cuda"
	fromptx "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
)

const (
	templateGuess = 32 // as in cli
	maxEntries    = 6
	maxRounds     = 3 // of numbers for what a kernel is given
)

// asked bounds what is asked of one kernel.
func asked() order.Options { return order.Options{Limits: engine.Limits{Time: 10 * time.Second}} }

// judged compares the kernels of a file with what a compiler has made of it, launched as the text says or else as made up here. What else they are given
// is what check/barriers finds for either.
func judged(f *program.File, files fromcuda.Files, code *program.File) ([]*row, error) {
	table, err := check.Table(f.Language, nil)
	if err != nil {
		return nil, err
	}
	var symbols []string
	for _, fn := range code.Functions {
		symbols = append(symbols, fn.Name)
	}
	spelled, err := demangled(symbols)
	if err != nil {
		return nil, err
	}
	var out []*row
	for _, fn := range f.Functions {
		if !fn.Kernel {
			continue
		}
		open := func(why string) { out = append(out, &row{file: f.Source.Name, kernel: fn.Name, open: why}) }
		k, _, err := fromcuda.Translate(f, table, fn, files, templateGuess)
		if err != nil {
			open(err.Error())
			continue
		}
		entries := slices.DeleteFunc(slices.Clone(code.Functions), func(e *program.Function) bool {
			name, _ := parts(spelled[e.Name])
			return !e.Kernel || name != fn.Name
		})
		if len(entries) == 0 {
			open("nothing is compiled from it")
			continue
		}
		for n, instance := range append([]*ir.Kernel{k}, k.Others...) {
			p := &sides{file: f.Source.Name, code: code, own: instance.Formals[:min(len(fn.Params), len(instance.Formals))], guesses: instance.Guessed(), text: func() *ir.Kernel {
				k, _, _ := fromcuda.Translate(f, table, fn, files, templateGuess) // each is as it was launched
				k = append([]*ir.Kernel{k}, k.Others...)[n]
				k.Others, k.Unread = nil, false
				return k
			}}
			var rows []*row
			for _, e := range entries[:min(len(entries), maxEntries)] { // of a template: which is which is not known
				p.entry, rows = e, nil
				for _, l := range launches(instance) {
					r := &row{file: f.Source.Name, kernel: fn.Name, launch: l}
					(&pair{sides: p, row: r}).compare()
					rows = append(rows, r)
				}
				if !slices.ContainsFunc(rows, func(r *row) bool { return len(r.differences) > 0 }) {
					entries = slices.DeleteFunc(entries, func(o *program.Function) bool { return o == e && len(entries) > 1 })
					break
				}
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// launches are those that the text says of a kernel; of one that it does not launch 8 CTAs of 128 threads, or of what its text bounds them to.
func launches(k *ir.Kernel) (out []exec.Launch) {
	for _, at := range k.Launches {
		out = append(out, exec.Launch{Block: at.Block, Cluster: at.Cluster, Grid: at.Grid, Params: at.Params})
	}
	if out != nil {
		return out
	}
	l := exec.Launch{Block: [...][3]int{{128, 1, 1}, {16, 8, 1}, {8, 4, 4}}[k.Reduced(false).Axes()-1], Grid: [3]int{8, 1, 1}}
	for _, bound := range []string{"maxntid", "reqntid"} {
		if b := k.Directives[bound]; b[0] > 0 {
			l.Block = b
		}
	}
	return []exec.Launch{l}
}

// sides is a kernel of a source and what it was compiled to.
type sides struct {
	file  string
	text  func() *ir.Kernel
	code  *program.File
	entry *program.Function
	own   []string // parameters, in order

	guesses bool // the source leaves more open than the launch
}

// given is what the compiled kernel is given, where the source is given that, or the other way round. What names registers of one alone is left out.
func (p *sides) given(params map[string]int64, compiled bool, to *ir.Kernel) map[string]int64 {
	out := map[string]int64{}
	for name, n := range params {
		root, offset, part := strings.Cut(name, "+")
		if strings.HasPrefix(name, "%") {
			if _, there := to.Special[name]; there {
				out[name] = n
			}
			continue
		}
		for k, own := range p.own {
			theirs := fmt.Sprintf("%s_param_%d", p.entry.Name, k)
			if !compiled {
				own, theirs = theirs, own
			}
			if own == root && slices.Contains(to.Formals, theirs) {
				if part {
					theirs += "+" + offset
				}
				out[theirs] = n
			}
		}
	}
	return out
}

// pair is both sides of one launch.
type pair struct {
	*sides
	*row
	a, b *barriers.Report
}

func (p *pair) compiledKernel() *ir.Kernel {
	k, err := fromptx.Translate(p.code, p.entry)
	if err != nil {
		p.open = "compiled: " + err.Error()
		return nil
	}
	return k
}

// ask is the verdict with some numbers.
func (p *pair) ask(k *ir.Kernel, params map[string]int64) *barriers.Report {
	r, err := barriers.Verify(k, exec.Launch{Block: p.launch.Block, Cluster: p.launch.Cluster, Grid: p.launch.Grid, Params: params}, asked())
	if err != nil {
		p.open = err.Error()
		return nil
	}
	return r
}

func (p *pair) compare() {
	if p.guesses {
		p.open = "the source was given what its text does not say"
		return
	}
	k := p.compiledKernel()
	if k == nil {
		return
	}
	text := p.text()
	if p.a = p.ask(text, p.launch.Params); p.a == nil {
		return
	}
	if p.b = p.ask(k, p.given(p.launch.Params, true, k)); p.b == nil {
		return
	}
	// What one of them tried the other did not, perhaps.
	if p.b.Verdict == engine.Violated && p.a.Verdict == engine.Holds {
		text = p.text()
		params := maps.Clone(p.launch.Params)
		if params == nil {
			params = map[string]int64{}
		}
		maps.Copy(params, p.given(p.b.Execution.Launch.Params, false, text))
		if r := p.ask(text, params); r != nil {
			p.a = r
		}
	} else if p.a.Verdict == engine.Violated && p.b.Verdict != engine.Violated {
		k = p.compiledKernel()
		if r := p.ask(k, p.given(p.a.Execution.Launch.Params, true, k)); r != nil {
			p.b = r
		}
	}
	p.source, p.compiled = brief(p.a), brief(p.b)
	p.verdicts()
	p.traces()
}

// brief is a report without what the threads do.
func brief(r *barriers.Report) *barriers.Report {
	return &barriers.Report{Verdict: r.Verdict, Guessed: r.Guessed, Reasons: r.Reasons, Findings: r.Findings}
}

// verdicts notes where one of both holds and the other is violated, in all or in what is checked of them.
func (p *pair) verdicts() {
	a, b := p.a, p.b
	if a.Checks[order.Race] == engine.Violated && b.Verdict == engine.Holds && !slices.ContainsFunc(b.Execution.Program.Warps, accesses) {
		p.open = "the compiler leaves its accesses out"
		return
	}
	for c := order.Check(0); c < order.Checks && a.Result != nil && b.Result != nil; c++ {
		x, y := a.Checks[c], b.Checks[c]
		if !c.Warning() && (x == engine.Holds && y == engine.Violated || x == engine.Violated && y == engine.Holds) {
			p.differ("%s is %s in the source, and %s as it is compiled%s", c, x, y, foundOf(a, b, c))
		}
	}
	if a.Verdict != b.Verdict && a.Verdict != engine.Inconclusive && b.Verdict != engine.Inconclusive && len(p.differences) == 0 {
		p.differ("it is %s in the source, and %s as it is compiled", a.Verdict, b.Verdict)
	}
}

func accesses(w *order.Warp) bool {
	return slices.ContainsFunc(w.Commands, func(c order.Command) bool { return c.Kind.Access() || c.Kind == order.AsyncCopy })
}

func foundOf(a, b *barriers.Report, c order.Check) string {
	for _, r := range []*barriers.Report{a, b} {
		for _, f := range r.Findings {
			if f.Check == c && !f.Benign {
				return ": " + f.Text
			}
		}
	}
	return ""
}

// traces compares what the threads of some CTAs do, one by one, with the numbers with which the kernel was looked at.
func (p *pair) traces() {
	for _, params := range p.numbers() {
		for _, at := range ctas(p.a.Execution.Launch, params) {
			if why := p.traced(at, params); why != "" {
				p.open = why
				break
			}
			if p.ctas++; len(p.differences) > 0 {
				return
			}
		}
	}
}

// numbers are those that the kernel is compared with: what decided it, and of each number that was tried for it the first ones together.
func (p *pair) numbers() (out []map[string]int64) {
	with := maps.Clone(p.a.Execution.Launch.Params)
	if with == nil {
		with = map[string]int64{}
	}
	maps.Copy(with, p.given(p.b.Execution.Launch.Params, false, p.text()))
	maps.DeleteFunc(with, func(name string, _ int64) bool { return exec.IsWord(name) || exec.IsCondition(name) })
	out = append(out, with)
	for round := range maxRounds {
		more := maps.Clone(with)
		for name, list := range p.a.Numbers {
			if _, there := with[name]; there {
				more[name] = list[round%len(list)]
			}
		}
		if !slices.ContainsFunc(out, func(o map[string]int64) bool { return maps.Equal(o, more) }) {
			out = append(out, more)
		}
	}
	return out
}

// ctas are the places of CTAs in the grid that are compared, of clusters their first ones: the one that was looked at, the first two and the last. The
// numbers lose what says where it is.
func ctas(l exec.Launch, params map[string]int64) [][3]int {
	var at [3]int
	for axis, name := range []string{"%ctaid.x", "%ctaid.y", "%ctaid.z"} {
		at[axis] = int(params[name])
		delete(params, name)
	}
	out := [][3]int{{}}
	put := func(c [3]int) {
		for axis, n := range l.Cluster {
			c[axis] = c[axis] / max(1, n) * max(1, n)
		}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	put(at)
	if l.Grid[0] == 0 {
		put([3]int{l.Cluster[0]})
		return out
	}
	if l.Grid[0] > l.Cluster[0] {
		put([3]int{l.Cluster[0]})
	}
	put([3]int{l.Grid[0] - 1, max(1, l.Grid[1]) - 1, max(1, l.Grid[2]) - 1})
	return out
}

// traced compares the threads of one CTA, or of one cluster. Why tells what keeps it from that.
func (p *pair) traced(at [3]int, params map[string]int64) (why string) {
	text, k := p.text(), p.compiledKernel()
	text.Launches, text.Unlaunched = nil, ""
	run := func(k *ir.Kernel, params map[string]int64) (*exec.Execution, string) {
		l := p.a.Execution.Launch
		e, err := exec.Run(k.Reduced(false), exec.Launch{Block: l.Block, Cluster: l.Cluster, Grid: l.Grid, CTA: &at, Params: params, Limits: asked().Limits})
		switch {
		case err != nil:
			return nil, err.Error()
		case e.Stop != nil:
			return nil, e.Stop.Text()
		}
		return e, leftOut(e)
	}
	a, why := run(text, params)
	if why != "" {
		return "source: " + why
	}
	b, why := run(k, p.given(params, true, k))
	if why != "" {
		return "compiled: " + why
	}
	var variables []string
	for _, v := range b.Kernel.SharedVariables() {
		whole, _, _ := strings.Cut(v.Name, "_$_")
		variables = append(variables, whole)
	}
	names, err := demangled(variables)
	if err != nil {
		return err.Error()
	}
	differences, extent := Compare(Of(a, func(name string) string { name, _, _ = strings.Cut(name, "#"); return name }), Of(b, func(name string) string {
		whole, member, apart := strings.Cut(name, "_$_") // the compiler numbers the members of a record that it takes apart
		if whole = variableName(names[whole]); apart {
			whole += "_$_" + member
		}
		return whole
	}), 1)
	p.extent.Add(extent)
	for _, d := range differences {
		p.differ("CTA %v with %v: %s", at, params, d)
	}
	return ""
}

// leftOut says what of the steps of an execution is not among its commands; "" where all are.
func leftOut(e *exec.Execution) string {
	for _, halts := range [][]exec.Halt{e.Peeks, e.Masks} {
		if len(halts) > 0 {
			return halts[0].Text()
		}
	}
	for _, p := range slices.Concat(e.Passed...) {
		return p.Why.Text
	}
	return ""
}
