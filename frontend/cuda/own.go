package cuda

import (
	"maps"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Objects of a thread's own are registers as long as it is known at each place which of them is meant. Arrays that are indexed by what is computed, and what a
// pointer that may lead to several things leads to, are local memory (PTX ISA 5.1.5), and such pointers are generic addresses (5.1). Which objects that are shows
// where they are used: then the kernel is translated once more.

const (
	ownAt    = int64(1) << 38 // where local memory lies: apart from what stands for objects in registers, see [binding.value]
	maxOwn   = int64(1) << 20 // bytes
	maxAnew  = 4              // times that a kernel is translated
	maxAsked = 256            // objects
)

// declaration of an object: where it stands, or where the function is called whose parameter it is, and its name.
type origin struct {
	in   *program.File
	at   int
	name string
}

// owned are the objects of a kernel that are no registers.
type owned struct {
	memory  map[origin]bool // they are local memory
	generic map[origin]bool // pointers that are generic addresses
}

func (o *owned) grows(by *owned) bool {
	before := len(o.memory) + len(o.generic)
	maps.Copy(o.memory, by.memory)
	maps.Copy(o.generic, by.generic)
	return len(o.memory)+len(o.generic) > before && len(o.memory)+len(o.generic) <= maxAsked
}

func newOwned() owned { return owned{map[origin]bool{}, map[origin]bool{}} }

func (c *compiler) originOf(name string) origin { return origin{c.src, c.at.Start, name} }

// wantMemory notes that an object should be local memory.
func (c *compiler) wantMemory(at *place) {
	v := at.object
	if v == nil {
		v = at.array
	}
	if v != nil && v.origin.name != "" && placed(v.t) {
		c.wanted.memory[v.origin] = true
	}
}

// wantGeneric notes that a pointer should be a generic address.
func (c *compiler) wantGeneric(v *variable) {
	if v.origin.name != "" {
		c.wanted.generic[v.origin] = true
	}
}

// placed reports whether objects of a type may be local memory: how large they are is known.
func placed(t *ctype) bool {
	for t.array {
		if t.extent < 1 {
			return false
		}
		t = t.to
	}
	return !t.opaque && !t.partly && t.closure == nil && t.size > 0 && (t.fields == nil || t.class == nil)
}

// inMemory is a new object in local memory.
func (c *compiler) inMemory(name string, t *ctype) *variable {
	align := max(t.align, 1)
	at := (c.ownNext + align - 1) / align * align
	if c.ownNext = at + t.size; c.ownNext > maxOwn {
		c.refuse(limit.Size, "more than %d bytes of local memory", maxOwn)
	}
	v := &ir.Variable{Name: c.unique(name), Space: "local", Elem: t.align, Size: t.size, At: ownAt + at}
	c.code.Variables[v.Name] = v
	return &variable{t: t, reg: -1, memory: &memory{space: ir.Local, base: constant(v.At)}}
}

// new is a new object of a thread's own: in registers, unless it has to be memory.
func (c *compiler) new(name string, t *ctype) *variable {
	of := c.originOf(name)
	if c.own.memory[of] && placed(t) {
		return c.inMemory(name, t)
	}
	v := c.local(name, t)
	v.origin = of
	if t.pointer() && c.own.generic[of] {
		v.generic, v.t = true, pointerTo(t.to, ir.Generic)
	}
	return v
}

// put assigns to a new object.
func (c *compiler) put(to *variable, v value) {
	if to.memory != nil {
		c.store(c.placeOf(to), c.convert(v, to.t))
		return
	}
	c.set(to, v)
}

// clobber forgets what an object in local memory holds; all of that memory where it is nil.
func (c *compiler) clobber(at *place) {
	in := blank(ir.Store)
	in.Space, in.Type, in.Result, in.Size, in.A, in.B = ir.Local, ir.Type{Bits: 8}, ir.Type{Bits: 8}, 1, ir.Operand{Reg: c.nothing}, ir.Operand{Reg: c.nothing}
	if at != nil && !at.t.array && at.t.fields == nil && at.memory.base.Reg == -1 && !at.memory.lost {
		in.Type, in.Result, in.Size = typeIn(at.t), typeIn(at.t), uint32(at.t.size)
		in.A = constant(at.memory.base.Imm + at.memory.offset)
	}
	in.D = -1
	c.emit(in)
}

// handedOwn forgets what a call may set in local memory by way of a value.
func (c *compiler) handedOwn(v value) {
	switch {
	case c.ownNext == 0:
	case v.at != nil && v.at.memory != nil && v.at.memory.space == ir.Local, v.t.pointer() && v.address == nil && (v.t.space == ir.Local || v.t.space == ir.Generic):
		c.clobber(nil)
	}
}

// staticVariable is a variable of a function that is there once for all threads (C++17 [basic.stc.static]).
func (c *compiler) staticVariable(a *program.Assign, name, instance string) *variable {
	key := declared{a, instance, name}
	if v := c.shared[key]; v != nil {
		return v
	}
	t := c.typeOr(a.Type)
	for k := len(a.Dims) - 1; k >= 0; k-- {
		n, known := int64(-1), false
		if a.Dims[k] != nil {
			n, known = c.constant(a.Dims[k])
		}
		if !known {
			n = -1
		}
		t = arrayOf(t, n)
	}
	v := &variable{t: t, reg: -1, memory: &memory{space: ir.Global}}
	v.global = &ir.Variable{Name: name, Space: "global", Size: t.size, Elem: innermost(t).size, Init: c.atFirst(a, t)}
	c.shared[key] = v
	return v
}
