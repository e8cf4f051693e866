package cuda

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// directives adds what #include and #define left: imports, and constants of macros whose body is an expression.
func (r *reader) directives() {
	for _, inc := range r.blanker.pre.includes {
		i := &program.Import{Place: program.Place{Span: inc.span}, From: inc.header.Name}
		for _, s := range r.spaces { // one within another is behind it
			if s.span.Start < inc.span.Start && inc.span.End < s.span.End {
				i.Scope = s.name
			}
		}
		r.file.Body = append(r.file.Body, i)
	}
	for _, d := range r.blanker.pre.defines {
		if d.body == (source.Span{}) {
			continue
		}
		if x := r.constant(d.body); x != nil {
			tokens := directiveTokens(r.src, d.body.Start, d.body.End)
			r.spliced[r.called(d)] = &splice{open: r.least(tokens)}
			name := &program.Name{Place: program.Place{Span: d.span}, Ident: r.called(d)}
			r.file.Body = append(r.file.Body, &program.Assign{Place: program.Place{Span: d.span},
				Targets: []program.Expr{name}, Op: "=", Value: x, Decl: true, Const: true})
		}
	}
	for _, m := range r.blanker.pre.macros {
		r.macro(m)
	}
	for _, d := range r.blanker.pre.defines {
		if r.blanker.pre.acting[d.name] {
			r.macro(d)
		}
	}
	r.resolve()
	r.unsplice()
}

// macro reads a function-like macro as a function whose parameters are passed by reference, so that calls of it can
// be followed, and one without parameters that is statements as one of none. One that does not read as a function and may synchronize gets a note.
func (r *reader) macro(m *define) {
	if r.blanker.makes[m.name] {
		return
	}
	tokens := directiveTokens(r.src, m.body.Start, m.body.End)
	f := &program.Function{Name: r.called(m), Qualified: r.called(m), Span: m.span, NameSpan: m.span, Macro: true, Bare: !m.function}
	i, ok, apart := 1, true, false
	if f.Bare {
		i = -1
	}
	for ; !f.Bare && i < len(tokens) && r.token(tokens[i]) != ")"; i++ {
		if r.token(tokens[i]) == "." && !apart { // ... (C++17 [cpp.replace]/5)
			if apart = true; i > 1 && tokens[i-1].kind == word {
				f.Params[len(f.Params)-1].Star = 1
			} else {
				f.Params = append(f.Params, program.Param{Name: "__VA_ARGS__", Ref: true, Star: 1, Span: source.Span{Start: tokens[i].start, End: tokens[i].end}})
			}
		}
		switch s := r.token(tokens[i]); {
		case tokens[i].kind == word:
			f.Params = append(f.Params, program.Param{Name: s, Ref: true, Span: source.Span{Start: tokens[i].start, End: tokens[i].end}})
		case s != "," && s != ".":
			ok = false
		}
	}
	if i+1 < len(tokens) && ok && r.pragma(tokens[i+1], 0) { // it says how to compile what follows
		f.Body = []program.Stmt{}
		r.file.Macros = append(r.file.Macros, f)
		return
	}
	if i < len(tokens) && ok && !slices.ContainsFunc(tokens[i+1:], func(t token) bool { return r.token(t) != ";" }) { // it stands for nothing
		f.Body = []program.Stmt{}
		for _, d := range r.blanker.pre.doubts {
			if d.taken && d.span.Start <= m.span.Start && m.span.End <= d.span.End { // it may have another text
				f.Body = append(f.Body, &program.OpaqueStmt{Place: program.Place{Span: m.span}, Why: d.why, Doubt: true})
				break
			}
		}
		r.file.Macros = append(r.file.Macros, f)
		return
	}
	if i+1 >= len(tokens) {
		return
	}
	body := source.Span{Start: tokens[i+1].start, End: m.body.End}
	text := r.src[body.Start:body.End]
	plain := r.stringized(body, tokens[i+1:], f.Params)
	r.terminated(plain, body, tokens[i+1:], f.Params)
	head := r.headless(plain, body, tokens[i+1:])
	if ok && len(text) <= 4000 && bytes.IndexByte(plain, '#') < 0 {
		r.instead = plain
		defer func() { r.instead = nil }()
		if bytes.IndexByte(text, ';') < 0 {
			if parts := r.snippet(body); head == "" && len(parts) == 1 && r.token(tokens[i+1]) != "{" { // which holds statements
				at := program.Place{Span: body}
				f.Body = []program.Stmt{&program.Return{Place: at, Value: parts[0]}}
			}
		}
		if f.Body == nil {
			f.Body = r.statements(body, f)
		}
		switch {
		case f.Body == nil:
		case head == "case":
			_, f.Body = cutBreak(f.Body)
		case head == "else": // whether it is executed is up to the if that it belongs to
			at := program.Place{Span: source.Span{Start: tokens[i+1].start, End: tokens[i+1].end}}
			f.Body = append([]program.Stmt{&program.OpaqueStmt{Place: at, Why: "else that begins the text of a macro"}}, f.Body...)
		}
	}
	if f.Bare && f.Body == nil { // where it stands as a statement it may be a part of one
		f.Body = []program.Stmt{&program.OpaqueStmt{Place: program.Place{Span: body}, Why: m.name + ", a macro that is not expanded"}}
	}
	if why := r.hides(tokens[i+1:], f.Params); f.Body != nil && why != "" {
		f.Body = []program.Stmt{&program.OpaqueStmt{Place: program.Place{Span: body}, Why: why}}
	}
	if f.Body != nil && apart {
		r.file.Macros = append(r.file.Macros, f)
	} else if f.Body != nil {
		r.spliced[f.Name] = r.splices(r.used(tokens[i+1:]), f)
		r.file.Functions = append(r.file.Functions, f)
		r.file.Body = append(r.file.Body, &program.FuncDef{Place: program.Place{Span: m.span}, Func: f})
	} else if source.HasSync(text, "asm") {
		note(r.file, m.span, "macro "+m.name+" is not expanded")
	}
}

// hides says why it is not known what the text of a macro does: a macro in it is no constant, or all of it is a name that is none here. It is "" where
// that is known.
func (r *reader) hides(text []token, params []program.Param) string {
	for k, t := range text {
		name := r.token(t)
		if t.kind != word || slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == name }) {
			continue
		}
		begins := k == 0 || strings.Contains("{};", r.token(text[k-1]))
		if (r.blanker.pre.acting[name] || begins && r.blanker.included(name) != nil) && !r.stands(text, k) {
			return name + ", a macro that is not expanded"
		}
		if len(text) == 1 && r.blanker.pre.names[name] == nil && r.blanker.included(name) == nil {
			return name + " stands as a statement"
		}
	}
	return ""
}

// stands reports whether token k of the text of a macro is a macro that is statements, and stands as some there.
func (r *reader) stands(text []token, k int) bool {
	if k > 0 && !strings.Contains("{};", r.token(text[k-1])) || k+1 < len(text) && r.token(text[k+1]) != ";" {
		return false
	}
	d := r.blanker.pre.inForce(r.token(text[k]), text[k].start)
	if d == nil {
		d = r.blanker.included(r.token(text[k]))
	}
	return d != nil && !d.function && d.statements(alone{closed: k+1 < len(text)})
}

// pragma reports whether the text of a macro is a pragma (C++17 [cpp.pragma.op]), or a macro that is one.
func (r *reader) pragma(first token, depth int) bool {
	name := r.token(first)
	if name == "_Pragma" || name == "__pragma" {
		return true
	}
	m := r.blanker.pre.names[name]
	if m == nil || m.varies() || depth > 4 || m.changes[0].def == nil || !m.changes[0].def.function {
		return false
	}
	body := m.changes[0].def.body
	tokens := directiveTokens(r.src, body.Start, body.End)
	for k, t := range tokens {
		if r.token(t) == ")" {
			return k+1 < len(tokens) && r.pragma(tokens[k+1], depth+1)
		}
	}
	return false
}

// stringized is the body of a macro with an empty literal where the text of an argument is made one (C++17 [cpp.stringize]): what it says matters in inline PTX alone (asmTemplate).
func (r *reader) stringized(body source.Span, tokens []token, params []program.Param) []byte {
	out := slices.Clone(r.src[body.Start:body.End])
	for k := 1; k+2 < len(tokens); k++ { // , ##__VA_ARGS__: nothing is glued
		if r.token(tokens[k]) == "#" && r.token(tokens[k+1]) == "#" && r.token(tokens[k-1]) == "," && r.token(tokens[k+2]) == "__VA_ARGS__" {
			copy(out[tokens[k].start-body.Start:], "  ")
		}
	}
	for k := 0; k+1 < len(tokens); k++ {
		name := r.token(tokens[k+1])
		glued := k > 0 && r.token(tokens[k-1]) == "#"
		if r.token(tokens[k]) != "#" || glued || !slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == name }) {
			continue
		}
		from, to := tokens[k].start-body.Start, tokens[k+1].end-body.Start
		copy(out[from:to], bytes.Repeat([]byte{' '}, to-from))
		out[from], out[from+1] = '"', '"'
	}
	return out
}

// terminated gives a parameter that stands as a statement the semicolon that it lacks, in the white space behind it: what it is given is a block.
func (r *reader) terminated(text []byte, body source.Span, tokens []token, params []program.Param) {
	for k, t := range tokens {
		if k == 0 || k+1 == len(tokens) || !strings.Contains("{};", r.token(tokens[k-1])) || !slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == r.token(t) }) {
			continue
		}
		if next := tokens[k+1]; (next.kind == word || r.token(next) == "}") && t.end < next.start {
			text[t.end-body.Start] = ';'
		}
	}
}

// used are the tokens of a macro's body without those that are made text.
func (r *reader) used(tokens []token) (out []token) {
	for k := 0; k < len(tokens); k++ {
		if r.token(tokens[k]) == "#" && k+1 < len(tokens) && r.token(tokens[k+1]) != "#" && (k == 0 || r.token(tokens[k-1]) != "#") {
			k++
			continue
		}
		out = append(out, tokens[k])
	}
	return out
}

// statements reads the body of a macro as statements, or returns nil.
func (r *reader) statements(body source.Span, f *program.Function) []program.Stmt {
	var out []program.Stmt
	r.outer = f
	r.apart("void f(){", body, ";}", func(root *node) {
		if list := below(root, "function_definition", "compound_statement"); list != nil {
			out = r.stmts(list.kids)
		}
	})
	r.outer = nil
	return out
}

func (r *reader) token(t token) string { return string(r.src[t.start:t.end]) }

// scalarWords are words that the names of arithmetic types are made of, which are no expressions.
var scalarWords = func() map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(`bool char short int long float double signed unsigned size_t
		int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t`) {
		out[word] = true
	}
	return out
}()

// controls are the words that statements of control begin with (C++17 [stmt.stmt]).
var controls = map[string]bool{"if": true, "else": true, "for": true, "while": true, "do": true, "switch": true, "case": true, "default": true, "return": true, "break": true, "continue": true, "goto": true}

// constant reads a macro body that is an expression, or the name of a type, or returns nil.
func (r *reader) constant(body source.Span) program.Expr {
	if body.End-body.Start > 400 {
		return nil
	}
	s := string(r.src[body.Start:body.End])
	if words := strings.Fields(s); len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !scalarWords[w] }) {
		return &program.Name{Place: program.Place{Span: body}, Ident: strings.Join(words, " ")}
	}
	if x := integer(s, program.Place{Span: body}); x != nil {
		return x
	}
	if bytes.ContainsAny(r.src[body.Start:body.End], ";{}\\#\n") {
		return nil
	}
	if first := directiveTokens(r.src, body.Start, body.End); len(first) > 0 && controls[r.token(first[0])] { // if (…) has the form of a call
		return nil
	}
	args := r.snippet(body)
	if len(args) != 1 {
		return nil
	}
	switch args[0].(type) {
	case *program.OpaqueExpr, *program.None:
		return nil
	}
	return args[0]
}

// snippet parses text that stands apart from the code (a macro body, attribute arguments) as call arguments.
// It returns nil when the text is no list of expressions.
func (r *reader) snippet(at source.Span) []program.Expr {
	var out []program.Expr
	r.apart("auto x=f(", at, ");", func(root *node) {
		if list := below(root, "declaration", "init_declarator", "call_expression", "argument_list"); list != nil {
			out = r.exprs(list.content())
		}
	})
	return out
}

// below follows a path of first children by kind.
func below(n *node, path ...string) *node {
	for _, kind := range path {
		if n = n.first(kind); n == nil {
			return nil
		}
	}
	return n
}

// apart parses the text at a place between head and tail and hands the root to use, if all of it parses.
func (r *reader) apart(head string, at source.Span, tail string, use func(root *node)) {
	r.snippets++
	if r.snippets > maxSnippets || at.End <= at.Start || r.depth > 20 {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	src := r.src[at.Start:at.End]
	if r.depth == 1 && len(r.instead) == len(src) {
		src = r.instead
	}
	// What stands alone may look like an attribute: it is looked at with what is around it.
	b := prepare(slices.Concat([]byte(head), src, []byte(tail)), &memory{}, nil)
	outer, holding := r.welded, r.holding
	r.welded, r.holding = map[int]bool{}, map[int]holder{}
	by := at.Start - len(head)
	for off, u := range b.holding {
		r.holding[off+by] = holder{source.Span{Start: u.name.Start + by, End: u.name.End + by}, source.Span{Start: u.args.Start + by, End: u.args.End + by}}
	}
	for off := range b.welded {
		if off >= len(head) {
			r.welded[at.Start+off-len(head)] = true
		}
	}
	prepared := b.out[len(head) : len(head)+len(src)]
	defer func() { r.welded, r.holding = outer, holding }()
	// Names are read from r.text, where the snippet's place is blank.
	kept := append([]byte(nil), r.text[at.Start:at.End]...)
	copy(r.text[at.Start:], prepared)
	defer func() { copy(r.text[at.Start:], kept) }()
	text := append([]byte(head), prepared...)
	root := r.parse(append(text, tail...), len(head), at, nil)
	if root != nil && !root.bad {
		use(root)
	}
}

// pastCalls is the first token at or behind i that is no attribute with arguments.
func (b *blanker) pastCalls(i int) int {
	for i < len(b.tokens) && calls[b.at(i)] && b.at(i+1) == "(" && b.match[i+1] > i {
		i = b.match[i+1] + 1
	}
	return i
}
