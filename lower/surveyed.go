package lower

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// callable writes down functions, classes and what is left of the kinds of values.
func (v *survey) callable(place string, x value.Value) {
	switch x := x.(type) {
	case *value.Closure:
		if v.text("closure"); v.visited(x) {
			return
		}
		v.same(x.Fn)
		v.same(x.Lambda)
		v.same(x.Mod)
		if v.flags(x.Env != nil, x.Owner != nil); x.Env != nil {
			v.scope(place+"'", x.Env)
		}
		if x.Owner != nil {
			v.class(place, x.Owner)
		}
		v.value(place, x.Self)
		v.list(place, x.Defaults)
	case *value.Class:
		v.text("class")
		v.class(place, x)
	case value.ModuleRef:
		v.text("module", x.Mod.Name)
	case *value.EnumMember:
		v.text("member", x.Name)
		v.class(place, x.Class)
		v.value(place, x.Value)
	case value.BoundMethod:
		v.text("bound", x.Name)
		v.value(place, x.Self)
	case value.StaticMethod:
		v.text("static")
		v.value(place, x.Fun)
	case value.ClassMethod:
		v.text("of class")
		v.value(place, x.Fun)
	case value.Property:
		v.text("property")
		v.list(place, []value.Value{x.Get, x.Set})
	case value.SuperRef:
		v.text("super")
		v.value(place, x.Self)
		v.class(place, x.After)
	case *value.PartialCall:
		if v.text("partial"); !v.visited(x) {
			v.value(place, x.Fun)
			v.list(place, x.Given.All())
			v.text(x.Given.Names...)
			v.text(x.Rest...)
			v.flags(x.Given.Open)
		}
	case *value.Exception:
		v.text("exception", x.Name)
		v.list(place, x.Args)
	case value.Register:
		v.text("register")
		v.value(place, x.Dtype)
		v.flags(x.Vector)
	default:
		v.answer(place, x)
	}
}

// answer writes down what operations gave.
func (v *survey) answer(place string, x value.Value) {
	switch x := x.(type) {
	case state:
		v.text("state")
		v.ints(int64(x.mbar), x.parity)
	case value.TryResult:
		v.text("try")
		v.value(place, x.Bar)
		v.ints(x.Parity)
		v.flags(x.Negated)
		v.same(x.Peek)
	case value.FlagValue:
		v.text("flag", x.Order, x.Scope)
		v.memory(x.Flag)
		v.value(place, x.At)
		v.flags(x.Old)
	case value.FlagTest:
		v.text("test", x.Compare, x.Order, x.Scope)
		v.memory(x.Flag)
		v.value(place, x.At)
		v.ints(x.Number)
		v.flags(x.Old)
	case value.Location:
		v.text("place")
		v.location(place, x)
	case *value.NumberKind:
		v.text("kind")
		v.same(x)
	default:
		v.w.fail("a value of kind %T is carried from round to round", x)
	}
}

func (v *survey) class(place string, c *value.Class) {
	if c != nil && c.Mod != nil && c.Mod.Library {
		v.same(c)
		return
	}
	if c == nil || v.visited(c) {
		return
	}
	v.same(c.Decl)
	v.text(c.Order...)
	for _, name := range names(v, c, c.Attrs) {
		v.text(name)
		c.Attrs[name] = v.held(place+":"+name, c.Attrs[name])
	}
	if c.Env != nil {
		v.scope(place+"'", c.Env)
	}
	for _, f := range c.Fields {
		v.value(place, f.Def)
	}
	for _, o := range c.Mro {
		v.class(place, o)
	}
}

func (v *survey) tensor(place string, x *cute.Tensor) {
	if v.visited(x) {
		return
	}
	v.text(x.Name, x.Root, x.Ways)
	if x.Base != nil {
		v.text(x.Base.String())
	}
	v.ints(int64(x.Rank), int64(x.Outer), x.Boxes, int64(x.Share), int64(x.Deal))
	v.flags(x.Lost, x.Adrift, x.Flat, x.Folded, x.Part, x.Maybe, x.Picked, x.Split, x.Wide, x.Input, x.Local, x.Mma != nil, x.Values != nil, x.Registers != nil)
	v.memory(x.Block)
	v.list(place, []value.Value{x.Shape, x.Dtype, x.Cta, x.First, x.Span, x.Stages, x.Stage, x.Steps, x.Origin, x.Layout, x.Ahead})
	if x.Tile != nil {
		v.value(place, x.Tile)
	}
	if x.Mma != nil {
		v.value(place, x.Mma)
	}
	if x.Values != nil {
		v.value(place, x.Values)
	}
	if x.Registers != nil {
		v.visited(x.Registers)
	}
}
