package cuda

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// truth is the value of a preprocessor expression: a number that is known, or one that is not.
// A condition that is not known counts as true, so the first branch is kept.
type truth struct {
	value int64
	known bool
	// version marks __CUDA_ARCH__ and its like, which stand for the newest there is.
	version bool
}

// foreign are macros of compilers and platforms this tool does not read for.
var foreign = map[string]bool{
	"_MSC_VER": true, "_WIN32": true, "__HIPCC__": true, "__HIP__": true, "__HIP_PLATFORM_AMD__": true, "USE_ROCM": true,
	"__CUDACC_RTC__": true, "__APPLE__": true, "__NVCOMPILER": true, "__ICC": true, "__INTEL_COMPILER": true,
	"__clang__": true, "__CUDA_LIBDEVICE__": true, "__SYCL_DEVICE_ONLY__": true, "CUTLASS_ENABLE_SYCL": true,
	"_WIN64": true, "_M_X64": true, "_M_IX86": true, "_M_ARM": true, "_M_ARM64": true, "__i386__": true, "__arm__": true, "__aarch64__": true,
	"__doxygen__": true, "DOXYGEN": true, "__CLANGD__": true, "_CCCL_DOXYGEN_INVOKED": true,
}

// versions are macros whose value grows with time: the newest is assumed.
var versions = map[string]bool{
	"__CUDA_ARCH__": true, "CUDA_VERSION": true, "CUDART_VERSION": true, "__CUDACC_VER_MAJOR__": true,
	"__CUDACC_VER_MINOR__": true, "__cplusplus": true, "__CUDA_ARCH_LIST__": true, "__GNUC__": true,
	"CUDA_ARCH": true, "__CUDA_MINIMUM_ARCH__": true,
}

// own are macros of the compiler and the platform that this tool reads for: nvcc on Linux, with 64 bits to a pointer as all of CUDA has.
var own = map[string]bool{"__CUDACC__": true, "__NVCC__": true, "__x86_64__": true, "__LP64__": true, "_LP64": true, "__linux__": true, "__unix__": true}

// features reports whether a macro says that code is compiled for one architecture with all it has (sm_90a): without it,
// kernels hold a message that they cannot run.
func features(name string) bool {
	return strings.HasPrefix(name, "__CUDA_ARCH_FEAT_") || name == "__CUDA_ARCH_SPECIFIC__" || name == "__CUDA_ARCH_FAMILY_SPECIFIC__"
}

// condition tells whether the lines behind an #if are kept. Where that hangs on a name that this file does not define and a
// file that it includes may, doubt is the name.
func (l *lexer) condition(head string, rest []token) (live bool, doubt string) {
	l.undefined, l.library, l.lacking = "", true, nil
	live = l.holds(head, rest)
	return live, l.undefined
}

func (l *lexer) holds(head string, rest []token) bool {
	if head != "if" {
		if len(rest) == 0 {
			return true
		}
		d := l.defined(l.text(rest[0]))
		if head == "ifndef" {
			d.value = 1 - d.value
		}
		return !d.known || d.value != 0
	}
	left := maxMeant
	c := condition{lexer: l, tokens: rest, left: &left}
	v := c.binary(0)
	if c.at < len(c.tokens) {
		return true // not understood
	}
	if v.known || v.version {
		l.undefined = ""
	}
	return !v.known || v.value != 0
}

func (l *lexer) defined(name string) truth {
	if l.pre.now(name) != nil || versions[name] || features(name) || own[name] {
		return truth{value: 1, known: true}
	}
	v, m := l.missing(name)
	if m.Foreign && !m.Known && l.apart {
		l.undefined, l.lacking = "", append(l.lacking, name)
		return truth{known: true}
	}
	return v
}

// without is the condition where names that only a library of others may define, and that are asked for nothing but whether they are defined, are not: such a name is the
// program's own as a rule, and given by its build.
func (l *lexer) without(head string, rest []token) (live bool) {
	l.apart = true
	defer func() { l.apart = false }()
	live, _ = l.condition(head, rest)
	return live
}

// branch is what is seen of the first branch of a group without reading it.
type branch struct {
	refuses bool // #error stands in it under no other condition: nobody can compile it
	hip     bool // a header of HIP is included in it under no other condition: where there is another branch, that is nvcc's
	kernels bool // it has some
	only    bool // the group has no other one
}

// firstBranches looks through the groups of a text, once, by where they begin.
func firstBranches(src []byte) map[int]*branch {
	type open struct {
		*branch
		first bool // it is the branch that is looked at
	}
	out := map[int]*branch{}
	var around []open
	kernels := func() {
		for k := len(around) - 1; k >= 0 && !around[k].kernels; k-- { // those around one that has some have them, too
			around[k].kernels = around[k].first
		}
	}
	at := 0
	for _, line := range bytes.SplitAfter(src, []byte("\n")) {
		trimmed := bytes.TrimLeft(line, " \t\r\f\v")
		start := at + len(line) - len(trimmed)
		at += len(line)
		word, is := bytes.CutPrefix(trimmed, []byte("#"))
		if !is {
			if bytes.Contains(line, []byte("__global__")) {
				kernels()
			}
			continue
		}
		word = bytes.TrimLeft(word, " \t")
		top := len(around) - 1
		switch {
		case bytes.HasPrefix(word, []byte("if")):
			out[start] = &branch{only: true}
			around = append(around, open{out[start], true})
		case top < 0:
		case bytes.HasPrefix(word, []byte("el")):
			around[top].only, around[top].first = false, false
		case bytes.HasPrefix(word, []byte("endif")):
			around = around[:top]
		case bytes.HasPrefix(word, []byte("include")) && ofHIP(word):
			around[top].hip = around[top].hip || around[top].first
		case bytes.HasPrefix(word, []byte("error")):
			around[top].refuses = around[top].refuses || around[top].first
		}
	}
	return out
}

// ofHIP reports whether a header that is included is one of AMD's HIP, or of a library of it (ROCm documentation, HIP and libraries).
func ofHIP(include []byte) bool {
	_, name, _ := bytes.Cut(include, []byte("<"))
	top, _, nested := bytes.Cut(name, []byte("/"))
	return nested && hip[string(top)]
}

var hip = map[string]bool{"hip": true, "hipblas": true, "hipblaslt": true, "hipcub": true, "hipfft": true, "hiprand": true, "hipsolver": true, "hipsparse": true, "rccl": true,
	"rocblas": true, "rocfft": true, "rocprim": true, "rocrand": true, "rocsolver": true, "rocsparse": true, "rocthrust": true, "rocwmma": true, "roctracer": true}

// firstBranch is what is seen of the first branch of the group that begins at a place.
func (l *lexer) firstBranch(start int) branch {
	if l.branches == nil {
		l.branches = firstBranches(l.src)
	}
	if b := l.branches[start]; b != nil {
		return *b
	}
	return branch{}
}

// maxBranches bounds how far the branches of a group are looked for: each group in another one is.
const maxBranches = 1 << 14

// otherwise reports whether the group whose first directive ends at a place has another branch that does something: one that only says that the program is not for this
// architecture is none.
func (l *lexer) otherwise(from int) bool {
	depth, begin, at := 1, -1, from
	for _, line := range bytes.SplitAfter(l.src[from:min(len(l.src), from+maxBranches)], []byte("\n")) {
		start := at
		at += len(line)
		word, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
		if !is {
			continue
		}
		word = bytes.TrimSpace(word)
		ends := bytes.HasPrefix(word, []byte("endif"))
		switch {
		case bytes.HasPrefix(word, []byte("if")):
			depth++
		case depth > 1 && ends:
			depth--
		case depth == 1 && begin >= 0 && (ends || bytes.HasPrefix(word, []byte("el"))):
			return source.HasSync(l.src[begin:start], "return", "[")
		case depth == 1 && ends:
			return false
		case depth == 1 && bytes.HasPrefix(word, []byte("el")):
			if bytes.Contains(l.src[from:start], []byte("__global__")) { // whole kernels are read rather than not
				return false
			}
			begin = at
		}
	}
	return false
}

// behind is what a name is behind headers that are included.
func (l *lexer) behind(headers []Header, name string) Meaning {
	if len(headers) > 0 && l.elsewhere != nil {
		return l.elsewhere.Behind(headers, name)
	}
	return Meaning{Known: len(headers) == 0}
}

// given is what the build makes of a name that no file defines.
func (l *lexer) given(name string) Meaning {
	if l.elsewhere == nil {
		return Meaning{}
	}
	return l.elsewhere.Built(name)
}

// missing is whether a name is defined that the file does not define, and what it is: none, and 0 in an expression (C++ [cpp.cond]), unless a file that it
// includes defines it.
func (l *lexer) missing(name string) (defined truth, m Meaning) {
	if foreign[name] {
		return truth{known: true}, m
	}
	if m = l.given(name); m.Defined && !l.pre.undone[name] {
		return truth{value: 1, known: true}, m
	}
	if m = l.behind(l.pre.headers(), name); m.Known && !m.Defined {
		other := l.behind(l.pre.perhaps, name)
		m.Known = other.Known && !other.Defined && !l.pre.vague[name]
	}
	if m.Known && !m.Defined && l.elsewhere != nil && l.elsewhere.Above != nil {
		m = l.elsewhere.Above(name)
	}
	if l.pre.undone[name] {
		m = Meaning{Known: true}
	}
	switch {
	case !m.Known:
		l.undefined, l.library = name, l.library && m.Foreign
		return truth{}, m
	case m.Defined:
		return truth{value: 1, known: true}, m
	}
	l.lacking = append(l.lacking, name)
	return truth{known: true}, m
}

// system reports whether a header is one of a compiler or of CUDA: it defines no name that a program asks for here.
func system(header string) bool {
	if top, _, nested := strings.Cut(header, "/"); nested {
		return top == "cuda" || top == "sys" || top == "cooperative_groups"
	}
	name, extension, _ := strings.Cut(header, ".")
	switch extension {
	case "":
		return true // the standard library of C++
	case "h":
		return systemHeaders[name]
	}
	return false
}

var systemHeaders = func() map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(`assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stdbool stddef stdint stdio stdlib
		string tgmath time wchar cuda cuda_runtime cuda_runtime_api cuda_fp16 cuda_bf16 cuda_fp8 cuda_fp6 cuda_fp4 cuda_pipeline cuda_awbarrier
		cuda_pipeline_primitives cuda_awbarrier_primitives cooperative_groups device_launch_parameters device_functions mma curand curand_kernel cufft cublas_v2
		cudaTypedefs vector_types vector_functions nvrtc nvtx3`) {
		out[name] = true
	}
	return out
}()

// condition evaluates the expression of an #if by precedence climbing.
type condition struct {
	*lexer
	tokens []token
	at     int
	depth  int
	macro  []byte // the text of the macro that the tokens are of; nil: they are the file's
	left   *int   // macros that may still be expanded
}

// maxMeant bounds how many macros are expanded for one condition: each may name several others.
const maxMeant = 64

func (c *condition) text(t token) string {
	if c.macro != nil {
		return string(c.macro[t.start:t.end])
	}
	return c.lexer.text(t)
}

// meant is what a macro without parameters is worth where a condition names it: its text is expanded there, and what that names is what it is there (C++17 [cpp.cond]/4, [cpp.rescan]). Where
// operators around the name would part the text it is not known.
func (c *condition) meant(name string, m Meaning) truth {
	if n, known := m.number(); known {
		return truth{value: n, known: true}
	}
	if *c.left--; *c.left < 0 || m.Text == "" {
		return truth{}
	}
	src := []byte(m.Text)
	inner := condition{lexer: c.lexer, tokens: directiveTokens(src, 0, len(src)), depth: c.depth, macro: src, left: c.left}
	if inner.names(name) || c.parts(inner.loosest()) {
		return truth{}
	}
	v := inner.binary(0)
	if inner.at < len(inner.tokens) {
		return truth{}
	}
	return v
}

// names reports whether a name stands among the tokens.
func (c *condition) names(name string) bool {
	return slices.ContainsFunc(c.tokens, func(t token) bool { return t.kind == word && c.text(t) == name })
}

// loosest is the precedence of the operator by which the tokens as a whole are made of two, or of more; 0: there is none.
func (c *condition) loosest() (out int) {
	depth := 0
	for inner := *c; inner.at < len(inner.tokens); {
		op := inner.peek()
		switch op {
		case "(":
			depth++
		case ")":
			depth--
		}
		p := precedence[op]
		if p == 0 {
			inner.at++
			continue
		}
		if depth == 0 && inner.at > 0 && (out == 0 || p < out) {
			out = p
		}
		inner.skip(op)
	}
	return out
}

// parts reports whether operators beside the name that was just read bind what is next to them before one of a precedence does.
func (c *condition) parts(loosest int) bool {
	if loosest == 0 {
		return false
	}
	if precedence[c.peek()] > loosest {
		return true
	}
	if c.at < 2 {
		return false
	}
	switch before := c.text(c.tokens[c.at-2]); before {
	case "(":
		return false
	case "&", "|": // the second half of && and ||, or an operator that binds closer than those of which a text is made whole
		return c.at < 3 || c.tokens[c.at-3].end != c.tokens[c.at-2].start || c.text(c.tokens[c.at-3]) != before || loosest < precedence[before+before]
	}
	return true
}

func (c *condition) peek() string {
	if c.at >= len(c.tokens) {
		return ""
	}
	t := c.tokens[c.at]
	s := c.text(t)
	if t.kind != punct {
		return s
	}
	// Join two-character operators.
	if c.at+1 < len(c.tokens) && c.tokens[c.at+1].start == t.end && c.tokens[c.at+1].kind == punct {
		switch two := s + c.text(c.tokens[c.at+1]); two {
		case "&&", "||", "==", "!=", "<=", ">=", "<<", ">>":
			return two
		}
	}
	return s
}

func (c *condition) skip(op string) {
	c.at++
	if len(op) == 2 && op != "or" {
		c.at++
	}
}

var precedence = map[string]int{
	"||": 1, "or": 1, "&&": 2, "and": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (c *condition) binary(floor int) truth {
	left := c.unary()
	for {
		op := c.peek()
		p := precedence[op]
		if p == 0 || p <= floor {
			return left
		}
		c.skip(op)
		left = combine(op, left, c.binary(p))
	}
}

func (c *condition) unary() truth {
	c.depth++
	defer func() { c.depth-- }()
	op := c.peek()
	if op == "" || c.depth > 100 {
		c.at = len(c.tokens)
		return truth{}
	}
	t := c.tokens[c.at]
	c.at++
	switch {
	case op == "!" || op == "not":
		v := c.unary()
		if v.value == 0 {
			return truth{value: 1, known: v.known}
		}
		return truth{known: v.known}
	case op == "-":
		v := c.unary()
		return truth{value: -v.value, known: v.known}
	case op == "+":
		return c.unary()
	case op == "(":
		v := c.binary(0)
		if c.peek() == ")" {
			c.at++
		}
		return v
	case op == "defined":
		return c.definedOperator()
	case t.kind == number:
		v, ok := parseInt(op)
		return truth{value: v, known: ok}
	case t.kind == word:
		return c.name(op)
	}
	return truth{}
}

func (c *condition) definedOperator() truth {
	paren := c.peek() == "("
	if paren {
		c.at++
	}
	v := c.defined(c.peek())
	c.at++
	if paren && c.peek() == ")" {
		c.at++
	}
	return v
}

// name is a macro's value, or that of a function-like test such as __has_include(<x>).
func (c *condition) name(s string) truth {
	if c.peek() == "(" {
		depth := 0
		for c.at < len(c.tokens) {
			switch c.peek() {
			case "(":
				depth++
			case ")":
				depth--
			}
			c.at++
			if depth == 0 {
				break
			}
		}
		return truth{}
	}
	switch {
	case s == "true" || own[s]:
		return truth{value: 1, known: true}
	case s == "false" || foreign[s]:
		return truth{known: true}
	case versions[s]:
		return truth{version: true}
	}
	if d := c.pre.now(s); d != nil {
		return c.meant(s, d.meaning())
	}
	v, m := c.missing(s)
	if !m.Known {
		c.library = false // what it stands for is asked
	}
	if !m.Defined {
		return v
	}
	if v = c.meant(s, m); !v.known && !v.version {
		c.undefined = s
	}
	return v
}

func combine(op string, a, b truth) truth {
	yes, no := truth{value: 1, known: true}, truth{known: true}
	is := func(v bool) truth {
		if v {
			return yes
		}
		return no
	}
	if a.version != b.version {
		newest := b.version // `N < newest` and `newest > N` hold
		switch op {
		case "<", "<=":
			return is(newest)
		case ">", ">=":
			return is(!newest)
		}
	}
	switch op {
	case "&&", "and":
		if a.known && a.value == 0 || b.known && b.value == 0 {
			return no
		}
		return truth{value: 1, known: a.known && b.known}
	case "||", "or":
		if a.known && a.value != 0 || b.known && b.value != 0 {
			return yes
		}
		return truth{known: a.known && b.known}
	}
	if !a.known || !b.known {
		return truth{}
	}
	return known(op, a.value, b.value)
}

// known computes with two known numbers.
func known(op string, a, b int64) truth {
	is := func(v bool) truth {
		if v {
			return truth{value: 1, known: true}
		}
		return truth{known: true}
	}
	switch op {
	case "==":
		return is(a == b)
	case "!=":
		return is(a != b)
	case "<":
		return is(a < b)
	case ">":
		return is(a > b)
	case "<=":
		return is(a <= b)
	case ">=":
		return is(a >= b)
	case "+":
		return truth{value: a + b, known: true}
	case "-":
		return truth{value: a - b, known: true}
	case "*":
		return truth{value: a * b, known: true}
	case "/", "%":
		if b == 0 {
			return truth{}
		}
		if op == "/" {
			return truth{value: a / b, known: true}
		}
		return truth{value: a % b, known: true}
	case "&":
		return truth{value: a & b, known: true}
	case "|":
		return truth{value: a | b, known: true}
	}
	return truth{}
}
