package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// store is a write through a pointer.
func (m *machine) store(p value.Pointer, v value.Value, n program.Node) {
	if p.Block == nil {
		return
	}
	if !p.Block.Shared && m.in.flagBlocks[p.Block.Name] {
		m.flagStore(p, v, value.Unordered, n)
		return
	}
	if !p.Block.Shared {
		m.changes(p.Block.Name)
	}
	m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(v)}, 1, n)
	m.post(p, v, n)
}

// locate gives the place an expression names, for values kept in variables, fields and arrays.
func (m *machine) locate(e program.Expr, s *value.Scope) value.Location {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.Lookup(e.Ident); ok {
			return l
		}
	case *program.Attr:
		switch x := m.eval(e.X, s).(type) {
		case *value.Object:
			return value.FieldOf{O: x, Name: e.Name}
		}
	case *program.Index:
		if len(e.Args) == 0 {
			return value.Nowhere{}
		}
		switch x := m.eval(e.X, s).(type) {
		case *value.Sequence:
			switch i := m.eval(e.Args[0], s).(type) {
			case value.Int:
				if i < 0 {
					i += value.Int(len(x.Elems))
				}
				if i >= 0 && int(i) < len(x.Elems) {
					return value.ElementOf{S: x, I: int(i)}
				}
			case value.Lanes:
				m.splitOn(i)
			}
		case *value.Mapping:
			return value.KeyOf{M: x, K: value.Canonical(m.eval(e.Args[0], s))}
		}
	}
	return value.Nowhere{}
}

// address gives the memory address an expression denotes, if it denotes memory.
func (m *machine) address(e program.Expr, s *value.Scope) (value.Pointer, bool) {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.Lookup(e.Ident); ok {
			p, ok := l.Get().(value.Pointer)
			return p, ok
		}
	case *program.Index:
		switch x := m.eval(e.X, s).(type) {
		case value.Pointer:
			return m.indexed(x, e, s), true
		case value.Symbol:
			args := make([]value.Value, len(e.Args))
			for i, a := range e.Args {
				args[i] = m.eval(a, s)
			}
			return m.globalElement(x, args)
		case value.Mixed:
			if p, ok := m.pointerOf(x); ok {
				return m.indexed(p, e, s), true
			}
		case *value.Sequence:
			p, ok := m.load(e, s).(value.Pointer)
			return p, ok
		case *value.Mapping:
			p, ok := m.load(e, s).(value.Pointer)
			return p, ok
		}
	case *program.Attr:
		if p, ok := m.eval(e, s).(value.Pointer); ok {
			return p, true
		}
	case *program.Call, *program.Binary, *program.Cond:
		return m.pointerOf(m.eval(e, s))
	}
	return value.Pointer{}, false
}

// pointerOf reads a value as an address: a pointer, or a symbolic parameter that points to global memory.
func (m *machine) pointerOf(v value.Value) (value.Pointer, bool) {
	switch v := v.(type) {
	case value.Pointer:
		return v, true
	case value.Symbol:
		return m.globalElement(v, nil)
	case value.Mixed: // a pointer and an offset of each thread
		if v.Op != "+" && v.Op != "-" || v.Y == nil {
			break
		}
		if p, ok := m.pointerOf(v.X); ok {
			p.Offset = value.Binary(v.Op, p.Offset, v.Y)
			return p, true
		}
		if p, ok := m.pointerOf(v.Y); ok && v.Op == "+" {
			p.Offset = value.Binary("+", p.Offset, v.X)
			return p, true
		}
	}
	return value.Pointer{}, false
}

// globalElement is the address of an element behind a symbolic global pointer or tensor: a parameter of the kernel, or
// a part of one. Other unknowns, such as tensors that a library call makes, may be registers or aliases.
func (m *machine) globalElement(base value.Symbol, index []value.Value) (value.Pointer, bool) {
	e := base.Expr
	var offset value.Value = value.Int(0)
	for (e.Op == "+" || e.Op == "-") && e.Y != nil {
		offset = value.Binary(e.Op, offset, value.ToValue(e.Y))
		e = e.X
	}
	if e.Op != "" || e.IsConst || !m.in.params[root(e.Atom)] {
		return value.Pointer{}, false
	}
	name, address := strings.CutSuffix(e.Atom, ".iterator") // of what the tensor has
	p := value.Pointer{Block: m.in.global(name), Offset: offset}
	if p.Block.Flat = p.Block.Flat || address; p.Block.Flat && (p.Block.Deep || len(index) > 1) {
		m.in.untracked(name, "used by its address and by coordinates")
	}
	p.Block.Deep = p.Block.Deep || len(index) > 1
	for k, i := range index {
		if seq, ok := i.(*value.Sequence); ok {
			return m.globalElement(base, append(append([]value.Value{}, index[:k]...), append(seq.Elems, index[k+1:]...)...))
		}
		if k > 0 {
			// Extents of global tensors are not known; a pitch larger than any index keeps rows apart.
			p.Offset = value.Binary("*", p.Offset, value.Int(cute.RowPitch))
		}
		p.Offset = value.Binary("+", p.Offset, i)
	}
	return p, true
}

// root is the variable a canonical path starts from.
func root(atom string) string {
	if i := strings.IndexAny(atom, ".[("); i >= 0 {
		return atom[:i]
	}
	return atom
}

// loseOverlaps gives up what pointers reach of which members are reached by themselves, where either is written.
func (in *instance) loseOverlaps() {
	written := func(root string) bool {
		return slices.ContainsFunc(in.territory[root], func(r memory.ReachOf) bool { return r.Write })
	}
	for _, part := range slices.Sorted(maps.Keys(in.territory)) {
		for i := range part {
			of := part[:i]
			if part[i] != '.' && part[i] != '-' || in.territory[of] == nil || !written(of) && !written(part) {
				continue
			}
			for _, root := range []string{of, part} {
				in.untracked(root, of+" is reached as a whole and by its members")
				in.territory.Add(root, memory.ReachOf{Write: true, Why: of + " is reached as a whole and by its members", Site: in.territory[root][0].Site, Aside: true})
			}
		}
	}
}

// unplaced gives up what an expression may denote that is written, or may be, where its place is not known.
func (m *machine) unplaced(e program.Expr, s *value.Scope) {
	if m.host {
		return
	}
	m.loseBase(e, s)
}

// sameAddress are methods that give an address in another form.
var sameAddress = value.Words("align as_ptr get get_ptr ir_value llvm_ptr ptr raw_ptr to to_llvm_ptr tospace value")

// memoryAccess is what a method of an array or an address does to memory, through a swizzle that it is given.
type memoryAccess struct{ write, swizzled bool }

var memoryAccesses = map[string]memoryAccess{"load": {}, "store": {write: true}, "load_swizzled": {swizzled: true}, "store_swizzled": {write: true, swizzled: true}}

// pointerMethod is a method of an array or an address (cutlass.Array, cutlass.Pointer).
func (m *machine) pointerMethod(p value.Pointer, name string, a *value.Arguments, n program.Node) value.Value {
	access, accesses := memoryAccesses[name]
	switch {
	case sameAddress[name]:
		return p
	case name == "toint":
		return p.OfType(value.Path("cutlass.Uint8"))
	case name == "data_ptr": // of an array of several modes, too, the address of its elements
		p = p.Element(a.Get(0, "idx"))
		p.Dims = nil
		return p
	case name == "subview":
		return p.Element(a.Get(0, "idx"))
	case name == "apply_swizzle":
		return memory.Swizzle(p, value.FirstOf(a.Get(0, "swizzle"), value.Data{}))
	case name == "print_runtime": // as many elements as it is told
		if !m.host {
			m.busy(n)
			m.accessWide(p, protocol.Access{}, 1, false, n)
		}
		return value.None{}
	case !accesses:
		m.handOver(m.table().MethodEffect(name), name, append(a.All(), p), n)
		return value.Data{}
	case m.host:
		return value.Data{}
	}
	m.busy(n)
	if !access.write {
		at, width, sure := m.spot(p, access, 0, a)
		if sure && width == 1 && !m.orders(a) {
			if v := m.read(at, n); v != (value.Data{}) {
				return v
			}
			return value.NewRegister(p.Elem, false)
		}
		m.accessWide(at, protocol.Access{Stored: m.stronger(a, 0)}, width, sure, n)
		return value.NewRegister(p.Elem, true)
	}
	v := value.FirstOf(a.Get(0, "value"), value.Data{})
	at, width, sure := m.spot(p, access, 1, a)
	if sure = sure || width == 1 && value.Scalar(v); sure && width == 1 && !m.orders(a) {
		m.store(at, v, n)
		return value.None{}
	}
	if !p.Block.Shared {
		m.changes(p.Block.Name)
	}
	m.accessWide(at, protocol.Access{Write: true, Stored: m.stronger(a, m.valueStored(v))}, width, sure, n)
	m.post(at, value.Data{}, n)
	return value.None{}
}

// spot is where a load or store of an array or an address is, of how many elements, and whether of no more: a vector may be
// stored without a word of how long it is. The first positional argument behind the value is an index of an array, an alignment
// of an address, and that alone where it is a constant.
func (m *machine) spot(p value.Pointer, by memoryAccess, first int, a *value.Arguments) (at value.Pointer, width int64, sure bool) {
	if by.swizzled {
		n, known := m.settle(value.Whole(value.FirstOf(a.Get(-1, "count"), value.None{}))).(value.Int)
		if v := value.FirstOf(a.Get(0, "value"), value.Data{}); !known && (!by.write || value.Scalar(v)) {
			n, known = 1, true
		}
		if !known {
			return p.Somewhere(), 1, true
		}
		return memory.Swizzle(p, value.FirstOf(a.Get(first, "swizzle"), value.Data{})), max(1, int64(n)), true
	}
	at = p.Element(a.Get(first, "idx"))
	if i, constant := a.Arg(first).(value.Int); constant && i != 0 && len(a.Vals) == first+1 && first == 0 && p.Dims == nil {
		at = p.Somewhere()
	}
	size := value.FirstOf(a.Get(first+1, "vector_size"), a.Get(-1, "count"), value.None{})
	n, known := m.settle(value.Whole(size)).(value.Int)
	if size == (value.None{}) {
		n, known = 1, first == 0
	}
	return at, max(1, int64(n)), known
}

// accessWide is an access of neighbouring elements, which may go on behind them where it is not known how many they are.
func (m *machine) accessWide(at value.Pointer, access protocol.Access, width int64, sure bool, n program.Node) {
	if m.accessing(at, access, width, n); !sure {
		m.accessing(at.Somewhere(), access, 1, n)
	}
}

// orders reports whether a load or store is a strong one, and stronger gives what it stores as such.
func (m *machine) orders(a *value.Arguments) bool {
	volatile := a.Get(-1, "is_volatile")
	return a.Get(-1, "ordering") != nil || volatile != nil && volatile != value.Int(0)
}

func (m *machine) stronger(a *value.Arguments, stored int) int {
	if m.orders(a) {
		return m.in.storedAs(atomically)
	}
	return stored
}

// ofElement reports whether a method of a parameter is one of an array's element: tensors have these methods without an index.
func ofElement(x value.Symbol, name string, a *value.Arguments) bool {
	first := 0
	if name == "store" {
		first = 1
	}
	return name != "fill" && (x.Expr.Op != "" || strings.HasSuffix(x.Expr.Atom, ".iterator") || a.Get(first, "idx") != nil)
}

// addressOf is a method of a parameter that gives the address of its first element, or of another.
func (m *machine) addressOf(f value.Symbol, e *program.Call, s *value.Scope) (value.Value, bool) {
	at, method := e.Fun.(*program.Attr)
	if !method || m.host || at.Name != "data_ptr" && !sameAddress[at.Name] {
		return nil, false
	}
	name, ok := strings.CutSuffix(f.Expr.Atom, "."+at.Name)
	if !ok || !m.in.params[root(name)] {
		return nil, false
	}
	a := m.arguments(e, s)
	address := value.Value(value.Atom(strings.TrimSuffix(name, ".iterator") + ".iterator"))
	switch i := a.Get(0, "idx").(type) {
	case nil:
	case *value.Sequence:
		return value.Data{}, true
	default:
		if at.Name == "data_ptr" {
			address = value.Binary("+", address, value.Whole(i))
		}
	}
	return address, true
}
