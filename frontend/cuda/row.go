package cuda

import (
	"github.com/fencepost-dev/fencepost/ir"
)

// inArray is where an element of an array in memory is. An index that is not known leads to some element of that array (C++17 [expr.add] 4), whatever stands beside it.
func (c *compiler) inArray(at *place, i value) *memory {
	m := *at.memory
	if spread(at.t.to) && m.space == ir.Shared && !m.lost && at.t.to.room == noRoom && m.led && (i.op.Reg >= 0 || i.op.Imm != 0) { // as elements that a pointer to it leads to
		return c.offsetBySize(&m, i, at.t.to)
	}
	inside := (m.space == ir.Shared || m.space == ir.Global) && !m.lost && at.t.size > 0 && at.t.extent > 1 && i.op.Reg >= 0 // an array of one element may stand for one of any length
	if inside && m.offset != 0 {
		if m.base.Reg == -1 {
			m.base.Imm += m.offset
		} else {
			wide := intType
			if m.space == ir.Global {
				wide = longType
			}
			m.base = c.compute(ir.Add, wide, m.base, constant(m.offset)).op
		}
		m.offset = 0
	}
	out := c.offsetBy(&m, i, at.t.to.size)
	if inside {
		c.leadsInto(out, at.t.size)
	}
	return out
}

// leadsInto says of how many bytes the array is that the address that was computed last leads into; 0 says nothing.
func (c *compiler) leadsInto(m *memory, bytes int64) {
	if last := len(c.code.Insts) - 1; bytes > 0 && last >= 0 && c.code.Insts[last].Op == ir.Add && c.code.Insts[last].D == m.base.Reg {
		c.code.Insts[last].Size = uint32(bytes)
	}
}

// rowOf is how long the array is whose first element a value leads to, where it is one of several; 0 where it leads elsewhere.
func (c *compiler) rowOf(v value) int64 {
	switch {
	case v.t == nil:
	case v.t.array && v.at != nil && v.at.memory != nil && (v.at.memory.space == ir.Shared || v.at.memory.space == ir.Global) && v.at.memory.base.Reg >= 0 && !v.at.memory.lost && v.t.extent > 1:
		return max(v.t.size, 0)
	case v.t.pointer():
		return v.row
	}
	return 0
}
