package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// builtinMethod is a method of a built-in value.
func (m *machine) builtinMethod(x value, name string, e *program.Call, s *scope) (value, bool) {
	if (name == "append" || name == "get") && len(e.Args) == 0 {
		return data{}, true
	}
	switch x := x.(type) {
	case *sequence:
		switch name {
		case "append":
			x.elems = append(x.elems, m.eval(e.Args[0], s))
			return none{}, true
		case "index":
			return data{}, true
		}
	case *mapping:
		switch name {
		case "get":
			if v, ok := x.values[canonical(m.eval(e.Args[0], s))]; ok {
				return v, true
			}
			if len(e.Args) > 1 {
				return m.eval(e.Args[1], s), true
			}
			return none{}, true
		case "values", "items", "keys":
			out := &sequence{}
			for _, k := range x.keys {
				switch name {
				case "values":
					out.elems = append(out.elems, x.values[k])
				case "keys":
					out.elems = append(out.elems, path(k))
				default:
					out.elems = append(out.elems, &sequence{[]value{path(k), x.values[k]}})
				}
			}
			return out, true
		}
	case pointer:
		switch name {
		case "data_ptr", "get", "iterator", "ptr", "to", "llvm_ptr", "raw_ptr", "toint", "align", "to_llvm_ptr":
			return x, true
		case "subview": // cutlass.Array: the same array from an offset on
			if len(e.Args) == 1 {
				x.offset, x.dims = binary("+", x.offset, m.eval(e.Args[0], s)), nil
				return x, true
			}
		}
	case integer, lanes, symbol:
		switch name {
		case "to", "ir_value":
			return x, true
		}
	}
	return nil, false
}

// library evaluates a function the file does not define.
func (m *machine) library(name string, e *program.Call, s *scope) value {
	short := name
	if i := strings.LastIndexAny(short, ".:"); i >= 0 {
		short = short[i+1:]
	}
	if m.host && short == "compile" && len(e.Args) > 0 {
		return m.compile(e, s)
	}
	if v, ok := m.cute(name, short, e, s); ok {
		return v
	}
	if v, ok := m.numeric(short, e, s); ok {
		return v
	}
	args := m.args(e, s)
	if m.mod.library && strings.HasPrefix(name, intrinsics) {
		return m.intrinsic(name, args, e)
	}
	m.loseTensors(args, "handed to "+clip(name)+", which is not modelled")
	if p, ok := first(args).(pointer); ok && convertsAddress(short) {
		return p
	}
	if converges(short) && !m.host {
		if fullMask(m.file.Language, args) {
			m.converge(e)
		}
		return data{}
	}
	m.unresolved(name, e)
	// A C++ function of another file may look at the thread index: its result is only one unknown for all threads where
	// the language keeps such things apart, as the DSL's host-side arithmetic does.
	if uniformSymbol(&sequence{args}) && len(name) < 200 && (m.host || m.file.Language == program.CuTe && libraryPath(name)) {
		return atom(name + canonicalArgs(args))
	}
	return data{}
}

// convertsAddress reports whether a function gives the address it is given in another form: __cvta_generic_to_shared,
// cast_smem_ptr_to_uint, recast_ptr, make_tensor.
func convertsAddress(name string) bool {
	for _, w := range []string{"cvta", "cast", "addr", "ptr", "to_shared", "make_tensor", "Tensor", "launder", "as_"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// fullMask reports whether a warp-wide call names all lanes: the first argument in C++, the default in the DSL.
func fullMask(l program.Language, args []value) bool {
	if l == program.CuTe {
		return true
	}
	n, ok := first(args).(integer)
	return ok && (n == -1 || n == 1<<32-1)
}

func first(args []value) value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// numeric evaluates the built-in functions and number types both languages use.
func (m *machine) numeric(name string, e *program.Call, s *scope) (value, bool) {
	arg := func(i int) value {
		if i < len(e.Args) {
			return m.eval(e.Args[i], s)
		}
		return none{}
	}
	switch name {
	case "range", "range_constexpr", "range_dynamic":
		switch len(e.Args) {
		case 1:
			return rangeValue{integer(0), arg(0), integer(1)}, true
		case 2:
			return rangeValue{arg(0), arg(1), integer(1)}, true
		case 3:
			return rangeValue{arg(0), arg(1), arg(2)}, true
		}
	case "const_expr", "Int32", "Int64", "Uint32", "Uint64", "Int16", "Int8", "Uint8", "Uint16", "Boolean", "int", "bool", "uint32_t", "int32_t", "uint64_t", "int64_t", "unsigned", "size_t", "Constexpr", "as_numeric", "make_warp_uniform", "dim3", "long":
		if len(e.Args) == 0 {
			return integer(0), true
		}
		if name == "dim3" && len(e.Args) > 1 {
			return &sequence{m.args(e, s)}, true
		}
		return arg(0), true
	case "len":
		switch x := arg(0).(type) {
		case *sequence:
			return integer(len(x.elems)), true
		case *mapping:
			return integer(len(x.keys)), true
		case text:
			return integer(len(x)), true
		}
		return data{}, true
	case "min", "max":
		args := m.args(e, s)
		if seq, ok := first(args).(*sequence); ok && len(args) == 1 {
			args = seq.elems
		}
		if len(args) == 0 {
			return data{}, true
		}
		out := args[0]
		for _, a := range args[1:] {
			out = binary(name, out, a)
		}
		return out, true
	case "ceil_div", "cdiv", "ceildiv":
		if len(e.Args) == 2 {
			b := arg(1)
			return binary("//", binary("-", binary("+", arg(0), b), integer(1)), b), true
		}
	case "tuple", "list":
		if len(e.Args) == 0 {
			return &sequence{}, true
		}
		if items, ok := m.iterate(arg(0), e); ok {
			return &sequence{append([]value{}, items...)}, true
		}
		return data{}, true
	case "sum":
		if items, ok := m.iterate(arg(0), e); ok {
			var out value = integer(0)
			for _, v := range items {
				out = binary("+", out, v)
			}
			return out, true
		}
	case "enumerate":
		if items, ok := m.iterate(arg(0), e); ok {
			out := &sequence{}
			for i, v := range items {
				out.elems = append(out.elems, &sequence{[]value{integer(i), v}})
			}
			return out, true
		}
	case "reversed":
		if items, ok := m.iterate(arg(0), e); ok {
			out := &sequence{}
			for i := len(items) - 1; i >= 0; i-- {
				out.elems = append(out.elems, items[i])
			}
			return out, true
		}
	case "partial":
		if f, ok := arg(0).(*closure); ok {
			c := *f
			c.bound = append(append([]value{}, f.bound...), m.args(&program.Call{Args: e.Args[1:]}, s)...)
			return &c, true
		}
	case "sizeof":
		if t, ok := arg(0).(text); ok {
			if n, ok := sizes[string(t)]; ok {
				return integer(n), true
			}
			return atom("sizeof(" + string(t) + ")"), true
		}
	case "isinstance", "hasattr":
		return data{}, true
	case "print", "printf", "assert", "static_assert":
		return none{}, true
	}
	return nil, false
}

// sizes are the bytes of the number types, by the names either language uses.
var sizes = map[string]int64{
	"char": 1, "uint8_t": 1, "int8_t": 1, "bool": 1, "Int8": 1, "Uint8": 1, "Float8E4M3FN": 1, "Float8E5M2": 1,
	"half": 2, "__half": 2, "__nv_bfloat16": 2, "short": 2, "uint16_t": 2, "int16_t": 2, "Float16": 2, "BFloat16": 2, "Int16": 2,
	"int": 4, "unsigned": 4, "unsigned int": 4, "float": 4, "uint32_t": 4, "int32_t": 4, "Int32": 4, "Uint32": 4, "Float32": 4,
	"double": 8, "long": 8, "long long": 8, "unsigned long long": 8, "uint64_t": 8, "int64_t": 8, "size_t": 8, "Int64": 8, "Uint64": 8, "Float64": 8,
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8,
	"float2": 8, "float4": 16, "int4": 16, "uint4": 16,
}

// builtinName gives the value of names every file can see.
func (m *machine) builtinName(name string) (value, bool) {
	switch name {
	case "warpSize", "WARP_SIZE":
		return integer(32), true
	case "true", "True":
		return integer(1), true
	case "false", "False":
		return integer(0), true
	}
	if v, ok := m.in.setting(name); ok {
		return v, true
	}
	return nil, false
}
