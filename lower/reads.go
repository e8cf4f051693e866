package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// A tcgen05.commit arrives when all multiplications of the thread before it are done (PTX ISA 9.7.16.12.1), those that
// earlier commits follow too. In the model the operations in flight complete in any order, so what a multiplication reads
// is put into one commit: the first one after it on whose barrier somebody waits who overwrites the buffer, and where
// nobody does, the first one. By the time that one completes the reading is over, whichever commit is told first.
func settleReads(groups []*machine) {
	waits := map[int]map[int]bool{} // buffer → mbarriers that those who write it wait on
	for _, m := range groups {
		for b := range m.overwritten() {
			if waits[b] == nil {
				waits[b] = map[int]bool{}
			}
			for _, o := range m.ops {
				if o.Kind == protocol.Wait {
					waits[b][o.Object] = true
				}
			}
		}
	}
	for _, m := range groups {
		for i := range m.ops {
			if !commits(&m.ops[i], nil) {
				continue
			}
			m.ops[i].Access = slices.DeleteFunc(m.ops[i].Access, func(a protocol.Access) bool {
				known := waits[a.Buffer]
				if a.Write || len(known) == 0 || commits(&m.ops[i], known) {
					return false
				}
				for j := i + 1; j < len(m.ops); j++ {
					if commits(&m.ops[j], known) {
						m.ops[j].Access = append(m.ops[j].Access, a)
						return true
					}
				}
				return false
			})
		}
	}
}

// overwritten lists the buffers that the group's threads and asynchronous copies write.
func (m *machine) overwritten() map[int]bool {
	out := map[int]bool{}
	note := func(list []protocol.Access) {
		for _, a := range list {
			if a.Write {
				out[a.Buffer] = true
			}
		}
	}
	for i := range m.ops {
		note(m.ops[i].Access)
	}
	for _, b := range m.blocks {
		note(b)
	}
	return out
}

// commits reports whether an operation is an asynchronous arrival, on one of some mbarriers where these are given.
func commits(o *protocol.Op, on map[int]bool) bool {
	return o.Kind == protocol.Issue && slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool {
		return e.Arrivals > 0 && (on == nil || on[e.Mbar])
	})
}
