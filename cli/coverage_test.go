package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// oneOfEach has a kernel for every status: proved, violated, opaque; pipelines and mbarriers among them.
var oneOfEach = map[string]string{
	"a/clean.py": clean + `

@cute.jit
def run():
    barrier_only().launch(grid=(1, 1, 1), block=(64, 1, 1))
`,
	"a/hang.py": `import cutlass
import cutlass.cute as cute


@cute.kernel
def hang():
    gate = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, 1)
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_init(gate, 2)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_arrive(gate)
    cute.arch.mbarrier_wait(gate, 0)


@cute.jit
def run():
    hang().launch(grid=(1, 1, 1), block=(32, 1, 1))
`,
	"b/unknown.py": `import cutlass.cute as cute
from elsewhere import mystery


@cute.kernel
def unknown(pipe):
    pipe.producer_acquire(mystery(3))
    cute.arch.sync_threads()


@cute.jit
def run():
    unknown(mystery(1)).launch(grid=(1, 1, 1), block=(32, 1, 1))
`,
}

func TestCoverage(t *testing.T) {
	dir := write(t, oneOfEach)
	r := invoke(t, dir, nil, "coverage", "--format", "json", "-q")
	if r.code != ExitClean {
		t.Fatalf("exit code %d, %s", r.code, r.stderr)
	}
	var d struct {
		Schema  string
		Kernels []struct {
			Name, Status string
			Mechanisms   []string
			Stopped      *struct {
				Path string
				Line int
				Why  string
			}
			Millis *float64 `json:"ms"`
		}
		Groups []struct {
			Name           string
			All, Pipelined struct {
				Kernels int
				Status  map[string]int
			}
		}
		Reasons []struct {
			Reason     string
			First, Any int
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != "fencepost-coverage/v1" || len(d.Kernels) != 3 {
		t.Fatalf("schema %q, %d kernels, want fencepost-coverage/v1 and 3", d.Schema, len(d.Kernels))
	}
	for i, want := range []struct{ name, status, mechanisms string }{
		{"barrier_only", "proved", ""}, {"hang", "violated", "mbarriers"}, {"unknown", "opaque", "pipelines"},
	} {
		got := d.Kernels[i]
		if got.Name != want.name || got.Status != want.status || strings.Join(got.Mechanisms, " ") != want.mechanisms {
			t.Errorf("kernel %s is %s with %v, want %+v", got.Name, got.Status, got.Mechanisms, want)
		}
		if (got.Stopped != nil) != (want.status == "opaque") {
			t.Errorf("kernel %s: stopped by %+v", got.Name, got.Stopped)
		}
		if got.Millis != nil {
			t.Errorf("kernel %s: a time without --timing", got.Name)
		}
	}
	if s := d.Kernels[2].Stopped; s != nil && (s.Path != "b/unknown.py" || s.Line != 7) {
		t.Errorf("stopped at %s:%d, want b/unknown.py:7: %s", s.Path, s.Line, s.Why)
	}
	var names []string
	for _, g := range d.Groups {
		names = append(names, g.Name)
	}
	if got := strings.Join(names, " "); got != "all a/ b/" {
		t.Fatalf("groups %q, want all a/ b/ (one language needs no group)", got)
	}
	if all := d.Groups[0]; all.All.Kernels != 3 || all.Pipelined.Kernels != 2 || all.Pipelined.Status["violated"] != 1 || all.All.Status["proved"] != 1 {
		t.Errorf("totals %+v", all)
	}
	if len(d.Reasons) == 0 || d.Reasons[0].First != 1 || d.Reasons[0].Any != 1 {
		t.Errorf("reasons %+v", d.Reasons)
	}
}

func TestCoverageFormats(t *testing.T) {
	dir := write(t, oneOfEach)
	text := invoke(t, dir, nil, "coverage", "-q")
	for _, want := range []string{"violated      a/hang.py:6  hang  [mbarriers]\n", "b/unknown.py:7: ", "all      3       1        1 "} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	if again := invoke(t, dir, nil, "coverage", "-q", "--jobs", "1"); again.stdout != text.stdout {
		t.Errorf("two runs differ:\n%s\n%s", text.stdout, again.stdout)
	}
	if r := invoke(t, dir, nil, "coverage", "-q", "--timing"); !strings.Contains(r.stdout, "median") {
		t.Errorf("--timing prints no median:\n%s", r.stdout)
	}
	markdown := invoke(t, dir, nil, "coverage", "-q", "--format", "markdown")
	if !strings.Contains(markdown.stdout, "| opaque | `unknown` | `b/unknown.py:6` |") {
		t.Errorf("no row of unknown in\n%s", markdown.stdout)
	}
	if r := invoke(t, dir, nil, "check", "-q", "--output", "json=all.json", "--fail-on", "never", "--engine", "explore", "."); r.code != ExitClean {
		t.Fatalf("check: %d %s", r.code, r.stderr)
	}
	if counted := invoke(t, dir, nil, "coverage", "all.json"); counted.stdout != text.stdout {
		t.Errorf("the report counts otherwise than the run:\n%s\n%s", counted.stdout, text.stdout)
	}
	for _, args := range [][]string{{"all.json", "a"}, {"missing.json"}, {"missing"}, {"--format", "sarif"}} {
		if r := invoke(t, dir, nil, append([]string{"coverage"}, args...)...); r.code != ExitUsage {
			t.Errorf("coverage %v: exit code %d, want %d", args, r.code, ExitUsage)
		}
	}
}
