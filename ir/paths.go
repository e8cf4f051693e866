package ir

import (
	"math/bits"
	"slices"
	"strings"
)

// Limits of how threads are followed.
const (
	mostSteps   = 1 << 21 // instructions, for the numbers of one input
	fewSteps    = 1 << 15 // where those of all inputs together are over
	longPath    = 1 << 19 // instructions of one thread
	farPath     = 1 << 16 // of one that goes round as often as is followed
	shortPath   = 1 << 13 // of the others, where the first one has gone on for longer
	maxChanges  = 64      // of what an operand goes on by that are told apart
	maxRing     = 32      // rounds up to which what comes round is followed twice
	maxFormulas = 1 << 14
	maxFollowed = 1 << 16 // instructions of a kernel
	maxDepth    = 64      // of a formula: what goes on by the input for longer counts as if it did not depend on it
)

// Premise is what is known of a launch: the shape of a CTA, and the numbers in registers that inputs, or words of memory, come to.
type Premise struct {
	Block  [3]int
	Values map[int32]int64
	Sides  *Sides // of what the inputs decide; nil: nobody asks
	Steps  *int   // how many instructions may be followed, which are taken off; nil: as many as are of use
}

// held is what a register holds in a thread that is followed: a number, if it is known, and the formula that makes it of the input; 0: none does.
type held struct {
	n     int64
	known bool
	made  int32
}

// formula is an instruction on what its operands held. The first one is the input itself.
type formula struct {
	in *Inst
	of [4]held
}

// truth is what a predicate holds.
type truth struct{ is, known bool }

// paths follows single threads through a kernel that was reduced, with one input at a number: what is made of others is as it was given, what is made of
// data is not known, and branches by that are passed. It is there to choose numbers, and says nothing that a verdict rests on.
type paths struct {
	c        *Kernel
	given    Premise
	others   [2]map[int32]int64 // inputs that are not given: a small number for each, and a large one
	input    map[int32]bool     // registers
	loops    []*Loop
	inmost   []int32 // instruction → the loop that it is in; -1: none
	header   []int32 // instruction → the loop that it begins a round of; -1: none
	walker   *walker
	open     bool // there are others than the place of the CTA
	formulas []formula
	depth    []int  // of formulas
	bent     []bool // by formula: it does not go on evenly with the input
	number   map[formula]int32
	latest   []int32 // by instruction: the formula that it was last
	asked    map[question]bool
	marked   map[int64]bool // numbers that the input is compared with for being these
	new      []question     // since the last path
	sides    *Sides
	left     int // steps
	scan     int // computations
}

// path is what one thread did. What it did last, and what it did then, makes a trait: that of what is compared and of addresses, as they come and go.
type path struct {
	traits    []uint64
	done      bool // it came to its end
	undefined bool // it divided by zero
	steps     int
	turns     int // waits for mbarriers, of each no more than [EnoughWaits], and at barriers of the CTA, at each place no more than [EnoughMeetings]
}

func (c *Kernel) follow(registers []int32, g Premise) *paths {
	p := &paths{c: c, given: g, others: [2]map[int32]int64{{}, {}}, input: map[int32]bool{}, loops: c.Loops(),
		formulas: make([]formula, 2), depth: make([]int, 2), bent: make([]bool, 2), number: map[formula]int32{}, latest: make([]int32, len(c.Insts)), asked: map[question]bool{}, marked: map[int64]bool{}, sides: &Sides{}, left: mostSteps, scan: mostScanned}
	if g.Sides != nil {
		p.sides = g.Sides
	}
	if g.Steps != nil {
		p.left = min(p.left, max(*g.Steps/2, fewSteps))
		p.scan = min(p.scan, p.left)
	}
	for _, r := range registers {
		p.input[r] = true
	}
	bases := c.Bases()
	for r, name := range c.inputs() {
		base, _, _ := strings.Cut(name, ".")
		_, given := g.Values[r]
		switch {
		case given || p.input[r] || bases[r] || int(r) < len(c.Types) && c.Types[r].Data:
		case base == "%ctaid", base == "%clusterid":
			p.others[0][r], p.others[1][r] = 0, 0
		default:
			p.others[0][r], p.others[1][r] = 2, several
			p.open = true
		}
	}
	p.inmost, p.header = make([]int32, len(c.Insts)), make([]int32, len(c.Insts))
	for k := range p.inmost {
		p.inmost[k], p.header[k] = -1, -1
	}
	fl := c.Flow()
	for n, l := range p.loops { // outer ones first
		p.header[fl.Start(l.Header)] = int32(n)
		for _, b := range l.Blocks {
			for k := fl.Start(b); k <= fl.Last(b); k++ {
				p.inmost[k] = int32(n)
			}
		}
	}
	p.walker = &walker{paths: p, registers: make([]held, c.Registers), predicates: make([]truth, c.Predicates), seen: make([]uint64, len(c.Insts)), last: make([]uint8, len(c.Insts)),
		places: map[place]bool{}, known: map[uint64]bool{}, lately: make([]question, len(c.Insts)), operands: make([]operand, 3*len(c.Insts)), reached: make([]bool, len(c.Insts)), rounds: make([]int, len(p.loops)), event: make([]int, len(p.loops)),
		waits: map[int64]int{}, meetings: make([]uint8, len(c.Insts)), used: make([]int, len(p.loops))}
	p.walker.acting = make([]bool, len(c.Insts))
	for k := range c.Insts {
		p.walker.acting[k] = c.acts(&c.Insts[k])
	}
	return p
}

// threads are those that are followed: the first, one of the second warp, and the last.
func (p *paths) threads() []int {
	b := p.given.Block
	all := []int{0, Lanes, b[0]*b[1]*b[2] - 1}
	all = slices.DeleteFunc(all, func(t int) bool { return t < 0 || t >= b[0]*b[1]*b[2] })
	return slices.Compact(all)
}

// with follows the threads with a number for the input, and with other numbers for those that are not given, too.
func (p *paths) with(n int64, far bool) path {
	out := path{done: true}
	w := p.walker
	for large, others := range p.others {
		for _, t := range p.threads() {
			most, rest := longPath, out.steps > shortPath || large > 0
			if far {
				most = min(farPath, p.left/4)
			}
			if rest {
				most = shortPath
			}
			w.path, w.thread, w.x, w.rest = path{}, uint64(2*t+large), n, others
			w.walk(t, min(most, p.left))
			p.left -= w.steps
			out.steps += w.steps
			out.turns += w.turns
			out.done = out.done && (w.done || rest)
			out.undefined = out.undefined || w.undefined
			out.traits = append(out.traits, w.all()...)
		}
		if !p.open {
			break
		}
	}
	return out
}

// walker is a thread on its way.
type walker struct {
	*paths
	path
	thread     uint64 // and which numbers the others have
	x          int64
	rest       map[int32]int64 // of the others
	registers  []held
	predicates []truth
	stack      []int32
	seen       []uint64 // by instruction: how three comparisons one behind the other came out, all that there were
	last       []uint8  // the last three
	operands   []operand
	acting     []bool // by instruction: it acts
	reached    []bool // by instruction that acts
	places     map[place]bool
	rounds     []int         // by loop: since it was entered
	event      []int         // the round in which there was something new last
	waits      map[int64]int // by mbarrier
	meetings   []uint8       // by instruction
	used       []int         // by loop: the round in which one of them was waited for often enough last
	known      map[uint64]bool
	lately     []question // by instruction: what a comparison with the input was last
	compared   []int32    // instructions that have one
}

// operand is how an operand of an instruction that acts went on.
type operand struct {
	n, by   int64
	met     uint8 // 1: once, 2: more often
	changes uint8
	last    place
}

// place is that an operand went on by one, and then by another.
type place struct {
	at       int
	by, then int64
	first    bool
}

// start sets what registers hold at first; the extents of the grid are among the others.
func (w *walker) start(thread int) {
	c := w.c
	clear(w.registers)
	clear(w.predicates)
	clear(w.seen)
	clear(w.last)
	clear(w.operands)
	clear(w.reached)
	clear(w.places)
	clear(w.known)
	for _, pc := range w.compared {
		w.lately[pc] = question{}
	}
	w.compared = w.compared[:0]
	clear(w.waits)
	clear(w.meetings)
	w.stack = w.stack[:0]
	at := Position{Block: w.given.Block, Cluster: [3]int{1, 1, 1}, Thread: thread}
	for name, r := range c.Special {
		n, known := at.Special(name)
		w.registers[r] = held{n: n, known: known}
	}
	for r, n := range w.rest {
		w.registers[r] = held{n: n, known: true}
	}
	for r, n := range w.given.Values {
		if !w.input[r] {
			w.registers[r] = held{n: n, known: true}
		}
	}
	for r := range w.input {
		if len(definitions.of(c).registers[r]) == 0 { // else it is a word, which comes from memory
			w.registers[r] = held{w.x, true, 1}
		}
	}
}

// walk goes on until the thread ends, or for so many steps.
func (w *walker) walk(thread, most int) {
	w.start(thread)
	w.steps = len(w.c.Insts) / 4 // of which all is cleared and looked through
	from := int32(-1)
	for pc := int32(0); w.steps < most && int(pc) < len(w.c.Insts); w.steps++ {
		if l := w.header[pc]; l >= 0 {
			w.round(l, from)
		}
		next, more := w.step(pc)
		if !more {
			return
		}
		from, pc = pc, next
	}
}

// round begins one of a loop.
func (w *walker) round(l, from int32) {
	if from < 0 || !w.loops[l].Has(w.c.Flow().BlockOf(from)) {
		w.rounds[l], w.event[l], w.used[l] = 0, 0, -2
		return
	}
	if w.rounds[l]++; w.twice(l) {
		w.known[mix(4, uint64(l))] = true
	}
}

// twice reports whether what comes round in a loop has done so twice: what goes on plainly has nothing new behind its third round.
func (w *walker) twice(l int32) bool {
	last := w.event[l]
	return last >= 3 && last <= maxRing && w.rounds[l] == 2*last+1
}

// near reports whether something new was met in this round or in the one before, in the loop that an instruction is in.
func (w *walker) near(pc int32) bool {
	l := w.inmost[pc]
	return l < 0 || w.rounds[l]-w.event[l] <= 1 || w.rounds[l]-w.used[l] <= 1 || w.twice(l)
}

// happens notes that there is something new.
func (w *walker) happens(pc int32) {
	for l := w.inmost[pc]; l >= 0; l = int32(w.loops[l].Outer) {
		w.event[l] = w.rounds[l]
	}
}

// comes notes that there is something new which does not follow from the input alone: whether the thread comes there does, by what was compared on its way.
func (w *walker) comes(pc int32) {
	w.happens(pc)
	w.asks()
}

// asks asks where what was compared lately comes out otherwise.
func (w *walker) asks() {
	if len(w.asked) >= maxQuestions {
		return
	}
	w.steps += len(w.compared)
	slices.Sort(w.compared)
	for _, at := range w.compared {
		w.ask(w.lately[at])
	}
}

// step executes an instruction; more is false where the thread ends, or goes where it is not followed.
func (w *walker) step(pc int32) (next int32, more bool) {
	in := &w.c.Insts[pc]
	guard := truth{true, true}
	if in.Guard >= 0 {
		guard = w.predicates[in.Guard]
		guard.is = guard.is != in.GuardNot
	}
	if guard.known && !guard.is {
		return pc + 1, true
	}
	if w.acting[pc] {
		w.acts(pc, in)
	}
	switch {
	case in.Op == Stop: // nor does the executor go on there
		w.done = true
		return 0, false
	case in.Op.Branches():
		return w.jump(pc, in, guard.known)
	}
	switch {
	case !guard.known:
		w.forget(in)
	case in.Op == Setp:
		w.compare(pc, in)
	case in.Op == Logic:
		if in.D >= 0 {
			w.predicates[in.D] = joinTruth(in.Mode, w.test(in.A), w.test(in.B))
		}
	case in.Op == Select:
		p, a, b := w.test(in.C), w.read(in.A), w.read(in.B)
		switch {
		case p.known && !p.is || !p.known && a == b:
			a = b
		case !p.known:
			a = held{}
		}
		if in.D >= 0 {
			w.registers[in.D] = a
		}
	case in.Op == Elect:
		w.forget(in)
		if in.E >= 0 {
			w.predicates[in.E] = truth{w.thread/2%Lanes == 0, true}
		}
	case in.Op == Shuffle: // as if all lanes were like this one
		v := w.read(in.A)
		if in.D >= 0 {
			w.registers[in.D] = v
		}
		if in.E >= 0 {
			w.predicates[in.E] = truth{true, true}
		}
	case in.Op == Vote && in.Mode < 3:
		if p := w.test(in.A); in.E >= 0 {
			w.predicates[in.E] = truth{p.is || in.Mode == 2, p.known}
		}
	case in.Op.Does(Integer):
		w.compute(pc, in)
	default:
		w.forget(in)
		if in.Op == Load && in.D >= 0 && w.input[in.D] {
			w.registers[in.D] = held{w.x, true, 1}
		} else if n, given := w.given.Values[in.D]; in.Op == Load && given {
			w.registers[in.D] = held{n: n, known: true}
		}
	}
	return pc + 1, true
}

func (w *walker) forget(in *Inst) {
	f := in.Op.form()
	for k, n := range [2]int32{in.D, in.E} {
		switch bank := [2]Bank{f.d, f.e}[k]; {
		case n < 0:
		case bank == Predicate:
			w.predicates[n] = truth{}
		case bank == Register:
			w.registers[n] = held{}
		}
	}
	for _, n := range in.Dests() {
		if n >= 0 {
			w.registers[n] = held{}
		}
	}
}

func (w *walker) jump(pc int32, in *Inst, known bool) (int32, bool) {
	if !known {
		return w.pass(pc)
	}
	switch in.Op {
	case Branch:
		return in.Target, true
	case BranchIndexed:
		a := w.read(in.A)
		if !a.known || in.Extra == nil || a.n < 0 || a.n >= int64(len(in.Extra.Targets)) {
			return 0, false
		}
		return in.Extra.Targets[a.n], true
	case Call:
		if len(w.stack) >= MaxFunctions {
			return 0, false
		}
		w.stack = append(w.stack, pc+1)
		return in.Target, true
	case Return:
		if n := len(w.stack); n > 0 {
			to := w.stack[n-1]
			w.stack = w.stack[:n-1]
			return to, true
		}
	}
	w.done = true
	return 0, false
}

// pass goes to where the ways of a branch by data come together.
func (w *walker) pass(pc int32) (int32, bool) {
	r := w.c.RegionOf(pc)
	if r.To < 0 {
		return pc + 1, true
	}
	for _, k := range r.Insts {
		w.forget(&w.c.Insts[k])
	}
	w.steps += len(r.Insts) / 4
	return r.To, true
}

func (w *walker) read(o Operand) held {
	if o.Reg < 0 {
		return held{n: o.Imm, known: o != None}
	}
	return w.registers[o.Reg]
}

func (w *walker) test(o Operand) truth {
	p := truth{o.Imm != 0, true}
	if o.Reg >= 0 {
		p = w.predicates[o.Reg]
	}
	p.is = p.is != o.Not
	return p
}

func joinTruth(how uint8, p, q truth) truth {
	switch how {
	case JoinAnd:
		return truth{p.is && q.is, p.known && q.known || p.known && !p.is || q.known && !q.is}
	case JoinOr:
		return truth{p.known && p.is || q.known && q.is, p.known && q.known || p.known && p.is || q.known && q.is}
	case JoinXor:
		return truth{p.is != q.is, p.known && q.known}
	case JoinNot:
		return truth{!p.is, p.known}
	}
	return p
}

// compute does arithmetic, and notes the formula where it is of the input.
func (w *walker) compute(pc int32, in *Inst) {
	var of [4]held
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if of[k] = w.read(o); o != None && !of[k].known {
			w.forget(in)
			return
		}
	}
	if in.Extra != nil && len(in.Extra.Operands) > 0 {
		if of[3] = w.read(in.Extra.Operands[0]); !of[3].known {
			w.forget(in)
			return
		}
	}
	n, ok := in.Compute(of[0].n, of[1].n, of[2].n, of[3].n)
	if !ok {
		w.undefined = w.undefined || of[1].made > 0
		w.forget(in)
		return
	}
	switch in.Op {
	case Min, Max, Set:
		w.note(pc, in.Type, of[0], of[1])
	case Convert: // it may cut off
		if bits := in.Result.Bits; bits < in.Type.Bits && bits <= 16 {
			w.note(pc, in.Type, of[0], held{n: 1 << bits, known: true})
		}
	case And:
		if ones := of[1].n; of[1].made == 0 && ones > 0 && ones&(ones+1) == 0 && ones < 1<<16 {
			w.note(pc, in.Type, of[0], held{n: ones + 1, known: true})
		}
	}
	if in.D >= 0 {
		w.registers[in.D] = held{n, true, w.formula(pc, in, of)}
	}
}

// formula is the number of a computation of the input; 0: it is none.
func (p *paths) formula(pc int32, in *Inst, of [4]held) int32 {
	if of[0].made|of[1].made|of[2].made|of[3].made == 0 {
		return 0
	}
	if in.Op == Move {
		return of[0].made
	}
	depth, bent := 0, false
	for k := range of {
		if of[k].made > 0 {
			of[k].n = 0
			depth, bent = max(depth, p.depth[of[k].made]+1), bent || p.bent[of[k].made]
		}
	}
	if depth > maxDepth {
		return 0
	}
	f := formula{in, of}
	if last := p.latest[pc]; last > 0 && p.formulas[last] == f {
		return last
	}
	n, met := p.number[f]
	if !met && len(p.formulas) < maxFormulas {
		n = int32(len(p.formulas))
		p.formulas, p.depth, p.bent, p.number[f] = append(p.formulas, f), append(p.depth, depth), append(p.bent, bent || !f.linear()), n
	}
	p.latest[pc] = n
	return n
}

// note looks which of two values is the greater one, and whether one is.
func (w *walker) note(pc int32, t Type, a, b held) {
	q, mine := question{t, a, b}, a.made|b.made > 0
	if mine && w.near(pc) {
		w.ask(q)
	}
	x, y, side := t.Bring(a.n), t.Bring(b.n), uint8(1)
	switch {
	case t.less(x, y):
		side = 2
	case t.less(y, x):
		side = 3
	}
	w.last[pc] = w.last[pc]<<2&63 | side
	if bit := uint64(1) << w.last[pc]; w.seen[pc]&bit == 0 {
		if w.seen[pc] |= bit; mine {
			w.happens(pc)
		} else {
			w.comes(pc)
		}
	}
	if mine {
		if w.lately[pc].t.Bits == 0 {
			w.compared = append(w.compared, pc)
		}
		w.lately[pc] = q
	}
}

// marks notes a number that the text has for the input itself besides those that say how many: one that it is compared with for being that and no other, and
// the first below 0, where that is asked.
func (w *walker) marks(t Type, mode uint8, a, b held) {
	if b.made == 1 {
		a, b, mode = b, a, [...]uint8{0, Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual}[mode]
	}
	if a.made != 1 || b.made != 0 {
		return
	}
	n := t.Bring(b.n)
	switch {
	case mode == Equal || mode == NotEqual:
		w.marked[n] = true
	case !t.Signed:
	case mode == Less || mode == GreaterEqual:
		w.marked[min(n-1, 0)] = true
	default:
		w.marked[min(n, 0)] = true
	}
}

// compare is setp.
func (w *walker) compare(pc int32, in *Inst) {
	a, b := w.read(in.A), w.read(in.B)
	if !a.known || !b.known || in.Type.Data {
		w.forget(in)
		return
	}
	w.note(pc, in.Type, a, b)
	w.marks(in.Type, in.Mode, a, b)
	p := truth{in.Type.Holds(in.Mode, in.Type.Bring(a.n), in.Type.Bring(b.n)), true}
	q := truth{!p.is, true}
	if a.made|b.made > 0 {
		w.meets(pc, p.is, question{in.Type, a, b})
	}
	if in.Join != 0 {
		r := w.test(in.C)
		p, q = joinTruth(in.Join, p, r), joinTruth(in.Join, q, r)
	}
	if in.D >= 0 {
		w.predicates[in.D] = p
	}
	if in.E >= 0 {
		w.predicates[in.E] = q
	}
}

// waited counts the waits for one mbarrier. That there were enough is new for itself, and nothing that comes round.
func (w *walker) waited(pc int32, in *Inst) {
	v := w.read(in.A)
	if !v.known {
		return
	}
	at := v.n + in.Offset
	if w.waits[at]++; w.waits[at] > EnoughWaits {
		return
	}
	if w.turns++; w.waits[at] == EnoughWaits {
		w.known[mix(8, uint64(at))] = true
		for l := w.inmost[pc]; l >= 0; l = int32(w.loops[l].Outer) {
			w.used[l] = w.rounds[l]
		}
		w.asks()
	}
}

// acts looks at the operands of what the executor sees: the first one of an access, all of what synchronizes.
func (w *walker) acts(pc int32, in *Inst) {
	if !w.reached[pc] {
		w.reached[pc] = true
		w.comes(pc)
	}
	if in.Op == MbarTest && w.thread&1 == 0 { // else it takes more than is of use with others as large
		w.waited(pc, in)
	}
	if in.Op == BarrierCTA && w.thread&1 == 0 && w.meetings[pc] < EnoughMeetings {
		w.meetings[pc]++
		w.turns++
	}
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if o.Reg < 0 || k > 0 && !in.Op.Synchronizes() || in.Op.form().operands[k] != Register {
			continue
		}
		v := w.read(o)
		if !v.known {
			continue
		}
		if v.made > 0 && w.bent[v.made] && w.near(pc) {
			w.ask(question{Type{Bits: 64, Signed: true}, v, held{n: v.n, known: true}})
		}
		at := int(pc)*3 + k
		f := &w.operands[at]
		if f.met == 0 {
			w.known[mix(3, uint64(at), uint64(v.n))] = true
			f.n, f.met = v.n, 1
			continue
		}
		by := v.n - f.n
		if was := (place{at, f.by, by, f.met < 2}); was != f.last && !w.places[was] && f.changes < maxChanges {
			w.places[was] = true
			f.changes++
			w.comes(pc)
		} else {
			f.last = was
		}
		f.n, f.by, f.met = v.n, by, 2
	}
}

// all are the traits of a thread.
func (w *walker) all() (out []uint64) {
	whole := uint64(0)
	for pc, seen := range w.seen {
		if seen == 0 {
			continue
		}
		sides := uint64(0)
		for rest := seen; rest != 0; rest &= rest - 1 {
			code := bits.TrailingZeros64(rest)
			out = append(out, mix(1, w.thread, uint64(pc), uint64(code)))
			sides |= 1 << (code & 3)
		}
		if w.done { // else they might go on
			out = append(out, mix(2, w.thread, uint64(pc), uint64(w.last[pc])))
			whole = mix(whole, uint64(pc), sides)
		}
	}
	for pc, is := range w.reached {
		if is {
			out = append(out, mix(7, w.thread, uint64(pc)))
		}
	}
	for p := range w.places {
		out = append(out, mix(5, w.thread, uint64(p.at), uint64(p.by), uint64(p.then)))
	}
	for k := range w.known {
		out = append(out, mix(w.thread, k))
	}
	if w.done {
		out = append(out, mix(6, w.thread, whole))
	}
	return out
}

// mix is a number that others make, each in its place.
func mix(all ...uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range all {
		h = (h ^ n) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}
