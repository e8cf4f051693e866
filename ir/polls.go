package ir

import "slices"

// Strong reports whether an access says that others may write there at the same time (PTX ISA 8.3, 8.4).
func (in *Inst) Strong() bool {
	return in.Op == Atomic || in.Order != Weak || in.Flags&Changes != 0
}

// Polls are the reads of memory by which a loop waits: what they find says whether there is another round, and they are strong,
// or each round reads the same address. One that takes a ticket waits for nobody. A compare-and-swap with what was read before ends the loop unless another thread came between. A loop that compares what it finds there with what it finds at other places in turn looks for something, and one that compares it with how often it went round counts.
func (c *Kernel) Polls() map[int32]bool {
	out := map[int32]bool{}
	fl := c.Flow()
	for _, l := range c.Loops() {
		for _, b := range l.Blocks {
			if !slices.ContainsFunc(fl.Next(b), func(next int32) bool { return !l.Has(next) }) {
				continue
			}
			seen := c.madeIn(l, fl.Last(b))
			polls, searches := c.reads(l, seen)
			counts := false
			for k := range seen {
				counts = counts || c.Insts[k].Op == Add && c.madeIn(l, k)[k]
			}
			for _, k := range polls {
				if c.Insts[k].Strong() || !searches && !counts {
					out[k] = true
				}
			}
		}
	}
	return out
}

// madeIn are the instructions of a loop that what an instruction reads is made by.
func (c *Kernel) madeIn(l *Loop, inst int32) map[int32]bool {
	d, seen := definitions.of(c), map[int32]bool{}
	todo := []int32{inst}
	for len(todo) > 0 {
		in := &c.Insts[todo[0]]
		todo = todo[1:]
		registers, predicates := in.OperandsOf()
		if in.Guard >= 0 {
			predicates = append(predicates, in.Guard)
		}
		var from []int32
		for _, r := range registers {
			from = append(from, c.inside(l, d.registers[r])...)
		}
		for _, p := range predicates {
			from = append(from, c.inside(l, d.predicates[p])...)
		}
		for _, k := range from {
			if !seen[k] {
				seen[k] = true
				todo = append(todo, k)
			}
		}
	}
	return seen
}

// reads are those of some instructions of a loop that are strong, or read the same address in each round, and whether others read one after the other.
func (c *Kernel) reads(l *Loop, insts map[int32]bool) (polls []int32, others bool) {
	for k := range insts {
		switch in := &c.Insts[k]; {
		case in.Op == Load && in.Space == Local: // no other thread writes there
		case in.Op == Atomic && in.Named() == "cas" && !c.steady(l, in.B, map[int32]bool{}):
		case in.Op == Atomic && c.advances(in): // each round has another ticket, whatever others do
		case in.Op == Atomic || in.Op == Load && (in.Strong() || c.steady(l, in.A, map[int32]bool{})):
			polls = append(polls, k)
		case in.Op == Load:
			others = true
		}
	}
	return polls, others
}

// advances reports whether an atomic operation makes another value of each: it adds what is not zero.
func (c *Kernel) advances(in *Inst) bool {
	switch in.Named() {
	case "inc", "dec":
		return true
	case "add":
		n, constant := c.constantOf(in.B)
		return !constant || n != 0
	}
	return false
}

// steady reports whether an operand is the same in each round of a loop; seen are the registers that are being looked at.
func (c *Kernel) steady(l *Loop, o Operand, seen map[int32]bool) bool {
	if o.Reg < 0 {
		return true
	}
	from := c.inside(l, definitions.of(c).registers[o.Reg])
	if len(from) == 0 {
		return true
	}
	in := &c.Insts[from[0]]
	if seen[o.Reg] || len(from) > 1 || in.Guard >= 0 || !in.Op.Does(Integer) {
		return false
	}
	seen[o.Reg] = true
	for _, o := range append([]Operand{in.A, in.B, in.C}, in.more()...) {
		if !c.steady(l, o, seen) {
			return false
		}
	}
	delete(seen, o.Reg)
	return true
}
