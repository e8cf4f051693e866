package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Operators and conversions that a program of C++ defines for its classes (C++17 [over.oper], [class.conv.fct]) run where an
// object is an operand. What an operator gives that no function defines is not known.

// ofClass reports whether a value is an object of a class of C++.
func (m *machine) ofClass(v value) bool {
	o, ok := v.(*object)
	return false
}

// applied runs the operator that is defined for these operands; not ok where none is.
func (m *machine) applied(op string, operands []value, n program.Node) (value, bool) {
	if !slices.ContainsFunc(operands, m.ofClass) {
		return nil, false
	}
	name := "operator" + op
	type candidate struct {
		fn   *program.Function
		of   *class
		args []value
	}
	var all []candidate
	if o, ok := operands[0].(*object); ok && m.ofClass(o) {
		for _, d := range m.lineage(o.class) {
			for _, f := range d.Methods {
				if f.Operator == op && f.Outer == nil {
					all = append(all, candidate{f, &class{decl: d, mod: o.class.mod, env: o.class.env}, operands[1:]})
				}
			}
			if len(all) > 0 { // it hides those of the bases (C++17 [class.member.lookup])
				break
			}
		}
	}
	for _, f := range m.mod.names[name] {
		if f.Class == nil && f.Outer == nil {
			all = append(all, candidate{f, nil, operands})
		}
	}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		return !takesCount(c.fn, len(c.args)) || !m.accepts(c.fn.Params, c.args)
	})
	if exact := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !m.takesTypes(c.fn, c.args, m.globals) }); len(exact) > 0 {
		all = exact
	}
	if len(all) == 0 {
		return nil, false
	}
	c := all[0]
	if slices.ContainsFunc(all, func(d candidate) bool { return d.fn != c.fn && !sameText(m.file, d.fn, c.fn) }) {
		m.stop(n, "which %s runs is not known", clip(name))
	}
	f := &closure{fn: c.fn, env: m.globals, mod: m.mod}
	if c.of != nil {
		f = &closure{fn: c.fn, env: c.of.scope(m), mod: c.of.mod, self: operands[0]}
	}
	a := &arguments{}
	for i, v := range c.args {
		if p := c.fn.Params[i]; p.Ref {
			a.vals, a.refs = append(a.vals, nil), append(a.refs, &cell{v: v})
		} else {
			a.vals, a.refs = append(a.vals, m.initialises(p.Type, v, nil, m.globals)), append(a.refs, nil)
		}
	}
	return m.invoke(f, a, n), true
}

// accepts reports whether parameters may be given these values: none an object of another class.
func (m *machine) accepts(params []program.Param, given []value) bool {
	for i, v := range given {
		c := m.mod.classes[plainType(strings.TrimRight(params[i].Type, " &"))]
		d := m.declares(params[i].Type, m.globals)
		switch o, ok := v.(*object); {
		case !ok || o.class == nil:
			if c != nil && !c.Enum {
				return false
			}
		case d != nil && (d.t.Known() || d.float), c != nil && !slices.Contains(m.lineage(o.class), c):
			return false
		}
	}
	return true
}

// combined is x op y for operands of which one is an object of C++; not ok for others.
func (m *machine) combined(op string, x, y value, n program.Node) (value, bool) {
	if !m.ofClass(x) && !m.ofClass(y) {
		return nil, false
	}
	if v, ok := m.applied(op, []value{x, y}, n); ok {
		return v, true
	}
	if op == "!=" { // that of == (C++20 [over.match.oper])
		if v, ok := m.applied("==", []value{x, y}, n); ok {
			return unary("!", v), true
		}
	}
	x, y = m.plain(x, n), m.plain(y, n)
	if isData(x) || isData(y) {
		return data{}, true
	}
	return m.operate(m.operator(op), x, y, n), true
}

// plain is a value as a number: an object as what its one conversion gives.
func (m *machine) plain(v value, n program.Node) value {
	o, ok := v.(*object)
	if !ok || !m.ofClass(v) || laid(o) {
		return v
	}
	var all []*program.Function
	for _, d := range m.lineage(o.class) {
		for _, f := range d.Methods {
			if f.Conversion != "" && f.Outer == nil {
				all = append(all, f)
			}
		}
	}
	if len(all) != 1 {
		return data{}
	}
	got := m.invoke(&closure{fn: all[0], env: o.class.scope(m), mod: o.class.mod, self: o}, &arguments{}, n)
	if to := m.declares(all[0].Conversion, o.class.scope(m)); isNumber(got) && to != nil {
		return to.of(got)
	}
	return data{}
}

// increments is ++x, x++, --x or x-- of an object of C++ (C++17 [over.inc]).
func (m *machine) increments(e *program.IncDec, o *object) value {
	operands := []value{o}
	if e.Post {
		operands = append(operands, integer(0))
	}
	v, ok := m.applied(e.Op, operands, e)
	if !ok && !m.host {
		m.stop(e, "%s of an object of %s is not read", e.Op, clip(o.class.decl.Name))
	} else if !ok {
		return o
	}
	return v
}

// compounds is x op= y for an object of C++ on the left; false for any other.
func (m *machine) compounds(op string, x, y value, n program.Node) (value, bool) {
	if !m.ofClass(x) {
		return nil, false
	}
	v, ok := m.applied(op, []value{x, y}, n)
	if !ok && !m.host {
		m.stop(n, "%s of an object of %s is not read", op, clip(x.(*object).class.decl.Name))
	}
	return v, true
}
