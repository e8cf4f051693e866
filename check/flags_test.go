package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestFlags: kernels that wait for what other CTAs write are decided as a grid of their threads, where what they do is one line each.
func TestFlags(t *testing.T) {
	const (
		wait   = "if (threadIdx.x == 0) { while (*(volatile int*)ready < n) { } __threadfence(); } __syncthreads();"
		raise  = "__syncthreads(); if (threadIdx.x == 0) { __threadfence(); atomicAdd(ready, 1); }"
		launch = "void run(float* a, float* b, int* ready) { k<<<4, 64>>>(a, b, ready, 3); }\n"
	)
	hands := func(wait, raise string) string {
		return "__global__ void k(float* a, float* b, int* ready, int n) { if (blockIdx.x < n) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; " + raise +
			" } else { " + wait + " b[threadIdx.x] = a[threadIdx.x] + a[blockDim.x + threadIdx.x]; } }\n"
	}
	for _, c := range []struct {
		name, text, reason string
		want               engine.Verdict
	}{
		{"launched", hands(wait, raise) + launch, "", engine.Holds},
		{"guessed", hands(wait, raise), "", engine.Holds},
		{"one more is waited for", hands(strings.Replace(wait, "< n", "< n + 1", 1), raise) + launch, "", engine.Violated},
		{"one more, in grids of which some have nobody who waits", hands(strings.Replace(wait, "< n", "< n + 1", 1), raise), "something is wrong with some grids", engine.Inconclusive},
		{"counted before it is written", strings.Replace(hands(wait, raise), "a[blockIdx.x * blockDim.x + threadIdx.x] = 1; "+raise, raise+" a[blockIdx.x * blockDim.x + threadIdx.x] = 1;", 1) + launch, "", engine.Violated},
		{"nobody waits for the thread that waits", hands(strings.Replace(wait, " __syncthreads();", "", 1), raise) + launch, "", engine.Violated},
		{"with a pause that grows", hands("if (threadIdx.x == 0) { unsigned ns = 8; while (*(volatile int*)ready < n) { __nanosleep(ns); if (ns < 64) ns *= 2; } __threadfence(); } __syncthreads();", raise) + launch, "", engine.Holds},
		{"that gives up", hands("if (threadIdx.x == 0) { int tries = 0; while (*(volatile int*)ready < n && ++tries < 1000) { } __threadfence(); } __syncthreads();", raise) + launch, "it counts how often it looks at a flag", engine.Inconclusive},
		{"that gives up soon", hands("if (threadIdx.x == 0) { int tries = 0; while (*(volatile int*)ready < n && ++tries < 3) { } __threadfence(); } __syncthreads();", raise) + launch, "how often a thread looks at a flag decides", engine.Inconclusive},
		{"nothing writes what is waited for", hands(wait, "") + launch, "nothing in the kernel writes what is waited for", engine.Inconclusive},
		{"others write it, too", hands(wait, strings.Replace(raise, "atomicAdd(", "atomicAdd_system(", 1)) + launch, "it is for all of the system", engine.Inconclusive},
		{"what is counted is used", hands(wait, strings.Replace(raise, "atomicAdd(ready, 1)", "if (atomicAdd(ready, 1) == 2) b[0] = 2", 1)) + launch, "what it finds in a flag decides what the thread does", engine.Inconclusive},
		{"two instances", "template <int N> " + strings.ReplaceAll(strings.Replace(hands(wait, raise), ", int n", "", 1), "n)", "N)") + "void run(float* a, float* b, int* ready) { k<2><<<3, 64>>>(a, b, ready); k<4><<<5, 64>>>(a, b, ready); }\n", "", engine.Holds},
		{"two instances, one of them wrong", "template <int N> " + strings.ReplaceAll(strings.Replace(hands(wait, raise), ", int n", "", 1), "n)", "N)") + "void run(float* a, float* b, int* ready) { k<2><<<3, 64>>>(a, b, ready); k<4><<<4, 64>>>(a, b, ready); }\n", "no thread waits here", engine.Inconclusive},
	} {
		r, err := run(t, map[string]string{"k.cu": c.text}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Errorf("%s: %v, %d kernels", c.name, err, len(r.Kernels))
			continue
		}
		k := r.Kernels[0]
		if k.Verdict != c.want.String() || !strings.Contains(strings.Join(k.Reasons, "\n"), c.reason) {
			t.Errorf("%s: %s %q %v; want %s %q", c.name, k.Verdict, k.Reasons, r.Findings, c.want, c.reason)
		}
	}
}
