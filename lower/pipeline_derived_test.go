package lower

import (
	"strings"
	"testing"
)

// Pipelines that kernels derive from the library's, in the ways they do (notes/cutedsl.md 1.6).
func TestDerivedPipelines(t *testing.T) {
	const derived = `import cutlass
import cutlass.cute as cute
from dataclasses import dataclass
from cutlass import const_expr
from cutlass.cutlass_dsl import if_generate
from cutlass.pipeline import Agent, CooperativeGroup, MbarrierArray, PipelineOp, PipelineAsync, PipelineState, PipelineTmaAsync, PipelineUserType, make_pipeline_state


class Steps(PipelineState):
    def skip(self, k):
        ahead = self._index + k
        self._count += k
        self._phase ^= ahead // self.stages
        self._index = ahead % self.stages


class ByIndex:
    def wait_full(self, index, phase):
        self.consumer_wait(PipelineState(0, 0, index, phase))


@dataclass(frozen=True)
class Elected(ByIndex, PipelineAsync):
    _one_lane: bool = False

    @staticmethod
    def create(*args, one_lane=False, **kwargs):
        made = PipelineAsync.create(*args, **kwargs)
        object.__setattr__(made, "__class__", Elected)
        object.__setattr__(made, "_one_lane", one_lane)
        return made

    def consumer_release(self, state, *, loc=None, ip=None):
        if const_expr(self._one_lane):
            cute.arch.sync_warp()
            with cute.arch.elect_one():
                super().consumer_release(state, loc=loc, ip=ip)
        else:
            PipelineAsync.consumer_release(self, state, loc=loc, ip=ip)


@dataclass(frozen=True)
class Counted(PipelineTmaAsync):
    def producer_acquire(self, state, token=None, more=0, *, loc=None, ip=None):
        if_generate(
            token is None or token == 0,
            lambda: self.sync_object_empty.wait(state.index, state.phase, loc=loc, ip=ip),
            loc=loc,
            ip=ip,
        )
        self.sync_object_full.arrive_and_expect_tx(state.index, self.sync_object_full.tx_count + more)


@dataclass(frozen=True)
class Own(PipelineAsync):
    weight: int

    @staticmethod
    def create(*, bars, stages, weight):
        full = MbarrierArray(barrier_storage=bars.align(min_align=8), num_stages=stages, agent=(PipelineOp.AsyncThread, CooperativeGroup(Agent.Thread, 32)))
        empty = PipelineAsync._make_sync_object(bars + stages, stages, (PipelineOp.AsyncThread, CooperativeGroup(Agent.Thread, weight)))
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        return Own(full, empty, stages, None, None, weight)


@cute.struct
class Storage:
    bars: cute.struct.MemRange[cutlass.Int64, 8]


@cute.kernel
def k(n: cutlass.Int32, atom: cute.CopyAtom, src: cute.Tensor, dst: cute.Tensor):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    storage = cutlass.utils.SmemAllocator().allocate(Storage)
    bars = storage.bars.data_ptr()
    BODY


@cute.jit
def host(n: cutlass.Int32, atom: cute.CopyAtom, src: cute.Tensor, dst: cute.Tensor):
    k(n, atom, src, dst).launch(grid=[1, 1, 1], block=[96, 1, 1])
`
	const groups = "producer_group=CooperativeGroup(Agent.Thread, 32), consumer_group=CooperativeGroup(Agent.Thread, 2)"
	tests := []struct{ name, body, want string }{
		{"one lane releases", `pipe = Elected.create(barrier_storage=bars, num_stages=2, ` + groups + `, one_lane=True)
if warp == 0:
    state = Steps(2, 0, 0, 1)
    for i in range(n):
        pipe.producer_acquire(state)
        pipe.producer_commit(state)
        state.skip(1)
    pipe.producer_tail(state)
else:
    state = make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        pipe.wait_full(state.index, state.phase)
        pipe.consumer_release(state)
        state.advance()`, "holds"},
		{"every lane releases where one is counted", `pipe = Elected.create(barrier_storage=bars, num_stages=2, ` + groups + `)
if warp == 0:
    state = Steps(2, 0, 0, 1)
    for i in range(n):
        pipe.producer_acquire(state)
        pipe.producer_commit(state)
        state.skip(1)
else:
    state = make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        pipe.wait_full(state.index, state.phase)
        pipe.consumer_release(state)
        state.advance()`, "deadlock"},
		{"more bytes, and private state", `made = PipelineTmaAsync.create(barrier_storage=bars, num_stages=2, producer_group=CooperativeGroup(Agent.Thread), consumer_group=CooperativeGroup(Agent.Thread, 2), tx_count=64)
object.__setattr__(made, "__class__", Counted)
producer, consumer = made.make_participants()
if warp == 0:
    for i in range(n):
        state = producer._PipelineProducer__state.clone()
        made.producer_acquire(state, producer.try_acquire(), 16)
        with cute.arch.elect_one():
            cute.arch.mbarrier_complete_tx(bars + state.index, 80)
        producer.advance()
    producer.tail()
else:
    for i in range(n):
        handle = consumer.wait_and_advance()
        handle.release()`, "holds"},
		{"fewer bytes than announced", `made = PipelineTmaAsync.create(barrier_storage=bars, num_stages=2, producer_group=CooperativeGroup(Agent.Thread), consumer_group=CooperativeGroup(Agent.Thread, 2), tx_count=64)
object.__setattr__(made, "__class__", Counted)
producer, consumer = made.make_participants()
if warp == 0:
    for i in range(n):
        handle = producer.acquire_and_advance(more=16)
        with cute.arch.elect_one():
            cute.arch.mbarrier_complete_tx(handle.barrier, 64)
else:
    for i in range(n):
        consumer.wait_and_advance().release()`, "deadlock"},
		{"arrays of its own", `pipe = Own.create(bars=bars, stages=3, weight=64)
producer, consumer = pipe.make_participants()
if warp == 0:
    for i in range(n):
        producer.acquire_and_advance().commit()
    producer.tail()
else:
    for i in range(n):
        consumer.wait_and_advance().release()`, "holds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, strings.Replace(derived, "BODY", strings.TrimLeft(deeper(tt.body), " "), 1)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
