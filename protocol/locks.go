package protocol

import "slices"

// Lock is a flag by which threads exclude each other: who uses it takes it by a swap from Free to another value, and gives it back by a
// store of Free, in turns. Nothing else is done to it but stores of Free by threads that do not have it.
type Lock struct {
	Free int
	Init bool // there are such stores: it may be free only behind one of them
}

// Locks are the flags that are locks, by number.
func (p *Protocol) Locks() map[int]Lock {
	locks, bad := map[int]Lock{}, map[int]bool{}
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			if o := &p.Classes[c].Ops[l]; o.Kind == FlagSwap {
				lock, met := locks[o.Object]
				bad[o.Object] = bad[o.Object] || o.Compare != "==" || o.Value == o.Count || met && lock.Free != o.Count
				locks[o.Object] = Lock{Free: o.Count}
			}
		}
	}
	for flag, lock := range locks {
		if lock.Init = p.Flags[flag].Initial != lock.Free; bad[flag] || !p.inTurns(flag, &lock) {
			delete(locks, flag)
			continue
		}
		locks[flag] = lock
	}
	return locks
}

// inTurns reports whether every thread takes a flag and gives it back in turns.
func (p *Protocol) inTurns(flag int, lock *Lock) bool {
	for c := range p.Classes {
		has := false
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			switch {
			case !o.Kind.OfFlag() || o.Object != flag:
			case o.Kind == FlagSwap && !has:
				has = true
			case o.Kind == FlagStore && o.Count == lock.Free:
				lock.Init = lock.Init || !has
				has = false
			default:
				return false
			}
		}
		if has {
			return false
		}
	}
	return true
}

// Unlocked is what remains of a protocol without its locks. Who has one does
// nothing in its section, between the swap that takes a lock and the store that gives it back, but access memory. Leave the operations on locks out, and let no
// two accesses in sections of one lock conflict. (Barriers wait for all threads that have not ended: where a thread ends in a store that gives a lock back, that stays, as
// an operation that changes nothing.) Of the protocol P and what remains, Q:
//
// Who waits. In a state of P without steps no thread is in a section, as its next operation is a store. So every lock is free, and none waits for
// one. Such a state is one of Q without steps, which is reached by the same other operations. Conversely an execution of Q is one of P in which every thread
// goes through its sections at once, and so is where it ends.
//
// Who races. A thread a about to make one access and a thread b about to make another, in one state of P, are so in one of Q, and not in
// sections of one lock. Conversely take a state of Q with a and b so, and accesses that are not in sections of one lock. Let the others go through the sections that they
// are in or come to in Q, at once; nobody waits for what a and b do in theirs, as that is nothing but accesses. Then let a and b come to the sections that they end in, which are of two locks, and which are free.
//
// Threads of a CTA may share a section of one of them, which begins and ends between barriers (Apart), if there is nothing but barriers of CTAs and of their parts besides locks, and one thread of each CTA alone
// takes any. Then CTAs wait for each other by locks alone, and each by itself does the same in P as in Q. In a state of P without steps a CTA in a section waits for a barrier, which none of its threads can
// come to, whatever the others do: so it is in Q; and if none is in a section nobody waits for a lock. Conversely, of a CTA that stops in Q let P run that one first. What two threads do at a time in Q they do
// in P: if they are of one CTA by themselves, and if they are of two when both have come as far as the sections that they end in, one after the other.
//
// A lock may be free only behind a store of free by a thread that does not have it. Then there has to be nothing but barriers and locks, so that
// it is the same in all executions what is before what; the canonical one has to get through; and in Q such a store must not be beside any operation on its lock, which are accesses there
// of an element of its own.
type Unlocked struct {
	*Protocol
	Ops    [][]int           // by class and operation: where that is in the whole
	Origin map[[3]int][2]int // of an access, by class, location and index: its location and its index in the whole
	Locks  int               // the first buffer that stands for a lock: a race there says nothing of the whole
	Apart  bool              // sections have barriers in them
}

// WithoutLocks leaves the locks of a protocol out; nil if there are none, or some that are more than Unlocked says, or beside mbarriers.
func (p *Protocol) WithoutLocks() *Unlocked {
	locks := p.Locks()
	if len(locks) == 0 || len(p.Mbars) > 0 {
		return nil
	}
	q := *p
	u := &Unlocked{Protocol: &q, Origin: map[[3]int][2]int{}, Locks: len(p.Buffers)}
	init, barriers := false, true
	element := map[int]int{}
	for _, lock := range locks {
		init = init || lock.Init
	}
	if init {
		q.Buffers = slices.Clone(p.Buffers)
		for flag := range p.Flags {
			if _, lock := locks[flag]; lock {
				element[flag] = len(q.Buffers)
				q.Buffers = append(q.Buffers, Buffer{Name: p.Flags[flag].Name, CTA: -1, Elements: 1})
			}
		}
	}
	q.Flags = append(slices.Clone(p.Flags), Flag{Name: "who has ended"})
	q.Classes = make([]Class, len(p.Classes))
	takes := make([]int, p.CTAs) // threads that take locks
	var shared []sharing
	for c := range p.Classes {
		from := &p.Classes[c]
		to := Class{Name: from.Name, CTA: from.CTA, Count: from.Count, Threads: from.Threads, Blocks: [][]Access{nil}}
		ops, has, took := []int(nil), 0, false
		uses := map[int]int{} // of each barrier
		var within map[int]*sharing
		for l := 0; l <= len(from.Ops); l++ {
			at := len(to.Ops)
			for i, a := range from.Blocks[l] {
				a.Lock = has
				u.Origin[[3]int{c, at, len(to.Blocks[at])}] = [2]int{l, i}
				to.Blocks[at] = append(to.Blocks[at], a)
			}
			if l == len(from.Ops) {
				break
			}
			o := &from.Ops[l]
			if _, lock := locks[o.Object]; !lock || !o.Kind.OfFlag() {
				if has != 0 && o.Kind != NamedSync || o.Kind == FlagSwap || o.Kind == Issue || o.Kind == Drain { // what is in flight has a place of its own
					return nil
				}
				if barriers = barriers && o.Kind == NamedSync; o.Kind == NamedSync {
					if uses[o.Object]++; has != 0 {
						u.Apart = true
						if within[o.Object] == nil {
							within[o.Object] = &sharing{cta: from.CTA, barrier: o.Object, lock: has, first: uses[o.Object]}
						}
						within[o.Object].last = uses[o.Object]
					}
				}
				ops, to.Ops, to.Blocks = append(ops, l), append(to.Ops, *o), append(to.Blocks, nil)
				continue
			}
			a := Access{Buffer: element[o.Object], Write: true, Site: o.Site, Elements: []Range{{Hi: 1}}, Stored: Distinct, Lock: o.Object + 1}
			switch {
			case o.Kind == FlagSwap && has != 0:
				return nil
			case o.Kind == FlagSwap:
				has, took, within = o.Object+1, true, map[int]*sharing{}
			case has == o.Object+1:
				has = 0
				for _, s := range within {
					shared = append(shared, *s)
				}
			case has != 0:
				return nil
			default:
				a.Lock = 0
			}
			if init {
				to.Blocks[at] = append(to.Blocks[at], a)
			}
			if l == len(from.Ops)-1 { // barriers wait for threads in a last section, which have not ended
				ends := Op{Kind: FlagAdd, Object: len(p.Flags), Site: o.Site}
				ops, to.Ops, to.Blocks = append(ops, l), append(to.Ops, ends), append(to.Blocks, nil)
			}
		}
		if took {
			takes[from.CTA] += from.Count
		}
		q.Classes[c] = to
		u.Ops = append(u.Ops, ops)
	}
	switch {
	case u.Apart && (!barriers || slices.Max(takes) > 1):
		return nil
	case init && (!barriers || !p.ends()), q.Validate() != nil:
		return nil
	}
	for i := range shared {
		shared[i].mark(u)
	}
	if u.Apart {
		for c := range q.Classes {
			for l := range q.Classes[c].Blocks {
				for i := range q.Classes[c].Blocks[l] {
					q.Classes[c].Blocks[l][i].Lock *= -1
				}
			}
		}
	}
	return u
}

// sharing is what other threads of a CTA have of the section of one: they are in it from one use of a barrier that is in it to another. The nth use of each thread is in the nth
// generation, of barriers of all that have not ended, and of those of the lanes of a warp.
type sharing struct{ cta, barrier, lock, first, last int }

// mark has accesses of a section be in it.
func (s *sharing) mark(q *Unlocked) {
	if n := q.Named[s.barrier]; n.Threads != 0 && n.ID < WarpBarrier {
		return
	}
	for c := range q.Classes {
		class := &q.Classes[c]
		if class.CTA != s.cta {
			continue
		}
		uses := 0
		for l := range class.Ops {
			if o := &class.Ops[l]; o.Kind == NamedSync && o.Object == s.barrier {
				uses++
			}
			if uses < s.first || uses >= s.last {
				continue
			}
			for i := range class.Blocks[l+1] {
				if a := &class.Blocks[l+1][i]; a.Buffer < q.Locks {
					a.Lock = s.lock
				}
			}
		}
	}
}

// ends reports whether all threads get to their ends in the canonical execution.
func (p *Protocol) ends() bool {
	m := NewMachine(p)
	e := m.Canonical()
	for i, slot := range m.Slots {
		if e.Final[i] > 0 && (slot.Where != AtLocation || slot.Op < len(p.Classes[slot.Class].Ops)) {
			return false
		}
	}
	return !e.Broken
}
