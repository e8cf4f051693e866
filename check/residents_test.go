package check

import (
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine/progress"
)

// Kernels whose lowered protocols are exact need the same of the scheduler as the threads of their twins in CUDA C++ do: two ways with no
// code in common.
func TestResidentsAndThreads(t *testing.T) {
	compared, decided := 0, 0
	for _, name := range []string{"right", "broken_target", "broken_early_publish", "broken_no_broadcast"} {
		of := func(ext string) Scheduled {
			text, err := os.ReadFile("../testdata/counter/" + name + ext)
			if err != nil {
				t.Fatal(err)
			}
			list := scheduleText(t, name+ext, string(text))
			if len(list) != 1 || list[0].Err != nil {
				t.Fatalf("%s%s: %v", name, ext, list)
			}
			return list[0]
		}
		protocol, threads := of(".py"), of(".cu")
		if len(protocol.From) == 0 || len(threads.From) > 0 || protocol.From[0].CTAs != threads.CTAs {
			t.Errorf("%s: not the same CTAs, or not decided in two ways", name)
		}
		compared++
		for g, a := range protocol.Result.Answers {
			decided++
			if want := threads.Result.Answers[g].Ends; want != a.Ends {
				t.Errorf("%s: %s: ends %v as a protocol, %v as threads", name, g, a.Ends, want)
			}
			if !a.Ends && (a.Lasso == nil || len(a.Lasso.Cycle) == 0) {
				t.Errorf("%s: %s: nothing goes on for ever", name, g)
			}
		}
	}
	if decided < 10*compared {
		t.Errorf("%d kernels compared, %d answers", compared, decided)
	}
}

// A kernel of CuTe DSL is decided as a protocol: mbarriers, here, in a cluster.
func TestScheduleProtocol(t *testing.T) {
	text, err := os.ReadFile("../testdata/circle/right.py")
	if err != nil {
		t.Fatal(err)
	}
	k := scheduleText(t, "circle.py", string(text))
	if len(k) != 1 || k[0].Err != nil || len(k[0].From) == 0 || !strings.Contains(k[0].Within(), "ctas = 4") {
		t.Fatalf("%v", k)
	}
	for _, m := range []progress.Model{progress.Fair, progress.CUDA} {
		if !k[0].Result.Answers[progress.Guarantee{Model: m}].Ends {
			t.Errorf("%s: may run for ever", m)
		}
	}
}
