package cuda

import (
	"fmt"
	"math"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// expr evaluates an expression.
func (c *compiler) expr(x program.Expr) value {
	c.worked()
	switch x := x.(type) {
	case *program.Int:
		t := literalType(x)
		return value{t: typeOfNumber(t), op: constant(x.Value)}
	case *program.Bool:
		return value{t: boolType, op: constant(int64(boolean(x.Value)))}
	case *program.Float:
		t := scalars["double"]
		if strings.HasSuffix(strings.ToLower(x.Text), "f") {
			t = realType
		}
		return value{t: t, op: constant(c.literal(x.Text))}
	case *program.None:
		return value{t: pointerTo(voidType, ir.Global), op: constant(0)}
	case *program.String:
		return value{t: pointerTo(scalars["char"], ir.Global), op: ir.Operand{Reg: c.nothing}}
	case *program.Name, *program.Attr, *program.Index:
		return c.read(x)
	case *program.Unary:
		return c.unary(x)
	case *program.IncDec:
		return c.incDec(x)
	case *program.Binary:
		return c.binary(x)
	case *program.Cond:
		return c.cond(x)
	case *program.Call:
		return c.call(x)
	case *program.AssignExpr:
		return c.assign(x.Target, x.Op, x.Value)
	case *program.Cast:
		return c.cast(x)
	case *program.OpaqueExpr:
		if x.Why == program.Comma && len(x.Parts) > 0 {
			for _, p := range x.Parts[:len(x.Parts)-1] {
				c.expr(p)
			}
			return c.expr(x.Parts[len(x.Parts)-1])
		}
		if met, known := c.required(x); known {
			return value{t: boolType, op: constant(int64(boolean(met)))}
		}
		if n, known := c.sizeOfPack(x); known {
			return value{t: ulongOf, op: constant(n)}
		}
		c.refuse(limit.Source, "%s", unread(x.Why))
	case *program.Fold:
		if chain := c.unfolded(x); chain != nil {
			return c.expr(chain)
		}
		c.refuse(limit.Source, "a fold of a pack that is not known")
	case *program.List, *program.Tuple:
		c.refuse(limit.Source, "a list stands where a value is expected")
	case *program.Starred:
		c.refuse(limit.Source, "a pack whose pattern is more than a name is not followed")
	case *program.Lambda:
		return c.lambda(x)
	}
	c.refuse(limit.Source, "an expression is not understood")
	return value{}
}

// literal numbers a floating-point literal: those that are spelled alike are equal.
func (c *compiler) literal(text string) int64 {
	n, known := c.formulas["literal "+text]
	if !known {
		n = uint32(len(c.formulas))
		c.formulas["literal "+text] = n
	}
	return int64(n) << 8
}

// read evaluates an expression that may be an lvalue.
func (c *compiler) read(x program.Expr) value {
	if v, special := c.specialValue(x); special {
		return v
	}
	if i, is := x.(*program.Index); is {
		if v, is := c.indexed(i); is {
			return c.loaded(v)
		}
	}
	return c.load(c.lvalue(x))
}

// indexed is an element of an object whose class has the operator.
func (c *compiler) indexed(x *program.Index) (value, bool) {
	switch of := x.X.(type) {
	case *program.Name, *program.Attr, *program.Index:
	case *program.Unary: // (*this)[i], (*p)[i]
		switch of.X.(type) {
		case *program.Name, *program.Attr:
		default:
			return value{}, false
		}
		if of.Op != "*" {
			return value{}, false
		}
	default:
		return value{}, false
	}
	if _, special := c.specialValue(x.X); special {
		return value{}, false
	}
	at := c.lvalue(x.X)
	if at.t.class == nil || at.t.class.Enum {
		return value{}, false
	}
	return c.operator("[]", value{t: at.t, at: at, unread: true}, x, x.Args, true)
}

// limits are those of integers (C++17 [climits.syn], [cstdint.syn]) where int has 32 bits and long 64.
var limits = map[string]struct {
	t *ctype
	n int64
}{
	"CHAR_BIT": {intType, 8}, "SCHAR_MAX": {intType, math.MaxInt8}, "UCHAR_MAX": {intType, math.MaxUint8}, "SHRT_MAX": {intType, math.MaxInt16}, "USHRT_MAX": {intType, math.MaxUint16},
	"INT8_MAX": {intType, math.MaxInt8}, "UINT8_MAX": {intType, math.MaxUint8}, "INT16_MAX": {intType, math.MaxInt16}, "UINT16_MAX": {intType, math.MaxUint16},
	"INT_MAX": {intType, math.MaxInt32}, "INT_MIN": {intType, math.MinInt32}, "INT32_MAX": {intType, math.MaxInt32}, "INT32_MIN": {intType, math.MinInt32},
	"UINT_MAX": {uintType, math.MaxUint32}, "UINT32_MAX": {uintType, math.MaxUint32},
	"LONG_MAX": {longType, math.MaxInt64}, "LONG_MIN": {longType, math.MinInt64}, "LLONG_MAX": {longType, math.MaxInt64}, "LLONG_MIN": {longType, math.MinInt64},
	"INT64_MAX": {longType, math.MaxInt64}, "INT64_MIN": {longType, math.MinInt64},
	archName: {intType, 1000}, // as conditions of the preprocessor have it: the newest one
}

// archName is the macro that says for which architecture device code is compiled (CUDA C++ Programming Guide, 5.7.4).
const archName = "__CUDA_ARCH__"

// limitOf is a constant of the compiler's; that it is the one of an architecture is taken for granted.
func (c *compiler) limitOf(name string) (t *ctype, n int64, known bool) {
	of, known := limits[name]
	if name == archName {
		c.assume(fmt.Sprintf("%s is %d", name, of.n))
	}
	return of.t, of.n, known
}

// specialValue is a special register of CUDA, an enumerator or a constant.
func (c *compiler) specialValue(x program.Expr) (value, bool) {
	switch x := x.(type) {
	case *program.Name:
		if at := c.itself(x); at != nil {
			return c.addressOf(at), true
		}
		if v := c.lookup(x.Ident); v != nil {
			if v.constant() {
				if n, known := c.foldedAs(v); known {
					return value{t: v.t, op: constant(n.N)}, true
				}
			}
			if v.macro != nil {
				var out value
				c.macro(v, func() { out = c.expr(v.macro) })
				if v.env != nil && v.t.integer() {
					out = c.convert(out, v.t)
				}
				return out, true
			}
			if v.number != nil {
				return value{t: v.t, op: constant(*v.number)}, true
			}
			return value{}, false
		}
		switch x.Ident {
		case "warpSize":
			return value{t: intType, op: constant(ir.Lanes)}, true
		case "FLT_MAX", "FLT_MIN", "INFINITY", "NAN", "FLT_EPSILON", "DBL_MAX", "CUDART_INF_F", "M_PI", "HUGE_VALF":
			return c.apply(x.Ident, realType), true
		}
		if t, n, known := c.limitOf(x.Ident); known {
			return value{t: t, op: constant(n)}, true
		}
		if n, known := c.enumerator(x.Ident); known {
			return value{t: intType, op: constant(n)}, true
		}
		if x.Ident == "this" {
			return value{}, false
		}
		if n, known := c.folded(x); known && (len(x.Template) > 0 || strings.Contains(x.Ident, "::")) {
			return value{t: typeOfNumber(n.Type), op: constant(n.N)}, true
		}
		if len(c.functions[x.Ident]) > 0 || len(x.Template) > 0 {
			return value{t: opaqueType(x.Ident), op: ir.Operand{Reg: c.nothing}, function: c.closed(x)}, true
		}
		if n := c.fitted(lastName(x.Ident)); n != nil {
			return value{t: intType, op: constant(*n)}, true
		}
		if _, met := c.inputs[inputKey(x.Ident, false)]; c.hidden && !met { // it may be declared there, and differ from thread to thread
			return c.unknown(opaqueType("")), true
		}
		c.missing[x.Ident] = true
		return c.input(x.Ident), true
	case *program.Attr:
		id, ok := x.X.(*program.Name)
		if ok && c.objects[id.Ident] != nil {
			if n, known := c.folded(x); known {
				return value{t: typeOfNumber(n.Type), op: constant(n.N)}, true
			}
		}
		if !ok || c.lookup(id.Ident) != nil {
			return value{}, false
		}
		base := map[string]string{"threadIdx": "%tid", "blockIdx": "%ctaid", "blockDim": "%ntid", "gridDim": "%nctaid"}[id.Ident]
		if base != "" && (x.Name == "x" || x.Name == "y" || x.Name == "z") {
			return value{t: uintType, op: c.special(base + "." + x.Name)}, true
		}
		if !x.Arrow && c.typeOf(id.Ident) != nil {
			return c.specialValue(&program.Name{Place: x.Place, Ident: id.Ident + "::" + x.Name})
		}
	}
	return value{}, false
}

func (c *compiler) unary(x *program.Unary) value {
	switch x.Op {
	case "*":
		if at := c.itself(x.X); at != nil {
			return c.load(at)
		}
		v := c.expr(x.X)
		if out, is := c.overloaded(x, v); is {
			return out
		}
		return c.load(c.pointee(v))
	case "&":
		if id, is := x.X.(*program.Name); is && c.lookup(id.Ident) == nil && len(c.functions[id.Ident]) > 0 {
			return c.expr(id)
		}
		return c.addressOf(c.lvalue(x.X))
	case "!":
		v := c.expr(x.X)
		if out, is := c.overloaded(x, v); is {
			return out
		}
		p := c.test(v)
		if p.Reg == -1 {
			return value{t: boolType, op: constant(1 - p.Imm)}
		}
		p.Not = !p.Not
		return value{t: boolType, op: p}
	}
	v := c.expr(x.X)
	if out, is := c.overloaded(x, v); is {
		return out
	}
	v = c.scalar(v)
	if v.t.data() {
		if x.Op == "+" {
			return v
		}
		return c.apply(x.Op+"1", v.t, v)
	}
	if !v.t.integer() {
		c.refuse(limit.Source, "%s of a value that is no number", x.Op)
	}
	t := typeOfNumber(ints.Promoted(numberOf(v.t)))
	v = c.convert(v, t)
	switch x.Op {
	case "-":
		return c.compute(ir.Neg, t, v.op, ir.None)
	case "~":
		return c.compute(ir.Not, t, v.op, ir.None)
	}
	return v
}

var integerOps = map[string]ir.Op{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Rem, "&": ir.And, "|": ir.Or, "^": ir.Xor, "<<": ir.Shl, ">>": ir.Shr}

var comparisons = map[string]uint8{"==": ir.Equal, "!=": ir.NotEqual, "<": ir.Less, "<=": ir.LessEqual, ">": ir.Greater, ">=": ir.GreaterEqual}

func (c *compiler) binary(x *program.Binary) value {
	if x.Op == "&&" || x.Op == "||" {
		return c.shortCircuit(x)
	}
	if id, is := x.X.(*program.Name); is && (x.Op == "*" || x.Op == "&" || x.Op == "-" || x.Op == "+") && c.lookup(id.Ident) == nil && c.typeOf(id.Ident) != nil {
		return c.cast(&program.Cast{Place: x.Place, Type: id.Ident, X: &program.Unary{Place: x.Place, Op: x.Op, X: x.Y}}) // (T) *p, which the grammar takes for a product
	}
	if _, is := comparisons[x.Op]; is && rational(x) {
		return c.compareRatios(x)
	}
	if x.Op == "+" || x.Op == "-" { // an object that converts to a pointer is one there (C++17 [over.match.oper]/9)
		if p, is := c.converted(x.X, x.Op, pointerTo(voidType, ir.Generic)); is {
			return c.operate(x.Op, p, c.expr(x.Y))
		}
		if p, is := c.converted(x.Y, x.Op, pointerTo(voidType, ir.Generic)); is && x.Op == "+" {
			return c.operate(x.Op, c.expr(x.X), p)
		}
	}
	a := c.expr(x.X)
	if a.t.fields != nil {
		if out, is := c.operator(x.Op, a, x, []program.Expr{x.Y}, false); is {
			return out
		}
	}
	b := c.expr(x.Y)
	if out, is := c.freely(x.Op, x, []program.Expr{x.X, x.Y}, []value{a, b}, c.asPlace); is {
		return out
	}
	return c.operate(x.Op, a, b)
}

// operate applies an operator of C++ to two values.
func (c *compiler) operate(op string, a, b value) value {
	a, b = c.decayed(c.loaded(a)), c.decayed(c.loaded(b))
	if a.input != "" && b.t.data() { // HUGE is of the kind of what it is compared with
		a = c.as(a.input, b.t)
	}
	if b.input != "" && a.t.data() {
		b = c.as(b.input, a.t)
	}
	if !a.t.pointer() && a.address == nil {
		a = c.scalar(a)
	}
	if !b.t.pointer() && b.address == nil {
		b = c.scalar(b)
	}
	if a.t.pointer() || b.t.pointer() || a.address != nil || b.address != nil {
		return c.pointers(op, a, b)
	}
	if !a.t.scalarLike() || !b.t.scalarLike() {
		c.refuse(limit.Source, "operator %s of objects", op)
	}
	if how, is := comparisons[op]; is {
		if a.t.boolean && b.t.boolean && (op == "==" || op == "!=") && a.op.Reg >= 0 && b.op.Reg >= 0 {
			return c.logic(ir.JoinXor, a.op, b.op, op == "==")
		}
		a, b = c.plain(a), c.plain(b)
		if a.t.data() || b.t.data() {
			return c.compareData(op, a, b)
		}
		t := typeOfNumber(ints.Usual(numberOf(a.t), numberOf(b.t)))
		a, b = c.convert(a, t), c.convert(b, t)
		return value{t: boolType, op: c.compare(how, t.number, a.op, b.op)}
	}
	if a.t.boolean && b.t.boolean && (op == "&" || op == "|" || op == "^") {
		return c.logic(map[string]uint8{"&": ir.JoinAnd, "|": ir.JoinOr, "^": ir.JoinXor}[op], a.op, b.op, false)
	}
	a, b = c.plain(a), c.plain(b)
	if a.t.data() || b.t.data() {
		t := wider(a.t, b.t)
		return c.apply(op, t, c.convert(a, t), c.convert(b, t))
	}
	which, known := integerOps[op]
	if !known {
		c.refuse(limit.Source, "operator %s is not understood", op)
	}
	t := typeOfNumber(ints.Result(op, numberOf(a.t), numberOf(b.t)))
	if op == "<<" || op == ">>" {
		b = c.convert(b, uintType)
	} else {
		b = c.convert(b, t)
	}
	a = c.convert(a, t)
	return c.compute(which, t, a.op, b.op)
}

// wider is the type of what an operator makes of two values, one of which at least is data.
func wider(a, b *ctype) *ctype {
	if !a.data() || b.data() && b.number.Bits > a.number.Bits {
		return b
	}
	return a
}

// compareData compares data: equal data compare equally. x > y is y < x, and x != y is not x == y, for numbers that are none, too (IEEE 754-2019, 5.11).
func (c *compiler) compareData(op string, a, b value) value {
	t := wider(a.t, b.t)
	a, b = c.convert(a, t), c.convert(b, t)
	switch op {
	case ">":
		return c.apply("<", boolType, b, a)
	case ">=":
		return c.apply("<=", boolType, b, a)
	case "!=":
		v := c.apply("==", boolType, a, b)
		v.op.Not = !v.op.Not
		return v
	}
	return c.apply(op, boolType, a, b)
}

// logic joins predicates.
func (c *compiler) logic(how uint8, a, b ir.Operand, not bool) value {
	in := blank(ir.Logic)
	in.Mode, in.A, in.B = how, a, b
	in.D = c.predicate("%p")
	c.emit(in)
	return value{t: boolType, op: ir.Operand{Reg: in.D, Not: not}}
}

// shortCircuit evaluates the right side only where it decides, if that could be told from evaluating it always.
func (c *compiler) shortCircuit(x *program.Binary) value {
	a := c.test(c.expr(x.X))
	and := x.Op == "&&"
	if a.Reg == -1 {
		if (a.Imm != 0) == and {
			return value{t: boolType, op: c.test(c.expr(x.Y))}
		}
		return value{t: boolType, op: constant(int64(boolean(!and)))}
	}
	if c.anywhere(x.Y, 0) {
		b := c.test(c.expr(x.Y))
		if b.Reg == -1 {
			if (b.Imm != 0) == and {
				return value{t: boolType, op: a}
			}
			return value{t: boolType, op: constant(int64(boolean(!and)))}
		}
		how := ir.JoinOr
		if and {
			how = ir.JoinAnd
		}
		return c.logic(how, a, b, false)
	}
	to := c.predicate("%p")
	c.setTest(to, a)
	over := c.label()
	c.jump(over, a, !and)
	c.setTest(to, c.test(c.expr(x.Y)))
	c.bind(over)
	return value{t: boolType, op: ir.Operand{Reg: to}}
}

func (c *compiler) setTest(to int32, p ir.Operand) {
	in := blank(ir.Logic)
	in.Mode, in.D, in.A = ir.JoinMove, to, p
	c.emit(in)
}

// anywhere reports whether an expression is quiet and names nothing that other threads have, too: so a thread may evaluate it that does not come to it.
func (c *compiler) anywhere(x program.Expr, depth int) bool {
	out := depth < maxInline && quiet(x)
	program.WalkExprs(x, func(e program.Expr) bool {
		if id, is := e.(*program.Name); out && is {
			out = !c.standsInMemory(c.lookup(id.Ident), depth+1)
		}
		return out
	})
	return out
}

// standsInMemory reports whether a variable is one of memory that is not the thread's own, or its text names one.
func (c *compiler) standsInMemory(v *variable, depth int) bool {
	switch {
	case v == nil:
		return false
	case v.macro != nil:
		return !c.anywhere(v.macro, depth)
	case v.alias != nil:
		return v.alias.memory != nil && v.alias.memory.space != ir.Local
	}
	return v.memory != nil && v.memory.space != ir.Local || v.global != nil
}

// quiet reports whether an expression calls nothing and sets nothing, and reads no memory but by the names of variables.
func quiet(x program.Expr) bool {
	out := !evaluatedOnce(x)
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Index:
			out = false
		case *program.Unary:
			out = out && e.Op != "*"
		case *program.Attr:
			out = out && !e.Arrow
		}
		return out
	})
	return out
}

func (c *compiler) cond(x *program.Cond) value {
	p := c.test(c.expr(x.Test))
	if p.Reg == -1 {
		if p.Imm != 0 {
			return c.expr(x.Then)
		}
		return c.expr(x.Else)
	}
	if c.anywhere(x.Then, 0) && c.anywhere(x.Else, 0) {
		a, b := c.numbered(c.expr(x.Then)), c.numbered(c.expr(x.Else))
		if a.t.integer() && b.t.integer() && !(a.t.boolean && b.t.boolean) {
			a, b = c.plain(a), c.plain(b)
			t := typeOfNumber(ints.Usual(numberOf(a.t), numberOf(b.t)))
			in := blank(ir.Select)
			in.Type, in.Result, in.D = t.number, t.number, c.temp(t.number)
			in.A, in.B, in.C = c.convert(a, t).op, c.convert(b, t).op, ir.Operand{Reg: p.Reg}
			if p.Not {
				in.A, in.B = in.B, in.A
			}
			c.emit(in)
			return value{t: t, op: ir.Operand{Reg: in.D}}
		}
	}
	other, over := c.label(), c.label()
	c.jump(other, p, false)
	a := c.numbered(c.decayed(c.expr(x.Then))) // of arrays it is an address (C++17 [conv.array])
	t := c.common(a.t, x.Else)
	to := c.local("%c", t)
	if of := (origin{c.src, x.Span.Start, "?"}); t.pointer() && t.space != ir.Generic { // its sides may lead to several memories
		if to.origin = of; c.own.generic[of] {
			to.generic, to.t = true, pointerTo(t.to, ir.Generic)
		}
	}
	c.set(to, c.convert(a, t))
	c.jump(over, ir.None, true)
	c.bind(other)
	c.set(to, c.convert(c.decayed(c.expr(x.Else)), t))
	c.bind(over)
	return c.load(&place{t: to.t, object: to})
}

// common is the type of a conditional expression, whose second side is not evaluated yet.
func (c *compiler) common(a *ctype, x program.Expr) *ctype {
	if a.data() || a.pointer() || a.fields != nil {
		return a
	}
	if _, float := x.(*program.Float); float {
		return scalars["double"]
	}
	if a.boolean {
		if _, is := x.(*program.Bool); is {
			return a
		}
		return intType
	}
	return typeOfNumber(ints.Promoted(numberOf(a)))
}

func (c *compiler) cast(x *program.Cast) value {
	t := c.typeOr(x.Type)
	if to := c.spelled(x.Type); to.reference { // reinterpret_cast<T&>(x), static_cast<T&&>(x)
		if n, known := c.constantText(to.extent); to.extent != "" && known && n > 0 && t.pointer() { // reinterpret_cast<T(&)[N]>(x)
			t = arrayOf(t.to, n)
		}
		v := c.reference(x.X)
		if at := c.seenAs(v.at, t); at != v.at {
			return c.unread(at)
		}
		if v.at != nil && v.at.memory != nil {
			v.at = &place{t: t, memory: v.at.memory}
			v.t, v.unread = t, true
			return v
		}
		if v.at != nil && v.at.t != nil && v.at.t.size != t.size {
			return value{t: t, at: nowhere(t), unread: true}
		}
		return v
	}
	if call, is := x.X.(*program.Call); is && t == voidType { // (void)sizeof(x) evaluates nothing
		if id, named := call.Fun.(*program.Name); named && id.Ident == "sizeof" {
			return value{t: voidType, op: ir.None}
		}
	}
	if t.integer() && !t.boolean && rational(x.X) {
		v, r := c.quotient(x.X)
		if r != nil && v.t.data() {
			return c.convert(c.rounded(r, false), t)
		}
		return c.convert(c.decayed(v), t)
	}
	v := c.expr(x.X)
	if t == voidType {
		return value{t: voidType, op: ir.None}
	}
	v = c.decayed(v)
	if t.integer() && v.t.pointer() && !t.boolean {
		if v.t.space == ir.Shared && t.number.Bits >= 32 {
			generic := c.compute(ir.Add, ulongOf, v.op, constant(ir.SharedWindow))
			return c.convert(generic, t)
		}
		return c.unknown(t)
	}
	return c.convert(v, t)
}

func (c *compiler) incDec(x *program.IncDec) value {
	at := c.lvalue(x.X)
	c.advances(at, x.X, true)
	var post []program.Expr // C++17 [over.inc]
	if x.Post {
		post = []program.Expr{&program.Int{Place: x.Place}}
	}
	if out, is := c.operator(x.Op, c.unread(at), x, post, false); is {
		return out
	}
	operands := []value{c.unread(at)}
	if x.Post {
		operands = append(operands, value{t: intType, op: constant(0)})
	}
	if out, is := c.freely(x.Op, x, append([]program.Expr{x.X}, post...), operands, false); is {
		return out
	}
	if at.t.opaque || at.t.fields != nil {
		c.store(at, c.unknown(at.t))
		return c.load(at)
	}
	old := c.load(at)
	old = c.copied(old)
	one := value{t: intType, op: constant(1)}
	now := c.operate(x.Op[:1], old, one)
	c.store(at, c.convert(now, at.t))
	if x.Post {
		return old
	}
	return c.load(at)
}

// copied is a value that a later assignment does not change.
func (c *compiler) copied(v value) value {
	if v.op.Reg < 0 || !v.t.scalarLike() {
		return v
	}
	if v.t.boolean {
		to := c.predicate("%p")
		c.setTest(to, v.op)
		v.op = ir.Operand{Reg: to}
		return v
	}
	in := blank(ir.Move)
	in.Type, in.Result, in.A = typeIn(v.t), typeIn(v.t), v.op
	in.D = c.temp(typeIn(v.t))
	c.emit(in)
	v.op, v.at = ir.Operand{Reg: in.D}, nil
	return v
}
