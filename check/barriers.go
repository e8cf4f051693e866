package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// barrierLimits bound what engine/order takes for the barriers of one instance.
var barrierLimits = engine.Limits{Memory: 256 << 20, Time: 10 * time.Second}

// separate reports whether the generations of every named barrier are told apart in all executions: then a barrier that is used
// with several counts is as several barriers (lower.Options).
func separate(p *protocol.Protocol) (apart bool, met *lower.Undefined) {
	if p.Validate() != nil {
		return false, nil
	}
	q, exact, err := order.Barriers(p)
	if err != nil {
		return false, nil
	}
	r := order.Verify(q, order.Options{Limits: barrierLimits})
	for _, c := range []order.Check{order.Deadlock, order.Counts, order.Registration, order.Recycling} {
		if r.Answers[c].Verdict == engine.Holds {
			continue
		}
		if exact {
			met = mixed(p, q, r.Findings)
		}
		return false, met
	}
	return true, nil
}

// mixed is where threads may come to one generation with different counts: at once, or as one that came too early would.
func mixed(p *protocol.Protocol, q *order.Program, found []order.Finding) *lower.Undefined {
	for _, f := range found {
		if f.Check != order.Counts && f.Check != order.Recycling || len(f.Points) < 2 {
			continue
		}
		first, second := &f.Points[0], &f.Points[1]
		a, b := commandAt(q, first), commandAt(q, second)
		if a == nil || b == nil || a.C == b.C {
			continue
		}
		other := p.Sites[first.Place]
		other.Text = fmt.Sprintf("it is used for %d here", a.C)
		return &lower.Undefined{Rule: lower.MixedCounts, Site: p.Sites[second.Place], With: []protocol.Site{other}, What: fmt.Sprintf(
			"threads may come to barrier %d for %d while others are there that use it for %d; expected one thread count a generation", f.Object, b.C, a.C)}
	}
	return nil
}

// commandAt is the command of a point, nil where it has none.
func commandAt(q *order.Program, at *order.Point) *order.Command {
	if at.Index < 0 {
		return nil
	}
	return &q.Warps[at.Warp].Commands[at.Index]
}

// barrierCommands bounds the commands of all instances of a kernel that overlapping looks at.
const barrierCommands = 2 << 20

// overlapping notes named barriers that threads may come to before the generation before theirs is over. Where flags order
// threads, too, what the barriers alone allow says nothing.
func overlapping(k *lower.Kernel) {
	if len(k.Opaque) > 0 {
		return
	}
	left := barrierCommands
	var mild *lower.Undefined
	for _, p := range k.Instances {
		if !counts(p) {
			continue
		}
		for i := range p.Classes {
			left -= len(p.Classes[i].Ops) * (p.Classes[i].Count/32 + 1)
		}
		if left < 0 {
			break
		}
		q, exact, err := order.Barriers(p)
		if err != nil || !exact {
			continue
		}
		r := order.Verify(q, order.Options{Limits: barrierLimits})
		for _, f := range r.Findings {
			if (f.Check != order.Recycling && f.Check != order.Registration) || f.Object >= protocol.WarpBarrier || len(f.Points) < 2 {
				continue
			}
			if u := reused(p, q, &f); !u.Mild {
				k.Undefined = append(k.Undefined, u)
				return
			} else if mild == nil {
				mild = &u
			}
		}
	}
	if mild != nil {
		k.Undefined = append(k.Undefined, *mild)
	}
}

// reused is the note of one such barrier.
func reused(p *protocol.Protocol, q *order.Program, f *order.Finding) lower.Undefined {
	first, second := f.Points[0], f.Points[1]
	before := p.Sites[first.Place]
	before.Text = "this is of the generation before"
	what := "threads may come to barrier %d again before the others have left it"
	if f.Check == order.Registration {
		what = "threads come to barrier %d twice in one generation"
		before.Text = "they are there already"
	}
	who := q.Warps[second.Warp]
	return lower.Undefined{Rule: lower.Overlapping, Site: p.Sites[second.Place], With: []protocol.Site{before}, Mild: f.Check == order.Registration,
		What: fmt.Sprintf(what+" (threads from %d of CTA %d on)", f.Object, who.First, who.CTA)}
}

// counts reports whether a protocol has named barriers with a count; those of all threads of a CTA are never overlapped.
func counts(p *protocol.Protocol) bool {
	for _, n := range p.Named {
		if n.ID < protocol.WarpBarrier && n.Threads > 0 {
			return true
		}
	}
	return false
}

// undivided reports whether all threads of each warp come to the same named barriers at the same lines.
func (k *kernelResult) undivided() bool {
	if !k.modelled() || k.verdict(protocol.Deadlock) != engine.Holds {
		return false
	}
	for _, p := range k.Instances {
		warps := map[[2]int][]int{}
		for i := range p.Classes {
			c := &p.Classes[i]
			var lines []int
			for _, o := range c.Ops {
				if (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && p.Named[o.Object].ID < protocol.WarpBarrier {
					lines = append(lines, p.Sites[o.Site].Line)
				}
			}
			for _, t := range c.Threads {
				at := [2]int{c.CTA, t / 32}
				if old, seen := warps[at]; seen && !slices.Equal(old, lines) {
					return false
				}
				warps[at] = lines
			}
		}
	}
	return true
}

// clearBarrier clears what is said of a barrier of CuTe DSL under a condition that divides a warp, where all kernels that it is in show that it divides none.
func clearBarrier(fd *finding.Finding, s *rules.Suspect, kernels []decided) {
	if s.Rule.ID != "FP403" {
		return
	}
	in := 0
	for _, k := range kernels {
		if k.covers(s) {
			if lowered, is := k.(*kernelResult); !is || !lowered.undivided() {
				return
			}
			in++
		}
	}
	if in > 0 {
		fd.Cleared, fd.Severity, fd.Verdict = true, finding.Note, "holds"
		fd.Notes = append(fd.Notes, "cleared: all threads of each warp come to it, in all instances of the kernel")
	}
}
