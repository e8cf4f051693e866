package cuda

import (
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// constant evaluates an integer constant expression.
func (c *compiler) constant(x program.Expr) (int64, bool) {
	n, ok := c.folded(x)
	return n.N, ok
}

// foldedAs is the number that a name means.
func (c *compiler) foldedAs(v *variable) (n ints.Number, known bool) {
	switch {
	case v.worth != nil:
		return *v.worth, true
	case v.macro != nil && c.macros < maxInline || v.constant() && c.macros < maxRecursion:
		c.macro(v, func() { n, known = c.folded(v.macro) })
		if known && v.constant() {
			n = ints.Number{Type: numberOf(v.t), N: v.t.number.Store(n.N)}
			v.worth = &n
		}
	case v.number != nil:
		n, known = ints.Number{Type: numberOf(v.t), N: *v.number}, true
	}
	return n, known
}

// unlisted is what initializes a number where that is a list of one value, or of none: size_type n{4} (C++17 [dcl.init.list]).
func unlisted(x program.Expr, of *ctype) program.Expr {
	list, is := x.(*program.List)
	switch {
	case !is || of == nil || !of.integer() || len(list.Elems) > 1:
		return x
	case len(list.Elems) == 0:
		return &program.Int{Place: list.Place}
	}
	return list.Elems[0]
}

func (c *compiler) folded(x program.Expr) (ints.Number, bool) {
	none := ints.Number{}
	if c.work++; c.work > maxWork {
		return none, false
	}
	if c.host != nil {
		if n, known, its := c.host.leaf(x); its {
			return n, known
		}
	}
	switch x := x.(type) {
	case *program.Int:
		return ints.Number{Type: literalType(x), N: x.Value}, true
	case *program.Bool:
		n := int64(0)
		if x.Value {
			n = 1
		}
		return ints.Number{Type: ints.Int32, N: n}, true
	case *program.Name:
		if len(x.Template) > 0 {
			path := slices.Clone(c.spelled(x.Ident).path)
			if len(path) > 0 {
				last := &path[len(path)-1]
				last.args, last.exprs, last.given = texts(x.Template), x.Template, true
			}
			if n, known := c.templated(path); known {
				return n, true
			}
			yes, known := c.said(path)
			return ints.Number{Type: ints.Int32, N: int64(boolean(yes))}, known
		}
		if v := c.lookup(x.Ident); v != nil {
			return c.foldedAs(v)
		}
		if t, n, known := c.limitOf(x.Ident); known {
			return ints.Number{Type: numberOf(t), N: n}, true
		}
		if yes, known := c.said(c.spelled(x.Ident).path); known {
			return ints.Number{Type: ints.Int32, N: int64(boolean(yes))}, true
		}
		n, known := c.enumerator(x.Ident)
		return ints.Number{Type: ints.Int32, N: n}, known
	case *program.Attr:
		id, ok := x.X.(*program.Name)
		if !ok {
			break
		}
		v := c.scope.find(id.Ident)
		if n, is := c.objects[id.Ident][x.Name]; is && v == nil && !x.Arrow {
			return n, true
		}
		if v != nil { // a constant of an object's class
			if v.t == nil || v.macro != nil || x.Arrow {
				break
			}
			if m := c.static(v.t, x.Name); m != nil {
				return c.foldedAs(m)
			}
		} else if t := c.typeOf(id.Ident); t != nil {
			if v := c.static(t, x.Name); v != nil {
				return c.folded(&program.Name{Place: x.Place, Ident: id.Ident + "::" + x.Name})
			}
		}
	case *program.Unary:
		n, ok := c.folded(x.X)
		if !ok {
			return none, false
		}
		if x.Op == "!" {
			return ints.Number{Type: ints.Int32, N: int64(boolean(n.N == 0))}, true
		}
		return ints.CUnary(x.Op, n)
	case *program.Binary:
		a, ok := c.folded(x.X)
		if !ok {
			return none, false
		}
		b, ok := c.folded(x.Y)
		if !ok {
			return none, false
		}
		return ints.C(x.Op, a, b)
	case *program.Cond:
		test, ok := c.folded(x.Test)
		switch {
		case !ok:
		case test.N != 0:
			return c.folded(x.Then)
		default:
			return c.folded(x.Else)
		}
	case *program.Cast:
		n, ok := c.folded(x.X)
		t := c.typeOf(x.Type)
		if !ok || t == nil || !t.integer() {
			return none, false
		}
		to := numberOf(t)
		return ints.Number{Type: to, N: to.Wrap(n.N)}, true
	case *program.Fold:
		if chain := c.unfolded(x); chain != nil {
			return c.folded(chain)
		}
	case *program.OpaqueExpr:
		if x.Why == program.Requires {
			met, known := c.required(x)
			return ints.Number{Type: ints.Int32, N: int64(boolean(met))}, known
		}
		n, known := c.sizeOfPack(x)
		return ints.Number{Type: ints.Type{Bits: 64}, N: n}, known
	case *program.Call:
		return c.foldedCall(x)
	}
	return none, false
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// foldedCall evaluates sizeof, min and max of constants.
func (c *compiler) foldedCall(x *program.Call) (ints.Number, bool) {
	name, ok := x.Fun.(*program.Name)
	if !ok {
		return ints.Number{}, false
	}
	if t := scalars[name.Ident]; t != nil && t.integer() && len(x.Args) == 1 { // int(x)
		n, known := c.folded(x.Args[0])
		return ints.Number{Type: numberOf(t), N: t.number.Store(n.N)}, known
	}
	if len(x.Args) <= 4 && precedences[name.Ident] == 0 {
		if n, known := c.foldedFunction(name, x); known {
			return n, true
		}
	}
	switch name.Ident {
	case "sizeof", "alignof", "__alignof__", "__alignof":
		if len(x.Args) == 1 {
			t := c.typeOfExpr(x.Args[0])
			if text, is := x.Args[0].(*program.String); is { // a type, as the reader has it
				if t = c.typeOf(text.Value); t == nil {
					t = c.typeOfText(text.Value)
				}
			}
			if id, is := x.Args[0].(*program.Name); is && t == nil {
				if v := c.lookup(id.Ident); v != nil && v.macro == nil {
					t = v.t
				}
			}
			if t != nil && t.size > 0 && !t.opaque && !t.partly {
				if name.Ident != "sizeof" {
					return ints.Number{Type: ints.Type{Bits: 64}, N: max(t.align, 1)}, true
				}
				return ints.Number{Type: ints.Type{Bits: 64}, N: t.size}, true
			}
		}
	case "min", "max", "std::min", "std::max", "cute::min", "cute::max":
		if len(x.Args) == 2 {
			a, ok1 := c.folded(x.Args[0])
			b, ok2 := c.folded(x.Args[1])
			if ok1 && ok2 {
				if (a.N < b.N) == (lastName(name.Ident) == "min") {
					return a, true
				}
				return b, true
			}
		}
	}
	return ints.Number{}, false
}

// templated evaluates a template of a constant, with what it is given (C++17 [temp.spec]). Of a name that has partial specialisations nothing is known.
func (c *compiler) templated(path []segment) (ints.Number, bool) {
	none := ints.Number{}
	if len(path) == 0 || c.depth > maxInline {
		return none, false
	}
	last := path[len(path)-1]
	given := c.argumentsOf(last)
	var of *program.Function
	fits := func(fn *program.Function) (fits, known bool) {
		for k, x := range fn.Arguments {
			if k >= len(given) {
				return false, false
			}
			a, b := c.argumentOf(x), given[k]
			switch {
			case a.t != nil && b.t != nil && !a.t.opaque && !b.t.opaque && !b.t.guessed:
				if a.t.key() != b.t.key() {
					return false, true
				}
			case a.number != nil && b.number != nil:
				if *a.number != *b.number {
					return false, true
				}
			default:
				return false, false
			}
		}
		return len(fn.Arguments) == len(given), true
	}
	special := false
	for _, fn := range c.variables[last.name] {
		switch {
		case len(path) > 1 && !ends(fn.Qualified, path):
			continue
		case len(fn.Arguments) > 0 && len(fn.Template) > 0:
			return none, false
		case len(fn.Arguments) > 0:
			is, known := fits(fn)
			if !known {
				return none, false
			}
			if is {
				of, special = fn, true
			}
		case of == nil:
			of = fn
		case !special:
			return none, false // which namespace is meant is not known
		}
	}
	if of == nil {
		return none, false
	}
	before := c.scope
	in := newScope(c.fileScoped())
	in.fn = before.fn
	c.depth++
	defer func() { c.scope = before; c.depth-- }()
	c.scope = in
	if !special {
		for k, p := range of.Template {
			switch {
			case p.Star > 0:
				c.pack(p.Name, given[min(k, len(given)):])
			case k < len(given) && given[k].t != nil:
				in.kinds[p.Name] = given[k].t
			case k < len(given) && given[k].number != nil:
				in.names[p.Name] = &variable{t: intType, reg: -1, number: given[k].number}
			default:
				return none, false
			}
		}
	}
	n, known := c.folded(of.Body[0].(*program.Return).Value)
	if t := c.typeOf(of.Result); known && t != nil && t.boolean {
		n = ints.Number{Type: numberOf(t), N: int64(boolean(n.N != 0))}
	} else if known && t != nil && t.integer() {
		n = ints.Number{Type: numberOf(t), N: numberOf(t).Wrap(n.N)}
	}
	return n, known
}

// foldedFunction evaluates a function whose body is one return, of constants: a constexpr one (C++17 [expr.const]).
func (c *compiler) foldedFunction(name *program.Name, x *program.Call) (ints.Number, bool) {
	if c.depth > maxInline {
		return ints.Number{}, false
	}
	path := c.spelled(name.Ident).path
	if len(path) == 0 {
		return ints.Number{}, false
	}
	var fn *program.Function
	for _, f := range c.functions[path[len(path)-1].name] {
		if !f.Kernel && c.ownerOf(f) == nil && takes(f, len(x.Args)) && (len(path) == 1 || ends(f.Qualified, path)) {
			if fn != nil {
				return ints.Number{}, false
			}
			fn = f
		}
	}
	if fn == nil || len(fn.Body) == 0 {
		return ints.Number{}, false
	}
	in := newScope(c.scope)
	if !fn.Macro {
		for in.outer.outer != nil {
			in.outer = in.outer.outer
		}
	}
	in.fn = c.scope.fn
	for k, p := range fn.Template {
		if k >= len(x.Template) {
			break
		}
		a := c.argumentOf(x.Template[k])
		switch {
		case a.t != nil:
			in.kinds[p.Name] = a.t
		case a.number != nil:
			in.names[p.Name] = &variable{t: intType, reg: -1, number: a.number}
		}
	}
	for k, p := range fn.Params {
		arg := p.Default
		if k < len(x.Args) {
			arg = x.Args[k]
		}
		n, known := c.folded(arg)
		if !known {
			return ints.Number{}, false
		}
		in.names[p.Name] = &variable{t: typeOfNumber(n.Type), reg: -1, number: &n.N}
	}
	before := c.scope
	c.scope = in
	c.depth++
	defer func() { c.scope = before; c.depth-- }()
	n, returned, known := c.foldedBody(fn.Body)
	return n, returned && known
}

// foldedBody evaluates statements of a function for constants (C++17 [expr.const]) up to a return: constants that they declare, and branches that constants decide. What is asserted holds.
func (c *compiler) foldedBody(body []program.Stmt) (n ints.Number, returned, known bool) {
	for _, st := range body {
		switch st := st.(type) {
		case *program.Return:
			if st.Value == nil {
				return n, true, false
			}
			n, known = c.folded(st.Value)
			return n, true, known
		case *program.ExprStmt:
			if call, is := st.X.(*program.Call); !is || identOf(call.Fun) != "assert" && identOf(call.Fun) != "static_assert" {
				return n, false, false
			}
		case *program.Assign:
			name := ""
			if len(st.Targets) == 1 {
				name = identOf(st.Targets[0])
			}
			if !st.Decl || !st.Const || name == "" || st.Value == nil || len(st.Dims) > 0 {
				return n, false, false
			}
			v, known := c.folded(st.Value)
			if !known {
				return n, false, false
			}
			t := typeOfNumber(v.Type)
			if of := c.typeOf(st.Type); of != nil && of.integer() {
				t, v.N = of, of.number.Store(v.N)
			}
			c.scope.names[name] = &variable{t: t, reg: -1, number: &v.N}
		case *program.If:
			test, known := c.folded(st.Cond)
			if !known {
				return n, false, false
			}
			way := st.Else
			if test.N != 0 {
				way = st.Then
			}
			if n, returned, known = c.foldedBody(way); returned || !known {
				return n, returned, known
			}
		case *program.Block:
			if n, returned, known = c.foldedBody(st.Body); returned || !known {
				return n, returned, known
			}
		default:
			return n, false, false
		}
	}
	return n, false, true
}

func literalType(x *program.Int) ints.Type {
	t := ints.Type{Bits: 32, Signed: true}
	for _, s := range x.Suffix {
		switch s {
		case 'u':
			t.Signed = false
		case 'l', 'z':
			t.Bits = 64
		}
	}
	if t.Bits == 32 && !t.Holds(x.Value) {
		if x.Based && t.Signed && (ints.Type{Bits: 32}).Holds(x.Value) {
			return ints.Type{Bits: 32}
		}
		t.Bits = 64
	}
	return t
}

func numberOf(t *ctype) ints.Type {
	if t.boolean {
		return ints.Type{Bits: 8}
	}
	return ints.Type{Bits: t.number.Bits, Signed: t.number.Signed}
}

func typeOfNumber(t ints.Type) *ctype { return scalar(t.Bits, t.Signed, false) }

// compute emits an instruction of one result.
func (c *compiler) compute(op ir.Op, t *ctype, a, b ir.Operand) value {
	in := blank(op)
	in.Type, in.Result = t.number, t.number
	in.A, in.B = a, b
	if a.Reg == -1 && (b.Reg == -1 || b.Reg == -2) && a.Of == 0 && b.Of == 0 {
		if n, ok := in.Compute(a.Imm, b.Imm, 0, 0); ok {
			return value{t: t, op: constant(t.number.Store(n))}
		}
	}
	in.D = c.temp(t.number)
	c.emit(in)
	return value{t: t, op: ir.Operand{Reg: in.D}}
}

// unknown is a value of a type of which nothing is known.
func (c *compiler) unknown(t *ctype) value {
	switch {
	case t == nil || t == voidType:
		return value{t: voidType, op: ir.None}
	case t.opaque && t.fields == nil:
		return value{t: t, op: ir.Operand{Reg: c.nothing}}
	case t.boolean:
		in := blank(ir.Havoc)
		in.E = c.predicate("%b")
		c.emit(in)
		return value{t: t, op: ir.Operand{Reg: in.E}}
	case t.fields != nil:
		v := value{t: t, parts: map[string]value{}}
		for _, f := range t.fields {
			v.parts[f.name] = c.unknown(f.t)
		}
		return v
	case t.scalarLike():
		in := blank(ir.Havoc)
		in.D = c.temp(typeIn(t))
		c.emit(in)
		return value{t: t, op: ir.Operand{Reg: in.D}}
	}
	return value{t: t, op: ir.Operand{Reg: c.nothing}}
}

// typeIn is a type's in the IR: pointers are of 64 bits.
func typeIn(t *ctype) ir.Type {
	if t.pointer() {
		return ir.Type{Bits: 64}
	}
	return t.number
}

// commutative are the functions of data whose first two operands may be exchanged (CUDA Math API: what they are in PTX is so, PTX ISA 9.7.3, 9.7.4).
// Of 64 bits the payload of a NaN may show which was first.
var commutative = map[string]bool{"+": true, "*": true, "==": true, "min": true, "max": true, "fmin": true, "fmax": true, "fminf": true, "fmaxf": true, "fma": true, "fmaf": true,
	"__fadd_rn": true, "__fmul_rn": true, "__fmaf_rn": true, "__hadd": true, "__hadd2": true, "__hmul": true, "__hmul2": true, "__hfma": true, "__hfma2": true,
	"__hmin": true, "__hmin2": true, "__hmax": true, "__hmax2": true}

// apply is a function of data that is not known: equal operands give equal results.
func (c *compiler) apply(name string, t *ctype, args ...value) value {
	switch {
	case len(args) > 3:
		return c.unknown(t)
	case t.boolean: // a number other than 0
		return value{t: t, op: c.test(c.apply(name, intType, args...))}
	case len(args) == 0: // a constant of a library
		return value{t: t, op: constant(c.literal(name))}
	}
	in := blank(ir.Apply)
	in.Size, in.Type = c.formula(name), typeIn(t)
	operands := []*ir.Operand{&in.A, &in.B, &in.C}
	for k, a := range args {
		if a = c.scalar(a); !a.t.scalarLike() {
			return c.unknown(t)
		}
		*operands[k] = a.op
	}
	if commutative[name] && in.Type.Bits <= 32 {
		in.Flags |= ir.Commutative
	}
	in.D = c.temp(in.Type)
	c.emit(in)
	return value{t: t, op: ir.Operand{Reg: in.D}}
}

// formula numbers a function of data.
func (c *compiler) formula(name string) uint32 {
	n, known := c.formulas[name]
	if !known {
		n = uint32(len(c.formulas))
		c.formulas[name] = n
	}
	return n
}

// plain is a value in a register: a predicate becomes 0 or 1.
func (c *compiler) plain(v value) value {
	if !v.t.boolean {
		return v
	}
	if v.op.Reg == -1 {
		return value{t: intType, op: constant(v.op.Imm)}
	}
	if n := len(c.code.Insts) - 1; n >= 0 && c.code.Insts[n].Op == ir.Havoc && c.code.Insts[n].E == v.op.Reg { // of what gives it nothing is known: all threads may have the same
		return c.unknown(intType)
	}
	in := blank(ir.Select)
	in.Type, in.Result = intType.number, intType.number
	in.A, in.B = constant(1), constant(0)
	if v.op.Not {
		in.A, in.B = in.B, in.A
	}
	in.C = ir.Operand{Reg: v.op.Reg}
	in.D = c.temp(intType.number)
	c.emit(in)
	return value{t: intType, op: ir.Operand{Reg: in.D}}
}

// test is a value as a predicate.
func (c *compiler) test(v value) ir.Operand {
	if w, is := c.byConversion(v, boolType); is {
		v = w
	}
	v = c.loaded(v)
	switch {
	case v.input != "":
		v = c.as(v.input, intType)
		return c.compare(ir.NotEqual, v.t.number, v.op, constant(0))
	case v.t.boolean:
		return v.op
	case v.address != nil:
		return constant(1)
	case v.t.data():
		return c.apply("is not 0", boolType, v).op
	case !v.t.scalarLike():
		return c.unknown(boolType).op
	case v.op.Reg == -1 && v.op.Of == 0:
		return constant(int64(boolean(v.op.Imm != 0)))
	case v.t.pointer():
		return constant(1) // what the kernel is given is not null: the wrong way has nothing to access
	}
	if last := len(c.code.Insts) - 1; last >= 0 { // a - b and a ^ b are 0 where a is b
		if in := c.code.Insts[last]; (in.Op == ir.Sub || in.Op == ir.Xor) && in.D == v.op.Reg && in.Type == v.t.number {
			return c.compare(ir.NotEqual, v.t.number, in.A, in.B)
		}
	}
	return c.compare(ir.NotEqual, v.t.number, v.op, constant(0))
}

func (c *compiler) compare(how uint8, t ir.Type, a, b ir.Operand) ir.Operand {
	if a.Reg == -1 && b.Reg == -1 && a.Of == 0 && b.Of == 0 {
		return constant(int64(boolean(t.Holds(how, a.Imm, b.Imm))))
	}
	in := blank(ir.Setp)
	in.Type, in.A, in.B, in.Mode = t, a, b, how
	in.D = c.predicate("%p")
	c.emit(in)
	return ir.Operand{Reg: in.D}
}

// convert brings a value to a type.
func (c *compiler) convert(v value, t *ctype) value {
	if w, is := c.byConversion(v, t); is {
		v = w
	}
	if v = c.loaded(v); t != nil && t.integer() {
		v = c.numbered(v)
	}
	switch {
	case t == nil || t == voidType || v.t == t || v.closure != nil:
		return v
	case t.opaque && t.fields == nil:
		return v
	case v.input != "":
		return c.as(v.input, t)
	case t.boolean:
		return value{t: t, op: c.test(v)}
	case t.pointer():
		return c.toPointer(v, t)
	case t.number.Bits == 0: // of a class
		if t.fields != nil && v.parts == nil {
			if out, is := c.implicitly(v, t); is {
				return out
			}
			return c.unknown(t)
		}
		return v
	}
	v = c.plain(v)
	switch {
	case v.address != nil || !v.t.scalarLike():
		return c.unknown(t)
	case v.t.data() && t.data() && v.t.number.Bits == t.number.Bits:
		return value{t: t, op: v.op}
	case v.t.data() || t.data():
		if t.data() && v.op.Reg == -1 {
			return value{t: t, op: v.op}
		}
		return c.apply("convert to "+kindOf(t), t, v)
	}
	from := typeIn(v.t)
	switch {
	case v.op.Reg == -1 && v.op.Of == 0:
		return value{t: t, op: constant(t.number.Store(from.Bring(v.op.Imm)))}
	case from.Bits == t.number.Bits:
		return value{t: t, op: v.op}
	}
	in := blank(ir.Convert)
	in.Type, in.Result, in.A = from, t.number, v.op
	in.D = c.temp(t.number)
	c.emit(in)
	return value{t: t, op: ir.Operand{Reg: in.D}}
}

func kindOf(t *ctype) string {
	s := ir.Type(t.number)
	name := "i"
	if s.Data {
		name = "f"
	}
	return name + string(rune('0'+s.Bits/8))
}

// toPointer makes a pointer of a value: of another pointer with its space, of an integer as wide as one, which is a generic address (an address that was brought to a multiple: what is known of
// the number tells where it leads), or of a narrower one, of which nothing is known.
func (c *compiler) toPointer(v value, t *ctype) value {
	if v = c.decayed(v); v.input != "" {
		return c.as(v.input, t)
	}
	if v.address != nil {
		v.t = pointerTo(t.to, ir.Local)
		return v
	}
	if v.t.pointer() {
		return value{t: pointerTo(t.to, v.t.space), op: v.op}
	}
	if v.op.Reg == -1 && v.op.Of == 0 && v.op.Imm == 0 {
		return value{t: pointerTo(t.to, ir.Global), op: v.op}
	}
	if v.t.integer() && v.t.number.Bits == ulongOf.number.Bits && v.op.Reg >= 0 {
		return value{t: pointerTo(t.to, ir.Generic), op: v.op}
	}
	return value{t: pointerTo(t.to, ir.Generic), op: ir.Operand{Reg: c.nothing}} // where it leads is not known
}
