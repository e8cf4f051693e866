package cuda

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// The host's functions are followed up to the launches of a kernel, path by path: what is a constant on the way is known there, whatever else is not.
// Nothing is taken for a constant that an unread statement, a loop, or a function that is not at hand may have set.

// Limits against hostile input.
const (
	maxPaths     = 16      // of a function that are told apart
	maxHostWork  = 1 << 18 // statements and expressions on the way to the launches of one kernel
	maxTaken     = 32      // conditions whose outcome is remembered
	maxHostCalls = 14      // calls, macros, functions without a name and blocks within each other
	maxHostDepth = 8       // constants and references within each other
	maxRounds    = 16      // of a loop whose rounds are told apart
)

// host follows functions of the host.
type host struct {
	c        *compiler
	kernel   *program.Function
	root     *program.Function // where it began
	in       *program.Function
	file     *program.File // that in stands in
	path     *path         // in which expressions are evaluated
	calls    []*program.Function
	number   int64         // that templates are given of which nothing says it; 0: none is known
	supposed []supposition // what is guessed of root
	denied   bool          // a static assertion does not hold with it
	from     string        // the call in root that is followed
	work     int
	deep     int // constants and references within each other
	found    []site
	inner    map[*program.Function]bool // functions that were followed from others
	near     map[*program.Function]bool // functions that lead to the kernel
	ran      map[*program.Lambda]bool   // that were followed
	uses     []macroUse                 // of macros that are followed
	renames  map[string]string          // of the macro that is followed: parameters that it declares, by what they are given
	nameless bool                       // numbers that are not known are not told from each other: fewer ways through the host's functions differ
	entries  int                        // of functions, and of rounds of loops
	entry    int                        // the one that is followed

	addressed map[*program.Function]map[string]bool       // the variables whose addresses something may hold
	spellings map[*program.Function]map[string][]hostName // how functions declare their names
}

// followed is what the host says of a kernel's launches, where what its templates are given, and nothing says, is a number; 0: is not known.
func (c *compiler) followed(kernel *program.Function, inner map[*program.Function]bool, number int64) *host {
	for _, nameless := range [...]bool{false, true} {
		h := &host{c: c, number: number, kernel: kernel, inner: map[*program.Function]bool{}, addressed: map[*program.Function]map[string]bool{}, nameless: nameless}
		if h.follow(); h.work <= maxHostWork || nameless {
			maps.Copy(inner, h.inner)
			h.inner = inner
			return h
		}
	}
	return nil
}

// worked reports whether there is work left.
func (h *host) worked() bool {
	h.work++
	return h.work <= maxHostWork
}

// anew begins the text of a function, or of a round, another time: what it declares are other variables. What it gives ends that.
func (h *host) anew() (end func()) {
	before := h.entry
	h.entries++
	h.entry = h.entries
	return func() { h.entry = before }
}

// same is what a variable holds of which no more is known than that it is one number.
func (h *host) same(name string, at int) *cell {
	if h.nameless {
		return nil
	}
	return &cell{same: fmt.Sprintf("%s %d %d", name, at, h.entry)}
}

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
		if call, ok := st.X.(*program.Call); ok && call.Block != nil { // how often it is executed is not known
			h.forget(p, []program.Stmt{st})
			return h.once(call.Block, nil, []program.Stmt{st}, p, nil)
		}
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
		before := p.fork()
		h.forget(p, []program.Stmt{st})
		h.effects(st.Cond, p)
		return h.once(st.Body, nil, []program.Stmt{st}, p, before)
	case *program.Block:
		return h.block(st.Body, p)
	case *program.Return:
		if st.Value != nil {
			h.effects(st.Value, p)
			h.pointed(st.Value, p)
			p.result = h.leaving(h.eval(st.Value, p), p)
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

// leaving is an object that a function returns, with what its pointers lead to: attributes of a launch are static variables of the function, say.
func (h *host) leaving(v *cell, p *path) *cell {
	if v == nil || v.parts == nil {
		return v
	}
	out := *v
	out.parts = maps.Clone(v.parts)
	for name, part := range out.parts {
		switch {
		case part == nil:
		case part.alias != nil:
			out.parts[name] = h.behind(part, p)
		case part.ref != "":
			if to := h.resolved(part, p); to != nil && to.parts != nil {
				out.parts[name] = to
			}
		}
	}
	return &out
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
	text := h.spelledOut(cond)
	if taken, known := p.took[text]; known {
		return []way{{taken, p}}
	}
	if len(p.took) >= maxTaken {
		p.took = map[string]bool{}
	}
	other := p.fork()
	p.took, other.took = maps.Clone(p.took), maps.Clone(other.took)
	p.took[text], other.took[text] = true, false
	h.learn(cond, true, p)
	h.learn(cond, false, other)
	return []way{{true, p}, {false, other}}
}

// learn takes over what a condition that holds, or does not, says of a number that is not known: that it is a certain one.
func (h *host) learn(cond program.Expr, holds bool, p *path) {
	b, is := cond.(*program.Binary)
	switch {
	case !is:
	case b.Op == "&&" && holds, b.Op == "||" && !holds:
		h.learn(b.X, holds, p)
		h.learn(b.Y, holds, p)
	case b.Op == "==" && holds, b.Op == "!=" && !holds:
		for _, side := range [2][2]program.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			switch side[0].(type) {
			case *program.Name, *program.Attr:
			default:
				continue
			}
			n, known := h.folded(side[1], p)
			if v := h.resolved(h.eval(side[0], p), p); known && v != nil && v.same != "" {
				for _, s := range p.scopes {
					for name, held := range s {
						s[name] = held.become(v.same, n)
					}
				}
				return
			}
		}
	}
}

// spelledOut is the text of a condition. In the text of a macro it is another one where what its parameters stand for is.
func (h *host) spelledOut(cond program.Expr) string {
	if cond == nil {
		return ""
	}
	text := h.file.Source.Text(cond.Where())
	if len(h.uses) == 0 {
		return text
	}
	u := h.uses[len(h.uses)-1]
	if at := cond.Where(); h.file != h.c.of[u.fn] || at.Start < u.fn.Span.Start || at.End > u.fn.Span.End {
		return text
	}
	for k, q := range u.fn.Params {
		if k < len(u.args) && q.Star == 0 && speaks([]program.Stmt{&program.ExprStmt{X: cond}}, q.Name) {
			text += "; " + q.Name + " = " + u.file.Source.Text(u.args[k].Where())
		}
	}
	return text
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
			back := h.anew()
			paths = h.block(st.Body, paths[0])
			back()
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
		before := q.fork()
		h.forget(q, all)
		if id, ok := st.Target.(*program.Name); ok {
			q.declare(id.Ident, nil)
		}
		out = append(out, h.once(st.Body, st.Post, all, q, before)...)
	}
	return end(out)
}

// once follows one round of a loop, and what is behind it: what the rounds may set is not known there, but for what holds before the loop and behind each round.
func (h *host) once(body, post, all []program.Stmt, p, before *path) []*path {
	behind := p.fork()
	var out, round []*path
	for _, q := range h.run(post, h.block(body, p)) {
		if q.ended {
			out = append(out, q)
		} else {
			round = append(round, q)
		}
	}
	h.lost(all, []*path{behind})
	if before != nil && len(round) == 1 && !round[0].left {
		h.keep(behind, before, round[0])
	}
	return append(out, behind)
}

// maxKept bounds the variables of a loop of which it is looked for what they have to do with others.
const maxKept = 16

// keep takes over what variables have to do with each other before a loop and behind each of its rounds: they have behind the loop. Who is made of least is said first.
func (h *host) keep(behind, before, round *path) {
	type variable struct {
		scope int
		name  string
	}
	var changed, fixed []variable
	for k := range min(len(behind.scopes), len(before.scopes), len(round.scopes)) {
		for name, v := range behind.scopes[k] {
			one, other := before.scopes[k][name], round.scopes[k][name]
			switch {
			case !one.counted() || !other.counted():
			case one.equal(other) && one.equal(v):
				fixed = append(fixed, variable{k, name})
			default:
				changed = append(changed, variable{k, name})
			}
		}
	}
	if len(changed) == 0 || len(changed) > maxKept {
		return
	}
	value := func(p *path, v variable) *cell { return p.scopes[v.scope][v.name] }
	slices.SortFunc(changed, func(a, b variable) int {
		x, y := value(round, a).named(), value(round, b).named()
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a.scope, b.scope), cmp.Compare(a.name, b.name))
	})
	slices.SortFunc(fixed, func(a, b variable) int { return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.name, b.name)) })
	said := fixed
	var in func(of *cell, p *path, depth int) *cell // what is made behind a round as that cell is, of what is said, on another path
	in = func(of *cell, p *path, depth int) *cell {
		switch {
		case of == nil || depth > maxDeep:
			return nil
		case of.number != nil:
			return of
		}
		for _, v := range said {
			if of.isOne(value(round, v)) {
				return value(p, v)
			}
		}
		if of.made == nil {
			return nil
		}
		return combined(of.made.op, in(of.made.x, p, depth+1), in(of.made.y, p, depth+1))
	}
	for _, v := range changed {
		if was := value(round, v); was.made != nil {
			if out := in(was, behind, 0); out != nil && in(was, before, 0).equal(value(before, v)) {
				behind.scopes[v.scope][v.name] = out
			}
		}
		if value(behind, v).counted() {
			said = append(said, v)
		}
	}
}

// printers take what they print by value.
var printers = map[string]bool{"printf": true, "fprintf": true, "std::printf": true, "std::fprintf": true}

// chosen is the name of what a call gives; nothing in a text is called so.
const chosen = "?"

// config are the members of cudaLaunchConfig_t in order (CUDA Runtime API, 7.4).
var config = []string{"gridDim", "blockDim", "dynamicSmemBytes", "stream", "attrs", "numAttrs"}
