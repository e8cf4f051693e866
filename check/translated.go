package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// maxSaid is how many guesses are told.
const maxSaid = 2

// templateGuesses are tried for a number that a kernel's template is given and no launch says: what is wrong with one may be right with the other.
// The first two are, of those that no static assertion excludes.
var templateGuesses = []int64{32, 8, 64, 128, 16, 256, 4, 2, 1, 512, 1024}

// warpGuesses are tried instead where with the first guess a CTA has one warp: it is how many threads there are, and one warp says little.
var warpGuesses = []int64{128, 64, 256}

const maxTemplateGuesses = 2

// manyThreads is a number for a template that goes together with a CTA of several warps, as that itself or twice of it.
const manyThreads = 256

// What is asked of one kernel of CUDA C++ takes no more work than that of soon, unless the caller says how long it may: then that, up to textTime, or a tenth of it.
const (
	soon     = 500 * time.Millisecond
	textTime = 2 * time.Second
)

func textLimits(l engine.Limits) engine.Limits {
	if l.Work = soon; l.Time > 0 {
		l.Work = max(min(l.Time, textTime), l.Time/10)
	}
	return l
}

// decideText decides a kernel of CUDA C++: it is translated to the IR as it stands in the text, and executed; where what it calls is there only under a
// name that nothing defines, as if that was defined.
func (opt *Options) decideText(f *program.File, t *dialect.Table, fn *program.Function) *compiledKernel {
	out := opt.decideAmong(f, t, fn, opt.sources, nil)
	if out.whole != nil && len(out.whole.Otherwise) > 0 && (out.Report == nil || out.Verdict != engine.Violated || out.doubt.Code != 0) { // what the guess leaves out may be wrong
		if other := opt.decideAmong(f, t, fn, opt.sources, out.whole.Otherwise); other.Report != nil && other.Verdict == engine.Violated && other.doubt.Code == 0 {
			return other
		}
	}
	if out.whole == nil || out.Report == nil || out.Verdict != engine.Inconclusive {
		return out
	}
	names := opt.configuration(f, t, fn, out.whole.Lacking)
	if len(names) == 0 {
		return out
	}
	there := opt.sources.with(names)
	g, other := counterpart(there, f, fn)
	if other == nil {
		return out
	}
	k := opt.decideAmong(g, t, other, there, nil)
	if k.Report == nil {
		return out
	}
	k.file, k.fn = f, fn
	k.Guessed = k.Guessed || len(out.whole.Lacking) > 1 // whoever compiles it defines the one name, but of several not all, perhaps
	k.Execution.Assumed = append(slices.Clone(k.Execution.Assumed), fmt.Sprintf("%s is defined, which no file is that is read", strings.Join(names, " and ")))
	return k
}

// reasonOf is why a kernel could not be executed.
func reasonOf(err error) limit.Reason {
	var why limit.Reason
	if errors.As(err, &why) {
		return why.Code.Says(err.Error())
	}
	return limit.Internal.Says(err.Error())
}

// maxConfigured bounds how many names are defined together.
const maxConfigured = 2

// configuration are names with which all is there that a kernel calls, or the most of it; none where they leave it as it is.
func (opt *Options) configuration(f *program.File, t *dialect.Table, fn *program.Function, lacking []string) (names []string) {
	for len(names) < maxConfigured && len(lacking) > 0 {
		best, least := "", lacking
		for _, name := range lacking[:min(len(lacking), maxConfigured)] {
			there := opt.sources.with(append(slices.Clone(names), name))
			g, other := counterpart(there, f, fn)
			if other == nil {
				continue
			}
			whole, _, err := cuda.Translate(g, t, other, there, templateGuesses[0])
			if err == nil && (len(whole.Lacking) < len(least) || best == "" && !slices.Equal(whole.Lacking, lacking)) {
				best, least = name, whole.Lacking
			}
		}
		if best == "" {
			break
		}
		names, lacking = append(names, best), least
	}
	return names
}

// counterpart is a kernel as it is among other sources; nil where it is not there.
func counterpart(there *Sources, f *program.File, fn *program.Function) (*program.File, *program.Function) {
	g, _ := there.File(f.Source.Name)
	if g == nil {
		return nil, nil
	}
	for _, other := range g.Functions {
		if other.Kernel && other.NameSpan == fn.NameSpan && other.Qualified == fn.Qualified {
			return g, other
		}
	}
	return nil, nil
}

// decideAmong decides a kernel with what other files of the tree have for it, and with numbers for some parameters of its template, where these are not guessed.
func (opt *Options) decideAmong(f *program.File, t *dialect.Table, fn *program.Function, sources *Sources, numbers map[string]int64) (out *compiledKernel) {
	asked, why, lim := 0, limit.Reason{}, textLimits(opt.Limits)
	if numbers != nil { // it is asked for the second time
		lim.Work = min(lim.Work, soon)
	}
	var first *compiledKernel
	for guesses := templateGuesses; len(guesses) > 0; guesses = guesses[1:] {
		k := &compiledKernel{file: f, fn: fn, sources: sources}
		whole, guessed, err := cuda.TranslateOtherwise(f, t, fn, sources, guesses[0], numbers)
		if errors.Is(err, cuda.ErrGuess) {
			why = limit.Template.Sayf("no number that was tried for its template is one that it is made for: %v", err)
			if numbers != nil {
				break
			}
			continue
		}
		if opt.calling.includes(f.Source.Name) && (err != nil || !opt.calling.runs(whole)) {
			k.unnamed = true
			return k
		}
		if err == nil {
			err = k.decide(opt, whole, lim)
		}
		if err != nil {
			k.unasked = reasonOf(err)
			return k
		}
		k.doubt = k.doubts()
		if guessed && first == nil && out == nil && (k.Verdict != engine.Violated || k.doubt.Code != 0) && k.narrow() {
			first, guesses = k, append(guesses[:1:1], warpGuesses...)
			continue
		}
		switch {
		case k.Verdict == engine.Inconclusive && out != nil && out.LeavesOut(): // whatever the number is, with this one lanes come there
			return out
		case k.Verdict == engine.Violated && k.doubt.Code != 0 && out != nil: // as wrong with this number, but less surely so
			out.doubt = out.guessed()
			return out
		case asked == maxTemplateGuesses && k.shapeless(): // nobody launches it so: that says nothing of the others
			return out
		case k.Verdict != engine.Violated || k.doubt.Code != 0:
			return k
		}
		if out == nil {
			out = k
		}
		asked++
		if asked == maxTemplateGuesses && len(out.Shapes) > 0 { // how many threads there are may follow from the number, which was for few
			guesses = append(guesses[:1:1], manyThreads)
		} else if !guessed || asked >= maxTemplateGuesses {
			break
		}
	}
	switch {
	case out != nil:
		return out
	case first != nil:
		return first
	}
	return &compiledKernel{file: f, fn: fn, unasked: why}
}

// shapeless reports whether the kernel was executed under none of the shapes that were guessed.
func (k *compiledKernel) shapeless() bool {
	return k.Report.Guessed && !slices.ContainsFunc(k.Shapes, func(s barriers.Shape) bool { return s.Report != nil || s.Untried })
}

// doubts say why a kernel that holds, or is violated, as it was executed is not said to be so; none where it is.
func (k *compiledKernel) doubts() (none limit.Reason) {
	r := k.Report
	switch {
	case r.Verdict == engine.Inconclusive:
		return none
	case r.Verdict == engine.Holds:
		why := k.unsure()
		for _, o := range r.Others { // of the kernel's template
			if why.Code == 0 {
				why = (&compiledKernel{Report: o, file: k.file, fn: k.fn, whole: o.Whole}).unsure()
			}
		}
		return why
	case k.excludes(&k.Findings[0]): // however many threads there are: one comes there
		return none
	case len(r.Shapes) > 0 && !surely(r.Shapes):
		return limit.LaunchShape.Says("something is wrong with some of the launches that are guessed, and whether it is launched so is not known: " + k.told(&k.Findings[0]))
	case k.Findings[0].Check != order.Race && r.CountsTried(k.stated):
		return limit.PerhapsWrong.Says("something is wrong with the numbers that were tried for how many threads a barrier counts, and what these are is not known: " + k.told(&k.Findings[0]))
	case k.Findings[0].Check != order.Race && (k.tried() > 1 && r.Spared > 0 || k.tried() > 0 && (r.Guessed || r.Chosen && r.Spared > 0)): // of a protocol, numbers that do not go together are no witness
		return limit.PerhapsWrong.Says("something is wrong with some numbers for what the kernel is given, and whether these go together is not known: " + k.told(&k.Findings[0]))
	case k.Findings[0].Check == order.Race && r.Spared > 0 && r.Numbered(&k.Findings[0], k.stated):
		return limit.PerhapsWrong.Says("something is wrong with some numbers for what the kernel is given, and not with others: whether it is given these is not known: " + k.told(&k.Findings[0]))
	case slices.ContainsFunc(k.whole.Guesses, k.chosenFreely) && !k.everywhere():
		return k.guessed()
	}
	return none
}

// guessed says of what is wrong that it rests on what is guessed of the kernel.
func (k *compiledKernel) guessed() limit.Reason {
	return limit.PerhapsWrong.Sayf("something is wrong with a guess of %s, which the text does not say: %s", strings.Join(k.whole.Guesses[:min(len(k.whole.Guesses), maxSaid)], ", "), k.told(&k.Findings[0]))
}

// narrow reports whether the kernel was executed by CTAs of one warp alone, and no launch says so.
func (k *compiledKernel) narrow() bool {
	if len(k.whole.Launches) > 0 || k.stated.Block[0] != 0 {
		return false
	}
	small := func(b [3]int) bool { return b[0]*b[1]*b[2] <= ir.Lanes }
	for _, s := range k.Shapes {
		if s.Report != nil && !small(s.Block) {
			return false
		}
	}
	return len(k.Shapes) > 0 || small(k.Execution.Launch.Block)
}

// tried counts what numbers were tried for: not where a CTA is in a grid that has it, as all have the first one, nor how many a found launch has, which may be any.
func (k *compiledKernel) tried() (n int) {
	for name := range k.Numbers {
		at, given := k.Execution.Launch.Params[name]
		base, axis, _ := strings.Cut(name, ".")
		if base == "%nctaid" && len(k.whole.Launches) > 0 {
			continue
		}
		if base != "%ctaid" || k.stated.Grid[0] == 0 && !(given && (at == 0 || at < int64(k.whole.Grid[max(0, strings.Index("xyz", axis))]))) {
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

// unsure says why a kernel that holds as it was executed is not said to; none where it is.
func (k *compiledKernel) unsure() (none limit.Reason) {
	switch {
	case k.whole.Guessed():
		granted := k.whole.Granted()
		return limit.Template.Sayf("it holds with a guess of %s, which the text does not say", strings.Join(granted[:min(len(granted), maxSaid)], ", "))
	case k.Execution.Trap != nil:
		return limit.Trap.Says("its threads come to a trap, or to a premise that is not so, with what was tried: " + k.Execution.Kernel.Where(k.Execution.Trap))
	case k.Execution.Unmet:
		return limit.DataBranch.Says("it holds if all lanes of a mask come to where they exchange values, which data decide")
	case k.Unended != "":
		return limit.Rounds.Sayf("it holds with the rounds that were tried; that its threads do not wait for mbarriers at all, as %s may say, was not", k.Unended)
	case k.numbered() && k.Scarce() != nil:
		return limit.Rounds.Sayf("it holds for the number that its template is given; with that, %s goes round so seldom that some stage is never used twice", k.Execution.Kernel.Where(k.Scarce()))
	case k.More && k.counts():
		return limit.Input.Says("it holds with the numbers that were tried together; others of these may make a difference to when phases of its mbarriers are over")
	}
	if !k.meets() {
		return limit.Way.Says("no thread comes to its barriers with what was tried")
	}
	if k.Conflict != nil {
		return k.Conflict.Reason()
	}
	return none
}

// everywhere reports whether what was found is found with all numbers with which shared memory is accessed, and with several for each constant that the text does
// not say.
func (k *compiledKernel) everywhere() bool {
	r := k.Report
	for _, name := range k.whole.Guesses {
		if _, given := r.Execution.Launch.Params[name]; given && k.chosenFreely(name) && len(r.Numbers[name]) < enoughNumbers {
			return false
		}
	}
	return r.Spared == 0 && !slices.ContainsFunc(r.Shapes, func(s barriers.Shape) bool {
		return s.Report != nil && s.Report.Verdict == engine.Violated && s.Report.Spared > 0
	})
}

// chosenFreely reports whether with another choice for what is guessed there may be another kernel: not for how large a type is, of which both addresses of a race are made,
// nor for a flag of the kernel's template, which it has for both.
func (k *compiledKernel) chosenFreely(guess string) bool {
	return !ir.IsSize(guess) && !slices.Contains(k.whole.Flags, guess)
}

// enoughNumbers is how many numbers for a constant have to show what is wrong.
const enoughNumbers = 3

// enoughShapes is under how many shapes of more than one axis a kernel has to be broken to be so for sure.
const enoughShapes = 3

// surely reports whether what was found under guessed shapes is found whatever the shape is: under all that have two warps or more, which are
// two or more, and of more than one axis three. Of two axes a single guess is seldom what the author has in mind. A single one does where neither more nor fewer threads go together with what the kernel does.
func surely(shapes []barriers.Shape) bool {
	violated, flat, most := 0, true, 0
	more, fewer := false, false // threads than that do not go together with the kernel
	for _, s := range shapes {
		threads := s.Block[0] * s.Block[1] * s.Block[2]
		switch {
		case s.Report == nil || threads <= ir.Lanes || threads < 2*ir.Lanes && s.Report.Verdict != engine.Violated: // half a second warp may be too few
		case s.Report.Verdict != engine.Violated:
			return false
		default:
			flat = flat && s.Block[1]*s.Block[2] == 1
			violated++
			most = max(most, threads)
		}
	}
	for _, s := range shapes {
		if s.Excluded() {
			more, fewer = more || s.Block[0] > most, fewer || s.Block[0] < most && s.Block[0]%ir.Lanes == 0
		}
	}
	return flat && (more || most == ir.MaxThreads) && fewer && violated == 1 || violated > 1 && (flat || violated >= enoughShapes)
}
