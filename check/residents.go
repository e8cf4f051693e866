package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What a lowered protocol needs of the scheduler. Its programs are straight lines and its waits are polls, so an execution
// that never ends stands still in one state (package protocol, Liveness), and a model of forward progress is a question
// about who has started for ever: under obe, some set of CTAs that has; under lobe, all up to some index; under fair, all.
// The program may run for ever if and only if the CTAs of such a set, alone, can come to a state in which none of their
// threads has a step and not all of them have ended: which engine/explore decides of the protocol of those CTAs. Of CTAs in
// a cluster, whose barrier counts those that have not started, only what all of them together do is asked: fair, and cuda.
// As every cycle is a poll, the strong forms say the same as the weak ones.
//
// Under hsa, only the lowest CTA that has not ended must go on, and any steps of higher ones may have happened. If flags
// only ever come nearer to what is waited for, steps of others help: then it is stuck in some execution only if the CTAs up
// to it can be stuck alone, as under lobe. Where flags are not like that, hsa and hsa_obe are told only as far as lobe
// settles them.

// residents decides what the instances of a kernel need, all of them together.
func residents(ctx context.Context, instances []*protocol.Protocol, cooperative bool, lim engine.Limits) (*progress.Result, error) {
	out := &progress.Result{Answers: map[progress.Guarantee]progress.Answer{}}
	for cta := range instances[0].CTAs {
		out.Threads = append(out.Threads, progress.Thread{Name: fmt.Sprintf("CTA %d", cta), Unit: cta})
	}
	for i, p := range instances {
		d := resident{ctx: ctx, p: p, lim: lim, asked: map[uint64]progress.Answer{}}
		got, err := d.models(cooperative)
		if err != nil {
			return nil, err
		}
		out.States += d.states
		for _, g := range progress.Guarantees() {
			a, known := got[g.Model]
			old, before := out.Answers[g]
			switch {
			case before && !old.Ends: // shown for ever
			case known && (!a.Ends || i == 0):
				out.Answers[g] = a
			case !known:
				delete(out.Answers, g) // told only if another instance may run for ever
			}
		}
	}
	return out, nil
}

type resident struct {
	ctx    context.Context
	p      *protocol.Protocol
	lim    engine.Limits
	asked  map[uint64]progress.Answer // by set of CTAs
	states int
}

func (d *resident) models(cooperative bool) (map[progress.Model]progress.Answer, error) {
	n := d.p.CTAs
	if n > 10 && !d.p.Cluster || n > 63 {
		return nil, fmt.Errorf("%d CTAs have too many sets to look at", n)
	}
	out := map[progress.Model]progress.Answer{}
	all := uint64(1)<<n - 1
	fair, err := d.ends([]uint64{all})
	if err != nil {
		return nil, err
	}
	if !fair.Ends || n == 1 {
		for _, m := range progress.Models {
			if !fair.Ends || m != progress.Unfair {
				out[m] = fair
			}
		}
		return out, nil
	}
	out[progress.Fair] = fair
	if d.p.Cluster {
		out[progress.CUDA] = fair
		return out, nil
	}
	var prefixes, sets []uint64
	for k := 1; k <= n; k++ {
		prefixes = append(prefixes, uint64(1)<<k-1)
	}
	for s := uint64(1); s <= all; s++ {
		sets = append(sets, s)
	}
	if out[progress.LOBE], err = d.ends(prefixes); err != nil {
		return nil, err
	}
	if out[progress.OBE], err = d.ends(sets); err != nil {
		return nil, err
	}
	out[progress.CUDA] = out[progress.OBE]
	if cooperative {
		out[progress.CUDA] = fair
	}
	lobe, obe := out[progress.LOBE], out[progress.OBE]
	if !lobe.Ends || rises(d.p) {
		out[progress.HSA], out[progress.HSAOBE] = lobe, lobe
	} else if obe.Ends {
		out[progress.HSAOBE] = obe
	}
	if !obe.Ends {
		out[progress.Unfair] = obe
	}
	return out, nil
}

// ends reports whether the CTAs of every set end by themselves.
func (d *resident) ends(sets []uint64) (progress.Answer, error) {
	for _, s := range sets {
		a, known := d.asked[s]
		if !known {
			var err error
			if a, err = d.alone(s); err != nil {
				return a, err
			}
			d.asked[s] = a
		}
		if !a.Ends {
			return a, nil
		}
	}
	return progress.Answer{Ends: true}, nil
}

// alone asks whether the CTAs of a set end when no other ever starts.
func (d *resident) alone(set uint64) (progress.Answer, error) {
	q := *d.p
	q.Premise, q.Loops, q.Repeats = nil, nil, nil
	q.Classes = slices.Clone(d.p.Classes)
	for i := range q.Classes {
		if set>>q.Classes[i].CTA&1 == 0 {
			q.Classes[i].Ops, q.Classes[i].Blocks = nil, [][]protocol.Access{nil}
		}
	}
	r := explore.Check(d.ctx, &q, d.lim)
	d.states += r.States
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Livelock} {
		a := r.Properties[prop]
		switch a.Verdict {
		case engine.Inconclusive:
			return progress.Answer{}, fmt.Errorf("%s of %d CTAs alone: %s", prop, q.CTAs, a.Reason)
		case engine.Violated:
			outcome, err := replay.Run(&q, a.Trace, prop)
			if err != nil {
				return progress.Answer{}, fmt.Errorf("an execution of some CTAs alone does not replay: %w", err)
			}
			return progress.Answer{Lasso: standstill(&q, outcome, set)}, nil
		}
	}
	return progress.Answer{Ends: true}, nil
}

// standstill is the lasso of an execution after which everyone who has started polls.
func standstill(p *protocol.Protocol, o *replay.Outcome, set uint64) *progress.Lasso {
	l := &progress.Lasso{}
	for _, s := range o.Steps {
		l.Stem = append(l.Stem, progress.Step{Thread: p.Classes[s.Class].CTA, Line: s.Site.Line, Text: s.Threads + ": " + s.Effect})
	}
	for _, b := range o.Blocked {
		class := &p.Classes[b.Class]
		text := b.Poll
		if text == "" {
			text = b.At
		}
		l.Cycle = append(l.Cycle, progress.Step{Thread: class.CTA, Line: siteAt(p, class.Ops[b.Op].Site).Line, Text: b.Threads + ": " + text + "; again"})
	}
	for cta := range p.CTAs {
		if set>>cta&1 != 0 {
			l.Held = append(l.Held, cta)
		}
	}
	return l
}

// rises reports whether what others do to a flag can only end a wait for it, and no wait of a phase can come too late: each
// flag is added to, and waited for to be at least something, or is set to one number, and waited for to be that.
func rises(p *protocol.Protocol) bool {
	adds, stores := make([]bool, len(p.Flags)), map[int]int{}
	for i := range p.Classes {
		for _, o := range p.Classes[i].Ops {
			switch o.Kind {
			case protocol.FlagAdd:
				if adds[o.Object] = true; o.Count < 0 {
					return false
				}
			case protocol.FlagStore:
				if v, before := stores[o.Object]; before && v != o.Count || o.Count <= p.Flags[o.Object].Initial {
					return false
				}
				stores[o.Object] = o.Count
			case protocol.FlagSwap, protocol.Wait:
				return false // a phase may come round: not looked into
			}
		}
	}
	for i := range p.Classes {
		for _, o := range p.Classes[i].Ops {
			if o.Kind != protocol.Spin {
				continue
			}
			v, stored := stores[o.Object]
			switch {
			case adds[o.Object] && stored:
				return false
			case o.Compare == ">=", o.Compare == ">":
			case !adds[o.Object] && o.Compare == "==" && o.Count == v && stored:
			case o.Compare == "!=" && o.Count == p.Flags[o.Object].Initial:
			default:
				return false
			}
		}
	}
	return true
}
