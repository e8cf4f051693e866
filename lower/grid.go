package lower

import "github.com/fencepost-dev/fencepost/lower/value"

// How large a launch is: blocks, clusters, grids.

// assumed gives the unknown parts of a launch extent the values that the host side assumes for them.
func (m *machine) assumed(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Symbol:
		return value.Int(m.resolve(v.Expr, false))
	case *value.Sequence:
		out := &value.Sequence{}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, m.assumed(e))
		}
		return out
	}
	return v
}

// maxThreads is the most threads a CTA may have (CUDA Programming Guide, compute capabilities).
const maxThreads = 1024

// clusterOf is the extent of the cluster: 1 in every part that is not known, and the bounds say so.
func (m *machine) clusterOf(v value.Value) [3]int64 {
	out := [3]int64{0, 1, 1}
	if _, whole := v.(value.Symbol); !whole {
		out = dims(m.assumed(v))
	}
	for i := range out {
		if out[i] <= 0 {
			m.in.assumed["a cluster of 1 CTA where the host side does not tell its size"] = true
			out[i] = 1
		}
	}
	return out
}

// dims reads a launch extent: a number or a tuple. Unknown parts are 0, missing ones 1.
func dims(v value.Value) [3]int64 {
	out := [3]int64{1, 1, 1}
	num := func(v value.Value) int64 {
		if n, ok := v.(value.Int); ok {
			return int64(n)
		}
		return 0
	}
	switch v := value.UntypedAll(v).(type) {
	case *value.Sequence:
		for i, e := range v.Elems {
			if i < 3 {
				out[i] = num(e)
			}
		}
	default:
		out[0] = num(v)
	}
	return out
}
