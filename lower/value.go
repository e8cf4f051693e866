package lower

import (
	"fmt"
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
	// none is None, nullptr, or no value.
	none struct{}
	// data is a value that cannot be known before the kernel runs and that differs from read to read.
	data struct{}
	// sequence is a tuple, list or array of values; shared by reference, like the languages do.
	sequence struct{ elems []value }
	// mapping is a dict with string or integer keys.
	mapping struct {
		keys   []string
		values map[string]value
	}
	// object is an instance of a class of the file, or a bag of attributes.
	object struct {
		class  *program.Class
		fields map[string]value
	}
	// closure is a function of the file with what it captured.
	closure struct {
		fn     *program.Function
		lambda *program.Lambda
		env    *scope
		self   value
		tmpl   []value
		bound  []value // functools.partial
	}
	// classRef is a class of the file used as a value.
	classRef struct{ class *program.Class }
	// path is a name the file does not define: a module, a library function, a type.
	path string
	// pointer is an address in a memory block. Offset counts elements; cta is the rank of the CTA whose copy is meant,
	// nil for the running one. dims are the extents still to be indexed (outermost first).
	pointer struct {
		block  *block
		offset value
		cta    value
		dims   []int64
	}
	// symbol is an uninterpreted run-time value, equal for every thread of the launch.
	symbol struct{ expr *symExpr }
	// flagValue is what a load of a flag returned: only spin waits may look at it.
	flagValue struct {
		flag *block
		at   value
		old  bool // the result of an atomic, not a load
	}
	// flagTest is a comparison of a flag's content with a known number.
	flagTest struct {
		flag    *block
		at      value
		compare string
		number  int64
		old     bool
	}
	// tryResult is the predicate of a try_wait or test_wait on a barrier and parity; negated for !ok.
	tryResult struct {
		bar     pointer
		parity  int64
		negated bool
	}
)

// block is one allocation: shared memory of a CTA (one copy in each CTA) or an array in global memory.
type block struct {
	name     string
	shared   bool
	elements int64 // 0 if unknown
	size     int64 // bytes of one element, 0 if unknown
	mbarrier bool  // used as mbarriers
	spelled  program.Expr
}

// symExpr is the canonical form of a symbol: an operator over symbols and known integers, or an atom.
type symExpr struct {
	op   string // "" for an atom or number
	atom string
	num  int64
	isN  bool
	x, y *symExpr
	text string // String, once asked
}

func (e *symExpr) String() string {
	if e.text == "" {
		e.text = e.spell()
	}
	return e.text
}

func (e *symExpr) spell() string {
	switch {
	case e.isN:
		return strconv.FormatInt(e.num, 10)
	case e.op == "":
		return e.atom
	case e.y == nil:
		return e.op + e.x.String()
	case e.op == "min" || e.op == "max":
		return e.op + "(" + e.x.String() + ", " + e.y.String() + ")"
	default:
		return "(" + e.x.String() + " " + e.op + " " + e.y.String() + ")"
	}
}

func atom(name string) symbol { return symbol{&symExpr{atom: name}} }
func number(n int64) *symExpr { return &symExpr{num: n, isN: true} }
func boolean(b bool) integer {
	if b {
		return 1
	}
	return 0
}

// maxElems bounds the sequences and strings the evaluator builds.
const maxElems = 1 << 16

// canonical names a value inside the canonical text of a symbol.
func canonical(v value) string {
	switch v := v.(type) {
	case integer:
		return strconv.FormatInt(int64(v), 10)
	case symbol:
		return v.expr.String()
	case path:
		return string(v)
	case text:
		return strconv.Quote(string(v))
	case none:
		return "None"
	case *sequence:
		parts := make([]string, len(v.elems))
		for i, e := range v.elems {
			parts[i] = canonical(e)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case pointer:
		return v.block.name
	case *object:
		if v.class != nil {
			return v.class.Name
		}
		return "object"
	case *closure:
		if v.fn != nil {
			return v.fn.Qualified
		}
		return "lambda"
	default:
		return "?"
	}
}

// uniformSymbol reports whether every part of v is the same for all threads of the launch, so that a library call
// on it may be one unknown.
func uniformSymbol(v value) bool {
	switch v := v.(type) {
	case nil, data, lanes, flagValue, flagTest, tryResult:
		return false
	case *sequence:
		for _, e := range v.elems {
			if !uniformSymbol(e) {
				return false
			}
		}
	}
	return true
}

// asSym turns a number or symbol into a symbolic expression.
func asSym(v value) (*symExpr, bool) {
	switch v := v.(type) {
	case integer:
		return number(int64(v)), true
	case symbol:
		return v.expr, true
	}
	return nil, false
}

// binary applies an operator. Python's and C's semantics differ only for division and shifts of negatives, which no
// synchronization arithmetic relies on; "//" and "/" both mean integer division here.
func binary(op string, a, b value) value {
	if x, ok := a.(integer); ok {
		if y, ok := b.(integer); ok {
			return arith(op, int64(x), int64(y))
		}
	}
	switch a := a.(type) {
	case flagValue:
		if n, ok := b.(integer); ok {
			if isComparison(op) {
				return flagTest{flag: a.flag, at: a.at, compare: op, number: int64(n), old: a.old}
			}
		}
		return data{}
	case text:
		if b, ok := b.(text); ok {
			switch op {
			case "==":
				return boolean(a == b)
			case "!=":
				return boolean(a != b)
			case "+":
				if len(a)+len(b) <= maxElems {
					return a + b
				}
			}
		}
		return data{}
	case *sequence:
		if b, ok := b.(*sequence); ok && op == "+" && len(a.elems)+len(b.elems) <= maxElems {
			return &sequence{append(append([]value{}, a.elems...), b.elems...)}
		}
		if n, ok := b.(integer); ok && op == "*" && n >= 0 && n <= maxElems && int(n)*len(a.elems) <= maxElems {
			out := &sequence{}
			for i := integer(0); i < n; i++ {
				out.elems = append(out.elems, a.elems...)
			}
			return out
		}
	}
	switch b := b.(type) {
	case flagValue:
		if n, ok := a.(integer); ok && isComparison(op) {
			return flagTest{flag: b.flag, at: b.at, compare: flip(op), number: int64(n), old: b.old}
		}
		return data{}
	case *sequence:
		if op == "in" {
			for _, e := range b.elems {
				if r, ok := binary("==", a, e).(integer); ok && r == 1 {
					return integer(1)
				} else if !ok {
					return binaryIn(a, b)
				}
			}
			return integer(0)
		}
	}
	if p, ok := a.(pointer); ok {
		return pointerArith(op, p, b)
	}
	if p, ok := b.(pointer); ok && op == "+" {
		return pointerArith(op, p, a)
	}
	if op == "is" || op == "is not" || op == "==" || op == "!=" {
		_, an := a.(none)
		_, bn := b.(none)
		if an || bn {
			if known(a) && known(b) {
				return boolean((an == bn) == (op == "is" || op == "=="))
			}
		}
	}
	if v, ok := zipLanes(op, a, b); ok {
		return v
	}
	x, okx := asSym(a)
	y, oky := asSym(b)
	if okx && oky {
		return simplify(op, x, y)
	}
	return data{}
}

func binaryIn(a value, s *sequence) value {
	var out value = integer(0)
	for _, e := range s.elems {
		out = binary("||", out, binary("==", a, e))
	}
	return out
}

// known reports whether the value is certainly not None unless it is none itself.
func known(v value) bool {
	switch v.(type) {
	case data, symbol, path:
		return false
	}
	return true
}

func simplify(op string, x, y *symExpr) value {
	switch {
	case y.isN && y.num == 0 && (op == "+" || op == "-"), y.isN && y.num == 1 && (op == "*" || op == "/" || op == "//"):
		return symbol{x}
	case x.isN && x.num == 0 && op == "+", x.isN && x.num == 1 && op == "*":
		return symbol{y}
	case x.isN && x.num == 0 && op == "*" || y.isN && y.num == 0 && op == "*":
		return integer(0)
	case x.String() == y.String():
		switch op {
		case "==", "<=", ">=":
			return integer(1)
		case "!=", "<", ">":
			return integer(0)
		case "-":
			return integer(0)
		}
	}
	if len(x.String())+len(y.String()) > 400 { // a sum that grows in a loop would be spelled again and again
		return data{}
	}
	return symbol{&symExpr{op: op, x: x, y: y}}
}

func pointerArith(op string, p pointer, b value) value {
	if op == "+" || op == "-" {
		step := b
		for _, d := range p.dims[min(1, len(p.dims)):] {
			step = binary("*", step, integer(d))
		}
		p.offset = binary(op, p.offset, step)
		return p
	}
	return data{}
}

func zipLanes(op string, a, b value) (value, bool) {
	x, okx := a.(lanes)
	y, oky := b.(lanes)
	n := len(x) + len(y)
	if okx && oky {
		n = len(x)
	}
	if !okx && !oky || okx && oky && len(x) != len(y) {
		return nil, false
	}
	ax, aInt := a.(integer)
	by, bInt := b.(integer)
	if !okx && !aInt || !oky && !bInt {
		return nil, false
	}
	out := make(lanes, n)
	for i := range out {
		l, r := int64(ax), int64(by)
		if okx {
			l = x[i]
		}
		if oky {
			r = y[i]
		}
		v, ok := arith(op, l, r).(integer)
		if !ok {
			return data{}, true
		}
		out[i] = int64(v)
	}
	return out.shrink(), true
}

// shrink turns lanes that agree into one integer.
func (l lanes) shrink() value {
	for _, v := range l {
		if v != l[0] {
			return l
		}
	}
	if len(l) == 0 {
		return integer(0)
	}
	return integer(l[0])
}

func arith(op string, x, y int64) value {
	switch op {
	case "+":
		return integer(x + y)
	case "-":
		return integer(x - y)
	case "*":
		return integer(x * y)
	case "/", "//":
		if y == 0 {
			return data{}
		}
		q := x / y
		if x%y != 0 && (x < 0) != (y < 0) && op == "//" {
			q--
		}
		return integer(q)
	case "%":
		if y == 0 {
			return data{}
		}
		return integer(((x % y) + y) % y)
	case "&":
		return integer(x & y)
	case "|":
		return integer(x | y)
	case "^":
		return integer(x ^ y)
	case "<<":
		if y < 0 || y > 62 {
			return data{}
		}
		return integer(x << uint(y))
	case ">>":
		if y < 0 || y > 63 {
			return data{}
		}
		return integer(x >> uint(y))
	case "**":
		if y < 0 || y > 62 {
			return data{}
		}
		r := int64(1)
		for ; y > 0; y-- {
			r *= x
		}
		return integer(r)
	case "==", "is":
		return boolean(x == y)
	case "!=", "is not":
		return boolean(x != y)
	case "<":
		return boolean(x < y)
	case "<=":
		return boolean(x <= y)
	case ">":
		return boolean(x > y)
	case ">=":
		return boolean(x >= y)
	case "&&":
		return boolean(x != 0 && y != 0)
	case "||":
		return boolean(x != 0 || y != 0)
	case "min":
		return integer(min(x, y))
	case "max":
		return integer(max(x, y))
	}
	return data{}
}

func isComparison(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// flip mirrors a comparison: a op b is b flip(op) a.
func flip(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// negate is the comparison that holds when op does not.
func negate(op string) string {
	return map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}[op]
}

// unary applies "-", "+", "~" or "!".
func unary(op string, v value) value {
	switch v := v.(type) {
	case integer:
		switch op {
		case "-":
			return -v
		case "~":
			return ^v
		case "!":
			return boolean(v == 0)
		}
		return v
	case lanes:
		out := make(lanes, len(v))
		for i, x := range v {
			out[i] = int64(unary(op, integer(x)).(integer))
		}
		return out.shrink()
	case tryResult:
		if op == "!" {
			v.negated = !v.negated
			return v
		}
	case flagTest:
		if op == "!" {
			v.compare = negate(v.compare)
			return v
		}
	case symbol:
		if op == "+" {
			return v
		}
		return symbol{&symExpr{op: op, x: v.expr}}
	case none:
		if op == "!" {
			return integer(1)
		}
	case *sequence:
		if op == "!" {
			return boolean(len(v.elems) == 0)
		}
	case text:
		if op == "!" {
			return boolean(v == "")
		}
	case *object, *closure, pointer, *mapping:
		if op == "!" {
			return integer(0)
		}
	}
	return data{}
}

func describe(v value) string { return fmt.Sprintf("%T", v) }
