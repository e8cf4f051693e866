package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/protocol"
)

// outOfTurn notes the threads that use the cluster barrier out of turn.
func (w *sweep) outOfTurn(p *protocol.Protocol) (any bool) {
	for i := range p.Classes {
		c := &p.Classes[i]
		l, found := c.OutOfTurn()
		if !found {
			continue
		}
		any = true
		u := Undefined{Rule: OutOfTurn, Site: p.Sites[c.Ops[l].Site]}
		what := c.Name + " waits on the cluster barrier without having arrived"
		if c.Ops[l].Kind == protocol.ClusterArrive {
			what = c.Name + " arrives on the cluster barrier again without having waited"
			u.With = build.Around(p, c.Ops, l)
		}
		if c.Count > 1 {
			what = strings.NewReplacer(" waits ", " wait ", " arrives ", " arrive ").Replace(what)
		}
		u.What = what
		w.k.undefined(u)
	}
	return any
}

// divergent notes lanes of one warp that come to different named barriers at a time. An aligned barrier is one instruction for all
// threads of a warp; of the other form each thread waits for all of its warp that have not exited (PTX ISA 9.7.13.1). So nobody
// gets on whose warp is divided, which a protocol that counts threads does not know. Lanes that come to fewer of them may have
// exited: a barrier for the whole CTA does not wait for these.
func (w *sweep) divergent(p *protocol.Protocol) {
	type warp struct{ cta, index int }
	first := map[warp]*protocol.Class{}
	for i := range p.Classes {
		c := &p.Classes[i]
		for _, t := range c.Threads {
			at := warp{c.CTA, t / 32}
			if first[at] == nil {
				first[at] = c
			}
			if first[at] == c {
				continue
			}
			a, b := build.Divides(p, first[at], c)
			if a == nil {
				continue
			}
			if b == nil {
				w.k.gap(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says(build.Missed(p.Named[a.Object].ID))})
				return
			}
			other := p.Sites[b.Site]
			other.Text = "others of its threads come to this one"
			w.k.gap(Opaque{p.Sites[a.Site].Path, p.Sites[a.Site].Line, limit.Undefined.Says("threads of a warp come to different named barriers, which is undefined")})
			w.k.undefined(Undefined{Rule: Divergent, Site: p.Sites[a.Site], With: []protocol.Site{other}, Alone: true, What: fmt.Sprintf(
				"part of warp %d comes to barrier %d here, the rest to barrier %d elsewhere; expected one for all of a warp",
				at.index, p.Named[a.Object].ID, p.Named[b.Object].ID)})
			return
		}
	}
}

// missed notes barriers of the whole CTA that some of its threads come to less often than others, and do not leave the kernel by a
// return: they are taken to have exited, which the CUDA guide forbids and hardware may not allow for where the count is spelled out.
func (w *sweep) missed(p *protocol.Protocol, in *instance, groups []*machine) {
	if id, ok := build.MissedCount(p, in.counted); ok {
		w.k.gap(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says(build.Missed(id))})
	}
	left := map[[2]int]bool{}
	for _, m := range groups {
		for _, t := range m.threads {
			left[[2]int{int(m.cta), int(t)}] = m.left
		}
	}
	for n, barrier := range p.Named {
		if barrier.Threads != 0 && !in.counted[n] || barrier.ID >= protocol.WarpBarrier || build.HandsOver(p, n) {
			continue
		}
		gone := protocol.Class{CTA: barrier.CTA}
		never := true
		for _, c := range build.Absent(p, n) {
			for _, t := range c.Threads {
				if !left[[2]int{c.CTA, t}] {
					gone.Threads = append(gone.Threads, t)
					never = never && len(build.At(c, n)) == 0
				}
			}
		}
		if len(gone.Threads) == 0 {
			continue
		}
		what, how := "barrier "+strconv.Itoa(barrier.ID), "never"
		if barrier.ID == 0 {
			what = "the CTA barrier"
		}
		if !never {
			how = "less often"
		}
		w.k.undefined(Undefined{Rule: Divergent, Site: p.Sites[build.Unmet(p, n).Site], Doubt: true, Whole: true, What: fmt.Sprintf(
			"%s counts all threads of the CTA, but is %s reached by %s; expected all of them to reach it", what, how, className(&gone, in))})
		return
	}
}

// gap notes what keeps everything from holding.
func (k *Kernel) gap(o Opaque) {
	if !slices.Contains(k.Gaps, o) {
		k.Gaps = append(k.Gaps, o)
	}
}
