package check

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// hanging is a protocol of one thread that arrives once on a barrier that wants two arrivals, and waits.
func hanging() *protocol.Protocol {
	return &protocol.Protocol{
		Kernel: "hanging", Values: map[string]string{"n": "1"}, CTAs: 1,
		Mbars: []protocol.Mbarrier{{Name: "gate", Count: 2}},
		Classes: []protocol.Class{{
			Name: "thread 0 of CTA 0", Count: 1, Threads: []int{0},
			Ops: []protocol.Op{
				{Kind: protocol.Arrive, Count: 1, Site: 0},
				{Kind: protocol.Wait, Site: 1},
			},
			Blocks: make([][]protocol.Access, 3),
		}},
		Sites: []protocol.Site{{Path: "k.py", Line: 10, Text: "arrive"}, {Path: "k.py", Line: 11, Text: "wait"}},
	}
}

var toTheWait = &engine.Trace{Steps: []engine.Step{{Class: 0, Op: 0, N: 1}}}

// says makes an engine's result: holds for every property that is not named.
func says(name string, answers map[protocol.Property]engine.Answer) *engine.Result {
	r := &engine.Result{Engine: name, Properties: map[protocol.Property]engine.Answer{}, States: 7}
	for _, p := range protocol.Properties {
		r.Properties[p] = engine.Answer{Verdict: engine.Holds, Object: -1}
	}
	for p, a := range answers {
		r.Properties[p] = a
	}
	return r
}

var (
	hangs     = map[protocol.Property]engine.Answer{protocol.Deadlock: {Verdict: engine.Violated, Trace: toTheWait}}
	hangsBare = map[protocol.Property]engine.Answer{protocol.Deadlock: {Verdict: engine.Violated}}
	hangsElse = map[protocol.Property]engine.Answer{protocol.Deadlock: {Verdict: engine.Violated, Trace: &engine.Trace{}}}
	unknown   = map[protocol.Property]engine.Answer{protocol.Deadlock: {Verdict: engine.Inconclusive, Reason: "the state limit of 10"}}
)

func TestDecide(t *testing.T) {
	tests := []struct {
		name          string
		choice        string
		explore, spin map[protocol.Property]engine.Answer
		suspected     []protocol.Property
		noSpin        bool
		want          engine.Verdict
		engines       string
		err           string
	}{
		{name: "explore alone", choice: Explore, explore: hangs, want: engine.Violated, engines: "explore"},
		{name: "SPIN confirms a violation", choice: Auto, explore: hangs, spin: hangs, want: engine.Violated, engines: "explore spin"},
		{name: "SPIN is not installed", choice: Auto, explore: hangs, noSpin: true, want: engine.Violated, engines: "explore"},
		{name: "SPIN is asked about suspects", choice: Auto, suspected: []protocol.Property{protocol.Deadlock}, want: engine.Holds, engines: "explore spin"},
		{name: "SPIN is not asked without cause", choice: Auto, spin: hangs, want: engine.Holds, engines: "explore"},
		{name: "SPIN decides what explore cannot", choice: Both, explore: unknown, want: engine.Holds, engines: "spin"},
		{name: "a limit leaves it undecided", choice: Explore, explore: unknown, want: engine.Inconclusive},
		{name: "SPIN alone", choice: Spin, explore: unknown, spin: hangs, want: engine.Violated, engines: "spin"},
		{name: "SPIN says the opposite", choice: Both, explore: hangs, err: "explore says violated, spin says holds"},
		{name: "explore says the opposite", choice: Both, spin: hangs, err: "explore says holds, spin says violated"},
		{name: "a trace that leads nowhere", choice: Explore, explore: hangsElse, err: "does not replay"},
		{name: "a violation without a trace", choice: Explore, explore: hangsBare, err: "gives no trace"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := engines{
				explore: func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result {
					return says("explore", test.explore)
				},
				spin: func(_ context.Context, _ *protocol.Protocol, props []protocol.Property, _ engine.Limits) *engine.Result {
					return says("spin", test.spin)
				},
				replay:  replay.Run,
				hasSpin: !test.noSpin,
			}
			d, err := e.decide(context.Background(), &Options{Engine: test.choice}, newBudget(engine.Limits{}, 1), []*protocol.Protocol{hanging()}, nil, test.suspected)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a := d.answers[protocol.Deadlock]
			if a.verdict != test.want {
				t.Errorf("verdict %s (%s), want %s", a.verdict, a.reason, test.want)
			}
			if got := strings.Join(a.engines, " "); got != test.engines {
				t.Errorf("engines %q, want %q", got, test.engines)
			}
			if a.verdict == engine.Violated && (a.outcome == nil || len(a.outcome.Steps) != 1) {
				t.Errorf("the violation was not replayed: %+v", a.outcome)
			}
		})
	}
}

// The worst instance decides, and the first violated one is the one that is reported.
func TestDecideInstances(t *testing.T) {
	verdicts := map[string]map[protocol.Property]engine.Answer{"holds": nil, "violated": hangs, "unknown": unknown}
	tests := []struct {
		instances []string
		want      engine.Verdict
		reported  string
	}{
		{[]string{"holds", "holds"}, engine.Holds, "0"},
		{[]string{"holds", "unknown", "holds"}, engine.Inconclusive, "1"},
		{[]string{"unknown", "violated", "violated"}, engine.Violated, "1"},
	}
	for _, test := range tests {
		var instances []*protocol.Protocol
		for i, v := range test.instances {
			p := hanging()
			p.Values = map[string]string{"index": string(rune('0' + i)), "says": v}
			instances = append(instances, p)
		}
		e := engines{
			explore: func(_ context.Context, p *protocol.Protocol, _ engine.Limits) *engine.Result {
				return says("explore", verdicts[p.Values["says"]])
			},
			replay: replay.Run,
		}
		d, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), instances, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := d.answers[protocol.Deadlock]
		if a.verdict != test.want || a.instance.Values["index"] != test.reported {
			t.Errorf("%v: %s by instance %s, want %s by %s", test.instances, a.verdict, a.instance.Values["index"], test.want, test.reported)
		}
		if want := 7 * len(instances); d.states != want {
			t.Errorf("%v: %d states, want %d", test.instances, d.states, want)
		}
	}
}

// What one instance leaves over is the next one's; when nothing is left, the rest stays undecided.
func TestShare(t *testing.T) {
	lim := engine.Limits{States: 400_000, Time: 8 * time.Second}
	tests := []struct {
		states, instances int
		spent             time.Duration
		want              int
		wantTime          time.Duration
		ok                bool
	}{
		{states: 0, instances: 4, want: 100_000, wantTime: 2 * time.Second, ok: true},
		{states: 1_000, instances: 3, want: 133_000, wantTime: 2 * time.Second, spent: 2 * time.Second, ok: true},
		{states: 350_000, instances: 4, want: 50_000, wantTime: 2 * time.Second, ok: true},
		{states: 0, instances: 64, want: leastStates, wantTime: 125 * time.Millisecond, ok: true},
		{states: 400_000, instances: 1},
		{states: 0, instances: 1, spent: 9 * time.Second},
	}
	for _, test := range tests {
		got, ok := share(lim, test.states, test.spent, test.instances)
		if ok != test.ok || ok && (got.States != test.want || got.Time != test.wantTime) {
			t.Errorf("%+v: %d states, %v, %t", test, got.States, got.Time, ok)
		}
	}
	if got, ok := share(engine.Limits{States: 5}, 0, time.Hour, 1); !ok || got.States != 5 || got.Memory != kernelMemory || got.Time != 0 {
		t.Errorf("without a limit of time: %+v, %t", got, ok)
	}
}

// The configurations of a kernel have one budget: what the default one leaves over is the others'.
func TestBudget(t *testing.T) {
	tests := []struct {
		states  int
		configs int
		uses    []int
		want    []int
	}{
		{configs: 1, uses: []int{0}, want: []int{kernelStates}},
		{configs: 3, uses: []int{5000, 0, 0}, want: []int{kernelStates / 2, (kernelStates - 5000) / 2, kernelStates - 5000}},
		{states: 1000, configs: 2, uses: []int{1000, 0}, want: []int{500, 0}},
		{states: 100_000, configs: 9, uses: []int{40_000, 50_000, 0}, want: []int{50_000, 60_000, 10_000}},
	}
	for _, test := range tests {
		b := newBudget(engine.Limits{States: test.states}, test.configs)
		for i, used := range test.uses {
			if got := b.next(); got.States != test.want[i] {
				t.Errorf("%d states, %d configurations: number %d has %d, want %d", test.states, test.configs, i, got.States, test.want[i])
			}
			b.states += used
		}
	}
}

// A protocol that two configurations have is searched once, unless more may be spent on it the second time.
func TestRemembering(t *testing.T) {
	calls := 0
	e := engines{explore: func(_ context.Context, p *protocol.Protocol, _ engine.Limits) *engine.Result {
		calls++
		return says("explore", map[string]map[protocol.Property]engine.Answer{"gate": hangs, "door": unknown}[p.Mbars[0].Name])
	}}.remembering()
	door := func(name, value string) *protocol.Protocol {
		p := hanging()
		p.Mbars[0].Name, p.Values = name, map[string]string{"n": value}
		return p
	}
	for i, step := range []struct {
		p      *protocol.Protocol
		states int
		calls  int
	}{
		{door("door", "1"), 1000, 1},
		{door("door", "2"), 1500, 1},
		{door("door", "2"), 5000, 2},
		{door("gate", "1"), 1000, 3},
		{door("gate", "3"), 900, 3},
	} {
		r := e.explore(context.Background(), step.p, engine.Limits{States: step.states})
		if calls != step.calls || len(r.Properties) != len(protocol.Properties) {
			t.Errorf("step %d: asked %d times, want %d", i, calls, step.calls)
		}
	}
}

// The time that the user gives is for all configurations of a kernel; what is used up is not without a limit.
func TestTimeOfConfigurations(t *testing.T) {
	b := newBudget(engine.Limits{Time: time.Minute}, 3)
	if lim := b.next(); lim.Time != time.Minute {
		t.Errorf("the first may take %s", lim.Time)
	}
	b.spent = 50 * time.Second
	if lim := b.next(); lim.Time != 10*time.Second {
		t.Errorf("the second may take %s", lim.Time)
	}
	b.spent = 2 * time.Minute
	if lim, ok := share(b.next(), 0, time.Millisecond, 1); ok {
		t.Errorf("the third may take %s", lim.Time)
	}
	if lim := newBudget(engine.Limits{}, 1).next(); lim.Time != 0 {
		t.Errorf("without a limit, %s", lim.Time)
	}
}
