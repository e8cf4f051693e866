package cuda

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// A macro with parameters whose text has __global__ makes kernels where it is used. Each use at the level of declarations, with the body that follows
// it where the text of the macro ends before one, is expanded (C++17 [cpp.replace]) behind the text of the file, in the namespaces that it stands in, and read there.
// What else is a macro in it stays one.

// Limits against hostile input.
const (
	maxMakings  = 512     // uses that are expanded
	maxMade     = 1 << 20 // bytes that they stand for together
	maxMakingIn = 8       // macros within each other
	maxExpanded = 8192    // of all
)

// makers are the macros with parameters that make kernels, with those that use them.
func (b *blanker) makers() map[string]bool {
	makes := map[string]bool{}
	for depth, again := 0, true; again && depth < maxMakingIn; depth++ {
		again = false
		for _, d := range b.pre.macros {
			if makes[d.name] || !bytes.Contains(b.src[d.body.Start:d.body.End], []byte("__global__")) && len(makes) == 0 {
				continue
			}
			_, body := b.parts(d)
			if slices.ContainsFunc(body, func(t token) bool { s := b.text(t); return t.kind == word && (s == "__global__" || makes[s]) }) {
				makes[d.name], again = true, true
			}
		}
	}
	return makes
}

// parts are the names of a macro's parameters, the last one `...` where it takes any number, and its text.
func (b *blanker) parts(d *define) (params []string, body []token) {
	tokens := directiveTokens(b.src, d.body.Start, d.body.End)
	if !d.function {
		return nil, tokens
	}
	for k := 1; k < len(tokens); k++ {
		switch s := b.text(tokens[k]); {
		case s == ")":
			return params, tokens[k+1:]
		case tokens[k].kind == word:
			params = append(params, s)
		case s == "." && (len(params) == 0 || params[len(params)-1] != "..."): // a GNU name before it is not told apart
			params = append(params, "...")
		}
	}
	return params, nil
}

// made finds the uses, and what they stand for. Where they stand, nothing is left of them. A name says which of them is not expanded.
func (b *blanker) made() (made []source.Made, gone []source.Span, not []named) {
	if b.makes = b.makers(); len(b.makes) == 0 {
		return nil, nil, nil
	}
	var spaces []string // of the braces that are open, where they begin a namespace
	start, size := 0, 0
	for i := 0; i < len(b.tokens); i++ {
		t := b.tokens[i]
		s := b.text(t)
		switch {
		case s == "{":
			head := ""
			if b.declares(start, i) && slices.ContainsFunc(b.tokens[start:i], func(t token) bool { s := b.text(t); return s == "namespace" || s == "extern" }) {
				head = string(b.src[b.tokens[start].start:t.end])
			}
			spaces, start = append(spaces, head), i+1
		case s == "}":
			if len(spaces) > 0 {
				spaces = spaces[:len(spaces)-1]
			}
			start = i + 1
		case s == ";":
			start = i + 1
		case t.kind == word && b.makes[s] && b.at(i+1) == "(" && b.match[i+1] > i && !slices.Contains(spaces, ""):
			parts, end := b.making(start, i)
			if end < 0 { // nothing is defined
				continue
			}
			if len(parts) > 0 {
				head, tail := "\n"+strings.Join(spaces, " ")+"\n", "\n"+strings.Repeat("}", len(spaces))+"\n"
				parts = append(append([]source.Made{{Text: head, From: t.start}}, parts...), source.Made{Text: tail, From: t.start})
			}
			at := source.Span{Start: b.tokens[start].start, End: b.tokens[end].end}
			for _, p := range parts {
				size += len(p.Text)
			}
			if len(parts) == 0 || len(gone) == maxMakings || size > maxMade {
				not = append(not, named{s, at})
			} else {
				made = append(made, parts...)
			}
			gone = append(gone, at)
			i, start = end, end+1
		}
	}
	return made, gone, not
}

// making is what the use of a macro stands for with the declaration around it, and its last token; -1 where that defines nothing. There are no parts where it
// is not known.
func (b *blanker) making(start, i int) (parts []source.Made, end int) {
	t := b.tokens[i]
	end = b.match[i+1]
	if from := b.tokens[start].start; start < i {
		parts = append(parts, source.Made{Text: string(b.src[from:t.start]), From: from, Copy: true})
	}
	d := b.pre.inForce(b.text(t), t.start)
	text, ok := "", false
	if d != nil && d.function {
		b.used = t.start
		text, ok = b.expanded(d, b.arguments(i+1), nil)
	}
	parts = append(parts, source.Made{Text: " " + text + " ", From: t.start})
	if last := strings.TrimRight(text, " "); ok && !strings.HasSuffix(last, "}") && !strings.HasSuffix(last, ";") { // the use goes on
		from := b.tokens[end].end
		if end = b.defined(end + 1); end < 0 {
			return nil, end
		}
		parts = append(parts, source.Made{Text: string(b.src[from:b.tokens[end].end]), From: from, Copy: true})
	}
	if b.at(end+1) == ";" {
		end++
	}
	for _, p := range parts { // names mean there what they do here
		for _, w := range directiveTokens([]byte(p.Text), 0, len(p.Text)) {
			name := p.Text[w.start:w.end]
			ok = ok && (w.kind != word || b.pre.names[name] == nil || b.pre.inForce(name, t.start) == b.pre.now(name))
		}
	}
	if !ok {
		return nil, end
	}
	return parts, end
}

// defined is the last token of the body of a function whose head goes on at a token; -1 where it has none.
func (b *blanker) defined(i int) int {
	for ; i < len(b.tokens); i++ {
		switch s := b.at(i); {
		case s == ";" || s == "}":
			return -1
		case s == "{":
			return b.match[i]
		case b.match[i] > i:
			i = b.match[i]
		}
	}
	return -1
}

// arguments are what a use gives in the parentheses that open at a token.
func (b *blanker) arguments(open int) (out []string) {
	from := open + 1
	for k := open + 1; k <= b.match[open]; k++ {
		if k < b.match[open] && b.match[k] > k {
			k = b.match[k]
			continue
		}
		if b.at(k) == "," || k == b.match[open] {
			out = append(out, spelledBy(b.src, b.tokens[from:k]))
			from = k + 1
		}
	}
	return out
}

// spelledBy are tokens as text, with a blank where one stood between them.
func spelledBy(src []byte, tokens []token) string {
	var out strings.Builder
	for k, t := range tokens {
		if k > 0 && tokens[k-1].end < t.start {
			out.WriteByte(' ')
		}
		out.Write(src[t.start:t.end])
	}
	return out.String()
}

// expanded is what a use of a macro stands for, with the macros in it that make kernels expanded, too.
func (b *blanker) expanded(d *define, args []string, within []string) (string, bool) {
	params, body := b.parts(d)
	if b.expands++; len(within) > maxMakingIn || b.expands > maxExpanded {
		return "", false
	}
	given := func(name string) (string, bool) {
		last := len(params) - 1
		if name == "__VA_ARGS__" && last >= 0 && params[last] == "..." {
			return strings.Join(args[min(last, len(args)):], ", "), true
		}
		k := slices.Index(params, name)
		if k < 0 || name == "..." {
			return "", false
		}
		if k >= len(args) {
			return "", true
		}
		return args[k], true
	}
	var out strings.Builder
	glue := false
	for k := 0; k < len(body); k++ {
		t := body[k]
		s := b.text(t)
		sharp := func(k int) bool { return k < len(body) && b.text(body[k]) == "#" }
		if sharp(k) && sharp(k+1) && body[k].end == body[k+1].start { // [cpp.concat]
			glued := strings.TrimRight(out.String(), " ")
			out.Reset()
			out.WriteString(glued)
			glue = true
			k++
			continue
		}
		if k > 0 && body[k-1].end < t.start && !glue {
			out.WriteByte(' ')
		}
		glue = false
		if s == "#" && k+1 < len(body) { // [cpp.stringize]
			if arg, is := given(b.text(body[k+1])); is {
				out.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg) + `"`)
				k++
				continue
			}
		}
		if arg, is := given(s); is && t.kind == word {
			out.WriteString(arg)
		} else {
			out.WriteString(s)
		}
		if out.Len() > maxMade {
			return "", false
		}
	}
	return b.rescanned(out.String(), append(slices.Clone(within), d.name))
}

// rescanned expands in what a macro stands for those that make kernels, and those without parameters (C++17 [cpp.rescan]).
func (b *blanker) rescanned(text string, within []string) (string, bool) {
	inner := &blanker{lexer: &lexer{src: []byte(text), words: text}}
	inner.tokens = directiveTokens(inner.src, 0, len(text))
	inner.pair()
	var out strings.Builder
	end := 0
	for i, t := range inner.tokens {
		name := inner.text(t)
		if t.start < end || t.kind != word || slices.Contains(within, name) {
			continue
		}
		d := b.pre.inForce(name, b.used)
		if d == nil || d.function && (!b.makes[name] || inner.at(i+1) != "(" || inner.match[i+1] < i) || !d.function && b.pre.vague[name] {
			continue
		}
		var args []string
		next := t.end
		if d.function {
			args, next = inner.arguments(i+1), inner.tokens[inner.match[i+1]].end
		}
		whole, ok := b.expanded(d, args, within)
		if !ok || out.Len() > maxMade {
			return "", false
		}
		out.WriteString(text[end:t.start] + whole)
		end = next
	}
	out.WriteString(text[end:])
	return out.String(), out.Len() <= maxMade
}
