package check

import (
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// A wait for another CTA is told with what it needs of the scheduler; it is an error only where as much was run as the file
// launches, and cleared only there.
func TestScheduler(t *testing.T) {
	const head = `
__device__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
`
	const meet = head + `
__global__ void meet(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (look(arrived) < TARGET) {
    }
  }
}
`
	for name, c := range map[string]struct {
		text     string
		severity finding.Severity
		note     string
		cycle    string
	}{
		"as many as launched, for ever": {strings.ReplaceAll(meet, "TARGET", "gridDim.x + 1") + `
void launch(int* a) { cudaMemset(a, 0, 4); meet<<<2, 1>>>(a); }`, finding.Error, "with CTAs = 2; threads = 1: the kernel may run for ever under every model", "ld.acquire.gpu.global.s32 finds 2; again"},
		"memory that nobody clears": {strings.ReplaceAll(meet, "TARGET", "gridDim.x + 1") + `
void launch(int* a) { meet<<<2, 1>>>(a); }`, finding.Warning, "may run for ever under every model", "finds 2; again"},
		"fewer threads than launched": {strings.ReplaceAll(meet, "TARGET", "gridDim.x + 1") + `
void launch(int* a) { cudaMemset(a, 0, 4); meet<<<2, 64>>>(a); }`, finding.Warning, "threads = 2 instead of 64: the kernel may run for ever under every model", "finds 2; again"},
		"a grid barrier": {strings.ReplaceAll(meet, "TARGET", "gridDim.x") + `
void launch(int* a, int n) { cudaMemset(a, 0, 4); meet<<<n, 1>>>(a); }`, finding.Warning, "always ends under weak_fair, and under no weaker model", "finds 1; again"},
		"not followed": {strings.ReplaceAll(meet, "TARGET", "gridDim.x") + `
__global__ void other(int* arrived) {
  elsewhere(arrived);
  atomicAdd(arrived, 1);
  while (look(arrived) < gridDim.x) {
  }
}
void launch(int* a, int n) { other<<<n, 1>>>(a); }`, finding.Warning, "what it needs of the scheduler was not worked out: k.cu:17: outside: call of elsewhere", ""},
	} {
		// What an engine proves at the line is told instead.
		report, err := run(t, map[string]string{"k.cu": c.text}, func(o *Options) { o.Chosen = func(id string) bool { return id == "FP501" } })
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range report.Findings {
			if f.Rule != "FP501" {
				continue
			}
			found = true
			cycle := ""
			for _, s := range f.Cycle {
				cycle += s.Text
			}
			if f.Severity != c.severity || !strings.Contains(strings.Join(f.Notes, "\n"), c.note) || !strings.Contains(cycle, c.cycle) || c.cycle == "" && cycle != "" {
				t.Errorf("%s: %v %q, for ever %q", name, f.Severity, f.Notes, cycle)
			}
		}
		if !found {
			t.Errorf("%s: no FP501 in %v", name, report.Findings)
		}
	}
	// Whoever waits has seen that the other has started, which no pattern sees.
	cleared := head + `
__global__ void seen(int* begun, int* done) {
  if (blockIdx.x == 0) {
    atomicExch(begun, 1);
    atomicExch(done, 1);
  } else if (look(begun) == 1) {
    while (look(done) == 0) {
    }
  }
}
void launch(int* a, int* b) { seen<<<2, 1>>>(a, b); }
`
	report, err := run(t, map[string]string{"k.cu": cleared}, func(o *Options) { o.ShowCleared = true })
	if err != nil {
		t.Fatal(err)
	}
	told := false
	for _, f := range report.Findings {
		told = told || f.Rule == "FP501" && f.Cleared && f.Severity == finding.Note
	}
	if !told {
		t.Errorf("no FP501 that is cleared in %v", report.Findings)
	}
}

// What the fixtures of the rules want is so: the kernels with a finding may run for ever even where all CTAs are
// scheduled, the others end.
func TestFixturesRun(t *testing.T) {
	for _, name := range []string{"FP503/rounds.cu", "FP504/reset.cu"} {
		text, err := os.ReadFile("../testdata/rules/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(&source.File{Name: name, Data: text})
		if err != nil {
			t.Fatal(err)
		}
		kernels := schedule(f, dialect.New(f.Language), Scheduling{Set: map[string]int64{"group": 3, "rounds": 2}}, progress.Decide)
		if len(kernels) < 5 {
			t.Errorf("%s: %d kernels", name, len(kernels))
		}
		for _, k := range kernels {
			if k.Err != nil {
				t.Errorf("%s: %s: %v", name, k.Name, k.Err)
				continue
			}
			span := k.Function.Span
			wanted := strings.Contains(string(text[span.Start:span.End]), "// want FP50")
			if ends := k.Result.Answers[progress.Guarantee{Model: progress.Fair}].Ends; ends == wanted {
				t.Errorf("%s: %s ends %v within %s, and a finding is wanted: %v", name, k.Name, ends, k.Within(), wanted)
			}
		}
	}
}
