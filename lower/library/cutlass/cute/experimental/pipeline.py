import enum

from dataclasses import dataclass

import cutlass.cute as cute
from cutlass.pipeline.helpers import (
    Agent,
    CooperativeGroup,
    PipelineOp,
    PipelineUserType,
    make_pipeline_state,
)
from cutlass.pipeline.sm90 import publish, ring


class OperationTypeEnum(enum.Enum):
    SM90_TMA_LOAD = 1
    SM90_TMA_LOAD_MULTICAST = 2
    SM100_TMA_LOAD_2SM = 3
    SM100_TMA_LOAD_2SM_MULTICAST = 4
    SM100_TMA_LOAD_2SM_IM2COL = 5
    SM100_TMA_LOAD_2SM_IM2COL_MULTICAST = 6
    SM100_MMA_1SM_SS = 7
    SM100_MMA_1SM_TS = 8
    SM100_MMA_2SM_SS = 9
    SM100_MMA_2SM_TS = 10
    SM100_MMA_SCALED_1SM_SS = 11
    SM100_MMA_SCALED_1SM_TS = 12
    SM100_MMA_SCALED_2SM_SS = 13
    SM100_MMA_SCALED_2SM_TS = 14
    SM100_COPY_T2R = 15
    SM100_LAUNCH_CONTROL = 16
    LD_SHARED = 17
    SREG_CTAID = 18


ONE_CTA_MMA = (
    OperationTypeEnum.SM100_MMA_1SM_SS,
    OperationTypeEnum.SM100_MMA_1SM_TS,
    OperationTypeEnum.SM100_MMA_SCALED_1SM_SS,
    OperationTypeEnum.SM100_MMA_SCALED_1SM_TS,
)


class StageToken:
    def __init__(self, barrier):
        self.barrier = barrier


class GenericPipelineBase:
    """A ring with both users' states inside. `producer_op` and `consumer_op` say how each side arrives."""

    def __init__(self, num_stages, producer_op, producer_count, consumer_op, consumer_count):
        producer = (producer_op, CooperativeGroup(Agent.Thread, producer_count))
        consumer = (consumer_op, CooperativeGroup(Agent.Thread, consumer_count))
        self.full, self.empty = ring(None, num_stages, producer, consumer)
        self.num_stages = num_stages
        self.raw_pipeline = self
        self.producer_state = make_pipeline_state(PipelineUserType.Producer, num_stages)
        self.consumer_state = make_pipeline_state(PipelineUserType.Consumer, num_stages)
        publish(False)

    def signal(self, barriers, state, elect_one_sync):
        if barriers.op_type == PipelineOp.TmaLoad or elect_one_sync:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(barriers.get_barrier(state.index))
        else:
            barriers.arrive(state.index, None)

    def producer_acquire(self):
        self.empty.wait(self.producer_state.index, self.producer_state.phase)

    def get_producer_stage(self):
        return StageToken(self.full.get_barrier(self.producer_state.index)), self.producer_state.index

    def get_consumer_stage(self):
        return StageToken(self.empty.get_barrier(self.consumer_state.index)), self.consumer_state.index

    def producer_acquire_and_get_stage(self, *, token=None):
        if token is not None:
            fencepost.unmodelled("tokens of cute.experimental pipelines")
        self.producer_acquire()
        return self.get_producer_stage()

    def producer_commit(self, *, elect_one_sync=None, elect_leader_cta=None):
        self.signal(self.full, self.producer_state, elect_one_sync)

    def producer_commit_and_advance(self):
        self.producer_commit()
        self.producer_state.advance()

    def consumer_wait(self, state=None):
        if state is None:
            state = self.consumer_state
        self.full.wait(state.index, state.phase)

    def consumer_wait_and_get_stage(self, *, token=None):
        if token is not None:
            fencepost.unmodelled("tokens of cute.experimental pipelines")
        self.consumer_wait()
        return self.get_consumer_stage()

    def consumer_release(self, *, elect_one_sync=None, elect_leader_cta=None):
        self.signal(self.empty, self.consumer_state, elect_one_sync)

    def consumer_release_and_advance(self):
        self.consumer_release()
        self.consumer_state.advance()

    def producer_tail(self):
        for _ in range(self.num_stages):
            self.producer_acquire()
            self.producer_state.advance()

    def producer_try_acquire(self, *, token=None):
        fencepost.unmodelled("tokens of cute.experimental pipelines")

    def consumer_try_wait(self, *, token=None):
        fencepost.unmodelled("tokens of cute.experimental pipelines")

    def consumer_tail(self):
        fencepost.unmodelled("consumer_tail of a cute.experimental pipeline")


def one_cta(operation):
    """Which CTAs a pair's barriers count is the compiler's business and not known here."""
    if operation not in ONE_CTA_MMA:
        fencepost.unmodelled("cute.experimental pipelines for MMAs of two CTAs")


class GenericPipeline(GenericPipelineBase):
    @staticmethod
    def create(*, producer, consumer, producer_arv_count, consumer_arv_count, num_stages):
        fencepost.unmodelled("GenericPipeline of cute.experimental")


class TMAToUMMAPipeline(GenericPipelineBase):
    @staticmethod
    def create(*, num_stages, mma_operation_type, tma_operation_type=None, cluster_layout_vmnk=None):
        one_cta(mma_operation_type)
        return TMAToUMMAPipeline(num_stages, PipelineOp.TmaLoad, 1, PipelineOp.TCGen05Mma, 1)

    @staticmethod
    def create_with_mask(*, num_stages, tma_operation_type, mma_operation_type, cluster_layout_vmnk):
        fencepost.unmodelled("multicast pipelines of cute.experimental")


class TMAToAsyncPipeline(GenericPipelineBase):
    @staticmethod
    def create(*, num_stages, consumer, consumer_arv_count):
        return TMAToAsyncPipeline(num_stages, PipelineOp.TmaLoad, 1, PipelineOp.AsyncThread, consumer_arv_count)


class UMMAtoAsyncPipeline(GenericPipelineBase):
    @staticmethod
    def create(*, num_stages, consumer, consumer_arv_count, mma_operation_type, cluster_layout_vmnk=None):
        one_cta(mma_operation_type)
        return UMMAtoAsyncPipeline(num_stages, PipelineOp.TCGen05Mma, 1, PipelineOp.AsyncThread, consumer_arv_count)

    @staticmethod
    def create_with_mask(*, num_stages, consumer_type, consumer_arv_count, mma_operation_type, cluster_layout_vmnk):
        fencepost.unmodelled("multicast pipelines of cute.experimental")


class AsyncToUMMAPipeline(GenericPipelineBase):
    @staticmethod
    def create(*, num_stages, producer, producer_arv_count, mma_operation_type):
        one_cta(mma_operation_type)
        return AsyncToUMMAPipeline(num_stages, PipelineOp.AsyncThread, producer_arv_count, PipelineOp.TCGen05Mma, 1)


@dataclass
class TMAStorePipeline:
    """Stages of shared memory on their way out: one warp stores them, a named barrier keeps the writing warps in step."""

    stages: int
    arv_count: int
    barrier_id: int
    tma_warp_id: int
    index: int = 0

    def get_num_stages(self):
        return self.stages

    def get_index(self):
        return self.index

    def meet(self):
        cute.arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.arv_count)

    def acquire_sync(self):
        if cute.arch.warp_idx() == self.tma_warp_id:
            cute.arch.cp_async_bulk_wait_group(self.stages - 1, read=True)
        self.meet()

    def commit_sync(self):
        cute.arch.fence_proxy("async.shared", space="cta")
        self.meet()

    def release_advance(self):
        if cute.arch.warp_idx() == self.tma_warp_id:
            cute.arch.cp_async_bulk_commit_group()
        self.index = (self.index + 1) % self.stages

    def tail(self):
        if cute.arch.warp_idx() == self.tma_warp_id:
            cute.arch.cp_async_bulk_wait_group(0, read=True)
