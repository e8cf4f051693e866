package random

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// objectChanges leave out objects that nothing uses any more.
func objectChanges(p *protocol.Protocol) (out []change) {
	mbars, named, flags, buffers := used(p)
	for i := range p.Mbars {
		if !mbars[i] {
			out = append(out, func(q *protocol.Protocol) { q.Mbars = slices.Delete(q.Mbars, i, i+1); closeGap(q, mbarOf, i) })
		}
	}
	for i := range p.Named {
		if !named[i] {
			out = append(out, func(q *protocol.Protocol) { q.Named = slices.Delete(q.Named, i, i+1); closeGap(q, namedOf, i) })
		}
	}
	for i := range p.Flags {
		if !flags[i] {
			out = append(out, func(q *protocol.Protocol) { q.Flags = slices.Delete(q.Flags, i, i+1); closeGap(q, flagOf, i) })
		}
	}
	for i := range p.Buffers {
		if !buffers[i] {
			out = append(out, func(q *protocol.Protocol) { q.Buffers = slices.Delete(q.Buffers, i, i+1); closeGap(q, bufferOf, i) })
		}
	}
	return out
}

// What the number in an operation or access names.
const (
	mbarOf = iota
	namedOf
	flagOf
	bufferOf
)

// kindOf says what the Object of an operation names, -1 if nothing.
func kindOf(k protocol.Kind) int {
	switch k {
	case protocol.Init, protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
		return mbarOf
	case protocol.NamedArrive, protocol.NamedSync:
		return namedOf
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		return flagOf
	}
	return -1
}

// numbers calls do with every number of p that names an object.
func numbers(p *protocol.Protocol, do func(of int, number *int)) {
	accesses := func(list []protocol.Access) {
		for i := range list {
			do(bufferOf, &list[i].Buffer)
		}
	}
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			if k := kindOf(o.Kind); k >= 0 {
				do(k, &o.Object)
			}
			for i := range o.Effects {
				do(mbarOf, &o.Effects[i].Mbar)
			}
			accesses(o.Access)
		}
		for l := range p.Classes[c].Blocks {
			accesses(p.Classes[c].Blocks[l])
		}
	}
}

func used(p *protocol.Protocol) (mbars, named, flags, buffers []bool) {
	all := [][]bool{make([]bool, len(p.Mbars)), make([]bool, len(p.Named)), make([]bool, len(p.Flags)), make([]bool, len(p.Buffers))}
	numbers(p, func(of int, n *int) { all[of][*n] = true })
	return all[0], all[1], all[2], all[3]
}

func closeGap(q *protocol.Protocol, of, gone int) {
	numbers(q, func(k int, n *int) {
		if k == of && *n > gone {
			*n--
		}
	})
}

// Clone is a copy that shares nothing that Shrink changes.
func Clone(p *protocol.Protocol) *protocol.Protocol {
	q := *p
	q.Mbars, q.Named, q.Flags, q.Buffers, q.Classes = slices.Clone(p.Mbars), slices.Clone(p.Named), slices.Clone(p.Flags), slices.Clone(p.Buffers), slices.Clone(p.Classes)
	for c := range q.Classes {
		class := &q.Classes[c]
		class.Ops, class.Blocks = slices.Clone(class.Ops), slices.Clone(class.Blocks)
		for l := range class.Ops {
			o := &class.Ops[l]
			o.Effects, o.Access, o.Drains = slices.Clone(o.Effects), slices.Clone(o.Access), slices.Clone(o.Drains)
		}
		for l := range class.Blocks {
			class.Blocks[l] = slices.Clone(class.Blocks[l])
		}
	}
	return &q
}
