package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// lookup is what a name means, nil if nothing is known.
func (c *compiler) lookup(name string) *variable {
	s := c.scope
	for ; s.outer != nil; s = s.outer {
		if v := s.own(name); v != nil {
			return v
		}
	}
	for space := c.namespace(); space != ""; space, _ = program.SplitName(space) { // from the inside to the outside
		if v := s.names[space+"::"+name]; v != nil {
			return v
		}
		if v := c.globals[space+"::"+name]; v != nil {
			return v
		}
	}
	if v := s.names[name]; v != nil {
		return v
	}
	if v := c.globals[name]; v != nil {
		return v
	}
	if a := c.arrays[name]; a != nil {
		return c.sharedVariable(a, name, "")
	}
	if !strings.Contains(name, "::") {
		return nil
	}
	path := c.spelled(name).path
	if len(path) < 2 {
		return nil
	}
	last := path[len(path)-1].name
	if of := c.named(path[:len(path)-1]); of != nil {
		if v := c.static(of, last); v != nil {
			return v
		}
		return c.memberOfBase(of, last)
	}
	var found *variable
	for _, full := range c.constants[last] {
		if ends(full, path) {
			if found != nil && found != s.names[full] {
				return nil // which namespace is meant is not known
			}
			found = s.names[full]
		}
	}
	return found
}

// namespace is the one around the function that is translated, or around the constant.
func (c *compiler) namespace() string {
	if c.scope.fn == nil || c.scope.fn.fn == nil {
		return c.declares
	}
	space, _ := program.SplitName(c.scope.fn.fn.Qualified)
	return space
}

// macro evaluates what the text of a macro, or a static constant, is: in the class whose it is.
func (c *compiler) macro(v *variable, evaluate func()) {
	most := maxInline
	if v.constant() {
		most = maxRecursion
	}
	if c.macros++; c.macros > most {
		c.refuse(limit.Size, "macros within each other more than %d deep", most)
	}
	before := c.scope
	defer func() { c.macros--; c.scope = before }()
	if v.env != nil {
		fn := c.scope.fn
		c.scope = newScope(v.env)
		c.scope.fn = fn
	}
	evaluate()
}

// input is a value that is the same for all threads and of which the text does not say what it is: a member of a parameter whose class is
// not known, a constant of a file that is not there.
func (c *compiler) input(name string) value {
	return value{t: opaqueType(""), input: name, op: ir.Operand{Reg: c.nothing}}
}

// as gives an input a type: what it is used as.
func (c *compiler) as(name string, t *ctype) value {
	switch {
	case t.boolean:
		return value{t: t, op: c.test(c.as(name, intType))}
	case t.data():
		return value{t: t, op: constant(c.literal(name))}
	case t.pointer() && c.called(name):
		return value{t: pointerTo(t.to, ir.Global), op: c.convert(c.as(name, intType), ulongOf).op}
	case t.pointer():
		return value{t: pointerTo(t.to, ir.Global), op: ir.Operand{Reg: c.inputSlot(name, ir.Type{Bits: 64}, true)}}
	case t.integer():
		v := value{t: intType, op: ir.Operand{Reg: c.inputSlot(name, intType.number, false)}}
		return c.convert(v, t)
	}
	return c.unknown(t)
}

func inputKey(name string, pointer bool) string { return fmt.Sprintf("%s %v", name, pointer) }

func (c *compiler) inputSlot(name string, t ir.Type, pointer bool) int32 {
	key := inputKey(name, pointer)
	if n, known := c.inputs[key]; known {
		return n
	}
	shown := strings.Map(func(r rune) rune {
		if r == '+' || r == ' ' || !ir.InName(r) {
			return '_'
		}
		return r
	}, name)
	if pointer {
		shown += "_"
	}
	for c.formal[shown] {
		shown += "_"
	}
	root, _, _ := strings.Cut(name, ".")
	free := c.formal[root] // what is part of a parameter is as free as one
	c.formal[shown] = true
	c.code.Formals = append(c.code.Formals, shown)
	n := c.register(shown, t)
	c.code.Slots = append(c.code.Slots, ir.Parameter{Name: shown, Register: n, Pointer: pointer})
	c.inputs[key] = n
	if !free {
		c.code.Guesses = append(c.code.Guesses, shown)
	}
	switch {
	case slices.Contains(c.code.Flags, name):
		c.assume(name + ", which the text does not say, is true or false")
	case !pointer:
		c.assume(name + ", which the text does not say, is a number")
	}
	return n
}

// scalar is a value in a register, of a number. One of which nothing is known is data.
func (c *compiler) scalar(v value) value {
	v = c.plain(c.loaded(c.numbered(v)))
	switch {
	case v.input != "":
		return c.as(v.input, intType)
	case v.closure != nil:
		c.refuse(limit.Source, "a lambda stands where a number is expected")
	case v.t.opaque || !v.t.scalarLike() && v.address == nil && !v.t.array:
		return c.unknown(realType)
	}
	return v
}

// integer is a value as one.
func (c *compiler) integer(v value) value {
	if v = c.scalar(v); !v.t.integer() {
		return c.unknown(intType)
	}
	return v
}

// loaded is a value that stands at a place and was not read yet.
func (c *compiler) loaded(v value) value {
	if v.unread {
		return c.load(v.at)
	}
	return v
}

// at is an object of the thread's own, or memory, of which nothing is known.
func nowhere(t *ctype) *place { return &place{t: t, array: &variable{lost: true}} }

// somewhere is memory of which nothing is known: an object of the thread's own, or any other.
func somewhere(t *ctype) *place {
	return &place{t: t, memory: &memory{space: ir.Local, lost: true}}
}

// unsure says once what is taken for granted of memory: nothing holds for sure then.
func (c *compiler) unsure(code limit.Code, format string, args ...any) {
	why := code.Sayf(format, args...)
	if c.noted["unsure "+why.Text] {
		return
	}
	c.noted["unsure "+why.Text] = true
	c.outside(why, 0)
}

// outside appends what may do anything to shared memory.
func (c *compiler) outside(why limit.Reason, flags ir.Flags) {
	in := blank(ir.Outside)
	in.Flags, in.Extra = flags, ir.Because(why)
	c.emit(in)
}

// attempted runs a part of the translation, and says why it was given up, and whether what the thread does from there on is not known. What it began is ended: its jumps lead behind it.
func (c *compiler) attempted(part func()) (why limit.Reason, hard, done bool) {
	scope, depth, macros, labels, src, at, inner := c.scope, c.depth, c.macros, len(c.labels), c.src, c.at, c.inner
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(unsupported)
			if !ok || u.not || len(c.code.Insts) > maxInsts || c.work > maxWork {
				panic(p)
			}
			c.scope, c.depth, c.macros, c.src, c.at, c.inner, c.placed, c.asPlace = scope, depth, macros, src, at, inner, false, false
			for _, l := range c.labels[labels:] {
				if len(l.uses) > 0 {
					c.bind(l)
				}
			}
			why, hard, done = u.why, u.hard, false
		}
	}()
	part()
	return why, false, true
}

// value evaluates an expression; what of it is not understood may do anything, and its value is not known.
func (c *compiler) value(x program.Expr) (v value) {
	why, hard, done := c.attempted(func() { v = c.expr(x) })
	if hard {
		panic(unsupported{why: why, hard: true})
	}
	if !done {
		c.unfollowed(x, why)
		return value{t: opaqueType(""), op: ir.Operand{Reg: c.nothing}}
	}
	return v
}

// unfollowed stands for what is not understood: what it may set is not known behind it, and where it calls anything, that may synchronize.
func (c *compiler) unfollowed(n program.Node, why limit.Reason) {
	flags := ir.Flags(0)
	each := func(x program.Expr) bool {
		switch x := x.(type) {
		case *program.Call:
			if id, is := x.Fun.(*program.Name); !is || c.effectOf(id.Ident) != computes {
				if c.silent(x) {
					c.taking("what is called" + waitsForNobody)
				} else {
					flags = ir.MayMeet
				}
			}
			for _, a := range x.Args {
				c.handed(a)
			}
			if m, is := x.Fun.(*program.Attr); is {
				c.forget(m.X)
			}
		case *program.AssignExpr:
			c.forget(x.Target)
		case *program.IncDec:
			c.forget(x.X)
		case *program.Lambda, *program.OpaqueExpr:
			flags = ir.MayMeet
		}
		return true
	}
	switch n := n.(type) {
	case program.Stmt:
		program.WalkStmts([]program.Stmt{n}, func(st program.Stmt) bool {
			switch st := st.(type) {
			case *program.Assign:
				for _, t := range st.Targets {
					if id, is := t.(*program.Name); is && st.Decl {
						v := &variable{t: opaqueType(st.Type), reg: -1, lost: true}
						if c.spelled(st.Type).reference { // to what it is bound, what it is assigned goes
							v.alias = somewhere(v.t)
							c.exposed(st.Value)
						}
						c.scope.names[id.Ident] = v
					} else {
						c.forget(t)
					}
				}
			case *program.Asm:
				flags = ir.MayMeet
				for _, o := range st.Outputs {
					c.forget(o.X)
				}
			case *program.OpaqueStmt:
				flags = ir.MayMeet
			}
			return true
		})
		program.WalkExprs(n, each)
	case program.Expr:
		program.WalkExprs(n, each)
	}
	c.outside(why, flags)
}

// exposed gives up the objects of the thread's own that an expression names: what it makes may set them, from here on.
func (c *compiler) exposed(x program.Expr) {
	program.WalkExprs(&program.ExprStmt{X: x}, func(e program.Expr) bool {
		if id, is := e.(*program.Name); is {
			if v := c.scope.find(id.Ident); v != nil && v.macro == nil && v.function == "" && v.number == nil {
				c.escape(c.placeOf(v))
			}
		}
		return true
	})
}

// handed forgets what a call may set through an argument: an object by reference, what a pointer leads to. A number is taken to be handed by
// value, and so is an object's address that only shared or global memory has.
func (c *compiler) handed(x program.Expr) {
	switch x := x.(type) {
	case *program.Unary:
		if x.Op == "&" {
			c.forget(x.X)
			return
		}
	case *program.Name:
		if v := c.scope.find(x.Ident); v != nil && v.t != nil && v.t.pointer() && v.points == nil {
			c.handedOwn(value{t: v.t})
		}
		if v := c.scope.find(x.Ident); v != nil && (v.t == nil || !v.t.scalarLike() || v.points != nil) {
			c.forgetVariable(v)
		}
		return
	case *program.Attr, *program.Index:
		c.forget(x)
	}
}

// forget gives up what is known of the object that an expression names.
func (c *compiler) forget(x program.Expr) {
	for {
		switch e := x.(type) {
		case *program.Attr:
			x = e.X
			continue
		case *program.Index:
			x = e.X
			continue
		case *program.Cast:
			x = e.X
			continue
		case *program.Unary:
			x = e.X
			continue
		case *program.Name:
			if v := c.scope.find(e.Ident); v != nil {
				c.forgetVariable(v)
			}
		}
		return
	}
}

// escape gives up an object of the thread's own whose address is kept: whoever has that may set it, from here on.
func (c *compiler) escape(at *place) {
	c.wantMemory(at)
	c.forgetPlace(at)
	if at.object != nil {
		at.object.escape()
	}
}

func (v *variable) escape() {
	v.escaped, v.lost = true, true
	for _, p := range v.parts {
		p.escape()
	}
	for _, p := range v.items {
		p.escape()
	}
}

// reassigned reports whether a function sets a variable elsewhere than where it declares it.
func (c *compiler) reassigned(name string) (yes bool) {
	fn := c.scope.fn.fn
	set := c.sets[fn]
	if set == nil {
		set = map[string]bool{}
		note := func(x program.Expr) {
			if id, is := x.(*program.Name); is {
				set[id.Ident] = true
			}
		}
		for _, st := range fn.Body {
			program.WalkStmts([]program.Stmt{st}, func(st program.Stmt) bool {
				if a, is := st.(*program.Assign); is && !a.Decl {
					for _, t := range a.Targets {
						note(t)
					}
				}
				return true
			})
			program.WalkExprs(st, func(x program.Expr) bool {
				switch x := x.(type) {
				case *program.AssignExpr:
					note(x.Target)
				case *program.IncDec:
					note(x.X)
				case *program.Unary:
					if x.Op == "&" {
						note(x.X)
					}
				}
				return true
			})
		}
		c.sets[fn] = set
	}
	return set[name]
}

// steady reports whether a parameter of the function that is translated is what it is given as long as that runs: it is set nowhere, and nobody
// else may set it.
func (c *compiler) steady(name string) bool {
	fn := c.scope.fn.fn
	open := c.open[fn]
	if open == nil {
		open = map[string]bool{}
		note := func(x program.Expr) {
			if id, is := x.(*program.Name); is {
				open[id.Ident] = true
			}
		}
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			switch st := st.(type) {
			case *program.Asm:
				for _, o := range st.Outputs {
					note(o.X)
				}
			case *program.Assign:
				if st.Decl && c.spelled(st.Type).reference {
					note(st.Value)
				}
			}
			return true
		})
		for _, st := range fn.Body {
			program.WalkExprs(st, func(x program.Expr) bool {
				switch x := x.(type) {
				case *program.Call:
					for k, a := range x.Args {
						if !c.byValue(x, k) {
							note(a)
						}
					}
				case *program.Cast:
					if c.spelled(x.Type).reference {
						note(x.X)
					}
				case *program.Lambda, *program.OpaqueExpr:
					program.WalkExprs(x, func(e program.Expr) bool {
						note(e)
						return true
					})
				}
				return true
			})
		}
		c.open[fn] = open
	}
	return !open[name] && !c.reassigned(name)
}

// declaresIt reports whether a function has a parameter or declares something of a name.
func (c *compiler) declaresIt(fn *program.Function, name string) bool {
	yes := slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Name == name })
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if a, is := st.(*program.Assign); is && a.Decl {
			for _, t := range a.Targets {
				id, named := t.(*program.Name)
				yes = yes || named && id.Ident == name
			}
		}
		return !yes
	})
	return yes
}

// byValue reports whether whatever a call may mean takes an argument by value: all functions and methods of its name.
func (c *compiler) byValue(x *program.Call, k int) bool {
	name := ""
	switch fun := x.Fun.(type) {
	case *program.Name:
		name = lastName(fun.Ident)
	case *program.Attr:
		name = fun.Name
	}
	if isAtomicBuiltin(name) {
		return true
	}
	list := c.takers[name]
	if c.declaresIt(c.scope.fn.fn, name) { // a closure, which may take anything
		return false
	}
	for _, fn := range list {
		if fn.Macro || k >= len(fn.Params) || fn.Params[k].Ref || fn.Params[k].Star > 0 || c.spelled(fn.Params[k].Type).reference {
			return false
		}
	}
	return len(list) > 0
}

func (c *compiler) forgetVariable(v *variable) {
	switch {
	case v.memory != nil && v.memory.space == ir.Local:
		c.clobber(c.placeOf(v))
	case v.alias != nil:
		c.forgetPlace(v.alias)
	case v.points != nil:
		c.forgetPlace(v.points)
	case v.reg >= 0 && v.t.scalarLike():
		if !v.t.pointer() { // where it leads to may have been moved within what it leads to; that is taken not to be
			c.set(v, c.unknown(v.t))
		}
	case v.parts != nil:
		for _, p := range v.parts {
			c.forgetVariable(p)
		}
	case v.t != nil && v.t.array:
		c.lose(v)
		for _, p := range v.items {
			c.forgetVariable(p)
		}
	}
}

func (c *compiler) forgetPlace(at *place) {
	switch {
	case at.memory != nil && at.memory.space == ir.Local:
		c.clobber(at)
	case at.object != nil:
		c.forgetVariable(at.object)
	case at.array != nil:
		c.lose(at.array)
	}
}

// memberOfBase is a member of the object that a method is of, by the name of its class or of one that this is derived from (C++17 [class.qual]); nil if it has none.
func (c *compiler) memberOfBase(of *ctype, name string) *variable {
	this := c.scope.find("this")
	if _, has := of.member(name); !has || this == nil || this.alias == nil || this.alias.t != of && !derives(this.alias.t, of, 0) {
		return nil
	}
	met := 0
	for _, f := range this.alias.t.fields {
		if f.name == name {
			met++
		}
	}
	if met != 1 { // another class has one of the name, too
		return nil
	}
	at := this.alias
	if at.t != of {
		at = c.baseOf(at, of)
	}
	at = c.memberOf(at, name)
	return &variable{t: at.t, reg: -1, alias: at}
}
