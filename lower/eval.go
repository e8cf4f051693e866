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
		return data{}
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
		return &closure{lambda: e, env: s, mod: m.mod}
	case *program.Comp:
		return m.comprehension(e, s)
	case *program.AssignExpr:
		v := m.eval(e.Value, s)
		if e.Op != "=" && e.Op != ":=" {
			v = binary(strings.TrimSuffix(e.Op, "="), m.eval(e.Target, s), v)
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
	return m.member(m.eval(e.X, s), e.Name, e)
}

// member is x.name for a value x.
func (m *machine) member(x value, name string, n program.Node) value {
	switch x := x.(type) {
	case *object:
		if v, ok := x.fields[name]; ok {
			return v
		}
		if x.class != nil {
			c := classRef{x.class, x.mod, x.env}
			if f, of := m.method(c, name, 0); f != nil {
				c := &closure{fn: f, env: of.scope(m), mod: of.mod, self: x}
				if property(f) {
					return m.invoke(c, &program.Call{Place: program.Place{Span: n.Where()}}, nil)
				}
				return c
			}
			if v, ok := m.classField(c, name, 0); ok {
				return v
			}
			return path(x.class.Name + "." + name)
		}
	case classRef:
		if v, ok := m.classField(x, name, 0); ok {
			return v
		}
		if f, of := m.method(x, name, 0); f != nil {
			return &closure{fn: f, env: of.scope(m), mod: of.mod}
		}
		return path(x.class.Name + "." + name)
	case moduleRef:
		return m.in.low.moduleMember(x.mod, name)
	case *tensor:
		return x.member(name)
	case *layout:
		return x.member(name)
	case *tiledMMA:
		return x.member(name)
	case path:
		if name == "FULL_MASK" { // cute.arch.FULL_MASK: every lane of a warp
			return integer(1<<32 - 1)
		}
		if name == "width" && bitsOf(x) > 0 {
			return width(x)
		}
		return path(string(x) + "." + name)
	case symbol:
		if len(x.expr.String()) < 200 {
			return atom(x.expr.String() + "." + name)
		}
	case *sequence:
		if i := strings.Index("xyz", name); len(name) == 1 && i >= 0 && i < len(x.elems) {
			return x.elems[i]
		}
	case pointer:
		if name == "iterator" || name == "data_ptr" || name == "ptr" {
			return x
		}
	}
	return data{}
}

// scope is where names in the class's own statements are looked up.
func (c classRef) scope(m *machine) *scope {
	switch {
	case c.env != nil:
		return c.env
	case c.mod == nil || c.mod.file == m.file: // the machine's own copy of its file's globals
		return m.globals
	}
	return c.mod.globals
}

// method finds a method in a class or its bases, and the class it stands in.
func (m *machine) method(c classRef, name string, depth int) (*program.Function, classRef) {
	for _, f := range c.class.Methods {
		if f.Name == name && f.Outer == nil {
			return f, c
		}
	}
	for _, b := range m.bases(c, depth) {
		if f, of := m.method(b, name, depth+1); f != nil {
			return f, of
		}
	}
	return nil, c
}

// bases are the classes a class is derived from, as far as they are known.
func (m *machine) bases(c classRef, depth int) []classRef {
	if depth >= 16 {
		return nil
	}
	var out []classRef
	for _, b := range c.class.Bases {
		if id, ok := b.(*program.Name); ok && m.file.Language != program.CuTe {
			if base := m.mod.classes[id.Ident]; base != nil {
				out = append(out, classRef{class: base, mod: m.mod})
			}
			continue
		}
		leave := m.enter(c.mod)
		v, _ := m.eval(b, c.scope(m)).(classRef)
		leave()
		if v.class != nil && v.class != c.class {
			out = append(out, v)
		}
	}
	return out
}

func (m *machine) classField(c classRef, name string, depth int) (value, bool) {
	for i, f := range c.class.Fields {
		for _, t := range f.Targets {
			if id, ok := t.(*program.Name); ok && id.Ident == name {
				if f.Value == nil {
					if c.class.Enum {
						return integer(i), true
					}
					return data{}, true
				}
				leave := m.enter(c.mod)
				defer leave()
				return m.eval(f.Value, c.scope(m)), true
			}
		}
	}
	for _, b := range m.bases(c, depth) {
		if v, ok := m.classField(b, name, depth+1); ok {
			return v, true
		}
	}
	return nil, false
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
			switch i := m.eval(e.Args[0], s).(type) {
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
		if v, ok := x.values[canonical(m.eval(e.Args[0], s))]; ok {
			return v
		}
		return data{}
	case *tensor:
		return m.element(x, e, s)
	case *layout:
		if i, ok := m.eval(e.Args[0], s).(integer); ok && len(e.Args) == 1 {
			return &layout{shape: part(x.shape, int(i)), stride: part(x.strides(), int(i))}
		}
		return data{}
	case symbol:
		args := make([]value, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.eval(a, s)
		}
		if c := coordinateOf(args); hasNone(c) { // a view of a tensor
			return (&tensor{name: canonical(x), shape: &sequence{partsOf(shapeOf(x), len(c.elems))}, outer: -1}).index(c)
		}
		name := x.expr.String()
		if metadata(name) && uniformSymbol(&sequence{args}) {
			return atom(name + "[" + strings.Trim(canonical(&sequence{args}), "()") + "]")
		}
		if p, ok := m.globalElement(x, args); ok {
			return m.read(p, e)
		}
		return data{}
	case pointer:
		p := m.indexed(x, e, s)
		if len(p.dims) > 0 {
			return p // a row of an array, not yet an element
		}
		return m.read(p, e)
	case classRef, path:
		return x // a generic type with its arguments
	}
	return data{}
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
	return data{}
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
		// A known left side decides (short circuit); Python returns the operand itself, which only matters for defaults.
		if n, ok := x.(integer); ok {
			if (n != 0) == (e.Op == "||") {
				return x
			}
			return m.eval(e.Y, s)
		}
		if !m.host && m.touches(e.Y) {
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
		return binary(e.Op, truthValue(x), truthValue(m.eval(e.Y, s)))
	case "not in":
		return unary("!", binary("in", x, m.eval(e.Y, s)))
	}
	return binary(e.Op, x, m.eval(e.Y, s))
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
	test := m.eval(e.Test, s)
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
