package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// foundAlone gives what is found in the functions of files by themselves, in k.cuh.
func foundAlone(t *testing.T, files map[string]string) []finding.Finding {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	f, err := Read(source.Decode("k.cuh", []byte(files["k.cuh"])))
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table(f.Language, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt := &Options{Tree: tree, Engine: Explore, sources: NewSources(tree, nil)}
	out, err := opt.functions(t.Context(), f, table, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const lanesSum = "__device__ float lanes(float v) { for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); return v; }\n"

// TestAlone: a barrier that is missing in a function that nobody calls, in many spellings, and the right twin of each. BARRIER stands where it has to be.
func TestAlone(t *testing.T) {
	for name, text := range map[string]string{
		"shared":       "__device__ float k(float x) { __shared__ float s[1024]; s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
		"pointer":      "__device__ float k(float* s, float x) { s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
		"two pointers": "__device__ void k(float* s, float* u, float x) { s[threadIdx.x] = x; BARRIER; u[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); }",
		"reduce":       lanesSum + "__device__ float k(float v) { __shared__ float part[32]; int lane = threadIdx.x % 32; v = lanes(v); if (lane == 0) part[threadIdx.x / 32] = v; BARRIER; v = lane < blockDim.x / 32 ? part[lane] : 0.f; v = lanes(v); __syncthreads(); return v; }",
		"alone":        lanesSum + "__device__ float k(float v) { __syncthreads(); __shared__ float part[32]; int lane = threadIdx.x % 32; v = lanes(v); if (lane == 0) part[threadIdx.x / 32] = v; BARRIER; return lane < blockDim.x / 32 ? part[lane] : 0.f; }",
		"method":       "struct Tile { float* s; int n; __device__ float k(float x) { s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; } };",
		"operator":     "struct Tile { float* s; int n; __device__ float operator()(float x) { s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; } };",
		"of template":  "template <typename T, int N> struct Tile { T s[N * 32]; };\ntemplate <typename T, int N> __device__ T k(Tile<T, N>& t, T x) { t.s[threadIdx.x] = x; BARRIER; x = t.s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
		"by macro":     "#define ON_GPU __forceinline__ __device__\nON_GPU float k(float* s, float x) { s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
		"loop":         "__device__ float k(float* s, float x, int n) { for (int i = 0; i < n; i++) { s[threadIdx.x] = x + i; __syncthreads(); x = s[blockDim.x - 1 - threadIdx.x]; BARRIER; } return x; }",
		"of a warp":    "__device__ float k(float* s, float x) { int lane = threadIdx.x % 32; s[lane] = x; BARRIERWARP; x = s[31 - lane]; __syncwarp(); return x; }",
		"of a length":  "template <int N> __device__ void k(int* s) { for (int size = 2; size <= N; size *= 2) { for (int stride = size / 2; stride > 0; stride /= 2) { if (size > 16) __syncthreads(); else BARRIERWARP; int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1)); if (at + stride < N && s[at] > s[at + stride]) { int kept = s[at]; s[at] = s[at + stride]; s[at + stride] = kept; } } __syncthreads(); } }",
		"by data":      "__device__ float k(const int* in, float x) { __shared__ float s[1024]; if (in[0] > 3) { s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); } return x; }",
		"of a kind":    "template <typename T> __device__ float k(const int* in, float x) { __shared__ float s[1024]; if constexpr (wide_v<T>) { if (in[0] > 3) { __syncthreads(); return 0.f; } } s[threadIdx.x] = x; BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
		"data's loop":  "__device__ float k(const int* in, float x) { __shared__ float s[1024]; __shared__ int n; if (threadIdx.x == 0) n = in[0]; __syncthreads(); for (int i = 0; i < n; i++) { s[threadIdx.x] = x; __syncthreads(); x += s[blockDim.x - 1 - threadIdx.x]; BARRIER; } __syncthreads(); return x; }",
		"group":        "template <typename Group> __device__ float k(Group const& g, float* s, float x) { s[g.thread_rank()] = x; BARRIERGROUP; x = s[31 - g.thread_rank()]; g.sync(); return x; }",
		"group's word": "template <int most, typename Group, typename T> __device__ void k(Group g, int* count, T* kept, T* out) { for (int i = 0; i < 4; i++) { if (g.any(out[i] > 0) && g.thread_rank() == 0) atomicAdd(count, 1); g.sync(); if (*count + 4 > most) { for (int n = g.thread_rank(); n < *count; n += g.size()) out[n] = kept[n]; BARRIERGROUP; if (g.thread_rank() == 0) *count = 0; g.sync(); } } }",
		"group, moved": "template <typename Group> __device__ float sum(Group const& g, float x) { for (int d = g.size() / 2; d > 0; d /= 2) x += g.shfl_xor(x, d); return x; }\ntemplate <typename Tile> __device__ float k(Tile tile, const int* in, float* part, float x) { x = sum(tile, x); if (in[0] > 2) { part[tile.thread_rank()] = x; BARRIERTILE; x = part[tile.thread_rank() ^ 1]; tile.sync(); } return x; }",
		"by a helper":  "__device__ void put(float* to, int i, float x) { to[i] = x; }\n__device__ float k(float* s, float x) { put(s, threadIdx.x, x); BARRIER; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }",
	} {
		for _, right := range []bool{true, false} {
			barrier, lanes, group, tile := "", "", "", ""
			if right {
				barrier, lanes, group, tile = "__syncthreads()", "__syncwarp()", "g.sync()", "tile.sync()"
			}
			list := foundAlone(t, map[string]string{"k.cuh": strings.NewReplacer("BARRIERWARP", lanes, "BARRIERGROUP", group, "BARRIERTILE", tile, "BARRIER", barrier).Replace(text)})
			switch {
			case right && len(list) > 0:
				t.Errorf("%s, which is right: %s of %s", name, list[0].Message, list[0].Kernel)
			case !right && (len(list) == 0 || list[0].Severity != finding.Warning || list[0].Rule != "FP720"):
				t.Errorf("%s: %v, want a race", name, list)
			}
		}
	}
}

// TestAloneTwice: what is wrong only if a function is called again at once is a note.
func TestAloneTwice(t *testing.T) {
	const text = "__device__ float k(float x) { __shared__ float s[1024]; s[threadIdx.x] = x; __syncthreads(); x = s[blockDim.x - 1 - threadIdx.x]; BARRIER; return x; }"
	if list := foundAlone(t, map[string]string{"k.cuh": strings.Replace(text, "BARRIER", "__syncthreads()", 1)}); len(list) > 0 {
		t.Errorf("right: %s", list[0].Message)
	}
	list := foundAlone(t, map[string]string{"k.cuh": strings.Replace(text, "BARRIER", "", 1)})
	if len(list) != 1 || list[0].Severity != finding.Note || !strings.Contains(list[0].Message, "called twice in a row") {
		t.Errorf("%v, want a note", list)
	}
}

// TestAloneDivides: a barrier that part of a warp comes to, whoever calls.
func TestAloneDivides(t *testing.T) {
	list := foundAlone(t, map[string]string{"k.cuh": "__device__ void k(float* s) { if (threadIdx.x % 2 == 0) { s[threadIdx.x] = 0; __syncthreads(); } }"})
	if len(list) != 1 || list[0].Severity != finding.Warning || list[0].Rule != "FP403" {
		t.Errorf("%v, want a divergent barrier", list)
	}
}

// TestAloneTrusts: nothing is told where it hangs on who calls, or with what.
func TestAloneTrusts(t *testing.T) {
	for name, text := range map[string]string{
		"number of the thread":    "__device__ void k(float* s, int t) { s[t] = 1; __syncthreads(); s[t + 1] += 1; }",
		"who writes":              "__device__ void k(float* s, int w, float x) { if (w == 0) s[threadIdx.x % 32] = x; __syncthreads(); }",
		"own pointer":             "__device__ void k(float* mine, float x) { mine[0] = x; __syncthreads(); mine[1] = mine[0]; }",
		"own array":               "__device__ void k(float (&mine)[4], float* s) { mine[0] = s[threadIdx.x]; __syncthreads(); mine[1] = mine[0]; }",
		"of each warp":            "__device__ float k(float* mine, float x) { int lane = threadIdx.x % 32; mine[lane] = x; __syncwarp(); x = mine[31 - lane]; __syncwarp(); return x; }",
		"of each warp, and all":   "__device__ float k(float* mine, float x) { int lane = threadIdx.x % 32; mine[lane] = x; __syncwarp(); x = mine[31 - lane]; __syncthreads(); return x; }",
		"one value":               "__device__ int k(int v) { __shared__ int s; s = v; __syncthreads(); v = s; __syncthreads(); return v; }",
		"one thread":              "struct Count { int n; __device__ void k() { n = 0; __threadfence(); } };",
		"one stage of many":       "__device__ void k(float* s, int turn, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = turn; __syncthreads(); }",
		"a member of the thread":  "struct Tile { float* s; int t; __device__ void k(float x) { s[t] = x; __syncthreads(); s[t + 1] += x; __syncthreads(); } };",
		"a base that is not read": "#include \"absent.h\"\nstruct Tile : Absent { float* s; __device__ void k(float x) { s[thread_] = x; __syncthreads(); } };",
		"a barrier of some":       "__device__ void k(float* s) { s[threadIdx.x] = 1; asm volatile(\"bar.sync 1, 64;\"); s[(threadIdx.x + 32) % 64] += 1; asm volatile(\"bar.sync 1, 64;\"); }",
		"an element of data":      "__device__ void k(const int* in, int* s) { if (in[0] > 0) { s[in[threadIdx.x]] = 1; __syncthreads(); s[in[threadIdx.x + 1]] += 1; __syncthreads(); } }",
		"each its own, by data":   "__device__ void k(const int* in, float* mine) { if (in[0] > 0) { mine[0] = 1; __syncthreads(); mine[0] += 1; mine[1] = mine[0]; __syncthreads(); } }",
		"a group's lane reads":    "template <typename Group> __device__ float k(Group const& g, const float* in, float* mine) { float x = in[0] > 0 ? mine[0] : 0; g.sync(); mine[0] = x + g.shfl(x, 0) + g.thread_rank(); return x; }",
		"a sum of its own":        "__device__ float k(const int* in, float& sum, float x) { sum += x; if (in[0] > 0) { if (threadIdx.x == 0) sum *= 2; __syncthreads(); } x = sum; __syncthreads(); return x; }",
		"no group":                "template <typename Stream> __device__ void k(Stream& s, float* to) { to[threadIdx.x] = 1; s.sync(); to[threadIdx.x ^ 1] += 1; s.sync(); }",
		"a number of a constant":  "template <typename Rules> __device__ void k(const Rules& rules, const int* in, float* out, int n) { __shared__ float s[256]; s[threadIdx.x] = out[threadIdx.x]; __syncthreads(); if (in[0] > 0) { for (int i = 0; i < n; i++) { float v = s[255 - threadIdx.x] - rules.first; if (threadIdx.x % 32 >= 16) limited(v, i, rules.first); out[threadIdx.x] = v; } __syncthreads(); } }",
		"a flag of the caller's":  "__device__ void k(float* s, bool last) { s[threadIdx.x] = 1; if (!last) __syncthreads(); if (last) return; s[threadIdx.x ^ 1] += 1; __syncthreads(); }",
	} {
		if list := foundAlone(t, map[string]string{"k.cuh": text}); len(list) > 0 {
			t.Errorf("%s: %s: %s", name, list[0].Severity, list[0].Message)
		}
	}
}

// TestAloneCalled: a function that somebody calls is looked at where a kernel that calls it is decided, else by itself, too; and once only.
func TestAloneCalled(t *testing.T) {
	const text = "__device__ float k(float* s, float x) { s[threadIdx.x] = x; x = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return x; }\n"
	const known, open = "y[threadIdx.x] = k(s, 1.f);", "extern float* more(float*); y[threadIdx.x] = k(more(y), 1.f);"
	for name, c := range map[string]struct {
		run   string
		files map[string]string
		alone bool
	}{
		"in its file":           {known, map[string]string{"k.cuh": text + "KERNEL"}, false},
		"in its file, open":     {open, map[string]string{"k.cuh": text + "KERNEL"}, true},
		"in one that includes":  {known, map[string]string{"k.cuh": text, "run.cu": "#include \"k.cuh\"\nKERNEL"}, false},
		"on the way to another": {known, map[string]string{"k.cuh": text, "mid.cuh": "#include \"k.cuh\"\n", "run.cu": "#include \"mid.cuh\"\nKERNEL"}, false},
		"not included":          {open, map[string]string{"k.cuh": text, "run.cu": "#include \"k.cuh\"\nKERNEL"}, true},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			text = strings.ReplaceAll(text, "KERNEL", "__global__ void __launch_bounds__(128) run(float* y) { __shared__ float s[128]; "+c.run+" }\n")
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tree, err := source.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{"."}, Engine: Explore})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 || r.Findings[0].Alone != c.alone {
			t.Errorf("%s: %v, want one finding, by itself %v", name, r.Findings, c.alone)
		}
	}
	if list := foundAlone(t, map[string]string{"k.cuh": text, "other.cu": "#include \"k.cuh\"\n// k is not for this\n__global__ void run(float* y) { y[0] = 0; }"}); len(list) == 0 {
		t.Error("a file that only includes it calls it")
	}
}
