package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
)

const tensorFence = "FP209"

// fenceless tells of what a kernel has the tensor core do with no fence that it needs (FP209): of tcgen05.ld behind a wait for multiplications, of wgmma with no wgmma.fence
// anywhere in the kernel, and of operands that its threads write and no proxy fence is for; and of what threads write and a bulk copy reads with none between (FP201). A call that is
// not followed may have the fence.
func (k *compiledKernel) fenceless(opt *Options, known []finding.Finding) (out []finding.Finding) {
	if k.whole == nil || slices.ContainsFunc(k.whole.Insts, func(in ir.Inst) bool { return in.Op.Does(ir.Opaque) && in.Op != ir.Havoc }) {
		return nil
	}
	tell := func(rule string, at int32, message string, labels map[int32]string, help string) {
		if fd := k.toldAt(opt, known, out, finding.Warning, rule, at, message, labels, help); fd != nil {
			fd.Verdict = "inconclusive"
			fd.Notes = append(fd.Notes, "of the order of memory, which is not among what was decided")
			out = append(out, *fd)
		}
	}
	if write, bulk := barriers.UnfencedCopy(k.whole); bulk >= 0 {
		tell(storeRule, bulk, "a bulk copy reads through the async proxy what threads write, with no fence.proxy.async between", map[int32]string{write: "written here through the generic proxy"},
			"each writer executes fence.proxy.async.shared::cta behind the writes, ahead of the barrier (PTX ISA 8.6)")
	}
	if wait, load := barriers.BareLoad(k.whole, true); load >= 0 {
		tell(tensorFence, load, "tensor memory is read behind a wait for multiplications with no tcgen05.fence::after_thread_sync between", map[int32]string{wait: "the wait"},
			"execute tcgen05.fence::after_thread_sync behind the wait (PTX ISA 9.7.16.6.4)")
	}
	for i := range k.whole.Insts {
		in := &k.whole.Insts[i]
		if in.Op == ir.WarpgroupMultiply && !barriers.HasFence(k.whole, ir.WgmmaFence) {
			tell(tensorFence, int32(i), "the kernel multiplies by wgmma and has no wgmma.fence", nil, "execute wgmma.fence ahead of the first wgmma.mma_async, and wherever registers that it uses were accessed (PTX ISA 9.7.15.7.1)")
			break
		}
	}
	for i := range k.whole.Insts {
		in := &k.whole.Insts[i]
		if in.Op != ir.WarpgroupMultiply && in.Op != ir.TensorMultiply || barriers.HasFence(k.whole, ir.ProxyAsync) {
			continue
		}
		if at := k.writesOperand(in); at >= 0 {
			tell(tensorFence, at, "threads write what a multiplication reads through the async proxy, and the kernel has no fence.proxy.async", map[int32]string{int32(i): "the multiplication"},
				"execute fence.proxy.async.shared::cta behind the writes, ahead of the barrier (PTX ISA 9.7.15.4)")
			break
		}
	}
	return out
}

// writesOperand is a store to a variable in shared memory that an operand of a multiplication is described by the address of, and that no asynchronous copy fills.
func (k *compiledKernel) writesOperand(multiply *ir.Inst) int32 {
	read := map[*ir.Variable]bool{}
	for _, o := range barriers.DescriptorsOf(multiply) {
		for _, v := range k.whole.ObjectsOf(&ir.Inst{Op: ir.Load, A: o}) {
			read[v] = true
		}
	}
	for i := range k.whole.Insts { // what copies bring needs none
		if in := &k.whole.Insts[i]; in.Op == ir.Async {
			objects := k.whole.ObjectsOf(in)
			if len(objects) == 0 {
				return -1
			}
			for _, v := range objects {
				delete(read, v)
			}
		}
	}
	for i := range k.whole.Insts {
		in := &k.whole.Insts[i]
		if in.Op == ir.Store && in.Space != ir.Local && slices.ContainsFunc(k.whole.ObjectsOf(in), func(v *ir.Variable) bool { return read[v] }) {
			return int32(i)
		}
	}
	return -1
}
