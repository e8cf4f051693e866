package cuda

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// silence is whether the functions of a name, or of a class, are known not to synchronize.
type silence struct{ class, name string }

// silent reports whether a call that is not followed surely waits for nobody: whichever of the functions that are read it is of, none of these, nor of what they
// call, synchronizes. What it does to memory is another matter.
func (c *compiler) silent(x *program.Call) bool {
	if c.givesView(x) {
		return true
	}
	switch fun := x.Fun.(type) {
	case *program.Name:
		if v := c.scope.find(fun.Ident); v != nil {
			if v.t == nil || v.function != "" || v.macro != nil {
				return false
			}
			class := c.classNamed(v.t.written)
			if class == "" && v.t.untold != "" && c.values(x.Args) { // an operation that the host chooses: it is given no memory that a barrier would order
				return true
			}
			return (class != "" || v.t.untold != "") && c.silentNamed(silence{class, callOperator}) // an argument of a template may be any of those that are read
		}
		scope, last := program.SplitName(fun.Ident)
		if c.ofLibrary(fun.Ident) {
			return true
		}
		return c.silentNamed(silence{c.classNamed(scope), last})
	case *program.Attr:
		return c.silentNamed(silence{"", fun.Name}) || c.moves(fun, x) || c.takesElements(fun, x)
	}
	return false
}

// givesView reports whether a call is of what gives views of memory, or shapes, or asks one of these for a part of it (dialect.Views).
func (c *compiler) givesView(x *program.Call) bool {
	if x == c.viewing {
		return true
	}
	switch fun := x.Fun.(type) {
	case *program.Name:
		if v := c.scope.find(fun.Ident); v != nil {
			return c.isView(fun)
		}
		return c.effectOf(fun.Ident) == dialect.Views
	case *program.Attr:
		return c.isView(fun.X) || c.table.MethodEffect(fun.Name) == dialect.Views && len(c.bodiesOf(silence{"", fun.Name})) == 0
	}
	return false
}

func (c *compiler) isView(x program.Expr) bool {
	switch x := x.(type) {
	case *program.Name:
		v := c.scope.find(x.Ident)
		return v != nil && v.t != nil && v.t.opaque && v.t.class == nil && (v.t.view || v.t.written != "" && c.effectOf(v.t.written) == dialect.Views)
	case *program.Call:
		return c.givesView(x)
	}
	return false
}

// ofLibrary reports whether a function is one of the C++ library, in one of the namespaces that it has on the device: that knows nothing of a CTA's threads. What threads meet in are objects there.
func (c *compiler) ofLibrary(name string) bool {
	path := c.spelled(name).path
	switch {
	case len(path) == 2 && path[0].name == "std":
	case len(path) == 3 && path[0].name == "cuda" && path[1].name == "std":
	default:
		return false
	}
	return len(c.bodiesOf(silence{"", path[len(path)-1].name})) == 0
}

// moves reports whether a call is of a method of what the host hands over, a way to data as a rule, and that brings something to an array or an object of the thread's own, or takes it from
// there: it is handed nothing else but values. That is a guess.
func (c *compiler) moves(fun *program.Attr, x *program.Call) bool {
	if !c.handedOver(fun.X) || len(x.Args) == 0 || fun.Arrow {
		return false
	}
	own := false
	for _, a := range x.Args {
		switch {
		case c.isOwn(a):
			own = true
		case !c.isValue(a):
			return false
		}
	}
	return own
}

// takesElements reports whether a call is of a method of a class that the host chooses, of which nothing is read, and that is handed numbers, elements of arrays among them: what waits is handed stages and counts. That is a guess.
func (c *compiler) takesElements(fun *program.Attr, x *program.Call) bool {
	name, named := fun.X.(*program.Name)
	if !named || fun.Arrow || !c.values(x.Args) || !slices.ContainsFunc(x.Args, func(a program.Expr) bool { _, is := a.(*program.Index); return is }) {
		return false
	}
	v := c.scope.find(name.Ident)
	return v != nil && v.t != nil && v.function == "" && v.macro == nil && v.memory == nil && v.t.untold != "" && c.classNamed(v.t.written) == ""
}

// handedOver reports whether an object is a parameter of the kernel, or a part of one.
func (c *compiler) handedOver(x program.Expr) bool {
	for {
		switch e := x.(type) {
		case *program.Attr:
			if e.Arrow {
				return false
			}
			x = e.X
		case *program.Index:
			x = e.X
		case *program.Name:
			v := c.scope.find(e.Ident)
			if v == nil {
				return false
			}
			if input := cmp.Or(v.input, inputOf(v.alias)); input != "" {
				name, _, _ := strings.Cut(input, ".")
				return slices.Contains(c.code.Formals, name)
			}
			return c.formals[v]
		default:
			return false
		}
	}
}

func inputOf(at *place) string {
	if at == nil {
		return ""
	}
	return at.input
}

// isOwn reports whether an expression names an array or an object of the thread's own that holds numbers alone, or its address: no way to memory that others see.
func (c *compiler) isOwn(x program.Expr) bool {
	if u, is := x.(*program.Unary); is && u.Op == "&" {
		x = u.X
	}
	if e, is := x.(*program.Index); is { // an element of one
		x = e.X
	}
	id, is := x.(*program.Name)
	if !is {
		return false
	}
	v := c.scope.find(id.Ident)
	if v == nil || v.t == nil || v.function != "" || v.macro != nil || v.input != "" || !v.t.array && v.t.fields == nil || !v.t.ofNumbers() {
		return false
	}
	at := v.memory
	if v.alias != nil {
		if at = v.alias.memory; v.alias.input != "" {
			return false
		}
	}
	return !c.formals[v] && (at == nil || !at.lost && at.space == ir.Local)
}

// ofNumbers reports whether a type is one of numbers, or of arrays and classes of these.
func (t *ctype) ofNumbers() bool {
	switch {
	case t.array:
		return t.to.ofNumbers()
	case t.fields != nil:
		return !slices.ContainsFunc(t.fields, func(f field) bool { return !f.t.ofNumbers() })
	}
	return t.number.Bits > 0 && t.groups == 0
}

// values reports whether arguments are values, and none leads to memory that others see.
func (c *compiler) values(args []program.Expr) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(x program.Expr) bool { return !c.isValue(x) })
}

func (c *compiler) isValue(x program.Expr) bool {
	switch x := x.(type) {
	case *program.Int:
		return true
	case *program.Index: // of an array of one dimension
		_, named := x.X.(*program.Name)
		return named
	case *program.Unary:
		return x.Op != "&" && x.Op != "*" && c.isValue(x.X)
	case *program.Binary:
		return c.isValue(x.X) && c.isValue(x.Y)
	case *program.Attr: // of an object of the thread's own
		return !x.Arrow && c.isValue(x.X)
	case *program.Call:
		return c.givesView(x) && c.values(x.Args)
	case *program.Cast:
		return c.isValue(x.X)
	case *program.Name:
		v := c.scope.find(x.Ident)
		if v == nil {
			return builtins[x.Ident] || c.effectOf(x.Ident) == dialect.Views
		}
		return v.memory == nil && v.points == nil && v.alias == nil && !v.generic && v.function == "" && v.t != nil && v.t.to == nil && v.t.groups == 0 && (v.t.fields == nil || v.t.ofNumbers())
	}
	return false
}

// computing is a call for its value that is handed numbers alone: it computes something of them, or shares them among threads that wait for each other. Where it is handed the same by all
// threads there is nothing to share, and nothing that is worth it where each thread knows by itself what the others hand over: places and sizes, which follow from its number.
type computing struct {
	name    string
	outside int // the instruction that stands for the call
	result  int // the one that sets its value
}

// functionOf is the value of a call that was just translated, if it is one of numbers: what the same numbers give, each time.
func (c *compiler) functionOf(name string, x *program.Call, numbers []value) (value, bool) {
	if _, named := x.Fun.(*program.Name); !named || x == c.acting || len(numbers) == 0 || len(numbers) != len(x.Args) || len(numbers) > 3 {
		return value{}, false
	}
	t := numbers[0].t
	for _, v := range numbers {
		if !v.t.scalarLike() || v.t.pointer() || v.t.array {
			return value{}, false
		}
		if v.t.data() && !t.data() || v.t.data() == t.data() && v.t.number.Bits > t.number.Bits {
			t = v.t
		}
	}
	if t.boolean {
		t = intType
	}
	outside := len(c.code.Insts) - 1
	v := c.apply("call of "+name, t, numbers...)
	last := len(c.code.Insts) - 1
	if c.code.Insts[last].Op != ir.Apply { // an argument is no number after all
		return value{}, false
	}
	c.computing = append(c.computing, computing{name, outside, last})
	return v, true
}

// settleCalls decides which calls of numbers wait for nobody: those that all threads of a CTA hand the same, or what follows from which thread it is. Of those that threads do not hand the same
// the value is not known. And a call that all threads hand one pointer to is theirs together: which of them writes where that leads, if any does, it knows, and nobody else.
func (c *compiler) settleCalls() {
	if len(c.computing)+len(c.written)+len(c.valued) == 0 {
		return
	}
	alike := c.code.UniformIfUnchanged()
	lone := map[string]bool{} // what a part of a warp asks for somewhere waits for nobody anywhere, or it would be for ever there
	for _, n := range slices.Concat(c.valued, c.computing) {
		lone[n.name] = lone[n.name] || alike.Insts[n.outside] == ir.Varying || c.behindReturn(n.outside, alike)
	}
	for _, n := range c.computing { // and nobody shares a constant
		names, memory := c.code.InputsOf(&c.code.Insts[n.result])
		lone[n.name] = lone[n.name] || len(names) == 0 && !memory
	}
	for _, n := range slices.Concat(c.valued, c.computing) {
		if in := &c.code.Insts[n.outside]; lone[n.name] && in.Flags&ir.MayMeet != 0 {
			in.Flags &^= ir.MayMeet
			c.taking(n.name + waitsForNobody)
		}
	}
	for _, n := range c.written {
		if in := &c.code.Insts[n]; alike.Insts[n] == ir.UniformCTA && alike.Of(in.A, ir.Register) == ir.UniformCTA {
			at := in.Place
			*in = blank(ir.Nop)
			in.Place = at
		}
	}
	numbering := make([]bool, len(c.computing))
	for k, n := range c.computing {
		numbering[k] = c.code.Numbering(int32(n.result))
	}
	for k, n := range c.computing {
		in := &c.code.Insts[n.result]
		uniform := alike.Registers[in.D] == ir.UniformCTA
		if uniform || numbering[k] {
			c.code.Insts[n.outside].Flags &^= ir.MayMeet
			c.taking(n.name + waitsForNobody)
		}
		if !uniform {
			was := *in
			*in = blank(ir.Havoc)
			in.D, in.Place, in.A, in.B, in.C = was.D, was.Place, was.A, was.B, was.C
		}
	}
	c.code.Changed()
}

// behindReturn reports whether threads have returned by the time that others come to an instruction, each by itself: these do not ask for what all of them have to ask for.
func (c *compiler) behindReturn(at int, alike *ir.Uniformity) bool {
	fl := c.code.Flow()
	seen := map[int32]bool{}
	for todo := []int32{fl.BlockOf(int32(at))}; len(todo) > 0; {
		block := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range fl.Deciders(block) {
			if seen[d] {
				continue
			}
			seen[d] = true
			todo = append(todo, d)
			if in := &c.code.Insts[fl.Last(d)]; in.Guard >= 0 && alike.Predicates[in.Guard] == ir.Varying && c.code.EndsApart(fl.Last(d)) {
				return true
			}
		}
	}
	return false
}

// waitsForNobody is taken for granted of a call that is not followed, and does not synchronize.
const waitsForNobody = " waits for nobody"

// taking notes what is taken for granted of a call, and is said beside what is found: that is no error then.
func (c *compiler) taking(what string) {
	if !slices.Contains(c.code.Calls, what) {
		c.code.Calls = append(c.code.Calls, what)
		c.assume(what)
	}
}

const callOperator = "()"

// classNamed is the last name of a path, if classes have it; "" if none has.
func (c *compiler) classNamed(path string) string {
	p := c.spelled(path).path
	if len(p) == 0 || len(c.bySimple[p[len(p)-1].name]) == 0 {
		return ""
	}
	return p[len(p)-1].name
}

// bodiesOf are all functions of a name that are read.
func (c *compiler) bodiesOf(what silence) (out []*program.Function) {
	if c.bodies == nil {
		c.bodies = map[string][]*program.Function{}
		for _, f := range c.files {
			if c.modelled(f) {
				continue
			}
			for _, fn := range f.Functions {
				name := fn.Name
				if fn.Operator != "" {
					name = fn.Operator
				}
				c.bodies[name] = append(c.bodies[name], fn)
			}
		}
	}
	for _, fn := range c.bodies[what.name] {
		if what.class == "" || fn.Class != nil && fn.Class.Name == what.class {
			out = append(out, fn)
		}
	}
	return out
}

func (c *compiler) silentNamed(what silence) bool {
	if known, met := c.silences[what]; met {
		return known
	}
	if c.silences == nil {
		c.silences = map[silence]bool{}
	}
	c.silences[what] = true // what calls itself does no more than the rest of it
	list := c.bodiesOf(what)
	c.silences[what] = len(list) > 0 && !slices.ContainsFunc(list, func(fn *program.Function) bool { return !c.silentBody(fn) })
	return c.silences[what]
}

func (c *compiler) silentBody(fn *program.Function) bool {
	yes := !fn.Kernel
	formal := func(name string) bool {
		is := func(p program.Param) bool { return p.Name == name }
		return slices.ContainsFunc(fn.Template, is) || fn.Class != nil && slices.ContainsFunc(fn.Class.Template, is)
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Asm:
			f := c.of[fn]
			yes = yes && f != nil && !source.HasSync([]byte(f.Source.Text(st.Where())))
		case *program.OpaqueStmt:
			yes = false
		}
		return yes
	})
	for _, st := range fn.Body {
		program.WalkExprs(st, func(x program.Expr) bool {
			call, is := x.(*program.Call)
			if !is {
				_, opaque := x.(*program.OpaqueExpr)
				yes = yes && !opaque
				return yes
			}
			switch fun := call.Fun.(type) {
			case *program.Name:
				scope, last := program.SplitName(fun.Ident)
				switch effect := c.effectOf(fun.Ident); {
				case effect != dialect.Unread && effect != dialect.Converges:
				case formal(fun.Ident), scalars[fun.Ident] != nil, vectors[fun.Ident] != nil:
				case slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Name == fun.Ident }): // whatever the caller hands over
					yes = false
				default:
					class := len(c.bySimple[last]) > 0 && len(c.bodiesOf(silence{"", last})) == 0 // of which no constructor is written
					yes = yes && (class || c.silentNamed(silence{c.classNamed(scope), last}))
				}
			case *program.Attr:
				yes = yes && c.silentNamed(silence{"", fun.Name})
			default:
				yes = false
			}
			return yes
		})
	}
	return yes
}
