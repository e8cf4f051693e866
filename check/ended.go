package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A multiplication is over when any tcgen05.commit behind it has arrived (PTX ISA 9.7.16.12). In the model its accesses
// are part of one commit, the one that its memory is as a rule given back with, and commits arrive in any order: a race
// with a multiplication may be one of the model only, where another commit behind it has arrived and the writer waited for
// that. An access that is made part of any one commit behind it lasts too long, never too short, so each pair of
// statements may have its own.

// mostMoves bounds how many pairs of statements get a commit of their own.
const mostMoves = 16

// settle searches again for a race that is none: with the accesses of the pair as part of the commit that has arrived in
// its trace. What stays a race is one; what cannot be told is inconclusive.
func (e engines) settle(ctx context.Context, p *protocol.Protocol, a *answer, states *int, remains func() engine.Limits) error {
	q := p
	for range mostMoves {
		if a.verdict != engine.Violated {
			return nil
		}
		side, commit, over := ended(q, a.trace)
		if !over {
			return nil
		}
		other := a.trace.Pair.Second
		if side == other {
			other = a.trace.Pair.First
		}
		if q = apart(q, side, other, commit); q == nil {
			break
		}
		r := e.explore(ctx, q, remains())
		*states += r.States
		got := r.Properties[protocol.Race]
		*a = answer{verdict: got.Verdict, engines: []string{explore.Name}, instance: q, object: got.Object}
		if a.verdict != engine.Violated {
			a.instance = p
			return nil
		}
		var err error
		if a.trace = got.Trace; a.trace == nil {
			return fmt.Errorf("%s says that %q of %s is violated and gives no trace", r.Engine, protocol.Race, p.Kernel)
		}
		if a.outcome, err = e.replay(q, a.trace, protocol.Race); err != nil {
			return fmt.Errorf("the trace by which %s says that %q of %s is violated does not replay: %w", r.Engine, protocol.Race, p.Kernel, err)
		}
	}
	*a = answer{reason: limit.Access.Says("which of its commits tells that a multiplication is over"), object: -1}
	return nil
}

// ended finds a side of a race that is a multiplication of one thread, and another commit behind it that has arrived.
func ended(p *protocol.Protocol, t *engine.Trace) (side engine.Accessor, commit int, over bool) {
	for _, x := range []engine.Accessor{t.Pair.First, t.Pair.Second} {
		class := &p.Classes[x.Class]
		at := carrier(class, x)
		if class.Count != 1 || at < 0 {
			continue
		}
		from := behind(class, at, accessOf(p, x))
		for _, s := range t.Steps {
			if s.Class == x.Class && s.Completion && s.Op >= from && s.Op != at && isCommit(&class.Ops[s.Op]) {
				return x, s.Op, true
			}
		}
	}
	return engine.Accessor{}, 0, false
}

// isCommit reports whether an operation arrives when what its thread issued before is done, and brings no data itself.
func isCommit(o *protocol.Op) bool {
	return o.Kind == protocol.Issue && len(o.Effects) > 0 && !slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Bytes != 0 || e.Arrivals < 1 })
}

// carrier is the commit that a multiplication's access is part of, -1 where the access is nothing of that kind.
func carrier(class *protocol.Class, x engine.Accessor) int {
	if x.InFlight {
		if isCommit(&class.Ops[x.Location]) && class.Ops[x.Location].Access[x.Index].Async {
			return x.Location
		}
		return -1
	}
	a := class.Blocks[x.Location][x.Index]
	if !a.Async {
		return -1
	}
	for l := x.Location; l < len(class.Ops) && has(class.Blocks[l], a); l++ {
		if isCommit(&class.Ops[l]) && has(class.Ops[l].Access, a) {
			return l
		}
	}
	return -1
}

// behind is the first place from which on every commit is behind all multiplications that an access, as part of the commit
// at a place, stands for.
func behind(class *protocol.Class, at int, a protocol.Access) int {
	for l := at; l >= 0; l-- {
		if slices.Contains(class.Ops[l].Behind, a.Site) {
			return l
		}
		if !has(class.Blocks[l], a) {
			break
		}
	}
	return at
}

// begin is the first block of an access that is part of the commit at a place.
func begin(class *protocol.Class, at int, a protocol.Access) int {
	for at >= 0 && has(class.Blocks[at], a) {
		at--
	}
	return at + 1
}

func has(list []protocol.Access, a protocol.Access) bool { return slices.ContainsFunc(list, a.Equal) }

// apart gives the accesses of one statement, which are multiplications, and those of another the commits of a line of their
// own. The pairs of a buffer's accesses are parted: those without the multiplications, those of the multiplications with
// any others than the writer's, and those of both, where the multiplications last until the other commit. It is nil where
// the two are not to be parted.
func apart(p *protocol.Protocol, of, from engine.Accessor, commit int) *protocol.Protocol {
	a, b := accessOf(p, of), accessOf(p, from)
	if of.Class == from.Class && a.Site == b.Site {
		return nil
	}
	q := *p
	rest, both := len(p.Buffers), len(p.Buffers)+1
	q.Buffers = append(slices.Clone(p.Buffers), p.Buffers[a.Buffer], p.Buffers[a.Buffer])
	q.Classes = slices.Clone(p.Classes)
	line := p.Classes[of.Class].Ops[commit].Site
	for c := range q.Classes {
		class := &q.Classes[c]
		class.Ops, class.Blocks = slices.Clone(class.Ops), slices.Clone(class.Blocks)
		mul := func(x protocol.Access) bool {
			return c == of.Class && x.Buffer == a.Buffer && x.Site == a.Site && x.Async
		}
		writer := func(x protocol.Access) bool { return c == from.Class && x.Buffer == a.Buffer && x.Site == b.Site }
		parted := func(list []protocol.Access) []protocol.Access {
			var out []protocol.Access
			for _, x := range list {
				if !mul(x) {
					out = append(out, x)
				}
				if x.Buffer == a.Buffer && !writer(x) {
					x.Buffer = rest
					out = append(out, x)
				} else if x.Buffer == a.Buffer {
					x.Buffer = both
					out = append(out, x)
				}
			}
			return out
		}
		for l := range class.Ops {
			class.Ops[l].Access = parted(class.Ops[l].Access)
		}
		for l := range class.Blocks {
			class.Blocks[l] = parted(class.Blocks[l])
		}
		if c == of.Class {
			until(&p.Classes[c], class, mul, both, line, commit < carrier(&p.Classes[c], of))
		}
	}
	return &q
}

// until makes the accesses of multiplications, as accesses of another buffer, part of the first commit on a line behind
// each, or, where there is none, or none as early as that of the pair, of the one that they are part of already.
func until(old, class *protocol.Class, mul func(protocol.Access) bool, buffer, line int, early bool) {
	put := func(list []protocol.Access, x protocol.Access) []protocol.Access {
		if x.Buffer = buffer; has(list, x) {
			return list
		}
		return append(slices.Clone(list), x)
	}
	carried := make([][]protocol.Access, len(old.Blocks)) // of blocks: what some commit ends
	for at := range old.Ops {
		for _, x := range old.Ops[at].Access {
			if !mul(x) {
				continue
			}
			to := at
			for l := behind(old, at, x); l < len(old.Ops) && isCommit(&old.Ops[at]) && !(early && l > at); l++ {
				if isCommit(&old.Ops[l]) && old.Ops[l].Site == line && (early || l >= at) {
					to = l
					break
				}
			}
			for l := begin(old, at, x); l <= max(at, to); l++ {
				if carried[l] = append(carried[l], x); l <= to && (l > at || has(old.Blocks[l], x)) {
					class.Blocks[l] = put(class.Blocks[l], x)
				}
			}
			class.Ops[to].Access = put(class.Ops[to].Access, x)
		}
	}
	for l := range old.Blocks {
		for _, x := range old.Blocks[l] {
			if mul(x) && !has(carried[l], x) {
				class.Blocks[l] = put(class.Blocks[l], x)
			}
		}
	}
}
