package lower

import (
	"strings"
)

// equals is a == b.
func equals(a, b value) value { return equalTo(a, b, maxNesting) }

// equalTo is equals for values of so much depth; objects may hold themselves.
func equalTo(a, b value, depth int) value {
	if depth < 0 {
		return data{}
	}
	if _, member := a.(*enumMember); !member {
		b = whole(b)
	}
	switch x := a.(type) {
	case integer, float, lanes:
		switch b.(type) {
		case text, none, *sequence, *mapping, *object, *closure:
			return integer(0)
		}
	case text:
		switch y := b.(type) {
		case text:
			return boolean(x == y)
		case symbol, path:
			return sameUnknown(a, b)
		case data:
			return data{}
		}
		return integer(0)
	case *sequence:
		if y, ok := b.(*sequence); ok {
			return sequenceEquals(x, y, depth)
		}
		return differs(b)
	case *mapping:
		if y, ok := b.(*mapping); ok {
			return mappingEquals(x, y, depth)
		}
		return differs(b)
	case *object, *closure, *class, *enumMember, *partial, boundMethod, *exception, rangeValue:
		if isData(b) {
			return data{}
		}
		if s, ok := b.(symbol); ok {
			return sameUnknown(a, s)
		}
		if e, ok := x.(*enumMember); ok && e.class.numeric {
			return equalTo(e.value, whole(b), depth-1)
		}
		return objectEquals(a, b, depth)
	case none:
		return isNone(b)
	case path:
		return pathEquals(x, b)
	case symbol:
		switch b.(type) {
		case none:
			return isNone(a)
		case text, path, *object, *class, *enumMember, *sequence:
			return sameUnknown(a, b)
		}
	}
	switch y := b.(type) {
	case none:
		return isNone(a)
	case path:
		return pathEquals(y, a)
	case text, *sequence, *mapping, *object, *closure, *class, *enumMember:
		return differs(a)
	}
	return arithmetic("==", a, b)
}

// identical is a is b for values that are one thing wherever they are named.
func identical(a, b value) bool {
	switch a.(type) {
	case boundMethod, rangeValue, mixed: // not all of these can be compared in Go
		return false
	}
	switch b.(type) {
	case boundMethod, rangeValue, lanes, mixed:
		return false
	}
	return a == b
}

// same is a is b: which of the objects of Python two lists, dictionaries or objects are. Tuples of one content may be one or two.
func same(a, b value) value {
	switch x := a.(type) {
	case *sequence:
		if y, ok := b.(*sequence); ok && x != y {
			if n, ok := equals(x, y).(integer); x.list || y.list || ok && n == 0 {
				return integer(0)
			}
			return data{}
		}
	case *mapping, *object:
		switch b.(type) {
		case *mapping, *object:
			return boolean(a == b)
		}
	}
	return equals(a, b)
}

// objectEquals compares objects: by identity, or, for two of one dataclass, field by field.
func objectEquals(a, b value, depth int) value {
	x, okx := a.(*object)
	y, oky := b.(*object)
	if identical(a, b) || !okx || !oky || x.class == nil || x.class != y.class || !x.class.comparesFields() {
		if s, ok := asSequence(a); ok {
			if t, ok := b.(*sequence); ok {
				return sequenceEquals(s, t, depth)
			}
		}
		return boolean(identical(a, b))
	}
	var out value = integer(1)
	for _, f := range x.class.allFields() {
		out = binary("&&", out, equalTo(x.fields[f.name], y.fields[f.name], depth-1))
	}
	return out
}

// differs is the answer for a value of a kind that v is not, unless v is unknown.
func differs(v value) value {
	switch v.(type) {
	case data, symbol, path:
		return data{}
	}
	return integer(0)
}

// isData reports whether nothing is known of a value.
func isData(v value) bool {
	_, ok := v.(data)
	return ok
}

// isNone is v is None. An unknown that is a number, such as a sum, is not; a parameter may be.
func isNone(v value) value {
	switch v := v.(type) {
	case none:
		return integer(1)
	case data:
		return data{}
	case symbol:
		if v.expr.op != "" || v.expr.isN || strings.ContainsAny(v.expr.atom, "([") { // nor what a library gave back
			return integer(0)
		}
		if strings.HasSuffix(v.expr.atom, elementType) || strings.HasSuffix(v.expr.atom, valueType) { // a tensor that is there has one
			return integer(0)
		}
		return sameUnknown(v, none{})
	case path:
		if named(string(v)) || strings.HasPrefix(string(v), "cutlass.") { // a function or class of the DSL, or a constant
			return integer(0)
		}
		return sameUnknown(v, none{})
	}
	return integer(0)
}

// named reports whether a library's name is that of a class, an enumerator or a constant: something that is there.
func named(p string) bool {
	for _, w := range strings.Split(p, ".") {
		if w != "" && w[0] >= 'A' && w[0] <= 'Z' {
			return true
		}
	}
	return pythonBuiltins[p]
}

// sameUnknown is an unknown of its own: whether two values that the evaluator cannot look into are equal.
func sameUnknown(a, b value) value {
	x, y := canonical(a), canonical(b)
	if len(x)+len(y) > 400 || !uniformSymbol(a) || !uniformSymbol(b) {
		return data{}
	}
	word := " == "
	if _, ok := b.(none); ok {
		word = " is "
	}
	return atom(x + word + y)
}

// pathEquals compares a name that nothing read here gives a value. The same class or enumerator can be reached through several modules, so the
// last two words decide: OperandMajorMode.K is not OperandMajorMode.MN.
func pathEquals(p path, v value) value {
	q, ok := v.(path)
	if !ok {
		switch v.(type) {
		case none:
			return isNone(p)
		case symbol, text:
			return sameUnknown(p, v)
		}
		if isFunction(p) || numberType(lastWord(string(p))) != nil {
			return integer(0)
		}
		return data{} // a constant of a file that is not read may be any of these
	}
	if p == q {
		return integer(1)
	}
	pw, qw := lastTwo(string(p)), lastTwo(string(q))
	switch {
	case numberType(pw[1]) != nil && numberType(qw[1]) != nil:
		return boolean(pw[1] == qw[1])
	case pw == qw && pw[0] != "":
		return integer(1)
	case pw[0] == qw[0] && pw[0] != "" && named(pw[0]):
		return integer(0)
	case numberType(pw[1]) != nil || numberType(qw[1]) != nil:
		return integer(0)
	case pw[1] != qw[1] && isFunction(p) && isFunction(q):
		return integer(0)
	}
	return sameUnknown(p, q)
}

// isFunction reports whether a name is that of a function: a built-in one, one of the operator module, or, as classes
// and constants of the DSL are written with capitals, one of the DSL.
func isFunction(p path) bool {
	root, _, dotted := strings.Cut(string(p), ".")
	return !dotted && pythonBuiltins[root] || dotted && (root == "operator" || root == "cutlass" || root == "cute") && !named(string(p))
}

func lastTwo(p string) [2]string {
	rest, last := "", p
	if i := strings.LastIndexByte(p, '.'); i >= 0 {
		rest, last = p[:i], p[i+1:]
	}
	return [2]string{rest[strings.LastIndexByte(rest, '.')+1:], last}
}

func sequenceEquals(a, b *sequence, depth int) value {
	if a == b {
		return integer(1)
	}
	if len(a.elems) != len(b.elems) {
		return integer(0)
	}
	var out value = integer(1)
	for i := range a.elems {
		r := equalTo(a.elems[i], b.elems[i], depth-1)
		if n, ok := r.(integer); ok && n == 0 {
			return n
		}
		out = binary("&&", out, r)
	}
	return out
}

func mappingEquals(a, b *mapping, depth int) value {
	if len(a.order) != len(b.order) {
		return integer(0)
	}
	var out value = integer(1)
	for _, h := range a.order {
		v, ok := b.values[h]
		if !ok {
			return integer(0)
		}
		out = binary("&&", out, equalTo(a.values[h], v, depth-1))
	}
	return out
}

// compared orders texts and sequences; anything else is arithmetic.
func compared(op string, a, b value) (value, bool) {
	if x, ok := a.(text); ok {
		y, ok := b.(text)
		if !ok {
			return data{}, true
		}
		return arith(op, int64(strings.Compare(string(x), string(y))), 0), true
	}
	x, okx := a.(*sequence)
	y, oky := b.(*sequence)
	if !okx || !oky {
		return nil, false
	}
	for i := range min(len(x.elems), len(y.elems)) {
		r, ok := equals(x.elems[i], y.elems[i]).(integer)
		if !ok {
			return data{}, true
		}
		if r == 0 {
			return binary(op, x.elems[i], y.elems[i]), true
		}
	}
	return arith(op, int64(len(x.elems)), int64(len(y.elems))), true
}

// contains is a in b.
func contains(a, b value) value {
	switch b := b.(type) {
	case *sequence:
		var out value = integer(0)
		for _, e := range b.elems {
			r := equals(a, e)
			if n, ok := r.(integer); ok && n != 0 {
				return n
			}
			out = binary("||", out, r)
		}
		return out
	case *mapping:
		switch a.(type) {
		case symbol, path, lanes:
			return contains(a, &sequence{elems: b.items()})
		}
		if _, present, known := b.at(a); known {
			return boolean(present)
		}
	case text:
		if x, ok := a.(text); ok {
			return boolean(strings.Contains(string(b), string(x)))
		}
	case rangeValue:
		if step, ok := b.step.(integer); ok && step == 1 {
			return binary("&&", binary("<=", b.lo, a), binary("<", a, b.hi))
		}
	}
	return data{}
}
