package provenance

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// SpellPlain spells a value that nothing changes and that is the same for all threads of the running group; false for any other.
func SpellPlain(v value.Value, to *strings.Builder) bool {
	switch v := v.(type) {
	case nil:
		return false
	case value.Data:
		if v.Of != nil {
			return false
		}
		to.WriteString("?,")
	case value.Register:
		if _, symbol := v.Dtype.(value.Symbol); symbol {
			return false
		}
		to.WriteString("r" + strconv.FormatBool(v.Vector))
		if v.Dtype != nil {
			return SpellPlain(v.Dtype, to)
		}
		to.WriteByte(',')
	case value.Int:
		to.WriteString("i" + strconv.FormatInt(int64(v), 10) + ",")
	case value.Float:
		to.WriteString("f" + strconv.FormatFloat(float64(v), 'x', -1, 64) + ",")
	case value.None:
		to.WriteString("n,")
	case value.Path:
		to.WriteString("p" + strconv.Quote(string(v)))
	case value.Text:
		to.WriteString(strconv.Quote(string(v)) + ",")
	case value.Word:
		if _, known := v.V.(value.Int); !known {
			return false
		}
		to.WriteString("w" + v.T.String())
		return SpellPlain(v.V, to)
	case *value.Sequence:
		if v.List || v.Lost || len(v.Elems) > 64 {
			return false
		}
		to.WriteByte('(')
		for _, e := range v.Elems {
			if !SpellPlain(e, to) {
				return false
			}
		}
		to.WriteByte(')')
	default:
		return false
	}
	return true
}

// Unvarying reports whether a value is one that is the same for every launch.
func Unvarying(v value.Value, depth int) bool {
	switch v := value.Untyped(v).(type) {
	case value.Int, value.Float, value.Text, value.None, *value.Closure:
		return true
	case value.RangeValue:
		return depth > 0 && Unvarying(v.Lo, depth-1) && Unvarying(v.Hi, depth-1) && Unvarying(v.Step, depth-1)
	case *value.Sequence:
		return depth > 0 && !slices.ContainsFunc(v.Elems, func(e value.Value) bool { return !Unvarying(e, depth-1) })
	case *value.Mapping:
		for _, e := range v.Values {
			if depth == 0 || !Unvarying(e, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// Numbers reports whether a coordinate consists of Numbers that all threads share.
func Numbers(v value.Value) bool {
	switch v := v.(type) {
	case value.Int, value.Symbol:
		return true
	case *value.Sequence:
		for _, e := range v.Elems {
			if !Numbers(e) {
				return false
			}
		}
		return len(v.Elems) > 0
	}
	return false
}

// Reaches reports whether a value is, or holds, a list, a dictionary or an object.
func Reaches(v value.Value, x any, seen map[any]bool) bool {
	switch v.(type) {
	case *value.Sequence, *value.Mapping, *value.Object:
		if seen[v] {
			return false
		}
	}
	in := func(e value.Value) bool { return Reaches(e, x, seen) }
	switch v := v.(type) {
	case *value.Sequence:
		seen[v] = true
		return any(v) == x || slices.ContainsFunc(v.Elems, in)
	case *value.Mapping:
		seen[v] = true
		return any(v) == x || value.Among(v.Values, in)
	case *value.Object:
		seen[v] = true
		return any(v) == x || value.Among(v.Fields, in)
	}
	return false
}

// Containers are the lists, dictionaries and objects that variables of a scope hold, and attributes of classes that they do, in order.
func Containers(s *value.Scope) (out []value.Value) {
	note := func(x value.Value) {
		switch x.(type) {
		case *value.Sequence, *value.Mapping, *value.Object:
			out = append(out, x)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		c, ok := s.Vars[name].(*value.Cell)
		if !ok {
			continue
		}
		note(c.V)
		if c, ok := c.V.(*value.Class); ok {
			for _, attr := range slices.Sorted(maps.Keys(c.Attrs)) {
				note(c.Attrs[attr])
			}
		}
	}
	return out
}

// Unknowable reports whether a value is one that only the running kernel knows.
func Unknowable(v value.Value) bool {
	switch v.(type) {
	case value.Data, value.Register:
		return true
	}
	return false
}
