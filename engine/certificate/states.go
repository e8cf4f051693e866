package certificate

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Listed is up to how many states a set is looked at as it is. A larger one is known by its number and digest.
const Listed = 100000

// States is a set of counted states that is closed under steps.
type States struct {
	Count int
	Sum   Sum
	Each  iter.Seq[protocol.State] // of up to Listed states; what it yields is only good until the next
}

// Sum is the digest of a set of states, in whatever order they are added: the sum of the states' own digests.
type Sum [2]uint64

// Add puts a state into the set, which it is not in yet.
func (s *Sum) Add(k Key) {
	s[0] += k[0]
	s[1] += k[1]
}

// Key tells states apart: 128 bits of their SHA-256.
type Key [2]uint64

// KeyOf is the key of a state. The buffer is reused.
func KeyOf(s protocol.State, buffer []byte) (Key, []byte) {
	buffer = buffer[:0]
	for _, n := range s {
		buffer = binary.AppendVarint(buffer, int64(n))
	}
	h := sha256.Sum256(buffer)
	return Key{binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16])}, buffer
}

// closure looks at every state of a set, and at every step from it.
type closure struct {
	p      *protocol.Protocol
	m      *protocol.Machine
	canon  *protocol.Execution
	set    map[Key]bool
	todo   []protocol.State // where the set is made here: states whose steps are to be looked at
	grows  bool             // it is
	most   int
	open   map[protocol.Property]error // that are to be shown, nil as long as nothing breaks them
	race   [][]clash                   // by slot
	uses   [][]int                     // by slot: the mbarriers it uses
	abroad [][]int                     // by slot: the CTAs
	buffer []byte
}

// clash is a pair of slots that conflict, and how many there must be in the first.
type clash struct{ other, need int }

func (s *States) check(p *protocol.Protocol, open map[protocol.Property]error) {
	if s.Each == nil && s.Count <= Listed {
		failed(open, "the set of states is not there")
		return
	}
	c := &closure{p: p, m: protocol.NewMachine(p), canon: protocol.Canonical(p), set: map[Key]bool{}, open: map[protocol.Property]error{}, most: s.Count}
	for prop := range open {
		c.open[prop] = nil
	}
	c.describe()
	if err := c.cover(s); err != nil {
		failed(open, "the set of states does not show it: %w", err)
		return
	}
	for prop, err := range c.open {
		if open[prop] = err; err == nil {
			delete(open, prop)
		}
	}
}

var errOpen = errors.New("a step leads out of the set")

// cover looks at all states.
func (c *closure) cover(s *States) error {
	start := c.m.Start()
	if s.Count > Listed {
		c.grows = true
		if err := c.step(start); err != nil {
			return err
		}
		for len(c.todo) > 0 {
			last := c.todo[len(c.todo)-1]
			c.todo = c.todo[:len(c.todo)-1]
			if err := c.expand(last); err != nil {
				return err
			}
		}
		var sum Sum
		for k := range c.set {
			sum.Add(k)
		}
		if len(c.set) != s.Count || sum != s.Sum {
			return fmt.Errorf("%d states are reachable, and they are not the %d of the set", len(c.set), s.Count)
		}
		return nil
	}
	for state := range s.Each {
		c.set[c.key(state)] = true
	}
	if !c.set[c.key(start)] {
		return errors.New("the initial state is not in the set")
	}
	for state := range s.Each {
		if err := c.expand(state); err != nil {
			return err
		}
	}
	return nil
}

func (c *closure) key(s protocol.State) (k Key) {
	k, c.buffer = KeyOf(s, c.buffer)
	return k
}

// step looks whether a state that a step leads to is in the set.
func (c *closure) step(s protocol.State) error {
	k := c.key(s)
	switch {
	case c.set[k]:
		return nil
	case !c.grows:
		return errOpen
	case len(c.set) >= c.most:
		return fmt.Errorf("more than the %d states of the set are reachable", c.most)
	}
	c.set[k] = true
	c.todo = append(c.todo, slices.Clone(s))
	return nil
}

// expand looks at a state, and at all steps from it.
func (c *closure) expand(s protocol.State) error {
	c.look(s)
	next, moved := make(protocol.State, len(s)), false
	for i, slot := range c.m.Slots {
		if s[i] == 0 || slot.Where == protocol.Registered {
			continue
		}
		copy(next, s)
		var ok bool
		if slot.Where == protocol.InFlight {
			ok = c.m.Complete(next, slot.Class, slot.Op, 1)
		} else {
			if slot.Op == len(c.p.Classes[slot.Class].Ops) || !c.m.Enabled(s, slot.Class, slot.Op) {
				continue
			}
			ok = c.m.Step(next, slot.Class, slot.Op, 1)
		}
		moved = true
		if !ok { // nothing that comes after means anything
			c.breaks(protocol.Arrivals, "an arrival exceeds the pending count")
			continue
		}
		c.credited(slot)
		if err := c.step(next); err != nil {
			return err
		}
	}
	if !moved {
		for prop, bad := range broken(c.p, c.m, s) {
			if bad {
				c.breaks(prop, "a state of the set without steps breaks it")
			}
		}
	}
	return nil
}

// breaks notes why a property is not shown.
func (c *closure) breaks(prop protocol.Property, format string, args ...any) {
	if err, asked := c.open[prop]; asked && err == nil {
		c.open[prop] = fmt.Errorf(format, args...)
	}
}

// credited looks at the phases that the machine's last step gave to.
func (c *closure) credited(slot protocol.Slot) {
	if c.p.Classes[slot.Class].Ops[slot.Op].Kind == protocol.ExpectTx {
		return
	}
	for _, credit := range c.m.Credits {
		if k, known := c.canon.CreditPhase(slot.Class, slot.Op, credit.Mbar); !known || credit.First != k || credit.Last != k {
			c.breaks(protocol.Attribution, "an arrival on %s may go to another phase", c.p.Mbars[credit.Mbar].Name)
		}
	}
}

// look looks at one state.
func (c *closure) look(s protocol.State) {
	for i, slot := range c.m.Slots {
		if s[i] == 0 {
			continue
		}
		ops := c.p.Classes[slot.Class].Ops
		if slot.Where == protocol.AtLocation && slot.Op < len(ops) && ops[slot.Op].Kind == protocol.Wait {
			o := &ops[slot.Op]
			k, now := c.canon.WaitPhase(slot.Class, slot.Op), c.m.Phase(s, o.Object)
			if now >= k+2 || now < k && now&1 != o.Parity {
				c.breaks(protocol.Phase, "a wait on %s for phase %d is reached in phase %d", c.p.Mbars[o.Object].Name, k, now)
			}
		}
		for _, o := range c.uses[i] {
			if !c.m.Initialised(s, o) {
				c.breaks(protocol.Lifetime, "%s is used before it is initialised", c.p.Mbars[o].Name)
			}
		}
		for _, cta := range c.abroad[i] {
			if c.m.Live(s, cta) == 0 {
				c.breaks(protocol.Lifetime, "the shared memory of CTA %d is used when its threads have exited", cta)
			}
		}
		for _, k := range c.race[i] {
			if s[i] >= k.need && s[k.other] > 0 {
				c.breaks(protocol.Race, "two conflicting accesses are in one state")
			}
		}
	}
}

// describe says of each slot what it uses and what it conflicts with. Whose operation is in flight a state does not say: there every
// conflict counts.
func (c *closure) describe() {
	n := len(c.m.Slots)
	c.race, c.uses, c.abroad = make([][]clash, n), make([][]int, n), make([][]int, n)
	slots := map[Held]int{}
	for i, slot := range c.m.Slots {
		if slot.Where == protocol.Registered {
			continue
		}
		h := Held{slot.Class, slot.Op, slot.Where == protocol.InFlight}
		slots[h] = i
		c.abroad[i] = abroad(c.p, h)
		if ops := c.p.Classes[slot.Class].Ops; slot.Op < len(ops) {
			for o := range c.p.Mbars {
				if now, later := uses(&ops[slot.Op], o); now && !h.InFlight || later && h.InFlight {
					c.uses[i] = append(c.uses[i], o)
				}
			}
		}
	}
	if _, asked := c.open[protocol.Race]; !asked {
		return
	}
	for _, list := range accessors(c.p) {
		for i := range list {
			for j := i; j < len(list); j++ {
				if !list[i].Write && !list[j].Write {
					continue
				}
				w := conflicts(c.p, &list[i], &list[j])
				if !w.one && !w.two {
					continue
				}
				x, need := slots[list[i].Held], 1
				if x == slots[list[j].Held] && !w.one {
					need = 2
				}
				c.race[x] = append(c.race[x], clash{slots[list[j].Held], need})
			}
		}
	}
}
