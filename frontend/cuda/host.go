package cuda

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// The host's functions are followed up to the launches of a kernel, path by path: what is a constant on the way is known there, whatever else is not.
// Nothing is taken for a constant that an unread statement, a loop, or a function that is not at hand may have set.

// Limits against hostile input.
const (
	maxPaths     = 16      // of a function that are told apart
	maxHostWork  = 1 << 18 // statements and expressions on the way to the launches of one kernel
	maxTaken     = 32      // conditions whose outcome is remembered
	maxHostDepth = 8       // calls within each other
	maxRounds    = 16      // of a loop whose rounds are told apart
)

// host follows functions of the host.
type host struct {
	c       *compiler
	kernel  *program.Function
	root    *program.Function // where it began
	in      *program.Function
	file    *program.File // that in stands in
	path    *path         // in which expressions are evaluated
	calls   []*program.Function
	from    string // the call in root that is followed
	work    int
	deep    int // constants and references within each other
	found   []site
	inner   map[*program.Function]bool // functions that were followed from others
	near    map[*program.Function]bool // functions that lead to the kernel
	ran     map[*program.Lambda]bool   // that were followed
	uses    []macroUse                 // of macros that are followed
	renames map[string]string          // of the macro that is followed: parameters that it declares, by what they are given

	addressed map[*program.Function]map[string]bool       // the variables whose addresses something may hold
	spellings map[*program.Function]map[string][]hostName // how functions declare their names
}

// cell is what an object of the host is; it never changes. nil is one of which nothing is known.
type cell struct {
	number *ints.Number
	kernel *instance
	t      *ctype           // a type that a name stands for
	parts  map[string]*cell // by member, "[0]" for elements
	body   *program.Lambda
	file   *program.File     // that it stands in
	fn     *program.Function // of the host
	ref    string            // a pointer to a variable of the same function
	alias  program.Expr      // what a reference is another name of
	symbol string            // a name that nothing of the host defines
	of     *instance         // of one of a function: its template arguments
	class  *program.Class    // of an object
	bound  bool              // an object with pointers to its own members
	array  bool
	size   int64 // bytes of an array; 0: not known
}

// instance is the kernel with the arguments of its template.
type instance struct {
	args  []*cell
	texts []string
}

// path is one way through a function.
type path struct {
	scopes []map[string]*cell
	took   map[string]bool // conditions that were decided on the way
	left   bool            // the function, or the round of a loop
	ended  bool            // the function
	result *cell
}

func (p *path) fork() *path {
	out := &path{took: maps.Clone(p.took), left: p.left, ended: p.ended, result: p.result}
	for _, s := range p.scopes {
		out.scopes = append(out.scopes, maps.Clone(s))
	}
	return out
}

func (p *path) find(name string) (*cell, bool) {
	for k := len(p.scopes) - 1; k >= 0; k-- {
		if v, known := p.scopes[k][name]; known {
			return v, true
		}
	}
	return nil, false
}

// set assigns to a name where it is declared.
func (p *path) set(name string, v *cell) {
	p.again(name)
	for k := len(p.scopes) - 1; k >= 0; k-- {
		if _, known := p.scopes[k][name]; known {
			p.scopes[k][name] = v
			return
		}
	}
}

func (p *path) declare(name string, v *cell) {
	p.again(name)
	p.scopes[len(p.scopes)-1][name] = v
}

// again forgets how conditions that name a variable were decided.
func (p *path) again(name string) {
	for text := range p.took {
		if words(text)[name] {
			delete(p.took, text)
		}
	}
}

// equal compares what is known; of two unknowns nothing says that they are one.
func (a *cell) equal(b *cell) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.number == nil) != (b.number == nil) || a.number != nil && a.number.N != b.number.N {
		return false
	}
	return a.t == b.t && a.body == b.body && a.fn == b.fn && a.alias == b.alias && a.ref == b.ref && a.symbol == b.symbol && a.array == b.array && a.size == b.size && maps.EqualFunc(a.parts, b.parts, (*cell).equal) &&
		a.kernel.equal(b.kernel) && a.of.equal(b.of)
}

func (i *instance) equal(o *instance) bool {
	return i == o || i != nil && o != nil && slices.Equal(i.texts, o.texts) && slices.EqualFunc(i.args, o.args, (*cell).equal)
}

// joined makes one path of several: what differs is not known.
func joined(paths []*path) *path {
	out := paths[0].fork()
	out.took = map[string]bool{}
	for _, p := range paths[1:] {
		for k := range out.scopes {
			for name, v := range out.scopes[k] {
				if k < len(p.scopes) && !v.equal(p.scopes[k][name]) {
					out.scopes[k][name] = nil
				}
			}
		}
	}
	return out
}

// few keeps how many paths there are within bounds.
func few(paths []*path) []*path {
	var going, left []*path
	for _, p := range paths {
		if p.left {
			left = append(left, p)
		} else if !slices.ContainsFunc(going, func(q *path) bool {
			return maps.Equal(p.took, q.took) && slices.EqualFunc(p.scopes, q.scopes, func(a, b map[string]*cell) bool { return maps.EqualFunc(a, b, (*cell).equal) })
		}) {
			going = append(going, p)
		}
	}
	if len(going) > maxPaths {
		going = []*path{joined(going)}
	}
	if len(left) > maxPaths {
		one := joined(left)
		one.left, one.ended = true, slices.ContainsFunc(left, func(p *path) bool { return p.ended })
		for _, p := range left {
			if !p.result.equal(one.result) {
				one.result = nil
			}
		}
		left = []*path{one}
	}
	return append(going, left...)
}

// worked reports whether there is work left.
func (h *host) worked() bool {
	h.work++
	return h.work <= maxHostWork
}

func number(n int64) *cell { return &cell{number: &ints.Number{Type: ints.Int32, N: n}} }

// run follows statements.
func (h *host) run(body []program.Stmt, paths []*path) []*path {
	for _, st := range body {
		if !h.worked() {
			return h.lost(body, paths)
		}
		var next []*path
		for _, p := range paths {
			if p.left {
				next = append(next, p)
				continue
			}
			next = append(next, h.statement(st, p)...)
		}
		if len(next) > len(paths) {
			h.work += len(next) * len(next)
			next = few(next)
		}
		paths = next
	}
	return paths
}

// lost forgets what statements that are not followed may set.
func (h *host) lost(body []program.Stmt, paths []*path) []*path {
	for _, p := range paths {
		h.forget(p, body)
	}
	return paths
}

// block runs statements in a scope of their own.
func (h *host) block(body []program.Stmt, p *path) []*path {
	p.scopes = append(p.scopes, map[string]*cell{})
	out := h.run(body, []*path{p})
	for _, q := range out {
		q.scopes = q.scopes[:len(q.scopes)-1]
	}
	return out
}

func (h *host) statement(st program.Stmt, p *path) []*path {
	switch st := st.(type) {
	case *program.Assign:
		return h.assign(st, p)
	case *program.ExprStmt:
		h.effects(st.X, p)
		if call, ok := st.X.(*program.Call); ok {
			h.discarded(call, p)
		}
	case *program.If:
		h.effects(st.Cond, p)
		var out []*path
		for _, way := range h.ways(st.Cond, p) {
			if way.taken {
				out = append(out, h.block(st.Then, way.path)...)
			} else {
				out = append(out, h.block(st.Else, way.path)...)
			}
		}
		return out
	case *program.For:
		return h.loop(st, p)
	case *program.While:
		h.forget(p, []program.Stmt{st})
		h.effects(st.Cond, p)
		return h.once(st.Body, nil, []program.Stmt{st}, p)
	case *program.Block:
		return h.block(st.Body, p)
	case *program.Return:
		if st.Value != nil {
			h.effects(st.Value, p)
			h.pointed(st.Value, p)
			p.result = h.eval(st.Value, p)
		}
		p.left, p.ended = true, true
	case *program.Break, *program.Continue:
		p.left = true
	case *program.Try:
		before := p.fork()
		out := h.block(st.Body, p)
		h.forget(before, st.Body)
		for _, handler := range st.Handlers {
			out = append(out, h.block(handler.Body, before.fork())...)
		}
		return out
	case *program.OpaqueStmt, *program.Asm:
		if v, found := p.find(strings.TrimSpace(strings.TrimSuffix(h.file.Source.Text(st.Where()), ";"))); found && v != nil && v.body != nil && h.blocks(v.body) { // a parameter of a macro
			renames, file := h.renames, h.file
			h.renames, h.file = nil, v.file
			defer func() { h.renames, h.file = renames, file }()
			return h.block(v.body.Body, p)
		}
		h.forgetText(p, st.Where())
		if words(h.file.Source.Text(st.Where()))[h.kernel.Name] {
			src := h.file.Source
			h.found = append(h.found, site{at: fmt.Sprintf("%s:%d", src.Name, src.Position(st.Where().Start).Line), root: h.root, kernel: &instance{}, unread: true})
		}
	}
	return []*path{p}
}

// way is one outcome of a condition.
type way struct {
	taken bool
	path  *path
}

func (h *host) ways(cond program.Expr, p *path) []way {
	if n, known := h.integer(cond, p); known {
		return []way{{n != 0, p}}
	}
	text := ""
	if cond != nil {
		text = h.file.Source.Text(cond.Where())
	}
	if taken, known := p.took[text]; known {
		return []way{{taken, p}}
	}
	if len(p.took) >= maxTaken {
		p.took = map[string]bool{}
	}
	other := p.fork()
	p.took, other.took = maps.Clone(p.took), maps.Clone(other.took)
	p.took[text], other.took[text] = true, false
	return []way{{true, p}, {false, other}}
}

// loop tells the rounds of a counting loop of constants apart; of any other it follows one, with what rounds may set not known.
func (h *host) loop(st *program.For, p *path) []*path {
	p.scopes = append(p.scopes, map[string]*cell{})
	end := func(paths []*path) []*path {
		for _, q := range paths {
			q.scopes = q.scopes[:len(q.scopes)-1]
		}
		return paths
	}
	if st.Iter == nil && st.Cond != nil {
		before, found := p.fork(), len(h.found)
		paths := h.run(st.Init, []*path{p})
		for round := 0; len(paths) == 1 && round < maxRounds && h.worked(); round++ {
			n, known := h.integer(st.Cond, paths[0])
			if !known || paths[0].left {
				break
			}
			if n == 0 {
				return end(paths)
			}
			paths = h.block(st.Body, paths[0])
			if len(paths) > 1 && !slices.ContainsFunc(paths, func(q *path) bool { return q.left }) { // what the ways through a round agree on
				paths = []*path{joined(paths)}
			}
			paths = h.run(st.Post, paths)
		}
		p, h.found = before, h.found[:found]
	}
	all := []program.Stmt{st}
	paths := h.run(st.Init, []*path{p})
	var out []*path
	for _, q := range paths {
		h.forget(q, all)
		if id, ok := st.Target.(*program.Name); ok {
			q.declare(id.Ident, nil)
		}
		out = append(out, h.once(st.Body, st.Post, all, q)...)
	}
	return end(out)
}

// once follows one round of a loop, and what is behind it.
func (h *host) once(body, post, all []program.Stmt, p *path) []*path {
	behind := p.fork()
	out := slices.DeleteFunc(h.run(post, h.block(body, p)), func(q *path) bool { return !q.ended })
	return append(out, h.lost(all, []*path{behind})...)
}

// forget makes unknown what statements may set.
func (h *host) forget(p *path, body []program.Stmt) {
	name := func(x program.Expr) { h.spoil(x, p) }
	for _, st := range body {
		program.Walk(st, func(n program.Node) bool {
			h.work++
			switch n := n.(type) {
			case *program.Assign:
				if !n.Decl {
					for _, t := range n.Targets {
						name(t)
					}
				}
			case *program.AssignExpr:
				name(n.Target)
			case *program.IncDec:
				name(n.X)
			case *program.Unary:
				if n.Op == "&" {
					name(n.X)
				}
			case *program.Call:
				if launches[h.apiOf(n)] == nil && len(n.Launch) == 0 {
					h.lend(n, p, name)
				}
				if a, ok := n.Fun.(*program.Attr); ok && !h.looks(a.Name) {
					name(a.X)
				}
				if v, found := p.find(identOf(n.Fun)); found && v != nil && v.body != nil && h.deep < maxHostDepth {
					h.deep++
					h.forget(p, v.body.Body)
					h.deep--
				}
			case *program.ExprStmt:
				if call, ok := n.X.(*program.Call); ok {
					h.discarded(call, p)
				}
			case *program.Binary:
				if _, known := h.folded(n.X, p); n.Op == ">>" && !known { // of a stream
					name(n.Y)
				}
			case *program.OpaqueStmt:
				h.forgetText(p, n.Span)
			}
			return true
		})
	}
}

// spoil makes unknown what an expression names, whichever part of it, and what it leads to.
func (h *host) spoil(x program.Expr, p *path) {
	through := false // a pointer
	for hops := 0; hops < 64; hops++ {
		switch on := x.(type) {
		case *program.Attr:
			through, x = through || on.Arrow, on.X
			continue
		case *program.Index:
			through, x = true, on.X
			continue
		case *program.Unary:
			if on.Op == "*" {
				through, x = true, on.X
				continue
			}
		case *program.Cast:
			x = on.X
			continue
		case *program.Name:
			v, known := p.find(on.Ident)
			switch {
			case known && v != nil && v.alias != nil:
				x = v.alias
				continue
			case known && v != nil && v.ref != "":
				p.set(v.ref, nil)
			case through && (v == nil || !v.array && v.parts == nil):
				h.forgetAddressed(p)
			}
			if known {
				p.set(on.Ident, nil)
			}
			return
		}
		h.forgetAddressed(p)
		return
	}
}

// lend finds what a call may set: arguments of references that are not constant, and what has no value yet.
func (h *host) lend(call *program.Call, p *path, set func(program.Expr)) {
	id, ok := call.Fun.(*program.Name)
	var fn *program.Function
	if ok {
		fn = h.function(id.Ident, len(call.Args))
	}
	if ok && fn == nil && (h.c.typeOf(id.Ident) != nil || id.Ident == "std::move" || id.Ident == "std::forward") {
		return
	}
	for k, a := range call.Args {
		arg, bare := a.(*program.Name)
		if !bare {
			continue
		}
		if v, known := p.find(arg.Ident); known && v != nil && v.ref != "" { // where it points to
			p.set(v.ref, nil)
		}
		switch {
		case fn != nil && k < len(fn.Params):
			q := fn.Params[k]
			if fn.Macro && assigns(fn.Body, q.Name) || !fn.Macro && q.Ref && !slices.Contains(strings.Fields(q.Type), "const") {
				set(a)
			}
		case fn == nil:
			if v, known := p.find(arg.Ident); known && v != nil && v.number == nil && v.kernel == nil && v.body == nil { // made to be filled
				set(a)
			}
		}
	}
}

// printers take what they print by value.
var printers = map[string]bool{"printf": true, "fprintf": true, "std::printf": true, "std::fprintf": true}

// discarded is a call whose result nobody wants: it is made for what it does, perhaps to its arguments.
func (h *host) discarded(call *program.Call, p *path) {
	name := identOf(call.Fun)
	if _, local := p.find(name); local || len(call.Launch) > 0 || launches[h.apiOf(call)] != nil || printers[name] || h.function(name, len(call.Args)) != nil || h.c.typeOf(name) != nil {
		return
	}
	for _, a := range call.Args {
		if id, ok := a.(*program.Name); ok {
			p.set(id.Ident, nil)
		}
	}
}

// forgetText makes unknown what an unread text names.
func (h *host) forgetText(p *path, at source.Span) {
	text := h.file.Source.Text(at)
	h.work += len(text) / 8
	named := words(text)
	for _, s := range p.scopes {
		for name := range s {
			if named[name] {
				s[name] = nil
				p.again(name)
			}
		}
	}
}

// words are the identifiers of a text.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range program.Words(text) {
		out[w] = true
	}
	return out
}

// assign is a declaration or an assignment. A choice by what is not known makes two paths.
func (h *host) assign(st *program.Assign, p *path) []*path {
	if call, ok := st.Value.(*program.Call); ok && len(call.Launch) == 0 {
		if fn := h.function(identOf(call.Fun), len(call.Args)); fn != nil && h.near[fn] { // it may choose the kernel
			for _, a := range call.Args {
				h.effects(a, p)
			}
			var out []*path
			for _, v := range h.outcomes(fn, call, p) {
				q := p.fork()
				q.declare(chosen, v)
				h.bind(st, &program.Name{Place: st.Place, Ident: chosen}, q)
				out = append(out, q)
			}
			if out != nil {
				return out
			}
		}
	}
	if st.Value != nil {
		h.effects(st.Value, p)
	}
	if choice, ok := st.Value.(*program.Cond); ok {
		var out []*path
		for _, way := range h.ways(choice.Test, p) {
			x := choice.Else
			if way.taken {
				x = choice.Then
			}
			h.bind(st, x, way.path)
			out = append(out, way.path)
		}
		return out
	}
	h.bind(st, st.Value, p)
	return []*path{p}
}

// chosen is the name of what a call gives; nothing in a text is called so.
const chosen = "?"

// bind gives the targets of an assignment a value.
func (h *host) bind(st *program.Assign, x program.Expr, p *path) {
	if len(st.Targets) != 1 {
		for _, t := range st.Targets {
			h.store(t, nil, p)
		}
		return
	}
	id, named := st.Targets[0].(*program.Name)
	switch {
	case st.Decl && !named:
		program.WalkExprs(st.Targets[0], func(e program.Expr) bool {
			if id, ok := e.(*program.Name); ok {
				p.declare(id.Ident, nil)
			}
			return true
		})
	case st.Decl && st.Type == "using":
		p.declare(id.Ident, &cell{t: h.typeOf(x, p)})
	case st.Decl && strings.HasSuffix(st.Type, "&"):
		if h.rooted(x, p) {
			p.declare(id.Ident, &cell{alias: x})
			break
		}
		h.forget(p, []program.Stmt{&program.ExprStmt{X: &program.Unary{Op: "&", X: x}}})
		p.declare(id.Ident, h.initial(st, x, p))
	case st.Decl:
		v := h.initial(st, x, p)
		p.declare(id.Ident, v)
		if name := h.renames[id.Ident]; name != "" {
			p.declare(name, v)
		}
	case st.Op == "=":
		h.store(st.Targets[0], h.converted(h.eval(x, p), st.Targets[0], p), p)
	default:
		op := strings.TrimSuffix(st.Op, "=")
		n, known := h.folded(&program.Binary{Place: st.Place, Op: op, X: st.Targets[0], Y: x}, p)
		var v *cell
		if known {
			v = &cell{number: &n}
		}
		h.store(st.Targets[0], v, p)
	}
}

// rooted reports whether an expression is a variable of the function, or a member of one.
func (h *host) rooted(x program.Expr, p *path) bool {
	for {
		switch on := x.(type) {
		case *program.Attr:
			if on.Arrow {
				return false
			}
			x = on.X
			continue
		case *program.Name:
			v, found := p.find(on.Ident)
			return found && (v == nil || v.ref == "")
		}
		return false
	}
}

// config are the members of cudaLaunchConfig_t in order (CUDA Runtime API, 7.4).
var config = []string{"gridDim", "blockDim", "dynamicSmemBytes", "stream", "attrs", "numAttrs"}

// initial is what a declaration gives its variable.
func (h *host) initial(st *program.Assign, x program.Expr, p *path) *cell {
	t := h.declared(st.Type, p)
	words := strings.Fields(st.Type)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "const" || w == "static" || w == "struct" })
	isConfig := len(words) == 1 && words[0] == "cudaLaunchConfig_t"
	switch {
	case len(st.Dims) > 0:
		out := &cell{parts: map[string]*cell{}, array: true}
		list, ok := x.(*program.List)
		if !ok {
			return out
		}
		for k, e := range list.Elems {
			out.parts[element(int64(k))] = h.eval(e, p)
		}
		if t != nil {
			out.size = t.size * int64(len(list.Elems))
		}
		return out
	case t == vectors["dim3"]:
		if x == nil {
			return dim3(nil)
		}
		return h.shape(x, p)
	case isConfig:
		out := &cell{parts: map[string]*cell{}}
		list, ok := x.(*program.List)
		for k := 0; ok && k < len(list.Elems); k++ {
			name, e := "", list.Elems[k]
			if d, is := e.(*program.AssignExpr); is {
				if id, is := d.Target.(*program.Name); is {
					name, e = id.Ident, d.Value
				}
			} else if k < len(config) {
				name = config[k]
			}
			if name == "gridDim" || name == "blockDim" {
				out.parts[name] = h.shape(e, p)
			} else {
				out.parts[name] = h.eval(e, p)
			}
		}
		return out
	case x == nil || slices.Contains(words, "cudaLaunchAttribute"):
		if t != nil && t.scalarLike() {
			return nil
		}
		if v := h.object(strings.Join(words, " "), nil, p); v != nil && x == nil {
			return v
		}
		return &cell{parts: map[string]*cell{}}
	}
	if list, ok := x.(*program.List); ok {
		if v := h.object(strings.Join(words, " "), list.Elems, p); v != nil {
			return v
		}
	}
	v := h.eval(x, p)
	if v != nil && v.number != nil && t != nil {
		if !t.integer() {
			return nil
		}
		to := numberOf(t)
		v = &cell{number: &ints.Number{Type: to, N: to.Wrap(v.number.N)}}
		if t.boolean && v.number.N != 0 {
			v.number.N = 1
		}
	}
	return v
}

// declared is a type as it is written; nil for auto and what is not known.
func (h *host) declared(text string, p *path) *ctype {
	return h.typed(text, p)
}

// converted is a value as the target that it is assigned to has it.
func (h *host) converted(v *cell, target program.Expr, p *path) *cell {
	old := h.eval(target, p)
	isShape := old != nil && old.parts != nil && old.parts["x"] != nil
	if a, ok := target.(*program.Attr); ok && (a.Name == "gridDim" || a.Name == "blockDim" || a.Name == "clusterDim") {
		isShape = true
	}
	if v != nil && isShape {
		switch {
		case v.number != nil:
			return dim3([]*cell{v})
		case v.parts["[0]"] != nil:
			return dim3([]*cell{v.parts["[0]"], v.parts["[1]"], v.parts["[2]"]}[:min(len(v.parts), 3)])
		}
	}
	return v
}

func element(k int64) string { return "[" + strconv.FormatInt(k, 10) + "]" }

// dim3 is a shape; extents that are not said are 1.
func dim3(of []*cell) *cell {
	out := &cell{parts: map[string]*cell{"x": number(1), "y": number(1), "z": number(1)}}
	for k, v := range of {
		if k < 3 {
			out.parts["xyz"[k:k+1]] = v
		}
	}
	return out
}

// shape evaluates an expression where a dim3 is wanted.
func (h *host) shape(x program.Expr, p *path) *cell {
	if list, ok := x.(*program.List); ok {
		return h.dims(list.Elems, p)
	}
	v := h.resolved(h.eval(x, p), p)
	if v != nil && v.number != nil {
		return dim3([]*cell{v})
	}
	return v
}

func (h *host) dims(list []program.Expr, p *path) *cell {
	var of []*cell
	for _, x := range list {
		v := h.eval(x, p)
		if len(list) == 1 && v != nil && v.parts != nil {
			return v // a copy
		}
		of = append(of, v)
	}
	return dim3(of)
}

// store assigns to a place.
func (h *host) store(target program.Expr, v *cell, p *path) {
	var keys []string
	hops, through := 0, false // a pointer
	for x := target; ; {
		switch on := x.(type) {
		case *program.Attr:
			through = through || on.Arrow
			keys, x = append(keys, on.Name), on.X
			continue
		case *program.Index:
			k, known := int64(0), false
			if len(on.Args) == 1 {
				k, known = h.integer(on.Args[0], p)
			}
			if !known {
				keys, v = nil, nil // some element
			} else {
				keys = append(keys, element(k))
			}
			x, through = on.X, true
			continue
		case *program.Unary:
			if on.Op == "*" {
				x, through = on.X, true
				continue
			}
		case *program.Cast:
			x = on.X
			continue
		case *program.Name:
			old, known := p.find(on.Ident)
			if hops++; known && old != nil && old.alias != nil && hops < 8 {
				x = old.alias
				continue
			}
			name := on.Ident
			for hops := 0; known && old != nil && old.ref != "" && (through || len(keys) > 0) && hops < 4; hops++ {
				name, through = old.ref, false
				old, known = p.find(name)
			}
			if through && (old == nil || !old.array && old.parts == nil) { // it may lead to what has its address taken
				h.forgetAddressed(p)
			}
			slices.Reverse(keys)
			p.set(name, old.with(keys, v))
			return
		}
		h.forgetAddressed(p)
		return
	}
}

// forgetAddressed makes unknown the variables of a function whose addresses something may hold.
func (h *host) forgetAddressed(p *path) {
	if h.in == nil {
		return
	}
	taken, known := h.addressed[h.in]
	if !known {
		taken = map[string]bool{}
		for _, st := range h.in.Body {
			program.Walk(st, func(n program.Node) bool {
				if call, ok := n.(*program.Call); ok && launches[h.apiOf(call)] != nil {
					return false
				}
				u, ok := n.(*program.Unary)
				for x := program.Expr(nil); ok && u.Op == "&"; {
					if x == nil {
						x = u.X
					}
					switch on := x.(type) {
					case *program.Attr:
						x = on.X
						continue
					case *program.Index:
						x = on.X
						continue
					case *program.Name:
						taken[on.Ident] = true
					}
					break
				}
				return true
			})
		}
		h.addressed[h.in] = taken
	}
	for name := range taken {
		if v, found := p.find(name); found && v != nil && v.kernel == nil {
			p.set(name, nil)
		}
	}
}

// with is a cell of which a part is another.
func (a *cell) with(keys []string, v *cell) *cell {
	if len(keys) == 0 {
		return v
	}
	if a == nil || a.parts == nil { // the rest is not known
		if v == nil {
			return nil
		}
		a = &cell{parts: map[string]*cell{}}
	}
	if a.bound { // what its pointers lead to was put in their place
		return nil
	}
	out := *a
	out.parts = maps.Clone(a.parts)
	out.parts[keys[0]] = a.parts[keys[0]].with(keys[1:], v)
	return &out
}

// object is one of a class, made by its constructor, or of a list of its members; nil where it is not known how.
func (h *host) object(name string, args []program.Expr, p *path) *cell {
	_, last := program.SplitName(name)
	class := classes(h.c.bySimple[last]).first()
	if class == nil || class.Enum || class.Union || len(class.Bases) > 0 || !endsIn(class.Qualified, name) {
		return nil
	}
	if len(args) == 1 {
		if v := h.resolved(h.eval(args[0], p), p); v != nil && v.parts != nil && (v.class == class || v.class == nil && !converts(class)) {
			return v // a copy
		}
	}
	var out *cell
	made := false
	for _, m := range class.Methods {
		if m.Name != class.Name || m.Destructor {
			continue
		}
		made = true
		if len(m.Params) != len(args) || copies(m) {
			continue
		}
		v := h.constructed(class, m, args, p)
		if v == nil {
			return nil
		}
		if out != nil { // of several constructors that fit, what they agree on
			parts := map[string]*cell{}
			for name, part := range v.parts {
				if part.equal(out.parts[name]) {
					parts[name] = part
				}
			}
			v = &cell{parts: parts, class: class, bound: v.bound || out.bound}
		}
		out = v
	}
	if made {
		return out
	}
	out = &cell{parts: map[string]*cell{}, class: class}
	k := 0
	for _, f := range class.Fields {
		if len(f.Targets) != 1 || !f.Const && slices.Contains(strings.Fields(f.Type), "static") {
			continue
		}
		name, of := identOf(f.Targets[0]), program.Param{Type: f.Type}
		switch {
		case k < len(args) && !f.Const:
			out.parts[name] = h.given(of, args[k], p)
		case f.Value != nil:
			in := h.in
			h.in = &program.Function{Class: class, Qualified: class.Qualified + "::"}
			out.parts[name] = h.given(of, f.Value, &path{scopes: []map[string]*cell{{}}})
			h.in = in
		}
		if !f.Const {
			k++
		}
	}
	return out
}

// copies reports whether a constructor is given one of its own class.
func copies(m *program.Function) bool {
	return len(m.Params) == 1 && words(m.Params[0].Type)[m.Name]
}

// converts reports whether a class has a constructor that makes one of something else.
func converts(class *program.Class) bool {
	return slices.ContainsFunc(class.Methods, func(m *program.Function) bool {
		return m.Name == class.Name && !m.Destructor && len(m.Params) == 1 && !copies(m)
	})
}

// constructed follows a constructor; nil where what it makes is not one thing. Its members are those of this, by their names alone, too.
func (h *host) constructed(class *program.Class, m *program.Function, args []program.Expr, p *path) *cell {
	params := map[string]*cell{"this": {parts: map[string]*cell{}}}
	var members []string
	for _, f := range class.Fields {
		if len(f.Targets) == 1 && !f.Const {
			name := identOf(f.Targets[0])
			members = append(members, name)
			if len(f.Dims) > 0 {
				params["this"].parts[name] = &cell{parts: map[string]*cell{}, array: true}
			}
			params[name] = &cell{alias: &program.Attr{X: &program.Name{Ident: "this"}, Name: name}}
		}
	}
	for k, q := range m.Params {
		params[q.Name] = h.given(q, args[k], p)
	}
	ways := h.enter(m, params, p)
	if len(ways) != 1 || ways[0].scopes[0]["this"] == nil {
		return nil
	}
	out := *ways[0].scopes[0]["this"]
	out.class = class
	out.parts = maps.Clone(out.parts)
	for name, v := range out.parts {
		out.parts[name] = v.within(out.parts, members, &out.bound, 0)
	}
	return &out
}

// within is a part of an object with what its pointers to other members of that lead to; what leads elsewhere from a constructor is not known outside of it.
func (a *cell) within(parts map[string]*cell, members []string, bound *bool, depth int) *cell {
	switch {
	case a == nil || depth > maxHostDepth:
		return nil
	case a.ref != "" && slices.Contains(members, a.ref):
		*bound = true
		return parts[a.ref].within(parts, members, bound, depth+1)
	case a.ref != "" || a.alias != nil:
		return nil
	case a.parts == nil:
		return a
	}
	out := *a
	out.parts = map[string]*cell{}
	for name, v := range a.parts {
		out.parts[name] = v.within(parts, members, bound, depth+1)
	}
	return &out
}

// given is an argument as its parameter has it.
func (h *host) given(q program.Param, x program.Expr, p *path) *cell {
	if h.declared(strings.TrimSuffix(q.Type, "&"), p) == vectors["dim3"] {
		return h.shape(x, p)
	}
	return h.resolved(h.eval(x, p), p)
}

// resolved follows pointers to variables.
func (h *host) resolved(v *cell, p *path) *cell {
	for hops := 0; v != nil && v.ref != "" && hops < 4; hops++ {
		if v, _ = p.find(v.ref); v != nil && v.alias != nil {
			v = h.behind(v, p)
		}
	}
	return v
}

// integer evaluates an integer.
func (h *host) integer(x program.Expr, p *path) (int64, bool) {
	n, known := h.folded(x, p)
	return n.N, known
}

func (h *host) folded(x program.Expr, p *path) (ints.Number, bool) {
	if x == nil {
		return ints.Number{}, false
	}
	before, host := h.path, h.c.host
	h.path, h.c.host = p, h
	defer func() { h.path, h.c.host = before, host }()
	return h.c.folded(x)
}

// leaf is what an expression of the host is that the compiler does not know by itself; ours says whether it is one.
func (h *host) leaf(x program.Expr) (n ints.Number, known, ours bool) {
	if !h.worked() {
		return n, false, true
	}
	var v *cell
	switch x := x.(type) {
	case *program.Name:
		var found bool
		if v, found = h.path.find(x.Ident); !found {
			return h.outer(x)
		}
		if v != nil && v.alias != nil {
			v = h.behind(v, h.path)
		}
	case *program.Attr, *program.Index:
		v = h.eval(x, h.path)
		if _, attr := x.(*program.Attr); v == nil && attr {
			return n, false, false // of a class
		}
	case *program.Call:
		id, ok := x.Fun.(*program.Name)
		if ok && id.Ident == "sizeof" && len(x.Args) == 1 {
			return h.sizeof(x.Args[0])
		}
		if t := h.c.typeOf(identOf(x.Fun)); t != nil && t.integer() && len(x.Args) == 1 { // int(x)
			n, known := h.c.folded(x.Args[0])
			to := numberOf(t)
			return ints.Number{Type: to, N: to.Wrap(n.N)}, known, true
		}
		if !ok {
			return n, false, false
		}
		fn := h.function(id.Ident, len(x.Args))
		if fn == nil {
			return n, false, false
		}
		if h.near[fn] { // it is followed for what it launches, not for what it returns
			return n, false, true
		}
		v = h.eval(x, h.path)
	default:
		return n, false, false
	}
	if v == nil || v.number == nil {
		return n, false, true
	}
	return *v.number, true, true
}

func identOf(x program.Expr) string {
	if id, ok := x.(*program.Name); ok {
		return id.Ident
	}
	return ""
}

// outer is a name that the function does not declare: a member of its class, of another one, or of a namespace.
func (h *host) outer(x *program.Name) (n ints.Number, known, ours bool) {
	scope, last := "", x.Ident
	if k := strings.LastIndex(x.Ident, "::"); k >= 0 {
		scope, last = x.Ident[:k], x.Ident[k+2:]
	}
	alone := func(class, name string) (ints.Number, bool) {
		before := h.c.host
		h.c.host = nil
		defer func() { h.c.host = before }()
		return h.c.member(class, name)
	}
	if scope == "" {
		if h.in.Class != nil {
			if n, known := alone(h.in.Class.Name, last); known {
				return n, true, true
			}
		}
		if v := h.c.lookup(last); v == nil || v.number == nil && v.macro == nil {
			n, known := h.global("", last)
			return n, known, known
		}
		return n, false, false
	}
	if _, inner := program.SplitName(scope); len(h.c.bySimple[inner]) > 0 {
		n, known := alone(inner, last)
		return n, known, true
	}
	n, known = h.global(scope, last)
	return n, known, true
}

// global is a constant of a namespace; of one in the function's own, or around it, none is named.
func (h *host) global(scope, name string) (n ints.Number, known bool) {
	if h.deep >= maxHostDepth {
		return n, false
	}
	h.deep++
	before := h.path
	h.path = &path{scopes: []map[string]*cell{{}}}
	defer func() { h.path, h.deep = before, h.deep-1 }()
	met := false
	for _, f := range h.c.files {
		for _, st := range f.Body {
			a, ok := st.(*program.Assign)
			if !ok || !a.Decl || !a.Const || len(a.Targets) != 1 || identOf(a.Targets[0]) != name || scope != "" && !endsIn(a.Scope, scope) {
				continue
			}
			m, is := h.c.folded(a.Value)
			if !is || met && m.N != n.N {
				return n, false
			}
			n, met = m, true
		}
	}
	return n, met
}

// endsIn reports whether a qualified name is another one, or ends in it as names may be shortened.
func endsIn(whole, short string) bool {
	if global, is := strings.CutPrefix(short, "::"); is {
		return whole == global
	}
	return whole == short || strings.HasSuffix(whole, "::"+short)
}

// sizeof is the size of a type, or of an array.
func (h *host) sizeof(x program.Expr) (n ints.Number, known, ours bool) {
	text := identOf(x)
	if s, ok := x.(*program.String); ok {
		text = strings.TrimSpace(s.Value)
	}
	size := int64(0)
	name := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	if v, found := h.path.find(name); found {
		if v == nil {
			return n, false, true
		}
		if size = v.size; v.t != nil {
			size = v.t.size
		}
	} else if t := h.c.typeOf(name); t != nil {
		size = t.size
	}
	return ints.Number{Type: ints.Type{Bits: 64}, N: size}, size > 0, true
}

// typeOf reads a type that stands where an expression may.
func (h *host) typeOf(x program.Expr, p *path) *ctype {
	id, ok := x.(*program.Name)
	if !ok {
		return nil
	}
	if v, known := p.find(id.Ident); known && len(id.Template) == 0 {
		if v == nil {
			return nil
		}
		return v.t
	}
	defer h.within(p)()
	if t := h.c.typeOfExpr(id); t != nil && t.sure() {
		return t
	}
	return nil
}

// eval is what an expression is.
func (h *host) eval(x program.Expr, p *path) *cell {
	if !h.worked() {
		return nil
	}
	switch x := x.(type) {
	case *program.Name:
		if v, found := p.find(x.Ident); found {
			if v != nil && v.alias != nil {
				if v = h.behind(v, p); v == nil || !v.array {
					return v
				}
			}
			if v != nil && v.array { // an array is where its elements are
				return &cell{ref: x.Ident}
			}
			return v
		}
		if h.names(x.Ident, -1) {
			return &cell{kernel: h.instance(x.Template, p)}
		}
		if n, known := h.folded(x, p); known {
			return &cell{number: &n}
		}
		if fn := h.function(x.Ident, -1); fn != nil && h.near[fn] {
			return &cell{fn: fn}
		}
		v := &cell{symbol: x.Ident}
		if len(h.c.functions[lastName(x.Ident)]) > 0 {
			v.of = h.instance(x.Template, p)
		}
		return v
	case *program.Attr:
		v := h.resolved(h.eval(x.X, p), p)
		if v == nil || v.parts == nil {
			if n, known := h.member(x, p); known {
				return &cell{number: &n}
			}
			return nil
		}
		return v.parts[x.Name]
	case *program.Index:
		v := h.resolved(h.eval(x.X, p), p)
		if v == nil || len(x.Args) != 1 {
			return nil
		}
		k, known := h.integer(x.Args[0], p)
		if !known {
			return nil
		}
		return v.parts[element(k)]
	case *program.Unary:
		switch x.Op {
		case "&":
			if id, ok := x.X.(*program.Name); ok {
				if v, found := p.find(id.Ident); found && (v == nil || v.kernel == nil) {
					return &cell{ref: id.Ident}
				}
			}
			return h.eval(x.X, p)
		case "*":
			return h.resolved(h.eval(x.X, p), p)
		}
	case *program.Cast:
		v := h.eval(x.X, p)
		if v != nil && v.number == nil {
			return v
		}
	case *program.Lambda:
		return &cell{body: x, file: h.file}
	case *program.List:
		out := &cell{parts: map[string]*cell{}}
		for k, e := range x.Elems {
			out.parts[element(int64(k))] = h.eval(e, p)
		}
		return out
	case *program.Cond:
		if n, known := h.integer(x.Test, p); known {
			if n != 0 {
				return h.eval(x.Then, p)
			}
			return h.eval(x.Else, p)
		}
		return nil
	case *program.Call:
		if t := h.declared(identOf(x.Fun), p); t == vectors["dim3"] && t != nil {
			return h.dims(x.Args, p)
		}
		if name := identOf(x.Fun); (name == "std::move" || name == "std::forward") && len(x.Args) == 1 {
			return h.eval(x.Args[0], p)
		}
		if v := h.object(identOf(x.Fun), x.Args, p); v != nil {
			return v
		}
		if fn := h.function(identOf(x.Fun), len(x.Args)); fn != nil && !h.near[fn] {
			return h.called(fn, x, p)
		}
	}
	if n, known := h.folded(x, p); known {
		return &cell{number: &n}
	}
	return nil
}

// behind is what a reference is another name of.
func (h *host) behind(v *cell, p *path) *cell {
	if h.deep >= maxHostDepth { // one of itself
		return nil
	}
	h.deep++
	defer func() { h.deep-- }()
	return h.eval(v.alias, p)
}

// member is a constant of a class.
func (h *host) member(x *program.Attr, p *path) (n ints.Number, known bool) {
	if id, ok := x.X.(*program.Name); ok {
		if _, found := p.find(id.Ident); !found {
			before := h.c.host
			h.c.host = nil
			defer func() { h.c.host = before }()
			return h.c.member(id.Ident, x.Name)
		}
	}
	return n, false
}

// function is the host's function of a name, where there is but one that takes so many arguments; nil where there is none.
func (h *host) function(name string, args int) *program.Function {
	if name == "" {
		return nil
	}
	_, last := program.SplitName(name)
	var found *program.Function
	for _, fn := range h.c.functions[last] {
		least := 0
		for _, p := range fn.Params {
			if p.Default == nil && p.Star == 0 {
				least++
			}
		}
		pack := len(fn.Params) > 0 && fn.Params[len(fn.Params)-1].Star != 0
		if fn.Kernel || args >= 0 && (args < least || args > len(fn.Params) && !pack) || !endsIn(fn.Qualified, name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = fn
	}
	return found
}
