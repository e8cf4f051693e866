package memory

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Allocated is the tensor memory that a kernel reserves, and frees: how many columns, by where; -1: that is not known, or not always the same.
type Allocated struct {
	reserved, freed map[protocol.Site]int64
	Freed           bool // some is, or may be
	first           protocol.Site
}

// Reserve notes an allocation, and reports whether there are several.
func (a *Allocated) Reserve(at protocol.Site, count value.Value) (several bool) {
	if len(a.reserved) == 0 {
		a.first = at
	}
	note(&a.reserved, at, count)
	return len(a.reserved) > 1
}

// Free notes where columns are freed.
func (a *Allocated) Free(at protocol.Site, count value.Value) {
	a.Freed = true
	note(&a.freed, at, count)
}

// Any reports whether the kernel reserves some.
func (a *Allocated) Any() bool { return len(a.reserved) > 0 }

func note(sites *map[protocol.Site]int64, at protocol.Site, count value.Value) {
	n := int64(-1)
	if v, known := value.Whole(count).(value.Int); known {
		n = int64(v)
	}
	if *sites == nil {
		*sites = map[protocol.Site]int64{}
	}
	if before, met := (*sites)[at]; met && before != n {
		n = -1
	}
	(*sites)[at] = n
}

// Misfit says what is wrong with what is freed: all that a kernel allocated it has to free before it exits (PTX ISA 9.7.16.7.1). Where it is allocated in one place and
// freed in one, these are of as many columns; a free of none is a library's, of those that it was allocated for. missing: no thread frees any.
func (a *Allocated) Misfit() (at protocol.Site, what string, missing bool) {
	if len(a.reserved) == 1 && len(a.freed) == 1 {
		for _, reserved := range a.reserved {
			for at, n := range a.freed {
				if n > 0 && reserved > 0 && n != reserved {
					return at, fmt.Sprintf("this frees %d columns of tensor memory, and %d are allocated; expected as many", n, reserved), false
				}
			}
		}
	}
	if a.Any() && !a.Freed {
		return a.first, "this allocates tensor memory, and no thread frees it; expected tcgen05.dealloc before the kernel exits", true
	}
	return at, "", false
}
