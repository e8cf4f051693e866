package cuda

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// maxPack bounds how many arguments a pack stands for.
const maxPack = 256

// spread gives arguments with those that packs stand for (C++17 [temp.variadic]), and with those of a macro that takes any number of them.
func (c *compiler) spread(args []program.Expr) []program.Expr {
	if !slices.ContainsFunc(args, func(x program.Expr) bool { return c.packIn(x) != "" }) {
		return args
	}
	var out []program.Expr
	for _, x := range args {
		name := c.packIn(x)
		if name == "" {
			out = append(out, x)
			continue
		}
		pattern := x
		if st, is := x.(*program.Starred); is {
			pattern = st.X
		}
		list := c.scope.find(name).pack
		if len(out)+len(list) > maxPack {
			c.refuse(limit.Size, "more than %d arguments of a pack", maxPack)
		}
		for k, v := range list {
			if id, is := pattern.(*program.Name); is && id.Ident == name {
				alias := fmt.Sprintf("%s...%d", name, k)
				c.scope.names[alias] = v
				out = append(out, &program.Name{Place: id.Place, Ident: alias})
				continue
			}
			in := newScope(c.scope)
			in.names[name] = v
			alias := fmt.Sprintf("%s...%d.%d", name, k, pattern.Where().Start)
			c.scope.names[alias] = &variable{t: opaqueType(""), reg: -1, macro: pattern, env: in}
			out = append(out, &program.Name{Place: program.Place{Span: pattern.Where()}, Ident: alias})
		}
	}
	return out
}

// packIn is the pack that an argument stands for; "" where it is none.
func (c *compiler) packIn(x program.Expr) (name string) {
	switch x := x.(type) {
	case *program.Name:
		if v := c.scope.find(x.Ident); v != nil && v.several {
			return x.Ident
		}
	case *program.Starred:
		program.WalkExprs(x.X, func(e program.Expr) bool {
			if id, is := e.(*program.Name); is && name == "" {
				if v := c.scope.find(id.Ident); v != nil && v.several {
					name = id.Ident
				}
			}
			return true
		})
	}
	return name
}

// unfolded is what a fold-expression stands for (C++17 [temp.variadic]/9); nil where its pack is not known, or has nothing and the operator gives nothing
// for that.
func (c *compiler) unfolded(x *program.Fold) program.Expr {
	pattern := &program.Starred{Place: program.Place{Span: x.X.Where()}, X: x.X}
	var list []program.Expr
	switch name, types := c.typePackIn(x.X); {
	case c.packIn(pattern) != "":
		list = c.spread([]program.Expr{pattern})
	case name == "":
		return nil
	default:
		for k, a := range types[:min(len(types), maxPack+1)] {
			in := newScope(c.scope)
			switch {
			case a.t != nil:
				in.kinds[name] = a.t
			case a.number != nil:
				in.names[name] = &variable{t: intType, reg: -1, number: a.number}
			default:
				return nil
			}
			alias := fmt.Sprintf("%s...%d.%d", name, k, x.X.Where().Start)
			c.scope.names[alias] = &variable{t: opaqueType(""), reg: -1, macro: x.X, env: in}
			list = append(list, &program.Name{Place: pattern.Place, Ident: alias})
		}
	}
	if len(list) > maxPack {
		c.refuse(limit.Size, "more than %d arguments of a pack", maxPack)
	}
	if len(list) == 0 {
		switch x.Op {
		case "&&":
			return &program.Bool{Place: x.Place, Value: true}
		case "||":
			return &program.Bool{Place: x.Place}
		}
		return nil
	}
	if x.Op == "," {
		return &program.OpaqueExpr{Place: x.Place, Why: program.Comma, Parts: list}
	}
	if x.Left {
		out := list[0]
		for _, e := range list[1:] {
			out = &program.Binary{Place: x.Place, Op: x.Op, X: out, Y: e}
		}
		return out
	}
	out := list[len(list)-1]
	for k := len(list) - 2; k >= 0; k-- {
		out = &program.Binary{Place: x.Place, Op: x.Op, X: list[k], Y: out}
	}
	return out
}

// typePackIn is the pack of a template's arguments that a pattern names, and these; "" where it names none.
func (c *compiler) typePackIn(pattern program.Expr) (name string, list []argument) {
	program.WalkExprs(pattern, func(e program.Expr) bool {
		ident := ""
		switch e := e.(type) {
		case *program.Name:
			ident = e.Ident
		case *program.String: // of sizeof
			ident = e.Value
		}
		for s := c.scope; s != nil && name == "" && ident != ""; s = s.outer {
			if of, known := s.packs[ident]; known {
				name, list = ident, of
			}
		}
		return name == ""
	})
	return name, list
}

// sizeOfPack is how many arguments a pack stands for.
func (c *compiler) sizeOfPack(x *program.OpaqueExpr) (int64, bool) {
	if x.Why != program.PackSize || len(x.Parts) != 1 {
		return 0, false
	}
	id, is := x.Parts[0].(*program.Name)
	if !is {
		return 0, false
	}
	if v := c.scope.find(id.Ident); v != nil && v.several {
		return int64(len(v.pack)), true
	}
	for s := c.scope; s != nil; s = s.outer {
		if list, is := s.packs[id.Ident]; is {
			return int64(len(list)), true
		}
	}
	return 0, false
}
