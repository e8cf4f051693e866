package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// aloneTime bounds the work of what is asked of a function by itself.
const aloneTime = 500 * time.Millisecond

// maxOtherwise bounds the functions of a file that are looked at with other numbers than those that are guessed first.
const maxOtherwise = 8

// functions looks at functions of the device, each by itself: those that nobody is seen to call, for a caller may be anybody, and those that are called by what is not
// decided. Told is what is wrong whatever a caller does that is usual, as a warning; what is wrong with one that nobody calls if it is called twice in a row is a note.
// Nothing is proved of them.
func (opt *Options) functions(ctx context.Context, f *program.File, t *dialect.Table, kernels []*compiledKernel, known []finding.Finding) (out []finding.Finding, err error) {
	others, between, asks := 0, 0, newAsker(ctx)
	for _, r := range frontend.Roots(f, t, opt.sources) {
		if r.Called && covered(f, r.Function, kernels, (*compiledKernel).sure) {
			continue
		}
		disorders := func(k *compiledKernel) bool { return k.hands(known) }
		severity, how := finding.Warning, "by itself"
		list, once := opt.alone(f, t, r, nil, false)
		looked := []*frontend.Alone{once}
		if len(list) == 0 && once != nil && len(once.Otherwise) > 0 && others < maxOtherwise { // what the guess leaves out may be wrong
			others++
			other := once
			list, other = opt.alone(f, t, r, once.Otherwise, false)
			looked = append(looked, other)
		}
		if once != nil && !once.Held && (once.Whole || once.Warp) && between < maxIntervalsAlone {
			between++
			list = append(list, elsewhere(list, opt.intervalsAlone(f, t, r.Function, once))...)
		}
		if len(list) == 0 && !r.Called {
			severity, how = finding.Note, "called twice in a row with no barrier between"
			list, _ = opt.alone(f, t, r, nil, true)
		}
		for _, a := range looked {
			if a == nil {
				continue
			}
			k := &compiledKernel{file: f, fn: r.Function, whole: a.Kernel, lent: a.Params}
			if k.lent == nil {
				k.lent = map[string]bool{}
			}
			told := func() []finding.Finding { return slices.Concat(known, out, list) }
			out = append(out, k.divided(opt, told(), a.Whole)...)
			out = append(out, k.turns(opt, told(), r.Called)...)
			out = append(out, k.copiesInFlight(opt, told())...)
			if r.Called && covered(f, r.Function, kernels, disorders) { // told of the kernel
				continue
			}
			_, handed, failed := opt.handed(asks, f.Source, nil, opt.published(t, []*compiledKernel{k}), nil)
			err = errors.Join(err, failed)
			out = append(out, slices.DeleteFunc(handed, func(fd finding.Finding) bool { return toldIn(told(), &fd) })...)
			out = append(out, k.unpaired(opt, t, told())...)
		}
		why := fmt.Sprintf("no call of %s is found in %s", r.Function.Qualified, strings.Join(r.Files, ", "))
		if r.Called {
			why = fmt.Sprintf("no kernel of this file that calls %s is decided", r.Function.Qualified)
		}
		for _, fd := range list {
			fd.Severity, fd.Alone = severity, true
			fd.Message += fmt.Sprintf("; %s is looked at %s", r.Function.Name, how)
			fd.Notes = append(fd.Notes, why, "what pointers and references lead to is taken for memory apart from each other, and the same for all threads of the CTA")
			out = append(out, fd)
		}
	}
	return out, err
}

// covered reports whether one of some kernels executes some line of a function's body.
func covered(f *program.File, fn *program.Function, kernels []*compiledKernel, which func(*compiledKernel) bool) bool {
	if len(fn.Body) == 0 {
		return false
	}
	first, last := f.Source.LineAt(fn.Body[0].Where().Start), f.Source.LineAt(fn.Span.End)
	return slices.ContainsFunc(kernels, func(k *compiledKernel) bool {
		if !which(k) {
			return false
		}
		sites := k.standing()
		for n := first; n <= last; n++ {
			if sites[place{f.Source.Name, n}] {
				return true
			}
		}
		return false
	})
}

// sure reports whether a kernel is decided, with nothing that was guessed.
func (k *compiledKernel) sure() bool {
	return k.Report != nil && k.doubt.Code == 0 && k.Verdict != engine.Inconclusive
}

// greaterGuesses are tried for the number that a function's template is given where with the first guess one warp alone has work.
var greaterGuesses = []int64{128, 256, 64, 512}

// alone is what is wrong with a function by itself, for sure: with each guess of what its template is given, and with each shape of a CTA that goes together with it. first
// is the function with the first guess, nil where it is not understood.
func (opt *Options) alone(f *program.File, t *dialect.Table, of frontend.Root, numbers map[string]int64, twice bool) (out []finding.Finding, first *frontend.Alone) {
	fn := of.Function
	tried := 0
	var few []finding.Finding // what the first guess shows and too few warps come to: it has to be there with more of them
	for guesses := templateGuesses; len(guesses) > 0; guesses = guesses[1:] {
		a, guessed, err := frontend.TranslateAlone(f, t, fn, opt.sources, guesses[0], numbers, twice)
		if errors.Is(err, frontend.ErrGuess) && numbers == nil {
			continue
		}
		if err == nil {
			a.Called = of.Called
			first = cmp.Or(first, a)
		}
		if err != nil || !(a.Whole || a.Lanes || a.Shared) || slices.ContainsFunc(a.Insts, forOthers) {
			return nil, first
		}
		found, doubted := opt.calledBy(f, fn, a)
		switch {
		case len(found) == 0 && guessed && tried == 0 && few == nil && len(doubted) > 0 && guesses[0] == ir.Lanes:
			few, guesses = doubted, slices.Concat(guesses[:1], greaterGuesses)
			continue
		case len(found) == 0:
			return nil, first
		case tried == 0:
			out = found
		}
		if tried > 0 {
			out = among(out, found)
		}
		if tried++; !guessed || tried == maxTemplateGuesses {
			break
		}
	}
	if few != nil {
		out = among(out, few)
	}
	return onePerLine(out), first
}

// among are the findings of a list that are in another, too.
func among(list, other []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(list, func(fd finding.Finding) bool {
		return !slices.ContainsFunc(other, func(o finding.Finding) bool { return sameLines(&fd, &o) })
	})
}

// forOthers reports whether an instruction synchronizes with threads, or with units, of which a function says nothing: who else takes part, and
// what came before, its caller knows.
func forOthers(in ir.Inst) bool {
	switch in.Op {
	case ir.BarrierCTA:
		return in.Flags&ir.Arrives != 0 || in.A.Reg != -1 || in.A.Imm != 0 || in.B.Reg != -1 || in.B.Imm != 0
	case ir.BarrierWarp, ir.Stop: // behind that nothing is said
		return false
	}
	return in.Op.Synchronizes() && in.Op != ir.GroupCommit && in.Op != ir.GroupWait || in.Op.Does(ir.Counts)
}

// calling is who is taken to call a function.
type calling uint8

const (
	allThreads calling = iota // of the CTA: they meet in it
	someWarps                 // of the CTA, as far as each accesses what is its own part of something
	oneWarp
)

// calledBy is what is wrong with a function by itself, whoever may be taken to call it: all threads of the CTA where they meet in it, else several warps, else one.
// doubted is what is wrong with the first shape, but not for sure.
func (opt *Options) calledBy(f *program.File, fn *program.Function, a *frontend.Alone) (out, doubted []finding.Finding) {
	if a.Whole {
		return opt.shapesAlone(f, fn, a, allThreads)
	}
	if !a.Warp {
		out, doubted = opt.shapesAlone(f, fn, a, someWarps)
	}
	if len(out) == 0 && a.Lanes {
		out, _ = opt.shapesAlone(f, fn, a, oneWarp)
	}
	return out, doubted
}

// shapesAlone is what is wrong with each shape of a CTA of two warps or more that goes together with a function, or with one warp.
func (opt *Options) shapesAlone(f *program.File, fn *program.Function, a *frontend.Alone, who calling) (out, doubted []finding.Finding) {
	lim := opt.Limits
	if lim.Work = aloneTime; lim.Time > 0 {
		lim.Work = min(lim.Time, aloneTime)
	}
	blocks := [][3]int{{ir.Lanes, 1, 1}}
	if who != oneWarp {
		r, err := barriers.Verify(a.Kernel, exec.Launch{Params: map[string]int64{}}, order.Options{Limits: lim})
		a.Held = a.Held || err == nil && r.Verdict == engine.Holds
		if err != nil || r.Verdict != engine.Violated || !surely(r.Shapes) {
			return nil, opt.ofOneWarp(f, fn, a, r)
		}
		blocks = nil
		for _, s := range r.Shapes {
			if s.Report != nil && s.Block[0]*s.Block[1]*s.Block[2] >= 2*ir.Lanes {
				blocks = append(blocks, s.Block)
			}
		}
	}
	for n, b := range blocks {
		r, err := barriers.Verify(a.Kernel, exec.Launch{Block: b, Params: map[string]int64{}}, order.Options{Limits: lim})
		a.Held = a.Held || err == nil && r.Verdict == engine.Holds
		k := &compiledKernel{Report: r, file: f, fn: fn, whole: a.Kernel}
		if err != nil || r.Verdict != engine.Violated || r.Spared > 0 && len(r.Numbers) > 1 || len(a.Guesses) > 0 && !k.everywhere() {
			return nil, doubted
		}
		k.Guessed = true
		if n == 0 && who != oneWarp {
			doubted = k.everyFinding(opt)
		}
		r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(fd order.Finding) bool { return !k.sureAlone(&fd, a, who) })
		if found := k.everyFinding(opt); n == 0 {
			out = found
		} else {
			out = among(out, found)
		}
		if len(out) == 0 {
			return nil, doubted
		}
	}
	return out, doubted
}

// ofOneWarp is what is wrong with a CTA of one warp, where others do not go together with the function or show nothing.
func (opt *Options) ofOneWarp(f *program.File, fn *program.Function, a *frontend.Alone, r *barriers.Report) []finding.Finding {
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.Shapes, func(s barriers.Shape) bool {
		return s.Report != nil && s.Block == [3]int{ir.Lanes, 1, 1} && s.Report.Verdict == engine.Violated
	})
	if at < 0 {
		return nil
	}
	k := &compiledKernel{Report: r.Shapes[at].Report, file: f, fn: fn, whole: a.Kernel}
	k.Guessed = true
	return k.everyFinding(opt)
}

// sameLines reports whether two findings are of one rule and name the same lines.
func sameLines(a, b *finding.Finding) bool {
	return a.Rule == b.Rule && a.Path == b.Path && a.Line == b.Line && slices.EqualFunc(a.Labels, b.Labels, func(x, y finding.Label) bool { return x.Path == y.Path && x.Line == y.Line })
}

// sureAlone reports whether what was found of a function is so whoever calls it.
func (k *compiledKernel) sureAlone(f *order.Finding, a *frontend.Alone, who calling) bool {
	if f.Benign || f.Check != order.Race && f.Check != order.Divergence || len(f.Points) == 0 {
		return false
	}
	for _, p := range f.Points {
		if p.Index < 0 || hangsOn(k.Execution.Kernel, p.Place, a) {
			return false
		}
	}
	if f.Check == order.Divergence {
		return who != someWarps && (!a.Called || k.joined(f.Points[0].Place)) && !k.handed(f.Points[0].Place)
	}
	var written []order.Value
	for _, p := range f.Points {
		w := k.Execution.Program.Warps[p.Warp]
		c := &w.Commands[p.Index]
		if !c.Kind.Access() { // a unit's: what it is waited for by, the caller may know
			return false
		}
		if c.Kind == order.Write {
			written = append(written, w.Written(c))
		}
	}
	if len(written) == len(f.Points) && slices.ContainsFunc(written, func(v order.Value) bool { return v.Form == 0 || v.Form != written[0].Form }) {
		return false // what both write may be the same
	}
	v := k.variable(int64(f.Object & (1<<24 - 1)))
	switch {
	case v == nil || who == oneWarp && !a.Warp:
		return false
	case who == oneWarp:
		return !a.Params[v.Name] || k.spread(v)
	}
	return who == allThreads && !a.Params[v.Name] || k.parted(v)
}

// handed reports whether the mask of an instruction is made of what the function is given: its caller knows who comes.
func (k *compiledKernel) handed(place uint32) bool {
	kernel := k.Execution.Kernel
	return slices.ContainsFunc(kernel.Insts, func(in ir.Inst) bool {
		if in.Place != place || in.Members.Reg < 0 {
			return false
		}
		names, _ := kernel.InputsOf(&ir.Inst{Op: ir.Move, Guard: -1, A: in.Members, B: ir.None, C: ir.None})
		return len(names) > 0
	})
}

// joined reports whether whole warps come to a place, as other instructions say.
func (k *compiledKernel) joined(place uint32) bool {
	kernel := k.Execution.Kernel
	for n := range kernel.Insts {
		if kernel.Insts[n].Place == place && !kernel.Joined(int32(n)) {
			return false
		}
	}
	return true
}

// hangsOn reports whether an address at a place, or whether threads come there, is made of anything that the text does not say and that they may not have alike.
func hangsOn(kernel *ir.Kernel, place uint32, a *frontend.Alone) bool {
	open := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, special := kernel.Special[name]
			return !special && !a.Inputs[name]
		})
	}
	for n := range kernel.Insts {
		in := &kernel.Insts[n]
		if in.Place == place {
			if names, _ := kernel.InputsOf(in); open(names) {
				return true
			}
		}
		if in.Op != ir.Branch || in.Guard < 0 {
			continue
		}
		r := kernel.RegionOf(int32(n))
		if !slices.ContainsFunc(r.Insts, func(m int32) bool { return kernel.Insts[m].Place == place }) {
			continue
		}
		if names, _ := kernel.InputsOf(in); open(names) {
			return true
		}
	}
	return false
}

// spread reports whether lanes access each its own part of a variable at some place: then they are handed the same.
func (k *compiledKernel) spread(v *ir.Variable) bool {
	return slices.ContainsFunc(k.Execution.Program.Warps, func(w *order.Warp) bool {
		return slices.ContainsFunc(w.Commands, func(c order.Command) bool {
			return c.Kind.Access() && c.Mask&(c.Mask-1) != 0 && int32(c.B) >= int32(c.C) && k.variable(int64(c.A)&(1<<24-1)) == v
		})
	})
}

// parted reports whether warps access each its own part of a variable at some place: then several call the function, and are handed the same.
func (k *compiledKernel) parted(v *ir.Variable) bool {
	type ends struct{ first, last int64 }
	parts := map[uint32]map[int]ends{}
	const offset = 1<<24 - 1
	for n, w := range k.Execution.Program.Warps {
		for i := range w.Commands {
			c := &w.Commands[i]
			if !c.Kind.Access() || c.Mask == 0 {
				continue
			}
			lo, hi := int64(-1), int64(-1)
			for l := range ir.Lanes {
				if c.Mask>>l&1 != 0 {
					at := (int64(c.A) + int64(l)*int64(int32(c.B))) & offset
					if lo < 0 || at < lo {
						lo = at
					}
					hi = max(hi, at+int64(c.C))
				}
			}
			if k.variable(lo) != v {
				continue
			}
			if parts[c.Place] == nil {
				parts[c.Place] = map[int]ends{}
			}
			if _, met := parts[c.Place][n]; !met {
				parts[c.Place][n] = ends{lo, hi}
			}
		}
	}
	for _, place := range slices.Sorted(maps.Keys(parts)) {
		var all []ends
		for _, e := range parts[place] {
			all = append(all, e)
		}
		slices.SortFunc(all, func(a, b ends) int { return int(a.first - b.first) })
		apart := len(all) > 1
		for i := 1; i < len(all); i++ {
			apart = apart && all[i-1].last <= all[i].first
		}
		if apart {
			return true
		}
	}
	return false
}
