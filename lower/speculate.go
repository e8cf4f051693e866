package lower

import (
	"fmt"
	slash "path"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// mark is where the record of a group stood before something was evaluated that may or may not happen. Blocks only grow or are
// replaced, too.
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
	initsTold        []int      // numbers of operations before each fence that publishes the init of mbarriers
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
	scales           [2]value.Value      // where multiplications find the scale factors of A and of B

	reallocated reallocations
}

func (m *machine) mark() mark {
	return mark{len(m.ops), m.blocks[len(m.blocks)-1], len(m.maybes), m.met, len(m.in.losses), len(m.touched), m.underway}
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
func (m *machine) speculate(k mark, work func() (control, value.Value)) (c control, v value.Value, ok bool) {
	old, pending, depth, via := m.sampling, m.pending, m.depth, m.via
	m.sampling, m.pending = true, outstanding{len(m.loadings), len(m.storing)}
	defer func() { m.sampling, m.pending = old, pending }()
	ok = true
	if q := m.inquiry; q != nil {
		q.Deep++
		defer func() { q.Deep-- }()
	}
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
func (m *machine) joined(test, a, b value.Value, depth int) value.Value {
	if value.Same(a, b) {
		return a
	}
	if depth > maxJoin {
		return value.Data{}
	}
	switch x := a.(type) {
	case *value.Sequence:
		y, ok := b.(*value.Sequence)
		if !ok || len(x.Elems) != len(y.Elems) {
			return value.Data{}
		}
		out := &value.Sequence{Elems: make([]value.Value, len(x.Elems)), List: x.List, Lost: x.Lost || y.Lost}
		for i := range x.Elems {
			out.Elems[i] = m.joined(test, x.Elems[i], y.Elems[i], depth+1)
		}
		return out
	case *value.Object:
		y, ok := b.(*value.Object)
		if !ok || x.Class != y.Class || len(x.Fields) != len(y.Fields) {
			return value.Data{}
		}
		out := *x
		out.Fields = make(map[string]value.Value, len(x.Fields))
		for name, f := range x.Fields {
			out.Fields[name] = m.joined(test, f, y.Fields[name], depth+1)
		}
		return &out
	}
	if t, ok := maybeToken(a, b); ok {
		return t
	}
	if w, ok := value.CommonType(a, b); ok {
		return value.Typed(m.joined(test, value.Converted(value.Untyped(a), w.T), value.Converted(value.Untyped(b), w.T), depth+1), w.T)
	}
	switch t := test.(type) {
	case value.Lanes:
		chosen := value.Mix(t, a, b)
		if _, unknown := chosen.(value.Data); unknown && !value.IsData(a) && !value.IsData(b) && m.tellsWarpsApart(t) {
			m.blurred++ // the branch is not taken both ways then
		} else if unknown && !m.host {
			m.surrender([]value.Value{a, b}, "a pointer that differs from thread to thread", 0)
		}
		return chosen
	case value.Symbol:
		x, okx := value.AsExpr(a)
		y, oky := value.AsExpr(b)
		size := 0
		if okx && oky {
			size = t.Expr.Size + x.Size + y.Size + 1
		}
		if okx && oky && size <= value.MaxOperators && len(t.Expr.String())+len(x.String())+len(y.String()) <= value.MaxText {
			return value.Symbol{Expr: &value.Expr{Op: "?", C: t.Expr, X: x, Y: y, Size: size}}
		}
	}
	return m.merged(a, b)
}

// merged is a value that may be a or b, of which some is still known where they are numbers.
func (m *machine) merged(a, b value.Value) value.Value {
	if v := value.Either(a, b); v != (value.Data{}) {
		return v
	}
	return m.forgotten(a, b)
}

// forgotten is a value that may be a or b. Memory that is reached through it is no longer followed; of a view of shared
// memory it stays known what it is of.
func (m *machine) forgotten(a, b value.Value) value.Value {
	x, okx := a.(*cute.Tensor)
	y, oky := b.(*cute.Tensor)
	if okx && oky && x.Block != nil && x.Block == y.Block {
		out := *x
		out.Lost, out.Flat = true, false
		out.Adrift = x.Adrift || y.Adrift || !value.Same(x.First, y.First) || !value.Same(x.Span, y.Span) || !value.Same(x.Stages, y.Stages)
		return &out
	}
	for _, v := range []value.Value{a, b} {
		switch v := v.(type) {
		case value.TryResult:
			v.Peek.Use()
		case value.Pointer:
			if v.Block != nil {
				m.in.untracked(v.Block.Name, "one of several places that the running kernel chooses between")
			}
		case *cute.Tensor, *value.Sequence:
			m.loseTensors([]value.Value{v}, "one of several views that the running kernel chooses between")
		}
	}
	return value.Data{}
}
