package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// argument is what a parameter of a template is given: a type, or a number.
type argument struct {
	t      *ctype
	number *int64
	text   string // as it is written, where it is neither
	x      program.Expr
	input  bool // the text is the name of something of which nothing is known, whatever function has it, too
	// template is the class template that it names (C++17 [temp.arg.template]).
	template *alias
}

// key tells arguments apart.
func (a *argument) key() string {
	switch {
	case a.number != nil:
		return fmt.Sprint(*a.number)
	case a.t != nil && a.t.class != nil:
		return fmt.Sprintf("%p", a.t)
	case a.t != nil && a.t.closure != nil: // of each lambda-expression another one (C++17 [expr.prim.lambda.closure]/1)
		return fmt.Sprintf("%p", a.t.closure.fn)
	case a.t != nil:
		return a.t.String()
	}
	return a.text
}

// String names a type that is no class.
func (t *ctype) String() string {
	switch {
	case t.array:
		return fmt.Sprintf("%s[%d]", t.to, t.extent)
	case t.to != nil:
		return t.to.String() + "*"
	case t.name != "":
		return t.name
	}
	return fmt.Sprintf("%t%v", t.boolean, t.number)
}

// arguments reads template arguments that stand in a type.
func (c *compiler) arguments(list []string) []argument {
	var out []argument
	for _, text := range list {
		if name, is := strings.CutSuffix(text, " . . ."); is {
			out = append(out, c.packOf(&program.Name{Ident: name})...)
			continue
		}
		a := argument{text: text}
		if t := c.typeOf(text); t != nil {
			a.t = t
		} else if n, known := c.constantText(text); known {
			a.number = &n
		}
		out = append(out, a)
	}
	return out
}

// argumentsOf are the template arguments of a name.
func (c *compiler) argumentsOf(s segment) []argument {
	if s.exprs == nil {
		return c.arguments(s.args)
	}
	var out []argument
	for _, x := range s.exprs {
		if pack, is := x.(*program.Starred); is {
			out = append(out, c.packOf(pack.X)...)
			continue
		}
		out = append(out, c.argumentOf(x))
	}
	return out
}

// packOf are the template arguments that a pack stands for; one of which nothing is known where that is not known.
func (c *compiler) packOf(x program.Expr) []argument {
	if id, is := x.(*program.Name); is && len(id.Template) == 0 {
		for s := c.scope; s != nil; s = s.outer {
			if list, is := s.packs[id.Ident]; is {
				return list
			}
		}
	}
	return []argument{{text: "?"}}
}

// argumentOf is a template argument that stands in an expression.
func (c *compiler) argumentOf(x program.Expr) argument {
	a := argument{x: x, template: c.templateNamed(x)}
	if t := c.typeOfExpr(x); t != nil {
		a.t = t
	} else if n, known := c.constant(x); known {
		a.number = &n
	} else if id, is := x.(*program.Name); is {
		a.text = id.Ident
		if v := c.scope.find(id.Ident); v != nil && v.function != "" { // a function, handed on
			a.text, a.x = v.function, v.given
		} else if v != nil {
			a.input = v.input != ""
		}
	}
	return a
}

func (c *compiler) constantText(text string) (int64, bool) {
	x := expression(text)
	if x == nil {
		return 0, false
	}
	return c.constant(x)
}

// classes are those of one name: a template and its specialisations, or one class under several conditions of the preprocessor.
type classes []*program.Class

func (l classes) first() *program.Class {
	if len(l) == 0 {
		return nil
	}
	return l[0]
}

// besides are the classes of a qualified name that are of a model, or of the tree, as another class is.
func (c *compiler) besides(qualified string, to *program.Class) classes {
	return slices.DeleteFunc(slices.Clone(c.byName[qualified]), func(k *program.Class) bool { return c.modelled(c.in[k]) != c.modelled(c.in[to]) })
}

// classOf is the class that a name means, with the namespaces before it. Of several of the name that which is nearest in what is around.
func (c *compiler) classOf(name string, scopes []segment) *program.Class {
	for s := c.scope; s != nil && len(scopes) == 0; s = s.outer {
		var own classes
		switch {
		case s.class != nil:
			own = c.byName[s.class.Qualified+"::"+name]
		case s.fn != nil && s.fn.fn != nil:
			own = c.byName[s.fn.fn.Qualified+"::"+name]
		}
		if k := own.first(); k != nil {
			return k
		}
	}
	var found *program.Class
	path := append(slices.Clone(scopes), segment{name: name})
	near, here := -1, c.around()
	own := c.inModel() // whose text means its own classes; else what the tree has comes before them
	for _, k := range c.bySimple[name] {
		if len(path) > 1 && !ends(k.Qualified, path) || !c.meant(c.in[k], k.Qualified, path) {
			continue
		}
		rank := nearness(k.Qualified, len(scopes)+1, here)
		switch modelled := c.modelled(c.in[k]); {
		case own && modelled && rank > 0:
			return k
		case modelled && (found != nil || len(scopes) == 0 && !c.reaches(k)):
			continue
		}
		if found == nil || rank > near || rank == near && len(k.Qualified) < len(found.Qualified) || c.modelled(c.in[found]) {
			found, near = k, rank
		}
	}
	if found != nil && within("cub", found.Qualified) && !within("cub", here) { // a copy of CUB in the tree is what the model is of, but for what is in it
		for _, k := range c.bySimple[name] {
			if k.Qualified == found.Qualified && c.modelled(c.in[k]) {
				return k
			}
		}
	}
	return found
}

// within reports whether a qualified name is a namespace or stands in it.
func within(space, qualified string) bool {
	return qualified == space || strings.HasPrefix(qualified, space+"::")
}

// ends reports whether a qualified name ends in the names of a path.
func ends(qualified string, path []segment) bool {
	have := strings.Split(qualified, "::")
	if len(path) > len(have) {
		return false
	}
	for k, s := range path {
		if have[len(have)-len(path)+k] != s.name {
			return false
		}
	}
	return true
}

// scopeAround is the scope that a class stands in: that of the class around it where that is around what is translated, too; else the file's.
func (c *compiler) scopeAround(class *program.Class) *scope {
	if c.inFunction(class) {
		return c.scope
	}
	for s := c.scope; s != nil; s = s.outer {
		if s.class != nil && class.Qualified == s.class.Qualified+"::"+class.Name {
			return s
		}
		if s.outer == nil {
			return s
		}
	}
	return c.scope
}

// inFunction reports whether a class is one of the function that is translated.
func (c *compiler) inFunction(class *program.Class) bool {
	fn := c.scope.fn
	return fn != nil && fn.fn != nil && class.Qualified == fn.fn.Qualified+"::"+class.Name
}

// nested is a type that is a member of a class.
func (c *compiler) nested(in *ctype, s segment) *ctype {
	if in.env == nil {
		return nil
	}
	if t := c.kind(in.env, s); t != nil {
		return t
	}
	if k := c.besides(in.class.Qualified+"::"+s.name, in.class).first(); k != nil {
		return c.instance(k, c.argumentsOf(s), in.env)
	}
	for _, b := range in.env.bases {
		if t := c.nested(b, s); t != nil {
			return t
		}
	}
	return nil
}

// instance is a class, of a template with its arguments (C++17 [temp.class]). Data members lie as the Itanium C++ ABI 2.4 has them: bases first, then
// members in order, each aligned.
func (c *compiler) instance(class *program.Class, args []argument, around *scope) *ctype {
	if c.depth++; c.depth > maxInline {
		c.depth--
		return opaqueType(class.Name)
	}
	defer func() { c.depth-- }()
	name := class.Name
	if c.modelled(c.in[class]) {
		args = slices.Clone(args)
		for n, p := range class.Template[:min(len(args), len(class.Template))] {
			if a := &args[n]; a.number == nil && a.text != "" && p.Type == "int" {
				a.number = c.constantFor(a.text, mostFit)
			}
		}
	}
	class, args, bound := c.specialised(class, args, around)
	if class == nil {
		t := opaqueType(name)
		for _, a := range args {
			if a.t != nil && a.t.untold != "" {
				t.untold = a.t.untold
			}
		}
		return t
	}
	if c.undecided(class, args, around) {
		return opaqueType(class.Name)
	}
	return c.laidOut(class, args, bound, around)
}

// laidOut is the instance of a class with what its parameters are bound to.
func (c *compiler) laidOut(class *program.Class, args []argument, bound map[program.Param]argument, around *scope) *ctype {
	var key strings.Builder
	fmt.Fprintf(&key, "%p %p", class, around.instance)
	if c.inFunction(class) {
		key.WriteString(" " + around.fn.instance)
	}
	for k := range args {
		key.WriteString("," + args[k].key())
		if t := args[k].t; t != nil && t.closure != nil { // what it captured is another thing each time
			fmt.Fprintf(&key, " %p", t.closure)
		}
	}
	if t, known := c.laid[key.String()]; known {
		return t
	}
	if len(c.laid) > maxInstances {
		c.refuse(limit.Size, "more than %d instances of templates", maxInstances)
	}
	if class.Enum {
		c.laid[key.String()] = &ctype{number: intType.number, size: 4, align: 4, class: class, name: class.Name}
		return c.laid[key.String()]
	}
	t := opaqueType(class.Name) // for members that name it
	t.class, t.args = class, args
	c.laid[key.String()] = t
	before := c.scope
	defer func() { c.scope = before }()
	c.scope = newScope(around)
	c.scope.class, c.scope.instance, c.scope.fn = class, t, before.fn
	t.env = c.scope
	for name, a := range bound {
		c.bound(name, a)
	}
	for n, p := range class.Template {
		if p.Star > 0 && len(class.Arguments) == 0 {
			c.scope.packs = map[string][]argument{p.Name: args[min(n, len(args)):]}
		}
	}
	c.scope.kinds[class.Name] = t
	t.open = true
	c.members(t)
	t.open = false
	return t
}

// maxInstances bounds how many instances of class templates are made.
const maxInstances = 4096

// bound declares a template's parameter.
func (c *compiler) bound(p program.Param, a argument) {
	switch {
	case p.Type == "typename":
		if a.t == nil {
			a.t = opaqueType(p.Name)
		}
		c.scope.kinds[p.Name] = a.t
		c.asTemplate(p.Name, a)
	case a.number != nil:
		t := c.typeOf(p.Type)
		if t == nil || !t.integer() {
			t = intType
		}
		n := *a.number
		c.scope.names[p.Name] = &variable{t: t, reg: -1, number: &n}
	case a.text != "":
		c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, input: a.text}
	}
}

// specialised chooses the class of a name that arguments fit, and says what its parameters are (C++17 [temp.class.spec.match]).
func (c *compiler) specialised(class *program.Class, args []argument, around *scope) (*program.Class, []argument, map[program.Param]argument) {
	all := c.besides(class.Qualified, class)
	primary := class
	for _, k := range all {
		if len(k.Arguments) == 0 {
			primary = k
			break
		}
	}
	first := c.announced[class.Qualified]
	undefined := first != nil && len(primary.Arguments) > 0 && len(first.Template) == len(primary.Arguments)
	if undefined {
		primary = first
	}
	before := c.scope
	c.scope = newScope(around)
	defer func() { c.scope = before }()
	bound := map[program.Param]argument{}
	full := make([]argument, 0, len(primary.Template))
	declared := len(primary.Arguments) > 0 // it is defined for these alone
	if declared {
		full = append(full, args...)
	}
	for n, p := range primary.Template {
		if declared {
			break
		}
		if p.Star > 0 {
			full = append(full, args[min(n, len(args)):]...)
			break
		}
		a := argument{}
		switch {
		case n < len(args):
			a = args[n]
		case p.Default != nil:
			a = c.argumentOf(p.Default)
		case first != nil && len(first.Template) == len(primary.Template) && first.Template[n].Default != nil:
			a = c.argumentOf(first.Template[n].Default)
		default:
			a.text = p.Name
		}
		full = append(full, a)
		plain := program.Param{Name: p.Name, Type: p.Type}
		bound[plain] = a
		c.bound(plain, a)
	}
	best, most := primary, -1
	for _, k := range all {
		if len(k.Arguments) == 0 || len(k.Arguments) > len(full) {
			continue
		}
		given, exact, fits := map[program.Param]argument{}, 0, true
		for n := len(k.Arguments); n < len(full); n++ { // what it leaves out is what the template has by default
			fits = fits && n < len(primary.Template) && primary.Template[n].Default != nil && c.standsFor(primary.Template[n].Default, full[n])
		}
		for n, x := range k.Arguments {
			how := c.matches(k.Template, x, full[n], given)
			if how < 0 {
				fits = false
				break
			}
			exact += how
		}
		if fits && exact > most {
			best, most, bound = k, exact, given
		}
	}
	if (declared && len(args) > 0 || undefined) && most < 0 {
		c.madeFor(all, full)
		return nil, full, bound
	}
	return best, full, bound
}

// standsFor reports whether what is written is an argument that is given.
func (c *compiler) standsFor(x program.Expr, a argument) bool {
	of := c.argumentOf(x)
	return of.key() == a.key()
}

// madeFor notes types for which a class is defined, where it is not for one that a parameter of the kernel's template is taken for: whoever launches the kernel gives it
// one of those.
func (c *compiler) madeFor(all []*program.Class, full []argument) {
	for _, k := range all {
		for n, x := range k.Arguments {
			if n >= len(full) || full[n].t == nil || !full[n].t.guessed || full[n].t.untold == "" || full[n].t.to != nil {
				continue
			}
			name := full[n].t.untold
			if want := c.argumentOf(x); want.t != nil && want.t.scalarLike() && want.t.to == nil && want.key() != full[n].key() && c.fitting[name] == nil {
				c.fitting[name] = want.t
			}
		}
	}
}

// matches compares an argument of a specialisation with one that is given, and binds what it says of the specialisation's parameters: -1 where it
// does not fit, else how much of it is said (C++17 [temp.class.spec.match]).
func (c *compiler) matches(template []program.Param, x program.Expr, a argument, out map[program.Param]argument) int {
	if p, is := parameterOf(template, x); is {
		key := program.Param{Name: p.Name, Type: p.Type}
		if before, again := out[key]; again && before.key() != a.key() {
			return -1
		}
		out[key] = a
		return 0
	}
	id, is := x.(*program.Name)
	if !is || !slices.ContainsFunc(template, func(p program.Param) bool { return names(x, p.Name) }) {
		want := c.argumentOf(x)
		if want.t == nil && want.number == nil || want.key() != a.key() {
			return -1
		}
		return 1
	}
	s := c.spelled(id.Ident)
	if len(s.path) == 0 || a.t == nil {
		return -1
	}
	t := a.t
	for range s.stars {
		if t = t.to; t == nil {
			return -1
		}
	}
	last := s.path[len(s.path)-1]
	if !last.given && len(id.Template) == 0 {
		if p, is := parameterOf(template, &program.Name{Ident: last.name}); is && s.stars > 0 {
			out[program.Param{Name: p.Name, Type: p.Type}] = argument{t: t}
			return 1
		}
		return -1
	}
	if t.class == nil || t.class.Name != last.name {
		return -1
	}
	inner := id.Template
	if len(inner) == 0 {
		for _, text := range last.args {
			inner = append(inner, typeName(text))
		}
	}
	if len(inner) != len(t.args) {
		return -1
	}
	sum := 1
	for k, y := range inner {
		how := c.matches(template, y, t.args[k], out)
		if how < 0 {
			return -1
		}
		sum += how
	}
	return sum
}

// typeName is a template argument that stands in a type: an expression, or a name.
func typeName(text string) program.Expr {
	if x := expression(text); x != nil {
		return x
	}
	return &program.Name{Ident: text}
}

// names reports whether an expression has a name, in its text too.
func names(x program.Expr, name string) (yes bool) {
	program.WalkExprs(x, func(e program.Expr) bool {
		if id, is := e.(*program.Name); is && !yes {
			yes = slices.Contains(tokens(id.Ident).list, name)
		}
		return !yes
	})
	return yes
}

// parameterOf is the template's parameter that an argument of a specialisation names.
func parameterOf(template []program.Param, x program.Expr) (program.Param, bool) {
	if id, is := x.(*program.Name); is && len(id.Template) == 0 {
		for _, p := range template {
			if p.Name == id.Ident {
				return p, true
			}
		}
	}
	return program.Param{}, false
}

// members lays a class out and declares what else is in it.
func (c *compiler) members(t *ctype) {
	class, env := t.class, t.env
	for _, f := range class.Fields {
		if id, is := f.Targets[0].(*program.Name); is && f.Type == "using" {
			if env.aliases == nil {
				env.aliases = map[string]*alias{}
			}
			env.aliases[id.Ident] = &alias{params: f.Template, value: f.Value}
		}
	}
	size, align, lost := int64(0), int64(1), false
	var fields []field
	place := func(name string, of *ctype, least int64) {
		item := of
		for item.array {
			item = item.to
		}
		if item.open { // the name means another class than was found
			of = opaqueType(item.name)
		}
		at := int64(0)
		if !class.Union {
			at = (size + max(of.align, least) - 1) / max(of.align, least, 1) * max(of.align, least)
		}
		fields = append(fields, field{name, of, at, nil})
		size, align, lost = max(size, at+of.size), max(align, of.align, least), lost || of.opaque || item.opaque || item.partly
	}
	for _, x := range class.Bases {
		b := c.typeOfExpr(x)
		if b != nil && b.class != nil && b.class.Qualified == "at::TensorAccessor" && c.modelled(c.in[b.class]) {
			c.assume(class.Name + " gives the elements of what it is derived from")
			*t = *b
			return
		}
		if b == nil || b.opaque {
			lost = true
			continue
		}
		env.bases = append(env.bases, b)
		at := (size + b.align - 1) / max(b.align, 1) * b.align
		for _, f := range b.fields {
			fields = append(fields, field{f.name, f.t, at + f.at, f.to})
		}
		size, align = at+b.size, max(align, b.align)
	}
	for _, f := range class.Fields {
		least, known := c.alignment(f.Aligned)
		lost = lost || !known
		for _, target := range f.Targets {
			id, ok := target.(*program.Name)
			switch {
			case !ok:
			case f.Type == "using":
			case f.Value != nil && (f.Const || slices.Contains(tokens(f.Type).list, "const")):
				of := c.typeOf(f.Type)
				value := unlisted(f.Value, of)
				switch {
				case c.automatic(f.Type):
					of = opaqueType(f.Type) // its value has its type
				case of == nil || !of.integer():
					of = intType
				}
				env.names[id.Ident] = &variable{t: of, reg: -1, macro: value, env: env}
			case f.Static: // no part of an object, and its definition stands elsewhere
			case c.spelled(f.Type).reference:
				to := c.typeOr(f.Type)
				for k := len(f.Dims) - 1; k >= 0; k-- {
					n, known := c.constant(f.Dims[k])
					if !known || n < 0 || n > 1<<24 || to.opaque {
						t.class, t.env, t.opaque = nil, nil, true
						return
					}
					to = arrayOf(to, n)
				}
				of := opaqueType(f.Type)
				of.size, of.align = 8, 8
				place(id.Ident, of, least)
				fields[len(fields)-1].to = to
			default:
				of, open := c.typeOr(f.Type), false
				for k := len(f.Dims) - 1; k >= 0; k-- {
					n, known := c.constant(f.Dims[k])
					if !known || n < 0 || n > 1<<24 {
						lost, open, n = true, true, 1
					}
					of = arrayOf(of, n)
				}
				if place(id.Ident, of, least); open { // what stands behind an array is none of its elements, however many these are
					size += apartBy
				}
			}
		}
	}
	for _, k := range c.inside[class.Qualified] { // members of a union without a name are the class's
		if k.Enum && !k.Scoped { // and so are enumerators, which the parameters of its template may be in (C++17 [class.mem]/1)
			for _, e := range k.Fields {
				if id, ok := e.Targets[0].(*program.Name); ok && e.Value != nil && env.names[id.Ident] == nil {
					env.names[id.Ident] = &variable{t: intType, reg: -1, macro: e.Value, env: env}
				}
			}
		}
		if k.Union && k.Anonymous {
			u := c.instance(k, nil, env)
			at := (size + u.align - 1) / max(u.align, 1) * u.align
			for _, f := range u.fields {
				fields = append(fields, field{f.name, f.t, at + f.at, nil})
			}
			size, align = at+u.size, max(align, u.align)
		}
	}
	least, known := c.alignment(class.Aligned)
	align, lost = max(align, least), lost || !known
	t.fields, t.opaque, t.size, t.align = fields, false, (size+align-1)/align*align, align
	if lost {
		t.partly = true
	}
	if t.fields == nil {
		t.fields = []field{}
	}
}

// alignment is the strictest of several that are declared, in bytes; known is false where one of them is not (C++17 [dcl.align]).
func (c *compiler) alignment(list []program.Expr) (most int64, known bool) {
	known = true
	for _, x := range list {
		n, ok := c.constant(x)
		if t := c.typeOfExpr(x); !ok && t != nil && !t.opaque && !t.partly {
			n, ok = t.align, true
		}
		if !ok || n < 0 || n&(n-1) != 0 || n > mostAligned {
			known = false
			continue
		}
		most = max(most, n)
	}
	return most, known
}

// mostAligned is more than any alignment that a type may have.
const mostAligned = 1 << 16

// apartBy is how far behind an array of which nobody says how large it is the next member of an object is.
const apartBy = 1 << 12

// static is a static member, or an enumerator, of a class.
func (c *compiler) static(of *ctype, name string) *variable {
	if of.class != nil && of.class.Enum {
		if n, known := c.enumeratorOf(of.class, name); known {
			return &variable{t: of, reg: -1, number: &n}
		}
		return nil
	}
	if of.env == nil {
		return nil
	}
	if v := of.env.names[name]; v != nil {
		return v
	}
	for _, k := range c.inside[of.class.Qualified] {
		if k.Enum {
			if n, known := c.enumeratorOf(k, name); known {
				return &variable{t: intType, reg: -1, number: &n}
			}
		}
	}
	for _, b := range of.env.bases {
		if v := c.static(b, name); v != nil {
			return v
		}
	}
	return nil
}

// member is a constant of a class, by the name of both.
func (c *compiler) member(class, name string) (n ints.Number, known bool) {
	if t := c.typeOf(class); t == nil || c.static(t, name) == nil {
		return n, false
	}
	return c.folded(&program.Name{Ident: class + "::" + name})
}

// enumeratorOf is the number of an enumerator.
func (c *compiler) enumeratorOf(k *program.Class, name string) (int64, bool) {
	for _, f := range k.Fields {
		if id, ok := f.Targets[0].(*program.Name); ok && id.Ident == name && c.macros < maxInline {
			c.macros++
			defer func() { c.macros-- }()
			return c.constant(f.Value)
		}
	}
	return 0, false
}

// enumeratorNamed is the name of the enumerator that has a number, or the number.
func (c *compiler) enumeratorNamed(k *program.Class, n int64) string {
	for _, f := range k.Fields {
		if id, ok := f.Targets[0].(*program.Name); ok {
			if m, known := c.constant(f.Value); known && m == n {
				return id.Ident
			}
		}
	}
	return fmt.Sprint(n)
}

// enumerator is a constant of an enumeration without a scope. Of several of the name that which is nearest in the namespaces around; where none is, they have to agree.
func (c *compiler) enumerator(name string) (int64, bool) {
	last := name
	if strings.Contains(name, "::") {
		path := c.spelled(name).path
		if len(path) == 0 {
			return 0, false
		}
		last = path[len(path)-1].name
	}
	list := c.enumerators[last]
	if len(list) == 0 {
		return 0, false
	}
	full := func(k *program.Class) string {
		if space, _ := program.SplitName(k.Qualified); space != "" {
			return space + "::" + last
		}
		return last
	}
	for space := c.namespace(); ; space, _ = program.SplitName(space) { // from the inside to the outside
		of := name
		if space != "" {
			of = space + "::" + name
		}
		for _, k := range list {
			if full(k) == of {
				return c.enumeratorOf(k, last)
			}
		}
		if space == "" {
			break
		}
	}
	var n int64
	found := false
	for _, k := range list {
		if last != name && !ends(full(k), c.spelled(name).path) {
			continue
		}
		number, known := c.enumeratorOf(k, last)
		if !known || found && number != n { // which is meant is not known
			return 0, false
		}
		n, found = number, true
	}
	return n, found
}

// methods lists the methods of a class, and those of its bases where it has none of the name, with the type whose they are.
func (c *compiler) methods(t *ctype, fits func(*program.Function) bool) (out []*program.Function, of *ctype) {
	if t.class == nil {
		return nil, nil
	}
	for _, m := range t.class.Methods {
		if fits(m) && !c.outOfLine(m, t.class) {
			out = append(out, m)
		}
	}
	out, sure := c.specific(t, append(out, slices.DeleteFunc(slices.Clone(c.defined[t.class]), func(m *program.Function) bool { return !fits(m) })...))
	if !sure {
		return nil, nil
	}
	if out != nil || t.env == nil {
		return out, t
	}
	for _, b := range t.env.bases {
		if out, of = c.methods(b, fits); out != nil {
			return out, of
		}
	}
	return nil, nil
}

// specific leaves out what is defined for other arguments of a class template, and what another is for where it is for these (C++17 [temp.expl.spec]);
// sure is false where which of them it is depends on what is not known.
func (c *compiler) specific(t *ctype, list []*program.Function) (out []*program.Function, sure bool) {
	var mine []*program.Function
	for _, m := range list {
		args, special := c.tailored[m]
		if !special {
			out = append(out, m)
			continue
		}
		given := c.arguments(args)
		same := len(given) == len(t.args)
		for k := 0; same && k < len(given); k++ {
			if vagueArgument(t.args[k]) || vagueArgument(given[k]) {
				return nil, false
			}
			same = given[k].key() == t.args[k].key()
		}
		if same {
			mine = append(mine, m)
		}
	}
	if mine == nil {
		return out, true
	}
	out = slices.DeleteFunc(out, func(m *program.Function) bool {
		return slices.ContainsFunc(mine, func(n *program.Function) bool { return len(n.Params) == len(m.Params) })
	})
	return append(out, mine...), true
}

// vagueArgument reports whether it is not known what an argument of a template is.
func vagueArgument(a argument) bool { return a.number == nil && (a.t == nil || vague(a.t)) }

// baseOf makes the memory of a base from that of an object: what a method of the base takes for its own.
func (c *compiler) baseOf(at *place, base *ctype) *place {
	if at.t == base || at.memory == nil {
		return &place{t: base, memory: at.memory, object: at.object, array: at.array, input: at.input, whole: at}
	}
	m := *at.memory
	if len(base.fields) > 0 {
		if f, known := at.t.member(base.fields[0].name); known {
			m.offset += f.at - base.fields[0].at
		}
	}
	return &place{t: base, memory: &m, whole: at}
}

// seenAs is an object as an object of another class: of a base, or, where it is known to be one of, of a class that it is a base of (C++17 [conv.ptr]/3, [expr.static.cast]/11).
func (c *compiler) seenAs(at *place, t *ctype) *place {
	if at == nil || t == nil || at.t == nil || at.t.class == nil || t.class == nil || at.t == t {
		return at
	}
	for of := at; of != nil; of = of.whole {
		switch {
		case of.t == t:
			return of
		case derives(of.t, t, 0) && !c.polymorphic(t):
			return c.baseOf(of, t)
		}
	}
	return at
}

var virtual = regexp.MustCompile(`\bvirtual\b`)

// polymorphic reports whether a class says virtual: what is called of its objects is their own class's.
func (c *compiler) polymorphic(t *ctype) bool {
	in := c.in[t.class]
	return in != nil && virtual.MatchString(in.Source.Text(t.class.Span))
}
