package value

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Register is a value that a thread computes with while the kernel runs: a number, or a vector of them (TensorSSA). What
// it holds is not known; what it is decides which code handles it.
type Register struct {
	Dtype  Value // nil where not known
	Vector bool
}

// NewRegister is a register of an element type; only types that can be compared are kept. The DSL's packages hand on each
// other's types: cute.Float32 is cutlass.Float32.
func NewRegister(dtype Value, vector bool) Register {
	switch of := dtype.(type) {
	case Path:
		if own := "cutlass." + LastWord(string(of)); strings.HasPrefix(string(of), "cutlass.") && BitsOf(Path(own)) > 0 {
			of = Path(own)
		}
		return Register{of, vector}
	case Symbol:
		return Register{dtype, vector}
	}
	return Register{nil, vector}
}

// Unregistered is a value with registers as don't-cares.
func Unregistered(v Value) Value {
	v = Untyped(v)
	if _, ok := v.(Register); ok {
		return Data{}
	}
	return v
}

// registerArith applies an operator where one side is a register: the result is a vector where one side is.
func registerArith(op string, a, b Value) (Value, bool) {
	x, okx := a.(Register)
	y, oky := b.(Register)
	if !okx && !oky || addresses(a) || addresses(b) {
		return nil, false
	}
	vector := x.Vector || y.Vector
	switch {
	case IsComparison(op) || op == "&&" || op == "||":
		if !vector {
			return Data{}, true
		}
		return Register{Path("cutlass.Boolean"), true}, true
	case !okx:
		x = y
	case oky && x.Dtype != y.Dtype:
		x.Dtype = nil
	}
	return Register{x.Dtype, vector}, true
}

// addresses reports whether a value is an address: with a number that is not known added to it, it is one in the same memory.
func addresses(v Value) bool {
	_, is := Untyped(v).(Pointer)
	return is
}

var registerMethods = Words("to to_elements reduce ir_value reshape apply_op bitcast broadcast_to")

// Member is an attribute of data in registers.
func (r Register) Member(name string) Value {
	switch {
	case (name == "dtype" || name == "element_type") && r.Dtype != nil:
		return r.Dtype
	case registerMethods[name]:
		return BoundMethod{r, name}
	}
	return Data{}
}

// At is r[i]: an element of a vector, or a vector of some of them.
func (r Register) At(e *program.Index) Value {
	if !r.Vector {
		return Data{}
	}
	_, some := e.Args[0].(*program.SliceExpr)
	return Register{r.Dtype, some || len(e.Args) > 1}
}

// Method calls a method of data in registers.
func (r Register) Method(name string, a *Arguments) Value {
	switch name {
	case "to", "bitcast":
		return NewRegister(a.Get(0, "dtype"), r.Vector)
	case "reduce":
		return Register{r.Dtype, false}
	}
	return r
}

// Instance answers isinstance. A number that a thread computes with is none of Python's.
func (r Register) Instance(short string) Value {
	switch {
	case short == "object" || r.Vector:
		return Bool(short == "TensorSSA" || short == "object")
	case Words("tuple list dict str int float bool Tensor TensorSSA Callable NoneType Layout Pointer")[short]:
		return Int(0)
	}
	if of, ok := r.Dtype.(Path); ok && BitsOf(of) > 0 && BitsOf(Path("cutlass."+short)) > 0 {
		return Bool(LastWord(string(of)) == short)
	}
	return Data{}
}

// exchanging are the operations in which lanes hand each other a number: the result has its type.
var exchanging = Words("redux_sync shfl_sync shuffle_sync shuffle_sync_bfly shuffle_sync_down shuffle_sync_op shuffle_sync_up warp_reduce warp_reduction warp_reduction_max warp_reduction_sum warp_redux_sync")

// Heard is what an operation gives in which lanes of a warp meet.
func Heard(short string, said Value) Value {
	if r, ok := said.(Register); ok && exchanging[short] {
		return r
	}
	return Data{}
}

// VectorFunction evaluates the DSL's functions of vectors and those of numbers that keep the type.
func VectorFunction(name, short string, a *Arguments) (Value, bool) {
	switch short {
	case "TensorSSA":
		return NewRegister(a.Get(2, "dtype"), true), true
	case "from_elements":
		return NewRegister(a.Get(1, "dtype"), true), true
	case "full", "full_like", "zeros_like", "ones_like", "empty_like":
		if strings.HasPrefix(name, "cute.") || strings.Contains(name, ".cute.") {
			return NewRegister(a.Get(2, "dtype"), true), true
		}
	}
	if r, ok := First(a.Vals).(Register); ok && strings.Contains(name, "math.") {
		return r, true
	}
	return nil, false
}

// exchangeMasks are the places of the mask among the arguments of warp-wide calls that have one.
var exchangeMasks = map[string]int{"shfl_sync": 0, "redux_sync": 2, "shuffle_sync": 2, "shuffle_sync_op": 2, "shuffle_sync_up": 2, "shuffle_sync_down": 2, "shuffle_sync_bfly": 2,
	"vote_sync_op": 2, "vote_ballot_sync": 1, "vote_any_sync": 1, "vote_all_sync": 1, "vote_uni_sync": 1}

// ExchangeMask is the lanes that a warp-wide call names: all, where it says nothing else.
func ExchangeMask(short string, a *Arguments) (mask int64, known bool) {
	at, is := exchangeMasks[short]
	v := a.Get(at, "mask")
	if !is || v == nil {
		return 1<<32 - 1, true
	}
	lanes, known := Whole(v).(Int)
	return int64(uint32(lanes)), known
}
