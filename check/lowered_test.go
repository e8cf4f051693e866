package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
)

// loweredText is a kernel of which the host side is run up to its launch.
func loweredText(body, main string) string {
	return "import cutlass\nimport cutlass.cute as cute\n\n\n@cute.kernel\ndef kernel(data: cute.Tensor, n: cutlass.Int32, fast: cutlass.Constexpr):\n" +
		"    tidx, _, _ = cute.arch.thread_idx()\n    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())\n" +
		body + "    cute.arch.sync_threads()\n\n\n@cute.jit\n" + main
}

// TestLoweredRules: what is found while a kernel is lowered, with its severity.
func TestLoweredRules(t *testing.T) {
	const (
		wide  = "def main(data: cute.Tensor, n: cutlass.Int32, fast: cutlass.Constexpr = False):\n    kernel(data, n, fast).launch(grid=(1, 1, 1), block=(160, 1, 1))\n"
		early = "def main(data: cute.Tensor, n: cutlass.Int32, fast: cutlass.Constexpr[bool] = False):\n    kernel(data, n, fast).launch(grid=(1, 1, 1), block=(64, 1, 1), use_pdl=PDL)\n"
		wait  = "cute.arch.griddepcontrol_wait()\n"
		less  = "cute.arch.setmaxregister_decrease(40)\n"
		more  = "cute.arch.setmaxregister_increase(256)\n"
		ask   = "done = cute.arch.mbarrier_try_wait(full, 0)\n"
		use   = "if not done:\n            cute.arch.mbarrier_wait(full, 0)\n"
		full  = "    full = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, num_elems=1)\n    if tidx == 0:\n        cute.arch.mbarrier_init(full, 64)\n        cute.arch.mbarrier_init_fence()\n    cute.arch.sync_threads()\n    cute.arch.mbarrier_arrive(full)\n"
	)
	dependent := strings.ReplaceAll(early, "PDL", "True")
	tests := []struct{ name, body, main, want string }{
		{"all four warps, one after the other", "    for i in cutlass.range_constexpr(5):\n        if warp == i:\n            " + less, wide, ""},
		{"three of four", "    for i in cutlass.range_constexpr(3):\n        if warp == i:\n            " + less, wide, "warning FP406@@11"},
		{"a warpgroup of one warp", "    if warp == 4:\n        " + less, wide, ""},
		{"once more", "    " + less + "    if warp == 2:\n        " + less, wide, ""},
		{"once more, another number", "    " + less + "    if warp == 2:\n        cute.arch.setmaxregister_decrease(24)\n", wide, "warning FP406@@11"},
		{"in an option that nobody takes", "    if cutlass.const_expr(fast):\n        if warp == 1:\n            " + less, strings.Replace(wide, "Constexpr =", "Constexpr[bool] =", 1), "warning FP406@@11"},
		{"on data", "    if data[0] > 1.5:\n        " + less, wide, ""},

		{"more than there are", "    if warp < 8:\n        " + more + "    if warp >= 8:\n        " + less, strings.Replace(wide, "160", "512", 1), "warning FP407@@10"},
		{"as many as there are", "    if warp < 4:\n        " + more + "    if warp >= 4:\n        " + less, strings.Replace(wide, "160", "256", 1), ""},
		{"threads that keep what they have", "    if warp < 8:\n        " + more, strings.Replace(wide, "160", "512", 1), "warning FP407@@10"},
		{"threads that keep what they have, and enough", "    if warp < 4:\n        cute.arch.setmaxregister_increase(168)\n", strings.Replace(wide, "160", "384", 1), ""},

		{"a peek with the guard of its wait", full + "    if warp == 0:\n        " + ask + "        " + use, early, ""},
		{"a peek that one warp makes for nothing", full + "    " + ask + "    if warp == 0:\n        " + use, early, "note FP112@@15"},
		{"a peek in time for some rounds", full + "    " + ask + "    for i in range(n):\n        " + use, early, ""},
		{"a peek that may be handed on", full + "    done = False\n    if warp == 0:\n        " + ask + "    if n > 2:\n        " + use, early, ""},

		{"a wait", "    " + wait, dependent, ""},
		{"no wait", "", dependent, "warning FP306@@6"},
		{"no wait, and no launch that needs one", "", early, ""},
		{"one role waits", "    if warp == 1:\n        " + wait, dependent, ""},
		{"only with tiles", "    for i in range(n):\n        " + wait, dependent, ""},
		{"only on data", "    if data[0] > 1.5:\n        " + wait, dependent, ""},
		{"not in one option", "    if cutlass.const_expr(not fast):\n        " + wait, dependent, "warning FP306@@6"},
		{"the wait may stand after what is not modelled", "    while data[0] > 1.5:\n        cute.arch.sync_threads()\n    " + wait, dependent, ""},
		{"there is no wait, whatever is modelled", "    while data[0] > 1.5:\n        cute.arch.sync_threads()\n", dependent, "warning FP306@@6"},
	}
	for _, test := range tests {
		text := strings.ReplaceAll(loweredText(test.body, test.main), "PDL", "False")
		r, err := run(t, map[string]string{"k.py": text}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%s: %v, %d kernels", test.name, err, len(r.Kernels))
		}
		got := ""
		for _, f := range r.Findings {
			got += fmt.Sprintf("%s %s@@%d", f.Severity, f.Rule, f.Line)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q\n%s\n%v", test.name, got, test.want, text, r.Kernels[0])
		}
	}
}

// TestStoresFencedEarly: a proxy fence ahead of a write says nothing of it, though the same thread executes another one in the next round.
func TestStoresFencedEarly(t *testing.T) {
	tree := openTestdata(t)
	for name, want := range map[string]string{"stages/right.py": "[]", "stages/broken_store_fenced_early.py": "[118]"} {
		r, err := Run(t.Context(), Options{Tree: tree, Paths: []string{name}, Engine: Explore, Limits: engine.Limits{Time: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for _, f := range r.Findings {
			if f.Rule == "FP201" {
				lines = append(lines, f.Line)
			}
		}
		if got := fmt.Sprint(lines); got != want {
			t.Errorf("%s: FP201 in lines %s, want %s", name, got, want)
		}
	}
}
