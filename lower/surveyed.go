package lower

// callable writes down functions, classes and what is left of the kinds of values.
func (v *survey) callable(place string, x value) {
	switch x := x.(type) {
	case *closure:
		if v.text("closure"); v.visited(x) {
			return
		}
		v.same(x.fn)
		v.same(x.lambda)
		v.same(x.mod)
		if v.flags(x.env != nil, x.owner != nil); x.env != nil {
			v.scope(place+"'", x.env)
		}
		if x.owner != nil {
			v.class(place, x.owner)
		}
		v.value(place, x.self)
		v.list(place, x.defaults)
	case *class:
		v.text("class")
		v.class(place, x)
	case moduleRef:
		v.text("module", x.mod.name)
	case *enumMember:
		v.text("member", x.name)
		v.class(place, x.class)
		v.value(place, x.value)
	case boundMethod:
		v.text("bound", x.name)
		v.value(place, x.self)
	case staticMethod:
		v.text("static")
		v.value(place, x.fun)
	case classMethod:
		v.text("of class")
		v.value(place, x.fun)
	case property:
		v.text("property")
		v.list(place, []value{x.get, x.set})
	case superRef:
		v.text("super")
		v.value(place, x.self)
		v.class(place, x.after)
	case *partial:
		if v.text("partial"); !v.visited(x) {
			v.value(place, x.fun)
			v.list(place, x.given.all())
			v.text(x.given.names...)
			v.flags(x.given.open)
		}
	case *exception:
		v.text("exception", x.name)
		v.list(place, x.args)
	case register:
		v.text("register")
		v.value(place, x.dtype)
		v.flags(x.vector)
	default:
		v.answer(place, x)
	}
}

// answer writes down what operations gave.
func (v *survey) answer(place string, x value) {
	switch x := x.(type) {
	case state:
		v.text("state")
		v.ints(int64(x.mbar), x.parity)
	case tryResult:
		v.text("try")
		v.value(place, x.bar)
		v.ints(x.parity)
		v.flags(x.negated)
		v.same(x.peek)
	case flagValue:
		v.text("flag", x.order, x.scope)
		v.memory(x.flag)
		v.value(place, x.at)
		v.flags(x.old)
	case flagTest:
		v.text("test", x.compare, x.order, x.scope)
		v.memory(x.flag)
		v.value(place, x.at)
		v.ints(x.number)
		v.flags(x.old)
	case location:
		v.text("place")
		v.location(place, x)
	case *numberKind:
		v.text("kind")
		v.same(x)
	default:
		v.w.fail("a value of kind %T is carried from round to round", x)
	}
}

func (v *survey) class(place string, c *class) {
	if c != nil && c.mod != nil && c.mod.library {
		v.same(c)
		return
	}
	if c == nil || v.visited(c) {
		return
	}
	v.same(c.decl)
	v.text(c.order...)
	for _, name := range names(v, c, c.attrs) {
		v.text(name)
		c.attrs[name] = v.held(place+":"+name, c.attrs[name])
	}
	if c.env != nil {
		v.scope(place+"'", c.env)
	}
	for _, f := range c.fields {
		v.value(place, f.def)
	}
	for _, o := range c.mro {
		v.class(place, o)
	}
}

func (v *survey) tensor(place string, x *tensor) {
	if v.visited(x) {
		return
	}
	v.text(x.name, x.root, x.ways)
	if x.base != nil {
		v.text(x.base.String())
	}
	v.ints(int64(x.rank), int64(x.outer), x.boxes, int64(x.share), int64(x.deal))
	v.flags(x.lost, x.adrift, x.part, x.maybe, x.picked, x.split, x.wide, x.input, x.local, x.mma != nil, x.content != nil, x.registers != nil)
	v.memory(x.block)
	v.list(place, []value{x.shape, x.dtype, x.cta, x.first, x.span, x.stages, x.stage, x.steps, x.origin, x.layout})
	if x.mma != nil {
		v.value(place, x.mma)
	}
	if x.content != nil {
		v.value(place, x.content)
	}
	if x.registers != nil {
		v.visited(x.registers)
	}
}
