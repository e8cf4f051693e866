package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/protocol"
)

// survey writes down what evaluation depends on at the head of a round: all that the scopes of the running functions and
// of the modules reach, and the state of the machine. Numbers count as they are, leaves by their order only. On the way,
// what grows becomes leaves: afterwards a variable, field or element that is computed of leaves has one of its own.
type survey struct {
	w        *watch
	h        *head
	b        strings.Builder
	seen     map[any]int
	left     int
	nameless []string
	unknowns map[string]symbol // what expressions without a value are called from now on
	kept     bool              // what is visited outlives the evaluation: nothing in it may become a leaf
}

// maxSurvey bounds the values that one survey visits.
const maxSurvey = 60_000

func (w *watch) survey(h *head) *survey {
	v := &survey{w: w, h: h, seen: map[any]int{}, left: maxSurvey, unknowns: map[string]symbol{}}
	v.modules()
	for i, s := range append(slices.Clone(w.frames), w.scope) {
		v.scope(fmt.Sprint(i), s)
	}
	if v.left < 0 {
		w.fail("there is too much to compare from round to round")
	}
	return v
}

func (v *survey) text(parts ...any) {
	for _, p := range parts {
		s, from := fmt.Sprint(p), 0
		for _, at := range madeNames.FindAllStringIndex(s, -1) {
			v.b.WriteString(s[from:at[0]])
			v.name(s[at[0]:at[1]])
			from = at[1]
		}
		v.b.WriteString(s[from:])
		v.b.WriteByte('\x00')
	}
}

// name writes down the name of a leaf, or of an unknown that has none, by when it is met first.
func (v *survey) name(name string) {
	list := &v.h.leaves
	if !strings.HasPrefix(name, leafMark) {
		list = &v.nameless
	}
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	fmt.Fprintf(&v.b, "<%t %d>", list == &v.nameless, i)
}

func (v *survey) number(e *symExpr) {
	switch {
	case e.isN || e.op == "":
		v.text("e", e.isN, e.num, e.atom)
		return
	}
	v.text("(", e.op)
	for _, x := range []*symExpr{e.x, e.y, e.c} {
		if x != nil {
			v.number(x)
		}
	}
	v.text(")")
}

// visited reports whether a thing that can be shared was written down before, and says which it is.
func (v *survey) visited(x any) bool {
	v.left--
	n, seen := v.seen[x]
	if !seen {
		n = len(v.seen)
		v.seen[x] = n
	}
	v.text("#", n)
	return seen || v.left < 0
}

// modules are the variables of all modules: a function may change those of its own.
func (v *survey) modules() {
	v.kept = true
	defer func() { v.kept = false }()
	l := v.w.m.in.low
	for _, name := range slices.Sorted(maps.Keys(l.byFile)) {
		if mod := l.byFile[name]; mod != nil {
			v.scope(name, mod.globals)
		}
	}
}

func (v *survey) scope(place string, s *scope) {
	for ; s != nil; s, place = s.parent, place+"^" {
		if v.visited(s) {
			return
		}
		v.text("scope", s.function)
		v.value(place, s.self)
		if s.owner != nil {
			v.class(place, s.owner)
		}
		for _, name := range slices.Sorted(maps.Keys(s.vars)) {
			v.text(name)
			v.location(place+"."+name, s.vars[name])
		}
	}
}

func (v *survey) location(place string, l location) {
	switch l := l.(type) {
	case *cell:
		if !v.visited(l) {
			l.v = v.held(place, l.v)
		}
	case elementOf:
		v.value(place, l.s)
		v.text("element", l.i)
	case fieldOf:
		v.value(place, l.o)
		v.text("field", l.name)
	case keyOf:
		v.value(place, l.m)
		v.value(place, l.k)
	case sharedScalar:
		v.value(place, l.p)
	case *importCell:
		v.value(place, l.v)
	case nowhere, nil:
		v.text("nowhere")
	default:
		v.w.fail("a place of kind %T is carried from round to round", l)
	}
}

// held is what a variable, field or element holds from now on, written down.
func (v *survey) held(place string, x value) value {
	if v.kept {
		if y, ok := x.(symbol); ok && hasLeaf(y.expr) {
			v.w.fail("a module keeps what grows from round to round")
		}
		v.value(place, x)
		return x
	}
	switch y := x.(type) {
	case integer:
		v.h.counts[place] = int64(y)
		if v.w.grows[place] {
			x = symbol{v.w.leaf(number(int64(y)))}
		}
	case symbol:
		if z, ok := v.stretched(place, y.expr); ok {
			x = z
		} else if _, known := v.w.value(y.expr); hasLeaf(y.expr) && known {
			x = symbol{v.w.leaf(y.expr)}
		} else if !known && madeNames.MatchString(y.expr.spell()) {
			x = v.unknown(y.expr)
		}
	case pointer:
		switch y.offset.(type) {
		case integer, symbol:
			v.text("at")
			y.offset = v.held(place+"+", y.offset)
			x = y
		}
	}
	v.value(place, x)
	return x
}

// unknown is an expression that nothing is known of as an unknown with a name that says nothing: asking for it ends what can
// be told.
func (v *survey) unknown(e *symExpr) symbol {
	key := e.spell()
	if _, ok := v.unknowns[key]; !ok {
		v.unknowns[key] = atom(fmt.Sprintf("%s%07d", namelessMark, v.w.nameless))
		v.w.nameless++
	}
	return v.unknowns[key]
}

func (v *survey) list(place string, list []value) {
	v.text(len(list))
	for i, x := range list {
		v.value(fmt.Sprintf("%s[%d]", place, i), x)
	}
}

func (v *survey) value(place string, x value) {
	if v.left--; v.left < 0 {
		return
	}
	v.text(fmt.Sprintf("%T", x))
	switch x := x.(type) {
	case nil, none, data:
	case integer, lanes, text, path, float:
		v.text(x)
	case symbol:
		v.number(x.expr)
	case *sequence:
		if !v.visited(x) {
			v.text(len(x.elems))
			for i := range x.elems {
				x.elems[i] = v.held(fmt.Sprintf("%s[%d]", place, i), x.elems[i])
			}
		}
	case *object:
		if !v.visited(x) {
			if x.class != nil {
				v.class(place, x.class)
			}
			for _, name := range slices.Sorted(maps.Keys(x.fields)) {
				v.text(name)
				x.fields[name] = v.held(place+"."+name, x.fields[name])
			}
		}
	case *mapping:
		v.mapping(place, x)
	case pointer:
		v.memory(x.block)
		v.value(place, x.offset)
		v.value(place, x.cta)
		v.text(x.dims)
		v.value(place, x.elem)
	case mixed:
		v.text(x.op)
		v.value(place, x.x)
		v.value(place, x.y)
	case rangeValue:
		v.list(place, []value{x.lo, x.hi, x.step})
	case *tensor:
		v.tensor(place, x)
	case *layout:
		v.list(place, []value{x.shape, x.stride, x.step})
	case *tiledMMA:
		v.text(x.kind)
		v.list(place, slices.Concat([]value{x.ctas, x.shape, x.atoms, x.dtype, x.source}, x.dtypes, x.majors))
	default:
		v.callable(place, x)
	}
}

func (v *survey) mapping(place string, x *mapping) {
	if v.visited(x) {
		return
	}
	v.text(x.set)
	v.value(place, x.auto)
	for _, k := range x.order {
		v.text(k)
		v.value(place, x.keys[k])
		x.values[k] = v.held(place+"["+k+"]", x.values[k])
	}
}

func (v *survey) memory(b *block) {
	if b != nil && !v.visited(b) {
		v.text(b.name, b.mbarrier, b.unit)
	}
}

func (v *survey) tensor(place string, x *tensor) {
	if v.visited(x) {
		return
	}
	v.text(x.name, x.outer, x.lost, x.picked, x.split, x.boxes, x.input)
	v.memory(x.block)
	v.list(place, []value{x.shape, x.dtype, x.cta, x.first, x.span, x.stages, x.stage, x.steps, x.origin})
	if x.mma != nil {
		v.value(place, x.mma)
	}
	if x.content != nil {
		v.value(place, x.content)
	}
}

// callable writes down functions, classes and what is left of the kinds of values.
func (v *survey) callable(place string, x value) {
	switch x := x.(type) {
	case *closure:
		if v.visited(x) {
			return
		}
		v.text(fmt.Sprintf("%p %p %p", x.fn, x.lambda, x.mod))
		if x.env != nil {
			v.scope(place+"'", x.env)
		}
		v.value(place, x.self)
		v.list(place, x.tmpl)
		v.list(place, x.defaults)
	case *class:
		v.class(place, x)
	case moduleRef:
		v.text(x.mod.name)
	case *enumMember:
		v.text(fmt.Sprintf("%p", x.class), x.name)
		v.value(place, x.value)
	case boundMethod:
		v.value(place, x.self)
		v.text(x.name)
	case staticMethod:
		v.value(place, x.fun)
	case classMethod:
		v.value(place, x.fun)
	case property:
		v.list(place, []value{x.get, x.set})
	case superRef:
		v.value(place, x.self)
		v.class(place, x.after)
	case *partial:
		if !v.visited(x) {
			v.value(place, x.fun)
			v.list(place, x.given.all())
			v.text(x.given.names)
		}
	case *exception:
		v.text(x.name)
		v.list(place, x.args)
	case register:
		v.value(place, x.dtype)
		v.text(x.vector)
	case state:
		v.text(x.mbar, x.parity)
	case tryResult:
		v.value(place, x.bar)
		v.text(x.parity, x.negated, fmt.Sprintf("%p", x.peek))
	case flagValue:
		v.memory(x.flag)
		v.value(place, x.at)
		v.text(x.old)
	case flagTest:
		v.memory(x.flag)
		v.value(place, x.at)
		v.text(x.compare, x.number, x.old)
	case location:
		v.location(place, x)
	case *numberKind:
		v.text(fmt.Sprintf("%p", x))
	default:
		v.w.fail("a value of kind %T is carried from round to round", x)
	}
}

func (v *survey) class(place string, c *class) {
	if c == nil || v.visited(c) {
		return
	}
	v.text(fmt.Sprintf("%p", c.decl))
	for _, name := range slices.Sorted(maps.Keys(c.attrs)) {
		v.text(name)
		c.attrs[name] = v.held(place+":"+name, c.attrs[name])
	}
	if c.env != nil {
		v.scope(place+"'", c.env)
	}
	for _, f := range c.fields {
		v.value(place, f.def)
	}
	for _, o := range c.mro {
		v.class(place, o)
	}
}

// machine writes down the state of the group. Left out are records that evaluation never looks at again, only what comes
// after it: operations and sites before the last, how often barriers were waited for (waits), who asked ahead (peeked), byte
// counts to be settled (copies), stores and fences by location (stored, fences), and how often lanes met at a place (joints,
// compared by the certificate). The tables of the instance that give an object or buffer its index (mbarKey, bufKey,
// siteKey, blocks) give the same one again. What evaluation found out about the whole kernel (discoveries, lost, vague)
// only grows, and decides at the end. Limits are no part of what a kernel means: fuel, forks.
func (v *survey) machine() {
	m := v.w.m
	v.text(m.depth, m.trying, m.sampling, len(m.maybes), m.takers, len(m.skipping), m.polling, m.host, fmt.Sprintf("%p", m.mod))
	v.text(fmt.Sprintf("%p", m.via.file), m.via.span, m.grids, len(m.letters), len(m.deliveries), len(m.reallocated.list), m.reallocated.unclear)
	v.value("caught", m.caught)
	for _, a := range m.blocks[len(m.blocks)-1] {
		v.text(a)
	}
	var odd []int
	for b, n := range m.arrivals {
		if n&1 != 0 {
			odd = append(odd, b)
		}
	}
	slices.Sort(odd)
	v.text(odd)
	counted(v, m.allocs, func(n int) any { return n })
	counted(v, m.tries, func(n int) any { return n })
	counted(v, m.tickets, func(n int64) any { return n })
	counted(v, m.heard, func(n int) any { return n })
	ago := func(list []int) {
		v.text("(")
		for _, at := range list {
			v.text(len(m.ops) - at)
		}
		v.text(")")
	}
	for _, group := range [][][]int{{m.bulk}, m.groups, {m.cpAsync}, m.cpGroup} {
		v.text(len(group))
		for _, g := range group {
			ago(g)
		}
	}
	v.text(m.sending, m.leaving, m.reading, m.multiplied)
	v.text(m.lastMet(), len(m.in.flagBlocks), len(m.in.drawn), len(m.in.unknown), len(m.in.carriers))
}

// counted writes down a map of numbers.
func counted[K comparable, N any](v *survey, in map[K]N, of func(N) any) {
	var lines []string
	for k, n := range in {
		lines = append(lines, fmt.Sprint(k, of(n)))
	}
	slices.Sort(lines)
	v.text(lines)
}

// lastMet says whether the threads met as a warp since they last waited: all that meet looks for.
func (m *machine) lastMet() string {
	for i := len(m.ops) - 1; i >= 0; i-- {
		switch o := m.ops[i]; o.Kind {
		case protocol.NamedSync:
			if m.in.nameds[o.Object].ID >= protocol.WarpBarrier {
				return "met"
			}
		case protocol.Wait, protocol.ClusterWait, protocol.Spin, protocol.Drain:
			return "waited"
		}
	}
	return ""
}
