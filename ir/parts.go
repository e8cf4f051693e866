package ir

import (
	"slices"
	"strings"
)

// sampler gives numbers to what a launch and memory hold, to see of values which lanes of a warp have them alike: equal ones where they are surely equal, others as a rule where nothing says so.
type sampler struct {
	t     *tests
	put   func(id int32) // where values are asked for: a lane, or a CTA
	few   bool           // what is divided by what nobody says is divided by little
	start bool           // what changes from round to round of a loop is what it begins with
	memo  map[sampledAt]sampled
	steps int
}

type sampledAt struct{ value, id int32 }

type sampled struct {
	n    int64
	ok   bool // it is not made of what lanes tell each other, nor of what others write meanwhile
	read bool // it is made of what was read from memory, and the first one has read elsewhere
}

// maxSamples bounds the values of one condition, by lane.
const maxSamples = 1 << 14

// lanes asks for values as the lanes of the first warp have them.
func (t *tests) lanes() *sampler {
	return &sampler{t: t, put: func(lane int32) { t.at.Thread = int(lane) }, memo: map[sampledAt]sampled{}}
}

// scatter is another number for each pair.
func scatter(a, b int64) int64 {
	h := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xc2b2ae3d27d4eb4f + 0x165667b19e3779f9
	return int64((h ^ h>>29) >> 2)
}

func (s *sampler) value(n, id int32) (out sampled) {
	at := sampledAt{n, id}
	if known, met := s.memo[at]; met || n <= 0 {
		return known
	}
	if s.steps++; s.steps > maxSamples {
		return sampled{}
	}
	s.memo[at] = sampled{} // what goes round in a loop
	defer func() { s.memo[at] = out }()
	t := s.t
	v := &t.s.Values[n]
	switch v.Kind {
	case Given:
		s.put(id)
		if x, special := t.at.Special(t.read[v.Of]); special {
			return sampled{n: x, ok: true}
		}
		return sampled{n: scatter(int64(v.Of), 0), ok: t.u.Registers[v.Of] == UniformCTA}
	case Merged:
		if x, counts := s.counted(n, id); counts {
			return x
		}
		for _, from := range v.From { // what a loop begins with; of ways that a condition chooses, both
			if x := s.value(from, id); x.ok && s.start {
				return x
			} else if x.ok {
				out = sampled{scatter(out.n, x.n), true, out.read || x.read}
			}
		}
		return out
	case Defined:
		if len(v.From) == 0 {
			return s.defined(v, id)
		}
	}
	return sampled{}
}

// counted is a value that begins as it does and goes on by what is the same for all: how far, nobody says.
func (s *sampler) counted(n, id int32) (out sampled, counts bool) {
	begins := 0
	for _, from := range s.t.s.Values[n].From {
		by, goesOn := s.t.added(from, n)
		if !goesOn {
			out = s.value(from, id)
			begins++
			continue
		}
		if x, first := s.value(by, id), s.value(by, 0); by >= 0 && (!x.ok || x != first) {
			return out, false
		}
		counts = true
	}
	out.n += scatter(int64(n), 1) & 0xffff
	return out, counts && begins == 1 && out.ok && !s.start
}

// added tells whether a value is another one and something, and what: -1 for a constant.
func (t *tests) added(n, to int32) (by int32, is bool) {
	for range maxTestDepth {
		if n <= 0 { // of a way that is never gone
			return 0, false
		}
		v := &t.s.Values[n]
		if v.Kind != Defined || len(v.From) > 0 {
			return 0, false
		}
		in := &t.c.Insts[v.At]
		switch {
		case in.Op == Move && in.A.Reg >= 0:
			n = t.s.Read(v.At, in.A, Register)
			continue
		case in.Op != Add || in.A.Reg < 0 || t.s.Read(v.At, in.A, Register) != to:
			return 0, false
		case in.B.Reg < 0:
			return -1, true
		}
		return t.s.Read(v.At, in.B, Register), true
	}
	return 0, false
}

func (s *sampler) defined(v *Value, id int32) sampled {
	t := s.t
	in := &t.c.Insts[v.At]
	load := in.Op == Load && in.Space != Local && in.Order == Weak
	if !load && !in.Op.Does(Computes) && in.Op != Setp && in.Op != Logic {
		return sampled{}
	}
	out := sampled{n: int64(in.Op), ok: true}
	var of [3]int64
	exact := in.D == v.Of && in.Op.form().d == Register && in.Op != Apply && in.Op != Select && in.Op != Pack && len(in.more()) == 0
	form := in.Op.form()
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		x := sampled{n: o.Imm, ok: true}
		if o.Reg >= 0 {
			x = s.value(t.s.Read(v.At, o, form.operands[k]), id)
		}
		if !x.ok {
			return sampled{}
		}
		of[k] = in.Type.Bring(x.n)
		if s.few && k == 1 && o.Reg >= 0 && (in.Op == Div || in.Op == Rem) {
			of[k] = 2
		}
		out.n, out.read = scatter(out.n, x.n), out.read || x.read
		if load && k == 0 && id > 0 {
			first := s.value(t.s.Read(v.At, o, Register), 0)
			out.read = out.read || first.ok && first.n != x.n
		}
	}
	if exact && !load && !in.Type.Data {
		if x, ok := in.Compute(of[0], of[1], of[2], 0); ok {
			out.n = x
		}
	}
	return out
}

// parts says how the guard of a branch may part lanes of a warp that have come to it together, where it is not their numbers alone that do it; 0: nothing says that it does.
func (t *tests) parts(pc int32) Division {
	n := t.s.Read(pc, Operand{Reg: t.c.Insts[pc].Guard}, Predicate)
	if _, _, known := t.split(n); known || t.count < Lanes {
		return 0
	}
	return t.partsBy(n, t.lanes(), map[int32]bool{})
}

// keeps reports whether lanes of a warp surely have a predicate alike, whichever of them ask.
func (t *tests) keeps(n int32) bool {
	s := t.lanes()
	first := s.value(n, 0)
	for lane := int32(1); lane < Lanes && first.ok; lane++ {
		if x := s.value(n, lane); !x.ok || x.n != first.n {
			return false
		}
	}
	return first.ok
}

// partsBy looks for a comparison that parts lanes, among those that a predicate is made of.
func (t *tests) partsBy(n int32, s *sampler, seen map[int32]bool) Division {
	if n <= 0 || seen[n] || len(seen) > maxTestDepth {
		return 0
	}
	seen[n] = true
	v := &t.s.Values[n]
	if v.Kind == Merged {
		for _, from := range v.From {
			if by := t.partsBy(from, s, seen); by != 0 {
				return by
			}
		}
		return t.chooses(n, s, seen)
	}
	if v.Kind != Defined || len(v.From) > 0 {
		return 0
	}
	switch in := &t.c.Insts[v.At]; in.Op {
	case Logic:
		for _, o := range [2]Operand{in.A, in.B} {
			if o.Reg >= 0 {
				if by := t.partsBy(t.s.Read(v.At, o, Predicate), s, seen); by != 0 {
					return by
				}
			}
		}
	case Setp:
		by := t.partsAt(v.At, in, s)
		for k, o := range [2]Operand{in.A, in.B} {
			if by != 0 || o.Reg < 0 {
				continue
			}
			if value := t.s.Read(v.At, o, Register); !t.alike(in, k, value) {
				by = t.chooses(value, s, seen)
			}
		}
		return by
	}
	return 0
}

// chooses says how lanes are parted by what decides which of several values they have.
func (t *tests) chooses(n int32, s *sampler, seen map[int32]bool) Division {
	for _, p := range t.deciding(n, 0) {
		if by := t.partsBy(p, s, seen); by != 0 {
			return by
		}
	}
	return 0
}

// partsAt says how a comparison parts lanes.
func (t *tests) partsAt(at int32, in *Inst, s *sampler) Division {
	var differs, read [2]bool
	var values [2]int32
	for k, o := range [2]Operand{in.A, in.B} {
		if o.Reg < 0 {
			continue
		}
		values[k] = t.s.Read(at, o, Register)
		first := s.value(values[k], 0)
		for lane := int32(0); lane < Lanes; lane++ {
			x := s.value(values[k], lane)
			if !x.ok {
				return 0
			}
			differs[k], read[k] = differs[k] || x.n != first.n, read[k] || x.read
		}
	}
	for k := range differs {
		switch {
		case differs[k] && read[k]:
			return ByData
		case differs[k] && !differs[1-k] && !in.Type.Data && in.Mode != Equal && in.Mode != NotEqual:
			inGrid := t.along(values[k], map[int32]bool{}, func(name string) bool { return strings.HasPrefix(name, "%ctaid") })
			if !inGrid && !t.loaded(values[1-k], map[int32]bool{}) { // how many threads of a CTA have work is made to fit warps, how much work there is, and how long lists are, as a rule is not
				continue
			}
			if o := t.origin(values[1-k]); (o.given || inGrid && values[1-k] > 0) && !o.fits && !o.rounded {
				return ByBound
			}
		}
	}
	return 0
}

// loaded reports whether a value is computed from what memory holds.
func (t *tests) loaded(n int32, seen map[int32]bool) bool {
	if n <= 0 || seen[n] || len(seen) > maxTestDepth {
		return false
	}
	seen[n] = true
	v := &t.s.Values[n]
	if slices.ContainsFunc(v.From, func(from int32) bool { return t.loaded(from, seen) }) {
		return true
	}
	if v.Kind != Defined {
		return false
	}
	in := &t.c.Insts[v.At]
	return in.Op == Load && in.Space != Const && in.Space != Param && in.Space != Local || in.Op.Does(Computes) && slices.ContainsFunc([]Operand{in.A, in.B, in.C}, func(o Operand) bool {
		return o.Reg >= 0 && t.loaded(t.s.Read(v.At, o, Register), seen)
	})
}

// Neighbours reports whether some CTAs that are near each other along x access the same with an instruction, whatever launch it is, if what the number of the CTA is divided by is little: thread 0
// of each.
func (c *Kernel) Neighbours(k int32) bool {
	t := c.newTests([3]int{1, 1, 1}, true)
	s := sampler{t: t, few: true, put: func(cta int32) { t.at.CTA[0] = int(cta) }, memo: map[sampledAt]sampled{}}
	n := t.s.Read(k, c.Insts[k].A, Register)
	first := s.value(n, 0)
	return first.ok && slices.ContainsFunc([]int32{1, 2, 3}, func(cta int32) bool { x := s.value(n, cta); return x.ok && x.n == first.n })
}
