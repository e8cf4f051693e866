package check

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// What a kernel of the IR says to what rules suspect in it.

func (k *compiledKernel) is(e *finding.Kernel) bool {
	return e.Path == k.file.Source.Name && e.Name == k.fn.Qualified && e.Line == k.file.Source.LineAt(k.fn.NameSpan.Start)
}

// covers reports whether a suspect stands in the kernel, or where some instruction of it does.
func (k *compiledKernel) covers(s *rules.Suspect) bool {
	if s.Function != nil && s.Function == k.fn {
		return true
	}
	if k.whole == nil {
		return false
	}
	sites := k.standing()
	for line := s.Finding.Line; line <= max(s.Finding.Line, s.Finding.EndLine); line++ {
		if sites[place{s.Finding.Path, line}] {
			return true
		}
	}
	return false
}

// standing are the places of the kernel's instructions.
func (k *compiledKernel) standing() map[place]bool {
	if k.sites == nil && k.whole != nil {
		k.sites = map[place]bool{}
		for n := range k.whole.Insts {
			at := k.site(&k.whole.Places[k.whole.Insts[n].Place])
			k.sites[place{at.Path, at.Line}] = true
		}
	}
	return k.sites
}

func (k *compiledKernel) named() string { return k.fn.Qualified }

func (k *compiledKernel) verdict(p protocol.Property) engine.Verdict {
	switch {
	case k.Report == nil || k.Result == nil || k.doubt.Code != 0:
		return engine.Inconclusive
	case k.checked(p) == engine.Violated, k.Verdict == engine.Holds: // else something may be left out
		return k.checked(p)
	}
	return engine.Inconclusive
}

func (k *compiledKernel) because() []limit.Reason {
	e := k.entry()
	return e.Whys()
}

func (k *compiledKernel) proved() string {
	e := k.entry()
	return names(e.Engines) + " within " + strings.Join(k.Assumed(), "; ")
}

// lines are those of the kernel, and of the functions, of its file and of others, that instructions of it stand in.
func (k *compiledKernel) lines() []finding.Location {
	if k.around != nil {
		return k.around
	}
	k.around = []finding.Location{}
	files, of := []*program.File{k.file}, map[string][]int{}
	for at := range k.standing() {
		if of[at.path] = append(of[at.path], at.line); len(of[at.path]) == 1 && at.path != k.file.Source.Name && k.sources != nil {
			if f, _ := k.sources.File(at.path); f != nil {
				files = append(files, f)
			}
		}
	}
	slices.SortFunc(files[1:], func(a, b *program.File) int { return strings.Compare(a.Source.Name, b.Source.Name) })
	for _, f := range files {
		src := f.Source
		for _, fn := range f.Functions {
			l := finding.Location{Path: src.Name, Line: src.LineAt(fn.Span.Start), EndLine: src.LineAt(fn.Span.End)}
			in := fn == k.fn || !fn.Kernel && slices.ContainsFunc(of[src.Name], func(line int) bool { return line >= l.Line && line <= l.EndLine })
			if in && !slices.Contains(k.around, l) {
				k.around = append(k.around, l)
			}
		}
	}
	return k.around
}

// balanced reports whether all threads of a CTA come equally often to each barrier that counts all of them.
func (k *compiledKernel) balanced() bool {
	return k.Report != nil && k.Result != nil && k.doubt.Code == 0 && k.checked(protocol.Deadlock) == engine.Holds && !k.Uneven &&
		!slices.ContainsFunc(k.Others, func(r *barriers.Report) bool { return r.Uneven })
}

// blame makes a suspect the report of what the checks of a property found: that which goes through its line, or the first one when it goes
// through the line of no suspect of the property.
func (k *compiledKernel) blame(opt *Options, _ *source.File, fd *finding.Finding, p protocol.Property, s *rules.Suspect, all []rules.Suspect) bool {
	var found []*order.Finding
	for n := range k.Findings {
		if f := &k.Findings[n]; !f.Benign && len(f.Points) > 0 && slices.Contains(checksOf[p], f.Check) {
			found = append(found, f)
		}
	}
	n := slices.IndexFunc(found, func(f *order.Finding) bool { return touches(k.evidence(f, s.Finding.Path), s) })
	if n < 0 {
		if len(found) == 0 {
			return false
		}
		lines := k.evidence(found[0], s.Finding.Path)
		for i := range all {
			if other := &all[i]; other != s && k.covers(other) && slices.Contains(other.Rule.Suspects, p) && touches(lines, other) {
				return false
			}
		}
		n = 0
	}
	if fd.Verdict != engine.Violated.String() {
		k.attach(opt, found[n], fd)
	}
	for _, f := range found {
		if f == found[n] || touches(k.evidence(f, s.Finding.Path), s) {
			k.blamed = append(k.blamed, f.Points)
		}
	}
	return true
}

// explains reports whether a suspect is the report of a finding.
func (k *compiledKernel) explains(f *order.Finding) bool {
	return slices.ContainsFunc(k.blamed, func(points []order.Point) bool { return slices.Equal(points, f.Points) })
}

// evidence lists the lines of a file that what was found goes through.
func (k *compiledKernel) evidence(f *order.Finding, path string) map[int]bool {
	out := map[int]bool{}
	note := func(at *ir.Place) {
		if s := k.site(at); s.Path == path {
			out[s.Line] = true
		}
	}
	places := k.Execution.Kernel.Places
	for _, p := range f.Points {
		if p.Index >= 0 {
			note(&places[p.Place])
		}
	}
	for _, s := range slices.Concat(f.Trace.Steps, f.Trace.Waiting) {
		note(&places[s.Place])
	}
	return out
}
