"""What the pipeline classes are made of (notes/cutedsl.md 1.3): who arrives, on what, and where a user stands.

Models, not the library: each function performs the primitive operations that the library's namesake performs on
barriers, and nothing else. Parameters are named and ordered as kernels pass them.
"""

import enum
from dataclasses import dataclass

import cutlass.cute as cute


class Agent(enum.Enum):
    Thread = 1
    Warp = 2
    ThreadBlock = 3
    ThreadBlockCluster = 4


class CooperativeGroup:
    """The threads, warps or CTAs that together make up one side of a barrier."""

    def __init__(self, agent, size=1, alignment=None):
        self.agent = agent
        self.size = size


def _get_thread_arrive_count(group, *, loc=None, ip=None):
    """The arrivals a barrier expects from a group: one from each of its threads."""
    if group.agent == Agent.Thread:
        return group.size
    if group.agent == Agent.Warp:
        return 32 * group.size
    threads = cute.arch.block_dim()
    in_block = threads[0] * threads[1] * threads[2]
    if group.agent == Agent.ThreadBlock:
        return group.size * in_block
    return group.size * cute.arch.cluster_size() * in_block


class PipelineOp(enum.Enum):
    AsyncThread = 1
    TCGen05Mma = 2
    TmaLoad = 3
    ClcLoad = 4
    TmaStore = 5
    Composite = 6
    AsyncLoad = 7


class MbarrierLayout(enum.Enum):
    V0 = 1


class SyncObject:
    pass


class MbarrierArray(SyncObject):
    """One mbarrier a stage, all of one kind: `agent` says what arrives on them and how often."""

    def __init__(self, barrier_storage, num_stages, agent, tx_count=0, mbarrier_layout=MbarrierLayout.V0, name="", *, initialised=False, loc=None, ip=None):
        self.barrier_storage = barrier_storage
        self.num_stages = num_stages
        self.op_type = agent[0]
        self.cg = agent[1]
        self.arrive_count = _get_thread_arrive_count(agent[1])
        self.tx_count = tx_count
        if not initialised:
            self.mbarrier_init()

    def recast_to_new_op_type(self, new_op_type):
        """The same barriers, arrived on by something else; they are initialised already."""
        return MbarrierArray(self.barrier_storage, self.num_stages, (new_op_type, self.cg), self.tx_count, initialised=True)

    def mbarrier_init(self, *, loc=None, ip=None):
        if cute.arch.warp_idx() == 0:
            with cute.arch.elect_one():
                for stage in range(self.num_stages):
                    cute.arch.mbarrier_init(self.barrier_storage + stage, self.arrive_count)

    def arrive(self, index, dst, cta_group=None, *, loc=None, ip=None):
        """Arrives the way this kind of barrier is arrived on; `dst` is a rank or, for a commit, a mask of ranks."""
        if self.op_type == PipelineOp.AsyncThread:
            self.arrive_mbarrier(index, dst)
        elif self.op_type == PipelineOp.TCGen05Mma:
            self.arrive_tcgen05mma(index, dst, cta_group)
        elif self.op_type == PipelineOp.TmaLoad:
            self.arrive_and_expect_tx(index, self.tx_count)
        elif self.op_type == PipelineOp.ClcLoad:
            self.arrive_and_expect_tx_with_dst(index, self.tx_count, dst)
        elif self.op_type == PipelineOp.AsyncLoad:
            self.arrive_cp_async_mbarrier(index)
        else:
            fencepost.unmodelled("arrival of this kind on an mbarrier array")

    def arrive_mbarrier(self, index, dst_rank=None, *, loc=None, ip=None):
        if dst_rank is None:
            cute.arch.mbarrier_arrive(self.get_barrier(index))
        else:
            cute.arch.mbarrier_arrive(self.get_barrier(index), dst_rank)

    def arrive_cp_async_mbarrier(self, index, *, loc=None, ip=None):
        cute.arch.cp_async_mbarrier_arrive_noinc(self.get_barrier(index))

    def arrive_tcgen05mma(self, index, mask, cta_group, *, loc=None, ip=None):
        with cute.arch.elect_one():
            cute.nvgpu.tcgen05.commit(self.get_barrier(index), mask, cta_group)

    def arrive_and_expect_tx(self, index, tx_count, *, loc=None, ip=None):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(self.get_barrier(index), tx_count)

    def arrive_and_expect_tx_with_dst(self, index, tx_count, dst=None, *, loc=None, ip=None):
        """No lane is elected: each calling lane arms the barrier of the CTA it names."""
        if dst is None:
            cute.arch.mbarrier_arrive_and_expect_tx(self.get_barrier(index), tx_count)
        else:
            cute.arch.mbarrier_arrive_and_expect_tx(self.get_barrier(index), tx_count, dst)

    def try_wait(self, index, phase, *, loc=None, ip=None):
        return cute.arch.mbarrier_try_wait(self.get_barrier(index), phase)

    def test_wait(self, index, phase, *, loc=None, ip=None):
        return cute.arch.mbarrier_test_wait(self.get_barrier(index), phase)

    def wait(self, index, phase, *, loc=None, ip=None):
        cute.arch.mbarrier_wait(self.get_barrier(index), phase)

    def arrive_and_wait(self, index, phase, dst, cta_group=None, *, loc=None, ip=None):
        # The library passes the parameters on in the wrong order (notes/cutedsl.md 1.3); what follows is not defined.
        fencepost.unmodelled("MbarrierArray.arrive_and_wait does not do what its name says in the library")

    def arrive_and_drop(self, *, loc=None, ip=None):
        fencepost.unmodelled("MbarrierArray.arrive_and_drop is not implemented by the library")

    def get_barrier(self, index, *, loc=None, ip=None):
        return self.barrier_storage + index


@dataclass(frozen=True)
class NamedBarrier(SyncObject):
    """A named barrier of the CTA. Every blocking method arrives too: hardware has no wait without arrival."""

    barrier_id: int
    num_threads: int

    def arrive(self, *, loc=None, ip=None):
        cute.arch.barrier_arrive(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def arrive_unaligned(self, *, loc=None, ip=None):
        cute.arch.barrier_arrive(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def wait(self, *, loc=None, ip=None):
        cute.arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def wait_unaligned(self, *, loc=None, ip=None):
        cute.arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def arrive_and_wait(self, *, loc=None, ip=None):
        cute.arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def sync(self, *, loc=None, ip=None):
        cute.arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    def arrive_and_drop(self, *, loc=None, ip=None):
        fencepost.unmodelled("NamedBarrier.arrive_and_drop is not implemented by the library")

    def get_barrier(self, *, loc=None, ip=None):
        return self.barrier_id


class TmaStoreFence(SyncObject):
    """The bulk groups of the calling thread, in place of barriers: at most num_stages - 1 of them are in flight."""

    def __init__(self, num_stages=0):
        self.num_stages = num_stages

    def arrive(self, *, loc=None, ip=None):
        cute.arch.cp_async_bulk_commit_group()

    def wait(self, *, loc=None, ip=None):
        cute.arch.cp_async_bulk_wait_group(self.num_stages - 1, read=True)

    def arrive_and_wait(self, *, loc=None, ip=None):
        self.arrive()
        self.wait()

    def tail(self, *, loc=None, ip=None):
        cute.arch.cp_async_bulk_wait_group(0, read=True)


class PipelineUserType(enum.Enum):
    Producer = 1
    Consumer = 2
    ProducerConsumer = 3


class PipelineState:
    """Where a user stands in a ring of stages: the stage, its phase parity, and how many stages went by."""

    def __init__(self, stages, count, index, phase):
        self._stages = stages
        self._count = count
        self._index = index
        self._phase = phase

    def clone(self, *, loc=None, ip=None):
        return PipelineState(self._stages, self._count, self._index, self._phase)

    @property
    def index(self):
        return self._index

    @property
    def count(self):
        return self._count

    @property
    def stages(self):
        return self._stages

    @property
    def phase(self):
        return self._phase

    def reset_count(self, *, loc=None, ip=None):
        self._count = 0

    def advance(self, *, loc=None, ip=None):
        self._count += 1
        self._index += 1
        if self._index == self._stages:
            self._index = 0
            self._phase ^= 1

    def reverse(self, *, loc=None, ip=None):
        self._count -= 1
        self._index -= 1
        if self._index < 0:
            self._index = self._stages - 1
            self._phase ^= 1


def make_pipeline_state(type, stages, *, loc=None, ip=None):
    """A producer starts in the phase before the first, which counts as over: its first waits pass."""
    stages = fencepost.stages(stages)
    if type == PipelineUserType.Consumer:
        return PipelineState(stages, 0, 0, 0)
    return PipelineState(stages, 0, 0, 1)


def alloc_reserved_mbarrier(num_stages, *, multiplier=2, loc=None, ip=None):
    """Barriers in memory of the library's own, a full and an empty one a stage; they alias nothing."""
    return cute.arch.alloc_mbarrier(num_stages * multiplier)


def spans_cluster(shape):
    """Whether CTAs of a cluster of this shape or layout have to meet. In a cluster of one there is nobody to meet."""
    if shape is None or cute.arch.cluster_size() == 1:
        return False
    return cute.size(shape) > 1


def pipeline_init_arrive(cluster_shape_mn=None, is_relaxed=False, *, loc=None, ip=None):
    cute.arch.mbarrier_init_fence()
    if spans_cluster(cluster_shape_mn):
        if is_relaxed:
            cute.arch.cluster_arrive_relaxed()
        else:
            cute.arch.cluster_arrive()


def pipeline_init_wait(cluster_shape_mn=None, *, loc=None, ip=None):
    if spans_cluster(cluster_shape_mn):
        cute.arch.cluster_wait()
    else:
        cute.arch.sync_threads()


def agent_sync(group, is_relaxed=False, *, loc=None, ip=None):
    """All threads of the agent meet, after the barriers they initialised are visible to each other."""
    cute.arch.mbarrier_init_fence()
    if group == Agent.Thread:
        return
    if group == Agent.Warp:
        cute.arch.sync_warp()
    elif group == Agent.ThreadBlock:
        cute.arch.sync_threads()
    elif is_relaxed:
        cute.arch.cluster_arrive_relaxed()
        cute.arch.cluster_wait()
    else:
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


def _sync(group, is_relaxed=False, *, loc=None, ip=None):
    agent_sync(group, is_relaxed)


def arrive(barrier_id, num_threads, *, loc=None, ip=None):
    cute.arch.barrier_arrive(barrier_id=barrier_id, number_of_threads=num_threads)


def arrive_unaligned(barrier_id, num_threads, *, loc=None, ip=None):
    cute.arch.barrier_arrive(barrier_id=barrier_id, number_of_threads=num_threads)


def wait(*, loc=None, ip=None):
    # The library calls a function that does not exist (notes/cutedsl.md 1.3).
    fencepost.unmodelled("pipeline.wait does not work in the library")


def wait_unaligned(barrier_id, num_threads, *, loc=None, ip=None):
    cute.arch.barrier(barrier_id=barrier_id, number_of_threads=num_threads)


def arrive_and_wait(barrier_id, num_threads, *, loc=None, ip=None):
    cute.arch.barrier(barrier_id=barrier_id, number_of_threads=num_threads)


def sync(barrier_id=0, *, loc=None, ip=None):
    if barrier_id == 0:
        cute.arch.sync_threads()
    else:
        cute.arch.barrier(barrier_id=barrier_id)
