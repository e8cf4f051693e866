package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// handed records shared memory whose address one thread gives to a function of another file. Whether that reads or writes
// is not known: settle tells where it can be told.
func (w *walker) handed(c *program.Call, p place) {
	if !w.words || !threadsOf(p.guards).single() {
		return
	}
	for _, x := range c.Args {
		address, is := x.(*program.Unary)
		if is && address.Op == "&" {
			x = address.X
		}
		s, ok := slotOf(x, p.in, 0)
		if !ok || s.given || !(is && address.Op == "&") && s.whole() {
			continue
		}
		s.any = s.rank > 0
		at := w.add(dialect.Op{Kind: sharedAccess, Span: c.Span}, p, true)
		at.slot = &s
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

// settle takes the first function that is given an object to write it, where nothing else in the kernel does: somebody has
// to.
func (w *walker) settle() {
	written := map[string]bool{}
	for _, s := range w.sites {
		if s.slot != nil && s.mode&writes != 0 {
			written[s.slot.key] = true
		}
	}
	for _, s := range w.sites {
		if s.slot != nil && s.mode == 0 && !written[s.slot.key] {
			s.mode = writes
			written[s.slot.key] = true
		}
	}
}
