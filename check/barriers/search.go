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

// search tries launches of one kernel.
type search struct {
	whole        *ir.Kernel
	kernel       *ir.Kernel // without what data are made of
	data         *ir.Kernel // with it; nil: not made yet
	everywhere   *ir.Kernel // with it, and with the accesses of global memory; nil: not made yet
	options      order.Options
	integers     map[string]bool // inputs that may be given numbers; nil: not asked yet
	clock        clock
	said         exec.Launch   // what the caller says
	guessing     bool          // the shape of the CTA is no premise of the caller's
	brief        time.Duration // one of what is looked at besides may take; 0: as long as there is
	lookedBehind int           // pairs of CTAs that were compared with many of everything
	cut          bool          // the time was over before all was tried
	more         bool          // so many runs were made before
	runs         int
	enough       time.Duration // work from which on more numbers for a shape that was violated are left, for other shapes; zero: never
	sides        ir.Sides
	uneven       bool                   // see Report
	missed       map[uint32]bool        // see Report
	steps        int                    // that may be followed to find numbers
	waits        *[]exec.Halt           // loops that wait for memory; nil: not asked yet
	repeats      map[uint32]ir.Repeated // see there; nil: not asked yet
	accesses     map[uint32]ir.Repeated // see remaking; nil: not asked yet
	contacts     map[*Report]*contacts  // see contactsOf
	executed     *rerun                 // what contacts look at
}

// tries are the runs of one launch, with numbers for what it does not say.
type tries struct {
	*search
	launch   exec.Launch
	out      []*Report
	known    map[string]*Report
	asked    map[string]asking
	best     *Report // the one of out that decides
	violated bool    // with a guessed shape: whether more numbers show that it is none is all that is left to see
	met      map[uint64]bool
	beyond   bool // large numbers are tried
}

// asking is the input that a run is in want of first, with numbers for it; "" if there is none.
type asking struct {
	input string
	list  []int64
}

// try runs a launch. A run that stops, or is not decided, for want of an input is begun again with a number for it. Which ones are tried together
// is a matter of few runs: all inputs have the first of their numbers, then all the second, and so on, among them once a little of everything, then all the greatest, with which no
// thread ends before it comes to what hangs on the next input, of which more numbers may show then; then come others together that make threads do what they did in no run before.
func (s *search) try(l exec.Launch) ([]*Report, error) {
	t := &tries{search: s, launch: l, known: map[string]*Report{}, asked: map[string]asking{}}
	inputs, longest := 0, 1
	pass := func(choose func(input string, list []int64) int64) (done bool, err error) {
		with := l
		for asked := 0; ; asked++ {
			want, done, err := t.run(with, asked)
			if err != nil || done || want.input == "" {
				return done, err
			}
			longest, inputs = max(longest, len(want.list)), max(inputs, asked+1)
			with = given(with, want.input, choose(want.input, want.list))
		}
	}
	for round := 0; round <= longest; round++ {
		if round == min(longest, firstRounds) && inputs > 1 {
			if done, err := pass(moderate); done || err != nil {
				return t.out, err
			}
		}
		choose := func(_ string, list []int64) int64 { return list[round%len(list)] }
		if round == longest {
			choose = extreme
		}
		if done, err := pass(choose); done || err != nil {
			return t.out, err
		}
	}
	if t.best != nil && t.best.Verdict != engine.Violated && s.unused(t.out, l) != nil {
		if done, err := t.further(l); done || err != nil {
			return t.out, err
		}
	}
	t.beyond = true
	for fill := range fills { // a loop over the tiles of what is given goes round twice in a CTA where there are more of them than CTAs
		for _, n := range large {
			loop, why := s.seldom(t.out, l)
			if why == "" {
				loop, why = s.rare(t.out, l)
			}
			if why == "" || s.guessing || t.best == nil || t.best.Verdict == engine.Violated {
				break
			}
			others := fills[fill](n)
			if done, err := pass(func(input string, list []int64) int64 {
				if _, special := s.kernel.Special[input]; slices.Contains(loop.Inputs, input) && s.integers[input] && !special {
					return n
				}
				return others(input, list)
			}); done || err != nil {
				return t.out, err
			}
		}
	}
	t.beyond = false
	if inputs > 1 {
		t.met = map[uint64]bool{}
		for _, r := range t.out {
			t.tells(r.Execution, true)
		}
		_, err := t.together(l, 0)
		return t.out, err
	}
	return t.out, nil
}

// far is a number up to which a loop that goes round so often is executed soon enough.
const far = 1 << 12

// large are numbers for what bounds a loop that goes round too seldom with others.
var large = []int64{256, 1024, 4096}

// firstRounds are those with the first numbers, which cost little.
const firstRounds = 3

// extreme is the greatest number that is not far; of a condition, that threads go on.
func extreme(input string, list []int64) int64 {
	if exec.IsCondition(input) {
		return list[0]
	}
	return greatest(list)
}

// greatest is the last of some numbers, in their order, that is not far.
func greatest(list []int64) int64 {
	for k := len(list) - 1; k >= 0; k-- {
		if list[k] <= far {
			return list[k]
		}
	}
	return list[0]
}

// moderate is the number of some of which there is a little of everything: the least with which there is more than a first and a last one, of CTAs the first, and as few as there may be; of a condition, that threads go on.
func moderate(input string, list []int64) int64 {
	base, _, _ := strings.Cut(input, ".")
	switch {
	case exec.IsCondition(input):
		return list[0]
	case base == "%ctaid", base == "%nctaid": // one that goes through all there is in strides of the grid goes round then
		return slices.Min(list)
	}
	best := greatest(list)
	for _, n := range list {
		if n > 2 && (n < best || best <= 2) {
			best = n
		}
	}
	return best
}

// fills choose numbers for other inputs where one that bounds a loop is large: a little of everything; what memory holds as great as is not far; and it growing from one word to
// the next.
var fills = [...]func(n int64) func(input string, list []int64) int64{
	func(int64) func(string, []int64) int64 { return moderate },
	func(int64) func(string, []int64) int64 { return filled },
	grown,
}

// filled is moderate, but of what memory holds the greatest that is not far: lengths that are read from it are those of many.
func filled(input string, list []int64) int64 {
	if exec.IsWord(input) {
		return extreme(input, list)
	}
	return moderate(input, list)
}

// grown is moderate, but what memory holds grows by as much from one word that is asked for to the next, from the least on: where rows begin in an array of all of them.
func grown(n int64) func(input string, list []int64) int64 {
	words := int64(-1)
	return func(input string, list []int64) int64 {
		if !exec.IsWord(input) {
			return moderate(input, list)
		}
		if words++; words == 0 {
			return list[0]
		}
		return words * n
	}
}

func given(l exec.Launch, input string, n int64) exec.Launch {
	if l.Params = maps.Clone(l.Params); l.Params == nil {
		l.Params = map[string]int64{}
	}
	l.Params[input] = n
	return l
}

// together goes on with numbers for what a run is in want of, as long as they make a difference.
func (t *tries) together(with exec.Launch, asked int) (done bool, err error) {
	want, done, err := t.run(with, asked)
	if done || err != nil {
		return done, err
	}
	before := t.known[fmt.Sprint(with.Params)].Execution
	if want.input == "" {
		t.tells(before, true)
	}
	for _, n := range want.list {
		next := given(with, want.input, n)
		launch := given(before.Launch, want.input, n) // with what the directives say
		if _, again := t.known[fmt.Sprint(next.Params)]; !again && !t.tells(&exec.Execution{Launch: launch, Loaded: before.Loaded}, false) {
			continue
		}
		if done, err := t.together(next, asked+1); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// tells reports whether threads do with what a run is given what they did in none before; ran says that this is one.
func (t *tries) tells(e *exec.Execution, ran bool) (news bool) {
	for _, trait := range t.kernel.Traits(t.premise(e)) {
		news = news || !t.met[trait]
		if ran {
			t.met[trait] = true
		}
	}
	return news
}

// run executes the kernel once, if it was not with the same; done says that no more is to be tried.
func (t *tries) run(with exec.Launch, asked int) (want asking, done bool, err error) {
	key := fmt.Sprint(with.Params)
	r, again := t.known[key]
	if again {
		return t.asked[key], false, nil
	}
	if len(t.out) >= maxRuns {
		t.more = true
		return want, true, nil
	}
	enough := false
	if t.best != nil && t.best.Verdict == engine.Violated {
		if t.best.doubtful(t.launch) { // what that comes to takes more runs
			enough = t.clock.spent > t.clock.most*2/3
		} else {
			enough = t.enough > 0 && t.clock.spent > t.enough
		}
	}
	if enough || t.over() {
		t.cut = true
		if t.out == nil {
			t.out = append(t.out, t.known[fmt.Sprint(t.launch.Params)])
		}
		return want, true, nil
	}
	if r, err = t.once(with, t.guessing || asked > 0, t.violated && !t.whole.Guessed()); err != nil {
		return want, true, err
	}
	t.known[key] = r
	if asked < maxInputs {
		want.input, want.list = t.ask(r)
	}
	if _, has := with.Params[want.input]; has { // and it makes no difference
		want = asking{}
	}
	if t.asked[key] = want; want.input != "" {
		r.strip(t.best)
		return want, false, nil
	}
	if t.beyond && r.Verdict == engine.Inconclusive { // too much of it says nothing
		return want, false, nil
	}
	if !t.violated || r.behind != "" || t.whole.Guessed() {
		t.out = append(t.out, r)
	}
	if best := t.best; best == nil || best.behind != "" && r.behind == "" || (best.behind != "" || r.behind == "") && worse(r, best) {
		t.best, r = r, best
	}
	r.strip(t.best)
	if doubtful := t.best.doubtful(t.launch); t.best.Verdict == engine.Violated && !doubtful {
		if !t.guessing {
			return want, true, nil
		}
		t.violated = t.violated || t.best.behind == ""
	}
	return want, false, nil
}

// over reports whether another run would be too much work. The first one always has it.
func (s *search) over() bool { return s.runs > 0 && s.clock.over() }

// ask is the input that a run is in want of first, with numbers for it; "" if there is none. What a kernel is given comes before where the
// CTA is, what may come from memory, too, comes behind that, then addresses: whether
// there is one, and how it is aligned. Last come conditions of data.
func (s *search) ask(r *Report) (input string, list []int64) {
	if s.integers == nil {
		s.integers = s.whole.Integers()
	}
	empty := map[string]bool{}
	for _, h := range r.Reasons {
		names := slices.Clone(h.Inputs)
		slices.SortStableFunc(names, func(a, b string) int { return s.rank(b, h) - s.rank(a, h) })
		for _, name := range names { // what numbers are to be found for costs most
			if empty[name] {
				continue
			}
			list := s.list(name, r)
			if _, special := s.kernel.Special[name]; special {
				list = within(name, list, r.Execution.Launch)
			}
			if len(list) > 0 {
				return name, list
			}
			empty[name] = true
		}
	}
	return "", nil
}

// rank is the greater the sooner an input is asked for.
func (s *search) rank(name string, h exec.Halt) int {
	_, special := s.kernel.Special[name]
	switch {
	case exec.IsWord(name):
		return 3
	case exec.IsCondition(name):
		return 1
	case !s.integers[name]:
		return 2
	}
	return 5 - boolean(special) - 2*boolean(h.Memory)
}

// list are the numbers that an input is tried with in a run.
func (s *search) list(name string, r *Report) []int64 {
	defer func(before int) { s.clock.followed(before - s.steps) }(s.steps)
	switch {
	case exec.IsCondition(name):
		return waysOf(r.Execution.Conditions[name])
	case exec.IsWord(name):
		return s.kernel.NumbersOf(r.Execution.Loaded[name], s.premise(r.Execution))
	case ir.IsSize(name):
		return sizes
	case slices.Contains(s.whole.Flags, name):
		return []int64{1, 0}
	case s.integers[name]:
		list := s.kernel.Numbers(name, s.premise(r.Execution))
		if slices.Contains(s.whole.Guesses, name) {
			list = withConstants(list)
		}
		return list
	}
	return s.kernel.Pointers(name)
}

// sizes are how large a type may be of which the text says nothing: its accesses have no more bytes than the least.
var sizes = []int64{16, 4, 32}

// constants are what a name for how many there are of something mostly stands for.
var constants = []int64{32, 16, 64}

// withConstants puts these before the numbers for a constant that the text does not say.
func withConstants(list []int64) []int64 {
	return append(slices.Clone(constants), slices.DeleteFunc(slices.Clone(list), func(n int64) bool { return slices.Contains(constants, n) })...)
}

// premise is what a run was given, by register.
func (s *search) premise(e *exec.Execution) ir.Premise {
	p := ir.Premise{Block: e.Launch.Block, Values: map[int32]int64{}, Sides: &s.sides, Steps: &s.steps}
	for name, n := range e.Launch.Params {
		if reg := s.kernel.InputRegister(name); reg >= 0 {
			p.Values[reg] = n
		}
		for _, reg := range e.Loaded[name] {
			p.Values[reg] = n
		}
	}
	return p
}

// within are the numbers for the place of the CTA, and for the extents of the grid, that agree with each other and with the launch.
func within(name string, all []int64, l exec.Launch) []int64 {
	base, axis, _ := strings.Cut(name, ".")
	k := max(strings.Index("xyz", axis), 0)
	cluster := int64(l.Cluster[k])
	place, placed := l.Params["%ctaid."+axis]
	extent, said := l.Params["%nctaid."+axis]
	if l.Grid[0] != 0 {
		extent, said = int64(l.Grid[k]), true
	}
	switch base {
	case "%ctaid":
		return slices.DeleteFunc(slices.Clone(all), func(n int64) bool { return said && n >= extent })
	case "%nctaid":
		least := cluster
		if placed {
			least = (place/cluster + 1) * cluster
		}
		out := []int64{least}
		for _, n := range all {
			if n > least && n%cluster == 0 {
				out = append(out, n)
			}
		}
		return out
	}
	return nil
}

// once runs one launch. Where it is no premise of the caller's it is not asked about if it goes behind an array; it may be enough that it is executed.
func (s *search) once(l exec.Launch, ours, executed bool) (*Report, error) {
	o := s.clock.real(s.options)
	if o.Limits.Work = 0; s.runs > 0 || s.guessing {
		o.Limits.Work = s.clock.left(0)
	}
	s.runs++
	l.Limits = o.Limits
	e, err := exec.Run(s.kernel, l)
	if err != nil {
		return nil, err
	}
	s.clock.ran(e)
	r := &Report{Execution: e, made: accessed(e.Program)}
	if ours {
		if r.behind = behind(e); e.Trap != nil {
			r.behind = e.Kernel.Where(e.Trap) + ": its threads come to a trap, or a premise is not so"
		}
	}
	switch {
	case e.Stop != nil:
		r.Reasons = append(hanging(e.Trusted, e.Stop.Inputs), *e.Stop)
		return r, nil
	case r.behind != "":
		r.Reasons = []exec.Halt{{Why: limit.Trap.Says(r.behind)}}
		return r, nil
	case executed:
		r.Reasons = e.Hidden
		return r, nil
	}
	r.repeated(s.repeating())
	s.remade(r)
	skewed := uneven(e.Program)
	s.uneven = s.uneven || skewed
	for place, is := range missed(e.Program) {
		before, met := s.missed[place]
		s.missed[place] = is && (before || !met)
	}
	r.check(o)
	s.clock.compared(r.Result)
	if !ours {
		if text := behind(e); text != "" { // what lies there is not known
			r.weaken(exec.Halt{Why: limit.Undefined.Says(text)})
		}
	}
	if r.Checks[order.Race] == engine.Violated {
		r = s.again(r, l, o)
		r.orients()
	}
	r.uneven = skewed
	for _, h := range missingFences(s.whole) {
		r.weaken(h, order.Race)
	}
	if s.waits == nil {
		s.waits = &[]exec.Halt{}
		*s.waits = waitsForMemory(s.whole)
	}
	for _, h := range *s.waits {
		r.weaken(h, order.Deadlock)
	}
	r.sum()
	r.doubtTrusted(s.said)
	r.touched = map[uint32]bool{}
	for _, w := range r.Execution.Program.Warps {
		for k := range w.Commands {
			switch c := &w.Commands[k]; {
			case c.Kind.Access() || c.Kind == order.AsyncCopy:
				r.touched[c.Place] = true
			case c.Kind == order.NamedSync || c.Kind == order.NamedArrive:
				r.Meets = true
			}
		}
	}
	r.idle = len(r.touched) == 0
	return r, nil
}

// doubtTrusted says that nothing is known of a run with numbers that were tried where what is not given decides whether these are meant to be: numbers for that are
// asked for.
func (r *Report) doubtTrusted(said exec.Launch) {
	var tried []string
	for name := range r.Execution.Launch.Params {
		if _, is := said.Params[name]; !is {
			tried = append(tried, name)
		}
	}
	hung := hanging(r.Execution.Trusted, tried)
	if len(hung) == 0 && r.Verdict == engine.Inconclusive { // what numbers are asked for next has to agree with it, too
		for _, h := range r.Reasons {
			tried = append(tried, h.Inputs...)
		}
		r.Reasons = append(hanging(r.Execution.Trusted, tried), r.Reasons...)
	}
	if len(hung) == 0 {
		return
	}
	for c := range r.Checks {
		r.Checks[c] = engine.Inconclusive
	}
	r.Findings, r.Verdict, r.Reasons = nil, engine.Inconclusive, append(hung, r.Reasons...)
}

// hanging are the branches that what some inputs are decides, or what those are that go into one of these with them.
func hanging(all []exec.Trust, inputs []string) (out []exec.Halt) {
	inputs = slices.Clone(inputs)
	taken := make([]bool, len(all))
	for again := true; again; {
		again = false
		for k, t := range all {
			if !taken[k] && slices.ContainsFunc(t.All, func(name string) bool { return slices.Contains(inputs, name) }) {
				taken[k], again = true, true
				inputs = append(inputs, t.All...)
			}
		}
	}
	for k, t := range all {
		if taken[k] {
			out = append(out, t.Halt)
		}
	}
	return out
}

// WaitsForMemory reports whether a kernel has a loop that waits for what others write to memory.
func WaitsForMemory(k *ir.Kernel) bool { return len(waitsForMemory(k)) > 0 }

// waitsForMemory are the first loops that wait for what others write to memory: the execution takes them to end.
func waitsForMemory(k *ir.Kernel) (out []exec.Halt) {
	polls := k.Polls()
	for n := range k.Insts {
		in := &k.Insts[n]
		if !polls[int32(n)] || in.Space == ir.Shared && !k.WaitsInside(int32(n)) {
			continue
		}
		return []exec.Halt{{Place: &k.Places[in.Place], Why: limit.Memory.Says("a loop waits for what others write here; fencepost progress says whether it ends")}}
	}
	return nil
}

// again looks once more at a kernel with races, at what is written: perhaps it is the same.
func (s *search) again(first *Report, l exec.Launch, o order.Options) *Report {
	if s.data == nil {
		s.data = s.whole.Reduced(true)
	}
	e, err := exec.Run(s.data, l)
	if err != nil {
		return first
	}
	if e.Stop != nil {
		first.doubtWrites([]exec.Halt{*e.Stop})
		return first
	}
	r := &Report{Execution: e}
	r.check(o)
	s.clock.compared(r.Result)
	if r.Result.Answers[order.Race].Verdict == engine.Inconclusive {
		first.doubtWrites(r.Reasons)
		return first
	}
	if r.Result.Benign > 0 {
		e.Assumed = append(e.Assumed, "what one pointer of the kernel leads to is not written through another one")
	}
	return r
}

// doubtWrites takes back races of two writes: what these write was not seen, and may be the same.
func (r *Report) doubtWrites(why []exec.Halt) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f order.Finding) bool {
		return f.Check == order.Race && len(f.Points) > 1 && !slices.ContainsFunc(f.Points, func(p order.Point) bool {
			return r.Execution.Program.Warps[p.Warp].Commands[p.Index].Kind != order.Write
		})
	})
	if !slices.ContainsFunc(r.Findings, func(f order.Finding) bool { return f.Check == order.Race && !f.Benign }) {
		r.Checks[order.Race] = engine.Inconclusive
		r.Reasons = append(r.Reasons, why...)
		r.sum()
	}
}

// badness orders verdicts.
var badness = map[engine.Verdict]int{engine.Holds: 0, engine.Inconclusive: 1, engine.Violated: 2}

// worse reports whether of two runs the first one decides.
func worse(a, b *Report) bool {
	return badness[a.Verdict] > badness[b.Verdict] || a.Verdict == engine.Violated && b.Verdict == engine.Violated && b.uneven && !a.uneven || a.Verdict == engine.Holds && b.Verdict == engine.Holds && a.Result.Commands > b.Result.Commands
}

// strip gives back what a run takes that does not decide: the commands of its threads.
func (r *Report) strip(best *Report) {
	if r == nil || r == best {
		return
	}
	e := *r.Execution
	p := *e.Program
	p.Warps = slices.Clone(p.Warps)
	for k, w := range p.Warps {
		p.Warps[k] = &order.Warp{CTA: w.CTA, First: w.First, Lanes: w.Lanes}
	}
	e.Program = &p
	r.Execution = &e
}

// worst is the report of the run that decides: the first that is violated, else the first that is inconclusive, else the longest. Each check is
// what it is in the worst of them.
func worst(runs []*Report) *Report {
	var best *Report
	for _, r := range runs {
		if best == nil || worse(r, best) {
			best = r
		}
	}
	out := *best
	for _, r := range runs {
		for c, v := range r.Checks {
			if r.Result != nil && badness[v] > badness[out.Checks[c]] {
				out.Checks[c] = v
			}
		}
	}
	return &out
}

// numbersOf lists what the runs were given that the launch does not say.
func numbersOf(runs []*Report, l exec.Launch) map[string][]int64 {
	out := map[string][]int64{}
	for _, r := range runs {
		for name, n := range r.Execution.Launch.Params {
			if _, said := l.Params[name]; !said && !slices.Contains(out[name], n) {
				out[name] = append(out[name], n)
			}
		}
	}
	for _, all := range out {
		slices.Sort(all)
	}
	return out
}
