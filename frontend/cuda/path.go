package cuda

import (
	"maps"
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
)

// cell is what an object of the host is; it never changes. nil is one of which nothing is known.
type cell struct {
	number *ints.Number
	kernel *instance
	t      *ctype           // a type that a name stands for
	parts  map[string]*cell // by member, "[0]" for elements
	body   *program.Lambda
	file   *program.File     // that it stands in
	around *path             // whose names it sees, where another function is given it
	fn     *program.Function // of the host
	ref    string            // a pointer to a variable of the same function
	alias  program.Expr      // what a reference is another name of
	symbol string            // a name that nothing of the host defines
	of     *instance         // of one of a function: its template arguments
	class  *program.Class    // of an object
	kind   *ctype            // of an object in which nothing is but what its type says
	bound  bool              // an object with pointers to its own members
	array  bool
	size   int64  // bytes of an array; 0: not known
	same   string // of a number that is not known, once it is in a variable: cells in which this is equal hold the same one
	// factors are those of a product of such, and times is the product of the others.
	factors []string
	times   int64
	made    *formula // how such a number is made of others; nil: it is not
}

// instance is the kernel with the arguments of its template.
type instance struct {
	args  []*cell
	texts []string
}

// path is one way through a function.
type path struct {
	scopes []map[string]*cell
	took   map[string]bool // conditions that were decided on the way
	left   bool            // the function, or the round of a loop
	ended  bool            // the function
	result *cell
}

func (p *path) fork() *path {
	out := &path{took: maps.Clone(p.took), left: p.left, ended: p.ended, result: p.result}
	for _, s := range p.scopes {
		out.scopes = append(out.scopes, maps.Clone(s))
	}
	return out
}

func (p *path) find(name string) (*cell, bool) {
	for k := len(p.scopes) - 1; k >= 0; k-- {
		if v, known := p.scopes[k][name]; known {
			return v, true
		}
	}
	return nil, false
}

// set assigns to a name where it is declared.
func (p *path) set(name string, v *cell) {
	p.again(name)
	for k := len(p.scopes) - 1; k >= 0; k-- {
		if _, known := p.scopes[k][name]; known {
			p.scopes[k][name] = v
			return
		}
	}
}

func (p *path) declare(name string, v *cell) {
	p.again(name)
	p.scopes[len(p.scopes)-1][name] = v
}

// again forgets how conditions that name a variable were decided.
func (p *path) again(name string) {
	for text := range p.took {
		if words(text)[name] {
			delete(p.took, text)
		}
	}
}

// equal compares what is known; of two unknowns nothing says that they are one.
func (a *cell) equal(b *cell) bool { return a.matches(b, nil) }

// renaming says which number that is not known of one path is which of another one, and the other way round.
type renaming map[[2]string]string

// has reports whether two numbers may be the same, as far as it says, and notes that they are.
func (r renaming) has(a, b string) bool {
	if r == nil || a == "" || b == "" {
		return a == b
	}
	x, met := r[[2]string{"", a}]
	y, back := r[[2]string{b, ""}]
	if !met && !back {
		r[[2]string{"", a}], r[[2]string{b, ""}] = b, a
		return true
	}
	return x == b && y == a
}

// matches compares what is known, where numbers that are not known may have other names.
func (a *cell) matches(b *cell, names renaming) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.number == nil) != (b.number == nil) || a.number != nil && a.number.N != b.number.N {
		return false
	}
	if (a.made == nil) != (b.made == nil) || a.made != nil && !(a.made.op == b.made.op && a.made.x.matches(b.made.x, names) && a.made.y.matches(b.made.y, names)) {
		return false
	}
	return a.t == b.t && a.kind == b.kind && a.body == b.body && a.fn == b.fn && a.alias == b.alias && a.ref == b.ref && a.symbol == b.symbol && names.has(a.same, b.same) && a.array == b.array && a.size == b.size && maps.EqualFunc(a.parts, b.parts, func(p, q *cell) bool { return p.matches(q, names) }) &&
		a.kernel.equal(b.kernel) && a.of.equal(b.of)
}

func (i *instance) equal(o *instance) bool {
	return i == o || i != nil && o != nil && slices.Equal(i.texts, o.texts) && slices.EqualFunc(i.args, o.args, (*cell).equal)
}

// joined makes one path of several: what differs is not known.
func joined(paths []*path) *path {
	out := paths[0].fork()
	out.took = map[string]bool{}
	for _, p := range paths[1:] {
		for k := range out.scopes {
			for name, v := range out.scopes[k] {
				if k < len(p.scopes) && !v.equal(p.scopes[k][name]) {
					out.scopes[k][name] = nil
				}
			}
		}
	}
	return out
}

// few keeps how many paths there are within bounds.
func few(paths []*path) []*path {
	var going, left []*path
	for _, p := range paths {
		if p.left {
			left = append(left, p)
		} else if !slices.ContainsFunc(going, func(q *path) bool {
			names := renaming{}
			return maps.Equal(p.took, q.took) && slices.EqualFunc(p.scopes, q.scopes, func(a, b map[string]*cell) bool {
				return maps.EqualFunc(a, b, func(v, w *cell) bool { return v.matches(w, names) })
			})
		}) {
			going = append(going, p)
		}
	}
	if len(going) > maxPaths {
		going = []*path{joined(going)}
	}
	if len(left) > maxPaths {
		one := joined(left)
		one.left, one.ended = true, slices.ContainsFunc(left, func(p *path) bool { return p.ended })
		for _, p := range left {
			if !p.result.equal(one.result) {
				one.result = nil
			}
		}
		left = []*path{one}
	}
	return append(going, left...)
}

func number(n int64) *cell { return &cell{number: &ints.Number{Type: ints.Int32, N: n}} }

// with is a cell of which a part is another.
func (a *cell) with(keys []string, v *cell) *cell {
	if len(keys) == 0 {
		return v
	}
	if a == nil || a.parts == nil { // the rest is not known
		if v == nil {
			return nil
		}
		a = &cell{parts: map[string]*cell{}}
	}
	if a.bound { // what its pointers lead to was put in their place
		return nil
	}
	out := *a
	out.parts = maps.Clone(a.parts)
	out.parts[keys[0]] = a.parts[keys[0]].with(keys[1:], v)
	return &out
}

// within is a part of an object with what its pointers to other members of that lead to; what leads elsewhere from a constructor is not known outside of it.
func (a *cell) within(parts map[string]*cell, members []string, bound *bool, depth int) *cell {
	switch {
	case a == nil || depth > maxHostDepth:
		return nil
	case a.ref != "" && slices.Contains(members, a.ref):
		*bound = true
		return parts[a.ref].within(parts, members, bound, depth+1)
	case a.ref != "" || a.alias != nil:
		return nil
	case a.parts == nil:
		return a
	}
	out := *a
	out.parts = map[string]*cell{}
	for name, v := range a.parts {
		out.parts[name] = v.within(parts, members, bound, depth+1)
	}
	return &out
}

// handed reports whether a cell is a function all of whose template arguments are known.
func (a *cell) handed() bool { return a.of != nil && a.of.known() }

// extent is a shape; zero where it is not known.
func (a *cell) extent() (out [3]int) {
	if out = a.extents(); out[0]*out[1]*out[2] == 0 {
		return [3]int{}
	}
	return out
}

// extents are those of a shape; zero for an axis along which it is not known.
func (a *cell) extents() (out [3]int) {
	if a == nil || a.parts == nil {
		return out
	}
	for axis, name := range []string{"x", "y", "z"} {
		if v := a.parts[name]; v != nil && v.number != nil && v.number.N >= 1 && v.number.N < 1<<31 {
			out[axis] = int(v.number.N)
		}
	}
	return out
}

// known reports whether all arguments of the template are.
func (i *instance) known() bool {
	return !slices.ContainsFunc(i.args, func(v *cell) bool { return v == nil || v.number == nil && v.t == nil && !v.handed() })
}

// same reports whether two launches are of one instance: of arguments that are not known those that are spelled alike.
func (i *instance) same(o *instance) bool {
	if len(i.args) != len(o.args) {
		return false
	}
	for k, a := range i.args {
		b := o.args[k]
		if a != nil && a.same != "" {
			a = nil
		}
		if b != nil && b.same != "" {
			b = nil
		}
		if !a.equal(b) || (a == nil || a.symbol != "") && i.texts[k] != o.texts[k] {
			return false
		}
	}
	return true
}

// alike reports whether two instances are of the same arguments, of which types may have been read apart.
func (i *instance) alike(o *instance) bool {
	return slices.Equal(i.texts, o.texts) && slices.EqualFunc(i.args, o.args, func(a, b *cell) bool {
		if a == nil || b == nil || a.t == nil || b.t == nil {
			return a == b || a.equal(b)
		}
		return a.t.alike(b.t)
	})
}
