package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Tensor memory is given back by the warp that reserved it. Until then a matrix multiplication accumulates in it and the
// warps of an epilogue read it, and nothing but the program's barriers keeps the free after them: what is freed may be
// another kernel's at once (PTX ISA 9.7.16.7). In the model it is a buffer of one element that is read by any use and
// written by the free. Only its own allocation is known of a use, so it is not followed where a kernel has several.
//
// A multiplication and a copy count as uses where they are issued: what reads their results waits for them anyway.

const tensorMemory = "tensor memory"

func (m *machine) tensorBuffer(cta int) int {
	b := m.in.blocks[tensorMemory]
	if b == nil {
		b = &value.Block{Name: tensorMemory, Shared: true, Elements: 1}
		m.in.blocks[tensorMemory] = b
	}
	i := m.in.buffer(b, cta)
	m.in.buffers[i].Freed = true
	return i
}

// reserveTensorMemory notes an allocation.
func (m *machine) reserveTensorMemory(n program.Node, count value.Value) {
	if m.in.columns.Reserve(m.bare(n), count) {
		m.in.untracked(tensorMemory, "reserved in several pieces")
	}
}

// usesTensorMemory records that the group uses the tensor memory of its CTA.
func (m *machine) usesTensorMemory(cta int64, n program.Node) {
	if m.host || cta >= int64(m.in.ctas) {
		return
	}
	b := m.tensorBuffer(int(cta))
	m.record(protocol.Access{Buffer: b, Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "uses tensor memory")}, tensorMemory)
}

// blindlyUses notes an instruction that is given an address in tensor memory: who writes and who reads there is not followed.
func (m *machine) blindlyUses(n program.Node) {
	if m.in.blindly == "" && !m.host {
		f, at := m.place(n.Where())
		m.in.blindly = fmt.Sprintf("%s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	}
}

// blind says why no race on tensor memory was found shows nothing, "" where it does.
func (in *instance) blind() string {
	if !in.columns.Any() || in.blindly == "" {
		return ""
	}
	return "used by an instruction at an address that is not followed, at " + in.blindly
}

// freeTensorMemory is tcgen05.dealloc, which a whole warp executes (.sync.aligned).
func (m *machine) freeTensorMemory(n program.Node, count value.Value) {
	if m.in.columns.Free(m.bare(n), count); m.sampling {
		return
	}
	m.warpSync(fullWarp, n)
	b := m.tensorBuffer(int(m.cta))
	m.record(protocol.Access{Buffer: b, Write: true, Stored: m.in.storedAs("a free"), Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "frees tensor memory")}, tensorMemory)
}

// notFreed notes tensor memory of which not as much is given back as there is.
func (w *sweep) notFreed(in *instance) {
	if at, what, missing := in.columns.Misfit(); what != "" {
		w.k.undefined(Undefined{Rule: NotFreed, Whole: missing, Site: at, What: what})
	}
}
