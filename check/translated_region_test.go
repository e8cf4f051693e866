package check

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestWithinRegions: what stands behind a condition of data, or in a loop that data end, is made by the lanes that its other conditions let through, at the place that it has in the first round.
func TestWithinRegions(t *testing.T) {
	for body, want := range map[string]engine.Verdict{
		"if (t == 0) s[0] = 4; if (in[t] > 0) { if (t == 0) s[0] = 1; } if (t == 0) out[0] = s[0];":                               engine.Holds,
		"if (t == 0) s[0] = 4; if (in[t] > 0) { if (t == 40) s[0] = 1; } if (t == 0) out[0] = s[0];":                              engine.Violated,
		"if (t < 64) s[t] = 4; if (in[t] > 0) { if (t >= 64) s[t] = 1; } if (t < 64) out[t] = s[t];":                              engine.Holds,
		"if (t < 64) s[t] = 4; if (in[t] > 0) { if (t >= 64) s[t - 64] = 1; } if (t < 64) out[t] = s[t];":                         engine.Violated,
		"if (t == 0) s[0] = 4; if (in[t] > 0) { if (t == 40 && in[t + 1] > 2) s[0] = 1; } if (t == 0) out[0] = s[0];":             engine.Violated,
		"s[t] = in[t]; int a = 0; for (int i = 0; i < 128 && a < 9; ++i) a += s[i]; out[t] = a;":                                  engine.Violated,
		"s[t] = in[t]; __syncthreads(); int a = 0; for (int i = 0; i < 128 && a < 9; ++i) a += s[i]; out[t] = a;":                 engine.Holds,
		"s[t] = in[t]; __syncthreads(); int a = 0; for (int i = 0; i < 128 && a < 9; ++i) a += s[i]; s[t] = a; out[t] = a;":       engine.Violated,
		"s[t] = in[t]; int a = 0; for (int i = t; i < 128 && a < 9; i += 128) a += s[i]; out[t] = a;":                             engine.Holds, // its own
		"s[t] = in[t]; int a = 0; for (int i = 0; i < 128 && a < 9; ++i) { if (i == t) a += s[i]; else a += in[i]; } out[t] = a;": engine.Inconclusive,
		"s[t] = in[t]; int a = 0; for (int i = 0; i < in[0]; ++i) { if (t == 40) a += s[41]; } out[t] = a;":                       engine.Violated,
		"int x = t; s[t] = in[t]; for (int i = 0; i < in[0]; ++i) { s[x] = i; x = t; } out[t] = s[t];":                            engine.Holds, // in[0] is tried
		"int x = 127 - t; s[t] = in[t]; for (int i = 0; i < in[0]; ++i) { s[x] = i; x = t; } out[t] = s[t];":                      engine.Violated,
	} {
		text := "__global__ void k(const int* in, int* out) { __shared__ int s[128]; int t = threadIdx.x; " + body + " }\nvoid run(const int* in, int* out) { k<<<1, 128>>>(in, out); }\n"
		r, err := verdictOfText(t, "k.cu", text, nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v, %v, %v; want %s", body, err, r.Verdict, r.Reasons, r.Findings, want)
		}
	}
}

// TestRoundsLeftByVote: how often a loop goes round stands in memory, and threads leave it together when all of them are done, or go on.
func TestRoundsLeftByVote(t *testing.T) {
	for meet, want := range map[string]engine.Verdict{"__syncthreads();": engine.Inconclusive, "": engine.Violated} {
		text := "__global__ void k(const int* in, const int* ends, int* out) {\n  __shared__ int s[128];\n  const int t = threadIdx.x;\n  int a = 0;\n  const int first = ends[blockIdx.x];\n" +
			"  for (int r = 0; r < (ends[blockIdx.x + 1] - first + 127) / 128; ++r) {\n    if (__syncthreads_count(a > 9) >= 128) break;\n    s[t] = in[first + 128 * r + t];\n    " + meet +
			"\n    for (int i = 0; i < 128 && a < 9; ++i) a += s[i];\n  }\n  out[blockIdx.x * 128 + t] = a;\n}\nvoid run(const int* in, const int* ends, int* out, int n) { k<<<n, 128>>>(in, ends, out); }\n"
		r, err := verdictOfText(t, "k.cu", text, nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%q: %v, %v, %v, %v; want %s", meet, err, r.Verdict, r.Reasons, r.Findings, want)
		}
	}
}

// TestRoundsThatDataEnd: a loop that data end for all threads alike holds only if the rounds that were tried show all that its counters make it do.
func TestRoundsThatDataEnd(t *testing.T) {
	for _, c := range []struct {
		begin, meets, next string
		holds              bool
	}{
		{"int i = 0;", "i >= 0", "i++;", true},
		{"int i = 0;", "true", "i = i == 3 ? 0 : i + 1;", true},
		{"int left = 10;", "left != 0", "left--;", false},
		{"int bit = 1;", "bit != 32", "bit <<= 1;", false},
		{"int i = 1;", "i != 81", "i *= 3;", false},
		{"int i = 0;", "i / 4 % 5 != 4", "i++;", false},
		{"int i = 0;", "i >> 3 != 2", "i++;", false},
		{"int i = 0;", "i != 5", "i = i == 6 ? 0 : i + 1;", false},
		{"int i = 0;", "i != 500", "i++;", false},
		{"", "count != 10", "__syncthreads(); if (t == 0) count = count + 1;", false},
	} {
		text := "__global__ void k(const int* in, int* out, const int* more) {\n  __shared__ int s[128];\n  __shared__ int goes, count;\n  const int t = threadIdx.x;\n  if (t == 0) count = 0;\n  " + c.begin +
			"\n  int v = 0;\n  for (int n = 0;; n++) {\n    if (t == 0) goes = more[n];\n    __syncthreads();\n    if (goes == 0) break;\n    __syncthreads();\n    s[t] = in[n * 128 + t];\n    if (" + c.meets +
			") __syncthreads();\n    v += s[127 - t];\n    " + c.next + "\n  }\n  out[t] = v;\n}\nvoid run(const int* in, int* out, const int* more) { k<<<1, 128>>>(in, out, more); }\n"
		r, err := verdictOfText(t, "k.cu", text, nil)
		if err != nil || (r.Verdict == engine.Holds) != c.holds {
			t.Errorf("%s %s %s: %v, %v, %v; holds should be %v", c.begin, c.meets, c.next, err, r.Verdict, r.Reasons, c.holds)
		}
	}
}

// TestTicketsAndLocks: a loop that takes the next ticket ends whatever others do; one that wants a value, or gives back what it took too much, waits for them.
func TestTicketsAndLocks(t *testing.T) {
	for _, c := range []struct {
		loop  string
		holds bool
	}{
		{"for (int i; (i = atomicAdd(word, 1)) < n;) out[i] = 1;", true},
		{"while (atomicAdd(word, 1) < n);", true},
		{"while (atomicDec((unsigned*)word, 7) > 3);", true},
		{"while (atomicAdd(word, 1) != 0) atomicSub(word, 1);", false},
		{"while (atomicAdd(word, 1) > 3) atomicSub(word, 1);", false},
		{"while (atomicSub(word, 1) <= 0) atomicAdd(word, 1);", false},
		{"while (atomicInc((unsigned*)word, 7) != 0);", false},
		{"while (atomicAdd(word, 0) < n);", false},
		{"while (atomicExch(word, 1));", false},
	} {
		text := "__global__ void __launch_bounds__(32) k(int* word, int* out, int n) {\n  if (threadIdx.x == 0) {\n    " + c.loop + "\n  }\n}\n"
		r, err := verdictOfText(t, "k.cu", text, nil)
		if err != nil || (r.Verdict == engine.Holds) != c.holds {
			t.Errorf("%s: %v, %v, %v; holds should be %v", c.loop, err, r.Verdict, r.Reasons, c.holds)
		}
	}
}
