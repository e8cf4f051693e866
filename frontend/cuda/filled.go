package cuda

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// filling is a store that stands for what a call of which nothing is known may write through a way to shared memory that it is handed.
type filling struct {
	name  string
	store int // the instruction
}

// writesThere is taken for granted of a call that is not followed, and writes where what it is handed leads.
const writesThere = " writes where what it is handed leads"

// handedShared notes what a call may write of shared memory: the first element where an array or a pointer leads, or an object that it may be handed by reference.
func (c *compiler) handedShared(name string, v value) {
	var at *place
	switch p := c.decayed(v); {
	case p.t.pointer() && p.address == nil && (p.at == nil || p.at.memory == nil) && p.op.Reg != c.nothing:
		at = c.pointee(p)
	case v.at != nil && v.at.memory != nil && !v.t.array && !v.t.pointer():
		at = v.at
	default:
		return
	}
	if at.memory == nil || at.memory.lost || at.memory.space != ir.Shared || c.root != nil && c.root.fixed[at.memory.base.Of] {
		return
	}
	t := uintType // what is not known of it is written in words
	if size := at.t.size; size > 0 && size < 4 {
		t = scalar(uint8(8*size), false, false)
	}
	c.storeMemory(&place{t: t, memory: at.memory}, value{t: t, op: ir.Operand{Reg: c.nothing}})
	c.filling = append(c.filling, filling{name, len(c.code.Insts) - 1})
}

// handedElement notes that a call accesses the element that it is handed, or that a pointer leads to which it is handed. That counts where a part of a warp calls it, which can wait
// for nobody first; and of functions by themselves alone, where what is found is no error.
func (c *compiler) handedElement(v value) {
	if c.alone == nil {
		return
	}
	at := v.at
	if at == nil || at.memory == nil || v.t.pointer() || v.t.array {
		if v = c.loaded(v); !v.t.pointer() || v.t.array || v.address != nil && v.address.memory == nil {
			return
		}
		at = c.pointee(v)
	}
	if at.memory == nil || at.memory.lost || at.memory.space != ir.Shared || at.t == voidType || at.t.fields != nil || at.t.array {
		return
	}
	start := len(c.code.Insts)
	c.load(at)
	for k := start; k < len(c.code.Insts); k++ {
		if in := &c.code.Insts[k]; in.Op == ir.Load {
			in.Flags |= ir.MayMeet
		}
	}
}

// settleFillings decides which calls write the shared memory that they are handed: the only one by which an array is written at all, where it is made by some threads of a warp alone, so that it
// meets no others. The other stores stand for nothing.
func (c *compiler) settleFillings() {
	if len(c.filling) == 0 {
		return
	}
	wrote := map[*ir.Variable]string{} // by what; "?" is more than one
	write := func(v *ir.Variable, by string) {
		if was, met := wrote[v]; met && was != by {
			by = "?"
		}
		wrote[v] = by
	}
	by, lost := map[int]string{}, false
	for _, f := range c.filling {
		by[f.store] = f.name
	}
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		if !in.Op.Accesses() || in.Op == ir.Load || in.Op == ir.Outside || in.Space != ir.Shared && in.Space != ir.Generic && in.Op != ir.Async {
			continue
		}
		name, is := by[k]
		if !is {
			name = "?"
		}
		list := c.code.ObjectsOf(in)
		lost = lost || len(list) == 0 && in.Space != ir.Generic
		for _, v := range list {
			write(v, name)
		}
	}
	levels := c.code.Uniformity()
	sole := make([]bool, len(c.filling))
	for k, f := range c.filling {
		list := c.code.ObjectsOf(&c.code.Insts[f.store])
		sole[k] = !lost && len(list) == 1 && wrote[list[0]] == f.name && levels.Insts[f.store] == ir.Varying
	}
	for k, f := range c.filling {
		if sole[k] {
			c.taking(f.name + writesThere)
			c.joined(f, c.code.ObjectsOf(&c.code.Insts[f.store])[0])
			continue
		}
		nop := blank(ir.Nop)
		nop.Place = c.code.Insts[f.store].Place
		c.code.Insts[f.store] = nop
	}
	c.code.Changed()
}

// joined leaves out what a call that writes an array reads of it: which of its lanes does what, and in what order, is the call's own business, and whoever else writes there meets the store.
func (c *compiler) joined(f filling, of *ir.Variable) {
	at := c.code.Places[c.code.Insts[f.store].Place]
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		if p := &c.code.Places[in.Place]; in.Op != ir.Load || p.Span != at.Span || p.Path != at.Path || p.From != at.From || !slices.Contains(c.code.ObjectsOf(in), of) {
			continue
		}
		d, here := in.D, in.Place
		*in = blank(ir.Havoc)
		in.D, in.Place = d, here
	}
}

// handedObject notes that a method that is not followed looks at its object, where that is one in shared memory of a class that is not read: its beginning, and the numbers that are named of
// it. That counts where it may wait for nobody first. A method that gives a part of the object, or is known to do so, may look at nothing.
func (c *compiler) handedObject(m *program.Attr, knows bool) {
	if knows || c.table.MethodEffect(m.Name) != dialect.Unread || c.usages().gives[m.Name] || c.inModel() {
		return
	}
	var at *place
	why, hard, _ := c.attempted(func() {
		if at = nil; m.Arrow {
			at = c.pointee(c.loaded(c.value(m.X)))
		} else {
			at = c.objectOf(m.X)
		}
	})
	if hard {
		panic(unsupported{why: why, hard: true})
	}
	if at == nil || at.memory == nil || at.memory.lost || at.memory.space != ir.Shared || !at.t.opaque || at.t.partly || at.t.fields != nil || at.t.class != nil || at.t.view || at.t.written == "" && at.t.room == noRoom {
		return
	}
	look := func(offset int64) {
		in := c.access(ir.Load, &place{t: uintType, memory: &memory{space: ir.Shared, base: at.memory.base, offset: at.memory.offset + offset}})
		in.D, in.Flags = c.temp(uintType.number), in.Flags|ir.MayMeet
		c.emit(in)
		c.looks = append(c.looks, looking{m.Name, len(c.code.Insts) - 1})
	}
	look(0)
	if at.t.room == single && at.memory.path == "" {
		for _, key := range slices.Sorted(maps.Keys(c.parts)) {
			if p := c.parts[key]; p != nil && p.Elem == 0 {
				look(p.At)
			}
		}
	}
}

// looking is a load that stands for what a method looks at.
type looking struct {
	name string
	load int
}

// settleLooks leaves out what methods look at where nothing else names the object, or has its address: nothing that is read writes it.
func (c *compiler) settleLooks() {
	if len(c.looks) == 0 {
		return
	}
	own := map[int]bool{}
	for _, l := range c.looks {
		own[l.load] = true
	}
	named := map[uint16]bool{}
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		if own[k] {
			continue
		}
		for _, o := range []ir.Operand{in.A, in.B, in.C} {
			named[o.Of] = true
		}
		if in.Extra != nil {
			for _, o := range in.Extra.Operands {
				named[o.Of] = true
			}
		}
	}
	for _, l := range c.looks {
		if in := &c.code.Insts[l.load]; in.A.Reg == -1 && !named[in.A.Of] {
			at := in.Place
			*in = blank(ir.Nop)
			in.Place = at
		} else {
			c.taking(l.name + looksAt)
		}
	}
}

// looksAt is taken for granted of a method that is not followed, and does not wait for others first.
const looksAt = " looks at its object first"
