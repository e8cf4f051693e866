package ir

import "slices"

// condition looks for a test that divides threads, among those that a predicate is made of, or that decide which of several values it has.
func (t *tests) condition(n int32, seen map[int32]bool) Division {
	if n <= 0 || seen[n] || len(seen) > maxTestDepth {
		return 0
	}
	seen[n] = true
	v := &t.s.Values[n]
	if v.Kind == Merged {
		for _, from := range v.From {
			if by := t.condition(from, seen); by != 0 {
				return by
			}
		}
		return t.chosen(n, seen)
	}
	if v.Kind != Defined {
		return 0
	}
	in := &t.c.Insts[v.At]
	switch in.Op {
	case Elect:
		return ByIndex
	case Logic:
		for _, o := range [2]Operand{in.A, in.B} {
			if o.Reg >= 0 {
				if by := t.condition(t.s.Read(v.At, o, Predicate), seen); by != 0 {
					return by
				}
			}
		}
	case Setp:
		return t.compared(v.At, in, seen)
	}
	return 0
}

// chosen says how threads are divided by what decides which of several values they have.
func (t *tests) chosen(n int32, seen map[int32]bool) Division {
	for _, p := range t.deciding(n, 0) {
		if by := t.decided(p, seen); by != 0 {
			return by
		}
	}
	return 0
}

// deciding lists the predicates that decide which of several values one is: those of branches before the place where they come together, or what selects it. Of those that a loop goes round with all
// threads have one.
func (t *tests) deciding(n int32, depth int) (out []int32) {
	if n <= 0 || depth > maxTestDepth {
		return nil
	}
	v := &t.s.Values[n]
	switch {
	case v.Kind == Merged:
		return t.ways(v)
	case v.Kind != Defined || len(v.From) > 0:
		return nil
	}
	switch in := &t.c.Insts[v.At]; {
	case (in.Op == Move || in.Op == Convert) && in.A.Reg >= 0:
		return t.deciding(t.s.Read(v.At, in.A, Register), depth+1)
	case in.Op == Select && in.C.Reg >= 0 && in.A != in.B:
		return []int32{t.s.Read(v.At, in.C, Predicate)}
	}
	return nil
}

// ways lists the predicates of the branches that decide which of several values one is where these come together.
func (t *tests) ways(v *Value) (out []int32) {
	join := t.fl.BlockOf(v.At)
	if t.headers[join] || len(v.From) < 2 || !slices.ContainsFunc(v.From, func(from int32) bool { return from != v.From[0] }) {
		return nil
	}
	both, met := t.deciders(join), map[int32]bool{}
	for _, before := range t.fl.Before(join) {
		ways := t.deciders(before)
		ways[before] = true
		for b := range ways {
			branch := &t.c.Insts[t.fl.Last(b)]
			if both[b] || met[b] || branch.Op != Branch || branch.Guard < 0 || t.u.Predicates[branch.Guard] != Varying {
				continue
			}
			met[b] = true
			out = append(out, t.s.Read(t.fl.Last(b), Operand{Reg: branch.Guard}, Predicate))
		}
	}
	slices.Sort(out)
	return out
}

// decided is how a predicate divides threads, whatever it is made of.
func (t *tests) decided(n int32, seen map[int32]bool) Division {
	if split, _, known := t.split(n); known {
		if split {
			return ByIndex
		}
		return 0
	}
	return t.condition(n, seen)
}

// compared says how a comparison tells threads apart.
func (t *tests) compared(at int32, in *Inst, seen map[int32]bool) Division {
	var sides [2][]int32
	for k, o := range [2]Operand{in.A, in.B} {
		sides[k] = []int32{0}
		if o.Reg >= 0 {
			sides[k] = t.least(t.s.Read(at, o, Register), 0)
		}
	}
	by := Division(0)
	for _, a := range sides[0] {
		for _, b := range sides[1] {
			by = max(by, t.between(in, [2]int32{a, b}))
		}
	}
	for k := 0; k < 2 && by == 0; k++ {
		for _, n := range sides[k] {
			if !t.alike(in, k, n) {
				by = max(by, t.chosen(n, seen))
			}
		}
	}
	return by
}

// alike reports whether a comparison of a value with a constant comes out the same whichever of several constants the value is.
func (t *tests) alike(in *Inst, side int, n int32) bool {
	other := [2]Operand{in.B, in.A}[side]
	if other.Reg >= 0 || n <= 0 {
		return false
	}
	var arms []int64
	if v := &t.s.Values[n]; v.Kind == Merged {
		for _, from := range v.From {
			x, known := t.eval(from, 0)
			if !known {
				return false
			}
			arms = append(arms, x)
		}
	} else if v.Kind == Defined {
		if in := &t.c.Insts[v.At]; in.Op == Select && in.A.Reg < 0 && in.B.Reg < 0 {
			arms = []int64{in.A.Imm, in.B.Imm}
		}
	}
	for k, x := range arms {
		for _, y := range arms[:k] {
			if t.holds(in, side, x, other.Imm) != t.holds(in, side, y, other.Imm) {
				return false
			}
		}
	}
	return len(arms) > 0
}

// holds is how a comparison comes out with a number on one of its sides.
func (t *tests) holds(in *Inst, side int, x, other int64) bool {
	if side == 1 {
		x, other = other, x
	}
	return in.Type.Holds(in.Mode, in.Type.Bring(x), in.Type.Bring(other))
}

// least are the values of which one is the least, or the greatest, that a value is.
func (t *tests) least(n int32, depth int) []int32 {
	if n <= 0 || depth > maxTestDepth {
		return []int32{n}
	}
	v := &t.s.Values[n]
	if v.Kind != Defined || len(v.From) > 0 {
		return []int32{n}
	}
	switch in := &t.c.Insts[v.At]; {
	case in.Type.Data:
	case in.Op == Move && in.A.Reg >= 0:
		return t.least(t.s.Read(v.At, in.A, Register), depth+1)
	case (in.Op == Min || in.Op == Max) && in.A.Reg >= 0 && in.B.Reg >= 0:
		return append(t.least(t.s.Read(v.At, in.A, Register), depth+1), t.least(t.s.Read(v.At, in.B, Register), depth+1)...)
	}
	return []int32{n}
}

// between says how two values that are compared tell threads apart; 0 is a constant.
func (t *tests) between(in *Inst, values [2]int32) Division {
	var side [2]lean
	for k := range side {
		side[k] = flat
		if values[k] > 0 {
			side[k] = t.leans(values[k], map[int32]lean{})
		}
	}
	for k := 0; k < 2 && !in.Type.Data; k++ {
		if side[k] != indexed || side[1-k] != flat {
			continue
		}
		if in.Mode == Equal || in.Mode == NotEqual {
			if differs, _, known := t.split(values[k]); known && differs {
				return ByIndex
			}
			return 0
		}
		if t.origin(values[1-k]).with(t.origin(t.apart(values[k], 0))).bound() {
			return ByBound
		}
		return 0
	}
	for k := range side {
		if side[k] == crooked && t.ownData(values[k], map[int32]bool{}) {
			return ByData
		}
	}
	return 0
}

// apart is what all threads have alike of a sum with the number of each: the bound may stand on that side, too.
func (t *tests) apart(n int32, depth int) int32 {
	if n <= 0 || depth > maxTestDepth {
		return 0
	}
	v := &t.s.Values[n]
	if v.Kind != Defined || len(v.From) > 0 {
		return 0
	}
	in := &t.c.Insts[v.At]
	switch in.Op {
	case Move, Convert:
		if in.A.Reg >= 0 {
			return t.apart(t.s.Read(v.At, in.A, Register), depth+1)
		}
	case Add, Sub:
		for _, o := range [2]Operand{in.A, in.B} {
			if o.Reg < 0 {
				continue
			}
			part := t.s.Read(v.At, o, Register)
			if t.leans(part, map[int32]lean{}) == flat {
				return part
			} else if inner := t.apart(part, depth+1); inner > 0 {
				return inner
			}
		}
	}
	return 0
}
