"""Pipelines with a tcgen05 MMA or a CLC query at one end (notes/cutedsl.md 1.4).

An MMA of two CTAs is issued by its leader, and the leader's barriers serve both: whoever fills a stage of either CTA
arrives at the leader, and the leader's commits arrive in both.
"""

from dataclasses import dataclass

import cutlass.cute as cute
from cutlass.pipeline.cluster import Place
from cutlass.pipeline.helpers import (
    CooperativeGroup,
    Agent,
    MbarrierArray,
    MbarrierLayout,
    PipelineOp,
    SyncObject,
    _get_thread_arrive_count,
    alloc_reserved_mbarrier,
)
from cutlass.pipeline.sm90 import PipelineAsync, PipelineConsumer, multicast_count, publish, ring


def cta_group_of(place):
    if place.two_cta():
        return cute.nvgpu.tcgen05.CtaGroup.TWO
    return cute.nvgpu.tcgen05.CtaGroup.ONE


@dataclass(frozen=True)
class PipelineTmaUmma(PipelineAsync):
    """TMA fills, an MMA reads. The leader's full barrier counts the bytes of both CTAs; a release reaches every CTA
    whose TMA shares a tile with this one."""

    is_leader_cta: bool
    cta_group: int

    @staticmethod
    def _make_sync_object(
        barrier_storage, num_stages, agent, tx_count=0, mbarrier_layout=MbarrierLayout.V0, name="", phase="", *, loc=None, ip=None
    ):
        return MbarrierArray(barrier_storage, num_stages, agent, tx_count)

    @staticmethod
    def _compute_mcast_arrival_mask(cta_layout_vmnk, mcast_mode_mn, *, loc=None, ip=None):
        return Place(cta_layout_vmnk).multicast_mask(mcast_mode_mn)

    @staticmethod
    def _compute_is_leader_cta(cta_layout_vmnk, *, loc=None, ip=None):
        return Place(cta_layout_vmnk).is_leader()

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        tx_count,
        barrier_storage=None,
        cta_layout_vmnk=None,
        mcast_mode_mn=(1, 1),
        enable_multicast_signaling=False,
        defer_sync=False,
        name="",
        loc=None,
        ip=None,
    ):
        place = Place(cta_layout_vmnk)
        if enable_multicast_signaling:
            consumer_group = multicast_count(consumer_group, place, mcast_mode_mn)
        full, empty = ring(
            barrier_storage, num_stages, (PipelineOp.TmaLoad, producer_group), (PipelineOp.TCGen05Mma, consumer_group), tx_count
        )
        mask = None
        if place.size > 1:
            mask = place.multicast_mask(mcast_mode_mn)
        publish(defer_sync, cta_layout_vmnk)
        return PipelineTmaUmma(full, empty, num_stages, mask, mask, place.is_leader(), cta_group_of(place))

    def consumer_release(self, state, *, loc=None, ip=None):
        self.sync_object_empty.arrive(state.index, self.consumer_mask, self.cta_group)

    def producer_acquire(self, state, try_acquire_token=None, *, expected_tx=None, loc=None, ip=None):
        if try_acquire_token is None or try_acquire_token == 0:
            self.sync_object_empty.wait(state.index, state.phase)
        if self.is_leader_cta:
            if expected_tx is None:
                self.sync_object_full.arrive(state.index, self.producer_mask)
            else:
                self.sync_object_full.arrive_and_expect_tx(state.index, expected_tx)

    def producer_commit(self, state, *, loc=None, ip=None):
        """Nothing: the copies themselves complete the stage."""


@dataclass(frozen=True)
class PipelineAsyncUmma(PipelineAsync):
    """Threads of both CTAs fill, the leader's MMA reads."""

    cta_group: int

    @staticmethod
    def _compute_leading_cta_rank(cta_v_size, *, loc=None, ip=None):
        rank = cute.arch.block_idx_in_cluster()
        return rank // cta_v_size * cta_v_size

    @staticmethod
    def _compute_is_leader_cta(cta_layout_vmnk, *, loc=None, ip=None):
        return Place(cta_layout_vmnk).is_leader()

    @staticmethod
    def _compute_peer_cta_mask(cta_layout_vmnk, *, loc=None, ip=None):
        return Place(cta_layout_vmnk).pair_mask()

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        barrier_storage=None,
        cta_layout_vmnk=None,
        defer_sync=False,
        name="",
        loc=None,
        ip=None,
    ):
        place = Place(cta_layout_vmnk)
        full, empty = ring(barrier_storage, num_stages, (PipelineOp.AsyncThread, producer_group), (PipelineOp.TCGen05Mma, consumer_group))
        leader, pair = None, None
        if place.two_cta():
            leader, pair = place.leader_rank(), place.pair_mask()
        publish(defer_sync, cta_layout_vmnk)
        return PipelineAsyncUmma(full, empty, num_stages, leader, pair, cta_group_of(place))

    def consumer_release(self, state, *, loc=None, ip=None):
        self.sync_object_empty.arrive(state.index, self.consumer_mask, self.cta_group)


@dataclass(frozen=True)
class PipelineUmmaAsync(PipelineAsync):
    """The leader's MMA fills, threads of both CTAs read and release at the leader."""

    cta_group: int

    @staticmethod
    def _compute_tmem_sync_mask(cta_layout_vmnk, *, loc=None, ip=None):
        return Place(cta_layout_vmnk).pair_mask()

    @staticmethod
    def _compute_peer_cta_rank(*, loc=None, ip=None):
        return cute.arch.block_idx_in_cluster() // 2 * 2

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        barrier_storage=None,
        cta_layout_vmnk=None,
        defer_sync=False,
        name="",
        loc=None,
        ip=None,
    ):
        place = Place(cta_layout_vmnk)
        full, empty = ring(barrier_storage, num_stages, (PipelineOp.TCGen05Mma, producer_group), (PipelineOp.AsyncThread, consumer_group))
        mask, leader = None, None
        if place.size > 1:
            mask = place.pair_mask()
        if place.two_cta():
            leader = place.leader_rank()
        publish(defer_sync, cta_layout_vmnk)
        return PipelineUmmaAsync(full, empty, num_stages, mask, leader, cta_group_of(place))

    def producer_commit(self, state, *, loc=None, ip=None):
        self.sync_object_full.arrive(state.index, self.producer_mask, self.cta_group)

    def producer_tail(self, state, *, loc=None, ip=None):
        """Waits for the last stage alone, in CTAs of even rank alone: odd ones skip it even where each is a leader
        (notes/cutedsl.md 5.4)."""
        if cute.arch.block_idx_in_cluster() % 2 == 0:
            for _ in range(self.num_stages - 1):
                state.advance()
            self.producer_acquire(state)


@dataclass(frozen=True)
class PipelineClcFetchAsync(PipelineAsync):
    """Tiles fetched by cluster launch control. One warp of CTA 0 queries for the whole cluster: lane r announces the
    response in CTA r, whose barrier the hardware completes; every consumer thread of every CTA releases at CTA 0."""

    is_signaling_thread: bool

    @staticmethod
    def _init_full_barrier_arrive_signal(cta_layout_vmnk, tidx):
        lane = tidx % 32
        return lane, lane < Place(cta_layout_vmnk).size

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group,
        tx_count,
        barrier_storage=None,
        producer_mask=None,
        consumer_mask=None,
        cta_layout_vmnk=None,
        defer_sync=False,
        name="",
    ):
        full, empty = ring(
            barrier_storage, num_stages, (PipelineOp.ClcLoad, producer_group), (PipelineOp.AsyncThread, consumer_group), tx_count
        )
        rank, signals = PipelineClcFetchAsync._init_full_barrier_arrive_signal(cta_layout_vmnk, cute.arch.lane_idx())
        if Place(cta_layout_vmnk).size == 1:
            rank = None
        elif consumer_mask is None:
            consumer_mask = 0
        publish(defer_sync, cta_layout_vmnk)
        return PipelineClcFetchAsync(full, empty, num_stages, rank, consumer_mask, signals)

    def producer_acquire(self, state, try_acquire_token=None, *, loc=None, ip=None):
        if try_acquire_token is None or try_acquire_token == 0:
            self.sync_object_empty.wait(state.index, state.phase)
        fencepost.together()
        if self.is_signaling_thread:
            self.sync_object_full.arrive(state.index, self.producer_mask)

    def producer_commit(self, state, *, loc=None, ip=None):
        fencepost.unmodelled("PipelineClcFetchAsync.producer_commit must not be called: the query completes the stage")


@dataclass(frozen=True)
class PipelineTmaMultiConsumersAsync(PipelineAsync):
    """TMA fills; MMAs and threads both read, and an empty barrier counts the releases of both."""

    is_leader_cta: bool
    sync_object_empty_umma: SyncObject
    sync_object_empty_async: SyncObject
    cta_group: int
    consumer_dst_rank_async: int = None
    is_signaling_thread: bool = True

    @staticmethod
    def create(
        *,
        num_stages,
        producer_group,
        consumer_group_umma,
        consumer_group_async,
        tx_count,
        barrier_storage=None,
        cta_layout_vmnk=None,
        mcast_mode_mn=(1, 1),
        tidx=None,
        enable_multicast_signaling=False,
        defer_sync=False,
        force_deprecated_per_lane_signaling=None,
        name="",
    ):
        place = Place(cta_layout_vmnk)
        if place.size > 1:
            # Which of the reading threads signal which CTA differs between releases of the library.
            fencepost.unmodelled("PipelineTmaMultiConsumersAsync in a cluster")
        readers = _get_thread_arrive_count(consumer_group_umma) + _get_thread_arrive_count(consumer_group_async)
        full, empty = ring(
            barrier_storage,
            num_stages,
            (PipelineOp.TmaLoad, producer_group),
            (PipelineOp.Composite, CooperativeGroup(Agent.Thread, readers)),
            tx_count,
        )
        publish(defer_sync, cta_layout_vmnk)
        return PipelineTmaMultiConsumersAsync(
            full,
            empty,
            num_stages,
            None,
            None,
            place.is_leader(),
            empty.recast_to_new_op_type(PipelineOp.TCGen05Mma),
            empty.recast_to_new_op_type(PipelineOp.AsyncThread),
            cta_group_of(place),
        )

    def producer_acquire(self, state, try_acquire_token=None, *, loc=None, ip=None):
        if try_acquire_token is None or try_acquire_token == 0:
            self.sync_object_empty.wait(state.index, state.phase)
        if self.is_leader_cta:
            self.sync_object_full.arrive(state.index, self.producer_mask)

    def producer_commit(self, state, *, loc=None, ip=None):
        """Nothing: the copies themselves complete the stage."""

    def consumer_release(self, state, op_type=PipelineOp.TCGen05Mma, *, loc=None, ip=None):
        if op_type == PipelineOp.TCGen05Mma:
            self.sync_object_empty_umma.arrive(state.index, self.consumer_mask, self.cta_group)
        elif op_type == PipelineOp.AsyncThread:
            self.sync_object_empty_async.arrive(state.index, self.consumer_dst_rank_async)
        else:
            fencepost.unmodelled("release of this kind on a pipeline with several consumers")

    def make_participants(self, *, loc=None, ip=None):
        return self.make_producer(), self.make_consumer(), None
