package compiled

import (
	"fmt"
	"slices"
)

// Difference is where two executions disagree.
type Difference struct {
	CTA, Thread int
	What        string
}

func (d Difference) String() string {
	return fmt.Sprintf("thread %d of CTA %d: %s", d.Thread, d.CTA, d.What)
}

// Extent is how much was compared.
type Extent struct {
	Threads, Steps, Accesses int
	Variables, Others        int // variables that are compared, and those that are not
}

// Add joins another one.
func (x *Extent) Add(y Extent) {
	x.Threads += y.Threads
	x.Steps += y.Steps
	x.Accesses += y.Accesses
	x.Variables += y.Variables
	x.Others += y.Others
}

// comparison is two executions side by side.
type comparison struct {
	to, from map[uint32]uint32 // mbarriers of the source and those of the compiled kernel
	known    map[string]bool   // variables that are compared
	read     bytes             // all that the compiled kernel reads
	out      []Difference
	extent   Extent
	most     int
}

// Compare lists up to most disagreements of a kernel's source with the compiled kernel.
func Compare(source, compiled *Execution, most int) ([]Difference, Extent) {
	c := &comparison{to: map[uint32]uint32{}, from: map[uint32]uint32{}, known: common(source, compiled), read: bytes{}, most: most}
	c.extent.Variables = len(c.known)
	c.extent.Others = len(compiled.Variables) + 1 - len(c.known)
	ours, theirs := source.Threads(), compiled.Threads()
	for _, t := range theirs {
		for i := range t.Between {
			c.read.add(bytesOf(t.Between[i], false))
			if i < len(t.Steps) {
				c.read.add(bytesOf(t.Steps[i].Touches, false))
			}
		}
	}
	if len(ours) != len(theirs) {
		c.differ(&Thread{}, "there are %d threads in the source, and %d in the compiled kernel", len(ours), len(theirs))
		return c.out, c.extent
	}
	for k, t := range ours {
		c.extent.Threads++
		if c.steps(t, theirs[k]) {
			c.accesses(t, theirs[k])
		}
		if len(c.out) >= most {
			break
		}
	}
	return c.out, c.extent
}

// common are the variables that both have under a name that no other has, as large, and tensor memory. Where some accesses are not followed there are none.
func common(source, compiled *Execution) map[string]bool {
	known := map[string]bool{}
	if len(source.Hidden)+len(compiled.Hidden) > 0 {
		return known
	}
	known[tensorMemory] = true
	for _, v := range source.Variables {
		same := func(x Variable) bool { return x.Name == v.Name }
		k := slices.IndexFunc(compiled.Variables, same)
		if k < 0 || slices.ContainsFunc(compiled.Variables[k+1:], same) || slices.ContainsFunc(source.Variables, func(x Variable) bool { return same(x) && x != v }) {
			continue
		}
		if size := compiled.Variables[k].Size; size == v.Size || size == 0 || v.Size == 0 {
			known[v.Name] = true
		}
	}
	return known
}

func (c *comparison) differ(at *Thread, format string, args ...any) {
	c.out = append(c.out, Difference{at.CTA, at.Index, fmt.Sprintf(format, args...)})
}

// steps compares the operations of a thread.
func (c *comparison) steps(a, b *Thread) bool {
	for i := range max(len(a.Steps), len(b.Steps)) {
		switch {
		case i >= len(a.Steps):
			c.differ(a, "operation %d is in the compiled kernel alone: %s", i, &b.Steps[i])
			return false
		case i >= len(b.Steps):
			c.differ(a, "operation %d is in the source alone: %s", i, &a.Steps[i])
			return false
		}
		if why := c.step(&a.Steps[i], &b.Steps[i]); why != "" {
			c.differ(a, "operation %d: %s; source %s, compiled %s", i, why, &a.Steps[i], &b.Steps[i])
			return false
		}
		c.extent.Steps++
	}
	return true
}

// step says how two operations differ.
func (c *comparison) step(a, b *Step) string {
	switch {
	case a.Act != b.Act:
		return "another one"
	case a.Barrier != b.Barrier:
		return "another barrier"
	case a.Lanes != b.Lanes:
		return "other lanes"
	case a.Count != b.Count:
		return "another count"
	case a.Bytes != b.Bytes:
		return "other bytes"
	case a.Parity != b.Parity:
		return "another parity"
	case len(a.Signals) != len(b.Signals):
		return "other mbarriers"
	}
	for i := range a.Signals {
		x, y := a.Signals[i], b.Signals[i]
		to, seen := c.to[x.Mbarrier]
		from, taken := c.from[y.Mbarrier]
		if !seen && !taken {
			c.to[x.Mbarrier], c.from[y.Mbarrier] = y.Mbarrier, x.Mbarrier
		} else if !seen || !taken || to != y.Mbarrier || from != x.Mbarrier {
			return "another mbarrier"
		}
		if x.Bytes != y.Bytes || x.Arrivals != y.Arrivals {
			return "another effect"
		}
	}
	return ""
}

// accesses compares what a thread accesses between operations that order memory.
func (c *comparison) accesses(a, b *Thread) {
	for first := 0; first <= len(b.Steps); {
		last := first
		for last < len(b.Steps) && b.Steps[last].Act == Collective {
			last++
		}
		between := "before the first operation"
		if first > 0 {
			between = fmt.Sprintf("after operation %d (%s)", first-1, &b.Steps[first-1])
		}
		if !c.touches(a, between, slices.Concat(a.Between[first:last+1]...), slices.Concat(b.Between[first:last+1]...)) {
			return
		}
		if last < len(b.Steps) {
			here := fmt.Sprintf("at operation %d (%s)", last, &b.Steps[last])
			if !c.touches(a, "by "+here, a.Steps[last].Touches, b.Steps[last].Touches) || !c.flying(a, here, a.InFlight[last], b.InFlight[last]) {
				return
			}
		}
		first = last + 1
	}
}

// touches compares accesses between two operations.
func (c *comparison) touches(at *Thread, between string, ours, theirs []Touch) bool {
	for _, t := range theirs {
		if c.known[t.Variable] {
			c.extent.Accesses++
		}
	}
	for _, write := range []bool{false, true} {
		verb := map[bool]string{false: "reads", true: "writes"}[write]
		said, done := bytesOf(ours, write).of(c.known), bytesOf(theirs, write).of(c.known)
		if more := done.without(said); len(more) > 0 {
			c.differ(at, "the compiled kernel %s %s %s, the source %s", verb, more, between, orNothing(said))
			return false
		}
		if !write {
			continue
		}
		sure := bytesOf(surely(ours), true).of(c.known)
		if less := sure.without(done).meeting(c.read); len(less) > 0 {
			c.differ(at, "the source writes %s %s, which the compiled kernel reads and does not write there", less, between)
			return false
		}
	}
	return true
}

// flying compares the copies in flight at an operation.
func (c *comparison) flying(at *Thread, here string, ours, theirs []Touch) bool {
	for _, write := range []bool{false, true} {
		said, done := bytesOf(ours, write).of(c.known), bytesOf(theirs, write).of(c.known)
		if more := done.without(said); len(more) > 0 {
			c.differ(at, "copies of %s are in flight %s in the compiled kernel, in the source %s", more, here, orNothing(said))
			return false
		}
		if less := said.without(done); len(less) > 0 {
			c.differ(at, "copies of %s are in flight %s in the source alone", less, here)
			return false
		}
	}
	return true
}

func surely(touches []Touch) []Touch {
	return slices.DeleteFunc(slices.Clone(touches), func(t Touch) bool { return t.Perhaps })
}

func orNothing(b bytes) string {
	if len(b) == 0 {
		return "nothing"
	}
	return b.String()
}
