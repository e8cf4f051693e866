package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A tcgen05.commit arrives when all multiplications of the thread before it are done (PTX ISA 9.7.16.12.1), those that
// earlier commits follow too. In the model the operations in flight complete in any order, so what a multiplication reads
// is put into one commit: the one that the next write of the elements waits for, and where that does not show, the first
// one on whose barrier somebody waits who overwrites the buffer. By the time that one completes the reading is over,
// whichever commit is told first.
func settleReads(groups []*machine) {
	waits := map[int]map[int]bool{} // buffer → mbarriers that those who write it wait on
	writers := map[int]*machine{}   // the first group that writes a buffer: the others wait like it
	for _, m := range groups {
		for b := range m.overwritten() {
			if waits[b] == nil {
				waits[b], writers[b] = map[int]bool{}, m
			}
			for _, o := range m.ops {
				if o.Kind == protocol.Wait {
					waits[b][o.Object] = true
				}
			}
		}
	}
	for _, m := range groups {
		m.moveReads(waits, writers)
	}
}

// moveReads puts what the group's multiplications read into the commits that say when it may be overwritten.
func (m *machine) moveReads(waits map[int]map[int]bool, writers map[int]*machine) {
	told, read := map[int][]memory.Fill{}, map[int][]protocol.Access{}
	moved, spread := make([][]protocol.Access, len(m.ops)), build.Spread{}
	for i := range m.ops {
		if !memory.Commits(&m.ops[i], nil) {
			continue
		}
		m.ops[i].Access = slices.DeleteFunc(slices.Clone(m.ops[i].Access), func(a protocol.Access) bool {
			w := writers[a.Buffer]
			if a.Write || w == nil || m.in.isColumns(a.Buffer) {
				return false
			}
			if _, done := told[a.Buffer]; !done {
				told[a.Buffer] = m.fillsOf(a.Buffer, w)
			}
			read[a.Buffer] = append(read[a.Buffer], a)
			to := m.nextFill(told[a.Buffer], read[a.Buffer], i)
			if to < 0 {
				to = m.anyCommit(i, waits[a.Buffer])
			}
			if to <= i {
				return false
			}
			spread.Add(a, i+1, to)
			moved[to] = append(moved[to], a)
			return true
		})
	}
	spread.Into(m.blocks)
	for to, list := range moved {
		for _, a := range list {
			m.ops[to].Access = with(m.ops[to].Access, a)
		}
	}
}

// anyCommit is the first commit from a place on that arrives on one of some mbarriers, or that place where none does.
func (m *machine) anyCommit(at int, on map[int]bool) int {
	for j := at; j < len(m.ops); j++ {
		if memory.Commits(&m.ops[j], on) {
			return j
		}
	}
	return at
}

// fillsOf lists what a group writes to a buffer after waits for commits of m, each time it is written once.
func (m *machine) fillsOf(buffer int, by *machine) []memory.Fill {
	arrives := map[int]bool{}
	for i := range m.ops {
		if memory.Commits(&m.ops[i], nil) {
			for _, e := range m.ops[i].Effects {
				arrives[e.Mbar] = true
			}
		}
	}
	var out []memory.Fill
	var wait *protocol.Op
	note := func(list []protocol.Access) {
		for _, a := range list {
			if !a.Write || a.Buffer != buffer || slices.ContainsFunc(out, func(f memory.Fill) bool { return f.Wait == wait && protocol.Overlap(f.Elements, a.Elements) }) {
				continue
			}
			out = append(out, memory.Fill{Elements: a.Elements, Wait: wait})
		}
	}
	for i := range by.blocks {
		if i > 0 {
			o := &by.ops[i-1]
			if o.Kind == protocol.Wait && arrives[o.Object] {
				wait = o
			}
			note(o.Access)
		}
		note(by.blocks[i])
	}
	return out
}

// nextFill is the commit, from a place on, that the write of the elements after the one that the last of some reads is of
// waits for: one read for each time they were written, or, where each write of them waits for the same mbarrier, the first
// commit that arrives on it, however often they are read. It is -1 where there is no such write.
func (m *machine) nextFill(fills []memory.Fill, reads []protocol.Access, at int) int {
	last := reads[len(reads)-1]
	if on := memory.OnlyWait(fills, last.Elements); on >= 0 {
		return m.anyCommit(at, map[int]bool{on: true})
	}
	n := 0
	for _, r := range reads {
		n += int(value.Bool(protocol.Overlap(r.Elements, last.Elements)))
	}
	for _, f := range fills {
		if !protocol.Overlap(f.Elements, last.Elements) {
			continue
		}
		if n--; n < 0 && f.Wait != nil {
			return m.commitOn(f.Wait, at)
		}
	}
	return -1
}

// commitOn is the first commit from a place on that ends a phase of the parity of a wait, -1 where there is none.
func (m *machine) commitOn(wait *protocol.Op, at int) int {
	phase := 0
	for i := range m.ops {
		if !memory.Commits(&m.ops[i], map[int]bool{wait.Object: true}) {
			continue
		}
		if i >= at && phase&1 == wait.Parity {
			return i
		}
		phase++
	}
	return -1
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
