package thread

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// The first numbers of a thread; then come where calls return to, what registers hold, and, four in a number, what is known of them.
const (
	slotPC      = iota
	slotWait    // what it waits for: see barriers.go; 0: nothing
	slotArrived // named barriers that it has arrived at without waiting, one bit each
	slotCluster // what it has to do with the barrier of the cluster
	slotStack
)

// set is a set of registers and predicates.
type set []uint64

func (s set) has(n int32) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s set) add(n int32)      { s[n/64] |= 1 << (n % 64) }
func (s set) remove(n int32)   { s[n/64] &^= 1 << (n % 64) }

// join adds all of another set and reports whether any is new.
func (s set) join(o set) (more bool) {
	for k := range o {
		more = more || o[k]&^s[k] != 0
		s[k] |= o[k]
	}
	return more
}

// layOut finds where steps may end and what is read later there: that is what states hold. What is not read any more is 0, so that
// states which differ in nothing that matters are one.
func (s *System) layOut() {
	k := s.kernel
	s.rests, s.live = make([]bool, len(k.Insts)+1), map[int32]set{}
	s.rests[0] = true
	isSet := make([]bool, k.Registers+k.Predicates)
	for n := range k.Insts {
		in := &k.Insts[n]
		s.waits = s.waits || waits(in)
		if in.Op.Does(ir.Reads|ir.Writes) || in.Op.Synchronizes() || in.Op == ir.Exit || in.Op == ir.Return {
			s.rests[n] = true
		}
		s.rests[n] = s.rests[n] || s.fine
		if waits(in) { // there, and behind it when others let it on
			s.rests[n], s.rests[n+1] = true, true
		}
		switch {
		case in.Op == ir.Branch && in.Target <= int32(n):
			s.rests[in.Target] = true
		case in.Op == ir.BranchIndexed:
			for _, t := range in.Extra.Targets {
				s.rests[t] = s.rests[t] || t <= int32(n)
			}
		}
		s.results(in, func(r int32) { isSet[r] = true })
	}
	s.findLive()
	need := s.none()
	for _, live := range s.live {
		need.join(live)
	}
	s.slotOf = make([]int32, len(isSet))
	for r := range isSet {
		s.slotOf[r] = -1
		switch {
		case !isSet[r]:
			s.given = append(s.given, int32(r))
		case need.has(int32(r)):
			s.slotOf[r] = int32(len(s.slots))
			s.slots = append(s.slots, int32(r))
		}
	}
	s.size = slotStack + s.depth + len(s.slots) + (len(s.slots)+3)/4
	s.scratch = make([]value, len(isSet))
	s.giveAll()
}

func (s *System) none() set { return make(set, (s.kernel.Registers+s.kernel.Predicates+63)/64) }

// results are the registers and predicates that an instruction sets.
func (s *System) results(in *ir.Inst, each func(int32)) {
	registers, predicates := in.Results()
	for _, r := range registers {
		each(r)
	}
	for _, p := range predicates {
		each(int32(s.kernel.Registers) + p)
	}
}

// findLive finds what is read later at the places where steps may end. A function may return to wherever it is called.
func (s *System) findLive() {
	k, fl := s.kernel, s.kernel.Flow()
	in := make([]set, fl.Blocks())
	for b := range in {
		in[b] = s.none()
	}
	behind := map[int32]set{} // by function: what is read behind its calls
	for again := true; again; {
		again = false
		for b := int32(fl.Blocks()) - 1; b >= 0; b-- {
			live := s.none()
			for _, next := range fl.Next(b) {
				live.join(in[next])
			}
			for n := fl.Last(b); n >= fl.Start(b); n-- {
				i := &k.Insts[n]
				switch {
				case i.Op == ir.Return && n == k.EndOf(n):
					for _, f := range k.Functions {
						if n == f[1]-1 && behind[f[0]] != nil {
							live.join(behind[f[0]])
						}
					}
				case i.Op == ir.Call:
					if behind[i.Target] == nil {
						behind[i.Target] = s.none()
					}
					again = behind[i.Target].join(live) || again
					live.join(in[fl.BlockOf(i.Target)])
				}
				s.before(i, live)
				if s.rests[n] {
					if s.live[n] == nil {
						s.live[n] = s.none()
					}
					s.live[n].join(live)
				}
			}
			again = in[b].join(live) || again
		}
	}
}

// before turns what is read behind an instruction into what is read from it on.
func (s *System) before(in *ir.Inst, live set) {
	if in.Guard < 0 {
		s.results(in, live.remove)
	} else {
		live.add(int32(s.kernel.Registers) + in.Guard)
	}
	registers, predicates := in.OperandsOf()
	for _, r := range registers {
		live.add(r)
	}
	for _, p := range predicates {
		live.add(int32(s.kernel.Registers) + p)
	}
	if in.Members.Reg >= 0 {
		live.add(in.Members.Reg)
	}
}

// giveAll lists what the registers hold that nothing sets, by thread: parameters, special registers, and nothing known.
func (s *System) giveAll() {
	held := map[int32]value{}
	for _, p := range s.kernel.Slots {
		if n, given := s.launch.Params[p.Called()]; given {
			held[p.Register] = integer(n)
		}
	}
	for r, o := range s.pointers {
		held[r] = pointer(o)
	}
	common := make([]value, len(s.given))
	special := map[string]int{}
	for k, r := range s.given {
		common[k] = held[r]
	}
	for name, r := range s.kernel.Special {
		if k, is := slices.BinarySearch(s.given, r); is {
			special[name] = k
		}
	}
	for t := range s.threads {
		own, at := slices.Clone(common), s.position(t)
		for name, k := range special {
			own[k] = defined(at.Special(name))
		}
		s.values = append(s.values, own)
	}
}

// Start implements progress.System.
func (s *System) Start() []int64 { return make([]int64, s.threads*s.size+s.room) }

// thread is one thread while it makes a step.
type thread struct {
	*System
	state   []int64
	t, base int
	pc      int64
	stack   []int64
	values  []value // registers, then predicates
	wait    int64
	wrote   bool // what others can see
	arrived bool // somewhere where others may wait for it
	maybe   bool // it is not known whether the instruction is executed
	doubt   tag  // what would say so
}

// enter takes a thread out of a state.
func (s *System) enter(state []int64, t int) *thread {
	e := &thread{System: s, state: state, t: t, base: t * s.size, values: s.scratch}
	clear(e.values)
	for k, v := range s.values[t] {
		e.values[s.given[k]] = v
	}
	own := state[e.base : e.base+s.size]
	e.pc = own[slotPC]
	for _, to := range own[slotStack : slotStack+s.depth] {
		if to != 0 {
			e.stack = append(e.stack, to)
		}
	}
	registers, known := s.parts(own)
	for k, r := range s.slots {
		e.values[r] = value{registers[k], tag(known[k/4] >> (k % 4 * 16))}
	}
	return e
}

// parts are where a thread's registers are, and what is known of them.
func (s *System) parts(own []int64) (registers, known []int64) {
	n := slotStack + s.depth
	return own[n : n+len(s.slots)], own[n+len(s.slots):]
}

// leave puts it back.
func (e *thread) leave() {
	s := e.System
	own := e.state[e.base : e.base+s.size]
	arrived, cluster := own[slotArrived], own[slotCluster]
	clear(own)
	own[slotPC], own[slotArrived] = e.pc, arrived
	if e.pc == s.end() {
		return
	}
	own[slotWait], own[slotCluster] = e.wait, cluster
	copy(own[slotStack:slotStack+s.depth], e.stack)
	registers, known := s.parts(own)
	for w, word := range s.live[int32(e.pc)] {
		for ; word != 0; word &= word - 1 {
			r := int32(w*64 + bits.TrailingZeros64(word))
			if k := s.slotOf[r]; k >= 0 {
				v := e.values[r]
				registers[k] = v.n
				known[k/4] |= int64(v.tag) << (k % 4 * 16)
			}
		}
	}
}

// read is an operand's value.
func (e *thread) read(o ir.Operand) value {
	if o.Reg < 0 {
		return integer(o.Imm)
	}
	return e.values[o.Reg]
}

// test is a predicate operand's value.
func (e *thread) test(o ir.Operand) value {
	v := integer(min(1, max(o.Imm, -o.Imm)))
	if o.Reg >= 0 {
		v = e.values[e.kernel.Registers+int(o.Reg)]
	}
	if o.Not {
		v = not(v)
	}
	return v
}

// set gives a register a value; it may keep the old one where it is not known whether the instruction is executed.
func (e *thread) set(d int32, v value) {
	if d < 0 {
		return
	}
	if e.maybe {
		v = either(e.values[d], v, value{tag: e.doubt})
	}
	e.values[d] = v
}

func (e *thread) setPredicate(d int32, v value) {
	if d >= 0 {
		e.set(int32(e.kernel.Registers)+d, v)
	}
}
