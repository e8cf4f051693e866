package protocol

import "fmt"

// Caps on a protocol: far above any launch, and low enough that every sum below stays inside an int and every pass
// over a protocol ends soon. A protocol may come from a stranger's kernel.
const (
	maxCount   = 1<<20 - 1 // PTX 9.7.13.15.2: the range of pending arrivals
	maxBytes   = 1 << 30
	maxValue   = 1 << 31
	maxThreads = 1 << 20
	maxOps     = 1 << 20
	maxCTAs    = 1 << 12
	maxObjects = 1 << 16
	maxSteps   = 1 << 28 // threads times operations
	maxTable   = 1 << 26 // classes times objects
)

// Validate reports the first thing that makes p meaningless: an index out of range, a count the PTX manual forbids, a
// cluster arrive without its wait. Engines refuse what does not validate.
func (p *Protocol) Validate() error {
	if p == nil {
		return fmt.Errorf("protocol is nil")
	}
	if err := p.validateObjects(); err != nil {
		return fmt.Errorf("protocol %q: %w", p.Kernel, err)
	}
	threads, ops, steps := 0, 0, 0
	if objects := p.objectCount(); objects > maxObjects || len(p.Classes)*(objects+p.CTAs) > maxTable {
		return fmt.Errorf("protocol %q: %d objects and %d classes are too many", p.Kernel, objects, len(p.Classes))
	}
	for i := range p.Classes {
		c := &p.Classes[i]
		if err := p.validateClass(c); err != nil {
			return fmt.Errorf("protocol %q: class %d (%s): %w", p.Kernel, i, c.Name, err)
		}
		threads += c.Count
		ops += len(c.Ops)
		steps += c.Count * len(c.Ops)
	}
	if threads > maxThreads || ops > maxOps || steps > maxSteps {
		return fmt.Errorf("protocol %q: %d threads and %d operations, %d steps; at most %d, %d and %d are handled", p.Kernel, threads, ops, steps, maxThreads, maxOps, maxSteps)
	}
	return nil
}

func (p *Protocol) objectCount() int {
	return len(p.Mbars) + len(p.Named) + len(p.Flags) + len(p.Buffers)
}

func (p *Protocol) validateObjects() error {
	if p.CTAs < 1 || p.CTAs > maxCTAs {
		return fmt.Errorf("%d CTAs; want 1 to %d", p.CTAs, maxCTAs)
	}
	if p.GPUs < 0 || p.GPUs > 1 && (p.CTAs%p.GPUs != 0 || p.Cluster) {
		return fmt.Errorf("%d CTAs on %d GPUs; want as many on each, and no cluster", p.CTAs, p.GPUs)
	}
	for i, m := range p.Mbars {
		if m.CTA < 0 || m.CTA >= p.CTAs {
			return fmt.Errorf("mbarrier %d (%s) is in CTA %d of %d", i, m.Name, m.CTA, p.CTAs)
		}
		if m.Count < 1 || m.Count > maxCount {
			return fmt.Errorf("mbarrier %d (%s) expects %d arrivals; want 1 to %d", i, m.Name, m.Count, maxCount)
		}
	}
	for i, n := range p.Named {
		if n.CTA < 0 || n.CTA >= p.CTAs || n.ID < 0 || n.ID >= WarpBarrier+32 || n.Threads < 0 || n.Threads > maxThreads {
			return fmt.Errorf("named barrier %d: id %d, CTA %d, %d threads is out of range", i, n.ID, n.CTA, n.Threads)
		}
	}
	for i, f := range p.Flags {
		if f.Initial < -maxValue || f.Initial > maxValue {
			return fmt.Errorf("flag %d (%s) starts at %d, out of range", i, f.Name, f.Initial)
		}
	}
	for i, b := range p.Buffers {
		if b.CTA < -1 || b.CTA >= p.CTAs || b.Elements < 0 {
			return fmt.Errorf("buffer %d (%s): CTA %d, %d elements is out of range", i, b.Name, b.CTA, b.Elements)
		}
	}
	return nil
}

func (p *Protocol) validateClass(c *Class) error {
	if c.CTA < 0 || c.CTA >= p.CTAs {
		return fmt.Errorf("is in CTA %d of %d", c.CTA, p.CTAs)
	}
	if c.Count < 1 || c.Count > maxThreads {
		return fmt.Errorf("has %d threads", c.Count)
	}
	if len(c.Threads) != 0 && len(c.Threads) != c.Count {
		return fmt.Errorf("names %d threads and has %d", len(c.Threads), c.Count)
	}
	if len(c.Blocks) != len(c.Ops)+1 {
		return fmt.Errorf("has %d blocks for %d operations; want one more than operations", len(c.Blocks), len(c.Ops))
	}
	for l := range c.Ops {
		if err := p.validateOp(c, &c.Ops[l]); err != nil {
			return fmt.Errorf("operation %d: %w", l, err)
		}
	}
	if l, ok := c.OutOfTurn(); ok {
		return fmt.Errorf("operation %d: %s out of turn; arrive and wait on the cluster barrier must alternate", l, c.Ops[l].Kind)
	}
	for l, block := range c.Blocks {
		if err := p.validateAccesses(c, block); err != nil {
			return fmt.Errorf("block %d: %w", l, err)
		}
	}
	return nil
}

// OutOfTurn finds the first operation of a class on the cluster barrier that is not in turn: an arrive where the
// thread has arrived and not waited since, or a wait where it has not arrived. Both are undefined (PTX ISA 9.7.13.3).
func (c *Class) OutOfTurn() (op int, found bool) {
	waiting := false // an arrive without its wait is pending
	for l, o := range c.Ops {
		if o.Kind != ClusterArrive && o.Kind != ClusterWait {
			continue
		}
		if waiting == (o.Kind == ClusterArrive) {
			return l, true
		}
		waiting = !waiting
	}
	return 0, false
}

func (p *Protocol) validateOp(c *Class, o *Op) error {
	if int(o.Kind) >= len(kindNames) {
		return fmt.Errorf("unknown kind %d", o.Kind)
	}
	if !p.siteOK(o.Site) {
		return fmt.Errorf("site %d of %d", o.Site, len(p.Sites))
	}
	if n := p.objects(o.Kind); n >= 0 && (o.Object < 0 || o.Object >= n) {
		return fmt.Errorf("%s on object %d of %d", o.Kind, o.Object, n)
	}
	if o.Bytes < 0 || o.Bytes > maxBytes {
		return fmt.Errorf("%s of %d bytes", o.Kind, o.Bytes)
	}
	switch o.Kind {
	case Arrive, ArriveExpectTx, ArriveDrop:
		if o.Count < 1 || o.Count > maxCount {
			return fmt.Errorf("%s with count %d", o.Kind, o.Count)
		}
	case Wait:
		if o.Parity != 0 && o.Parity != 1 {
			return fmt.Errorf("wait for parity %d", o.Parity)
		}
	case NamedArrive, NamedSync:
		if p.Named[o.Object].CTA != c.CTA {
			return fmt.Errorf("%s on a barrier of CTA %d by a thread of CTA %d", o.Kind, p.Named[o.Object].CTA, c.CTA)
		}
	case FlagAdd, FlagStore, Spin, FlagSwap:
		if n := max(o.Count, -o.Count, o.Value, -o.Value); n < 0 || n > maxValue {
			return fmt.Errorf("%s with values %d and %d", o.Kind, o.Count, o.Value)
		}
		if o.Kind.Polls() && !comparisons[o.Compare] {
			return fmt.Errorf("%s with comparison %q", o.Kind, o.Compare)
		}
	case Issue:
		return p.validateIssue(c, o)
	case Drain:
		for _, d := range o.Drains {
			if d < 0 || d >= len(c.Ops) || c.Ops[d].Kind != Issue {
				return fmt.Errorf("drains operation %d, which issues nothing", d)
			}
		}
	}
	return nil
}

var comparisons = map[string]bool{"==": true, "!=": true, ">=": true, ">": true, "<=": true, "<": true}

// objects is how many objects an operation of kind k may name, -1 if it names none.
func (p *Protocol) objects(k Kind) int {
	switch k {
	case Init, Arrive, ArriveExpectTx, ArriveDrop, ExpectTx, CompleteTx, Wait:
		return len(p.Mbars)
	case NamedArrive, NamedSync:
		return len(p.Named)
	case FlagAdd, FlagStore, Spin, FlagSwap:
		return len(p.Flags)
	}
	return -1
}

func (p *Protocol) validateIssue(c *Class, o *Op) error {
	for _, e := range o.Effects {
		if e.Mbar < 0 || e.Mbar >= len(p.Mbars) || e.Bytes < 0 || e.Bytes > maxBytes || e.Arrivals < 0 || e.Arrivals > maxCount {
			return fmt.Errorf("effect on mbarrier %d of %d: %d bytes, %d arrivals", e.Mbar, len(p.Mbars), e.Bytes, e.Arrivals)
		}
	}
	return p.validateAccesses(c, o.Access)
}

func (p *Protocol) validateAccesses(c *Class, as []Access) error {
	for i := range as {
		a := &as[i]
		if a.Buffer < 0 || a.Buffer >= len(p.Buffers) {
			return fmt.Errorf("access %d to buffer %d of %d", i, a.Buffer, len(p.Buffers))
		}
		if !p.siteOK(a.Site) {
			return fmt.Errorf("access %d: site %d of %d", i, a.Site, len(p.Sites))
		}
		if a.Pending && !a.Async || a.Share < 0 || a.Deal < 0 {
			return fmt.Errorf("access %d is pending without being asynchronous, or has share %d or deal %d", i, a.Share, a.Deal)
		}
		if len(a.Elements) != 1 && len(a.Elements) != c.Count {
			return fmt.Errorf("access %d names %d ranges for %d threads", i, len(a.Elements), c.Count)
		}
		for _, r := range a.Elements {
			if r.Lo < 0 || r.Hi < r.Lo || r.Hi > p.Buffers[a.Buffer].Elements {
				return fmt.Errorf("access %d to elements %d to %d of %d of %s", i, r.Lo, r.Hi, p.Buffers[a.Buffer].Elements, p.Buffers[a.Buffer].Name)
			}
		}
	}
	return nil
}

// siteOK accepts site 0 of a protocol without sites: models made by hand have none.
func (p *Protocol) siteOK(s int) bool { return s >= 0 && (s < len(p.Sites) || s == 0) }
