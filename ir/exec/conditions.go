package exec

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// Condition is a branch, or the guard of what synchronizes, that depends on data. A launch may say which way threads go there: 1, the branch is
// taken; 0, it is not. Of one that leaves a loop it says how many rounds they stay first.
type Condition struct {
	Halt
	Sure       bool            // all threads of a CTA surely have the way in common, once
	Loaded     bool            // all threads of a CTA have the way in common, each time, and memory decides it: surely, or as a barrier of them all asks for that stands on it (CUDA C++ Programming Guide, __syncthreads())
	Loop       bool            // it leaves a loop
	Unfollowed bool            // it leaves a loop for what was not followed: how many rounds there are is perhaps no matter of data
	Cycle      int64           // of one that is sure and leaves a loop: after how many rounds that may do something else, see [ir.Kernel.Cycle]
	Within     bool            // it is in a loop, and goes the same way in each round
	Apart      map[uint32]bool // the places of what may be executed on a way from it, where data may choose some threads: no barrier of the CTA stands there
	Alike      bool            // the lanes of a warp go the same way
	Laned      bool            // which lane asks decides it with them
	Ends       [2]bool         // by way: nothing of what is followed comes behind it
}

// told is which way a run goes at an instruction that data decide, if the launch says it.
type told struct{ given, taken bool }

// condition is how an instruction that data decide for the lanes of open is called, and which way the launch says these go; "" if the launch
// cannot say it. That all threads go the same way is not always sure: then nothing is shown but what the run finds.
func (w *warp) condition(f *fragment, in *ir.Inst, open uint32, why limit.Reason) (name string, way told) {
	m := w.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if in.Guard < 0 || in.Op == ir.Call || in.Op == ir.BranchIndexed {
		return "", way
	}
	if name = m.named[f.pc]; name == "" {
		name = fmt.Sprintf("?%s#%d", m.kernel.Where(&m.kernel.Places[in.Place]), m.ordinal(f.pc))
		m.named[f.pc] = name
	}
	c, met := m.conditions[name]
	if !met {
		c = m.conditionAt(f.pc, in)
		c.Why = why
	}
	if alike := open == f.mask && (w.predicates[in.Guard].even || m.alike.Predicates[in.Guard] != ir.Varying && m.alike.Insts[f.pc] != ir.Varying); !met || c.Alike && !alike {
		c.Alike = alike
		m.conditions[name] = c
	}
	sure := c.Sure && open == f.mask
	if !sure && m.counts {
		return "", way
	}
	n, given := m.launch.Params[name]
	if !given {
		return name, way
	}
	if !sure {
		m.agreed[in.Place] = c.Halt
	}
	if !c.Loop {
		return name, w.learn(in, open, n != 0)
	}
	key := turns{f.pc, trailing(open)}
	stay := w.turns[key] < n
	if w.turns == nil {
		w.turns = map[turns]int64{}
	}
	if w.turns[key]++; !stay {
		delete(w.turns, key)
	}
	return name, w.learn(in, open, stay == m.kernel.Stays(f.pc))
}

// learn takes over what the way that lanes go says of the predicate that decides it.
func (w *warp) learn(in *ir.Inst, open uint32, taken bool) told {
	p := predicate{}
	if taken != in.GuardNot {
		p.bits = ^uint32(0)
	}
	w.setPredicate(in.Guard, p, open, 0)
	return told{true, taken}
}

// turns counts how often lanes stayed in a loop.
type turns struct {
	pc   int32
	lane int
}

// ordinal is the number of an instruction among those that any reduction of a kernel keeps; the lock is held.
func (m *machine) ordinal(pc int32) int32 {
	if m.ordinals == nil {
		m.ordinals = make([]int32, len(m.kernel.Insts))
		n := int32(0)
		for k := range m.kernel.Insts {
			if in := &m.kernel.Insts[k]; in.Op.Branches() || in.Op.Synchronizes() {
				m.ordinals[k], n = n, n+1
			}
		}
	}
	return m.ordinals[pc]
}

func (m *machine) conditionAt(pc int32, in *ir.Inst) Condition {
	k := m.kernel
	c := Condition{Halt: Halt{Place: &k.Places[in.Place]}}
	m.uniform()
	c.Laned = in.Guard >= 0 && k.ByThread(in)
	c.Within = k.Looped(pc) || k.FunctionOf(pc)[0] != 0 // which may be called again
	if in.Op == ir.Branch {
		c.Loop = k.Leaves(pc)
		c.Unfollowed = c.Loop && in.Guard >= 0 && k.Unfollowed(in)
		once := !c.Within
		if c.Loop && !c.Unfollowed && !m.counts && k.FunctionOf(pc)[0] == 0 {
			c.Cycle, once = k.Cycle(pc)
		}
		common := m.uniform().Predicates[in.Guard] == ir.UniformCTA && m.alike.Insts[pc] == ir.UniformCTA
		c.Sure, c.Loaded = once && common, (common || k.MeetBehind(pc)) && k.FromMemory(in)
	}
	if !in.Op.Branches() {
		return c
	}
	c.Ends = k.Idle(pc)
	if c.Sure {
		return c
	}
	c.Apart = map[uint32]bool{}
	for _, n := range k.RegionOf(pc).Insts {
		if k.Insts[n].Op == ir.BarrierCTA {
			c.Apart = nil
			break
		}
		c.Apart[k.Insts[n].Place] = true
	}
	return c
}
