package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// split is a kernel whose threads meet in a function of another file: fewer of them than its barrier counts.
func split(comment string) map[string]string {
	return map[string]string{
		"ops/meet.py": "import cutlass.cute as cute\n\ndef meet():\n    for _ in range(1):\n        cute.arch.barrier(barrier_id=1, number_of_threads=96)" + comment + "\n",
		"ops/k.py": `import cutlass.cute as cute
from ops.meet import meet

@cute.kernel
def k():
    cute.arch.sync_threads()
    if cute.arch.thread_idx_x() < 64:
        meet()

@cute.jit
def main():
    k().launch(grid=(1, 1, 1), block=(128, 1, 1))
`,
		"ops/other.py": "import cutlass.cute as cute\n\n@cute.kernel\ndef lone():\n    cute.arch.sync_threads()\n",
	}
}

// A defect in an imported function is told where it stands, and a comment there silences it.
func TestFindingInImportedFile(t *testing.T) {
	only := func(o *Options) { o.Paths = []string{"ops/k.py"} }
	r, err := run(t, split(""), only)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Path != "ops/meet.py" || r.Findings[0].Line != 5 || r.Findings[0].Column != 9 {
		t.Fatalf("got %+v, want one finding at ops/meet.py:5:9", r.Findings)
	}
	if final := strings.Join(r.Findings[0].Final, "\n"); !strings.Contains(final, "(line 5 of meet.py)") {
		t.Errorf("final state %q does not say in which file line 5 is", final)
	}
	r, err = run(t, split("  # fencepost: ignore["+r.Findings[0].Rule+"] known"), only)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 0 || r.Summary.Suppressed != 1 {
		t.Errorf("with a suppression: %d findings, %d suppressed; want 0 and 1", len(r.Findings), r.Summary.Suppressed)
	}
}

// A change of a helper is checked in the kernels that import it.
func TestChangedImport(t *testing.T) {
	r, err := run(t, split(""), func(o *Options) {
		o.Changed = map[string][]source.Range{"ops/meet.py": {{First: 1, Last: 5}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Name != "k" || len(r.Findings) != 1 {
		t.Errorf("kernels %v, findings %v; want kernel k with one finding", r.Kernels, r.Findings)
	}
}

// Imports that go in circles, above the root, through links or to what is no Python file end in a verdict, quickly.
func TestHostileImports(t *testing.T) {
	const kernel = "import cutlass.cute as cute\n%s\n@cute.kernel\ndef k():\n    helper()\n    cute.arch.sync_threads()\n\n@cute.jit\ndef main():\n    k().launch(grid=(1, 1, 1), block=(32, 1, 1))\n"
	for name, imports := range map[string]string{
		"circle":      "from a import helper",
		"above root":  "from ........ import helper",
		"absent":      "from nowhere.at_all import helper",
		"no Python":   "from data import helper",
		"itself":      "from k import helper",
		"star circle": "from b import *",
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"k.py": strings.Replace(kernel, "%s", imports, 1),
				"a.py": "from b import helper\n", "b.py": "from a import *\nfrom b import *\n",
				"data/__init__.py": "\xff\xfe\x00import", "data.py": strings.Repeat("(", 50_000),
			}
			r, err := run(t, files, func(o *Options) { o.Paths = []string{"k.py"} })
			if err != nil || len(r.Kernels) != 1 || r.Kernels[0].Verdict == "violated" {
				t.Errorf("%v %+v", err, r.Kernels)
			}
		})
	}
}

// A file of functions alone is checked in the kernels that call them, which need not be named; what else stands in
// their files is not told.
func TestNamedHelper(t *testing.T) {
	files := split("")
	files["ops/k.py"] += `

@cute.kernel
def idle():
    cute.arch.barrier(barrier_id=1, number_of_threads=7)
`
	r, err := run(t, files, func(o *Options) { o.Paths = []string{"ops/meet.py"} })
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Path != "ops/meet.py" {
		t.Errorf("got %+v, want the finding in ops/meet.py alone", r.Findings)
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Name != "k" || r.Kernels[0].Verdict != "violated" {
		t.Errorf("kernels %+v, want k alone, violated", r.Kernels)
	}
	if r, err = run(t, files, func(o *Options) { o.Paths = []string{"ops/other.py"} }); err != nil || len(r.Kernels) != 1 {
		t.Errorf("a file with a kernel of its own brings %+v, %v, want that kernel alone", r.Kernels, err)
	}
}

// A comment that is changed in a helper changes nothing of the kernels that import it; a line of a string that looks like one may.
func TestChangedRemark(t *testing.T) {
	files := split("")
	files["ops/meet.py"] += "# a remark\nTEXT = \"\"\"\n# part of a string, it's\n\"\"\"\n# another\n"
	for line, want := range map[int]int{6: 0, 8: 1, 10: 0} {
		r, err := run(t, files, func(o *Options) {
			o.Changed = map[string][]source.Range{"ops/meet.py": {{First: line, Last: line, Remark: true}}}
		})
		if err != nil || len(r.Kernels) != want {
			t.Errorf("line %d: %d kernels checked, want %d (%v)", line, len(r.Kernels), want, err)
		}
	}
}

// functionsOf is a header of which a kernel calls a function twice, the second time while threads may still be in the first, and a kernel that calls none of it.
func functionsOf(barrier string) map[string]string {
	return map[string]string{
		"ops/sum.cuh": "#pragma once\n__device__ float sum(float v) {\n  __shared__ float part[128];\n  part[threadIdx.x] = v;\n  __syncthreads();\n" +
			"  float all = 0;\n  for (int i = 0; i < 128; i++) all += part[i];\n" + barrier + "  return all;\n}\n",
		"ops/mean.cuh": "#pragma once\n#include \"sum.cuh\"\n__device__ float mean(float v) { return sum(v) / 128; }\n",
		"k.cu":         "#include \"ops/mean.cuh\"\n__global__ void k(float* p) {\n  float a = mean(p[threadIdx.x]);\n  p[threadIdx.x] = mean(a * a);\n}\n__global__ void lone(float* p) { __shared__ float s[1]; s[0] = p[threadIdx.x]; }\nvoid run(float* p) { k<<<1, 128>>>(p); lone<<<1, 128>>>(p); }\n",
		"other.cu":     "#include \"ops/mean.cuh\"\n__global__ void other(float* p) { __shared__ float s[1]; s[0] = p[threadIdx.x]; }\nvoid run(float* p) { other<<<1, 128>>>(p); }\n",
	}
}

// A CUDA header that has functions alone is checked in the kernels that run them, however many headers lie between, when it is named and when it is changed.
func TestNamedHeader(t *testing.T) {
	asked := map[string]func(*Options){
		"named":   func(o *Options) { o.Paths = []string{"ops/sum.cuh"} },
		"changed": func(o *Options) { o.Changed = map[string][]source.Range{"ops/sum.cuh": {{First: 8, Last: 8}}} },
	}
	for how, ask := range asked {
		r, err := run(t, functionsOf(""), ask)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 || r.Findings[0].Path != "ops/sum.cuh" || r.Findings[0].Severity != finding.Error || len(r.Kernels) != 1 || r.Kernels[0].Name != "k" {
			t.Errorf("%s: got findings %+v of kernels %+v; want one in ops/sum.cuh, of k alone", how, r.Findings, r.Kernels)
		}
		r, err = run(t, functionsOf("  __syncthreads();\n"), ask)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 0 || len(r.Kernels) != 1 || r.Kernels[0].Verdict != finding.Held {
			t.Errorf("%s, with a barrier: got findings %+v of kernels %+v; want none, and k to hold", how, r.Findings, r.Kernels)
		}
	}
}
