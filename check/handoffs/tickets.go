package handoffs

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// counts reports whether an atomic operation adds to what is there, or takes from it, and says what was there. To add nothing is to read.
func (f *finder) counts(in *ir.Inst) bool {
	return in.Op == ir.Atomic && in.D >= 0 && in.B != (ir.Operand{Reg: -1}) && slices.Contains([]string{"add", "inc", "dec"}, in.Named())
}

// drawn follows a ticket: decided are the branches that are taken if it is a certain number, by its being that, or by what a thread has put into shared memory for
// the others of its CTA. That the first one comes is no such number: nobody has written anything for it. Nor is what is worked out of the ticket itself. It reports whether there are such branches.
func (f *finder) drawn(n int32) (decides bool) {
	k := f.k
	registers, predicates, variables := map[int32]bool{k.Insts[n].D: true}, map[int32]bool{}, map[*ir.Variable]bool{}
	numbers := map[int32]bool{k.Insts[n].D: true} // what the ticket itself is made into
	copies := map[int32]bool{k.Insts[n].D: true}  // those of them that are the ticket as it was drawn
	handed := map[*ir.Variable]bool{}             // by which it is handed to the other threads
	f.decided = nil
	for again := true; again && f.left >= 0; {
		again = false
		f.left -= len(k.Insts)
		put := func(in map[int32]bool, n int32) {
			if n >= 0 && !in[n] {
				in[n], again = true, true
			}
		}
		for i := range k.Insts {
			in := &k.Insts[i]
			from, tests := in.OperandsOf()
			reads := slices.ContainsFunc(from, func(r int32) bool { return registers[r] })
			tested := slices.ContainsFunc(tests, func(p int32) bool { return predicates[p] })
			switch {
			case in.Op == ir.Setp:
				counted := slices.ContainsFunc(from, func(r int32) bool { return numbers[r] })
				first := in.B.Reg == -1 && in.B.Imm == 0 && k.Insts[n].Named() != "dec" && copies[in.A.Reg]
				itself := numbers[in.A.Reg] && numbers[in.B.Reg]
				if counted && !first && !itself && (in.Mode == ir.Equal || in.Mode == ir.NotEqual) || reads && !counted || tested {
					put(predicates, in.D)
					put(predicates, in.E)
				}
			case in.Op == ir.Logic && tested:
				put(predicates, in.D)
			case in.Op == ir.Select && tested:
				put(registers, in.D)
			case in.Op == ir.Store && in.Space == ir.Shared && (slices.ContainsFunc(from, func(r int32) bool { return registers[r] && r != in.A.Reg }) || in.Guard >= 0 && predicates[in.Guard]):
				into := variables
				if in.Guard < 0 && numbers[in.B.Reg] {
					into = handed
				}
				for _, v := range k.ObjectsOf(in) {
					if !into[v] {
						into[v], again = true, true
					}
				}
			case in.Op == ir.Load && in.Space == ir.Shared && slices.ContainsFunc(k.ObjectsOf(in), func(v *ir.Variable) bool { return handed[v] && !variables[v] }):
				put(registers, in.D)
				put(numbers, in.D)
				put(copies, in.D)
			case in.Op == ir.Load && in.Space == ir.Shared && slices.ContainsFunc(k.ObjectsOf(in), func(v *ir.Variable) bool { return variables[v] }):
				put(registers, in.D)
			case in.Op.Does(ir.Integer) || in.Op == ir.Shuffle || in.Op == ir.Convert || in.Op == ir.Move:
				if slices.ContainsFunc(from, func(r int32) bool { return numbers[r] }) {
					put(numbers, in.D)
				}
				if (in.Op == ir.Shuffle || in.Op == ir.Convert || in.Op == ir.Move) && copies[in.A.Reg] {
					put(copies, in.D)
				}
				if slices.ContainsFunc(from, func(r int32) bool { return registers[r] && !numbers[r] }) {
					put(registers, in.D)
				}
			}
		}
	}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == ir.Branch && in.Guard >= 0 && predicates[in.Guard] && f.reaches(n, int32(i)) {
			f.decided = append(f.decided, int32(i))
		}
	}
	return len(f.decided) > 0
}

// last reports whether an instruction is come to one way alone from a branch that the ticket decides.
func (f *finder) last(n int32) bool {
	b := f.fl.BlockOf(n)
	return slices.ContainsFunc(f.decided, func(at int32) bool {
		from := f.fl.BlockOf(at)
		return slices.ContainsFunc(f.fl.Next(from), func(next int32) bool {
			return len(f.fl.Before(next)) == 1 && f.fl.Dominates(next, b)
		})
	})
}
