package compiled

import (
	"fmt"
	"slices"
	"strings"
)

// Reading is a kernel, launched once, as somebody reads it.
type Reading interface {
	// Groups are the threads that were launched, those together that run the same operations.
	Groups() []Group
}

// Group is threads of one CTA that run the same operations.
type Group struct {
	CTA     int
	Threads []int // indices in the CTA
	Steps   []Step
	Waits   bool // for ever, at its last step: what comes behind is not there
	// Touches are the accesses of shared memory of a thread between two steps: 0 is before the first.
	Touches func(thread, interval int) []Touch
	// InFlight are the accesses of the thread's copies that are not waited for when it comes to a step.
	InFlight func(thread, step int) []Touch
}

// Act is what a step does.
type Act uint8

// Acts. The names are those of the PTX manual, PTX ISA 9.7.13.
const (
	BarSync Act = iota
	BarArrive
	WarpSync
	Collective // of lanes that wait for each other and order no memory: shfl.sync, vote.sync, elect.sync and their kind
	ClusterArrive
	ClusterWait
	Init
	Arrive
	Drop
	Expect
	Complete
	Wait
	Copy         // asynchronous, completing on mbarriers
	ArriveBehind // an arrival behind copies: cp.async.mbarrier.arrive, tcgen05.commit
)

var actNames = [...]string{"bar.sync", "bar.arrive", "bar.warp.sync", "warp collective", "cluster.arrive", "cluster.wait", "mbarrier.init",
	"mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect_tx", "mbarrier.complete_tx", "mbarrier.wait", "copy", "arrive behind copies"}

func (a Act) String() string { return actNames[a] }

// Unknown stands for a number that a reading does not tell.
const Unknown = -1

// Step is one operation.
type Step struct {
	Act     Act
	Barrier int      // id of a named barrier
	Count   int      // threads of a barrier, 0 for all; lanes; arrivals
	Bytes   int      // expected or completed
	Parity  int      // of a wait
	Signals []Signal // the mbarriers it is on: one, but for copies
	Touches []Touch  // of a copy
	Place   string
}

// Signal is an mbarrier, by a number of the reading's own, and what completion of a copy does to it.
type Signal struct {
	Mbarrier        int
	Name            string
	Bytes, Arrivals int
}

func (s *Step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.Place, s.Act)
	switch s.Act {
	case BarSync, BarArrive:
		fmt.Fprintf(&b, " %d of %d threads", s.Barrier, s.Count)
	case WarpSync, Collective:
		fmt.Fprintf(&b, " of %d lanes", s.Count)
	case Wait:
		fmt.Fprintf(&b, " parity %d", s.Parity)
	default:
		fmt.Fprintf(&b, " count %d bytes %d", s.Count, s.Bytes)
	}
	for _, g := range s.Signals {
		fmt.Fprintf(&b, " on %s", g.Name)
		if s.Act == Copy || s.Act == ArriveBehind {
			fmt.Fprintf(&b, " (%d bytes, %d arrivals)", g.Bytes, g.Arrivals)
		}
	}
	return b.String()
}

// Touch is an access of bytes of a variable in the shared memory of a CTA.
type Touch struct {
	CTA      int
	Variable string
	Lo, Hi   int
	Write    bool
	Some     bool // of some of the bytes at most
}

// bytes are sets of bytes of shared memory, as sorted ranges.
type bytes map[where][]span

type where struct {
	cta      int
	variable string
}

type span struct{ lo, hi int }

// bytesOf are the bytes of accesses: of writes, or of reads.
func bytesOf(touches []Touch, write bool) bytes {
	out := bytes{}
	for _, t := range touches {
		if t.Write == write {
			at := where{t.CTA, t.Variable}
			out[at] = append(out[at], span{t.Lo, t.Hi})
		}
	}
	for at, spans := range out {
		out[at] = joined(spans)
	}
	return out
}

// joined sorts ranges and joins those that meet.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.lo - b.lo })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// add joins other sets to the set.
func (b bytes) add(other bytes) {
	for at, spans := range other {
		b[at] = joined(append(slices.Clone(b[at]), spans...))
	}
}

// without are the bytes that are in none of the others.
func (b bytes) without(others ...bytes) bytes {
	out := bytes{}
	for at, spans := range b {
		var rest []span
		for _, s := range spans {
			parts := []span{s}
			for _, o := range others {
				for _, cut := range o[at] {
					var next []span
					for _, p := range parts {
						if cut.hi <= p.lo || cut.lo >= p.hi {
							next = append(next, p)
							continue
						}
						if p.lo < cut.lo {
							next = append(next, span{p.lo, cut.lo})
						}
						if cut.hi < p.hi {
							next = append(next, span{cut.hi, p.hi})
						}
					}
					parts = next
				}
			}
			rest = append(rest, parts...)
		}
		if len(rest) > 0 {
			out[at] = rest
		}
	}
	return out
}

func (b bytes) String() string {
	var out []string
	for at, spans := range b {
		for _, s := range spans {
			out = append(out, fmt.Sprintf("%s[%d:%d] of CTA %d", at.variable, s.lo, s.hi, at.cta))
		}
	}
	slices.Sort(out)
	if len(out) > 4 {
		out = append(out[:4], fmt.Sprintf("… %d ranges", len(out)))
	}
	return strings.Join(out, ", ")
}
