package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// walkers is two CTAs of two classes each that do the same: three arrivals on the gate of their CTA, which expects four a
// phase, a CTA barrier, and a wait that passes.
func walkers() *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "walkers", CTAs: 2, Sites: []protocol.Site{{Path: "k.py", Line: 1}, {Path: "k.py", Line: 2}, {Path: "k.py", Line: 3}}}
	for cta := range 2 {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "gate", CTA: cta, Count: 4})
		p.Named = append(p.Named, protocol.Named{CTA: cta})
		ops := []protocol.Op{
			{Kind: protocol.Arrive, Object: cta, Count: 1, Site: 0},
			{Kind: protocol.NamedSync, Object: cta, Site: 1},
			{Kind: protocol.Wait, Object: cta, Parity: 1, Site: 2},
		}
		for _, ids := range [][]int{{0}, {1, 2}} {
			p.Classes = append(p.Classes, protocol.Class{CTA: cta, Count: len(ids), Threads: ids, Ops: slices.Clone(ops)})
		}
	}
	for c := range p.Classes {
		p.Classes[c].Name = fmt.Sprintf("class %d", c)
		p.Classes[c].Blocks = make([][]protocol.Access, len(p.Classes[c].Ops)+1)
	}
	return p
}

func shown(t *testing.T, p *protocol.Protocol, steps []engine.Step) string {
	t.Helper()
	out, err := replay.Walk(p, steps)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, l := range joined(p, out.Steps) {
		text = append(text, l.actor()+": "+l.effect)
	}
	return strings.Join(text, "\n")
}

func step(class, op, n int) engine.Step { return engine.Step{Class: class, Op: op, N: n} }

// Steps of one statement by several classes come together, and are one line; the last step stays the last.
func TestInOrder(t *testing.T) {
	p := walkers()
	steps := []engine.Step{
		step(0, 0, 1), step(0, 1, 1), step(2, 0, 1), step(1, 0, 2), step(2, 1, 1), step(1, 1, 2), step(3, 0, 2), step(3, 1, 2), step(0, 2, 1),
	}
	want := `threads 0-2 of CTAs 0 and 1: arrive on gate: 1 of 4 pending
threads 0-2 of CTAs 0 and 1: bar.sync on barrier 0: barrier complete
thread 0 of CTA 0: wait on gate phase 1 passes: gate is in phase 0`
	if got := shown(t, p, inOrder(p, steps)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A step does not pass one that it needs.
func TestInOrderKeepsWhatIsNeeded(t *testing.T) {
	p := walkers()
	p.Flags = []protocol.Flag{{Name: "go"}}
	p.Sites = append(p.Sites, protocol.Site{Path: "k.py", Line: 4}, protocol.Site{Path: "k.py", Line: 5})
	raise := protocol.Op{Kind: protocol.FlagAdd, Count: 1, Site: 3}
	stay := protocol.Op{Kind: protocol.Spin, Compare: ">=", Count: 1, Site: 4}
	p.Classes[0].Ops = append(p.Classes[0].Ops, raise)
	p.Classes[0].Blocks = append(p.Classes[0].Blocks, nil)
	for c := 2; c < 4; c++ {
		p.Classes[c].Ops = append([]protocol.Op{stay}, p.Classes[c].Ops...)
		p.Classes[c].Blocks = append(p.Classes[c].Blocks, nil)
	}
	steps := []engine.Step{
		step(0, 0, 1), step(1, 0, 2), step(0, 1, 1), step(1, 1, 2), step(0, 2, 1), step(0, 3, 1), step(2, 0, 1), step(2, 1, 1), step(3, 0, 2), step(3, 1, 2),
	}
	want := `threads 0-2 of CTA 0: arrive on gate: 1 of 4 pending
threads 0-2 of CTA 0: bar.sync on barrier 0: barrier complete
thread 0 of CTA 0: wait on gate phase 1 passes: gate is in phase 0
thread 0 of CTA 0: flag add on go: value 1
threads 0-2 of CTA 1: spin on go: value 1
threads 0-2 of CTA 1: arrive on gate: 1 of 4 pending`
	if got := shown(t, p, inOrder(p, steps)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What many warps do alike is one line, and so are inits in a row.
func TestWarpsInOneLine(t *testing.T) {
	r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{"mainloop/broken_releases_what_it_reads.py"}, Engine: Explore})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range r.Findings[0].Trace {
		lines = append(lines, s.Actor+": "+s.Text)
	}
	for _, want := range []string{
		"threads 128-383 of CTA 0: bar.sync on the barriers of warps 4-11: barrier complete",
		"thread 0 of CTA 0: init of storage.barriers[3], storage.barriers[4], storage.barriers[5]: 8 arrivals a phase",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}
