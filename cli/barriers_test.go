package cli

import (
	"encoding/json"
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
		{"--kernel phases_open " + at + "phases.ptx", ExitInternal, []string{"inconclusive", "phases_open_param_2"}},
		{"--kernel phases_open --param phases_open_param_2=3 " + at + "phases.ptx", ExitClean, []string{"holds", "parameters phases_open_param_2=3"}},
		{"--param phases_open_param_2=3 " + at + "phases.ptx", ExitFindings, []string{"parameters phases_open_param_2=3"}},
		{"--graph " + at + "exchange.ptx", ExitClean, []string{`digraph "exchange"`, `[label="barrier 1, generation 2"]`, "n0 -> n"}},
		{"--block 32 " + at + "exchange.ptx", ExitFindings, []string{"error: deadlock: "}},
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

func TestBarriersUsage(t *testing.T) {
	t.Chdir("../check/barriers")
	for args, want := range map[string]string{
		"":                                        "at least one .ptx file",
		"nowhere.ptx":                             "nowhere.ptx",
		"--block 0x --kernel a b.ptx":             "b.ptx",
		"--block a b.ptx":                         "32,4",
		"--param n b.ptx":                         "NAME=INTEGER",
		"--block 4096 testdata/exchange.ptx":      "1 to 1024 threads",
		"--param n=1 testdata/exchange.ptx":       "has a parameter n",
		"--kernel nobody testdata/exchange.ptx":   "no kernel",
		"--limit-time soon testdata/exchange.ptx": "10s",
		"--limit-memory lots testdata/phases.ptx": "256MiB",
		"--findings 0 testdata/exchange.ptx":      "at least 1",
		"--cluster 4,4,4 testdata/exchange.ptx":   "1 to 16 CTAs",
	} {
		r := invoke(t, ".", nil, append([]string{"barriers"}, strings.Fields(args)...)...)
		code, out, errs := r.code, r.stdout, r.stderr
		if code != ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}
