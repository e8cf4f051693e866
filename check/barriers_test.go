package check

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamedBarriersOfRoles: barriers of warps with roles are judged by what meets, in every order of the warps.
func TestNamedBarriersOfRoles(t *testing.T) {
	// A kernel of four warps, with what each runs: s1/64 is bar.sync 1, 64 and a1/64 bar.arrive 1, 64.
	kernel := func(warps string) string {
		var b strings.Builder
		b.WriteString("__global__ void __launch_bounds__(128) kernel() {\n  int warp = threadIdx.x / 32;\n")
		for i, commands := range strings.Split(warps, " | ") {
			fmt.Fprintf(&b, "  if (warp == %d) {\n", i)
			for _, c := range strings.Fields(commands) {
				id, n, _ := strings.Cut(c[1:], "/")
				fmt.Fprintf(&b, "    asm volatile(\"bar.%s %s, %s;\" ::: \"memory\");\n", map[byte]string{'s': "sync", 'a': "arrive"}[c[0]], id, n)
			}
			b.WriteString("  }\n")
		}
		b.WriteString("}\n")
		return b.String()
	}
	for _, test := range []struct{ name, warps, verdict, want string }{
		{"handed on from warp to warp", "a1/64 | s1/64 a2/64 | s2/64 a3/64 | s3/64", "holds", ""},
		{"one id for the next pair, in turn", "a1/64 | s1/64 a2/96 | s2/96 a1/64 | s2/96 s1/64", "holds", ""},
		{"one id for the next pair, not in turn", "a1/64 | s1/64 a2/64 | a1/64 | s2/64 s1/64", "violated", "FP120 FP408"},
		{"one id with two counts, kept apart by another", "a1/64 | s1/64 a2/96 | s2/96 s1/96 | s2/96 a1/96 | ", "violated", "FP120"},
		{"two counts, and all of them come", "a1/64 a3/64 | s1/64 a2/96 s1/96 | s2/96 s1/96 | s2/96 a1/96 s3/64", "holds", ""},
		{"two counts, not kept apart", "a1/64 s3/64 | s1/64 s1/96 | s1/96 | a1/96 a3/64", "inconclusive", "FP405"},
		{"a ring", "s1/64 a2/64 | s2/64 a3/64 | s3/64 a1/64", "violated", "FP120"},
		{"a warp that comes twice", "a1/96 a1/96 | s1/96", "holds", "FP408"},
	} {
		r, err := run(t, map[string]string{"k.cu": kernel(test.warps)}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%s: %v, %d kernels", test.name, err, len(r.Kernels))
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Rule)
		}
		if r.Kernels[0].Verdict != test.verdict || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s %q, want %s %q\n%+v", test.name, r.Kernels[0].Verdict, got, test.verdict, test.want, r.Kernels[0])
		}
	}
}
