package interval

import "github.com/fencepost-dev/fencepost/ir"

// vote is what lanes find by vote.sync (PTX ISA 9.7.9.11) in a round: each has a predicate as its own numbers say, and those that do not come have none. All lanes have
// the outcome alike. ok is false where it is not known which lanes vote.
func (s *state) vote(k int32, in *ir.Inst, second bool, r rounds) (out value, ok bool) {
	const all, some, uni, ballots = 0, 1, 2, 3
	if second == (in.Mode == ballots) || in.A.Reg < 0 {
		return out, false
	}
	if p := s.read(k, in.A, ir.Predicate, r); p.alike() && in.Mode != ballots { // whoever votes
		if in.Mode == uni {
			p.n = 1
		}
		return p, true
	}
	members := s.read(k, in.Members, ir.Register, r)
	if in.Flags&ir.Meets == 0 || members.taint&(data|opaque) != 0 {
		return out, false
	}
	v := s.polled(k, in, uint32(members.n), r)
	if v.taint&opaque != 0 || v.there>>(s.thread%ir.Lanes)&1 == 0 {
		return out, false
	}
	yes := false
	switch in.Mode {
	case ballots:
		return value{int64(int32(v.voted)), v.taint | own}, true
	case all:
		yes = v.voted == v.there
	case some:
		yes = v.voted != 0
	case uni:
		yes = v.voted == 0 || v.voted == v.there
	}
	if yes {
		out.n = 1
	}
	return value{out.n, v.taint}, true
}

// ballot is who comes to a vote, who of these has the predicate, and what that is made of.
type ballot struct {
	there, voted uint32
	taint
}

// election is a vote of a warp in a round.
type election struct {
	inst    int32
	warp    int
	members uint32
	turn    uint64
}

// polled asks the lanes of the thread's warp.
func (s *state) polled(k int32, in *ir.Inst, members uint32, r rounds) (out ballot) {
	first, b := s.thread&^(ir.Lanes-1), s.at.Block
	at := election{k, first, members, s.turn(s.flow.BlockOf(k), r)}
	if known, met := s.ballots[at]; met {
		return known
	}
	s.ballots[at] = ballot{taint: opaque} // what is made of itself
	for lane := range min(ir.Lanes, b[0]*b[1]*b[2]-first) {
		if members>>lane&1 == 0 {
			continue
		}
		th := s.state(first + lane)
		comes, t := th.arrives(s.flow.BlockOf(k), r)
		if out.taint |= t; !comes {
			continue
		}
		out.there |= 1 << lane
		p := th.read(k, in.A, ir.Predicate, r)
		if out.taint |= p.taint; p.n&1 != 0 {
			out.voted |= 1 << lane
		}
	}
	if out.divides() {
		out.taint = out.taint&^(data|theirs|lone) | own | voted
	}
	if !s.spent() {
		s.ballots[at] = out
	}
	return out
}

// arrives reports whether a thread comes to a block in a round, as the numbers that it has say.
func (s *state) arrives(block int32, r rounds) (comes bool, t taint) {
	for b := block; s.flow.Above(b) >= 0; b = s.flow.Above(b) {
		above := s.flow.Above(b)
		before := s.flow.Before(b)
		if len(before) != 1 || before[0] != above {
			continue
		}
		next, by, is := s.next(above, r)
		if t |= by; !is || next != b {
			return false, t
		}
	}
	return true, t
}

// shuffled is what a lane is given by shfl.sync (PTX ISA 9.7.9.6): what another one has, that comes there in the same round.
func (s *state) shuffled(k int32, in *ir.Inst, r rounds) (out value, ok bool) {
	if out = s.read(k, in.A, ir.Register, r); out.alike() {
		return out, true
	}
	b, c := s.read(k, in.B, ir.Register, r), s.read(k, in.C, ir.Register, r)
	by := b.taint | c.taint
	if by&opaque != 0 {
		return out, false
	}
	lane := s.thread % ir.Lanes
	first := s.thread - lane
	from, _ := ir.ShuffledFrom(in.Mode, lane, int(b.n&31), int(c.n))
	if size := s.at.Block[0] * s.at.Block[1] * s.at.Block[2]; first+from >= size {
		return out, false
	}
	th := s.state(first + from)
	comes, t := th.arrives(s.flow.BlockOf(k), r)
	if !comes || t&opaque != 0 {
		return out, false
	}
	out = th.read(k, in.A, ir.Register, r)
	one := in.Mode == 3 && by&(own|lone) == 0 && c.n&(ir.Lanes-1) == ir.Lanes-1 && c.n>>8 == 0 // all lanes are given that of the same one
	out.taint |= by
	if t.divides() {
		out.taint |= t
	}
	if one {
		out.taint &^= lone
	}
	return out, true
}
