package check

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// readable puts the trace of a violation in an order that a person can follow. It is re-run like the first one; where
// that does not show the same violation, the first one stays.
func (a *answer) readable(p protocol.Property) {
	t := &engine.Trace{Steps: inOrder(a.instance, a.trace.Steps), Pair: a.trace.Pair}
	if outcome, err := replay.Run(a.instance, t, p); err == nil {
		a.trace, a.outcome = t, outcome
	}
}

// traceSteps turns a replayed trace into the steps of a finding.
func (k *kernelResult) traceSteps(a *answer) []finding.Step {
	steps := make([]finding.Step, 0, len(a.outcome.Steps)+2)
	for _, l := range joined(a.instance, a.outcome.Steps) {
		steps = append(steps, finding.Step{
			Location: finding.Location{Path: l.site.Path, Line: l.site.Line}, Actor: l.actor(), Text: l.effect, By: l.by(), After: l.after,
			From: k.calledAt(l.site),
		})
	}
	if a.trace.Pair == nil {
		return steps
	}
	for _, x := range []engine.Accessor{a.trace.Pair.First, a.trace.Pair.Second} {
		access := accessOf(a.instance, x)
		site := siteAt(a.instance, access.Site)
		class := a.instance.Classes[x.Class]
		actor, by := "a thread of "+class.Name, party(class.CTA, class.Threads, class.Name)
		if class.Count == 1 {
			actor = class.Name
		}
		if access.Pending {
			actor = "a copy that " + actor + " has not waited for"
		}
		if x.InFlight {
			by = flight(class.CTA, siteAt(a.instance, class.Ops[x.Location].Site), a.outcome.State.Flying(class.CTA, class.Ops[x.Location].Site))
			actor = "an operation in flight, issued by " + class.Name + ","
		}
		steps = append(steps, finding.Step{
			Location: finding.Location{Path: site.Path, Line: site.Line}, Actor: actor,
			Text: fmt.Sprintf("may now %s %s", verb(a.instance, access), a.instance.Buffers[access.Buffer].Name), By: []finding.Party{by}, Racing: true,
		})
	}
	return steps
}

// calledAt is the call in the kernel that leads to a place.
func (k *kernelResult) calledAt(s protocol.Site) finding.Location {
	if s.From == 0 {
		return finding.Location{}
	}
	return finding.Location{Path: k.Path, Line: s.From}
}

// verb says what an access does.
func verb(p *protocol.Protocol, a protocol.Access) string {
	freed := p.Buffers[a.Buffer].Freed
	switch {
	case freed && a.Write:
		return "free"
	case freed:
		return "use"
	case a.Write:
		return "write"
	}
	return "read"
}

// accessOf finds one side of a race. A replayed trace has its indices in range.
func accessOf(p *protocol.Protocol, x engine.Accessor) protocol.Access {
	if x.InFlight {
		return p.Classes[x.Class].Ops[x.Location].Access[x.Index]
	}
	return p.Classes[x.Class].Blocks[x.Location][x.Index]
}

func siteAt(p *protocol.Protocol, site int) protocol.Site {
	if site < 0 || site >= len(p.Sites) {
		return protocol.Site{}
	}
	return p.Sites[site]
}

// stuck is a group of threads of one CTA that stand at one statement at the end of a trace.
type stuck struct {
	op   protocol.Op
	at   []finding.Standing // its object
	poll string             // what they read for ever, "" where they do not
	line
}

func (s *stuck) String() string { return s.actor() + ": " + s.effect }

// stuckAt lists where the threads stand that are not at their end.
func stuckAt(a *answer) []stuck {
	var out []stuck
	for _, b := range a.outcome.Blocked {
		class := &a.instance.Classes[b.Class]
		s := stuck{op: class.Ops[b.Op], poll: b.Poll, line: line{effect: b.At, parts: []part{{class.CTA, b.Indices, b.Threads}}}}
		s.site = siteAt(a.instance, s.op.Site)
		if at, ok := a.outcome.State.Awaited(b.Class, &s.op); ok {
			s.at = []finding.Standing{finding.Standing(at)}
		}
		same := func(o stuck) bool {
			return o.op.Kind == s.op.Kind && o.site == s.site && o.effect == s.effect && o.accepts(s.parts[0])
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].add(s.parts[0])
			continue
		}
		out = append(out, s)
	}
	return out
}

// cycle is what goes on for ever once nothing else can: everyone who polls does so again.
func (k *kernelResult) cycle(p protocol.Property, a *answer) (steps []finding.Step) {
	if p != protocol.Deadlock && p != protocol.Livelock {
		return nil
	}
	for _, s := range stuckAt(a) {
		if s.poll != "" {
			steps = append(steps, s.step(s.poll, k.calledAt(s.site)))
		}
	}
	return steps
}

// forever is where who stands in a hang.
func (k *kernelResult) forever(p protocol.Property, a *answer) (steps []finding.Step) {
	if p != protocol.Deadlock && p != protocol.Livelock {
		return nil
	}
	for _, s := range stuckAt(a) {
		steps = append(steps, s.step(s.effect, k.calledAt(s.site)))
	}
	return steps
}

func (s *stuck) step(text string, from finding.Location) finding.Step {
	return finding.Step{Location: finding.Location{Path: s.site.Path, Line: s.site.Line}, Actor: s.actor(), Text: text, By: s.by(), After: s.at, From: from}
}

// evidence lists the lines of a file that a counterexample goes through.
func (k *kernelResult) evidence(a *answer, path string) map[int]bool {
	lines := map[int]bool{}
	if a.outcome == nil {
		return lines
	}
	for _, s := range k.traceSteps(a) {
		if s.Path == path {
			lines[s.Line] = true
		}
	}
	for _, s := range stuckAt(a) {
		if s.site.Path == path {
			lines[s.site.Line] = true
		}
	}
	return lines
}

// finding makes the finding of an engine rule.
func (k *kernelResult) finding(opt *Options, f *source.File, rule *rules.Rule, p protocol.Property, a *answer) finding.Finding {
	site, message := k.tell(p, a)
	if p == protocol.Deadlock && opt.enabled(misdirectedRule) {
		if arrival, waiting, ok := misdirected(a); ok {
			rule, site, message = rules.ByID(misdirectedRule), arrival.Site, sayMisdirected(a.instance, arrival, waiting)
		}
	}
	var inside []finding.Label
	switch {
	case site.Line == 0:
		site = protocol.Site{Path: k.Path, Line: k.Line}
	case site.From > 0 && rule.ID != misdirectedRule: // the author of the kernel wrote the call
		inside = append(inside, finding.Label{Location: opt.wholeLine(f, site), Text: "it is here, in what is called"})
		site = protocol.Site{Path: k.Path, Line: site.From}
	}
	fd := finding.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, Location: opt.wholeLine(f, site), Kernel: k.Name,
		Message: first120(message), KernelLines: slices.Clone(k.Spans),
	}
	fd.Labels = inside
	if fd.Message != message {
		fd.Notes = append(fd.Notes, message)
	}
	if rule.ID == misdirectedRule {
		fd.Help = helpMisdirected
	}
	k.attach(opt, f, &fd, p, a)
	return fd
}

// tell says what goes wrong and where a person should look: the wait that hangs, or the access.
func (k *kernelResult) tell(p protocol.Property, a *answer) (protocol.Site, string) {
	switch p {
	case protocol.Deadlock, protocol.Livelock:
		if s, ok := blocker(a, p); ok {
			return s.site, waitingFor(a, s).message()
		}
	case protocol.Race:
		if pair := a.trace.Pair; pair != nil {
			first, second := accessOf(a.instance, pair.First), accessOf(a.instance, pair.Second)
			if !first.Write {
				first, second = second, first
			}
			one, two := siteAt(a.instance, first.Site), siteAt(a.instance, second.Site)
			return one, fmt.Sprintf("nothing orders this %s of %q and the %s of it at line %d",
				verb(a.instance, first), a.instance.Buffers[first.Buffer].Name, verb(a.instance, second), two.Line)
		}
	}
	site, who := lastSite(a)
	object := k.object(p, a)
	switch p {
	case protocol.Phase:
		return k.lateWait(a, site), sayPhase(a, object)
	case protocol.Arrivals:
		return site, fmt.Sprintf("this arrival on %s is one too many%s", object, a.initialised())
	case protocol.Bytes:
		return site, sayBytes(a, object)
	case protocol.Lifetime:
		return k.tooEarlyOrLate(a, site)
	case protocol.Quiet:
		return site, sayQuiet(a, object)
	case protocol.Attribution:
		return site, fmt.Sprintf("this arrival on %s may count for an earlier phase than it is meant for", object)
	}
	return site, fmt.Sprintf("%s is violated: %s", p, who)
}

// blocker chooses the stuck group to point at: a wait or a spin rather than anything else.
func blocker(a *answer, p protocol.Property) (stuck, bool) {
	groups := stuckAt(a)
	if len(groups) == 0 {
		return stuck{}, false
	}
	// Threads at a CTA or cluster barrier mostly wait for the one that is stuck elsewhere.
	rank := func(s stuck) int {
		switch {
		case p == protocol.Livelock && s.op.Kind.Polls() && s.op.Object == a.outcome.Object:
			return 0
		case s.op.Kind == protocol.Wait:
			return 1
		case s.op.Kind.Polls():
			return 2
		}
		return 3
	}
	sort.SliceStable(groups, func(i, j int) bool { return rank(groups[i]) < rank(groups[j]) })
	return groups[0], true
}

// lateWait finds the wait on the answer's object that some thread stands at.
func (k *kernelResult) lateWait(a *answer, otherwise protocol.Site) protocol.Site {
	for _, s := range stuckAt(a) {
		if s.op.Kind == protocol.Wait && s.op.Object == a.object {
			return s.site
		}
	}
	return otherwise
}

// tooEarlyOrLate tells a use of an mbarrier before its init from one after the exit of its CTA.
func (k *kernelResult) tooEarlyOrLate(a *answer, otherwise protocol.Site) (protocol.Site, string) {
	if c, l, ok := a.outcome.State.Stray(); ok {
		site, what := siteAt(a.instance, a.instance.Classes[c].Ops[l].Site), "copy"
		if strings.HasPrefix(site.Text, "work query") {
			what = "query"
		}
		return site, "this " + what + " may be in flight when all threads of its CTA have exited; expected a wait for it before"
	}
	site, who := otherwise, "it"
	for _, s := range stuckAt(a) {
		if s.op.Object == a.object && usesMbarrier(s.op.Kind) {
			site = s.site
			who = s.actor()
			break
		}
	}
	object := k.object(protocol.Lifetime, a)
	if early(a) {
		return site, fmt.Sprintf("%s may be used here before its init: nothing makes %s wait for it", object, who)
	}
	return site, fmt.Sprintf("%s may be used here after all threads of the CTA it lives in have exited", object)
}

// early reports whether an mbarrier was used before its init, rather than after the end of its CTA.
func early(a *answer) bool {
	return a.object >= 0 && a.object < len(a.outcome.State.Mbars) && !a.outcome.State.Mbars[a.object].Initialised
}

func usesMbarrier(kind protocol.Kind) bool {
	switch kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
		return true
	}
	return false
}

func lastSite(a *answer) (protocol.Site, string) {
	for i := len(a.outcome.Steps) - 1; i >= 0; i-- {
		if s := a.outcome.Steps[i]; s.Site.Line > 0 {
			return s.Site, s.Threads + ": " + s.Effect
		}
	}
	return protocol.Site{}, ""
}

// object names what an answer is about.
func (k *kernelResult) object(p protocol.Property, a *answer) string {
	switch {
	case a.object < 0:
	case p == protocol.Lifetime && a.object >= len(a.instance.Mbars): // a buffer, where there are more of them
	case a.object < len(a.instance.Mbars):
		return fmt.Sprintf("%q", a.instance.Mbars[a.object].Name)
	}
	return "a barrier"
}

// wholeLine is the location of a line's text, without its indentation.
func (opt *Options) wholeLine(f *source.File, site protocol.Site) finding.Location {
	loc := finding.Location{Path: site.Path, Line: site.Line, Column: 1, EndLine: site.Line, EndColumn: 1}
	if f == nil || f.Name != site.Path {
		if opt.load == nil {
			return loc
		}
		other := opt.load(site.Path)
		if other == nil {
			return loc
		}
		f = other.Source
	}
	span := f.LineSpan(site.Line)
	text := f.Text(span)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	loc.Column = f.Position(span.Start + indent).Column
	loc.EndColumn = f.Position(span.Start + len(strings.TrimRight(text, " \t\r\n"))).Column
	return loc
}

// first120 keeps a message's sentence within what GitHub shows of it.
func first120(text string) string {
	const most = 120
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func names(engines []string) string { return strings.Join(engines, " and ") }

// within prints the bounds of what was proved about a kernel.
func (k *kernelResult) within() string {
	parts := finding.Equations(k.Bounds, func(string) bool { return true })
	if len(parts) == 0 {
		return "no bounds: nothing in it is known at run time only"
	}
	return strings.Join(parts, "; ")
}

// with prints what an instance that goes wrong is: its shape and its values of what was varied. What was assumed and
// searched besides stands with the kernel.
func (k *kernelResult) with(instance map[string]string) string {
	bounds := map[string]string{}
	maps.Copy(bounds, k.Bounds)
	maps.Copy(bounds, instance)
	return strings.Join(finding.Equations(bounds, func(name string) bool {
		_, varied := instance[name]
		return name == "ctas" || name == "threads" || varied && (k.Bounds[name] != "" || lower.IsAttempt(name) && instance[name] == "0")
	}), "; ")
}
