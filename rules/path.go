package rules

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
)

// path adds what stands between the operations on data and flag.
func (c *cutter) path() {
	for _, x := range c.Pass.sites[c.from.order+1 : c.to.order] {
		if x.spin != nil && x.spin == c.from.spin {
			c.inSpin(x)
			continue
		}
		switch x.op.Kind {
		case dialect.Fence:
			c.fence(x)
		case dialect.FenceProxy:
			c.proxyFence(x)
		case dialect.CtaSync, dialect.GridSync, dialect.NamedBarrierSync, dialect.WarpSync, dialect.ClusterSync, dialect.ClusterWait, dialect.MbarrierWait:
			c.barrier(x)
		case unknownCall:
			if copied(x, 0) != nil || ordersNothing[lastWord(x.op.Name)] {
				continue
			}
			if mayFence(x.op.Name) || !x.used {
				c.anything(x, "what %s does is not known", x.op.Name)
			}
		default:
			if x.spin != nil || c.acquires(x) {
				c.anything(x, "it may wait for more at line %d", c.location(x.span).Line)
			}
		}
	}
}

// ordersNothing are calls whose names sound of synchronization and that neither fence nor wait.
var ordersNothing = map[string]bool{
	"producer_get_barrier": true, "producer_try_acquire": true, "consumer_try_wait": true, "make_pipeline_state": true, "advance": true,
	"producer_commit": true, "get_barrier": true,
}

// inSpin adds a fence of the loop that polls. Behind a poll in the loop's body it comes after the last one too; where the
// loop's condition polls it may not.
func (c *cutter) inSpin(x *site) {
	if x.op.Kind != dialect.Fence {
		return
	}
	if cond := x.spin.cond; cond != nil && covers(cond.Where(), c.from.op.Span) {
		c.anything(x, "the fence of the loop may stand before its last poll")
		return
	}
	c.fence(x)
}

// acquires reports whether a site orders what follows it after what it reads from.
func (c *cutter) acquires(x *site) bool {
	switch x.op.Text("sem", "") {
	case "acquire", "acq_rel", "sc":
		return x.op.Kind != dialect.Fence
	}
	return false
}

// runs says whether a thread that executes the operation at ref executes the one at x: "" for yes, or why it may not.
func (c *cutter) runs(x, ref *site) (why string, never bool) {
	if exclusive(x, ref) {
		return "", true
	}
	for _, g := range x.guards {
		if hasGuard(ref.guards, g) {
			continue
		}
		if apart(g, ref.guards) {
			return "", true
		}
		if g.threads().single() && c.two && !ref.threads().single() {
			return "", true // another thread than that one
		}
		return fmt.Sprintf("line %d is executed under a condition", c.location(x.span).Line), false
	}
	for _, l := range x.loops {
		inside := false
		for _, m := range ref.loops {
			inside = inside || m == l
		}
		if n, known := c.trips(l); !inside && !(known && n > 0) {
			return fmt.Sprintf("line %d is in a loop that may not be entered", c.location(x.span).Line), false
		}
	}
	return "", false
}

// apart reports whether a condition of the list and g ask one thing to be two numbers: tid == 0 and tid == 32.
func apart(g *guard, list []*guard) bool {
	x, n, ok := g.equals()
	if !ok {
		return false
	}
	for _, h := range list {
		if y, m, ok := h.equals(); ok && n != m && same(x, y) {
			return true
		}
	}
	return false
}

// equals takes the condition x == n apart.
func (g *guard) equals() (x program.Expr, n int64, ok bool) {
	b, isBinary := g.cond().(*program.Binary)
	if !isBinary || b.Op != "==" || g.negated || g.elect {
		return nil, 0, false
	}
	n, ok = g.fn.fold(b.Y)
	return g.fn.value(b.X), n, ok
}

// known is runs for a thread of the side: of two the first is at the first operation, a single one is at both.
func (c *cutter) known(thread int, x *site) (why string, never bool) {
	ref := c.from
	if c.two && thread == 1 {
		ref = c.to
	}
	if why, never = c.runs(x, ref); c.two || why == "" || never {
		return why, never
	}
	return c.runs(x, c.to)
}

func (c *cutter) add(thread int, x *site, steps ...litmus.Step) {
	for _, s := range steps {
		s.At = c.location(x.span)
		c.side.Threads[thread].Steps = append(c.side.Threads[thread].Steps, s)
		c.sites[thread] = append(c.sites[thread], x)
	}
}

func (c *cutter) fence(x *site) {
	for thread := range c.side.Threads {
		if why, never := c.known(thread, x); !never {
			c.add(thread, x, litmus.Step{Op: "fence", Sem: x.op.Text("sem", "acq_rel"), Scope: scopeOf(x), Maybe: why})
		}
	}
}

// proxyFence adds a fence between the generic and the async proxy. Those of other proxies concern neither.
func (c *cutter) proxyFence(x *site) {
	if !c.async || x.op.Text("kind", "async") != "async" {
		return
	}
	text := "fence.proxy.async" + map[string]string{"cta": ".shared::cta", "cluster": ".shared::cluster", "global": ".global"}[x.op.Text("space", "")]
	for thread := range c.side.Threads {
		if why, never := c.known(thread, x); !never {
			c.add(thread, x, litmus.Step{Text: text, Maybe: why})
		}
	}
}

// barrier adds a barrier, which orders the threads of the side that meet at it. One that holds some of them waits for
// all, so it is enough that one of them surely comes.
func (c *cutter) barrier(x *site) {
	if !c.two {
		if x.op.Kind == dialect.GridSync {
			c.anything(x, "the whole grid meets at line %d", c.location(x.span).Line)
		} else if x.op.Kind == dialect.MbarrierWait || x.op.Kind == dialect.ClusterWait || x.op.Kind == dialect.ClusterSync {
			c.anything(x, "it waits for others at line %d", c.location(x.span).Line)
		}
		return
	}
	why := ""
	first, no1 := c.known(0, x)
	second, no2 := c.known(1, x)
	switch {
	case no1 && no2:
		return
	case first != "" && second != "":
		why = first
	case no1 && second != "", no2 && first != "":
		why = first + second
	}
	line := c.location(x.span).Line
	switch n := c.block(); {
	case x.op.Kind == dialect.CtaSync:
	case x.op.Kind == dialect.WarpSync && (c.warp || n > 0 && n <= 32):
	case x.op.Kind == dialect.WarpSync && n > 32 && c.from.threads().warps == allOf && c.to.threads().warps != unknownShare:
		return
	case x.op.Kind == dialect.WarpSync:
		why = fmt.Sprintf("only the lanes of a warp meet at line %d", line)
	case x.op.Kind == dialect.NamedBarrierSync:
		why = fmt.Sprintf("not all threads of the CTA may meet at line %d", line)
	default:
		c.anything(x, "more than the CTA meets at line %d", line)
		return
	}
	c.meet(x, why)
}

func (c *cutter) meet(x *site, why string) {
	c.bars++
	name := fmt.Sprint(c.prefix, c.bars)
	for thread := range c.side.Threads {
		c.add(thread, x, litmus.Step{Op: "bar", Cell: name, Maybe: why})
	}
}

// anything adds what may order everything.
func (c *cutter) anything(x *site, format string, args ...any) {
	why := strings.ReplaceAll(fmt.Sprintf(format, args...), marked, "")
	fences := []litmus.Step{{Op: "fence", Sem: "sc", Scope: "sys", Maybe: why}}
	if c.async {
		fences = append(fences, litmus.Step{Text: "fence.proxy.async", Maybe: why})
	}
	for thread := range c.side.Threads {
		c.add(thread, x, fences...)
	}
	if c.two {
		c.meet(x, why)
		for thread := range c.side.Threads {
			c.add(thread, x, fences...)
		}
	}
}
