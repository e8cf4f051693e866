package exec

import (
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// A ticket is what an atomic addition gives. Where all add one number, none is given twice, whoever comes first; that many do not come that they begin again is
// taken for granted. What is added, multiplied and widened of tickets keeps them apart as far as it keeps numbers apart.

// ticket is what lanes are given by an addition to one place: what stood there, and what those before them add. Which come before which is chosen: they
// come in the order of their numbers. Where not all add the same this is one order of several.
func (w *warp) ticket(in *ir.Inst, at *value, mask uint32) value {
	if at.spread != nil || at.stride != 0 || at.sym == unknown || at.sym == known {
		return top
	}
	b := w.read(in.B)
	sym, by := b.lane(trailing(mask))
	if sym != known {
		return top
	}
	same := true
	for rest := mask; rest != 0; rest &= rest - 1 {
		s, n := b.lane(trailing(rest))
		if s != known {
			return top
		}
		same = same && n == by
	}
	made := computation{op: ir.Atomic, t: in.Type, s: [3]symbol{at.sym}, k: [3]int64{at.base, w.interval, by}}
	if !w.m.whole || !same { // what others add is not known
		made.what, made.k[2] = 1, int64(w.cta.rank)<<48|int64(w.index)<<32|w.steps+1
	}
	if !same {
		w.m.conflict(in, limit.Harmless.Says("threads add different numbers to one place, and what they are given may be the same"))
	}
	t := w.symbol(made)
	if t == unknown {
		return top
	}
	t |= linear
	w.m.draws(t)
	if w.drew == nil {
		w.drew = map[symbol]int64{}
	}
	turn := w.drew[t]
	w.drew[t]++
	s, sum := &w.merged, int64(0)
	for l := range s.v {
		s.sym[l], s.v[l] = unknown, 0
		if mask>>l&1 == 0 {
			continue
		}
		_, n := b.lane(l)
		if s.sym[l], s.v[l] = t, sum; same {
			thread := int64(w.cta.rank*len(w.cta.warps)+w.index)*ir.Lanes + int64(l)
			s.v[l] = by * (turn*int64(len(w.m.warps))*ir.Lanes + thread)
		}
		sum += n
	}
	return w.settle(s)
}

func (m *machine) draws(t symbol) {
	m.drawing.Lock()
	defer m.drawing.Unlock()
	m.tickets[t] = true
	m.drew.Store(true)
}

func (m *machine) isTicket(t symbol) bool {
	if t&linear == 0 || t == unknown {
		return false
	}
	m.drawing.Lock()
	defer m.drawing.Unlock()
	return m.tickets[t]
}

// from is the parameter whose memory a ticket is a place in; "" where there is none.
func (m *machine) from(t symbol) string {
	for m.isTicket(t) {
		m.symbols.mu.Lock()
		c := m.symbols.made[t&^linear-firstSymbol]
		m.symbols.mu.Unlock()
		if name := m.leads[c.s[1]]; name != "" || c.op == ir.Atomic {
			return name
		}
		t = c.s[0]
	}
	return ""
}

// drawn computes with tickets where that keeps them apart; ok is false where it may not.
func (w *warp) drawn(in *ir.Inst, a, b *value) (v value, ok bool) {
	if !w.m.drew.Load() || a.spread != nil || b.spread != nil {
		return v, false
	}
	x, y := a, b
	if !w.m.isTicket(x.sym) {
		x, y = y, x
	}
	if !w.m.isTicket(x.sym) {
		return v, false
	}
	made := computation{op: in.Op, t: in.Type, u: in.Result, s: [3]symbol{x.sym}}
	scale, offset := int64(1), int64(0)
	switch {
	case in.Op == ir.Convert && x == a && in.Result.Bits >= in.Type.Bits:
	case (in.Op == ir.Mul || in.Op == ir.MulWide) && y.uniform() && y.base != 0, in.Op == ir.Shl && x == a && y.uniform() && y.base >= 0 && y.base < 32:
		if scale = y.base; in.Op == ir.Shl {
			scale = 1 << y.base
		}
		made.k[1] = y.base
	case in.Op == ir.Add && y.sym&linear != 0 && y.sym != unknown && y.stride == 0 && !w.m.isTicket(y.sym):
		made.s[1], offset = y.sym, y.base
	default:
		return v, false
	}
	t := w.symbol(made)
	if t == unknown {
		return top, true
	}
	t |= linear
	w.m.draws(t)
	return value{sym: t, base: x.base*scale + offset, stride: x.stride * scale}, true
}
