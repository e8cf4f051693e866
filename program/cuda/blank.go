package cuda

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// mark is an attribute that was blanked but whose meaning the tree keeps: __global__, __launch_bounds__(…).
type mark struct {
	word string
	span source.Span
	args bool
}

// blanker rewrites what the grammar stumbles over, in place and length for length (notes/cuda.md, section 3).
type blanker struct {
	*lexer
	marks []mark
	// qualifiers are the words blanked that may say of a function what it is: __device__, and macros.
	qualifiers []token
	// asserted are the arguments of static assertions that are blanked, in order.
	asserted []source.Span
	// aligned are the arguments of alignment specifiers that are blanked, in order.
	aligned []source.Span
	start   int      // first token of the current statement or declaration
	within  []string // names of the classes whose braces are open, "" for other braces
	match   []int    // index of the closing token of each opening ( [ {, or -1
	// braced are the opening braces of default arguments: the grammar knows no `T x = {}` in a parameter list.
	braced []int
	// assigning are the assignments that stand ahead of a comma in parentheses, by their tokens.
	assigning [][2]int
	// welded are the starts of identifiers made of an expression: it is parsed apart when the tree meets it.
	welded  map[int]bool
	makes   map[string]bool // macros that make kernels
	expands int             // of these
	used    int             // where the one that is expanded stands
	// holding are the macros that statements stand behind, or that hold some, by where the tree has the loop, or the block, that is written for it.
	holding map[int]holder
	// alone are names that stand as statements, or may be the first word of one, by their starts.
	alone map[int]alone
	// specifiers are words that stand before a declaration and are taken to be specifiers, by the start of what stands behind them.
	specifiers map[int]source.Span
	// foreign are macros of files that are included, as far as they were asked for.
	foreign map[string]*define
	// spliced are words blanked between the pieces of a string, with their arguments: macros that stand for pieces.
	spliced []token
}

// alone is a name that stands as a statement: with a semicolon behind it, held by an if or a loop, or with more of it behind.
type alone struct{ closed, held, part bool }

// holder is where a macro is called, and the arguments that it is given there.
type holder struct{ name, args source.Span }

// prepare returns the text to parse: as long as src, with every byte that is kept at its own offset. Its tokens are in the memory
// that it is given.
func prepare(src []byte, m *memory, elsewhere *Elsewhere) *blanker {
	b := &blanker{lexer: &lexer{src: src, words: string(src), elsewhere: elsewhere, out: append([]byte(nil), src...), tokens: m.tokens[:0]}, match: m.match[:0]}
	b.pre.names, b.pre.pushed, b.pre.undone = map[string]*meanings{}, map[string][]*define{}, map[string]bool{}
	b.welded, b.holding, b.alone = map[int]bool{}, map[int]holder{}, map[int]alone{}
	b.foreign, b.specifiers = map[string]*define{}, map[int]source.Span{}
	b.scan()
	b.pair()
	m.tokens, m.match = b.tokens, b.match
	b.rewrite()
	b.uses()
	for _, t := range b.assigning {
		b.weld(t[0], t[1])
		b.welded[b.tokens[t[0]].start] = true
	}
	end := 0
	for _, i := range b.braced {
		if b.match[i] > 0 && i >= end {
			end = b.match[i]
			b.weld(i, b.match[i])
			b.welded[b.tokens[i].start] = true
		}
	}
	return b
}

// rewrite goes over the tokens once.
func (b *blanker) rewrite() {
	scopes := []bool{true} // whether the brace scope holds declarations rather than statements
	for i := 0; i < len(b.tokens); i++ {
		t := b.tokens[i]
		if t.kind == word {
			i = b.word(i, i == b.start, scopes[len(scopes)-1])
			if b.gone(i) && b.allGone(b.start, i) {
				b.start = i + 1
			}
			continue
		}
		if t.kind != punct {
			continue
		}
		switch b.src[t.start] {
		case '{':
			scopes, b.within = append(scopes, b.declares(b.start, i)), append(b.within, b.className(b.start, i))
			b.start = i + 1
		case '}':
			if len(scopes) > 1 {
				scopes, b.within = scopes[:len(scopes)-1], b.within[:len(b.within)-1]
			}
			b.start = i + 1
		case ';':
			b.start = i + 1
		case '[':
			from := i
			if i = b.attributes(i); b.start == from && i > from {
				b.start = i + 1
			}
		case '*':
			b.pack(i)
			b.stars(i)
		case '=':
			if !scopes[len(scopes)-1] && b.at(i-1) == ")" && b.at(i+1) == "0" && b.at(i+2) == ";" {
				b.out[b.tokens[i+1].start] = '1' // f(x) = 0; which the grammar takes for a pure virtual function: the number is read from the original text
			}
		case '>':
			b.atLeast(i)
		case '<':
			if end := b.spread(i); end > i {
				i = end
			} else {
				b.less(i)
			}
		case '(':
			b.reference(i)
			if !scopes[len(scopes)-1] {
				b.bound(i)
			}
			b.factor(i)
			b.operand(i)
			b.summand(i)
			b.sequence(i)
			b.typeArguments(i)
		}
	}
}

var opening = map[byte]byte{')': '(', ']': '[', '}': '{'}

// pair finds the bracket partners; unbalanced ones stay -1.
func (b *blanker) pair() {
	b.match = slices.Grow(b.match[:0], len(b.tokens))[:len(b.tokens)]
	var stack []int
	braces := 0 // open { in the stack
	for i, t := range b.tokens {
		b.match[i] = -1
		if t.kind != punct {
			continue
		}
		switch c := b.src[t.start]; c {
		case '(', '[', '{':
			if c == '{' && b.at(i-1) == "=" && len(stack) > 0 && b.at(stack[len(stack)-1]) == "(" {
				b.braced = append(b.braced, i)
			}
			if c == '{' {
				braces++
			}
			stack = append(stack, i)
		case ')', ']', '}':
			if c == '}' && braces == 0 {
				continue
			}
			for n := len(stack) - 1; n >= 0; n-- {
				if b.src[b.tokens[stack[n]].start] == opening[c] {
					b.match[stack[n]] = i
					stack = stack[:n]
					break
				}
				if c != '}' {
					break // a stray ) or ] closes nothing; a } closes whatever was left open inside
				}
			}
			if c == '}' {
				braces--
			}
		}
	}
}

// declares reports whether the brace at token open begins a namespace or a class body.
func (b *blanker) declares(start, open int) bool {
	class := false
	for i := start; i < open; i++ {
		t := b.tokens[i]
		switch b.text(t) {
		case "namespace":
			return true
		case "extern":
			return open == i+2 // extern "C" {
		case "enum", "=":
			return false
		case "class", "struct", "union":
			class = i == start || b.text(b.tokens[i-1]) != "<" && b.text(b.tokens[i-1]) != ","
		case "template":
			// skip the parameter list: `class T` in it names no class
			i = b.angleEnd(i+1) - 1
		case "(":
			if class && b.gone(i) {
				continue
			}
			return false
		}
	}
	return class
}

// angleEnd is the index after the > that closes the < at i.
func (b *blanker) angleEnd(i int) int {
	depth := 0
	for n := 0; i < len(b.tokens) && n < 2000; i, n = i+1, n+1 {
		if b.tokens[i].kind != punct {
			continue
		}
		switch b.src[b.tokens[i].start] {
		case '<':
			depth++
		case '>':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case '(', '[', '{':
			if b.match[i] > 0 {
				i = b.match[i]
			}
		case ';':
			return i
		}
	}
	return i
}

// typed reports whether a type and what it declares stand from a token on: two words at least, of which the second one may be part of the first.
func (b *blanker) typed(i int) bool {
	return i+1 < len(b.tokens) && b.tokens[i].kind == word && (b.tokens[i+1].kind == word || b.at(i+1) == "<" || b.at(i+1) == ":" && b.at(i+2) == ":")
}

// gone reports whether the token has been blanked.
func (b *blanker) gone(i int) bool { return i < len(b.tokens) && b.out[b.tokens[i].start] == ' ' }

func (b *blanker) allGone(from, to int) bool {
	for ; from <= to; from++ {
		if !b.gone(from) {
			return false
		}
	}
	return true
}

func (b *blanker) at(i int) string {
	if i < 0 || i >= len(b.tokens) {
		return ""
	}
	return b.text(b.tokens[i])
}

// word treats the identifier at token i and returns the last token it consumed.
func (b *blanker) word(i int, first, declarations bool) int {
	t := b.tokens[i]
	s := b.text(t)
	prev, next := b.at(i-1), b.at(i+1)
	if first && !declarations && macroName(s) && next != "(" {
		b.alone[t.start] = alone{part: true}
	}
	switch {
	case s == "__global__" || globals[s] || macroName(s) && strings.HasSuffix(s, "_KERNEL") && b.at(b.pastCalls(i+1)) == "void":
		b.marks = append(b.marks, mark{word: "__global__", span: source.Span{Start: t.start, End: t.end}})
		b.blank(t.start, t.end)
	case declarations && macroName(s) && strings.HasSuffix(s, "_KERNEL") && b.at(i+2) == "(" && b.tokens[i+1].kind == word:
		b.marks = append(b.marks, mark{word: "__global__", span: source.Span{Start: t.start, End: t.end}})
		b.blank(t.start, t.end)
		copy(b.out[t.start:], "void") // RAFT_KERNEL f(…): a kernel returns nothing else
	case !declarations && capitals(s) && i+3 < len(b.tokens) && b.tokens[i+1].kind == word && b.at(i+2) == ":" && b.at(i+3) == ":" && prev != "." && prev != ":":
		b.blank(t.start, t.end) // PREFIX cub::BlockReduce
	case prev == "]" && next == "(" && capitals(s): // [&] HD (int i) {
		b.blank(t.start, t.end)
	case declarations && prev == ")" && (next == "{" || next == ":" && b.at(i+2) != ":") && capitals(s) && !b.ofClass(i):
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end) // f() MACRO {
	case declarations && b.behindHead(i, s):
		b.blank(t.start, t.end) // f() const MACRO {
	case next == "(" && (prev == "class" || prev == "struct") && capitals(s) && b.match[i+1] > 0 && b.match[i+1]+1 < len(b.tokens) && b.tokens[b.match[i+1]+1].kind == word:
		return b.attributeCall(i, s) // class ALIGNED(8) name
	case (prev == "class" || prev == "struct" || prev == "union") && capitals(s) && i+2 < len(b.tokens) && b.tokens[i+1].kind == word && next != "final" && (b.at(i+2) == "{" || b.at(i+2) == ":" && b.at(i+3) != ":" || b.at(i+2) == "final" || b.at(i+2) == "<"):
		b.blank(t.start, t.end) // class MACRO name {
	case capitals(s) && (next == "__shared__" || prev == "__shared__" && b.typed(i+1)):
		b.blank(t.start, t.end) // __shared__ MACRO type name
	case prev == "__shared__" && capitals(s) && next == "(" && b.match[i+1] > 0 && b.typed(b.match[i+1]+1):
		b.blank(t.start, b.tokens[b.match[i+1]].end) // __shared__ MACRO(n) type name
		return b.match[i+1]
	case b.at(i-2) == "namespace" && next == "{" && capitals(s):
		b.blank(t.start, t.end) // namespace name MACRO {
	case next == "(" && (calls[s] || strings.HasSuffix(s, "LAUNCH_BOUNDS") || strings.HasSuffix(s, "_ALIGNAS") || strings.HasSuffix(s, "ALIGN_AS")):
		return b.attributeCall(i, s)
	case (prev == "*" || prev == "&") && macroName(s) && i+2 < len(b.tokens) && b.tokens[i+1].kind == word && strings.Contains("=;,)[({:", b.at(i + 2)[:1]):
		b.blank(t.start, t.end) // T* MACRO name: two words behind a star are no expression
	case words[s] || qualifierMacro(s) && (prev == "]" || qualifies(prev, b.tokens, i, b.src)):
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end)
	case next == "(" && first && (s == "static_assert" || strings.HasSuffix(s, "STATIC_ASSERT") || declarations && macroName(s)):
		if end := b.match[i+1]; s == "static_assert" && end > 0 {
			b.asserted = append(b.asserted, source.Span{Start: b.tokens[i+1].end, End: b.tokens[end].start})
		}
		return b.blankCall(i)
	case next == "(" && (macroName(s) || b.function(s, t.start) || statements[b.at(i+2)]) && (first || b.nested(i)):
		switch {
		case !declarations && b.leads(i):
			return b.match[i+1]
		case !declarations && b.holds(i) > 0:
			return b.unfold(i)
		}
		b.terminate(i, first)
	case next == "(" && !first && b.match[i+1] > 0 && b.match[i+1]+1 < len(b.tokens) && b.tokens[b.match[i+1]+1].kind == word && b.empty(s, t.start):
		b.blank(t.start, b.tokens[b.match[i+1]].end) // f(CAST((void*)) x), where CAST stands for nothing
		return b.match[i+1]
	case b.splices(i) >= i:
		last := b.splices(i)
		b.spliced = append(b.spliced, token{kind: t.kind, start: t.start, end: b.tokens[last].end})
		b.blank(t.start, b.tokens[last].end)
		return last
	case s == "typeid" && next == "(" && b.match[i+1] > 0:
		return b.weld(i, b.match[i+1])
	case s == "if" && b.at(i+2) == "(" && i+1 < len(b.tokens) && b.tokens[i+1].kind == word && next != "constexpr":
		b.ifMacro(i + 1)
		return i + 1
	case s == "template" && (prev == ":" && b.at(i-2) == ":" || (prev == "." || prev == ">") && b.at(i+2) == "("):
		b.blank(t.start, t.end)
	case next == "(" && b.at(i+2) != "*" && (s == "unsigned" || s == "signed" || s == "long" || s == "short") && prev != "unsigned" && prev != "long":
		return b.weld(i, i) // unsigned(x), which the grammar takes for a declaration
	case next == "(" && strings.Trim(s, "_") == "asm" || strings.Trim(next, "_") == "volatile" && strings.Trim(s, "_") == "asm":
		b.commas(i)
	case s == "typename" && b.at(i+2) != "," && b.at(i+2) != ">" && (b.at(i+2) == ":" && b.at(i+3) == ":" || b.at(i+2) == "<" || next == ":" || next == "decltype"):
		b.blank(t.start, t.end) // typename T::X{}: in expressions the grammar has no place for it
	case s == "decltype" && next == "(" && b.match[i+1] > 0 && strings.Contains("{(:", b.at(b.match[i+1]+1)):
		return b.weld(i, b.match[i+1])
	case declarations && prev == "~" && next == "<" && i > 1 && (b.tokens[i-2].kind == word || strings.Contains(";{}:])", b.at(i-2))): // ~T<int>(): the grammar has a destructor by the name of its class alone
		if end := b.angleEnd(i + 1); b.at(end) == "(" {
			b.blank(b.tokens[i+1].start, b.tokens[end-1].end)
			return end - 1
		}
	case first && !declarations && macroName(s) && i+1 < len(b.tokens) && bytes.IndexByte(b.src[t.end:b.tokens[i+1].start], '\n') < 0 && b.initialises(i+1) && b.before(s, t.start, b.tokens[i+1].start):
		b.blank(t.start, t.end) // a macro of specifiers: what stands behind it declares by itself
	case s == "operator" && (called(prev, b.at(i-2)) || !declarations && i > 0 && b.tokens[i-1].kind == punct):
		return b.operatorName(i)
	case declarations && (capitals(s) || reserved(s)) && (first || b.heads(i) || b.labelled(i)) && b.specifies(i):
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end)
	case declarations && (capitals(s) || reserved(s)) && (primitives[prev] || prev == "void") && i+2 < len(b.tokens) && b.tokens[i+1].kind == word && b.at(i+2) == "(":
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end) // int DI f(…): behind a type, before a name, is a specifier
	case declarations && (capitals(s) || reserved(s)) && (prev == "constexpr" || prev == "static" || prev == "inline" || prev == "explicit" || prev == "virtual") && b.specifies(i):
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end)
	case first && !declarations && b.object(s, t.start) && i+1 < len(b.tokens) && b.tokens[i+1].kind == word && next != "for" && next != "while" && next != "do" && bytes.IndexByte(b.src[t.end:b.tokens[i+1].start], '\n') >= 0:
		b.out[t.end] = ';' // a statement on a line of its own
		b.start, b.alone[t.start] = i+1, alone{}
	case !declarations && b.object(s, t.start) && next == "}" && first && t.end < b.tokens[i+1].start:
		b.out[t.end] = ';' // the last one of a block
		b.alone[t.start] = alone{}
	case !declarations && next == ";" && (first || b.nested(i)) && b.at(i+2) != "else":
		b.alone[t.start] = alone{closed: true, held: !first}
	case first && macroName(s) && i+1 < len(b.tokens) && b.tokens[i+1].kind == word && bytes.IndexByte(b.src[t.end:b.tokens[i+1].start], '\n') >= 0:
		b.qualifiers = append(b.qualifiers, t)
		b.blank(t.start, t.end) // a macro on a line of its own
	case next == ")" && macroName(s) && (strings.HasSuffix(s, "_PARAMS") || strings.HasSuffix(s, "_ARGS")) && prev != "," && prev != "(":
		b.blank(t.start, t.end) // more parameters, or none
	case s == "CUTLASS_CONSTEXPR_IF_CXX17" || s == "CUTLASS_CONSTEXPR_IF_CXX20":
		b.blank(t.start, t.end)
	}
	return i
}

// words are attributes without arguments that never decide synchronization.
var words = map[string]bool{
	"__device__": true, "__host__": true, "__forceinline__": true, "__noinline__": true, "__restrict__": true,
	"__restrict": true, "__grid_constant__": true, "__forceinline": true, "__inline__": true, "__extension__": true,
	"__tile_static__": true, "__cluster_dims_aligned__": true, "__noreturn__": true, "__hostdevice__": true,
	"CUTE_GRID_CONSTANT": true, "CUTLASS_GRID_CONSTANT": true, "DINLINE": true, "DEVICE_FUNC": true, "HOST_DEVICE_FUNC": true,
	"CUBIN_EXPORT": true, "CUTLASS_THREAD_LOCAL": true, "__RESTRICT__": true, "__nv_pure__": true,
}

// globals are macros that stand for __global__.
var globals = map[string]bool{"CUTLASS_GLOBAL": true, "CUTE_GLOBAL": true, "KERNEL_GLOBAL": true}

// calls are attributes with arguments; the marked ones are kept for the tree.
var calls = map[string]bool{
	"__launch_bounds__": true, "__cluster_dims__": true, "__block_size__": true, "__maxnreg__": true,
	"__align__": true, "alignas": true, "__attribute__": true, "__attribute": true, "__declspec": true,
	"__builtin_align__": true, "_Pragma": true, "__pragma": true, "__CUDA_ALIGN__": true, "__annotate__": true,
}

// aligning are those that say how objects are aligned (C++17 [dcl.align]; CUDA C++ Programming Guide, Built-in Vector Types; cuda_fp16.hpp), aligned is the text of a macro that stands for one, and aligns that of a macro in which some
// stand.
var (
	aligning = map[string]bool{"alignas": true, "__align__": true, "__builtin_align__": true, "__CUDA_ALIGN__": true}
	aligns   = regexp.MustCompile(`\b(?:alignas|__align__|__builtin_align__|__CUDA_ALIGN__|aligned|__aligned__)\b`)
	aligned  = regexp.MustCompile(`^\(\s*\w+\s*\)\s*(?:(?:alignas|__align__|__builtin_align__)\s*\(\s*\w+\s*\)|__attribute__\s*\(\(\s*(?:__)?aligned(?:__)?\s*\(\s*\w+\s*\)\s*\)\))\s*$`)
)

// suffixes of attribute macros, from the corpora of notes/cuda.md.
var suffixes = []string{
	"_DEVICE", "_INLINE", "_UNROLL", "_HOST", "_HOST_RTC", "_NOINLINE", "_FORCEINLINE", "_API", "_EXPORT", "_VISIBILITY",
	"_CONSTANT", "_NODISCARD", "_HIDDEN", "_DECL", "_DEPRECATED", "_FUNC", "_QUALIFIER", "_QUALIFIERS", "_ATTRIBUTE", "_ATTR",
	"_UNROLL_1", "_NO_UNROLL", "_RESTRICT", "_UNUSED", "_HD", "_KERNEL_QUAL", "_DEVICE_FUNC", "_FUNCTION",
}

// qualifierMacro tells attribute macros by their name alone.
func qualifierMacro(s string) bool {
	if !macroName(s) {
		return false
	}
	if strings.HasPrefix(s, "_CCCL_") && s != "_CCCL_ASSERT" {
		return true
	}
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) || s == suffix[1:] {
			return true
		}
	}
	return strings.Contains(s, "PRAGMA_")
}

// macroName reports whether the name is spelled as macros are: capitals, digits and underscores, four or more.
func macroName(s string) bool {
	letters := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= 'A' && s[i] <= 'Z':
			letters++
		case s[i] == '_' || isDigit(s[i]):
		default:
			return false
		}
	}
	return letters >= 3 && len(s) >= 4
}

// qualifies reports whether the macro at i stands where a declaration specifier or a loop attribute can: nothing
// before it asks for an operand, and another word follows.
func qualifies(prev string, tokens []token, i int, src []byte) bool {
	switch prev {
	case "=", "(", ",", "+", "-", "*", "/", ".", "return", "case", "?", "|", "!", "[", "enum", "class", "struct":
		return prev == "struct" || prev == "class"
	}
	if i+1 >= len(tokens) {
		return false
	}
	next := tokens[i+1]
	if prev == ")" && (src[next.start] == '{' || src[next.start] == '-') {
		return true // behind the parameters of a lambda
	}
	if src[next.start] == '[' && i+2 < len(tokens) && src[tokens[i+2].start] == '[' && tokens[i+2].start == next.end {
		return true // [[nodiscard]]
	}
	return next.kind == word || src[next.start] == '~' || src[next.start] == ':' && i+2 < len(tokens) && src[tokens[i+2].start] == ':'
}

// behindHead reports whether a name stands where the head of a function ends and the language has words of its own only: what else stands there is a macro.
func (b *blanker) behindHead(i int, name string) bool {
	switch name {
	case "const", "volatile", "noexcept", "override", "final", "mutable", "try", "requires", "throw", "__restrict__":
		return false
	}
	if next := b.at(i + 1); next != "{" && next != ";" && next != "=" && (next != ":" || b.at(i+2) == ":") {
		return false
	}
	k := i - 1
	for b.at(k) == "const" || b.at(k) == "noexcept" || b.at(k) == "override" {
		k--
	}
	switch {
	case b.at(k) != ")":
		return false
	case k < i-1:
		return true
	}
	d := b.pre.inForce(name, b.tokens[i].start) // struct alignas(16) name {
	return d != nil && !d.function
}

// labelled reports whether token i stands behind an access specifier.
func (b *blanker) labelled(i int) bool {
	label := b.at(i - 2)
	return b.at(i-1) == ":" && (label == "private" || label == "public" || label == "protected")
}

// splices is the last token of the use of a macro among the pieces of a string; -1 where token i begins none.
func (b *blanker) splices(i int) int {
	if i == 0 || b.tokens[i-1].kind != text || b.tokens[i-1].end >= b.tokens[i].start {
		return -1
	}
	last := i
	if b.at(i+1) == "(" {
		last = b.match[i+1]
	}
	if last < 0 || !strings.Contains("\"),:;", string([]byte(b.at(last+1) + "?")[:1])) {
		return -1
	}
	return last
}

// heads reports whether token i is the first one behind the template parameters of a declaration.
func (b *blanker) heads(i int) bool {
	if b.at(b.start) != "template" || b.at(b.start+1) != "<" {
		return false
	}
	k := b.angleEnd(b.start + 1)
	if b.at(k) == "[" && b.match[k] > 0 { // [[deprecated]]
		k = b.match[k] + 1
	}
	for k < i && b.gone(k) {
		k++
	}
	return k == i
}

// specifies reports whether what follows token i is a whole declaration of a function by itself, so that the word at i can
// only be a macro of specifiers: DI void f(…), HDI T f(…).
func (b *blanker) specifies(i int) bool {
	if b.at(i+1) == "[" && b.at(i+2) == "[" && b.match[i+1] > 0 { // [[nodiscard]]
		i = b.match[i+1]
	}
	if i+2 >= len(b.tokens) || b.tokens[i+1].kind != word {
		return b.at(i+1) == "~"
	}
	switch b.at(i + 1) {
	case "void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "auto", "const", "constexpr", "static", "inline", "virtual", "explicit", "typename", "operator", "__device__":
		return true
	}
	if b.at(i+2) == "(" && b.constructs(i+1) || (capitals(b.at(i+1)) || reserved(b.at(i+1))) && b.specifies(i+1) {
		return true
	}
	j := b.path(i + 1)
	from := j
	for b.at(j) == "*" || b.at(j) == "&" {
		j++
	}
	if j <= i+1 || j >= len(b.tokens) || b.tokens[j].kind != word {
		return false
	}
	if b.at(j) == "operator" {
		return from > i+1 || b.at(j+1) != "("
	}
	end := b.path(j)
	return b.at(end) == "("
}

// initialises reports whether the tokens from one on declare a variable with a value that is no list: T name =, const T* name =.
func (b *blanker) initialises(i int) bool {
	names := 0
	for j := b.path(i); j > i; i, j = j, b.path(j) {
		names++
		for b.at(j) == "*" || b.at(j) == "&" {
			j++
		}
		if names > 1 && b.at(j) == "=" {
			return b.at(j+1) != "=" && j == b.path(i)
		}
	}
	return false
}

// before reports whether a macro may stand before a declaration as its specifiers. Of one that no file that is read defines that is taken for granted.
func (b *blanker) before(name string, at, declaration int) bool {
	text := ""
	switch d := b.pre.inForce(name, at); {
	case d != nil && (d.function || b.pre.names[name].varies()):
		return false
	case d != nil:
		text = d.text
	case b.pre.names[name] != nil:
		return false
	default:
		of := b.behind(b.pre.headers(), name)
		if !of.Defined {
			b.specifiers[declaration] = source.Span{Start: at, End: at + len(name)}
			return true
		}
		text = of.Text
	}
	for _, w := range strings.Fields(text) {
		if !unstored[w] {
			return false
		}
	}
	return true
}

// unstored are the specifiers that leave a variable where it is.
var unstored = map[string]bool{"const": true, "constexpr": true, "volatile": true, "inline": true, "register": true}

// path is the token behind a name: a::b<c>. It is j itself where that is none.
func (b *blanker) path(j int) int {
	for ; j < len(b.tokens) && b.tokens[j].kind == word; j += 2 {
		if j++; b.at(j) == "<" {
			if j = b.angleEnd(j); j < 0 {
				return len(b.tokens)
			}
		}
		if b.at(j) != ":" || b.at(j+1) != ":" {
			break
		}
	}
	return j
}

// constructs reports whether a constructor is declared at token i: what follows its parameters are initialisers of members, or a class of its name is around.
func (b *blanker) constructs(i int) bool {
	end := b.match[i+1]
	if end < 0 {
		return false
	}
	return b.at(end+1) == ":" && b.at(end+2) != ":" || len(b.within) > 0 && b.within[len(b.within)-1] == b.at(i)
}

// ofClass reports whether the declaration around token i begins as that of a class does: struct ALIGNED(16) RGBA {
func (b *blanker) ofClass(i int) bool {
	for k := b.start; k < i; k++ {
		switch b.at(k) {
		case "template":
			k = max(k, b.angleEnd(k+1)-1)
		case "class", "struct", "union", "enum":
			return true
		}
	}
	return false
}

// className is the name of the class whose body begins at a brace, "" where that is none.
func (b *blanker) className(start, open int) (name string) {
	class := false
	for i := start; i < open; i++ {
		switch s := b.at(i); {
		case s == "class" || s == "struct" || s == "union":
			class = true
		case class && (s == ":" || s == "<"):
			return name
		case class && s == "(" && b.match[i] > i: // of an attribute
			i = b.match[i]
		case class && b.tokens[i].kind == word && s != "final" && !b.gone(i):
			name = s
		}
	}
	return name
}

// reserved reports whether a name is spelled as those of the implementation's attributes are, __name__, and none that decides where something stands or what it is.
func reserved(s string) bool {
	return len(s) > 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__") && !spaces[s]
}

// spaces are the words so spelled that say where a variable stands (CUDA C++ Programming Guide, Memory Space Specifiers), or that are no attributes.
var spaces = map[string]bool{"__shared__": true, "__constant__": true, "__managed__": true, "__asm__": true, "__volatile__": true, "__typeof__": true, "__signed__": true, "__const__": true, "__complex__": true, "__label__": true, "__typename__": true}

// nested reports whether a statement begins at a token that another one holds: behind else, do, a label, or what an if or a loop has in parentheses.
func (b *blanker) nested(i int) bool {
	switch b.at(i - 1) {
	case "else", "do":
		return true
	case ":":
		return b.at(i-2) == "default" || b.at(i-3) == "case"
	case ")":
		for k := i - 2; k >= max(0, i-maxCondition); k-- {
			if b.match[k] == i-1 {
				w := b.at(k - 1)
				return w == "if" || w == "for" || w == "while" || w == "constexpr" && b.at(k-2) == "if"
			}
		}
	}
	return false
}

// maxCondition is how many tokens back the parentheses are looked for that a statement stands behind.
const maxCondition = 256

// capitals reports whether a name is spelled as macros are, be it as short as DI.
func capitals(s string) bool { return len(s) >= 2 && macroName(s+"AAAA") }

// function reports whether a name is, at a place, a macro with parameters that the file defines.
func (b *blanker) function(name string, at int) bool {
	d := b.pre.inForce(name, at)
	return d != nil && d.function
}

// object reports whether a name is, at a place, a macro without parameters, or is spelled as one of another file.
func (b *blanker) object(name string, at int) bool {
	d := b.pre.inForce(name, at)
	return d == nil && macroName(name) || d != nil && !d.function
}

// empty reports whether a name is, at a place, a macro with parameters and nothing else, whatever other files say.
func (b *blanker) empty(name string, at int) bool {
	d := b.pre.inForce(name, at)
	if d == nil || !d.function || b.pre.inMacro(at) {
		return false
	}
	tokens := directiveTokens(b.src, d.body.Start, d.body.End)
	return len(tokens) > 0 && b.text(tokens[len(tokens)-1]) == ")" && !slices.ContainsFunc(tokens[:len(tokens)-1], func(t token) bool { return b.text(t) == ")" }) &&
		!slices.ContainsFunc(b.pre.doubts, func(o doubt) bool { return o.taken && o.span.Start <= d.span.Start && d.span.End <= o.span.End })
}

// attributeCall blanks name(…) and keeps launch attributes as marks.
func (b *blanker) attributeCall(i int, name string) int {
	end := b.match[i+1]
	if end < 0 {
		return i
	}
	span := source.Span{Start: b.tokens[i].start, End: b.tokens[end].end}
	marked := len(b.marks)
	switch {
	case name == "__launch_bounds__", name == "__cluster_dims__", name == "__block_size__", name == "__maxnreg__":
		b.marks = append(b.marks, mark{word: name, span: span, args: true})
	case strings.HasSuffix(name, "LAUNCH_BOUNDS"):
		b.marks = append(b.marks, mark{word: name, span: span, args: true})
	}
	args := source.Span{Start: b.tokens[i+1].end, End: b.tokens[end].start}
	switch {
	case name == "__attribute__" || name == "__attribute":
		for k := i + 2; k < end; k++ {
			if of := b.at(k); (of == "aligned" || of == "__aligned__") && b.at(k+1) == "(" && b.match[k+1] > k {
				b.aligned = append(b.aligned, source.Span{Start: b.tokens[k+1].end, End: b.tokens[b.match[k+1]].start})
			}
		}
	case aligning[name]:
		b.aligned = append(b.aligned, args)
	case !calls[name] && len(b.marks) == marked:
		switch d := b.pre.inForce(name, span.Start); {
		case d != nil && aligned.MatchString(d.text):
			b.aligned = append(b.aligned, args)
		case d == nil || aligns.MatchString(d.text): // it may say how, and what it says is not known
			b.aligned = append(b.aligned, span)
		}
	}
	b.blank(span.Start, span.End)
	return end
}

// blankCall removes a macro call that stands as a declaration of its own, its semicolon included.
func (b *blanker) blankCall(i int) int {
	end := b.match[i+1]
	if end < 0 {
		return i
	}
	switch b.at(end + 1) {
	case ";":
		end++
	case "{", ":", "=", ",", ")", "->", "const":
		return i // it names a function or a constructor
	}
	b.blank(b.tokens[i].start, b.tokens[end].end)
	return end
}

// terminate gives a macro call that is a statement without semicolon the one it lacks, in the white space behind it. One that another statement holds may be the head of a
// loop, unless something ends behind it.
func (b *blanker) terminate(i int, first bool) {
	end := b.match[i+1]
	if end < 0 || end+1 >= len(b.tokens) {
		return
	}
	next := b.tokens[end+1]
	if next.kind != word && b.src[next.start] != '}' {
		return
	}
	if s := b.text(next); !first && s != "else" && s != "break" && s != "}" && bytes.IndexByte(b.src[b.tokens[end].end:next.start], '\n') < 0 {
		return
	}
	switch b.text(next) {
	case "and", "or", "xor", "not_eq", "bitand", "bitor":
		return
	}
	p := b.tokens[end].end
	switch {
	case p < next.start:
		b.out[p] = ';'
	case b.makeRoom(p):
		b.out[p-1] = ';'
	default:
		return
	}
	b.start = end + 1
}

// makeRoom moves the closing brackets that end at a place one to the left, if there is white space before them.
func (b *blanker) makeRoom(p int) bool {
	from := p
	for from > 0 && strings.IndexByte(")}]", b.src[from-1]) >= 0 {
		from--
	}
	if from == p || from == 0 || b.src[from-1] != ' ' && b.src[from-1] != '\t' || b.out[from-1] != b.src[from-1] || !bytes.Equal(b.out[from:p], b.src[from:p]) {
		return false
	}
	copy(b.out[from-1:], b.src[from:p])
	return true
}

// ifMacro treats `if MACRO (…)`, which is how libraries spell `if constexpr`.
func (b *blanker) ifMacro(i int) {
	t := b.tokens[i]
	s := b.text(t)
	if s == "not" || s == "consteval" {
		return
	}
	b.blank(t.start, t.end)
	if strings.Contains(s, "CONSTEXPR") && t.end-t.start >= len("constexpr") {
		copy(b.out[t.start:], "constexpr")
	}
}
