package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// register is a value that a thread computes with while the kernel runs: a number, or a vector of them (TensorSSA). What
// it holds is not known; what it is decides which code handles it.
type register struct {
	dtype  value // nil where not known
	vector bool
}

// newRegister is a register of an element type; only types that can be compared are kept. The DSL's packages hand on each
// other's types: cute.Float32 is cutlass.Float32.
func newRegister(dtype value, vector bool) register {
	switch of := dtype.(type) {
	case path:
		if own := "cutlass." + lastWord(string(of)); strings.HasPrefix(string(of), "cutlass.") && bitsOf(path(own)) > 0 {
			of = path(own)
		}
		return register{of, vector}
	case symbol:
		return register{dtype, vector}
	}
	return register{nil, vector}
}

// unregistered is a value with registers as don't-cares.
func unregistered(v value) value {
	v = untyped(v)
	if _, ok := v.(register); ok {
		return data{}
	}
	return v
}

// registerArith applies an operator where one side is a register: the result is a vector where one side is.
func registerArith(op string, a, b value) (value, bool) {
	x, okx := a.(register)
	y, oky := b.(register)
	if !okx && !oky {
		return nil, false
	}
	vector := x.vector || y.vector
	switch {
	case isComparison(op) || op == "&&" || op == "||":
		if !vector {
			return data{}, true
		}
		return register{path("cutlass.Boolean"), true}, true
	case !okx:
		x = y
	case oky && x.dtype != y.dtype:
		x.dtype = nil
	}
	return register{x.dtype, vector}, true
}

var registerMethods = words("to to_elements reduce ir_value reshape apply_op bitcast broadcast_to")

// member is an attribute of data in registers.
func (r register) member(name string) value {
	switch {
	case (name == "dtype" || name == "element_type") && r.dtype != nil:
		return r.dtype
	case registerMethods[name]:
		return boundMethod{r, name}
	}
	return data{}
}

// at is r[i]: an element of a vector, or a vector of some of them.
func (r register) at(e *program.Index) value {
	if !r.vector {
		return data{}
	}
	_, some := e.Args[0].(*program.SliceExpr)
	return register{r.dtype, some || len(e.Args) > 1}
}

// method calls a method of data in registers.
func (r register) method(name string, a *arguments) value {
	switch name {
	case "to", "bitcast":
		return newRegister(a.get(0, "dtype"), r.vector)
	case "reduce":
		return register{r.dtype, false}
	}
	return r
}

// instance answers isinstance. A number that a thread computes with is none of Python's.
func (r register) instance(short string) value {
	switch {
	case short == "object" || r.vector:
		return boolean(short == "TensorSSA" || short == "object")
	case words("tuple list dict str int float bool Tensor TensorSSA Callable NoneType Layout Pointer")[short]:
		return integer(0)
	}
	if of, ok := r.dtype.(path); ok && bitsOf(of) > 0 && bitsOf(path("cutlass."+short)) > 0 {
		return boolean(lastWord(string(of)) == short)
	}
	return data{}
}

// exchanging are the operations in which lanes hand each other a number: the result has its type.
var exchanging = words("redux_sync shfl_sync shuffle_sync shuffle_sync_bfly shuffle_sync_down shuffle_sync_op shuffle_sync_up warp_reduce warp_reduction warp_reduction_max warp_reduction_sum warp_redux_sync")

// heard is what an operation gives in which lanes of a warp meet.
func heard(short string, said value) value {
	if r, ok := said.(register); ok && exchanging[short] {
		return r
	}
	return data{}
}

// vectorFunction evaluates the DSL's functions of vectors and those of numbers that keep the type.
func vectorFunction(name, short string, a *arguments) (value, bool) {
	switch short {
	case "TensorSSA":
		return newRegister(a.get(2, "dtype"), true), true
	case "from_elements":
		return newRegister(a.get(1, "dtype"), true), true
	case "full", "full_like", "zeros_like", "ones_like", "empty_like":
		if strings.HasPrefix(name, "cute.") || strings.Contains(name, ".cute.") {
			return newRegister(a.get(2, "dtype"), true), true
		}
	}
	if r, ok := first(a.vals).(register); ok && strings.Contains(name, "math.") {
		return r, true
	}
	return nil, false
}
