package ir

// Comes reports whether a thread comes to an instruction whenever others of its CTA do, as far as which thread it is decides that: no test on all ways there keeps it
// away. A test that anything else decides is taken to let it pass.
func (c *Kernel) Comes(k int32, t Thread) bool {
	fl, s := c.Flow(), c.SSA()
	known := map[int32]int64{}
	passes := func(at int32, guard int32, taken bool) bool {
		yes, is := c.ownTest(s, s.Read(at, Operand{Reg: guard}, Predicate), t, known, 0)
		return !is || yes == taken
	}
	if in := &c.Insts[k]; in.Guard >= 0 && !in.Op.Branches() && !passes(k, in.Guard, !in.GuardNot) {
		return false
	}
	for b := fl.BlockOf(k); fl.Above(b) >= 0; b = fl.Above(b) {
		above := fl.Above(b)
		last := fl.Last(above)
		in := &c.Insts[last]
		if before := fl.Before(b); in.Op != Branch || in.Guard < 0 || len(before) != 1 || before[0] != above {
			continue
		}
		target := fl.BlockOf(in.Target)
		if target == fl.BlockOf(min(last+1, int32(len(c.Insts)-1))) { // both ways lead there
			continue
		}
		if !passes(last, in.Guard, (b == target) != in.GuardNot) {
			return false
		}
	}
	return true
}

// EndsWith reports whether the innermost loop around a read may be left for what that finds, where it is a number, and whether it surely is; where no way out is
// seen to ask for it, it may.
func (c *Kernel) EndsWith(read int32, found int64) (may, surely bool) {
	fl, s, l := c.Flow(), c.SSA(), c.Innermost(read)
	if l == nil {
		return true, false
	}
	known, asked := map[int32]int64{s.Result(read, c.Insts[read].D): found}, false
	for _, b := range l.Blocks {
		last := fl.Last(b)
		for _, next := range fl.Next(b) {
			in := &c.Insts[last]
			if l.Has(next) || in.Op != Branch || in.Guard < 0 || !c.madeIn(l, last)[read] {
				continue
			}
			asked = true
			yes, is := c.ownTest(s, s.Read(last, Operand{Reg: in.Guard}, Predicate), Thread{}, known, 0)
			if !is || (yes != in.GuardNot) == (next == fl.BlockOf(in.Target)) {
				return true, is
			}
		}
	}
	return !asked, false
}

// ownTest is a predicate of one thread that follows from which it is.
func (c *Kernel) ownTest(s *SSA, n int32, t Thread, known map[int32]int64, depth int) (yes, ok bool) {
	if n < 0 || depth > maxChosen {
		return false, false
	}
	v := &s.Values[n]
	if v.Kind != Defined || c.Insts[v.At].Guard >= 0 {
		return false, false
	}
	in := &c.Insts[v.At]
	test := func(o Operand) truth {
		if o.Reg < 0 {
			return truth{(o.Imm != 0) != o.Not, true}
		}
		is, ok := c.ownTest(s, s.Read(v.At, o, Predicate), t, known, depth+1)
		return truth{is != o.Not, ok}
	}
	switch in.Op {
	case Setp:
		var sides [2]int64
		for k, o := range [2]Operand{in.A, in.B} {
			if sides[k] = o.Imm; o.Reg < 0 {
				continue
			}
			if sides[k], ok = c.ownValue(s, s.Read(v.At, o, Register), t, known, depth+1); !ok {
				return false, false
			}
		}
		p := truth{in.Type.Holds(in.Mode, in.Type.Bring(sides[0]), in.Type.Bring(sides[1])), !in.Type.Data}
		if in.E >= 0 && v.Of == in.E+int32(c.Registers) {
			p.is = !p.is
		}
		if in.Join != 0 {
			p = joinTruth(in.Join, p, test(in.C))
		}
		return p.is, p.known
	case Logic:
		p := joinTruth(in.Mode, test(in.A), test(in.B))
		return p.is, p.known
	}
	return false, false
}
