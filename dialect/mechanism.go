package dialect

// The mechanisms a kernel synchronizes with.
const (
	Pipelines     = "pipelines"
	Mbarriers     = "mbarriers"
	NamedBarriers = "named barriers"
	Clusters      = "cluster"
	Flags         = "flags"
)

// Mechanisms are all of them, in the order in which they are told.
var Mechanisms = []string{Pipelines, Mbarriers, NamedBarriers, Clusters, Flags}

// Mechanism is what an operation belongs to, "" for what decides no kernel's class: CTA and warp barriers, fences, copies.
func (op *Op) Mechanism() string {
	switch op.Kind {
	case MbarrierInit, MbarrierArrive, MbarrierArriveExpectTx, MbarrierArriveDrop, MbarrierExpectTx,
		MbarrierCompleteTx, MbarrierWait, MbarrierTryWait, MbarrierTestWait, CpAsyncMbarrierArrive:
		return Mbarriers
	case NamedBarrierSync, NamedBarrierArrive, NamedBarrierObject:
		return NamedBarriers
	case ClusterArrive, ClusterWait, ClusterSync:
		return Clusters
	case AtomicAdd, AtomicSub, AtomicMax, AtomicExch, AtomicCas, Reduce:
		return Flags
	case Load, Store:
		if s := op.Text("sem", "weak"); s != "weak" && s != "nc" {
			return Flags
		}
	}
	return ""
}
