package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestPremisesOfTexts: what an author takes for granted decides whether a kernel is right. PREMISE stands where it has to be.
func TestPremisesOfTexts(t *testing.T) {
	const head = "__global__ void k(const float* in, float* out, int n, int m) { "
	const launch = "\nvoid run(const float* in, float* out, int n, int m) { k<<<1, 128>>>(in, out, n, m); }\n"
	const stride = "__shared__ float s[512]; for (int i = threadIdx.x; i < 512; i += n) s[i] = in[i] + threadIdx.x; __syncthreads(); out[threadIdx.x] = s[511 - threadIdx.x]; }"
	for name, c := range map[string]struct{ text, right, broken string }{
		"requires":     {"PREMISE; " + stride, "__requires(n == blockDim.x)", "__requires(n == blockDim.x - 1)"},
		"assume":       {"PREMISE; " + stride, "__assume(n == 128)", "__assume(n == 127)"},
		"builtin":      {"PREMISE; " + stride, "__builtin_assume(n == 128)", "__builtin_assume(n == 64)"},
		"assert":       {"PREMISE; " + stride, "assert(n == 128 && \"all of them\")", "assert(n == 64 && \"half of them\")"},
		"two":          {"PREMISE; " + stride, "__requires(m == 2); __requires(n == 64 * m)", "__requires(m == 1); __requires(n == 64 * m)"},
		"implied":      {"PREMISE; " + stride, "__requires(m == 1); __requires(__implies(m == 1, n == 128))", "__requires(m == 1); __requires(__implies(m == 1, n == 127))"},
		"unreachable":  {"PREMISE; " + stride, "if (n != 128) __builtin_unreachable()", "if (n != 127) __builtin_unreachable()"},
		"a claim":      {"PREMISE; " + stride, "__requires(n == 128)", "__requires(n == 64); __assert(n == 128)"},
		"an invariant": {"PREMISE; __shared__ float s[512]; for (int i = threadIdx.x; __invariant(i % n == threadIdx.x), i < 512; i += n) s[i] = in[i] + threadIdx.x; }", "__requires(n == 128)", "__requires(n == 64)"},
	} {
		for _, right := range []bool{true, false} {
			premise, want := c.broken, engine.Violated
			if right {
				premise, want = c.right, engine.Holds
			}
			r, err := verdictOfText(t, "k.cu", head+strings.Replace(c.text, "PREMISE", premise, 1)+launch, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case r.Verdict != want:
				t.Errorf("%s, right %v: %s, %v; expected %s", name, right, r.Verdict, r.Reasons, want)
			case name == "requires" && !strings.Contains(strings.Join(r.Assumed(), ";"), "k.cu:1 takes for granted"):
				t.Errorf("%s: the premise is not among %q", name, r.Assumed())
			}
		}
	}
}

// TestPremiseBroken: where no launch that is stated agrees with a premise nothing is said.
func TestPremiseBroken(t *testing.T) {
	r, err := verdictOfText(t, "k.cu", "__global__ void k(int* x) { __requires(blockDim.x == 64); x[threadIdx.x] = 0; }\nvoid run(int* x) { k<<<1, 128>>>(x); }", nil)
	if err != nil || r.Execution.Trap == nil {
		t.Errorf("%v, %v: want a premise that is not so", r, err)
	}
}
