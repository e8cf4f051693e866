package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
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
			u.With = around(p, c.Ops, l)
		}
		if c.Count > 1 {
			what = strings.NewReplacer(" waits ", " wait ", " arrives ", " arrive ").Replace(what)
		}
		u.What = what
		w.k.undefined(u)
	}
	return any
}

// around is where threads arrived on the cluster barrier before an arrival, and where they next wait for it.
func around(p *protocol.Protocol, ops []protocol.Op, at int) (out []protocol.Site) {
	for l := at - 1; l >= 0; l-- {
		if ops[l].Kind == protocol.ClusterArrive {
			s := p.Sites[ops[l].Site]
			s.Text = "it arrived here; expected the wait for that in between"
			out = append(out, s)
			break
		}
	}
	for l := at + 1; l < len(ops); l++ {
		if ops[l].Kind == protocol.ClusterWait {
			s := p.Sites[ops[l].Site]
			s.Text = "its next wait is here"
			return append(out, s)
		}
	}
	return out
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
			a, b := divides(p, first[at], c)
			if a == nil {
				continue
			}
			if b == nil {
				w.k.gap(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says(missed(p.Named[a.Object].ID))})
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

// divides gives the first operations on named barriers in which two programs differ; only one where it is for a count of threads and
// the other program has no more.
func divides(p *protocol.Protocol, a, b *protocol.Class) (x, y *protocol.Op) {
	next := func(ops []protocol.Op) (*protocol.Op, []protocol.Op) {
		for i := range ops {
			if o := &ops[i]; (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && p.Named[o.Object].ID < protocol.WarpBarrier {
				return o, ops[i+1:]
			}
		}
		return nil, nil
	}
	for of, to := a.Ops, b.Ops; ; {
		x, of = next(of)
		y, to = next(to)
		if x == nil {
			x, y = y, nil
		}
		if y == nil {
			if x != nil && p.Named[x.Object].Threads == 0 {
				x = nil
			}
			return x, nil
		}
		if x.Kind != y.Kind || x.Object != y.Object {
			return x, y
		}
	}
}

// gap notes what keeps everything from holding.
func (k *Kernel) gap(o Opaque) {
	if !slices.Contains(k.Gaps, o) {
		k.Gaps = append(k.Gaps, o)
	}
}
