package cuda

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// tensor is what an accessor of ATen reads and writes (ATen/core/TensorAccessor.h): elements in global memory, by as many indices as it has
// dimensions. Its strides are not followed, and so neither is where an element lies.
type tensor struct {
	elem  *ctype
	name  string // of the whole one, where the kernel is given it
	dims  int64
	first int64 // the dimension that the next index is of
}

// accessors are ATen's classes of them.
var accessors = map[string]bool{"TensorAccessorBase": true, "GenericPackedTensorAccessorBase": true, "TensorAccessor": true, "PackedTensorAccessor": true, "GenericPackedTensorAccessor": true, "PackedTensorAccessor32": true, "PackedTensorAccessor64": true}

// accessor is the type of one that a name means; nil if it is none.
func (c *compiler) accessor(s segment, scopes []segment) *ctype {
	switch {
	case !accessors[s.name] || len(s.args) < 2:
		return nil
	case len(scopes) == 0 && c.classOf(s.name, nil) == nil: // using namespace at
	case len(scopes) != 1 || scopes[0].name != "at" && scopes[0].name != "torch":
		return nil
	}
	elem, n := c.argumentAt(s, 0), c.argumentAt(s, 1)
	if n.number == nil || *n.number < 1 {
		return nil
	}
	if elem.t == nil {
		elem.t = opaqueType(s.args[0])
	}
	t := opaqueType(s.name)
	t.of = &tensor{elem: elem.t, dims: *n.number}
	return t
}

// elementOfTensor is an element of a tensor, or what is left of it by one index.
func (c *compiler) elementOfTensor(at *place) *place {
	of := *at.t.of
	if at.input != "" {
		of.name = at.input
	}
	if of.first++; of.first >= of.dims {
		return &place{t: of.elem, memory: &memory{space: ir.Global, base: ir.Operand{Reg: c.nothing}}}
	}
	t := *at.t
	t.of = &of
	return nowhere(&t)
}

// accessorMethod translates a method of an accessor. Its sizes and strides are the same for all threads where the kernel is given it.
func (c *compiler) accessorMethod(at *place, method string, x *program.Call) value {
	of := at.t.of
	name := of.name
	if at.input != "" {
		name = at.input
	}
	switch method {
	case "size", "stride":
		if len(x.Args) != 1 {
			break
		}
		n, known := c.constant(x.Args[0])
		if !known || name == "" {
			c.value(x.Args[0])
			return c.unknown(longType)
		}
		return c.as(fmt.Sprintf("%s.%s(%d)", name, method, n+of.first), longType)
	case "data":
		t := pointerTo(of.elem, ir.Global)
		if name == "" || of.first > 0 {
			return value{t: t, op: ir.Operand{Reg: c.nothing}}
		}
		return c.as(name+".data()", t)
	}
	return c.opaqueCall(method, x)
}
