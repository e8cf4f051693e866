package cuda

import (
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// scope is what names mean at a place.
type scope struct {
	outer    *scope
	names    map[string]*variable
	kinds    map[string]*ctype // type parameters and aliases
	fn       *activation
	class    *program.Class // whose members the names are
	instance *ctype
	bases    []*ctype
	ends     []*variable // objects whose destructors are called where it ends, in the order of their declarations
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
		if v := s.own(name); v != nil {
			return v
		}
	}
	return nil
}

// own is a name of a scope itself, or of one of the bases of a class.
func (s *scope) own(name string) *variable {
	if v := s.names[name]; v != nil {
		return v
	}
	for _, b := range s.bases {
		if b.env != nil {
			if v := b.env.own(name); v != nil {
				return v
			}
		}
	}
	return nil
}

func (s *scope) types(name string) *ctype {
	for ; s != nil; s = s.outer {
		if t := s.kinds[name]; t != nil {
			return t
		}
		for _, b := range s.bases {
			if b.env != nil && b.env.kinds[name] != nil {
				return b.env.kinds[name]
			}
		}
	}
	return nil
}

// variable is a name's object: in registers, in memory, or another's.
type variable struct {
	t        *ctype
	reg      int32                // a scalar's register, or predicate where it is boolean; -1: none
	parts    map[string]*variable // of a class, by member
	items    map[int64]*variable  // of an array of a thread's own, by index
	lost     bool                 // of an array: some element was set, not known which
	memory   *memory
	alias    *place       // of a reference: what it is
	points   *place       // of a pointer to an object of the thread's own: that
	number   *int64       // a constant
	macro    program.Expr // of an object-like macro, or of a static constant: its text, which is evaluated where it is used
	env      *scope       // of a static constant: what names mean in its class
	escaped  bool         // its address is kept: it may be set by whoever has that
	function string       // of a parameter that is a function: its name
	given    program.Expr // and how that is written, with its template arguments
	input    string       // what is the same for all threads, and not said: its name
}

// memory is an address in a state space.
type memory struct {
	space  ir.Space
	base   ir.Operand
	offset int64
	lost   bool // where it is, is not known
}

// place is what an lvalue names: an object, or memory of a type.
type place struct {
	t      *ctype
	object *variable
	memory *memory
	array  *variable // an element of it that is not known
	input  string    // of an object of which nothing is known but its name
}

// value is what an expression is.
type value struct {
	t        *ctype
	op       ir.Operand // a predicate where the type is boolean
	parts    map[string]value
	at       *place // it is read from, and may be assigned to
	unread   bool   // what stands at its place was not read
	address  *place // a pointer to an object of the thread's own
	input    string
	closure  *closure
	function *program.Name // a function, by its name
}

// activation is a call of a function whose body is translated in place.
type activation struct {
	fn        *program.Function
	result    *variable
	end       *label
	breaks    []*label
	nexts     []*label
	loops     []*scope // those around the bodies of loops
	outermost *scope   // that of the parameters
	returns   bool
	reference bool   // it returns one
	instance  string // of a template: its arguments
}

// label is a place in the code that is branched to.
type label struct {
	at   int32
	uses []int32
}
