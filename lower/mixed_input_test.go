package lower

import (
	"strings"
	"testing"
)

// Tiles are looked for among groups, and the roles are told through shared memory whether one was found.
func TestContiguousGroups(t *testing.T) {
	const search = `found = smem.allocate_tensor(cutlass.Int32, cute.make_layout((4, 2)), 16)
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    looked = mixed.create_initial_contiguous_group_search_state()
    more = cutlass.Boolean(1)
    while more:
        pipe.producer_acquire(state)
        looked = mixed.contiguous_group_search((128, 128, 64), groups, tile, looked, ends, 1)
        more = looked.cur_group_idx <= groups
        with cute.arch.elect_one():
            slot = found[(None, state.index)]
            slot[0] = 0
            slot[1] = looked.cur_start
            slot[2] = looked.cur_group_idx - 1
            slot[3] = looked.cur_boundary - looked.cur_start
        cute.arch.sync_warp()
        pipe.producer_commit(state)
        state.advance()
    pipe.producer_tail(state)
if warp >= 2:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    more = cutlass.Boolean(1)
    while more:
        pipe.consumer_wait(state)
        work = mixed.make_contiguous_group_work_tile_info(groups, found[(None, state.index)])
        more = work.is_valid_tile
        pipe.consumer_release(state)
        state.advance()`
	make := "PipelineAsync.create(barrier_storage=storage.bars.data_ptr(), num_stages=2, producer_group=CooperativeGroup(Agent.Thread, 32), consumer_group=CooperativeGroup(Agent.Thread, 64))"
	text := "import cutlass.utils.mixed_input_helpers as mixed\n" + pipelineKernel(make, "groups = 4\ntile = n\nends = n\n"+search)
	if got := verdict(t, text); got != "holds" {
		t.Errorf("got %q\n%s", got, text)
	}
	for old, bad := range map[string]string{
		"looked.cur_group_idx <= groups": "looked.cur_group_idx < 1",
		"Thread, 64":                     "Thread, 96",
	} {
		if got := verdict(t, replaced(t, text, old, bad)); got == "holds" {
			t.Errorf("%s → %s: holds", old, bad)
		}
	}
}

func replaced(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in the kernel", old)
	}
	return strings.Replace(text, old, new, 1)
}
