package mutant

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// try puts one fault into a file and tells its fate.
func (opt *Options) try(ctx context.Context, name string, text []byte, fault Fault, base *outcome) (Result, error) {
	r := Result{Fault: fault, Path: name}
	o, err := opt.check(ctx, name, apply(text, fault.edits))
	if err != nil {
		return r, fmt.Errorf("%s:%d: %s: %w", name, fault.Line, fault.Operator, err)
	}
	if f := base.news(o); f != nil {
		r.Fate, r.Rule, r.At = Killed, f.Rule, f.Line
		r.Aim, r.Detail = aim(f, name, &fault, base, o), f.Message
		return r, nil
	}
	r.Fate, r.Detail = Survived, base.undecided(o)
	if r.Detail != "" {
		return r, nil
	}
	if !base.same(o) {
		if why := base.harmless(o, name, &fault); why != "" && !fault.unseen {
			r.Fate, r.Detail = Equivalent, why
		}
		return r, nil
	}
	probe, err := opt.check(ctx, name, apply(text, fault.probe))
	if err != nil {
		return r, fmt.Errorf("%s:%d: probe of %s: %w", name, fault.Line, fault.Operator, err)
	}
	switch {
	case base.same(probe):
		r.Fate, r.Detail = Equivalent, "no kernel runs it in the configurations searched"
	case fault.unseen:
		r.Detail = "the model has no meaning for it"
	default:
		r.Fate, r.Detail = Equivalent, "the model is the same"
	}
	return r, nil
}

// news is the first finding of the faulty version that the right one does not have. A suspicion that no engine could
// decide does not count: the reader is told that nothing is known.
func (o *outcome) news(faulty *outcome) *finding.Finding {
	for i := range faulty.findings {
		f := &faulty.findings[i]
		if f.Severity < finding.Warning || f.Cleared || f.Verdict == "inconclusive" {
			continue
		}
		known := slices.ContainsFunc(o.findings, func(g finding.Finding) bool {
			return g.Rule == f.Rule && g.Line == f.Line && g.Verdict == f.Verdict
		})
		if !known {
			return f
		}
	}
	return nil
}

// undecided says why the faulty version has no verdict, "" where it has.
func (o *outcome) undecided(faulty *outcome) string {
	for _, name := range slices.Sorted(maps.Keys(o.verdicts)) {
		switch v, ok := faulty.verdicts[name]; {
		case !ok:
			return "kernel " + name + " is gone"
		case v == "inconclusive":
			why := "inconclusive"
			if len(faulty.reasons[name]) > 0 {
				why += ": " + faulty.reasons[name][0]
			}
			for _, f := range faulty.findings {
				if f.Verdict == "inconclusive" {
					why += " (suspected by " + f.Rule + ")"
					break
				}
			}
			return why
		}
	}
	return ""
}

// same reports whether the faulty version has the same models.
func (o *outcome) same(faulty *outcome) bool {
	for name, text := range o.models {
		if text == "" || faulty.models[name] != text {
			return false
		}
	}
	return true
}

// isAccess tells the findings that point at an access to memory: what a barrier or a wait that is not there no longer
// orders with other accesses, or, for a copy, with the end of its CTA.
func (o *outcome) isAccess(f *finding.Finding) bool {
	race, lifetime := rules.ForProperty(protocol.Race), rules.ForProperty(protocol.Lifetime)
	return f.Rule == race.ID || (f.Rule == lifetime.ID || f.Rule == lower.UnreadStore || f.Rule == lower.NoProxy) && o.copies[f.Line]
}

// aim says what a finding points at: its own region and the regions of its labels are what it points at.
func aim(f *finding.Finding, name string, fault *Fault, right, faulty *outcome) string {
	near := func(l finding.Location) bool {
		return l.Path == name && slices.ContainsFunc(fault.Lines, func(line int) bool { return l.Line <= line && line <= max(l.Line, l.EndLine) })
	}
	waits := func(l finding.Location) bool { return l.Path == name && (right.waits[l.Line] || faulty.waits[l.Line]) }
	places := []finding.Location{f.Location}
	for _, l := range f.Labels {
		places = append(places, l.Location)
	}
	switch {
	case slices.ContainsFunc(places, near):
		return "fault"
	case slices.ContainsFunc(places, waits):
		return "wait"
	case slices.ContainsFunc(f.Trace, func(s finding.Step) bool { return near(s.Location) }):
		return "trace"
	case faulty.isAccess(f), slices.ContainsFunc(f.Labels, func(l finding.Label) bool { return l.Path == name && faulty.reads[l.Line] }):
		return "access"
	}
	return "elsewhere"
}
