package cuda

import (
	"bytes"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// This file rewrites what the grammar misreads, always in place and length for length. What stands there is read from
// the original text afterwards.

// attributes blanks [[…]], which the grammar accepts in some places only.
func (b *blanker) attributes(i int) int {
	end := b.match[i]
	if end < 0 || b.at(i+1) != "[" || b.tokens[i+1].start != b.tokens[i].end || b.match[i+1] != end-1 {
		return i
	}
	b.blank(b.tokens[i].start, b.tokens[end].end)
	return end
}

// atLeast rewrites ` >=` as `<=`: in a template argument the grammar takes > for the end of the list. The operators
// bind alike, and the tree's operators are read from the original text.
func (b *blanker) atLeast(i int) {
	if b.at(i+1) != "=" || i == 0 {
		return
	}
	t := b.tokens[i]
	if b.tokens[i+1].start == t.end && b.tokens[i-1].end < t.start && b.at(i-1) != "operator" {
		b.out[t.start] = '<'
	}
}

// pack blanks the star of `T*... p`, a parameter that stands for several pointers (C++17 [temp.variadic]): the grammar has packs of references only.
// The type is read from the original text.
func (b *blanker) pack(i int) {
	if b.at(i+1) == "." && b.at(i+2) == "." && b.at(i+3) == "." && i+4 < len(b.tokens) && b.tokens[i+4].kind == word { // else it is a fold
		b.blank(b.tokens[i].start, b.tokens[i].end)
	}
}

// statements are the words that begin a statement, and no value.
var statements = map[string]bool{"if": true, "for": true, "while": true, "do": true, "switch": true}

// holds is the first token of the statements that the last arguments of a macro are: SWITCH(x.type(), T, f<T>(x); g();). It is 0 where that ends in none. Arguments before
// them are values, without a < in them.
func (b *blanker) holds(i int) int { return b.holdsWithin(i, 0) }

func (b *blanker) holdsWithin(i, depth int) int {
	end := b.match[i+1]
	if end < i+3 || end+1 >= len(b.tokens) {
		return 0
	}
	if statements[b.at(i+2)] && (b.at(end-1) == ";" || b.at(end-1) == "}") {
		return i + 2
	}
	from, k := i+2, i+2
	for ; k < end; k++ {
		switch s := b.at(k); {
		case s == ",":
			from = k + 1
		case s == "(" || s == "[":
			if b.match[k] < 0 || b.match[k] > end {
				return 0
			}
			k = b.match[k]
		case b.tokens[k].kind != punct && s != "using" && s != "auto" && s != "const" && s != "return":
		case s == "-" && b.at(k+1) == ">":
			k++
		case s == "=" && (b.at(k+1) == "=" || strings.Contains("=!>", b.at(k-1))): // a comparison
		case strings.Contains(":.!&|%+-*/>?", s):
		default:
			end = k // of the arguments before
		}
	}
	if end = b.match[i+1]; from == i+2 {
		return 0
	}
	if b.at(end-1) == ";" || b.at(end-1) == "}" && b.parted(from, end) {
		return from
	}
	if b.tokens[from].kind == word && macroName(b.at(from)) && b.at(from+1) == "(" && b.match[from+1] == end-1 && depth < maxHeld && b.holdsWithin(from, depth+1) > 0 { // the last one is another such macro
		return from
	}
	return 0
}

// maxHeld is how many macros that hold statements may be the last argument of each other.
const maxHeld = 8

// leads writes `LOOP(i, n) {` as `for ( ;;) {`: a macro with braces behind it is the head of a loop, as a rule, and one whose text is such a head is one with a
// statement behind it. What it is called and given is read from the original text.
func (b *blanker) leads(i int) bool {
	t, end := b.tokens[i], b.match[i+1]
	if end < i+3 || end+1 >= len(b.tokens) || t.end-t.start < len("for") {
		return false
	}
	if b.at(end+1) != "{" && (b.tokens[end+1].kind != word || !b.begins(b.text(t), t.start)) {
		return false
	}
	from, to := b.tokens[i+1].end, b.tokens[end].start
	if to-from < 2 || bytes.ContainsAny(b.src[from:from+2], "\r\n") {
		return false
	}
	b.holding[t.start] = holder{source.Span{Start: t.start, End: t.end}, source.Span{Start: from, End: to}}
	b.blank(t.start, t.end)
	copy(b.out[t.start:], "for")
	b.blank(from, to)
	copy(b.out[from:], ";;")
	return true
}

// begins reports whether a name is a macro whose text is the head of a loop, in this file or in one that it includes.
func (b *blanker) begins(name string, at int) bool {
	if d := b.pre.inForce(name, at); d != nil {
		return d.head()
	}
	return b.behind(b.pre.headers(), name).Head
}

// parted reports whether a semicolon stands among tokens, outside of brackets.
func (b *blanker) parted(from, to int) bool {
	for k := from; k < to; k++ {
		if b.at(k) == ";" {
			return true
		}
		if b.match[k] > k {
			k = b.match[k]
		}
	}
	return false
}

// unfold makes a block of the statements that a macro holds. What it is called and given before them is read from the original text.
func (b *blanker) unfold(i int) int {
	from, end := b.holds(i), b.match[i+1]
	args := source.Span{Start: b.tokens[i+1].end, End: max(b.tokens[i+1].end, b.tokens[from-1].start)}
	b.holding[b.tokens[i+1].start] = holder{source.Span{Start: b.tokens[i].start, End: b.tokens[i].end}, args}
	b.blank(b.tokens[i].start, b.tokens[from-1].end)
	b.out[b.tokens[i+1].start], b.out[b.tokens[end].start] = '{', '}'
	b.start = from
	return from - 1
}

// stars blanks the star of T*[n] and T*[], arrays of pointers that are made or named as a type, and the default of T* = x, a parameter without a name: the grammar knows
// neither.
func (b *blanker) stars(i int) {
	if b.at(i+1) == "[" && b.match[i+1] > 0 && i > 0 && (b.tokens[i-1].kind == word || b.at(i-1) == ">" || b.at(i-1) == "*") && (b.match[i+1] == i+2 || b.allocates(i)) {
		b.blank(b.tokens[i].start, b.tokens[i].end)
	}
	if b.at(i+1) == "=" && i > 0 && b.tokens[i-1].kind == word && i+3 < len(b.tokens) && b.tokens[i].end < b.tokens[i+1].start && (b.at(i+3) == ")" || b.at(i+3) == ",") {
		b.blank(b.tokens[i+1].start, b.tokens[i+2].end) // T* = nullptr, a parameter without a name
	}
}

// allocates reports whether new stands before the type that ends at a star.
func (b *blanker) allocates(i int) bool {
	for k := i - 1; k >= max(0, i-16); k-- {
		switch s := b.at(k); {
		case s == "new":
			return true
		case b.tokens[k].kind != word && s != ":" && s != "<" && s != ">" && s != "*":
			return false
		}
	}
	return false
}

// spread draws the brackets of f << < grid, block >> > (…) together, and returns the last token of the first of them; i where it is none. What stands in braces between is
// made an identifier: the grammar knows no list there.
func (b *blanker) spread(i int) int {
	tight := func(k int) bool { return b.tokens[k].end == b.tokens[k+1].start }
	three := func(k int, s string) bool { return b.at(k) == s && b.at(k+1) == s && b.at(k+2) == s }
	if i == 0 || !three(i, "<") || b.at(i-1) == "operator" || b.tokens[i-1].kind != word && b.at(i-1) != ">" {
		return i
	}
	var lists []int
	for k := i + 3; k < min(len(b.tokens), i+maxCondition); k++ {
		switch s := b.at(k); {
		case s == "{" && b.match[k] > k && (b.at(k-1) == "," || k == i+3):
			lists = append(lists, k)
			k = b.match[k]
		case b.match[k] > k:
			k = b.match[k]
		case s == ";" || s == "}" || s == "{":
			return i
		case three(k, ">") && b.at(k+3) == "(":
			for _, n := range lists {
				b.weld(n, b.match[n])
				b.welded[b.tokens[n].start] = true
			}
			if tight(i) && tight(i+1) && tight(k) && tight(k+1) {
				return i
			}
			lines := func(k int) bool { return bytes.IndexByte(b.src[b.tokens[k].start:b.tokens[k+2].end], '\n') >= 0 }
			if lines(i) || lines(k) {
				return i
			}
			b.together(i, "<<<")
			b.together(k, ">>>")
			return i + 2
		}
	}
	return i
}

// together writes three tokens without blanks between.
func (b *blanker) together(k int, s string) {
	from := b.tokens[k].start
	b.blank(from, b.tokens[k+2].end)
	copy(b.out[from:], s)
}

// primitives are the names of types that the grammar knows, and takes for no argument.
var primitives = map[string]bool{"void": true, "bool": true, "char": true, "int": true, "float": true, "double": true, "size_t": true, "ptrdiff_t": true, "int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true,
	"uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true, "intptr_t": true, "uintptr_t": true}

// typeArguments welds the types among the arguments of a macro: a literal is beside one, which nothing that is declared has, or what is called is a macro, by its name or by what the file says.
func (b *blanker) typeArguments(i int) {
	if i == 0 || b.tokens[i-1].kind != word || b.match[i] < 0 {
		return
	}
	var types [][2]int
	macro := capitals(b.at(i-1)) || b.function(b.at(i-1), b.tokens[i-1].start)
	literal := macro
	typed := func(s string) bool { return primitives[s] || scalarWords[s] || s == "const" || s == "volatile" }
	for k := i + 1; k < b.match[i]; k++ {
		if b.match[k] > k {
			k = b.match[k]
			continue
		}
		last := k
		for typed(b.at(last)) && typed(b.at(last+1)) {
			last++
		}
		several := last > k
		for (macro || typed(b.at(last))) && b.tokens[last].kind == word && b.at(last+1) == "*" || b.at(last) == "*" && b.at(last+1) == "*" {
			last++
		}
		if before, after := b.at(k-1), b.at(last+1); (k-1 == i || before == ",") && (after == "," || last+1 == b.match[i]) {
			literal = literal || b.tokens[k].kind == number || b.tokens[k].kind == text
			if primitives[b.at(k)] || several || b.at(last) == "*" { // (void) is no argument
				types = append(types, [2]int{k, last})
			}
		}
	}
	for _, t := range types {
		if literal {
			b.weld(t[0], t[1])
		}
	}
}

// commas sets the comma between asm operands where the author left it out: nvcc accepts `"r"(a) "l"(b)`.
func (b *blanker) commas(i int) {
	for n := 0; b.at(i) != "("; n++ { // asm volatile goto (
		if i++; n > 4 || i >= len(b.tokens) {
			return
		}
	}
	operand := false // behind the parentheses of one, and not behind those of a macro that stands for pieces of the template
	for j := i + 1; j < b.match[i]; j++ {
		if b.match[j] > 0 {
			operand = b.tokens[j-1].kind == text
			j = b.match[j]
			continue
		}
		if end := b.tokens[j-1].end; b.tokens[j].kind == text && b.at(j-1) == ")" && operand && end < b.tokens[j].start {
			b.out[end] = ','
		}
	}
}

// weld makes one identifier of tokens from..to, for names the grammar does not accept where they stand. What the
// tree calls them is read from the original text.
func (b *blanker) weld(from, to int) int {
	for i := b.tokens[from].start; i < b.tokens[to].end; i++ {
		b.out[i] = '_'
	}
	return to
}

// called reports whether `operator` behind the tokens is used rather than declared.
func called(prev, before string) bool {
	switch prev {
	case ".", "return", "=", "{", "}", ";":
		return true
	}
	return prev == ">" && before == "-"
}

// operatorName welds operator() or operator++ that is called by its name.
func (b *blanker) operatorName(i int) int {
	to := i
	for to+1 < len(b.tokens) && b.tokens[to+1].kind == punct && b.tokens[to+1].start == b.tokens[to].end && to-i < 3 {
		if b.at(to+1) == "(" {
			if to == i && b.at(i+2) == ")" {
				to = i + 2
			}
			break
		}
		to++
	}
	if to == i || b.at(to+1) != "(" {
		return i
	}
	return b.weld(i, to)
}

// reference takes the parentheses off `T (&x) = …`, which the grammar reads as a call when T ends in >.
func (b *blanker) reference(i int) {
	if b.at(i+1) == "&" && b.at(i+3) == ")" && b.at(i+4) == "=" && b.at(i+5) != "=" && b.at(i-1) == ">" {
		b.blank(b.tokens[i].start, b.tokens[i].end)
		b.blank(b.tokens[i+3].start, b.tokens[i+3].end)
	}
}

// bound writes `T &x(a ? b : c);` as `T &x=a ? b : c ;`: the grammar takes it for a function. So it does `T &x(*a);`.
func (b *blanker) bound(i int) {
	end := b.match[i]
	if end < i+3 || b.at(end+1) != ";" || i < 3 || b.tokens[i-1].kind != word || b.at(i-2) != "&" || b.at(i-3) == "&" || b.tokens[i-3].kind != word && b.at(i-3) != ">" {
		return
	}
	asks := b.at(i+1) == "*"
	for k := i + 1; k < end; k++ {
		asks = asks || b.at(k) == "?"
	}
	if asks {
		b.out[b.tokens[i].start], b.out[b.tokens[end].start] = '=', ' '
	}
}

// factor keeps `(a * (b)) + c` from being read as a cast of +c to a function that is handed a b and returns an a*: a name that is
// multiplied needs no parentheses.
func (b *blanker) factor(i int) {
	if b.at(i-1) == "*" && b.at(i-2) != "operator" && i+1 < len(b.tokens) && b.tokens[i+1].kind == word && b.at(i+2) == ")" && b.at(i+3) == ")" {
		b.blank(b.tokens[i].start, b.tokens[i].end)
		b.blank(b.tokens[i+2].start, b.tokens[i+2].end)
	}
}

// summand keeps `(a) + (b + c) * d` from being read as a cast of what begins with a sign to a type a: nobody writes the sign + so, and a - with blanks around it is no sign.
// Where a is a type after all, what is subtracted from is not known.
func (b *blanker) summand(i int) {
	if b.match[i] != i+2 || i+4 >= len(b.tokens) || b.tokens[i+1].kind != word || primitives[b.at(i+1)] || i > 0 && b.at(i-1) != "return" && (b.tokens[i-1].kind == word || strings.Contains(")]>.", b.at(i-1))) {
		return
	}
	sign := b.tokens[i+3]
	switch op := b.at(i + 3); {
	case op != "+" && op != "-" || b.at(i+4) == op && b.tokens[i+4].start == sign.end:
		return
	case op == "-" && (b.tokens[i+2].end == sign.start || sign.end == b.tokens[i+4].start):
		return
	}
	b.blank(b.tokens[i].start, b.tokens[i].end)
	b.blank(b.tokens[i+2].start, b.tokens[i+2].end)
}

// sequence notes the assignments in `(a = x, b = y, c)`, which the grammar knows ahead of a comma only where nothing is around them: each is made an identifier.
func (b *blanker) sequence(i int) {
	end := b.match[i]
	if end < 0 || i > 0 && b.at(i-1) != "return" && (b.tokens[i-1].kind == word || strings.Contains(")]>", b.at(i-1))) { // a call, or parameters
		return
	}
	var found [][2]int
	from, assigns := i+1, false
	for k := i + 1; k < end; k++ {
		switch s := b.at(k); {
		case s == "{" || s == ";":
			return
		case b.match[k] > k:
			k = b.match[k]
		case s == "=" && b.at(k+1) == "=" && b.tokens[k].end == b.tokens[k+1].start: // a comparison
			k++
		case s == "=" && (b.tokens[k-1].end < b.tokens[k].start || !strings.Contains("!<>", b.at(k-1)) || b.at(k-2) == b.at(k-1)):
			assigns = true
		case s == ",":
			if assigns && k > from {
				found = append(found, [2]int{from, k - 1})
			}
			from, assigns = k+1, false
		}
	}
	b.assigning = append(b.assigning, found...)
}

// operand keeps `(a) && (b)` from being read as a cast of &&b, an address of a label, to a type a (gcc, Labels as Values), which breaks up
// what stands around it, too: what is joined and could be a type needs no parentheses.
func (b *blanker) operand(i int) {
	end := b.match[i]
	if end < i+2 || end+2 >= len(b.tokens) || b.at(end+1) != "&" || b.at(end+2) != "&" || b.tokens[end+1].end != b.tokens[end+2].start {
		return
	}
	if i > 0 && b.at(i-1) != "return" && (b.tokens[i-1].kind == word || strings.Contains(")]>", b.at(i-1))) { // a call, or what a function is handed
		return
	}
	for k := i + 1; k < end; k++ {
		switch s := b.at(k); {
		case b.tokens[k].kind == word, s == ":", s == ".":
		case (s == "(" || s == "[") && b.match[k] > k:
			k = b.match[k]
		default:
			return
		}
	}
	b.blank(b.tokens[i].start, b.tokens[i].end)
	b.blank(b.tokens[end].start, b.tokens[end].end)
}

// less keeps `a < b && c > (d)` from being read as a call of the template a: a < between blanks is a comparison and
// is written <=, which opens no list. A < behind a member's name opens one, see memberArguments.
func (b *blanker) less(i int) {
	t := b.tokens[i]
	if i == 0 || i+1 >= len(b.tokens) || b.at(i-1) == "template" || b.at(i-1) == "operator" {
		return
	}
	before, after := b.tokens[i-1].end < t.start, t.end < b.tokens[i+1].start
	switch {
	case before && after && b.src[t.end] == ' ' && !typeName(b.at(i-1)) && !b.listed(i):
		b.out[t.end] = '='
	case !before && b.tokens[i-1].kind == word && (b.at(i-2) == "." || b.at(i-2) == ">" && b.at(i-3) == "-"):
		b.memberArguments(i)
	}
}

// listed reports whether a < begins a list, which ends where nothing can be compared: kernel < 32, true > <<< 1, n >>> (…), &kernel < A, B >;
func (b *blanker) listed(i int) bool {
	k := b.angleEnd(i)
	return k > 0 && b.at(k-1) == ">" && (b.at(k) == "<" && b.at(k+1) == "<" && b.at(k+2) == "<" || b.at(k) == ";" || b.at(k) == ")")
}

// typeName tells a type from a value by its spelling, for `Shape < _8, _2>`: a capital and then small letters.
func typeName(s string) bool {
	return s[0] >= 'A' && s[0] <= 'Z' && strings.ToUpper(s) != s
}

// memberArguments makes identifiers of the template arguments in x.f<N + 1>(y) that are neither names nor types: the
// grammar reads the call as two comparisons otherwise.
func (b *blanker) memberArguments(open int) {
	var cuts []int // commas, then the closing >
	depth := 0
	for i := open + 1; i < len(b.tokens) && i < open+200; i++ {
		if b.tokens[i].kind != punct {
			continue
		}
		tight := b.tokens[i-1].end == b.tokens[i].start
		switch b.src[b.tokens[i].start] {
		case '(', '[', '{':
			if b.match[i] < 0 {
				return
			}
			i = b.match[i]
			continue
		case ')', ']', '}', ';':
			return
		case '<':
			if tight {
				depth++
			}
			continue
		case ',':
			if depth == 0 {
				cuts = append(cuts, i)
			}
			continue
		case '>':
			if b.at(i-1) == "-" && tight {
				continue
			}
			if depth > 0 {
				depth--
				continue
			}
		default:
			continue
		}
		if b.at(i+1) != "(" {
			return
		}
		from := open + 1
		for _, to := range append(cuts, i) {
			b.weldArgument(from, to)
			from = to + 1
		}
		return
	}
}

// weldArgument welds tokens [from, to) unless they spell a name or a type.
func (b *blanker) weldArgument(from, to int) {
	if from >= to {
		return
	}
	for i := from; i < to; i++ {
		s := b.at(i)
		plain := b.tokens[i].kind == word && s != "true" && s != "false" && s != "sizeof"
		if !plain && s != ":" && s != "<" && s != ">" && s != "," && !(s == "*" || s == "&") || (s == "*" || s == "&") && i+1 < to {
			b.weld(from, to-1)
			b.welded[b.tokens[from].start] = true
			return
		}
	}
}
