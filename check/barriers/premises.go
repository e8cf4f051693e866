package barriers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// Limits of what is tried.
const (
	maxRuns   = 24      // of one shape of the CTA
	maxInputs = 12      // that are given numbers in one run
	maxSteps  = 1 << 22 // of threads that are followed to find numbers: some 0.2 s
	maxWork   = 2 * time.Second
)

// answer executes a kernel and checks what it does with barriers and shared memory. Where the answer depends on an integer that the kernel is
// given, and the launch does not say it, numbers are tried: those that [ir.Kernel.Numbers] lists. Where nothing says what shape a
// CTA has, shapes are tried that go together with what the kernel does.
func answer(k *ir.Kernel, l exec.Launch, o order.Options) (*Report, error) {
	o.Findings = max(o.Findings, maxFindings)
	stated(k, l)
	s := &search{whole: k, kernel: k.Reduced(false), options: o, clock: newClock(o), steps: maxSteps, missed: map[uint32]bool{}}
	var r *Report
	var err error
	switch {
	case len(k.Launches) > 0:
		r, err = s.launches(l)
	case s.guessed(l):
		r, err = s.shapes(l)
	default:
		r, err = s.numbers(l)
	}
	if err != nil {
		return nil, err
	}
	r.Whole, r.Uneven, r.Missed, r.Guessed = k, s.uneven, s.missed, r.Guessed || k.Guessed()
	r.Elapsed, r.work = time.Since(s.clock.begin), s.clock.spent
	return r, nil
}

// numbers is the answer for a launch whose shape is known.
func (s *search) numbers(l exec.Launch) (*Report, error) {
	s.cut, s.more, s.sides, s.said = false, false, ir.Sides{}, l
	runs, err := s.try(l)
	if err != nil {
		return nil, err
	}
	var kept, astray []*Report
	for _, r := range runs {
		if s.strays(r, l) {
			astray = append(astray, r)
		} else {
			kept = append(kept, r)
		}
	}
	where := ""
	if len(astray) > 0 {
		where = astray[0].behind
	}
	if len(kept) == 0 {
		kept, astray = runs, nil
	}
	sure := s.agree(kept, l)
	for _, run := range kept {
		if !sure && (s.contradicted(run, kept) || !s.persists(run, l)) {
			run.doubtAddresses(l)
		}
		if err := s.doubtConditions(run); err != nil {
			return nil, err
		}
	}
	r := worst(kept)
	if past, err := s.past(r, l); err != nil || past != nil {
		return past, err
	}
	if r, err = s.allGlobal(r, kept, l); err != nil {
		return nil, err
	}
	r.Meets = slices.ContainsFunc(kept, func(o *Report) bool { return o.Meets })
	r.More, r.Runs, r.Numbers, r.LeftOut = s.more, len(kept), numbersOf(kept, l), numbersOf(astray, l)
	if where != "" {
		r.behind = where
	}
	s.spare(r, kept)
	for name, all := range r.LeftOut {
		r.LeftOut[name] = slices.DeleteFunc(all, func(n int64) bool { return slices.Contains(r.Numbers[name], n) })
	}
	if h := s.elsewhere(); h != nil && r.Verdict == engine.Holds {
		r.weaken(*h)
		r.sum()
	}
	if h := s.unused(kept, l); h != nil && r.Verdict == engine.Holds {
		r.weaken(*h)
		r.sum()
	}
	if h := s.unseen(kept, astray); h != nil && r.Verdict == engine.Holds {
		r.weaken(*h)
		r.sum()
	}
	if name := s.unended(r, l); name != "" {
		r.Unended = name
	}
	if s.cut && r.Verdict == engine.Holds {
		r.Verdict = engine.Inconclusive
		r.Reasons = append(r.Reasons, exec.Halt{Why: limit.Time.Sayf("the numbers for what the kernel is given were not all tried within the work of %v; --param gives them", s.clock.most)})
	}
	return r, nil
}

// unseen is an access of shared memory that only runs make which go behind the ends of arrays: what it does is not known; nil: there is none.
func (s *search) unseen(kept, astray []*Report) *exec.Halt {
	seen := map[uint32]bool{}
	for _, r := range kept {
		maps.Copy(seen, r.made)
	}
	for _, r := range astray {
		for _, place := range slices.Sorted(maps.Keys(r.made)) {
			if r.Execution.Trap == nil && !seen[place] {
				return &exec.Halt{Place: &s.kernel.Places[place], Why: limit.Trap.Says("this access is made only with numbers with which arrays are accessed behind their ends: " + r.behind)}
			}
		}
	}
	return nil
}

// accessed are the places of the accesses that a run makes.
func accessed(p *order.Program) map[uint32]bool {
	out := map[uint32]bool{}
	for _, w := range p.Warps {
		for k := range w.Commands {
			if c := &w.Commands[k]; c.Kind.Access() {
				out[c.Place] = true
			}
		}
	}
	return out
}

// elsewhere is where the kernel may do with other numbers what it did in no run that was seen to its end: something that is not understood, or
// the other way at a comparison that always came out alike. nil: nowhere.
func (s *search) elsewhere() *exec.Halt {
	fl := s.kernel.Flow()
	for k := range s.kernel.Insts {
		if in := &s.kernel.Insts[k]; in.Op == ir.Stop && fl.Reached(fl.BlockOf(int32(k))) {
			return &exec.Halt{Place: &s.kernel.Places[in.Place], Why: in.Extra.Reason().And(", and nothing that was tried comes here")}
		}
	}
	if open := s.sides.Open(s.kernel); len(open) > 0 {
		return &exec.Halt{Place: open[0], Why: limit.Input.Says("this came out alike with all numbers that were tried for what the kernel is given, and may be otherwise with another; --param gives it")}
	}
	return nil
}

// past looks once more at a run that ended where it cannot be followed, or went as conditions of data were tried: what is wrong before that, or
// behind it and whatever happens there, is wrong all the same. It is nil where nothing is.
func (s *search) past(r *Report, l exec.Launch) (*Report, error) {
	with := r.Execution.Launch
	with.Params = maps.Clone(with.Params)
	maps.DeleteFunc(with.Params, func(name string, _ int64) bool { return exec.IsCondition(name) })
	if r.Verdict != engine.Inconclusive || r.Execution.Stop == nil && len(with.Params) == len(r.Execution.Launch.Params) || with.Block[0] == 0 || s.over() {
		return nil, nil
	}
	with.Through = true
	out, err := s.once(with, true, false)
	if err != nil {
		return nil, err
	}
	if out.doubtAddresses(l); out.Verdict != engine.Violated || out.behind != "" {
		return nil, nil
	}
	out.Runs = 1
	return out, nil
}

// strays reports whether a run goes behind the end of an array with a number that was tried: the kernel is not meant to be given that.
func (s *search) strays(r *Report, l exec.Launch) bool {
	return len(r.Execution.Launch.Params) > len(l.Params) && r.behind != ""
}

// maxUnrolled is how many rounds compilers make one of: then what a loop goes on by is as many times the number of threads.
const maxUnrolled = 8

// tryShapes tries the shapes that go together with what a kernel does, beside those that were tried before; left are the others, with the reason.
func (s *search) tryShapes(l exec.Launch, use *ir.ThreadUse, todo [][3]int, before []Shape) (tried, left []Shape, err error) {
	for n := 0; n < len(todo); n++ {
		b := todo[n]
		if why := contradicts(use, b); why != "" {
			left = append(left, Shape{Block: b, Without: why})
			continue
		}
		if len(tried) == maxShapes {
			left = append(left, Shape{Block: b, Untried: true, Without: fmt.Sprintf("no more than %d shapes are tried", maxShapes)})
			continue
		}
		if s.over() {
			left = append(left, Shape{Block: b, Untried: true, Without: late})
			continue
		}
		with := l
		with.Block = b
		s.enough = s.clock.spent + (s.clock.most-s.clock.spent)/3
		r, err := s.numbers(with)
		if err != nil {
			return nil, nil, err
		}
		for _, more := range suggested(r.Execution) {
			if !slices.Contains(todo, more) && !has(before, more) {
				todo = append(todo, more)
			}
		}
		if why := r.collides(false); why != "" && r.Verdict == engine.Violated {
			left = append(left, Shape{Block: b, Without: why})
			continue
		}
		r.strip(nil)
		if s.cut && r.Verdict != engine.Violated && len(tried) > 0 {
			left = append(left, Shape{Block: b, Untried: true, Without: late})
		} else {
			tried = append(tried, Shape{Block: b, Report: r})
		}
	}
	if err := s.witnessed(l, tried); err != nil {
		return nil, nil, err
	}
	// Where some shapes go behind the ends of arrays and others do not, it is for their threads, not for a number.
	some := slices.ContainsFunc(slices.Concat(before, tried), func(t Shape) bool { return t.Report != nil && t.Report.behind == "" })
	tried = slices.DeleteFunc(tried, func(t Shape) bool {
		out := t.Report.behind != "" && (some || len(t.Report.LeftOut) == 0 || t.Report.idle)
		if out {
			left = append(left, Shape{Block: t.Block, Without: t.Report.behind})
		}
		return out
	})
	return tried, left, nil
}

// witnessed gives shapes of which nothing is known the numbers with which another shape was violated: what is found for one shape is not always found for the next.
func (s *search) witnessed(l exec.Launch, tried []Shape) error {
	at := slices.IndexFunc(tried, func(t Shape) bool { return t.Report.Verdict == engine.Violated && t.Report.behind == "" })
	if at < 0 {
		return nil
	}
	for k := range tried {
		t := &tried[k]
		if t.Report.Verdict != engine.Inconclusive || t.Report.behind != "" || s.over() {
			continue
		}
		with := l
		with.Block, with.Params = t.Block, tried[at].Report.Execution.Launch.Params
		r, err := s.once(with, true, false)
		if err != nil {
			return err
		}
		if r.Verdict != engine.Violated || r.behind != "" {
			continue
		}
		if r.doubtAddresses(l); r.Verdict == engine.Violated {
			err = s.doubtConditions(r)
		}
		if err != nil {
			return err
		}
		if r.Verdict == engine.Violated && r.collides(false) == "" {
			r.Runs, r.Numbers = 1, numbersOf([]*Report{r}, l)
			r.strip(nil)
			t.Report = r
		}
	}
	return nil
}

// doubtAddresses takes races back whose addresses are made of a number that was tried: how long the rows of a matrix are, and where arrays begin that are
// parts of one, goes together with each other and with the shape of the CTA in a way that is not known.
func (r *Report) doubtAddresses(l exec.Launch) {
	kept, doubted := r.sureRaces(l)
	if len(doubted) == 0 {
		return
	}
	sure := slices.ContainsFunc(kept, func(f order.Finding) bool { return f.Check == order.Race && !f.Benign })
	if r.Findings = kept; sure {
		return
	}
	r.Checks[order.Race] = engine.Inconclusive
	r.Reasons = append(r.Reasons, exec.Halt{Why: limit.PerhapsWrong.Says("there are races under numbers of which addresses are made, and whether these go together with each other and with the shape of the CTA is not known"), Inputs: doubted[:1]})
	r.sum()
}

// sureRaces are the findings without races at addresses that are made of numbers that were tried; doubted are these.
func (r *Report) sureRaces(l exec.Launch) (kept []order.Finding, doubted []string) {
	if r.Checks[order.Race] != engine.Violated || r.Result == nil {
		return r.Findings, nil
	}
	of := objects(r.Execution.Kernel)
	for _, f := range r.Findings {
		var made []string
		for _, p := range f.Points {
			if f.Check != order.Race {
				break
			}
			names, factors := r.Execution.Kernel.AddressOf(p.Place, order.InGlobalMemory(f.Object))
			if fixed := of[p.Place]; len(fixed) > 0 && !slices.ContainsFunc(fixed, func(v *ir.Variable) bool { return v.Size < 0 }) {
				names = factors // where arrays of a fixed size begin does not depend on it
			}
			names = slices.Concat(names, r.copiedFrom(&f), r.outgrown[p])
			for _, name := range names {
				if r.tried(name, l) && !slices.Contains(made, name) {
					made = append(made, name)
				}
			}
		}
		if len(made) == 0 {
			kept = append(kept, f)
		} else if doubted == nil {
			doubted = made
		}
	}
	return kept, doubted
}

// outgrow notes what ends the loops in whose later rounds lanes race in shared memory where they had not been before: one that goes on for longer than its threads have room for comes to what is
// others'.
func (r *Report) outgrow() {
	r.outgrown = map[order.Point][]string{}
	for k := range r.Findings {
		if f := &r.Findings[k]; f.Check == order.Race && !order.InGlobalMemory(f.Object) {
			for _, p := range f.Points {
				if p.Index >= 0 && r.goesFurther(p) {
					r.outgrown[p] = r.Execution.Kernel.EndedBy(p.Place)
				}
			}
		}
	}
}

// goesFurther reports whether a lane accesses what it did not access before at the place, although it came there.
func (r *Report) goesFurther(p order.Point) (further bool) {
	w := r.Execution.Program.Warps[p.Warp]
	at := func(c *order.Command) uint32 { return c.A + uint32(p.Lane)*uint32(c.B) }
	c := &w.Commands[p.Index]
	if c.Kind > order.Atomic {
		return false
	}
	for k := range w.Commands[:p.Index] {
		o := &w.Commands[k]
		if o.Place != p.Place || o.Kind > order.Atomic || o.Mask>>p.Lane&1 == 0 {
			continue
		}
		if at(o) == at(c) {
			return false
		}
		further = true
	}
	return further
}

// copiedFrom is what the addresses are made of that a copy reads, of which two threads make the same: what both copy from one place is no other, whoever is the last.
func (r *Report) copiedFrom(f *order.Finding) (names []string) {
	k := r.Execution.Kernel
	if len(f.Points) != 2 || f.Points[0].Place != f.Points[1].Place || !slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Place == f.Points[0].Place && in.Op == ir.Async }) {
		return nil
	}
	names, _ = k.AddressOf(f.Points[0].Place, !order.InGlobalMemory(f.Object))
	return names
}

// Numbered reports whether a race is at an address that is made of numbers that were tried, or is between threads that come to a barrier of all of them not equally often
// with such numbers: others may be those that go together with the shape of the CTA.
func (r *Report) Numbered(f *order.Finding, l exec.Launch) bool {
	return r.skewed(l) || !r.Persists && slices.ContainsFunc(f.Points, func(p order.Point) bool {
		names, _ := r.Execution.Kernel.AddressOf(p.Place, order.InGlobalMemory(f.Object))
		return slices.ContainsFunc(names, func(name string) bool { return r.tried(name, l) })
	})
}

// CountsTried reports whether the count of a barrier is made of numbers that were tried: of all numbers it is for one, and that is the caller's business.
func (r *Report) CountsTried(l exec.Launch) bool {
	return slices.ContainsFunc(r.Execution.Kernel.CountedBy(), func(name string) bool { return r.tried(name, l) })
}

// skewed reports whether with numbers that were tried some threads of a CTA come to a barrier of all of them more often than others.
func (r *Report) skewed(l exec.Launch) bool {
	if !r.uneven {
		return false
	}
	for name := range r.Execution.Launch.Params {
		if r.tried(name, l) {
			return true
		}
	}
	return false
}

// doubtful reports whether all that is wrong are races at addresses that are made of numbers that were tried, or which ways data decide was tried, or whether
// what is wrong may be so because of such numbers.
func (r *Report) doubtful(l exec.Launch) bool {
	for name := range r.Execution.Launch.Params {
		if exec.IsCondition(name) {
			return true
		}
	}
	if r.skewed(l) {
		return true
	}
	kept, doubted := r.sureRaces(l)
	return len(doubted) > 0 && !slices.ContainsFunc(kept, func(f order.Finding) bool { return !f.Benign && !f.Check.Warning() })
}

// minAgreeing is how many different numbers have to show a race at an address that is made of them.
const minAgreeing = 3

// agree reports whether runs show races at addresses that are made of numbers that were tried with all of these with which the accesses are made: then it does not matter which.
func (s *search) agree(runs []*Report, l exec.Launch) bool {
	numbers := map[string]map[int64]bool{}
	for _, r := range runs {
		if r.idle || r.Result == nil {
			continue
		}
		if r.Checks[order.Race] != engine.Violated {
			if slices.ContainsFunc(runs, s.contactsOf(r).contradict) {
				return false
			}
			continue
		}
		_, doubted := r.sureRaces(l)
		for _, made := range doubted {
			if numbers[made] == nil {
				numbers[made] = map[int64]bool{}
			}
			numbers[made][r.Execution.Launch.Params[made]] = true
		}
	}
	for _, tried := range numbers {
		if len(tried) < minAgreeing {
			return false
		}
	}
	return len(numbers) > 0
}

// contradicted reports whether all races of a run are of threads that come to the two places once between two barriers, and in another run threads hand data to each other at these places and a barrier
// is between: it is the number then that brings together what else is apart, and not another round.
func (s *search) contradicted(r *Report, runs []*Report) bool {
	races := 0
	for k := range r.Findings {
		f := &r.Findings[k]
		if f.Check != order.Race || f.Benign || len(f.Points) != 2 {
			continue
		}
		if races++; !r.early[f.Points[0]] || !r.early[f.Points[1]] || !slices.ContainsFunc(runs, func(o *Report) bool {
			if o.idle || o.Result == nil || o.Checks[order.Race] == engine.Violated || !o.makes(f) {
				return false
			}
			c := s.contactsOf(o)
			h := c.orders(f.Points[0].Place, f.Points[1].Place)
			return (h.forth || h.back) && !c.confirm(r, f)
		}) {
			return false
		}
	}
	return races > 0
}

// contradict reports whether the run makes the accesses of a race of another one, and has none.
func (c *contacts) contradict(other *Report) bool {
	return other.Result != nil && other.Checks[order.Race] == engine.Violated && slices.ContainsFunc(other.Findings, func(f order.Finding) bool {
		return f.Check == order.Race && !f.Benign && c.run.makes(&f) && !c.confirm(other, &f)
	})
}

// tried reports whether an input was given a number, other than where the CTA is, that is no premise of the caller's; of memory, whether some word was.
func (r *Report) tried(name string, l exec.Launch) bool {
	if name == ir.Memory {
		for given := range r.Execution.Launch.Params {
			if exec.IsWord(given) {
				return true
			}
		}
		return false
	}
	_, given := r.Execution.Launch.Params[name]
	_, said := l.Params[name]
	return given && !said && !strings.HasPrefix(name, "%") && !ir.IsSize(name) // of which both addresses of a race are made, or neither
}

const late = "the time for what is tried was over"

// shapes is the answer where nothing says what shape a CTA has.
func (s *search) shapes(l exec.Launch) (*Report, error) {
	s.guessing = true
	if l.Grid[0] == 0 {
		l.Grid = s.whole.Grid
	}
	use := s.whole.Threads()
	var tried, left []Shape
	for unrolled := 1; unrolled <= maxUnrolled && len(tried) == 0; unrolled *= 2 {
		var err error
		if unrolled > 1 && !use.Rolled() {
			break
		}
		todo := candidates(s.kernel, use)
		if n := s.bounded(); n > 0 {
			todo = planes(n)
		}
		if tried, left, err = s.tryShapes(l, use, along(s.whole.Extents, todo), nil); err != nil {
			return nil, err
		}
	}
	wide := slices.DeleteFunc(slices.Clone(tried), func(t Shape) bool { return t.Block[0]*t.Block[1]*t.Block[2] < 2*ir.Lanes })
	if len(wide) == 0 || s.kernel.Axes() > 1 && len(wide) < fewShapes && !slices.ContainsFunc(wide, func(t Shape) bool { return t.Report.Verdict != engine.Violated }) { // one warp says little
		others := slices.DeleteFunc(along(s.whole.Extents, uncommon(s.kernel)), func(b [3]int) bool { return has(tried, b) || has(left, b) })
		more, out, err := s.tryShapes(l, use, others, slices.Concat(tried, left))
		if err != nil {
			return nil, err
		}
		tried, left = append(tried, more...), append(left, out...)
	}
	if len(tried) == 0 {
		e := &exec.Execution{Launch: l, Program: &order.Program{Name: s.whole.Name}, Kernel: s.kernel}
		r := &Report{Execution: e, Reasons: []exec.Halt{{Why: limit.LaunchShape.Says(s.shapeless(left))}}}
		r.Shapes, r.Guessed = left, true
		return r, nil
	}
	r := joined(tried)
	r.Shapes, r.Guessed = append(tried, left...), true
	slices.SortStableFunc(r.Shapes, func(a, b Shape) int { return slices.Compare(a.Block[:], b.Block[:]) })
	return r, nil
}

// has reports whether shapes have one among them.
func has(list []Shape, b [3]int) bool {
	return slices.ContainsFunc(list, func(t Shape) bool { return t.Block == b })
}

// fewShapes of two warps or more, of more than one axis, are too few to say that what is found is there whatever the shape is.
const fewShapes = 3

// shapeless says why a kernel is executed under no shape that was guessed.
func (s *search) shapeless(left []Shape) string {
	known := "the kernel has neither .reqntid nor .maxntid"
	if s.whole.Unlaunched != "" {
		known = s.whole.Unlaunched
	}
	const given = ": --block says how many threads a CTA has"
	if slices.ContainsFunc(left, func(t Shape) bool { return t.Without == late }) {
		return fmt.Sprintf("%s, and no shape was tried to its end within the work of %v%s", known, s.clock.most, given)
	}
	for _, t := range left {
		if t.Without != "" {
			return fmt.Sprintf("%s, and no shape that is usual goes together with what it does (blocks of %s threads: %s)%s", known, BlockText(t.Block), t.Without, given)
		}
	}
	return known + ", and no shape that is usual goes together with what it does" + given
}

// joined is the answer of several shapes. A kernel that is broken is so in all shapes that have two warps or more; of one that is in some of them
// it is not known for which it is written.
func joined(tried []Shape) *Report {
	best := tried[0].Report
	for _, t := range tried {
		if worse(t.Report, best) {
			best = t.Report
		}
	}
	if best.Verdict != engine.Violated {
		return best
	}
	those := slices.DeleteFunc(slices.Clone(tried), func(t Shape) bool { return t.Block[0]*t.Block[1]*t.Block[2] < 2*ir.Lanes })
	if len(those) == 0 {
		those = tried
	}
	if !slices.ContainsFunc(those, func(t Shape) bool { return t.Report.Verdict != engine.Violated }) {
		return those[0].Report
	}
	out := *best
	out.Verdict, out.Findings = engine.Inconclusive, nil
	for c, v := range out.Checks {
		if v == engine.Violated {
			out.Checks[c] = engine.Inconclusive
		}
	}
	out.Reasons = []exec.Halt{{Why: limit.LaunchShape.Says("it depends on how many threads a CTA has, which the kernel does not say and --block does: " + ByVerdict(tried))}}
	return &out
}

// ByVerdict says for which shapes there is which verdict.
func ByVerdict(shapes []Shape) string {
	var out []string
	for _, v := range []engine.Verdict{engine.Violated, engine.Inconclusive, engine.Holds} {
		var blocks []string
		for _, s := range shapes {
			if s.Report != nil && s.Report.Verdict == v {
				blocks = append(blocks, BlockText(s.Block))
			}
		}
		if blocks != nil {
			word := map[engine.Verdict]string{engine.Violated: "violated", engine.Inconclusive: "inconclusive", engine.Holds: "held"}[v]
			out = append(out, word+" for blocks of "+strings.Join(blocks, ", ")+" threads")
		}
	}
	return strings.Join(out, "; ")
}

// BlockText is the shape of a CTA as it is printed: 128, or 16x16.
func BlockText(b [3]int) string {
	switch {
	case b[2] > 1:
		return fmt.Sprintf("%dx%dx%d", b[0], b[1], b[2])
	case b[1] > 1:
		return fmt.Sprintf("%dx%d", b[0], b[1])
	}
	return fmt.Sprint(b[0])
}
