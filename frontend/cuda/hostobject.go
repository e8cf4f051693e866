package cuda

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

func element(k int64) string { return "[" + strconv.FormatInt(k, 10) + "]" }

// dim3 is a shape; extents that are not said are 1.
func dim3(of []*cell) *cell {
	out := &cell{parts: map[string]*cell{"x": number(1), "y": number(1), "z": number(1)}}
	for k, v := range of {
		if k < 3 {
			out.parts["xyz"[k:k+1]] = v
		}
	}
	return out
}

// shape evaluates an expression where a dim3 is wanted.
func (h *host) shape(x program.Expr, p *path) *cell {
	if list, ok := x.(*program.List); ok {
		return h.dims(list.Elems, p)
	}
	v := h.resolved(h.eval(x, p), p)
	if v != nil && v.alias != nil {
		v = h.behind(v, p)
	}
	if v != nil && (v.number != nil || v.same != "") {
		return dim3([]*cell{v})
	}
	return v
}

func (h *host) dims(list []program.Expr, p *path) *cell {
	var of []*cell
	for _, x := range list {
		v := h.eval(x, p)
		if len(list) == 1 && v != nil && v.parts != nil {
			return v // a copy
		}
		of = append(of, v)
	}
	return dim3(of)
}

// object is one of a class, made by its constructor, or of a list of its members; nil where it is not known how.
func (h *host) object(name string, args []program.Expr, p *path) *cell {
	_, last := program.SplitName(name)
	class := classes(h.c.bySimple[last]).first()
	if class == nil || class.Enum || class.Union || len(class.Bases) > 0 || !program.EndsIn(class.Qualified, name) {
		return nil
	}
	if len(args) == 1 {
		if v := h.resolved(h.eval(args[0], p), p); v != nil && v.parts != nil && (v.class == class || v.class == nil && !converts(class)) {
			return v // a copy
		}
	}
	var out *cell
	made := false
	for _, m := range class.Methods {
		if m.Name != class.Name || m.Destructor {
			continue
		}
		made = true
		if len(m.Params) != len(args) || copies(m) {
			continue
		}
		v := h.constructed(class, m, args, p)
		if v == nil {
			return nil
		}
		if out != nil { // of several constructors that fit, what they agree on
			parts := map[string]*cell{}
			for name, part := range v.parts {
				if part.equal(out.parts[name]) {
					parts[name] = part
				}
			}
			v = &cell{parts: parts, class: class, bound: v.bound || out.bound}
		}
		out = v
	}
	if made {
		return out
	}
	out = &cell{parts: map[string]*cell{}, class: class}
	k := 0
	for _, f := range class.Fields {
		if len(f.Targets) != 1 || !f.Const && f.Static {
			continue
		}
		name, of := identOf(f.Targets[0]), program.Param{Type: f.Type}
		switch {
		case k < len(args) && !f.Const:
			out.parts[name] = h.given(of, args[k], p)
		case f.Value != nil:
			in := h.in
			h.in = &program.Function{Class: class, Qualified: class.Qualified + "::"}
			out.parts[name] = h.given(of, f.Value, &path{scopes: []map[string]*cell{{}}})
			h.in = in
		}
		if !f.Const {
			k++
		}
	}
	return out
}

// copies reports whether a constructor is given one of its own class.
func copies(m *program.Function) bool {
	return len(m.Params) == 1 && words(m.Params[0].Type)[m.Name]
}

// converts reports whether a class has a constructor that makes one of something else.
func converts(class *program.Class) bool {
	return slices.ContainsFunc(class.Methods, func(m *program.Function) bool {
		return m.Name == class.Name && !m.Destructor && len(m.Params) == 1 && !copies(m)
	})
}

// constructed follows a constructor; nil where what it makes is not one thing. Its members are those of this, by their names alone, too.
func (h *host) constructed(class *program.Class, m *program.Function, args []program.Expr, p *path) *cell {
	params := map[string]*cell{"this": {parts: map[string]*cell{}}}
	var members []string
	for _, f := range class.Fields {
		if len(f.Targets) == 1 && !f.Const {
			name := identOf(f.Targets[0])
			members = append(members, name)
			if len(f.Dims) > 0 {
				params["this"].parts[name] = &cell{parts: map[string]*cell{}, array: true}
			}
			params[name] = &cell{alias: &program.Attr{X: &program.Name{Ident: "this"}, Name: name}}
		}
	}
	for k, q := range m.Params {
		params[q.Name] = h.given(q, args[k], p)
	}
	ways := h.enter(m, params, p)
	if len(ways) != 1 || ways[0].scopes[0]["this"] == nil {
		return nil
	}
	out := *ways[0].scopes[0]["this"]
	out.class = class
	out.parts = maps.Clone(out.parts)
	for name, v := range out.parts {
		out.parts[name] = v.within(out.parts, members, &out.bound, 0)
	}
	return &out
}

// given is an argument as its parameter has it.
func (h *host) given(q program.Param, x program.Expr, p *path) *cell {
	if h.typed(strings.TrimSuffix(q.Type, "&"), p) == vectors["dim3"] {
		return h.shape(x, p)
	}
	return h.held(h.resolved(h.eval(x, p), p), h.typed(strings.TrimSuffix(q.Type, "&"), p))
}

// held is a value as a variable of a type has it: a number that is not known may not fit in.
func (h *host) held(v *cell, t *ctype) *cell {
	if v != nil && v.same != "" && t != nil && !t.countsThreads() {
		return nil
	}
	return v
}

// resolved follows pointers to variables.
func (h *host) resolved(v *cell, p *path) *cell {
	for hops := 0; v != nil && v.ref != "" && hops < 4; hops++ {
		if v, _ = p.find(v.ref); v != nil && v.alias != nil {
			v = h.behind(v, p)
		}
	}
	return v
}
