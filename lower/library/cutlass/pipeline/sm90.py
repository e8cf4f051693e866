"""Pipelines whose ends are threads, cp.async and TMA (notes/cutedsl.md 1.4).

A pipeline is two arrays of barriers over a ring of stages. A producer waits for a stage to be empty and arrives on its
full barrier; a consumer waits for full and arrives on empty. The classes differ in what arrives and how often.
"""

from dataclasses import dataclass

import cutlass.cute as cute
from cutlass.pipeline.cluster import Place
from cutlass.pipeline.helpers import (
    Agent,
    CooperativeGroup,
    MbarrierArray,
    MbarrierLayout,
    NamedBarrier,
    PipelineOp,
    PipelineState,
    PipelineUserType,
    SyncObject,
    TmaStoreFence,
    _get_thread_arrive_count,
    agent_sync,
    alloc_reserved_mbarrier,
    make_pipeline_state,
    pipeline_init_arrive,
    pipeline_init_wait,
    spans_cluster,
)
from cutlass.pipeline.participants import ImmutableResourceHandle, PipelineConsumer, PipelineProducer


def ring(barrier_storage, num_stages, producer, consumer, tx_count=0):
    """The barriers of a pipeline: those for full stages first, then those for empty ones."""
    num_stages = fencepost.stages(num_stages)
    if barrier_storage is None:
        barrier_storage = alloc_reserved_mbarrier(num_stages)
    full = MbarrierArray(barrier_storage, num_stages, producer, tx_count)
    empty = MbarrierArray(barrier_storage + num_stages, num_stages, consumer)
    return full, empty


def publish(defer_sync, cta_layout_vmnk=None):
    """Makes initialised barriers usable by everybody, unless the kernel does so itself."""
    if not defer_sync:
        pipeline_init_arrive(cta_layout_vmnk, is_relaxed=True)
        pipeline_init_wait(cta_layout_vmnk)


def multicast_count(group, place, mcast_mode_mn):
    """The arrivals on an empty barrier where the group is given as this CTA's threads: its warps, once for each CTA
    that they release for."""
    return CooperativeGroup(Agent.Thread, _get_thread_arrive_count(group) // 32 * place.multicast_size(mcast_mode_mn))


@dataclass(frozen=True)
class PipelineAsync:
    """Threads on both sides; every calling thread arrives."""

    sync_object_full: SyncObject
    sync_object_empty: SyncObject
    num_stages: int
    producer_mask: int
    consumer_mask: int

    @staticmethod
    def _make_sync_object(barrier_storage, num_stages, agent, tx_count=0, *args, name="", phase="", loc=None, ip=None):
        if agent[0] == PipelineOp.TmaStore:
            return TmaStoreFence(num_stages)
        return MbarrierArray(barrier_storage, num_stages, agent, tx_count)

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        barrier_storage=None,
        producer_mask=None,
        consumer_mask=None,
        defer_sync=False,
        name="",
    ):
        full, empty = ring(barrier_storage, num_stages, (PipelineOp.AsyncThread, producer_group), (PipelineOp.AsyncThread, consumer_group))
        publish(defer_sync)
        return PipelineAsync(full, empty, num_stages, producer_mask, consumer_mask)

    def producer_acquire(self, state, try_acquire_token=None, *, loc=None, ip=None):
        if try_acquire_token is None or try_acquire_token == 0:
            self.sync_object_empty.wait(state.index, state.phase)

    def producer_try_acquire(self, state, *, loc=None, ip=None):
        return self.sync_object_empty.try_wait(state.index, state.phase)

    def producer_commit(self, state, *, loc=None, ip=None):
        self.sync_object_full.arrive(state.index, self.producer_mask)

    def consumer_wait(self, state, try_wait_token=None, *, loc=None, ip=None):
        if try_wait_token is None or try_wait_token == 0:
            self.sync_object_full.wait(state.index, state.phase)

    def consumer_try_wait(self, state, *, loc=None, ip=None):
        return self.sync_object_full.try_wait(state.index, state.phase)

    def consumer_release(self, state, *, loc=None, ip=None):
        self.sync_object_empty.arrive(state.index, self.consumer_mask)

    def consumer_get_barrier(self, state, *, loc=None, ip=None):
        return self.sync_object_empty.get_barrier(state.index)

    def producer_get_barrier(self, state, *, loc=None, ip=None):
        return self.sync_object_full.get_barrier(state.index)

    def producer_tail(self, state, *, loc=None, ip=None):
        """Waits until every stage is empty, so that no arrival finds its barrier gone. That is what the library does
        since release 4.6; before, the tail acquired the stages and so armed full barriers once more for copies that
        never came, in a cluster also those of CTAs that might have exited."""
        for _ in range(self.num_stages):
            self.sync_object_empty.wait(state.index, state.phase)
            state.advance()

    def make_producer(self, *, loc=None, ip=None):
        state = make_pipeline_state(PipelineUserType.Producer, self.num_stages)
        return PipelineProducer(self, state, self.sync_object_full.cg)

    def make_consumer(self, *, loc=None, ip=None):
        state = make_pipeline_state(PipelineUserType.Consumer, self.num_stages)
        return PipelineConsumer(self, state, self.sync_object_empty.cg)

    def make_participants(self, *, loc=None, ip=None):
        return self.make_producer(), self.make_consumer()


@dataclass(frozen=True)
class PipelineCpAsync(PipelineAsync):
    """Stages filled by cp.async: a thread's arrival on full happens when its earlier copies are done."""

    @staticmethod
    def create(
        *,
        barrier_storage=None,
        num_stages,
        producer_group,
        consumer_group,
        producer_mask=None,
        consumer_mask=None,
        defer_sync=False,
        name="",
    ):
        full, empty = ring(barrier_storage, num_stages, (PipelineOp.AsyncLoad, producer_group), (PipelineOp.AsyncThread, consumer_group))
        publish(defer_sync)
        return PipelineCpAsync(full, empty, num_stages, producer_mask, consumer_mask)


@dataclass(frozen=True)
class PipelineTmaAsync(PipelineAsync):
    """Stages filled by TMA and read by threads. In each consumer warp one lane for every CTA that fills this CTA's
    stages releases to it."""

    is_signaling_thread: bool

    @staticmethod
    def init_empty_barrier_arrive_signal(cta_layout_vmnk, tidx, mcast_mode_mn=(1, 1)):
        """The rank that a thread releases to, and whether it is one of those that do."""
        lane = tidx % 32
        place = Place(cta_layout_vmnk)
        if place.size == 1:
            return None, lane == 0
        return lane, lane < place.size and place.is_fed_by(lane, mcast_mode_mn)

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        tx_count,
        barrier_storage=None,
        cta_layout_vmnk=None,
        tidx=None,
        mcast_mode_mn=(1, 1),
        enable_multicast_signaling=False,
        defer_sync=False,
        name="",
    ):
        if enable_multicast_signaling:
            consumer_group = multicast_count(consumer_group, Place(cta_layout_vmnk), mcast_mode_mn)
        full, empty = ring(
            barrier_storage, num_stages, (PipelineOp.TmaLoad, producer_group), (PipelineOp.AsyncThread, consumer_group), tx_count
        )
        if tidx is None:
            tidx = cute.arch.lane_idx()
        rank, signals = PipelineTmaAsync.init_empty_barrier_arrive_signal(cta_layout_vmnk, tidx, mcast_mode_mn)
        publish(defer_sync, cta_layout_vmnk)
        return PipelineTmaAsync(full, empty, num_stages, None, rank, signals)

    def producer_acquire(self, state, try_acquire_token=None, *, loc=None, ip=None):
        if try_acquire_token is None or try_acquire_token == 0:
            self.sync_object_empty.wait(state.index, state.phase)
        self.sync_object_full.arrive(state.index, self.producer_mask)

    def producer_commit(self, state, *, loc=None, ip=None):
        """Nothing: the copies themselves complete the stage."""

    def consumer_release(self, state, *, loc=None, ip=None):
        fencepost.together()
        if self.is_signaling_thread:
            self.sync_object_empty.arrive(state.index, self.consumer_mask)


@dataclass(frozen=True)
class PipelineTmaStore(PipelineAsync):
    """Stages drained by TMA stores: no barriers, only the bulk groups of the storing thread."""

    @staticmethod
    def create(*, num_stages, producer_group):
        num_stages = fencepost.stages(num_stages)
        return PipelineTmaStore(TmaStoreFence(num_stages), None, num_stages, None, None)

    def producer_acquire(self, *, loc=None, ip=None):
        self.sync_object_full.wait()

    def producer_commit(self, *, loc=None, ip=None):
        self.sync_object_full.arrive()

    def consumer_wait(self, *, loc=None, ip=None):
        fencepost.unmodelled("PipelineTmaStore has no consumer side")

    def consumer_release(self, *, loc=None, ip=None):
        fencepost.unmodelled("PipelineTmaStore has no consumer side")

    def producer_tail(self, *, loc=None, ip=None):
        self.sync_object_full.tail()


@dataclass(frozen=True)
class PipelineOrder:
    """Groups that take turns: at each of `depth` steps, group g goes when the group before it has gone."""

    sync_object_full: SyncObject
    depth: int
    length: int
    group_id: int
    state: PipelineState

    @staticmethod
    def create(*, depth, length, group_id, producer_group, barrier_storage=None, defer_sync=False, name=""):
        if barrier_storage is None:
            barrier_storage = alloc_reserved_mbarrier(depth * length, multiplier=1)
        full = MbarrierArray(barrier_storage, depth * length, (PipelineOp.AsyncThread, producer_group))
        publish(defer_sync)
        # Nobody goes before the first group: it starts in the phase that counts as over.
        state = PipelineState(depth, 0, 0, 1 if group_id == 0 else 0)
        return PipelineOrder(full, depth, length, group_id, state)

    def get_barrier_for_current_stage_idx(self, group_id, state=None):
        if state is None:
            state = self.state
        return state.index * self.length + group_id

    def arrive(self, state=None, loc=None, ip=None):
        if state is None:
            state = self.state
        after = (self.group_id + 1) % self.length
        self.sync_object_full.arrive(self.get_barrier_for_current_stage_idx(after, state), None)
        state.advance()

    def wait(self, state=None, loc=None, ip=None):
        if state is None:
            state = self.state
        self.sync_object_full.wait(self.get_barrier_for_current_stage_idx(self.group_id, state), state.phase)
