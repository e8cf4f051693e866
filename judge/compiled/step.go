package compiled

import (
	"fmt"
	"strings"
)

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
	Invalidate
	Arrive
	Drop
	Expect
	Complete
	Wait
	Copy         // asynchronous, completing on mbarriers
	ArriveBehind // an arrival behind copies: cp.async.mbarrier.arrive, tcgen05.commit
)

var actNames = [...]string{"bar.sync", "bar.arrive", "bar.warp.sync", "warp collective", "cluster.arrive", "cluster.wait", "mbarrier.init", "mbarrier.inval",
	"mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect_tx", "mbarrier.complete_tx", "mbarrier.wait", "copy", "arrive behind copies"}

func (a Act) String() string { return actNames[a] }

// token stands for the parity of a wait for what an arrive returned.
const token = -1

// Step is one operation of a thread.
type Step struct {
	Act     Act
	Barrier int      // id of a named barrier
	Lanes   uint32   // that meet
	Count   int      // threads of a barrier, 0 for all; arrivals
	Bytes   int      // expected or completed
	Parity  int      // of a wait
	Signals []Signal // the mbarriers it is on: one, but for copies
	Touches []Touch  // of a copy
	Place   string
}

// Signal is an mbarrier, by its address, and what completion of a copy does to it.
type Signal struct {
	Mbarrier        uint32
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
		fmt.Fprintf(&b, " of the lanes %#x", s.Lanes)
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
	Perhaps  bool // data say whether it is executed
}
