package check

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// The rules that a stale read is put down to, by what is missing on which side.
const (
	storeRule    = "FP201"
	loadRule     = "FP203"
	reuseRule    = "FP204"
	remoteRule   = "FP301"
	narrowRule   = "FP302"
	acquireRule  = "FP303"
	releaseRule  = "FP304"
	leaderRule   = "FP305"
	followerRule = "FP307"

	unfinishedRule = "FP308" // nothing waits
)

// ordered are the rules whose suspects are about the order of memory, and so cleared or confirmed by engine/memory.
var ordered = []string{storeRule, remoteRule, narrowRule, acquireRule, releaseRule, leaderRule, followerRule}

// handed joins what the pattern rules suspect of handoffs with what engine/memory says of them: a stale read that it
// shows is an error with its execution, a suspect whose handoffs are all safe is cleared, the others stay warnings that
// say why they were not decided.
func (opt *Options) handed(a *asker, f *source.File, suspects []rules.Suspect, handoffs []rules.Handoff, kernels []decided) ([]rules.Suspect, []finding.Finding, error) {
	opinions, err := a.opinions(handoffs)
	if err != nil {
		return suspects, nil, &InternalError{Path: f.Name, Err: err}
	}
	var out []finding.Finding
	told := map[place]bool{}
	for i := range opinions {
		o := &opinions[i]
		at := place{o.side.Location.Path, o.side.Location.Line}
		if !(o.confirmed() || o.likely()) || told[at] {
			continue
		}
		fd := o.finding(a)
		if !o.confirmed() {
			fd.Severity, fd.Verdict = finding.Warning, "inconclusive"
			fd.Notes = append(fd.Notes, o.handoff.Perhaps)
		}
		if !opt.enabled(fd.Rule) {
			continue
		}
		told[at] = true
		fd.KernelLines = kernelLines(f, &rules.Suspect{Finding: fd, Function: o.handoff.Function}, kernels)
		out = append(out, fd)
	}
	var rest []rules.Suspect
	for _, s := range suspects {
		if !slices.Contains(ordered, s.Rule.ID) {
			rest = append(rest, s)
			continue
		}
		about := concerning(opinions, s.Finding.Location)
		if told[place{s.Finding.Path, s.Finding.Line}] || slices.ContainsFunc(about, func(o *opinion) bool { return o.confirmed() }) {
			continue // told with its execution
		}
		fd := s.Finding
		fd.KernelLines = kernelLines(f, &s, kernels)
		out = append(out, undecidedHandoff(a, fd, about))
	}
	return rest, out, nil
}

// about is the property that a finding is of.
func about(f *finding.Finding) string {
	if f.Rule == unordered && f.Litmus != "" { // ordered in interleavings, and not under the memory model
		return finding.Order
	}
	return rules.ByID(f.Rule).About()
}

// withStale makes a kernel that hands stale data on one that is violated, whatever holds of its protocol.
func withStale(kernels []finding.Kernel, handed []finding.Finding) {
	for i := range kernels {
		k := &kernels[i]
		for _, f := range handed {
			if hands(&f, k.Path, k.Name) {
				k.Verdict = "violated"
				k.Properties[about(&f)] = "violated"
			}
		}
	}
}

// withoutStale leaves out races that are told as data that are handed on: by what is missing for that.
func withoutStale(list, handed []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(list, func(f finding.Finding) bool {
		return f.Rule == unordered && f.Verdict == "violated" && slices.ContainsFunc(handed, func(h finding.Finding) bool {
			return hands(&h, f.Path, f.Kernel) && slices.ContainsFunc(h.Trace, func(s finding.Step) bool { return s.Path == f.Path && s.Line == f.Line })
		})
	})
}

// confirmed reports whether data are stale by the fault of a side, with nothing taken for granted.
func (o *opinion) confirmed() bool {
	return o.stale && o.whole && o.doubt() == "" && o.handoff.Perhaps == ""
}

// likely reports whether data are stale by the fault of who publishes, if what is not known of the kernel is as it is taken to be. Who waits with less may wait for something else, as for the host to have taken
// what was there before.
func (o *opinion) likely() bool {
	return o.stale && !o.takes && o.doubt() == "" && o.handoff.Perhaps != ""
}

// doubt is what speaks for the side although data may be stale by its fault.
func (o *opinion) doubt() string {
	if o.takes && o.handoff.Doubt == "" {
		return o.handoff.Excuse
	}
	return o.handoff.Doubt
}

// stale reports whether a kernel was found to hand stale data on.
func stale(handed []finding.Finding, path, kernel string) bool {
	return slices.ContainsFunc(handed, func(f finding.Finding) bool { return hands(&f, path, kernel) })
}

func hands(f *finding.Finding, path, kernel string) bool {
	return f.Verdict == "violated" && f.Severity == finding.Error && f.Kernel == kernel && f.Path == path
}

// concerning lists the opinions on sides that an operation belongs to.
func concerning(list []opinion, at finding.Location) []*opinion {
	var out []*opinion
	for i := range list {
		o := &list[i]
		here := o.side.Location == at
		for _, th := range o.side.Threads {
			here = here || slices.ContainsFunc(th.Steps, func(s litmus.Step) bool { return s.At == at })
		}
		if here {
			out = append(out, o)
		}
	}
	return out
}

// undecidedHandoff is a suspect that is cleared, or stays a warning.
func undecidedHandoff(a *asker, fd finding.Finding, about []*opinion) finding.Finding {
	if len(about) > 0 && !slices.ContainsFunc(about, func(o *opinion) bool { return !o.safe }) {
		fd.Cleared, fd.Severity, fd.Verdict = true, finding.Note, "holds"
		fd.Litmus = about[0].test.Least().Text()
		fd.Notes = append(fd.Notes, "cleared: engine/memory finds no execution of the handoff with stale data under "+about[0].test.Model)
		return fd
	}
	fd.Severity, fd.Verdict = min(fd.Severity, finding.Warning), "inconclusive"
	var why []limit.Reason
	for _, o := range about {
		switch {
		case o.stale && fd.Litmus == "" && o.whole:
			o.attach(a, &fd)
			why = append(why, limit.Unshown.Says(o.doubt()))
		case o.stale && fd.Litmus == "":
			o.attach(a, &fd)
			other := "publishes"
			if !o.takes {
				other = "takes"
			}
			why = append(why, limit.Unshown.Sayf("who %s is not in this function; with one that does all it can, data may be stale", other))
		case !o.stale && !o.safe:
			for _, doubt := range o.test.Doubts() {
				why = append(why, limit.Unshown.Says(doubt))
			}
		}
	}
	if len(about) == 0 {
		why = append(why, limit.Unshown.Says("it could not be cut out as a litmus test: the threads and data on its two sides are not all known here"))
	}
	fd.Notes = append(fd.Notes, undecidedNotes(why)...)
	return fd
}

// finding tells of a side of a handoff by whose fault data may be stale.
func (o *opinion) finding(a *asker) finding.Finding {
	id, at, message := o.told()
	rule := rules.ByID(id)
	fd := finding.Finding{
		Rule: id, Name: rule.Name, Severity: finding.Error, Verdict: "violated", Location: at, Kernel: o.handoff.Function.Qualified, Message: first120(message),
	}
	if id == reuseRule {
		fd.Severity = finding.Warning
		fd.Notes = append(fd.Notes, "the manual orders no such pair without a proxy fence; much code of NVIDIA's own has none")
	}
	if id == acquireRule && o.side.Ticket {
		fd.Severity = finding.Warning
		fd.Notes = append(fd.Notes, "by the memory model; the programming guide's own sum by the last CTA has no fence there, and others have had to add it")
	}
	o.attach(a, &fd)
	return fd
}

// told says what is missing: the rule, the place and the words.
func (o *opinion) told() (id string, at finding.Location, message string) {
	at = o.side.Location
	kinds := map[litmus.Kind]*litmus.Repair{}
	for i := range o.repairs {
		if r := &o.repairs[i]; kinds[r.Kind] == nil {
			kinds[r.Kind] = r
		}
	}
	flag := o.handoff.Flag
	switch {
	case o.handoff.Alone == storeRule:
		return storeRule, at, fmt.Sprintf("bulk store reads %q after ordinary writes to it; expected fence.proxy.async between", o.handoff.Data)
	case o.handoff.Alone == remoteRule && kinds[litmus.Meeting] != nil:
		return leaderRule, at, fmt.Sprintf("one thread arrives on %q for its CTA without a barrier after the other threads' writes", flag)
	case o.handoff.Alone == remoteRule && kinds[litmus.Scope] != nil:
		r := kinds[litmus.Scope]
		return remoteRule, r.At, fmt.Sprintf("%q hands data to another CTA with scope %q; expected %q", flag, r.Scope[0], r.Scope[1])
	case o.handoff.Alone == remoteRule:
		return remoteRule, at, fmt.Sprintf("%q hands %q to another CTA, which may read what was there before", flag, o.handoff.Data)
	case o.handoff.Alone == reuseRule:
		return reuseRule, at, fmt.Sprintf("%q is given back after ordinary reads, and a bulk copy fills it again; expected fence.proxy.async", o.handoff.Data)
	case kinds[litmus.Proxy] != nil:
		return loadRule, o.place(o.side.Data, "tile"), fmt.Sprintf("bulk load of %q after the wait for %q; expected fence.proxy.async between", o.handoff.Data, flag)
	}
	ordered := o.side.Order == "release" || o.side.Order == "acquire" || o.side.Order == "acq_rel" || o.side.Order == "sc"
	switch r := kinds[litmus.Scope]; {
	case kinds[litmus.Meeting] != nil && o.takes:
		return followerRule, at, fmt.Sprintf("one thread waits for %q and no barrier makes the others wait for it; they may read stale %q", flag, o.handoff.Data)
	case kinds[litmus.Meeting] != nil:
		return leaderRule, at, fmt.Sprintf("one thread publishes %q for its CTA without a barrier after the other threads' writes", flag)
	case r != nil && kinds[litmus.Order] == nil:
		return narrowRule, r.At, fmt.Sprintf("scope %q on the way of %q to the other side is too narrow; expected %q", r.Scope[0], flag, r.Scope[1])
	case ordered && kinds[litmus.Meeting] == nil:
		return narrowRule, at, fmt.Sprintf("%s order on %q does not reach the threads of the other side; expected a wider scope", o.side.Order, flag)
	case o.takes && o.side.Ticket:
		return acquireRule, at, fmt.Sprintf("the last CTA finds out by %q with %s order and then uses %q; expected acquire", flag, o.side.Order, o.handoff.Data)
	case o.takes:
		return acquireRule, at, fmt.Sprintf("spin on %q reads with %s order and then uses %q; expected acquire", flag, o.side.Order, o.handoff.Data)
	}
	return releaseRule, at, fmt.Sprintf("flag %q is written with %s order after %q; expected release", flag, o.side.Order, o.handoff.Data)
}

// attach adds the test, the execution that shows stale data, and the repair.
func (o *opinion) attach(a *asker, fd *finding.Finding) {
	test, r, err := a.shown(o.test.Most())
	if err == nil && r.Witness != nil {
		fd.Trace = o.steps(test, r.Witness)
	}
	fd.Litmus = test.Text()
	if len(test.Outcome) == 1 && o.handoff.Alone == "" {
		fd.Notes = append(fd.Notes, "the two sides race on the flag: the scope of the one does not reach the other (litmus --property race)")
	} else {
		fd.Notes = append(fd.Notes, o.missing())
	}
	fd.Notes = append(fd.Notes, "decided by engine/memory under "+test.Model+" from a litmus test of "+fmt.Sprint(len(test.Threads))+" threads")
	if fix := fixOf(o.repairs); fix != nil {
		if fd.Help = fix.Text; len(fix.Edits) > 0 {
			fd.Fix = fix
		}
	}
}

// missing says which two operations nothing orders.
func (o *opinion) missing() string {
	data, flag := o.line(o.side.Data, "data"), o.line(o.side.Flag, "flag")
	if o.handoff.Alone == remoteRule {
		return fmt.Sprintf("missing: an edge from the write of %q at line %d to the read of it in the other CTA", o.handoff.Data, data)
	}
	if o.handoff.Alone == reuseRule {
		return fmt.Sprintf("missing: an edge with a proxy fence from the read of %q at line %d to the copy that fills it", o.handoff.Data, data)
	}
	if o.handoff.Alone != "" {
		return fmt.Sprintf("missing: an edge with a proxy fence from the write of %q at line %d to the copy at line %d", o.handoff.Data, data, o.side.Location.Line)
	}
	if o.takes {
		return fmt.Sprintf("missing: an edge from the read of %q at line %d to the read of %q at line %d", o.handoff.Flag, flag, o.handoff.Data, data)
	}
	return fmt.Sprintf("missing: an edge from the write of %q at line %d to the write of %q at line %d", o.handoff.Data, data, o.handoff.Flag, flag)
}

// place is where a thread of the side works on a cell.
func (o *opinion) place(thread int, cell string) finding.Location {
	for _, s := range o.side.Threads[thread].Steps {
		if s.Cell == cell {
			return s.At
		}
	}
	return o.side.Location
}

// line is where a thread of the side works on a cell.
func (o *opinion) line(thread int, cell string) int {
	for _, s := range o.side.Threads[thread].Steps {
		if s.Cell == cell && s.Op != "bar" {
			return s.At.Line
		}
	}
	return o.side.Location.Line
}

// steps shows an execution as a trace: thread by thread, the publisher's first.
func (o *opinion) steps(t *litmus.Test, x *memory.Execution) []finding.Step {
	sources := map[int]int{}
	for _, e := range x.Edges {
		if e.Kind == "rf" {
			sources[e.To] = e.From
		}
	}
	stepOf := func(e *memory.Event) *litmus.Step {
		if i := e.Line - t.Line(); e.Thread >= 0 && i >= 0 && i < len(t.Threads[e.Thread].Steps) {
			return &t.Threads[e.Thread].Steps[i]
		}
		return nil
	}
	var out []finding.Step
	for i := range x.Events {
		e := &x.Events[i]
		s := stepOf(e)
		if s == nil {
			continue
		}
		th := t.Threads[e.Thread]
		text := s.String()
		name := e.Cell
		if real := map[string]string{"data": o.handoff.Data, "flag": o.handoff.Flag}[e.Cell]; real != "" {
			name = real
		}
		switch {
		case e.Did == "writes":
			text = fmt.Sprintf("writes %s = %d (%s)", name, e.Value, s)
		case e.Did == "reads" && e.Cell == "data" && e.Value == 0:
			text = fmt.Sprintf("reads %s = %d, the value from before (%s)", name, e.Value, s)
		case e.Did == "reads":
			text = fmt.Sprintf("reads %s = %d (%s)", name, e.Value, s)
			if w, ok := sources[i]; ok && stepOf(&x.Events[w]) != nil {
				text = fmt.Sprintf("reads %s = %d from the write at line %d (%s)", name, e.Value, stepOf(&x.Events[w]).At.Line, s)
			}
		}
		actor := fmt.Sprintf("%s of CTA %d", th.Name, th.CTA)
		if o.handoff.Places.OtherGPU {
			actor += fmt.Sprintf(" of GPU %d", th.GPU)
		}
		out = append(out, finding.Step{Location: s.At, Actor: actor, Text: text, By: []finding.Party{{CTA: th.CTA, Name: th.Name}}})
	}
	return out
}
