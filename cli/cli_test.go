package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// result is what one invocation did.
type result struct {
	code           int
	stdout, stderr string
}

// invoke runs the program in dir with an environment of exactly env.
func invoke(t *testing.T, dir string, env map[string]string, args ...string) result {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code := Main(context.Background(), args, strings.NewReader(""), &out, &errs, func(k string) string { return env[k] })
	return result{code, out.String(), errs.String()}
}

// write makes files below a fresh directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// zeroCount is wrong on its face, so it is found without an engine.
const zeroCount = `import cutlass
import cutlass.cute as cute


@cute.kernel
def zero_count():
    smem = cutlass.utils.SmemAllocator()
    gate = smem.allocate_array(cutlass.Int64, 1)
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_init(gate, 0)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
`

const clean = `import cutlass.cute as cute


@cute.kernel
def barrier_only():
    cute.arch.sync_threads()
`

func TestUsage(t *testing.T) {
	dir := write(t, map[string]string{"clean.py": clean, "zero.py": zeroCount, "sized.py": strings.Replace(clean, "\n\n@", "\nSIZE = 4\n\n\n@", 1), "bad.yaml": "rulez: {}\n", "norule.yaml": "rules: {FP999: off}\n", "wrap.yaml": "wrappers: {w: nonsense(ptr=$0)}\n"})
	tests := []struct {
		args   string
		code   int
		stderr string
		stdout string
	}{
		{"clean.py", 0, "", ""},
		{"check clean.py", 0, "", ""},
		{"help", 0, "", "exit codes:"},
		{"--help", 0, "", "fencepost explain FP101"},
		{"check --help", 0, "", "--limit-states"},
		{"help model", 0, "", "--promela"},
		{"help model", 0, "", "uniformity"},
		{"help barriers", 0, "", "--launch"},
		{"help barrier", 2, "did you mean \"barriers\"?", ""},
		{"help model barriers", 2, "help takes one command", ""},
		{"version", 0, "", "fencepost "},
		{"rules", 0, "", "literal-wait-phase"},
		{"explain FP101", 0, "", "## What it finds"},
		{"explain literal-wait-phase", 0, "", "## What it finds"},
		{"explain FP999", 2, "no rule \"FP999\"", ""},
		{"explain literal-wait-phse", 2, "did you mean literal-wait-phase?", ""},
		{"explain", 2, "fencepost explain FP101", ""},
		{"chekc", 2, "did you mean \"check\"?", ""},
		{"chekc clean.py", 2, "did you mean \"check\"?", ""},
		{"clean.py --formt json", 2, "did you mean --format?", ""},
		{"clean.py --xyzzyx", 2, "fencepost check --help", ""},
		{"clean.py --format xml", 2, "want one of text, json", ""},
		{"clean.py --format", 2, "needs a value", ""},
		{"clean.py --output sarif", 2, "want FORMAT=PATH", ""},
		{"clean.py --output exe=x", 2, "no format \"exe\"", ""},
		{"clean.py --shard 3/2", 2, "INDEX/COUNT", ""},
		{"clean.py --set STAGES", 2, "NAME=VALUE", ""},
		{"zero.py --set STAGES=2", 2, "no kernel that was checked has a constant or parameter STAGES; nothing can be set here", ""},
		{"sized.py --set SIZES=2", 2, "no kernel that was checked has a constant or parameter SIZES; what can be set is SIZE", ""},
		{"sized.py --set SIZE=2", 0, "", ""},
		{"clean.py --limit-memory lots", 2, "256MiB", ""},
		{"clean.py --limit-time -1s", 2, "negative", ""},
		{"clean.py --staged --diff HEAD", 2, "one of them", ""},
		{"clean.py --diff HEAD", 2, "git", ""},
		{"missing.py", 2, "missing.py", ""},
		{"clean.py --config bad.yaml", 2, "bad.yaml:1", ""},
		{"clean.py --config norule.yaml", 2, "norule.yaml:1: there is no rule FP999", ""},
		{"clean.py --config wrap.yaml", 2, "wrap.yaml:1", ""},
		{"clean.py --config bad.yaml --no-config", 2, "one of them", ""},
		{"config verify", 0, "", "no configuration file"},
		{"config verify bad.yaml", 2, "bad.yaml:1", ""},
		{"config check", 2, "config takes `verify`", ""},
		{"merge", 2, "at least one report", ""},
		{"merge clean.py", 2, "--output json=FILE", ""},
		{"model", 2, "one FILE", ""},
		{"model clean.py:nothing", 2, "no kernel \"nothing\"", ""},
		{"rules FP101", 2, "fencepost explain FP101", ""},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			r := invoke(t, dir, nil, strings.Fields(test.args)...)
			if r.code != test.code || !strings.Contains(r.stderr, test.stderr) || !strings.Contains(r.stdout, test.stdout) {
				t.Errorf("exit code %d, want %d\nstderr: %swant in it: %q\nstdout: %.300s\nwant in it: %q",
					r.code, test.code, r.stderr, test.stderr, r.stdout, test.stdout)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	dir := write(t, map[string]string{"zero.py": zeroCount, "clean.py": clean, "off.yaml": "rules: {FP107: off}\n", "warn.yaml": "rules: {FP107: warning}\n"})
	tests := []struct {
		args string
		code int
	}{
		{"zero.py --engine none", 1},
		{"--engine none zero.py clean.py", 1},
		{"--engine none", 1}, // without a path: everything below
		{"--engine none clean.py", 0},
		{"--engine none zero.py --fail-on never", 0},
		{"--engine none zero.py --config off.yaml", 0},
		{"--engine none zero.py --config warn.yaml", 0},
		{"--engine none zero.py --config warn.yaml --fail-on warning", 1},
		{"--engine=none -- zero.py", 1},
	}
	for _, test := range tests {
		if r := invoke(t, dir, nil, strings.Fields(test.args)...); r.code != test.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", test.args, r.code, test.code, r.stdout, r.stderr)
		}
	}
}

func TestOutputs(t *testing.T) {
	dir := write(t, map[string]string{"zero.py": zeroCount})
	r := invoke(t, dir, nil, "check", "--engine", "none", "--format", "text", "--output", "json=r.json", "--output", "sarif=r.sarif",
		"--output", "markdown=r.md", "--output", "outputs=r.out", "zero.py")
	if r.code != 1 || !strings.Contains(r.stdout, "zero.py:10:") || !strings.Contains(r.stdout, "FP107") {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for name, want := range map[string]string{
		"r.json": `"fencepost/v1"`, "r.sarif": `"2.1.0"`, "r.md": "FP107", "r.out": "findings=1\nverdicts=inconclusive=1\n",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v, want %q in it, got %.300s", name, err, want, data)
		}
	}
}

// A longer file that was there before leaves nothing behind.
func TestOutputReplaces(t *testing.T) {
	dir := write(t, map[string]string{"clean.py": clean, "r.json": strings.Repeat("x", 1<<20)})
	invoke(t, dir, nil, "--engine", "none", "--output", "json=r.json", "clean.py")
	data, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil || !json.Valid(data) {
		t.Errorf("%v: r.json is not JSON: %.100s", err, data)
	}
}

// Shards cover every file once, and their merged reports are the report of one run.
func TestShardsMerge(t *testing.T) {
	dir := write(t, map[string]string{"a.py": zeroCount, "b.py": clean, "c/d.py": zeroCount, "e.py": zeroCount, "f.py": clean})
	whole := invoke(t, dir, nil, "--engine", "none", "--format", "json")
	args := []string{"merge", "--format", "json"}
	for _, i := range []string{"1", "2", "3"} {
		invoke(t, dir, nil, "--engine", "none", "--shard", i+"/3", "--output", "json="+i+".json")
		args = append(args, i+".json")
	}
	merged := invoke(t, dir, nil, args...)
	if merged.code != 1 {
		t.Errorf("exit code %d, want 1: %s", merged.code, merged.stderr)
	}
	if a, b := untimed(t, whole.stdout), untimed(t, merged.stdout); a != b {
		t.Errorf("merged report differs from a single run's\nsingle: %s\nmerged: %s", a, b)
	}
}

// untimed takes the times out of a JSON report.
func untimed(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "ms")
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// What is printed does not depend on how many workers there are, nor on the order of the paths.
func TestDeterministic(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py", "e.py", "f.py"} {
		files[name] = zeroCount
	}
	dir := write(t, files)
	one := invoke(t, dir, nil, "--engine", "none", "--format", "json", "--jobs", "1", "a.py", "b.py", "c.py", "d.py", "e.py", "f.py")
	many := invoke(t, dir, nil, "--engine", "none", "--format", "json", "--jobs", "6", "f.py", "b.py", "e.py", "d.py", "c.py", "a.py")
	if a, b := untimed(t, one.stdout), untimed(t, many.stdout); a != b {
		t.Errorf("one worker: %s\nsix: %s", a, b)
	}
}

// Paths outside of the working directory are checked from their own directory.
func TestPathOutside(t *testing.T) {
	dir := write(t, map[string]string{"k/zero.py": zeroCount, "elsewhere/x": ""})
	r := invoke(t, filepath.Join(dir, "elsewhere"), nil, "--engine", "none", "../k/zero.py")
	if r.code != 1 || !strings.Contains(r.stdout, "zero.py:10:") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// Files that hold no kernel, or cannot be read, are no failure.
func TestUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"big.cu": strings.Repeat("// __syncthreads\n", 200_000), "notes.txt": "mbarrier", "empty.py": ""})
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.py")); err != nil {
		t.Skip(err)
	}
	r := invoke(t, dir, nil, "--engine", "none", "big.cu", "notes.txt", "empty.py", "link.py")
	if r.code != 0 || strings.Contains(r.stdout, "root:") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, want := range []string{"big.cu", "link.py"} {
		if !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("nothing says that %s was not read:\n%s%s", want, r.stdout, r.stderr)
		}
	}
}

func TestPullRequestBase(t *testing.T) {
	sha := strings.Repeat("ab", 20)
	dir := write(t, map[string]string{
		"good.json":    `{"pull_request":{"base":{"sha":"` + sha + `"}}}`,
		"hostile.json": `{"pull_request":{"base":{"sha":"--output=/tmp/x"}}}`,
		"broken.json":  `{"pull_request":`,
	})
	tests := []struct {
		event, ref, file, want string
		err                    bool
	}{
		{event: "push", want: ""},
		{event: "pull_request", ref: "refs/pull/7/merge", want: "HEAD^1"},
		{event: "pull_request", ref: "refs/heads/x", file: "good.json", want: sha},
		{event: "pull_request", file: "hostile.json", err: true},
		{event: "pull_request", file: "broken.json", err: true},
		{event: "pull_request", file: "missing.json", err: true},
	}
	for _, test := range tests {
		env := map[string]string{"GITHUB_EVENT_NAME": test.event, "GITHUB_REF": test.ref, "GITHUB_EVENT_PATH": filepath.Join(dir, test.file)}
		got, err := pullRequestBase(func(k string) string { return env[k] })
		if got != test.want || (err != nil) != test.err {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
}

func TestProgress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "waits.jsonl")
	text := `{"id":"flag","threads":[[{"loc":0,"check":0,"jump":1,"exch":true,"value":1}],[{"loc":0,"check":0,"jump":0}]],"expected":{"weak_fair":true}}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	litmus := func(name string) string { return "../testdata/litmus/" + name + ".litmus" }
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{file}, ExitClean, "flag: always ends under weak_hsa, and under no weaker model\n"},
		{[]string{"--model", "all", file}, ExitClean, "lobe      always ends       always ends"},
		{[]string{"--model", "weak_obe", file}, ExitClean, "then, for ever\n      1. thread 1 at 0: cell 0 is 0; again"},
		{[]string{"--format", "json", file}, ExitClean, `"weak_obe":false`},
		{[]string{"--model", "weak_obe", "--cooperative", file}, ExitClean, "weak_obe: may run for ever"},
		{[]string{"--model", "weak_cuda", "--cooperative", file}, ExitClean, "weak_cuda: always ends"},
		{[]string{"--model", "weak_obe", litmus("wait-acquire")}, ExitClean, "1. P1, line 8: ld.acquire.gpu r0, flag finds 0; again"},
		{[]string{"--model", "weak_cuda", "--cooperative", litmus("wait-acquire")}, ExitClean, "weak_cuda: always ends"},
		{[]string{"../testdata/progress/idioms.cu"}, ExitClean, "by_ticket: always ends under weak_obe, and under no weaker model\n  within CTAs = 3; threads = 2 instead of 32\n"},
		{[]string{"--ctas", "2", "--format", "json", "../testdata/progress/idioms.cu"}, ExitClean, `"within":"CTAs = 2`},
		{[]string{"--model", "weak_hsa", "../testdata/progress/idioms.cu"}, ExitClean, "atomicExch(word, 1) != 0 finds 1; again\n"},
		{[]string{"--ctas", "2", "--model", "weak_hsa", "../testdata/progress/idioms.ptx"}, ExitClean, "_Z8two_waysPi: always ends under weak_fair, and under no weaker model\n  within CTAs = 2; threads = 2, how many are launched is not known\n"},
		{[]string{"--ctas", "2", "--model", "weak_hsa", "../testdata/progress/idioms.ptx"}, ExitClean, "ld.acquire.gpu.global.s32 (./idioms.cu:6) finds 0; again\n"},
		{[]string{"../check/barriers/testdata/product.ptx"}, ExitInternal, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32: this is not followed thread by thread\n"},
		{[]string{"../testdata/ring/right.py"}, ExitClean, "within ctas = 1; k_tiles = "},
		{[]string{"--model", "all", "../testdata/circle/right.py"}, ExitClean, "hsa       not decided       not decided"},
		{[]string{"../testdata/circle/right.cu"}, ExitInternal, "an mbarrier counts threads, and fewer are executed than are launched"},
		{[]string{"../testdata/rules/FP303/spin.cu"}, ExitClean, "taken for granted: loops whose end depends on data end"},
		{[]string{"../README.cu"}, ExitUsage, ""},
		{[]string{litmus("barrier-count")}, ExitInternal, "inconclusive: ../testdata/litmus/barrier-count.litmus: line 8"},
		{[]string{"--format", "json", litmus("barrier-count")}, ExitInternal, `"reason":"`},
		{[]string{"--model", "weak_odd", file}, ExitUsage, ""},
		{[]string{}, ExitUsage, ""},
		{[]string{file + "x"}, ExitUsage, ""},
	} {
		var out, errs strings.Builder
		code := Main(context.Background(), append([]string{"progress"}, c.args...), nil, &out, &errs, func(string) string { return "" })
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit %d, want %d:\n%s%s", c.args, code, c.code, out.String(), errs.String())
		}
	}
	wrong := strings.Replace(text, "true}}", "false}}", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if code := Main(context.Background(), []string{"progress", file}, nil, &out, &errs, func(string) string { return "" }); code != ExitFindings || !strings.Contains(out.String(), "expects otherwise") {
		t.Errorf("a file that expects otherwise: exit %d\n%s", code, out.String())
	}
}

func TestLitmus(t *testing.T) {
	dir := filepath.Join("..", "testdata", "litmus")
	test := func(name string) string { return filepath.Join(dir, name+".litmus") }
	broken := filepath.Join(t.TempDir(), "broken.litmus")
	if err := os.WriteFile(broken, []byte("PTX broken\n{\n}\nP0@cta 0,gpu 0 ;\nld.weak r0 ;\nexists (0==0)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"litmus", test("mp-weak")}, ExitClean, "Test mp-weak Allowed\nStates 4\nP1:r0=0; P1:r1=0;\n"},
		{[]string{"litmus", test("mp-weak")}, ExitClean, "Ok\nWitnesses\nPositive: 1 Negative: 3\nCondition exists (P1:r0 == 1 /\\ P1:r1 == 0)\nObservation mp-weak Sometimes 1 3\n"},
		{[]string{"litmus", test("mp-fences")}, ExitClean, "Observation mp-fences Never 0 3\n"},
		{[]string{"litmus", test("atomic-add")}, ExitClean, "Observation atomic-add Always 2 0\n"},
		{[]string{"litmus", "--property", "race", test("mp-weak")}, ExitFindings, "data races: c f, d e"},
		{[]string{"litmus", "--property", "termination", test("wait-wrong-value")}, ExitFindings, "goes round for ever"},
		{[]string{"litmus", test("ring-stage-no-fence")}, ExitClean, "engine writes s = 2"},
		{[]string{"litmus", "--model", "ptx-v7.5", test("ring-stage")}, ExitInternal, "Inconclusive"},
		{[]string{"litmus", "--dot", test("mp-weak")}, ExitClean, `[label="rf", color=red`},
		{[]string{"litmus", "--model", "ptx-v6.0", "--format", "json", test("proxy-fence")}, ExitInternal, `"verdict":"inconclusive","observable":false`},
		{[]string{"litmus", "--format", "json", "--jobs", "2", dir}, ExitClean, `mp-weak.litmus","model":"ptx-async","property":"spec","verdict":"pass","observable":true,"ms":`},
		{[]string{"litmus", broken}, ExitUsage, "line 5: ld.weak has 1 operands"},
		{[]string{"litmus"}, ExitUsage, "fencepost litmus test.litmus"},
		{[]string{"litmus", "--model", "x86", test("mp-weak")}, ExitUsage, "ptx-v7.5"},
		{[]string{"memory", "model", "ptx-v6.0"}, ExitClean, "acyclic rf | dep as no-thin-air"},
		{[]string{"memory", "model", "x86"}, ExitUsage, "there are ptx-v6.0, ptx-v7.5, ptx-async"},
	} {
		var out, errs strings.Builder
		code := Main(context.Background(), c.args, nil, &out, &errs, func(string) string { return "" })
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", c.args, code, c.code, c.want, out.String(), errs.String())
		}
	}
}
