package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// constraints are the types of operands of inline PTX (Inline PTX Assembly in CUDA, 1.1.2). A number, "n", is as wide as it has to be.
var constraints = map[byte]*ctype{'h': scalar(16, false, false), 'r': uintType, 'l': ulongOf, 'q': scalar(128, false, false), 'f': realType, 'd': scalars["double"], 'n': longType}

// asm translates inline PTX by the front end of PTX.
func (c *compiler) asm(st *program.Asm) {
	switch {
	case st.Template == nil:
		c.refuse(limit.Source, "inline PTX whose text is not known")
	case st.Unread != "":
		c.refuse(limit.Source, "inline PTX that is not understood: %s", st.Unread)
	}
	if c.work += len(st.Instrs); c.work > maxWork {
		panic(unsupported{why: limit.Size.Says("it is too large with what it calls")})
	}
	b := &binding{c: c}
	for _, o := range st.Outputs {
		b.output(o)
	}
	for _, o := range st.Inputs {
		b.input(o)
	}
	x := ptx.Inline{Kernel: c.code, Instrs: st.Instrs, Operands: b.operands, Place: c.here("asm"), Unique: c.unique, Formulas: c.formulas, Noted: c.noted}
	start := len(c.code.Insts)
	x.Translate()
	if c.placed = false; len(c.code.Insts) > maxInsts {
		panic(unsupported{why: limit.Size.Says("it is too large")})
	}
	for _, at := range b.lost {
		c.forgetPlace(at)
	}
	for k, at := range b.outputs {
		if at != nil {
			c.outcome(at, b.types[k], b.operands[k].Reg, c.code.Insts[start:])
		}
	}
}

// binding is what the operands of inline PTX are, as far as they are read.
type binding struct {
	c        *compiler
	operands []ptx.Bound
	outputs  []*place // of the first operands; nil where what is set is not followed
	types    []*ctype // of those
	lost     []*place // objects of the thread's own that the PTX may set, not known to what
}

// typeOf is the type that a constraint says.
func (b *binding) typeOf(constraint string) *ctype {
	letters := strings.Trim(constraint, "=+&% ")
	if len(letters) != 1 || constraints[letters[0]] == nil {
		b.c.refuse(limit.Source, "an operand of inline PTX with the constraint %s", constraint)
	}
	return constraints[letters[0]]
}

// output adds an operand that is set: a register, whose value goes to a place afterwards.
func (b *binding) output(o program.AsmOperand) {
	t := b.typeOf(o.Constraint)
	at := b.place(o.X)
	reg := b.c.temp(t.number)
	if strings.Contains(o.Constraint, "+") {
		before := ir.Operand{Reg: b.c.nothing}
		if at != nil {
			before = b.value(o.X, b.c.load(at), t)
		}
		b.begin(reg, t, before)
	}
	b.outputs, b.types = append(b.outputs, at), append(b.types, t)
	b.operands = append(b.operands, ptx.Bound{Operand: ir.Operand{Reg: reg}, Set: true})
}

// begin gives a register its first value.
func (b *binding) begin(reg int32, t *ctype, v ir.Operand) {
	in := blank(ir.Move)
	in.Type, in.Result, in.D, in.A = t.number, t.number, reg, v
	b.c.emit(in)
}

// input adds an operand that is read. Its constraint may be the number of an output, whose register it then begins with.
func (b *binding) input(o program.AsmOperand) {
	c := b.c
	if k := strings.TrimSpace(o.Constraint); len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
		n := int(k[0] - '0')
		if n >= len(b.outputs) {
			c.refuse(limit.Source, "operand %d of inline PTX, which is to be in the register of an input, is no output", n)
		}
		b.begin(b.operands[n].Reg, b.types[n], b.value(o.X, c.value(o.X), b.types[n]))
		b.operands = append(b.operands, b.operands[n])
		return
	}
	if o.Constraint == "#" {
		n, known := c.constant(o.X)
		if !known {
			c.refuse(limit.Source, "inline PTX whose text is not known")
		}
		b.operands = append(b.operands, ptx.Bound{Operand: constant(n), Literal: true})
		return
	}
	t := b.typeOf(o.Constraint)
	if n, known := c.constant(o.X); known && t.integer() {
		b.operands = append(b.operands, ptx.Bound{Operand: constant(t.number.Store(n)), Literal: t == constraints['n']})
		return
	}
	x := o.X
	for { // an address is that of its object, as what integer it may be taken
		k, is := x.(*program.Cast)
		if !is || c.spelled(k.Type).reference {
			break
		}
		if of := c.typeOf(k.Type); of != ulongOf && of != longType {
			break
		}
		x = k.X
	}
	v := c.loaded(c.value(x))
	if x != o.X && v.t.scalarLike() && !v.t.pointer() {
		v = c.convert(v, ulongOf)
	}
	b.operands = append(b.operands, ptx.Bound{Operand: b.value(x, v, t)})
}

// value is what a register of PTX holds where C++ has a value. What stands for a floating-point number in C++ is not its bits.
func (b *binding) value(x program.Expr, v value, t *ctype) ir.Operand {
	c := b.c
	v = c.decayed(c.loaded(v))
	switch {
	case v.input != "" && t.number.Bits == 64: // which may be a pointer
		return c.as(v.input, pointerTo(voidType, ir.Global)).op
	case v.input != "":
		v = c.as(v.input, t)
	case v.address != nil:
		b.lost = append(b.lost, v.address)
		if at := c.whole(x); at != nil {
			b.lost = append(b.lost, at)
		}
		// Objects of the thread's own have no addresses in the IR; this is one that nothing else has.
		return constant(ir.LocalWindow + int64(len(c.code.Names))<<12)
	case v.t.pointer():
		return c.generic(v)
	case !v.t.scalarLike():
		return ir.Operand{Reg: c.nothing}
	}
	if v = c.plain(v); v.t.data() || t.data() {
		return c.apply(bitsOf(v.t), t, v).op
	}
	return c.convert(v, t).op
}

// generic is a pointer as an address in generic memory (PTX ISA 5.1): those to shared memory are kept as offsets.
func (c *compiler) generic(v value) ir.Operand {
	window, is := map[ir.Space]int64{ir.Shared: ir.SharedWindow, ir.Local: ir.LocalWindow, ir.Const: ir.ConstWindow}[v.t.space]
	if !is {
		return v.op
	}
	if v.op.Reg == -1 && v.op.Of == 0 {
		return constant(window + v.op.Imm)
	}
	in := blank(ir.Add) // as cvta.shared
	in.Type, in.Result, in.A, in.B = ulongOf.number, ulongOf.number, v.op, constant(window)
	in.D = c.temp(ulongOf.number)
	c.emit(in)
	return ir.Operand{Reg: in.D}
}

// place is what an output names; nil where that is parts of an object of the thread's own, which is lost.
func (b *binding) place(x program.Expr) *place {
	c := b.c
	var at *place
	var t *ctype
	switch k := x.(type) {
	case *program.Unary: // *reinterpret_cast<T*>(p)
		cast, is := k.X.(*program.Cast)
		if k.Op != "*" || !is {
			return c.lvalue(x)
		}
		p := c.expr(cast)
		if p.address == nil {
			return c.pointee(p)
		}
		at, t = p.address, p.t.to
	case *program.Cast: // reinterpret_cast<T&>(y)
		if t = c.typeOf(k.Type); t == nil || !c.spelled(k.Type).reference {
			return c.lvalue(x)
		}
		if at = c.lvalue(k.X); at.memory != nil {
			return &place{t: t, memory: at.memory}
		}
	case *program.Index: // (&y)[i]
		of, is := k.X.(*program.Unary)
		if !is || of.Op != "&" || len(k.Args) != 1 {
			return c.lvalue(x)
		}
		p := c.expr(of)
		if p.address == nil {
			return c.pointee(c.moved(p, c.expr(k.Args[0]), false))
		}
		c.expr(k.Args[0])
		whole := c.whole(x)
		if whole == nil || !whole.t.array {
			c.refuse(limit.Source, "inline PTX sets parts of what is not known")
		}
		b.lost = append(b.lost, p.address, whole)
		return nil
	default:
		return c.lvalue(x)
	}
	if at.object != nil && at.t.scalarLike() && !at.t.pointer() && at.t.size == t.size {
		return at
	}
	whole := c.whole(x)
	if whole == nil || !whole.t.array && whole.t.size < t.size {
		c.refuse(limit.Source, "inline PTX sets parts of what is not known")
	}
	b.lost = append(b.lost, at, whole)
	return nil
}

// whole is the object that an expression names a part of, or points into; nil if it is none of the thread's own.
func (c *compiler) whole(x program.Expr) *place {
	for {
		switch k := x.(type) {
		case *program.Cast:
			x = k.X
		case *program.Unary:
			x = k.X
		case *program.Index:
			x = k.X
		case *program.Binary:
			x = k.X
		case *program.Attr:
			x = k.X
		case *program.Name:
			v := c.lookup(k.Ident)
			switch {
			case v == nil || v.macro != nil:
				return nil
			case v.points != nil:
				return v.points
			}
			return c.placeOf(v)
		default:
			return nil
		}
	}
}

// bitsOf is the formula of the bits of a number of some type.
func bitsOf(t *ctype) string { return "bits of " + t.key() }

// outcome stores what the instructions of inline PTX set a register to.
func (c *compiler) outcome(at *place, t *ctype, reg int32, by []ir.Inst) {
	v := value{t: t, op: ir.Operand{Reg: reg}}
	switch {
	case at.t.pointer():
		space := at.t.space
		if at.object != nil {
			space = at.object.t.space
		}
		if space == ir.Generic {
			space = leadsTo(reg, by)
		}
		if space == ir.Generic {
			c.outside(limit.DataAddress.Says("a pointer that inline PTX makes, to what memory is not known"), 0)
			return
		}
		if v.t = pointerTo(at.t.to, space); space == ir.Shared {
			v.op = c.compute(ir.Sub, ulongOf, v.op, constant(ir.SharedWindow)).op
		}
	case at.t.data() || t.data():
		if v = c.apply(bitsOf(at.t), at.t, v); at.t.data() { // an integer may not be what it was behind a number of fewer digits
			c.code.Insts[len(c.code.Insts)-1].Flags |= ir.Inverse
		}
	case !at.t.scalarLike():
		v = c.unknown(at.t)
	}
	c.store(at, c.convert(v, at.t))
}

// leadsTo is the memory of an address that instructions make: that of the cluster, or what is found in global memory leads to.
func leadsTo(reg int32, by []ir.Inst) ir.Space {
	space := ir.Generic
	for k := range by {
		in := &by[k]
		if set, _ := in.Results(); !slices.Contains(set, reg) {
			continue
		}
		switch {
		case space != ir.Generic:
			return ir.Generic
		case in.Op == ir.MapShared && in.Flags&ir.ToShared != 0:
			space = ir.Shared
		case in.Op == ir.Load && in.Space == ir.Global:
			space = ir.Global
		default:
			return ir.Generic
		}
	}
	return space
}

// here is where what is translated stands.
func (c *compiler) here(name string) ir.Place {
	at := ir.Place{Span: c.at, Name: name, From: c.scope.fn.from}
	if c.src != c.file {
		at.Span, at.Path, at.Line = c.outer, c.src.Source.Name, c.src.Source.Position(c.at.Start).Line
	}
	return at
}
