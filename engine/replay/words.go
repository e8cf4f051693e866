package replay

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// describe says in words what a step just did; moved holds the indices of the threads that took part.
func (s *State) describe(st engine.Step, moved []int) StepInfo {
	class := &s.p.Classes[st.Class]
	op := &class.Ops[st.Op]
	info := StepInfo{Step: st, Threads: class.Name, Effect: s.effect(st, class.CTA, op)}
	if !st.Completion {
		info.Threads, info.Indices = threads(class, moved), indices(class, moved)
	}
	if op.Kind == protocol.Issue {
		info.InFlight = s.Flying(class.CTA, op.Site)
	}
	if op.Site >= 0 && op.Site < len(s.p.Sites) {
		info.Site = s.p.Sites[op.Site]
	}
	return info
}

func (s *State) effect(st engine.Step, cta int, op *protocol.Op) string {
	if st.Completion {
		var parts []string
		for _, e := range op.Effects {
			parts = append(parts, fmt.Sprintf("on %s%s", s.mbar(e.Mbar, cta), s.after(e.Mbar)))
		}
		return strings.TrimSpace("asynchronous operation completes " + strings.Join(parts, ", "))
	}
	switch op.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
		return fmt.Sprintf("%s on %s%s", op.Kind, s.mbar(op.Object, cta), s.after(op.Object))
	case protocol.Init:
		return fmt.Sprintf("init of %s: %d arrivals a phase", s.mbar(op.Object, cta), s.p.Mbars[op.Object].Count)
	case protocol.Wait:
		return fmt.Sprintf("wait on %s phase %d passes: %[1]s is in phase %[3]d", s.mbar(op.Object, cta), op.Parity, s.Mbars[op.Object].Phase)
	case protocol.NamedArrive, protocol.NamedSync:
		if n := s.Registered[op.Object]; n > 0 {
			return fmt.Sprintf("%s on %s: %d registered", op.Kind, s.named(op.Object), n)
		}
		return fmt.Sprintf("%s on %s: barrier complete", op.Kind, s.named(op.Object))
	case protocol.ClusterArrive, protocol.ClusterWait:
		return fmt.Sprintf("%s: generation %d", op.Kind, s.Generation[s.group(st.Class)])
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		return fmt.Sprintf("%s on %s: value %d", op.Kind, s.p.Flags[op.Object].Name, s.Flags[op.Object])
	case protocol.Issue:
		return fmt.Sprintf("issue: %d in flight", s.InFlight[st.Class][st.Op])
	}
	return op.Kind.String()
}

// after says how an mbarrier stands once a contribution is made.
func (s *State) after(m int) string {
	b, count := s.Mbars[m], s.Mbars[m].Expected
	if s.broken == m {
		return fmt.Sprintf(": more arrivals than the %d pending", b.Pending)
	}
	done := slices.ContainsFunc(s.credits, func(c credit) bool { return c.mbar == m && c.phase < b.Phase })
	if done && b.Pending == count && b.Tx == 0 {
		return fmt.Sprintf(": phase %d complete", b.Phase-1)
	}
	return fmt.Sprintf(": %d of %d pending%s", b.Pending, count, bytes(b.Tx))
}

func bytes(tx int) string {
	if tx == 0 {
		return ""
	}
	return fmt.Sprintf(", %d bytes outstanding", tx)
}

// mbar names an mbarrier as seen from a CTA.
func (s *State) mbar(m, cta int) string {
	b := &s.p.Mbars[m]
	if b.CTA == cta || strings.Contains(b.Name, "CTA") {
		return b.Name
	}
	return fmt.Sprintf("%s of CTA %d", b.Name, b.CTA)
}

func (s *State) named(n int) string {
	if id := s.p.Named[n].ID; id >= protocol.WarpBarrier {
		return fmt.Sprintf("the barrier of warp %d", id-protocol.WarpBarrier)
	}
	return fmt.Sprintf("barrier %d", s.p.Named[n].ID)
}

// objects says how every object stands that is not at rest or that a thread waits on.
func (s *State) objects() []string {
	var out []string
	waited := func(n int, kinds ...protocol.Kind) bool {
		for c, class := range s.p.Classes {
			for _, t := range s.Threads[c] {
				if t.Location < len(class.Ops) && class.Ops[t.Location].Object == n && slices.Contains(kinds, class.Ops[t.Location].Kind) {
					return true
				}
			}
		}
		return false
	}
	for i, b := range s.Mbars {
		if count := b.Expected; b.Pending != count || b.Tx != 0 || waited(i, protocol.Wait) {
			out = append(out, fmt.Sprintf("%s: phase %d, %d of %d arrivals pending%s", s.mbar(i, -1), b.Phase, b.Pending, count, bytes(b.Tx)))
		}
	}
	for i, n := range s.p.Named {
		if s.Registered[i] == 0 {
			continue
		}
		need := n.Threads
		if need == 0 {
			need = s.alive(n.CTA)
		}
		out = append(out, fmt.Sprintf("%s of CTA %d: %d of %d threads registered", s.named(i), n.CTA, s.Registered[i], need))
	}
	for g, generation := range s.Generation {
		if alive, arrived := s.cluster(g); arrived > 0 {
			out = append(out, fmt.Sprintf("cluster barrier: generation %d, %d of %d threads arrived", generation, arrived, alive))
		}
	}
	for i, f := range s.p.Flags {
		if s.Flags[i] != f.Initial || waited(i, protocol.Spin) || waited(i, protocol.FlagSwap) {
			out = append(out, fmt.Sprintf("%s: value %d", f.Name, s.Flags[i]))
		}
	}
	for c, class := range s.p.Classes {
		for l, n := range s.InFlight[c] {
			if n > 0 {
				out = append(out, fmt.Sprintf("%d in flight, issued by %s%s", n, class.Name, s.line(class.Ops[l].Site)))
			}
		}
	}
	return append(out, s.pending()...)
}

// pending lists the copies that threads have issued and not waited for, by the place of their issue and by CTA.
func (s *State) pending() []string {
	type issue struct{ site, cta int }
	by, order, unnamed := map[issue][]int{}, []issue(nil), map[issue]string{}
	for c := range s.p.Classes {
		class := &s.p.Classes[c]
		for t, th := range s.Threads[c] {
			for _, a := range class.Blocks[th.Location] {
				at := issue{a.Site, class.CTA}
				if !a.Pending {
					continue
				}
				if !slices.Contains(order, at) {
					order = append(order, at)
				}
				if ids := indices(class, []int{t}); ids == nil {
					unnamed[at] = class.Name
				} else if !slices.Contains(by[at], ids[0]) {
					by[at] = append(by[at], ids[0])
				}
			}
		}
	}
	var out []string
	for _, at := range order {
		who := unnamed[at]
		if slices.Sort(by[at]); len(by[at]) > 0 {
			who = ThreadNames(by[at], at.cta)
		}
		out = append(out, fmt.Sprintf("copies that %s did not wait for may be in flight%s", who, s.line(at.site)))
	}
	return out
}

// blockedAt lists where every thread is that is not at its end.
func (s *State) blockedAt() []Blocked {
	var out []Blocked
	for c := range s.p.Classes {
		class := &s.p.Classes[c]
		for l := range class.Ops {
			var here []int
			for t, th := range s.Threads[c] {
				if th.Location == l {
					here = append(here, t)
				}
			}
			if len(here) > 0 {
				out = append(out, Blocked{Class: c, Op: l, Threads: threads(class, here), Indices: indices(class, here),
					At: s.operation(class.CTA, &class.Ops[l]) + s.line(class.Ops[l].Site), Poll: s.poll(class.CTA, &class.Ops[l])})
			}
		}
	}
	return out
}

// poll says what a thread at an operation reads until it likes what it sees: a flag, or the phase of an mbarrier, which no
// instruction waits for but in a loop of try_wait (PTX ISA 9.7.13.15.16).
func (s *State) poll(cta int, op *protocol.Op) string {
	switch op.Kind {
	case protocol.Wait:
		return fmt.Sprintf("poll of %s: in phase %d, waits for its end", s.mbar(op.Object, cta), s.Mbars[op.Object].Phase)
	case protocol.Spin, protocol.FlagSwap:
		return fmt.Sprintf("poll of %s: value %d, waits for %s %d", s.p.Flags[op.Object].Name, s.Flags[op.Object], op.Compare, op.Count)
	}
	return ""
}

func (s *State) operation(cta int, op *protocol.Op) string {
	switch op.Kind {
	case protocol.Init, protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
		return fmt.Sprintf("%s on %s", op.Kind, s.mbar(op.Object, cta))
	case protocol.Wait:
		return fmt.Sprintf("wait on %s phase %d", s.mbar(op.Object, cta), op.Parity)
	case protocol.NamedArrive, protocol.NamedSync:
		return fmt.Sprintf("%s on %s", op.Kind, s.named(op.Object))
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		return fmt.Sprintf("%s on %s %s%d", op.Kind, s.p.Flags[op.Object].Name, op.Compare, op.Count)
	}
	return op.Kind.String()
}

func (s *State) line(site int) string {
	if site < 0 || site >= len(s.p.Sites) || s.p.Sites[site].Line == 0 {
		return ""
	}
	at := s.p.Sites[site]
	if slices.ContainsFunc(s.p.Sites, func(other protocol.Site) bool { return other.Line > 0 && other.Path != at.Path }) {
		return fmt.Sprintf(" (line %d of %s)", at.Line, path.Base(at.Path))
	}
	return fmt.Sprintf(" (line %d)", at.Line)
}

// indices are the indices in the CTA of some threads of a class, in order; nil where the protocol does not say them.
func indices(class *protocol.Class, of []int) []int {
	if len(class.Threads) != class.Count {
		return nil
	}
	ids := make([]int, 0, len(of))
	for _, t := range of {
		ids = append(ids, class.Threads[t])
	}
	slices.Sort(ids)
	return ids
}

// threads names some threads of a class.
func threads(class *protocol.Class, of []int) string {
	switch ids := indices(class, of); {
	case ids != nil:
		return ThreadNames(ids, class.CTA)
	case len(of) == class.Count:
		return class.Name
	}
	return fmt.Sprintf("%d of %s", len(of), class.Name)
}

// ThreadNames names threads by their indices, which are sorted: "threads 0-126 of CTA 0", or of several CTAs.
func ThreadNames(ids []int, ctas ...int) string {
	noun := "threads"
	if len(ids) == 1 {
		noun = "thread"
	}
	if len(ctas) == 1 {
		return fmt.Sprintf("%s %s of CTA %d", noun, Ranges(ids), ctas[0])
	}
	owners := make([]string, len(ctas))
	for i, cta := range ctas {
		owners[i] = fmt.Sprint(cta)
	}
	last := len(owners) - 1
	return fmt.Sprintf("%s %s of CTAs %s and %s", noun, Ranges(ids), strings.Join(owners[:last], ", "), owners[last])
}

// Ranges prints sorted numbers: "0-126, 128".
func Ranges(ids []int) string {
	var parts []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(ids[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ids[i], ids[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
