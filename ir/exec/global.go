package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// Global memory is laid out as it is met, tract by tract: an address is a distance from what a parameter points to, of which nothing is known but that it
// is another place than what other parameters point to; or from another address that is not known: two that are equal are one place, whether others are is
// not known.
const (
	tractBits = 8
	maxTracts = 1 << (24 - tractBits)
)

// tract is some bytes of global memory.
type tract struct {
	base symbol
	at   int64
}

// globalAccess appends an access of global memory to the warp's program. Strong ones are in no data race with each other (PTX ISA 8.7.1), and what they order
// is not asked about: they take no part, but for volatile writes. To C++ such a one is not atomic: it is in a race with what is, and with plain accesses.
func (w *warp) globalAccess(in *ir.Inst, at value, mask, open uint32) {
	m := w.m
	if in.Strong() && in.Op != ir.Atomic && (in.Op != ir.Store || in.Order != ir.Volatile) {
		return
	}
	if open != 0 {
		guarded := in
		if w.passing != nil {
			guarded = w.passing
		}
		w.doubtGuarded(in.Place, guarded, w.passing == nil, w.offered)
	}
	var bases [ir.Lanes]uint32
	both, met := mask|open, uint32(0)
	for rest := both; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		sym, n := at.lane(l)
		form := function{sym, n}
		read, written, data := m.apart(in, &form)
		if sym, n = form.form, form.at; sym > unknown && sym&linear == 0 {
			sym, n = w.anchor(sym, n), 0
		}
		switch {
		case read:
			m.conflict(in, limit.Input.Says("a parameter's memory is read and written at places whose distance is not known"))
		case written && data:
			m.conflict(in, limit.DataAddress.Says("where it writes to global memory depends on data"))
		case written:
			m.uncompared(in, limit.Input.Says("a parameter's memory is accessed at places whose distance is not known"), nil)
		}
		switch base, ok := m.place(sym, n, in.Size); {
		case ok:
			bases[l], met = base, met|1<<l
		case in.Op == ir.Store:
			m.conflict(in, limit.DataAddress.Says("where it writes to global memory depends on data"))
		default:
			m.uncompared(in, limit.DataAddress.Says("where it is in global memory is not known"), nil)
		}
	}
	var same order.Flags
	for rest := met; rest != 0; {
		l := trailing(rest)
		run, stride := uint32(1)<<l, int64(0)
		for k := l + 1; k < ir.Lanes && met>>k&1 != 0; k++ {
			if d := int64(bases[k]) - int64(bases[l]); k == l+1 {
				stride = d
			} else if d != int64(k-l)*stride {
				break
			}
			run |= 1 << k
		}
		base := order.Address{Base: bases[l] - uint32(int64(l)*stride), Stride: int32(stride), Size: in.Size}
		if m.launch.Other != nil && in.Op == ir.Atomic && in.Scope == ir.ScopeCTA { // not morally strong with those of another CTA (PTX ISA 8.7.1)
			w.out.Write(in.Place, run, base, order.Value{Form: w.freshSymbol(in.D), Stride: 1}, same)
		} else {
			w.append(in, run, base, same)
		}
		same = order.Same
		rest &^= run
	}
}

// place is an address as the order engine has it; false where it is not known, or there are too many.
func (m *machine) place(sym symbol, n int64, size uint32) (uint32, bool) {
	if sym == unknown || sym == known {
		return 0, false
	}
	p, within := tract{sym, n >> tractBits}, uint32(n&(1<<tractBits-1))
	if within+size > 1<<tractBits {
		return 0, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, met := m.tracts[p]
	if !met {
		if k = uint32(len(m.laid)); k == maxTracts {
			return 0, false
		}
		m.tracts[p], m.laid = k, append(m.laid, p)
	}
	return order.Global(k<<tractBits + within), true
}

// InGlobal names the place of an address of global memory in an execution, by elements of so many bytes: out[3].
func (e *Execution) InGlobal(address, size uint32) string {
	offset := address &^ order.Global(0)
	k := int(offset >> tractBits)
	if k >= len(e.laid) || size == 0 {
		return "global memory"
	}
	p := e.laid[k]
	if text := e.inRows(p.base, p.at<<tractBits+int64(offset&(1<<tractBits-1)), int64(size)); text != "" {
		return text
	}
	name := strings.TrimPrefix(e.symbols.text(e.Kernel, p.base, 0, 0), "&") // of a variable
	switch {
	case name == "":
		return "a place in global memory"
	case p.at<<tractBits%int64(size) == 0 && offset%size == 0:
		return fmt.Sprintf("%s[%d]", name, (p.at<<tractBits+int64(offset&(1<<tractBits-1)))/int64(size))
	}
	return fmt.Sprintf("byte %d of %s", p.at<<tractBits+int64(offset&(1<<tractBits-1)), name)
}

// GlobalPlace is an address of global memory in an execution as so many bytes behind what a name leads to; "" where that is not known.
func (e *Execution) GlobalPlace(address uint32) (name string, offset int64) {
	at := address &^ order.Global(0)
	k := int(at >> tractBits)
	if k >= len(e.laid) {
		return "", 0
	}
	p := e.laid[k]
	return e.symbols.text(e.Kernel, p.base, 0, 0), p.at<<tractBits + int64(at&(1<<tractBits-1))
}

// maxDistances bounds the addresses that are compared of what a parameter leads to.
const maxDistances = 64

// apart notes an address by the parameters that it is made of, and reports whether one of them leads to addresses that cannot be compared: of which one is
// read and another one written, or which are written, or are one function of what is not known at arguments of their own; and whether the function has to do
// with what memory holds.
func (m *machine) apart(in *ir.Inst, at *function) (read, written, data bool) {
	form := at.form
	m.mu.Lock()
	defer m.mu.Unlock()
	made, met := m.addresses[in.A.Reg]
	if !met {
		bare := ir.Blank(ir.Load)
		bare.A, bare.Guard = in.A, -1
		var all []string
		all, made.memory = m.kernel.InputsOf(&bare)
		for _, s := range m.kernel.Given() {
			if s.Pointer && slices.Contains(all, s.Called()) {
				made.pointers = append(made.pointers, s.Called())
			}
		}
		m.addresses[in.A.Reg] = made
	}
	name := m.leads[form]
	if name == "" {
		name = m.from(form)
	}
	if name != "" { // whatever else its register may hold
		made.pointers = []string{name}
	}
	write := 0
	if in.Op != ir.Load {
		write = 1
	}
	for _, name := range made.pointers {
		if len(made.pointers) == 1 && !made.memory {
			if first, summed := m.spotted(name, in, form, at.at); summed { // these are compared in the end
				*at = first
				if others := m.distances[name]; others != nil {
					read, written = len(others[1-write]) > 0, len(others[1])*write > 0
				}
				continue
			}
		}
		others := m.distances[name]
		if others == nil {
			others = &[2]map[symbol]bool{{}, {}}
			m.distances[name] = others
		}
		if len(others[write]) < maxDistances {
			others[write][form] = true
		}
		scattered := form&linear == 0
		for other := range others[1-write] {
			read = read || other != form || scattered && made.memory
			written = written || scattered
		}
		for other := range others[write] {
			written = written || write == 1 && (other != form || scattered)
		}
		if all := m.spots[name]; all != nil {
			for _, s := range all.list {
				read, written = read || s.write != (write == 1), written || s.write && write == 1
			}
		}
	}
	return read, written, form&linear == 0 && made.memory
}

// address is what the address in a register is made of.
type address struct {
	pointers []string // parameters
	memory   bool     // and what memory holds
}

// conflict notes the first access of global memory, by place, that may race with another one that it cannot be compared with.
func (m *machine) conflict(in *ir.Inst, why limit.Reason) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := &m.kernel.Places[in.Place]; m.global == nil || at.Span.Start < m.global.Place.Span.Start {
		m.global, m.hangs[0] = &Halt{Place: at, Why: why}, &ir.Inst{Op: ir.Load, Guard: -1, A: in.A}
	}
}

// uncompared notes the first access of global memory, by place, that is compared with no other.
func (m *machine) uncompared(in *ir.Inst, why limit.Reason, hangs *ir.Inst) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := &m.kernel.Places[in.Place]; m.beyond == nil || at.Span.Start < m.beyond.Place.Span.Start {
		m.beyond, m.hangs[1] = &Halt{Place: at, Why: why}, hangs
	}
}

// skipped notes the accesses of global memory of a region that is passed without its way being known: they are compared with no other.
func (m *machine) skipped(r *ir.Region, branch *ir.Inst) {
	for _, k := range r.Insts {
		if in := &m.kernel.Insts[k]; in.Op.Accesses() && (in.Space == ir.Global || in.Space == ir.Generic && !m.kernel.FromShared(in)) {
			m.uncompared(in, limit.DataBranch.Says("an access of global memory where data decide whether, and how often, it is made is compared with no other"), branch)
			return
		}
	}
}
