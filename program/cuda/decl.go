package cuda

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// items reads the children of a namespace, a class body or the file.
func (r *reader) items(n *node) []program.Stmt {
	if n == nil {
		return nil
	}
	var out []program.Stmt
	for _, k := range n.kids {
		out = append(out, r.item(k, nil, k.start)...)
	}
	return out
}

// item reads one declaration at namespace or class scope. template holds the parameters of the template it belongs
// to, start where that begins.
func (r *reader) item(n *node, template []program.Param, start int) []program.Stmt {
	switch n.kind {
	case "function_definition":
		if f := r.function(n, template, start); f != nil {
			return []program.Stmt{&program.FuncDef{Place: program.Place{Span: f.Span}, Func: f}}
		}
	case "template_declaration":
		return r.template(n, template)
	case "namespace_definition":
		return r.inside(r.nameText(n.child("name")), n.child("body"))
	case "linkage_specification":
		body := n.child("body")
		if body != nil && body.kind != "declaration_list" {
			return r.item(body, nil, start)
		}
		return r.items(body)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		if c := r.classDef(n, template, start); c != nil {
			c.Class.Anonymous = n.child("name") == nil
			return []program.Stmt{c}
		}
	case "declaration", "field_declaration":
		return r.declaration(n, template, false)
	case "type_definition":
		if c := r.typeOf(n); c != nil {
			out := []program.Stmt{c}
			if name := n.child("declarator"); name != nil && name.kind == "type_identifier" && r.nameText(name) != c.Class.Name { // typedef struct S { … } T;
				out = append(out, &program.Assign{Place: place(n), Targets: []program.Expr{&program.Name{Place: place(name), Ident: r.nameText(name)}}, Op: "=",
					Value: &program.Name{Place: place(n), Ident: c.Class.Name}, Decl: true, Const: true, Type: "using"})
			}
			return out
		}
		if name := n.child("declarator"); name != nil && name.kind == "type_identifier" && n.child("type") != nil {
			return []program.Stmt{r.alias(n, name, nil)}
		}
	case "alias_declaration":
		return []program.Stmt{r.alias(n, n.child("name"), template)}
	case "namespace_alias_definition":
		r.renames(n)
	case "using_declaration":
		r.opens(n)
	case "expression_statement": // a macro, or what another tool reads
		if x := n.only(); x != nil && x.kind == "call_expression" && !n.bad {
			return r.effect(x, n)
		}
	case "template_instantiation":
		if d := unwrap(n.child("declarator")); d.call != nil && d.name != nil {
			r.file.Instances = append(r.file.Instances, r.name(d.name))
		} else if t := n.child("type"); t != nil && t.child("name") != nil && t.child("body") == nil { // of a class
			r.file.Instances = append(r.file.Instances, r.name(t.child("name")))
		}
	case "friend_declaration", "ERROR", "declaration_list", "field_declaration_list", "attributed_statement":
		return r.items(n)
	}
	return nil
}

// opens notes what a using-directive or using-declaration lets the file name without its namespace.
func (r *reader) opens(n *node) {
	words := strings.Fields(strings.TrimRight(r.own(n), "; "))
	if len(words) > 1 {
		r.file.Opened = append(r.file.Opened, words[len(words)-1])
	}
	if len(words) == 2 && r.class == nil && r.outer == nil { // no using namespace
		r.file.Taken = append(r.file.Taken, [2]string{strings.Join(r.scope, "::"), words[1]})
	}
}

// renames notes another name of a namespace. Of several definitions of one, under conditions of which it is not known which hold, the last is
// there.
func (r *reader) renames(n *node) {
	name, of := n.child("name"), n.kids[len(n.kids)-1]
	if of.kind == ";" && len(n.kids) > 1 {
		of = n.kids[len(n.kids)-2]
	}
	if name == nil {
		return
	}
	if r.file.Spaces == nil {
		r.file.Spaces = map[string]string{}
	}
	r.file.Spaces[r.nameText(name)] = r.nameText(of)
}

func (r *reader) inside(name string, body *node) []program.Stmt {
	if name != "" {
		r.scope = append(r.scope, name)
		r.file.Opened = append(r.file.Opened, strings.Join(r.scope, "::"))
		if body != nil {
			r.spaces = append(r.spaces, named{strings.Join(r.scope, "::"), span(body)})
		}
		defer func() { r.scope = r.scope[:len(r.scope)-1] }()
	}
	class := r.class
	r.class = nil
	defer func() { r.class = class }()
	return r.items(body)
}

func (r *reader) template(n *node, outer []program.Param) []program.Stmt {
	params := append(append([]program.Param(nil), outer...), r.templateParams(n.child("parameters"))...)
	var out []program.Stmt
	for _, k := range n.kids {
		if k.field != "parameters" && k.named {
			out = append(out, r.item(k, params, n.start)...)
		}
	}
	return out
}

// templateParams reads a template's parameter list; type parameters have the type "typename".
func (r *reader) templateParams(n *node) []program.Param {
	if n == nil {
		return nil
	}
	var out []program.Param
	for _, k := range n.kids {
		p := program.Param{Span: span(k)}
		switch k.kind {
		case "type_parameter_declaration", "variadic_type_parameter_declaration", "template_template_parameter_declaration":
			p.Type = "typename"
			if id := k.first("type_identifier"); id != nil {
				p.Name = r.own(id)
			} else if inner := k.first("type_parameter_declaration"); inner != nil && inner.only() != nil {
				p.Name = r.own(inner.only())
			}
			if k.kind == "variadic_type_parameter_declaration" {
				p.Star = 1
			}
		case "optional_type_parameter_declaration":
			p.Type, p.Name = "typename", r.nameText(k.child("name"))
			p.Default = r.expr(k.child("default_type"))
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			p = r.param(k)
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

func (r *reader) params(list *node) []program.Param {
	if list == nil {
		return nil
	}
	var out []program.Param
	for _, k := range list.kids {
		switch k.kind {
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			if p := r.param(k); p.Name != "" || p.Type != "void" {
				out = append(out, p)
			}
		}
	}
	return out
}

func (r *reader) param(n *node) program.Param {
	p := program.Param{Span: span(n), Default: r.expr(n.child("default_value"))}
	end := n.end
	decl := n.child("declarator")
	if decl != nil {
		end = decl.start
	} else if n.child("default_value") != nil {
		end = n.child("type").end
	}
	d := unwrap(decl)
	if d.name != nil && d.name.kind != "abstract_function_declarator" {
		p.Name = r.nameText(d.name)
	}
	if n.kind == "variadic_parameter_declaration" {
		p.Star = 1
	}
	p.Ref = strings.Contains(d.stars, "&")
	p.Type = r.typeText(n.start, end) + d.stars
	switch {
	case d.array && p.Ref && d.dims[0] != nil: // how long it is may be a parameter of the template
		p.Type += r.extents(d.dims)
	case d.array && d.rows == len(d.dims):
		p.Type += "[]" + r.extents(d.dims)
	case d.array:
		p.Type += "[]" + r.extents(d.dims[1:])
	}
	return p
}

// extents is the text of those of an array.
func (r *reader) extents(dims []*node) (text string) {
	for _, dim := range dims {
		if text += "["; dim != nil {
			text += r.typeText(dim.start, dim.end)
		}
		text += "]"
	}
	return text
}

// function reads a function definition. It returns nil for one that must be skipped, after listing it.
func (r *reader) function(n *node, template []program.Param, start int) *program.Function {
	if n.first("default_method_clause") != nil || n.first("delete_method_clause") != nil { // that of the language, or none
		return nil
	}
	d := unwrap(n.child("declarator"))
	body := n.child("body")
	head := n.end
	if body != nil {
		head = body.start
	}
	f := &program.Function{Template: template, Class: r.class, Outer: r.outer}
	marks, from := r.marksOf(n.start, head)
	f.Span = source.Span{Start: min(start, from), End: n.end}
	name := d.name
	if name == nil && d.call == nil {
		name = n.child("declarator")
	}
	if name == nil {
		r.skip(f, n)
		return nil
	}
	f.NameSpan = span(name)
	r.nameFunction(f, name)
	for _, i := range marks {
		r.claimed[i] = true
		r.attribute(f, r.blanker.marks[i])
	}
	f.Qualifiers = r.qualifiersOf(n.start, head)
	call := d.call
	if call == nil && name.kind == "operator_cast" {
		to := unwrap(name.child("declarator"))
		call, f.Conversion = to.name, r.nameText(name.child("type"))+to.stars
		f.Name = "operator " + f.Conversion
	}
	f.Params = r.params(call.child("parameters"))
	if t := n.child("type"); t != nil {
		f.Result = r.typeText(t.start, t.end) + d.stars
	}
	if t := call.first("trailing_return_type"); t != nil {
		f.Result = strings.TrimSpace(strings.TrimPrefix(r.typeText(t.start, t.end), "->"))
	}
	if f.Conversion != "" {
		f.Result = f.Conversion
	}
	if n.bad && !r.healthy(n, body) || n.cut || body != nil && body.cut {
		r.skip(f, n)
		return nil
	}
	outer, class := r.outer, r.class
	r.outer, r.class = f, nil
	defer func() { r.outer, r.class = outer, class }()
	named := map[string]bool{}
	for _, k := range n.kids {
		if k.kind == "field_initializer_list" {
			f.Body = append(f.Body, r.memberInits(k, f.Class, named)...)
		}
	}
	if body != nil && f.Class != nil && f.Name == f.Class.Name {
		f.Body = r.withDefaults(f, named)
	}
	for _, d := range r.blanker.pre.doubts {
		if body != nil && body.start <= d.span.Start && d.span.End <= body.end {
			f.Body = append(f.Body, &program.OpaqueStmt{Place: program.Place{Span: d.span}, Why: d.why, Doubt: d.taken, Macro: r.meant(d), Part: d.part})
		}
	}
	for _, n := range r.blanker.pre.unset {
		if body != nil && body.start <= n.span.Start && n.span.End <= body.end && !slices.Contains(f.Undefined, n.name) {
			f.Undefined = append(f.Undefined, n.name)
		}
	}
	f.Body = append(f.Body, r.block(body)...)
	if len(f.Template) > 0 && body != nil {
		r.assertions(f, span(body))
	}
	r.file.Functions = append(r.file.Functions, f)
	if f.Class != nil {
		f.Class.Methods = append(f.Class.Methods, f)
	}
	return f
}

// meant is what the tree calls the macro of which it is not known what it does at a place; "" where it is something else that is not known.
func (r *reader) meant(d doubt) string {
	def := r.blanker.pre.inForce(d.macro, d.span.Start)
	if d.part || def == nil || r.settled(d.macro, map[string]part{}).to == 0 {
		return d.macro
	}
	return r.called(def)
}

// assertions puts the static assertions back that stand in the body of a template itself, not in one of its statements: they say what it is made for.
func (r *reader) assertions(f *program.Function, body source.Span) {
	all := r.blanker.asserted
	for i := sort.Search(len(all), func(i int) bool { return all[i].Start >= body.Start }); i < len(all) && all[i].End <= body.End; i++ {
		at := all[i]
		before := 0
		inner := slices.ContainsFunc(f.Body, func(st program.Stmt) bool {
			w := st.Where()
			if w.End <= at.Start {
				before++
			}
			return w.Start <= at.Start && at.End <= w.End
		})
		args := []program.Expr(nil)
		if !inner {
			args = r.snippet(at)
		}
		if len(args) == 0 {
			continue
		}
		call := &program.Call{Place: program.Place{Span: at}, Fun: &program.Name{Place: program.Place{Span: at}, Ident: "static_assert"}, Args: args}
		f.Body = slices.Insert(f.Body, before, program.Stmt(&program.ExprStmt{Place: program.Place{Span: at}, X: call}))
	}
}

// nameFunction sets Name, Qualified and, for out-of-line members, Class.
func (r *reader) nameFunction(f *program.Function, name *node) {
	text := r.nameText(name)
	if name.kind == "template_function" {
		text = r.nameText(name.child("name")) // a specialisation
		if args := name.child("arguments"); args != nil {
			f.Arguments = r.exprs(args.content())
		}
	}
	scope, last := splitName(text)
	f.Name = last
	for name.kind == "qualified_identifier" && name.child("name") != nil {
		name = name.child("name")
	}
	switch name.kind {
	case "operator_name":
		f.Operator = strings.ReplaceAll(strings.TrimPrefix(last, "operator"), " ", "")
	case "destructor_name":
		f.Destructor = true
	}
	f.Qualified = strings.Join(append(append([]string(nil), r.scope...), text), "::")
	if r.outer != nil {
		f.Qualified = r.outer.Qualified + "::" + text
	}
	if scope != "" && f.Class == nil {
		_, class := splitName(scope)
		if i := strings.IndexByte(class, '<'); i >= 0 {
			class = class[:i]
		}
		f.Class = r.classes[class]
	}
}

// splitName cuts a qualified name at its last :: outside angle brackets.
func splitName(s string) (scope, last string) {
	if i := strings.Index(s, "operator"); i >= 0 && (i == 0 || s[i-1] == ':') {
		return strings.TrimSuffix(s[:i], "::"), s[i:]
	}
	depth := 0
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case '>':
			depth++
		case '<':
			depth--
		case ':':
			if depth == 0 && s[i-1] == ':' {
				return s[:i-1], s[i+1:]
			}
		}
	}
	return "", s
}

func (r *reader) skip(f *program.Function, n *node) {
	if f.Name == "" {
		f.Name, _, _ = definition(r.text, n.start)
	}
	r.file.Skipped = append(r.file.Skipped, program.Skipped{Name: f.Name, Span: f.Span})
}

// marksOf finds the attributes blanked in or right before a definition that starts at start with its body at head,
// and where the first of them begins.
func (r *reader) marksOf(start, head int) (found []int, from int) {
	from = start
	for from > 0 && (r.text[from-1] == ' ' || r.text[from-1] == '\n' || r.text[from-1] == '\t' || r.text[from-1] == '\r') {
		from--
	}
	marks := r.blanker.marks
	i := sort.Search(len(marks), func(i int) bool { return marks[i].span.Start >= from })
	from = start
	for ; i < len(marks) && marks[i].span.Start < head; i++ {
		found = append(found, i)
		from = min(from, marks[i].span.Start)
	}
	return found, from
}

// qualifiersOf are the words blanked in or right before a definition that starts at start with its body at head.
func (r *reader) qualifiersOf(start, head int) (out []string) {
	all := r.blanker.qualifiers
	i := sort.Search(len(all), func(i int) bool { return all[i].start >= start })
	for i > 0 && len(bytes.TrimSpace(r.text[all[i-1].end:start])) == 0 { // all between them is blanked, or space
		i--
	}
	for ; i < len(all) && all[i].start < head; i++ {
		out = append(out, string(r.src[all[i].start:all[i].end]))
	}
	return out
}

// attribute puts a mark on the function.
func (r *reader) attribute(f *program.Function, m mark) {
	if !m.args {
		f.Kernel = true
		return
	}
	open := m.span.Start + len(m.word)
	for open < m.span.End && r.src[open] != '(' {
		open++
	}
	fun := &program.Name{Place: program.Place{Span: source.Span{Start: m.span.Start, End: m.span.Start + len(m.word)}}, Ident: m.word}
	args := r.snippet(source.Span{Start: open + 1, End: m.span.End - 1})
	f.Attributes = append(f.Attributes, &program.Call{Place: program.Place{Span: m.span}, Fun: fun, Args: args})
}

// memberInits turns `: a(x), b{y}` into assignments to this->a and calls of base constructors, and notes what it names.
func (r *reader) memberInits(list *node, class *program.Class, named map[string]bool) []program.Stmt {
	var out []program.Stmt
	for _, k := range list.kids {
		if k.kind != "field_initializer" {
			continue
		}
		parts := k.content()
		if len(parts) < 2 {
			continue
		}
		name := r.nameText(parts[0])
		args := parts[len(parts)-1]
		field := fieldOf(class, name)
		if field != nil && field.Type == "using" { // another name of a base
			field = nil
		}
		if field == nil && class != nil { // a base, or the class itself
			_, name = splitName(name)
			name, _, _ = strings.Cut(name, "<")
			named[name] = true
			if len(args.content()) == 0 && name != class.Name { // what runs where nothing is said
				continue
			}
			this := &program.Name{Place: place(parts[0]), Ident: "this"}
			call := &program.Call{Place: place(k), Fun: &program.Attr{Place: place(parts[0]), X: this, Name: name, Arrow: true}, Args: r.exprs(args.content())}
			out = append(out, &program.ExprStmt{Place: place(k), X: call})
			continue
		}
		named[name] = true
		typ := ""
		if field != nil {
			typ = field.Type
		}
		this := &program.Attr{Place: place(parts[0]), X: &program.Name{Place: place(parts[0]), Ident: "this"}, Name: name, Arrow: true}
		out = append(out, &program.Assign{Place: place(k), Targets: []program.Expr{this}, Op: "=", Value: r.initial(args, typ), Init: true})
	}
	// Bases come first, then the members as the class declares them (C++17 [class.base.init]/13).
	slices.SortStableFunc(out, func(a, b program.Stmt) int { return declaredAt(class, a) - declaredAt(class, b) })
	return out
}

// withDefaults are the initialisers of a constructor, with those of members that it does not name and for which the class has one (C++17 [class.base.init]/9). One
// that delegates has none of its own, and what a parameter would be taken for is left out.
func (r *reader) withDefaults(f *program.Function, named map[string]bool) []program.Stmt {
	out, class := f.Body, f.Class
	if named[class.Name] {
		return out
	}
	for _, field := range class.Fields {
		id, is := field.Targets[0].(*program.Name)
		if !is || field.Value == nil || field.Type == "using" || field.Const || len(field.Dims) > 0 || named[id.Ident] || slices.Contains(strings.Fields(field.Type), "const") {
			continue
		}
		words := strings.FieldsFunc(string(r.src[field.Value.Where().Start:field.Value.Where().End]), func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		if !slices.ContainsFunc(f.Params, func(p program.Param) bool { return slices.Contains(words, p.Name) }) {
			this := &program.Attr{Place: field.Place, X: &program.Name{Place: field.Place, Ident: "this"}, Name: id.Ident, Arrow: true}
			out = append(out, &program.Assign{Place: field.Place, Targets: []program.Expr{this}, Op: "=", Value: field.Value, Init: true})
		}
	}
	slices.SortStableFunc(out, func(a, b program.Stmt) int { return declaredAt(class, a) - declaredAt(class, b) })
	return out
}

// declaredAt is the place in a class of the member that a statement initialises; -1 for a base.
func declaredAt(c *program.Class, st program.Stmt) int {
	a, ok := st.(*program.Assign)
	if !ok || c == nil {
		return -1
	}
	member := a.Targets[0].(*program.Attr).Name
	return slices.IndexFunc(c.Fields, func(f *program.Assign) bool { n, ok := f.Targets[0].(*program.Name); return ok && n.Ident == member })
}

func fieldOf(c *program.Class, name string) *program.Assign {
	if c == nil {
		return nil
	}
	for _, f := range c.Fields {
		if n, ok := f.Targets[0].(*program.Name); ok && n.Ident == name {
			return f
		}
	}
	return nil
}
