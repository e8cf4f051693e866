package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What is told of a violation answers what the author of a kernel asks: who waits for what, who should have come, and what to change.

// hang is a group of threads that wait for ever, with who could still come.
type hang struct {
	stuck
	p     *protocol.Protocol
	a     *answer
	own   *protocol.Op // what they would do themselves behind the wait
	other *protocol.Op // what others that are stuck would do further on
	at    stuck        // where those stand
	any   bool         // something in the kernel comes for it at all
}

// waitingFor looks for who could come for what a group waits for.
func waitingFor(a *answer, s stuck) *hang {
	h := &hang{stuck: s, p: a.instance, a: a}
	groups := stuckAt(a)
	for _, b := range a.outcome.Blocked {
		ops := h.p.Classes[b.Class].Ops
		if h.op.Kind == protocol.FlagSwap && !takes(ops[:b.Op], h.op.Object) { // others give back only what they take before
			continue
		}
		for l := b.Op + 1; l < len(ops); l++ {
			if !h.helps(b.Class, &ops[l]) {
				continue
			}
			if site := siteAt(h.p, ops[b.Op].Site); site == s.site {
				h.own = &ops[l]
			} else if h.other == nil {
				h.other = &ops[l]
				h.at = groups[max(0, slices.IndexFunc(groups, func(g stuck) bool { return g.site == site }))]
			}
			break
		}
	}
	for c := range h.p.Classes {
		for l := range h.p.Classes[c].Ops {
			o := &h.p.Classes[c].Ops[l]
			h.any = h.any || h.helps(c, o) && o.Site != s.op.Site
		}
	}
	return h
}

// takes reports whether who executed some operations has a lock.
func takes(ops []protocol.Op, lock int) (yes bool) {
	for i := range ops {
		if o := &ops[i]; o.Object == lock && (o.Kind == protocol.FlagSwap || o.Kind == protocol.FlagStore) {
			yes = o.Kind == protocol.FlagSwap
		}
	}
	return yes
}

// helps reports whether an operation brings what the group waits for nearer.
func (h *hang) helps(class int, o *protocol.Op) bool {
	object := h.op.Object
	switch h.op.Kind {
	case protocol.Wait:
		switch o.Kind {
		case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.CompleteTx:
			return o.Object == object
		}
		return slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == object })
	case protocol.NamedSync:
		return (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && o.Object == object
	case protocol.Spin, protocol.FlagSwap:
		return (o.Kind == protocol.FlagAdd || o.Kind == protocol.FlagStore) && o.Object == object
	case protocol.ClusterWait:
		return o.Kind == protocol.ClusterArrive
	}
	return false
}

// waits is the verb for one thread, or for more.
func waits(who string) string {
	if strings.HasPrefix(who, "thread ") {
		return "waits"
	}
	return "wait"
}

// message says what never comes, and who waits for it.
func (h *hang) message() string {
	who := h.actor()
	verb := waits(who)
	never := h.never()
	if never == "" {
		return fmt.Sprintf("%s %s here for ever: %s", who, verb, h.what())
	}
	return fmt.Sprintf("%s: %s %s here for ever", never, who, verb)
}

// what is the operation in words, without its line.
func (h *hang) what() string {
	what, _, _ := strings.Cut(h.effect, " (line ")
	return what
}

// never is what does not come.
func (h *hang) never() string {
	if len(h.stuck.at) == 0 {
		return ""
	}
	at := h.stuck.at[0]
	missing := at.Need - at.Come
	switch h.op.Kind {
	case protocol.Wait:
		name := fmt.Sprintf("%q", at.Object)
		if object, cta, of := strings.Cut(at.Object, " of CTA "); of {
			if name = fmt.Sprintf("%q", object); h.p.CTAs > 1 {
				name += " of CTA " + cta
			}
		}
		switch {
		case missing > 0:
			return name + " never gets " + arrivals(missing, at.Need)
		case at.Bytes > 0:
			return fmt.Sprintf("%s never gets %d of the bytes that it expects", name, at.Bytes)
		case at.Bytes < 0:
			return fmt.Sprintf("%s gets %d bytes that it does not expect", name, -at.Bytes)
		}
	case protocol.NamedSync:
		object, _, _ := strings.Cut(at.Object, " of CTA ")
		if missing > 0 {
			return fmt.Sprintf("%s never gets %s", object, threadsOf(missing, at.Need))
		}
	case protocol.ClusterWait:
		if missing > 0 {
			return fmt.Sprintf("%s never gets %s", at.Object, threadsOf(missing, at.Need))
		}
	case protocol.Spin, protocol.FlagSwap:
		value, _ := strings.CutPrefix(at.State, "value ")
		return fmt.Sprintf("%q stays %s and %s", at.Object, value, neverIs(h.op.Compare, h.op.Count))
	}
	return ""
}

// neverIs is what a flag does not become.
func neverIs(compare string, n int) string {
	switch compare {
	case "==":
		return fmt.Sprintf("never becomes %d", n)
	case ">=":
		return fmt.Sprintf("never reaches %d", n)
	}
	return fmt.Sprintf("is never %s %d", compare, n)
}

// arrivals counts arrivals that do not come: "its 4th arrival", "2 of its 4 arrivals".
func arrivals(missing, need int) string {
	switch {
	case need == 1:
		return "its arrival"
	case missing == need:
		return fmt.Sprintf("its %d arrivals", need)
	case missing == 1:
		return fmt.Sprintf("its %s arrival", ordinal(need))
	}
	return fmt.Sprintf("%d of its %d arrivals", missing, need)
}

func threadsOf(missing, need int) string {
	if missing == 1 {
		return fmt.Sprintf("the last of %d threads", need)
	}
	return fmt.Sprintf("%d of its %d threads", missing, need)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// label names where what is missing would come from.
func (h *hang) label(r *relation) {
	switch {
	case h.other != nil && h.at.actor() != h.actor():
		r.note(h.other.Site, fmt.Sprintf("expected from here, where %s never come: they wait at line %d", h.at.actor(), h.at.site.Line))
	case h.other != nil:
		r.note(h.other.Site, "expected from here, which is never reached")
	case h.own != nil && h.op.Kind == protocol.FlagSwap:
		r.note(h.own.Site, "expected from here, by others that wait, too")
	case h.own != nil:
		r.note(h.own.Site, "the same threads would come only here, behind their wait")
	}
}

// help says what to change.
func (h *hang) help() string {
	at := finding.Standing{}
	if len(h.stuck.at) > 0 {
		at = h.stuck.at[0]
	}
	switch {
	case h.op.Kind == protocol.Wait && at.Need > 0 && at.Come == at.Need && at.Bytes != 0:
		return "expect (arrive.expect_tx) as many bytes as the copies of a phase bring"
	case h.op.Kind == protocol.Wait && at.Come > 0:
		return fmt.Sprintf("%d of %d arrivals came: initialise it for those that come in a phase, or let the others arrive, and before they wait", at.Come, at.Need)
	case h.op.Kind == protocol.FlagSwap && (h.own != nil || h.other != nil && h.at.op.Kind == protocol.FlagSwap):
		return "each has the lock that the other waits for: take them in one order everywhere"
	case h.op.Kind == protocol.FlagSwap && h.other == nil:
		return "who has the lock never gives it back: store what it holds when nobody has it, on every way that leads away from here"
	case h.op.Kind.Polls() && (h.own != nil || h.other != nil):
		return "whoever would still write it waits, too: write before waiting, or wait for a value that the writers leave (>= where others may be past it)"
	case h.other != nil && h.op.Kind == protocol.Wait && h.at.op.Kind == protocol.Wait:
		return "each side waits for the other: one of them has to arrive before it waits (the first wait for an empty stage takes phase 1, which a fresh barrier lets pass)"
	case h.other != nil:
		return fmt.Sprintf("let %s come to line %d without the wait at line %d, or do that before", h.at.actor(), siteAt(h.p, h.other.Site).Line, h.at.site.Line)
	case h.own != nil:
		return "let these threads arrive before they wait, or let others arrive for them"
	}
	switch h.op.Kind {
	case protocol.Wait:
		if !h.any {
			return "nothing arrives there in this execution: the side that arrives has to go round as often as the side that waits, and come to the same barriers"
		}
		return "nobody is left to arrive: both sides need the same number of rounds, and a wait the phase that the next arrivals complete"
	case protocol.NamedSync:
		return "let all threads that the barrier counts come to it equally often, or count only those that do"
	case protocol.ClusterWait:
		return "let all threads of all CTAs of the cluster arrive, those that leave early included"
	case protocol.Spin, protocol.FlagSwap:
		if !h.any {
			return "nothing writes it in this execution: wait for what the other side writes"
		}
		return "nobody is left to write it: wait for the value that the writers leave, or let as many of them write"
	}
	return "let what it waits for be issued, and complete, before"
}

// help says what to change about a violation.
func (k *kernelResult) help(p protocol.Property, a *answer) string {
	barrier := ctaBarrier(k.Path)
	switch p {
	case protocol.Deadlock, protocol.Livelock:
		if s, ok := blocker(a, p); ok {
			return waitingFor(a, s).help()
		}
	case protocol.Phase:
		return "a wait may lag one phase at most: let the arrivals of the next phase wait for those that wait (a second mbarrier, full and empty), or join the lanes of a warp before one of them arrives"
	case protocol.Arrivals:
		return "initialise the barrier for the arrivals of one phase, let one elected thread arrive, or let the next arrival wait for the end of the phase"
	case protocol.Bytes:
		return "expect (arrive.expect_tx) exactly the bytes that the copies of a phase bring, before they can complete"
	case protocol.Quiet:
		return "let as many threads arrive in the last phase as in the others, or leave out the arrivals that nobody waits for"
	case protocol.Attribution:
		return "let a thread wait for the end of a phase before it arrives for the next, as with two mbarriers, full and empty"
	case protocol.Lifetime:
		if _, _, stray := a.outcome.State.Stray(); stray {
			return "wait for it, on its mbarrier or for its group, before the threads exit"
		}
		if early(a) {
			return "initialise it, execute the fence of mbarrier inits, and let all who use it meet at a barrier (of the cluster, where other CTAs use it) before they do"
		}
		return "let the CTAs meet at a cluster barrier (arrive and wait) before any of them exits"
	case protocol.Race:
		if pair := a.trace.Pair; pair != nil {
			return helpRace(a.instance, pair, barrier)
		}
	}
	return ""
}

// helpRace says how to order two accesses.
func helpRace(p *protocol.Protocol, pair *engine.Pair, barrier string) string {
	first, second := accessOf(p, pair.First), accessOf(p, pair.Second)
	one, two := siteAt(p, first.Site), siteAt(p, second.Site)
	lines := between(one.Path == two.Path, one.Line, two.Line)
	switch {
	case p.Buffers[first.Buffer].Freed:
		return "let the threads that use it meet the one that frees it at a barrier before"
	case pair.First.InFlight || pair.Second.InFlight || first.Pending || second.Pending || first.Async || second.Async:
		return "let the threads wait for what is in flight (its mbarrier, its commit, or its group) " + lines
	case p.Classes[pair.First.Class].CTA != p.Classes[pair.Second.Class].CTA:
		return "let the CTAs meet at a cluster barrier, or signal by an mbarrier, " + lines
	}
	return fmt.Sprintf("let the threads meet at a barrier (%s, or an mbarrier between the two sides) %s", barrier, lines)
}

// between says where something has to stand that orders two places.
func between(one bool, a, b int) string {
	switch {
	case !one || a == 0 || b == 0:
		return "on the way from the one access to the other"
	case a == b:
		return fmt.Sprintf("between the two accesses of line %d", a)
	}
	return fmt.Sprintf("on the way from line %d to line %d, and back where a loop goes round", min(a, b), max(a, b))
}

// ctaBarrier is how the barrier of a CTA is spelled in the language of a file.
func ctaBarrier(name string) string {
	switch path.Ext(name) {
	case ".py":
		return "cute.arch.sync_threads()"
	case ".ptx":
		return "bar.sync 0"
	}
	return "__syncthreads()"
}

// help says what to change about what a check found.
func (k *compiledKernel) help(f *order.Finding) string {
	switch f.Check {
	case order.Deadlock:
		if warps := k.Execution.Program.Warps; len(f.Points) == 1 {
			p := f.Points[0]
			if p.Index >= 0 && p.Warp < len(warps) && p.Index < len(warps[p.Warp].Commands) {
				if kind := warps[p.Warp].Commands[p.Index].Kind; kind == order.MbarWait || kind == order.MbarWaitToken {
					return "let as many arrivals and bytes come in each phase as the mbarrier is initialised for and expects, from threads that do not wait for this one first"
				}
			}
		}
		return "let everyone that the barrier counts come to it, equally often and not behind a wait for each other; or count only those that do"
	case order.Counts:
		return "give all that come to one generation of a barrier the same count of threads"
	case order.Registration, order.Recycling:
		return "let the threads of one generation wait for its end before they come to the next, count all that come, or use a barrier of another id"
	case order.Unwaited:
		return "let threads wait (bar.sync) in the barrier that others arrive at, or leave out the arrivals"
	case order.Divergence:
		if k.excludes(f) {
			return "name only lanes that run it, each itself among them: 0xffffffff where the whole warp does"
		}
		return "move the barrier out of the condition, or let the condition be the same for all lanes of a warp"
	case order.Arrivals:
		return "initialise the barrier for the arrivals of one phase, let one elected thread arrive, or let the next arrival wait for the end of the phase"
	case order.Attribution:
		return "let a thread wait for the end of a phase before it arrives for the next, as with two mbarriers, full and empty"
	case order.Phase:
		return "a wait may lag one phase at most: let the arrivals of the next phase wait for those that wait, or join the lanes of a warp (__syncwarp) before one of them arrives"
	case order.Bytes:
		return "expect (arrive.expect_tx) exactly the bytes that the copies of a phase bring, before they can complete"
	case order.Lifetime:
		return "initialise once, before a barrier that all who use it come to; keep the CTA, and the mbarrier valid, until all of them are done (a barrier, of the cluster for other CTAs)"
	case order.Race:
		return k.helpRace(f)
	}
	return ""
}

// checkWords is what a check finds, in words: a property, or what leads to a hang.
func checkWords(c order.Check) string {
	switch c {
	case order.Counts, order.Registration:
		return "a barrier whose counts do not fit"
	case order.Recycling:
		return "a barrier used again too early"
	case order.Divergence:
		return "a warp that comes in parts"
	case order.Unwaited:
		return "arrivals that nobody waits for"
	}
	return finding.Words(c.String())
}

// helpRace says how to order two accesses.
func (k *compiledKernel) helpRace(f *order.Finding) string {
	if len(f.Points) < 2 {
		return "let the threads meet at a barrier between the accesses"
	}
	a, b := k.place(f.Points[0]), k.place(f.Points[1])
	lines := between(a.Path == b.Path, a.Line, b.Line)
	warps := k.Execution.Program.Warps
	first, second := f.Points[0], f.Points[1]
	kept := func(p order.Point) bool {
		return p.Index >= 0 && p.Warp < len(warps) && p.Index < len(warps[p.Warp].Commands)
	}
	switch {
	case kept(first) && !warps[first.Warp].Commands[first.Index].Kind.Access(), kept(second) && !warps[second.Warp].Commands[second.Index].Kind.Access():
		return "let the threads wait for what is in flight (its mbarrier, its commit, or its group) " + lines
	case f.InOneWarp() && len(warps) > 1 && k.tried() > 0:
		return fmt.Sprintf("join the lanes of the warp (__syncwarp) %s; or all threads (%s), if with other numbers several warps share these elements", lines, ctaBarrier(k.file.Source.Name))
	case f.InOneWarp():
		return "join the lanes of the warp (__syncwarp) " + lines
	case first.Warp < len(warps) && second.Warp < len(warps) && warps[first.Warp].CTA != warps[second.Warp].CTA && k.Execution.Launch.Cluster == [3]int{1, 1, 1}: // nothing but the grid has both
		return "let CTAs write what no other one reads, or the whole grid meet (grid.sync() in a cooperative launch, or another launch) " + lines + "; or use atomic operations"
	case first.Warp < len(warps) && second.Warp < len(warps) && warps[first.Warp].CTA != warps[second.Warp].CTA:
		return "let the CTAs meet at a cluster barrier " + lines
	case order.InGlobalMemory(f.Object):
		return fmt.Sprintf("let the threads meet at a barrier (%s) %s; or give each its own element, or an atomic operation", ctaBarrier(k.file.Source.Name), lines)
	}
	return fmt.Sprintf("let the threads meet at a barrier (%s) %s", ctaBarrier(k.file.Source.Name), lines)
}

// sayPhase says who misses which phase.
func sayPhase(a *answer, object string) string {
	want := protocol.Canonical(a.instance)
	for _, b := range a.outcome.Blocked {
		op := &a.instance.Classes[b.Class].Ops[b.Op]
		if op.Kind != protocol.Wait || op.Object != a.object {
			continue
		}
		switch now, k := a.outcome.State.Mbars[op.Object].Phase, want.WaitPhase(b.Class, b.Op); {
		case k == protocol.NoPhase:
		case now >= k+2:
			return fmt.Sprintf("%s may miss phase %d of %s: it is in phase %d when they wait for it", b.Threads, k, object, now)
		case now < k:
			return fmt.Sprintf("%s may pass this wait for phase %d of %s when it is in phase %d", b.Threads, k, object, now)
		}
	}
	return fmt.Sprintf("a wait on %s may be for another phase than the one the barrier is in", object)
}

// standing is the mbarrier that an answer is about, at the end.
func (a *answer) standing() (finding.Standing, bool) {
	if a.object < 0 || a.object >= len(a.outcome.State.Mbars) {
		return finding.Standing{}, false
	}
	b := a.outcome.State.Mbars[a.object]
	return finding.Standing{Come: b.Expected - b.Pending, Need: b.Expected, Bytes: b.Tx}, true
}

// initialised says for how many arrivals the mbarrier of an answer is.
func (a *answer) initialised() string {
	if b, ok := a.standing(); ok {
		return fmt.Sprintf(": it is initialised for %d a phase, and they have come", b.Need)
	}
	return ""
}

func sayBytes(a *answer, object string) string {
	switch b, _ := a.standing(); {
	case b.Bytes > 0:
		return fmt.Sprintf("%s never gets %d of the bytes that it expects: its phase never completes", object, b.Bytes)
	case b.Bytes < 0:
		return fmt.Sprintf("%s gets %d bytes that it does not expect: its phase never completes", object, -b.Bytes)
	}
	return object + " ends with transaction bytes outstanding: its phase never completes"
}

func sayQuiet(a *answer, object string) string {
	if b, ok := a.standing(); ok {
		return fmt.Sprintf("%s is left with %d of %d arrivals of a phase when all threads are done", object, b.Come, b.Need)
	}
	return object + " ends in a phase that is only partly arrived"
}
