package program

// Expressions.
type (
	// Name is an identifier; C++ qualified names keep their text ("cute::arch::foo"). Template holds the template
	// arguments of a name that is not called: kernel<128, T> in auto k = &kernel<128, T>. A type used as a value is a
	// Name with the type's text, or, where it ends in arguments, the text before them and Template.
	Name struct {
		Place
		Ident    string
		Template []Expr
	}
	// Int is an integer literal. Suffix is what stands behind the digits in C++, in lower case
	// and in the order u, l, ll, z; Based is set where they are not decimal, so that a large one may have no sign.
	Int struct {
		Place
		Value  int64
		Suffix string
		Based  bool
	}
	// Float is a floating-point literal, kept as text: data never decides synchronization.
	Float struct {
		Place
		Text string
	}
	// String is a string literal, decoded; f-strings are Opaque.
	String struct {
		Place
		Value string
	}
	// Bool is true/false; None is None/nullptr.
	Bool struct {
		Place
		Value bool
	}
	None struct{ Place }
	// Unary: "-", "+", "~", "!", and in C++ "*" (dereference), "&" (address of). Python `not` is "!".
	Unary struct {
		Place
		Op string
		X  Expr
	}
	// IncDec is C++ ++x, x++, --x, x--.
	IncDec struct {
		Place
		X    Expr
		Op   string // "++" or "--"
		Post bool
	}
	// Binary: arithmetic, bitwise, comparison ("==", "!=", "<", …, "in", "is") and logic ("&&", "||"; Python and/or).
	// Python chains a < b < c become &&. Python "//" is "//", C++ "/" is "/".
	Binary struct {
		Place
		Op   string
		X, Y Expr
	}
	// Cond is c ? a : b, or Python's a if c else b.
	Cond struct {
		Place
		Test, Then, Else Expr
	}
	// Call is a call. Template holds template arguments f<1, T>(x). Grid/Block are set for kernel launches f<<<…>>>.
	Call struct {
		Place
		Fun      Expr
		Args     []Expr
		Keywords []Keyword
		Template []Expr
		Launch   []Expr
		// Block is what stands in braces behind the use of a macro of C++ that is the head of a loop, as a rule, or the statements that one holds: LOOP(i, n) {…}, SWITCH(x, T, f<T>();)
		Block []Stmt
	}
	// Attr is x.name or x->name or (static) Type::name when the reader can tell.
	Attr struct {
		Place
		X     Expr
		Name  string
		Arrow bool
	}
	// Index is x[i] or x[i, j].
	Index struct {
		Place
		X    Expr
		Args []Expr
	}
	// SliceExpr is lo:hi:step inside an Index (nil where absent).
	SliceExpr struct {
		Place
		Lo, Hi, Step Expr
	}
	// Tuple is (a, b); List is [a, b] and C++ {a, b}; Dict keeps pairs in order.
	Tuple struct {
		Place
		Elems []Expr
	}
	List struct {
		Place
		Elems []Expr
	}
	Dict struct {
		Place
		Keys, Values []Expr
	}
	// Starred is *x or **x in a call or display.
	Starred struct {
		Place
		X      Expr
		Double bool
	}
	// Lambda is a lambda; Body is a single Return for Python lambdas. CaptureRef is set for [&].
	Lambda struct {
		Place
		Template   []Param // of C++20 (C++20 [expr.prim.lambda.closure]/3)
		Params     []Param
		Body       []Stmt
		CaptureRef bool
		// Inits counts the statements of Body at its start that initialise captures of C++ where the lambda is made.
		Inits int
		// CopyAll is a C++ capture default of "=". Copied and Referred are the variables that are captured by name.
		CopyAll          bool
		Copied, Referred []string
		Result           string // the type of its result in C++ as text, "" where none is written
	}
	// Comp is a comprehension: Kind is "list", "set", "dict" or "generator"; Key only for dict.
	Comp struct {
		Place
		Kind    string
		Key     Expr
		Elem    Expr
		Clauses []CompClause
	}
	// AssignExpr is x = v used as an expression (C++), or x := v.
	AssignExpr struct {
		Place
		Target Expr
		Op     string
		Value  Expr
	}
	// Cast is (T)x, static_cast<T>(x), reinterpret_cast<T>(x); Type as text.
	Cast struct {
		Place
		Type string
		X    Expr
	}
	// OpaqueExpr is text the reader did not understand. Parts are the sub-expressions it could still read, so that
	// calls inside are not lost.
	OpaqueExpr struct {
		Place
		Why   string
		Parts []Expr
	}
)

// Fold is a unary fold-expression of C++ (C++17 [expr.prim.fold]): (X op ...), or (... op X) where it is Left.
type Fold struct {
	Place
	Op   string
	X    Expr
	Left bool
}

// Comma is Why of the operator of C++ that gives the last of its Parts.
const Comma = "comma"

// PackSize is Why of sizeof...(pack) of C++, whose Parts name the pack.
const PackSize = "the size of a pack"

// Requires is Why of a requires-expression of C++ whose requirements are all that its Parts are well-formed (C++20 [expr.prim.req.simple]).
const Requires = "a requires-expression"

// CompClause is `for Target in Iter if Conds…`.
type CompClause struct {
	Target Expr
	Iter   Expr
	Conds  []Expr
}

// Keyword is name=value in a call.
type Keyword struct {
	Name  string
	Value Expr
}

func (*Name) expr()       {}
func (*Int) expr()        {}
func (*Float) expr()      {}
func (*String) expr()     {}
func (*Bool) expr()       {}
func (*None) expr()       {}
func (*Unary) expr()      {}
func (*IncDec) expr()     {}
func (*Binary) expr()     {}
func (*Cond) expr()       {}
func (*Call) expr()       {}
func (*Attr) expr()       {}
func (*Index) expr()      {}
func (*SliceExpr) expr()  {}
func (*Tuple) expr()      {}
func (*List) expr()       {}
func (*Dict) expr()       {}
func (*Starred) expr()    {}
func (*Lambda) expr()     {}
func (*Comp) expr()       {}
func (*AssignExpr) expr() {}
func (*Cast) expr()       {}
func (*OpaqueExpr) expr() {}
func (*Fold) expr()       {}
