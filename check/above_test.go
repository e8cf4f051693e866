package check

import (
	"strings"
	"testing"
)

// TestDefinedAbove: an included file is compiled with what those define that include it, before they do (C++17 [cpp.include]); where they do not agree it is not known.
func TestDefinedAbove(t *testing.T) {
	const stage = `__device__ inline void turn(int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = out[threadIdx.x];
#if (WARPS > 1)
  __syncthreads();
#else
  __syncwarp();
#endif
  out[threadIdx.x] = row[63 - threadIdx.x];
}
`
	kernel := func(name, before string) string {
		return before + "#include \"turn.inl\"\n__global__ void " + name + "(int* out) { turn(out); }\nvoid " + name + "_launch(int* out) { " + name + "<<<1, 64>>>(out); }\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"defined":           {map[string]string{"k.cu": kernel("k", "#define WARPS 2\n")}, "holds"},
		"by another header": {map[string]string{"k.cu": kernel("k", "#include \"warps.h\"\n"), "warps.h": "#define WARPS 2\n"}, "holds"},
		"not":               {map[string]string{"k.cu": kernel("k", "")}, "violated"},
		"too few":           {map[string]string{"k.cu": kernel("k", "#define WARPS 1\n")}, "violated"},
		"behind":            {map[string]string{"k.cu": kernel("k", "") + "#define WARPS 2\n"}, "violated"},
		"two that agree":    {map[string]string{"k.cu": kernel("k", "#define WARPS 2\n"), "l.cu": kernel("l", "#define WARPS 2\n")}, "holds"},
		"two that do not":   {map[string]string{"k.cu": kernel("k", "#define WARPS 2\n"), "l.cu": kernel("l", "#define WARPS 1\n")}, "inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["turn.inl"] = stage
			r, err := run(t, c.files, nil)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, k := range r.Kernels {
				if k.Name == "k" {
					found = true
					if !strings.HasPrefix(k.Verdict, c.want) {
						t.Errorf("%s, want %s: %v", k.Verdict, c.want, k.Reasons)
					}
				}
			}
			if !found {
				t.Errorf("no kernel: %+v", r.Kernels)
			}
		})
	}
}

// TestGuardAbove: that a file was included before, by who includes another one that includes it, does not leave its text out.
func TestGuardAbove(t *testing.T) {
	files := map[string]string{
		"size.h":    "#ifndef SIZE_H\n#define SIZE_H\n#ifdef WIDE\n#define SIZE 128\n#else\n#define SIZE 64\n#endif\n#endif\n",
		"kernels.h": "#ifndef KERNELS_H\n#define KERNELS_H\n#include \"size.h\"\n__global__ void k(int* out) {\n  __shared__ int row[SIZE];\n  row[threadIdx.x] = out[threadIdx.x];\n  __syncthreads();\n  out[threadIdx.x] = row[SIZE - 1 - threadIdx.x];\n}\n#endif\n",
		"main.cu":   "#include \"size.h\"\n#include \"kernels.h\"\nvoid launch(int* out) { k<<<1, SIZE>>>(out); }\n",
	}
	r, err := run(t, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Verdict != "holds" {
		t.Errorf("%+v", r.Kernels)
	}
}

// TestIncludedInNamespace: what a file declares that is included in a namespace stands there.
func TestIncludedInNamespace(t *testing.T) {
	files := map[string]string{
		"turn.inl": "struct Row { int word[64]; };\n__device__ inline void turn(int* out) {\n  __shared__ Row row;\n  row.word[threadIdx.x] = out[threadIdx.x];\n  out[threadIdx.x] = row.word[63 - threadIdx.x];\n}\n",
		"k.cu":     "namespace stages {\n#include \"turn.inl\"\n}\n__global__ void k(int* out) { stages::turn(out); }\nvoid launch(int* out) { k<<<1, 64>>>(out); }\n",
	}
	r, err := run(t, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Verdict != "violated" {
		t.Errorf("%+v", r.Kernels)
	}
}
