package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// beside fills in the properties that are told beside the verdict of a kernel that is modelled whole: what its evaluation
// leaves open, and what the flags that it has order under the memory model.
func (k *kernelResult) beside(e *finding.Kernel) {
	if !k.modelled() {
		return
	}
	for _, p := range finding.Beside {
		e.Properties[p] = finding.Held
	}
	for _, o := range k.Open {
		e.Leave(o)
	}
	if k.Config == "" && k.order == engine.Inconclusive && flags(k.Kernel) {
		e.Leave(finding.Open{Property: finding.Order, Path: k.Path, Line: k.Line, Why: "flags hand data on: " + k.orderHow})
	}
	for _, o := range e.Open {
		if e.Properties[o.Property] != engine.Violated.String() {
			e.Properties[o.Property] = finding.IsOpen
		}
	}
	if k.order != engine.Inconclusive {
		e.Properties[finding.Order] = k.order.String()
	}
}

// standing joins findings that no engine cleared with the kernels that they stand in: of a kernel with a warning about
// mbarriers, proxies, order or lifetime the property that it speaks of is open, and with an error it is violated.
func standing(entries []finding.Kernel, kernels []decided, findings []finding.Finding) {
	for i := range entries {
		e := &entries[i]
		if e.Verdict == engine.Inconclusive.String() {
			continue
		}
		if o := alone(e, kernels); o != nil {
			e.Leave(*o)
			e.Properties[o.Property] = finding.IsOpen
		}
		own := slices.DeleteFunc(slices.Clone(kernels), func(k decided) bool { return !k.is(e) })
		var left []*finding.Finding
		for n := range findings {
			f := &findings[n]
			rule := rules.ByID(f.Rule)
			if f.Cleared || f.Severity < finding.Warning || rule == nil || rule.About() == "" || !concerns(f, e, own) {
				continue
			}
			about := about(f)
			if f.Severity == finding.Error && f.Verdict == "" { // what an engine says has been counted
				e.Verdict, e.Properties[about] = engine.Violated.String(), engine.Violated.String()
				continue
			}
			e.Leave(finding.Open{Property: about, Path: f.Path, Line: f.Line, Why: rule.ID + " " + rule.Name + ": " + f.Message})
			if e.Properties[about] == finding.Held {
				e.Properties[about] = finding.IsOpen
			}
			left = append(left, f)
		}
		if e.Verdict != engine.Holds.String() {
			e.Open = nil
			continue
		}
		for _, f := range left { // shown by an execution, and no error by itself: the kernel holds
			if f.Verdict == engine.Violated.String() {
				f.Verdict = finding.IsOpen
			}
			if about := about(f); e.Properties[about] == engine.Violated.String() {
				e.Properties[about] = finding.IsOpen
			}
		}
	}
}

// alone is why nothing is known of what the CTAs of a cluster do to each other: of no configuration it was larger than one.
func alone(e *finding.Kernel, kernels []decided) (why *finding.Open) {
	for _, d := range kernels {
		k, lowered := d.(*kernelResult)
		if !lowered || !k.is(e) {
			continue
		}
		if slices.ContainsFunc(k.Instances, func(p *protocol.Protocol) bool { return p.CTAs > 1 }) {
			return nil
		}
		if k.Config == "" {
			why = k.Alone
		}
	}
	return why
}

// concerns reports whether a finding stands in a kernel, in one of its configurations, which are own, or in a function that it reaches.
func concerns(f *finding.Finding, e *finding.Kernel, own []decided) bool {
	if f.Path == e.Path && f.Kernel == e.Name {
		return true
	}
	s := &rules.Suspect{Finding: *f}
	return slices.ContainsFunc(own, func(k decided) bool { return k.covers(s) })
}

// flags reports whether a kernel has flags in memory.
func flags(k *lower.Kernel) bool {
	for _, p := range k.Instances {
		if len(p.Flags) > 0 {
			return true
		}
	}
	return false
}
