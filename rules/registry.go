package rules

import (
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

var (
	waitProperties  = []protocol.Property{protocol.Deadlock, protocol.Phase}
	countProperties = []protocol.Property{protocol.Deadlock, protocol.Arrivals, protocol.Quiet}

	cudaOnly = []program.Language{program.CUDA}
)

// all lists the rules by ID. IDs are never reused: FP701 to FP704 were patterns of what FP720 tells.
var all = []*Rule{
	{ID: "FP101", Name: "literal-wait-phase", Severity: finding.Error, Needs: both, Suspects: waitProperties, Run: literalWaitPhase},
	{ID: "FP102", Name: "loop-invariant-wait-phase", Severity: finding.Error, Needs: both, Suspects: waitProperties, Run: invariantWaitPhase},
	{ID: "FP103", Name: "phase-per-iteration-on-ring", Severity: finding.Error, Needs: both, Suspects: waitProperties, Run: phasePerIteration},
	{ID: "FP104", Name: "first-wait-blocks-fresh-ring", Severity: finding.Error, Needs: both, Suspects: waitProperties, Run: firstWaitBlocks},
	{ID: "FP105", Name: "phase-reset-in-persistent-loop", Severity: finding.Error, Needs: both, Suspects: waitProperties, Run: phaseReset},
	{ID: "FP106", Name: "arrival-count-mismatch", Severity: finding.Error, Needs: both, Suspects: countProperties, Run: arrivalCount},
	{ID: "FP107", Name: "zero-arrival-count", Severity: finding.Error, Needs: every, Run: zeroCount},
	{ID: "FP108", Name: "unfenced-mbarrier-init", Severity: finding.Warning, Needs: both, Opens: finding.Order, Run: unfencedInit},
	{ID: "FP109", Name: "mbarrier-init-by-many-threads", Severity: finding.Error, Needs: both, Run: initByMany},
	{ID: "FP110", Name: "dropped-try-wait-result", Severity: finding.Error, Needs: both, Run: droppedTryWait},
	{ID: "FP111", Name: "bulk-copy-by-many-lanes", Severity: finding.Warning, Needs: []program.Language{program.CuTe}, Run: bulkCopyByMany},
	{ID: "FP112", Name: "unused-peek", Severity: finding.Note, Needs: []program.Language{program.CuTe}, Lowered: true},
	{ID: "FP113", Name: "wait-before-empty-loop", Severity: finding.Warning, Needs: both, Suspects: waitProperties, Run: waitBeforeLoop},
	{ID: "FP114", Name: "overrun-signal", Severity: finding.Warning, Needs: both, Suspects: waitProperties, Run: overrunSignal},
	{ID: "FP115", Name: "mbarrier-outside-array", Severity: finding.Warning, Needs: []program.Language{program.CuTe}, Lowered: true},
	{ID: "FP116", Name: "store-over-mbarrier", Severity: finding.Warning, Needs: cudaOnly, Run: storeOverBarrier},
	{ID: "FP120", Name: "deadlocked-barrier", Severity: finding.Error, Needs: both, Property: protocol.Deadlock},
	{ID: "FP121", Name: "skipped-phase", Severity: finding.Error, Needs: both, Property: protocol.Phase},
	{ID: "FP122", Name: "arrival-overflow", Severity: finding.Error, Needs: both, Property: protocol.Arrivals},
	{ID: "FP123", Name: "misattributed-arrival", Severity: finding.Warning, Needs: both, Property: protocol.Attribution},
	{ID: "FP124", Name: "lost-transaction-bytes", Severity: finding.Error, Needs: both, Property: protocol.Bytes},
	{ID: "FP125", Name: "partial-phase-at-exit", Severity: finding.Warning, Needs: both, Property: protocol.Quiet},
	{ID: "FP126", Name: "pipeline-turn-incomplete", Severity: finding.Warning, Needs: cudaOnly, Lowered: true},
	{ID: "FP201", Name: "store-to-tma-without-proxy-fence", Severity: finding.Warning, Needs: both, Run: storeToTma},
	{ID: "FP202", Name: "tensor-memory-store-not-awaited", Severity: finding.Warning, Needs: both, Lowered: true, Run: storeNotAwaited},
	{ID: "FP203", Name: "tma-load-after-flag-without-proxy-fence", Severity: finding.Error, Needs: both, Lowered: true},
	{ID: "FP204", Name: "stage-given-back-without-proxy-fence", Severity: finding.Warning, Needs: both, Lowered: true, Run: givenBackUnfenced},
	{ID: "FP205", Name: "proxy-fence-behind-barrier", Severity: finding.Warning, Needs: cudaOnly, Run: fenceBehindBarrier},
	{ID: "FP206", Name: "buffer-rewritten-under-bulk-store", Severity: finding.Warning, Needs: cudaOnly, Run: rewrittenUnderCopy},
	{ID: "FP207", Name: "proxy-fence-ahead-of-reads", Severity: finding.Warning, Needs: cudaOnly, Run: fenceAheadOfReads},
	{ID: "FP208", Name: "tensor-map-rewritten-in-flight", Severity: finding.Warning, Needs: cudaOnly, Run: descriptorInFlight},
	{ID: "FP209", Name: "tensor-core-without-fence", Severity: finding.Warning, Needs: cudaOnly, Lowered: true},
	{ID: "FP301", Name: "cta-scope-on-remote-arrive", Severity: finding.Warning, Needs: every, Run: ctaScopeRemote},
	{ID: "FP302", Name: "narrow-scope-before-flag", Severity: finding.Warning, Needs: both, Run: narrowScope},
	{ID: "FP303", Name: "spin-without-acquire", Severity: finding.Warning, Needs: both, Run: spinWithoutAcquire},
	{ID: "FP304", Name: "publish-without-release", Severity: finding.Warning, Needs: both, Run: publishWithoutRelease},
	{ID: "FP305", Name: "leader-publishes-for-group", Severity: finding.Warning, Needs: both, Run: leaderPublishes},
	{ID: "FP306", Name: "dependent-launch-without-wait", Severity: finding.Warning, Needs: both, Lowered: true},
	{ID: "FP307", Name: "leader-waits-for-group", Severity: finding.Error, Needs: both, Lowered: true},
	{ID: "FP308", Name: "grid-result-read-too-early", Severity: finding.Warning, Needs: both, Run: unfinishedGrid},
	{ID: "FP309", Name: "wait-for-own-value", Severity: finding.Warning, Needs: both, Run: vacuousWait},
	{ID: "FP310", Name: "dependent-data-read-early", Severity: finding.Warning, Needs: cudaOnly, Run: dependentRead},
	{ID: "FP401", Name: "named-barrier-id-out-of-range", Severity: finding.Error, Needs: every, Run: namedBarrierID},
	{ID: "FP402", Name: "named-barrier-count-illegal", Severity: finding.Error, Needs: every, Run: namedBarrierCount},
	{ID: "FP403", Name: "barrier-in-divergent-code", Severity: finding.Error, Needs: []program.Language{program.CuTe}, Opens: string(protocol.Deadlock), Lowered: true, Run: divergentBarrier},
	{ID: "FP404", Name: "cluster-barrier-out-of-turn", Severity: finding.Error, Needs: both, Lowered: true},
	{ID: "FP405", Name: "barrier-counts-mixed", Severity: finding.Error, Needs: both, Lowered: true},
	{ID: "FP406", Name: "setmaxnreg-by-part-of-warpgroup", Severity: finding.Warning, Needs: both, Lowered: true},
	{ID: "FP407", Name: "setmaxnreg-beyond-pool", Severity: finding.Warning, Needs: both, Opens: string(protocol.Deadlock), Lowered: true},
	{ID: "FP408", Name: "barrier-reused-too-early", Severity: finding.Warning, Needs: both, Lowered: true},
	{ID: "FP409", Name: "barrier-zero-for-some-threads", Severity: finding.Warning, Needs: both, Suspects: countProperties, Run: barrierZero},
	{ID: "FP410", Name: "arrival-repeated-without-wait", Severity: finding.Warning, Needs: both, Suspects: countProperties, Run: arriveAgain},
	{ID: "FP411", Name: "arrival-at-wrong-barrier", Severity: finding.Error, Needs: both, Lowered: true},
	{ID: "FP412", Name: "warp-mask-misfit", Severity: finding.Warning, Needs: both, Opens: string(protocol.Deadlock), Lowered: true},
	{ID: "FP413", Name: "collective-behind-own-poll", Severity: finding.Warning, Needs: cudaOnly, Run: ownPoll},
	{ID: "FP414", Name: "named-barrier-of-two-names", Severity: finding.Warning, Needs: cudaOnly, Suspects: countProperties, Run: sharedID},
	{ID: "FP415", Name: "synchronization-not-called", Severity: finding.Warning, Needs: every, Run: uncalled},
	{ID: "FP501", Name: "wait-for-unscheduled-block", Severity: finding.Warning, Needs: both, Under: "cuda", Run: unscheduledWait},
	{ID: "FP502", Name: "lanes-wait-for-each-other", Severity: finding.Warning, Needs: both, Run: lanesWait},
	{ID: "FP503", Name: "overshot-equality-wait", Severity: finding.Warning, Needs: both, Under: "fair", Run: overshotWait},
	{ID: "FP504", Name: "reset-under-peers", Severity: finding.Warning, Needs: both, Under: "fair", Run: resetUnderPeers},
	{ID: "FP520", Name: "endless-spin", Severity: finding.Error, Needs: both, Property: protocol.Livelock},
	{ID: "FP601", Name: "pair-allocation-before-cluster-barrier", Severity: finding.Warning, Needs: cudaOnly, Run: pairAllocation},
	{ID: "FP602", Name: "tensor-memory-not-freed", Severity: finding.Warning, Needs: []program.Language{program.CuTe}, Lowered: true},
	{ID: "FP620", Name: "barrier-lifetime", Severity: finding.Error, Needs: both, Property: protocol.Lifetime},
	{ID: "FP621", Name: "store-in-flight-at-exit", Severity: finding.Warning, Needs: both, Lowered: true},
	{ID: "FP720", Name: "unordered-access", Severity: finding.Error, Needs: both, Property: protocol.Race},
	{ID: "FP721", Name: "copy-read-in-flight", Severity: finding.Warning, Needs: cudaOnly, Lowered: true},
	{ID: "FP901", Name: "unused-suppression", Severity: finding.Warning, Needs: both},
	{ID: "FP902", Name: "suppression-without-reason", Severity: finding.Error, Needs: both},
	{ID: finding.UndecidedKernel, Name: "undecided-kernel", Severity: finding.Error, Needs: every},
	{ID: finding.RequiredKernel, Name: "required-kernel", Severity: finding.Error, Needs: every},
	{ID: finding.WorseVerdict, Name: "worse-verdict", Severity: finding.Error, Needs: every},
	{ID: finding.UnreadText, Name: "unread-text", Severity: finding.Error, Needs: every},
	{ID: finding.UnfinishedRun, Name: "unfinished-run", Severity: finding.Warning, Needs: every},
}
