package cutedsl

import (
	"cmp"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// definition reads a function or class definition, with its decorators if n is a decorated_definition.
func (r *reader) definition(n *syntax, sc scope) []program.Stmt {
	def, decorators := n, []*syntax(nil)
	if n.kind == "decorated_definition" {
		def = n.child("definition")
		for c := n.first; c != nil; c = c.next {
			if c.kind == "decorator" {
				decorators = append(decorators, c)
			}
		}
	}
	if def == nil || !r.enter(n) {
		return []program.Stmt{&program.OpaqueStmt{Place: at(n), Why: "definition not read"}}
	}
	defer r.leave()
	if def.kind == "class_definition" {
		if n != def && r.brokenDecorator(decorators) {
			r.note(span(n), "decorator with a syntax error")
			decorators = nil
		}
		return []program.Stmt{&program.ClassDef{Place: at(n), Class: r.class(n, def, decorators, sc)}}
	}
	name := def.child("name")
	if def.broken || name == nil || r.brokenDecorator(decorators) {
		r.out.Skipped = append(r.out.Skipped, program.Skipped{Name: sc.prefix + r.text(name), Span: span(n)})
		return []program.Stmt{&program.OpaqueStmt{Place: at(n), Why: "function with a syntax error"}}
	}
	return []program.Stmt{&program.FuncDef{Place: at(n), Func: r.function(n, def, decorators, sc)}}
}

func (r *reader) brokenDecorator(list []*syntax) bool {
	for _, d := range list {
		if d.broken {
			return true
		}
	}
	return false
}

func (r *reader) function(n, def *syntax, decorators []*syntax, sc scope) *program.Function {
	name := def.child("name")
	f := &program.Function{Name: r.text(name), Qualified: sc.prefix + r.text(name), Class: sc.class, Outer: sc.outer,
		Span: span(n), NameSpan: span(name)}
	f.Attributes = r.attributes(decorators)
	for _, a := range f.Attributes {
		f.Kernel = f.Kernel || r.isKernel(a)
	}
	r.out.Functions = append(r.out.Functions, f)
	f.Params = r.params(def.child("parameters"))
	f.Body = r.block(def.child("body"), scope{outer: f, prefix: f.Qualified + "."})
	return f
}

// attributes reads decorators as expressions.
func (r *reader) attributes(list []*syntax) []program.Expr {
	var out []program.Expr
	for _, d := range list {
		for _, c := range d.names() {
			out = append(out, r.expr(c))
		}
	}
	return out
}

// isKernel reports whether a decorator makes a kernel: cute.kernel, cute.experimental.kernel, or kernel imported
// from cutlass, with or without arguments.
func (r *reader) isKernel(e program.Expr) bool {
	if c, ok := e.(*program.Call); ok {
		e = c.Fun
	}
	switch e := e.(type) {
	case *program.Attr:
		return e.Name == "kernel"
	case *program.Name:
		return r.kernels[e.Ident]
	}
	return false
}

func (r *reader) params(n *syntax) []program.Param {
	if n == nil {
		return nil
	}
	var out []program.Param
	for _, c := range n.names() {
		p := program.Param{Span: span(c)}
		target := c
		switch c.kind {
		case "default_parameter", "typed_default_parameter":
			target = c.child("name")
			p.Type = squeeze(r.text(c.child("type")))
			p.Default = r.exprOrNil(c.child("value"))
		case "typed_parameter":
			target = c.first
			p.Type = squeeze(r.text(c.child("type")))
		case "keyword_separator", "positional_separator":
			continue
		}
		if target == nil {
			continue
		}
		name := r.text(target)
		switch target.kind {
		case "list_splat_pattern":
			p.Star = 1
		case "dictionary_splat_pattern":
			p.Star = 2
		}
		p.Name = strings.TrimSpace(strings.TrimLeft(name, "*"))
		out = append(out, p)
	}
	return out
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *reader) class(n, def *syntax, decorators []*syntax, sc scope) *program.Class {
	c := &program.Class{Name: r.text(def.child("name")), Span: span(n), Attributes: r.attributes(decorators)}
	r.out.Classes = append(r.out.Classes, c)
	if bases := def.child("superclasses"); bases != nil {
		args, _ := r.arguments(bases)
		c.Bases = args
	}
	for _, b := range c.Bases {
		name := lastName(b)
		c.Enum = c.Enum || strings.HasSuffix(name, "Enum") || strings.HasSuffix(name, "Flag")
	}
	body := r.block(def.child("body"), scope{class: c, outer: sc.outer, prefix: sc.prefix + c.Name + "."})
	c.Body = body
	r.members(c, body)
	return c
}

// members sorts a class body into fields and methods; conditionals at class level (if TYPE_CHECKING) count as taken.
func (r *reader) members(c *program.Class, body []program.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *program.Assign:
			c.Fields = append(c.Fields, s)
		case *program.FuncDef:
			c.Methods = append(c.Methods, s.Func)
		case *program.If:
			r.members(c, s.Then)
			r.members(c, s.Else)
		}
	}
}

// lastName returns the last word of a dotted name: "IntEnum" for enum.IntEnum, also under a call or subscript.
func lastName(e program.Expr) string {
	switch e := e.(type) {
	case *program.Name:
		return e.Ident
	case *program.Attr:
		return e.Name
	case *program.Call:
		return lastName(e.Fun)
	case *program.Index:
		return lastName(e.X)
	}
	return ""
}

// salvage reads the definitions inside text that does not parse, and nothing else of it.
func (r *reader) salvage(n *syntax, sc scope) []program.Stmt {
	if !r.enter(n) {
		return nil
	}
	defer r.leave()
	var out []program.Stmt
	for c := n.first; c != nil; c = c.next {
		switch c.kind {
		case "function_definition", "class_definition", "decorated_definition":
			out = append(out, r.definition(c, sc)...)
		case "ERROR", "block", "if_statement", "else_clause", "elif_clause", "try_statement", "with_statement",
			"for_statement", "while_statement":
			out = append(out, r.salvage(c, sc)...)
		}
	}
	return out
}

// imports reads an import statement into one Import a name.
func (r *reader) imports(n *syntax) []program.Stmt {
	from := squeeze(r.text(n.child("module_name")))
	if n.kind == "future_import_statement" {
		from = "__future__"
	}
	var out []program.Stmt
	add := func(c *syntax, name, alias string) {
		out = append(out, &program.Import{Place: at(n), From: from, Name: name, Alias: alias})
		if name == "kernel" && (from == "cutlass" || strings.HasPrefix(from, "cutlass.")) {
			r.kernels[cmp.Or(alias, name)] = true
		}
	}
	for c := n.first; c != nil; c = c.next {
		switch {
		case c.kind == "wildcard_import":
			add(c, "*", "")
		case c.field != "name":
		case c.kind == "aliased_import":
			add(c, r.text(c.child("name")), r.text(c.child("alias")))
		default:
			add(c, r.text(c), "")
		}
	}
	return out
}
