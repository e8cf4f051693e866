package cuda

import (
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// scope is what names mean at a place.
type scope struct {
	outer *scope
	names map[string]*variable
	kinds map[string]*ctype // type parameters and aliases
	fn    *activation
}

func newScope(outer *scope) *scope {
	s := &scope{outer: outer, names: map[string]*variable{}, kinds: map[string]*ctype{}}
	if outer != nil {
		s.fn = outer.fn
	}
	return s
}

func (s *scope) find(name string) *variable {
	for ; s != nil; s = s.outer {
		if v := s.names[name]; v != nil {
			return v
		}
	}
	return nil
}

func (s *scope) types(name string) *ctype {
	for ; s != nil; s = s.outer {
		if t := s.kinds[name]; t != nil {
			return t
		}
	}
	return nil
}

// variable is a name's object: in registers, in memory, or another's.
type variable struct {
	t      *ctype
	reg    int32                // a scalar's register, or predicate where it is boolean; -1: none
	parts  map[string]*variable // of a class, by member
	items  map[int64]*variable  // of an array of a thread's own, by index
	lost   bool                 // of an array: some element was set, not known which
	memory *memory
	alias  *place       // of a reference: what it is
	points *place       // of a pointer to an object of the thread's own: that
	number *int64       // a constant
	macro  program.Expr // of an object-like macro: its text, which is evaluated where it is used
}

// memory is an address in a state space.
type memory struct {
	space  ir.Space
	base   ir.Operand
	offset int64
	strong bool // volatile
}

// place is what an lvalue names: an object, or memory of a type.
type place struct {
	t      *ctype
	object *variable
	memory *memory
	array  *variable // an element of it that is not known
}

// value is what an expression is.
type value struct {
	t       *ctype
	op      ir.Operand // a predicate where the type is boolean
	parts   map[string]value
	at      *place // it is read from, and may be assigned to
	address *place // a pointer to an object of the thread's own
}

// activation is a call of a function whose body is translated in place.
type activation struct {
	fn       *program.Function
	result   *variable
	end      *label
	breaks   []*label
	nexts    []*label
	returns  bool
	instance string // of a template: its arguments
}

// label is a place in the code that is branched to.
type label struct {
	at   int32
	uses []int32
}
