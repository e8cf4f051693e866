package cuda

import "strings"

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

// primitives are the names of types that the grammar knows, and takes for no argument.
var primitives = map[string]bool{"bool": true, "char": true, "int": true, "float": true, "double": true, "size_t": true, "ptrdiff_t": true, "int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true,
	"uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true, "intptr_t": true, "uintptr_t": true}

// typeArguments welds the types among the arguments of a macro, beside a literal at least: nothing that is declared has one.
func (b *blanker) typeArguments(i int) {
	if i == 0 || b.tokens[i-1].kind != word || b.match[i] < 0 {
		return
	}
	var types []int
	literal := false
	for k := i + 1; k < b.match[i]; k++ {
		if b.match[k] > k {
			k = b.match[k]
			continue
		}
		if before, after := b.at(k-1), b.at(k+1); (k-1 == i || before == ",") && (after == "," || k+1 == b.match[i]) {
			literal = literal || b.tokens[k].kind == number || b.tokens[k].kind == text
			if primitives[b.at(k)] {
				types = append(types, k)
			}
		}
	}
	for _, k := range types {
		if literal {
			b.weld(k, k)
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
	for j := i + 1; j < b.match[i]; j++ {
		if b.match[j] > 0 {
			j = b.match[j]
			continue
		}
		if end := b.tokens[j-1].end; b.tokens[j].kind == text && b.at(j-1) == ")" && end < b.tokens[j].start {
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

// factor keeps `(a * (b)) + c` from being read as a cast of +c to a function that is handed a b and returns an a*: a name that is
// multiplied needs no parentheses.
func (b *blanker) factor(i int) {
	if b.at(i-1) == "*" && b.at(i-2) != "operator" && i+1 < len(b.tokens) && b.tokens[i+1].kind == word && b.at(i+2) == ")" && b.at(i+3) == ")" {
		b.blank(b.tokens[i].start, b.tokens[i].end)
		b.blank(b.tokens[i+2].start, b.tokens[i+2].end)
	}
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
	case before && after && b.src[t.end] == ' ' && !typeName(b.at(i-1)):
		b.out[t.end] = '='
	case !before && b.tokens[i-1].kind == word && (b.at(i-2) == "." || b.at(i-2) == ">" && b.at(i-3) == "-"):
		b.memberArguments(i)
	}
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
