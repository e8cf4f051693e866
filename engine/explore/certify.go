package explore

import (
	"context"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Certified is Check, with what package certificate needs to see that what holds does.
func Certified(ctx context.Context, p *protocol.Protocol, lim engine.Limits) (*engine.Result, *certificate.Certificate) {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return refused(err), &certificate.Certificate{}
	}
	record := &certificate.Certificate{}
	r := newJudge(p).whole(ctx, withDefaults(lim), record)
	r.Elapsed = time.Since(start)
	return r, record
}

// witness writes down what frozen runs show.
type witness struct {
	*certificate.Frozen
	places [][]int // by class and position in its program: the place as certificates say it
}

// attest begins to write down what the proof shows, if that is asked for.
func (pr *proof) attest() {
	if pr.record == nil {
		return
	}
	w := &witness{Frozen: &certificate.Frozen{Single: map[certificate.Held]certificate.Bound{}, Capped: map[certificate.Cap]certificate.Bound{}}}
	for c := range pr.progs {
		places := make([]int, len(pr.progs[c].micros)+1)
		for i, u := range pr.progs[c].micros {
			places[i] = 2 * u.op
			if u.silent {
				places[i]++
			}
		}
		places[len(places)-1] = 2 * len(pr.p.Classes[c].Ops)
		w.places = append(w.places, places)
	}
	pr.witness = w
}

// bound is how far everyone is in a world.
func (w *witness) bound(of *world) certificate.Bound {
	b := certificate.Bound{Others: make([]int, len(w.places))}
	for i, g := range of.groups {
		switch {
		case i >= len(w.places):
			b.Own = append(b.Own, w.places[g.class][g.pos])
		case g.n == 0:
			b.Others[i] = -1
		default:
			b.Others[i] = w.places[g.class][g.pos]
		}
	}
	return b
}

func (w *witness) single(of *world, c, l int, flying bool) {
	if w != nil {
		w.Single[certificate.Held{Class: c, Location: l, InFlight: flying}] = w.bound(of)
	}
}

func (w *witness) capped(of *world, mbar, phase int) {
	if w != nil {
		w.Capped[certificate.Cap{Mbar: mbar, Phase: phase}] = w.bound(of)
	}
}

// mirror writes down the runs of class d, which are those of class c with all that an exchange exchanges.
func (w *witness) mirror(x *exchange, c, d, locations int) {
	if w == nil {
		return
	}
	for l := range locations {
		for _, flying := range []bool{false, true} {
			b, ok := w.Single[certificate.Held{Class: c, Location: l, InFlight: flying}]
			if !ok {
				continue
			}
			to := certificate.Bound{Others: append([]int(nil), b.Others...), Own: b.Own}
			for e, other := range x.class {
				to.Others[e] = b.Others[other]
			}
			w.Single[certificate.Held{Class: d, Location: l, InFlight: flying}] = to
		}
	}
}

// certify keeps the states of a search that has looked at all of them.
func (s *search) certify() {
	if s.record == nil {
		return
	}
	each := func(yield func(protocol.State) bool) {
		code, state := newCodec(s.m), s.m.Start()
		occ := s.occupied(state)
		for i := range s.store.len() {
			code.decode(s.store.at(i), state, occ)
			occ = append(occ[:0], code.occ...)
			if !yield(state) {
				return
			}
		}
	}
	c := &certificate.States{Count: s.store.len()}
	if s.record.States = c; c.Count <= certificate.Listed {
		c.Each = each
		return
	}
	var key certificate.Key
	var buffer []byte
	for state := range each {
		key, buffer = certificate.KeyOf(state, buffer)
		c.Sum.Add(key)
	}
}

// cut writes down the steps to the next cut.
func (h *horizon) cut(steps []engine.Step) {
	if h.record != nil {
		h.record.Play = append(h.record.Play, stepped(steps))
	}
}

// onTheirOwn writes down how classes go round a region on their own, from the start to its cut and on.
func (h *horizon) onTheirOwn(region int, who []bool, to, on []engine.Step) {
	if h.record == nil {
		return
	}
	a := certificate.Alone{Region: region, Play: [2][]certificate.Step{stepped(to), stepped(on)}}
	for c, yes := range who {
		if yes {
			a.Classes = append(a.Classes, c)
		}
	}
	h.record.Alone = append(h.record.Alone, a)
}

func stepped(steps []engine.Step) (out []certificate.Step) {
	for _, s := range steps {
		out = append(out, certificate.Step{Class: s.Class, Op: s.Op, N: s.N, Completion: s.Completion})
	}
	return out
}
