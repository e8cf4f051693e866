package ir

import "slices"

// outsiders lists the collectives whose mask is of the lanes that have voted for something, and to which those come, too, that have voted against it: a lane that its own mask leaves out
// is undefined (PTX ISA 9.7.9.6, 9.7.13.2).
func (t *tests) outsiders(told []Misfit) (out []Misfit) {
	c := t.c
	for k := range int32(len(c.Insts)) {
		in := &c.Insts[k]
		if !in.meetsLanes() || in.Members.Reg < 0 || in.Guard >= 0 || !t.fl.Reached(t.fl.BlockOf(k)) || slices.ContainsFunc(told, func(m Misfit) bool { return m.Inst == k }) {
			continue
		}
		vote := t.s.made(k, in.Members)
		if vote < 0 || !c.Insts[vote].ballot() || !t.fl.Dominates(t.fl.BlockOf(vote), t.fl.BlockOf(k)) || !t.together(vote, k) {
			continue
		}
		for _, m := range out {
			if m.Branch == vote { // once for each vote
				vote = -1
				break
			}
		}
		if vote >= 0 && t.differs(t.s.Read(vote, c.Insts[vote].A, Predicate)) {
			out = append(out, Misfit{Inst: k, Lane: -1, Branch: vote, Outside: true})
		}
	}
	return out
}

// ballot reports whether an instruction finds the lanes of a warp, all of which come, that have a predicate.
func (in *Inst) ballot() bool {
	return in.Op == Vote && in.Mode == 3 && in.Flags&Meets != 0 && in.Members.Reg < 0 && uint32(in.Members.Imm) == 1<<Lanes-1 && in.A.Reg >= 0
}

// together reports whether all lanes that come from one instruction come to another one that it dominates: whatever decides whether control comes there, and not to the first, lanes have alike.
func (t *tests) together(from, to int32) bool {
	before := t.deciders(t.fl.BlockOf(from))
	for b := range t.deciders(t.fl.BlockOf(to)) {
		branch := &t.c.Insts[t.fl.Last(b)]
		if !before[b] && (branch.Op != Branch || branch.Guard < 0 || t.u.Predicates[branch.Guard] == Varying) {
			return false
		}
	}
	return true
}

// deciders are the blocks whose branches decide whether control comes to a block, and whether it comes to these.
func (t *tests) deciders(block int32) map[int32]bool {
	all := map[int32]bool{}
	for todo := []int32{block}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range t.fl.Deciders(b) {
			if !all[d] {
				all[d] = true
				todo = append(todo, d)
			}
		}
	}
	return all
}

// differs reports whether lanes of a warp may well have a predicate differently: it is not known to be the same, and nothing but data, or a number that the kernel is given, keeps it from being so.
func (t *tests) differs(n int32) bool {
	if n <= 0 {
		return false
	}
	if _, lanes, known := t.split(n); known {
		return lanes
	}
	v := &t.s.Values[n]
	return t.u.Predicates[v.Of-int32(t.c.Registers)] == Varying && !t.keeps(n)
}
