// Package program holds one tree for kernels of either language. Its readers (program/cutedsl, program/cuda,
// program/ptx) turn a source file into it; what calls mean is the dialect's business, not the tree's.
//
// The tree keeps the structure that partial evaluation needs (functions, classes, loops, branches, expressions)
// and nothing of the spelling. Whatever a reader does not understand becomes Opaque, with its span, never silence.
package program

import (
	"sync"

	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// Language names the surface a file was read from.
type Language string

const (
	CuTe Language = "cutedsl"
	CUDA Language = "cuda"
	PTX  Language = "ptx"
)

// File is one source file as a tree. Body holds module-level (namespace-level) statements in order, function and
// class definitions among them; Functions and Classes list every one of them in source order, nested ones included.
type File struct {
	Source    *source.File
	Language  Language
	Body      []Stmt
	Functions []*Function
	Classes   []*Class
	Skipped   []Skipped // functions with syntax errors; the rest of the file is still read
	Notes     []Note    // limits hit, text not read
	// Opened are the namespaces whose names C++ code of the file may use without them, and names that it takes over singly:
	// "cute", "std::swap".
	Opened []string
	// Taken are the names of using-declarations of namespaces, each with the namespace that it stands in.
	Taken [][2]string
	// Macros are function-like macros of C++ that take any number of arguments (Star), or have no text.
	Macros []*Function
	// Spaces are the other names of namespaces of C++: namespace q = a::b (C++17 [namespace.alias]).
	Spaces map[string]string
	// Instances are the functions and classes of C++ that explicit instantiations name (C++17 [temp.explicit]).
	Instances []*Name
	// Variables are the templates of constants of C++, and their specialisations (C++17 [temp]/1): functions without parameters that return one.
	Variables []*Function
	// Declared are class templates that are declared here, with defaults of their parameters, and defined elsewhere, or for some arguments alone (C++17 [temp.param]/10).
	Declared []*Class
	// Prototypes are declarations of functions of C++ that give arguments of these, or of their templates, defaults.
	Prototypes []*Function
	// Device are the macros without parameters whose text has __device__.
	Device map[string]bool
	Left   []Left // of CUDA: what is left out as nothing that is read defines the names that its condition asks for
	// Paths are the files that .loc lines of a PTX file name, as its .file directives spell them.
	Paths map[int]string

	once   sync.Once
	naming map[string][]*Function // see Naming

	Given sync.Map // what its functions give attributes, by name: what lower/provenance found out of the tree
}

// Skipped is a function that was not read because its text does not parse.
type Skipped struct {
	Name string
	Span source.Span
}

// Note is something the reader must tell the user: a limit that was hit, a construct it blanked.
type Note struct {
	Span source.Span
	Text string
}

// Function is a function, method or lambda-free nested definition.
//
// Kernel is set for @cute.kernel and __global__ functions (and .entry in PTX). Attributes are decorators
// (Python), or attribute-like qualifiers such as __launch_bounds__(256, 1) and __cluster_dims__(2, 1, 1) (CUDA),
// each kept as an expression: a Name, an Attr or a Call.
type Function struct {
	Name      string // "kernel"
	Qualified string // "Class.kernel", "ns::Class::kernel"; nested functions: "outer.inner"
	Params    []Param
	Template  []Param // template parameters in CUDA; empty elsewhere
	Arguments []Expr  // of CUDA: what a specialisation of a function's template is for
	Body      []Stmt
	// Macro is set for a function-like macro of C++: its body sees the names of the place where it is used.
	Macro bool
	// Bare is set for one without parameters, whose name alone is a use of it where it stands as a statement.
	Bare       bool
	Kernel     bool
	Attributes []Expr
	// Qualifiers are the words before a function of CUDA that its grammar does not know: __device__, __forceinline__, macros.
	Qualifiers []string
	Returns    []Param // the parameters that a .func of PTX returns its results in
	Result     string  // the type of a CUDA function's result as text, "" where it is none
	// Of CUDA: which operator the function is ("==", "[]"), or the type as text that it converts to; "" elsewhere.
	Operator, Conversion string
	Destructor           bool
	Undefined            []string  // of CUDA: names that decide what its text is, and that nothing read defines
	Class                *Class    // enclosing class or nil
	Outer                *Function // enclosing function or nil
	Span                 source.Span
	NameSpan             source.Span
}

// Left is text that is not compiled unless one of some names is defined.
type Left struct {
	Names []string
	Span  source.Span
}

// Param is a parameter. Type is the annotation or declared type as text, spaces normalised ("" if none).
type Param struct {
	Name    string
	Type    string
	Default Expr // nil if none
	Ref     bool // T& in CUDA: assignments reach the caller
	Star    int  // 1: *args, 2: **kwargs
	Span    source.Span
}

// CompiledIn reports whether a parameter of the DSL is a constant of the compiled program.
func (p Param) CompiledIn() bool { return strings.Contains(p.Type, "Constexpr") }

// Class is a class or struct. Fields are its data members and class-level assignments, in order.
type Class struct {
	Name string
	// Qualified is the name with those of the namespaces and classes around it in CUDA: "ns::Outer::Class".
	Qualified string
	Bases     []Expr
	// Template holds the template parameters in CUDA, and Arguments those that a specialisation is for.
	Template  []Param
	Arguments []Expr
	Fields    []*Assign
	Methods   []*Function
	Span      source.Span
	// Attributes are decorators: @dataclass, @cute.struct.
	Attributes []Expr
	// Body is a Python class body as it stands, for evaluation in order: Fields and Methods are parts of it.
	Body []Stmt
	// Enum is set for enum and enum class: Fields are the enumerators. Scoped is set for enum class.
	Enum, Scoped bool
	// Union is set for a union: its members share one place.
	Union bool
	// Aligned are the alignments that a class of CUDA is declared with, in bytes, or as types (C++17 [dcl.align]).
	Aligned []Expr
	// Anonymous is set for one without a name of which no object is declared: its members are names of the scope around.
	Anonymous bool
}

// Node is anything with a place in the file.
type Node interface{ Where() source.Span }

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Place is embedded in every node.
type Place struct{ Span source.Span }

// Where returns the node's span.
func (p Place) Where() source.Span { return p.Span }

// Statements.
type (
	// Assign binds or rebinds names. Op is "=" or an augmented form ("+=", "^=", …). Declarations are Assigns with
	// Decl set and Type the declared type; a declaration without initialiser has a nil Value. Shared is set for
	// __shared__ declarations; Dims are array extents (uint64_t full[STAGES]). Const is set for constexpr and
	// for Python's cutlass.Constexpr annotations. Several targets mean a chain (a = b = v); a tuple target is one Tuple.
	Assign struct {
		Place
		Targets []Expr
		Op      string
		Value   Expr
		Decl    bool
		Type    string
		Shared  bool
		Const   bool
		// Static is set for members of a class of C++ that are no part of its objects.
		Static bool
		Dims   []Expr
		// Scope is the namespace of a declaration of CUDA at namespace level: "a::b".
		Scope string
		// Template holds the parameters of an alias template of C++ (C++17 [temp.alias]).
		Template []Param
		// Space and Align are of declarations in PTX: the state space (shared, global, const, local), with the parts of a
		// vector type counted in Dims; the bytes that .align says, 0 where it is not there. In CUDA the Space of variables
		// of static storage duration that may change is global.
		Space string
		Align int64
		// Aligned are the alignments that a member of a class of CUDA is declared with, in bytes, or as types (C++17 [dcl.align]).
		Aligned []Expr
		// Annotation is a Python declaration's type as an expression: what lays out a struct in shared memory.
		Annotation Expr
		// Init is set where a constructor's list initialises a member, or a base whose class is not in the file.
		Init bool
	}
	// ExprStmt is an expression evaluated for its effect.
	ExprStmt struct {
		Place
		X Expr
	}
	// If is a conditional. Const is set for `if const_expr(…)` and `if constexpr (…)`: Cond is then the inner expression.
	If struct {
		Place
		Cond  Expr
		Then  []Stmt
		Else  []Stmt
		Const bool
	}
	// For is a Python-style loop over Iter, or (Iter nil) a C-style loop with Init, Cond and Post.
	// Header is the span of the loop's first line for messages.
	For struct {
		Place
		Target Expr
		Type   string // of Target in C++, as text
		Iter   Expr
		Init   []Stmt
		Cond   Expr // nil means forever
		Post   []Stmt
		Body   []Stmt
		Else   []Stmt // Python: runs unless the loop was left by break
		Header source.Span
	}
	// While is a while or (Post-tested) do-while loop.
	While struct {
		Place
		Cond    Expr
		Body    []Stmt
		DoWhile bool
		Else    []Stmt // Python: runs unless the loop was left by break
		Header  source.Span
	}
	// Try is a Python try statement.
	Try struct {
		Place
		Body     []Stmt
		Handlers []Handler
		Else     []Stmt
		Finally  []Stmt
	}
	// Raise leaves with an exception; X is nil for a bare raise.
	Raise struct {
		Place
		X Expr
	}
	// Delete is del: each target is a name, an attribute or an element.
	Delete struct {
		Place
		Targets []Expr
	}
	// Outer is Python's nonlocal or global: the names belong to the function around this one, or to the module.
	Outer struct {
		Place
		Names  []string
		Global bool
	}
	// With is a Python with statement: each item is a context expression with an optional bound name.
	With struct {
		Place
		Items []WithItem
		Body  []Stmt
	}
	// Return leaves the function; Value may be nil.
	Return struct {
		Place
		Value Expr
	}
	// Break leaves the innermost loop (or switch: the reader turns switch into If chains and drops its breaks).
	Break struct{ Place }
	// Continue starts the next iteration.
	Continue struct{ Place }
	// Block is a brace scope of its own (C++). One that is empty may be the place of a label, which is then not "".
	Block struct {
		Place
		Body  []Stmt
		Label string
	}
	// FuncDef and ClassDef stand where the definition stands.
	FuncDef struct {
		Place
		Func *Function
	}
	ClassDef struct {
		Place
		Class *Class
	}
	// Import is `import X as A` (From empty) or `from From import X as A`; #include is Import with From the header.
	Import struct {
		Place
		From  string
		Name  string
		Alias string
		// Scope is the namespace that an include of C++ stands in.
		Scope string
	}
	// Asm is an inline-PTX statement: an asm block in CUDA. Outputs and inputs are numbered %0, %1, … in order.
	// Template is nil when it is not a literal.
	Asm struct {
		Place
		Template *string
		Outputs  []AsmOperand
		Inputs   []AsmOperand
		Clobbers []string
		Volatile bool
		Unread   string // what of Template is no PTX, "" if it was read whole
		// Instrs is Template parsed by program/ptx; operands "%0" refer to Outputs then Inputs.
		Instrs []Instr
	}
	// OpaqueStmt is text the reader did not understand (goto, a macro, an error node).
	OpaqueStmt struct {
		Place
		Why string
		To  string // of goto: the label
		// Macro is the macro without parameters that is used there, and is no constant: the tree has its name where it stands.
		Macro string
		Part  bool // of a declaration, which is not known then
		// Doubt is set where the text was understood as it stands, and another file may make it mean something else: a macro that decides.
		Doubt bool
	}
)

// WithItem is one context manager of a with statement.
type WithItem struct {
	X  Expr
	As Expr // nil if none
}

// Handler is one except clause. Type is nil where it catches everything; Name is the variable bound, or "".
type Handler struct {
	Type Expr
	Name string
	Body []Stmt
}

// AsmOperand is a constraint and the C++ expression it binds.
type AsmOperand struct {
	Constraint string // "r", "=r", "+l", "l", "n", …; "#" where the text of a macro's argument stands in the template
	X          Expr
}

// Instr is one PTX instruction: `@p mbarrier.try_wait.parity.shared::cta.b64 p, [a], b;`.
// Modifiers are everything dotted after the first word, as a set in source order (their order varies in the wild).
type Instr struct {
	Span      source.Span
	Label     string   // a label standing before the instruction, without colon
	Pred      string   // predicate register, "" if none
	PredNot   bool     // @!p
	Op        string   // "mbarrier", "bar", "ld", "cp", …
	Modifiers []string // "try_wait", "parity", "shared::cta", "b64"
	Operands  []Operand
	Loc       Loc // the source line a .loc directive gives, in PTX files
}

// Loc is a line of the source that a PTX file was compiled from; the zero Loc is none. File is the number of a .file
// directive: a key of [File.Paths].
type Loc struct{ File, Line int }

// Operand is a PTX operand. Text is its spelling; Address is set for [reg+off]; Vector for {a, b}.
type Operand struct {
	Text    string
	Address bool
	Vector  []string
}

// Callee is the function that a call names: call (ret), f, (args) or call f, (args), its lists optional (PTX ISA 9.7.12.5). A call
// through a register names that.
func (i *Instr) Callee() string {
	for _, o := range i.Operands {
		if !strings.HasPrefix(o.Text, "(") {
			return o.Text
		}
	}
	return ""
}

// Has reports whether the instruction carries the modifier.
func (i *Instr) Has(mod string) bool {
	for _, m := range i.Modifiers {
		if m == mod {
			return true
		}
	}
	return false
}

func (*Assign) stmt()     {}
func (*ExprStmt) stmt()   {}
func (*If) stmt()         {}
func (*For) stmt()        {}
func (*While) stmt()      {}
func (*With) stmt()       {}
func (*Return) stmt()     {}
func (*Break) stmt()      {}
func (*Continue) stmt()   {}
func (*Block) stmt()      {}
func (*FuncDef) stmt()    {}
func (*ClassDef) stmt()   {}
func (*Import) stmt()     {}
func (*Asm) stmt()        {}
func (*OpaqueStmt) stmt() {}
func (*Try) stmt()        {}
func (*Raise) stmt()      {}
func (*Delete) stmt()     {}
func (*Outer) stmt()      {}
