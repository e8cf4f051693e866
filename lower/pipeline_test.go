package lower

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
)

// pipelineKernel puts a body into a kernel of four warps over two stages of a ring.
func pipelineKernel(create, body string) string {
	return `import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as cute_ext
import cutlass.pipeline as pipeline
from cutlass.pipeline import Agent, CooperativeGroup, PipelineUserType

@cute.struct
class Storage:
    bars: cute.struct.MemRange[cutlass.Int64, 8]

@cute.kernel
def k(n: cutlass.Int32, atom: cute.CopyAtom, src: cute.Tensor, dst: cute.Tensor):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = cutlass.utils.SmemAllocator()
    storage = smem.allocate(Storage)
    pipe = pipeline.` + create + `
` + deeper(body) + `

@cute.jit
def host(n: cutlass.Int32, atom: cute.CopyAtom, src: cute.Tensor, dst: cute.Tensor):
    k(n, atom, src, dst).launch(grid=[1, 1, 1], block=[128, 1, 1])
`
}

// verdict searches every instance of the one kernel: "holds", the first property that is violated, or why the kernel is
// not wholly modelled.
func verdict(t *testing.T, text string) string {
	t.Helper()
	file := read("k.py", text)
	if len(file.Skipped) > 0 || len(file.Notes) > 0 {
		t.Fatalf("does not parse: %v %v", file.Skipped, file.Notes)
	}
	ks := Kernels(file, dialect.New(file.Language), Options{})
	if len(ks) != 1 {
		t.Fatalf("%d kernels", len(ks))
	}
	if len(ks[0].Opaque) > 0 {
		return "opaque " + ks[0].Opaque[0].String()
	}
	if len(ks[0].Instances) == 0 {
		return "no instance"
	}
	unsure, found := "holds", map[protocol.Property]bool{}
	for _, p := range ks[0].Instances {
		r := explore.Check(context.Background(), p, engine.Limits{})
		for prop, a := range r.Properties {
			switch a.Verdict {
			case engine.Violated:
				found[prop] = true
			case engine.Inconclusive:
				if prop != protocol.Attribution {
					unsure = "inconclusive " + a.Reason
				}
			}
		}
	}
	for _, prop := range protocol.Properties {
		if found[prop] && prop != protocol.Attribution {
			return string(prop)
		}
	}
	return unsure
}

// twin is a change to a kernel and what it leads to: what is replaced, by what, and the verdict.
type twin struct{ old, new, want string }

// roles is a kernel body with one producing and two consuming warps.
func roles(produce, consume, tail string) string {
	return `
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    for i in range(n):
        pipe.producer_acquire(state)
` + deeper(deeper(produce)) + `
        state.advance()
    ` + tail + `
if warp >= 2:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        token = pipe.consumer_try_wait(state)
        pipe.consumer_wait(state, token)
` + deeper(deeper(consume)) + `
        state.advance()
`
}

// Every class works as its users expect, and faults in its use are found.
func TestPipelines(t *testing.T) {
	const storage = "barrier_storage=storage.bars.data_ptr(), num_stages=2"
	threads := func(n string) string { return "CooperativeGroup(Agent.Thread, " + n + ")" }
	made := func(class, producers, consumers, more string) string {
		return class + ".create(" + storage + ", producer_group=" + threads(producers) + ", consumer_group=" + threads(consumers) + more + ")"
	}
	const load = "cute.copy(atom, src, dst, tma_bar_ptr=pipe.producer_get_barrier(state))\npipe.producer_commit(state)"
	const commit, release, tail = "pipe.producer_commit(state)", "pipe.consumer_release(state)", "pipe.producer_tail(state)"
	// One warp issues the MMAs.
	oneMMA := func(body string) string { return strings.Replace(body, "warp >= 2", "warp == 3", 1) }
	wrongStart := twin{"PipelineUserType.Producer", "PipelineUserType.Consumer", "deadlock"}
	noRelease := twin{release, "pass", "deadlock"}
	noWait := twin{"pipe.consumer_wait(state, token)", "pass", "deadlock"}
	tests := []struct {
		name, create, body string
		twins              []twin
	}{
		{"async", made("PipelineAsync", "32", "64", ""), roles(commit, release, tail), []twin{wrongStart, noRelease, noWait,
			{threads("64"), threads("65"), "deadlock"},
			{threads("64"), threads("32"), "deadlock"},
			{commit, "pass", "deadlock"},
			{"pipe.consumer_wait(state, token)", "pipe.consumer_wait(state)", "holds"},
			{"token = pipe.consumer_try_wait(state)", "token = cutlass.Boolean(1)", "deadlock"},
			{threads("64"), "CooperativeGroup(Agent.Warp, 2)", "holds"},
			{"_storage=storage.bars.data_ptr()", "_storage=None", "holds"},
			{"_storage=storage.bars.data_ptr()", "_storage=storage.bars.data_ptr(), defer_sync=True", "lifetime"},
			{"            state.advance()\n        pipe.producer_tail", "            pass\n        pipe.producer_tail", "deadlock"},
		}},
		{"async with its own sync", "PipelineAsync.create(" + storage + ", producer_group=" + threads("32") + ", consumer_group=" + threads("64") + ", defer_sync=True)\n    pipeline.pipeline_init_arrive()\n    pipeline.pipeline_init_wait()",
			roles(commit, release, tail), nil},
		{"cp.async", made("PipelineCpAsync", "32", "64", ""), roles(commit, release, tail), []twin{wrongStart, noRelease, {threads("32"), threads("1"), "deadlock"}}},
		{"TMA", made("PipelineTmaAsync", "1", "2", ", tx_count=128"), roles(load, release, tail), []twin{wrongStart, noRelease,
			{threads("2"), threads("64"), "deadlock"},
			{threads("2"), "CooperativeGroup(Agent.Warp, 2), enable_multicast_signaling=True", "holds"},
			{threads("1"), threads("2"), "deadlock"},
			{"cute.copy(atom, src, dst, tma_bar_ptr=pipe.producer_get_barrier(state))", "pass", "deadlock"},
			{release, "with cute.arch.elect_one():\n            pipe.consumer_release(state)", "holds"},
		}},
		{"TMA to MMA", made("PipelineTmaUmma", "1", "1", ", tx_count=128"), oneMMA(roles(load, release, tail)), []twin{wrongStart, {"warp == 3", "warp >= 2", "deadlock"}, {"tail(state)", "tail(state.clone())", "holds"}}},
		{"threads to MMA", made("PipelineAsyncUmma", "32", "1", ""), oneMMA(roles(commit, release, tail)), []twin{wrongStart, {threads("32"), threads("1"), "deadlock"}}},
		{"MMA to threads", made("PipelineUmmaAsync", "1", "64", ""), roles(commit, release, tail), []twin{wrongStart, noRelease, {threads("64"), threads("2"), "deadlock"}}},
		{"TMA to MMA and threads", "PipelineTmaMultiConsumersAsync.create(" + storage + ", producer_group=" + threads("1") + ", consumer_group_umma=" + threads("1") + ", consumer_group_async=" + threads("32") + ", tx_count=128)",
			roles(load, "if warp == 2:\n    pipe.consumer_release(state, pipeline.PipelineOp.TCGen05Mma)\nelse:\n    pipe.consumer_release(state, pipeline.PipelineOp.AsyncThread)", tail),
			[]twin{wrongStart, {threads("32"), threads("64"), "deadlock"}, {"pipeline.PipelineOp.AsyncThread)\n", "pipeline.PipelineOp.TCGen05Mma)\n", "deadlock"}}},
	}
	for _, tt := range tests {
		text := pipelineKernel(tt.create, tt.body)
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

func deeper(s string) string {
	return "    " + strings.ReplaceAll(strings.Trim(s, "\n"), "\n", "\n    ")
}
