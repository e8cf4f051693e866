package barriers

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

const mbarrierBytes = 8 // PTX ISA 9.7.13.15.1

// missingFences are fences that operations of the tensor core need and of which a kernel has none at all, and that
// a wait for multiplications of tcgen05 is left without. Another one that is there is taken to stand where it has to.
func missingFences(k *ir.Kernel) (out []exec.Halt) {
	first := func(ops ...ir.Op) *ir.Place {
		for i := range k.Insts {
			if slices.Contains(ops, k.Insts[i].Op) {
				return &k.Places[k.Insts[i].Place]
			}
		}
		return nil
	}
	operands, known := operandsOf(k)
	stores := slices.ContainsFunc(k.Insts, func(in ir.Inst) bool {
		switch {
		case !(in.Op.Accesses() && in.Op.Does(ir.Writes) || in.Op == ir.Matrix && in.Flags&ir.Write != 0):
			return false
		case in.Space != ir.Shared && !(in.Space == ir.Generic && k.FromShared(&in)):
			return false
		}
		of := k.ObjectsOf(&in) // where no operand lies none is written
		return !known || len(of) == 0 || slices.ContainsFunc(of, func(v *ir.Variable) bool { return operands[v] })
	})
	for _, c := range []struct {
		at      *ir.Place
		missing bool
		why     string
	}{
		{first(ir.TensorMultiply, ir.TensorCopy, ir.WarpgroupMultiply), stores && !HasFence(k, ir.ProxyAsync), "the kernel writes shared memory and has no fence.proxy.async, which what is read here needs (PTX ISA 9.7.15.4, 9.7.16.6.5)"},
		{first(ir.WarpgroupMultiply), !HasFence(k, ir.WgmmaFence), "the kernel has no wgmma.fence, which the first multiplication needs (PTX ISA 9.7.15.7.1)"},
		{first(ir.TensorLoad), !HasFence(k, ir.Tcgen05After), "the kernel has no tcgen05.fence::after_thread_sync, which what is ordered by a wait needs (PTX ISA 9.7.16.6.4)"},
	} {
		if c.at != nil && c.missing {
			out = append(out, exec.Halt{Place: c.at, Why: limit.Fence.Says(c.why)})
		}
	}
	if len(out) == 0 {
		if _, load := BareLoad(k, false); load >= 0 {
			out = append(out, exec.Halt{Place: &k.Places[k.Insts[load].Place], Why: limit.Fence.Says("a way leads here from a wait for the multiplications with no tcgen05.fence::after_thread_sync on it, which what is ordered by a wait needs (PTX ISA 9.7.16.6.4)")})
		}
	}
	return out
}

// HasFence reports whether a kernel has a fence of a kind anywhere.
func HasFence(k *ir.Kernel, mode ir.Proxy) bool {
	return slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Op == ir.Fence && in.Mode == mode })
}

// operandsOf are the shared variables that the descriptors of all operands are made of the addresses of, if that is known of each.
func operandsOf(k *ir.Kernel) (out map[*ir.Variable]bool, known bool) {
	out = map[*ir.Variable]bool{}
	for i := range k.Insts {
		in := &k.Insts[i]
		switch in.Op {
		case ir.TensorCopy:
			return nil, false
		case ir.WarpgroupMultiply, ir.TensorMultiply:
		default:
			continue
		}
		for _, o := range DescriptorsOf(in) {
			of := k.ObjectsOf(&ir.Inst{Op: ir.Load, A: o})
			if len(of) == 0 {
				return nil, false
			}
			for _, v := range of {
				out[v] = true
			}
		}
	}
	return out, true
}

// DescriptorsOf are the operands of a multiplication that describe matrices in shared memory.
func DescriptorsOf(in *ir.Inst) []ir.Operand {
	switch {
	case in.Op == ir.WarpgroupMultiply && in.A.Reg < 0 && in.A.Imm == 0: // in registers
		return []ir.Operand{in.B}
	case in.Op == ir.WarpgroupMultiply:
		return []ir.Operand{in.A, in.B}
	case in.Flags&ir.AInTensor != 0: // B is an address of tensor memory
		return []ir.Operand{in.C}
	}
	return []ir.Operand{in.B, in.C}
}

// BareLoad is a tcgen05.ld that a thread comes to, on some way, behind a wait on an mbarrier that multiplications arrive in, with no fence since. Which mbarriers
// these are the variables say that their addresses are made of; waits on others are for what no fence of the tensor core is about. -1 where there is none. alone: only mbarriers that are
// variables of their own, as others beside them in one are for copies, perhaps.
func BareLoad(k *ir.Kernel, alone bool) (wait, load int32) {
	told := map[*ir.Variable]bool{}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == ir.AsyncArrive && in.Mode == uint8(ir.TensorCore) {
			for _, v := range k.ObjectsOf(in) {
				told[v] = !alone || v.Size == mbarrierBytes
			}
		}
	}
	for i := range k.Insts {
		if in := &k.Insts[i]; len(told) > 0 && in.Op == ir.MbarTest && slices.ContainsFunc(k.ObjectsOf(in), func(v *ir.Variable) bool { return told[v] }) {
			if load := bareBehind(k, int32(i)); load >= 0 {
				return int32(i), load
			}
		}
	}
	return -1, -1
}

// bareBehind is the first tcgen05.ld that some way behind a wait comes to without a fence.
func bareBehind(k *ir.Kernel, wait int32) int32 {
	return k.Flow().Behind(wait, func(pc int32) ir.Heading {
		switch in := &k.Insts[pc]; {
		case in.Op == ir.Fence && in.Mode == ir.Tcgen05After:
			return ir.Aside
		case in.Op == ir.TensorLoad:
			return ir.Found
		}
		return ir.Onward
	})
}

// UnfencedCopy is a write of threads to a variable in shared memory, and a bulk copy out of that variable that they come to with no fence.proxy.async on any way between, on
// which the variable is not written again (PTX ISA 8.6); -1 where there is none. Of the roles of a kernel, between which no way leads, nothing is said.
func UnfencedCopy(k *ir.Kernel) (write, bulk int32) {
	var copies []int32
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == ir.Async && ir.Unit(in.Mode) == ir.Bulk && in.Flags&ir.FromShared != 0 && len(in.Extra.Operands) > 1 && k.Flow().Reached(k.Flow().BlockOf(int32(i))) {
			copies = append(copies, int32(i))
		}
	}
	if len(copies) == 0 {
		return -1, -1
	}
	var writes []int32
	for i := range k.Insts {
		in := &k.Insts[i]
		if (in.Op.Accesses() && in.Op.Does(ir.Writes) || in.Op == ir.Matrix && in.Flags&ir.Write != 0) && in.Space != ir.Local && len(k.ObjectsOf(in)) == 1 {
			writes = append(writes, int32(i))
		}
	}
	source := func(i int32) []*ir.Variable {
		return k.ObjectsOf(&ir.Inst{Op: ir.Load, A: k.Insts[i].Extra.Operands[1]}) // to, from
	}
	for _, w := range writes {
		to := k.ObjectsOf(&k.Insts[w])[0]
		for _, c := range copies {
			if from := source(c); len(from) == 1 && from[0] == to && bareTo(k, w, c, func(i int32) bool { return slices.Contains(writes, i) && k.ObjectsOf(&k.Insts[i])[0] == to }) {
				return w, c
			}
		}
	}
	return -1, -1
}

// bareTo reports whether some way leads from one instruction to another one, and no fence.proxy.async is on any, each followed until it is over.
func bareTo(k *ir.Kernel, from, to int32, over func(int32) bool) (yes bool) {
	fl := k.Flow()
	seen, todo := map[int32]bool{}, []int32{from + 1}
	if b := fl.BlockOf(from); fl.Last(b) == from {
		todo = nil
		for _, next := range fl.Next(b) {
			todo = append(todo, fl.Start(next))
		}
	}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for ; int(pc) < len(k.Insts) && !seen[pc]; pc++ {
			seen[pc] = true
			switch in := &k.Insts[pc]; {
			case in.Op == ir.Fence && in.Mode == ir.ProxyAsync:
				return false
			case pc == to:
				yes = true
			}
			if pc == to || over(pc) {
				break
			}
			if b := fl.BlockOf(pc); fl.Last(b) == pc {
				for _, next := range fl.Next(b) {
					todo = append(todo, fl.Start(next))
				}
				break
			}
		}
	}
	return yes
}
