package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// maxLanding bounds the instructions that are followed behind a test.
const maxLanding = 64

// landing is where a thread comes behind a test of an mbarrier, before it does more than compute.
type landing struct {
	at     int32
	known  bool
	passed map[int32]bool // the instructions up to there
}

// alike reports whether it makes no difference which of two tests of one phase, with nothing done in between, finds it over: what follows is the same, as where a
// compiler has turned a loop, or where one test spares a wait, and nothing behind it asks for what they said.
func (w *warp) alike(one, other int32) bool {
	if one == other {
		return true
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	key := [2]int32{one, other}
	if yes, asked := w.m.spared[key]; asked {
		return yes
	}
	yes := alike(w.m.kernel, one, other)
	w.m.spared[key] = yes
	return yes
}

func alike(k *ir.Kernel, one, other int32) bool {
	first, second, between := landingOf(k, one, true), landingOf(k, other, true), landingOf(k, one, false)
	if !first.known || !second.known || !between.known || first.at != second.at || between.at != other {
		return false
	}
	// What may be another number behind the one than behind the other: what is computed on one of the ways alone, and what is made of that.
	type name struct {
		register  int32
		predicate bool
	}
	differs, passed := map[name]bool{}, map[int32]bool{}
	sets := func(n int32) {
		in := &k.Insts[n]
		tests := in.Op == ir.Setp || in.Op == ir.Logic || in.Op == ir.MbarTest
		differs[name{in.D, tests}], differs[name{in.E, tests}] = true, true
	}
	reads := func(n int32) bool {
		in := &k.Insts[n]
		from, tests := in.OperandsOf()
		return slices.ContainsFunc(from, func(r int32) bool { return differs[name{r, false}] }) || slices.ContainsFunc(tests, func(p int32) bool { return differs[name{p, true}] }) ||
			in.Guard >= 0 && differs[name{in.Guard, true}]
	}
	sets(one)
	sets(other)
	for _, l := range []landing{first, second, between} {
		for n := range l.passed {
			if passed[n] = true; !first.passed[n] || !second.passed[n] {
				sets(n)
			}
		}
	}
	for range maxLanding {
		before := len(differs)
		for n := range passed {
			if reads(n) {
				sets(n)
			}
		}
		if len(differs) == before {
			break
		}
	}
	delete(differs, name{-1, false})
	delete(differs, name{-1, true})
	passed[one], passed[other] = true, true // these ask for the phase alone
	for n := range k.Insts {
		if !passed[int32(n)] && reads(int32(n)) {
			return false
		}
	}
	return true
}

// landingOf follows what is behind a test that says whether a phase is over.
func landingOf(k *ir.Kernel, pc int32, over bool) (l landing) {
	tests, numbers := map[int32]bool{k.Insts[pc].D: over}, map[int32]int64{} // those that follow from it
	l.passed = map[int32]bool{}
	test := func(o ir.Operand) (yes, known bool) {
		if o.Reg < 0 {
			return o.Imm != 0, o.Reg == -1
		}
		yes, known = tests[o.Reg]
		return yes != o.Not, known
	}
	number := func(o ir.Operand) (n int64, known bool) {
		if o.Reg < 0 {
			return o.Imm, o.Reg == -1 && o.Of == 0
		}
		n, known = numbers[o.Reg]
		return n, known
	}
	for n, pc := 0, pc+1; n < maxLanding && int(pc) < len(k.Insts); n++ {
		in, before := &k.Insts[pc], pc
		runs := true
		if in.Guard >= 0 {
			yes, known := test(ir.Operand{Reg: in.Guard, Not: in.GuardNot})
			if !known {
				l.at, l.known = pc, true // from here on it depends on more
				return l
			}
			runs = yes
		}
		l.passed[before] = true
		pc++
		if !runs {
			continue
		}
		switch {
		case in.Op == ir.Branch:
			pc = in.Target
		case in.Op == ir.Nop:
		case in.Op == ir.Select:
			delete(numbers, in.D)
			if p, known := test(in.C); known {
				from := in.B
				if p {
					from = in.A
				}
				if n, known := number(from); known {
					numbers[in.D] = n
				}
			}
		case in.Op == ir.Move, in.Op == ir.Convert:
			n, known := number(in.A)
			if delete(numbers, in.D); known && n >= 0 && n <= 1 { // of any type
				numbers[in.D] = n
			}
		case in.Op == ir.Setp:
			a, known := number(in.A)
			b, also := number(in.B)
			delete(tests, in.D)
			delete(tests, in.E)
			if known && also && in.Join == 0 && (in.Mode == ir.Equal || in.Mode == ir.NotEqual) {
				tests[in.D] = a == b == (in.Mode == ir.Equal)
			}
		case in.Op == ir.Logic:
			a, known := test(in.A)
			b, also := test(in.B)
			delete(tests, in.D)
			switch {
			case in.Mode == ir.JoinMove && known:
				tests[in.D] = a
			case in.Mode == ir.JoinNot && known:
				tests[in.D] = !a
			case in.Mode == ir.JoinAnd && known && also:
				tests[in.D] = a && b
			case in.Mode == ir.JoinOr && known && also:
				tests[in.D] = a || b
			}
		case in.Op.Does(ir.Integer) && in.D >= 0:
			delete(numbers, in.D)
		default:
			delete(l.passed, before)
			l.at, l.known = before, true
			return l
		}
	}
	return l
}
