// Package agree compares the embedded engine with itself: what each of its reductions answers with what a search
// answers that uses none. Where the two differ, one of them is wrong; Shrink makes the protocol small enough to see
// which.
package agree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
)

// States bounds each search. Protocols that need more are compared by nobody.
const States = 4000

// fewStates is a limit that most searches reach, so that Check joins what is left of all its parts.
const fewStates = 40

// Reduction is one way to answer with less work than visiting every state.
type Reduction struct {
	Name string
	What string // is compared with what
	// compare says how the answers with and without the reduction differ, "" where they do not; within is whether the
	// protocol meets the conditions of the reduction, so that there was something to compare.
	compare func(ctx context.Context, s *subject) (within bool, differ string)
}

// Reductions lists all of them.
var Reductions = []Reduction{
	{"frozen runs", "the proof alone, and a search of every counted state", frozen},
	{"counting threads", "a search of every counted state, and one with every thread in a class of its own", counting},
	{"exclusion", "a search that leaves out the properties nothing in the protocol can break, and one of all", excluding},
	{"order of Check", "proof and search as Check combines them, and a search of every counted state", check},
	{"order of Check, cut short", fmt.Sprintf("the same with a limit of %d states, and a search of every counted state", fewStates), cutShort},
	{"locks left out", "the answer for what remains of a protocol without its locks, and a search of every counted state", unlocked},
	{"same digest", "the answer for a protocol, and for one that is to be taken for the same", twin},
}

// fairTrial is after how many states a search is judged here by its prospects: sooner than in fact, as protocols are small.
// One that is given up has no answer, so this cannot make one wrong; but it should give up none that it need not.
const fairTrial = 256

// subject is a protocol under comparison, with the answer that all are compared with.
type subject struct {
	p    *protocol.Protocol
	base *engine.Result // without any reduction but counting
}

func newSubject(ctx context.Context, p *protocol.Protocol) *subject {
	return &subject{p, explore.Exhaust(ctx, p, engine.Limits{States: States})}
}

// Disagrees reports whether p shows the reduction to be wrong, as Shrink asks.
func (r *Reduction) Disagrees(p *protocol.Protocol) bool {
	s := newSubject(context.Background(), p)
	if !s.base.Complete {
		return false
	}
	_, differ := r.compare(context.Background(), s)
	return differ != ""
}

// against says where a result and another one decide a property differently.
func against(with, without *engine.Result, skip ...protocol.Property) string {
	var out []string
	for _, prop := range protocol.Properties {
		a, b := with.Properties[prop].Verdict, without.Properties[prop].Verdict
		if a == b || a == engine.Inconclusive || b == engine.Inconclusive || slices.Contains(skip, prop) {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s with it, %s without", prop, a, b))
	}
	return strings.Join(out, "; ")
}

func frozen(ctx context.Context, s *subject) (bool, string) {
	r, why := explore.Prove(ctx, s.p, engine.Limits{})
	return why == "", against(r, s.base)
}

// unlocked: the answer for the whole has to be one.
func unlocked(ctx context.Context, s *subject) (bool, string) {
	r := explore.Unlocked(ctx, s.p, engine.Limits{})
	if r == nil {
		return false, ""
	}
	return true, against(r, s.base)
}

// counting: Drain waits for the operations of a whole class, so splitting one changes what it means; and the threads of
// a class may then go to several phases in the canonical execution, which changes what Phase and Attribution mean.
func counting(ctx context.Context, s *subject) (bool, string) {
	for _, c := range s.p.Classes {
		for _, o := range c.Ops {
			if len(o.Drains) > 0 && c.Count > 1 {
				return false, ""
			}
		}
	}
	q := Split(s.p)
	if len(q.Classes) == len(s.p.Classes) {
		return false, "" // nothing is counted
	}
	r := explore.Exhaust(ctx, q, engine.Limits{States: States})
	if !r.Complete {
		return false, ""
	}
	if !sameIntent(s.p, q) {
		return true, against(s.base, r, protocol.Phase, protocol.Attribution)
	}
	return true, against(s.base, r)
}

func excluding(ctx context.Context, s *subject) (bool, string) {
	r := explore.Search(ctx, s.p, engine.Limits{States: States})
	return r.Complete, against(r, s.base)
}

func check(ctx context.Context, s *subject) (bool, string) {
	r := explore.Check(ctx, s.p, engine.Limits{})
	for _, prop := range protocol.Properties {
		if a, b := r.Properties[prop].Verdict, s.base.Properties[prop].Verdict; a == engine.Inconclusive && b != a {
			return true, fmt.Sprintf("%s is left open: %s", prop, r.Properties[prop].Reason)
		}
	}
	return true, against(r, s.base)
}

func cutShort(ctx context.Context, s *subject) (bool, string) {
	r := explore.Check(ctx, s.p, engine.Limits{States: fewStates, Proof: States})
	return s.base.States > fewStates, against(r, s.base)
}

// twin: an answer is kept for all protocols of one digest.
func twin(ctx context.Context, s *subject) (bool, string) {
	q := *s.p
	q.Kernel, q.Values = q.Kernel+" again", map[string]string{"n": "1"}
	q.Loops, q.Repeats = []protocol.Loop{{Unknown: "n"}}, []protocol.Repeat{{Unknown: "n", Period: 1}}
	if q.Digest() != s.p.Digest() {
		return false, ""
	}
	return true, against(explore.Search(ctx, &q, engine.Limits{States: States}), s.base)
}
