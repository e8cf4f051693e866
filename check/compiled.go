package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
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

// compiledKernel is a kernel of a file of PTX or CUDA C++ and what package barriers says of it.
type compiledKernel struct {
	*barriers.Report // nil where nothing was asked
	file             *program.File
	fn               *program.Function
	whole            *ir.Kernel
	instances        []*ir.Kernel       // of its template
	stated           exec.Launch        // what is said of its launch
	unasked          limit.Reason       // why nothing was
	follows          limit.Reason       // why what its threads wait for in memory is not followed
	doubt            limit.Reason       // why what was found of it, or that it holds, is not said to be so; none where it is
	sources          *Sources           // that it was read with
	lent             map[string]bool    // of a function by itself: the variables that stand for memory which it is handed
	unnamed          bool               // nothing of it is of the files that were named
	sites            map[place]bool     // of its instructions; nil: not asked yet
	around           []finding.Location // of the functions it is in; nil: not asked yet
	blamed           [][]order.Point    // what suspects are the reports of
	converged        *compiledKernel    // of one with which nothing is wrong but races between lanes of a warp: the same with warps whose lanes go on together
	lockstep         bool               // it is that one
}

// place is a line of a file.
type place struct {
	path string
	line int
}

// compiled decides the kernels of a file of PTX or CUDA C++: they are translated to the IR, executed, and what their threads do is checked
// by happens-before.
func (opt *Options) compiled(ctx context.Context, f *program.File, t *dialect.Table) (out []*compiledKernel) {
	var kernels []*program.Function
	for _, fn := range f.Functions {
		if fn.Kernel {
			kernels = append(kernels, fn)
		}
	}
	out = make([]*compiledKernel, len(kernels))
	opt.workers.each(len(kernels), func(i int) {
		if ctx.Err() == nil {
			out[i] = opt.compiledOne(f, t, kernels[i])
		}
	})
	out = slices.DeleteFunc(out, func(k *compiledKernel) bool { return k == nil || k.unnamed })
	for _, k := range out {
		if e := k.executed(); e != nil && opt.Executed != nil {
			opt.Executed(e)
		}
	}
	return out
}

// compiledOne decides one of them.
func (opt *Options) compiledOne(f *program.File, t *dialect.Table, fn *program.Function) *compiledKernel {
	k := &compiledKernel{file: f, fn: fn}
	switch {
	case opt.Engine == None:
		k.unasked = notAsked
	case f.Language == program.PTX:
		whole, err := ptx.Translate(f, fn)
		if err == nil {
			err = k.decide(opt, whole, opt.Limits)
		}
		if err != nil {
			k.unasked = reasonOf(err)
		}
	default:
		k = opt.decideText(f, t, fn)
	}
	k.converge(textLimits(opt.Limits))
	return k
}

// decide has the kernel executed, as it is said to be launched.
func (k *compiledKernel) decide(opt *Options, whole *ir.Kernel, limits engine.Limits) (err error) {
	l := exec.Launch{Params: opt.stated(whole)}
	if opt.Launch != nil {
		opt.Launch(k.fn.Name, &l.Grid, &l.Block, &l.Cluster)
	}
	k.whole, k.instances, k.stated = whole, append([]*ir.Kernel{whole}, whole.Others...), l
	return k.verify(order.Options{Limits: limits})
}

// verify has the instances of the kernel's template executed; the one that decides is the kernel's.
func (k *compiledKernel) verify(o order.Options) (err error) {
	if k.Report, err = barriers.Verify(k.instances[0], k.stated, o); err == nil && k.Whole != nil {
		k.whole = k.Whole
	}
	return err
}

// converge has the kernel executed once more, by warps whose lanes go on together, where all that is wrong with it is that lanes of a warp race: the search ends with that, and races between warps would be hidden.
func (k *compiledKernel) converge(limits engine.Limits) {
	if k.Report == nil || k.doubt.Code != 0 || k.Verdict != engine.Violated || slices.ContainsFunc(k.Findings, func(f order.Finding) bool { return f.Check != order.Race || !f.InOneWarp() }) {
		return
	}
	c := *k
	c.lockstep = true
	limits.Work = min(limits.Work, soon)
	if c.verify(order.Options{Limits: limits, WarpSynchronous: true}) == nil {
		c.doubt = c.doubts()
		k.converged = &c
	}
}

// stated are the numbers that the caller says, of the parameters of a kernel and of what its text does not say, which is no guess then.
func (opt *Options) stated(whole *ir.Kernel) map[string]int64 {
	out := map[string]int64{}
	for _, k := range append([]*ir.Kernel{whole}, whole.Others...) {
		for _, name := range k.Formals {
			text, given := opt.Constants[name]
			if n, err := strconv.ParseInt(text, 0, 64); given && err == nil {
				out[name] = n
			}
			opt.Settable.Note(name, given)
		}
		k.Guesses = slices.DeleteFunc(k.Guesses, func(name string) bool { _, said := out[name]; return said })
	}
	return out
}

// unexplained are the findings of the kernel that no suspect is the report of, and that nothing known tells at the same line, or of the same rule in the same kernel.
func (k *compiledKernel) unexplained(opt *Options, known []finding.Finding) []finding.Finding {
	if k.Report == nil {
		return nil
	}
	list := k.intervals(opt)
	if k.doubt.Code == 0 {
		found := k.findings(opt)
		list = slices.Concat(found, k.registers(opt), k.unkept(opt), elsewhere(found, list))
	}
	if k.converged != nil {
		list = k.converged.between(opt, list)
	}
	return slices.DeleteFunc(list, func(fd finding.Finding) bool {
		return slices.ContainsFunc(known, func(o finding.Finding) bool {
			return o.Path == fd.Path && o.Severity >= fd.Severity && !o.Cleared && (o.Line == fd.Line || o.Rule == fd.Rule && o.Kernel == fd.Kernel)
		})
	})
}

// between adds, to what is told of races between lanes of a warp, those between warps. What of two accesses is told of both is told of warps, but where a
// counterexample shows the one and samples the other.
func (k *compiledKernel) between(opt *Options, lanes []finding.Finding) []finding.Finding {
	list := k.intervals(opt)
	if k.Verdict == engine.Violated && k.doubt.Code == 0 {
		found := k.findings(opt)
		list = append(found, elsewhere(found, list)...)
	}
	lanes = slices.DeleteFunc(lanes, func(fd finding.Finding) bool {
		return slices.ContainsFunc(list, func(o finding.Finding) bool {
			return o.Rule == fd.Rule && maps.Equal(linesOf(&o), linesOf(&fd)) && (o.Verdict == fd.Verdict || fd.Verdict != engine.Violated.String())
		})
	})
	return append(lanes, slices.DeleteFunc(list, func(fd finding.Finding) bool { return toldIn(lanes, &fd) })...)
}

// entry is the kernel's line in the report.
func (k *compiledKernel) entry() finding.Kernel {
	e := finding.Kernel{Path: k.file.Source.Name, Line: k.file.Source.Position(k.fn.NameSpan.Start).Line, Name: k.fn.Qualified, Verdict: engine.Inconclusive.String(),
		Engines: []string{}, Bounds: map[string]string{}, Properties: map[string]string{}, Lines: k.lines()}
	if k.whole != nil {
		e.Mechanisms = mechanisms(k.whole)
	}
	switch {
	case k.Report != nil:
		k.describe(&e)
	default:
		e.Because(k.unasked)
		e.Stopped = []finding.Stop{{Path: e.Path, Line: e.Line, Why: k.unasked.Text, Code: k.unasked.Code}}
	}
	return e
}

// describe fills in the kernel's line of the report.
func (k *compiledKernel) describe(e *finding.Kernel) {
	e.Verdict, e.Engines, e.States = k.Verdict.String(), []string{"order"}, k.Searched
	if k.Searched > 0 {
		e.Engines = append(e.Engines, "explore")
	}
	e.Millis = float64(k.Elapsed.Microseconds()) / 1000
	e.Bounds["launch"] = strings.Join(k.Assumed(), "; ")
	for p := range checksOf {
		verdict := k.checked(p)
		if p == protocol.Livelock && verdict == engine.Violated {
			verdict = engine.Inconclusive // it was told as the deadlock
		}
		e.Properties[string(p)] = verdict.String()
	}
	if k.doubt.Code != 0 {
		e.Verdict = engine.Inconclusive.String()
		e.Because(k.doubt.After(fmt.Sprintf("%s:%d: ", e.Path, e.Line)))
	}
	if e.Because(k.reasons(e)...); k.follows.Code != 0 {
		e.Because(k.follows.After("what its threads wait for in memory is not followed: "))
	}
	for _, h := range k.Reasons {
		at := e.Line
		if h.Place != nil {
			at = k.line(h.Place)
		}
		if k.Result == nil { // the execution ended there
			e.Stopped = append(e.Stopped, finding.Stop{Path: e.Path, Line: at, Why: h.Text(), Code: h.Reason().Code})
		}
	}
	clustered := k.Execution.Launch.Cluster != [3]int{1, 1, 1}
	beyond := barriers.BeyondOf(k.whole, clustered)
	for _, other := range k.whole.Others { // the kernel holds if all instances of its template do
		beyond = beyond.Or(barriers.BeyondOf(other, clustered))
	}
	if k.Verdict != engine.Holds || k.doubt.Code != 0 {
		if race := string(protocol.Race); e.Properties[race] == finding.Held && beyond.Grid != nil { // those of global memory were perhaps not asked for
			e.Properties[race] = engine.Inconclusive.String()
		}
		return
	}
	for _, p := range finding.Beside {
		e.Properties[p] = finding.Held
	}
	var open *exec.Halt
	for _, r := range append([]*barriers.Report{k.Report}, k.Others...) {
		open = cmp.Or(open, r.Conflict, r.Apart)
	}
	if open != nil {
		at := e.Line
		if open.Place != nil {
			at = k.line(open.Place)
		}
		e.Leave(finding.Open{Property: string(protocol.Race), Path: e.Path, Line: at, Why: open.Text()})
		e.Properties[string(protocol.Race)] = finding.IsOpen
	}
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
		{beyond.Ahead, finding.Order, "global memory is read here before the wait for the grids before this one (griddepcontrol.wait): whether one of them writes it is not asked about"},
		{k.some((*barriers.Report).Narrow), finding.Order, "this arrival on an mbarrier of another CTA has the scope of its own"},
		{beyond.Proxy, finding.Proxy, "where fences stand between proxies is not asked about"},
		{beyond.Bytes, string(protocol.Bytes), "how many bytes this brings stands in a tensor map, which is not followed"},
		{k.some((*barriers.Report).Astray), string(protocol.Lifetime), "that the CTA whose shared memory this accesses has begun, and has not ended, is not shown"},
		{k.some(func(r *barriers.Report) *ir.Place { return r.Execution.Partly }), string(protocol.Quiet), "an mbarrier is left with this arrival in a phase that is not over"},
	} {
		if o.at != nil {
			e.Leave(finding.Open{Property: o.property, Path: e.Path, Line: k.line(o.at), Why: o.why})
			e.Properties[o.property] = finding.IsOpen
		}
	}
}

// some is the first place that is found in the answer for an instance of the kernel's template.
func (k *compiledKernel) some(of func(*barriers.Report) *ir.Place) (at *ir.Place) {
	for _, r := range append([]*barriers.Report{k.Report}, k.Others...) {
		at = cmp.Or(at, of(r))
	}
	return at
}

// checked is the verdict of the checks that a property is made of.
func (k *compiledKernel) checked(p protocol.Property) engine.Verdict {
	verdict := engine.Holds
	for _, c := range checksOf[p] {
		if v := k.Checks[c]; worse(v, verdict) {
			verdict = v
		}
	}
	if k.doubt.Code != 0 && verdict == engine.Violated {
		verdict = engine.Inconclusive
	}
	return verdict
}

// reasons say why the kernel is not decided, with the lines.
func (k *compiledKernel) reasons(e *finding.Kernel) (out []limit.Reason) {
	for _, h := range k.Reasons {
		why := h.Reason()
		switch {
		case h.Place != nil && k.file.Language == program.CUDA:
			why = why.After(k.Execution.Kernel.Where(h.Place) + ": ")
		case h.Place != nil:
			why = why.After(fmt.Sprintf("%s:%d: %s: ", e.Path, k.line(h.Place), k.Written(h.Place)))
		}
		if !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	return out
}

// line is where a place is in the file of PTX.
func (k *compiledKernel) line(at *ir.Place) int { return k.file.Source.Position(at.Span.Start).Line }

// registers are the findings of how many registers threads are given.
func (k *compiledKernel) registers(opt *Options) (out []finding.Finding) {
	for _, r := range k.Registers() {
		rule := rules.ByID("FP406")
		if r.Pool {
			rule = rules.ByID("FP407")
		}
		fd := finding.Finding{Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, Location: opt.wholeLine(k.file.Source, k.site(r.At)), Kernel: k.fn.Qualified,
			Message: first120(r.Text), KernelLines: k.lines()}
		if !opt.enabled(rule.ID) || slices.ContainsFunc(out, func(o finding.Finding) bool { return o.Rule == fd.Rule && o.Line == fd.Line }) {
			continue
		}
		if fd.Message != r.Text {
			fd.Notes = append(fd.Notes, r.Text)
		}
		out = append(out, fd)
	}
	return out
}

// unkept tells of an access of another CTA's shared memory that nothing keeps alive, or that nothing shows to be there yet, as a warning: no execution of it is shown.
func (k *compiledKernel) unkept(opt *Options) (out []finding.Finding) {
	rule := rules.ForProperty(protocol.Lifetime)
	if len(k.Reasons) > 0 || !opt.enabled(rule.ID) {
		return nil
	}
	tell := func(at *ir.Place, message, help string) {
		if at != nil {
			out = append(out, finding.Finding{Rule: rule.ID, Name: rule.Name, Severity: finding.Warning, Location: opt.wholeLine(k.file.Source, k.site(at)), Kernel: k.fn.Qualified,
				Message: message, KernelLines: k.lines(), Help: help})
		}
	}
	if k.Verdict != engine.Violated { // else the barrier that is missing is told of where it is
		tell(k.some((*barriers.Report).Unbegun), "the CTA whose shared memory this accesses may not have begun: nobody waits for anything before it", "begin with a barrier of the cluster, before the first such access")
	}
	tell(k.some((*barriers.Report).Unkept), "all threads of the CTA whose shared memory this accesses may have left: nobody waits for anything behind it", "end the kernel with a barrier of the cluster behind the last such access")
	return out
}

// rule is the one that tells what a check found, and text what it says. Threads that wait for ever at a named barrier while others arrive at one where nobody waits
// are one defect: the arrival.
func (k *compiledKernel) rule(f *order.Finding) (rule *rules.Rule, at order.Point, text string) {
	rule, at, text = rules.ByID(ruleOf[f.Check]), f.Points[0], k.told(f)
	kind := func(p order.Point) order.Kind {
		warps := k.Execution.Program.Warps
		if p.Index < 0 || p.Warp >= len(warps) || p.Index >= len(warps[p.Warp].Commands) { // of a run that does not decide nothing is kept
			return order.Read
		}
		return warps[p.Warp].Commands[p.Index].Kind
	}
	switch {
	case k.excludes(f):
		rule = rules.ByID("FP412")
	case f.Check == order.Registration && (kind(at) == order.ClusterArrive || kind(at) == order.ClusterWait):
		rule = rules.ByID("FP404")
	case (f.Check == order.Counts || f.Check == order.Recycling) && len(f.Points) > 1: // what comes too early, or with another count
		at = f.Points[len(f.Points)-1]
	case f.Check == order.Deadlock && kind(at) == order.NamedSync:
		if u, id, is := k.unwaited(); is {
			return rules.ByID(misdirectedRule), u, fmt.Sprintf("nobody waits in barrier %d, where this arrives, and %s", id, text)
		}
	}
	return rule, at, text
}

// unwaited is an arrival at a named barrier that no thread of the CTA waits at.
func (k *compiledKernel) unwaited() (at order.Point, id uint32, is bool) {
	type barrier struct {
		cta int
		id  uint32
	}
	waits := map[barrier]bool{}
	for _, w := range k.Execution.Program.Warps {
		for n := range w.Commands {
			if c := &w.Commands[n]; c.Kind == order.NamedSync {
				waits[barrier{w.CTA, c.A}] = true
			}
		}
	}
	for index, w := range k.Execution.Program.Warps {
		for n := range w.Commands {
			if c := &w.Commands[n]; c.Kind == order.NamedArrive && !waits[barrier{w.CTA, c.A}] {
				return order.Point{Warp: index, Lane: bits.TrailingZeros32(c.Mask), Index: n, Place: c.Place}, c.A, true
			}
		}
	}
	return at, 0, false
}

// findings tells what is wrong with the kernel, each line once: what a check finds at the line of another one, as a barrier that threads
// come to too early and then wait at for ever, is one defect. Of a kernel with errors what is a warning by itself says nothing more.
func (k *compiledKernel) findings(opt *Options) []finding.Finding {
	return onePerLine(k.everyFinding(opt))
}

// onePerLine leaves the first of the findings of each line, of the most severe ones.
func onePerLine(list []finding.Finding) (out []finding.Finding) {
	seen := map[int]int{}
	for _, fd := range list {
		switch n, is := seen[fd.Line]; {
		case !is:
			seen[fd.Line] = len(out)
			out = append(out, fd)
		case fd.Severity > out[n].Severity:
			out[n] = fd
		}
	}
	return out
}

// everyFinding has several of a line, where its access races with several others.
func (k *compiledKernel) everyFinding(opt *Options) []finding.Finding {
	var out []finding.Finding
	list := slices.Clone(k.Findings)
	slices.SortStableFunc(list, func(a, b order.Finding) int { return int(a.Check) - int(b.Check) })
	for i := range list {
		f := &list[i]
		if k.explains(f) || f.Benign || len(f.Points) == 0 || f.Check.Warning() && k.Verdict == engine.Violated {
			continue
		}
		rule, point, text := k.rule(f)
		at := k.place(point)
		if at.Line == 0 || !opt.enabled(rule.ID) {
			continue
		}
		if f.Check == order.Registration && slices.ContainsFunc(list, func(o order.Finding) bool { return o.Check == order.Divergence }) {
			continue // a warp that comes in parts counts as part of itself
		}
		out = append(out, k.finding(opt, f, rule, at, text))
	}
	return out
}

// place is a command as a place in the file.
func (k *compiledKernel) place(p order.Point) protocol.Site {
	places := k.Execution.Kernel.Places
	if p.Index < 0 || int(p.Place) >= len(places) {
		return protocol.Site{}
	}
	return k.site(&places[p.Place])
}

func (k *compiledKernel) site(at *ir.Place) protocol.Site {
	if k.file.Language == program.CUDA && at.Line > 0 { // in a file that the kernel's includes
		return protocol.Site{Path: at.Path, Line: at.Line}
	}
	s := protocol.Site{Path: k.file.Source.Name, Line: k.line(at)}
	if k.Report != nil {
		s.Text = k.Written(at)
	}
	return s
}

func (k *compiledKernel) finding(opt *Options, f *order.Finding, rule *rules.Rule, at protocol.Site, text string) finding.Finding {
	src := k.file.Source
	fd := finding.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: finding.Error, Location: opt.wholeLine(src, at), Kernel: k.fn.Qualified, Message: first120(text), KernelLines: k.lines(),
	}
	if fd.Message != text {
		fd.Notes = append(fd.Notes, text)
	}
	if rule.ID == misdirectedRule {
		fd.Help = helpMisdirected
	}
	k.attach(opt, f, &fd)
	return fd
}

// inOneStatement reports whether lanes of a warp race within one statement, which reads what others write at its end: they do not while they go on together, and nothing in it parts them.
func (k *compiledKernel) inOneStatement(f *order.Finding) bool {
	if !f.InOneWarp() || f.Points[0].Index < 0 || f.Points[1].Index < 0 {
		return false
	}
	list := k.Execution.Program.Warps[f.Points[0].Warp].Commands
	read, write := min(f.Points[0].Index, f.Points[1].Index), max(f.Points[0].Index, f.Points[1].Index)
	if write >= len(list) || list[write].Kind != order.Write {
		return false
	}
	where := k.place(f.Points[0])
	for n := read; n <= write; n++ {
		at := k.place(order.Point{Place: list[n].Place})
		if n < write && list[n].Kind != order.Read || at.Line != where.Line || at.Path != where.Path {
			return false
		}
	}
	return true
}

// attach makes a finding the report of what a check found: the verdict, the places it has to do with, the execution, and where threads stand at its end.
func (k *compiledKernel) attach(opt *Options, f *order.Finding, fd *finding.Finding) {
	src := k.file.Source
	fd.Verdict = engine.Violated.String()
	if fd.Help == "" {
		fd.Help = k.help(f)
	}
	if f.Check.Warning() || k.Guessed || k.Counted(f.Points) || k.Presumed || k.Persists || k.Execution.Unawaited || f.InOneWarp() {
		fd.Severity = min(fd.Severity, finding.Warning)
	}
	if k.inOneStatement(f) {
		fd.Severity = finding.Note
	}
	if fd.Kernel == "" {
		fd.Kernel = k.fn.Qualified
	}
	taken := []int{fd.Line}
	for _, l := range fd.Labels {
		taken = append(taken, l.Line)
	}
	for n, p := range f.Points {
		other := k.place(p)
		if (n > 0 || other.Line != fd.Line) && other.Line > 0 && !slices.Contains(taken, other.Line) {
			fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(src, other), Text: k.who(p)})
			taken = append(taken, other.Line)
		}
		if from := k.Execution.Kernel.Places[p.Place]; from.Line > 0 && k.file.Language == program.PTX {
			if note := fmt.Sprintf("line %d was compiled from %s:%d", other.Line, from.Path, from.Line); !slices.Contains(fd.Notes, note) {
				fd.Notes = append(fd.Notes, note)
			}
		}
	}
	fd.Notes = append(fd.Notes, fmt.Sprintf("%s, found with %s", checkWords(f.Check), strings.Join(k.Assumed(), "; ")))
	if n := f.Trace.Earlier; n > 0 {
		fd.Notes = append(fd.Notes, fmt.Sprintf("the counterexample begins %d steps earlier", n))
	}
	fd.Trace = k.steps(f.Trace.Steps)
	for _, s := range k.steps(f.Trace.Waiting) {
		fd.Final = append(fd.Final, fmt.Sprintf("%s, line %d: %s", s.Actor, s.Line, s.Text))
		if f.Check == order.Deadlock {
			fd.Stuck = append(fd.Stuck, s)
		}
	}
	if f.Check == order.Race {
		for _, p := range f.Points {
			if s := k.place(p); s.Line > 0 {
				step := finding.Step{Location: finding.Location{Path: s.Path, Line: s.Line}, Actor: k.who(p), Text: "may now do " + s.Text, By: k.by(p), Racing: true}
				step.From = k.from(&k.Execution.Kernel.Places[p.Place], step.Location)
				fd.Trace = append(fd.Trace, step)
			}
		}
	}
}

// address is how package order names an mbarrier.
var address = regexp.MustCompile(`the mbarrier at 0x([0-9a-f]+)`)

// told is a finding's text with the variables that addresses in shared memory are of, which an author knows.
func (k *compiledKernel) told(f *order.Finding) string {
	if f.Check != order.Race || order.InTensorMemory(f.Object) || order.InGlobalMemory(f.Object) {
		return address.ReplaceAllStringFunc(f.Text, func(text string) string {
			at, err := strconv.ParseInt(address.FindStringSubmatch(text)[1], 16, 64)
			if name := k.shared(at); err == nil && name != "" {
				return strconv.Quote(name)
			}
			return text
		})
	}
	at := int64(f.Object & (1<<24 - 1))
	if name := k.shared(at); name != "" {
		return strings.Replace(f.Text, fmt.Sprintf("byte %#x of shared memory", at), name, 1)
	}
	return f.Text
}

// variable is the shared variable that a byte is of: the last that begins before it, of several without an end. nil: none is.
func (k *compiledKernel) variable(at int64) *ir.Variable { return variableAt(k.Execution.Kernel, at) }

func variableAt(c *ir.Kernel, at int64) (found *ir.Variable) {
	for _, v := range c.SharedVariables() {
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
		at := k.site(&k.Execution.Kernel.Places[s.Place])
		step := finding.Step{Location: finding.Location{Path: at.Path, Line: at.Line}, Actor: replay.ThreadNames(s.Threads, s.CTA),
			Text: strings.TrimSuffix(s.Text, ": "), By: []finding.Party{party(s.CTA, s.Threads, "")}}
		step.From = k.from(&k.Execution.Kernel.Places[s.Place], step.Location)
		if s.Async {
			step.By = append(step.By, flight(s.CTA, at, 0))
		}
		for _, a := range s.After {
			if name := k.shared(a.Shared); name != "" { // which an author knows, and not its address
				address, of, other := strings.Cut(a.Object, " of ")
				step.Text = strings.ReplaceAll(step.Text, address+" ", name+" ")
				if a.Object = name; other {
					a.Object += " of " + of
				}
			}
			step.After = append(step.After, finding.Standing(a.Standing))
		}
		out = append(out, step)
	}
	return out
}

// from is the call in the kernel that leads to a place, if that is elsewhere.
func (k *compiledKernel) from(at *ir.Place, there finding.Location) finding.Location {
	call := finding.Location{Path: k.file.Source.Name, Line: k.file.Source.Position(at.From.Start).Line}
	if at.From.End == 0 || call.Path == there.Path && call.Line == there.Line {
		return finding.Location{}
	}
	return call
}

// shared names a byte of shared memory: the variable, and which element of it; "" where that is not known.
func (k *compiledKernel) shared(at int64) string { return elementAt(k.Execution.Kernel, at) }

func elementAt(c *ir.Kernel, at int64) string {
	v := variableAt(c, at)
	if at < 0 || v == nil || v.Elem <= 0 {
		return ""
	}
	return v.ElementAt(at)
}

// who is the thread of a command.
func (k *compiledKernel) who(p order.Point) string {
	if p.Warp < 0 || p.Warp >= len(k.Execution.Program.Warps) {
		return "a thread"
	}
	w := k.Execution.Program.Warps[p.Warp]
	return replay.ThreadNames([]int{w.First + p.Lane}, w.CTA)
}

func (k *compiledKernel) by(p order.Point) []finding.Party {
	if p.Warp < 0 || p.Warp >= len(k.Execution.Program.Warps) {
		return nil
	}
	w := k.Execution.Program.Warps[p.Warp]
	return []finding.Party{party(w.CTA, []int{w.First + p.Lane}, "")}
}
