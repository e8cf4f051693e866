// Package barriers decides what a kernel of the IR does with barriers and shared memory: it has the kernel executed, and asks
// engine/order about the threads' commands.
package barriers

import (
	"slices"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// Report is what is known of a kernel's barriers and shared memory.
type Report struct {
	Whole     *ir.Kernel // that it is of: one of the instances of a kernel's template
	Others    []*Report  // of the other instances
	Verdict   engine.Verdict
	Reasons   []exec.Halt // why inconclusive; Place may be nil
	Checks    [order.Checks]engine.Verdict
	Findings  []order.Finding
	Result    *order.Result // nil where the execution ended early
	Execution *exec.Execution
	Numbers   map[string][]int64 // what was tried for inputs of the kernel that the launch does not give
	Runs      int                // with so many combinations of them
	More      bool               // and there are more that make a difference
	LeftOut   map[string][]int64 // what was tried and is not counted: with it, arrays are accessed behind their ends, or threads come to a trap
	Unended   string             // an input that says how often threads wait for mbarriers, and was not tried so that they do not
	Guessed   bool               // nothing says what shape a CTA has, or what the kernel's template is given
	Presumed  bool               // where data choose lanes, all lanes of a warp were taken to go the same way
	Persists  bool               // a race at addresses that are made of numbers that were tried is there with others, too
	Chosen    bool               // the host chooses the launch by what is not known, see [ir.Launched]
	Uneven    bool               // in some run, threads of a CTA come to a barrier of all of them more often than others
	Missed    map[uint32]bool    // by place of such a barrier, whether that is so in each run that comes there
	Spared    int                // runs that are not violated, and make the accesses of what is found
	Shapes    []Shape            // those that were thought of then
	Memory    int64              // bytes of the program and of the engine
	Searched  int                // states of interleavings that were visited, too
	Elapsed   time.Duration
	work      time.Duration            // see clock
	Conflict  *exec.Halt               // an access of global memory that may race with another one of the CTA; nil: none, or it was found to
	Apart     *exec.Halt               // one that was compared with no other
	Compared  []string                 // what numbers those of global memory were compared with
	behind    string                   // an access behind the end of an array, in some run, or a trap
	Meets     bool                     // threads come to a barrier of the CTA, in some run
	uneven    bool                     // in this run, threads of a CTA come to a barrier of all of them more often than others
	idle      bool                     // no run that is counted accesses shared memory
	touched   map[uint32]bool          // places of accesses of shared memory
	later     map[[2]uint32]bool       // see orients
	early     map[order.Point]bool     // see orients
	outgrown  map[order.Point][]string // see outgrow
	turns     map[turn]int             // how often a warp waited at most
	rounds    map[uint32]int           // by place of an access: see remade
	made      map[uint32]bool          // the places of its accesses
}

// maxFindings is how many of each check the engine is asked for; what the report shows is the caller's business.
const maxFindings = 64

// check has the engine look at the program of the execution.
func (r *Report) check(o order.Options) {
	r.Result = order.Verify(r.Execution.Program, o)
	r.Memory = r.Execution.Memory() + r.Result.Memory
	r.judge(o)
}

// judge takes the engine's answers for those of the kernel, where the program that it saw is all that the kernel does.
func (r *Report) judge(o order.Options) {
	for c, a := range r.Result.Answers {
		r.Checks[c] = a.Verdict
	}
	r.Findings = slices.Clone(r.Result.Findings)
	r.interleave(o)
	if r.Result.Reason.Code != 0 {
		r.Reasons = append(r.Reasons, exec.Halt{Why: r.Result.Reason})
	}
	r.doubtRaces(o)
	r.outgrow()
	r.faults()
	r.doubtPassed()
	for _, p := range r.Execution.Stuck {
		r.weaken(p)
	}
	for _, p := range r.Execution.Masks {
		r.weaken(p, order.Divergence)
	}
	for _, p := range r.Execution.Peeks {
		p.Why = limit.Peek.Says("whether the phase is over is asked once, not in a loop, and what follows depends on the answer")
		r.weaken(p, order.Deadlock, order.Phase, order.Attribution)
	}
	for _, h := range r.Execution.Agreed {
		r.weaken(h)
	}
	for _, h := range r.Execution.Hidden {
		if r.Execution.Tracked { // it may write what decides control
			r.weaken(h)
		} else {
			r.weaken(h, order.Race)
		}
	}
	r.sum()
}

// sum is the verdict of all checks together.
func (r *Report) sum() {
	r.Verdict = engine.Holds
	for c, v := range r.Checks {
		if v == engine.Violated && !order.Check(c).Warning() {
			r.Verdict = engine.Violated
			return
		}
		if v == engine.Inconclusive {
			r.Verdict = engine.Inconclusive
		}
	}
}

// faults takes what the execution came to for findings, where what it came to is sure.
func (r *Report) faults() {
	e := r.Execution
	for _, f := range e.Faults {
		if len(e.Peeks)+len(e.Stuck) > 0 {
			r.weaken(exec.Halt{Place: &e.Kernel.Places[f.At.Place], Why: limit.PerhapsWrong.Says(f.Text + ", if what was not followed goes as it was taken to")}, f.Check)
			continue
		}
		r.Checks[f.Check] = engine.Violated
		r.Findings = append(r.Findings, order.Finding{Check: f.Check, Text: f.Text, Points: []order.Point{f.At}, Barrier: -1})
	}
}

// weaken makes checks that hold inconclusive, all where none is named.
func (r *Report) weaken(why exec.Halt, checks ...order.Check) {
	used := false
	for c := order.Check(0); c < order.Checks; c++ {
		if (len(checks) == 0 || slices.Contains(checks, c)) && r.Checks[c] == engine.Holds {
			r.Checks[c] = engine.Inconclusive
			used = true
		}
		used = used || r.Checks[c] == engine.Inconclusive && slices.Contains(checks, c)
	}
	if used {
		r.Reasons = append(r.Reasons, why)
	}
}

// doubtRaces leaves out races of accesses that may not be executed, or may write the same. An access that may be anywhere stands in front of others of its thread:
// where no race is sure, the others are looked at without it.
func (r *Report) doubtRaces(o order.Options) {
	kept, doubted, sure := r.sift(r.Findings)
	if doubted != nil && !sure && r.Checks[order.Race] == engine.Violated {
		if more, _, found := r.sift(r.withoutUnsure(o)); found {
			kept, sure = append(kept, more...), true
		} else if more, _, found := r.sift(r.withinParts(r.Findings, o)); found {
			kept, sure = append(kept, more...), true
		}
	}
	r.Findings = kept
	if doubted != nil && !sure && r.Checks[order.Race] == engine.Violated {
		r.Checks[order.Race] = engine.Inconclusive
		r.Reasons = append(r.Reasons, *doubted)
	}
}

// volatile reports whether the accesses at all of some points are volatile: the compiler keeps them in their order.
func (r *Report) volatile(points []order.Point) bool {
	return !slices.ContainsFunc(points, func(p order.Point) bool {
		return slices.ContainsFunc(r.Execution.Kernel.Insts, func(in ir.Inst) bool {
			return in.Place == p.Place && in.Op.Accesses() && mayBeShared(r.Execution.Kernel, &in) && !in.Strong()
		})
	})
}

// sift leaves the races out of some findings that are not sure, and says why the first of them is not.
func (r *Report) sift(list []order.Finding) (kept []order.Finding, doubted *exec.Halt, sure bool) {
	behind := sync.OnceValue(r.Execution.Kernel.BehindWaits)
	for _, f := range list {
		var unsure *exec.Halt
		if f.Check == order.Race && !f.Benign {
			if r.sameCore(&f) {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[1].Place], Why: limit.Harmless.Says("two operations of one thread may be executed in any order (PTX ISA 9.7.16.6.2)")}
			}
			if h := r.unsure(f.Points); h != nil && !(h.Ends && r.ahead(&f, h)) {
				unsure = h
			}
			if r.strong(f.Points) {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[0].Place], Why: limit.Harmless.Says("atomic accesses are in no data race with each other (PTX ISA 8.7.1), and what they order is not followed here")}
			}
			if k := slices.IndexFunc(f.Points, func(p order.Point) bool { return behind()[p.Place] }); k >= 0 {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[k].Place], Why: limit.Memory.Says("a loop before this waits for what others write to memory, which may order it")}
			}
			if f.Timed && r.volatile(f.Points) {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[0].Place], Why: limit.Harmless.Says("lanes exchange values between volatile accesses, which orders these in time and no memory (PTX ISA 9.7.9.6)")}
			}
			if name := r.sizedApart(f.Points); name != "" {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[0].Place], Why: limit.PerhapsWrong.Sayf("whether two accesses are of one place depends on %s, which the text does not say", name)}
			}
			if len(f.Points) > 1 && f.Points[0].Place == f.Points[1].Place && r.Execution.Kernel.Data && r.perhapsEqual(f.Points) {
				unsure = &exec.Halt{Place: &r.Execution.Kernel.Places[f.Points[0].Place], Why: limit.Harmless.Says("what several threads write here is not known, and may be the same")}
			}
			sure = sure || unsure == nil
		}
		if unsure == nil {
			kept = append(kept, f)
		} else if doubted == nil {
			doubted = unsure
		}
	}
	return kept, doubted, sure
}

// ahead reports whether the other access of a race is issued ahead of an operation whose end is not known: when that is over makes no difference to it. The warps of a warpgroup
// execute one operation together, so it is what the other warp has ahead of its own part of it.
func (r *Report) ahead(f *order.Finding, of *exec.Halt) bool {
	if len(f.Points) != 2 {
		return false
	}
	a, b := f.Points[0], f.Points[1]
	if &r.Execution.Kernel.Places[a.Place] == of.Place {
		a, b = b, a
	}
	mine, other := r.Execution.Program.Warps[b.Warp], r.Execution.Program.Warps[a.Warp]
	if a.Place == b.Place || mine.CTA != other.CTA || mine.First/ir.Lanes/warpgroup != other.First/ir.Lanes/warpgroup {
		return false
	}
	n := 0
	for k := range b.Index + 1 {
		if mine.Commands[k].Place == b.Place {
			n++
		}
	}
	for k := range other.Commands {
		if other.Commands[k].Place == b.Place {
			if n--; n == 0 {
				return a.Index < k
			}
		}
	}
	return false
}

// strong reports whether both accesses of a race are atomic, in a scope that has both threads. To C++ a volatile one is none.
func (r *Report) strong(points []order.Point) bool {
	if len(points) != 2 {
		return false
	}
	warps := r.Execution.Program.Warps
	apart := warps[points[0].Warp].CTA != warps[points[1].Warp].CTA
	return !slices.ContainsFunc(points, func(p order.Point) bool {
		met := false
		for k := range r.Execution.Kernel.Insts {
			in := &r.Execution.Kernel.Insts[k]
			if in.Place != p.Place || !in.Op.Accesses() {
				continue
			}
			if met = true; in.Op != ir.Atomic && (in.Order < ir.Relaxed || in.Order > ir.Sequential) || apart && in.Scope == ir.ScopeCTA {
				return true
			}
		}
		return !met
	})
}

// sizedApart is the size of a type that is not known and that is in the address of one of two accesses only: whether they meet is a matter of that; "" if there is none.
func (r *Report) sizedApart(points []order.Point) string {
	if len(points) != 2 || points[0].Place == points[1].Place || !slices.ContainsFunc(r.Execution.Kernel.Guesses, ir.IsSize) {
		return ""
	}
	a, _ := r.Execution.Kernel.AddressOf(points[0].Place, false)
	b, _ := r.Execution.Kernel.AddressOf(points[1].Place, false)
	for _, name := range slices.Concat(a, b) {
		if ir.IsSize(name) && slices.Contains(a, name) != slices.Contains(b, name) {
			return name
		}
	}
	return ""
}

// withoutUnsure lists the races of the accesses that are surely made, each where it is said to be.
func (r *Report) withoutUnsure(o order.Options) []order.Finding {
	return r.racesOf(o, func(_ int, c *order.Command) bool {
		h, is := r.Execution.Unsure[c.Place]
		return !is || h.Guard || c.Flags&(order.First|order.Early|order.Sure) != 0
	})
}

// withinParts lists the races of threads that have one part of an array to themselves, and choose in it by data, for the first such parts.
func (r *Report) withinParts(list []order.Finding, o order.Options) (out []order.Finding) {
	asked := 0
	for _, f := range list {
		for _, p := range f.Points {
			h, is := r.Execution.Unsure[p.Place]
			if !is || !h.Index || asked == maxParts {
				continue
			}
			all := r.Execution.Kernel.ChosenAt(p.Place)
			if len(all) == 0 || !all[0].Owns() {
				continue
			}
			mine, known := all[0].Own(r.thread(p.Warp, p.Lane))
			if !known {
				continue
			}
			asked++
			out = append(out, r.racesOf(o, func(n int, _ *order.Command) bool {
				other, _ := all[0].Own(r.thread(n, 0))
				return n == p.Warp || other == mine
			})...)
		}
	}
	return out
}

// maxParts bounds how many parts are looked at by themselves.
const maxParts = 2

// thread is the thread that a lane is.
func (r *Report) thread(warp, lane int) ir.Thread {
	b := r.Execution.Launch.Block
	n := int64(r.Execution.Program.Warps[warp].First + lane)
	t := ir.Thread{Block: [3]int64{int64(b[0]), int64(b[1]), int64(b[2])}}
	for k, extent := range t.Block {
		if k == 2 || extent == 0 {
			t.At[k] = n
			break
		}
		t.At[k], n = n%extent, n/extent
	}
	return t
}

// racesOf lists the races of some of the accesses; kept says which.
func (r *Report) racesOf(o order.Options, kept func(warp int, c *order.Command) bool) (out []order.Finding) {
	p := *r.Execution.Program
	p.Warps = slices.Clone(p.Warps)
	index := make([][]int, len(p.Warps)) // of what is left, in all
	for n, w := range p.Warps {
		left := *w
		left.Commands = nil
		for k := range w.Commands {
			if c := &w.Commands[k]; !c.Kind.Access() || kept(n, c) {
				left.Commands = append(left.Commands, *c)
				index[n] = append(index[n], k)
			}
		}
		p.Warps[n] = &left
	}
	for _, f := range order.Verify(&p, o).Findings {
		if f.Check != order.Race || f.Benign {
			continue
		}
		f.Points = slices.Clone(f.Points)
		for k := range f.Points {
			if at := &f.Points[k]; at.Index >= 0 && at.Index < len(index[at.Warp]) {
				at.Index = index[at.Warp][at.Index]
			}
		}
		out = append(out, f)
	}
	return out
}

// unsure says why two accesses may not both be executed where they race; nil where they may. That data decide whether one of them is executed is no
// reason: the text has both ways because data go both, and the other access is executed whichever it is. Neither is that data choose where one of them is in
// its array, if the other one is where they may choose.
func (r *Report) unsure(points []order.Point) (why *exec.Halt) {
	guarded := 0
	for k, p := range points {
		flags := r.Execution.Program.Warps[p.Warp].Commands[p.Index].Flags
		if h, is := r.Execution.Unsure[p.Place]; is && flags&order.Sure == 0 {
			other := points[len(points)-1-k]
			if h.Guard = h.Guard || flags&order.First != 0 || flags&order.Early != 0 && other.Warp == p.Warp && other.Index < p.Index; why == nil || why.Guard {
				why = &h
			}
			guarded++
		}
	}
	if why != nil && (why.Guard && guarded == 1 && points[0].Place != points[1].Place || r.chosen(points) || r.Counted(points) || r.updates(points)) {
		return nil
	}
	return why
}

// Counted reports whether two accesses, each of an element that data alone choose, are those by which elements are updated, as counts are: two threads may come to one.
func (r *Report) Counted(points []order.Point) bool {
	if len(points) != 2 {
		return false
	}
	k := r.Execution.Kernel
	for _, p := range points {
		h, is := r.Execution.Unsure[p.Place]
		all := k.ChosenAt(p.Place)
		if !is || !h.Index || r.picked(p.Place) || len(all) == 0 || slices.ContainsFunc(all, func(choice ir.Choice) bool { return choice.Owns() || choice.Called }) {
			return false
		}
	}
	return k.Updated(points[0].Place, points[1].Place) || k.Updated(points[1].Place, points[0].Place)
}

// updates reports whether two accesses are those by which all threads that come by update one element if data are so, as where something is counted.
func (r *Report) updates(points []order.Point) bool {
	if len(points) != 2 {
		return false
	}
	k := r.Execution.Kernel
	for _, p := range points {
		if h, is := r.Execution.Unsure[p.Place]; is && h.Index || r.picked(p.Place) || !k.ByDataAt(p.Place) || !k.OwnAt(p.Place) {
			return false
		}
	}
	return k.Updated(points[0].Place, points[1].Place) || k.Updated(points[1].Place, points[0].Place)
}

// chosen reports whether two accesses race if data choose so: data alone say where one of them is, and the other one, of another thread, is surely made where that may be.
func (r *Report) chosen(points []order.Point) bool {
	if len(points) != 2 || points[0].Place == points[1].Place {
		return false
	}
	for k, p := range points {
		other := points[1-k]
		h, is := r.Execution.Unsure[p.Place]
		if _, both := r.Execution.Unsure[other.Place]; both || !is || !h.Index || r.picked(p.Place) {
			continue
		}
		all := r.Execution.Kernel.ChosenAt(p.Place)
		if len(all) > 0 && !slices.ContainsFunc(all, func(choice ir.Choice) bool { return !r.mayChoose(&choice, p, other) }) {
			return true
		}
	}
	return false
}

// mayChoose reports whether data may choose the place of another access of shared memory.
func (r *Report) mayChoose(choice *ir.Choice, p, other order.Point) bool {
	own, known := choice.Own(r.thread(p.Warp, p.Lane))
	if !known || choice.Called {
		return false
	}
	if choice.Owns() { // another thread's part is not for this one
		if theirs, known := choice.Own(r.thread(other.Warp, other.Lane)); !known || theirs != own {
			return false
		}
	}
	c := &r.Execution.Program.Warps[other.Warp].Commands[other.Index]
	at := int64((c.A+uint32(c.B*int32(other.Lane)))&ir.OffsetMask) - own
	return at >= choice.Low && at+int64(c.C) <= choice.High
}

// picked reports whether data may pick the threads that make an access: they may be those whose element it is.
func (r *Report) picked(place uint32) bool {
	for name, c := range r.Execution.Conditions {
		if _, given := r.Execution.Launch.Params[name]; given && !c.Sure && !c.Loop && c.Apart[place] {
			return true
		}
	}
	return false
}

// sameCore reports whether a race is between two operations that one thread has issued to the tensor core. PTX promises no order
// of them, and programs that rely on one are common: that they do harm is not shown.
func (r *Report) sameCore(f *order.Finding) bool {
	if len(f.Points) < 2 || f.Points[0].Warp != f.Points[1].Warp || f.Points[0].Lane != f.Points[1].Lane {
		return false
	}
	w := r.Execution.Program.Warps[f.Points[0].Warp]
	for _, p := range f.Points {
		if c := &w.Commands[p.Index]; c.Kind != order.AsyncCopy || w.Copy(c).Unit != order.Tensor {
			return false
		}
	}
	return true
}
