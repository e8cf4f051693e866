package compiled

import "fmt"

// Difference is where two readings disagree.
type Difference struct {
	CTA, Thread int
	What        string
}

func (d Difference) String() string {
	return fmt.Sprintf("thread %d of CTA %d: %s", d.Thread, d.CTA, d.What)
}

// thread is a thread of a reading.
type thread struct {
	group *Group
	index int
}

type threadKey struct{ cta, index int }

// comparison is two readings side by side.
type comparison struct {
	to, from map[int]int // mbarriers of the source and those of the compiled kernel
	read     bytes       // all that the compiled kernel reads
	threads  int         // of a CTA
	left     int         // collectives that the source leaves out
	out      []Difference
	most     int
}

// Compare lists up to most disagreements of a kernel's source with the compiled kernel. Accesses are compared of the
// variables for which known is true. It counts the collectives of lanes that the source leaves out. Threads that both readings put into the same groups are compared once, but for their
// accesses.
func Compare(source, compiled Reading, known func(variable string) bool, most int) (differences []Difference, left int) {
	c := &comparison{to: map[int]int{}, from: map[int]int{}, read: bytes{}, most: most}
	theirs := map[threadKey]thread{}
	for _, g := range groupsOf(compiled) {
		for k, index := range g.Threads {
			theirs[threadKey{g.CTA, index}] = thread{g, k}
			c.threads = max(c.threads, index+1)
			for i := 0; i <= len(g.Steps); i++ {
				c.read.add(bytesOf(g.Touches(k, i), false))
				if i < len(g.Steps) {
					c.read.add(bytesOf(g.Steps[i].Touches, false))
				}
			}
		}
	}
	type pair struct{ a, b *Group }
	agreed := map[pair]*Group{} // the compiled group, as far as it is compared; nil where the two differ
	for _, g := range groupsOf(source) {
		for k, index := range g.Threads {
			key := threadKey{g.CTA, index}
			other, there := theirs[key]
			if !there {
				c.differ(key, "is in the source alone")
				continue
			}
			delete(theirs, key)
			part, seen := agreed[pair{g, other.group}]
			if !seen {
				var left int
				if part, left = matched(g, other.group); !c.steps(key, g, part) {
					part = nil
				}
				c.left += left
				agreed[pair{g, other.group}] = part
			}
			if part != nil {
				c.accesses(key, thread{g, k}, thread{part, other.index}, known)
			}
			if len(c.out) >= c.most {
				return c.out, c.left
			}
		}
	}
	for key := range theirs {
		c.differ(key, "is in the compiled kernel alone")
		break
	}
	return c.out, c.left
}

func groupsOf(r Reading) []*Group {
	var out []*Group
	for _, g := range r.Groups() {
		out = append(out, &g)
	}
	return out
}

func (c *comparison) differ(at threadKey, format string, args ...any) {
	c.out = append(c.out, Difference{at.cta, at.index, fmt.Sprintf(format, args...)})
}

// steps compares the operations of two groups.
func (c *comparison) steps(at threadKey, a, b *Group) bool {
	for i := range max(len(a.Steps), len(b.Steps)) {
		switch {
		case i >= len(a.Steps):
			c.differ(at, "operation %d is in the compiled kernel alone: %s", i, &b.Steps[i])
			return false
		case i >= len(b.Steps) && b.Waits:
			return true
		case i >= len(b.Steps):
			c.differ(at, "operation %d is in the source alone: %s", i, &a.Steps[i])
			return false
		}
		if why := c.step(&a.Steps[i], &b.Steps[i]); why != "" {
			c.differ(at, "operation %d: %s; source %s, compiled %s", i, why, &a.Steps[i], &b.Steps[i])
			return false
		}
	}
	return true
}

// step says how two operations differ. A collective of the compiled kernel is a barrier of lanes in the source, which may
// not tell the two apart.
func (c *comparison) step(a, b *Step) string {
	lanes := (a.Act == WarpSync || a.Act == Collective) && b.Act == Collective
	switch {
	case a.Act != b.Act && !lanes:
		return "another one"
	case a.Barrier != b.Barrier:
		return "another barrier"
	case b.ofWarp() && lanesAgree(a, b):
	case a.Count != b.Count && !(a.Act <= BarArrive && c.all(a.Count) && c.all(b.Count)):
		return "another count"
	case unlike(a.Bytes, b.Bytes):
		return "other bytes"
	case unlike(a.Parity, b.Parity):
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
		if unlike(x.Bytes, y.Bytes) || x.Arrivals != y.Arrivals {
			return "another effect"
		}
	}
	return ""
}

// all reports whether a count of threads is that of all: said so, or not said.
func (c *comparison) all(count int) bool { return count == 0 || count == c.threads }

func unlike(a, b int) bool { return a != b && a != Unknown && b != Unknown }

// accesses compares what a thread of both readings accesses, between operations that order memory.
func (c *comparison) accesses(at threadKey, a, b thread, known func(string) bool) {
	steps := b.group.Steps
	for first := 0; first <= len(steps); {
		last := first
		for last < len(steps) && steps[last].Act == Collective {
			last++
		}
		var ours, theirs []Touch
		for i := first; i <= last; i++ {
			ours, theirs = append(ours, a.group.Touches(a.index, i)...), append(theirs, b.group.Touches(b.index, i)...)
		}
		between := "before the first operation"
		if first > 0 {
			between = fmt.Sprintf("after operation %d (%s)", first-1, &steps[first-1])
		}
		if !c.touches(at, between, ours, theirs, known, last < len(steps) || !b.group.Waits) {
			return
		}
		if last < len(steps) {
			here := fmt.Sprintf("at operation %d (%s)", last, &steps[last])
			x, y := &a.group.Steps[last], &steps[last]
			if !c.touches(at, "by "+here, x.Touches, y.Touches, known, true) ||
				!c.flying(at, here, a.group.InFlight(a.index, last), b.group.InFlight(b.index, last), known) {
				return
			}
		}
		first = last + 1
	}
}

// touches compares accesses between two operations.
func (c *comparison) touches(at threadKey, between string, ours, theirs []Touch, known func(string) bool, whole bool) bool {
	for _, write := range []bool{false, true} {
		verb := map[bool]string{false: "reads", true: "writes"}[write]
		said, done := bytesOf(ours, write).of(known), bytesOf(theirs, write).of(known)
		if more := done.without(said); len(more) > 0 {
			c.differ(at, "the compiled kernel %s %s %s, the source %s", verb, more, between, orNothing(said))
			return false
		}
		if !write || !whole {
			continue
		}
		sure := bytesOf(surely(ours), true).of(known)
		if less := sure.without(done).meeting(c.read); len(less) > 0 {
			c.differ(at, "the source writes %s %s, which the compiled kernel reads and does not write there", less, between)
			return false
		}
	}
	return true
}

// flying compares the copies in flight at an operation.
func (c *comparison) flying(at threadKey, here string, ours, theirs []Touch, known func(string) bool) bool {
	for _, write := range []bool{false, true} {
		said, done := bytesOf(ours, write).of(known), bytesOf(theirs, write).of(known)
		if more := done.without(said); len(more) > 0 {
			c.differ(at, "copies of %s are in flight %s in the compiled kernel, in the source %s", more, here, orNothing(said))
			return false
		}
		if less := bytesOf(surely(ours), write).of(known).without(done); len(less) > 0 {
			c.differ(at, "copies of %s are in flight %s in the source alone", less, here)
			return false
		}
	}
	return true
}

func surely(touches []Touch) []Touch {
	var out []Touch
	for _, t := range touches {
		if !t.Some {
			out = append(out, t)
		}
	}
	return out
}

func orNothing(b bytes) string {
	if len(b) == 0 {
		return "nothing"
	}
	return b.String()
}

// of are the bytes of the variables for which known is true.
func (b bytes) of(known func(string) bool) bytes {
	out := bytes{}
	for at, spans := range b {
		if known(at.variable) {
			out[at] = spans
		}
	}
	return out
}

// meeting are the bytes that are in another set, too.
func (b bytes) meeting(other bytes) bytes { return b.without(b.without(other)) }
