// Package dialect says what each library call means: tables that turn a call or a PTX instruction into one of a small
// set of canonical operations, named and parameterised like the PTX manual. It knows no control flow.
//
// A table row and a user's wrapper in .fencepost.yaml have the same form and go through the same reader:
//
//	arch.mbarrier_wait(mbar_ptr, phase) = mbarrier_wait(ptr=mbar_ptr, phase=phase)
//	my_wait = mbarrier_wait(ptr=$0, phase=$1)
package dialect

import (
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Kind is a canonical operation. Each constant's comment gives its parameters; those in brackets may be absent.
type Kind string

// The canonical operations.
const (
	MbarrierInit           Kind = "mbarrier_init"             // ptr, count
	MbarrierInval          Kind = "mbarrier_inval"            // ptr
	MbarrierArrive         Kind = "mbarrier_arrive"           // ptr, [count], [peer], [pred], [sem], [scope], [space]
	MbarrierArriveExpectTx Kind = "mbarrier_arrive_expect_tx" // ptr, bytes, [peer], [pred], [sem], [scope], [space]
	MbarrierArriveDrop     Kind = "mbarrier_arrive_drop"      // ptr, [count]
	MbarrierExpectTx       Kind = "mbarrier_expect_tx"        // ptr, bytes, [peer], [scope]
	MbarrierCompleteTx     Kind = "mbarrier_complete_tx"      // ptr, bytes
	MbarrierWait           Kind = "mbarrier_wait"             // ptr, phase, [sem], [scope], [space], [token]: blocks
	MbarrierTryWait        Kind = "mbarrier_try_wait"         // as wait; one attempt, returns a predicate
	MbarrierTestWait       Kind = "mbarrier_test_wait"        // as wait; never suspends
	MbarrierInitFence      Kind = "mbarrier_init_fence"       // fence.mbarrier_init.release.cluster
	CpAsyncMbarrierArrive  Kind = "cp_async_mbarrier_arrive"  // ptr, [noinc]

	NamedBarrierSync   Kind = "named_barrier_sync"   // id, [count], [aligned]
	NamedBarrierArrive Kind = "named_barrier_arrive" // id, count, [aligned]
	CtaSync            Kind = "cta_sync"             // all threads of the CTA (__syncthreads)
	WarpSync           Kind = "warp_sync"            // [mask]
	ClusterArrive      Kind = "cluster_arrive"       // [sem]
	ClusterWait        Kind = "cluster_wait"         //
	ClusterSync        Kind = "cluster_sync"         // arrive, then wait
	GridSync           Kind = "grid_sync"            //
	NamedBarrierObject Kind = "named_barrier_object" // id, [count]: makes a named-barrier object; no synchronization by itself

	ThreadIdx    Kind = "thread_idx"     // [axis]: "x", "y", "z"; without axis a triple
	BlockIdx     Kind = "block_idx"      // [axis]
	BlockDim     Kind = "block_dim"      // [axis]
	GridDim      Kind = "grid_dim"       // [axis]
	LaneIdx      Kind = "lane_idx"       //
	WarpIdx      Kind = "warp_idx"       //
	ClusterRank  Kind = "cluster_rank"   // rank of this CTA in its cluster
	ClusterSize  Kind = "cluster_size"   //
	ClusterCoord Kind = "cluster_ctaid"  // [axis]: place of this CTA in its cluster (%cluster_ctaid)
	ClusterShape Kind = "cluster_nctaid" // [axis]: CTAs of a cluster along an axis (%cluster_nctaid)
	ClusterIdx   Kind = "cluster_idx"    // [axis]: place of this cluster in the grid (%clusterid)
	ClusterCount Kind = "cluster_dim"    // [axis]: clusters of the grid (%nclusterid)
	ElectOne     Kind = "elect_one"      // true for one lane of the warp
	Uniform      Kind = "uniform"        // x: the value itself (make_warp_uniform, __shfl_sync(x, 0))
	MapaShared   Kind = "mapa"           // ptr, peer: the same address in another CTA of the cluster

	FenceProxy Kind = "fence_proxy" // kind ("async", "tensormap", "alias", …), [space], [scope]
	Fence      Kind = "fence"       // sem ("acq_rel", "sc", "acquire", "release"), scope

	AtomicAdd  Kind = "atomic_add"  // ptr, value, [sem], [scope]
	AtomicSub  Kind = "atomic_sub"  // ptr, value, [sem], [scope]
	AtomicMax  Kind = "atomic_max"  // ptr, value, [sem], [scope]: also min, and, or, xor, inc, dec
	AtomicExch Kind = "atomic_exch" // ptr, value, [sem], [scope]
	AtomicCas  Kind = "atomic_cas"  // ptr, cmp, value, [sem], [scope]
	Reduce     Kind = "red"         // ptr, value, [op], [sem], [scope]: no result
	Load       Kind = "load"        // ptr, [sem] ("weak", "relaxed", "acquire", "volatile", "nc"), [scope], [space], [rows] (of matrices, whose addresses are: how many, or what holds them), [shape]
	Store      Kind = "store"       // ptr, value, [sem], [scope], [space], [rows], [shape]

	TmaLoad       Kind = "tma_load"        // [dst], [src], ptr (mbarrier), [bytes], [mask], [group] (cta_group), [atom], [pred]
	TmaStore      Kind = "tma_store"       // [dst], [src]: joins the thread's bulk group
	BulkCommit    Kind = "bulk_commit"     //
	BulkWait      Kind = "bulk_wait"       // count, [read]
	CpAsync       Kind = "cp_async"        // [dst], [src], [bytes]
	CpAsyncCommit Kind = "cp_async_commit" //
	CpAsyncWait   Kind = "cp_async_wait"   // count, all where copies of no group are waited for too
	StoreAsync    Kind = "st_async"        // ptr (mbarrier), [dst], [bytes], [peer]
	Tcgen05Commit Kind = "tcgen05_commit"  // ptr, [mask]
	MmaAsync      Kind = "mma_async"       // wgmma or tcgen05.mma: reads shared memory by the async proxy. [d], [a], [b]: addresses of
	// tensor memory and descriptors of shared memory; with d but without b a copy to tensor memory, or a shift in it.
	// [idesc], [group] (cta_group), [sa], [sb] (where scale factors are); [at]="unknown": of its operands nothing is known
	WgmmaFence     Kind = "wgmma_fence"     // wgmma.fence: orders the warpgroup's registers with the multiplications behind it
	TensormapWrite Kind = "tensormap_write" // a tensor map in memory is written: copies by it need tensormap fences
	WgmmaCommit    Kind = "wgmma_commit"    //
	WgmmaWait      Kind = "wgmma_wait"      // count
	ClcTryCancel   Kind = "clc_try_cancel"  // ptr, [response], [multicast]
	ClcResponse    Kind = "clc_response"    // ptr: reads what clc_try_cancel wrote; returns coordinates and validity
	TmemAlloc      Kind = "tmem_alloc"      // [ptr], [count]: count columns of tensor memory; the address is written to shared memory at ptr
	TmemAddress    Kind = "tmem_address"    // [ptr], [dtype]: reads what tmem_alloc wrote
	TmemStore      Kind = "tmem_store"      // [ptr]: tcgen05.st: registers to tensor memory, asynchronously
	TmemStoreWait  Kind = "tmem_store_wait" // [loads]: tcgen05.wait::st: the thread's stores to tensor memory are done
	TmemLoad       Kind = "tmem_load"       // [ptr], [shape], [count]: tcgen05.ld: tensor memory to registers, asynchronously
	TmemLoadWait   Kind = "tmem_load_wait"  // tcgen05.wait::ld: the thread's loads from tensor memory are done
	TmemFree       Kind = "tmem_free"       // [count]: the columns of tensor memory are given back
	GridDepWait    Kind = "griddep_wait"    //
	GridDepLaunch  Kind = "griddep_launch"  //
	SetMaxRegister Kind = "setmaxnreg"      // count, [action]
	AllocMbarrier  Kind = "alloc_mbarrier"  // [count]: shared memory for mbarriers; returns a pointer
	AllocShared    Kind = "alloc_shared"    // [dtype], [count], [layout]: other shared memory; returns a pointer, or a tensor of the layout
	Nanosleep      Kind = "nanosleep"       //
	Trap           Kind = "trap"            //
	Exit           Kind = "exit"            // the thread ends
	WarpGroupIdx   Kind = "warp_group_idx"  // index of the warp group (128 threads) in its CTA
	Pure           Kind = "pure"            // known to touch no synchronization and no shared memory
)

// Op is one canonical operation as it stands in a source file.
type Op struct {
	Kind  Kind
	Name  string         // as written: "cute.arch.mbarrier_wait", "mbarrier.try_wait.parity"
	Args  map[string]Arg // by canonical parameter name
	Span  source.Span
	Call  *program.Call  // nil for PTX
	Instr *program.Instr // nil for calls
}

// Arg is an argument: an expression of the source, or Text when the table or a PTX modifier fixes it ("cluster").
// An Expr that is a string literal or an enumerator (Scope.CTA, memory_order_release) has its canonical word in Text too.
//
// Canonical words. scope: cta, cluster, gpu, sys. sem: weak, relaxed, acquire, release, acq_rel, sc, volatile. space: cta
// (shared::cta), cluster (shared::cluster), global; absent means generic. kind of a proxy fence: async, tensormap, alias,
// generic, async::generic. A PTX operand that is not bound to an expression has its spelling in Text and no Expr.
type Arg struct {
	Expr program.Expr
	Text string
}

// Has reports whether the argument was given.
func (o *Op) Has(name string) bool { _, ok := o.Args[name]; return ok }

// Text returns the canonical word of an argument, or def when it is absent or not a constant word.
func (o *Op) Text(name, def string) string {
	if a, ok := o.Args[name]; ok && a.Text != "" {
		return a.Text
	}
	return def
}

// Expr returns the expression of an argument, or nil.
func (o *Op) Expr(name string) program.Expr { return o.Args[name].Expr }

// GridWide reports whether an operation races with none of its kind in any CTA: a strong one with the scope of the GPU or
// the system (PTX ISA 8.7.1). Atomics are, unless they say a narrower scope; loads are only if they say so.
func (o *Op) GridWide() bool {
	strong := o.Kind != Load
	switch o.Text("sem", "") {
	case "relaxed", "acquire", "volatile", "sc":
		strong = true
	case "weak", "nc":
		strong = false
	}
	scope := o.Text("scope", "")
	return strong && (scope == "gpu" || scope == "sys" || !o.Has("scope")) // which scope a variable holds does not show
}

// Query reports whether an operation neither waits nor makes anybody wait.
func (k Kind) Query() bool {
	switch k {
	case ThreadIdx, BlockIdx, BlockDim, GridDim, LaneIdx, WarpIdx, ClusterRank, ClusterSize, Uniform, MapaShared, AllocMbarrier, AllocShared, Pure,
		TmemStore, TmemStoreWait, TmemLoad, TmemLoadWait, Nanosleep, Fence, FenceProxy, MbarrierInitFence, WgmmaFence, TensormapWrite:
		return true
	}
	return false
}

// Tracked reports whether an operation accesses memory by itself, of which whoever evaluates it has to keep track.
func (k Kind) Tracked() bool {
	switch k {
	case AtomicAdd, AtomicSub, AtomicMax, AtomicExch, AtomicCas, Reduce, Store, Load, TmemAlloc, TmemAddress, TmemFree, ClcResponse:
		return true
	}
	return false
}

// Accesses reports whether an operation accesses memory, or gives a way to some that nobody else has.
func (k Kind) Accesses() bool {
	switch k {
	case MmaAsync, TmemStore, TmemLoad, TensormapWrite, AllocShared:
		return true
	}
	return k.Tracked()
}
