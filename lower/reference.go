package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// References of C++ (C++ [dcl.ref]) are bound to places: variables, or elements of memory, where each use is an access.

// memoryPlace is a variable that is memory: a __shared__ one without extents or a reference to an element: reading and
// writing it are memory accesses.
type memoryPlace struct {
	m *machine
	p pointer
}

func (v memoryPlace) get() value {
	if v.p.block.mbarrier {
		return v.p
	}
	return v.m.read(v.p, v.m.at)
}

func (v memoryPlace) set(x value) { v.m.store(v.p, x, v.m.at) }

// put stores to a place, for the target of an assignment: what is memory is accessed there.
func (m *machine) put(l location, v value, target program.Node) {
	m.at = target
	l.set(v)
}
