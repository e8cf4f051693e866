package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// storeNotAwaited (FP202) reports a store to tensor memory that a thread tells others of before it has awaited it:
// tcgen05.st is asynchronous, and only tcgen05.wait::st makes it one of the accesses that an arrival is behind (PTX ISA
// 9.7.16.6). Kernels in CuTe DSL are looked at while they are lowered; this is for the parts of a C++
// collective, whose other roles stand elsewhere.
func storeNotAwaited(p *Pass) {
	if p.File.Language != program.CUDA {
		return
	}
	for i, s := range p.sites {
		if s.op.Kind != dialect.TmemStore && !p.storesColumns(s) {
			continue
		}
		if o := p.toldOf(i); o != nil {
			f := p.report(s.span, "a store to tensor memory is not awaited before others are told of it at line %d; expected tcgen05.wait::st between", p.location(o.span).Line)
			p.label(f, o.span, "whoever waits for this may read the columns before they are written")
			f.Help = "before the arrival, await the stores: fence_view_async_tmem_store(), tcgen05.wait::st.sync.aligned"
		}
	}
}

// toldOf is the first arrival behind the store at site i with no wait for stores before it. Where a wait follows, and only
// then another store, the arrival may have been about something else.
func (p *Pass) toldOf(i int) *site {
	s := p.sites[i]
	var told *site
	for _, o := range p.sites[i+1:] {
		switch {
		case exclusive(s, o):
		case o.op.Kind == dialect.TmemStoreWait || awaitsStores(o):
			return nil
		case told != nil && (o.op.Kind == dialect.TmemStore || p.storesColumns(o)):
			return told
		case told == nil && announces(o):
			told = o
		}
	}
	return told
}

// storesColumns reports whether a site is a CuTe copy by an atom that stores to tensor memory.
func (p *Pass) storesColumns(s *site) bool {
	c := s.op.Call
	if s.op.Kind != unknownCall || c == nil || lastWord(s.op.Name) != "copy" || len(c.Args) != 3 {
		return false
	}
	atom := p.fn.definition(c.Args[0])
	call, ok := atom.(*program.Call)
	return ok && lastWord(path(call.Fun)) == "make_tmem_copy" && len(call.Args) > 0 && strings.Contains(program.DumpExpr(call.Args[0]), "TMEM_STORE")
}

// announces reports whether a site tells the threads of another role that what came before it is done: the arrival of a
// producer. A release may be about something that was read before.
func announces(s *site) bool {
	return s.op.Kind == dialect.MbarrierArrive || s.op.Kind == unknownCall && lastWord(s.op.Name) == "producer_commit"
}

// awaitsStores reports whether a call that cannot be looked into is named after the wait for stores to tensor memory.
func awaitsStores(s *site) bool {
	name := strings.ToLower(lastWord(s.op.Name))
	if s.op.Kind != unknownCall {
		return false
	}
	return strings.Contains(name, "wait_st") || strings.Contains(name, "store_wait") || strings.Contains(name, "tmem_store") && mayFence(name)
}
