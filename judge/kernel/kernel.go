// Package kernel is an abstract syntax of small kernels that synchronize, and their printing as CUDA C++ and as CuTe DSL.
//
// It is the judge's own: package reference executes it, the printed text is what fencepost reads, and nothing here or there knows
// how fencepost reads it. A kernel means the same to whoever executes it but for what its language says of numbers (Rules).
package kernel

// Language is what a kernel is printed as. Its rules of arithmetic come with it.
type Language uint8

// The languages.
const (
	CUDA Language = iota
	CuTe
)

func (l Language) String() string {
	if l == CuTe {
		return "CuTe DSL"
	}
	return "CUDA"
}

// Extension is that of a file in the language.
func (l Language) Extension() string {
	if l == CuTe {
		return ".py"
	}
	return ".cu"
}

// Type is the type of a number.
type Type uint8

// The types: 32 bits with and without sign, and 8 bits without.
const (
	Int Type = iota
	Unsigned
	Byte
)

// Kernel is one kernel with its launch of one CTA.
type Kernel struct {
	Language  Language
	Warps     int // of the CTA
	Params    []string
	Arrays    []*Array
	Barriers  []*Mbarrier
	Functions []*Function
	Body      []*Stmt
	// Index is the type of the variable that holds the thread index; CuTe DSL's is always Int.
	Index Type
	Style Style
}

// Style is how a kernel spells what it means: each field changes the text alone.
type Style struct {
	Struct  bool // shared memory is one structure
	Pool    bool // CUDA: arrays are carved out of dynamic shared memory
	Rows    bool // CUDA: the block is of 32 by Warps threads
	Objects bool // CuTe DSL: named barriers of constant id and count are objects
	Listed  bool // CuTe DSL: arrays are elements of a Python list
}

// Array is an array of Ints that the threads of the CTA share.
type Array struct {
	Name   string
	Length int
	Global bool // in global memory instead of shared memory
}

// Mbarrier is an array of mbarriers.
type Mbarrier struct {
	Name   string
	Length int
}

// Function is a helper. Parameters of numbers are passed by value; a parameter that is a pointer stands for an array from some
// element on.
type Function struct {
	Name   string
	Params []Param
	Body   []*Stmt
	Form   FunctionForm
}

// Param is a parameter of a Function.
type Param struct {
	Name string
	Kind ParamKind
	Type Type // of a Number
}

// ParamKind is what is passed.
type ParamKind uint8

// The kinds of parameter.
const (
	Number ParamKind = iota
	Pointer
	Gate // an array of mbarriers, from its start
)

// FunctionForm is how a helper is spelled in CUDA C++. In CuTe DSL a closure is a function inside the kernel, anything else a jitted function.
type FunctionForm uint8

// The forms of a helper.
const (
	Plain    FunctionForm = iota
	Macro                 // #define f(a, b) do { … } while (0)
	Closure               // auto f = [&](int a, int b) { … };
	Template              // its first number is a template argument where every call gives a constant
)

// Op is the operator of an expression.
type Op uint8

// The operators.
const (
	Const Op = iota
	Tid      // the thread index
	Warp     // thread index / 32, an Int
	Lane     // thread index % 32, an Int
	Var      // a variable or a parameter
	Add
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	Shl
	Shr
	Less
	LessEqual
	Equal
	NotEqual
	Both   // logical and
	Either // logical or
	Not
	Cast   // to Type
	Select // Args[0] ? Args[1] : Args[2]
	Array0 // an array handed on as a pointer, at element Args[0]
	Gate0  // an array of mbarriers handed on
)

// Expr is an expression.
type Expr struct {
	Op    Op
	Type  Type // of a Const and of a Cast
	Value int64
	Name  string // of a Var, an Array0, a Gate0
	Args  []*Expr
	// Form 1 of a Tid is the register itself instead of the variable that holds it; of a Const it is spelled in base 16.
	Form uint8
}

// StmtOp is what a statement does.
type StmtOp uint8

// The statements. Name, A, B, C and Body stand for what the comments say.
const (
	Declare     StmtOp = iota // Type Name = A
	Assign                    // Name = A
	If                        // if A then Body else Else
	For                       // for Int Name from A to below B by steps of C
	While                     // while A do Body
	Break                     // CUDA only, as are the next two
	Continue                  //
	Return                    //
	Store                     // array Name at A = B
	Read                      // array Name at A goes to the thread's own place in global memory
	LoadVar                   // variable Other = array Name at A
	Input                     // variable Name = the thread's own datum in global memory
	Atomic                    // array Name at A += B, atomically
	SyncThreads               //
	SyncWarp                  // of the lanes in Mask
	BarSync                   // named barrier A for B threads
	BarArrive                 // the same, without waiting
	InitGate                  // mbarrier Name at A for B arrivals
	FenceInit                 // what was initialised becomes visible
	Arrive                    // at mbarrier Name at A, B arrivals
	Expect                    // arrive and expect B bytes at mbarrier Name at A
	Wait                      // for the phase of parity B of mbarrier Name at A
	BulkCopy                  // B elements into array Name at A, signalled to mbarrier Other at C
	CopyAsync                 // four elements into array Name at A, by cp.async
	CommitGroup               //
	WaitGroup                 // until at most Count groups are in flight
	Elect                     // Body by one lane of the warp
	Call                      // function Name with Args
	Stand                     // an expression A without effect, evaluated
)

// Stmt is a statement.
type Stmt struct {
	Op         StmtOp
	Type       Type
	Name       string
	Other      string
	A, B, C    *Expr
	Args       []*Expr
	Body, Else []*Stmt
	Mask       uint32
	Count      int
	Form       uint8 // how it is spelled: see the printers
}

// Forms of a For: as a loop of the language; in CuTe DSL, Traced is unrolled while the kernel is traced and needs constant bounds.
const (
	Plainly uint8 = iota
	Traced
	AsWhile
)

// Walk calls f for every statement of a list and of what is inside, in order.
func Walk(list []*Stmt, f func(*Stmt)) {
	for _, s := range list {
		f(s)
		Walk(s.Body, f)
		Walk(s.Else, f)
	}
}

// Lists calls f for every list of statements of the kernel.
func (k *Kernel) Lists(f func(*[]*Stmt)) {
	var each func(list *[]*Stmt)
	each = func(list *[]*Stmt) {
		f(list)
		for _, s := range *list {
			if len(s.Body) > 0 || s.Op == If || s.Op == For || s.Op == While || s.Op == Elect {
				each(&s.Body)
			}
			if len(s.Else) > 0 {
				each(&s.Else)
			}
		}
	}
	each(&k.Body)
	for _, fn := range k.Functions {
		each(&fn.Body)
	}
}

// Exprs calls f for every place of an expression in a statement, not of those inside.
func (s *Stmt) Exprs(f func(**Expr)) {
	for _, e := range []**Expr{&s.A, &s.B, &s.C} {
		if *e != nil {
			f(e)
		}
	}
	for i := range s.Args {
		f(&s.Args[i])
	}
}

// Each calls f for every place of an expression in e, itself included.
func Each(e **Expr, f func(**Expr)) {
	f(e)
	for i := range (*e).Args {
		Each(&(*e).Args[i], f)
	}
}

// Clone copies the kernel.
func (k *Kernel) Clone() *Kernel {
	out := *k
	out.Arrays, out.Barriers, out.Functions = nil, nil, nil
	for _, a := range k.Arrays {
		b := *a
		out.Arrays = append(out.Arrays, &b)
	}
	for _, a := range k.Barriers {
		b := *a
		out.Barriers = append(out.Barriers, &b)
	}
	for _, a := range k.Functions {
		b := *a
		b.Body = CloneList(a.Body)
		out.Functions = append(out.Functions, &b)
	}
	out.Body = CloneList(k.Body)
	return &out
}

// CloneList copies statements.
func CloneList(list []*Stmt) []*Stmt {
	var out []*Stmt
	for _, s := range list {
		out = append(out, s.Clone())
	}
	return out
}

// Clone copies a statement.
func (s *Stmt) Clone() *Stmt {
	out := *s
	out.A, out.B, out.C = s.A.Clone(), s.B.Clone(), s.C.Clone()
	out.Args = nil
	for _, a := range s.Args {
		out.Args = append(out.Args, a.Clone())
	}
	out.Body, out.Else = CloneList(s.Body), CloneList(s.Else)
	return &out
}

// Clone copies an expression.
func (e *Expr) Clone() *Expr {
	if e == nil {
		return nil
	}
	out := *e
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, a.Clone())
	}
	return &out
}
