package lower

import (
	"context"
	"slices"
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

// Every class works as its users expect, and one fault in its use is found.
func TestPipelines(t *testing.T) {
	const storage = "barrier_storage=storage.bars.data_ptr(), num_stages=2"
	const handwork = `
if warp == 0:
    state = pipeline.make_pipeline_state(PipelineUserType.Producer, 2)
    for i in range(n):
        pipe.producer_acquire(state)
        pipe.producer_commit(state)
        state.advance()
    pipe.producer_tail(state)
if warp >= 2:
    state = pipeline.make_pipeline_state(PipelineUserType.Consumer, 2)
    for i in range(n):
        token = pipe.consumer_try_wait(state)
        pipe.consumer_wait(state, token)
        pipe.consumer_release(state)
        state.advance()
`
	const participants = `
producer, consumer = pipe.make_participants()
if warp == 0:
    for i in range(n):
        handle = producer.acquire_and_advance()
        handle.commit()
    producer.tail()
if warp >= 2:
    for i in range(n):
        handle = consumer.wait_and_advance()
        handle.release()
`
	threads := func(n string) string { return "CooperativeGroup(Agent.Thread, " + n + ")" }
	tests := []struct {
		name, create, body string
		twins              map[string]string // what is changed → what is found
	}{
		{"async", "PipelineAsync.create(" + storage + ", producer_group=" + threads("32") + ", consumer_group=" + threads("64") + ")", handwork,
			map[string]string{
				threads("64") + "→" + threads("65"):                                                                    "deadlock",
				threads("64") + "→" + threads("32"):                                                                    "deadlock",
				"PipelineUserType.Producer→PipelineUserType.Consumer":                                                  "deadlock",
				"        pipe.consumer_release(state)\n→":                                                              "deadlock",
				"        pipe.producer_commit(state)\n→":                                                               "deadlock",
				"pipe.consumer_wait(state, token)→pipe.consumer_wait(state)":                                           "holds",
				"token = pipe.consumer_try_wait(state)\n            pipe→token = cutlass.Boolean(1)\n            pipe": "deadlock",
			}},
		{"participants", "PipelineAsync.create(" + storage + ", producer_group=" + threads("32") + ", consumer_group=CooperativeGroup(Agent.Warp, 2))", participants,
			map[string]string{
				"handle.commit()→producer.commit()": "deadlock",
				"handle.release()→pass":             "deadlock",
			}},
	}
	for _, tt := range tests {
		text := pipelineKernel(tt.create, tt.body)
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, text); got != "holds" {
				t.Errorf("got %q\n%s", got, text)
			}
		})
		changes := make([]string, 0, len(tt.twins))
		for change := range tt.twins {
			changes = append(changes, change)
		}
		slices.Sort(changes)
		for _, change := range changes {
			old, repl, _ := strings.Cut(change, "→")
			t.Run(tt.name+"/"+change, func(t *testing.T) {
				if !strings.Contains(text, old) {
					t.Fatalf("%q is not in the kernel", old)
				}
				if got := verdict(t, strings.ReplaceAll(text, old, repl)); got != tt.twins[change] {
					t.Errorf("got %q, want %q", got, tt.twins[change])
				}
			})
		}
	}
}

func deeper(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}
