package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Extents of tensor maps may be worked out from several unknowns: the heads of Q for one of K. There is no tensor map with
// an empty extent (launch.fill), so values that go together badly are no launch.

// hollow reports whether an extent of a tensor map, worked out from unknowns that each are something, comes to nothing: one
// head for every pair of two heads. There is no such tensor map (launch.fill), so the kernel is not launched, unless it
// provides for no work at all.
func (w *sweep) hollow(in *instance) bool {
	m := &machine{in: in, host: true}
	for _, e := range w.la.extents {
		open := slices.ContainsFunc(value.Leaves(e, nil), func(l *value.Expr) bool {
			key := l.String()
			if of, ok := in.same[key]; ok {
				key = of
			}
			_, known := in.values[key]
			return !known || l.Op != "" || w.l.provided[key]
		})
		if open {
			continue
		}
		if n, ok := m.evaluate(e).(value.Int); ok && n < 1 {
			w.full = true
			return true
		}
	}
	return false
}

// fitting chooses as choose does, but for values with which an extent of a tensor map would be empty: another value of the
// unknown is taken then, where one will do.
func (w *sweep) fitting(in *instance, choose func(need) int64) func(need) int64 {
	if len(w.la.extents) == 0 {
		return choose
	}
	return func(n need) int64 {
		v := choose(n)
		defer in.take(n.key)
		if in.give(n.key, v); !w.hollow(in) {
			return v
		}
		w.meet(n)
		for _, other := range w.options(n.key) {
			if in.give(n.key, other); !w.hollow(in) {
				return other
			}
		}
		return v
	}
}
