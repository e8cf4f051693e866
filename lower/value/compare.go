package value

import (
	"slices"
	"strings"
)

// Equals is a == b.
func Equals(a, b Value) Value { return equalTo(a, b, MaxNesting) }

// equalTo is equals for values of so much depth; objects may hold themselves.
func equalTo(a, b Value, depth int) Value {
	if depth < 0 {
		return Data{}
	}
	if _, member := a.(*EnumMember); !member {
		b = Whole(b)
	}
	switch x := a.(type) {
	case Int, Float, Lanes:
		switch b.(type) {
		case Text, None, *Sequence, *Mapping, *Object, *Closure:
			return Int(0)
		}
	case Text:
		switch y := b.(type) {
		case Text:
			return Bool(x == y)
		case Symbol, Path:
			return sameUnknown(a, b)
		case Data:
			return Data{}
		}
		return Int(0)
	case *Sequence:
		if y, ok := b.(*Sequence); ok {
			return sequenceEquals(x, y, depth)
		}
		return differs(b)
	case *Mapping:
		if y, ok := b.(*Mapping); ok {
			return mappingEquals(x, y, depth)
		}
		return differs(b)
	case *Object, *Closure, *Class, *EnumMember, *PartialCall, BoundMethod, *Exception, RangeValue:
		if IsData(b) {
			return Data{}
		}
		if s, ok := b.(Symbol); ok {
			return sameUnknown(a, s)
		}
		if e, ok := x.(*EnumMember); ok && e.Class.Numeric {
			return equalTo(e.Value, Whole(b), depth-1)
		}
		return objectEquals(a, b, depth)
	case None:
		return IsNone(b)
	case Path:
		return pathEquals(x, b)
	case Symbol:
		switch b.(type) {
		case None:
			return IsNone(a)
		case Text, Path, *Object, *Class, *EnumMember, *Sequence:
			return sameUnknown(a, b)
		}
	}
	switch y := b.(type) {
	case None:
		return IsNone(a)
	case Path:
		return pathEquals(y, a)
	case Text, *Sequence, *Mapping, *Object, *Closure, *Class, *EnumMember:
		return differs(a)
	}
	return arithmetic("==", a, b)
}

// identical is a is b for values that are one thing wherever they are named.
func identical(a, b Value) bool {
	switch a.(type) {
	case BoundMethod, RangeValue, Mixed: // not all of these can be compared in Go
		return false
	}
	switch b.(type) {
	case BoundMethod, RangeValue, Lanes, Mixed:
		return false
	}
	return a == b
}

// same is a is b: which of the objects of Python two lists, dictionaries or objects are. Tuples of one content may be one or two.
func same(a, b Value) Value {
	switch x := a.(type) {
	case *Sequence:
		if y, ok := b.(*Sequence); ok && x != y {
			if n, ok := Equals(x, y).(Int); x.List || y.List || ok && n == 0 {
				return Int(0)
			}
			return Data{}
		}
	case *Mapping, *Object:
		switch b.(type) {
		case *Mapping, *Object:
			return Bool(a == b)
		}
	}
	return Equals(a, b)
}

// objectEquals compares objects: by identity, or, for two of one dataclass, field by field.
func objectEquals(a, b Value, depth int) Value {
	x, okx := a.(*Object)
	y, oky := b.(*Object)
	if identical(a, b) || !okx || !oky || x.Class == nil || x.Class != y.Class || !x.Class.comparesFields() {
		if s, ok := AsSequence(a); ok {
			if t, ok := b.(*Sequence); ok {
				return sequenceEquals(s, t, depth)
			}
		}
		return Bool(identical(a, b))
	}
	var out Value = Int(1)
	for _, f := range x.Class.AllFields() {
		out = Binary("&&", out, equalTo(x.Fields[f.Name], y.Fields[f.Name], depth-1))
	}
	return out
}

// differs is the answer for a value of a kind that v is not, unless v is unknown.
func differs(v Value) Value {
	switch v.(type) {
	case Data, Symbol, Path:
		return Data{}
	}
	return Int(0)
}

// IsData reports whether nothing is known of a value.
func IsData(v Value) bool {
	_, ok := v.(Data)
	return ok
}

// IsNone is v is None. An unknown that is a number, such as a sum, is not; a parameter may be.
func IsNone(v Value) Value {
	switch v := v.(type) {
	case None:
		return Int(1)
	case Data:
		return Data{}
	case Symbol:
		if v.Expr.Op != "" || v.Expr.IsConst || strings.ContainsAny(v.Expr.Atom, "([") { // nor what a library gave back
			return Int(0)
		}
		if strings.HasSuffix(v.Expr.Atom, ElementType) || strings.HasSuffix(v.Expr.Atom, ValueType) { // a tensor that is there has one
			return Int(0)
		}
		return sameUnknown(v, None{})
	case Path:
		if Named(string(v)) || strings.HasPrefix(string(v), "cutlass.") { // a function or class of the DSL, or a constant
			return Int(0)
		}
		return sameUnknown(v, None{})
	}
	return Int(0)
}

// Named reports whether a library's name is that of a class, an enumerator or a constant: something that is there.
func Named(p string) bool {
	for _, w := range strings.Split(p, ".") {
		if w != "" && w[0] >= 'A' && w[0] <= 'Z' {
			return true
		}
	}
	return PythonBuiltins[p]
}

// sameUnknown is an unknown of its own: whether two values that the evaluator cannot look into are equal.
func sameUnknown(a, b Value) Value {
	x, y := Canonical(a), Canonical(b)
	if len(x)+len(y) > 400 || !UniformSymbol(a) || !UniformSymbol(b) {
		return Data{}
	}
	word := " == "
	if _, ok := b.(None); ok {
		word = " is "
	}
	return Atom(x + word + y)
}

// pathEquals compares a name that nothing read here gives a value. The same class or enumerator can be reached through several modules, so the
// last two words decide: OperandMajorMode.K is not OperandMajorMode.MN.
func pathEquals(p Path, v Value) Value {
	q, ok := v.(Path)
	if !ok {
		switch v.(type) {
		case None:
			return IsNone(p)
		case Symbol, Text:
			return sameUnknown(p, v)
		}
		if isFunction(p) || NumberType(LastWord(string(p))) != nil {
			return Int(0)
		}
		return Data{} // a constant of a file that is not read may be any of these
	}
	if p == q {
		return Int(1)
	}
	pw, qw := lastTwo(string(p)), lastTwo(string(q))
	switch {
	case NumberType(pw[1]) != nil && NumberType(qw[1]) != nil:
		return Bool(pw[1] == qw[1])
	case pw == qw && pw[0] != "":
		return Int(1)
	case pw[0] == qw[0] && pw[0] != "" && Named(pw[0]):
		return Int(0)
	case NumberType(pw[1]) != nil || NumberType(qw[1]) != nil:
		return Int(0)
	case pw[1] != qw[1] && isFunction(p) && isFunction(q):
		return Int(0)
	}
	return sameUnknown(p, q)
}

// isFunction reports whether a name is that of a function: a built-in one, one of the operator module, or, as classes
// and constants of the DSL are written with capitals, one of the DSL.
func isFunction(p Path) bool {
	root, _, dotted := strings.Cut(string(p), ".")
	return !dotted && PythonBuiltins[root] || dotted && (root == "operator" || root == "cutlass" || root == "cute") && !Named(string(p))
}

func lastTwo(p string) [2]string {
	rest, last := "", p
	if i := strings.LastIndexByte(p, '.'); i >= 0 {
		rest, last = p[:i], p[i+1:]
	}
	return [2]string{rest[strings.LastIndexByte(rest, '.')+1:], last}
}

func sequenceEquals(a, b *Sequence, depth int) Value {
	if a == b {
		return Int(1)
	}
	if len(a.Elems) != len(b.Elems) {
		return Int(0)
	}
	var out Value = Int(1)
	for i := range a.Elems {
		r := equalTo(a.Elems[i], b.Elems[i], depth-1)
		if n, ok := r.(Int); ok && n == 0 {
			return n
		}
		out = Binary("&&", out, r)
	}
	return out
}

func mappingEquals(a, b *Mapping, depth int) Value {
	if len(a.Order) != len(b.Order) {
		return Int(0)
	}
	var out Value = Int(1)
	for _, h := range a.Order {
		v, ok := b.Values[h]
		if !ok {
			return Int(0)
		}
		out = Binary("&&", out, equalTo(a.Values[h], v, depth-1))
	}
	return out
}

// Compared orders texts and sequences; anything else is arithmetic.
func Compared(op string, a, b Value) (Value, bool) {
	if x, ok := a.(Text); ok {
		y, ok := b.(Text)
		if !ok {
			return Data{}, true
		}
		return Arith(op, int64(strings.Compare(string(x), string(y))), 0), true
	}
	x, okx := a.(*Sequence)
	y, oky := b.(*Sequence)
	if !okx || !oky {
		return nil, false
	}
	for i := range min(len(x.Elems), len(y.Elems)) {
		r, ok := Equals(x.Elems[i], y.Elems[i]).(Int)
		if !ok {
			return Data{}, true
		}
		if r == 0 {
			return Binary(op, x.Elems[i], y.Elems[i]), true
		}
	}
	return Arith(op, int64(len(x.Elems)), int64(len(y.Elems))), true
}

// Contains is a in b.
func Contains(a, b Value) Value {
	switch b := b.(type) {
	case *Sequence:
		var out Value = Int(0)
		for _, e := range b.Elems {
			r := Equals(a, e)
			if n, ok := r.(Int); ok && n != 0 {
				return n
			}
			out = Binary("||", out, r)
		}
		return out
	case *Mapping:
		switch a.(type) {
		case Symbol, Path, Lanes:
			return Contains(a, &Sequence{Elems: b.Items()})
		}
		if _, present, known := b.At(a); known {
			return Bool(present)
		}
	case Text:
		if x, ok := a.(Text); ok {
			return Bool(strings.Contains(string(b), string(x)))
		}
	case RangeValue:
		if step, ok := b.Step.(Int); ok && step == 1 {
			return Binary("&&", Binary("<=", b.Lo, a), Binary("<", a, b.Hi))
		}
	}
	return Data{}
}

// AllFields are the annotated fields of a class and its bases, the bases' first.
func (c *Class) AllFields() []ClassField {
	if len(c.Mro) == 1 {
		return c.Fields
	}
	var out []ClassField
	for i := len(c.Mro) - 1; i >= 0; i-- {
		for _, f := range c.Mro[i].Fields {
			if k := slices.IndexFunc(out, func(g ClassField) bool { return g.Name == f.Name }); k >= 0 {
				out[k] = f
			} else {
				out = append(out, f)
			}
		}
	}
	return out
}

// PythonBuiltins are the names that Python binds itself.
var PythonBuiltins = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(`abs all any bool dict divmod enumerate filter float getattr hasattr hash hex id int isinstance issubclass iter len list
		map max min next object pow print range repr reversed round set setattr slice sorted str sum super tuple type vars zip Ellipsis assert`) {
		out[n] = true
	}
	return out
}()

// AsSequence gives the elements of a value that is a tuple: a sequence or an instance of a named tuple.
func AsSequence(v Value) (*Sequence, bool) {
	switch v := v.(type) {
	case *Sequence:
		return v, true
	case *Object:
		if v.Class != nil && v.Class.NamedTuple() {
			out := &Sequence{}
			for _, f := range v.Class.AllFields() {
				out.Elems = append(out.Elems, v.Fields[f.Name])
			}
			return out, true
		}
	}
	return nil, false
}

// LastWord is the last part of a dotted name.
func LastWord(s string) string {
	if i := strings.LastIndexAny(s, ".:"); i >= 0 {
		return s[i+1:]
	}
	return s
}

// LibraryPath reports whether a Python name belongs to the DSL or a standard library rather than to the user's modules.
func LibraryPath(name string) bool {
	top, rest, dotted := strings.Cut(name, ".")
	if !dotted && rest == "" {
		return PythonBuiltins[top]
	}
	switch top {
	case "cutlass", "math", "re", "typing", "functools", "operator", "itertools", "enum", "dataclasses", "torch", "numpy", "cuda", "collections", "inspect", "os", "sys":
		return true
	}
	return PythonBuiltins[top]
}
