package value

import "strings"

// BoundMethod is a method of a built-in value, taken as a value: xs.append.
type BoundMethod struct {
	Self Value
	Name string
}

// ClampIndex brings an index of a slice into a sequence of n.
func ClampIndex(i Int, n int) int {
	if i < 0 {
		i += Int(n)
	}
	return max(0, min(int(i), n))
}

// Sliced is x[lo:hi:step] by Python's rules; nil bounds are absent.
func Sliced[T any](x []T, lo, hi *int, step int) []T {
	start, end := 0, len(x)
	if step < 0 {
		start, end = len(x)-1, -1
	}
	bound := func(p *int, def int) int {
		if p == nil {
			return def
		}
		i := *p
		if i < 0 {
			i += len(x)
		}
		if step < 0 {
			return max(-1, min(i, len(x)-1))
		}
		return max(0, min(i, len(x)))
	}
	start, end = bound(lo, start), bound(hi, end)
	var out []T
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		out = append(out, x[i])
	}
	return out
}

// RangeValue is range(lo, hi, step).
type RangeValue struct{ Lo, Hi, Step Value }

// RangeOf is range(…) of its arguments.
func RangeOf(a *Arguments) Value {
	switch len(a.Vals) {
	case 0:
		if hi := a.Get(-1, "stop"); hi != nil {
			return RangeValue{a.Or(-1, "start", Int(0)), hi, a.Or(-1, "step", Int(1))}
		}
		return Data{}
	case 1:
		return RangeValue{Int(0), Whole(a.Vals[0]), Int(1)}
	case 2:
		return RangeValue{Whole(a.Vals[0]), Whole(a.Vals[1]), Whole(a.Or(-1, "step", Int(1)))}
	}
	return RangeValue{Whole(a.Vals[0]), Whole(a.Vals[1]), Whole(a.Vals[2])}
}

// Span is the number of iterations of a range, negative where there are none.
func (r RangeValue) Span() Value {
	step, ok := r.Step.(Int)
	switch {
	case !ok || step == 0:
		return Data{}
	case step < 0:
		r.Lo, r.Hi, step = r.Hi, r.Lo, -step
	}
	span := Binary("-", r.Hi, r.Lo)
	if step != 1 {
		span = Binary("//", Binary("+", span, step-1), step)
	}
	return span
}

// IsVariable reports whether a value is the address of a variable.
func IsVariable(v Value) bool {
	_, ok := v.(Location)
	return ok
}

// IsLanes reports whether a number differs between the threads of the group.
func IsLanes(v Value) bool {
	_, ok := v.(Lanes)
	return ok
}

// JoinText is sep.join(list).
func JoinText(sep string, list Value) Value {
	seq, ok := list.(*Sequence)
	if !ok {
		return Data{}
	}
	var parts []string
	size := 0
	for _, e := range seq.Elems {
		s, ok := e.(Text)
		if size += len(s) + len(sep); !ok || size > MaxElems {
			return Data{}
		}
		parts = append(parts, string(s))
	}
	return Text(strings.Join(parts, sep))
}

// Spelled is str(v), where v is known.
func Spelled(v Value) (Text, bool) {
	switch v := v.(type) {
	case Text:
		return v, true
	case Int, Float, None:
		return Text(Canonical(v)), true
	case Path:
		return Text(LastWord(string(v))), true
	case *Exception:
		if len(v.Args) == 1 {
			return Spelled(v.Args[0])
		}
	case *Sequence:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			s, ok := Spelled(e)
			if !ok {
				return "", false
			}
			parts[i] = string(s)
		}
		return Text("(" + strings.Join(parts, ", ") + ")"), true
	}
	return "", false
}

// IsInteger reports whether a value is a known integer.
func IsInteger(v Value) bool { _, ok := v.(Int); return ok }

// Transposed is zip(*lists).
func Transposed(lists [][]Value) *Sequence {
	out := &Sequence{}
	for i := 0; ; i++ {
		row := &Sequence{}
		for _, l := range lists {
			if i >= len(l) {
				return out
			}
			row.Elems = append(row.Elems, l[i])
		}
		out.Elems = append(out.Elems, row)
	}
}

// LengthOf is how many parts a container has, 0 where a value is none.
func LengthOf(v Value) int {
	switch v := v.(type) {
	case *Sequence:
		return len(v.Elems)
	case *Mapping:
		return len(v.Order)
	}
	return 0
}

// Identifiers are the words of a text that can be names.
func Identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
