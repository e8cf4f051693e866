package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestChosenByData: what memory holds says where in a shared array a thread reads, adds or writes, and another thread surely accesses the element that it may say. WHAT is a
// barrier, or none. Where the index may keep threads apart by itself, nothing is told.
func TestChosenByData(t *testing.T) {
	const launch = "\nvoid run(const int* in, int* out, int n) { k<<<1, 128>>>(in, out, n); }\n"
	const head = "__global__ void k(const int* in, int* out, int n) { __shared__ int s[128]; int t = threadIdx.x; "
	for _, row := range []struct {
		name, text string
		told       bool // without the barrier
		unsure     bool // with it
	}{
		{"counts", "s[t] = 0; WHAT for (int i = t; i < n; i += 128) atomicAdd(&s[in[i] & 127], 1); __syncthreads(); out[t] = s[t];", true, false},
		{"counts that are read", "s[t] = 0; __syncthreads(); for (int i = t; i < n; i += 128) atomicAdd(&s[in[i] & 127], 1); WHAT out[t] = s[t];", true, false},
		{"gathers", "s[t] = in[t]; WHAT out[t] = s[in[t + 128]];", true, false},
		{"gathers before", "s[t] = in[t]; __syncthreads(); int v = s[in[t + 128]]; WHAT s[t] = v; __syncthreads(); out[t] = s[127 - t];", true, false},
		{"gathers by what is shared", "s[t] = in[t]; __syncthreads(); int v = s[s[t]]; WHAT s[t] = v + 1; __syncthreads(); out[t] = s[127 - t];", true, false},
		{"one for all", "s[t] = in[t]; WHAT out[t] = s[in[0]];", true, false},
		{"a number of data", "s[t] = 0; WHAT atomicAdd(&s[int(((const float*)in)[t] * 4.f)], 1); __syncthreads(); out[t] = s[t];", true, false},
		{"lanes of a warp", "int w = t & 96; s[t] = 0; WHAT atomicAdd(&s[w + (in[t] & 31)], 1); __syncthreads(); out[t] = s[t];", true, false},
		{"lanes in front", "int w = t & 96; s[t] = 0; __syncthreads(); unsigned m = __ballot_sync(~0u, in[t] > 0); s[w + __popc(m & ((1u << (t & 31)) - 1))] = t; WHAT out[t] = s[t];", true, true},
		{"rows", "int r = t / 8; s[t] = 0; WHAT atomicAdd(&s[r * 8 + (in[t] & 7)], 1); __syncthreads(); out[t] = s[t];", true, false},
		{"rows of others", "int r = t / 32; s[t ^ 32] = 0; WHAT atomicAdd(&s[r * 32 + (in[t] & 31)], 1); __syncthreads(); out[t] = s[t];", false, false},
		{"behind the first", "if (t == 0) s[0] = n; WHAT atomicAdd(&s[(in[t] & 63) + 1], 1); __syncthreads(); out[t] = s[t];", false, false},
		{"in its part", "s[t] = 0; __syncwarp(); WHAT atomicAdd(&s[(t & 96) + (in[t] & 31)], 1); __syncthreads(); out[t] = s[t];", false, false},
		{"in the other part", "if (t < 32) s[64 + t] = 0; WHAT atomicAdd(&s[in[t] & 63], 1); __syncthreads(); out[t] = s[t];", false, false},
		{"next to itself", "s[t] = in[t]; WHAT out[t] = s[(t + in[t]) & 127];", false, false},
		{"tickets", "__shared__ int m; if (t == 0) m = 0; s[t] = 0; __syncthreads(); WHAT s[atomicAdd(&m, 1)] = t; __syncthreads(); out[t] = s[t];", false, false},
		{"if it is its own", "s[t] = in[t]; WHAT if (in[t + 128] == t) out[t] = s[in[t + 128]];", false, false},
		{"places that data keep apart", "s[in[t]] = t; WHAT s[in[t + 128]] = 0; __syncthreads(); out[t] = s[t];", false, false},
	} {
		for what, want := range map[string]engine.Verdict{"__syncthreads();": engine.Holds, "": engine.Violated} {
			r, err := verdictOfText(t, "kernel.cu", head+strings.ReplaceAll(row.text, "WHAT", what)+" }"+launch, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", row.name, err)
			case r.Verdict == engine.Violated != (row.told && what == ""):
				t.Errorf("%s with %q: %v %v %v", row.name, what, r.Verdict, r.Reasons, r.Findings)
			case what != "" && row.told && r.Verdict != want && !row.unsure:
				t.Errorf("%s with a barrier: %v %v, expected %v", row.name, r.Verdict, r.Reasons, want)
			}
		}
	}
}
