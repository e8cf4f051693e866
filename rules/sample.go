package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// A sample is one CTA with numbers put in for what the file leaves open: its shape, and what is the same for all threads.
// Which threads touch which elements is then worked out by evaluating indices and guards thread by thread. Something is
// said only where most samples of every shape agree.
type sample struct {
	fn      *function
	shape   [3]int64
	numbers map[string]int64 // what stands for an unknown
	scale   int              // which numbers unknowns get: powers of two from 32 or 64 on, or odd multiples of 32
	lenient bool             // no bound with unknowns of its own keeps a thread out
	loaded  bool             // an index that is loaded may be any, also where all threads have the same
	bounded bool             // a loop ends where made-up numbers say, too: the elements of one thread do not run into the next one's
	lifted  bool             // unknowns that change from iteration to iteration have moved on
	moved   func(name string) bool
	lifts   map[program.Expr]number // what lift said
	shared  map[use]number          // what names stand for that no thread and no round has a part in
}

// use is a name where it is used: in a function, below loops.
type use struct {
	name  *program.Name
	in    *frame
	loop  *loop // the innermost
	loops int
}

const sampleThreads = 128

// shapes are CTAs of four warps: along x, or along as many axes as the function looks at.
var shapes = map[int][][3]int64{
	1: {{sampleThreads, 1, 1}},
	2: {{32, 4, 1}, {16, 8, 1}},
	3: {{16, 4, 2}, {32, 2, 2}},
}

// thread is one thread of a sample and how often the loops around it have gone round.
type thread struct {
	*sample
	id     int64
	rounds map[*loop]int64
	steps  int
	varies bool // what was evaluated since it was made false has to do with the thread, or with the round of a loop
	// counted are the loops whose counters have been looked at.
	counted map[*loop]bool
	// drawn are the unknowns met since it was made empty; indexed are those of the indices.
	drawn, indexed map[string]bool
}

// number is what an expression evaluates to.
type number struct {
	v       int64
	known   bool
	sampled bool // an unknown of the sample has to do with it
}

const maxThreadSteps = 4000

func (t *thread) eval(x term, loops []*loop, depth int) number {
	if t.steps++; depth > maxFold || x.x == nil || x.in == nil || t.steps > maxThreadSteps {
		return number{}
	}
	again := func(e program.Expr) number { return t.eval(term{e, x.in}, loops, depth+1) }
	switch e := x.x.(type) {
	case *program.Int:
		return number{v: e.Value, known: true}
	case *program.Bool:
		return number{v: truthOf(e.Value), known: true}
	case *program.Cast:
		return again(e.X)
	case *program.Unary:
		return unary(e.Op, again(e.X))
	case *program.Binary:
		return binary(e.Op, again(e.X), func() number { return again(e.Y) })
	case *program.Cond:
		c := again(e.Test)
		switch {
		case !c.known && t.bounded && t.scale > 0: // an open choice is tried both ways
			return again(e.Else)
		case !c.known && t.bounded:
			return again(e.Then)
		case !c.known:
			return number{}
		case c.v != 0:
			return again(e.Then)
		}
		return again(e.Else)
	case *program.Attr:
		if op := x.in.op(e, func() (dialect.Op, bool) { return x.in.fn.file.table.Attr(e) }); op.Kind != "" {
			return t.operation(op)
		}
	case *program.Call:
		if n, ok := t.call(e, x.in, again); ok {
			return n
		}
	case *program.Name:
		if n, ok := t.named(e, x.in, loops, depth); ok {
			return n
		}
	}
	return t.unknown(x)
}

func truthOf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func unary(op string, n number) number {
	switch op {
	case "-":
		n.v = -n.v
	case "~":
		n.v = ^n.v
	case "!":
		n.v = truthOf(n.v == 0)
	case "+":
	default:
		return number{}
	}
	return n
}

func binary(op string, a number, y func() number) number {
	if a.known && (op == "&&" && a.v == 0 || op == "||" && a.v != 0) {
		a.v = truthOf(op == "||")
		return a
	}
	b := y()
	if b.known && (op == "&&" && b.v == 0 || op == "||" && b.v != 0) {
		b.v = truthOf(op == "||")
		return b
	}
	n := number{known: a.known && b.known, sampled: a.sampled || b.sampled}
	if !n.known {
		return number{}
	}
	switch op {
	case "&&", "||":
		n.v = truthOf(b.v != 0) // a does not decide
	case "==":
		n.v = truthOf(a.v == b.v)
	case "!=":
		n.v = truthOf(a.v != b.v)
	case "<":
		n.v = truthOf(a.v < b.v)
	case "<=":
		n.v = truthOf(a.v <= b.v)
	case ">":
		n.v = truthOf(a.v > b.v)
	case ">=":
		n.v = truthOf(a.v >= b.v)
	default:
		n.v, n.known = arithmetic(op, a.v, b.v)
	}
	return n
}

// operation is the value of an index that the dialect knows.
func (t *thread) operation(op dialect.Op) number {
	x, y := t.id%t.shape[0], t.id/t.shape[0]%t.shape[1]
	z := t.id / (t.shape[0] * t.shape[1])
	axis := strings.Index("xyz", op.Text("axis", "x"))
	if axis < 0 {
		return number{}
	}
	t.varies = t.varies || op.Kind != dialect.BlockDim && op.Kind != dialect.BlockIdx && op.Kind != dialect.GridDim
	switch op.Kind {
	case dialect.ThreadIdx:
		return number{v: [3]int64{x, y, z}[axis], known: true}
	case dialect.BlockDim:
		return number{v: t.shape[axis], known: true}
	case dialect.LaneIdx:
		return number{v: t.id % 32, known: true}
	case dialect.WarpIdx:
		return number{v: t.id / 32, known: true}
	case dialect.ElectOne:
		return number{v: truthOf(t.id%32 == 0), known: true}
	case dialect.BlockIdx, dialect.GridDim:
		return number{v: t.draw(string(op.Kind) + op.Text("axis", "x")), known: true, sampled: true}
	}
	return number{}
}

func (t *thread) call(e *program.Call, in *frame, again func(program.Expr) number) (number, bool) {
	if op := in.op(e, func() (dialect.Op, bool) { return in.fn.call(e) }); op.Kind != "" {
		if op.Kind == dialect.Uniform { // what lane 0 has
			first := *t
			first.id -= first.id % 32
			n := first.eval(term{op.Expr("x"), in}, nil, 8)
			t.steps, t.varies = first.steps, true
			return n, true
		}
		n := t.operation(op)
		return n, n.known
	}
	name := lastWord(path(e.Fun))
	if name == "sizeof" { // of a number: strides in bytes and in elements stay apart
		return number{v: 4, known: true, sampled: true}, true
	}
	if integerTypes[name] && len(e.Args) == 1 {
		return again(e.Args[0]), true
	}
	if len(e.Args) == 0 { // a library's own lane_id()
		t.varies = true
		switch usualNames[strings.TrimPrefix(strings.ToLower(name), "get_")] {
		case laneIndex:
			return number{v: t.id % 32, known: true}, true
		case perWarp:
			return number{v: t.id / 32, known: true}, true
		}
	}
	if (name == "min" || name == "max") && len(e.Args) == 2 {
		a, b := again(e.Args[0]), again(e.Args[1])
		n := number{v: min(a.v, b.v), known: a.known && b.known, sampled: a.sampled || b.sampled}
		if name == "max" {
			n.v = max(a.v, b.v)
		}
		return n, true
	}
	return number{}, false
}

// named evaluates a name: what a parameter was given, a loop's counter, a constant, a local with one value.
func (t *thread) named(e *program.Name, in *frame, loops []*loop, depth int) (number, bool) {
	if v, given := in.env[e.Ident]; given {
		return t.eval(term{v, in.outer}, nil, depth+1), true
	}
	for i := len(loops) - 1; i >= 0; i-- {
		if l := loops[i]; l.owner == in.fn && l.counter == e.Ident {
			return t.counter(l, loops[:i], depth), true
		}
	}
	if n, ok := t.shared[useOf(e, in, loops)]; ok && !t.lenient {
		return n, true
	}
	m := in.meaning(e)
	if m.value != nil {
		v := term{m.value, in}
		if n := t.once(e, v, loops, depth); n.known {
			return n, true
		}
		if scattered(v) && !uniformIn(v, 0) {
			return number{}, true // whatever it is called
		}
	}
	t.varies = t.varies || m.index != uniform
	switch m.index {
	case threadIndex:
		return number{v: t.id, known: true}, true
	case laneIndex:
		return number{v: t.id % 32, known: true}, true
	case perWarp:
		return number{v: t.id / 32, known: true}, true
	}
	return m.number, m.number.known
}

// once evaluates what a name is defined as. Where no thread and no round has a part in it, that is done once for the sample.
func (t *thread) once(e *program.Name, v term, loops []*loop, depth int) number {
	before := t.varies
	t.varies = false
	n := t.eval(v, loops, depth+1)
	if n.known && !t.varies && !t.lenient {
		if t.shared == nil {
			t.shared = map[use]number{}
		}
		t.shared[useOf(e, v.in, loops)] = n
	}
	t.varies = t.varies || before
	return n
}

func useOf(e *program.Name, in *frame, loops []*loop) use {
	u := use{name: e, in: in, loops: len(loops)}
	if u.loops > 0 {
		u.loop = loops[u.loops-1]
	}
	return u
}

// meaning is what a name stands for in every thread: what it is defined as, and where that does not tell, the number or the
// index that it is called.
type meaning struct {
	value  program.Expr
	number number
	index  variation
}

func (f *frame) meaning(e *program.Name) meaning {
	m, seen := f.names[e]
	if !seen {
		m = f.fn.meaning(e)
		if f.names == nil {
			f.names = map[*program.Name]meaning{}
		}
		f.names[e] = m
	}
	return m
}

func (f *function) meaning(e *program.Name) (m meaning) {
	if f.isWord(e.Ident) {
		return m
	}
	last := lastWord(e.Ident)
	if last != "warpSize" && last != "WARP_SIZE" { // a parameter of the compiler in some files
		m.value = f.definition(e)
	}
	name := strings.ToLower(strings.Trim(last, "_"))
	if _, local := f.defs[e.Ident]; local && !strings.Contains(name, "warp") {
		return m
	}
	if n, ok := usual(strings.ReplaceAll(name, "_", "")); ok {
		m.number = n
	} else {
		m.index = usualNames[name]
	}
	return m
}

// op is what the dialect says of a call or a special register, of no kind where it knows neither.
func (f *frame) op(x program.Expr, ask func() (dialect.Op, bool)) dialect.Op {
	op, seen := f.ops[x]
	if !seen {
		op, _ = ask()
		if f.ops == nil {
			f.ops = map[program.Expr]dialect.Op{}
		}
		f.ops[x] = op
	}
	return op
}

// usual is the value of what constants of other files are called when they say how many threads or warps there are.
func usual(name string) (number, bool) {
	warp, many := strings.Contains(name, "warp"), strings.Contains(name, "num") || strings.HasPrefix(name, "n") || strings.Contains(name, "warps")
	switch {
	case warp && (strings.Contains(name, "size") || strings.Contains(name, "thread") || strings.Contains(name, "lane")):
		return number{v: 32, known: true}, true
	case warp && many:
		return number{v: sampleThreads / 32, known: true}, true
	case strings.Contains(name, "thread") && (many || strings.Contains(name, "block") || strings.HasPrefix(name, "kn") || strings.Contains(name, "cta")),
		strings.Contains(name, "blocksize"), strings.Contains(name, "blockdim"), name == "tpb", name == "ctasize":
		return number{v: sampleThreads, known: true}, true
	}
	return number{}, false
}

// counter evaluates a loop's counter in the round the thread is in.
func (t *thread) counter(l *loop, outer []*loop, depth int) number {
	s := l.stmt.(*program.For)
	t.varies = true
	if t.counted != nil {
		t.counted[l] = true
	}
	n := t.eval(term{l.begin, l.in}, outer, depth+1)
	for range t.rounds[l] {
		if !n.known {
			return n
		}
		op, by := "+", number{v: 1, known: true}
		switch p := s.Post[0].(type) {
		case *program.ExprStmt:
			inc, ok := p.X.(*program.IncDec)
			if !ok {
				return number{}
			}
			op = inc.Op[:1]
		case *program.Assign:
			by = t.eval(term{p.Value, l.in}, outer, depth+1)
			if op = strings.TrimSuffix(p.Op, "="); op == "" {
				return number{}
			}
		}
		n = binary(op, n, func() number { return by })
	}
	return n
}

// unknown draws a number for what is the same in all threads.
func (t *thread) unknown(x term) number {
	if !uniformIn(x, 0) {
		return number{}
	}
	key := program.DumpExpr(x.x)
	if t.drawn != nil {
		t.drawn[key] = true
	}
	n := number{v: t.draw(key), known: true, sampled: true}
	if t.lifted {
		by, known := t.lift(x)
		n.v, n.known = n.v+by, known
	}
	return n
}

// lift says by how much an unknown has moved on, and whether that is known.
func (m *sample) lift(x term) (by int64, known bool) {
	l, seen := m.lifts[x.x]
	if !seen {
		l.known = true
		program.WalkExprs(x.x, func(e program.Expr) bool {
			if name := path(e); m.moved(name) {
				l.v++
				l.known = l.known && !x.in.fn.flips(name)
				return false
			}
			return true
		})
		if m.lifts == nil {
			m.lifts = map[program.Expr]number{}
		}
		m.lifts[x.x] = l
	}
	return l.v, l.known
}

// flips reports whether a variable goes to and fro: half = size - half.
func (f *function) flips(name string) bool {
	for _, d := range f.defs[name] {
		if b, ok := d.value.(*program.Binary); ok && d.op == "=" && b.Op == "-" && path(b.Y) == name {
			return true
		}
	}
	return false
}

// draw gives each unknown a number of its own. They are no smaller than a row of threads, as strides are.
func (t *thread) draw(key string) int64 {
	v, ok := t.numbers[key]
	if !ok {
		switch n := int64(len(t.numbers) % 12); t.scale {
		case 0:
			v = 32 << n
		case 1:
			v = 64 << n
		default:
			v = 32 * (2*n + 1)
		}
		t.numbers[key] = v
	}
	return v
}
