package protocol

import (
	"strings"
	"testing"
)

// smoother is two CTAs of n threads; in each of k iterations a thread arrives on both gates and waits on its own.
func smoother(n, k int, parity func(i int) int) *Protocol {
	p := &Protocol{Kernel: "smoother", CTAs: 2, Cluster: true, Mbars: []Mbarrier{{Name: "gate[0]", CTA: 0, Count: 2 * n}, {Name: "gate[1]", CTA: 1, Count: 2 * n}}}
	for cta := range 2 {
		c := Class{Name: "threads", CTA: cta, Count: n}
		for i := range k {
			c.Ops = append(c.Ops, Op{Kind: Arrive, Object: cta, Count: 1}, Op{Kind: Arrive, Object: 1 - cta, Count: 1}, Op{Kind: Wait, Object: cta, Parity: parity(i)})
		}
		c.Blocks = make([][]Access, len(c.Ops)+1)
		p.Classes = append(p.Classes, c)
	}
	return p
}

func TestCanonical(t *testing.T) {
	p := smoother(128, 30, func(i int) int { return i % 2 })
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	m := NewMachine(p)
	e := m.Canonical()
	for c := range p.Classes {
		if got := m.At(e.Final, c, 90); got != 128 {
			t.Errorf("class %d: %d threads at the end, want 128", c, got)
		}
		for i := range 30 {
			if e.WaitPhase(c, 3*i+2) != i {
				t.Errorf("class %d wait %d: phase %d", c, i, e.WaitPhase(c, 3*i+2))
			}
			if k, known := e.CreditPhase(c, 3*i, c); !known || k != i {
				t.Errorf("class %d arrive %d: credited to %d, %v", c, i, k, known)
			}
		}
	}
	if e := Canonical(smoother(4, 3, func(int) int { return 0 })); e.Broken || len(e.Batches) == 0 {
		t.Error("the hard-coded phase breaks the canonical execution")
	}
}

func TestStepUnderflow(t *testing.T) {
	p := &Protocol{CTAs: 1, Mbars: []Mbarrier{{Name: "b", CTA: 0, Count: 3}}, Classes: []Class{{Count: 2, Ops: []Op{{Kind: Arrive, Count: 2}}, Blocks: make([][]Access, 2)}}}
	m := NewMachine(p)
	s := m.Start()
	if !m.Step(s, 0, 0, 1) || m.Pending(s, 0) != 1 {
		t.Fatal("the first arrival fits")
	}
	if m.Step(s, 0, 0, 1) {
		t.Error("the second arrival of 2 on 1 pending must fail")
	}
	p.Classes[0].Count = 4
	if e := Canonical(p); !e.Broken || e.Batches[len(e.Batches)-1].N != 2 {
		t.Errorf("the canonical execution must end broken, with the second of four threads: %v", e.Batches)
	}
}

// TestBarrierExits: an exit lowers what a CTA-wide barrier waits for, and a cluster generation too.
func TestBarrierExits(t *testing.T) {
	p := &Protocol{CTAs: 1, Named: []Named{{}}, Classes: []Class{
		{Count: 3, Ops: []Op{{Kind: NamedSync}, {Kind: ClusterArrive}, {Kind: ClusterWait}}, Blocks: make([][]Access, 4)},
		{Count: 2, Ops: []Op{{Kind: Drain}}, Blocks: make([][]Access, 2)},
	}}
	m := NewMachine(p)
	s := m.Start()
	m.Step(s, 0, 0, 3)
	if m.At(s, 0, 1) != 0 {
		t.Fatal("the barrier completed without the second class")
	}
	m.Step(s, 1, 0, 1)
	if m.At(s, 0, 1) != 0 {
		t.Fatal("the barrier completed while a thread lives that has not arrived")
	}
	m.Step(s, 1, 0, 1)
	if m.At(s, 0, 1) != 3 {
		t.Fatal("the exits must complete the barrier")
	}
	m.Step(s, 0, 1, 2)
	if m.Enabled(s, 0, 2) {
		t.Fatal("two of three arrived on the cluster barrier")
	}
	m.Step(s, 0, 1, 1)
	if !m.Enabled(s, 0, 2) {
		t.Fatal("all arrived on the cluster barrier")
	}
}

func TestValidate(t *testing.T) {
	ok := func() *Protocol { return smoother(2, 1, func(int) int { return 0 }) }
	for want, spoil := range map[string]func(p *Protocol){
		"CTAs":               func(p *Protocol) { p.CTAs = 0 },
		"expects 0":          func(p *Protocol) { p.Mbars[0].Count = 0 },
		"is in CTA 7":        func(p *Protocol) { p.Mbars[0].CTA = 7 },
		"on object 2 of 2":   func(p *Protocol) { p.Classes[0].Ops[0].Object = 2 },
		"with count 0":       func(p *Protocol) { p.Classes[0].Ops[0].Count = 0 },
		"parity 2":           func(p *Protocol) { p.Classes[0].Ops[2].Parity = 2 },
		"has 1 blocks":       func(p *Protocol) { p.Classes[0].Blocks = p.Classes[0].Blocks[:1] },
		"unknown kind":       func(p *Protocol) { p.Classes[0].Ops[0].Kind = 99 },
		"must alternate":     func(p *Protocol) { p.Classes[0].Ops[0] = Op{Kind: ClusterWait} },
		"issues nothing":     func(p *Protocol) { p.Classes[0].Ops[0] = Op{Kind: Drain, Drains: []int{1}} },
		"has 0 threads":      func(p *Protocol) { p.Classes[1].Count = 0 },
		"access 0 to buffer": func(p *Protocol) { p.Classes[1].Blocks[0] = []Access{{}} },
	} {
		p := ok()
		spoil(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if err := ok().Validate(); err != nil {
		t.Error(err)
	}
}
