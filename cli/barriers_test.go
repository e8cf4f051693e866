package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestBarriers(t *testing.T) {
	t.Chdir("../check/barriers")
	const at = "testdata/"
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{at + "exchange.ptx", ExitClean, []string{"exchange", "  384  ", "holds"}},
		{at + "deadlock.ptx", ExitFindings, []string{"deadlock.cu:6: error: deadlock: ", "thread 32: bar.sync 1, 64"}},
		{"--kernel phases_late --findings 1 " + at + "phases.ptx", ExitFindings, []string{"error: race: ", "more; --findings"}},
		{"--kernel phases_open " + at + "phases.ptx", ExitClean, []string{"holds", "assumed: tried phases_open_param_2 = 0, 1, 2, 3"}},
		{"--kernel phases_open --param phases_open_param_2=3 " + at + "phases.ptx", ExitClean, []string{"holds", "parameters phases_open_param_2=3"}},
		{"--param phases_open_param_2=3 " + at + "phases.ptx", ExitFindings, []string{"parameters phases_open_param_2=3"}},
		{"--graph " + at + "exchange.ptx", ExitClean, []string{`digraph "exchange"`, `[label="barrier 1, generation 2"]`, "n0 -> n"}},
		{"--block 32 " + at + "exchange.ptx", ExitFindings, []string{"error: deadlock: "}},
		{"--kernel sum_right " + at + "premises.ptx", ExitClean, []string{"held for blocks of 32, 48, 128, 256 threads", "not blocks of 1024 threads: ", "behind the end of"}},
		{"--kernel sum_broken " + at + "premises.ptx", ExitInternal, []string{"warning: race: ", "violated for blocks of 32, 48, 128, 256 threads", "any CTA of 128x1x1 threads"}},
		{"--kernel sum_broken --block 64 " + at + "premises.ptx", ExitFindings, []string{"error: race: ", "any CTA of 64x1x1 threads"}},
		{"--kernel turn_right --launch *_broken=block:[8,8] --launch turn*=grid:[1,1],block:[16,16] --kernel sum_broken " + at + "premises.ptx", ExitFindings, []string{"turn_right: assumed: any CTA of 16x16x1 threads", "sum_broken: assumed: any CTA of 8x8x1 threads"}},
		{"--kernel tail_broken " + at + "premises.ptx", ExitFindings, []string{"error: deadlock: ", "parameters tail_broken_param_2=1", "tried tail_broken_param_2 = 0, 1"}},
		{"--block 2048 --kernel sum_broken " + at + "premises.ptx", ExitFindings, []string{"more than 1024 threads, as it is stated"}},
	} {
		r := invoke(t, ".", nil, append([]string{"barriers"}, strings.Fields(c.args)...)...)
		code, out, errs := r.code, r.stdout, r.stderr
		if code != c.code {
			t.Errorf("%s: exit code %d, expected %d\n%s%s", c.args, code, c.code, out, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", c.args, want, out)
			}
		}
	}
}

func TestBarriersJSON(t *testing.T) {
	out := invoke(t, "../check/barriers", nil, "barriers", "--format", "json", "testdata/recycling.ptx").stdout
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, expected one a kernel:\n%s", len(lines), out)
	}
	var r struct {
		Kernel, Verdict string
		Checks          map[string]string
		Barriers        int
		Findings        []struct {
			Check  string
			Points []struct {
				At     string
				Thread int
			}
		}
	}
	if err := json.Unmarshal([]byte(lines[1]), &r); err != nil {
		t.Fatal(err)
	}
	if r.Kernel != "recycling_unsafe" || r.Verdict != "violated" || r.Checks["recycling"] != "violated" || r.Checks["race"] != "inconclusive" ||
		r.Barriers != 4 || len(r.Findings) != 1 || r.Findings[0].Points[1].Thread != 32 {
		t.Errorf("got %+v", r)
	}
}

// TestBarriersPremises: what was guessed and tried is in the JSON.
func TestBarriersPremises(t *testing.T) {
	out := invoke(t, "../check/barriers", nil, "barriers", "--format", "json", "--kernel", "rounds_broken", "testdata/premises.ptx").stdout
	var r struct {
		Verdict string
		Guessed bool
		Block   [3]int
		Shapes  []struct {
			Block   [3]int
			Verdict string
			LeftOut string `json:"left_out"`
		}
		Numbers  map[string][]int64
		Params   map[string]int64
		Findings []struct{ Severity string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != "violated" || !r.Guessed || r.Block != [3]int{128, 1, 1} || len(r.Shapes) != 5 || r.Shapes[2].Verdict != "violated" || r.Shapes[4].LeftOut == "" ||
		len(r.Numbers["rounds_broken_param_2"]) != 3 || r.Params["rounds_broken_param_2"] != 2 || len(r.Findings) == 0 || r.Findings[0].Severity != "warning" {
		t.Errorf("got %+v", r)
	}
}

func TestBarriersUsage(t *testing.T) {
	t.Chdir("../check/barriers")
	for args, want := range map[string]string{
		"":                                        "at least one file of PTX or CUDA C++",
		"nowhere.ptx":                             "nowhere.ptx",
		"--block 0x --kernel a b.ptx":             "b.ptx",
		"--block a b.ptx":                         "32,4",
		"--param n b.ptx":                         "NAME=INTEGER",
		"--block 40960 testdata/exchange.ptx":     "1 to 16384 threads",
		"--param n=1 testdata/exchange.ptx":       "has a parameter n",
		"--kernel nobody testdata/exchange.ptx":   "no kernel",
		"--limit-time soon testdata/exchange.ptx": "10s",
		"--limit-memory lots testdata/phases.ptx": "256MiB",
		"--findings 0 testdata/exchange.ptx":      "at least 1",
		"--launch k testdata/exchange.ptx":        "'*=grid:[1,1],block:[8,8]'",
		"--launch *=block:[0] b.ptx":              "1 or more",
		"--launch *=block:[8],block:[8] b.ptx":    "want a pattern",
		"--launch *=size:[8] b.ptx":               "want a pattern",
		"--launch x*=block:[8] testdata/ring.ptx": "no kernel that was checked is called x*",
		"--cluster 4,4,4 testdata/exchange.ptx":   "1 to 16 CTAs",
	} {
		r := invoke(t, ".", nil, append([]string{"barriers"}, strings.Fields(args)...)...)
		code, out, errs := r.code, r.stdout, r.stderr
		if code != ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}

// TestStatedInConfig: what the configuration file states of a launch is taken where no flag says other.
func TestStatedInConfig(t *testing.T) {
	const kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one(){\nbar.sync 0;\nret;\n}\n"
	dir := write(t, map[string]string{"k.ptx": kernel, ".fencepost.yaml": "launch:\n- {kernel: 'two', block: [32]}\n- {kernel: 'o*', block: [64], grid: [1]}\n- {kernel: '*', block: [96]}\n",
		"other.yaml": "launch:\n- {kernel: '*', block: [128]}\n", "bad.yaml": "launch:\n- {kernel: '*', blocks: [128]}\n"})
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", ExitClean, "any CTA of 64x1x1 threads"},
		{"--block 32", ExitClean, "of 32x1x1 threads"},
		{"--block 32 --launch o*=grid:[2]", ExitClean, "any CTA of 32x1x1 threads"},
		{"--launch one=grid:[2]", ExitClean, "any CTA of 64x1x1 threads"},
		{"--config other.yaml", ExitClean, "any CTA of 128x1x1 threads"},
		{"--no-config", ExitClean, "held for blocks of 32"},
		{"--config bad.yaml", ExitUsage, `bad.yaml:2: unknown key "blocks" (did you mean block?)`},
	} {
		r := invoke(t, dir, nil, append([]string{"barriers", "k.ptx"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit code %d, expected %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// TestCombinations: of two integers it is said how many of their combinations were tried, as these are not all.
func TestCombinations(t *testing.T) {
	loop := func(k int) string {
		return strings.ReplaceAll("mov.u32 %r0, 0;\nLK:\nsetp.ge.s32 %p1, %r0, %rK;\n@%p1 bra EK;\nbar.sync 0;\nadd.s32 %r0, %r0, 1;\nbra LK;\nEK:\n", "K", strconv.Itoa(k))
	}
	dir := write(t, map[string]string{"k.ptx": ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u32 m)\n.reqntid 64\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [m];\n" +
		loop(1) + loop(2) + "ret;\n}\n"})
	r := invoke(t, dir, nil, "barriers", "k.ptx")
	for _, want := range []string{"holds", "tried m = 0, 1, 2", "tried n = 0, 1, 2", "combinations of these"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in %s%s", want, r.stdout, r.stderr)
		}
	}
}
