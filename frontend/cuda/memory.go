package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// lvalue is the place that an expression names.
func (c *compiler) lvalue(x program.Expr) *place {
	switch x := x.(type) {
	case *program.Name:
		v := c.lookup(x.Ident)
		switch {
		case v == nil && x.Ident == "this":
			c.refuse(limit.Source, "this stands where no object is known")
		case v == nil:
			if out, special := c.specialValue(x); special && out.input == "" {
				return c.kept(out)
			}
			return &place{t: opaqueType(x.Ident), input: x.Ident}
		case v.macro != nil:
			var at *place
			c.macro(v, func() { at = c.lvalue(v.macro) })
			return at
		}
		return c.placeOf(v)
	case *program.Attr:
		var of *place
		if x.Arrow {
			if id, ok := x.X.(*program.Name); ok && id.Ident == "this" {
				v := c.lookup("this")
				if v == nil {
					c.refuse(limit.Source, "this stands where no object is known")
				}
				of = c.placeOf(v)
			} else {
				v := c.expr(x.X)
				if p, is := c.operator("->", v, x.X, nil, false); is {
					v = p
				}
				of = c.pointee(v)
			}
		} else {
			if v, special := c.specialValue(x); special {
				return c.kept(v)
			}
			of = c.objectOf(x.X)
		}
		return c.memberOf(of, x.Name)
	case *program.Index:
		if len(x.Args) != 1 {
			c.refuse(limit.Source, "an index of several numbers")
		}
		if v, is := c.indexed(x); is {
			return c.kept(v)
		}
		if at, is := c.elementApart(x); is {
			return at
		}
		if call, is := x.X.(*program.Call); is { // f(x)[i], evaluated once
			at := c.lvalue(call)
			if at.t.class != nil && !at.t.class.Enum {
				if v, is := c.operator("[]", value{t: at.t, at: at, unread: true}, x, x.Args, true); is {
					return c.kept(v)
				}
			}
			i := c.integer(c.expr(x.Args[0]))
			if at.t.array {
				return c.elementOf(at, i)
			}
			return c.pointee(c.moved(c.load(at), i, false))
		}
		i := c.expr(x.Args[0])
		if i.t.array || i.t.pointer() { // i[array] is array[i] (C++17 [expr.sub]/1)
			return c.element(x.Args[0], c.expr(x.X))
		}
		return c.element(x.X, i)
	case *program.Unary:
		if x.Op == "*" {
			if at := c.itself(x.X); at != nil {
				return at
			}
			v := c.expr(x.X)
			if out, is := c.operator("*", v, x, nil, true); is {
				return c.kept(out)
			}
			return c.pointee(v)
		}
	case *program.Call:
		c.asPlace = true
		v := c.expr(x)
		c.asPlace = false
		return c.kept(v)
	case *program.Cond:
		v := c.reference(x)
		return c.kept(v)
	case *program.IncDec, *program.AssignExpr:
		v := c.expr(x)
		if v.at != nil {
			return v.at
		}
	case *program.Cast:
		v := c.cast(x)
		if v.at != nil {
			return v.at
		}
		return c.kept(v)
	}
	return c.kept(c.expr(x))
}

// itself is the object whose method is translated, where an expression is the pointer to it (C++17 [expr.prim.this]).
func (c *compiler) itself(x program.Expr) *place {
	if id, is := x.(*program.Name); is && id.Ident == "this" {
		if v := c.scope.find("this"); v != nil && v.alias != nil {
			return v.alias
		}
	}
	return nil
}

// reference is what a reference is bound to: an lvalue, which is not read for it, or a value.
func (c *compiler) reference(x program.Expr) value {
	switch x := x.(type) {
	case *program.Name, *program.Attr, *program.Index:
		if v, special := c.specialValue(x); special {
			return v
		}
		return c.unread(c.lvalue(x))
	case *program.Unary:
		if x.Op == "*" {
			return c.unread(c.lvalue(x))
		}
	case *program.Call:
		c.asPlace = true
		v := c.expr(x)
		c.asPlace = false
		return v
	case *program.Cast:
		if c.spelled(x.Type).reference {
			return c.cast(x)
		}
	case *program.Cond:
		p := c.test(c.expr(x.Test))
		switch {
		case p.Reg == -1 && p.Imm != 0:
			return c.reference(x.Then)
		case p.Reg == -1:
			return c.reference(x.Else)
		}
		if c.temporary(x.Then) || c.temporary(x.Else) { // then it is one, too (C++17 [expr.cond]/6)
			return c.expr(x)
		}
		if !quiet(x.Test) {
			c.halt(limit.Access, "a reference to one of two objects")
		}
		return c.reference(oneOf(x))
	}
	return c.expr(x)
}

// oneOf is what a pointer to one of two objects leads to.
func oneOf(x *program.Cond) program.Expr {
	to := func(y program.Expr) program.Expr {
		return &program.Unary{Place: program.Place{Span: y.Where()}, Op: "&", X: y}
	}
	return &program.Unary{Place: x.Place, Op: "*", X: &program.Cond{Place: x.Place, Test: x.Test, Then: to(x.Then), Else: to(x.Else)}}
}

// temporary reports whether an expression is a value that stands nowhere: a literal, what an operator computes of numbers, a constant.
func (c *compiler) temporary(x program.Expr) bool {
	switch x := x.(type) {
	case *program.Int, *program.Bool, *program.Float, *program.None:
		return true
	case *program.Name:
		v, special := c.specialValue(x)
		return special && v.at == nil && v.closure == nil && v.function == nil && (v.input != "" || v.op.Reg == -1)
	case *program.Cast:
		return !c.spelled(x.Type).reference && scalars[strings.Join(tokens(x.Type).list, " ")] != nil
	}
	return false
}

// unread is what stands at a place, which is not read for it.
func (c *compiler) unread(at *place) value {
	v := value{t: at.t, at: at, op: ir.Operand{Reg: c.nothing}, unread: true, input: at.input}
	if at.t.closure != nil {
		v.closure = at.t.closure
	}
	return v
}

// objectOf is the object that a member is asked of: an lvalue, or a value that is kept for it.
func (c *compiler) objectOf(x program.Expr) *place {
	switch x.(type) {
	case *program.Name, *program.Attr, *program.Index, *program.Unary:
		return c.lvalue(x)
	}
	return c.kept(c.expr(x))
}

// kept puts a value into an object of its own.
func (c *compiler) kept(v value) *place {
	if v.at != nil {
		return v.at
	}
	to := c.local("%k", v.t)
	c.set(to, v)
	return &place{t: v.t, object: to}
}

func (c *compiler) placeOf(v *variable) *place {
	switch {
	case v.alias != nil:
		return v.alias
	case v.memory != nil:
		if v.global != nil {
			c.addressed(v)
		}
		return &place{t: v.t, memory: v.memory}
	case v.input != "":
		return &place{t: v.t, input: v.input}
	}
	return &place{t: v.t, object: v}
}

func (c *compiler) memberOf(of *place, name string) *place {
	f, known := of.t.member(name)
	if !known {
		if v := c.static(of.t, name); v != nil {
			if n, folds := c.foldedAs(v); folds { // a constant of its class (C++17 [expr.ref]/4)
				return c.kept(value{t: v.t, op: constant(n.N)})
			}
		}
	}
	part := opaqueType(name)
	part.untold = of.t.untold
	switch {
	case known:
	case of.input != "":
		return &place{t: part, input: of.input + "." + name}
	case of.memory != nil && of.memory.stored != "":
		return c.root.member(of.memory, name)
	case of.memory != nil && !of.memory.lost && of.t.room != noRoom:
		return c.memberApart(of, name)
	case of.memory != nil && !of.memory.lost && of.memory.home != "" && of.t.opaque:
		return c.memberAtHome(of, name)
	case of.memory != nil && of.memory.cells && spread(of.t):
		return c.memberInCell(of, name)
	case of.memory != nil:
		m := *of.memory
		m.lost = true
		return &place{t: part, memory: &m}
	default:
		return nowhere(part)
	}
	switch {
	case f.to == nil:
	case of.input != "":
		return &place{t: f.to, input: of.input + "." + name}
	case of.object != nil && of.object.parts[name] != nil && of.object.parts[name].alias != nil:
		return of.object.parts[name].alias
	case of.object != nil && of.object.parts[name] != nil && of.object.parts[name].input != "":
		return &place{t: f.to, input: of.object.parts[name].input}
	default: // what it is bound to is not known
		return &place{t: f.to, memory: &memory{lost: true}}
	}
	if of.input != "" {
		return &place{t: f.t, input: of.input + "." + name}
	}
	if of.memory != nil {
		m := *of.memory
		m.offset += f.at
		if m.home = ""; of.t.partly && of.t.class != nil && m.space == ir.Shared && !m.lost && f.t.opaque && f.t.fields == nil && f.t.class == nil {
			m.home = of.t.class.Qualified + "." + f.name
		}
		return &place{t: f.t, memory: &m}
	}
	if of.object == nil || of.object.parts == nil {
		return &place{t: f.t, array: of.array}
	}
	return c.placeOf(of.object.parts[name])
}

// boundTo binds a reference that is a member to what an expression names (C++17 [dcl.init.ref]). Who has a copy of the object may set that, too.
func (c *compiler) boundTo(of *place, f field, x program.Expr) {
	at := c.kept(c.reference(x))
	c.escape(at)
	if of.object == nil || of.object.parts[f.name] == nil {
		return
	}
	of.object.parts[f.name].alias = at
	if v := c.scope.find(f.name); v != nil && v.alias != nil && v.alias.memory != nil && v.alias.memory.lost { // in the constructor
		v.alias = at
	}
}

// element is x[i].
func (c *compiler) element(x program.Expr, i value) *place {
	i = c.integer(i)
	switch x.(type) {
	case *program.Name, *program.Attr, *program.Index, *program.Unary, *program.Call:
		at := c.lvalue(x)
		if at.t.array {
			return c.elementOf(at, i)
		}
		return c.pointee(c.moved(c.load(at), i, false))
	}
	return c.pointee(c.moved(c.expr(x), i, false))
}

// elementOf is an element of an array that is a place.
func (c *compiler) elementOf(at *place, i value) *place {
	of := at.t.to
	if at.input != "" {
		return nowhere(of)
	}
	if at.memory != nil {
		m := c.inArray(at, i)
		m.lost = m.lost || of.partly && m.space == ir.Shared && i.op.Reg >= 0 // how far apart they are is not known
		m.cells = !m.lost && m.space == ir.Shared && spread(of)
		return &place{t: of, memory: m}
	}
	if at.object == nil {
		return &place{t: of, array: at.array}
	}
	v := at.object
	if i.op.Reg != -1 {
		c.wantMemory(at)
	}
	if i.op.Reg == -1 && i.op.Imm >= 0 && i.op.Imm < maxUnroll && !v.lost {
		if v.items == nil {
			v.items = map[int64]*variable{}
		}
		if v.items[i.op.Imm] == nil {
			v.items[i.op.Imm] = c.local("%a", of)
		}
		return c.placeOf(v.items[i.op.Imm])
	}
	out := &place{t: of, array: v}
	if i.op.Reg >= 0 {
		out.index = i.op
	}
	return out
}

// maxChosen is how many elements of an array in registers are told apart by an index that is not known here.
const maxChosen = 16

// elementBy is the element of an array in registers, as a parameter of the kernel is, that an index says.
func (c *compiler) elementBy(at *place) (out value, is bool) {
	v := at.array
	if v == nil || v.lost || v.escaped || at.index.Reg <= 0 || v.t.extent < 1 || v.t.extent > maxChosen || !at.t.scalarLike() || at.t.boolean || v.items == nil {
		return out, false
	}
	for k := range v.t.extent {
		e := c.load(c.elementOf(&place{t: v.t, object: v}, value{t: intType, op: constant(k)}))
		if e.op.Reg < -1 || e.address != nil || e.closure != nil {
			return out, false
		}
		if k == 0 {
			out = value{t: e.t, op: e.op, at: at}
			continue
		}
		in := blank(ir.Select)
		in.Type, in.Result, in.D = e.t.number, e.t.number, c.temp(e.t.number)
		in.A, in.B, in.C = e.op, out.op, c.compare(ir.Equal, ir.Type{Bits: 32}, at.index, constant(k))
		c.emit(in)
		out.op = ir.Operand{Reg: in.D}
	}
	return out, true
}

// offsetBy adds a number of elements to an address.
func (c *compiler) offsetBy(m *memory, i value, size int64) *memory {
	out := *m
	if out.lost {
		return &out
	}
	if i.op.Reg == -1 && i.op.Of == 0 {
		out.offset += i.op.Imm * size
		return &out
	}
	wide := ulongOf
	if m.space == ir.Shared || m.space == ir.Const && m.base.Reg < 0 {
		wide = intType
	}
	if i.t.number.Bits < wide.number.Bits && i.t.number.Signed {
		wide = scalar(wide.number.Bits, true, false)
	}
	n := c.convert(i, wide)
	if size != 1 {
		n = c.compute(ir.Mul, wide, n.op, constant(size))
	}
	out.base = c.compute(ir.Add, wide, m.base, n.op).op
	return &out
}

// pointee is the place that a pointer leads to.
func (c *compiler) pointee(p value) *place {
	if p = c.loaded(p); p.input != "" {
		p = c.as(p.input, pointerTo(opaqueType("*"+p.input), ir.Global))
	}
	switch {
	case p.address != nil:
		if at := c.seenAs(p.address, p.t.to); at != p.address {
			return at
		}
		if p.t.to != nil && p.t.to != p.address.t && p.address.memory == nil && p.t.to != voidType && p.t.to.size != p.address.t.size {
			return &place{t: p.t.to, array: &variable{lost: true}} // an object of the thread's own, taken for another: what it holds is not followed
		}
		return p.address
	case p.t.array && p.at != nil:
		return c.elementOf(p.at, value{t: intType, op: constant(0)})
	case !p.t.pointer():
		return &place{t: opaqueType("*" + p.t.name), memory: &memory{lost: true}}
	}
	// How large an element is decides where the others lie, unless the array is declared of the type.
	lost := p.t.space == ir.Generic && p.op.Reg == c.nothing || (p.t.to.opaque || p.t.to.partly) && p.t.space != ir.Global && !spread(p.t.to) && !p.t.direct
	return &place{t: p.t.to, memory: &memory{space: p.t.space, base: p.op, lost: lost, cells: !lost && p.t.space == ir.Shared && spread(p.t.to)}}
}

// addressOf makes a pointer to a place.
func (c *compiler) addressOf(at *place) value {
	if at.input != "" { // what a parameter of the kernel holds is there for all
		at = nowhere(at.t)
	}
	if at.memory == nil {
		return value{t: pointerTo(at.t, ir.Local), op: ir.Operand{Reg: c.nothing}, address: at}
	}
	m := at.memory
	if m.lost || m.path != "" && at.t.room != noRoom {
		return value{t: pointerTo(at.t, ir.Generic), op: ir.Operand{Reg: c.nothing}}
	}
	op := m.base
	if m.offset != 0 {
		wide := ulongOf
		if m.space == ir.Shared {
			wide = intType
		}
		if op.Reg == -1 {
			op.Imm += m.offset
		} else {
			op = c.compute(ir.Add, wide, op, constant(m.offset)).op
		}
	}
	to := pointerTo(at.t, m.space)
	to.direct = at.t.partly && m.space == ir.Shared && op.Reg == -1
	return value{t: to, op: op}
}

// moved is a pointer some elements further.
func (c *compiler) moved(p, i value, back bool) value {
	if p = c.decayed(c.loaded(p)); p.input != "" {
		p = c.as(p.input, pointerTo(opaqueType("*"+p.input), ir.Global))
	}
	i = c.integer(i)
	if back { // as far as the number says, whatever its type is (C++17 [expr.add]/4)
		i = c.operate("-", value{t: longType, op: constant(0)}, c.convert(c.plain(i), longType))
	}
	if p.address != nil {
		if i.op.Reg == -1 && i.op.Imm == 0 {
			return p
		}
		c.wantMemory(p.address)
		return value{t: p.t, address: nowhere(p.t.to)}
	}
	if !p.t.pointer() {
		return value{t: pointerTo(opaqueType("*"+p.t.name), ir.Generic), op: ir.Operand{Reg: c.nothing}}
	}
	if p.t.space == ir.Generic && p.op.Reg == c.nothing {
		return p
	}
	i = c.plain(i)
	if spread(p.t.to) && p.t.space == ir.Shared && p.t.to.room != ofSeveral {
		return c.addressOf(&place{t: p.t.to, memory: c.offsetBySize(&memory{space: p.t.space, base: p.op}, i, p.t.to)})
	}
	row := c.rowOf(p)
	m := c.offsetBy(&memory{space: p.t.space, base: p.op}, i, p.t.to.size)
	c.leadsInto(m, row)
	out := c.addressOf(&place{t: p.t.to, memory: m})
	out.t.direct = false
	return out
}

// offsetBySize adds a number of elements of a type to an address of which the text does not say how large it is.
func (c *compiler) offsetBySize(m *memory, i value, t *ctype) *memory {
	return c.offsetBy(m, c.operate("*", i, c.as(ir.SizeOf+t.written, intType)), 1)
}

// spread reports whether nothing is known of a type but what the text calls it: how far elements of it are apart is a number that the text does not say.
func spread(t *ctype) bool { return t.opaque && !t.partly && t.fields == nil && t.written != "" }

// decayed is the address of an array's first element.
func (c *compiler) decayed(v value) value {
	if !v.t.array || v.at == nil {
		return v
	}
	if v.at.memory != nil {
		out := c.addressOf(&place{t: v.t.to, memory: v.at.memory})
		out.row = c.rowOf(v)
		return out
	}
	first := c.elementOf(v.at, value{t: intType, op: constant(0)})
	if v.at.object != nil {
		c.wantMemory(v.at)
		c.lose(v.at.object) // by a pointer any of its elements may be set
		first = &place{t: v.t.to, array: v.at.object}
	}
	return value{t: pointerTo(v.t.to, ir.Local), address: first}
}

// pointers applies an operator to values of which one is a pointer.
func (c *compiler) pointers(op string, a, b value) value {
	switch {
	case op == "+" && (a.t.pointer() || a.address != nil):
		return c.moved(a, b, false)
	case op == "+":
		return c.moved(b, a, false)
	case op == "-" && !b.t.pointer():
		return c.moved(a, b, true)
	case op == "-":
		if a.t.pointer() && b.t.pointer() && a.address == nil && b.address == nil && a.t.space == b.t.space && a.t.to.size > 0 {
			d := c.compute(ir.Sub, longType, a.op, b.op)
			return c.compute(ir.Div, longType, d.op, constant(a.t.to.size))
		}
		return c.unknown(longType)
	}
	how, is := comparisons[op]
	if !is {
		c.refuse(limit.Source, "operator %s of pointers", op)
	}
	null := func(v value) bool { return v.op.Reg == -1 && v.op.Of == 0 && v.op.Imm == 0 && v.address == nil }
	switch {
	case (null(a) || null(b)) && a.address == nil && b.address == nil && (a.t.space == ir.Generic && a.op.Reg > c.nothing || b.t.space == ir.Generic && b.op.Reg > c.nothing):
		return value{t: boolType, op: c.compare(how, ir.Type{Bits: 64}, a.op, b.op)}
	case null(a) || null(b): // pointers that a kernel is given are taken not to be null
		if a.address == nil && b.address == nil && a.t.space != ir.Shared && b.t.space != ir.Shared {
			return c.notNull(how)
		}
		return value{t: boolType, op: constant(int64(boolean(how == ir.NotEqual)))}
	case a.address == nil && b.address == nil && a.t.space != b.t.space && a.op.Reg != c.nothing && b.op.Reg != c.nothing:
		return value{t: boolType, op: c.compare(how, ir.Type{Bits: 64}, c.generic(a), c.generic(b))}
	case a.address != nil || b.address != nil || a.t.space != b.t.space:
		return c.unknown(boolType)
	}
	return value{t: boolType, op: c.compare(how, ir.Type{Bits: 64}, a.op, b.op)}
}

// notNull is a comparison of a pointer that the kernel is given with null.
func (c *compiler) notNull(how uint8) value {
	c.assume("pointers that the kernel is given are not null")
	return value{t: boolType, op: constant(int64(boolean(how == ir.NotEqual)))}
}

// local makes an object of a thread's own.
func (c *compiler) local(name string, t *ctype) *variable {
	v := &variable{t: t, reg: -1}
	switch {
	case t.boolean:
		v.reg = c.predicate(name)
	case t.scalarLike():
		v.reg = c.register(name, typeIn(t))
	case t.fields != nil && len(t.fields) <= maxMembers:
		v.parts = map[string]*variable{}
		for _, f := range t.fields {
			v.parts[f.name] = c.local(name+"."+f.name, f.t)
		}
	}
	return v
}

// load is the value that stands at a place.
func (c *compiler) load(at *place) value {
	switch {
	case at.t.array:
		return value{t: at.t, at: at}
	case at.t.closure != nil:
		return value{t: at.t, at: at, closure: at.t.closure}
	case at.input != "" && at.t.opaque:
		return value{t: at.t, at: at, input: at.input, op: ir.Operand{Reg: c.nothing}}
	case at.input != "":
		return c.as(at.input, at.t)
	case at.memory != nil:
		return c.loadMemory(at)
	case at.object == nil: // an element of an array that is not known
		if v, is := c.elementBy(at); is {
			return v
		}
		v := c.unknown(at.t)
		v.at = at
		return v
	}
	v := at.object
	out := value{t: v.t, at: at}
	switch {
	case v.escaped:
		out = c.unknown(v.t)
		out.at = at
		return out
	case v.number != nil:
		out.op = constant(*v.number)
	case v.points != nil:
		return value{t: v.t, address: v.points}
	case v.parts != nil:
		out.parts = map[string]value{}
		for name, p := range v.parts {
			if f, _ := v.t.member(name); f.to != nil { // what a reference is bound to is not read; whose copy it is, is not followed
				out.parts[name] = value{t: f.t, op: ir.Operand{Reg: c.nothing}}
				continue
			}
			out.parts[name] = c.load(c.placeOf(p))
		}
	case v.reg >= 0:
		out.op, out.row = ir.Operand{Reg: v.reg}, v.row
	default:
		out.op = ir.Operand{Reg: c.nothing}
	}
	return out
}

func (c *compiler) loadMemory(at *place) value {
	t := at.t
	out := value{t: t, at: at}
	switch {
	case t.class != nil && c.modelled(c.in[t.class]) && slices.ContainsFunc(t.class.Methods, convertsObject):
		c.refuse(limit.Source, "an object of the class %s stands where a number is expected", t.class.Name)
	case t.fields != nil:
		out.parts = map[string]value{}
		for _, f := range t.fields {
			m := *at.memory
			m.offset += f.at
			if f.t.array {
				c.copiedArray(ir.Load, &place{t: f.t, memory: &m})
				out.parts[f.name] = c.unknown(f.t)
				continue
			}
			out.parts[f.name] = c.load(&place{t: f.t, memory: &m})
		}
		return out
	case at.memory.lost:
		c.outside(limit.DataAddress.Says("memory is read at a place that is not known"), 0)
		v := c.unknown(t)
		v.at = at
		return v
	case t == voidType:
		return value{t: t, at: at, op: ir.None}
	}
	if m := at.memory; m.within { // it is set with the object, too
		all := c.access(ir.Load, &place{t: uintType, memory: &memory{space: m.space, base: m.base, offset: m.whole}})
		all.D = c.temp(uintType.number)
		c.emit(all)
	}
	in := c.access(ir.Load, at)
	if t.opaque {
		c.emit(in)
		return value{t: t, at: at, op: ir.Operand{Reg: c.nothing}}
	}
	if t.boolean {
		in.D = c.temp(ir.Type{Bits: 8})
		c.emit(in)
		out.op = c.compare(ir.NotEqual, ir.Type{Bits: 8}, ir.Operand{Reg: in.D}, constant(0))
		return out
	}
	in.D = c.temp(typeIn(t))
	c.emit(in)
	out.op = ir.Operand{Reg: in.D}
	if t.pointer() {
		out.t = pointerTo(t.to, ir.Global) // what a kernel finds in memory leads to global memory
		if at.memory.space == ir.Local {
			out.t = pointerTo(t.to, ir.Generic)
		} else if at.memory.space != ir.Global {
			out.t, out.op = pointerTo(t.to, ir.Generic), ir.Operand{Reg: c.nothing}
		}
	}
	return out
}

// convertsObject reports whether a method converts its object (C++17 [class.conv.fct]).
func convertsObject(m *program.Function) bool {
	to, is := strings.CutPrefix(m.Name, "operator")
	return is && len(m.Params) == 0 && word(strings.TrimSpace(to))
}

// has reports whether a value has all members of a class.
func (v *value) has(t *ctype) bool {
	for _, f := range t.fields {
		if v.parts[f.name].t == nil {
			return false
		}
	}
	return v.parts != nil
}

// copiedArray accesses all of an array that is part of an object, as its copies do.
func (c *compiler) copiedArray(op ir.Op, at *place) {
	elem, n := at.t, int64(1)
	for elem.array {
		elem, n = elem.to, n*max(elem.extent, 0)
	}
	if at.memory.space == ir.Global && !at.memory.lost {
		return
	}
	if at.memory.lost || n > maxUnroll || elem.fields != nil || elem.size == 0 {
		c.outside(limit.Access.Says("an object with a large array is copied"), 0)
		return
	}
	for k := range n {
		m := *at.memory
		m.offset += k * elem.size
		in := c.access(op, &place{t: elem, memory: &m})
		if in.D = -1; op == ir.Load {
			in.D = c.temp(in.Type)
		} else {
			in.B = ir.Operand{Reg: c.nothing}
		}
		c.emit(in)
	}
}

// access is an instruction at an address.
func (c *compiler) access(op ir.Op, at *place) ir.Inst {
	in := blank(op)
	t := typeIn(at.t)
	if at.t.boolean {
		t = ir.Type{Bits: 8}
	}
	in.Type, in.Result, in.Size = t, t, uint32(at.t.size)
	m := at.memory
	if at.t.opaque || at.t.partly {
		if m.space != ir.Global {
			c.missing[at.t.name] = true
			c.unsure(limit.Source, "how large %s is, is not known", at.t.name)
		}
		if in.Type = (ir.Type{Bits: 32, Data: true}); true {
			in.Result, in.Size = in.Type, uint32(max(min(at.t.size, 16), 1))
			in.D = c.temp(in.Type)
		}
	}
	in.Space, in.A, in.Offset = m.space, m.base, m.offset
	if in.A.Reg == -1 {
		in.A.Imm, in.Offset = in.A.Imm+in.Offset, 0
	}
	if at.t.strong {
		in.Order = ir.Volatile
		if op == ir.Load {
			in.Flags |= ir.Changes
		}
	}
	return in
}

// store assigns a value that has the place's type.
func (c *compiler) store(at *place, v value) {
	switch {
	case at.memory != nil:
		c.storeMemory(at, v)
	case at.object != nil:
		c.set(at.object, v)
	case at.array != nil:
		c.lose(at.array)
		for _, p := range at.array.items {
			c.forgetVariable(p)
		}
	}
}

// lose forgets what an array of a thread's own holds.
func (c *compiler) lose(v *variable) { v.lost = true }

func (c *compiler) storeMemory(at *place, v value) {
	t := at.t
	if at.memory.lost {
		if at.memory.space == ir.Local && c.ownNext > 0 { // one of several objects, of which some may be the thread's own
			c.clobber(nil)
		}
		c.outside(limit.DataAddress.Says("memory is written at a place that is not known"), 0)
		if at.memory.space != ir.Local {
			c.astray = append(c.astray, len(c.code.Insts)-1)
		}
		return
	}
	if t.fields != nil {
		if !v.has(t) {
			v = c.unknown(t)
		}
		for _, f := range t.fields {
			m := *at.memory
			m.offset += f.at
			c.storeMemory(&place{t: f.t, memory: &m}, v.parts[f.name])
		}
		return
	}
	if t.array {
		c.copiedArray(ir.Store, at)
		return
	}
	if t == voidType {
		c.outside(limit.Source.Says("what is stored is not understood"), 0)
		return
	}
	in := c.access(ir.Store, at)
	in.D = -1
	switch v = c.plain(v); {
	case t.pointer() && at.memory.space == ir.Local && v.t.pointer() && v.address == nil:
		in.B = c.generic(v)
	case t.pointer() && at.memory.space == ir.Local && v.address != nil:
		c.wantMemory(v.address)
		in.B = ir.Operand{Reg: c.nothing}
	case t.pointer() && at.memory.space == ir.Shared && v.address == nil && v.t.pointer() && v.t.space == ir.Shared: // what is loaded from there leads to what is not known
		in.B = c.generic(v)
	case t.pointer() && (v.address != nil || v.t.pointer() && v.t.space == ir.Shared):
		in.B = ir.Operand{Reg: c.nothing}
		c.unsure(limit.Access, "an address of shared memory is stored")
	case !v.t.scalarLike() || v.op.Reg == -2:
		in.B = ir.Operand{Reg: c.nothing}
	default:
		in.B = v.op
	}
	c.emit(in)
}

// set assigns to an object of the thread's own.
func (c *compiler) set(to *variable, v value) {
	if c.called(v.input) && (to.reg >= 0 && to.t.integer() || to.t.opaque && to.input == "") {
		v = c.as(v.input, intType)
	}
	if v = c.numbered(v); to.t.opaque && to.t.fields == nil && to.reg < 0 && to.input == "" && !to.lost && (v.op.Reg == -1 || v.function == nil && v.t.integer()) && (v.t == intType || v.t.pointer()) { // of a pointer to a function
		to.t, to.reg = intType, c.register("%f", intType.number)
	}
	switch {
	case to.number != nil || to.input != "":
		c.refuse(limit.Source, "a constant is assigned to")
	case to.parts != nil:
		if !v.has(to.t) {
			v = c.unknown(to.t)
		}
		for name, p := range to.parts {
			if part, is := v.parts[name]; is {
				c.set(p, c.convert(part, p.t))
			}
		}
	case to.t.boolean:
		c.setTest(to.reg, c.test(v))
	case v.address != nil && to.points == nil:
		if to.reg >= 0 && to.t.pointer() {
			c.wantGeneric(to)
		}
		c.escape(v.address)
		if to.reg >= 0 {
			to.t = pointerTo(to.t.to, ir.Generic)
			c.move(to, c.unknown(to.t))
		}
	case to.points != nil:
		c.wantMemory(to.points)
		c.halt(limit.Access, "a pointer to an object of the thread's own is led elsewhere")
	case to.reg >= 0:
		if to.generic && v.t.pointer() {
			v.op = c.generic(v)
		} else if to.t.pointer() && v.t.pointer() && to.t.space != v.t.space {
			if to.t.space != ir.Generic {
				c.wantGeneric(to)
				why := limit.Access.Sayf("a pointer leads to %s and to %s memory", spaceName(to.t.space), spaceName(v.t.space))
				if to.t.space == ir.Local || v.t.space == ir.Local || c.ownNext > 0 && v.t.space == ir.Generic { // what is written by it may be known elsewhere
					panic(unsupported{why: why, hard: true})
				}
				c.outside(why, 0)
				v = value{t: pointerTo(to.t.to, ir.Generic), op: ir.Operand{Reg: c.nothing}}
			}
			to.t = pointerTo(to.t.to, v.t.space)
		}
		c.move(to, v)
	}
}

func (c *compiler) move(to *variable, v value) {
	in := blank(ir.Move)
	in.Type, in.Result, in.D, in.A = typeIn(to.t), typeIn(to.t), to.reg, v.op
	c.emit(in)
}

func spaceName(s ir.Space) string {
	return map[ir.Space]string{ir.Shared: "shared", ir.Global: "global", ir.Generic: "unknown", ir.Local: "local", ir.Const: "constant", ir.Param: "parameter"}[s]
}

// sharedVariable is a __shared__ array or variable, the same wherever its function is translated with the same arguments of its template.
func (c *compiler) sharedVariable(a *program.Assign, name, instance string) *variable {
	key := declared{a, instance, name}
	if v := c.shared[key]; v != nil {
		return v
	}
	t := c.typeOr(a.Type)
	dynamic, open := false, t.partly
	unbounded := func() bool { // what the launch gives
		said, is := a.Dims[0].(*program.OpaqueExpr)
		return a.Dims[0] == nil || is && len(said.Parts) == 0
	}
	var has *ctype
	if len(a.Dims) == 0 || !unbounded() {
		if has = c.roomFor(arrayIf(t, len(a.Dims)), name); has != nil {
			t = has
		}
	}
	for k := len(a.Dims) - 1; k >= 0; k-- {
		if k == 0 && unbounded() {
			t, dynamic = arrayOf(t, -1), true
			continue
		}
		n, known := c.constant(a.Dims[k])
		if !known || n < 0 || n > 1<<24 {
			open, n = true, 1<<10
		}
		t = arrayOf(t, n)
	}
	c.shares(t, 1)
	v := &ir.Variable{Name: c.unique(name), Space: "shared", Elem: t.align, Size: t.size}
	switch {
	case has != nil:
		c.unsure(limit.Source, "how large %s is, is not known", name)
		v.At, v.Size = roomAt+int64(c.rooms-1)<<roomBits, 1<<roomBits
		c.roomy = append(c.roomy, v)
	case dynamic:
		v.At, v.Size = dynamicAt, -1
	case open && t.size > 1<<farBits && c.rooms < maxRooms: // of rows that are as far apart as any
		c.unsure(limit.Source, "how large %s is, is not known", name)
		v.At, v.Size = roomAt+int64(c.rooms)<<roomBits, 1<<roomBits
		c.rooms++
	case open: // apart from all others
		c.unsure(limit.Source, "how large %s is, is not known", name)
		if c.far++; c.far > maxFar {
			c.refuse(limit.Size, "more than %d shared arrays of which it is not known how large they are", maxFar)
		}
		v.At = farAt + c.far<<farBits
		v.Size = 1 << farBits // where it ends is not known
	default:
		align := max(t.align, a.Align, 1)
		v.At = (c.next + align - 1) / align * align
		c.next = v.At + t.size
		if c.next > dynamicAt {
			c.refuse(limit.LaunchShape, "more shared memory than a CTA has")
		}
	}
	c.code.Variables[v.Name] = v
	c.numbers++
	c.order[v] = c.numbers
	out := &variable{t: t, reg: -1, memory: &memory{space: ir.Shared, base: ir.Operand{Reg: -1, Imm: v.At, Of: uint16(c.numbers)}, led: dynamic && c.usages().led[name]}}
	c.shared[key] = out
	return out
}
