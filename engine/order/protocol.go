package order

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// mbarriersAt is the offset in a CTA's memory from which on the mbarriers of a protocol are.
const mbarriersAt = 0xf00000

// FromProtocol is the program of a lowered kernel: each class as warps of its threads. A place is the number of a site, and
// a named barrier has the number of its place in the protocol. The error says what a program cannot have: operations whose
// outcome depends on the order of others, as flags.
func FromProtocol(p *protocol.Protocol) (*Program, error) {
	t := &translation{p: p}
	return t.program()
}

// Barriers is the program of a lowered kernel with nothing but its barriers, named barriers by their ids. Flags are left out, so
// it may do more than the kernel: then it is not exact, and only what holds for it means something.
func Barriers(p *protocol.Protocol) (q *Program, exact bool, err error) {
	t := &translation{p: p, bare: true}
	q, err = t.program()
	return q, !t.loose, err
}

// translation is a program as it grows.
type translation struct {
	p       *protocol.Protocol
	out     *Program
	bare    bool     // barriers only
	loose   bool     // something was left out that orders threads
	buffers []uint32 // address of each
	values  map[storedValue]uint32
}

func (t *translation) program() (*Program, error) {
	t.out = &Program{Name: t.p.Kernel, CTAs: t.p.CTAs + 1, EqualForms: true, Once: t.bare}
	if err := t.objects(); err != nil {
		return nil, err
	}
	for i := range t.p.Classes {
		c := &t.p.Classes[i]
		for first := 0; first < c.Count; first += 32 {
			if err := t.class(c, first, min(32, c.Count-first)); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	return t.out, t.out.Validate()
}

// objects lays out memory, and takes the mbarriers that no operation initialises as initialised.
func (t *translation) objects() error {
	inits := map[int]int{}
	for i := range t.p.Classes {
		for _, o := range t.p.Classes[i].Ops {
			if o.Kind == protocol.Init {
				inits[o.Object]++
			}
		}
	}
	for i, b := range t.p.Mbars {
		if inits[i] == 0 {
			t.out.Objects = append(t.out.Objects, Object{Address: t.mbar(i), Count: uint32(b.Count), Armed: b.Armed})
		}
	}
	if t.p.CTAs+1 > maxCTAs || len(t.p.Mbars) > (1<<offsetBits-mbarriersAt)/8-1 {
		return fmt.Errorf("%d CTAs and %d mbarriers are too many", t.p.CTAs, len(t.p.Mbars))
	}
	if t.bare {
		return nil
	}
	next := make([]int, t.p.CTAs+1)
	for _, b := range t.p.Buffers {
		cta := b.CTA
		if cta < 0 {
			cta = t.p.CTAs // global memory
		}
		if next[cta]+b.Elements >= mbarriersAt {
			return fmt.Errorf("buffer %s of %d elements is too large", b.Name, b.Elements)
		}
		t.buffers = append(t.buffers, Shared(cta, uint32(next[cta])))
		next[cta] += b.Elements + 1
	}
	return nil
}

func (t *translation) mbar(i int) uint32 {
	return Shared(t.p.Mbars[i].CTA, mbarriersAt+uint32(8*i))
}

// class adds a warp for some threads of a class.
func (t *translation) class(c *protocol.Class, first, n int) error {
	lanes := uint32(1<<n - 1)
	thread := first
	if len(c.Threads) > 0 {
		thread = c.Threads[first]
	}
	w := t.out.AddWarp(c.CTA, thread, lanes)
	var issued []int // locations of operations without effects, in order
	for l := range c.Ops {
		if err := t.block(w, c.Blocks[l], first, n); err != nil {
			return err
		}
		o := &c.Ops[l]
		switch o.Kind {
		case protocol.Issue:
			if len(o.Effects) == 0 {
				issued = append(issued, l)
			}
			if err := t.issue(w, o, first, n); err != nil {
				return err
			}
		case protocol.Drain:
			if t.bare {
				continue // all operations are done at once
			}
			pending, err := drained(c, o, issued)
			if err != nil {
				return err
			}
			w.WaitGroup(uint32(o.Site), lanes, Bulk, pending, 0)
		default:
			if err := t.op(w, o, lanes); err != nil {
				return err
			}
		}
	}
	return t.block(w, c.Blocks[len(c.Ops)], first, n)
}

// drained is how many of the operations issued so far a drain does not wait for, which must be the latest.
func drained(c *protocol.Class, o *protocol.Op, issued []int) (int, error) {
	in := map[int]bool{}
	for _, d := range o.Drains {
		in[d] = true
	}
	if c.Count > 1 {
		return 0, fmt.Errorf("%d threads wait for the operations that all of them issued", c.Count)
	}
	n := 0
	for _, l := range issued {
		if in[l] {
			n++
			delete(in, l)
		} else if n > 0 && n < len(o.Drains) {
			return 0, fmt.Errorf("a wait leaves out an operation that was issued before others that it waits for")
		}
	}
	if len(in) > 0 {
		return 0, fmt.Errorf("a wait for operations that complete on mbarriers")
	}
	if n > 0 && (len(issued) < n || !prefix(o.Drains, issued[:n])) {
		return 0, fmt.Errorf("a wait leaves out the first operations")
	}
	return len(issued) - n, nil
}

// prefix reports whether both have the same locations.
func prefix(drains, issued []int) bool {
	in := map[int]bool{}
	for _, d := range drains {
		in[d] = true
	}
	for _, l := range issued {
		if !in[l] {
			return false
		}
	}
	return true
}

// op appends an operation that is a command.
func (t *translation) op(w *Warp, o *protocol.Op, lanes uint32) error {
	place := uint32(o.Site)
	switch o.Kind {
	case protocol.Init:
		b := t.p.Mbars[o.Object]
		w.Init(place, lanes, t.mbar(o.Object), uint32(b.Count))
		if b.Armed {
			w.Commands[len(w.Commands)-1].Flags |= Armed
		}
	case protocol.Arrive:
		w.Contribute(MbarArrive, place, lanes, t.mbar(o.Object), uint32(o.Count), 0)
	case protocol.ArriveExpectTx:
		w.Contribute(MbarArrive, place, lanes, t.mbar(o.Object), uint32(o.Count), uint32(o.Bytes))
	case protocol.ArriveDrop:
		w.Contribute(MbarDrop, place, lanes, t.mbar(o.Object), uint32(o.Count), uint32(o.Bytes))
	case protocol.ExpectTx:
		w.Contribute(MbarExpect, place, lanes, t.mbar(o.Object), 0, uint32(o.Bytes))
	case protocol.CompleteTx:
		w.Contribute(MbarComplete, place, lanes, t.mbar(o.Object), 0, uint32(o.Bytes))
	case protocol.Wait:
		w.Wait(place, lanes, t.mbar(o.Object), uint32(o.Parity))
	case protocol.NamedArrive, protocol.NamedSync:
		return t.named(w, o, lanes)
	case protocol.ClusterArrive:
		w.Joint(ClusterArrive, place, lanes, 0)
	case protocol.ClusterWait:
		w.Joint(ClusterWait, place, lanes, 0)
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		if t.bare {
			t.loose = true
			return nil
		}
		return fmt.Errorf("%s: what it does depends on the order of other operations", o.Kind)
	default:
		return fmt.Errorf("%s: what it does depends on the order of other operations", o.Kind)
	}
	return nil
}

func (t *translation) named(w *Warp, o *protocol.Op, lanes uint32) error {
	b, kind, id := t.p.Named[o.Object], NamedSync, uint32(o.Object)
	count := b.Threads
	if t.bare {
		id = uint32(b.ID)
	}
	if o.Kind == protocol.NamedArrive {
		kind = NamedArrive
		if !t.bare && count == 0 {
			return fmt.Errorf("an arrive in barrier %d of all threads, which has no count", b.ID)
		}
	}
	if t.bare && count == 0 && t.arrivesWide(b) {
		count = t.threads(b.CTA) // an arrive has a count (PTX ISA 9.7.13.1)
	}
	w.Named(kind, uint32(o.Site), lanes, id, uint32(count), 0)
	return nil
}

// arrivesWide reports whether some thread arrives in a barrier of all threads of a CTA without waiting.
func (t *translation) arrivesWide(b protocol.Named) bool {
	for i := range t.p.Classes {
		for _, o := range t.p.Classes[i].Ops {
			if o.Kind == protocol.NamedArrive && t.p.Named[o.Object] == b {
				return true
			}
		}
	}
	return false
}

// threads is how many threads a CTA has.
func (t *translation) threads(cta int) (n int) {
	for i := range t.p.Classes {
		if t.p.Classes[i].CTA == cta {
			n += t.p.Classes[i].Count
		}
	}
	return n
}

// issue appends an asynchronous operation of each lane.
func (t *translation) issue(w *Warp, o *protocol.Op, first, n int) error {
	lanes := uint32(1<<n - 1)
	c := Copy{Unit: Bulk}
	for _, e := range o.Effects {
		c.Effects = append(c.Effects, Effect{Mbar: t.mbar(e.Mbar), Bytes: uint32(e.Bytes), Arrivals: uint32(e.Arrivals)})
	}
	for i := range o.Access {
		a := &o.Access[i]
		if t.bare {
			break
		}
		if a.Parts != protocol.Whole {
			return fmt.Errorf("accesses of parts that are not known")
		}
		pieces := t.pieces(a, first, n)
		if len(pieces) > 1 {
			return fmt.Errorf("operations of %d threads on ranges that are not regular", n)
		}
		for _, x := range pieces {
			c.Accesses = append(c.Accesses, Span{x.Address, a.Write})
		}
	}
	w.Issue(uint32(o.Site), lanes, c)
	if len(o.Effects) == 0 && !t.bare {
		w.Commit(uint32(o.Site), lanes, Bulk)
	}
	return nil
}

// block appends the accesses of threads between two operations.
func (t *translation) block(w *Warp, list []protocol.Access, first, n int) error {
	if t.bare {
		return nil
	}
	for i := range list {
		a := &list[i]
		if a.Parts != protocol.Whole || a.Async {
			return fmt.Errorf("accesses of parts that are not known, or of instructions that go on")
		}
		for _, x := range t.pieces(a, first, n) {
			if a.Write {
				w.Write(uint32(a.Site), x.lanes, x.Address, Value{Form: t.stored(a)}, 0)
			} else {
				w.Read(uint32(a.Site), x.lanes, x.Address, 0)
			}
		}
	}
	return nil
}

// stored is a number for what a write stores; 0 where threads store different values. Where the protocol does not say, writes
// of one line count as writes of one value (protocol.Conflict).
func (t *translation) stored(a *protocol.Access) uint32 {
	if a.Stored == protocol.Distinct {
		return 0
	}
	v := storedValue{value: a.Stored}
	if a.Stored == 0 {
		v.line = t.p.Sites[a.Site]
		v.line.Text = ""
	}
	if t.values == nil {
		t.values = map[storedValue]uint32{}
	}
	if t.values[v] == 0 {
		t.values[v] = uint32(len(t.values) + 1)
	}
	return t.values[v]
}

// storedValue is a value that writes store, or the line of writes of which only that is known.
type storedValue struct {
	value int
	line  protocol.Site
}

// pieces is what the threads of a warp access, as affine addresses.
func (t *translation) pieces(a *protocol.Access, first, n int) (out []printKey) {
	base := t.buffers[a.Buffer]
	if len(a.Elements) == 1 {
		if e := a.Elements[0]; e.Hi > e.Lo {
			return []printKey{{Address{base + uint32(e.Lo), 0, uint32(e.Hi - e.Lo)}, 1<<n - 1}}
		}
		return nil
	}
	for i := 0; i < n; {
		e := a.Elements[first+i]
		j, stride := i+1, 0
		for ; j < n; j++ {
			f, step := a.Elements[first+j], a.Elements[first+j].Lo-a.Elements[first+j-1].Lo
			if f.Hi-f.Lo != e.Hi-e.Lo || j > i+1 && step != stride {
				break
			}
			stride = step
		}
		if e.Hi > e.Lo {
			at := base + uint32(e.Lo) - uint32(i*stride)
			out = append(out, printKey{Address{at, int32(stride), uint32(e.Hi - e.Lo)}, (1<<(j-i) - 1) << i})
		}
		i = j
	}
	return out
}
