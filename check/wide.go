package check

import (
	"context"
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Which elements an access touches is not always known. What is a race whatever they are is one of the protocol; that there
// is none holds if there is none in the widened protocol (protocol.Widened), in which all else is as it is. What lies
// between is open.

type search func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result

// widening asks an engine about the widened protocol, and about the protocol itself only if a race of that is none of this.
func widening(ask search) search {
	return func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		if !p.Vague() {
			return ask(ctx, p, lim)
		}
		w := p.Widened()
		wide := ask(ctx, w, lim)
		may := wide.Properties[protocol.Race]
		if may.Verdict == engine.Holds || races(p, may.Trace) {
			return wide
		}
		r := ask(ctx, p, lim)
		r.States += wide.States
		r.Elapsed += wide.Elapsed
		if a := r.Properties[protocol.Race]; a.Verdict == engine.Holds {
			r.Properties[protocol.Race] = engine.Undecided(perhaps(w, may))
			r.Complete = r.Complete && may.Verdict == engine.Violated
		}
		return r
	}
}

// races reports whether a race of the widened protocol is one of p.
func races(p *protocol.Protocol, t *engine.Trace) bool {
	if t == nil || t.Pair == nil {
		return false
	}
	_, err := replay.Run(p, t, protocol.Race)
	return err == nil
}

// perhaps says which accesses may race, and what is not known of them.
func perhaps(w *protocol.Protocol, may engine.Answer) limit.Reason {
	if may.Trace == nil || may.Trace.Pair == nil {
		return may.Code.Says(may.Reason)
	}
	a, b := accessOf(w, may.Trace.Pair.First), accessOf(w, may.Trace.Pair.Second)
	x, y := w.Sites[a.Site], w.Sites[b.Site]
	what := limit.DataAddress.Says("whether two threads touch one element is not known")
	switch {
	case a.Maybe || b.Maybe:
		what = limit.DataBranch.Says("whether both of these happen is not known")
	case a.Write && b.Write && a.Parts == protocol.Whole && b.Parts == protocol.Whole:
		what = limit.Harmless.Says("whether threads that write one element store one value is not known")
	}
	if x == y {
		return what.And(fmt.Sprintf(": %s, %s:%d", x.Text, x.Path, x.Line))
	}
	return what.And(fmt.Sprintf(": %s, %s:%d, and %s, %s:%d", x.Text, x.Path, x.Line, y.Text, y.Path, y.Line))
}

// widenedSpin is widening with SPIN.
func widenedSpin(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits) *engine.Result {
	return widening(func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		return spin.Run(ctx, p, props, lim)
	})(ctx, p, lim)
}
