package cuda

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// typeOf reads the class a declaration defines in its type, if it does.
func (r *reader) typeOf(n *node) *program.ClassDef {
	t := n.child("type")
	if t == nil || t.child("body") == nil {
		return nil
	}
	return r.classDef(t, nil, t.start)
}

// classDef reads a class, struct, union or enum that has a body.
func (r *reader) classDef(n *node, template []program.Param, start int) *program.ClassDef {
	body := n.child("body")
	c := &program.Class{Name: r.className(n), Span: source.Span{Start: start, End: n.end}, Template: template, Union: n.kind == "union_specifier"}
	c.Qualified = strings.Join(append(r.enclosing(), c.Name), "::")
	if body == nil {
		if name := n.child("name"); name != nil && name.kind != "template_type" && slices.ContainsFunc(template, func(p program.Param) bool { return p.Default != nil }) {
			r.file.Declared = append(r.file.Declared, c)
		}
		return nil
	}
	if name := n.child("name"); name != nil {
		for name.kind == "qualified_identifier" && name.child("name") != nil {
			name = name.child("name")
		}
		if args := name.child("arguments"); name.kind == "template_type" && args != nil {
			c.Arguments = r.exprs(args.content())
		}
	}
	def := &program.ClassDef{Place: program.Place{Span: c.Span}, Class: c}
	r.file.Classes = append(r.file.Classes, c)
	r.classes[c.Name] = c
	if n.kind == "enum_specifier" {
		c.Enum = true
		c.Scoped = n.first("class") != nil || n.first("struct") != nil
		c.Fields = r.enumerators(body, r.nameText(n.child("base")))
		return def
	}
	if bases := n.first("base_class_clause"); bases != nil {
		for _, k := range bases.content() {
			if k.kind != "access_specifier" {
				c.Bases = append(c.Bases, r.expr(k))
			}
		}
	}
	c.Aligned = append(r.alignedIn(n.start, body.start), r.alignedIn(body.end, r.declarator(body.end))...)
	outer, class, scope := r.outer, r.class, r.scope
	r.class, r.scope = c, append(r.scope[:len(r.scope):len(r.scope)], c.Name)
	if outer != nil {
		r.scope, r.outer = []string{outer.Qualified, c.Name}, nil
	}
	defer func() { r.outer, r.class, r.scope = outer, class, scope }()
	r.members(body, c)
	return def
}

// enclosing are the names of the scopes around what is read: namespaces and classes, or the function and what is around that.
func (r *reader) enclosing() []string {
	if r.outer != nil {
		return []string{r.outer.Qualified}
	}
	return slices.Clone(r.scope)
}

// className is the name without its template arguments, or one made of the place of an unnamed class.
func (r *reader) className(n *node) string {
	name := n.child("name")
	if name != nil && name.kind == "template_type" {
		name = name.child("name")
	}
	if name == nil {
		return fmt.Sprintf("unnamed_%d", n.start)
	}
	return r.nameText(name)
}

// members reads the data members first: constructors, often written above them, need their types.
func (r *reader) members(body *node, c *program.Class) {
	var later []*node
	from := body.start + 1
	for _, k := range body.kids {
		switch k.kind {
		case "function_definition", "template_declaration", "friend_declaration":
			later = append(later, k)
		default:
			first := len(c.Fields)
			r.fields(c, r.item(k, nil, k.start))
			if list := r.alignedIn(from, r.declarator(k.start)); len(list) > 0 {
				for _, f := range c.Fields[first:] {
					f.Aligned = list
				}
			}
		}
		from = k.end
	}
	for _, k := range later {
		r.fields(c, r.item(k, nil, k.start))
	}
}

// declarator is where what is declared from a place on has its body, its first value or its end.
func (r *reader) declarator(from int) int {
	for k := from; k < len(r.text); k++ {
		switch r.text[k] {
		case '{', '=', ';', '}':
			return k
		}
	}
	return len(r.text)
}

// alignedIn are the arguments of alignment specifiers that stand in a part of the text.
func (r *reader) alignedIn(from, to int) (out []program.Expr) {
	all := r.blanker.aligned
	for i := sort.Search(len(all), func(i int) bool { return all[i].Start >= from }); i < len(all) && all[i].End <= to; i++ {
		place := program.Place{Span: all[i]}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(r.src[all[i].Start:all[i].End])), 10, 64); err == nil {
			out = append(out, &program.Int{Place: place, Value: n})
			continue
		}
		args := r.snippet(all[i])
		if len(args) != 1 {
			args = []program.Expr{&program.OpaqueExpr{Place: place, Why: "an alignment"}}
		}
		out = append(out, args[0])
	}
	return out
}

func (r *reader) fields(c *program.Class, read []program.Stmt) {
	for _, s := range read {
		if a, ok := s.(*program.Assign); ok {
			c.Fields = append(c.Fields, a)
		}
	}
}

// enumerators gives every enumerator its value, an expression or the one before plus one, and the type that the enumeration is
// declared with.
func (r *reader) enumerators(body *node, typ string) []*program.Assign {
	var out []*program.Assign
	var last program.Expr
	for _, k := range body.kids {
		if k.kind != "enumerator" {
			continue
		}
		value := r.expr(k.child("value"))
		if value == nil {
			value = following(last, place(k))
		}
		name := &program.Name{Place: place(k.child("name")), Ident: r.own(k.child("name"))}
		out = append(out, &program.Assign{Place: place(k), Targets: []program.Expr{name}, Op: "=", Value: value, Decl: true, Const: true, Type: typ})
		last = value
	}
	return out
}

func following(last program.Expr, at program.Place) program.Expr {
	switch v := last.(type) {
	case nil:
		return &program.Int{Place: at}
	case *program.Int:
		return &program.Int{Place: at, Value: v.Value + 1}
	}
	return &program.Binary{Place: at, Op: "+", X: last, Y: &program.Int{Place: at, Value: 1}}
}

// alias reads `using A = T` and `typedef T A` as a constant of type "using" whose value is the type's name.
func (r *reader) alias(n, name *node, template []program.Param) program.Stmt {
	return &program.Assign{Place: place(n), Targets: []program.Expr{&program.Name{Place: place(name), Ident: r.nameText(name)}},
		Op: "=", Value: r.typeExpr(n.child("type")), Decl: true, Const: true, Type: "using", Template: template, Scope: strings.Join(r.scope, "::")}
}

// declaration reads a variable or field declaration: one Assign for each declarator. Function prototypes declare
// nothing the tree keeps. Inside a function body (local) `T x(a, b)` is an object, never a prototype.
func (r *reader) declaration(n *node, template []program.Param, local bool) []program.Stmt {
	var out []program.Stmt
	if c := r.typeOf(n); c != nil {
		c.Class.Anonymous = n.child("type").child("name") == nil && n.child("declarator") == nil
		out = append(out, c)
	}
	prefix := n.end
	for _, k := range n.kids {
		if k.field == "declarator" {
			prefix = k.start
			break
		}
	}
	typ := r.typeText(n.start, prefix)
	if t := n.child("type"); t != nil && t.child("body") != nil {
		typ = r.className(t)
	}
	quals := map[string]bool{}
	for _, w := range strings.Fields(string(r.text[n.start:max(n.start, prefix)])) {
		quals[w] = true
	}
	constant := quals["constexpr"] || quals["const"] && (quals["static"] || !local)
	shared := quals["__shared__"]
	for i, k := range n.kids {
		if k.field != "declarator" {
			continue
		}
		value := k.child("value")
		if value == nil && i+1 < len(n.kids) && (n.kids[i+1].field == "default_value" || n.kids[i+1].field == "value") {
			value = n.kids[i+1]
		}
		a := r.declared(k, value, typ, local)
		if a == nil && !local {
			r.prototype(k, template)
		}
		if a == nil && local {
			out = append(out, opaque(k, "declaration of a function")...)
		}
		if a != nil {
			a.Const, a.Shared, a.Static = constant, shared, quals["static"] && r.class != nil
			if fixed := quals["constexpr"] || quals["const"] && !strings.HasSuffix(a.Type, "*"); !fixed && !shared && !quals["__constant__"] && (!local || quals["static"]) {
				a.Space = "global"
			}
			if !local {
				a.Scope = strings.Join(r.scope, "::")
			}
			if len(n.kids) > 0 && i == 1 {
				a.Span.Start = n.start
			}
			if v := r.variable(a, k, template); v != nil {
				r.file.Variables = append(r.file.Variables, v)
				continue
			}
			out = append(out, a)
		}
	}
	return out
}

// variable is a template of a constant, or one of its specialisations; nil if a declaration is none.
func (r *reader) variable(a *program.Assign, k *node, template []program.Param) *program.Function {
	name, is := a.Targets[0].(*program.Name)
	d := unwrap(k)
	if !is || !a.Const || a.Value == nil || r.class != nil || len(a.Dims) > 0 || d.name == nil {
		return nil
	}
	fn := &program.Function{Name: name.Ident, Template: template, Result: a.Type, Span: a.Span, NameSpan: name.Span,
		Body: []program.Stmt{&program.Return{Place: program.Place{Span: a.Value.Where()}, Value: a.Value}}}
	if d.name.kind == "template_function" || d.name.kind == "template_type" {
		of := r.name(d.name)
		fn.Name, fn.Arguments = of.Ident, of.Template
	} else if len(template) == 0 {
		return nil
	}
	fn.Qualified = strings.Join(append(slices.Clone(r.scope), fn.Name), "::")
	return fn
}

// prototype keeps the declaration of a function that says what its parameters are where a call does not (C++17 [dcl.fct.default]).
func (r *reader) prototype(k *node, template []program.Param) {
	d := unwrap(k)
	if d.call == nil || d.name == nil || d.name.kind == "parenthesized_declarator" {
		return
	}
	f := &program.Function{Template: template, Class: r.class, NameSpan: span(d.name), Span: span(k), Params: r.params(d.call.child("parameters"))}
	r.nameFunction(f, d.name)
	if slices.ContainsFunc(slices.Concat(f.Params, template), func(p program.Param) bool { return p.Default != nil }) {
		r.file.Prototypes = append(r.file.Prototypes, f)
	}
}

// declared reads one declarator.
func (r *reader) declared(k, value *node, typ string, local bool) *program.Assign {
	d := unwrap(k)
	a := &program.Assign{Place: place(k), Op: "=", Decl: true, Type: typ + d.stars}
	if d.rows > 0 {
		first := len(d.dims) - d.rows
		a.Type += "[]" + r.extents(d.dims[first:])
		d.dims = d.dims[:first]
	}
	if value != nil {
		a.Span.End = value.end
	}
	switch {
	case d.tuple != nil && d.call != nil: // table[i](x), which the grammar takes for a structured binding
		return nil
	case d.tuple != nil:
		t := &program.Tuple{Place: place(d.tuple)}
		for _, id := range d.tuple.content() {
			t.Elems = append(t.Elems, r.expr(id))
		}
		a.Targets = []program.Expr{t}
	case d.name == nil:
		return nil
	default:
		a.Targets = []program.Expr{&program.Name{Place: place(d.name), Ident: r.nameText(d.name)}}
	}
	if d.call != nil && d.name.kind != "parenthesized_declarator" && value == nil {
		args, ok := r.constructor(d, local)
		if !ok {
			return nil
		}
		a.Value = r.construct(place(k), a.Type, args)
		return a
	}
	for _, dim := range d.dims {
		if dim == nil && value != nil && value.kind == "initializer_list" {
			a.Dims = append(a.Dims, &program.Int{Place: place(value), Value: int64(len(value.content()))})
			continue
		}
		if dim == nil {
			a.Dims = append(a.Dims, &program.OpaqueExpr{Place: place(k), Why: "array of unknown extent"})
			continue
		}
		a.Dims = append(a.Dims, r.expr(dim))
	}
	a.Value = r.initial(value, a.Type)
	return a
}

// constructor reads `T x(a, b)`, which the grammar takes for the prototype of a function x.
func (r *reader) constructor(d declarator, local bool) ([]program.Expr, bool) {
	list := d.call.child("parameters")
	if !local || list == nil || d.name.kind != "identifier" {
		return nil, false
	}
	if list.end-list.start <= 2 {
		return nil, false
	}
	args := r.snippet(source.Span{Start: list.start + 1, End: list.end - 1})
	return args, args != nil
}

// construct is the call that makes an object of the type.
func (r *reader) construct(at program.Place, typ string, args []program.Expr) program.Expr {
	return &program.Call{Place: at, Fun: &program.Name{Place: at, Ident: typ}, Args: args}
}

// initial reads an initialiser: `= v`, `(v)` or `{v}`. One value for a scalar is that value.
func (r *reader) initial(value *node, typ string) program.Expr {
	if value == nil {
		return nil
	}
	parts := value.content()
	switch value.kind {
	case "argument_list":
		if len(parts) == 1 && scalar(typ) {
			return r.expr(parts[0])
		}
		args, keywords := r.args(value)
		return &program.Call{Place: place(value), Fun: &program.Name{Place: place(value), Ident: unqualified(typ)}, Args: args, Keywords: keywords}
	case "initializer_list":
		if len(parts) == 1 && scalar(typ) && parts[0].kind != "initializer_list" && parts[0].kind != "initializer_pair" {
			return r.expr(parts[0])
		}
		if len(parts) == 0 && scalar(typ) && typ != "auto" {
			return &program.Int{Place: place(value)}
		}
	}
	return r.expr(value)
}

// unqualified is a type without what a declaration says of its objects.
func unqualified(typ string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(typ), func(w string) bool {
		return slices.Contains([]string{"const", "volatile", "static", "constexpr", "inline", "register", "thread_local"}, w)
	}), " ")
}

// scalar reports whether the type's name is that of a number, a pointer or a deduced type.
func scalar(typ string) bool {
	typ = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(typ, "const "), "volatile "), "std::")
	if strings.HasSuffix(typ, "*") || strings.HasSuffix(typ, "_t") && !strings.Contains(typ, "::") {
		return true
	}
	switch strings.Fields(typ + " -")[0] {
	case "int", "unsigned", "signed", "long", "short", "char", "bool", "float", "double", "auto", "auto&", "auto&&":
		return true
	}
	return false
}
