package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
)

// descriptorInFlight (FP208) reports a tensor map in global memory that is written again in a loop whose copies use it, with
// nothing that waits until the copies of the rounds before have read it (PTX ISA 9.7.9.25, cp.async.bulk.wait_group: a
// group is over when its tensor maps have been read, too).
func descriptorInFlight(p *Pass) {
	for _, s := range p.sites {
		l := s.loop()
		if s.op.Kind != plainStore || l == nil || s.assign == nil {
			continue
		}
		base := p.fn.barrierOf(s.arg("ptr")).base
		if base == "" || p.buffer(s.arg("ptr"), nil) != "" {
			continue
		}
		acquired := p.acquiresMap(s, l, base)
		if acquired == nil || drained(s, l) {
			continue
		}
		f := p.report(s.span, "the tensor map %q is written while copies of earlier rounds may still read it; expected a wait for them", p.text(s.arg("ptr")))
		p.label(f, acquired.span, "used by the copies from here on, in every round")
		f.Help = "before the write, the thread that issued the copies executes cp.async.bulk.commit_group and cp.async.bulk.wait_group 0 (cute::tma_desc_commit_group, tma_desc_wait_group)"
		return // one wait serves all maps
	}
}

// acquiresMap is the acquire of a tensor map by the thread that wrote it, in the same round of a loop.
func (p *Pass) acquiresMap(s *site, l *loop, base string) *site {
	for _, a := range l.sites {
		if a.order < s.order || a.op.Call == nil || len(a.op.Call.Args) == 0 || exclusive(a, s) {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(lastWord(a.op.Name)), "_", "")
		if (strings.Contains(name, "tensormapacquire") || strings.Contains(name, "descriptorfenceacquire")) &&
			p.fn.barrierOf(a.op.Call.Args[0]).base == base {
			return a
		}
	}
	return nil
}

// drained reports whether something ahead of a write in a round may wait for the copies that were issued before.
func drained(s *site, l *loop) bool {
	for _, w := range l.sites {
		if w.order >= s.order {
			return false
		}
		name := strings.ToLower(w.op.Name)
		if w.op.Kind == dialect.BulkWait || w.op.Kind == unknownCall && (strings.Contains(name, "wait") || strings.Contains(name, "drain")) || w.blocks() {
			return true
		}
	}
	return false
}
