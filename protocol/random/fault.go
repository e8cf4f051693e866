package random

import (
	"math/rand/v2"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Fault changes one thing in a protocol. What comes out may not validate.
func Fault(r *rand.Rand, p *protocol.Protocol) {
	c := &p.Classes[r.IntN(len(p.Classes))]
	if len(c.Ops) == 0 {
		return
	}
	l := r.IntN(len(c.Ops))
	o := &c.Ops[l]
	switch r.IntN(10) {
	case 0:
		Drop(c, l)
	case 1:
		again := *o
		insert(c, l, again)
	case 2:
		if l+1 < len(c.Ops) && o.Kind != protocol.Issue && c.Ops[l+1].Kind != protocol.Issue {
			c.Ops[l], c.Ops[l+1] = c.Ops[l+1], c.Ops[l]
		}
	case 3: // an access on the other side of an operation
		if n := len(c.Blocks[l]); n > 0 {
			c.Blocks[l+1], c.Blocks[l] = append(slices.Clone(c.Blocks[l+1]), c.Blocks[l][n-1]), c.Blocks[l][:n-1]
		}
	case 4:
		if len(p.Mbars) > 0 {
			b := &p.Mbars[r.IntN(len(p.Mbars))]
			b.Count = max(1, b.Count-1+2*r.IntN(2))
		}
	case 5:
		if len(p.Named) > 0 {
			b := &p.Named[r.IntN(len(p.Named))]
			b.Threads = max(0, b.Threads-1+2*r.IntN(2))
		}
	case 6:
		if len(p.Buffers) > 0 {
			c.Blocks[l] = append(slices.Clone(c.Blocks[l]), access(r, p, c))
		}
	case 7:
		insert(c, l, stray(r, p, c))
	default:
		alter(r, p, o)
	}
}

// alter changes a number of an operation, or the object it is on.
func alter(r *rand.Rand, p *protocol.Protocol, o *protocol.Op) {
	switch o.Kind {
	case protocol.Wait:
		o.Parity ^= 1
	case protocol.Arrive:
		if o.Count++; chance(r, 2) {
			*o = protocol.Op{Kind: protocol.Arrive, Object: r.IntN(len(p.Mbars)), Count: 1}
		}
	case protocol.ArriveExpectTx, protocol.ExpectTx, protocol.CompleteTx:
		o.Bytes += 1 - 2*r.IntN(2)
	case protocol.FlagSwap:
		if chance(r, 2) {
			o.Value += 1 - 2*r.IntN(2)
			break
		}
		o.Kind = protocol.Spin
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin:
		o.Count += 1 - 2*r.IntN(2)
	case protocol.Issue:
		if len(o.Effects) > 0 {
			o.Effects = slices.Clone(o.Effects)
			e := &o.Effects[0]
			e.Mbar, e.Bytes = r.IntN(len(p.Mbars)), max(0, e.Bytes-r.IntN(2))
		}
	case protocol.Drain:
		o.Drains = o.Drains[:r.IntN(len(o.Drains)+1)]
	case protocol.NamedSync:
		o.Kind = protocol.NamedArrive
	case protocol.NamedArrive:
		o.Kind = protocol.NamedSync
	}
}

// stray is an operation that does not belong there.
func stray(r *rand.Rand, p *protocol.Protocol, c *protocol.Class) protocol.Op {
	var kinds []protocol.Kind
	if len(p.Mbars) > 0 {
		kinds = append(kinds, protocol.Init, protocol.Arrive, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait)
	}
	if len(p.Flags) > 0 {
		kinds = append(kinds, protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap)
	}
	if len(kinds) == 0 {
		return protocol.Op{Kind: protocol.Issue}
	}
	return operation(r, p, c, kinds[r.IntN(len(kinds))])
}

// insert puts an operation before another; what happens between two operations stays before the later one.
func insert(c *protocol.Class, l int, o protocol.Op) {
	renumber(c, func(d int) int {
		if d >= l {
			d++
		}
		return d
	})
	c.Ops = slices.Insert(slices.Clone(c.Ops), l, o)
	c.Blocks = slices.Insert(slices.Clone(c.Blocks), l, nil)
}

// Drop leaves an operation out, with what is waited for of it; the accesses before it come before the next one.
func Drop(c *protocol.Class, l int) {
	renumber(c, func(d int) int {
		switch {
		case d == l:
			return -1
		case d > l:
			d--
		}
		return d
	})
	c.Ops = slices.Delete(slices.Clone(c.Ops), l, l+1)
	blocks := slices.Clone(c.Blocks)
	blocks[l+1] = slices.Concat(blocks[l], blocks[l+1])
	c.Blocks = slices.Delete(blocks, l, l+1)
}

// renumber changes the locations that the drains of a class name; -1 leaves one out.
func renumber(c *protocol.Class, to func(int) int) {
	ops := slices.Clone(c.Ops)
	for i := range ops {
		if ops[i].Kind != protocol.Drain {
			continue
		}
		var drains []int
		for _, d := range ops[i].Drains {
			if d = to(d); d >= 0 {
				drains = append(drains, d)
			}
		}
		ops[i].Drains = drains
	}
	c.Ops = ops
}
