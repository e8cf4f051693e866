package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	dir := write(t, map[string]string{"right.py": `import cutlass
import cutlass.cute as cute


@cute.kernel
def gate_once():
    gate = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, 1)
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_init(gate, 32)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    cute.arch.mbarrier_arrive(gate)
    cute.arch.mbarrier_wait(gate, 0)


@cute.jit
def run():
    gate_once().launch(grid=(1, 1, 1), block=(32, 1, 1))
`, "hang.py": oneOfEach["a/hang.py"]})
	text := invoke(t, dir, nil, "mutants", "--all")
	if text.code != ExitClean {
		t.Fatalf("exit code %d: %s", text.code, text.stderr)
	}
	for _, want := range []string{
		"hang.py: not tried: kernel hang is not proved (violated)\n",
		"killed      right.py:12  drop-arrive: cute.arch.mbarrier_arrive(gate) → pass\n",
	} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	var table struct {
		All       struct{ Killed, Survived, Equivalent int }
		Operators []struct{ Name string }
	}
	r := invoke(t, dir, nil, "mutants", "--operator", "drop-arrive", "--operator", "count-less", "--format", "json", "right.py")
	if err := json.Unmarshal([]byte(r.stdout), &table); err != nil {
		t.Fatal(err)
	}
	if table.All.Killed != 2 || table.All.Survived != 0 || len(table.Operators) != 2 {
		t.Errorf("%+v, want two kills of two operators", table)
	}
	for _, args := range [][]string{{"--operator", "drop-everything"}, {"missing.py"}} {
		if r := invoke(t, dir, nil, append([]string{"mutants"}, args...)...); r.code != ExitUsage {
			t.Errorf("mutants %v: exit code %d, want %d", args, r.code, ExitUsage)
		}
	}
}
