package order

import (
	"fmt"
	"math/bits"
)

// clusterBarrier is the cluster barrier (PTX ISA 9.7.13.3): a generation is over when all threads of the cluster that have
// not exited arrived.
type clusterBarrier struct {
	generation int
	live       int
	arrived    int
	gathering  gathering
	exits      gathering
	past       []clock // of the generations that are over
	members    []registration
	blocked    []*strand
}

func (r *run) clusterArrive(s *strand, c *Command, pos int32) bool {
	if s.cluster != 0 {
		r.report(Registration, 0, fmt.Sprintf("%s arrives in the cluster barrier again without having waited; expected arrive and wait in turn", r.who(s)), r.point(s, pos))
		r.stopped = true
		return false
	}
	s.cluster = 1
	s.arrivals++
	r.cluster.arrived += bits.OnesCount32(c.Mask & s.lanes)
	r.cluster.gathering.add(r, s, pos)
	r.cluster.members = append(r.cluster.members, registration{s, pos})
	r.clusterMet()
	return true
}

func (r *run) clusterWait(s *strand, _ *Command, pos int32) bool {
	if s.cluster != 1 {
		r.report(Registration, 0, fmt.Sprintf("%s in the cluster barrier without having arrived; expected arrive and wait in turn", r.does(s, "wait")), r.point(s, pos))
		r.stopped = true
		return false
	}
	if r.cluster.generation < s.arrivals {
		r.cluster.blocked = append(r.cluster.blocked, s)
		return false
	}
	s.cluster = 0
	r.acquire(s, pos, r.joinClocks(s.now, r.cluster.past[s.arrivals-1]))
	r.met(s, ClusterWait, 0, s.arrivals)
	return true
}

// clusterMet starts the next generation when everybody has come or gone.
func (r *run) clusterMet() {
	g := &r.cluster
	if g.arrived == 0 || g.arrived < g.live {
		return
	}
	if g.exits.at != nil {
		g.gathering.join(g.exits.at)
	}
	g.past = append(g.past, g.gathering.close(r))
	g.generation++
	g.arrived = 0
	r.barriers++
	r.node(ClusterWait, 0, 0, g.generation, g.members, nil)
	g.members = g.members[:0]
	blocked := g.blocked
	g.blocked = nil
	for _, s := range blocked {
		r.wake(s)
	}
}
