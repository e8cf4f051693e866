package interval

import "github.com/fencepost-dev/fencepost/ir"

// profiles are the sets of numbers for what the text leaves open and all threads have alike. A pair that races by accident, as two strides are the same, does so in one of them.
const profiles = 3

// number is one for the n-th open value.
func number(profile, n int) int64 {
	switch profile {
	case 0:
		return 32
	case 1:
		return 16 * int64(3+n%13)
	}
	return 256
}

// left is a value that the text leaves open: a number, if all threads have it alike.
func (w *walker) left(v int32) known {
	of := w.s.Values[v].Of
	if of < 0 || int(of) >= w.k.Registers || w.u.Registers[of] != ir.UniformCTA || int(of) < len(w.k.Types) && w.k.Types[of].Data {
		return known{}
	}
	n, met := w.order[v]
	if !met {
		n = len(w.order)
		w.order[v] = n
	}
	return known{number(w.profile, n), true}
}

// earlier is a value that was set before the interval, in a round of the loops around its start: nothing is executed, it follows from what it is made of.
func (w *walker) earlier(n int32, round, depth int) known {
	if n <= 0 || depth > maxDepth || w.budget <= 0 {
		return known{}
	}
	w.budget--
	w.work--
	at := earlier{n, round}
	if v, is := w.before[at]; is {
		return v
	}
	w.before[at] = w.left(n) // as long as it is not known, and where it is made of itself
	v := w.find(n, round, depth)
	w.before[at] = v
	return v
}

func (w *walker) find(n int32, round, depth int) known {
	v := &w.s.Values[n]
	switch v.Kind {
	case ir.Given:
		if int(v.Of) >= w.k.Registers {
			return known{}
		}
		if name, is := w.special[v.Of]; is {
			if r, ok := w.at.Special(name); ok {
				return known{r, true}
			}
		}
		if p, is := w.pointers[v.Of]; is {
			return known{p, true}
		}
		return w.left(n)
	case ir.Defined:
		in := &w.k.Insts[v.At]
		if len(v.From) > 0 { // guarded
			return w.left(n)
		}
		first := 0
		if registers, _ := in.Results(); len(registers) > 0 && registers[0] != v.Of && int(v.Of) < w.k.Registers {
			first = 1
		}
		return w.result(v.At, in, first, n, func(pc int32, o ir.Operand, bank ir.Bank) known {
			if o.Reg < 0 {
				return known{o.Imm, o != ir.None}
			}
			x := w.earlier(w.s.Read(pc, o, bank), round, depth+1)
			if bank == ir.Predicate && o.Not {
				x.n = 1 - x.n
			}
			return x
		})
	case ir.Merged:
		return w.merged(n, v, round, depth)
	}
	return w.left(n)
}

// merged is what a value is at the beginning of a block: at the header of a loop around the start, of the round; of others, what it is on all ways.
func (w *walker) merged(n int32, v *ir.Value, round, depth int) known {
	b := w.fl.BlockOf(v.At)
	loop, header := w.header[b]
	around := header && w.start >= 0 && w.loops[loop].Has(w.fl.BlockOf(w.start))
	var one known
	for k, m := range v.From {
		if m < 0 {
			continue
		}
		back := header && w.loops[loop].Has(w.fl.Before(b)[k])
		if around && back != (round > 0) {
			continue
		}
		next := round
		if around && back {
			next--
		}
		x := w.earlier(m, next, depth+1)
		switch {
		case !x.ok:
			return w.left(n)
		case one.ok && one.n != x.n:
			return w.left(n)
		}
		one = x
	}
	if !one.ok {
		return w.left(n)
	}
	return one
}
