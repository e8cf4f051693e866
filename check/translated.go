package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	frontend "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
)

// translatedTime bounds what is asked of one kernel, unless the caller allows more than ten times as much for it: then it is a tenth of that.
const translatedTime = 500 * time.Millisecond

// translated looks at kernels of CUDA C++ in which lowering finds nothing wrong: they are translated to the IR as they stand, and executed. What is
// found is a warning: no host code was run up to the launch. A kernel holds where nothing of it is guessed but what shape a CTA has, and what
// type a template is given: its line says so. Of one that stays undecided the line says first what the IR says.
func (opt *Options) translated(f *program.File, t *dialect.Table, kernels []*kernelResult, entries []finding.Kernel, known []finding.Finding) (out []finding.Finding) {
	for _, k := range kernels {
		if k.Config != "" || k.Function == nil {
			continue
		}
		if opt.Launch != nil { // a pattern is of a kernel, whoever decides that
			var grid, block, cluster [3]int
			opt.Launch(k.Function.Name, &grid, &block, &cluster)
		}
		n := slices.IndexFunc(entries, func(e finding.Kernel) bool { return e.Path == k.Path && e.Line == k.Line && e.Name == k.Name })
		if n < 0 || entries[n].Verdict == engine.Violated.String() {
			continue
		}
		held := entries[n].Verdict == engine.Holds.String()
		c, why := opt.decideTranslated(f, t, k.Function)
		e := &entries[n]
		switch {
		case c == nil && why == "":
		case c == nil:
			if !held {
				e.Reasons = append([]string{fmt.Sprintf("%s:%d: %s", e.Path, e.Line, why)}, e.Reasons...)
			}
		case why == "" && c.Verdict == engine.Violated:
			fresh := slices.DeleteFunc(c.findings(opt), func(fd finding.Finding) bool {
				return slices.ContainsFunc(known, func(o finding.Finding) bool {
					return o.Path == fd.Path && (o.Line == fd.Line || o.Rule == fd.Rule && o.Kernel == fd.Kernel)
				})
			})
			for k := range fresh {
				fresh[k].Severity = min(fresh[k].Severity, finding.Warning)
			}
			if held && len(fresh) > 0 && c.contradicts(e) { // what lowering leaves out, the IR has
				e.Verdict = engine.Inconclusive.String()
				e.Reasons = append([]string{fmt.Sprintf("%s:%d: something is wrong as the IR has it: %s", e.Path, e.Line, c.named(&c.Findings[0]))}, e.Reasons...)
			} else if !held {
				e.Reasons = append([]string{fmt.Sprintf("%s:%d: something is wrong, which is a warning, as no host code was run up to the launch: %s", e.Path, e.Line, c.named(&c.Findings[0]))}, e.Reasons...)
			}
			out = append(out, fresh...)
		case held:
		case why == "" && c.Verdict == engine.Holds && !slices.ContainsFunc(known, func(o finding.Finding) bool { return o.Kernel == k.Function.Qualified && o.Severity == finding.Error }):
			e.Reasons, e.Stopped, e.Open, e.Bounds, e.Properties = nil, nil, nil, map[string]string{}, map[string]string{}
			c.describe(e)
		case c.Verdict == engine.Inconclusive:
			said := c.reasons(e)
			e.Reasons = append(said[:min(len(said), maxSaid)], e.Reasons...)
		case why != "":
			e.Reasons = append([]string{fmt.Sprintf("%s:%d: %s", e.Path, e.Line, why)}, e.Reasons...)
		}
	}
	return append(out, opt.functions(f, t, slices.Concat(known, out))...)
}

// contradicts reports whether something is wrong with a property that a kernel's line says to hold.
func (k *compiledKernel) contradicts(e *finding.Kernel) bool {
	for p, checks := range checksOf {
		if e.Properties[string(p)] == finding.Held && slices.ContainsFunc(checks, func(c order.Check) bool { return !c.Warning() && k.Checks[c] == engine.Violated }) {
			return true
		}
	}
	return false
}

// maxSaid is how many of the reasons that the IR gives are told.
const maxSaid = 2

// templateGuesses are tried for a number that a kernel's template is given and no launch says: what is wrong with one may be right with the other.
// The first two are, of those that no static assertion excludes.
var templateGuesses = []int64{32, 8, 64, 128, 16, 256, 4, 2, 1, 512, 1024}

const maxTemplateGuesses = 2

// decideTranslated is a kernel as the IR has it; nil where it cannot be translated, and why. Where it holds, or is violated, and that is not sure, it says why.
func (opt *Options) decideTranslated(f *program.File, t *dialect.Table, fn *program.Function) (out *compiledKernel, why string) {
	asked := 0
	for _, guess := range templateGuesses {
		whole, guessed, err := frontend.Translate(f, t, fn, opt.sources, guess)
		if errors.Is(err, frontend.ErrGuess) {
			why = fmt.Sprintf("no number that was tried for its template is one that it is made for: %v", err)
			continue
		}
		if err != nil {
			return nil, err.Error()
		}
		l := exec.Launch{Params: opt.stated(whole)}
		if opt.Launch != nil {
			opt.Launch(fn.Name, &l.Grid, &l.Block, &l.Cluster)
		}
		lim := opt.Limits
		if lim.Time == 0 || lim.Time > translatedTime {
			lim.Time = max(translatedTime, lim.Time/10)
		}
		r, err := barriers.Verify(whole, l, order.Options{Limits: lim})
		if err != nil {
			return nil, err.Error()
		}
		k := &compiledKernel{Report: r, file: f, fn: fn, whole: r.Whole}
		switch {
		case r.Verdict == engine.Inconclusive && out != nil && out.LeavesOut(): // whatever the number is, with this one lanes come there
			return out, ""
		case r.Verdict == engine.Inconclusive:
			return k, ""
		case r.Verdict == engine.Holds:
			why := k.doubt()
			for _, o := range r.Others { // of the kernel's template
				if why == "" {
					why = (&compiledKernel{Report: o, file: f, fn: fn, whole: o.Whole}).doubt()
				}
			}
			return k, why
		case k.excludes(&k.Findings[0]): // however many threads there are: one comes there
		case len(r.Shapes) > 0 && !surely(r.Shapes):
			return k, "something is wrong with some of the launches that are guessed, and whether it is launched so is not known: " + k.named(&k.Findings[0])
		case k.Findings[0].Check != order.Race && (k.tried(l) > 1 && r.Spared > 0 || k.tried(l) > 0 && k.whole.Unlaunched != ""): // of a protocol, numbers that do not go together are no witness
			return k, "something is wrong with some numbers for what the kernel is given, and whether these go together is not known: " + k.named(&k.Findings[0])
		case k.Findings[0].Check == order.Race && r.Spared > 0 && r.Numbered(&k.Findings[0], l):
			return k, "something is wrong with some numbers for what the kernel is given, and not with others: whether it is given these is not known: " + k.named(&k.Findings[0])
		case len(k.whole.Guesses) > 0 && !everywhere(k.whole, r):
			return k, fmt.Sprintf("something is wrong with a guess of %s, which the text does not say: %s", strings.Join(k.whole.Guesses[:min(len(k.whole.Guesses), maxSaid)], ", "), k.named(&k.Findings[0]))
		}
		if out == nil {
			out = k
		}
		if asked++; !guessed || asked == maxTemplateGuesses {
			break
		}
	}
	if out == nil {
		return nil, why
	}
	return out, ""
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

// tried counts what numbers were tried for: not where a CTA is in a grid whose extent the caller says, which has it.
func (k *compiledKernel) tried(l exec.Launch) (n int) {
	for name := range k.Numbers {
		if base, _, _ := strings.Cut(name, "."); base != "%ctaid" || l.Grid[0] == 0 {
			n++
		}
	}
	return n
}

// excludes reports whether a finding is of a lane that comes to where lanes meet and that its own mask leaves out.
func (k *compiledKernel) excludes(f *order.Finding) bool {
	return f.Check == order.Divergence && len(f.Points) > 0 && slices.ContainsFunc(k.Execution.Kernel.Insts, func(in ir.Inst) bool {
		return in.Place == f.Points[0].Place && (in.Flags&ir.Meets != 0 || in.Op == ir.BarrierWarp)
	})
}

// meets reports whether threads come to a barrier of the CTA, if the kernel has one.
func (k *compiledKernel) meets() bool {
	return k.Meets || !slices.ContainsFunc(k.whole.Insts, func(in ir.Inst) bool { return in.Op == ir.BarrierCTA })
}

// numbered reports whether the kernel is a template, whose numbers, and those of its types, are the launch's business.
func (k *compiledKernel) numbered() bool {
	return len(k.fn.Template) > 0
}

// counts reports whether the kernel has mbarriers.
func (k *compiledKernel) counts() bool {
	return slices.ContainsFunc(k.whole.Insts, func(in ir.Inst) bool { return in.Op.Does(ir.Counts) })
}

// doubt says why a kernel that holds as it was executed is not said to; "" where it is.
func (k *compiledKernel) doubt() string {
	switch {
	case len(k.whole.Guesses) > 0:
		return fmt.Sprintf("it holds with a guess of %s, which the text does not say", strings.Join(k.whole.Guesses[:min(len(k.whole.Guesses), maxSaid)], ", "))
	case k.Execution.Trap != nil:
		return "its threads come to a trap, or to a premise that is not so, with what was tried: " + k.Execution.Kernel.Where(k.Execution.Trap)
	case k.Execution.Unmet:
		return "it holds if all lanes of a mask come to where they exchange values, which data decide"
	case k.Unended != "":
		return fmt.Sprintf("it holds with the rounds that were tried; that its threads do not wait for mbarriers at all, as %s may say, was not", k.Unended)
	case k.numbered() && k.Scarce() != nil:
		return fmt.Sprintf("it holds for the number that its template is given; with that, %s goes round so seldom that some stage is never used twice", k.Execution.Kernel.Where(k.Scarce()))
	case k.More && k.counts():
		return "it holds with the numbers that were tried together; others of these may make a difference to when phases of its mbarriers are over"
	}
	for n := range k.Findings { // what is wrong by itself, and not with what it leads to
		if f := &k.Findings[n]; f.Check.Warning() && !f.Benign {
			return "it holds, but for a warning: " + k.named(f)
		}
	}
	if !k.meets() {
		return "no thread comes to its barriers with what was tried"
	}
	if k.Conflict != nil {
		return k.Conflict.Text()
	}
	return ""
}

// everywhere reports whether what was found is found with all numbers with which shared memory is accessed, and with several for each constant that the text does
// not say.
func everywhere(whole *ir.Kernel, r *barriers.Report) bool {
	for _, name := range whole.Guesses {
		if _, given := r.Execution.Launch.Params[name]; given && len(r.Numbers[name]) < enoughNumbers {
			return false
		}
	}
	return r.Spared == 0 && !slices.ContainsFunc(r.Shapes, func(s barriers.Shape) bool {
		return s.Report != nil && s.Report.Verdict == engine.Violated && s.Report.Spared > 0
	})
}

// enoughNumbers is how many numbers for a constant have to show what is wrong.
const enoughNumbers = 3

// enoughShapes is under how many shapes of more than one axis a kernel has to be broken to be so for sure.
const enoughShapes = 3

// surely reports whether what was found under guessed shapes is found whatever the shape is: under all that have two warps or more, which are
// two or more, and of more than one axis three. Of two axes a single guess is seldom what the author has in mind.
func surely(shapes []barriers.Shape) bool {
	violated, flat := 0, true
	for _, s := range shapes {
		threads := s.Block[0] * s.Block[1] * s.Block[2]
		switch {
		case s.Report == nil || threads <= ir.Lanes || threads < 2*ir.Lanes && s.Report.Verdict != engine.Violated: // half a second warp may be too few
		case s.Report.Verdict != engine.Violated:
			return false
		default:
			flat = flat && s.Block[1]*s.Block[2] == 1
			violated++
		}
	}
	return violated > 1 && (flat || violated >= enoughShapes)
}
