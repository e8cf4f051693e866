package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/lower/grid"
	"github.com/fencepost-dev/fencepost/source"
)

// Kernels whose lowered protocols are exact need the same of the scheduler as their threads of a grid do: two ways with no
// code in common.
func TestResidentsAndGrid(t *testing.T) {
	compared, decided := 0, 0
	for _, name := range []string{"../testdata/counter/right.cu", "../testdata/counter/broken_target.py", "../testdata/progress/idioms.cu"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(&source.File{Name: filepath.Base(name), Data: text})
		if err != nil {
			t.Fatal(err)
		}
		grids := schedule(f, dialect.New(f.Language), grid.Options{}, progress.Decide)
		for _, k := range lower.Kernels(f, dialect.New(f.Language), lower.Options{}) {
			for _, s := range grids {
				if s.Function != k.Function || s.Err != nil || len(k.Opaque) > 0 || len(k.Instances) == 0 || s.CTAs != k.Instances[0].CTAs {
					continue
				}
				r, err := residents(context.Background(), k.Instances, s.Cooperative, engine.Limits{States: 1 << 20})
				if err != nil {
					t.Errorf("%s: %s: %v", name, k.Name, err)
					continue
				}
				compared++
				for g, a := range r.Answers {
					decided++
					if want := s.Result.Answers[g].Ends; want != a.Ends {
						t.Errorf("%s: %s: %s: ends %v as a protocol, %v as a grid", name, k.Name, g, a.Ends, want)
					}
					if !a.Ends && (a.Lasso == nil || len(a.Lasso.Cycle) == 0) {
						t.Errorf("%s: %s: %s: nothing goes on for ever", name, k.Name, g)
					}
				}
			}
		}
	}
	t.Log(compared, "kernels,", decided, "answers")
	if compared < 8 || decided < 10*compared {
		t.Errorf("%d kernels compared, %d answers", compared, decided)
	}
}

// What a grid does not follow is decided as a protocol: mbarriers, here, in a cluster.
func TestScheduleProtocol(t *testing.T) {
	text, err := os.ReadFile("../testdata/circle/right.cu")
	if err != nil {
		t.Fatal(err)
	}
	k := scheduleText(t, "circle.cu", string(text))
	if len(k) != 1 || k[0].Err != nil || len(k[0].From) == 0 || !strings.Contains(k[0].Within(), "ctas = 4") {
		t.Fatalf("%v", k)
	}
	for _, m := range []progress.Model{progress.Fair, progress.CUDA} {
		if !k[0].Result.Answers[progress.Guarantee{Model: m}].Ends {
			t.Errorf("%s: may run for ever", m)
		}
	}
}
