package ir

import "slices"

// InFlight is a wait for groups of copies that waits for none when a thread comes there first: no more groups have been committed than it leaves in flight. What they copy is read behind it all the same.
type InFlight struct {
	Wait, Copy, Read int32
	Groups           int // that have been committed at most
}

// CopiesInFlight lists such waits (cp.async.wait_group, PTX ISA 9.7.9.25.3.3). It is told where no way to the wait commits more groups, or waits for others, and each thread that has come there comes to
// the read. A call of which nothing is known may commit and wait.
func (c *Kernel) CopiesInFlight() (out []InFlight) {
	if len(c.Insts) > most || len(c.Guesses) > 0 {
		return nil
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Op != GroupWait || Unit(in.Mode) != CpAsync || in.A.Reg != -1 || in.A.Imm < 1 || in.Guard >= 0 || !c.Flow().Reached(c.Flow().BlockOf(int32(k))) {
			continue
		}
		f := InFlight{Wait: int32(k), Read: -1}
		var copies []int32
		before, plain := map[int32]bool{}, true
		c.Flow().walk(f.Wait, true, func(k int32) Heading {
			before[k] = true
			switch in := &c.Insts[k]; {
			case k == f.Wait:
				return Aside
			case in.unknownCall(), in.Op == GroupWait && Unit(in.Mode) == CpAsync:
				plain = false
			case in.Op == Async && Unit(in.Mode) == CpAsync:
				copies = append(copies, k)
			}
			return asideIf(!plain)
		})
		if !plain || len(copies) == 0 {
			continue
		}
		if f.Groups = c.committed(f.Wait, before, int(in.A.Imm)+1); f.Groups == 0 || f.Groups > int(in.A.Imm) {
			continue
		}
		c.Flow().Behind(f.Wait, func(k int32) Heading {
			in := &c.Insts[k]
			if f.Read >= 0 || k == f.Wait || in.unknownCall() || in.Op == GroupWait && Unit(in.Mode) == CpAsync || in.Op == Async && Unit(in.Mode) == CpAsync {
				return Aside
			}
			if in.Op == Load || in.Op == Matrix && in.Flags&Write == 0 {
				if n := slices.IndexFunc(copies, func(o int32) bool { return c.fills(o, k) }); n >= 0 && c.follows(f.Wait, k) {
					f.Copy, f.Read = copies[n], k
				}
			}
			return Onward
		})
		if f.Read >= 0 {
			out = append(out, f)
		}
	}
	return out
}

// unknownCall reports whether an instruction may do anything with copies.
func (in *Inst) unknownCall() bool {
	return in.Op == Stop || in.Op == Call || in.Op == Outside && in.Flags&MayMeet != 0
}

// committed is how many groups are committed at most on the ways to a wait when a thread comes there first, if that is less than enough.
func (c *Kernel) committed(wait int32, before map[int32]bool, enough int) int {
	fl := c.Flow()
	at := make([]int, fl.Blocks()) // at the end of each block
	last := 0
	for again := true; again; {
		again = false
		for b := range int32(fl.Blocks()) {
			n := 0
			for _, p := range fl.Before(b) {
				if before[fl.Last(p)] {
					n = max(n, at[p])
				}
			}
			for k := fl.Start(b); k <= fl.Last(b); k++ {
				if k == wait {
					last = n
					n = 0 // behind it nothing leads there for the first time
					break
				}
				if in := &c.Insts[k]; before[k] && in.Op == GroupCommit && Unit(in.Mode) == CpAsync {
					n = min(n+1, enough)
				}
			}
			if n > at[b] {
				at[b], again = n, true
			}
		}
	}
	return last
}

// follows reports whether a thread that has come by one instruction comes to another one behind it: what else decides that are loops that go round a constant number of times.
func (c *Kernel) follows(from, to int32) bool {
	fl := c.Flow()
	above := fl.allDeciders(fl.BlockOf(from))
	for d := range fl.allDeciders(fl.BlockOf(to)) {
		if !above[d] && !slices.ContainsFunc(c.Loops(), func(l *Loop) bool { return l.Header == d && !l.Has(fl.BlockOf(from)) && c.againstConstant(d) }) {
			return false
		}
	}
	return true
}

// againstConstant reports whether a block goes on by how something compares with a constant.
func (c *Kernel) againstConstant(b int32) bool {
	fl := c.Flow()
	guard := c.Insts[fl.Last(b)].Guard
	for k := fl.Start(b); k <= fl.Last(b) && guard >= 0; k++ {
		if in := &c.Insts[k]; in.Op == Setp && in.D == guard && in.C == None {
			return in.A.Reg == -1 || in.B.Reg == -1
		}
	}
	return false
}

// allDeciders are the deciders of a block, and theirs.
func (fl *Flow) allDeciders(block int32) map[int32]bool {
	all := map[int32]bool{}
	for todo := []int32{block}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range fl.Deciders(b) {
			if !all[d] {
				all[d] = true
				todo = append(todo, d)
			}
		}
	}
	return all
}

// fills reports whether a copy writes shared memory that a read may be of, as far as both are known.
func (c *Kernel) fills(copies, read int32) bool {
	w, r := c.TargetsOf(copies), c.TargetsOf(read)
	if len(w) == 0 || len(r) == 0 || w[0].Operand != 0 {
		return false
	}
	a, b := &w[0], &r[0]
	if a.Ranged && b.Ranged && (a.High <= b.Low || b.High <= a.Low) {
		return false
	}
	return slices.ContainsFunc(a.Objects, func(v *Variable) bool { return slices.Contains(b.Objects, v) })
}
