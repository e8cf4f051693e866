package random

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/ir/interval"
	"github.com/fencepost-dev/fencepost/judge/kernel"
	"github.com/fencepost-dev/fencepost/judge/reference"
	"github.com/fencepost-dev/fencepost/source"
)

// codeOf is the IR that frontend/cuda makes of a kernel's text.
func codeOf(k *kernel.Kernel) (*ir.Kernel, error) {
	f, err := check.Read(source.Decode("kernel.cu", []byte(k.Text())))
	if err != nil {
		return nil, err
	}
	table, err := check.Table(f.Language, nil)
	if err != nil {
		return nil, err
	}
	for _, fn := range f.Functions {
		if fn.Kernel {
			out, _, err := cuda.Translate(f, table, fn, nil, 32)
			return out, err
		}
	}
	return nil, fmt.Errorf("no kernel in it")
}

// translated is what check/barriers says of that.
func translated(k *kernel.Kernel) (*barriers.Report, error) {
	code, err := codeOf(k)
	if err != nil {
		return nil, err
	}
	return barriers.Verify(code, exec.Launch{}, order.Options{})
}

// intervals are the races that its barrier intervals show, as the text launches it.
func intervals(k *kernel.Kernel) []interval.Race {
	code, err := codeOf(k)
	if err != nil || len(code.Launches) == 0 {
		return nil
	}
	races, _ := interval.Races(code, interval.Launch{Block: code.Launches[0].Block, Params: code.Launches[0].Params})
	return races
}

// TestTranslated: of random kernels that a plain execution finds right none is violated as frontend/cuda and check/barriers have them, and
// those that it finds broken with the numbers that were tried do not hold. FENCEPOST_TRANSLATED is how many, FENCEPOST_SEED the first.
func TestTranslated(t *testing.T) {
	n, first := 400, uint64(0)
	if more, err := strconv.Atoi(os.Getenv("FENCEPOST_TRANSLATED")); err == nil {
		n = more
	}
	if seed, err := strconv.ParseUint(os.Getenv("FENCEPOST_SEED"), 10, 64); err == nil {
		first = seed
	}
	counts := map[string]int{}
	for seed := first; seed < first+uint64(n); seed++ {
		k := Draw(kernel.CUDA, seed)
		a := reference.Judge(k, orders, tried(k))
		if !a.Whole || a.Undefined != "" || a.Vague != "" {
			continue
		}
		r, err := translated(k)
		if err != nil {
			counts["not translated"]++
			continue
		}
		if a.Kind == "" && r.Verdict == engine.Violated { // with numbers that were not tried there?
			var values []int64
			for _, v := range r.Execution.Launch.Params {
				if v >= 0 && v <= longest && !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
			if values != nil {
				a = reference.Judge(k, recheck, values)
			}
		}
		races := intervals(k)
		truth := "right"
		if a.Kind != "" {
			truth = "broken"
		}
		counts[truth+" "+r.Verdict.String()]++
		if len(races) > 0 {
			counts[truth+" by its intervals"]++
			if truth == "right" {
				t.Errorf("seed %d is right, and its barrier intervals show %+v\n%s", seed, races[0], k.Text())
			}
		}
		switch {
		case truth == "right" && r.Verdict == engine.Violated:
			t.Errorf("seed %d is right and violated: %s, with %v\n%s", seed, r.Findings[0].Text, r.Execution.Launch.Params, k.Text())
		case truth == "broken" && r.Verdict == engine.Holds && os.Getenv("FENCEPOST_MISSED") != "":
			t.Logf("seed %d is broken (%s) and holds with %v\n%s", seed, a.Kind, r.Numbers, k.Text())
		}
	}
	t.Log(counts)
	if counts["right holds"] < n/8 || counts["broken violated"] < n/20 || counts["broken by its intervals"] < n/40 {
		t.Errorf("%v: too few are decided", counts)
	}
}
