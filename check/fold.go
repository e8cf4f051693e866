package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// fold joins what the rules suspect in a file with what the engines say about its kernels.
//
// A pattern that is wrong on its face is reported as it is. A suspect is an error with its counterexample when an engine
// found one, is cleared when every property it threatens holds, and is a warning that says why it was not decided
// otherwise. A violation that no suspect explains becomes a finding of an engine rule.
func fold(opt *Options, f *source.File, suspects []rules.Suspect, kernels []*kernelResult, executed []*compiledKernel) ([]finding.Finding, []finding.Kernel) {
	out := opt.suspicions(f, suspects, slices.Concat(asDecided(kernels), asDecided(executed)))
	entries := make([]finding.Kernel, 0, len(kernels)+len(executed))
	for _, k := range kernels {
		out = append(out, k.unexplained(opt, f)...)
		if n := len(entries); k.Config != "" && n > 0 {
			entries[n-1] = withConfig(entries[n-1], k.entry(), k)
			continue
		}
		entries = append(entries, k.entry())
	}
	for _, k := range executed {
		out = append(out, k.unexplained(opt, out)...)
		out = append(out, k.divided(opt, out, true)...)
		out = append(out, k.turns(opt, out, false)...)
		out = append(out, k.copiesInFlight(opt, out)...)
		out = append(out, k.dependent(opt, executed)...)
		entries = append(entries, k.entry())
	}
	return out, entries
}

// suspicions turns suspects into findings, with what the engines say of the kernels that they are in.
func (opt *Options) suspicions(f *source.File, suspects []rules.Suspect, kernels []decided) (out []finding.Finding) {
	for i := range suspects {
		s := &suspects[i]
		if len(s.Rule.Suspects) == 0 {
			fd := s.Finding
			fd.KernelLines = kernelLines(f, s, kernels)
			clearBarrier(&fd, s, kernels)
			out = append(out, fd)
			continue
		}
		out = append(out, opt.judge(f, s, suspects, kernels))
	}
	return out
}

// judge turns a suspect into a finding.
func (opt *Options) judge(f *source.File, s *rules.Suspect, all []rules.Suspect, kernels []decided) finding.Finding {
	fd := s.Finding
	fd.KernelLines = kernelLines(f, s, kernels)
	var why []limit.Reason
	covered, cleared := false, true
	for _, k := range kernels {
		if !k.covers(s) {
			continue
		}
		covered = true
		for _, p := range s.Rule.Suspects {
			switch k.verdict(p) {
			case engine.Violated:
				if !k.blame(opt, f, &fd, p, s, all) {
					cleared = false
					why = append(why, limit.Unshown.Sayf("%q is violated in kernel %s, by another line", p, k.named()))
				}
			case engine.Inconclusive:
				cleared = false
				why = append(why, k.because()...)
			}
		}
	}
	switch {
	case fd.Verdict == "violated":
	case covered && cleared:
		fd.Cleared, fd.Severity, fd.Verdict = true, finding.Note, "holds"
		fd.Notes = append(fd.Notes, "cleared: "+holds(s, kernels))
	default:
		fd.Severity, fd.Verdict = min(fd.Severity, finding.Warning), "inconclusive"
		if !covered {
			why = []limit.Reason{limit.Way.Says("it is in no kernel of this file, so there is nothing to model")}
		}
		fd.Notes = append(fd.Notes, undecidedNotes(why)...)
	}
	return fd
}

// undecidedNotes keeps the first reasons, each once.
func undecidedNotes(why []limit.Reason) []string {
	const most = 3
	var notes []string
	for _, w := range why {
		note := "not confirmed: " + w.String()
		if slices.Contains(notes, note) {
			continue
		}
		if len(notes) == most {
			return append(notes, "not confirmed: more reasons stand beside the kernel's verdict")
		}
		notes = append(notes, note)
	}
	return notes
}

// holds says what was proved, and within which bounds.
func holds(s *rules.Suspect, kernels []decided) string {
	for _, k := range kernels {
		if k.covers(s) {
			return fmt.Sprintf("neither %s in kernel %s, proved by %s", strings.ReplaceAll(propertyNames(s.Rule.Suspects), " and ", " nor "), k.named(), k.proved())
		}
	}
	return ""
}

// blamed finds the violation that is put down to a suspect: one whose counterexample goes through its line, or the first one when
// that goes through the line of no suspect of the property.
func (k *kernelResult) blamed(p protocol.Property, s *rules.Suspect, all []rules.Suspect) *answer {
	answers := k.violations(p)
	for _, a := range answers {
		if touches(k.evidence(a, s.Finding.Path), s) {
			return a
		}
	}
	lines := k.evidence(answers[0], s.Finding.Path)
	for i := range all {
		other := &all[i]
		if other != s && within(k.Kernel, other) && slices.Contains(other.Rule.Suspects, p) && touches(lines, other) {
			return nil
		}
	}
	return answers[0]
}

func touches(lines map[int]bool, s *rules.Suspect) bool {
	for line := s.Finding.Line; line <= max(s.Finding.Line, s.Finding.EndLine); line++ {
		if lines[line] {
			return true
		}
	}
	return false
}

// attach makes a finding the report of a violated property: the verdict, the places it has to do with, the trace, and
// where everything stands at its end.
func (k *kernelResult) attach(opt *Options, f *source.File, fd *finding.Finding, p protocol.Property, a *answer) {
	a.readable(p)
	fd.Verdict = "violated"
	if p.Warning() {
		fd.Severity = min(fd.Severity, finding.Warning)
	}
	if c := k.decision.needs(p); c != nil {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Message = first120("with " + c.String() + " " + fd.Message)
		fd.Notes = append(fd.Notes, c.note())
	}
	if p == protocol.Lifetime && a.overtaken() {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Notes = append(fd.Notes, "a later commit of the same thread has arrived in that CTA before: that the earlier has, too, PTX does not say (PTX ISA 9.7.16.12.2), though no machine is known on which it has not")
	}
	if p == protocol.Deadlock && a.lagging() {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Notes = append(fd.Notes, "lanes of one warp stand at different places here: PTX lets a lane fall behind, though no machine is known on which it does where nothing else tells the lanes apart; a __syncwarp behind the wait keeps them together")
	}
	k.soften(fd)
	if p == protocol.Race && k.Supposed[a.buffer()] != "" {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Notes = append(fd.Notes, "these overlap if "+k.Supposed[a.buffer()]+", which no host code that was found says; an error only where it is so")
	}
	if what := k.extents(a); p == protocol.Race && what != "" {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Notes = append(fd.Notes, "these overlap with "+what+", which is assumed; an error only where it is so")
	}
	if fd.Kernel == "" {
		fd.Kernel = k.Name
	}
	k.relate(opt, f, fd, p, a)
	if fd.Help == "" {
		fd.Help = k.help(p, a)
	}
	fd.Trace, fd.Cycle, fd.Stuck = k.traceSteps(a), k.cycle(p, a), k.forever(p, a)
	fd.Final = slices.Clone(a.outcome.Final)
	for _, s := range stuckAt(a) {
		fd.Final = append(fd.Final, s.String())
	}
	fd.Notes = append(fd.Notes, fmt.Sprintf("%s, found by %s with %s", finding.Words(string(p)), names(a.engines), k.with(a.instance.Values)))
	if a.unconfirmed != "" {
		fd.Notes = append(fd.Notes, "not decided by "+a.unconfirmed)
	}
	if rest := k.followers(p); len(rest) > 0 {
		fd.Notes = append(fd.Notes, propertyNames(rest)+", too, which may follow from this; what is left is told once this is right")
	}
}

// maxNumbers is how many of these are told.
const maxNumbers = 4

// extents are the numbers that are assumed of a kernel, where a race is one of two views of tensor memory that begin in different columns: how wide each is hangs on the
// extents of tiles.
func (k *kernelResult) extents(a *answer) string {
	if a.trace == nil || a.trace.Pair == nil || a.buffer() != value.TensorColumns {
		return ""
	}
	one, other := accessOf(a.instance, a.trace.Pair.First), accessOf(a.instance, a.trace.Pair.Second)
	if len(one.Elements) == 0 || len(other.Elements) == 0 || one.Elements[0].Lo == other.Elements[0].Lo {
		return ""
	}
	return strings.Join(k.Numbers[:min(len(k.Numbers), maxNumbers)], ", ")
}

// soften makes a warning of what is found only with options that no host code asks for.
func (k *kernelResult) soften(fd *finding.Finding) {
	if with := k.unasked(); with != "" {
		fd.Severity = min(fd.Severity, finding.Warning)
		fd.Notes = append(fd.Notes, "found with "+with+", which no host code that was found asks for; an error only where some does")
	}
}

// unasked names the options and records that the host code leaves at other values or does not give: which of them go
// together only their author knows.
func (k *kernelResult) unasked() string {
	with := slices.Clone(k.MadeUp)
	if k.Config != "" && !k.Asked {
		with = append([]string{"the configuration " + k.Config}, with...)
	}
	return strings.Join(with, " and ")
}

// leaders lists the properties whose findings tell a violation of p too, so that one defect is one finding. Lifetime is
// in none of the lists: an init only marks its object, so a use before it changes nothing else in the model.
func leaders(p protocol.Property) []protocol.Property {
	switch p {
	case protocol.Phase:
		// A skipped phase and the hang that it leads to are one defect, told as the hang.
		return []protocol.Property{protocol.Deadlock, protocol.Livelock}
	case protocol.Race:
		// Barriers order the accesses: while they are broken, a race says nothing that they do not.
		return []protocol.Property{protocol.Deadlock, protocol.Livelock, protocol.Phase, protocol.Arrivals, protocol.Bytes}
	case protocol.Attribution, protocol.Quiet:
		// What is left over in a kernel that goes wrong earlier follows from that.
		return []protocol.Property{protocol.Deadlock, protocol.Livelock, protocol.Phase, protocol.Arrivals, protocol.Bytes, protocol.Race}
	}
	return nil
}

// follows reports whether a violated property is told by the finding of another one.
func follows(p protocol.Property, violated func(protocol.Property) bool) bool {
	return slices.ContainsFunc(leaders(p), violated)
}

func (k *kernelResult) violated(p protocol.Property) bool { return k.verdict(p) == engine.Violated }

// followers lists the violated errors that are told by the finding of p.
func (k *kernelResult) followers(p protocol.Property) []protocol.Property {
	var rest []protocol.Property
	for _, q := range protocol.Properties {
		if !q.Warning() && k.violated(q) && slices.Contains(leaders(q), p) && k.decision.tells(p, q) {
			rest = append(rest, q)
		}
	}
	return rest
}

// unexplained makes a finding of an engine rule for every violation that no suspect took.
func (k *kernelResult) unexplained(opt *Options, f *source.File) []finding.Finding {
	out := k.undefined(opt, f)
	for _, p := range protocol.Properties {
		if !k.violated(p) || follows(p, func(q protocol.Property) bool { return k.violated(q) && k.decision.tells(q, p) }) {
			continue
		}
		rule := rules.ForProperty(p)
		if rule == nil || !opt.enabled(rule.ID) {
			continue
		}
		for _, a := range k.violations(p) {
			if !k.explained[a] {
				out = append(out, k.finding(opt, f, rule, p, a))
			}
		}
	}
	return out
}

// undefined makes findings of what a kernel does that has no defined meaning. Where some of the kernel is not in the
// model, what is missing may stand there.
func (k *kernelResult) undefined(opt *Options, f *source.File) []finding.Finding {
	var out []finding.Finding
	for _, u := range k.Undefined {
		rule := rules.ByID(u.Rule)
		if !opt.enabled(u.Rule) || (len(k.Opaque) > 1 || k.Unread) && !u.Alone || u.Whole && !k.modelled() {
			continue
		}
		fd := finding.Finding{
			Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, Location: opt.wholeLine(f, u.Site), Kernel: k.Name,
			Message: first120(u.What), KernelLines: slices.Clone(k.Spans),
		}
		if k.soften(&fd); u.Mild {
			fd.Severity = finding.Note
		} else if u.Doubt {
			fd.Severity = min(fd.Severity, finding.Warning)
		}
		if u.Last > fd.EndLine {
			fd.EndLine, fd.EndColumn = u.Last, opt.wholeLine(f, protocol.Site{Path: u.Site.Path, Line: u.Last}).EndColumn
		}
		for _, w := range u.With {
			fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(f, w), Text: w.Text})
		}
		out = append(out, fd)
	}
	return out
}

// kernelLines are the lines of the kernels a suspect is in, or of its function when it is in none.
func kernelLines(f *source.File, s *rules.Suspect, kernels []decided) []finding.Location {
	lines := append([]finding.Location{}, s.Finding.KernelLines...)
	for _, k := range kernels {
		if k.covers(s) {
			for _, l := range k.lines() {
				if !slices.Contains(lines, l) { // kernels that stand on one line cover each other's suspects
					lines = append(lines, l)
				}
			}
		}
	}
	if len(lines) == 0 && s.Function != nil {
		lines = append(lines, finding.Location{
			Path: f.Name, Line: f.Position(s.Function.Span.Start).Line, EndLine: f.Position(s.Function.Span.End).Line,
		})
	}
	return lines
}

func propertyNames(props []protocol.Property) string {
	words := make([]string, len(props))
	for i, p := range props {
		words[i] = finding.Words(string(p))
	}
	return strings.Join(words, " and ")
}
