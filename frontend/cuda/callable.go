package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Pointers to functions are numbers of functions: those whose addresses are taken. What is called through one is each of them where the pointer has its
// number, and else a function of which nothing is known.

// maxCallable bounds the functions whose addresses a kernel takes: each is translated at every call through a pointer.
const maxCallable = 16

// callable is a function as a value.
type callable struct {
	name  *program.Name
	first int64 // its number
}

// closed is the name of a function with what its template is given as it is where the name stands: it may be called elsewhere. A type stands under a name that no text has.
func (c *compiler) closed(x *program.Name) *program.Name {
	if len(x.Template) == 0 {
		return x
	}
	out := *x
	out.Template = slices.Clone(x.Template)
	for k, given := range x.Template {
		switch a := c.argumentOf(given); {
		case a.t != nil:
			s := c.scope
			for s.outer != nil {
				s = s.outer
			}
			name := "?" + a.t.key()
			s.kinds[name] = a.t
			out.Template[k] = &program.Name{Place: x.Place, Ident: name}
		case a.number != nil:
			out.Template[k] = &program.Int{Place: x.Place, Value: *a.number}
		}
	}
	return &out
}

// numbered is a function's number where a value is a function; else the value.
func (c *compiler) numbered(v value) value {
	if v.function == nil {
		return v
	}
	key := v.function.Ident + "<" + strings.Join(texts(v.function.Template), ",") + ">"
	n, known := c.numberOf[key]
	if !known {
		if len(c.callables) == maxCallable {
			c.refuse(limit.Size, "the addresses of more than %d functions are taken", maxCallable)
		}
		n = int64(1+len(c.callables)) << 8 // apart from each other and from what else numbers are compared with
		c.numberOf[key], c.callables = n, append(c.callables, callable{v.function, n})
	}
	return value{t: intType, op: constant(n)}
}

// pointsToFunction reports whether a variable that is called holds the number of a function.
func (v *variable) pointsToFunction() bool {
	return v.macro == nil && v.function == "" && v.t != nil && (v.t.integer() && v.t.class == nil && !v.t.boolean || v.t.pointer() && v.t.to == voidType || v.input != "")
}

// called reports whether what is not said was compared with functions: then it is a pointer to one.
func (c *compiler) called(input string) bool {
	_, number := c.inputs[inputKey(input, false)]
	return input != "" && number && len(c.callables) > 0
}

// calledThrough translates a call through a pointer to a function.
func (c *compiler) calledThrough(v value, x *program.Call, asPlace bool) value {
	if v.function != nil {
		call := *x
		call.Fun = v.function
		return c.callNamed(v.function.Ident, &call, asPlace)
	}
	if v.input != "" {
		if len(c.callables) == 0 { // no pointer to a function: an object that is called
			if out, is := c.saysOf(&place{t: v.t, input: v.input}, "operator()", x); is {
				return out
			}
		}
		v = c.as(v.input, intType)
	}
	if !v.t.integer() && !v.t.pointer() || v.address != nil || len(c.callables) == 0 {
		return c.opaqueCall("what is no name", x)
	}
	v = c.copied(v)
	over := c.label()
	var to *variable
	for _, f := range c.callables {
		p := c.compare(ir.Equal, typeIn(v.t), v.op, constant(f.first))
		if p.Reg == -1 && p.Imm == 0 {
			continue
		}
		other := c.label()
		c.jump(other, p, false)
		call := *x
		call.Fun = f.name
		out := c.callNamed(f.name.Ident, &call, false)
		if out.t != voidType && !out.t.opaque {
			if to == nil {
				to = c.local("%r", out.t)
			}
			c.set(to, c.convert(out, to.t))
		}
		if p.Reg == -1 {
			c.bind(other)
			c.bind(over)
			return c.throughResult(to)
		}
		c.jump(over, ir.None, true)
		c.bind(other)
	}
	c.opaqueCall("a function that a pointer leads to", x)
	if to != nil {
		c.set(to, c.unknown(to.t))
	}
	c.bind(over)
	return c.throughResult(to)
}

func (c *compiler) throughResult(to *variable) value {
	if to == nil {
		return value{t: voidType, op: ir.None}
	}
	return c.load(c.placeOf(to))
}
