package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// sharedAccess is a read or write of a word of shared memory; only withWords records them.
const sharedAccess dialect.Kind = "shared access"

// mode says how an access touches its word.
type mode uint8

const (
	reads mode = 1 << iota
	writes
	atomically
	offered // a function of another file is given the address: reads or writes
	handed  // to a function that is not known: see settle
	byOne   // by one thread alone
)

// frame is where the names of an expression mean something: a function, and what a call gave its parameters, in terms
// of the function that everything was inlined into.
type frame struct {
	fn     *function
	env    map[string]program.Expr
	outer  *frame                // that what the parameters were given belongs to
	alike  map[program.Expr]bool // what uniformIn said
	loaded map[program.Expr]bool // what scattered said
	ops    map[program.Expr]dialect.Op
	names  map[*program.Name]meaning
	lanes  bool // of interest is what lanes of one warp do: volatile memory counts, too
}

func newFrame(f *function, env map[string]program.Expr, outer *frame) *frame {
	return &frame{fn: f, env: env, outer: outer, lanes: outer != nil && outer.lanes}
}

// slot is a place in shared memory: an array, variable or member, and the element.
type slot struct {
	key    string // the object, unique in the file
	name   string // as the source calls it
	index  []term // one a dimension
	offset *term  // what a pointer adds to the object it points into
	passed bool   // a pointer parameter of a function that is no kernel: to what is not known
	rank   int    // how many indices it takes, as far as is known
	flag   bool   // what threads wait on
	any    bool   // any element: a function of another file chooses
	given  bool   // a parameter, member or volatile: shared by the CTA only where that meets
}

// term is an expression and whose names it uses.
type term struct {
	x  program.Expr
	in *frame
}

// withWords returns the sites of a function, its accesses to shared memory among them, nil where it has none. Those of what
// is volatile are among them where lanes are of interest.
func (g *function) withWords(lanes bool) []*site {
	if len(g.dims) == 0 && !mentionsShared(g.file.text(g.fn)) {
		return nil
	}
	return g.walk(&walker{root: g, words: true, lanes: lanes})
}

// touches records what an expression reads of shared memory, and reports whether it was walked with that.
func (w *walker) touches(x program.Expr, p place) bool {
	switch e := x.(type) {
	case *program.Name, *program.Attr, *program.Index:
		w.touch(x, reads, p)
		w.indices(x, p)
		return true
	case *program.Unary:
		switch e.Op {
		case "*":
			if !w.touch(x, reads, p) {
				w.expr(e.X, p, true)
			}
			return true
		case "&": // an address is no access
			w.indices(e.X, p)
			return true
		}
	case *program.IncDec:
		w.touch(e.X, reads|writes, p)
		w.indices(e.X, p)
		return true
	case *program.AssignExpr:
		w.expr(e.Value, p, true)
		w.stores(e.Target, e.Op, p)
		return true
	}
	return false
}

// indices walks what chooses the elements of an lvalue.
func (w *walker) indices(x program.Expr, p place) {
	switch e := x.(type) {
	case *program.Index:
		w.indices(e.X, p)
		for _, a := range e.Args {
			w.expr(a, p, true)
		}
	case *program.Attr:
		w.indices(e.X, p)
	case *program.Cast:
		w.indices(e.X, p)
	case *program.Unary:
		w.indices(e.X, p)
	case *program.Name:
	default:
		w.expr(x, p, true)
	}
}

func (w *walker) stores(x program.Expr, op string, p place) {
	if !w.words {
		return
	}
	m := writes
	if op != "=" && op != "" {
		m |= reads
	}
	w.touch(x, m, p)
	w.indices(x, p)
}

// copied records, and reports, what a function of another file copies to shared memory, where its name says so: load_smem(to, from).
func (w *walker) copied(c *program.Call, p place) bool {
	name := strings.ToLower(path(c.Fun))
	if !w.words || len(c.Args) < 2 || !strings.Contains(name, "cp_async") && !strings.Contains(name, "memcpy_async") && !strings.Contains(name, "load_smem") {
		return false
	}
	w.touch(pointee(c.Args[0]), writes, p)
	return true
}

// atomic records what an atomic operation does to a word of shared memory.
func (w *walker) atomic(op dialect.Op, p place) {
	if at := op.Expr("ptr"); w.words && atomics[op.Kind] && at != nil {
		w.touch(pointee(at), reads|writes|atomically, p)
	}
}

// pointee is the word that an address is of.
func pointee(x program.Expr) program.Expr {
	if u, ok := x.(*program.Unary); ok && u.Op == "&" {
		return u.X
	}
	return &program.Unary{Place: program.Place{Span: x.Where()}, Op: "*", X: x}
}

// touch records an access, and reports whether it is one.
func (w *walker) touch(x program.Expr, m mode, p place) bool {
	if n, named := x.(*program.Name); named && p.in.env[n.Ident] != nil && !p.in.fn.refers(n.Ident) {
		return false // a parameter by value is the helper's own
	}
	s, ok := slotOf(x, p.in, 0)
	if !ok || !s.whole() {
		return false
	}
	at := w.add(dialect.Op{Kind: sharedAccess, Span: x.Where()}, p, true)
	at.slot, at.mode = &s, m
	return true
}

// whole reports whether all indices of an object are there: an array or a pointer alone is no access.
func (s *slot) whole() bool { return len(s.index) >= s.rank }

const maxAliases = 16 // steps from a name to the object it stands for

// slotOf takes the name of a place in shared memory apart. What a cast gives another type is not followed: its
// elements have another size.
func slotOf(x program.Expr, f *frame, depth int) (slot, bool) {
	if depth > maxAliases || x == nil || f == nil {
		return slot{}, false
	}
	switch e := x.(type) {
	case *program.Index:
		s, ok := slotOf(e.X, f, depth+1)
		for _, a := range e.Args {
			s.index = append(s.index[:len(s.index):len(s.index)], term{a, f})
		}
		return s, ok
	case *program.Unary:
		if e.Op != "*" {
			return slot{}, false
		}
		if b, sum := e.X.(*program.Binary); sum && b.Op == "+" {
			s, ok := slotOf(b.X, f, depth+1)
			s.index = append(s.index[:len(s.index):len(s.index)], term{b.Y, f})
			return s, ok
		}
		s, ok := slotOf(e.X, f, depth+1)
		s.index = append(s.index[:len(s.index):len(s.index)], term{&program.Int{Place: e.Place}, f})
		return s, ok
	case *program.Attr:
		s, ok := slotOf(e.X, f, depth+1)
		if !ok || len(s.index) > 0 { // an array of structures
			return slot{}, false
		}
		s.key += "." + e.Name
		s.name += "." + e.Name
		s.rank = 0
		return s, true
	case *program.Call:
		if a, ok := e.Fun.(*program.Attr); ok && a.Name == "Alias" && len(e.Args) == 0 { // of CUB's Uninitialized<T>
			return slotOf(a.X, f, depth+1)
		}
	case *program.Name:
		return slotNamed(e, f, depth)
	}
	return slot{}, false
}

func slotNamed(e *program.Name, f *frame, depth int) (slot, bool) {
	if v, given := f.env[e.Ident]; given {
		return slotOf(v, f.outer, depth+1)
	}
	g := f.fn
	own := slot{name: e.Ident}
	switch {
	case g.dims[e.Ident]:
		own.key = g.keyOf(e.Ident)
		own.rank = g.rankOf(e.Ident)
		volatile := strings.Contains(g.types[e.Ident], "volatile")
		own.given, own.flag = volatile && !f.lanes, volatile && g.polled(e.Ident)
		if own.given && (own.rank > 0 || own.flag) { // volatile arrays are for the lanes of a warp; FP703 looks at those
			return slot{}, false
		}
		return own, len(g.decls[e.Ident]) == 1
	case g.bound[e.Ident]:
		named := sharedByName(e.Ident, g.types[e.Ident])
		own.key = g.keyOf(e.Ident)
		own.given, own.passed = f.env == nil, !named
		own.rank = rankByType(g.types[e.Ident])
		return own, own.given && (named && (own.rank == 1 || g.refers(e.Ident)) || !g.fn.Kernel && strings.Contains(g.types[e.Ident], "*"))
	}
	if t, member := g.field(e.Ident); member {
		own.key, own.given, own.rank = g.fn.Class.Name+"·"+e.Ident, true, rankByType(t)
		return own, strings.Contains(t, "&") // or a pointer: which object is meant then, the assignments to it tell
	}
	v := g.local(e.Ident, e.Span.Start)
	typ := g.types[e.Ident]
	if v == nil || !f.lanes && strings.Contains(typ, "volatile") || !strings.ContainsAny(typ, "*&") && !strings.HasPrefix(typ, "auto") {
		return slot{}, false
	}
	switch d := v.(type) {
	case *program.Name: // another name for the same
		return slotOf(d, f, depth+1)
	case *program.Attr, *program.Index:
		if strings.Contains(typ, "&") {
			return slotOf(v, f, depth+1)
		}
		return slot{}, false
	}
	if !pointsIntoShared(v, f, depth) { // the names of a broken file may stand for each other
		return slot{}, false
	}
	own.offset, own.rank = &term{v, f}, rankByType(typ)
	own.key = g.keyOf(e.Ident) + " = " + program.DumpExpr(v) // a block may have a pointer of the same name
	return own, true
}

// keyOf tells objects of one name in several functions apart.
func (g *function) keyOf(name string) string { return g.fn.Qualified + "·" + name }

// pointsIntoShared reports whether an address is made from one of shared memory.
func pointsIntoShared(x program.Expr, f *frame, depth int) bool {
	switch e := x.(type) {
	case *program.Cast:
		return depth < maxAliases && pointsIntoShared(e.X, f, depth+1)
	case *program.Unary:
		return depth < maxAliases && (e.Op == "&" || e.Op == "*") && pointsIntoShared(e.X, f, depth+1)
	case *program.Binary:
		return depth < maxAliases && (e.Op == "+" || e.Op == "-") && pointsIntoShared(e.X, f, depth+1)
	case *program.Call: // SharedMemory<T>() of the CUDA samples: an extern array that templates of many types can share
		name := strings.ToLower(strings.ReplaceAll(lastWord(path(e.Fun)), "_", ""))
		return len(e.Args) == 0 && strings.HasPrefix(name, "sharedmem")
	}
	s, ok := slotOf(x, f, depth+1)
	return ok && (!s.given || f.lanes)
}

// sharedByName reports whether a parameter is called what storage in shared memory is called.
func sharedByName(name, typ string) bool {
	in := func(s *source.Search) bool { return s.In([]byte(name)) || s.In([]byte(typ)) }
	return !strings.Contains(typ, "volatile") && in(sharedWords) && !in(warpWord) // one for each warp
}

var sharedWords, warpWord = source.NewSearch("smem", "shared", "storage"), source.NewSearch("warp")

// polled reports whether the condition of a loop looks at a name: a volatile one may be what threads wait on.
func (g *function) polled(name string) bool {
	if known, seen := g.polls[name]; seen {
		return known
	}
	found := false
	look := func(cond program.Expr) {
		program.WalkExprs(cond, func(e program.Expr) bool {
			n, ok := e.(*program.Name)
			found = found || ok && n.Ident == name
			return !found
		})
	}
	program.WalkStmts(g.fn.Body, func(s program.Stmt) bool {
		switch s := s.(type) {
		case *program.While:
			look(s.Cond)
		case *program.For:
			if s.Cond != nil {
				look(s.Cond)
			}
		}
		return !found
	})
	g.polls[name] = found
	return found
}

// rankOf is the number of dimensions that a shared array is declared with.
func (g *function) rankOf(name string) int {
	for _, d := range g.decls[name] {
		if a, ok := d.node.(*program.Assign); ok {
			return len(a.Dims)
		}
	}
	return 0
}

// rankByType is 1 for a pointer and 0 for a reference.
func rankByType(typ string) int {
	if strings.Contains(typ, "&") {
		return 0
	}
	return 1
}

func (g *function) refers(name string) bool {
	for _, p := range g.fn.Params {
		if p.Name == name {
			return p.Ref || strings.Contains(p.Type, "&")
		}
	}
	return false
}
