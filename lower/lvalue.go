package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
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

// memberRead is a member read of what x is: a number of the launch, as long as the kernel does not write what a parameter points to.
func (m *machine) memberRead(e *program.Attr, x value, s *scope) value {
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

// denoted is what a value stands for whose member is named: the variable that it is the address of, or the first element of
// the array (C++17 [expr.ref], [conv.array]).
func denoted(x value) value {
	switch v := x.(type) {
	case location:
		return v.get()
	case *sequence:
	}
	return x
}

// unplaced gives up what an expression may denote that is written, or may be, where its place is not known.
func (m *machine) unplaced(e program.Expr, s *scope) {
	if m.host {
		return
	}

	m.loseBase(e, s)

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
