package check

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestOrderOnTestdata: engine/order and engine/explore agree on the kernels of testdata that both can decide.
func TestOrderOnTestdata(t *testing.T) {
	tree := openTestdata(t)
	decided := 0
	for _, k := range loweredFiles(t, tree) {
		if k.verdict == "inconclusive" {
			continue // it may have no model
		}
		for _, p := range smallKernel(t, tree, &k).Instances {
			q, err := order.FromProtocol(p)
			if err != nil || p.Premise != nil {
				continue
			}
			r, e := order.Verify(q, order.Options{}), explore.Check(context.Background(), p, engine.Limits{})
			ordered := true
			for c := range order.Race {
				ordered = ordered && r.Answers[c].Verdict == engine.Holds
			}
			for _, both := range []struct {
				check order.Check
				prop  protocol.Property
			}{{order.Deadlock, protocol.Deadlock}, {order.Race, protocol.Race}, {order.Arrivals, protocol.Arrivals}, {order.Attribution, protocol.Attribution}, {order.Phase, protocol.Phase}} {
				mine, its := r.Answers[both.check].Verdict, e.Properties[both.prop].Verdict
				if ordered && mine == engine.Holds && its == engine.Violated || mine == engine.Violated && its == engine.Holds && !e.Wrong() {
					t.Errorf("%s %v: %s: order says %s, explore %s: %+v", k.name, p.Values, both.check, mine, its, r.Findings)
				}
			}
			if r.Verdict != engine.Inconclusive {
				decided++
			}
		}
	}
	if t.Logf("%d instances decided", decided); decided < 40 {
		t.Errorf("%d instances of testdata are decided; want 40", decided)
	}
}

// TestBalancedRoles: a CTA barrier in one role is a warning, unless all threads meet it in each of its generations.
func TestBalancedRoles(t *testing.T) {
	const head = "__global__ void __launch_bounds__(64) kernel(int *data) {\n  int warp = threadIdx.x / 32;\n"
	for _, test := range []struct{ name, body, want string }{
		{"the others meet it later", "if (warp == 0) {\n __syncthreads();\n }\n if (warp == 1) {\n __syncthreads();\n }\n", ""},
		{"the others meet it once less", "if (warp == 0) {\n __syncthreads();\n }\n __syncthreads();\n", "warning FP403"},
		{"not all is known", "if (warp == 0) {\n __syncthreads();\n }\n if (warp == 1) {\n __syncthreads();\n }\n while (data[0] > 1) {\n __syncthreads();\n }\n", "warning FP403 warning FP403"},
	} {
		r, err := run(t, map[string]string{"k.cu": head + test.body + "}\n"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			if !f.Cleared {
				got = append(got, fmt.Sprint(f.Severity, " ", f.Rule))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q: %+v", test.name, got, test.want, r.Kernels)
		}
	}
}

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
		{"one id for the next pair, not in turn", "a1/64 | s1/64 a2/64 | a1/64 | s2/64 s1/64", "violated", "FP408"},
		{"one id with two counts, kept apart by another", "a1/64 | s1/64 a2/96 | s2/96 s1/96 | s2/96 a1/96 | ", "violated", "FP120"},
		{"two counts, and all of them come", "a1/64 a3/64 | s1/64 a2/96 s1/96 | s2/96 s1/96 | s2/96 a1/96 s3/64", "holds", ""},
		{"two counts, not kept apart", "a1/64 s3/64 | s1/64 s1/96 | s1/96 | a1/96 a3/64", "violated", "FP408 FP408"},
		{"a ring", "s1/64 a2/64 | s2/64 a3/64 | s3/64 a1/64", "violated", "FP120"},
		{"a warp that comes twice", "a1/96 a1/96 | s1/96", "violated", "FP410"},
	} {
		r, err := run(t, map[string]string{"k.cu": kernel(test.warps)}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%s: %v, %d kernels", test.name, err, len(r.Kernels))
		}
		var got []string
		for _, f := range r.Findings {
			if got = append(got, f.Rule); f.Severity == finding.Note {
				got[len(got)-1] += " note"
			}
		}
		if r.Kernels[0].Verdict != test.verdict || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s %q, want %s %q\n%+v", test.name, r.Kernels[0].Verdict, got, test.verdict, test.want, r.Kernels[0])
		}
	}
}
