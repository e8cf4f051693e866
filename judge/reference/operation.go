package reference

import "github.com/fencepost-dev/fencepost/judge/kernel"

// operation records what a statement does to memory and to barriers.
func (t *thread) operation(s *kernel.Stmt) {
	emit := func(e event) {
		e.at = s
		t.events = append(t.events, e)
	}
	switch s.Op {
	case kernel.Store:
		v := t.eval(s.B)
		o, i := t.element(s.Name, s.A, 1)
		emit(event{kind: write, object: o, element: i, value: v.v})
	case kernel.Read:
		o, i := t.element(s.Name, s.A, 1)
		emit(event{kind: read, object: o, element: i})
	case kernel.LoadVar:
		o, i := t.element(s.Name, s.A, 1)
		emit(event{kind: read, object: o, element: i})
		*t.variable(s.Other) = number{v: datum(t.id, o, i, len(t.events)), data: true}
	case kernel.Input:
		*t.variable(s.Name) = number{v: datum(t.id, -1, t.id, 0), data: true}
	case kernel.Atomic:
		o, i := t.element(s.Name, s.A, 1)
		emit(event{kind: atomic, object: o, element: i})
	case kernel.SyncThreads:
		emit(event{kind: namedSync, n: wide})
	case kernel.SyncWarp:
		emit(event{kind: warpSync, n: int(s.Mask)})
	case kernel.BarSync:
		emit(event{kind: namedSync, object: int(t.known(s.A)), n: int(t.known(s.B))})
	case kernel.BarArrive:
		emit(event{kind: namedArrive, object: int(t.known(s.A)), n: int(t.known(s.B))})
	case kernel.InitGate:
		emit(event{kind: initGate, object: t.gate(s.Name, s.A), n: int(t.known(s.B))})
	case kernel.FenceInit:
	case kernel.Arrive:
		emit(event{kind: arrive, object: t.gate(s.Name, s.A), n: int(t.known(s.B))})
	case kernel.Expect:
		emit(event{kind: expect, object: t.gate(s.Name, s.A), n: int(t.known(s.B))})
	case kernel.Wait:
		parity := t.known(s.B)
		if parity != 0 && parity != 1 {
			panic(undefined("a parity of neither 0 nor 1"))
		}
		emit(event{kind: wait, object: t.gate(s.Name, s.A), n: int(parity)})
	case kernel.BulkCopy:
		n := int(t.known(s.B))
		o, i := t.element(s.Name, s.A, n)
		emit(event{kind: bulkCopy, object: o, element: i, n: n, other: t.gate(s.Other, s.C)})
	case kernel.CopyAsync:
		o, i := t.element(s.Name, s.A, 4)
		if i%4 != 0 {
			panic(undefined("a misaligned copy"))
		}
		emit(event{kind: copyAsync, object: o, element: i, n: 4})
	case kernel.CommitGroup:
		emit(event{kind: commitGroup})
	case kernel.WaitGroup:
		emit(event{kind: waitGroup, n: s.Count})
	default:
		panic("no operation")
	}
}

// datum is a value of memory: different places hold different ones.
func datum(parts ...int) int64 {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		h = (h ^ uint64(p+7)) * 1099511628211
	}
	return int64(h >> 34)
}

func (t *thread) element(name string, index *kernel.Expr, n int) (array, element int) {
	b := t.place(name)
	i := b.offset + t.known(index)
	if b.gate || i < 0 || i+int64(n) > int64(t.k.Arrays[b.object].Length) {
		panic(undefined("an index out of bounds"))
	}
	return b.object, int(i)
}

// gate is the number of an mbarrier, counted over all arrays of them.
func (t *thread) gate(name string, index *kernel.Expr) int {
	b := t.place(name)
	i := t.known(index)
	first := 0
	for _, m := range t.k.Barriers {
		if b.gate && first == b.object && i >= 0 && i < int64(m.Length) {
			return first + int(i)
		}
		first += m.Length
	}
	panic(undefined("an mbarrier out of bounds"))
}
