package lower

import (
	"strings"
	"testing"
)

// Building blocks besides pipelines of stages, and pipelines across CTAs.
func TestPipelineParts(t *testing.T) {
	const order = `
order_pipe = pipeline.PipelineOrder.create(barrier_storage=storage.bars.data_ptr(), depth=1, length=2, group_id=warp // 2, producer_group=CooperativeGroup(Agent.Thread, 64))
ready = pipeline.NamedBarrier(barrier_id=2, num_threads=64)
for i in range(n):
    order_pipe.wait()
    order_pipe.arrive()
`
	const named = `
ready = pipeline.NamedBarrier(2, 96)
for i in range(n):
    if warp == 0:
        ready.arrive()
        pipeline.sync(4)
    elif warp < 3:
        ready.arrive_and_wait()
        pipeline.sync(4)
    else:
        pipeline.sync(4)
`
	const store = `
pipe = pipeline.PipelineTmaStore.create(num_stages=2, producer_group=CooperativeGroup(Agent.Thread, 128))
for i in range(n):
    if warp == 0:
        pipe.producer_commit()
        pipe.producer_acquire()
    pipeline.sync()
if warp == 0:
    pipe.producer_tail()
`
	const query = `
fetch = pipeline.PipelineClcFetchAsync.create(barrier_storage=storage.bars.data_ptr(), num_stages=2, producer_group=CooperativeGroup(Agent.Thread), consumer_group=CooperativeGroup(Agent.Thread, 64), tx_count=16)
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    for i in range(n):
        fetch.producer_acquire(state)
        with cute.arch.elect_one():
            cute.arch.mbarrier_complete_tx(fetch.producer_get_barrier(state), 16)
        state.advance()
    fetch.producer_tail(state)
if warp >= 2:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        fetch.consumer_wait(state)
        fetch.consumer_release(state)
        state.advance()
`
	const experimental = `
loads = cute_ext.TMAToUMMAPipeline.create(num_stages=2, mma_operation_type=cute_ext.OperationTypeEnum.SM100_MMA_1SM_SS)
sums = cute_ext.UMMAtoAsyncPipeline.create(num_stages=1, mma_operation_type=cute_ext.OperationTypeEnum.SM100_MMA_1SM_SS, consumer=cute_ext.OperationTypeEnum.SM100_COPY_T2R, consumer_arv_count=64)
stores = cute_ext.TMAStorePipeline(stages=2, arv_count=64, barrier_id=1, tma_warp_id=2)
if warp == 0:
    for i in range(n):
        token, stage = loads.producer_acquire_and_get_stage()
        cute_ext.tma_load(src, dst, cute_ext.get_mbarrier(token))
        cute_ext.tma_load(src, dst, cute_ext.get_mbarrier(token))
        loads.producer_commit_and_advance()
if warp == 1:
    sums.producer_acquire_and_get_stage()
    for i in range(n):
        loads.consumer_wait_and_get_stage()
        loads.consumer_release_and_advance()
    sums.producer_commit_and_advance()
if warp >= 2:
    sums.consumer_wait_and_get_stage()
    for i in range(2):
        stores.acquire_sync()
        stores.commit_sync()
        stores.release_advance()
    stores.tail()
    sums.consumer_release_and_advance()
`
	const ring = "barrier_storage=storage.bars.data_ptr(), num_stages=2, cta_layout_vmnk=vmnk, producer_group=CooperativeGroup(Agent.Thread), "
	const pair = `
vmnk = cute.make_layout((2, 1, 1, 1))
leader = cute.arch.block_idx_in_cluster() % 2 == 0
pipe = pipeline.PipelineTmaUmma.create(` + ring + `consumer_group=CooperativeGroup(Agent.Thread, 1), tx_count=256)
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    for i in range(n):
        pipe.producer_acquire(state)
        with cute.arch.elect_one():
            cute.arch.mbarrier_complete_tx(cute.arch.mapa(pipe.producer_get_barrier(state), 0), 128)
        state.advance()
    pipe.producer_tail(state)
if warp == 1 and leader:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        pipe.consumer_wait(state)
        pipe.consumer_release(state)
        state.advance()
`
	const row = `
vmnk = cute.make_layout((1, 2, 1, 1))
pipe = pipeline.PipelineTmaAsync.create(` + ring + `consumer_group=CooperativeGroup(Agent.Thread, 4), tx_count=128)
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    for i in range(n):
        pipe.producer_acquire(state)
        with cute.arch.elect_one():
            cute.arch.mbarrier_complete_tx(pipe.producer_get_barrier(state), 128)
        state.advance()
    pipe.producer_tail(state)
if warp >= 2:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        pipe.consumer_wait(state)
        pipe.consumer_release(state)
        state.advance()
`
	slices := strings.NewReplacer("(2, 1, 1, 1)", "(1, 1, 1, 2)", "cute.arch.mapa(pipe.producer_get_barrier(state), 0), 128", "pipe.producer_get_barrier(state), 256",
		"warp == 1 and leader", "warp == 1").Replace(pair)
	tests := []struct {
		name, body, cluster string
		twins               []twin
	}{
		{"order", order, "", []twin{{"CooperativeGroup(Agent.Thread, 64)", "CooperativeGroup(Agent.Thread, 128)", "deadlock"}, {"    order_pipe.arrive()\n", "", "deadlock"}, {"group_id=warp // 2", "group_id=0", "deadlock"}}},
		{"named barriers", named, "", []twin{{"NamedBarrier(2, 96)", "NamedBarrier(2, 64)", "deadlock"}, {"ready.arrive()", "pass", "deadlock"}}},
		{"store", store, "", nil},
		{"work query", query, "", []twin{{"Agent.Thread, 64", "Agent.Thread, 96", "deadlock"}, {"fetch.consumer_release(state)", "pass", "deadlock"}}},
		{"experimental", experimental, "", []twin{{"consumer_arv_count=64", "consumer_arv_count=128", "quiet"}, {"    loads.consumer_release_and_advance()", "    pass", "deadlock"}, {"    loads.producer_commit_and_advance()", "    pass", "deadlock"},
			{"arv_count=64, barrier_id", "arv_count=96, barrier_id", "deadlock"}}},
		{"pair of CTAs", pair, "2, 1, 1", []twin{{"(2, 1, 1, 1)", "(1, 2, 1, 1)", "arrivals"}, {"pipe.consumer_release(state)", "pass", "deadlock"}, {"pipe.producer_tail(state)", "pass", "lifetime"}}},
		{"slices of K, each CTA for itself", slices, "1, 1, 2", []twin{{"(1, 1, 1, 2)", "(1, 1, 2, 1)", "deadlock"}}},
		{"multicast", row, "2, 1, 1", []twin{{"Agent.Thread, 4)", "Agent.Thread, 2)", "deadlock"}, {"pipe.producer_tail(state)", "pass", "lifetime"}}},
	}
	for _, tt := range tests {
		text := pipelineKernel("NamedBarrier(1, 128)", tt.body)
		if tt.cluster != "" {
			text = strings.Replace(text, "grid=[1, 1, 1]", "grid=["+tt.cluster+"], cluster=["+tt.cluster+"]", 1)
		}
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, text); got != "holds" {
				t.Errorf("got %q\n%s", got, text)
			}
		})
		for _, w := range tt.twins {
			t.Run(tt.name+"/"+w.old+"→"+w.new, func(t *testing.T) {
				if !strings.Contains(text, w.old) {
					t.Fatalf("%q is not in the kernel", w.old)
				}
				if got := verdict(t, strings.Replace(text, w.old, w.new, 1)); got != w.want {
					t.Errorf("got %q, want %q", got, w.want)
				}
			})
		}
	}
}
