package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Objects of C++ are values: what is initialised with one has its members as of then (C++17 [class.copy.ctor]), and an
// assignment changes the members of what stands on the left (C++17 [class.copy.assign]), which pointers and references go on
// to name. Those of Python are named, never copied.

// copied is a value of its own where C++ copies: an object of a class, with the arrays and objects among its members.
func (m *machine) copied(v value) value {
	switch v := v.(type) {
	case *sequence:
		out := &sequence{elems: make([]value, len(v.elems))}
		for i, e := range v.elems {
			out.elems[i] = m.copied(e)
		}
		if as, array := m.in.arrays[v]; array {
			m.in.arrays[out] = as
		}
		return out
	case *object:
		if laid(v) {
			return v
		}
		out := cloneObject(v)
		for name, f := range out.fields {
			if m.holds(v.class, name, f) {
				out.fields[name] = m.copied(f)
			}
		}
		return out
	}
	return v
}

// laid reports whether an object of C++ is memory that is read as a class: its members are places there.
func laid(o *object) bool { return o.class != nil && o.as == nil }

// holds reports whether a member is part of its object: an array or an object, not a reference or what is left of an array
// that a pointer points to.
func (m *machine) holds(c *class, name string, v value) bool {
	f := m.memberOfClass(c, name)
	if f == nil {
		return true
	}
	if _, elements := v.(*sequence); elements && len(f.Dims) == 0 {
		return !addressType(f.Type)
	}
	return !reference(f.Type)
}

// memberOfClass is the declaration of a member of a C++ class, or of one that it derives from.
func (m *machine) memberOfClass(c *class, name string) *program.Assign {
	if c == nil {
		return nil
	}
	for _, d := range m.lineage(c) {
		for _, f := range d.Fields {
			for _, t := range f.Targets {
				if id, ok := t.(*program.Name); ok && id.Ident == name {
					return f
				}
			}
		}
	}
	return nil
}

// lineage is a C++ class, then those that it derives from.
func (m *machine) lineage(c *class) []*program.Class {
	out := []*program.Class{c.decl}
	classes := m.mod.classes
	if c.mod != nil {
		classes = c.mod.classes
	}
	for i := 0; i < len(out) && i < maxDepth; i++ {
		for _, b := range out[i].Bases {
			if id, ok := b.(*program.Name); ok {
				if up := classes[id.Ident]; up != nil && !slices.Contains(out, up) {
					out = append(out, up)
				}
			}
		}
	}
	return out
}

// addressType reports whether a type, as it is spelled, is that of a pointer or a reference.
func addressType(typ string) bool {
	words := strings.Fields(strings.ReplaceAll(typ, "*", " * "))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "const" || w == "volatile" || w == "__restrict__" })
	return reference(typ) || len(words) > 0 && (words[len(words)-1] == "*" || strings.HasSuffix(words[len(words)-1], "]"))
}

// initialises is what a variable, parameter or member of a type begins as that is initialised with v, the value of from.
func (m *machine) initialises(typ string, v value, from program.Expr, s *scope) value {

	return v

}

// sliced is the part of an object that is one of a class that its own derives from.
func (m *machine) sliced(o *object, c *class) *object {
	out := &object{class: c, fields: map[string]value{}, as: o.as}
	for name, f := range o.fields {
		if m.memberOfClass(c, name) != nil {
			out.fields[name] = f
		}
	}
	return out
}

// copyOf is a copy of an object, made by the constructor that its class has for that. Where the expression may be one
// whose value needs no copy, it is left open whether that runs (C++17 [class.copy.elision]).
func (m *machine) copyOf(o *object, from program.Expr, s *scope) value {
	init := m.copiers(o.class)
	if len(init) == 0 {
		return m.copied(o)
	}
	if m.prvalue(from, s) {
		return o
	}
	if len(init) > 1 {
		m.stop(from, "which constructor of %s copies is not known", clip(o.class.decl.Name))
	}
	out := m.members(o.class)
	m.invoke(&closure{fn: init[0], env: o.class.scope(m), mod: o.class.mod, self: out}, &arguments{vals: []value{nil}, refs: []location{&cell{v: o}}}, from)
	if _, call := from.(*program.Call); call && content(out) != content(o) {
		m.stop(from, "a copy of %s that C++ may leave out", clip(o.class.decl.Name))
	}
	return out
}

// copiers are the constructors of a class that copy or move an object of it.
func (m *machine) copiers(c *class) []*program.Function {
	return slices.DeleteFunc(slices.Clone(c.decl.Methods), func(f *program.Function) bool {
		if f.Name != c.decl.Name || f.Outer != nil || len(f.Params) == 0 || !takesCount(f, 1) {
			return true
		}
		of, _, _ := strings.Cut(plainType(strings.TrimRight(f.Params[0].Type, " &")), "<")
		return strings.TrimSpace(of) != c.decl.Name
	})
}

// prvalue reports whether an expression makes the object that it gives: a call of a class, or a list in braces.
func (m *machine) prvalue(e program.Expr, s *scope) bool {
	switch e := e.(type) {
	case *program.List:
		return true
	case *program.Call:
		_, made := m.callee(e.Fun, s).(*class)
		return made
	}
	return false
}

// overwrites assigns to a place that holds an object of C++; false where it holds none.
func (m *machine) overwrites(l location, v value, n program.Node) bool {

	return false

}

// replaceMembers gives an object the members of another, each in its place.
func (m *machine) replaceMembers(o, x *object) {
	if o == x {
		return
	}
	for name, f := range m.copied(x).(*object).fields {
		if _, has := o.fields[name]; !has && m.memberOfClass(o.class, name) == nil { // of a class derived from it
			continue
		}
		switch old := o.fields[name].(type) {
		case *object:
			if of, ok := f.(*object); ok && m.holds(o.class, name, old) && !laid(old) && !laid(of) {
				m.replaceMembers(old, of)
				continue
			}
		case *sequence:
			if of, ok := f.(*sequence); ok && m.holds(o.class, name, old) && len(of.elems) == len(old.elems) {
				m.replaceElements(old, of)
				continue
			}
		}
		o.fields[name] = f
	}
}

func (m *machine) replaceElements(a, b *sequence) {
	for i, e := range b.elems {
		old, ok := a.elems[i].(*object)
		if x, of := e.(*object); of && ok && !laid(old) && !laid(x) {
			m.replaceMembers(old, x)
			continue
		}
		a.elems[i] = e
	}
}

// storeMembers writes the members of an object to memory.
func (m *machine) storeMembers(to, o *object, n program.Node) {
	for _, name := range slices.Sorted(maps.Keys(to.fields)) {
		switch p := to.fields[name].(type) {
		case pointer:
			if p.member {
				p.member = false
				m.store(p, o.fields[name], n)
				continue
			}
			m.givesUp(n, p)
		case *object:
			if x, ok := o.fields[name].(*object); ok {
				m.storeMembers(p, x, n)
				continue
			}
			m.givesUp(n, p)
		}
	}
}

// begins is what a declared variable begins as; each element of an array is initialised by itself.
func (m *machine) begins(st *program.Assign, v value, from program.Expr, s *scope) value {
	seq, ok := v.(*sequence)
	list, braced := from.(*program.List)
	if len(st.Dims) == 0 || !ok || !braced {
		return m.initialises(st.Type, v, from, s)
	}
	for i, x := range seq.elems {
		if i < len(list.Elems) {
			seq.elems[i] = m.begins(st, x, list.Elems[i], s)
		}
	}
	return seq
}
