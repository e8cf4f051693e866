package check

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// TestEnginesAgreeOnTestdata has SPIN and explore decide every kernel at its small size. Where they differ, decide fails.
// Both must confirm what the head says; what else is true of a broken kernel may be out of one engine's limits. Where SPIN
// has searched all, a search of every state has as many.
func TestEnginesAgreeOnTestdata(t *testing.T) {
	if _, _, ok := spin.Available(); !ok {
		t.Fatal("spin and a C compiler are needed (make test installs them)")
	}
	tree := openTestdata(t)
	for _, k := range loweredFiles(t, tree) {
		if k.small == nil || k.verdict == "inconclusive" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			k.bothEngines(t, tree)
		})
	}
}

func (k *kernelFile) bothEngines(t *testing.T, tree *source.Tree) {
	kernel := smallKernel(t, tree, k)
	kernel.Instances = longest(kernel.Instances)
	// Time is no part of what is tested: a loaded machine must not turn a verdict into inconclusive.
	lim := engine.Limits{Time: 10 * time.Minute}
	d, err := counted(t).decide(context.Background(), &Options{Engine: Both, Limits: lim}, newBudget(lim, 1), kernel.Instances, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &kernelResult{Kernel: kernel, decision: d}
	if got := r.entry(); got.Verdict != k.verdict {
		t.Errorf("%s, want %s: %q", got.Verdict, k.verdict, got.Reasons)
	}
	for _, p := range protocol.Properties {
		a := r.answer(p)
		needed := slices.Contains(k.violated, p) || k.verdict == "holds" && !p.Warning()
		if needed && len(a.engines) != 2 {
			t.Errorf("%s %s by %v: %s %s", p, a.verdict, a.engines, a.reason, a.unconfirmed)
		}
	}
}

// counted is the installed engines, with the states of SPIN compared with those of a search without any reduction.
func counted(t *testing.T) engines {
	e := installed()
	e.spin = func(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits) *engine.Result {
		r := spin.Run(ctx, p, props, lim)
		sameStates(t, p, r)
		return r
	}
	return e
}

// comparedStates bounds the searches that are done again to count their states.
const comparedStates = 1 << 18

// sameStates compares the states of a search by SPIN that came to its end with something that holds.
func sameStates(t *testing.T, p *protocol.Protocol, r *engine.Result) {
	t.Helper()
	open := false
	for prop, a := range r.Properties {
		open = open || a.Verdict == engine.Holds
		if strings.Contains(a.Reason, "internal error") {
			t.Errorf("%s: %s", prop, a.Reason)
		}
	}
	if !r.Complete || !open || r.States > comparedStates {
		return
	}
	if x := explore.Exhaust(context.Background(), p, engine.Limits{States: 2 * comparedStates}); x.States != r.States {
		t.Errorf("%v: SPIN has %d states, explore %d", p.Values, r.States, x.States)
	}
}

// largeStates bounds the instances of kernels without a small size that SPIN searches to the end.
const largeStates = 1 << 15

// TestSpinOnLargeTestdata is for the kernels that no choice of constants makes small. SPIN searches those of their
// instances that are small anyway; of the others it is asked to find what the head says is violated, with as little memory
// as it can have: where it runs out of that it says nothing, and else it must not say that the kernel is right.
func TestSpinOnLargeTestdata(t *testing.T) {
	if _, _, ok := spin.Available(); !ok {
		t.Fatal("spin and a C compiler are needed (make test installs them)")
	}
	tree := openTestdata(t)
	var found, whole atomic.Int32
	t.Run("kernels", func(t *testing.T) {
		for _, k := range loweredFiles(t, tree) {
			if k.small != nil || k.verdict == "inconclusive" {
				continue
			}
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				instances := smallKernel(t, tree, &k).Instances
				if p := searchable(instances); p != nil {
					whole.Add(1)
					agreed(t, p)
				} else if k.verdict == "violated" && confirmed(t, instances, k.violated[0]) {
					found.Add(1)
				}
			})
		}
	})
	t.Logf("%d searched to the end, %d violations found", whole.Load(), found.Load())
	if whole.Load() < 10 || found.Load() < 20 {
		t.Error("too few")
	}
}

// searchable is the largest instance with few states, nil if there is none.
func searchable(instances []*protocol.Protocol) (p *protocol.Protocol) {
	most := 0
	for _, q := range instances[:min(len(instances), 4)] {
		if r := explore.Exhaust(context.Background(), q, engine.Limits{States: largeStates}); r.Complete && r.States > most {
			p, most = q, r.States
		}
	}
	return p
}

// unhurried are flags with which a model is compiled soon; the searches here are short.
var unhurried = []string{"-DNOREDUCE", "-O0"}

// agreed compares all that both engines say.
func agreed(t *testing.T, p *protocol.Protocol) {
	r := spin.RunWith(context.Background(), p, nil, engine.Limits{Time: 10 * time.Minute}, unhurried)
	other := explore.Check(context.Background(), p, engine.Limits{})
	for _, prop := range protocol.Properties {
		a, b := r.Properties[prop], other.Properties[prop]
		if a.Verdict != b.Verdict && a.Verdict != engine.Inconclusive && b.Verdict != engine.Inconclusive {
			t.Errorf("%s: SPIN says %s, explore %s", prop, a.Verdict, b.Verdict)
		}
	}
	sameStates(t, p, r)
}

// longModel bounds the text of the models that are compiled, in bytes: the C compiler takes minutes for some.
const longModel = 128 << 10

// confirmed reports whether SPIN finds the violation, in the first instance in which explore does.
func confirmed(t *testing.T, instances []*protocol.Protocol, prop protocol.Property) bool {
	i := slices.IndexFunc(instances, func(p *protocol.Protocol) bool {
		return explore.Check(context.Background(), p, engine.Limits{}).Properties[prop].Verdict == engine.Violated
	})
	if i < 0 {
		t.Errorf("explore does not find that %s is violated", prop)
		return false
	}
	var text strings.Builder
	if err := spin.Print(&text, instances[i], prop); err != nil || text.Len() > longModel {
		return false
	}
	r := spin.RunWith(context.Background(), instances[i], []protocol.Property{prop}, engine.Limits{Time: 10 * time.Minute, Memory: 64 << 20}, unhurried)
	a := r.Properties[prop]
	if a.Verdict == engine.Holds || strings.Contains(a.Reason, "internal error") {
		t.Errorf("%s is violated, and SPIN says %s: %s", prop, a.Verdict, a.Reason)
	}
	return a.Verdict == engine.Violated
}
