// Package value is what expressions of the DSL's Python are worth while a kernel is evaluated, and the operators on that: known values,
// unknowns in canonical form, numbers of a type, numbers that differ between the threads of a group, pointers into blocks of memory,
// containers, classes and the scopes that hold them. It knows neither the evaluator nor CuTe, and imports no other room of lower.
package value

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Value is what an expression is worth during partial evaluation. Three kinds matter (DESIGN.md, "The kernel tree and
// the evaluator"): known (ints, strings, tuples, objects, pointers, closures), symbolic (an unknown that is equal
// wherever the same canonical expression occurs) and data (don't care).
type Value interface{}

type (
	// Int is a known integer or truth value.
	Int int64
	// Lanes is an integer that differs between the threads of the running group: one entry a thread.
	Lanes []int64
	// Text is a known string.
	Text string
	// None is None, or no value.
	None struct{}
	// Data is a value that cannot be known before the kernel runs and that differs from read to read.
	Data struct {
		Of *Congruence // what is known of it nonetheless, nil for nothing
	}
	// Sequence is a tuple, list or array of values; shared by reference, like the languages do.
	Sequence struct {
		Elems []Value
		// List says that Python made it as a list, which has an identity and can be changed in place (reference 3.1).
		List bool
		Lost bool // it was changed in a way that is not followed: whoever reads it reads data
	}
	// Object is an instance of a class, or a bag of attributes.
	Object struct {
		holding
		Class  *Class
		Fields map[string]Value
	}
	// Closure is a function of the file with what it captured.
	Closure struct {
		Fn     *program.Function
		Lambda *program.Lambda
		Env    *Scope
		Mod    *Module // whose names the body sees
		Self   Value
		Owner  *Class // Python: the class whose body the function stands in
		// Defaults are the defaults of the parameters where the definition evaluated them; nil where there is none.
		Defaults []Value
	}
	// Path is a name the file does not define: a module, a library function, a type.
	Path string
	// Pointer is an address in a memory block. Offset counts elements; cta is the rank of the CTA whose copy is meant,
	// nil for the running one. dims are the extents still to be indexed (outermost first). each is how many elements of the
	// block one is of what it points to: 0 for one, odd where that is no whole number.
	Pointer struct {
		Block  *Block
		Offset Value
		Cta    Value
		Dims   []int64
		Elem   Value // element type, nil where not known
		Each   int64
		Cuts   *Cut // of a view of global memory: the coordinates at which that was cut
	}
	// Symbol is an uninterpreted run-time value, equal for every thread of the launch.
	Symbol struct{ Expr *Expr }
	// FlagValue is what a load of a flag returned: only spin waits may look at it.
	FlagValue struct {
		Flag *Block
		At   Value
		Old  bool // the result of an atomic, not a load
		Strength
	}
	// FlagTest is a comparison of a flag's content with a known number.
	FlagTest struct {
		Flag    *Block
		At      Value
		Compare string
		Number  int64
		Old     bool
		Strength
	}
	// TryResult is the predicate of a try_wait or test_wait on a barrier and parity; negated for !ok.
	TryResult struct {
		Bar     Pointer
		Parity  int64
		Negated bool
		Peek    *Peek // nil where nobody asks whether it is used
	}
)

// Composite is a value of another room that is made of values: a layout, a tensor, a tiled multiplication.
type Composite interface {
	Spell(left *int) string                // its part of the canonical text of a symbol, in at most left parts
	Uniform(left *int) bool                // whether all of it is the same for all threads of the launch
	Replaced(part func(Value) Value) Value // the same with something else in the place of its parts
}

// View is a composite that is a place in memory, or holds what is in registers.
type View interface {
	Composite
	Content() *Sequence // what is known of the registers, nil where that is nothing
	Same(v Value) bool  // whether the other is certainly a view of the same
}

// Block is one allocation: shared memory of a CTA (one copy in each CTA) or an array in global memory.
type Block struct {
	Name     string
	Shared   bool
	Elements int64  // 0 if unknown
	Size     int64  // bytes of one element, 0 if unknown
	Next     *Block // the field of a struct that stands right behind it, where that has elements of the same size
	Mbarrier bool   // used as mbarriers
	Elem     Value  // element type of shared memory, nil where not known
	Unit     string // what the accesses through tensors count: a type's name, or stages of a size
	Typed    Value  // the type, where it is one
	Flat     bool   // global memory that is reached by the address of its first element
	Deep     bool   // by several coordinates
	Counted  bool   // elements of it were accessed
	From     string // global memory: what all elements are counted from, a sum of the CTA's places
}

// Expr is the canonical form of a symbol: an operator over symbols and known integers, or an atom.
type Expr struct {
	Op      string // "" for an atom or number
	Atom    string
	Num     int64
	IsConst bool
	X, Y    *Expr
	C       *Expr  // the test of op "?"
	Size    int    // operators in it
	text    string // String, once asked
	Known
}

// LongText is the length from which on the spelling of an expression is shortened: it names what it stands for by a
// digest then.
const LongText = 400

func (e *Expr) String() string {
	if e.text == "" {
		e.text = e.Spell()
		if e.Op != "" && len(e.text) > LongText {
			h := fnv.New64a()
			h.Write([]byte(e.text))
			e.text = fmt.Sprintf("(%s … #%016x)", e.text[1:LongText/4], h.Sum64())
		}
	}
	return e.text
}

func (e *Expr) Spell() string {
	switch {
	case e.IsConst:
		return strconv.FormatInt(e.Num, 10)
	case e.Op == "":
		return e.Atom
	case e.Y == nil && len(e.Op) > 1:
		return e.Op + "(" + e.X.String() + ")"
	case e.Y == nil:
		return e.Op + e.X.String()
	case e.Op == "?":
		return "(" + e.X.String() + " if " + e.C.String() + " else " + e.Y.String() + ")"
	case e.Op == "min" || e.Op == "max":
		return e.Op + "(" + e.X.String() + ", " + e.Y.String() + ")"
	default:
		return "(" + e.X.String() + " " + e.Op + " " + e.Y.String() + ")"
	}
}

// Atom is an unknown of its own.
func Atom(name string) Symbol { return Symbol{&Expr{Atom: name}} }

// Const is the expression of a known number.
func Const(n int64) *Expr { return &Expr{Num: n, IsConst: true} }

// Bool is a truth value.
func Bool(b bool) Int {
	if b {
		return 1
	}
	return 0
}

// MaxText bounds the canonical text of an expression that is not shortened; maxOperators bounds the operators of one: a
// sum that grows in a loop would be evaluated again and again.
const (
	MaxText      = 1000
	MaxOperators = 200
)

// MaxElems bounds the sequences and strings the evaluator builds.
const MaxElems = 1 << 16

// Canonical names a value inside the canonical text of a symbol.
func Canonical(v Value) string {
	left := MaxElems
	return Spell(v, &left)
}

// Spell is canonical, in at most left parts.
func Spell(v Value, left *int) string {
	if *left--; *left < 0 {
		return "…"
	}
	switch v := v.(type) {
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case Word:
		return Spell(v.V, left)
	case Symbol:
		return v.Expr.String()
	case Path:
		return string(v)
	case ModuleRef:
		return v.Mod.Name
	case *Class:
		return v.Decl.Name
	case *EnumMember:
		return v.Class.Decl.Name + "." + v.Name
	case Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case *Mapping:
		parts := make([]string, len(v.Order))
		for i, h := range v.Order {
			parts[i] = Spell(v.Keys[h], left) + ": " + Spell(v.Values[h], left)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *Exception:
		return v.Name
	case Text:
		return strconv.Quote(string(v))
	case None:
		return "None"
	case *Sequence:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			parts[i] = Spell(e, left)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case Composite:
		return v.Spell(left)
	case Pointer:
		if off := Canonical(v.Offset); off != "0" {
			return v.Block.Name + "+" + off
		}
		return v.Block.Name
	case *Object:
		if v.Class != nil {
			return v.Class.Decl.Name + content(v)
		}
		return "object" + content(v)
	case *Closure:
		switch {
		case v.Fn == nil:
			return "lambda@" + strconv.Itoa(v.Lambda.Span.Start)
		case v.Self != nil:
			return v.Fn.Qualified + content(v)
		}
		return v.Fn.Qualified
	default:
		return "?"
	}
}

// content tells values of one class or function apart by what they hold: a short number, since their full text would
// make the names of unknowns unreadable. Equal contents give equal numbers in every role.
func content(v Value) string {
	h := fnv.New32a()
	seen := map[any]bool{}
	var add func(v Value)
	add = func(v Value) {
		switch x := v.(type) {
		case *Object:
			if seen[x] {
				return
			}
			seen[x] = true
			if x.Class != nil {
				h.Write([]byte(x.Class.Decl.Name))
			}
			for _, name := range slices.Sorted(maps.Keys(x.Fields)) {
				h.Write([]byte("." + name + "="))
				add(x.Fields[name])
			}
		case *Sequence:
			if seen[x] {
				return
			}
			seen[x] = true
			for _, e := range x.Elems {
				h.Write([]byte(","))
				add(e)
			}
		case *Closure:
			if seen[x] {
				return
			}
			seen[x] = true
			if x.Fn != nil {
				h.Write([]byte(x.Fn.Qualified))
			}
			add(x.Self)
		case *Mapping:
			if seen[x] {
				return
			}
			seen[x] = true
			for _, k := range x.Order {
				h.Write([]byte(k + ":"))
				add(x.Values[k])
			}
		case Data, Register, Lanes, nil:
		default:
			h.Write([]byte(Canonical(x)))
		}
	}
	add(v)
	return "#" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// UniformSymbol reports whether every part of v is the same for all threads of the launch, so that a library call
// on it may be one unknown.
func UniformSymbol(v Value) bool {
	left := MaxElems
	return Uniform(v, &left)
}

// Uniform is UniformSymbol, of at most left parts.
func Uniform(v Value, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	switch v := v.(type) {
	case nil, Data, Register, Lanes, Mixed, FlagValue, FlagTest, TryResult:
		return false
	case *Sequence:
		for _, e := range v.Elems {
			if !Uniform(e, left) {
				return false
			}
		}
	case Composite:
		return v.Uniform(left)
	case Word:
		return Uniform(v.V, left)
	}
	return true
}

// AsExpr turns a number or symbol into a symbolic expression.
func AsExpr(v Value) (*Expr, bool) {
	switch v := Untyped(v).(type) {
	case Int:
		return Const(int64(v)), true
	case Symbol:
		return v.Expr, true
	case *EnumMember:
		if v.Class.Numeric {
			return AsExpr(v.Value)
		}
	}
	return nil, false
}

// First is the first of some values, nil where there is none.
func First(args []Value) Value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// Containers of the program may hold themselves, or share parts so often that spelling them takes for ever. Both are
// refused where a value is put into a container: what does not fit is unknown there.

// MaxNesting bounds the depth of containers in containers.
const MaxNesting = 32

// Fit is v, or data where putting it into the container would make a cycle or something too large to be looked through.
func Fit(container, v Value) Value {
	left := MaxElems
	if !bounded(container, v, MaxNesting, &left) {
		return Data{}
	}
	return v
}

// bounded reports whether v has at most *left parts, is nested no deeper than depth, and does not hold the container.
func bounded(container, v Value, depth int, left *int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	switch x := v.(type) {
	case *Sequence:
		if container == v {
			return false
		}
		for _, e := range x.Elems {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case *Mapping:
		if container == v {
			return false
		}
		for _, h := range x.Order {
			if !bounded(container, x.Keys[h], depth-1, left) || !bounded(container, x.Values[h], depth-1, left) {
				return false
			}
		}
	case *PartialCall:
		for _, e := range x.Given.All() {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case BoundMethod:
		return bounded(container, x.Self, depth-1, left)
	}
	return true
}

const (
	// TensorColumns names the block that stands for the columns of tensor memory.
	TensorColumns = "columns of tensor memory"
)

// FirstOf is the first value that is one.
func FirstOf(vs ...Value) Value {
	for _, v := range vs {
		if v != nil {
			return v
		}
	}
	return nil
}

// CloneMap copies a map.
func CloneMap[V any](in map[string]V) map[string]V {
	if in == nil {
		return map[string]V{}
	}
	return maps.Clone(in)
}

// Among reports whether something holds of one of the values.
func Among[K comparable](all map[K]Value, is func(Value) bool) bool {
	for _, v := range all {
		if is(v) {
			return true
		}
	}
	return false
}

// What the DSL calls the type of a tensor's elements, and the type a pointer points to.
const (
	ElementType = ".element_type"
	ValueType   = ".value_type"
)

// Cut is a coordinate at which a tensor was cut: how it had been divided until then, and the number.
type Cut struct {
	How    string
	At     Value
	Before *Cut
}

// Peek is the attempts of a group at one place to see a phase complete.
type Peek struct {
	Used bool // the answer to one of them
}

// Use notes that the answer was used.
func (p *Peek) Use() {
	if p != nil {
		p.Used = true
	}
}

// Strength is the order and the scope of an access to a flag, "" where the source does not tell.
type Strength struct{ Order, Scope string }

// Unordered is an access without an order.
var Unordered = Strength{Order: "weak"}

// Known is what an expression was found to be worth last. Expressions share their parts, so that a sum made of itself and again
// of itself has as many paths to its leaves as there are numbers of so many bits.
type Known struct {
	Worth int64
	Epoch int64 // in which it is worth that; 0: it was not asked
	By    Asking
}

// Asking is what the worth of an expression depends on besides the values of its leaves, and what is noted on the way.
type Asking struct{ Host, Watched bool }

const (
	LeafMark = "·"
)

// HasLeaf reports whether a leaf is part of an expression, or of the name of an unknown in it.
func HasLeaf(e *Expr) bool {
	if e.IsConst || e.Op == "" {
		return strings.Contains(e.Atom, LeafMark)
	}
	return HasLeaf(e.X) || e.Y != nil && HasLeaf(e.Y) || e.C != nil && HasLeaf(e.C)
}
