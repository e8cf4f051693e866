package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// eval gives the value of an expression, recording the operations and accesses it performs.
func (m *machine) eval(e program.Expr, s *scope) value {
	m.burn(e)
	switch e := e.(type) {
	case *program.Int:
		return integer(e.Value)
	case *program.Bool:
		return boolean(e.Value)
	case *program.String:
		return text(e.Value)
	case *program.None:
		return none{}
	case *program.Float:
		if m.file.Language != program.CuTe {
			return data{}
		}
		return floatLiteral(e.Text)
	case *program.Name:
		return m.name(e, s)
	case *program.Attr:
		return m.attr(e, s)
	case *program.Index:
		return m.load(e, s)
	case *program.Unary:
		return m.unaryExpr(e, s)
	case *program.Binary:
		return m.binaryExpr(e, s)
	case *program.Cond:
		return m.conditional(e, s)
	case *program.Call:
		return m.call(e, s)
	case *program.Tuple:
		return m.elements(e.Elems, s)
	case *program.List:
		return m.elements(e.Elems, s)
	case *program.Dict:
		return m.dict(e, s)
	case *program.Lambda:
		return &closure{lambda: e, env: s, mod: m.mod, defaults: m.lambdaDefaults(e, s)}
	case *program.Comp:
		return m.comprehension(e, s)
	case *program.AssignExpr:
		v := m.eval(e.Value, s)
		if e.Op != "=" && e.Op != ":=" {
			v = binary(m.operator(strings.TrimSuffix(e.Op, "=")), m.eval(e.Target, s), v)
		}
		m.assign(e.Target, v, s)
		return v
	case *program.IncDec:
		old := m.eval(e.X, s)
		v := binary(e.Op[:1], old, integer(1))
		if o, ok := old.(*object); ok { // operator++ of a state class is a method of the library, not arithmetic
			return o
		}
		m.assign(e.X, v, s)
		if e.Post {
			return old
		}
		return v
	case *program.Cast:
		return m.cast(e, s)
	case *program.Starred:
		return m.eval(e.X, s)
	case *program.OpaqueExpr:
		if strings.HasPrefix(e.Why, "f-string") {
			return m.formatted(e, s)
		}
		for _, p := range e.Parts {
			m.eval(p, s)
		}
		if m.syncs(e) {
			m.stop(e, "expression not understood (%s)", e.Why)
		}
		return data{}
	}
	return data{}
}

func (m *machine) name(e *program.Name, s *scope) value {
	if l, ok := s.lookup(e.Ident); ok {
		return l.get()
	}
	if v, ok := m.builtinName(e.Ident); ok {
		return v
	}
	return path(e.Ident)
}

func (m *machine) attr(e *program.Attr, s *scope) value {
	if op, ok := m.table().Attr(e); ok {
		if v, ok := m.query(&op, e, s); ok {
			return v
		}
	}
	return m.member(m.eval(e.X, s), mangled(e.Name, s), e)
}

// mangled is the name of a private attribute as Python keeps it: __x in the body of class C is _C__x.
func mangled(name string, s *scope) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	for ; s != nil; s = s.parent {
		if s.owner != nil {
			return "_" + strings.TrimLeft(s.owner.decl.Name, "_") + name
		}
	}
	return name
}

// member is x.name for a value x.
func (m *machine) member(x value, name string, n program.Node) value {
	switch x := x.(type) {
	case *object, *class, superRef, *enumMember, *partial, *exception, *closure:
		if v, ok := m.lookup(x, name, n); ok {
			return v
		}
		switch x := x.(type) {
		case *object:
			if x.class != nil {
				return path(x.class.decl.Name + "." + name)
			}
		case *class:
			if name == "allocate" && m.file.Language == program.CuTe { // of cute.struct: an instance in shared memory
				return boundMethod{x, name}
			}
			return path(x.decl.Name + "." + name)
		}
	case moduleRef:
		return m.in.low.moduleMember(x.mod, name)
	case *tensor:
		return m.memberOf(x, name)
	case *layout:
		return x.member(name)
	case *tiledMMA:
		return m.numberTypeOf(x.member(name))
	case path:
		if name == "FULL_MASK" { // cute.arch.FULL_MASK: every lane of a warp
			return integer(1<<32 - 1)
		}
		if name == "WARP_SIZE" {
			return integer(32)
		}
		if name == "width" && bitsOf(x) > 0 {
			return width(x)
		}
		if k := numberType(lastWord(string(x))); k != nil {
			if v, ok := k.member(name); ok {
				return v
			}
		}
		return path(string(x) + "." + name)
	case symbol:
		if name == "width" && bitsOf(x) > 0 {
			return width(x)
		}
		if numberMethods[name] {
			return boundMethod{x, name}
		}
		if name == elementType[1:] && m.file.Language == program.CuTe {
			return m.elementType(x.expr.String(), elementType)
		}
		if name == valueType[1:] && x.expr.op == "" && m.file.Language == program.CuTe {
			return m.elementType(x.expr.atom, valueType)
		}
		if len(x.expr.String()) < 200 {
			return atom(x.expr.String() + "." + name)
		}
	case *sequence:
		if i := strings.Index("xyz", name); len(name) == 1 && i >= 0 && i < len(x.elems) {
			return x.elems[i]
		}
	case register:
		return x.member(name)
	case pointer:
		if name == "iterator" || name == "ptr" || name == "llvm_ptr" {
			return x
		}
	}
	if v, ok := builtinMember(x, name); ok {
		return v
	}
	return data{}
}

// load is x[i] read.
func (m *machine) load(e *program.Index, s *scope) value {
	x := m.eval(e.X, s)
	if len(e.Args) == 0 {
		return data{}
	}
	switch x := x.(type) {
	case *sequence:
		if len(e.Args) == 1 {
			if sl, ok := e.Args[0].(*program.SliceExpr); ok {
				return m.slice(x, sl, s)
			}
			switch i := m.settle(m.eval(e.Args[0], s)).(type) {
			case integer:
				if i < 0 {
					i += integer(len(x.elems))
				}
				if i >= 0 && int(i) < len(x.elems) {
					return x.elems[i]
				}
			case lanes:
				return m.gather(x, i)
			}
		}
		return data{}
	case *mapping:
		return m.item(x, m.index(e, s), e)
	case text:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok {
			return m.slice(x, sl, s)
		}
		if i, ok := m.settle(m.eval(e.Args[0], s)).(integer); ok {
			if i < 0 {
				i += integer(len(x))
			}
			if i >= 0 && int(i) < len(x) {
				return x[i : i+1]
			}
		}
		return data{}
	case *tensor:
		return m.element(x, e, s)
	case *layout:
		if i, ok := m.eval(e.Args[0], s).(integer); ok && len(e.Args) == 1 {
			return &layout{shape: part(x.shape, int(i)), stride: part(x.strides(), int(i))}
		}
		return data{}
	case *object:
		if get := m.dunder(x, "__getitem__", e); get != nil {
			return m.callWith(get, &arguments{vals: []value{m.index(e, s)}}, e)
		}
		if seq, ok := asSequence(x); ok {
			return m.itemOf(seq, m.index(e, s))
		}
		return data{}
	case *class:
		if x.enum {
			if t, ok := m.eval(e.Args[0], s).(text); ok {
				return m.member(x, string(t), e)
			}
		}
		return x
	case rangeValue:
		return binary("+", x.lo, binary("*", m.index(e, s), x.step))
	case symbol:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok && len(e.Args) == 1 {
			return m.slice(x, sl, s)
		}
		args := make([]value, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.eval(a, s)
		}
		if c := coordinateOf(args); hasNone(c) { // a view of a tensor
			return (&tensor{name: canonical(x), shape: &sequence{partsOf(shapeOf(x), len(c.elems))}, outer: -1, input: true}).index(c)
		}
		name := x.expr.String()
		if metadata(name) && uniformSymbol(&sequence{args}) {
			return atom(name + "[" + strings.Trim(canonical(&sequence{args}), "()") + "]")
		}
		if p, ok := m.globalElement(x, args); ok {
			v := m.read(p, e)
			if _, plain := v.(data); plain && m.file.Language == program.CuTe && x.expr.op == "" {
				if in, ok := m.input(name, coordinateOf(args).elems); ok {
					return in
				}
			}
			return v
		}
		return data{}
	case pointer:
		p := m.indexed(x, e, s)
		if len(p.dims) > 0 {
			return p // a row of an array, not yet an element
		}
		return m.read(p, e)
	case path:
		return x // a generic type with its arguments
	}
	return data{}
}

// index is what stands between the brackets; several indices are a tuple.
func (m *machine) index(e *program.Index, s *scope) value {
	if len(e.Args) == 1 {
		return m.eval(e.Args[0], s)
	}
	return m.elements(e.Args, s)
}

// itemOf is x[i] of a known sequence.
func (m *machine) itemOf(x *sequence, i value) value {
	k, ok := m.settle(i).(integer)
	if k < 0 {
		k += integer(len(x.elems))
	}
	if !ok || k < 0 || int(k) >= len(x.elems) {
		return data{}
	}
	return x.elems[k]
}

// item is d[key].
func (m *machine) item(d *mapping, key value, n program.Node) value {
	v, present, known := d.at(key)
	switch {
	case present:
		return v
	case !known:
		return data{}
	}
	switch key.(type) {
	case integer, text, *enumMember, none:
		if allKnown(d) && d.auto == nil {
			m.throw(n, "KeyError", canonical(key))
		}
		if d.auto != nil {
			v := m.callWith(d.auto, &arguments{}, n)
			d.put(key, v)
			return v
		}
	}
	return data{}
}

// allKnown reports whether the keys are values that can be told apart.
func allKnown(d *mapping) bool {
	for _, k := range d.keys {
		switch k.(type) {
		case integer, text, *enumMember, none, *sequence:
		default:
			return false
		}
	}
	return true
}

// metadata reports whether indexing the symbol gives a host-side number rather than memory.
func metadata(name string) bool {
	for _, w := range []string{"shape", "stride", "size", "layout", "dim"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// read is a load through a pointer.
func (m *machine) read(p pointer, n program.Node) value {
	if p.block == nil {
		return data{}
	}
	if !p.block.shared && (m.polling || m.in.flagBlocks[p.block.name]) {
		return flagValue{flag: p.block, at: p.offset}
	}
	m.access(p, false, 1, n)
	return m.delivered(p, n)
}

// indexed is &x[i, j, …] for a pointer x.
func (m *machine) indexed(p pointer, e *program.Index, s *scope) pointer {
	for _, a := range e.Args {
		i := m.eval(a, s)
		if seq, ok := i.(*sequence); ok && len(e.Args) == 1 {
			for _, v := range seq.elems {
				p = p.at(v)
			}
			return p
		}
		p = p.at(i)
	}
	return p
}

func (p pointer) at(i value) pointer {
	var stride int64 = 1
	for _, d := range p.dims[min(1, len(p.dims)):] {
		stride *= d
	}
	p.offset = binary("+", p.offset, binary("*", i, integer(stride)))
	if len(p.dims) > 0 {
		p.dims = p.dims[1:]
	}
	return p
}

func (m *machine) unaryExpr(e *program.Unary, s *scope) value {
	switch e.Op {
	case "&":
		if p, ok := m.address(e.X, s); ok {
			return p
		}
		if l := m.locate(e.X, s); l != (nowhere{}) {
			return l
		}
		return data{}
	case "*":
		switch x := m.eval(e.X, s).(type) {
		case pointer:
			return m.read(x, e)
		case symbol:
			if p, ok := m.globalElement(x, []value{integer(0)}); ok {
				return m.read(p, e)
			}
		case location:
			return x.get()
		case *object:
			return x
		}
		return data{}
	}
	return unary(e.Op, m.eval(e.X, s))
}

func (m *machine) binaryExpr(e *program.Binary, s *scope) value {
	x := m.eval(e.X, s)
	switch e.Op {
	case "&&", "||":
		if v, ok := m.shortCircuit(x, e, s); ok {
			return v
		}
		// A known left side decides (short circuit); Python returns the operand itself, which only matters for defaults.
		if n, ok := x.(integer); ok {
			if (n != 0) == (e.Op == "||") {
				return x
			}
			return m.eval(e.Y, s)
		}
		if !m.host && m.touches(e.Y) {
			if _, ok := x.(mixed); ok && !m.syncs(e.Y) {
				if x, ok = m.known(x); !ok {
					x = data{}
				}
			}
			if _, ok := x.(data); ok {
				if m.syncs(e.Y) {
					m.stop(e, "branch on data that is only known when the kernel runs")
				}
				m.lose(e.Y, s)
				return data{}
			}
			if m.truth(x, e.X) == (e.Op == "||") {
				return boolean(e.Op == "||")
			}
			return m.eval(e.Y, s)
		}
		if _, ok := x.(none); ok {
			if e.Op == "&&" {
				return x
			}
			return m.eval(e.Y, s)
		}
		return m.calculate(e.Op, truthValue(x), truthValue(m.eval(e.Y, s)))
	case "not in":
		return unary("!", binary("in", x, m.eval(e.Y, s)))
	}
	return m.operate(m.operator(e.Op), x, m.eval(e.Y, s), e)
}

// shortCircuit decides Python's and/or by a left side that is no number: the operand itself is the result.
func (m *machine) shortCircuit(x value, e *program.Binary, s *scope) (value, bool) {
	truth := false
	switch x := x.(type) {
	case *object, *closure, *class, *partial, pointer, moduleRef, boundMethod:
		truth = m.truth(x, e.X)
	case text, *sequence, *mapping, float, *enumMember:
		truth = m.truth(x, e.X)
	case path: // a function or module of the DSL is there
		if truth = strings.HasPrefix(string(x), "cutlass."); !truth {
			return nil, false
		}
	default:
		return nil, false
	}
	if truth == (e.Op == "||") {
		return x, true
	}
	return m.eval(e.Y, s), true
}

// truthValue maps lanes to 0 and 1 so that && and || on them are exact.
func truthValue(v value) value {
	if l, ok := v.(lanes); ok {
		out := make(lanes, len(l))
		for i, x := range l {
			out[i] = int64(boolean(x != 0))
		}
		return out.shrink()
	}
	return v
}

func (m *machine) conditional(e *program.Cond, s *scope) value {
	test := unregistered(m.eval(e.Test, s))
	if mix, ok := test.(mixed); ok && !m.syncs(e.Then) && !m.syncs(e.Else) {
		if test, ok = m.known(mix); !ok {
			test = data{}
		}
	}
	switch t := test.(type) {
	case data:
		if m.launch != nil {
			break
		}
		if m.syncs(e.Then) || m.syncs(e.Else) {
			m.stop(e, "branch on data that is only known when the kernel runs")
		}
		m.lose(e.Then, s)
		m.lose(e.Else, s)
		return data{}
	case lanes:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			a, b := m.eval(e.Then, s), m.eval(e.Else, s)
			return mix(t, a, b)
		}
	case symbol:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			if n, ok := m.peek(t.expr); ok {
				test = integer(n)
			} else if a, b := m.eval(e.Then, s), m.eval(e.Else, s); canonical(a) == canonical(b) {
				return a
			}
		}
	}
	if m.truth(test, e) {
		return m.eval(e.Then, s)
	}
	return m.eval(e.Else, s)
}

func mix(t lanes, a, b value) value {
	out := make(lanes, len(t))
	pick := func(v value, i int) (int64, bool) {
		switch v := v.(type) {
		case integer:
			return int64(v), true
		case lanes:
			return v[i], len(v) == len(t)
		}
		return 0, false
	}
	for i, x := range t {
		src := a
		if x == 0 {
			src = b
		}
		v, ok := pick(src, i)
		if !ok {
			return data{}
		}
		out[i] = v
	}
	return out.shrink()
}

func (m *machine) cast(e *program.Cast, s *scope) value {
	v := m.eval(e.X, s)
	if p, ok := v.(pointer); ok {
		if c := m.mod.classes[strings.TrimRight(e.Type, " *&")]; c != nil && !c.Enum {
			return m.overlay(c, p)
		}
	}
	if _, ok := v.(data); ok {
		if p, ok := m.address(e.X, s); ok {
			return p
		}
	}
	return v
}
