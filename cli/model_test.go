package cli

import (
	"strings"
	"testing"
)

// The model that is shown is the one that is checked: helpers of other files are followed.
func TestModelFollowsImports(t *testing.T) {
	dir := write(t, map[string]string{
		"helper.py": "import cutlass.cute as cute\n\ndef meet():\n    cute.arch.barrier(barrier_id=5, number_of_threads=64)\n",
		"k.py":      "import cutlass.cute as cute\nfrom helper import meet\n\n@cute.kernel\ndef kernel():\n    meet()\n\n@cute.jit\ndef main():\n    kernel().launch(grid=(1, 1, 1), block=(64, 1, 1))\n",
	})
	r := invoke(t, dir, nil, "model", "k.py")
	if r.code != 0 || !strings.Contains(r.stdout, "barrier 5") {
		t.Errorf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

// The IR of PTX and CUDA C++ is shown, and what passes say of it.
func TestModelIR(t *testing.T) {
	dir := write(t, map[string]string{
		"k.ptx":    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry first()\n{\n\tbar.sync 0;\n\tret;\n}\n.visible .entry second()\n{\n\tret;\n}\n",
		"none.ptx": ".version 8.0\n.target sm_80\n.address_size 64\n",
		"k.cu":     "__global__ void k() { __syncthreads(); }\n",
		"k.py":     "import cutlass.cute as cute\n",
	})
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"k.ptx --ir", "barrier.cta.aligned 0, 0 ! k.ptx:6 bar.sync", "", 0},
		{"k.ptx:second", "kernel second", "", 0},
		{"k.ptx --promela", "", "of CUDA C++ and PTX there is the IR", 2},
		{"k.cu --json", "", "of CUDA C++ and PTX there is the IR", 2},
		{"k.cu", "barrier.cta.aligned 0, 0 ! k.cu:1 barrier.cta", "", 0},
		{"k.ptx:second --ir", "kernel second", "", 0},
		{"k.ptx:first --pass flow", "kernel first, flow: ", "", 0},
		{"k.ptx:third --ir", "", "it has first, second", 2},
		{"k.ptx --pass dominators", "", "want one of definitions, flow", 2},
		{"none.ptx --ir", "", "no kernel (.entry) in it", 2},
		{"k.cu --ir", "barrier.cta.aligned 0, 0 ! k.cu:1 barrier.cta", "", 0},
		{"k.py --ir", "", "made of PTX and of CUDA C++", 2},
	} {
		r := invoke(t, dir, nil, append([]string{"model"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) {
			t.Errorf("%s: exit %d, %s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}
