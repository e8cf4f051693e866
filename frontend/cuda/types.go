package cuda

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// ctype is a type of C++ as far as a kernel's memory and arithmetic need it.
type ctype struct {
	number  ir.Type // of scalars; no bits: none
	boolean bool
	to      *ctype   // a pointer's, an array's element
	extent  int64    // of an array; -1: not said
	array   bool     // to is an element
	space   ir.Space // of a pointer
	fields  []field  // of a class
	name    string   // of a class, as it is written
	written string   // of a type of which nothing is known: how the text names it
	size    int64
	align   int64
	strong  bool   // volatile
	opaque  bool   // nothing is known of it; the size is a guess
	view    bool   // of what a library gave: see dialect.Views
	partly  bool   // some of its members are opaque
	open    bool   // it is being laid out: nothing holds an object of it yet (C++17 [class.mem]/3)
	guessed bool   // it is what a template's parameter is taken for
	untold  string // the parameter of the kernel's template that it, or what it is part of, depends on, and no launch says
	class   *program.Class
	args    []argument // of the template that the class is an instance of
	env     *scope     // of a class: what names mean in it
	closure *closure   // of a lambda
	groups  threads    // of cooperative groups
	room    room       // of a type of which nothing is known
	direct  bool       // of a pointer: it leads to a variable by its name, so how large the type is decides nothing
}

// field is a data member and its place.
type field struct {
	name string
	t    *ctype
	at   int64
	to   *ctype // of a reference: what it is bound to is of the type
}

var (
	voidType = &ctype{size: 0, align: 1, name: "void"}
	boolType = &ctype{number: ir.Type{Bits: 8}, boolean: true, size: 1, align: 1}
	intType  = scalar(32, true, false)
	uintType = scalar(32, false, false)
	longType = scalar(64, true, false)
	ulongOf  = scalar(64, false, false)
	realType = scalar(32, true, true)
)

func scalar(bits uint8, signed, data bool) *ctype {
	n := int64(max(bits, 8)) / 8
	return &ctype{number: ir.Type{Bits: bits, Signed: signed && !data, Data: data}, size: n, align: n}
}

func pointerTo(t *ctype, space ir.Space) *ctype {
	return &ctype{to: t, space: space, size: 8, align: 8}
}

func arrayOf(t *ctype, n int64) *ctype {
	return &ctype{to: t, array: true, extent: n, size: t.size * max(n, 0), align: t.align}
}

// opaqueType is a type of which nothing is known. That it has the size of a word is a guess.
func opaqueType(name string) *ctype {
	return &ctype{name: name, opaque: true, size: 4, align: 4}
}

func (t *ctype) pointer() bool       { return t != nil && t.to != nil && !t.array }
func (t *ctype) data() bool          { return t.number.Data }
func (t *ctype) integer() bool       { return t.number.Bits > 0 && !t.number.Data }
func (t *ctype) countsThreads() bool { return t.integer() && t.number.Bits >= 32 } // it holds the extent of every block and grid
func (t *ctype) scalarLike() bool    { return t.number.Bits > 0 || t.pointer() }

// scalars are the number types of C++ and CUDA on a 64-bit host, by their spelling without const and with single spaces.
var scalars = map[string]*ctype{
	"void": voidType, "bool": boolType, "char": scalar(8, true, false), "signed char": scalar(8, true, false), "unsigned char": scalar(8, false, false), "uchar": scalar(8, false, false),
	"int8_t": scalar(8, true, false), "uint8_t": scalar(8, false, false), "short": scalar(16, true, false), "short int": scalar(16, true, false), "unsigned short": scalar(16, false, false), "ushort": scalar(16, false, false),
	"int16_t": scalar(16, true, false), "uint16_t": scalar(16, false, false), "int": intType, "signed": intType, "signed int": intType, "int32_t": intType,
	"unsigned": uintType, "unsigned int": uintType, "uint": uintType, "uint32_t": uintType, "long": longType, "long int": longType, "long long": longType, "long long int": longType,
	"int64_t": longType, "ptrdiff_t": longType, "intptr_t": longType, "unsigned long": ulongOf, "unsigned long long": ulongOf, "unsigned long long int": ulongOf, "unsigned long int": ulongOf, "ulong": ulongOf,
	"uint64_t": ulongOf, "size_t": ulongOf, "uintptr_t": ulongOf, "clock_t": longType,
	"float": realType, "double": scalar(64, true, true), "half": halfType, "__half": halfType, "__nv_bfloat16": bfloatType, "nv_bfloat16": bfloatType,
	"half2": half2Type, "__half2": half2Type, "__nv_bfloat162": bfloat2Type, "nv_bfloat162": bfloat2Type,
}

// Classes of CUDA (cuda_fp16.h, cuda_bf16.h) that are treated as one number each, and are types of their own.
var halfType, bfloatType, half2Type, bfloat2Type = named("half", 16), named("bfloat16", 16), named("half2", 32), named("bfloat162", 32)

func named(name string, bits uint8) *ctype {
	t := scalar(bits, true, true)
	t.name = name
	return t
}

// vectors are CUDA's vector types (vector_types.h): element, members, alignment.
var vectors = func() map[string]*ctype {
	out := map[string]*ctype{}
	for name, t := range map[string]*ctype{"char": scalars["char"], "uchar": scalars["uchar"], "short": scalars["short"], "ushort": scalars["ushort"], "int": intType, "uint": uintType,
		"long": longType, "ulong": ulongOf, "longlong": longType, "ulonglong": ulongOf, "float": realType, "double": scalars["double"]} {
		for n := int64(1); n <= 4; n++ {
			align := t.size
			if n != 3 {
				align = min(t.size*n, 16)
			}
			v := &ctype{name: name + string(rune('0'+n)), size: t.size * n, align: align}
			for k := range n {
				v.fields = append(v.fields, field{string("xyzw"[k]), t, k * t.size, nil})
			}
			out[v.name] = v
		}
	}
	out["dim3"] = &ctype{name: "dim3", size: 12, align: 4, fields: []field{{"x", uintType, 0, nil}, {"y", uintType, 4, nil}, {"z", uintType, 8, nil}}}
	return out
}()

// typeOf reads a type as it is written; nil where it is not known.
func (c *compiler) typeOf(text string) *ctype {
	c.worked()
	s := c.spelled(text)
	var t *ctype
	switch {
	case s.of != "":
		t = c.typeOfText(s.of)
	case s.path == nil:
		return nil
	default:
		t = c.named(s.path)
	}
	if t == nil || t.opaque && (c.alone != nil || t.untold != "") {
		if taken := c.takenFor(s, t); taken != nil {
			t = taken
		}
	}
	if t == nil {
		return nil
	}
	if s.strong {
		strong := *t
		strong.strong = true
		t = &strong
	}
	return c.pointing(s, t)
}

// pointing is the pointer to a type that is written, or the type itself: T*, T[], T[][8]; nil where it is not known how long rows are.
func (c *compiler) pointing(s *spelling, t *ctype) *ctype {
	for range s.stars - min(len(s.rows), 1) {
		t = pointerTo(t, ir.Generic)
	}
	for k := len(s.rows) - 1; k >= 0; k-- {
		n, known := c.constantText(s.rows[k])
		if !known || n < 1 {
			return nil
		}
		t = arrayOf(t, n)
	}
	if len(s.rows) > 0 {
		t = pointerTo(t, ir.Generic)
	}
	return t
}

// typeOr is the type that a text names, or one of which nothing is known.
func (c *compiler) typeOr(text string) *ctype {
	t := c.typeOf(text)
	if t != nil {
		return t
	}
	s := c.spelled(text)
	t = opaqueType(text)
	t.written, t.untold = text, c.untold(s.path)
	if s.stars > 0 || s.reference { // what is pointed to is of the type that is written without
		t.written = strings.TrimSpace(strings.TrimRight(text, "*& "))
	}
	for range s.stars {
		t = pointerTo(t, ir.Generic)
	}
	return t
}

// takenFor is what a type of which nothing is known is taken for, by what the function, and the others of its class, do with objects of it: an integer where they count, a
// floating-point number where they are elements that are read and written as a whole. nil: for nothing. That is for functions by themselves, of which nothing is proved, and for
// types that the launch of a kernel says, as members of what its template is given: these are guesses.
func (c *compiler) takenFor(s *spelling, known *ctype) *ctype {
	if c.entry == nil || len(s.path) == 0 || known != nil && (known.class != nil || known == voidType || known.fields != nil) || c.inModel() {
		return nil
	}
	last := s.path[len(s.path)-1]
	if last.given || c.alone == nil && (known == nil && c.untold(s.path) == "" || len(s.path) == 1 && c.isParameter(last.name)) {
		return nil
	}
	if t, asked := c.presumed[last.name]; asked {
		return t
	}
	if c.presumed == nil {
		c.presumed = map[string]*ctype{}
	}
	c.presumed[last.name] = nil // what asks for it while it is found out
	counts, elements, members := false, false, false
	for _, fn := range c.file.Functions {
		if fn != c.entry && (fn.Class == nil || fn.Class != c.entry.Class) {
			continue
		}
		counts = counts || c.counts(fn, last.name)
		element, member := c.elemental(fn, last.name)
		elements, members = elements || element, members || member
	}
	taken, what := realType, "float"
	switch {
	case members || !counts && !elements:
		return nil
	case counts:
		taken, what = intType, "int"
	}
	c.assume(last.name + " is " + what)
	if c.alone == nil {
		guess := *taken
		guess.guessed, guess.untold = true, last.name
		taken, c.guessed = &guess, true
		c.code.Guesses = append(c.code.Guesses, last.name)
	}
	c.presumed[last.name] = taken
	return taken
}

// isParameter reports whether a name is one of a type of the template of the kernel.
func (c *compiler) isParameter(name string) bool {
	return slices.ContainsFunc(c.entry.Template, func(p program.Param) bool { return p.Name == name })
}

// elemental reports whether pointers to a type lead to elements that a function reads or writes as a whole, and whether it names a member of some object of it.
func (c *compiler) elemental(fn *program.Function, kind string) (yes, member bool) {
	names := map[string]int{} // of objects, and how many stars are before these
	note := func(name, text string) {
		if s := c.spelled(text); len(s.path) > 0 && s.path[len(s.path)-1].name == kind {
			names[name] = s.stars + 1
		}
	}
	for _, p := range fn.Params {
		note(p.Name, p.Type)
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if a, is := st.(*program.Assign); is && a.Decl {
			for _, t := range a.Targets {
				if id, is := t.(*program.Name); is {
					note(id.Ident, a.Type)
				}
			}
		}
		return true
	})
	stars := func(x program.Expr) int {
		n := 0
		program.WalkExprs(x, func(e program.Expr) bool {
			if id, is := e.(*program.Name); is {
				n = max(n, names[id.Ident])
			}
			return true
		})
		return n
	}
	for _, st := range fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			switch x := e.(type) {
			case *program.Index:
				id, is := x.X.(*program.Name)
				yes = yes || is && names[id.Ident] == 2
			case *program.Unary:
				yes = yes || x.Op == "*" && stars(x.X) == 2
			case *program.Binary: // p + n
				for _, side := range [2]program.Expr{x.X, x.Y} {
					id, is := side.(*program.Name)
					yes = yes || is && (x.Op == "+" || x.Op == "-") && names[id.Ident] == 2
				}
			case *program.Attr:
				member = member || stars(x.X) > 0
			}
			return true
		})
	}
	return yes, member
}

// untold is the parameter of the kernel's template that a name, or what its templates are given, depends on; "" where it depends on none.
func (c *compiler) untold(path []segment) string {
	for k, s := range path {
		if k == 0 && !s.given {
			if t := c.types(c.scope, s); t != nil && t.untold != "" {
				return t.untold
			}
		}
		for _, a := range s.args {
			if why := c.untold(c.spelled(a).path); why != "" {
				return why
			}
		}
		for _, x := range s.exprs {
			if id, is := x.(*program.Name); is {
				if why := c.untold(c.spelled(id.Ident).path); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// untoldOf is the parameter of the kernel's template that what is called depends on.
func (c *compiler) untoldOf(x program.Expr) string {
	switch x := x.(type) {
	case *program.Name:
		if v := c.scope.find(x.Ident); v != nil {
			if v.t != nil {
				return v.t.untold
			}
			return ""
		}
		path := slices.Clone(c.spelled(x.Ident).path)
		if len(path) > 0 && len(x.Template) > 0 {
			path[len(path)-1].exprs = x.Template
		}
		return c.untold(path)
	case *program.Attr:
		return c.untoldOf(x.X)
	case *program.Index:
		return c.untoldOf(x.X)
	case *program.Unary:
		return c.untoldOf(x.X)
	case *program.Cast:
		return c.untold(c.spelled(x.Type).path)
	case *program.Call:
		return c.untoldOf(x.Fun)
	}
	return ""
}

// typeOfText is the type of an expression of sizeof or decltype that names an object or a part of one: x, *x, x[i].y. It is not evaluated.
func (c *compiler) typeOfText(text string) *ctype {
	l := tokens(text)
	stars := 0
	for l.peek() == "*" || l.peek() == "(" {
		if l.next() == "*" {
			stars++
		}
	}
	if !word(l.peek()) {
		return nil
	}
	start := l.at
	l.path()
	v := c.lookup(strings.Join(l.list[start:l.at], ""))
	if v == nil || v.t == nil || v.macro != nil || v.input != "" {
		return nil
	}
	t := v.t
	for !l.end() {
		switch l.next() {
		case ")":
			continue
		case "[":
			l.until("]")
			t = t.to
		case "-":
			if l.next() != ">" {
				return nil
			}
			t = t.to
			fallthrough
		case ".":
			if t == nil {
				return nil
			}
			f, known := t.member(l.next())
			if !known {
				return nil
			}
			t = f.t
		default:
			return nil
		}
		if t == nil {
			return nil
		}
	}
	for range stars {
		if t = t.to; t == nil {
			return nil
		}
	}
	return t
}

// named is the type that a name with its scopes means.
func (c *compiler) named(path []segment) *ctype {
	var in *ctype // the class whose member comes next
	for k, s := range path {
		if k > 0 && s.name == "type" && !s.given && k == len(path)-1 && (k == 1 || k == 2 && path[0].name == "std") { // conditional<...>::type
			if t := c.trait(path[k-1].name+"_t", path[k-1]); t != nil {
				return t
			}
		}
		if in != nil {
			in = c.nested(in, s)
			if in == nil && !slices.ContainsFunc(path[:len(path)-1], func(s segment) bool { return s.given }) { // a namespace has the name of a class elsewhere
				return c.simple(path[len(path)-1], true, path[:len(path)-1])
			}
			if in == nil {
				return nil
			}
			continue
		}
		if in = c.simple(s, k > 0, path[:k]); in == nil && k == len(path)-1 {
			return nil
		}
	}
	return in
}

// simple is the type that one name means where it stands, or in a namespace.
func (c *compiler) simple(s segment, qualified bool, scopes []segment) *ctype {
	if !qualified {
		if t := c.types(c.scope, s); t != nil {
			return t
		}
	}
	if v := c.scope.find(s.name); v != nil && v.macro != nil && v.env == nil && c.macros < maxInline { // #define real float
		if id, is := v.macro.(*program.Name); is && id.Ident != s.name {
			c.macros++
			defer func() { c.macros-- }()
			return c.typeOfExpr(id)
		}
	}
	if !qualified || len(scopes) == 1 && (scopes[0].name == "std" || scopes[0].name == "cute") || len(scopes) == 2 && scopes[0].name == "cuda" && scopes[1].name == "std" {
		if t := scalars[s.name]; t != nil && !s.given {
			return t
		}
		if t := c.trait(s.name, s); t != nil {
			return t
		}
	}
	if t := vectors[s.name]; t != nil && !qualified && !s.given {
		return t
	}
	if t := c.threadGroup(s, scopes); t != nil {
		return t
	}
	class := c.classOf(s.name, scopes)
	if a, near := c.aliasOf(s, scopes); a != nil && (class == nil || near >= nearness(class.Qualified, len(scopes)+1, c.around())) {
		if t := c.aliased(a, s, c.fileScoped()); t != nil {
			return t
		}
	}
	if class != nil {
		return c.instance(class, c.argumentsOf(s), c.scopeAround(class))
	}
	return nil
}

// trait is what some templates of the C++ library name: one of two types, or a type without its qualifiers (C++17 [meta.trans]).
func (c *compiler) trait(name string, s segment) *ctype {
	n := len(s.args)
	switch name {
	case "conditional_t":
		if n == 3 {
			if which := c.argumentAt(s, 0); which.number != nil {
				return c.argumentAt(s, 2-boolean(*which.number != 0)).t
			}
		}
	case "enable_if_t":
		if n == 2 {
			return c.argumentAt(s, 1).t
		}
	case "remove_cv_t", "remove_const_t", "remove_volatile_t", "remove_reference_t", "decay_t", "remove_cvref_t", "type_identity_t":
		if n == 1 {
			return c.argumentAt(s, 0).t
		}
	case "remove_pointer_t":
		if n == 1 {
			if t := c.argumentAt(s, 0).t; t != nil && t.pointer() {
				return t.to
			} else if t != nil && !t.opaque {
				return t
			}
		}
	case "make_unsigned_t", "make_signed_t":
		if n == 1 {
			if t := c.argumentAt(s, 0).t; t != nil && t.integer() && !t.boolean {
				return scalar(t.number.Bits, name == "make_signed_t", false)
			}
		}
	}
	return nil
}

// argumentAt is one of the template arguments of a name.
func (c *compiler) argumentAt(s segment, k int) argument {
	s.args = s.args[k : k+1]
	if s.exprs != nil {
		s.exprs = s.exprs[k : k+1]
	}
	if list := c.argumentsOf(s); len(list) == 1 {
		return list[0]
	}
	return argument{}
}

// said is what a template of the C++ library says of types (C++17 [meta.unary], [meta.rel]), as far as it is known here. What the kernel's template is
// given, and no launch says, is asked of no type.
func (c *compiler) said(path []segment) (yes, known bool) {
	if len(path) == 0 {
		return false, false
	}
	s := path[len(path)-1]
	name, value := strings.CutSuffix(s.name, "_v")
	if s.name == "value" && !s.given && len(path) > 1 {
		path = path[:len(path)-1]
		s, value = path[len(path)-1], true
		name = s.name
	}
	if !value || !s.given || len(path) > 1 && path[len(path)-2].name != "std" {
		return false, false
	}
	var of []*ctype
	for _, a := range c.argumentsOf(s) {
		if a.t == nil || a.t.opaque || a.t.guessed {
			return false, false
		}
		of = append(of, a.t)
	}
	switch {
	case name == "is_same" && len(of) == 2:
		return of[0] == of[1], of[0] == of[1] || of[0].key() != of[1].key()
	case len(of) != 1:
	case name == "is_pointer":
		return of[0].pointer(), true
	case name == "is_class":
		return of[0].class != nil && !of[0].class.Enum && !of[0].class.Union, true
	case name == "is_void":
		return of[0] == voidType, true
	case name == "is_integral":
		return of[0].integer() && of[0].class == nil, true
	}
	return false, false
}

// typeOfExpr reads a type that stands where an expression may.
func (c *compiler) typeOfExpr(x program.Expr) *ctype {
	n, ok := x.(*program.Name)
	if !ok {
		return nil
	}
	if len(n.Template) == 0 {
		return c.typeOf(n.Ident)
	}
	path := c.spelled(n.Ident).path
	if len(path) == 0 {
		return nil
	}
	path = slices.Clone(path)
	last := &path[len(path)-1]
	last.args, last.exprs, last.given = texts(n.Template), n.Template, true
	return c.named(path)
}

// texts are template arguments as they are written, as far as that is a name or a number.
func texts(list []program.Expr) (out []string) {
	for _, x := range list {
		switch x := x.(type) {
		case *program.Int:
			out = append(out, strconv.FormatInt(x.Value, 10))
		case *program.Name:
			out = append(out, x.Ident)
		default:
			out = append(out, "?")
		}
	}
	return out
}

func (t *ctype) member(name string) (field, bool) {
	for _, f := range t.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
