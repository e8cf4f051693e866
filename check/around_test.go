package check

import (
	"fmt"
	"testing"
)

// steps are two kernels that follow each other, in two files of a folder, and the host function that launches them in a third.
func steps(trigger, order string) map[string]string {
	return map[string]string{
		"step/params.h": "struct Step { int* row_counts; int* out; };\n",
		"step/count.cu": "#include \"params.h\"\n__global__ void count(Step step) {\n  " + trigger + "\n  step.row_counts[threadIdx.x] = 1;\n}\n",
		"step/use.cu": `#include "params.h"
__global__ void use(Step step) {
  const int rows = step.row_counts[threadIdx.x];
  cudaGridDependencySynchronize();
  step.out[threadIdx.x] = rows + __ldg(step.row_counts);
}
`,
		"step/launch.cuh": "void run(cudaLaunchConfig_t* c, Step step) {\n  " + order + "\n}\n",
		"away/count.cu":   "__global__ void count(Step step) {\n  step.row_counts[threadIdx.x] = 1;\n}\n",
	}
}

// Data of a kernel in another file of the folder are read before the wait for it, or through the read-only path.
func TestDependentDataOfTheFolder(t *testing.T) {
	const trigger, launches = "cudaTriggerProgrammaticLaunchCompletion();", "cudaLaunchKernelEx(c, count, step); cudaLaunchKernelEx(c, use, step);"
	for _, tt := range []struct {
		name, trigger, order string
		drop                 string
		want                 []string
	}{
		{"launched before", trigger, launches, "", []string{"FP310 step/use.cu:3", "FP310 step/use.cu:5"}},
		{"no early start", "", launches, "", []string{"FP310 step/use.cu:5"}},
		{"launched after", trigger, "cudaLaunchKernelEx(c, use, step); cudaLaunchKernelEx(c, count, step);", "", []string{"FP310 step/use.cu:5"}},
		{"nobody writes", trigger, launches, "step/count.cu", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := steps(tt.trigger, tt.order)
			delete(files, tt.drop)
			r, err := run(t, files, func(o *Options) { o.Paths, o.Engine = []string{"step/use.cu"}, None })
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				got = append(got, fmt.Sprintf("%s %s:%d", f.Rule, f.Path, f.Line))
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			for _, f := range r.Findings {
				if n := len(f.Labels); n == 0 || f.Labels[n-1].Path != "step/count.cu" || f.Labels[n-1].Line != 4 {
					t.Errorf("labels %+v do not tell where the data are written", f.Labels)
				}
			}
		})
	}
}

// The numbers of named barriers are taken from the kernel's file where a part of it uses them; not where two files of
// the folder have an enumeration of that name, and not from other folders.
func TestEnumBeside(t *testing.T) {
	const part = `template <typename Barriers>
__device__ void correct(int warp) {
  NamedBarrier::sync(64, Barriers::Rows + 4 + warp);
  NamedBarrier::sync(64, Barriers::Pair);
}
`
	const kernel = "struct Kernel {\n  enum Barriers : int { Rows = 0, Pair = 4 };\n};\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"beside":    {map[string]string{"a/part.hpp": part, "a/kernel.cuh": kernel}, 1},
		"two":       {map[string]string{"a/part.hpp": part, "a/kernel.cuh": kernel, "a/other.cuh": kernel}, 0},
		"elsewhere": {map[string]string{"a/part.hpp": part, "b/kernel.cuh": kernel}, 0},
	} {
		r, err := run(t, c.files, func(o *Options) { o.Paths = []string{"a/part.hpp"} })
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != c.want {
			t.Errorf("%s: got %+v, want %d findings", name, r.Findings, c.want)
		}
		for _, f := range r.Findings {
			if f.Rule != "FP414" || f.Line != 4 {
				t.Errorf("%s: got %s at line %d, want FP414 at line 4", name, f.Rule, f.Line)
			}
		}
	}
}
