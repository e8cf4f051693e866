package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Expressions of C++ that denote a place in memory (C++ [basic.lval]) in other ways than x[i] and *x: members of what lies
// there, and those whose place is not known, where what they may denote is given up.

// subscript gives an element's expression with the array on the left, and what that is worth: i[x] is x[i] (C++ [expr.sub]).
func (m *machine) subscript(e *program.Index, s *scope) (*program.Index, value) {
	x := m.eval(e.X, s)
	switch x.(type) {
	case integer, lanes, mixed, symbol:
	default:
		return e, x
	}

	return e, x

}

// pointee is a member of what a parameter of the kernel points to: memory of its own.
func (m *machine) pointee(e *program.Attr, x value) (pointer, bool) {
	sym, ok := x.(symbol)

	return pointer{}, false

}

// memberRead is a member read of what x is: a number of the launch, as long as the kernel does not write what a parameter points to.
func (m *machine) memberRead(e *program.Attr, x value, s *scope) value {
	if p, ok := m.pointee(e, x); ok {
		if m.polling || m.in.low.written[p.block.name] || m.in.written[p.block.name] {
			return m.read(p, e)
		}
		m.in.low.inputs[p.block.name] = true
	} else if _, unknown := x.(data); unknown && e.Arrow {
		m.strays(e, x, false)
	}
	return m.member(x, mangled(e.Name, s), e)
}

// loseOverlaps gives up what pointers reach of which members are reached by themselves, where either is written.
func (in *instance) loseOverlaps() {
	written := func(root string) bool {
		return slices.ContainsFunc(in.territory[root], func(r reachOf) bool { return r.write })
	}
	for _, part := range slices.Sorted(maps.Keys(in.territory)) {
		for i := range part {
			of := part[:i]
			if part[i] != '.' && part[i] != '-' || in.territory[of] == nil || !written(of) && !written(part) {
				continue
			}
			for _, root := range []string{of, part} {
				in.untracked(root, of+" is reached as a whole and by its members")
				in.territory.add(root, reachOf{write: true, why: of + " is reached as a whole and by its members", site: in.territory[root][0].site, aside: true})
			}
		}
	}
}

// whole is what a member belongs to: the place in memory of what holds it, or else its value. What a parameter of the kernel
// points to is memory where it is written; what is read of it may be a number of the launch.
func (m *machine) whole(e *program.Attr, write bool, s *scope) (p pointer, x value, ok bool) {

	return pointer{}, m.eval(e.X, s), false

}

// denoted is what a value stands for whose member is named: the variable that it is the address of, or the first element of
// the array (C++17 [expr.ref], [conv.array]).
func denoted(x value, arrow bool) value {
	switch v := x.(type) {
	case location:
		return v.get()
	case *sequence:
		if arrow && len(v.elems) > 0 {
			return v.elems[0]
		}
	}
	return x
}

// partOf is where a member lies of what lies at p, and what is known of an access to it: the place of one of a vector of CUDA,
// of any other that it is some of what lies there.
func partOf(p pointer, name string) (pointer, protocol.Access) {
	if p.member { // the member itself
		p.member = false
		return p, protocol.Access{}
	}
	i := strings.Index("xyzw", name)
	if n := p.vector; n > 0 && len(name) == 1 && i >= 0 && int64(i) < n && p.each > 0 && p.each%n == 0 {
		p.each, p.vector = p.each/n, 0
		p.offset = binary("+", p.offset, integer(int64(i)*p.each))
		return p, protocol.Access{}
	}
	return p, protocol.Access{Parts: protocol.Somewhere}
}

// storePart is a write of a member of what lies at p.
func (m *machine) storePart(p pointer, v value, n *program.Attr) {
	if !p.block.shared {
		m.changes(p.block.name)
	}
	m.in.vague[p.block.name] = true
	p, a := partOf(p, n.Name)
	a.Write, a.Stored = true, m.valueStored(v)
	m.accessing(p, a, 1, n)
}

// unplaced gives up what an expression may denote that is written, or may be, where its place is not known.
func (m *machine) unplaced(e program.Expr, s *scope) {
	if m.host {
		return
	}

	m.loseBase(e, s)
	return

}

// ownsPointer reports whether a place is a variable that holds a pointer.
func ownsPointer(l location) bool {
	c, ok := l.(*cell)
	if !ok || !c.own {
		return false
	}
	_, ok = c.v.(pointer)
	return ok
}

// givesUp gives up the memory of a value that is used in a way that is not known.
func (m *machine) givesUp(n program.Node, v value) reach {
	if m.host {
		return reachesNothing
	}
	f, at := m.place(n.Where())
	why := fmt.Sprintf("%s:%d uses it in a way that is not understood", f.Source.Name, f.Source.Position(at.Start).Line)
	got := m.surrender([]value{v}, why, 0)
	if got == reachesGuard {
		m.noteOpaque(n.Where(), "a barrier used in a way that is not understood", true)
	}
	return got
}

// binds binds a reference to an element or member, which is not read there (C++ [dcl.init.ref]).
func (m *machine) binds(st *program.Assign, s *scope) bool {

	return false

}

// mayRefer gives up what an object of a class that is not read may refer to: its initialisers may be bound to references.
func (m *machine) mayRefer(st *program.Assign, s *scope) {
	list, ok := st.Value.(*program.List)
	if as := m.declares(st.Type, s); !ok || as == nil || *as != (declared{}) || sizes[plainType(st.Type)] > 0 {
		return
	}
	for _, x := range list.Elems {
		m.bindsUnknown("", x, data{}, s)
	}
}

// bindsUnknown gives up what a reference is bound to that is neither a place nor a value that is known: it may be written
// through it.
func (m *machine) bindsUnknown(typ string, e program.Expr, v value, s *scope) {
	if !isData(untyped(v)) || constReference(typ) {
		return
	}
	switch e.(type) {
	case *program.Index, *program.Attr, *program.Unary:
		m.unplaced(e, s)
	}
}
