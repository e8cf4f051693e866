package cuda

import (
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// maxPieces bounds the accesses that a copy of a size that is known is made of in place; larger ones are loops.
const maxPieces = 32

// copiesBytes are the functions of C that copy or fill memory, under all their names; filling ones are true.
var copiesBytes = map[string]bool{"memcpy": false, "memmove": false, "__builtin_memcpy": false, "__builtin_memmove": false, "std::memcpy": false, "std::memmove": false,
	"memset": true, "__builtin_memset": true, "std::memset": true}

// bytes translates one of them (C17 7.24.2): as many accesses as it takes, one behind the other. Of two that overlap in part it is not said which bytes are
// there in between, so that a piece of one is the same as another's only where it is the same piece.
func (c *compiler) bytes(fill bool, x *program.Call) (value, bool) {
	if len(x.Args) != 3 {
		return value{}, false
	}
	to := c.decayed(c.loaded(c.expr(x.Args[0])))
	from := c.decayed(c.loaded(c.expr(x.Args[1])))
	n, known := c.constant(x.Args[2])
	whole := func(p value) bool {
		return p.address != nil && p.address.t != nil && known && n == p.address.t.size && n > 0
	}
	switch {
	case fill:
	case whole(to) && to.t.pointer() && from.t.pointer() && (whole(from) || from.address == nil) && to.address.object != nil: // an object of the thread's own
		at := c.pointee(value{t: pointerTo(to.address.t, from.t.space), op: from.op, address: from.address})
		c.store(to.address, c.convert(c.load(at), to.address.t))
		return to, true
	case whole(from) && to.t.pointer() && to.address == nil && from.address.object != nil:
		at := c.pointee(value{t: pointerTo(from.address.t, to.t.space), op: to.op})
		c.store(at, c.convert(c.load(from.address), from.address.t))
		return to, true
	}
	leads := func(p value) bool {
		return p.t.pointer() && p.address == nil && p.op.Reg != c.nothing && p.t.space != ir.Const && (p.t.space != ir.Generic || p.op.Reg >= 0)
	}
	if !leads(to) || !fill && !leads(from) {
		return value{}, false
	}
	var filler value
	unit := to.t.to.align
	if fill {
		filler = from
		if !filler.t.integer() {
			return value{}, false
		}
	} else {
		unit = min(unit, from.t.to.align)
	}
	unit = max(min(unit, 16), 1)
	piece := func(size int64, at value) {
		bits := uint8(8 * min(size, 8))
		t := scalar(bits, false, size > 4)
		place := func(p value) *place {
			m := c.offsetBy(&memory{space: p.t.space, base: p.op}, at, 1)
			return &place{t: t, memory: m}
		}
		v := c.unknown(t)
		switch {
		case fill && filler.op.Reg == -1:
			n := filler.op.Imm & 0xff
			v = value{t: t, op: constant(t.number.Store(n * 0x0101010101010101))}
		case fill:
			v = c.apply("bytes", t, filler)
		default:
			v = c.load(place(from))
			if to.t.space != ir.Local {
				v = c.apply("piece of a copy", t, v, at)
			}
		}
		c.store(place(to), v)
	}
	if known && n >= 0 && n <= maxPieces*unit {
		for at := int64(0); at < n; {
			size := min(unit, 8)
			for size > n-at {
				size /= 2
			}
			piece(size, value{t: ulongOf, op: constant(at)})
			at += size
		}
		return to, true
	}
	var bound value
	if known {
		if n < 0 || n > 1<<16 {
			return value{}, false
		}
		bound = value{t: ulongOf, op: constant(n)}
	} else if bound = c.convert(c.integer(c.value(x.Args[2])), ulongOf); true {
		unit = 1
	}
	for known && n%unit != 0 {
		unit /= 2
	}
	unit = min(unit, 8)
	i := c.local("%i", ulongOf)
	c.set(i, value{t: ulongOf, op: constant(0)})
	again, end := c.label(), c.label()
	c.bind(again)
	c.jump(end, c.compare(ir.Less, ulongOf.number, ir.Operand{Reg: i.reg}, bound.op), false)
	piece(unit, value{t: ulongOf, op: ir.Operand{Reg: i.reg}})
	c.set(i, c.compute(ir.Add, ulongOf, ir.Operand{Reg: i.reg}, constant(unit)))
	c.jump(again, ir.None, true)
	c.bind(end)
	return to, true
}
