package check

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// racing is two threads that both write and read all of the buffers, with nothing between them.
func racing(buffers ...string) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "racing", Values: map[string]string{"n": "1"}, CTAs: 1}
	var accesses []protocol.Access
	for i, name := range buffers {
		p.Buffers = append(p.Buffers, protocol.Buffer{Name: name, Elements: 1})
		p.Sites = append(p.Sites, protocol.Site{Path: "k.py", Line: 5 + i, Text: "write"}, protocol.Site{Path: "k.py", Line: 15, Text: "read"})
		whole := []protocol.Range{{Lo: 0, Hi: 1}}
		accesses = append(accesses, protocol.Access{Buffer: i, Write: true, Elements: whole, Site: 2 * i}, protocol.Access{Buffer: i, Elements: whole, Site: 2*i + 1})
	}
	p.Classes = []protocol.Class{{Name: "threads 0-1 of CTA 0", Count: 2, Threads: []int{0, 1}, Blocks: [][]protocol.Access{accesses}}}
	return p
}

// Each buffer that is raced for is told once, up to a number, with a counterexample of its own.
func TestEveryRaceIsTold(t *testing.T) {
	for _, test := range []struct {
		instances []*protocol.Protocol
		want      string
	}{
		{[]*protocol.Protocol{racing("tile")}, "tile"},
		{[]*protocol.Protocol{racing("tile", "halo", "tile")}, "tile halo"}, // one in each of two CTAs, say
		{[]*protocol.Protocol{racing("tile"), racing("tile", "sums")}, "tile sums"},
		{[]*protocol.Protocol{racing("a", "b", "c", "d", "e", "f", "g")}, "a b c d e"},
	} {
		e := engines{explore: explore.Check, replay: replay.Run}
		d, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), test.instances, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		kernel := &lower.Kernel{Name: "racing", Path: "k.py", Line: 5, Instances: test.instances}
		fs, _ := foldAll(nil, &kernelResult{Kernel: kernel, decision: d})
		var got []string
		for _, f := range fs {
			_, rest, _ := strings.Cut(f.Message, "write of \"")
			name, _, _ := strings.Cut(rest, "\"")
			got = append(got, name)
			if f.Rule != "FP720" || f.Severity != finding.Error || len(f.Trace) != 2 || !strings.HasSuffix(f.Trace[1].Text, name) {
				t.Errorf("got %+v", f)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("races told on %q, want %q", got, test.want)
		}
	}
}

// While a kernel hangs, its races follow from that.
func TestNoRacesOfAHangingKernel(t *testing.T) {
	asked := 0
	p := racing("tile", "halo")
	pair := &engine.Pair{}
	answers := map[protocol.Property]engine.Answer{
		protocol.Deadlock: {Verdict: engine.Violated, Trace: &engine.Trace{}},
		protocol.Race:     {Verdict: engine.Violated, Trace: &engine.Trace{Pair: pair}},
	}
	e := engines{
		explore: func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result {
			asked++
			return says("explore", answers)
		},
		replay: func(p *protocol.Protocol, t *engine.Trace, _ protocol.Property) (*replay.Outcome, error) {
			return replay.Walk(p, t.Steps)
		},
	}
	if _, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), []*protocol.Protocol{p}, nil, nil); err != nil || asked != 1 {
		t.Errorf("explore asked %d times, want 1 (%v)", asked, err)
	}
}

// What overlaps only with a width that nobody gives is no error.
func TestRaceBySupposedWidth(t *testing.T) {
	for supposed, want := range map[string]finding.Severity{"tile": finding.Warning, "halo": finding.Error} {
		p := racing("tile")
		e := engines{explore: explore.Check, replay: replay.Run}
		d, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), []*protocol.Protocol{p}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		kernel := &lower.Kernel{Name: "racing", Path: "k.py", Line: 5, Instances: []*protocol.Protocol{p}, Supposed: map[string]string{supposed: "a.element_type is 16 bits wide"}}
		fs, _ := foldAll(nil, &kernelResult{Kernel: kernel, decision: d})
		if len(fs) != 1 || fs[0].Severity != want || strings.Contains(strings.Join(fs[0].Notes, "\n"), "overlap if a.element_type") != (want == finding.Warning) {
			t.Errorf("%s: got %+v", supposed, fs)
		}
	}
}
