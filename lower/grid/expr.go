package grid

import (
	"regexp"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// pathOf is the dotted spelling of a name, "" for anything else.
func pathOf(x program.Expr) string {
	switch e := x.(type) {
	case *program.Name:
		return e.Ident
	case *program.Attr:
		if base := pathOf(e.X); base != "" {
			return base + "." + e.Name
		}
	}
	return ""
}

// pure is an expression of the host: its value is known or not, once and for all.
func (c *compiler) pure(x program.Expr) expr {
	before := len(c.code)
	v := c.expr(x)
	if len(c.code) != before || c.usesThread(x) {
		c.code = c.code[:before]
		return constant(unknown)
	}
	return constant(v(&env{p: c.program}))
}

// usesThread reports whether an expression has a name that is no constant.
func (c *compiler) usesThread(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name:
			_, given := c.set[e.Ident]
			_, constant := c.constants[e.Ident]
			if v, ok := c.find(e.Ident); !given && !constant && (!ok || v.value == nil) {
				found = true
			}
		case *program.Int, *program.Bool, *program.Unary, *program.Binary, *program.Cast, *program.Cond:
		default:
			found = true
		}
		return !found
	})
	return found
}

// otherSize are types whose elements are not of 32 bits, like those of most flags.
var otherSize = regexp.MustCompile(`64|long|char|int8|int16|short|double|half|bfloat|[24]\b`)

// expr emits what an expression does and gives what it is worth after that.
func (c *compiler) expr(x program.Expr) expr {
	c.work++
	c.depth++
	defer func() { c.depth-- }()
	if c.work > maxWork || c.depth > maxDepth {
		c.fail("an expression that is too large is not followed")
		return constant(unknown)
	}
	switch e := x.(type) {
	case *program.Int:
		return constant(e.Value)
	case *program.Bool:
		return constant(truth(e.Value))
	case *program.None:
		return constant(0)
	case *program.Name:
		return c.name(e)
	case *program.Unary:
		return c.unary(e)
	case *program.Binary:
		if e.Op == "&&" || e.Op == "||" {
			return c.logic(e)
		}
		a, b, op := c.expr(e.X), c.expr(e.Y), e.Op
		return func(e *env) int64 { return binary(op, a(e), b(e)) }
	case *program.Cond:
		return c.cond(e)
	case *program.Cast:
		v, kind := c.expr(e.X), kindOf(e.Type)
		if strings.Contains(e.Type, "*") {
			if otherSize.MatchString(e.Type) {
				return constant(unknown) // elements of another size: which of them is which is not worked out
			}
			kind = asIs
		}
		return func(e *env) int64 { return kind.of(v(e)) }
	case *program.AssignExpr:
		return c.set1(e.Target, e.Op, c.expr(e.Value))
	case *program.IncDec:
		return c.incDec(e)
	case *program.Index, *program.Attr:
		return c.element(x)
	case *program.Call:
		return c.call(e)
	}
	return constant(unknown)
}

func (c *compiler) name(e *program.Name) expr {
	if v, ok := c.find(e.Ident); ok {
		switch {
		case v.value != nil:
			return v.value
		case v.array:
			return constant(unknown)
		case v.object && (c.program.bases[v.base].shared || v.whole) && !v.extent:
			return c.load(constant(pointer(v.base, 0)), v.strong)
		case v.object:
			return constant(pointer(v.base, 0))
		}
		return local(v.slot)
	}
	if v, ok := c.set[e.Ident]; ok {
		return constant(v)
	}
	if v, ok := c.constants[e.Ident]; ok {
		delete(c.constants, e.Ident) // one that is defined by itself is unknown
		out := c.pure(v)
		c.constants[e.Ident] = v
		return out
	}
	return constant(unknown)
}

func (c *compiler) unary(e *program.Unary) expr {
	switch e.Op {
	case "*":
		return c.load(c.expr(e.X), c.volatile(e.X))
	case "&":
		if p, _, ok := c.place(e.X); ok {
			return p
		}
		return constant(unknown)
	}
	v, op := c.expr(e.X), e.Op
	return func(e *env) int64 {
		x := v(e)
		switch {
		case op == "!" && isPointer(x), isUnknown(x), isPointer(x):
			return unknown
		case op == "!":
			return truth(x == 0)
		case op == "-":
			return -x
		case op == "~":
			return ^x
		}
		return x
	}
}

// logic evaluates the second operand only where that decides, if it does something.
func (c *compiler) logic(e *program.Binary) expr {
	a := c.expr(e.X)
	slot := c.temporary()
	c.emit(instr{op: opCompute, dst: slot, a: a})
	before := len(c.code)
	at := c.emit(instr{op: opBranch, a: local(slot)})
	b := c.expr(e.Y)
	if len(c.code) == before+1 { // nothing but a value
		c.code = c.code[:before]
		first, op := local(slot), e.Op
		return func(e *env) int64 {
			x := first(e)
			if isInteger(x) && (op == "&&") == (x == 0) {
				return truth(x != 0)
			}
			return binary(op, x, b(e))
		}
	}
	if e.Op == "||" {
		c.code[at].a = func(e *env) int64 { return notOf(local(slot)(e)) }
	}
	c.emit(instr{op: opCompute, dst: slot, a: b})
	c.code[at].target = len(c.code)
	return local(slot)
}

func notOf(v int64) int64 {
	if isInteger(v) {
		return truth(v == 0)
	}
	return unknown
}

func (c *compiler) cond(e *program.Cond) expr {
	test, slot := c.expr(e.Test), c.temporary()
	before := len(c.code)
	a, b := c.expr(e.Then), c.expr(e.Else)
	if len(c.code) == before {
		return func(e *env) int64 {
			t := test(e)
			switch {
			case !isInteger(t):
				return unknown
			case t != 0:
				return a(e)
			}
			return b(e)
		}
	}
	c.code = c.code[:before]
	no := c.emit(instr{op: opBranch, a: test})
	c.emit(instr{op: opCompute, dst: slot, a: c.expr(e.Then)})
	over := c.emit(instr{op: opJump})
	c.code[no].target = len(c.code)
	c.emit(instr{op: opCompute, dst: slot, a: c.expr(e.Else)})
	c.code[over].target = len(c.code)
	return local(slot)
}

func (c *compiler) incDec(e *program.IncDec) expr {
	op := e.Op[:1]
	old, slot := c.expr(e.X), c.temporary()
	c.emit(instr{op: opCompute, dst: slot, a: old})
	next := c.set1(e.X, "=", func(e *env) int64 { return binary(op, local(slot)(e), 1) })
	if e.Post {
		return local(slot)
	}
	return next
}

// volatile reports whether an address is of volatile memory.
func (c *compiler) volatile(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Cast:
			found = found || strings.Contains(e.Type, "volatile")
		case *program.Name:
			v, ok := c.find(e.Ident)
			found = found || ok && v.strong
		}
		return !found
	})
	return found
}

// place is the address that an expression stands for.
func (c *compiler) place(x program.Expr) (p expr, strong, ok bool) {
	switch e := x.(type) {
	case *program.Unary:
		if e.Op == "*" {
			return c.expr(e.X), c.volatile(e.X), true
		}
	case *program.Index:
		if n, isName := e.X.(*program.Name); isName {
			if v, found := c.find(n.Ident); found && v.array {
				return nil, false, false
			}
		}
		if len(e.Args) != 1 {
			return nil, false, false
		}
		a, b := c.expr(e.X), c.expr(e.Args[0])
		return func(e *env) int64 { return binary("+", a(e), b(e)) }, c.volatile(e.X), true
	case *program.Attr:
		return c.field(e)
	case *program.Name:
		if v, found := c.find(e.Ident); found && v.object {
			return constant(pointer(v.base, 0)), v.strong, true
		}
	}
	return nil, false, false
}

// fieldElements is how many elements of a field that is an array are kept apart from those of the next structure.
const fieldElements = 1 << 12

// field is the address of p->name or x[i].name: the field of a structure is an object of its own, by the structure's place.
func (c *compiler) field(e *program.Attr) (p expr, strong, ok bool) {
	var structure expr
	switch {
	case e.Arrow:
		structure = c.expr(e.X)
	default:
		switch e.X.(type) {
		case *program.Index, *program.Unary, *program.Attr:
		default:
			return nil, false, false
		}
		if structure, strong, ok = c.place(e.X); !ok {
			return nil, false, false
		}
	}
	return func(env *env) int64 {
		v := structure(env)
		if !isPointer(v) {
			return unknown
		}
		b, at := pointee(v)
		return pointer(env.p.fieldOf(b, e.Name), at*fieldElements)
	}, strong, true
}

// element reads x[i] or a field. A field of what the kernel was given is an object of its own.
func (c *compiler) element(x program.Expr) expr {
	if a, ok := x.(*program.Attr); ok {
		if op, known := c.table.Attr(a); known {
			return c.query(&op)
		}
		name := pathOf(a)
		if v, ok := c.set[name]; ok {
			return constant(v)
		}
		root, _, _ := strings.Cut(name, ".")
		if p, strong, isField := c.field(a); isField {
			return c.load(p, strong)
		}
		if v, found := c.find(root); name != "" && found && v.object && !c.program.bases[v.base].shared {
			return constant(pointer(c.base(name, false, asIs), 0))
		}
		return constant(unknown)
	}
	if t, ok := c.coordinate(x.(*program.Index)); ok {
		return t
	}
	if p, strong, ok := c.place(x); ok {
		return c.load(p, strong)
	}
	return constant(unknown)
}

// coordinate is block_idx()[0].
func (c *compiler) coordinate(x *program.Index) (expr, bool) {
	call, ok := x.X.(*program.Call)
	if !ok || len(x.Args) != 1 {
		return nil, false
	}
	axis, ok := x.Args[0].(*program.Int)
	if op, known := c.table.Call(call, nil); known && ok && axis.Value >= 0 && axis.Value < 3 && isTriple(op.Kind) {
		op.Args = map[string]dialect.Arg{"axis": {Text: "xyz"[axis.Value : axis.Value+1]}}
		return c.query(&op), true
	}
	return nil, false
}

func (c *compiler) load(ptr expr, strong bool) expr {
	slot := c.temporary()
	c.emit(instr{op: opLoad, dst: slot, ptr: ptr, strong: strong})
	return local(slot)
}
