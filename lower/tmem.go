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
func (m *machine) reserveTensorMemory(n program.Node) {
	f, at := m.place(n.Where())
	place := fmt.Sprintf("%s:%d", f.Source.Name, at.Start)
	if m.in.reserved == "" {
		m.in.reserved, m.in.reservedAt = place, m.bare(n)
	}
	if m.in.reserved != place {
		m.in.untracked(tensorMemory, "reserved in several pieces")
	}
}

// countColumns notes how many columns are reserved, or freed.
func (m *machine) countColumns(which int, o operands) {
	at, n := m.bare(o.node), int64(-1)
	if v, known := value.Whole(o.or("count", value.Data{})).(value.Int); known {
		n = int64(v)
	}
	sites := m.in.columns[which]
	if sites == nil {
		sites = map[protocol.Site]int64{}
		m.in.columns[which] = sites
	}
	if before, met := sites[at]; met && before != n {
		n = -1
	}
	sites[at] = n
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
	if in.reserved == "" || in.blindly == "" {
		return ""
	}
	return "used by an instruction at an address that is not followed, at " + in.blindly
}

// freeTensorMemory is tcgen05.dealloc, which a whole warp executes (.sync.aligned).
func (m *machine) freeTensorMemory(n program.Node) {
	if m.in.freed = true; m.sampling {
		return
	}
	m.warpSync(fullWarp, n)
	b := m.tensorBuffer(int(m.cta))
	m.record(protocol.Access{Buffer: b, Write: true, Stored: m.in.storedAs("a free"), Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "frees tensor memory")}, tensorMemory)
}

// notFreed notes tensor memory that no thread gives back: all that a kernel allocated it has to free before it exits (PTX ISA 9.7.16.7.1). Where it is
// allocated in one place and freed in one, these are of as many columns; those that it was found for count where it is freed with none (a library's free).
func (w *sweep) notFreed(in *instance) {
	if len(in.columns[0]) == 1 && len(in.columns[1]) == 1 {
		for _, reserved := range in.columns[0] {
			for at, n := range in.columns[1] {
				if n > 0 && reserved > 0 && n != reserved {
					w.k.undefined(Undefined{Rule: NotFreed, Site: at, What: fmt.Sprintf("this frees %d columns of tensor memory, and %d are allocated; expected as many", n, reserved)})
				}
			}
		}
	}
	if in.reserved != "" && !in.freed {
		w.k.undefined(Undefined{Rule: NotFreed, Whole: true, Site: in.reservedAt,
			What: "this allocates tensor memory, and no thread frees it; expected tcgen05.dealloc before the kernel exits"})
	}
}
