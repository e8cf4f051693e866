package explore

import (
	"context"
	"hash/maphash"
	"math/rand"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestSteps walks random protocols: what a step changes is in what the machine says of it, and every state comes out of
// the store as it went in.
func TestSteps(t *testing.T) {
	EachRandom(0, 300, func(seed int, p *protocol.Protocol) {
		r := rand.New(rand.NewSource(int64(seed)))
		j := newJudge(p)
		s, fields := j.m.Start(), j.m.Fields()
		st, code, back := newStore(), newCodec(j.m), j.m.Start()
		var held []int32
		for n := range 40 {
			occ := j.occupied(s)
			enc := code.encode(nil, s, occ)
			hash := maphash.Bytes(st.seed, enc)
			if st.add(hash, enc, -1, 0) {
				code.decode(st.at(st.len()-1), back, held)
				if held = slices.Clone(code.occ); !slices.Equal(back, s) || !slices.Equal(held, occ) {
					t.Fatalf("seed %d, step %d: stored %v, got %v", seed, n, s, back)
				}
				if st.add(hash, enc, -1, 0) {
					t.Fatalf("seed %d, step %d: one state is stored twice", seed, n)
				}
			}
			before := slices.Clone(s)
			if !randomStep(r, j, s, occ) {
				return
			}
			for i := range s {
				known := slices.Contains(j.m.Touched, int32(i)) || slices.Contains(fields, int32(i))
				if s[i] != before[i] && !known {
					t.Fatalf("seed %d, step %d: entry %d changes from %d to %d unnoticed", seed, n, i, before[i], s[i])
				}
			}
		}
	})
}

// randomStep executes one of the steps that are possible; false if there is none, or nothing means anything after it.
func randomStep(r *rand.Rand, j *judge, s protocol.State, occ []int32) bool {
	for _, i := range r.Perm(len(occ)) {
		at := j.m.Slots[occ[i]]
		switch {
		case at.Where == protocol.InFlight:
			return j.m.Complete(s, at.Class, at.Op, 1)
		case at.Where == protocol.AtLocation && at.Op < len(j.p.Classes[at.Class].Ops) && j.m.Enabled(s, at.Class, at.Op):
			return j.m.Step(s, at.Class, at.Op, 1)
		}
	}
	return false
}

// TestExplorer: what is known of the slots is what the state says, through steps and copies.
func TestExplorer(t *testing.T) {
	j := newJudge(ring(3, 4, 128))
	s := &scout{judge: j, clock: clockFor(context.Background(), engine.Limits{}), hasty: true}
	e := j.newExplorer()
	s.run(e, 1, 3, protocol.AtLocation)
	if len(e.steps) == 0 {
		t.Fatal("nothing moves")
	}
	late := e.clone()
	s.run(late, -1, -1, protocol.AtLocation)
	for _, e := range []*explorer{e, late} {
		if got, want := e.occupied(nil), j.occupied(e.state); !slices.Equal(got, want) {
			t.Errorf("occupied: %v, want %v", got, want)
		}
	}
	if len(late.steps) == len(e.steps) {
		t.Error("the copy does not go on")
	}
}
