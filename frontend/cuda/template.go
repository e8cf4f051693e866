package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// templates binds the parameters of a function's template: what the call says, else what its arguments say, else their defaults.
func (c *compiler) templates(fn *program.Function, given []argument, args []value, this *place) {
	outer, own := c.ownTemplate(fn)
	if this != nil && this.t.env != nil { // those of the class are what they are in it, by other names perhaps
		class := c.ownerOf(fn)
		for k, p := range outer {
			name := class.Template[k].Name
			if t := this.t.env.kinds[name]; t != nil {
				c.scope.kinds[p.Name] = t
			}
			if v := this.t.env.names[name]; v != nil {
				c.scope.names[p.Name] = v
			}
			if list, is := this.t.env.packs[name]; is {
				c.pack(p.Name, list)
			}
		}
	}
	if len(own) == 0 {
		return
	}
	deduced := map[string]argument{}
	for k, p := range fn.Params {
		if k < len(args) && args[k].t != nil {
			c.deduce(own, c.spelled(p.Type), args[k].t, deduced)
		}
	}
	for k, p := range own {
		if p.Star > 0 {
			if k < len(given) {
				c.pack(p.Name, given[k:])
			}
			continue
		}
		a := argument{}
		switch d, is := deduced[p.Name]; {
		case k < len(given) && given[k] != (argument{}):
			a = given[k]
		case is:
			a = d
		case p.Default != nil:
			a = c.argumentOf(p.Default)
		}
		c.templateParameter(fn, p, a)
	}
}

// pack says what a parameter of a template that stands for several stands for.
func (c *compiler) pack(name string, list []argument) {
	if c.scope.packs == nil {
		c.scope.packs = map[string][]argument{}
	}
	c.scope.packs[name] = list
}

// templateParameter declares a parameter of a function's template. What the kernel is launched with, and no launch of the file says, is guessed.
func (c *compiler) templateParameter(fn *program.Function, p program.Param, a argument) {
	key := a.key()
	switch {
	case p.Type == "typename":
		leads, member := false, false
		if a.t == nil && (fn.Kernel || fn == c.alone) {
			leads, member = c.uses(fn, p.Name)
		}
		if a.t == nil && fn == c.alone && c.ranks(fn, p.Name) {
			taken := *groupOf(ir.Lanes)
			taken.guessed, taken.untold = true, p.Name
			a.t = &taken
			c.assume(p.Name + " is a tile of 32 threads")
		}
		if a.t == nil && !member && (fn.Kernel || fn == c.alone) {
			taken := *realType
			if made := c.takes[p.Name]; made != nil {
				a.t, taken = &taken, *made
				c.code.Guesses = append(c.code.Guesses, p.Name) // for another one it may be defined otherwise
				c.assume(fmt.Sprintf("%s is a type of %d bits for which what it uses is defined", p.Name, made.number.Bits))
			} else if bytes, said := c.fit[ir.SizeOf+p.Name]; said && sized[bytes] != nil && !leads {
				a.t, taken = &taken, *sized[bytes]
				c.assume(fmt.Sprintf("%s is a type of %d bytes, as a static assertion says", p.Name, bytes))
			} else {
				what := "float"
				if a.t = &taken; c.counts(fn, p.Name) {
					taken, what = *intType, "int"
				}
				if leads {
					of := taken
					taken, what = *pointerTo(&of, ir.Generic), "a pointer to "+what
				}
				c.assume(p.Name + " is " + what)
			}
			taken.guessed, taken.untold = true, p.Name
		}
		if a.t == nil {
			a.t = opaqueType(p.Name)
		}
		if fn.Kernel && a.t.opaque && a.t.untold == "" {
			t := *a.t
			t.untold = p.Name
			a.t = &t
		}
		c.scope.kinds[p.Name] = a.t
		c.asTemplate(p.Name, a)
		key = a.key()
	default:
		t := c.typeOf(p.Type)
		number := t != nil && t.integer()
		if !number {
			t = intType
		}
		n := c.numberFor(p.Name)
		switch {
		case a.number != nil:
			n = *a.number
		case a.text != "" && !a.input && len(c.functions[lastName(a.text)]) > 0:
			c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, function: a.text, given: a.x}
			c.scope.fn.instance += a.text + ","
			return
		case (fn.Kernel || fn == c.alone) && t.class != nil && t.class.Enum && len(t.class.Fields) > 0: // one of those that there are: what is compiled for it fits together
			first, known := c.constant(t.class.Fields[0].Value)
			if !known {
				first = 0
			}
			if fit, is := c.fit[p.Name]; is {
				first = fit
			}
			n, c.guessed = first, true
			c.code.Guesses = append(c.code.Guesses, p.Name)
			c.assume(fmt.Sprintf("%s is %s", p.Name, c.enumeratorNamed(t.class, n)))
		case (fn.Kernel || fn == c.alone && number) && !t.boolean && t.class == nil: // whoever launches it says so
			c.guessed = true
			c.code.Guesses = append(c.code.Guesses, p.Name)
			c.assume(fmt.Sprintf("%s is %d", p.Name, n))
		default:
			name := a.text
			if name == "" {
				name = p.Name
				if fn.Kernel && t.boolean && t.class == nil {
					c.code.Flags = append(c.code.Flags, p.Name)
				}
			}
			c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, input: name}
			c.scope.fn.instance += name + ","
			return
		}
		key = fmt.Sprint(n)
		c.scope.names[p.Name] = &variable{t: t, reg: -1, number: &n}
	}
	c.scope.fn.instance += key + ","
}

// uses says what a function does with what it is handed of a template's type: leads is set where that is subscripted or dereferenced, as iterators are; member where it is a class, of which
// members are named, here or where it is handed on.
func (c *compiler) uses(fn *program.Function, kind string) (leads, member bool) {
	var names []string
	for _, p := range fn.Params {
		if s := c.spelled(p.Type); len(s.path) == 1 && s.path[0].name == kind && s.stars == 0 && !p.Ref {
			names = append(names, p.Name)
		}
	}
	member = c.scopes(fn, kind)
	of := func(x program.Expr) bool {
		id, is := x.(*program.Name)
		return is && slices.Contains(names, id.Ident)
	}
	for _, st := range fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			switch x := e.(type) {
			case *program.Index:
				leads = leads || len(x.Args) == 1 && of(x.X)
			case *program.Unary:
				leads = leads || x.Op == "*" && of(x.X)
			}
			return true
		})
	}
	for _, name := range names {
		member = member || c.namesMember(fn, name, maxHanded)
	}
	return leads && !member, member
}

// maxHanded is through how many calls it is followed where a parameter is handed on.
const maxHanded = 3

// namesMember reports whether a function, or one that it hands a parameter to, names a member of it.
func (c *compiler) namesMember(fn *program.Function, name string, deep int) (yes bool) {
	for _, st := range fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			switch x := e.(type) {
			case *program.Attr:
				yes = yes || !x.Arrow && identOf(x.X) == name
			case *program.Call:
				k := slices.IndexFunc(x.Args, func(a program.Expr) bool { return identOf(a) == name })
				if k < 0 || deep == 0 {
					break
				}
				for _, callee := range c.functions[lastName(identOf(x.Fun))] {
					if callee != fn && k < len(callee.Params) && callee.Params[k].Star == 0 {
						yes = yes || c.namesMember(callee, callee.Params[k].Name, deep-1)
					}
				}
			}
			return !yes
		})
	}
	return yes
}

// scopes reports whether a function names a member of a type of its template: T::name.
func (c *compiler) scopes(fn *program.Function, kind string) bool {
	f := c.of[fn]
	if f == nil || kind == "" { // a parameter may have no name
		return false
	}
	return regexp.MustCompile(`(^|[^\w:])` + regexp.QuoteMeta(kind) + `\s*::`).MatchString(f.Source.Text(fn.Span))
}

// ranks reports whether a template's type is one of groups of threads: threads of a parameter of it wait for each other, or exchange values, and it is asked which of its threads this one is, or is
// handed on to who asks.
func (c *compiler) ranks(fn *program.Function, kind string) bool {
	for _, p := range fn.Params {
		if s := c.spelled(p.Type); len(s.path) != 1 || s.path[0].name != kind || s.stars > 0 {
			continue
		}
		ranks, meets := false, false
		for _, st := range fn.Body {
			program.WalkExprs(st, func(e program.Expr) bool {
				switch x := e.(type) {
				case *program.Call:
					ranks = ranks || slices.ContainsFunc(x.Args, func(a program.Expr) bool { return identOf(a) == p.Name })
				case *program.Attr:
					if x.Arrow || identOf(x.X) != p.Name {
						break
					}
					_, shuffles := groupShuffles[x.Name]
					_, votes := groupVotes[x.Name]
					ranks = ranks || x.Name == "thread_rank"
					meets = meets || x.Name == "sync" || shuffles || votes || groupMatches[x.Name]
				}
				return true
			})
		}
		if ranks && meets {
			return true
		}
	}
	return false
}

// counts reports whether a template's type, or what iterators of it lead to, is one of integers: objects of it, or what pointers to it lead to, are indices, are added to pointers, bound loops,
// have bits or remainders taken of them, or begin an integer without a conversion that is spelled out.
func (c *compiler) counts(fn *program.Function, kind string) (yes bool) {
	names := map[string]int{} // of objects, and how many stars are before these
	var leading []string      // pointers and arrays
	leads := 0
	if subscripted, _ := c.uses(fn, kind); subscripted {
		leads = 1
	}
	note := func(name, text string) {
		if s := c.spelled(text); (len(s.path) == 1 || len(s.path) > 1 && c.alone != nil) && s.path[len(s.path)-1].name == kind && s.stars+leads <= 1 {
			names[name] = s.stars + leads + 1
		}
	}
	declared := func(name, text string, array bool) {
		if array || c.spelled(text).stars > 0 {
			leading = append(leading, name)
		}
	}
	for _, p := range fn.Params {
		note(p.Name, p.Type)
		declared(p.Name, p.Type, false)
	}
	each := func(visit func(program.Stmt)) { // with those that a macro is given
		for _, st := range fn.Body {
			program.Walk(st, func(n program.Node) bool {
				if st, is := n.(program.Stmt); is {
					visit(st)
				}
				return true
			})
		}
	}
	each(func(st program.Stmt) {
		if a, is := st.(*program.Assign); is && a.Decl {
			for _, t := range a.Targets {
				if id, is := t.(*program.Name); is {
					declared(id.Ident, a.Type, len(a.Dims) > 0)
					if len(a.Dims) == 0 && !a.Shared {
						note(id.Ident, a.Type)
					}
				}
			}
		}
	})
	if len(names) == 0 {
		return false
	}
	object := func(e program.Expr) bool {
		stars := 1
		switch x := e.(type) {
		case *program.Index:
			e, stars = x.X, 2
		case *program.Unary:
			if x.Op == "*" {
				e, stars = x.X, 2
			}
		}
		id, is := e.(*program.Name)
		return is && names[id.Ident] == stars
	}
	used := func(x program.Expr, elements bool) { // keys may be compared in loops, too
		if x != nil {
			program.WalkExprs(x, func(e program.Expr) bool {
				_, name := e.(*program.Name)
				yes = yes || (name || elements) && object(e)
				return !yes
			})
		}
	}
	var made func(e program.Expr) bool // of objects alone, and of constants
	made = func(e program.Expr) bool {
		x, is := e.(*program.Binary)
		return object(e) || is && strings.Contains("+-*", x.Op) && (made(x.X) || made(x.Y))
	}
	each(func(st program.Stmt) {
		switch st := st.(type) {
		case *program.For:
			used(st.Cond, false)
		case *program.While:
			used(st.Cond, false)
		case *program.Assign:
			if t := c.typeOf(st.Type); st.Decl && st.Value != nil && t != nil && t.integer() && !t.boolean {
				yes = yes || made(st.Value)
			}
		}
	})
	for _, st := range fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			switch x := e.(type) {
			case *program.Index:
				for _, a := range x.Args {
					used(a, true)
				}
			case *program.Binary:
				switch x.Op {
				case "%", "<<", ">>", "&", "|", "^":
					yes = yes || made(x.X) || made(x.Y)
				case "+", "-":
					if id, is := x.X.(*program.Name); is && slices.Contains(leading, id.Ident) {
						yes = yes || made(x.Y)
					} else if id, is := x.Y.(*program.Name); is && slices.Contains(leading, id.Ident) {
						yes = yes || made(x.X)
					}
				}
			case *program.Unary:
				yes = yes || x.Op == "~" && made(x.X)
			}
			return !yes
		})
	}
	return yes
}

// outOfLine reports whether a method is defined outside of its class; where that is a template, with the template's parameters before its own.
func (c *compiler) outOfLine(fn *program.Function, class *program.Class) bool {
	return !c.spliced[fn] && (fn.Span.Start < class.Span.Start || fn.Span.End > class.Span.End || c.of[fn] != c.in[class])
}

// deduce finds what a type says of a template's parameters: T, T*, Vec<T, N>, T (&)[N].
func (c *compiler) deduce(own []program.Param, s *spelling, t *ctype, out map[string]argument) {
	extents := append(make([]string, max(s.stars-1, 0)), append([]string{s.extent}, s.rows...)...)
	for level := range s.stars + len(s.rows) {
		if t.to == nil {
			return
		}
		name := extents[level]
		if k := slices.IndexFunc(own, func(p program.Param) bool { return p.Name == name }); name != "" && k >= 0 && t.array && t.extent > 0 {
			if _, again := out[name]; !again {
				n := t.extent
				out[name] = argument{number: &n}
			}
		}
		t = t.to
	}
	if len(s.path) == 0 || t.array && s.stars > 0 {
		return
	}
	if t.array {
		t = pointerTo(t.to, ir.Generic)
	}
	last := s.path[len(s.path)-1]
	find := func(name string) (program.Param, bool) {
		k := slices.IndexFunc(own, func(p program.Param) bool { return p.Name == name })
		if k < 0 {
			return program.Param{}, false
		}
		_, again := out[name]
		return own[k], !again
	}
	if !last.given {
		if p, is := find(last.name); is && len(s.path) == 1 && p.Type == "typename" && !t.opaque {
			out[p.Name] = argument{t: t}
		}
		return
	}
	if t.groups > 0 && last.name == "thread_block_tile" { // of a block, as a rule
		for k, text := range last.args[:min(len(last.args), 2)] {
			if p, is := find(text); is {
				n := int64(t.groups)
				out[p.Name] = []argument{{number: &n}, {t: groupOf(ofCTA)}}[k]
			}
		}
		return
	}
	if t.class == nil || t.class.Name != last.name {
		return
	}
	for k, text := range last.args {
		if k >= len(t.args) {
			return
		}
		if p, is := find(text); is {
			out[p.Name] = t.args[k]
		} else if t.args[k].t != nil {
			c.deduce(own, c.spelled(text), t.args[k].t, out)
		}
	}
}

// templateNamed is the class template that an expression names, without arguments: nil where that is none.
func (c *compiler) templateNamed(x program.Expr) *alias {
	id, is := x.(*program.Name)
	if !is || len(id.Template) > 0 {
		return nil
	}
	path := c.spelled(id.Ident).path
	if len(path) == 0 || path[len(path)-1].given {
		return nil
	}
	last := path[len(path)-1].name
	for s := c.scope; s != nil && len(path) == 1; s = s.outer {
		if a := s.aliases[last]; a != nil && a.params != nil { // one that is handed on, or an alias
			return a
		}
		if s.kinds[last] != nil || s.names[last] != nil {
			return nil
		}
	}
	k := c.classOf(last, path[:len(path)-1])
	if k == nil || len(k.Template) == 0 || len(k.Arguments) > 0 || slices.ContainsFunc(k.Template, func(p program.Param) bool { return p.Star > 0 || p.Name == "" }) {
		return nil
	}
	of := &program.Name{Place: id.Place, Ident: k.Qualified}
	for _, p := range k.Template {
		of.Template = append(of.Template, &program.Name{Place: id.Place, Ident: p.Name})
	}
	return &alias{params: k.Template, value: of}
}

// asTemplate says what a parameter of a template is with arguments behind it, where a class template is handed over.
func (c *compiler) asTemplate(name string, a argument) {
	if a.template == nil {
		return
	}
	if c.scope.aliases == nil {
		c.scope.aliases = map[string]*alias{}
	}
	c.scope.aliases[name] = a.template
}
