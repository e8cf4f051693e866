package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// ruleOf is the rule that tells what a check of package barriers finds.
var ruleOf = [order.Checks]string{
	order.Deadlock: "FP120", order.Counts: "FP405", order.Registration: "FP408", order.Recycling: "FP408", order.Arrivals: "FP122", order.Attribution: "FP123",
	order.Phase: "FP121", order.Bytes: "FP124", order.Lifetime: "FP620", order.Divergence: "FP403", order.Race: "FP720", order.Unwaited: "FP411",
}

// checksOf are the checks that a property is made of. Where a loop waits for memory, deadlock is inconclusive, so livelock is what deadlock is.
// Whether phases are partly arrived at the exit is not asked.
var checksOf = map[protocol.Property][]order.Check{
	protocol.Deadlock: {order.Deadlock, order.Counts, order.Registration, order.Recycling, order.Divergence}, protocol.Livelock: {order.Deadlock},
	protocol.Phase: {order.Phase}, protocol.Arrivals: {order.Arrivals}, protocol.Bytes: {order.Bytes}, protocol.Race: {order.Race},
	protocol.Lifetime: {order.Lifetime}, protocol.Attribution: {order.Attribution},
}

// compiledKernel is a kernel of a file of PTX and what package barriers says of it.
type compiledKernel struct {
	*barriers.Report
	file  *program.File
	fn    *program.Function
	whole *ir.Kernel
}

// compiled decides the kernels of a file of PTX: they are translated to the IR, executed, and what their threads do is checked
// by happens-before.
func (opt *Options) compiled(ctx context.Context, f *program.File) (out []finding.Finding, entries []finding.Kernel) {
	for _, fn := range f.Functions {
		if !fn.Kernel || ctx.Err() != nil {
			continue
		}
		e := finding.Kernel{Path: f.Source.Name, Line: f.Source.Position(fn.NameSpan.Start).Line, Name: fn.Qualified, Verdict: engine.Inconclusive.String(),
			Engines: []string{}, Bounds: map[string]string{}, Properties: map[string]string{}}
		k, err := opt.decideCompiled(f, fn)
		switch {
		case opt.Engine == None:
			e.Reasons = []string{"no engine was asked (--engine none)"}
		case err != nil:
			e.Reasons = []string{err.Error()}
			e.Stopped = []finding.Stop{{Path: e.Path, Line: e.Line, Why: err.Error()}}
		default:
			k.describe(&e)
			out = append(out, k.findings(opt)...)
		}
		entries = append(entries, e)
	}
	return out, entries
}

func (opt *Options) decideCompiled(f *program.File, fn *program.Function) (*compiledKernel, error) {
	if opt.Engine == None {
		return nil, nil
	}
	k, err := frontend.Translate(f, fn)
	if err != nil {
		return nil, err
	}
	l := exec.Launch{Params: map[string]int64{}}
	for _, name := range k.Formals {
		text, given := opt.Constants[name]
		if n, err := strconv.ParseInt(text, 0, 64); given && err == nil {
			l.Params[name] = n
		}
		opt.Settable.Note(name, given)
	}
	if opt.Launch != nil {
		opt.Launch(fn.Name, &l.Grid, &l.Block, &l.Cluster)
	}
	r, err := barriers.Verify(k, l, order.Options{Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	return &compiledKernel{Report: r, file: f, fn: fn, whole: k}, nil
}

// describe fills in the kernel's line of the report.
func (k *compiledKernel) describe(e *finding.Kernel) {
	e.Verdict, e.Engines, e.States = k.Verdict.String(), []string{"order"}, k.Searched
	if k.Searched > 0 {
		e.Engines = append(e.Engines, "explore")
	}
	e.Millis = float64(k.Elapsed.Microseconds()) / 1000
	e.Bounds["launch"] = strings.Join(k.Assumed(), "; ")
	for p, checks := range checksOf {
		verdict := engine.Holds
		for _, c := range checks {
			if worse(k.Checks[c], verdict) {
				verdict = k.Checks[c]
			}
		}
		if p == protocol.Livelock && verdict == engine.Violated {
			verdict = engine.Inconclusive // it was told as the deadlock
		}
		e.Properties[string(p)] = verdict.String()
	}
	e.Reasons = append(e.Reasons, k.reasons(e)...)
	for _, h := range k.Reasons {
		at := e.Line
		if h.Place != nil {
			at = k.line(h.Place)
		}
		if k.Result == nil { // the execution ended there
			e.Stopped = append(e.Stopped, finding.Stop{Path: e.Path, Line: at, Why: h.Text()})
		}
	}
	if k.Verdict != engine.Holds {
		return
	}
	for _, p := range finding.Beside {
		e.Properties[p] = finding.Held
	}
	if open := cmp.Or(k.Conflict, k.Apart); open != nil {
		at := e.Line
		if open.Place != nil {
			at = k.line(open.Place)
		}
		e.Leave(finding.Open{Property: string(protocol.Race), Path: e.Path, Line: at, Why: open.Why})
		e.Properties[string(protocol.Race)] = finding.IsOpen
	}
	clustered := k.Execution.Launch.Cluster != [3]int{1, 1, 1}
	beyond := barriers.BeyondOf(k.whole, clustered)
	if clustered && beyond.Grid != nil && k.file.Language == program.CUDA {
		e.Leave(finding.Open{Property: string(protocol.Race), Path: e.Path, Line: k.line(beyond.Grid), Why: "accesses of global memory by several CTAs of a cluster are not compared"})
		e.Properties[string(protocol.Race)] = finding.IsOpen
	}
	if k.Execution.Launch.Grid == k.Execution.Launch.Cluster && k.Execution.Launch.Grid == [3]int{1, 1, 1} {
		beyond.Grid = nil // there is no other CTA
	}
	for _, o := range []struct {
		at       *ir.Place
		property string
		why      string
	}{
		{beyond.Grid, finding.RaceGrid, "accesses of global memory by several CTAs are not compared"},
		{beyond.Order, finding.Order, "what this orders in global memory is not asked about"},
		{k.Narrow(), finding.Order, "this arrival on an mbarrier of another CTA has the scope of its own"},
		{beyond.Proxy, finding.Proxy, "where fences stand between proxies is not asked about"},
		{beyond.Bytes, string(protocol.Bytes), "how many bytes this brings stands in a tensor map, which is not followed"},
		{k.Astray(), string(protocol.Lifetime), "that the CTA whose shared memory this accesses has begun, and has not ended, is not shown"},
		{k.Execution.Partly, string(protocol.Quiet), "an mbarrier is left with this arrival in a phase that is not over"},
	} {
		if o.at != nil {
			e.Leave(finding.Open{Property: o.property, Path: e.Path, Line: k.line(o.at), Why: o.why})
			e.Properties[o.property] = finding.IsOpen
		}
	}
}

// reasons say why the kernel is not decided, with the lines.
func (k *compiledKernel) reasons(e *finding.Kernel) (out []string) {
	for _, h := range k.Reasons {
		why := h.Text()
		switch {
		case h.Place != nil && k.file.Language == program.CUDA:
			why = k.Execution.Kernel.Where(h.Place) + ": " + why
		case h.Place != nil:
			why = fmt.Sprintf("%s:%d: %s: %s", e.Path, k.line(h.Place), k.Written(h.Place), why)
		}
		if !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	return out
}

// line is where a place is in the file of PTX.
func (k *compiledKernel) line(at *ir.Place) int { return k.file.Source.Position(at.Span.Start).Line }

// findings tells what is wrong with the kernel, each line once: what a check finds at the line of another one, as a barrier that threads
// come to too early and then wait at for ever, is one defect. Of a kernel with errors what is a warning by itself says nothing more.
func (k *compiledKernel) findings(opt *Options) []finding.Finding {
	var out []finding.Finding
	seen := map[int]bool{}
	list := slices.Clone(k.Findings)
	slices.SortStableFunc(list, func(a, b order.Finding) int { return int(a.Check) - int(b.Check) })
	for i := range list {
		f := &list[i]
		rule := rules.ByID(ruleOf[f.Check])
		if f.Benign || len(f.Points) == 0 || !opt.enabled(rule.ID) || f.Check.Warning() && k.Verdict == engine.Violated {
			continue
		}
		at := k.place(f.Points[0])
		if at.Line == 0 || seen[at.Line] {
			continue
		}
		seen[at.Line] = true
		out = append(out, k.finding(opt, f, rule, at))
	}
	return out
}

// place is a command as a place in the file.
func (k *compiledKernel) place(p order.Point) protocol.Site {
	places := k.Execution.Kernel.Places
	if p.Index < 0 || int(p.Place) >= len(places) {
		return protocol.Site{}
	}
	at := &places[p.Place]
	if k.file.Language == program.CUDA && at.Line > 0 { // in a file that the kernel's includes
		return protocol.Site{Path: at.Path, Line: at.Line}
	}
	return protocol.Site{Path: k.file.Source.Name, Line: k.line(at), Text: k.Written(at)}
}

func (k *compiledKernel) finding(opt *Options, f *order.Finding, rule *rules.Rule, at protocol.Site) finding.Finding {
	src := k.file.Source
	text := k.named(f)
	fd := finding.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: finding.Error, Verdict: engine.Violated.String(), Location: opt.wholeLine(src, at), Kernel: k.fn.Qualified,
		Message:     first120(text),
		KernelLines: []finding.Location{{Path: src.Name, Line: src.Position(k.fn.Span.Start).Line, EndLine: src.Position(k.fn.Span.End).Line}},
	}
	if f.Check.Warning() || k.Guessed {
		fd.Severity = finding.Warning
	}
	if fd.Message != text {
		fd.Notes = append(fd.Notes, text)
	}
	taken := []int{at.Line}
	for n, p := range f.Points {
		other := k.place(p)
		if n > 0 && other.Line > 0 && !slices.Contains(taken, other.Line) {
			fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(src, other), Text: k.who(p)})
			taken = append(taken, other.Line)
		}
		if from := k.Execution.Kernel.Places[p.Place]; from.Line > 0 && k.file.Language == program.PTX {
			if note := fmt.Sprintf("line %d was compiled from %s:%d", other.Line, from.Path, from.Line); !slices.Contains(fd.Notes, note) {
				fd.Notes = append(fd.Notes, note)
			}
		}
	}
	fd.Notes = append(fd.Notes, fmt.Sprintf("%s violated, found with %s", f.Check, strings.Join(k.Assumed(), "; ")))
	if n := f.Trace.Earlier; n > 0 {
		fd.Notes = append(fd.Notes, fmt.Sprintf("the counterexample begins %d steps earlier", n))
	}
	fd.Trace = k.steps(f.Trace.Steps)
	for _, s := range k.steps(f.Trace.Waiting) {
		fd.Final = append(fd.Final, fmt.Sprintf("%s, line %d: %s", s.Actor, s.Line, s.Text))
	}
	if f.Check == order.Race {
		for _, p := range f.Points {
			if s := k.place(p); s.Line > 0 {
				fd.Trace = append(fd.Trace, finding.Step{Location: finding.Location{Path: s.Path, Line: s.Line}, Actor: k.who(p), Text: "may now do " + s.Text})
			}
		}
	}
	return fd
}

// named is a finding's text with the variable that a byte of shared memory is of.
func (k *compiledKernel) named(f *order.Finding) string {
	if f.Check != order.Race || order.InTensorMemory(f.Object) || order.InGlobalMemory(f.Object) {
		return f.Text
	}
	at := int64(f.Object & (1<<24 - 1))
	if v := k.variable(at); v != nil && v.Elem > 0 {
		return strings.Replace(f.Text, fmt.Sprintf("byte %#x of shared memory", at), fmt.Sprintf("%s[%d]", v.Name, (at-v.At)/v.Elem), 1)
	}
	return f.Text
}

// variable is the shared variable that a byte is of: the last that begins before it, of several without an end. nil: none is.
func (k *compiledKernel) variable(at int64) (found *ir.Variable) {
	for _, v := range k.Execution.Kernel.SharedVariables() {
		if at >= v.At && (v.Size < 0 || at < v.At+v.Size) && (found == nil || v.At > found.At) {
			found = v
		}
	}
	return found
}

// steps are those of a trace, with places in the file.
func (k *compiledKernel) steps(list []order.Step) []finding.Step {
	var out []finding.Step
	for _, s := range list {
		at := &k.Execution.Kernel.Places[s.Place]
		out = append(out, finding.Step{Location: finding.Location{Path: k.file.Source.Name, Line: k.line(at)}, Actor: replay.ThreadNames(s.Threads, s.CTA),
			Text: strings.TrimSuffix(s.Text, ": ")})
	}
	return out
}

// who is the thread of a command.
func (k *compiledKernel) who(p order.Point) string {
	if p.Warp < 0 || p.Warp >= len(k.Execution.Program.Warps) {
		return "a thread"
	}
	w := k.Execution.Program.Warps[p.Warp]
	return replay.ThreadNames([]int{w.First + p.Lane}, w.CTA)
}
