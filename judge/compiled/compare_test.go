package compiled

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	fromcuda "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/source"
)

// synchronized has one of each that is compared.
const synchronized = `
__device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void init(unsigned long long* gate, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(gate)), "r"(arrivals)); }
__device__ void arrive(unsigned long long* gate, int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(gate)), "r"(bytes)); }
__device__ void wait(unsigned long long* gate, int parity) {
  asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(address(gate)), "r"(parity));
}
__global__ void k(const float* in, float* out) {
  __shared__ unsigned long long gates[2];
  __shared__ float a[128], b[128];
  int t = threadIdx.x;
  if (t == 0) {
    init(&gates[0], 1);
    init(&gates[1], 1);
  }
  __syncthreads();
  if (t == 0) {
    arrive(&gates[0], 512);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(address(a)), "l"(in), "r"(address(&gates[0])));
    arrive(&gates[1], 0);
  }
  wait(&gates[0], 0);
  wait(&gates[1], 0);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(&b[t])), "l"(in + t));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  asm volatile("bar.sync 2, 128;");
  float x = a[t ^ 1] + b[t ^ 64];
  if (t < 32) x += __shfl_xor_sync(0xffffffff, x, 1);
  __syncwarp();
  if (t < 64) a[t] = x;
  __syncthreads();
  out[blockIdx.x * 128 + t] = a[t];
}
void run(const float* in, float* out) { k<<<8, 128>>>(in, out); }
`

// TestCompare: what one of two kernels does otherwise is seen; what a compiler may leave out is not told.
func TestCompare(t *testing.T) {
	whole := execution(t, synchronized)
	for _, c := range []struct{ from, to, want string }{
		{"init(&gates[1], 1)", "init(&gates[1], 2)", "another count"},
		{"arrive(&gates[0], 512)", "arrive(&gates[0], 256)", "other bytes"},
		{"wait(&gates[1], 0)", "wait(&gates[1], 1)", "another parity"},
		{"wait(&gates[1], 0)", "wait(&gates[0], 0)", "another mbarrier"},
		{"  wait(&gates[1], 0);\n", "", "another one"},
		{"bar.sync 2, 128", "bar.sync 3, 128", "another barrier"},
		{"bar.sync 2, 128", "bar.sync 2, 64", "another count"},
		{"if (t < 32) x += __shfl_xor_sync(0xffffffff, x, 1)", "if (t < 16) x += __shfl_xor_sync(0xffff, x, 1)", "other lanes"},
		{"__syncwarp()", "__syncthreads()", "another one"},
		{"[%1], 512, [%2]", "[%1], 256, [%2]", "another effect"},
		{"bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];\" ::\"r\"(address(a))", "bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];\" ::\"r\"(address(b))", "writes"},
		{"  asm volatile(\"cp.async.wait_group 0;\");\n", "", "are in flight"},
		{"a[t ^ 1]", "a[t ^ 2]", "reads"},
		{"if (t < 64) a[t] = x", "if (t < 65) a[t] = x", "writes"},
		{"if (t < 64) a[t] = x", "if (t < 63) a[t] = x", "does not write there"},
		{" + b[t ^ 64]", "", ""},
	} {
		if !strings.Contains(synchronized, c.from) {
			t.Fatalf("%q is not in the kernel", c.from)
		}
		got, extent := Compare(whole, execution(t, strings.Replace(synchronized, c.from, c.to, 1)), 1)
		switch {
		case c.want == "" && (len(got) > 0 || extent.Accesses == 0 || extent.Variables != 4):
			t.Errorf("without %q: %v, compared %+v; expected no difference", c.from, got, extent)
		case c.want != "" && (len(got) == 0 || !strings.Contains(got[0].What, c.want)):
			t.Errorf("%q for %q: %v; expected %s", c.to, c.from, got, c.want)
		}
	}
}

// execution is that of the first CTA of the kernel of a text.
func execution(t *testing.T, text string) *Execution {
	t.Helper()
	f, err := check.Read(source.Decode("k.cu", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	table, err := check.Table(f.Language, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range f.Functions {
		if !fn.Kernel {
			continue
		}
		k, _, err := fromcuda.Translate(f, table, fn, nil, templateGuess)
		if err != nil {
			t.Fatal(err)
		}
		e, err := exec.Run(k.Reduced(false), exec.Launch{CTA: &[3]int{}})
		if err != nil || e.Stop != nil || leftOut(e) != "" {
			t.Fatal(err, e.Stop, leftOut(e))
		}
		return Of(e, func(name string) string { return name })
	}
	t.Fatal("there is no kernel")
	return nil
}
