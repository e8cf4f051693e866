package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// References of C++ (C++ [dcl.ref]) are bound to places: variables, or elements of memory, where each use is an access.

// memoryPlace is a variable that is memory: a __shared__ one without extents or a reference to an element: reading and
// writing it are memory accesses.
type memoryPlace struct {
	m *machine
	p pointer
}

func (v memoryPlace) get() value {
	if v.p.block.mbarrier {
		return v.p
	}
	return v.m.read(v.p, v.m.at)
}

func (v memoryPlace) set(x value) { v.m.store(v.p, x, v.m.at) }

// refers gives the place that a reference in C++ is bound to, if the expression denotes one.
func (m *machine) refers(e program.Expr, s *scope) (location, bool) {
	if l := m.locate(e, s); l != (nowhere{}) {
		return l, true
	}
	p, ok := m.address(e, s)
	if !ok {

		return nil, false
	}
	switch e := e.(type) {
	case *program.Index:
		ok = len(p.dims) == 0
	case *program.Unary:
		if ok = e.Op == "*"; ok {
			p = p.at(integer(0))
			ok = len(p.dims) == 0
		}
	default:
		ok = false
	}
	if ok && p.block != nil && !p.block.mbarrier {
		return memoryPlace{m, p}, true
	}
	return &cell{v: p}, true
}

// put stores to a place, for the target of an assignment: what is memory is accessed there.
func (m *machine) put(l location, v value, target program.Node) {
	if m.at = target; m.overwrites(l, v, target) {
		return
	}
	l.set(m.initialises("auto", v, nil, nil))
}

// given is the place that a call gives whose function returns a reference, or whose macro is expanded to a place, S(i) = x; nowhere for
// any other.
func (m *machine) given(fun value, e program.Expr, args []program.Expr, s *scope) location {

	f, ok := fun.(*closure)

	return nowhere{}

}

// refers reports whether the function returns a reference, or is a macro.
func (f *closure) refers() bool {
	if f.lambda != nil {
		return reference(f.lambda.Result)
	}
	return f.fn != nil && (f.fn.Macro || reference(f.fn.Result))
}

// overloaded is an operator of an object of C++; nil where it has none.
func (m *machine) overloaded(o *object, operator string) value {

	return nil

}

// bindMembers gives up what members of a class are bound to that are references: they are not followed.
func (m *machine) bindMembers(c *program.Class, args []program.Expr, s *scope) {

	return

}

// reference reports whether a type, as it is spelled, is that of a reference.
func reference(typ string) bool { return strings.HasSuffix(strings.TrimSpace(typ), "&") }

// constReference reports whether nothing is written through a reference: it is to a T const or a T* const, not to a const T*
// (C++17 [dcl.type.cv]).
func constReference(typ string) bool {
	of := strings.TrimRight(typ, " &")
	return slices.Contains(strings.Fields(of[strings.LastIndex(of, "*")+1:]), "const")
}
