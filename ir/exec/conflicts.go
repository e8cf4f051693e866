package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// maxGlobalBytes bounds how many bytes of global memory are remembered.
const maxGlobalBytes = 1 << 20

// globalByte is who accesses a byte of global memory: at a distance from an address of which nothing is known but that it is one.
type globalByte struct {
	base symbol
	at   int64
}

// accessed is by whom a byte is accessed: threads count from 1.
type accessed struct {
	writer, reader int32
	atomic, shared bool        // the write is atomic; there are several readers
	value          order.Value // that is written
}

// globalAccess notes an access of global memory. That two threads of a CTA access one byte, one of them writing something else than the other, is a race unless
// a barrier orders them, which is not asked about.
func (w *warp) globalAccess(in *ir.Inst, at value, mask uint32) {
	m := w.m
	if in.Order != ir.Weak && in.Op != ir.Atomic || len(m.ctas) > 1 {
		return
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		sym, n := at.lane(l)
		if m.apart(in, sym) {
			m.conflict(in, "a parameter's memory is read and written at places whose distance is not known")
			return
		}
		if sym == unknown {
			if in.Op == ir.Store {
				m.conflict(in, "where it writes to global memory depends on data")
			}
			continue
		}
		one := order.Value{}
		if in.Op == ir.Store {
			one = w.written(in, 1<<l)
			if one.Stride != 0 {
				one.Base, one.Stride = one.Base+int64(l)*one.Stride, 0
			}
		}
		thread := int32(w.index*ir.Lanes+l) + 1
		m.mu.Lock()
		clash := false
		for k := int64(0); k < int64(in.Size) && len(m.bytes) < maxGlobalBytes; k++ {
			key := globalByte{sym, n + k}
			a := m.bytes[key]
			other := a.writer != 0 && a.writer != thread
			switch {
			case in.Op == ir.Load:
				clash = clash || other
				a.shared = a.shared || a.reader != 0 && a.reader != thread
				a.reader = thread
			default:
				atomic := in.Op == ir.Atomic
				clash = clash || other && !(atomic && a.atomic) && (one == (order.Value{}) || one != a.value) || a.reader != 0 && (a.reader != thread || a.shared)
				a.writer, a.atomic, a.value = thread, atomic, one
			}
			m.bytes[key] = a
		}
		m.mu.Unlock()
		if clash {
			m.conflict(in, "several threads of a CTA access one place of global memory, and one writes: whether a barrier orders them is not asked about")
			return
		}
	}
}

// maxDistances bounds the addresses that are compared of what a parameter leads to.
const maxDistances = 64

// apart notes an address by the parameters that it is made of, and reports whether one of them leads to what is read and what is written at addresses
// that cannot be compared.
func (m *machine) apart(in *ir.Inst, sym symbol) (yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names, met := m.addresses[in.A.Reg]
	if !met {
		bare := ir.Blank(ir.Load)
		bare.A, bare.Guard = in.A, -1
		all, _ := m.kernel.InputsOf(&bare)
		for _, s := range m.kernel.Slots {
			if s.Pointer && slices.Contains(all, s.Called()) {
				names = append(names, s.Called())
			}
		}
		m.addresses[in.A.Reg] = names
	}
	for _, name := range names {
		at := m.distances[name]
		if at == nil {
			at = &[2]map[symbol]bool{{}, {}}
			m.distances[name] = at
		}
		write := 0
		if in.Op != ir.Load {
			write = 1
		}
		if len(at[write]) < maxDistances {
			at[write][sym] = true
		}
		for other := range at[1-write] {
			yes = yes || other != sym || sym == unknown
		}
	}
	return yes
}

// uncompared notes the accesses of global memory of a region that is passed without its way being known: they are compared with no other.
func (m *machine) uncompared(r *ir.Region) {
	for _, k := range r.Insts {
		in := &m.kernel.Insts[k]
		if in.Space != ir.Global || !in.Op.Accesses() {
			continue
		}
		m.mu.Lock()
		if at := &m.kernel.Places[in.Place]; m.beyond == nil || at.Span.Start < m.beyond.Place.Span.Start {
			m.beyond = &Halt{Place: at, Why: "an access of global memory where data decide whether, and how often, it is made is compared with no other of the CTA"}
		}
		m.mu.Unlock()
		return
	}
}

// conflict notes the first access of global memory, by place, that may race within a CTA.
func (m *machine) conflict(in *ir.Inst, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := &m.kernel.Places[in.Place]; m.global == nil || at.Span.Start < m.global.Place.Span.Start {
		m.global = &Halt{Place: at, Why: why}
	}
}
