package cuda

import (
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// scope is what names mean at a place.
type scope struct {
	outer    *scope
	names    map[string]*variable
	kinds    map[string]*ctype // type parameters and aliases
	aliases  map[string]*alias // those that are not worked out yet, and templates
	fn       *activation
	class    *program.Class // whose members the names are
	instance *ctype
	space    string // the namespace that an alias stands in
	bases    []*ctype
	packs    map[string][]argument // template parameters that stand for several
	ends     []*variable           // objects whose destructors are called where it ends, in the order of their declarations
	later    func(name string)     // puts in what a name means when it is asked for the first time
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
	if s.later != nil {
		s.later(name)
	}
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

// alias is a name that using or typedef gives a type.
type alias struct {
	params []program.Param
	value  program.Expr
	space  string // the namespace it stands in
	open   bool   // it is being worked out
	t      *ctype
}

// types is the type that one name means in a scope or around it, with the template arguments that it is given; nil where it is none.
func (c *compiler) types(s *scope, name segment) *ctype {
	for ; s != nil; s = s.outer {
		if t := c.kind(s, name); t != nil {
			return t
		}
		for _, b := range s.bases {
			if b.env != nil {
				if t := c.kind(b.env, name); t != nil {
					return t
				}
			}
		}
	}
	return nil
}

// kind is the type that a name means in one scope.
func (c *compiler) kind(s *scope, name segment) *ctype {
	if s.later != nil {
		s.later(name.name)
	}
	if t := s.kinds[name.name]; t != nil && !name.given {
		return t
	}
	if a := s.aliases[name.name]; a != nil {
		return c.aliased(a, name, s)
	}
	return nil
}

// aliased is the type that an alias stands for, worked out when it is asked for the first time (C++17 [dcl.typedef], [temp.alias]).
func (c *compiler) aliased(a *alias, name segment, around *scope) *ctype {
	if a.open || name.given != (a.params != nil) {
		return nil
	}
	if a.t != nil {
		return a.t
	}
	var args []argument
	if name.given {
		args = c.argumentsOf(name)
	}
	if c.depth++; c.depth > maxInline {
		c.refuse(limit.Size, "types within each other more than %d deep", maxInline)
	}
	before := c.scope
	a.open = true
	defer func() { c.scope, a.open = before, false; c.depth-- }()
	c.scope = newScope(around)
	c.scope.fn, c.scope.space = before.fn, a.space
	for k, p := range a.params {
		switch {
		case p.Star > 0:
			c.scope.packs = map[string][]argument{p.Name: args[min(k, len(args)):]}
		case k < len(args):
			c.bound(program.Param{Name: p.Name, Type: p.Type}, args[k])
		case p.Default != nil:
			c.bound(program.Param{Name: p.Name, Type: p.Type}, c.argumentOf(p.Default))
		default:
			c.bound(program.Param{Name: p.Name, Type: p.Type}, argument{text: p.Name})
		}
	}
	t := c.typeOfExpr(a.value)
	if t == nil {
		t = c.unresolved(a.value)
	}
	if a.params == nil {
		a.t = t
	}
	return t
}

// unresolved is a type of which no more is known than how it is written.
func (c *compiler) unresolved(x program.Expr) *ctype {
	t := opaqueType("")
	if id, is := x.(*program.Name); is {
		t.name, t.written = id.Ident, id.Ident
		path := slices.Clone(c.spelled(id.Ident).path)
		if len(path) > 0 && len(id.Template) > 0 {
			path[len(path)-1].exprs = id.Template
		}
		t.untold = c.untold(path)
	}
	return t
}

// aliasOf is the alias of a namespace that a name means, nil where there is none, and how near it is: the one in the namespaces around what is
// translated that is nearest, else the last.
func (c *compiler) aliasOf(s segment, scopes []segment) (found *alias, near int) {
	near = -1
	here := c.around()
	for _, a := range c.aliases[s.name] {
		full := s.name
		if a.space != "" {
			full = a.space + "::" + s.name
		}
		if len(scopes) > 0 && !ends(full, append(slices.Clone(scopes), segment{name: s.name})) || s.given != (a.params != nil) {
			continue
		}
		if rank := nearness(full, len(scopes)+1, here); rank >= near {
			found, near = a, rank
		}
	}
	return found, near
}

// takenOver declares the classes that using-declarations of a file take over into a namespace (C++17 [namespace.udecl]): from one that is named from there.
func (c *compiler) takenOver(f *program.File) {
	for _, t := range f.Taken {
		name := strings.TrimPrefix(t[1], "::")
		for space := t[0]; ; space, _ = program.SplitName(space) {
			full := name
			if space != "" {
				full = space + "::" + name
			}
			if k := c.byName[full].first(); k != nil && len(k.Template) == 0 {
				last := lastName(name)
				c.aliases[last] = append(c.aliases[last], &alias{value: &program.Name{Ident: full}, space: t[0]})
				break
			}
			if space == "" {
				break
			}
		}
	}
}

// around is the namespace, or the class, that what is translated stands in.
func (c *compiler) around() string {
	for s := c.scope; s != nil; s = s.outer {
		switch {
		case s.space != "":
			return s.space
		case s.class != nil:
			return s.class.Qualified
		}
	}
	return c.namespace()
}

// nearness is how near a qualified name is, of which so many parts are written: 0 where it is not in what is around, else more the further inside.
func nearness(full string, written int, here string) int {
	parts := strings.Split(full, "::")
	space := strings.Join(parts[:max(len(parts)-written, 0)], "::")
	if space == "" || here == space || strings.HasPrefix(here, space+"::") {
		return 1 + len(space)
	}
	return 0
}

// fileScoped is the scope of all files.
func (c *compiler) fileScoped() *scope {
	file := c.scope
	for file.outer != nil {
		file = file.outer
	}
	return file
}

// local reports whether a name is one of the function that is translated, or of those around it: not of a file.
func (s *scope) local(name string) bool {
	for ; s.outer != nil; s = s.outer {
		if s.own(name) != nil {
			return true
		}
	}
	return false
}

// variable is a name's object: in registers, in memory, or another's.
type variable struct {
	t        *ctype
	reg      int32                // a scalar's register, or predicate where it is boolean; -1: none
	parts    map[string]*variable // of a class, by member
	items    map[int64]*variable  // of an array of a thread's own, by index
	lost     bool                 // of an array: some element was set, not known which
	memory   *memory
	global   *ir.Variable // a variable of a namespace, or a static one of a function, whose address was not asked for yet
	alias    *place       // of a reference: what it is
	points   *place       // of a pointer to an object of the thread's own: that
	number   *int64       // a constant
	pack     []*variable  // of a parameter that stands for several: those
	several  bool         // it is one
	macro    program.Expr // of an object-like macro, or of a static constant: its text, which is evaluated where it is used
	env      *scope       // of a static constant: what names mean in its class
	worth    *ints.Number // of a static constant that was asked for: what its text is
	escaped  bool         // its address is kept: it may be set by whoever has that
	function string       // of a parameter that is a function: its name
	fixed    bool         // it is declared const
	given    program.Expr // and how that is written, with its template arguments
	input    string       // what is the same for all threads, and not said: its name
	origin   origin       // of an object of the thread's own: where it is declared
	generic  bool         // of a pointer: it is a generic address, wherever it leads
	row      int64        // of a pointer that is never set again: the bytes of the array whose first element it leads to
}

// constant reports whether it is a static constant of a class, and a number.
func (v *variable) constant() bool { return v.macro != nil && v.env != nil && v.t.integer() }

// memory is an address in a state space.
type memory struct {
	space  ir.Space
	base   ir.Operand
	offset int64
	lost   bool   // where it is, is not known
	stored string // the name of storage of which no more is known, see (*alone).member
	path   string // what it is of an object that has room for that
	home   string // which member of which class it is, of one of which a member's class is not read
	within bool   // that is a number, and the object begins at an offset from the base:
	whole  int64
	led    bool // an array whose size the launch says, and into which pointers lead
	cells  bool // an element of which nothing is known but what the text calls its type, see memberInCell
}

// place is what an lvalue names: an object, or memory of a type.
type place struct {
	t      *ctype
	object *variable
	memory *memory
	array  *variable  // an element of it that is not known
	index  ir.Operand // of that: the register that says which one, if one does; none is the first
	input  string     // of an object of which nothing is known but its name
	whole  *place     // the object that this is a base of
}

// is reports whether two places are for sure one.
func (p *place) is(q *place) bool {
	if p == nil || q == nil || p.t != q.t || p.array != nil || q.array != nil || p.object != q.object || p.input != q.input || (p.memory == nil) != (q.memory == nil) {
		return false
	}
	return p.memory == nil && p.object != nil || p.memory != nil && !p.memory.lost && *p.memory == *q.memory
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
	row      int64         // of a pointer: the bytes of the array whose first element it leads to
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
	labels    map[string]*label
	undecided bool // it is compiled in one of several ways, and which is not known
	caller    *activation
	from      source.Span       // of the call in the kernel that leads to it, as in ir.Place
	renames   map[string]string // of a macro: parameters that it declares, by what they are given
	block     []program.Stmt    // of a macro: what stands in braces behind it
}

// label is a place in the code that is branched to.
type label struct {
	at   int32
	uses []int32
}
