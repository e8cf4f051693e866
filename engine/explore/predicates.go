package explore

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// judge holds what is needed to say whether a state violates a property.
type judge struct {
	p        *protocol.Protocol
	m        *protocol.Machine
	canon    *protocol.Execution
	slotAt   [][]int32 // slot of each location of each class
	slotFly  [][]int32
	table    [][]clash // by slot
	clashes  int       // in table
	noTable  string    // why there is none
	uses     [][]int   // by slot: mbarriers about to be used
	foreign  [][]remote
	writes   [][]int // by flag and class: the last write
	hasInit  bool
	hasPeers bool
	hasWait  bool
	waived   condition                // which a test has the proof ignore
	record   *certificate.Certificate // to write down why what holds does; nil where nobody asks
}

// remote is an object in shared memory that a slot uses and that may be gone: another CTA's, or its own for a copy in
// flight.
type remote struct{ cta, object int }

func newJudge(p *protocol.Protocol) *judge {
	m := protocol.NewMachine(p)
	j := &judge{p: p, m: m, canon: m.Canonical(), writes: protocol.LastWrites(p)}
	for c := range p.Classes {
		n := len(p.Classes[c].Ops) + 1
		j.slotAt, j.slotFly = append(j.slotAt, make([]int32, n)), append(j.slotFly, make([]int32, n))
		for l := range p.Classes[c].Ops {
			j.hasInit = j.hasInit || p.Classes[c].Ops[l].Kind == protocol.Init
			j.hasWait = j.hasWait || p.Classes[c].Ops[l].Kind == protocol.Wait
		}
	}
	staffed := make([]bool, p.CTAs) // a CTA without threads in the model never exits
	for c := range p.Classes {
		staffed[p.Classes[c].CTA] = true
	}
	j.uses, j.foreign = make([][]int, len(m.Slots)), make([][]remote, len(m.Slots))
	for i, s := range m.Slots {
		switch s.Where {
		case protocol.AtLocation:
			j.slotAt[s.Class][s.Op] = int32(i)
		case protocol.InFlight:
			j.slotFly[s.Class][s.Op] = int32(i)
		}
		j.describe(i, s, staffed)
	}
	return j
}

// describe notes which mbarriers a slot uses, and what of it is in another CTA.
func (j *judge) describe(i int, s protocol.Slot, staffed []bool) {
	class := &j.p.Classes[s.Class]
	var accesses []protocol.Access
	switch s.Where {
	case protocol.AtLocation:
		accesses = class.Blocks[s.Op]
		if s.Op < len(class.Ops) {
			switch o := &class.Ops[s.Op]; o.Kind {
			case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
				j.uses[i] = append(j.uses[i], o.Object)
			}
		}
	case protocol.InFlight:
		accesses = class.Ops[s.Op].Access
		for _, e := range class.Ops[s.Op].Effects {
			j.uses[i] = append(j.uses[i], e.Mbar)
			if e.Lands() && j.p.Mbars[e.Mbar].CTA == class.CTA {
				j.foreign[i] = append(j.foreign[i], remote{class.CTA, e.Mbar})
			}
		}
	}
	for _, o := range j.uses[i] {
		if cta := j.p.Mbars[o].CTA; cta != class.CTA && staffed[cta] {
			j.foreign[i] = append(j.foreign[i], remote{cta, o})
		}
	}
	for k := range accesses {
		if cta := j.p.Buffers[accesses[k].Buffer].CTA; cta >= 0 && cta != class.CTA && staffed[cta] {
			j.foreign[i] = append(j.foreign[i], remote{cta, accesses[k].Buffer})
		}
	}
	j.hasPeers = j.hasPeers || len(j.foreign[i]) > 0
}

// tabulate computes the table of conflicts, once; it says why not.
func (j *judge) tabulate(memory int64) string {
	most, why := maxClashes, fmt.Sprintf("more than %s pairs of conflicting accesses", number(maxClashes))
	if room := int(memory / clashBytes); room < most {
		most, why = room, fmt.Sprintf("the table of conflicting accesses meets %s", memoryLimit(memory))
	}
	if j.table == nil && j.noTable == "" {
		var ok bool
		if j.table, j.clashes, ok = clashes(j.p, j.slot, len(j.m.Slots), most); !ok {
			j.noTable = why
		}
	}
	return j.noTable
}

func (j *judge) slot(a engine.Accessor) int {
	if a.InFlight {
		return int(j.slotFly[a.Class][a.Location])
	}
	return int(j.slotAt[a.Class][a.Location])
}

func (j *judge) occupied(s protocol.State) []int32 {
	var occ []int32
	for i := range j.m.Slots {
		if s[i] > 0 {
			occ = append(occ, int32(i))
		}
	}
	return occ
}

// phase finds a thread at a wait two or more phases behind, or about to pass before its phase (notes/semantics.md 1.5).
func (j *judge) phase(s protocol.State, occ []int32) (object int, bad bool) {
	for _, i := range occ {
		at := j.m.Slots[i]
		class := &j.p.Classes[at.Class]
		if at.Where != protocol.AtLocation || at.Op == len(class.Ops) || class.Ops[at.Op].Kind != protocol.Wait {
			continue
		}
		o := &class.Ops[at.Op]
		if j.phaseOff(at.Class, at.Op, j.m.Phase(s, o.Object)) {
			return o.Object, true
		}
	}
	return -1, false
}

// phaseOff reports whether a thread at a wait is two behind, or one early and about to pass, when its object is in
// phase now.
func (j *judge) phaseOff(c, l, now int) bool {
	k := j.canon.WaitPhase(c, l)
	return now >= k+2 || now <= k-1 && now&1 != j.p.Classes[c].Ops[l].Parity
}

// lifetime finds a use of an mbarrier before its init, or of the shared memory of a CTA that is gone.
func (j *judge) lifetime(s protocol.State, occ []int32) (object int, bad bool) {
	for _, i := range occ {
		if j.hasInit {
			for _, o := range j.uses[i] {
				if !j.m.Initialised(s, o) {
					return o, true
				}
			}
		}
		for _, r := range j.foreign[i] {
			if j.m.Live(s, r.cta) == 0 {
				return r.object, true
			}
		}
	}
	return -1, false
}

// race finds two conflicting accesses that may be happening now. Unsure is true when a pair may or may not conflict,
// as the state does not say whose operation is in flight. Where there was no room for the table it finds none: noTable
// keeps the property from being decided then.
func (j *judge) race(s protocol.State, occ []int32) (pair *engine.Pair, unsure bool) {
	if j.table == nil {
		return nil, false
	}
	for _, i := range occ {
		list := j.table[i]
		for k := range list {
			c := &list[k]
			if s[c.other] < c.need {
				continue
			}
			if c.sure {
				return &c.pair, false
			}
			unsure = true
		}
	}
	return nil, unsure
}

// misattributed compares the credits of the machine's last step, by an operation of class c at l, with the canonical
// execution's. Unsure is true where that execution does not say.
func (j *judge) misattributed(c, l int) (object int, bad, unsure bool) {
	if j.p.Classes[c].Ops[l].Kind == protocol.ExpectTx {
		return -1, false, false
	}
	for _, credit := range j.m.Credits {
		k, known := j.canon.CreditPhase(c, l, credit.Mbar)
		if !known {
			unsure = true
		} else if credit.First != k || credit.Last != k {
			return credit.Mbar, true, false
		}
	}
	return -1, false, unsure
}

// rest describes a state in which no step is possible.
type rest struct {
	done   bool // every thread is at its end
	spins  bool // it is a livelock
	object int  // of the spin that makes it one, else of the first blocked operation
}

// stuck says how a state without steps rests.
func (j *judge) stuck(occ []int32) rest {
	r := rest{done: true, object: -1}
	for _, i := range occ {
		at := j.m.Slots[i]
		class := &j.p.Classes[at.Class]
		if at.Op == len(class.Ops) {
			continue
		}
		o := &class.Ops[at.Op]
		if o.Kind.Polls() && !j.writeAhead(occ, o.Object) {
			return rest{spins: true, object: o.Object}
		}
		if r.done && o.Kind != protocol.ClusterWait && o.Kind != protocol.Drain {
			r.object = o.Object
		}
		r.done = false
	}
	return r
}

// writeAhead reports whether some thread has an operation on the flag still ahead of it.
func (j *judge) writeAhead(occ []int32, flag int) bool {
	for _, i := range occ {
		if at := j.m.Slots[i]; at.Where != protocol.InFlight && at.Op <= j.writes[flag][at.Class] {
			return true
		}
	}
	return false
}

// leftover finds an mbarrier that is not as it should be when everything is done.
func (j *judge) leftover(s protocol.State, prop protocol.Property) (object int, bad bool) {
	for o, b := range j.p.Mbars {
		if b.Armed {
			continue
		}
		tx, pending := j.m.Tx(s, o), j.m.Pending(s, o)
		if prop == protocol.Bytes && tx != 0 || prop == protocol.Quiet && tx == 0 && pending > 0 && pending < j.m.Expected(s, o) {
			return o, true
		}
	}
	return -1, false
}

// canStep reports whether any step is possible.
func (j *judge) canStep(s protocol.State, occ []int32) bool {
	for _, i := range occ {
		at := j.m.Slots[i]
		switch at.Where {
		case protocol.InFlight:
			return true
		case protocol.AtLocation:
			if at.Op < len(j.p.Classes[at.Class].Ops) && j.m.Enabled(s, at.Class, at.Op) {
				return true
			}
		}
	}
	return false
}
