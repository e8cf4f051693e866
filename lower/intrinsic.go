package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The embedded library says what Python cannot through the functions of a module named fencepost, which no other file
// can import:
//
//	symbol(part, …)         an unknown, equal wherever the parts spell the same text
//	name(prefix, part, …)   a short text for a long one: the prefix, numbered when other parts came first
//	count(text, n, …)       an unknown number with the values n, … (0 to 3 where none are given)
//	option(name, value)     the value of an option of the script's command line
//	typed(tensor, dtype)    an unknown tensor, whose elements are of a type
//	data()                  a value nobody may depend on
//	assume(text)            something taken for granted, printed with the kernel's bounds
//	unmodelled(text)        something that synchronizes and is not modelled
//	stages(n)               n, the number of stages of a ring; one that is not known is 2 and 3
//	tensor_memory(view)     the running warps read a view of tensor memory
//	stores_astray()         global memory is written, which of it is not followed
//	tensor_address(n, dtype) a view of tensor memory at the address n
//	columns(view, shape)    the same columns of tensor memory seen with other modes, of which the last counts stages as before;
//	                        None for a tensor elsewhere
//	together()              the lanes of a warp that all come here run on from here together
const intrinsics = "fencepost."

func (m *machine) intrinsic(name string, args []value.Value, n program.Node) value.Value {
	switch strings.TrimPrefix(name, intrinsics) {
	case "symbol":
		return m.spelled(args)
	case "name":
		return m.shortName(args)
	case "count":
		s, ok := m.spelled(args[:min(1, len(args))]).(value.Symbol)
		if !ok {
			break
		}
		values := value.TileCounts
		if len(args) > 1 {
			values = nil
			for _, a := range args[1:] {
				values = append(values, m.count(a, n, "a value of an unknown"))
			}
		}
		m.in.low.domains[s.Expr.String()] = values
		return s
	case "typed":
		if t, ok := value.First(args).(value.Symbol); ok && len(args) == 2 {
			m.in.types[t.Expr.String()] = args[1]
		}
		return value.FirstOf(value.First(args), value.Data{})
	case "option":
		if name, ok := value.First(args).(value.Text); ok && len(args) == 2 {
			return m.fromCommandLine(string(name), args[1])
		}
	case "assume":
		if t, ok := value.First(args).(value.Text); ok {
			m.in.assumed[string(t)] = inWords
		}
		return value.None{}
	case "target":
		return m.target()
	case "unmodelled":
		if t, ok := value.First(args).(value.Text); ok {
			m.noteOpaque(n.Where(), limit.Operation.Says(string(t)), !m.host)
		}
	case "stages":
		return m.stages(value.First(args))
	case "together":
		if !m.host {
			m.together(n)
		}
		return value.None{}
	case "tensor_memory":
		m.readColumns(value.FirstOf(value.First(args), value.None{}), n)
		return value.None{}
	case "stores_astray":
		if at := m.bare(n); !m.host {
			m.in.astray = &at
		}
		return value.None{}
	case "tensor_address":
		if len(args) == 2 {
			return m.addressedColumns(args[0], args[1])
		}
	case "columns":
		if t, ok := value.First(args).(*cute.Tensor); ok && len(args) == 2 && t.Block.InColumns() {
			return cute.ColumnsAs(t, args[1])
		}
		return value.None{}
	case "data":
	default:
		m.stop(n, limit.Internal, "the model in %s asks for %s, which there is not", m.mod.Name, name)
	}
	return value.Data{}
}

// spelled is the unknown with the text that the parts make.
func (m *machine) spelled(parts []value.Value) value.Value {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(plain(p))
	}
	if b.Len() > 200 || !value.UniformSymbol(&value.Sequence{Elems: parts}) {
		return value.Data{}
	}
	return value.Atom(b.String())
}

func plain(v value.Value) string {
	if t, ok := v.(value.Text); ok {
		return string(t)
	}
	return value.Canonical(v)
}

// shortName is a short text for a list of parts. What a driver makes of data is another thing each time; the threads of a
// kernel meet the same thing wherever they compute it in the same way.
func (m *machine) shortName(parts []value.Value) value.Value {
	prefix := plain(value.First(parts))
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("\x00" + plain(p))
		switch {
		case value.UniformSymbol(p):
		case m.host:
			m.unnamed++
			b.WriteString("\x00" + strconv.Itoa(m.unnamed))
		default:
			m.in.assumed[prefix+" that depend on run-time data are the same wherever they are computed in the same way"] = inWords
		}
	}
	return value.Text(m.in.low.shortName(prefix, b.String()))
}

// shortName numbers the distinct texts that share a prefix, in the order in which they come up.
func (l *lowering) shortName(prefix, long string) string {
	i := slices.Index(l.shortNames[prefix], long)
	if i < 0 {
		i = len(l.shortNames[prefix])
		l.shortNames[prefix] = append(l.shortNames[prefix], long)
	}
	if i == 0 {
		return prefix
	}
	return fmt.Sprintf("%s#%d", prefix, i+1)
}
