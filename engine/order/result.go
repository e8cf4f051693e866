package order

import (
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
)

// Check is one thing that is checked of a program.
type Check uint8

// The checks, in the order in which reports name them.
const (
	Deadlock     Check = iota // some execution stops with threads that wait
	Counts                    // threads come to one generation of a named barrier with different counts
	Registration              // more threads register in a generation of a named barrier than it counts
	Recycling                 // a command on a barrier may be taken for another generation than in the execution that was looked at
	Arrivals                  // an mbarrier gets more arrivals at once than a phase has left, or counts that are not legal
	Attribution               // an arrival may be credited to an earlier phase of an mbarrier than its author meant (C1)
	Phase                     // a wait on an mbarrier may pass a phase early, or miss one (C2, C3)
	Bytes                     // transaction bytes of an mbarrier do not come out even, or an expect may be late (C0, C4)
	Lifetime                  // an mbarrier is used before its init, initialised twice, or used after inval; tensor memory that is not allocated
	Divergence                // part of a warp runs an aligned barrier
	Race                      // two accesses of a byte, one a write, that nothing orders
	Unwaited                  // a generation of a named barrier that all arrive in and nobody waits for: nothing goes wrong, and nothing is gained
	Checks                    // how many there are
)

var checkNames = [...]string{"deadlock", "counts", "registration", "recycling", "arrivals", "attribution", "phase", "bytes", "lifetime",
	"divergence", "race", "unwaited"}

func (c Check) String() string { return checkNames[c] }

// Warning reports whether what the check finds is no error by itself: it is one where it leads to another.
func (c Check) Warning() bool { return c == Attribution || c == Unwaited }

// Options say what is asked.
type Options struct {
	Limits engine.Limits // Memory and Time
	// WarpSynchronous takes the lanes of a warp to run in lockstep: commands of a warp are ordered as they stand. Hardware does
	// not promise this since sm_70.
	WarpSynchronous bool
	// Graph asks for the barrier dependence graph.
	Graph bool
	// Counts asks for Addresses and Tests, which may take longer than all the rest.
	Counts bool
	// Findings caps how many findings of each check are told; 0 means 16.
	Findings int
}

// Result is what is known of a program.
type Result struct {
	Verdict  engine.Verdict // of all checks together
	Reason   limit.Reason   // why inconclusive
	Answers  [Checks]engine.Answer
	Findings []Finding
	Unshown  int // findings that are left out, since running them again did not show them
	Benign   int // pairs of lines that race with equal values only: no violation

	Threads   int
	Commands  int64 // of all threads
	Barriers  int   // dynamic: generations of named and cluster barriers, phases of mbarriers
	Addresses int   // of Options.Counts: bytes of shared memory are taken together where all accesses do
	Tests     int64 // of Options.Counts: pairs of accesses of one address by different threads, one a write, that were decided
	Compared  int64 // pairs of accesses that were looked at to tell races apart
	Memory    int64 // bytes, without the program itself
	Elapsed   time.Duration
	Graph     *Graph
}

// Point is a command of a lane of a warp.
type Point struct {
	Warp, Index int // Index in the warp's Commands; -1 where there is none
	Lane        int
	Place       uint32
}

// Finding is one thing that is wrong, with the commands that are concerned.
type Finding struct {
	Check  Check
	Benign bool    // a race of equal values
	Timed  bool    // a race of lanes that an exchange of values orders in time
	Text   string  // what was seen and what was expected; commands are named by their thread, not by their place
	Points []Point // the commands concerned; for a deadlock the cycle, each waits for the next
	Object uint32  // id of the named barrier, or address of the mbarrier or of the byte
	// Barrier is the place of the barrier that would have ordered a race, had it come earlier or later; -1 for none.
	Barrier int
	// Trace is the execution that shows it, of the first findings of each check; without steps where the commands alone do.
	Trace Trace

	again recheck
}

// InOneWarp reports whether a race is between lanes of a warp: nothing orders them (PTX ISA 9.7.13.2), but as long as they go on together no machine shows it.
func (f *Finding) InOneWarp() bool {
	return f.Check == Race && len(f.Points) == 2 && f.Points[0].Warp == f.Points[1].Warp && f.Points[0].Lane != f.Points[1].Lane
}

// Graph is the barrier dependence graph: which dynamic barriers follow which.
type Graph struct {
	Nodes []Node
	Edges [][2]int32 // by index, without those that others imply for one thread
}

// Node is one dynamic barrier.
type Node struct {
	Kind       Kind // NamedSync, ClusterWait, MbarWait or WarpSync
	Object     uint32
	CTA        int
	Generation int // from 1 on for named and cluster barriers, from 0 on for phases of mbarriers
}
