package check

import "testing"

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
