package lower

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// value is what an expression is worth during partial evaluation. Three kinds matter (DESIGN.md, "The kernel tree and
// the evaluator"): known (ints, strings, tuples, objects, pointers, closures), symbolic (an unknown that is equal
// wherever the same canonical expression occurs) and data (don't care).
type value interface{}

type (
	// integer is a known integer or truth value.
	integer int64
	// lanes is an integer that differs between the threads of the running group: one entry a thread.
	lanes []int64
	// text is a known string.
	text string
	// none is None, or no value.
	none struct{}
	// data is a value that cannot be known before the kernel runs and that differs from read to read.
	data struct{}
	// sequence is a tuple, list or array of values; shared by reference, like the languages do.
	sequence struct {
		elems []value
		// list says that Python made it as a list, which has an identity and can be changed in place (reference 3.1).
		list bool
		lost bool // it was changed in a way that is not followed: whoever reads it reads data
	}
	// object is an instance of a class, or a bag of attributes.
	object struct {
		class  *class
		fields map[string]value
	}
	// closure is a function of the file with what it captured.
	closure struct {
		fn     *program.Function
		lambda *program.Lambda
		env    *scope
		mod    *module // whose names the body sees
		self   value
		owner  *class // Python: the class whose body the function stands in
		// defaults are the defaults of the parameters where the definition evaluated them; nil where there is none.
		defaults []value
	}
	// path is a name the file does not define: a module, a library function, a type.
	path string
	// pointer is an address in a memory block. Offset counts elements; cta is the rank of the CTA whose copy is meant,
	// nil for the running one. dims are the extents still to be indexed (outermost first). each is how many elements of the
	// block one is of what it points to: 0 for one, odd where that is no whole number.
	pointer struct {
		block  *block
		offset value
		cta    value
		dims   []int64
		elem   value // element type, nil where not known
		each   int64
		cuts   *cut // of a view of global memory: the coordinates at which that was cut
	}
	// symbol is an uninterpreted run-time value, equal for every thread of the launch.
	symbol struct{ expr *symExpr }
	// flagValue is what a load of a flag returned: only spin waits may look at it.
	flagValue struct {
		flag *block
		at   value
		old  bool // the result of an atomic, not a load
		strength
	}
	// flagTest is a comparison of a flag's content with a known number.
	flagTest struct {
		flag    *block
		at      value
		compare string
		number  int64
		old     bool
		strength
	}
	// tryResult is the predicate of a try_wait or test_wait on a barrier and parity; negated for !ok.
	tryResult struct {
		bar     pointer
		parity  int64
		negated bool
		peek    *peek // nil where nobody asks whether it is used
	}
)

// composite is a value of another room that is made of values: a layout, a tensor, a tiled multiplication.
type composite interface {
	spell(left *int) string // its part of the canonical text of a symbol, in at most left parts
	uniform(left *int) bool // whether all of it is the same for all threads of the launch
}

// block is one allocation: shared memory of a CTA (one copy in each CTA) or an array in global memory.
type block struct {
	name     string
	shared   bool
	elements int64  // 0 if unknown
	size     int64  // bytes of one element, 0 if unknown
	mbarrier bool   // used as mbarriers
	elem     value  // element type of shared memory, nil where not known
	unit     string // what the accesses through tensors count: a type's name, or stages of a size
	typed    value  // the type, where it is one
	flat     bool   // global memory that is reached by the address of its first element
	deep     bool   // by several coordinates
	counted  bool   // elements of it were accessed
	from     string // global memory: what all elements are counted from, a sum of the CTA's places
}

// symExpr is the canonical form of a symbol: an operator over symbols and known integers, or an atom.
type symExpr struct {
	op   string // "" for an atom or number
	atom string
	num  int64
	isN  bool
	x, y *symExpr
	c    *symExpr // the test of op "?"
	size int      // operators in it
	text string   // String, once asked
	known
}

// longText is the length from which on the spelling of an expression is shortened: it names what it stands for by a
// digest then.
const longText = 400

func (e *symExpr) String() string {
	if e.text == "" {
		e.text = e.spell()
		if e.op != "" && len(e.text) > longText {
			h := fnv.New64a()
			h.Write([]byte(e.text))
			e.text = fmt.Sprintf("(%s … #%016x)", e.text[1:longText/4], h.Sum64())
		}
	}
	return e.text
}

func (e *symExpr) spell() string {
	switch {
	case e.isN:
		return strconv.FormatInt(e.num, 10)
	case e.op == "":
		return e.atom
	case e.y == nil && len(e.op) > 1:
		return e.op + "(" + e.x.String() + ")"
	case e.y == nil:
		return e.op + e.x.String()
	case e.op == "?":
		return "(" + e.x.String() + " if " + e.c.String() + " else " + e.y.String() + ")"
	case e.op == "min" || e.op == "max":
		return e.op + "(" + e.x.String() + ", " + e.y.String() + ")"
	default:
		return "(" + e.x.String() + " " + e.op + " " + e.y.String() + ")"
	}
}

// atom is an unknown of its own.
func atom(name string) symbol { return symbol{&symExpr{atom: name}} }
// number is the expression of a known number.
func number(n int64) *symExpr { return &symExpr{num: n, isN: true} }
// boolean is a truth value.
func boolean(b bool) integer {
	if b {
		return 1
	}
	return 0
}

// maxText bounds the canonical text of an expression that is not shortened; maxOperators bounds the operators of one: a
// sum that grows in a loop would be evaluated again and again.
const (
	maxText      = 1000
	maxOperators = 200
)

// maxElems bounds the sequences and strings the evaluator builds.
const maxElems = 1 << 16

// canonical names a value inside the canonical text of a symbol.
func canonical(v value) string {
	left := maxElems
	return spell(v, &left)
}

// spell is canonical, in at most left parts.
func spell(v value, left *int) string {
	if *left--; *left < 0 {
		return "…"
	}
	switch v := v.(type) {
	case integer:
		return strconv.FormatInt(int64(v), 10)
	case word:
		return spell(v.v, left)
	case symbol:
		return v.expr.String()
	case path:
		return string(v)
	case moduleRef:
		return v.mod.name
	case *class:
		return v.decl.Name
	case *enumMember:
		return v.class.decl.Name + "." + v.name
	case float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case *mapping:
		parts := make([]string, len(v.order))
		for i, h := range v.order {
			parts[i] = spell(v.keys[h], left) + ": " + spell(v.values[h], left)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *exception:
		return v.name
	case text:
		return strconv.Quote(string(v))
	case none:
		return "None"
	case *sequence:
		parts := make([]string, len(v.elems))
		for i, e := range v.elems {
			parts[i] = spell(e, left)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case composite:
		return v.spell(left)
	case pointer:
		if off := canonical(v.offset); off != "0" {
			return v.block.name + "+" + off
		}
		return v.block.name
	case *object:
		if v.class != nil {
			return v.class.decl.Name + content(v)
		}
		return "object" + content(v)
	case *closure:
		switch {
		case v.fn == nil:
			return "lambda@" + strconv.Itoa(v.lambda.Span.Start)
		case v.self != nil:
			return v.fn.Qualified + content(v)
		}
		return v.fn.Qualified
	default:
		return "?"
	}
}

// content tells values of one class or function apart by what they hold: a short number, since their full text would
// make the names of unknowns unreadable. Equal contents give equal numbers in every role.
func content(v value) string {
	h := fnv.New32a()
	seen := map[any]bool{}
	var add func(v value)
	add = func(v value) {
		switch x := v.(type) {
		case *object:
			if seen[x] {
				return
			}
			seen[x] = true
			if x.class != nil {
				h.Write([]byte(x.class.decl.Name))
			}
			for _, name := range slices.Sorted(maps.Keys(x.fields)) {
				h.Write([]byte("." + name + "="))
				add(x.fields[name])
			}
		case *sequence:
			if seen[x] {
				return
			}
			seen[x] = true
			for _, e := range x.elems {
				h.Write([]byte(","))
				add(e)
			}
		case *closure:
			if seen[x] {
				return
			}
			seen[x] = true
			if x.fn != nil {
				h.Write([]byte(x.fn.Qualified))
			}
			add(x.self)
		case *mapping:
			if seen[x] {
				return
			}
			seen[x] = true
			for _, k := range x.order {
				h.Write([]byte(k + ":"))
				add(x.values[k])
			}
		case data, register, lanes, nil:
		default:
			h.Write([]byte(canonical(x)))
		}
	}
	add(v)
	return "#" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// uniformSymbol reports whether every part of v is the same for all threads of the launch, so that a library call
// on it may be one unknown.
func uniformSymbol(v value) bool {
	left := maxElems
	return uniform(v, &left)
}

// uniform is uniformSymbol, of at most left parts.
func uniform(v value, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	switch v := v.(type) {
	case nil, data, register, lanes, mixed, flagValue, flagTest, tryResult:
		return false
	case *sequence:
		for _, e := range v.elems {
			if !uniform(e, left) {
				return false
			}
		}
	case composite:
		return v.uniform(left)
	case word:
		return uniform(v.v, left)
	}
	return true
}

// asSym turns a number or symbol into a symbolic expression.
func asSym(v value) (*symExpr, bool) {
	switch v := untyped(v).(type) {
	case integer:
		return number(int64(v)), true
	case symbol:
		return v.expr, true
	case *enumMember:
		if v.class.numeric {
			return asSym(v.value)
		}
	}
	return nil, false
}
