package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/causality"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// causalModel is the memory model that kernels with flags are judged by.
const causalModel = "ptx-v7.5"

const unordered = "FP720"

// causal asks about kernels that hold whether their accesses to global memory are ordered under the memory model, too: in an
// interleaving every flag orders all that was done before it was set. It sees handoffs that their text does not show; where
// one was found to be wrong by its text, that has been told.
func (opt *Options) causal(ctx context.Context, f *source.File, kernels []*kernelResult, handed []finding.Finding) ([]finding.Finding, error) {
	var out []finding.Finding
	for _, k := range kernels {
		if k.Config != "" || !k.modelled() || !k.decision.sound() || !flags(k.Kernel) || stale(handed, k.Path, k.Name) {
			continue
		}
		m, err := memory.LoadModel(causalModel)
		if err != nil {
			return out, err
		}
		a := Causality(ctx, k.Kernel, m)
		switch k.order = a.Verdict; {
		case a.Verdict == engine.Inconclusive:
			k.orderHow = a.How
		case a.Verdict == engine.Violated && opt.enabled(unordered):
			out = append(out, k.unordered(opt, f, a))
		}
	}
	return out, nil
}

// Causality decides the accesses to global memory of all instances of a kernel that holds: what is violated in one is, and
// what is not known of one is not of the kernel.
func Causality(ctx context.Context, k *lower.Kernel, model *memory.Model) causality.Answer {
	if lost := k.Bounds["races not searched on"]; lost != "" {
		return causality.Answer{How: "accesses that are not all known: " + lost}
	}
	out := causality.Answer{How: "no instance of it"}
	for i, p := range k.Instances {
		a := causality.Check(ctx, p, model)
		if a.Verdict == engine.Violated {
			return a
		}
		if i == 0 || out.Verdict == engine.Holds {
			out = a
		}
	}
	return out
}

// helpLock says what makes a lock order what it excludes.
func helpLock(l *causality.Lock) string {
	fence := "__threadfence()"
	if l.Shared {
		fence = "__threadfence_block(), or a wider one,"
	}
	lines := func(sites []protocol.Site) string {
		var out []string
		for _, s := range sites {
			out = append(out, fmt.Sprint(s.Line))
		}
		return strings.Join(out, " and ")
	}
	var out []string
	if len(l.Acquires) > 0 {
		out = append(out, fmt.Sprintf("%s right behind the loop that takes it (line %s)", fence, lines(l.Acquires)))
	}
	if len(l.Releases) > 0 {
		out = append(out, fmt.Sprintf("%s right before it is given back (line %s)", fence, lines(l.Releases)))
	}
	return strings.Join(out, ", and ") + "; its atomic operations have to be of a scope that includes both threads, too"
}

// unordered is the finding of two accesses that a flag orders only in interleavings.
func (k *kernelResult) unordered(opt *Options, f *source.File, a causality.Answer) finding.Finding {
	rule := rules.ByID(unordered)
	other := a.First
	fd := finding.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, Location: opt.wholeLine(f, a.Second), Kernel: k.Name, KernelLines: k.Spans,
		Message: fmt.Sprintf("a flag comes between this access and the one in line %d, but does not order them", other.Line), Verdict: engine.Violated.String(),
		Notes: []string{"decided by engine/causality, " + a.How, "a litmus test cut out of the kernel shows it; the lines below are its own"}, Litmus: a.Litmus,
	}
	fd.Help = "let who sets the flag release (a fence right before it, or .release) and who waits for it acquire (a fence right behind the loop, or .acquire), in a scope that includes both"
	if lock := a.Lock; lock.Name != "" {
		fd.Message = fmt.Sprintf("lock %q excludes this access and the one in line %d from each other, but does not order them", lock.Name, other.Line)
		fd.Help = helpLock(&lock)
		for _, side := range []struct {
			sites []protocol.Site
			what  string
		}{{lock.Acquires, "taking it here acquires nothing from there"}, {lock.Releases, "giving it back here releases nothing to there"}} {
			for _, s := range side.sites {
				s.Text = side.what
				fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(f, s), Text: s.Text})
			}
		}
	}
	other.Text = "the other access"
	fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(f, other), Text: other.Text})
	for line := range strings.Lines(a.Example) {
		fd.Notes = append(fd.Notes, strings.TrimRight(line, "\n"))
	}
	return fd
}
