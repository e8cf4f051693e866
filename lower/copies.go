package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

func (m *machine) transaction(o operands) {
	b, _ := o.mbarrier()
	kind, text := protocol.ArriveExpectTx, "arrive.expect_tx"
	switch o.op.Kind {
	case dialect.MbarrierExpectTx:
		kind, text = protocol.ExpectTx, "expect_tx"
	case dialect.MbarrierCompleteTx:
		kind, text = protocol.CompleteTx, "complete_tx"
	}
	op := protocol.Op{Kind: kind, Object: b, Count: 1}
	switch v := m.settle(o.value("bytes")).(type) {
	case value.Int:
		op.Bytes = int(v)
	default:
		if kind == protocol.CompleteTx {
			m.stop(o.node, limit.RunTime, "the transaction bytes are not known before the kernel runs")
		}
		op.Bytes = unknownBytes
	}
	op.Site = m.site(o.node.Where(), "%s on %s", text, m.in.mbarName(b))
	if op.Bytes == unknownBytes || kind != protocol.CompleteTx {
		m.copies = append(m.copies, copyNote{mbar: b, at: len(m.ops), expect: true, bytes: o.value("bytes")})
	}
	m.emit(op, o.node)
}

// tmaLoad issues a copy that completes on an mbarrier.
func (m *machine) tmaLoad(o operands) {
	// cute.copy with a TMA atom elects the issuing lane itself (notes/semantics.md 1.8).
	if strings.HasSuffix(o.op.Name, "copy") && m.passes(o.node) {
		return
	}
	p, ok := o.pointer("ptr")
	if !ok {
		m.stop(o.node, limit.RunTime, "the mbarrier of the copy is not known before the kernel runs")
	}
	m.reachesBy(o, "src", false)
	b := m.mbarrier(p, o.node)
	bytes := unknownBytes
	if v := o.value("bytes"); v != nil {
		if n, ok := m.settle(v).(value.Int); ok {
			bytes = int(n)
		}
	} else if t, ok := o.value("dst").(*cute.Tensor); ok {
		bytes = m.bytesIn(cute.TypedBy(o.value("atom"), t).From(o.value("src")))
	}
	op := protocol.Op{Kind: protocol.Issue, Access: m.copyAccess(o, "dst", true, bytes)}
	var ctas []int64
	for _, l := range m.landings(o, p) {
		p.Cta = value.Int(l.signal)
		op.Effects = append(op.Effects, protocol.Effect{Mbar: m.mbarrier(p, o.node), Bytes: bytes})
		ctas = append(ctas, l.data)
	}
	if len(ctas) > 1 || ctas[0] != m.cta {
		op.Access = m.eachCTA(op.Access, ctas)
	}
	op.Site = m.site(o.node.Where(), "copy completing on %s", m.onEach(op.Effects, b))
	into := o.value("dst")
	if t, ok := into.(*cute.Tensor); ok {
		into = cute.TypedBy(o.value("atom"), t)
	}
	m.noteCopies(op, into, o.value("bytes"))
	m.emit(op, o.node)
}

// copyWith is a copy whose mbarrier comes in a way that the spelling of the call does not show: **kwargs.
func (m *machine) copyWith(bar, copyAtom value.Value, a *value.Arguments) {
	regs := map[string]value.Value{"ptr": bar, "atom": copyAtom, "src": a.Get(1, "src"), "dst": cute.Predicated(a.Get(-1, "pred"), a.Get(2, "dst")), "mask": value.FirstOf(a.Get(-1, "mcast_mask"), a.Get(-1, "mask"), value.None{})}
	op := &dialect.Op{Kind: dialect.TmaLoad, Name: "cute.copy", Args: map[string]dialect.Arg{}}
	for name := range regs {
		op.Args[name] = dialect.Arg{Text: name}
	}
	m.tmaLoad(operands{m: m, op: op, node: a.Node, regs: regs})
}

// copyAccess is what an asynchronous copy reads or writes in tracked shared memory.
func (m *machine) copyAccess(o operands, name string, write bool, bytes int) []protocol.Access {
	if t, ok := o.value(name).(*cute.Tensor); ok {
		return m.engineAccess(t, write, o.node)
	}
	p, ok := o.pointer(name)
	if !ok || p.Block == nil || !p.Block.Shared || p.Block.Mbarrier {
		return nil
	}
	s, moved := p.Offset.(memory.Swizzled)
	if !moved {
		return m.copyAt(o, p, write, bytes)
	}
	out := m.copyAt(o, p.Somewhere(), write, bytes)
	if size := p.Block.Size; size > 0 && s.Within(m.settle(s.At), int64(bytes)/size, size) {
		for i := range out {
			out[i].Share = m.shareOfSwizzle(p.Block, s)
		}
		p.Block, p.Offset = m.in.seenThrough(p.Block, s.By), s.At
		out = append(out, m.copyAt(o, p, write, bytes)...)
	}
	return out
}

// copyAt is what a copy reads or writes at an address.
func (m *machine) copyAt(o operands, p value.Pointer, write bool, bytes int) []protocol.Access {
	m.operates(p.Block, o.node)
	if write {
		m.blurs(p.Block)
	}
	offs, ok := m.settle(p.Offset).(value.Lanes)
	if off, is := m.settle(p.Offset).(value.Int); is {
		offs, ok = value.Lanes{int64(off)}, true
	}
	sized := len(p.Dims) > 0 || p.Block.Elements <= 1 || p.Block.Size > 0
	some := bytes > 0 || o.op.Kind == dialect.CpAsync // a bulk copy of a size that is not known may be empty
	switch {
	case (!ok || !sized) && some && len(p.Dims) == 0:
		return m.accessOf(p, write, memory.Somewhere.Ranges, protocol.Somewhere, o.node)
	case !ok || len(p.Dims) > 0 && p.Block.Elements == 0:
		m.in.untracked(p.Block.Name, "copied to or from at an index that is only known when the kernel runs")
		return nil
	case !sized:
		m.in.untracked(p.Block.Name, "copied to or from with an extent that is not known")
		return nil
	}
	width := int64(1)
	switch {
	case bytes > 0 && p.Block.Size > 0:
		width = max(1, int64(bytes)/p.Block.Size)
	case len(p.Dims) > 0:
		for _, d := range p.Dims {
			width *= d
		}
	}
	r := make([]protocol.Range, len(offs))
	for i, off := range offs {
		r[i] = protocol.Range{Lo: int(off), Hi: int(off + width)}
		if off < 0 || p.Block.Elements > 0 && r[i].Hi > int(p.Block.Elements) {
			m.in.untracked(p.Block.Name, "copied to or from outside the allocation")
			return nil
		}
	}
	return m.accessOf(p, write, r, protocol.Whole, o.node)
}

// accessOf is a copy's access of elements of the block that a pointer points into.
func (m *machine) accessOf(p value.Pointer, write bool, rs []protocol.Range, parts protocol.Division, n program.Node) []protocol.Access {
	buf := m.buffer(p, n)
	verb := "copy reads"
	if write {
		verb = "copy writes"
	}
	a := protocol.Access{Buffer: buf, Write: write, Elements: rs, Parts: parts, Site: m.site(n.Where(), "%s %s", verb, m.in.bufferName(buf, rs))}
	m.in.reach(a)
	return []protocol.Access{a}
}

// engineAccess is what a copy engine reads or writes of a tensor.
func (m *machine) engineAccess(t *cute.Tensor, write bool, n program.Node) []protocol.Access {
	verb := "copy reads"
	if write {
		verb = "copy writes"
	}
	m.operates(t.Block, n)
	if a, ok := m.touch(t, write, n, verb); ok {
		if a.Parts == protocol.ByThread {
			a.Parts = protocol.ByCopy
		}
		return []protocol.Access{a}
	}
	return nil
}

// bulkCopy issues a copy that a wait_group of the issuing thread completes.
func (m *machine) bulkCopy(o operands) {
	name, write := "src", false
	if o.op.Kind == dialect.CpAsync {
		name, write = "dst", true
	}
	if _, ok := o.value(name).(*cute.Tensor); ok && !write && m.passes(o.node) {
		return
	}
	if other := map[string]string{"src": "dst", "dst": "src"}[name]; o.op.Has(other) || !write {
		m.reachesBy(o, other, !write)
	}
	if _, ok := o.pointer(name); !ok && !write {
		if _, ok := o.value(name).(*cute.Tensor); !ok {
			m.unplacedAsync(o.node)
		}
	}
	bytes, _ := m.settle(o.value("bytes")).(value.Int)
	acc := m.copyAccess(o, name, write, int(bytes))
	if p, ok := o.pointer(name); !write && (ok && p.Block != nil && p.Block.Shared || isShared(o.value(name))) {
		m.sends(o.node)
	}
	if o.op.Kind == dialect.CpAsync {
		m.cpAsync = m.fly(acc, m.cpAsync, o.node, false)
	} else {
		m.bulk = m.fly(acc, m.bulk, o.node, true)
	}
}

// passes reports whether the group is not the lane that a warp-wide copy of the DSL elects (notes/semantics.md 1.8).
func (m *machine) passes(n program.Node) bool {
	m.meet(n)
	return !m.truth(m.elected(fullWarp), n)
}
