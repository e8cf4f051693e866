package spin

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// declare makes the variables and their initial values, and bounds every value a variable can take.
func (b *builder) declare() error {
	if err := b.declareClasses(); err != nil {
		return err
	}
	if err := b.declareMbars(); err != nil {
		return err
	}
	b.named = make([]*variable, len(b.p.Named))
	b.flags = make([]*variable, len(b.p.Flags))
	threads := 0
	for _, class := range b.p.Classes {
		threads += class.Count
		for _, op := range class.Ops {
			switch op.Kind {
			case protocol.NamedArrive, protocol.NamedSync:
				if b.named[op.Object] == nil {
					b.named[op.Object] = b.variable('r', op.Object, 0, maxValue)
				}
			case protocol.ClusterArrive, protocol.ClusterWait:
				b.cluster = true
			}
		}
	}
	if threads > maxValue {
		return fmt.Errorf("%d threads are too many for the Promela model", threads)
	}
	if b.cluster {
		b.gen, b.arrived = make([]*variable, b.p.CTAs), make([]*variable, b.p.CTAs)
		for _, class := range b.p.Classes {
			if g := b.group(class.CTA); b.gen[g] == nil {
				b.gen[g] = b.variable('g', g, 0, maxValue)
				b.arrived[g] = b.variable('a', g, 0, threads)
			}
		}
	}
	return b.declareFlags()
}

func (b *builder) declareClasses() error {
	b.classes = make([]places, len(b.p.Classes))
	for c := range b.p.Classes {
		class := &b.p.Classes[c]
		pl := &b.classes[c]
		*pl = places{class: class, blocked: map[int]int{}, inFlight: map[int]ref{}, arrives: make([]int, len(class.Ops)+1)}
		size := len(class.Ops) + 1
		for l, op := range class.Ops {
			pl.arrives[l+1] = pl.arrives[l]
			switch op.Kind {
			case protocol.NamedSync:
				pl.blocked[l] = size
				size++
			case protocol.ClusterArrive:
				pl.arrives[l+1]++
			}
		}
		if size > maxValue || class.Count > maxValue {
			return fmt.Errorf("%s is too large for the Promela model", class.Name)
		}
		if class.Count == 1 {
			pl.at = b.variable('n', c, 0, size)
		} else {
			pl.at = b.variable('n', c, size, class.Count)
			b.set(pl.at, 0, class.Count)
		}
		b.declareInFlight(c, pl)
	}
	return nil
}

func (b *builder) declareInFlight(c int, pl *places) {
	var issues []int
	for l, op := range pl.class.Ops {
		if op.Kind == protocol.Issue {
			issues = append(issues, l)
		}
	}
	if len(issues) == 0 {
		return
	}
	v := b.variable('f', c, len(issues), pl.class.Count)
	for i, l := range issues {
		pl.inFlight[l] = ref{v, i}
	}
}

// use sums up what the whole protocol does to one mbarrier.
type use struct {
	arrivals, bytes int64
	tx, init, drop  bool
}

func (b *builder) declareMbars() error {
	uses := make([]use, len(b.p.Mbars))
	add := func(m, threads, arrivals, bytes int) error {
		u := &uses[m]
		u.arrivals += int64(threads) * magnitude(arrivals)
		u.bytes += int64(threads) * magnitude(bytes)
		u.tx = u.tx || bytes != 0
		if u.arrivals > maxValue || u.bytes > maxValue {
			return fmt.Errorf("the arrivals or bytes on %s are too many for the Promela model", b.p.Mbars[m].Name)
		}
		return nil
	}
	for _, class := range b.p.Classes {
		for _, op := range class.Ops {
			var err error
			switch op.Kind {
			case protocol.Init:
				uses[op.Object].init = true
			case protocol.Arrive:
				err = add(op.Object, class.Count, op.Count, 0)
			case protocol.ArriveDrop:
				uses[op.Object].drop = true
				err = add(op.Object, class.Count, op.Count, op.Bytes)
			case protocol.ArriveExpectTx:
				err = add(op.Object, class.Count, op.Count, op.Bytes)
			case protocol.ExpectTx, protocol.CompleteTx:
				uses[op.Object].tx = true
				err = add(op.Object, class.Count, 0, op.Bytes)
			case protocol.Issue:
				seen := map[int]bool{}
				for _, e := range op.Effects {
					if seen[e.Mbar] {
						return fmt.Errorf("one completion acts twice on %s, which the Promela model does not cover", b.p.Mbars[e.Mbar].Name)
					}
					seen[e.Mbar] = true
					if err == nil {
						err = add(e.Mbar, class.Count, e.Arrivals, e.Bytes)
					}
				}
			}
			if err != nil {
				return err
			}
		}
	}
	b.mbars = make([]mbar, len(b.p.Mbars))
	for i, u := range uses {
		count := b.p.Mbars[i].Count
		m := mbar{
			phase:   b.variable('p', i, 0, int(u.arrivals)/count+1),
			pending: b.variable('q', i, 0, count),
		}
		b.set(m.pending, 0, count)
		if u.drop {
			m.phase.most = int(u.arrivals) + 1
			m.expected = b.variable('x', i, 0, count)
			b.set(m.expected, 0, count)
		}
		if u.tx {
			m.tx = b.variable('t', i, 0, maxValue)
		}
		if u.init {
			m.ready = b.variable('i', i, 0, 1)
		}
		b.mbars[i] = m
	}
	return nil
}

func (b *builder) declareFlags() error {
	sizes := make([]int64, len(b.p.Flags))
	for i, f := range b.p.Flags {
		sizes[i] = magnitude(f.Initial)
	}
	for _, class := range b.p.Classes {
		for _, op := range class.Ops {
			switch op.Kind {
			case protocol.FlagAdd:
				sizes[op.Object] += int64(class.Count) * magnitude(op.Count)
			case protocol.FlagStore, protocol.Spin:
				sizes[op.Object] += magnitude(op.Count)
			case protocol.FlagSwap:
				sizes[op.Object] += magnitude(op.Count) + magnitude(op.Value)
			default:
				continue
			}
			if sizes[op.Object] > maxValue {
				return fmt.Errorf("the values of %s are too large for the Promela model", b.p.Flags[op.Object].Name)
			}
		}
	}
	for i, f := range b.p.Flags {
		if sizes[i] > maxValue {
			return fmt.Errorf("the values of %s are too large for the Promela model", f.Name)
		}
		b.flags[i] = b.variable('c', i, 0, maxValue) // a flag may be negative
		b.set(b.flags[i], 0, f.Initial)
	}
	return nil
}

// magnitude is the absolute value, cut off where it is too large anyway.
func magnitude(n int) int64 {
	v := int64(n)
	if v < 0 {
		v = -v
	}
	if v < 0 || v > maxValue {
		return maxValue + 1
	}
	return v
}
