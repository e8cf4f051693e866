package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// handed records shared memory that a function of another file is given the address of. Whether that reads or writes is not
// known: settle tells where it can be told.
func (w *walker) handed(c *program.Call, p place, used bool) {
	if !w.words {
		return
	}
	alone := threadsOf(p.guards).single()
	if !alone && used {
		return
	}
	for _, x := range c.Args {
		address, is := x.(*program.Unary)
		if is = is && address.Op == "&"; is {
			x = address.X
		}
		s, ok := slotOf(x, p.in, 0)
		if !ok || s.given || !is && s.whole() {
			continue
		}
		s.any, s.given = s.rank > 0, !alone // all threads may be those of one warp each
		at := w.add(dialect.Op{Kind: sharedAccess, Span: c.Span}, p, true)
		at.slot, at.mode = &s, handed
		if alone {
			at.mode = handed | byOne
		}
	}
}

// offered records elements whose addresses a function of another file is given: it reads or writes them.
func (w *walker) offered(c *program.Call, p place) {
	if !p.in.lanes {
		return
	}
	for _, x := range c.Args {
		switch x.(type) {
		case *program.Binary, *program.Name:
			w.touch(pointee(x), offered, p)
		case *program.Unary:
			w.touch(x, offered, p)
		}
	}
}

// settle takes the first function that one thread gives an object to write it, where nothing else in the kernel does, and
// those that all threads give one to read it, where the kernel writes it and does not read it itself: somebody has to.
func (w *walker) settle() {
	done := map[string]mode{}
	for _, s := range w.sites {
		if s.slot != nil {
			done[s.slot.key] |= s.mode & (reads | writes)
		}
	}
	for _, s := range w.sites {
		switch {
		case s.mode&byOne != 0 && done[s.slot.key]&writes == 0:
			s.mode = writes
			done[s.slot.key] |= writes
		case s.mode == handed && done[s.slot.key] == writes:
			s.mode = reads
		}
	}
}
