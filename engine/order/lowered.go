package order

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Lowered is a program as a protocol, whose interleavings a search can visit: where the conditions of this package fail, phases depend on
// the order of arrivals, and a program may be right all the same. It is the inverse of FromProtocol.
type Lowered struct {
	Protocol *protocol.Protocol
	program  *Program
	classes  []loweredClass
}

// loweredClass says which commands a class was made of.
type loweredClass struct {
	warp, lane int // of its first thread
	ops        []int32
	accesses   [][]int32 // by block
}

// mostLowered bounds the commands of all classes together.
const mostLowered = 1 << 18

// Lower makes a protocol of a program. The error says what it cannot have.
func (p *Program) Lower() (*Lowered, error) {
	t := &lowering{p: p, out: &Lowered{program: p, Protocol: &protocol.Protocol{Kernel: p.Name, CTAs: p.CTAs, Cluster: p.CTAs > 1}},
		objects: map[lowered]int{}, classes: map[string]int{}, values: map[Value]int{}, sites: map[uint32]int{}}
	if len(p.Objects) > 0 {
		return nil, errors.New("an mbarrier is there from the start")
	}
	if err := t.initialised(); err != nil {
		return nil, err
	}
	for i := range p.Warps {
		for _, lanes := range strandsOf(p.Warps[i]) {
			if err := t.strand(i, lanes); err != nil {
				return nil, err
			}
		}
	}
	q := t.out.Protocol
	q.Buffers = make([]protocol.Buffer, p.CTAs, p.CTAs+1)
	for cta := range q.Buffers {
		q.Buffers[cta] = protocol.Buffer{Name: fmt.Sprintf("shared memory of CTA %d", cta), CTA: cta, Elements: 1 << offsetBits}
	}
	q.Buffers = append(q.Buffers, protocol.Buffer{Name: "global memory", Elements: 1 << offsetBits})
	for i := range q.Classes {
		c := &q.Classes[i]
		c.Count = len(c.Threads)
		for l := range c.Blocks {
			for k := range c.Blocks[l] {
				alike(&c.Blocks[l][k])
			}
		}
		for l := range c.Ops {
			for k := range c.Ops[l].Access {
				alike(&c.Ops[l].Access[k])
			}
		}
	}
	return t.out, q.Validate()
}

// alike keeps one range of an access that is the same for all threads.
func alike(a *protocol.Access) {
	if !slices.ContainsFunc(a.Elements, func(r protocol.Range) bool { return r != a.Elements[0] }) {
		a.Elements = a.Elements[:1]
	}
}

// Operation is the command that an operation of a class was made of, by its first thread.
func (l *Lowered) Operation(class, op int) Point {
	c := &l.classes[class]
	return l.point(c, int(c.ops[op]))
}

// Access is the command that a side of a race was made of.
func (l *Lowered) Access(x engine.Accessor) Point {
	c := &l.classes[x.Class]
	if x.InFlight {
		return l.point(c, int(c.ops[x.Location]))
	}
	return l.point(c, int(c.accesses[x.Location][x.Index]))
}

func (l *Lowered) point(c *loweredClass, index int) Point {
	return Point{Warp: c.warp, Index: index, Lane: c.lane, Place: l.program.Warps[c.warp].Commands[index].Place}
}

// lowered is what an object of a protocol is made of: an mbarrier by its address, a named barrier by its number and CTA.
type lowered struct {
	kind     Kind // MbarInit, NamedSync or WarpSync
	cta      int
	at, mask uint32
}

// lowering is a protocol as it grows.
type lowering struct {
	p       *Program
	out     *Lowered
	objects map[lowered]int
	classes map[string]int
	values  map[Value]int
	sites   map[uint32]int
	size    int
}

// initialised makes an mbarrier for each that has one init: of two it is not said which is the object's.
func (t *lowering) initialised() error {
	q := t.out.Protocol
	for _, w := range t.p.Warps {
		for i := range w.Commands {
			c := &w.Commands[i]
			switch c.Kind {
			case MbarInval:
				return errors.New("an mbarrier is invalidated")
			case MbarInit:
				key := lowered{kind: MbarInit, at: c.A}
				if _, again := t.objects[key]; again || c.Mask&(c.Mask-1) != 0 {
					return errors.New("an mbarrier is initialised twice")
				}
				t.objects[key] = len(q.Mbars)
				name := fmt.Sprintf("mbarrier at %#x", c.A&(1<<offsetBits-1))
				q.Mbars = append(q.Mbars, protocol.Mbarrier{Name: name, CTA: int(c.A >> offsetBits), Count: int(c.B), Armed: c.Flags&Armed != 0})
			}
		}
	}
	return nil
}

// strandsOf are the lanes of a warp, those that run the same commands together.
func strandsOf(w *Warp) []uint32 {
	out := []uint32{w.Lanes}
	last := w.Lanes
	for i := range w.Commands {
		mask := w.Commands[i].Mask
		if mask == last {
			continue
		}
		last = mask
		for k, n := 0, len(out); k < n; k++ {
			if in := out[k] & mask; in != 0 && in != out[k] {
				out = append(out, out[k]&^mask)
				out[k] = in
			}
		}
	}
	return slices.DeleteFunc(out, func(m uint32) bool { return m == 0 })
}

// strand adds the threads of a strand, to the class of those that do the same.
func (t *lowering) strand(warp int, lanes uint32) error {
	w := t.p.Warps[warp]
	var key []byte
	word := func(n uint32) { key = binary.LittleEndian.AppendUint32(key, n) }
	word(uint32(w.CTA))
	for i := range w.Commands {
		c := &w.Commands[i]
		if c.Mask&lanes == 0 {
			continue
		}
		if t.size++; t.size > mostLowered {
			return fmt.Errorf("there are more than %d commands", mostLowered)
		}
		word(uint32(c.Kind))
		word(c.Place)
		switch {
		case c.Kind.Access():
			word(c.C)
			word(uint32(t.stored(w, c)))
		case c.Kind == AsyncCopy:
			word(uint32(warp)) // what they copy is of each warp its own
			word(c.C)
		case c.Kind == WarpSync:
			word(uint32(warp))
			word(c.Mask)
		default:
			word(c.A)
			word(uint32(c.B))
			word(c.C)
		}
	}
	q := t.out.Protocol
	n, known := t.classes[string(key)]
	if !known {
		n = len(q.Classes)
		t.classes[string(key)] = n
		q.Classes = append(q.Classes, protocol.Class{Name: fmt.Sprintf("threads from %d on of CTA %d", w.First+bits.TrailingZeros32(lanes), w.CTA), CTA: w.CTA, Blocks: make([][]protocol.Access, 1)})
		t.out.classes = append(t.out.classes, loweredClass{warp: warp, lane: bits.TrailingZeros32(lanes), accesses: make([][]int32, 1)})
		for i := range w.Commands {
			if c := &w.Commands[i]; c.Mask&lanes != 0 {
				if err := t.command(&q.Classes[n], &t.out.classes[n], w, int32(i), lanes); err != nil {
					return err
				}
			}
		}
	}
	t.threads(&q.Classes[n], w, lanes)
	return nil
}

// stored is Access.Stored of a command.
func (t *lowering) stored(w *Warp, c *Command) int {
	const atomic = 1
	switch {
	case c.Kind == Atomic:
		return atomic
	case c.Kind != Write:
		return 0
	case c.D == 0 || w.values[c.D-1].Stride != 0:
		return protocol.Distinct
	}
	v := w.values[c.D-1]
	if t.values[v] == 0 {
		t.values[v] = len(t.values) + atomic + 1
	}
	return t.values[v]
}

func (t *lowering) site(place uint32) int {
	q := t.out.Protocol
	n, known := t.sites[place]
	if !known {
		n = len(q.Sites)
		t.sites[place] = n
		q.Sites = append(q.Sites, protocol.Site{Line: int(place) + 1})
	}
	return n
}

// command adds an access or an operation to a class.
func (t *lowering) command(class *protocol.Class, from *loweredClass, w *Warp, index int32, lanes uint32) error {
	c := &w.Commands[index]
	site := t.site(c.Place)
	if c.Kind.Access() {
		last := len(class.Blocks) - 1
		at := c.A + uint32(c.B)*uint32(bits.TrailingZeros32(c.Mask)) // of a lane that accesses it; that of lane 0 may be of another CTA
		class.Blocks[last] = append(class.Blocks[last], protocol.Access{Buffer: t.p.memory(at), Write: c.Kind != Read, Site: site, Stored: t.stored(w, c)})
		from.accesses[last] = append(from.accesses[last], index)
		return nil
	}
	o, err := t.op(class, w, c, lanes)
	if err != nil || o == nil {
		return err
	}
	o.Site = site
	class.Ops, class.Blocks = append(class.Ops, *o), append(class.Blocks, nil)
	from.ops, from.accesses = append(from.ops, index), append(from.accesses, nil)
	return nil
}

var mbarKinds = map[Kind]protocol.Kind{MbarInit: protocol.Init, MbarArrive: protocol.Arrive, MbarDrop: protocol.ArriveDrop, MbarExpect: protocol.ExpectTx,
	MbarComplete: protocol.CompleteTx, MbarWait: protocol.Wait}

// op is the operation of a command.
func (t *lowering) op(class *protocol.Class, w *Warp, c *Command, lanes uint32) (*protocol.Op, error) {
	if kind, is := mbarKinds[c.Kind]; is {
		object, known := t.objects[lowered{kind: MbarInit, at: c.A}]
		if !known {
			return nil, errors.New("an mbarrier is used that nobody initialises")
		}
		o := &protocol.Op{Kind: kind, Object: object}
		switch c.Kind {
		case MbarWait:
			o.Parity = int(c.C)
		case MbarInit:
		default:
			o.Count, o.Bytes = int(c.B), int(c.C)
			if c.Kind == MbarArrive && c.C > 0 {
				o.Kind = protocol.ArriveExpectTx
			}
		}
		return o, nil
	}
	switch c.Kind {
	case NamedArrive, NamedSync:
		if t.p.WholeWarps && bits.OnesCount32(c.Mask) != 32 {
			return nil, errors.New("part of a warp comes to a barrier that counts whole warps")
		}
		kind := protocol.NamedSync
		if c.Kind == NamedArrive {
			kind = protocol.NamedArrive
		}
		n, err := t.named(lowered{kind: NamedSync, cta: w.CTA, at: c.A}, protocol.Named{ID: int(c.A), CTA: w.CTA, Threads: int(c.C)})
		return &protocol.Op{Kind: kind, Object: n}, err
	case WarpSync:
		n, err := t.named(lowered{kind: WarpSync, cta: w.CTA, at: uint32(w.First), mask: c.Mask},
			protocol.Named{ID: protocol.WarpBarrier + w.First/32, CTA: w.CTA, Threads: bits.OnesCount32(c.Mask)})
		return &protocol.Op{Kind: protocol.NamedSync, Object: n}, err
	case ClusterArrive:
		return &protocol.Op{Kind: protocol.ClusterArrive}, nil
	case ClusterWait:
		return &protocol.Op{Kind: protocol.ClusterWait}, nil
	case AsyncCopy:
		return t.issue(w, c, lanes)
	}
	return nil, fmt.Errorf("%s: what it means depends on what its thread did before", c.Kind)
}

// named is the number of a named barrier, which must have one count.
func (t *lowering) named(key lowered, b protocol.Named) (int, error) {
	q := t.out.Protocol
	n, known := t.objects[key]
	if !known {
		n = len(q.Named)
		t.objects[key], q.Named = n, append(q.Named, b)
	}
	if q.Named[n] != b {
		return 0, fmt.Errorf("barrier %d has several counts", b.ID)
	}
	return n, nil
}

// issue is an asynchronous operation that tells mbarriers when it is done. Others are waited for by groups, of each thread its own.
func (t *lowering) issue(w *Warp, c *Command, lanes uint32) (*protocol.Op, error) {
	copied := w.Copy(c)
	o := &protocol.Op{Kind: protocol.Issue}
	for _, e := range copied.Effects {
		object, known := t.objects[lowered{kind: MbarInit, at: e.Mbar}]
		if !known {
			return nil, errors.New("an mbarrier is told that nobody initialises")
		}
		o.Effects = append(o.Effects, protocol.Effect{Mbar: object, Bytes: int(e.Bytes), Arrivals: int(e.Arrivals)})
	}
	if len(o.Effects) == 0 || copied.Pipe != 0 || copied.Feeds {
		return nil, errors.New("an asynchronous operation is waited for by groups, or in the order of a pipe")
	}
	for _, s := range copied.Accesses {
		a := protocol.Access{Buffer: t.p.memory(s.Base), Write: s.Write, Site: t.site(c.Place), Stored: protocol.Distinct}
		for m := lanes; m != 0; m &= m - 1 {
			a.Elements = append(a.Elements, elements(s.Address, bits.TrailingZeros32(m)))
		}
		o.Access = append(o.Access, a)
	}
	return o, nil
}

// elements are the bytes that a lane accesses.
func elements(a Address, lane int) protocol.Range {
	lo := int(a.Base+uint32(int(a.Stride)*lane)) & (1<<offsetBits - 1)
	return protocol.Range{Lo: lo, Hi: lo + int(a.Size)}
}

// threads adds the threads of a strand, and what each accesses.
func (t *lowering) threads(class *protocol.Class, w *Warp, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		class.Threads = append(class.Threads, w.First+bits.TrailingZeros32(m))
	}
	block, k := 0, 0
	for i := range w.Commands {
		c := &w.Commands[i]
		if c.Mask&lanes == 0 {
			continue
		}
		if !c.Kind.Access() {
			block, k = block+1, 0
			continue
		}
		a := &class.Blocks[block][k]
		k++
		for m := lanes; m != 0; m &= m - 1 {
			a.Elements = append(a.Elements, elements(Address{c.A, c.B, c.C}, bits.TrailingZeros32(m)))
		}
	}
}
