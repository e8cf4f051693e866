package flagmatrix

import (
	"fmt"
	"strconv"

	"github.com/fencepost-dev/fencepost/protocol"
)

// builder makes the protocol of a barrier.
type builder struct {
	*Barrier
	p     *protocol.Protocol
	sites map[string]int
}

// Protocol is the barrier for the engines of interleavings. Blocks are CTAs, numbered GPU by GPU; threads that poll
// different flags are classes of their own, those without a flag are one class a block. The end of a launch is a counter
// of the GPU, which all its threads raise and wait for.
func (b *Barrier) Protocol() *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "multi-gpu-barrier", CTAs: b.GPUs * b.Blocks, GPUs: b.GPUs, Values: map[string]string{
		"gpus": strconv.Itoa(b.GPUs), "blocks": strconv.Itoa(b.Blocks), "threads": strconv.Itoa(b.Threads), "calls": strconv.Itoa(b.Calls)}}
	m := &builder{b, p, map[string]int{}}
	for r := range b.GPUs {
		for w := range b.GPUs {
			for s := range b.slots() {
				name := signal{r, w, s}.String()
				p.Flags = append(p.Flags, protocol.Flag{Name: name})
				p.Buffers = append(p.Buffers, protocol.Buffer{Name: name, CTA: -1, Elements: b.Calls})
			}
		}
	}
	for g := range b.GPUs {
		p.Flags = append(p.Flags, protocol.Flag{Name: fmt.Sprintf("launches[%d]", g)})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{CTA: cta})
		for t := range b.GPUs {
			m.class(thread{cta / b.Blocks, cta % b.Blocks, t}, 1)
		}
		if rest := b.Threads - b.GPUs; rest > 0 {
			m.class(thread{cta / b.Blocks, cta % b.Blocks, b.GPUs}, rest)
		}
	}
	return p
}

// class adds n threads that do the same, of which t is the first.
func (m *builder) class(t thread, n int) {
	c := protocol.Class{Name: t.String(), CTA: t.gpu*m.Blocks + t.block, Count: n, Blocks: make([][]protocol.Access, 1)}
	if n > 1 {
		c.Name = fmt.Sprintf("GPU %d, block %d, threads %d-%d", t.gpu, t.block, t.id, t.id+n-1)
	}
	for i := range n {
		c.Threads = append(c.Threads, t.id+i)
	}
	for k := 1; k <= m.Calls; k++ {
		for _, o := range m.call(t, k) {
			m.add(&c, t, o)
		}
	}
	m.p.Classes = append(m.p.Classes, c)
}

// add appends an operation, and where it stands on a flag the access to it that begins before.
func (m *builder) add(c *protocol.Class, t thread, o op) {
	do := func(q protocol.Op, text string) {
		q.Site = m.site(text)
		c.Ops, c.Blocks = append(c.Ops, q), append(c.Blocks, nil)
	}
	f := (o.signal.reader*m.GPUs+o.signal.writer)*m.slots() + o.signal.slot
	touch := func(write bool, r protocol.Range, text string) {
		last := len(c.Blocks) - 1
		c.Blocks[last] = append(c.Blocks[last], protocol.Access{Buffer: f, Write: write, Elements: []protocol.Range{r}, Site: m.site(text)})
	}
	switch o.kind {
	case store:
		text := fmt.Sprintf("store %d to %s", o.call, o.signal)
		if o.call > 1 {
			touch(true, protocol.Range{Hi: o.call - 1}, text)
		}
		do(protocol.Op{Kind: protocol.FlagStore, Object: f, Count: o.call}, text)
	case poll:
		text := fmt.Sprintf("poll %s for %d", o.signal, o.call)
		touch(false, protocol.Range{Lo: o.call - 1, Hi: o.call}, text)
		do(protocol.Op{Kind: protocol.Spin, Object: f, Compare: "==", Count: o.call}, text)
	case sync:
		do(protocol.Op{Kind: protocol.NamedSync, Object: c.CTA}, "barrier of the block")
	case boundary:
		if o.call == 1 {
			return // nothing synchronizes before the first launch
		}
		launches := len(m.p.Flags) - m.GPUs + t.gpu
		do(protocol.Op{Kind: protocol.FlagAdd, Object: launches, Count: 1}, fmt.Sprintf("end launch %d on GPU %d", o.call-1, t.gpu))
		do(protocol.Op{Kind: protocol.Spin, Object: launches, Compare: ">=", Count: (o.call - 1) * m.Blocks * m.Threads},
			fmt.Sprintf("begin launch %d on GPU %d, behind all of launch %d", o.call, t.gpu, o.call-1))
	}
}

func (m *builder) site(text string) int {
	i, ok := m.sites[text]
	if !ok {
		i = len(m.p.Sites)
		m.sites[text] = i
		m.p.Sites = append(m.p.Sites, protocol.Site{Path: "multi-gpu-barrier", Text: text})
	}
	return i
}
