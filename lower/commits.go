package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A tcgen05.commit arrives when all multiplications before it are done (PTX ISA 9.7.16.12.2), so of several commits any
// one says that the reads before all of them are over. The model lets operations in flight complete in any order, and a
// read can be part of one of them only. It is made part of the commit that arrives on the ring of mbarriers on which the
// copies that fill the buffer complete, or on which the threads that fill it arrive when they have: nobody writes the
// buffer again before that one has arrived.

// releases says which rings of mbarriers tell that a buffer has been filled.
type releases struct {
	ringOf  map[int]*value.Block // of an mbarrier
	fillers map[int]map[*value.Block]bool
}

// releaseReads moves what multiplications read of filled buffers to the commits that release these. What reads last
// beyond that shows when all groups are known (settleReads).
func (in *instance) releaseReads(groups []*machine) {
	for _, m := range groups {
		for i := range m.ops {
			for _, a := range m.ops[i].Access {
				if a.Async && !slices.Contains(m.ops[i].Behind, a.Site) {
					m.ops[i].Behind = append(m.ops[i].Behind, a.Site)
				}
			}
		}
	}
	r := releases{map[int]*value.Block{}, map[int]map[*value.Block]bool{}}
	for k, i := range in.mbarKey {
		r.ringOf[i] = k.b
	}
	for _, m := range groups {
		for i := range m.ops {
			r.note(&m.ops[i])
		}
		r.handed(m)
	}
	for _, m := range groups {
		var spread build.Spread
		for i := range m.ops {
			if op := &m.ops[i]; op.Kind == protocol.Issue && len(op.Access) > 0 {
				m.releaseReads(i, r, &spread)
			}
		}
		spread.Into(m.blocks)
	}
}

func (r releases) note(op *protocol.Op) {
	for _, a := range op.Access {
		for _, e := range op.Effects {
			if a.Write && e.Bytes != 0 {
				r.fills(a.Buffer, e.Mbar)
			}
		}
	}
}

// handed notes the arrivals with which a group hands on what its threads wrote before.
func (r releases) handed(m *machine) {
	var written []int
	for l, block := range m.blocks {
		for _, a := range block {
			if a.Write {
				written = append(written, a.Buffer)
			}
		}
		if l < len(m.ops) && m.ops[l].Kind == protocol.Arrive {
			for _, b := range written {
				r.fills(b, m.ops[l].Object)
			}
			written = nil
		}
	}
}

func (r releases) fills(buffer, mbar int) {
	if r.fillers[buffer] == nil {
		r.fillers[buffer] = map[*value.Block]bool{}
	}
	r.fillers[buffer][r.ringOf[mbar]] = true
}

// releaseReads moves the reads of one commit.
func (m *machine) releaseReads(at int, r releases, spread *build.Spread) {
	var stay []protocol.Access
	for _, a := range m.ops[at].Access {
		to := m.release(at, r.fillers[a.Buffer], r.ringOf)
		if !a.Async || a.Write || to <= at || m.in.isColumns(a.Buffer) {
			stay = append(stay, a)
			continue
		}
		spread.Add(a, at+1, to)
		m.ops[to].Access = with(m.ops[to].Access, a)
	}
	m.ops[at].Access = stay
}

// release is the first commit from a place on that arrives on one of the rings, or that place where there is none.
func (m *machine) release(at int, rings map[*value.Block]bool, ringOf map[int]*value.Block) int {
	for l := at; l < len(m.ops) && len(rings) > 0; l++ {
		if m.ops[l].Kind != protocol.Issue {
			continue
		}
		for _, e := range m.ops[l].Effects {
			if e.Arrivals > 0 && e.Bytes == 0 && rings[ringOf[e.Mbar]] {
				return l
			}
		}
	}
	return at
}

// with adds an access to a list that does not have it yet. Lists may be shared, so the list is copied.
func with(list []protocol.Access, a protocol.Access) []protocol.Access {
	if slices.ContainsFunc(list, func(b protocol.Access) bool { return build.Alike(a, b) }) {
		return list
	}
	return append(slices.Clip(list), a)
}
