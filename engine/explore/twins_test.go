package explore

import (
	"context"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// twinned gives a class a second one with objects of its own in place of some, perhaps changed in one thing.
func twinned(r *rand.Rand, p *protocol.Protocol) {
	mbar, named := map[int]int{}, map[int]int{}
	for o := range p.Mbars {
		if mbar[o] = o; r.Intn(2) == 0 {
			mbar[o] = len(p.Mbars)
			m := p.Mbars[o]
			switch r.Intn(12) {
			case 0:
				m.Count++
			case 1:
				m.CTA = r.Intn(p.CTAs)
			}
			p.Mbars = append(p.Mbars, m)
		}
	}
	for o := range p.Named {
		if named[o] = o; r.Intn(2) == 0 {
			named[o] = len(p.Named)
			n := p.Named[o]
			n.ID += 8 * (1 + r.Intn(2))
			if r.Intn(8) == 0 {
				n.Threads++
			}
			p.Named = append(p.Named, n)
		}
	}
	first := r.Intn(len(p.Classes))
	for _, c := range []int{first, (first + 1) % len(p.Classes)}[:1+r.Intn(2)] {
		t := p.Classes[c]
		t.Ops, t.Blocks = slices.Clone(t.Ops), slices.Clone(t.Blocks)
		for l := range t.Ops {
			o := &t.Ops[l]
			switch {
			case o.Kind == protocol.NamedArrive || o.Kind == protocol.NamedSync:
				o.Object = named[o.Object]
			case usesMbar(o.Kind):
				o.Object = mbar[o.Object]
			}
			o.Effects = slices.Clone(o.Effects)
			for i := range o.Effects {
				o.Effects[i].Mbar = mbar[o.Effects[i].Mbar]
			}
			if r.Intn(8) == 0 {
				change(r, p, &t, l)
			}
		}
		switch r.Intn(12) {
		case 0:
			t.Count++
		case 1:
			t.CTA = r.Intn(p.CTAs)
		}
		p.Classes = append(p.Classes, t)
	}
}

// change makes one operation another.
func change(r *rand.Rand, p *protocol.Protocol, t *protocol.Class, l int) {
	o := &t.Ops[l]
	if len(p.Mbars) == 0 {
		return
	}
	switch r.Intn(10) {
	case 8, 9:
		if o.Kind == protocol.FlagAdd || o.Kind == protocol.FlagStore || o.Kind == protocol.Spin {
			o.Object = len(p.Flags)
			p.Flags = append(p.Flags, protocol.Flag{Name: "other", Initial: r.Intn(2)})
		}
	case 6:
		o.Drains = nil
	case 7:
		for i := range o.Effects {
			o.Effects[i].Bytes, o.Effects[i].Arrivals = r.Intn(3), r.Intn(2)
		}
	case 0:
		o.Parity ^= 1
	case 1:
		o.Count++
	case 2:
		o.Bytes++
	case 3:
		if usesMbar(o.Kind) {
			o.Object = r.Intn(len(p.Mbars))
		}
	case 4:
		for i := range o.Effects {
			o.Effects[i].Mbar = r.Intn(len(p.Mbars))
		}
	case 5:
		if len(p.Buffers) == 0 {
			return
		}
		other := []protocol.Access{{Buffer: r.Intn(len(p.Buffers)), Elements: []protocol.Range{{Lo: 0, Hi: 1}}}}
		if t.Blocks[l] = other; len(o.Access) > 0 {
			o.Access = other
		}
	}
}

// oneByOne is prove without twins: every class has its own runs.
func oneByOne(j *judge) *proof {
	pr := prove(j, unlimited(context.Background()))
	if pr.monotone == nil {
		return pr
	}
	pr = newProof(unlimited(context.Background()))
	pr.monotone, _ = compile(j)
	pr.firstUses()
	for c := range j.p.Classes {
		pr.chain(c)
	}
	if pr.differs == "" {
		pr.caps()
	}
	return pr
}

// TestTwins: what the proof says of a class because another is like it, the class's own runs say too.
func TestTwins(t *testing.T) {
	first, cases := seeds(0, 3000)
	mirrored := 0
	for seed := first; seed < first+cases; seed++ {
		r := rand.New(rand.NewSource(int64(seed)))
		p := random.Protocol(seed)
		twinned(r, p)
		if p.Validate() != nil {
			continue
		}
		got, want := prove(newJudge(p), unlimited(context.Background())), oneByOne(newJudge(p))
		if got.monotone == nil {
			continue
		}
		of, _ := got.twins()
		for _, x := range of {
			if x != nil {
				mirrored++
			}
		}
		if (got.differs == "") != (want.differs == "") {
			t.Fatalf("seed %d: %q with twins, %q without\n%s", seed, got.differs, want.differs, random.Print(p))
		}
		if !reflect.DeepEqual(got.reach, want.reach) {
			t.Fatalf("seed %d: who gets where differs\n%v\n%v\n%s", seed, got.reach, want.reach, random.Print(p))
		}
		for prop := range want.unsure {
			if got.unsure[prop].Code == 0 {
				t.Fatalf("seed %d: %s is sure with twins, not without: %s\n%s", seed, prop, want.unsure[prop], random.Print(p))
			}
		}
		for prop := range want.found {
			if _, ok := got.found[prop]; !ok {
				t.Fatalf("seed %d: %s is not found\n%s", seed, prop, random.Print(p))
			}
		}
		for o := range want.strays {
			if !got.strays[o] {
				t.Fatalf("seed %d: mbarrier %d does not stray\n%s", seed, o, random.Print(p))
			}
		}
		for at := range want.ahead {
			if !got.ahead[at] {
				t.Fatalf("seed %d: %v is not ahead\n%s", seed, at, random.Print(p))
			}
		}
	}
	if t.Logf("%d classes of %d protocols are mirrored", mirrored, cases); mirrored < cases/10 {
		t.Error("too few classes are mirrored")
	}
}

// TestNoTwins has, for every condition of an exchange, two warps that differ in nothing else.
func TestNoTwins(t *testing.T) {
	build := func() *protocol.Protocol {
		p := one(mb("shared", 4), mb("of warp 1", 3), mb("of warp 2", 3))
		p.CTAs = 2
		p.Mbars[0].CTA = 1
		p.Named = []protocol.Named{{ID: protocol.WarpBarrier + 1, Threads: 3}, {ID: protocol.WarpBarrier + 2, Threads: 3}, {ID: 1, Threads: 1}, {ID: 2, Threads: 1}}
		p.Flags = []protocol.Flag{{Name: "f"}, {Name: "g"}}
		p.Buffers = []protocol.Buffer{{Name: "a", CTA: 1, Elements: 1}, {Name: "b", CTA: -1, Elements: 1}}
		all := []protocol.Access{{Elements: []protocol.Range{{Hi: 1}}}}
		for w := range 2 {
			class(p, 0, 2, named(protocol.NamedSync, w), arrive(1+w), wait(1+w, 0), spin(">=", 0))
			class(p, 0, 1, named(protocol.NamedSync, w), arrive(1+w), wait(1+w, 0), expectTx(0, 4),
				protocol.Op{Kind: protocol.Issue, Access: slices.Clone(all), Effects: []protocol.Effect{{Mbar: 0, Bytes: 4, Arrivals: 1}}},
				protocol.Op{Kind: protocol.Drain, Drains: []int{4}}, add(1), named(protocol.NamedArrive, 2+w))
			p.Classes[2*w+1].Blocks[1] = slices.Clone(all)
		}
		class(p, 1, 2, expectTx(0, 4), arrive(0))
		return p
	}
	for _, c := range []struct {
		name  string
		twins int
		apart func(p *protocol.Protocol, rest, leader *protocol.Class)
	}{
		{"alike", 2, func(p *protocol.Protocol, rest, leader *protocol.Class) {}},
		{"CTA", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) {
			rest.CTA, leader.CTA, p.Named[1].CTA, p.Named[3].CTA = 1, 1, 1, 1
		}},
		{"threads", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Count++ }},
		{"kind", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[1].Kind = protocol.ArriveDrop }},
		{"count", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[3].Count = -1 }},
		{"comparison", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[3].Compare = ">" }},
		{"bytes", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Ops[3].Bytes = 8 }},
		{"parity", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[2].Parity = 1 }},
		{"drains", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Ops[5].Drains = nil }},
		{"flag", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[3].Object = 1 }},
		{"threads of the barrier", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { p.Named[3].Threads = 2 }},
		{"expected arrivals", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { p.Mbars[2].Count = 1 }},
		{"CTA of the mbarrier", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { p.Mbars[2].CTA = 1 }},
		{"bytes of the effect", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Ops[4].Effects[0].Bytes = 8 }},
		{"arrivals of the effect", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Ops[4].Effects[0].Arrivals = 0 }},
		{"buffer", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Blocks[1][0].Buffer = 1 }},
		{"buffer in flight", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { leader.Ops[4].Access[0].Buffer = 1 }},
		{"one object for two", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { rest.Ops[1].Object = 1 }},
		{"used by another", 0, func(p *protocol.Protocol, rest, leader *protocol.Class) { p.Classes[4].Ops[1].Object = 2 }},
	} {
		p := build()
		c.apart(p, &p.Classes[2], &p.Classes[3])
		if err := p.Validate(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		pr := prove(newJudge(p), unlimited(context.Background()))
		if pr.monotone == nil {
			t.Fatalf("%s: %s", c.name, pr.differs)
		}
		n := 0
		of, _ := pr.twins()
		for _, x := range of {
			if x != nil {
				n++
			}
		}
		if n != c.twins {
			t.Errorf("%s: %d twins, want %d", c.name, n, c.twins)
		}
	}
}
