package explore

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// maxCounters bounds the counters of M.
const maxCounters = 1 << 21

// mbarriers gives every mbarrier its counters. Where every arrival has the same count, and there are no bytes and no
// drops, the phase is a function of the sum of arrivals: the count divides the expected one, or the canonical execution,
// which has all arrivals, completes no phase. Any other object is a gate: each of its phases is completed by the
// contributions the canonical execution credits to it, which freezing must confirm.
func (m *monotone) mbarriers(finals []final) error {
	n := len(m.p.Mbars)
	m.sum, m.gates, m.arrivals = make([]int, n), make([]gate, n), make([]gate, n)
	counts := arrivalCounts(m.p, m.waived)
	for o, b := range m.p.Mbars {
		m.sum[o] = -1
		if counts[o] >= 0 {
			m.sum[o] = m.counter(1, never).first
			continue
		}
		last := m.judge.m.Phase(m.canon.Final, o)
		if m.judge.m.Pending(m.canon.Final, o) == 0 && m.judge.m.Tx(m.canon.Final, o) < 0 {
			if err := m.refuse(lastBytes, "%s ends with more bytes complete than expected", b.Name); err != nil {
				return err
			}
		}
		if last+len(m.start) > maxCounters {
			return fmt.Errorf("%s has %d phases", b.Name, last)
		}
		m.gates[o], m.arrivals[o] = m.counter(last+1, 0), m.counter(last+1, 0)
	}
	for c := range m.p.Classes {
		for l := range m.p.Classes[c].Ops[:finals[c].loc] {
			for _, k := range m.contributions(c, l) {
				if m.sum[k.mbar] >= 0 {
					continue
				}
				if !k.known {
					if err := m.refuse(onePhase, "threads of %s contribute to several phases of %s with one operation", m.p.Classes[c].Name, m.p.Mbars[k.mbar].Name); err != nil {
						return err
					}
				}
				m.need[m.gates[k.mbar].first+k.phase] += m.p.Classes[c].Count
				if k.arrivals > 0 {
					m.need[m.arrivals[k.mbar].first+k.phase] += m.p.Classes[c].Count
				}
			}
		}
	}
	for o := range m.p.Mbars {
		if m.sum[o] < 0 {
			m.need[m.gates[o].first+m.gates[o].phases-1] = never // the last phase is not complete
		}
	}
	return nil
}

// arrivalCounts is, by mbarrier, the arrival count all its operations share; 0 if it has none, -1 if they differ,
// if the expected count drops or if there are transaction bytes.
func arrivalCounts(p *protocol.Protocol, waived condition) []int {
	counts := make([]int, len(p.Mbars))
	note := func(o, n int) {
		if counts[o] == 0 {
			counts[o] = n
		} else if counts[o] != n && waived != sumCounts {
			counts[o] = -1
		}
	}
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			switch o.Kind {
			case protocol.Arrive:
				note(o.Object, o.Count)
			case protocol.ArriveDrop:
				if waived == sumDrops && o.Bytes == 0 {
					note(o.Object, o.Count)
					continue
				}
				note(o.Object, -1)
			case protocol.ArriveExpectTx:
				if waived == sumBytes {
					note(o.Object, o.Count)
					continue
				}
				note(o.Object, -1)
			case protocol.ExpectTx, protocol.CompleteTx:
				if waived != sumBytes {
					note(o.Object, -1)
				}
			}
			for _, e := range o.Effects {
				switch {
				case e.Bytes > 0 && waived != sumBytes:
					note(e.Mbar, -1)
				case e.Arrivals > 0:
					note(e.Mbar, e.Arrivals)
				}
			}
		}
	}
	return counts
}

// contribution is what an operation, or an effect of one, gives to an mbarrier.
type contribution struct {
	mbar, arrivals int
	phase          int // in the canonical execution
	known          bool
	expects        bool // a stand-alone expect_tx
}

// contributions lists what the operation at l of class c contributes, in order.
func (m *monotone) contributions(c, l int) []contribution {
	o := &m.p.Classes[c].Ops[l]
	span := m.canon.Credit[c][l]
	if o.Bytes == 0 && (o.Kind == protocol.ExpectTx || o.Kind == protocol.CompleteTx) {
		return nil
	}
	switch o.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
		k := contribution{mbar: o.Object, phase: span[0].First, known: span[0].First == span[0].Last && span[0].First >= 0, expects: o.Kind == protocol.ExpectTx}
		if o.Kind != protocol.ExpectTx && o.Kind != protocol.CompleteTx {
			k.arrivals = o.Count
		}
		return []contribution{k}
	case protocol.Issue:
		var out []contribution
		for x, e := range o.Effects {
			if e.Bytes == 0 && e.Arrivals == 0 {
				continue
			}
			out = append(out, contribution{mbar: e.Mbar, arrivals: e.Arrivals, phase: span[x].First, known: span[x].First == span[x].Last && span[x].First >= 0})
		}
		return out
	}
	return nil
}

// flagUse says how the spins on a flag read it: its value only rises from initial to most.
type flagUse struct{ counter, initial, most int }

// flags requires that every flag only rises, and that every spin reached then stays enabled once it is.
//
// Several threads of one class may store: one that comes later lowers the flag for a while. M, in which it does not, then
// allows all that F does, so nothing is missed; and F gets stuck nowhere that M does not. In a state of F without steps that M would
// leave, someone waits for a value that a late thread B has lowered. B is before a store that another thread of its class
// has executed, and blocked at something that thread got past: all that stays enabled but a spin, which waits for a value
// that a late thread has lowered in its turn. Follow these back: each value was first stored after the spin before it
// was passed, and each spin passed after its value was first stored, so they go back in time and never come around.
func (m *monotone) flags(finals []final) ([]flagUse, error) {
	out := make([]flagUse, len(m.p.Flags))
	writer := make([]int, len(out)) // class that stores, -1 for none, -2 for adds
	for i, f := range m.p.Flags {
		out[i] = flagUse{m.counter(1, never).first, f.Initial, f.Initial}
		m.start[out[i].counter] = f.Initial
		m.flagAt = append(m.flagAt, out[i].counter)
		writer[i] = -1
	}
	for c := range m.p.Classes {
		class := &m.p.Classes[c]
		for _, o := range class.Ops {
			if o.Kind == protocol.FlagSwap { // its threads need not end together (finals)
				if err := m.refuse(flagSwaps, "%s is stored to because of what it holds", m.p.Flags[o.Object].Name); err != nil {
					return nil, err
				}
			}
		}
		for _, o := range class.Ops[:finals[c].loc] {
			u := 0
			switch o.Kind {
			case protocol.FlagAdd:
				u = -2
				out[o.Object].most += o.Count * class.Count
			case protocol.FlagStore:
				u = c
			default:
				continue
			}
			f, broken := &out[o.Object], condition("")
			switch {
			case writer[o.Object] != -1 && writer[o.Object] != u:
				broken = flagWriter
			case u == -2 && o.Count < 0:
				broken = flagAdds
			case u >= 0 && o.Count < f.most:
				broken = flagStores
			}
			if broken != "" {
				if err := m.refuse(broken, "%s does not only rise", m.p.Flags[o.Object].Name); err != nil {
					return nil, err
				}
			}
			writer[o.Object] = u
			if u >= 0 {
				f.most = o.Count
			}
		}
	}
	for c := range m.p.Classes {
		ops := m.p.Classes[c].Ops
		for l := 0; l <= finals[c].loc && l < len(ops); l++ {
			if !ops[l].Kind.Polls() {
				continue
			}
			if _, stable := out[ops[l].Object].threshold(&ops[l]); !stable {
				if err := m.refuse(spinStays, "the spin %s %d on %s may pass and then block", ops[l].Compare, ops[l].Count, m.p.Flags[ops[l].Object].Name); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// threshold turns a spin on a rising value into "value ≥ least", if that is the same for every value up to most. Of "=="
// it is the same for every value that the flag has while a thread is at the spin, which the proof shows (overrun).
func (f flagUse) threshold(o *protocol.Op) (least int, stable bool) {
	switch o.Compare {
	case ">=":
		return o.Count, true
	case ">":
		return o.Count + 1, true
	case "==":
		return o.Count, true // as far as the flag is not past it while a thread is there: overrun
	case "!=":
		switch {
		case o.Count < f.initial || o.Count > f.most:
			return f.initial, true
		case o.Count == f.initial:
			return f.initial + 1, true
		}
		return 0, false
	case "<=":
		return f.initial, f.most <= o.Count
	}
	return f.initial, f.most < o.Count
}
