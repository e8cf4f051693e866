package grid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

type opcode uint8

const (
	opCompute opcode = iota // dst = a
	opBranch                // to target unless a
	opJump
	opLoad
	opStore
	opUpdate // atomic
	opBarrier
	opSkip   // past an inert statement to target if a is unknown: what it assigns is unknown then
	opForget // assign are 0
	opFail
)

// expr is an expression without effects.
type expr func(e *env) int64

// env is a thread in a state.
type env struct {
	p      *Program
	s      []int64
	thread int
	local  int // where its numbers begin
}

// instr is one instruction of the code that all threads run.
type instr struct {
	op     opcode
	line   int
	dst    int // slot, -1: none
	a, b   expr
	ptr    expr
	fn     string
	strong bool // of a load: it says that memory is shared
	spins  bool // of a branch: the loop does nothing but wait
	kind   wrap
	target int
	assign []int // of opSkip and opForget
	why    string
}

// The first slots of a thread.
const (
	slotPC = iota
	slotBarrier
	firstLocal
)

// Barriers by what they gather.
const (
	none = iota
	ofWarp
	ofCTA
	ofGrid
)

// ErrAgain says that something was found out that the states so far do not have: decide once more.
var ErrAgain = errors.New("decide once more")

// Size is how many threads there are.
func (p *Program) Size() int { return p.kernel.CTAs * p.kernel.Block }

// CTA is the CTA of a thread.
func (p *Program) CTA(thread int) int { return thread / p.kernel.Block }

// Name names a thread.
func (p *Program) Name(thread int) string {
	if p.kernel.Block == 1 {
		return fmt.Sprintf("CTA %d", p.CTA(thread))
	}
	return fmt.Sprintf("thread %d of CTA %d", thread%p.kernel.Block, p.CTA(thread))
}

// Start is the first state.
func (p *Program) Start() []int64 {
	out := make([]int64, p.Size()*p.slots+p.room)
	for t := range p.Size() {
		copy(out[t*p.slots:], p.start)
	}
	return out
}

// Ended reports whether a thread has left the kernel.
func (p *Program) Ended(s []int64, t int) bool { return int(s[t*p.slots+slotPC]) == len(p.code) }

// maxLocal bounds the instructions of one step that nobody else sees.
const maxLocal = 1 << 12

// Step lets a thread execute an instruction that others can see, and what it does by itself after that.
func (p *Program) Step(s []int64, t int) ([]int64, error) {
	e := &env{p, slices.Clone(s), t, t * p.slots}
	for n := 0; n < maxLocal && !p.Ended(e.s, t); n++ {
		in := &p.code[e.s[e.local+slotPC]]
		if n > 0 && in.visible(e) {
			break
		}
		if err := e.execute(in); err != nil {
			return nil, err
		}
		if e.s[e.local+slotBarrier] != none {
			break
		}
	}
	if p.Ended(e.s, t) {
		clear(e.s[e.local+slotBarrier : e.local+p.slots])
	}
	e.gather()
	return e.s, nil
}

// visible reports whether others can tell when the instruction is executed. To come to a barrier is no such thing: it
// lets others on that wait there, whatever else has happened, and a CTA is scheduled as one.
func (in *instr) visible(e *env) bool {
	switch in.op {
	case opUpdate:
		return true
	case opLoad, opStore:
		v := in.ptr(e)
		if !isPointer(v) {
			return false
		}
		b, _ := pointee(v)
		return in.strong || e.p.follows(b)
	}
	return false
}

// fieldOf is the object that a field is.
func (p *Program) fieldOf(b int, name string) int {
	full := p.bases[b].name + "." + name
	for i := range p.bases {
		if p.bases[i].name == full {
			return i
		}
	}
	if len(p.bases) == maxBases {
		return b
	}
	p.bases = append(p.bases, base{full, p.bases[b].shared, asIs})
	return len(p.bases) - 1
}

// follows reports whether the values of an object are known.
func (p *Program) follows(b int) bool { return p.bases[b].shared || p.tracked[p.bases[b].name] }

func (e *env) execute(in *instr) error {
	pc := &e.s[e.local+slotPC]
	*pc++
	switch in.op {
	case opCompute:
		if v := in.kind.of(in.a(e)); in.dst >= 0 {
			e.s[e.local+in.dst] = v
		}
	case opJump:
		*pc = int64(in.target)
	case opBranch:
		v := in.a(e)
		if b := readFrom(v); isUnknown(v) && in.spins && b >= 0 && !e.p.follows(b) {
			return e.p.track(b)
		}
		if !isInteger(v) && !isPointer(v) {
			return e.p.fail(in, "a branch on what is not known here")
		}
		if v == 0 {
			*pc = int64(in.target)
		}
	case opSkip:
		if isUnknown(in.a(e)) {
			for _, slot := range in.assign {
				e.s[e.local+slot] = unknown
			}
			*pc = int64(in.target)
		}
	case opForget:
		for _, slot := range in.assign {
			e.s[e.local+slot] = 0
		}
	case opBarrier:
		*pc--
		e.s[e.local+slotBarrier] = in.a(e)
	case opFail:
		return e.p.fail(in, in.why)
	default:
		return e.access(in)
	}
	return nil
}

func (p *Program) fail(in *instr, why string) error { return fmt.Errorf("line %d: %s", in.line, why) }

func (p *Program) track(b int) error {
	p.tracked[p.bases[b].name] = true
	return ErrAgain
}

// access executes a load, a store or an atomic.
func (e *env) access(in *instr) error {
	set := func(v int64) {
		if in.dst >= 0 {
			e.s[e.local+in.dst] = v
		}
	}
	v := in.ptr(e)
	if !isPointer(v) {
		if in.op == opUpdate || in.strong {
			return e.p.fail(in, "the address is not known here")
		}
		set(unknown) // data: a store through such an address is taken to be of data, too
		return nil
	}
	b, at := pointee(v)
	if !e.p.follows(b) {
		if in.op == opUpdate || in.strong {
			return e.p.track(b)
		}
		set(unknownFrom(b))
		return nil
	}
	i, err := e.cell(b, at)
	if err != nil {
		return fmt.Errorf("line %d: %w", in.line, err)
	}
	old := e.s[i]
	switch in.op {
	case opStore:
		e.s[i] = e.p.bases[b].kind.of(in.a(e))
	case opUpdate:
		next := update(in, e, old)
		if isUnknown(next) {
			return e.p.fail(in, "the value written is not known here")
		}
		e.s[i] = e.p.bases[b].kind.of(next)
	}
	set(old)
	return nil
}

// update is what an atomic writes.
func update(in *instr, e *env, old int64) int64 {
	a := in.a(e)
	switch in.fn {
	case "exch":
		return a
	case "cas":
		same := binary("==", old, a)
		if isUnknown(same) {
			return unknown
		}
		if same != 0 {
			return in.b(e)
		}
		return old
	case "max", "min":
		less := binary("<", old, a)
		switch {
		case isUnknown(less):
			return unknown
		case (less != 0) == (in.fn == "max"):
			return a
		}
		return old
	case "inc": // ((old >= a) ? 0 : old+1), CUDA C++ Programming Guide, atomicInc
		over := binary(">=", old, a)
		switch {
		case isUnknown(over):
			return unknown
		case over != 0:
			return 0
		}
		return old + 1
	}
	return binary(in.fn, old, a)
}

// cell finds the place of an element in the state.
func (e *env) cell(b int, at int64) (int, error) {
	key := cell{b, at, -1}
	if e.p.bases[b].shared {
		key.cta = e.p.CTA(e.thread)
	}
	i, ok := e.p.cells[key]
	if !ok {
		if i = len(e.p.cells); i >= e.p.room {
			if e.p.room *= 2; e.p.room > maxCells {
				return 0, fmt.Errorf("more than %d elements of memory are used", maxCells)
			}
			return 0, ErrAgain
		}
		e.p.cells[key] = i
	}
	return e.p.Size()*e.p.slots + i, nil
}

// gather lets all leave a barrier that everyone who has not ended stands at.
func (e *env) gather() {
	for t := range e.p.Size() {
		kind := e.s[t*e.p.slots+slotBarrier]
		if kind == none {
			continue
		}
		var group []int
		full := true
		for u := range e.p.Size() {
			if !e.p.together(kind, t, u) || e.p.Ended(e.s, u) {
				continue
			}
			group = append(group, u)
			full = full && e.s[u*e.p.slots+slotBarrier] == kind
		}
		if full {
			for _, u := range group {
				e.s[u*e.p.slots+slotBarrier] = none
				e.s[u*e.p.slots+slotPC]++
			}
		}
	}
}

// together reports whether a barrier of one thread is for another, too.
func (p *Program) together(kind int64, t, u int) bool {
	switch kind {
	case ofGrid:
		return true
	case ofCTA:
		return p.CTA(t) == p.CTA(u)
	}
	return p.CTA(t) == p.CTA(u) && t%p.kernel.Block/32 == u%p.kernel.Block/32
}

// Describe says what the next step of a thread is, and on which line it stands.
func (p *Program) Describe(s []int64, t int) (int, string) {
	in := &p.code[s[t*p.slots+slotPC]]
	text := p.file.Source.Line(in.line)
	for _, comment := range []string{"//", "  #"} {
		text, _, _ = strings.Cut(text, comment)
	}
	text = strings.TrimRight(strings.TrimSpace(text), "{ ;:")
	e := &env{p, slices.Clone(s), t, t * p.slots}
	if v, ok := e.finds(in); ok {
		text += fmt.Sprintf(" finds %d", v)
	}
	next, err := p.Step(s, t)
	switch {
	case err != nil:
	case p.Ended(next, t):
		text += "; ends"
	case slices.Equal(next, s):
		text += "; again"
	}
	return in.line, text
}

// finds is the value of the memory that an instruction reads.
func (e *env) finds(in *instr) (int64, bool) {
	if in.op != opLoad && in.op != opUpdate {
		return 0, false
	}
	v := in.ptr(e)
	if !isPointer(v) {
		return 0, false
	}
	b, at := pointee(v)
	if !e.p.follows(b) {
		return 0, false
	}
	i, err := e.cell(b, at)
	if err != nil || !isInteger(e.s[i]) {
		return 0, false
	}
	return e.s[i], true
}

// again compiles the kernel anew, with what is known of its memory.
func (p *Program) Again() { p.again() }
