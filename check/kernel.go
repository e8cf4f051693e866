package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// kernelResult is a kernel and what the engines say about it.
type kernelResult struct {
	*lower.Kernel
	decision  decision
	reasons   []limit.Reason   // why it is inconclusive, where it is
	explained map[*answer]bool // violations that suspects are the reports of
	order     engine.Verdict   // of its accesses to global memory under the memory model; inconclusive where that was not asked
	orderHow  string           // why that was asked and is inconclusive
}

// modelled reports whether everything that touches synchronization is in the model. Where something is not, a search of
// the model proves nothing about the kernel, either way.
func (k *kernelResult) modelled() bool {
	return len(k.Instances) > 0 && len(k.Opaque) == 0 && len(k.reasons) == 0
}

// answer returns what is known about a property of the kernel, never nil.
func (k *kernelResult) answer(p protocol.Property) *answer {
	if a := k.decision.answers[p]; a != nil {
		return a
	}
	return &answer{reason: limit.NotRun.Says("no engine was asked"), object: -1}
}

// violations lists the violations of a property that is violated.
func (k *kernelResult) violations(p protocol.Property) []*answer {
	a := k.answer(p)
	return append([]*answer{a}, a.more...)
}

// unsearched says why no race was found shows nothing, "" where it does: accesses to some shared memory are not in the model.
func (k *kernelResult) unsearched(p protocol.Property) string {
	if p != protocol.Race || len(k.Lost) == 0 || k.answer(p).verdict != engine.Holds {
		return ""
	}
	return "not every access is modelled: " + strings.Join(k.Lost, "; ")
}

// verdict of a property, with what the model leaves out taken into account.
func (k *kernelResult) verdict(p protocol.Property) engine.Verdict {
	a := k.answer(p)
	if a.verdict == engine.Holds && (len(k.Gaps) > 0 || k.unsearched(p) != "") {
		return engine.Inconclusive
	}
	if k.modelled() || k.decision.partial && a.verdict == engine.Violated {
		return a.verdict
	}
	return engine.Inconclusive
}

// lowered lowers every kernel of a file of CuTe DSL and asks the engines about each.
func (opt *Options) lowered(ctx context.Context, tree *program.File, table *dialect.Table, suspects []rules.Suspect) ([]*kernelResult, error) {
	name := tree.Source.Name
	only := func(fn *program.Function) bool { return opt.touching.selects(fn, name) }
	if opt.Engine == None {
		return slices.DeleteFunc(unasked(tree), func(k *kernelResult) bool { return !only(k.Function) }), nil
	}
	lowered := lower.Kernels(tree, table, lower.Options{Set: opt.Constants, Settable: opt.Settable, Context: ctx, Time: opt.Limits.Time, Load: opt.load, Activity: opt.Activity, AllRounds: opt.AllRounds, States: opt.Limits.States, Separate: separate, Only: only})
	if opt.calling.includes(name) && !opt.touching.limits(name) {
		lowered = opt.calling.concerned(lowered)
	}
	return opt.kernels(ctx, lowered, suspects)
}

// kernels asks the engines about kernels.
func (opt *Options) kernels(ctx context.Context, lowered []*lower.Kernel, suspects []rules.Suspect) ([]*kernelResult, error) {
	var e engines
	var b *budget
	var results []*kernelResult
	var failures []error
	var v *verifier
	if opt.checks != nil {
		v = &verifier{of: opt.checks}
	}
	for i, k := range lowered {
		if k.Config == "" || i == 0 { // a kernel in its default configuration; its others follow
			configs := configurations(lowered[i:])
			e, b = installed().cached(opt.Cache).verified(v).remembering(), newBudget(opt.Limits, configs)
		}
		r := &kernelResult{Kernel: k}
		results = append(results, r)
		if opt.Lowered != nil {
			opt.Lowered(k)
		}
		if len(k.Opaque) > 0 { // whatever a search of the rest finds, the verdict is at best inconclusive
			d, err := e.partial(k)
			if err != nil {
				failures = append(failures, &InternalError{Path: fmt.Sprintf("%s:%d: kernel %s", k.Path, k.Line, k.Name), Err: err})
			}
			r.decision = d
			continue
		}
		if len(k.Instances) == 0 {
			r.reasons = append(r.reasons, limit.LaunchPath.Says("it could not be lowered"))
			continue
		}
		d, err := e.decide(ctx, opt, b, k.Instances, k.Rounds, suspected(k, suspects))
		d.curable = e.curable(ctx, k, &d)
		if err == nil && k.Config == "" {
			err = e.every(ctx, opt, b, k, &d, configurations(lowered[i:]) == 1, v)
			k.Gaps = append(k.Gaps, k.Untried...)
		}
		if v != nil && err == nil {
			err = errors.Join(v.failures...)
			v.failures = nil
		}
		if err != nil {
			failures = append(failures, &InternalError{Path: fmt.Sprintf("%s:%d: kernel %s", k.Path, k.Line, k.Name), Err: err})
			r.reasons = append(r.reasons, limit.Internal.Says("internal error: "+err.Error()))
			continue
		}
		r.decision = d
		overlapping(k)
	}
	return results, errors.Join(failures...)
}

// configurations counts those of the first kernel.
func configurations(list []*lower.Kernel) int {
	n := 1
	for n < len(list) && list[n].Config != "" {
		n++
	}
	return n
}

// notAsked is why nothing is known where no engine runs.
var notAsked = limit.NotRun.Says("no engine was asked (--engine none)")

// unasked lists the kernels of a file when no engine runs.
func unasked(tree *program.File) []*kernelResult {
	var results []*kernelResult
	for _, fn := range tree.Functions {
		if fn.Kernel {
			k := &lower.Kernel{Name: fn.Qualified, Function: fn, Path: tree.Source.Name, Line: tree.Source.Position(fn.NameSpan.Start).Line}
			results = append(results, &kernelResult{Kernel: k, reasons: []limit.Reason{notAsked}})
		}
	}
	return results
}

// suspected lists the properties that rules suspect in a kernel.
func suspected(k *lower.Kernel, suspects []rules.Suspect) []protocol.Property {
	var props []protocol.Property
	for _, s := range suspects {
		if !within(k, &s) {
			continue
		}
		for _, p := range s.Rule.Suspects {
			if !slices.Contains(props, p) {
				props = append(props, p)
			}
		}
	}
	return props
}

// within reports whether a suspect is in a kernel or in a helper that was inlined into it.
func within(k *lower.Kernel, s *rules.Suspect) bool {
	if s.Function != nil && s.Function == k.Function {
		return true
	}
	return slices.ContainsFunc(k.Spans, func(l finding.Location) bool {
		return l.Path == s.Finding.Path && l.Line <= s.Finding.Line && s.Finding.Line <= max(l.Line, l.EndLine)
	})
}

// entry is the kernel's line in the report.
func (k *kernelResult) entry() finding.Kernel {
	e := finding.Kernel{
		Path: k.Path, Line: k.Line, Name: k.Name, Bounds: k.Bounds,
		Engines: append([]string{}, k.decision.engines...), States: k.decision.states,
		Millis:     float64((k.Elapsed + k.decision.elapsed).Microseconds()) / 1000,
		Properties: map[string]string{}, Mechanisms: k.Mechanisms, Stopped: k.stopped(), Lines: k.Spans,
	}
	e.Because(k.because()...)
	if e.Bounds == nil {
		e.Bounds = map[string]string{}
	}
	// Not engine.Result's fold: here a property counts with what the model leaves out.
	verdict := engine.Holds
	for _, p := range protocol.Properties {
		v := k.verdict(p)
		e.Properties[string(p)] = v.String()
		if c := k.decision.needs(p); c != nil && v == engine.Violated {
			e.Only = withOnly(e.Only, string(p), c.String())
		}
		if !p.Warning() && worse(v, verdict) {
			verdict = v
		}
	}
	if k.order == engine.Violated {
		verdict = k.order
	}
	k.beside(&e)
	e.Verdict = verdict.String()
	return e
}

// stopped lists the lines that are not in the model: none for a kernel that is modelled whole.
func (k *kernelResult) stopped() []finding.Stop {
	var out []finding.Stop
	for _, o := range k.Opaque {
		if o.Path == "" {
			o.Path = k.Path
		}
		out = append(out, finding.Stop{Path: o.Path, Line: o.Line, Why: o.Why.Text, Code: o.Why.Code})
	}
	if len(out) == 0 && len(k.Instances) == 0 && len(k.reasons) > 0 {
		return []finding.Stop{{Path: k.Path, Line: k.Line, Why: k.reasons[0].Text, Code: k.reasons[0].Code}}
	}
	return out
}

// because lists the reasons why a kernel, or a property of it, is inconclusive.
func (k *kernelResult) because() []limit.Reason {
	reasons := slices.Clone(k.reasons)
	if len(k.Opaque) > 0 {
		for _, o := range k.stopped() {
			reasons = append(reasons, o.Code.Sayf("%s:%d: not modelled: %s", o.Path, o.Line, o.Why))
		}
	}
	if len(reasons) > 0 {
		return reasons
	}
	for _, g := range k.Gaps {
		reasons = append(reasons, g.Why.Code.Says(g.String()))
	}
	return append(reasons, k.perProperty()...)
}

// perProperty lists why properties are inconclusive, each reason once with the properties it holds for.
func (k *kernelResult) perProperty() []limit.Reason {
	var order []limit.Reason
	properties := map[limit.Reason][]string{}
	add := func(reason limit.Reason, p protocol.Property) {
		if properties[reason] == nil {
			order = append(order, reason)
		}
		properties[reason] = append(properties[reason], finding.Words(string(p)))
	}
	for _, p := range protocol.Properties {
		if a := k.answer(p); a.verdict == engine.Inconclusive {
			add(a.reason, p)
		} else if why := k.unsearched(p); why != "" {
			add(limit.Access.Says(why), p)
		}
	}
	var reasons []limit.Reason
	for _, r := range order {
		who := strings.Join(properties[r], ", ")
		if len(properties[r]) == len(protocol.Properties) {
			who = "every property"
		}
		reasons = append(reasons, r.After(who+": "))
	}
	return reasons
}
