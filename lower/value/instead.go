package value

import (
	"maps"
	"slices"
)

// Instead is a value with objects in the place of others. An object that holds one of these is another one, too: what the DSL binds to a name again is the
// whole object, taken apart and put together.
func Instead(v Value, become map[*Object]*Object) Value {
	r := replacing{become: maps.Clone(become), same: map[*Object]bool{}}
	for _, now := range slices.Collect(maps.Values(become)) {
		for name, f := range now.Fields {
			now.Fields[name], _ = r.of(f)
		}
	}
	v, _ = r.of(v)
	return v
}

type replacing struct {
	become map[*Object]*Object
	same   map[*Object]bool // objects that hold none, or are being looked at
}

// of also reports whether a value is another one now. Not all values can be compared.
func (r *replacing) of(v Value) (now Value, other bool) {
	switch v := v.(type) {
	case *Object:
		if now := r.become[v]; now != nil {
			return now, true
		}
		if r.same[v] {
			return v, false
		}
		r.same[v] = true
		var out *Object
		for name, f := range v.Fields {
			now, other := r.of(f)
			if !other {
				continue
			}
			if out == nil {
				out = &Object{Class: v.Class, Fields: maps.Clone(v.Fields)}
			}
			out.Fields[name] = now
		}
		if out != nil {
			r.become[v] = out
			return out, true
		}
	case *Sequence:
		var out *Sequence
		for i, e := range v.Elems {
			now, other := r.of(e)
			if !other {
				continue
			}
			if out == nil {
				out = &Sequence{Elems: append([]Value(nil), v.Elems...), List: v.List}
			}
			out.Elems[i] = now
		}
		if out != nil {
			return out, true
		}
	}
	return v, false
}
