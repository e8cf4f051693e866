package thread

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/protocol"
)

// flags is a kernel whose threads store and add to flags, wait for them, and come to barriers: each thread in a line of its own.
func flags(r *rand.Rand, l Launch) string {
	var out strings.Builder
	label := 0
	cell := func() string { return fmt.Sprintf("[flag+%d]", 4*r.IntN(3)) }
	for c := range l.CTAs {
		for t := range l.Block[0] {
			mine := 1000 + c*10 + t
			fmt.Fprintf(&out, "%%p = setp.ne.b32 %%ctaid.x, %d\n@%%p branch b%d\n%%p = setp.ne.b32 %%tid.x, %d\n@%%p branch b%d\n", c, mine, t, mine)
			for range 1 + r.IntN(4) {
				label++
				switch n := r.IntN(10); {
				case n < 2:
					fmt.Fprintf(&out, "store.global.release.gpu.b32 %s, %d size 4\n", cell(), r.IntN(3))
				case n < 4:
					fmt.Fprintf(&out, "%%r = atomic.add.global.relaxed.gpu.b32 %s, %d size 4\n", cell(), 1+r.IntN(2))
				case n < 7:
					how := []string{"ne", "eq", "lt", "gt"}[r.IntN(4)]
					fmt.Fprintf(&out, "b%d:\n%%r = load.changes.global.acquire.gpu.b32 %s size 4\n%%p = setp.%s.s32 %%r, %d\n@%%p branch b%d\n", label, cell(), how, r.IntN(3), label)
				case n < 8:
					out.WriteString("barrier.cta 0, 0\n")
				case n < 9: // a lock, mostly
					at, how := cell(), []string{"atomic.cas.global.relaxed.gpu.b32 %s, 0, 1", "atomic.exch.global.relaxed.gpu.b32 %s, 1"}[r.IntN(2)]
					fmt.Fprintf(&out, "b%d:\n%%r = "+how+" size 4\n%%p = setp.ne.s32 %%r, 0\n@%%p branch b%d\n", label, at, label)
					if r.IntN(4) > 0 {
						fmt.Fprintf(&out, "store.global.release.gpu.b32 %s, 0 size 4\n", at)
					}
				default: // what is none where it stores something else than what it waits for
					fmt.Fprintf(&out, "b%d:\n%%r = atomic.cas.global.relaxed.gpu.b32 %s, %d, %d size 4\n%%p = setp.ne.s32 %%r, 1\n@%%p branch b%d\n", label, cell(), r.IntN(2), r.IntN(3), label)
				}
			}
			fmt.Fprintf(&out, "exit\nb%d:\n", mine)
		}
	}
	return out.String()
}

// TestRecord: whether a kernel ends, whoever comes first, is the same of its threads and of the protocol of what they do; and so it is of what
// they do beside each other.
func TestRecord(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	compared, hangs, why := 0, 0, map[string]int{}
	for n := range 800 {
		l := Launch{CTAs: 1 + r.IntN(3), Cluster: 1, Block: [3]int{1 + r.IntN(2), 1, 1}}
		text := flags(r, l)
		if n%3 == 0 { // where most is decided by what threads find
			text = waiting(r, false)
		}
		s := system(t, text, l)
		recorded, err := s.Record(0)
		if err != nil {
			why[err.Error()[strings.LastIndex(err.Error(), ": ")+1:]]++
			continue
		}
		parts, err := decided(s)
		if large := (*progress.TooLargeError)(nil); errors.As(err, &large) {
			continue
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got := explore.Check(context.Background(), recorded.Protocol, engine.Limits{})
		ends := got.Properties[protocol.Deadlock].Verdict == engine.Holds && got.Properties[protocol.Livelock].Verdict == engine.Holds
		want := parts.Answers[progress.Guarantee{Model: progress.Fair, Strong: true}].Ends
		if compared++; !want {
			hangs++
		}
		if ends != want {
			t.Fatalf("ends %v, as a protocol %v %v\n%d CTAs of %d\n%s\n%+v", want, got.Properties[protocol.Deadlock].Verdict, got.Properties[protocol.Livelock].Verdict, l.CTAs, l.Block[0], text, recorded.Classes)
		}
	}
	t.Log(compared, "kernels compared,", hangs, "that may run for ever; not recorded:", why)
	if compared < 450 || hangs < 150 || compared-hangs < 150 {
		t.Errorf("%d kernels compared, %d that may run for ever", compared, hangs)
	}
}
