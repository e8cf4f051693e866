package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// chosen is the one of several functions that the arguments of a call fit best (C++17 [over.match], as far as types are known here), and the
// arguments, where they had to be evaluated for that; none where a library's own function of the name is meant.
func (c *compiler) chosen(name string, list []*program.Function, x *program.Call) (*program.Function, []value) {
	templates := x.Template
	if id, is := x.Fun.(*program.Name); is && len(templates) == 0 {
		templates = id.Template
	}
	list = c.preferred(slices.DeleteFunc(slices.Clone(list), func(fn *program.Function) bool {
		return !takes(fn, len(x.Args)) || !c.fits(fn, templates)
	}))
	if told := slices.DeleteFunc(slices.Clone(list), func(fn *program.Function) bool { return c.undeduced(fn, len(templates)) }); len(told) > 0 {
		list = told
	}
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	args := make([]value, len(x.Args))
	for k, a := range x.Args {
		if _, is := a.(*program.List); is {
			c.refuse(limit.Call, "call of %s, of which there are several, with a list", name)
		}
		args[k] = c.reference(a)
	}
	special := slices.DeleteFunc(slices.Clone(list), func(fn *program.Function) bool { // what is said to be for these arguments
		return len(templates) == 0 || len(fn.Arguments) != len(templates)
	})
	if len(special) > 1 {
		c.unsure(limit.Call, "which of several %s is called, is not known", name)
	}
	if len(special) > 0 {
		return special[0], args
	}
	best, same := c.nearestOf(list, args)
	switch {
	case best == nil && c.library(name, x):
		return nil, args
	case best == nil && c.untoldOf(x.Fun) != "":
		c.refuse(limit.Template, "call of %s, which depends on %s: no launch that is found says what that is", name, c.untoldOf(x.Fun))
	case best == nil:
		c.refuse(limit.Call, "call of %s, of which there are several", name)
	case same && (slices.ContainsFunc(args, func(v value) bool { return vague(v.t) }) || c.numeric(best)):
		c.unsure(limit.Call, "which of several %s is called, is not known", name)
	case same:
		c.refuse(limit.Call, "call of %s, of which there are several", name)
	}
	return best, args
}

// nearestOf is the function whose parameters are the nearest to what it is given; same says that there is another one as near.
func (c *compiler) nearestOf(list []*program.Function, args []value) (best *program.Function, same bool) {
	least := 1 << 30
	for _, fn := range list {
		n, fits := c.distance(fn, args)
		switch {
		case !fits:
		case n < least:
			best, least, same = fn, n, false
		case n == least && c.alike(fn, best):
			if len(fn.Params) > 0 && len(best.Params) > 0 && len(fn.Params[0].Type) < len(best.Params[0].Type) { // what may be assigned to is preferred to const
				best = fn
			}
		case n == least:
			same = true
		}
	}
	return best, same
}

// vague reports whether nothing is known of a type, or of what it leads to.
func vague(t *ctype) bool {
	for t.to != nil {
		t = t.to
	}
	return t.opaque || t.guessed
}

// numeric reports whether a function takes numbers only: those of one name do the same for other ones.
func (c *compiler) numeric(fn *program.Function) bool {
	return len(fn.Params) > 0 && !slices.ContainsFunc(fn.Params, func(p program.Param) bool {
		t := c.typeOf(p.Type)
		return t == nil || t.number.Bits == 0 || t.class != nil
	})
}

// fits reports whether the parameters of a function's template may be what a call gives them: types, and what is none.
func (c *compiler) fits(fn *program.Function, given []program.Expr) bool {
	if len(fn.Arguments) > 0 {
		for k, x := range given {
			if k >= len(fn.Arguments) {
				return false
			}
			a, b := c.argumentOf(x), c.argumentOf(fn.Arguments[k])
			if (a.t != nil || a.number != nil) && a.key() != b.key() && (a.t == nil || !vague(a.t)) {
				return false
			}
		}
		return true
	}
	_, own := c.ownTemplate(fn)
	for k, x := range given {
		if k >= len(own) {
			return len(own) > 0 && own[len(own)-1].Star > 0
		}
		if own[k].Star > 0 {
			break
		}
		a := c.argumentOf(x)
		if own[k].Type == "typename" && (a.number != nil || a.t == nil && c.namesFunction(x)) || own[k].Type != "typename" && a.t != nil && a.number == nil {
			return false
		}
	}
	return true
}

// namesFunction reports whether a template's argument is a function of the text.
func (c *compiler) namesFunction(x program.Expr) bool {
	id, is := x.(*program.Name)
	return is && len(c.functions[lastName(id.Ident)]) > 0
}

// undeduced reports whether some parameter of a function's template is neither among the first that a call gives, nor has a default, nor is spoken of in the types of its parameters: such a
// template is none for the call (C++17 [temp.deduct]).
func (c *compiler) undeduced(fn *program.Function, given int) bool {
	_, own := c.ownTemplate(fn)
	return len(fn.Arguments) == 0 && slices.ContainsFunc(own[min(given, len(own)):], func(t program.Param) bool {
		return t.Default == nil && t.Star == 0 && !slices.ContainsFunc(fn.Params, func(p program.Param) bool { return words(p.Type)[t.Name] })
	})
}

// takes reports whether a function may be called with so many arguments.
func takes(fn *program.Function, args int) bool {
	least := 0
	for _, p := range fn.Params {
		if p.Star > 0 {
			return args >= least
		}
		if p.Default == nil {
			least++
		}
	}
	return args >= least && args <= len(fn.Params)
}

// alike reports whether two functions have parameters that are the same here: one under several conditions of the preprocessor, one that may
// assign and one that may not, one for each of the formats of so many bits.
func (c *compiler) alike(a, b *program.Function) bool {
	if a.Result != b.Result && strings.Contains(a.Result+b.Result, "enable_if") { // which there is hangs on the arguments (C++17 [temp.deduct]/8)
		return false
	}
	return len(a.Template) == len(b.Template) && slices.EqualFunc(a.Params, b.Params, func(p, q program.Param) bool {
		s, t := c.typeOf(p.Type), c.typeOf(q.Type)
		return p.Type == q.Type || s != nil && t != nil && s.key() == t.key()
	})
}

// distance says how far the types of arguments are from those of parameters; fits is false where they are none of them.
func (c *compiler) distance(fn *program.Function, args []value) (far int, fits bool) {
	templates := map[string]bool{}
	for _, p := range fn.Template {
		templates[p.Name] = p.Type == "typename"
	}
	for k, v := range args {
		if k >= len(fn.Params) || fn.Params[k].Star > 0 {
			far += 5
			break
		}
		s := c.spelled(fn.Params[k].Type)
		if len(s.path) == 1 && templates[s.path[0].name] {
			switch far += 2; {
			case s.stars == 0:
			case !v.t.pointer() && !v.t.array:
				return 0, false
			default:
				far-- // T* is more special than T (C++17 [temp.func.order])
			}
			continue
		}
		if e := c.named(s.path); s.extent != "" && e != nil && v.t.array && v.t.to != nil { // to an array no other one converts
			of := v.t.to
			for range s.rows {
				if of.array {
					of = of.to
				}
			}
			if e.key() != of.key() && !vague(v.t) {
				return 0, false
			}
			far++
			continue
		}
		if len(s.path) > 0 && slices.ContainsFunc(fn.Template, func(p program.Param) bool { return names(&program.Name{Ident: fn.Params[k].Type}, p.Name) }) {
			t := v.t // what is said of the template's parameters is deduced
			for range s.stars {
				if t.to == nil {
					break
				}
				t = t.to
			}
			if t.class != nil && t.class.Name != s.path[len(s.path)-1].name || t.fields != nil && t.class == nil || t.number.Bits > 0 {
				return 0, false
			}
			far += 2
			continue
		}
		t := c.typeOf(fn.Params[k].Type)
		switch {
		case t == nil || t.opaque || v.t.opaque:
			far += 3
		case t.pointer() != (v.t.pointer() || v.t.array):
			if t.pointer() && v.op.Reg == -1 && v.op.Imm == 0 && v.t.integer() {
				far += 4
				continue
			}
			return 0, false
		case t.pointer():
			if t.to.key() != v.t.to.key() {
				if t.to != voidType && !v.t.to.opaque {
					return 0, false
				}
				far += 2
			}
		case t.class != v.t.class || (t.fields != nil) != (v.t.fields != nil) || t.fields != nil && t.name != v.t.name:
			return 0, false
		case t.fields != nil && t != v.t:
			return 0, false
		case t.fields == nil && t.key() != v.t.key():
			far++
			if t.data() != v.t.data() {
				far++
			}
		}
	}
	return far, true
}

func (t *ctype) key() string { a := argument{t: t}; return a.key() }

// builtinMeant reports whether a call that a function of the text was found for is of CUDA's own function of that name, which takes other parameters: atomicAdd for vectors, say, calls that for
// numbers. It gives the arguments, where they had to be evaluated for that.
func (c *compiler) builtinMeant(fn *program.Function, x *program.Call, args []value) (out []value, meant bool) {
	_, is := c.table.Call(x, func(program.Expr) string { return "" })
	computed := !is && c.effectOf(identOf(x.Fun)) == computes
	if !is && !computed || fn.Macro || len(fn.Params) != len(x.Args) || len(x.Template) > 0 || args == nil && slices.ContainsFunc(x.Args, evaluatedOnce) {
		return args, false
	}
	if args == nil {
		for _, a := range x.Args {
			args = append(args, c.reference(a))
		}
	}
	if computed { // a number is better served by the library's own than by one for objects, which it would be made first (C++17 [over.ics.rank]/2)
		return args, slices.ContainsFunc(fn.Params, func(p program.Param) bool {
			t := c.typeOf(p.Type)
			return t != nil && t.class != nil && !t.class.Enum
		}) && !slices.ContainsFunc(args, func(v value) bool { return !v.t.scalarLike() || v.t.pointer() })
	}
	_, fits := c.distance(fn, args)
	return args, !fits || c.again(fn)
}

// again reports whether a function is translated within itself. One that calls an operation of CUDA's by its own name, with types that are the same here (`long` and `long long`), means CUDA's: it would never end.
func (c *compiler) again(fn *program.Function) bool {
	for a := c.scope.fn; a != nil; a = a.caller {
		if a.fn == fn {
			return true
		}
	}
	return false
}

// library reports whether CUDA, or the standard library, has a function of a name beside those of the text: it is one of those that are overloaded then.
func (c *compiler) library(name string, x *program.Call) bool {
	if _, named := x.Fun.(*program.Name); !named {
		return false
	}
	_, operation := c.table.Call(x, func(program.Expr) string { return "" })
	return operation || c.effectOf(name) == computes
}

// evaluated is a call whose arguments were evaluated already: names stand for those that may be so only once.
func (c *compiler) evaluated(x *program.Call, args []value) *program.Call {
	out := *x
	out.Args = slices.Clone(x.Args)
	for k, a := range x.Args {
		if k >= len(args) || !evaluatedOnce(a) {
			continue
		}
		name, v := fmt.Sprintf("%%argument%d", k), args[k]
		if v.at != nil {
			c.scope.names[name] = &variable{t: v.t, reg: -1, alias: v.at}
		} else {
			c.scope.names[name] = c.holding(name, v.t, v)
		}
		out.Args[k] = &program.Name{Place: program.Place{Span: a.Where()}, Ident: name}
	}
	return &out
}

// evaluatedOnce reports whether an expression may do more than give a value, or is none by itself.
func evaluatedOnce(x program.Expr) bool {
	once := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e.(type) {
		case *program.Call, *program.AssignExpr, *program.IncDec, *program.OpaqueExpr, *program.List:
			once = true
		}
		return !once
	})
	return once
}
