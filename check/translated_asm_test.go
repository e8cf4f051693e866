package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// helpers are what kernels with inline PTX have of their own.
const helpers = `#include <cstdint>
__device__ __forceinline__ uint32_t at(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void init(uint64_t* gate, uint32_t n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(gate)), "r"(n)); }
__device__ __forceinline__ void arrive(uint64_t* gate) { asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" :: "r"(at(gate)) : "memory"); }
__device__ __forceinline__ void wait(uint64_t* gate, uint32_t parity) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, 0x989680;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" :: "r"(at(gate)), "r"(parity) : "memory");
}
__device__ __forceinline__ bool test(uint64_t* gate, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at(gate)), "r"(parity) : "memory");
  return done != 0;
}
`

// TestTranslatedAsm: inline PTX is what a file of PTX is. Of each pair the first text stands for WHAT in the right kernel, the second in the broken one.
func TestTranslatedAsm(t *testing.T) {
	const head, launch = "__global__ void k(const float* in, float* out, int n) { __shared__ float s[128]; __shared__ alignas(8) uint64_t gate; const int t = threadIdx.x; ",
		" }\nvoid run(const float* in, float* out, int n) { k<<<1, 128>>>(in, out, n); }\n"
	const phases = "if (t == 0) init(&gate, 128); __syncthreads(); for (int i = 0; i < 4; ++i) { s[t] = in[t]; arrive(&gate); wait(&gate, WHAT); out[t] = s[127 - t]; __syncthreads(); }"
	for name, c := range map[string]struct{ body, right, broken string }{
		"named barrier":      {"s[t] = in[t]; asm volatile(\"bar.sync %0, %1;\" :: \"r\"(1), \"n\"(WHAT) : \"memory\"); out[t] = s[127 - t];", "128", "96"},
		"half of a barrier":  {"s[t] = in[t]; asm volatile(\"barrier.sync.aligned 2, 128;\"); out[t] = s[127 - t]; WHAT", "", "asm volatile(\"bar.arrive 2, 128;\"); if (t < 32) asm volatile(\"bar.sync 2, 64;\");"},
		"phases":             {phases, "i & 1", "0"},
		"tested":             {"if (t == 0) init(&gate, 128); __syncthreads(); s[t] = in[t]; WHAT; while (!test(&gate, 0)) {} out[t] = s[127 - t];", "arrive(&gate)", "if (t) arrive(&gate)"},
		"generic store":      {"asm volatile(\"st.f32 [%0], %1;\" :: \"l\"(s + t), \"f\"(in[t]) : \"memory\"); WHAT; out[t] = s[127 - t];", "__syncthreads()", "(void)0"},
		"as an integer":      {"asm volatile(\"st.shared.f32 [%0], %1;\" :: \"r\"(at(s) + 4 * t), \"f\"(in[t])); WHAT; float x; asm volatile(\"ld.shared.f32 %0, [%1+-4];\" : \"=f\"(x) : \"r\"(at(s) + 4 * (t ? t : 128))); out[t] = x;", "__syncthreads()", "(void)0"},
		"to shared":          {"uint32_t a; asm(\"{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }\" : \"=r\"(a) : \"l\"(s + t)); asm volatile(\"st.shared.u32 [%0], 7;\" :: \"r\"(a)); WHAT; out[t] = s[127 - t];", "__syncthreads()", "(void)0"},
		"number in the text": {"asm volatile(\"st.shared.f32 [%0 + %1], %2;\" :: \"r\"(at(s + t)), \"n\"(-4 * 0), \"f\"(in[t])); WHAT; out[t] = s[127 - t];", "__syncthreads()", "(void)0"},
		"vector":             {"if (t < 32) asm volatile(\"st.shared.v4.f32 [%0], {%1, %2, %3, %4};\" :: \"r\"(at(s + 4 * t)), \"f\"(in[0]), \"f\"(in[1]), \"f\"(in[2]), \"f\"(in[3])); WHAT; out[t] = s[t];", "__syncthreads()", "(void)0"},
		"predicate":          {"s[t] = 0; __syncthreads(); asm volatile(\"{ .reg .pred p; setp.eq.s32 p, %0, WHAT; @p st.shared.f32 [%1], 0f3F800000; }\" :: \"r\"(t), \"r\"(at(s))); if (t == 5) out[t] = s[0];", "5", "6"},
		"branch":             {"s[t] = 0; __syncthreads(); asm volatile(\"{ .reg .pred p; setp.WHAT.s32 p, %0, 5; @!p bra over; st.shared.f32 [%1], 0f3F800000; over: }\" :: \"r\"(t), \"r\"(at(s))); if (t == 5) out[t] = s[0];", "eq", "ge"},
		"reduction":          {"if (t == 0) s[0] = 0; __syncthreads(); asm volatile(\"WHAT\" :: \"r\"(at(s)), \"r\"(t) : \"memory\");", "red.shared.add.u32 [%0], %1;", "st.shared.u32 [%0], %1;"},
		"atomic":             {"if (t == 0) s[0] = 0; WHAT; uint32_t old; asm volatile(\"atom.shared.cta.relaxed.exch.b32 %0, [%1], 1;\" : \"=r\"(old) : \"r\"(at(s)) : \"memory\"); out[t] = old;", "__syncthreads()", "(void)0"},
		"elected":            {"uint32_t one; asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }\" : \"=r\"(one)); if (t < 32 && one) s[0] = in[0]; WHAT; out[t] = s[0];", "__syncthreads()", "__syncwarp()"},
		"read and written":   {"uint32_t p = at(s + t); asm volatile(\"add.u32 %0, %0, WHAT;\" : \"+r\"(p)); asm volatile(\"st.shared.u32 [%0], 1;\" :: \"r\"(p)); out[t] = s[t];", "0", "4"},
		"same register":      {"uint32_t p; asm volatile(\"add.u32 %0, %1, %2;\" : \"=r\"(p) : \"0\"(at(s)), \"r\"(4 * (t ^ WHAT))); asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(p), \"r\"(t)); out[t] = s[t];", "0", "1"},
		"copies": {"asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(at(s + t)), \"l\"(in + t)); asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(WHAT)); __syncthreads(); out[t] = s[127 - t];",
			"0", "1"},
		"bulk copy": {"if (t == 0) { init(&gate, 1); asm volatile(\"fence.mbarrier_init.release.cluster;\"); } __syncthreads(); if (t == 0) { asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" :: \"r\"(at(&gate)), \"r\"(WHAT)); " +
			"asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\" :: \"r\"(at(s)), \"l\"(in), \"n\"(512), \"r\"(at(&gate)) : \"memory\"); } wait(&gate, 0); out[t] = s[t];", "512", "1024"},
		"matrix":  {"s[t] = in[t]; WHAT; uint32_t r; asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(r) : \"r\"(at(s + 4 * (t % 8)))); out[t] = r;", "__syncthreads()", "__syncwarp()"},
		"shuffle": {"int other; asm volatile(\"shfl.sync.bfly.b32 %0, %1, WHAT, 31, 0xffffffff;\" : \"=r\"(other) : \"r\"(t)); s[other] = in[t]; out[t] = s[t ^ 1];", "1", "2"},
		"voted":   {"uint32_t m; asm volatile(\"{ .reg .pred p; setp.lt.s32 p, %1, 3; vote.sync.ballot.b32 %0, p, 0xffffffff; }\" : \"=r\"(m) : \"r\"(t)); s[t] = 1; if (m == 0 || m == WHAT) asm volatile(\"bar.sync 0;\"); out[t] = s[127 - t];", "7", "3"},
		"no effect": {"asm volatile(\"\" ::: \"memory\"); asm volatile(\"griddepcontrol.wait;\"); asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(in)); uint64_t p; asm(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : \"=l\"(p)); s[t] = in[t]; WHAT; " +
			"float x; asm volatile(\"ld.global.nc.L1::no_allocate.f32 %0, [%1];\" : \"=f\"(x) : \"l\"(in + t)); out[t] = x + s[127 - t];", "__syncthreads()", "(void)0"},
		"registers of a role": {"if (t < 64) asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" :: \"n\"(40)); else asm volatile(\"setmaxnreg.inc.sync.aligned.u32 232;\"); s[t] = 0; WHAT; out[t] = s[127 - t];", "__syncthreads()", "(void)0"},
	} {
		for _, right := range []bool{true, false} {
			what, want := c.broken, engine.Violated
			if right {
				what, want = c.right, engine.Holds
			}
			r, err := verdictOfText(t, "k.cu", helpers+head+strings.ReplaceAll(c.body, "WHAT", what)+launch, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case r.Verdict != want:
				t.Errorf("%s, right %v: %s, %v, %v; expected %s", name, right, r.Verdict, r.Reasons, r.Findings, want)
			}
		}
	}
}

// TestTranslatedAsmOpen: what is not known of inline PTX decides nothing.
func TestTranslatedAsmOpen(t *testing.T) {
	const head, launch = "__global__ void k(const float* in, float* out, int n) { __shared__ float s[128]; const int t = threadIdx.x; ", " }\nvoid run(const float* in, float* out, int n) { k<<<1, 128>>>(in, out, n); }\n"
	for name, body := range map[string]string{
		"an instruction of no table": "asm volatile(\"mystery.sync.u32 %0;\" :: \"r\"(t));",
		"a label of nobody":          "asm volatile(\"bra elsewhere;\");",
		"a return":                   "asm volatile(\"ret;\");",
		"an input is set":            "asm volatile(\"add.u32 %0, %0, 1;\" :: \"r\"(t));",
		"no PTX":                     "asm volatile(\"@p\");",
		"halves of an array":         "int a[2] = {0, 0}; asm(\"mov.b64 %0, %1;\" : \"=l\"(*(unsigned long long*)&a[0]) : \"l\"(0x100000000ull)); if (a[1]) s[0] = in[t];",
		"parts by their address":     "int a[2] = {0, 0}; asm(\"mov.b32 %0, 1;\" : \"=r\"((&a[0])[1])); if (a[1]) s[0] = in[t];",
		"bits of a number":           "int b; float one = 1.f; asm(\"mov.b32 %0, %1;\" : \"=r\"(b) : \"f\"(one)); if (b == 0x3f800000) s[0] = in[t];",
		"by a pointer":               "int x = 0; asm volatile(\"st.u32 [%0], 1;\" :: \"l\"(&x) : \"memory\"); if (x) s[0] = in[t];",
	} {
		r, err := verdictOfText(t, "k.cu", helpers+head+body+launch, nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Verdict == engine.Holds:
			t.Errorf("%s: it holds; expected that this is not known", name)
		}
	}
}
