package lower

import (
	"fmt"
	"maps"
	slash "path"
	"reflect"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// mark is where the record of a group stood before something was evaluated that may or may not happen.
type mark struct {
	ops    int
	last   []protocol.Access
	maybes int
	met    int
	losses int
	sites  int
	underway
}

// underway is what a group has started and not waited for, and how it changed its registers. Slices of it only grow or are replaced, so that a copy of it is a mark.
type underway struct {
	copies           []copyNote // unresolved byte counts, patched by settleBytes
	bulk             []flight   // copies not yet in a bulk group
	groups           [][]flight // committed bulk groups, oldest first
	sending          []int      // where bulk copies from shared memory stand that are in no bulk group yet
	leaving          [][]int    // those of committed bulk groups that are not waited for, oldest first
	fences           []int      // numbers of operations before each proxy fence
	fenced           []fencing  // where it surely executes a fence of the async proxy on shared memory
	registersOrdered bool       // wgmma.fence has been executed
	weaknesses       []weakness // operations that order less than they seem to
	landed           []int      // operations that are arrivals of cp.async on an mbarrier
	cpAsync          []flight   // as bulk and groups, of cp.async
	cpGroup          [][]flight
	reading          []protocol.Access   // by matrix multiplications that no commit covers yet
	multiplied       [][]protocol.Access // committed groups of wgmma that are not waited for, oldest first
	stored           []storeNote         // stores to tensor memory, and what waits for them
	storing          []protocol.Access   // those that are not waited for
	loadings         []loading           // loads from there that are not
	queue            []queued            // multiplications and copies of tcgen05
	scales           [2]value            // where multiplications find the scale factors of A and of B

	reallocated reallocations
}

func (m *machine) mark() mark {
	return mark{len(m.ops), slices.Clone(m.blocks[len(m.blocks)-1]), len(m.maybes), m.met, len(m.in.losses), len(m.touched), m.underway}
}

// undo takes back what was recorded since.
func (m *machine) undo(k mark) {
	m.ops = m.ops[:k.ops]
	m.hearings = nil
	m.blocks = m.blocks[:k.ops+1]
	m.blocks[k.ops] = k.last
	m.maybes = m.maybes[:k.maybes]
	m.touched = m.touched[:k.sites]
	for _, name := range m.in.losses[k.losses:] {
		delete(m.in.lost, name)
	}
	m.in.losses = m.in.losses[:k.losses]
	m.underway = k.underway
}

// speculate evaluates something that may or may not happen. It fails where that synchronizes or cannot be evaluated;
// nothing of it stays in the record then.
func (m *machine) speculate(k mark, work func() (control, value)) (c control, v value, ok bool) {
	old, pending, depth, via := m.sampling, m.pending, m.depth, m.via
	m.sampling, m.pending = true, outstanding{len(m.loadings), len(m.storing)}
	defer func() { m.sampling, m.pending = old, pending }()
	ok = true
	m.in.low.protect(func() { c, v = work() }, func(r any) {
		switch r.(type) {
		case opaque:
			ok = false
			m.depth, m.via = depth, via
		default: // other values, or other groups, are asked for: that has nothing to do with this place
			panic(r)
		}
	})
	if len(m.ops) != k.ops {
		ok = false
	}
	if !ok {
		m.undo(k)
	}
	return c, v, ok
}

// perhaps is an access to a block at a place that may or may not be reached.
type perhaps struct {
	block string
	at    protocol.Site
}

// used is why races on the block are not searched.
func (p perhaps) used() string {
	return fmt.Sprintf("used under a condition or in a loop that is only known when the kernel runs, at %s:%d", slash.Base(p.at.Path), p.at.Line)
}

// settleMaybes decides what becomes of accesses to plain memory that may or may not happen: their blocks are given up.
func (m *machine) settleMaybes(from int) {
	if m.sampling { // the branch around decides
		return
	}
	for _, p := range m.maybes[from:] {
		m.in.untracked(p.block, p.used())
	}
	m.maybes = m.maybes[:from]
}

// maxJoin bounds the depth to which two values are joined part by part.
const maxJoin = 6

// joined is the value that is a where test holds and b where it does not.
func (m *machine) joined(test, a, b value, depth int) value {
	if sameValue(a, b) {
		return a
	}
	if depth > maxJoin {
		return data{}
	}
	switch x := a.(type) {
	case *sequence:
		y, ok := b.(*sequence)
		if !ok || len(x.elems) != len(y.elems) {
			return data{}
		}
		out := &sequence{elems: make([]value, len(x.elems)), list: x.list, lost: x.lost || y.lost}
		for i := range x.elems {
			out.elems[i] = m.joined(test, x.elems[i], y.elems[i], depth+1)
		}
		return out
	case *object:
		y, ok := b.(*object)
		if !ok || x.class != y.class || len(x.fields) != len(y.fields) {
			return data{}
		}
		out := *x
		out.fields = make(map[string]value, len(x.fields))
		for name, f := range x.fields {
			out.fields[name] = m.joined(test, f, y.fields[name], depth+1)
		}
		return &out
	}
	if t, ok := maybeToken(a, b); ok {
		return t
	}
	if w, ok := commonType(a, b); ok {
		return typed(m.joined(test, converted(untyped(a), w.t), converted(untyped(b), w.t), depth+1), w.t)
	}
	switch t := test.(type) {
	case lanes:
		chosen := mix(t, a, b)
		if _, unknown := chosen.(data); unknown && !m.host {
			m.surrender([]value{a, b}, "a pointer that differs from thread to thread", 0)
		}
		return chosen
	case symbol:
		x, okx := asSym(a)
		y, oky := asSym(b)
		size := 0
		if okx && oky {
			size = t.expr.size + x.size + y.size + 1
		}
		if okx && oky && size <= maxOperators && len(t.expr.String())+len(x.String())+len(y.String()) <= maxText {
			return symbol{&symExpr{op: "?", c: t.expr, x: x, y: y, size: size}}
		}
	}
	return m.forgotten(a, b)
}

// forgotten is a value that may be a or b. Memory that is reached through it is no longer followed; of a view of shared
// memory it stays known what it is of.
func (m *machine) forgotten(a, b value) value {
	x, okx := a.(*tensor)
	y, oky := b.(*tensor)
	if okx && oky && x.block != nil && x.block == y.block {
		out := *x
		out.lost = true
		out.adrift = x.adrift || y.adrift || !sameValue(x.first, y.first) || !sameValue(x.span, y.span) || !sameValue(x.stages, y.stages)
		return &out
	}
	for _, v := range []value{a, b} {
		switch v := v.(type) {
		case tryResult:
			v.peek.use()
		case pointer:
			if v.block != nil {
				m.in.untracked(v.block.name, "one of several places that the running kernel chooses between")
			}
		case *tensor, *sequence:
			m.loseTensors([]value{v}, "one of several views that the running kernel chooses between")
		}
	}
	return data{}
}

// sameValue reports whether two values are certainly the same.
func sameValue(a, b value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case integer, float, text, none, path, data:
		return a == b
	case lanes:
		y, ok := b.(lanes)
		return ok && slices.Equal(x, y)
	case word:
		y, ok := b.(word)
		return ok && x.t == y.t && sameValue(x.v, y.v)
	case symbol:
		y, ok := b.(symbol)
		return ok && (x.expr == y.expr || x.expr.String() == y.expr.String())
	case *object:
		y, ok := b.(*object)
		return ok && x == y
	case *sequence:
		y, ok := b.(*sequence)
		return ok && x == y
	case *mapping:
		y, ok := b.(*mapping)
		return ok && x == y
	case *closure:
		y, ok := b.(*closure)
		return ok && (x == y || x.fn == y.fn && x.lambda == y.lambda && x.env == y.env && sameValue(x.self, y.self))
	case *tensor:
		y, ok := b.(*tensor)
		return ok && (x == y || x.sameView(y))
	case pointer:
		y, ok := b.(pointer)
		return ok && x.block == y.block && sameValue(x.offset, y.offset) && sameValue(x.cta, y.cta) && slices.Equal(x.dims, y.dims) && x.each == y.each
	case tryResult:
		y, ok := b.(tryResult)
		same := ok && sameValue(x.bar, y.bar) && x.parity == y.parity && x.negated == y.negated
		if same && x.peek != y.peek { // one of them stands for both
			x.peek.use()
			y.peek.use()
		}
		return same
	case rangeValue:
		y, ok := b.(rangeValue)
		return ok && sameValue(x.lo, y.lo) && sameValue(x.hi, y.hi) && sameValue(x.step, y.step)
	}
	return reflect.ValueOf(a).Comparable() && b != nil && reflect.ValueOf(b).Comparable() && a == b
}

// sameView reports whether two views of shared memory are of the same elements, seen in the same way.
func (t *tensor) sameView(u *tensor) bool {
	if t.block == nil || t.block != u.block || t.content != nil || u.content != nil || t.mma != u.mma {
		return false
	}
	a, b := *t, *u
	for _, p := range []*tensor{&a, &b} {
		p.shape, p.dtype, p.cta, p.first, p.span, p.stages, p.stage, p.steps, p.origin = nil, nil, nil, nil, nil, nil, nil, nil, nil
	}
	if a != b {
		return false
	}
	return slices.EqualFunc(t.parts(), u.parts(), func(x, y value) bool { return sameValue(x, y) || canonical(x) == canonical(y) && uniformSymbol(x) })
}

func (t *tensor) parts() []value {
	return []value{t.shape, t.dtype, t.cta, t.first, t.span, t.stages, t.stage, t.steps, t.origin}
}

// clone copies a mapping.
func (x *mapping) clone() *mapping {
	out := *x
	out.order, out.keys, out.values = slices.Clone(x.order), maps.Clone(x.keys), maps.Clone(x.values)
	return &out
}

// join joins another content of the same mapping into it.
func (x *mapping) join(other *mapping, join func(a, b value) value) bool {
	if !slices.Equal(x.order, other.order) {
		return false
	}
	for _, k := range x.order {
		x.values[k] = join(other.values[k], x.values[k])
	}
	return true
}
