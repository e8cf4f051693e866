package mutant

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
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
		r.Aim, r.Detail = aim(f, &fault, o), f.Message
		return r, nil
	}
	r.Fate, r.Detail = Survived, base.undecided(o)
	if r.Detail != "" || !base.same(o) {
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

// isRace tells the findings that point at an access to memory: what a barrier that is not there no longer orders.
func isRace(id string) bool {
	r := rules.ForProperty(protocol.Race)
	return r != nil && r.ID == id
}

// aim says what a finding points at.
func aim(f *finding.Finding, fault *Fault, o *outcome) string {
	near := func(l finding.Location) bool { return slices.Contains(fault.Lines, l.Line) }
	switch {
	case near(f.Location) || slices.ContainsFunc(f.Labels, func(l finding.Label) bool { return near(l.Location) }):
		return "fault"
	case o.waits[f.Line]:
		return "wait"
	case slices.ContainsFunc(f.Trace, func(s finding.Step) bool { return near(s.Location) }):
		return "trace"
	case isRace(f.Rule):
		return "access"
	}
	return "elsewhere"
}
