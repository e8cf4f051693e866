package certificate

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// frozen is a checked Frozen.
type frozen struct {
	*system
	*Frozen
	bounds map[Held]*setting
	spans  bool           // threads of one class give to several phases with one operation
	strays map[int]bool   // mbarriers of which an arrival may go to a later phase
	rounds []*rounds      // that there may be more of
	ahead  map[place]bool // waits that a bound has someone at with an arrival for the phase before theirs outstanding
}

// place is a wait of a class for a phase.
type place struct{ class, location, phase int }

// same shows that F takes the steps of M. Every reachable state in which it would not is one with something held, beyond
// the bound of that.
func (f *frozen) same() error {
	none := &setting{system: f.system, Bound: Bound{Others: f.final}}
	if err := none.check(); err != nil {
		return fmt.Errorf("executions may end otherwise: %w", err)
	}
	for c := range f.p.Classes {
		for l := range f.p.Classes[c].Blocks {
			if !f.reached(c, l) {
				break
			}
			if err := f.held(c, l); err != nil {
				return err
			}
		}
	}
	for c := range f.p.Classes {
		for l := range f.p.Classes[c].Ops {
			if err := f.early(c, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// held looks at a thread at a location, and at the operation there in flight.
func (f *frozen) held(c, l int) error {
	b, err := f.single(f.Frozen, Held{c, l, false})
	if err != nil {
		return err
	}
	f.bounds[Held{c, l, false}] = b
	if l == len(f.p.Classes[c].Ops) {
		return nil
	}
	switch o := &f.p.Classes[c].Ops[l]; o.Kind {
	case protocol.Wait:
		// Two phases on, parity blocks it again.
		if k := f.canon.WaitPhase(c, l); b.past(o.Object, k+1) {
			return fmt.Errorf("a thread at %s may fall two phases behind", f.p.Mbars[o.Object].Name)
		}
	case protocol.NamedArrive, protocol.NamedSync:
		if f.p.Named[o.Object].Threads > 0 && b.after(counter{registered, o.Object, f.enter[[2]int{c, l}]}) {
			return fmt.Errorf("threads may register in another generation of named barrier %d of CTA %d", f.p.Named[o.Object].ID, f.p.Named[o.Object].CTA)
		}
	case protocol.Spin:
		// A thread polls for a value that is no more.
		if o.Compare == "==" && b.value(counter{flagged, o.Object, 0}) > o.Count {
			return fmt.Errorf("%s may be past the value %d that a thread still waits for", f.p.Flags[o.Object].Name, o.Count)
		}
	case protocol.Issue:
		if !f.executed(c, l) {
			return nil
		}
		if b, err = f.single(f.Frozen, Held{c, l, true}); err != nil {
			return err
		}
		f.bounds[Held{c, l, true}] = b
		return f.outstanding(b, c, l)
	default:
		if f.executed(c, l) {
			return f.outstanding(b, c, l)
		}
	}
	return nil
}

// past reports whether an mbarrier may be past a phase within a bound.
func (b *setting) past(o, phase int) bool {
	if b.sums[o] {
		return b.value(counter{summed, o, 0})/b.p.Mbars[o].Count > phase
	}
	for k := 0; k <= phase; k++ {
		if x := (counter{gathered, o, k}); b.value(x) < b.full(x) {
			return false
		}
	}
	return true
}

// after reports whether someone may have given to a later phase or generation than that of a counter.
func (b *setting) after(x counter) bool {
	// Nothing gives to a generation unless the one before is complete, so a later one needs the next.
	x.phase++
	return b.value(x) > 0
}

// outstanding looks at what the operation at l gives to mbarriers, as long as it has not.
func (f *frozen) outstanding(b *setting, c, l int) error {
	list := f.contributions(c, l)
	for i, k := range list {
		name := f.p.Mbars[k.mbar].Name
		if err := f.overtaken(b, k); err != nil {
			return err
		}
		if f.sums[k.mbar] {
			before := 0 // what the same completion gives to it first
			for _, e := range list[:i] {
				if e.mbar == k.mbar {
					before += e.arrivals
				}
			}
			f.spans = f.spans || !k.known
			if !k.known || (b.value(counter{summed, k.mbar, 0})+before)/f.p.Mbars[k.mbar].Count > k.phase {
				f.strays[k.mbar] = true
			}
			continue
		}
		if b.after(counter{gathered, k.mbar, k.phase}) {
			return fmt.Errorf("contributions to %s may go to another phase", name)
		}
		if x := (counter{arriving, k.mbar, k.phase}); k.expects && b.value(x) >= f.need[x] {
			return fmt.Errorf("the phase of %s may complete before its bytes are expected", name)
		}
	}
	return nil
}

// overtaken looks for a thread at, or past, a wait for the phase after the one that an outstanding contribution is for.
func (f *frozen) overtaken(b *setting, k contribution) error {
	for c := range f.p.Classes {
		for _, l := range f.waits[c][k.mbar] {
			if f.canon.WaitPhase(c, l) != k.phase+1 || !b.anyone(c, at(l)) {
				continue
			}
			if !f.sums[k.mbar] {
				return fmt.Errorf("a thread may wait on %s a phase early", f.p.Mbars[k.mbar].Name)
			}
			f.ahead[place{c, l, k.phase + 1}] = true
		}
	}
	return nil
}

// anyone reports whether some thread of class c is at a place within a bound, or beyond.
func (b *setting) anyone(c, place int) bool {
	if b.Others[c] >= place {
		return true
	}
	for i, k := range b.held {
		if k.Class == c && b.Own[i] >= place {
			return true
		}
	}
	return false
}

// early looks at a wait on an mbarrier whose phase is a sum: no thread is there a phase early. It is not if it waited for the
// phase before, or passed a later one. Else, if no arrival strays, some arrival for the phase before is outstanding as
// long as the mbarrier is in it: take the first phase j of which one is. If it is an earlier one, then fewer than what
// phases 0 to j take have arrived, as that one does not stray, and all of what the phases before j take: not also all
// of the phase before the wait's. Otherwise a bound of the executions in which the mbarrier does not get on shows it.
func (f *frozen) early(c, l int) error {
	o := &f.p.Classes[c].Ops[l]
	if o.Kind != protocol.Wait || !f.sums[o.Object] || !f.reached(c, l) {
		return nil
	}
	k := f.canon.WaitPhase(c, l)
	if k < 1 || !f.strays[o.Object] && !f.ahead[place{c, l, k}] {
		return nil
	}
	if f.waited(c, l) && f.again(c, l) {
		return nil
	}
	limit := Cap{o.Object, k - 1}
	bound, ok := f.Capped[limit]
	b := &setting{system: f.system, Bound: bound, cap: &limit}
	if !ok {
		return fmt.Errorf("there is no bound with %s kept in phase %d", f.p.Mbars[o.Object].Name, k-1)
	}
	if err := b.check(); err != nil {
		return err
	}
	if b.anyone(c, at(l)) {
		return fmt.Errorf("a thread may reach its wait for phase %d of %s a phase early", k, f.p.Mbars[o.Object].Name)
	}
	return nil
}

// waited reports whether the thread at a wait waited before for the phase before, or a later one.
func (f *frozen) waited(c, l int) bool {
	k := f.canon.WaitPhase(c, l)
	for _, b := range f.waits[c][f.p.Classes[c].Ops[l].Object] {
		if b < l && f.canon.WaitPhase(c, b) >= k-1 {
			return true
		}
	}
	return false
}

// check takes from the open properties those that the bounds show.
func (b *Frozen) check(p *protocol.Protocol, more []Rounds, open map[protocol.Property]error) {
	s, err := newSystem(p)
	f := &frozen{system: s, Frozen: b, bounds: map[Held]*setting{}, strays: map[int]bool{}, ahead: map[place]bool{}}
	for i := range more {
		if err != nil {
			break
		}
		var x *rounds
		x, err = newRounds(p, &more[i])
		f.rounds = append(f.rounds, x)
	}
	if err == nil {
		err = f.same()
	}
	if err == nil {
		err = f.more()
	}
	if err != nil {
		failed(open, "the bounds do not show it: %w", err)
		return
	}
	shows := map[protocol.Property]func() error{
		protocol.Deadlock: f.ending(protocol.Deadlock), protocol.Livelock: f.ending(protocol.Livelock),
		protocol.Bytes: f.ending(protocol.Bytes), protocol.Quiet: f.ending(protocol.Quiet),
		protocol.Phase: shown, protocol.Arrivals: shown, // by what same looks at
		protocol.Attribution: f.attribution, protocol.Lifetime: f.lifetime, protocol.Race: f.races,
	}
	for prop := range open {
		if show := shows[prop]; show != nil {
			if err := show(); err != nil {
				open[prop] = err
				continue
			}
			delete(open, prop)
		}
	}
}

func shown() error { return nil }

// ending looks at where all executions end.
func (f *frozen) ending(prop protocol.Property) func() error {
	return func() error {
		if bad := broken(f.p, f.m, f.canon.Final)[prop]; bad {
			return fmt.Errorf("the canonical execution ends in a state that breaks it")
		}
		return nil
	}
}

// attribution: every contribution has gone to its phase, as none of another has gone before it.
func (f *frozen) attribution() error {
	if f.spans {
		return fmt.Errorf("threads of one class arrive for several phases with one operation")
	}
	for o := range f.strays {
		return fmt.Errorf("an arrival on %s may go to a later phase", f.p.Mbars[o].Name)
	}
	return nil
}

// lifetime looks at who is where before the init of an mbarrier, and at who uses what is in a CTA that may be gone.
func (f *frozen) lifetime() error {
	for c := range f.p.Classes {
		for l, o := range f.p.Classes[c].Ops {
			if o.Kind != protocol.Init {
				continue
			}
			b := f.bounds[Held{c, l, false}]
			if b == nil { // it is never executed
				b = &setting{system: f.system, Bound: Bound{Others: f.final}}
			}
			if err := b.used(o.Object); err != nil {
				return err
			}
		}
	}
	for h, b := range f.bounds {
		for _, cta := range abroad(f.p, h) {
			if b.ended(cta) {
				return fmt.Errorf("%s may use the shared memory of CTA %d when its threads have exited", f.p.Classes[h.Class].Name, cta)
			}
		}
	}
	return nil
}

// used reports that someone may be about to use an mbarrier, or have used it, within a bound.
func (b *setting) used(mbar int) error {
	for c := range b.p.Classes {
		for l := range b.p.Classes[c].Ops {
			now, later := uses(&b.p.Classes[c].Ops[l], mbar)
			if now && b.anyone(c, at(l)) || later && b.anyone(c, passed(l)) {
				return fmt.Errorf("%s may use %s before it is initialised", b.p.Classes[c].Name, b.p.Mbars[mbar].Name)
			}
		}
	}
	return nil
}

// ended reports whether all threads of a CTA may be at their end within a bound.
func (b *setting) ended(cta int) bool {
	for c := range b.p.Classes {
		end := at(len(b.p.Classes[c].Ops))
		if b.p.Classes[c].CTA != cta {
			continue
		}
		if b.others(c) > 0 && b.Others[c] < end {
			return false
		}
		for i, k := range b.held {
			if k.Class == c && b.Own[i] < end {
				return false
			}
		}
	}
	return true
}
