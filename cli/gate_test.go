package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	right      = "__global__ void right(int *p) {\n  __syncthreads();\n}\n"
	wrong      = "__global__ void wrong(int *p) {\n  if (threadIdx.x < 3)\n    __syncthreads();\n}\n"
	undecided  = "__device__ void elsewhere();\n__global__ void undecided(int *p) {\n  elsewhere();\n  __syncthreads();\n}\n"
	repairable = "last_relaxed.cu" // of testdata/publish
	unreadable = "__global__ void right(int *p) {\n  __syncthreads();\n}\n__global__ void unreadable(int *p) {\n  __syncthreads(;\n  p[0] = = 1;\n}\n"
)

// TestGate: what a run insists on decides its exit code, and what failed it is told.
func TestGate(t *testing.T) {
	dir := write(t, map[string]string{"right.cu": right, "wrong.cu": wrong, "undecided.cu": undecided, "unreadable.cu": unreadable,
		"silent.cu": strings.Replace(right, "  __sync", "  // fencepost: ignore[FP101] it was here once\n  __sync", 1),
		"gate.yaml": "fail-on: inconclusive\nrequire-holds: [right]\nstrict: true\n", "odd.yaml": "fail-on: inconclusive,sometimes\n", "pattern.yaml": "require-holds: ['[']\n"})
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"undecided.cu", 0, "1 inconclusive"},
		{"--fail-on inconclusive undecided.cu", 1, "FP903"},
		{"--fail-on never,inconclusive undecided.cu", 1, "FP903"},
		{"--fail-on inconclusive wrong.cu", 1, "FP403"},
		{"--fail-on never,inconclusive wrong.cu", 0, "violated"},
		{"--fail-on inconclusive right.cu", 0, "1 holds"},
		{"--fail-on inconclusive --ignore FP903 undecided.cu", 0, ""},
		{"--fail-on error,warning right.cu", 2, "want one of error"},
		{"--require-holds right right.cu", 0, ""},
		{"--require-holds undec* undecided.cu right.cu", 1, "kernel undecided has to hold (undec*), and is inconclusive"},
		{"--require-holds **/*.cu:right --require-holds *.cu:und* undecided.cu right.cu", 1, "FP904"},
		{"--require-holds undecided --fail-on never undecided.cu", 1, "FP904"},
		{"--require-holds renamed right.cu", 2, "no kernel that was checked is called renamed"},
		{"--require-holds [ right.cu", 2, "no pattern of kernels"},
		{"unreadable.cu", 0, "note: unreadable.cu:5: does not parse"},
		{"--strict unreadable.cu", 1, "FP906"},
		{"--strict right.cu", 0, ""},
		{"--select FP1 wrong.cu", 0, "1 violated"},
		{"--select FP4,literal-wait-phase wrong.cu", 1, "FP403"},
		{"--ignore FP403 --ignore FP120 wrong.cu", 0, ""},
		{"--select FP999 wrong.cu", 2, "there is no rule FP999"},
		{"--select literal-wait-phse wrong.cu", 2, "did you mean literal-wait-phase?"},
		{"--statistics wrong.cu undecided.cu", 1, "     1  FP403  error    barrier-in-divergent-code\n"},
		{"--fail-on warning silent.cu", 1, "FP901"},
		{"--config gate.yaml undecided.cu right.cu", 1, "FP903"},
		{"--config gate.yaml unreadable.cu", 1, "FP906"},
		{"--config gate.yaml wrong.cu", 2, "called right"},
		{"--config odd.yaml right.cu", 2, "odd.yaml:1"},
		{"--config pattern.yaml right.cu", 2, "pattern.yaml:1"},
		{"--stdin-filename k.cu right.cu", 2, "the path - alone"},
		{"- right.cu", 2, "alone"},
		{"--stdin-filename k.txt -", 2, "extension"},
		{"--stdin-filename ../k.cu -", 1, "k.cu:3:"},
	} {
		args := append([]string{"check", "--engine", "explore"}, strings.Fields(c.args)...)
		if r := invokeWith(t, dir, wrong, args...); r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// invokeWith is invoke with a text on standard input.
func invokeWith(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code := Main(context.Background(), args, strings.NewReader(stdin), &out, &errs, func(string) string { return "" })
	return result{code, out.String(), errs.String()}
}

// TestStandardInput: a text is checked as if the file held it, in its language, with what stands beside it.
func TestStandardInput(t *testing.T) {
	dir := write(t, map[string]string{"sub/k.cu": right, "sub/barrier.h": "#define WAIT __syncthreads()\n"})
	ptx := "//\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() .reqntid 64\n{\n  bar.sync 0;\n  ret;\n}\n"
	for _, c := range []struct {
		stdin, args string
		code        int
		want        string
	}{
		{wrong, "-", 1, "stdin.cu:3:"},
		{right, "-", 0, "1 holds"},
		{zeroCount, "--engine none -", 1, "stdin.py:10:"},
		{ptx, "-", 0, "stdin.ptx"},
		{wrong, "--stdin-filename sub/k.cu -", 1, "sub/k.cu:3:"},
		{"#include \"barrier.h\"\n" + strings.Replace(right, "__syncthreads()", "WAIT", 1), "--stdin-filename sub/new.cu -", 0, "1 holds"},
		{"#include \"nowhere.h\"\n" + strings.Replace(right, "__syncthreads()", "WAIT", 1), "--stdin-filename sub/new.cu -", 0, "1 inconclusive"},
		{"", "-", 0, ""},
	} {
		args := append([]string{"check", "--engine", "explore", "--no-cache"}, strings.Fields(c.args)...)
		if r := invokeWith(t, dir, c.stdin, args...); r.code != c.code || !strings.Contains(r.stdout, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// TestBaseline: what was known is not told again, what is new is, what is gone is counted, and what got worse is an error.
func TestBaseline(t *testing.T) {
	dir := write(t, map[string]string{"a.cu": wrong + right, "b.cu": undecided})
	check := func(code int, want string, args ...string) {
		t.Helper()
		args = append([]string{"check", "--engine", "explore"}, args...)
		if r := invoke(t, dir, nil, args...); r.code != code || !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, r.code, code, want, r.stdout, r.stderr)
		}
	}
	rewrite := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check(1, "FP403", "--output", "json=base.json", "--output", "text=-", "a.cu", "b.cu")
	check(0, "1 known from the baseline, 0 fixed", "--baseline", "base.json", "a.cu", "b.cu")
	check(0, "", "--baseline", "base.json", "--fail-on", "inconclusive", "a.cu", "b.cu")
	rewrite("a.cu", "// moved\n\n"+wrong+right+strings.ReplaceAll(wrong, "wrong", "other"))
	check(1, "a.cu:12:", "--baseline", "base.json", "a.cu", "b.cu")
	rewrite("a.cu", right)
	check(0, "0 known from the baseline, 1 fixed", "--baseline", "base.json", "a.cu")
	check(0, "", "--baseline", "base.json", "b.cu") // a.cu was not looked at, so nothing of it is fixed
	rewrite("a.cu", strings.Replace(undecided, "undecided", "right", 1))
	check(1, "FP905", "--baseline", "base.json", "a.cu")
	check(1, `kernel right was "holds" in the baseline, and is "inconclusive"`, "--baseline", "base.json", "a.cu")
	check(2, "no-such.json", "--baseline", "no-such.json", "a.cu")
	check(2, "--baseline", "--baseline", "a.cu", "a.cu")
}

// TestConfigurationOfTheBase: a pull request that excludes its own bug, or adds it to the baseline, fails all the same.
func TestConfigurationOfTheBase(t *testing.T) {
	dir, git := repository(t, map[string]string{"k.cu": right, "old.cu": wrong, ".fencepost.yaml": "rules: {FP901: off}\n"})
	invoke(t, dir, nil, "check", "--engine", "explore", "--output", "json=base.json")
	git("add", "-A")
	git("commit", "-q", "-m", "baseline")
	for name, text := range map[string]string{
		"k.cu": strings.ReplaceAll(wrong, "wrong", "right"), ".fencepost.yaml": "exclude: ['**']\nrules: {FP403: off}\nfail-on: never\n", "base.json": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	invoke(t, dir, nil, "check", "--no-config", "--engine", "explore", "--output", "json=base.json")
	git("add", "-A")
	git("commit", "-q", "-m", "excuses")
	env := map[string]string{"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/1/merge"}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 0, ""}, // the tree's own configuration excludes everything
		{"--diff pull-request", 1, "k.cu:3:"},
		{"--diff pull-request", 1, ".fencepost.yaml: the configuration is changed here; that of HEAD^1 was used"},
		{"--diff pull-request --baseline base.json", 1, "k.cu:3:"},
		{"--config-from pull-request --baseline base.json", 1, "1 known from the baseline"},
		{"--config-from pull-request", 1, "old.cu:3:"},
		{"--config-from HEAD", 0, ""},
		{"--config-from HEAD^1 --config nowhere.yaml", 2, "nowhere.yaml is not in revision HEAD^1"},
		{"--config-from no-such-branch", 2, "no such revision"},
		{"--config-from HEAD^1 --config ../x.yaml", 2, "outside"},
	} {
		r := invoke(t, dir, env, append([]string{"check", "--engine", "explore"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// TestFix: a repair that was tried is written, the report is of what stands there then, and nothing else of the file changes.
func TestFix(t *testing.T) {
	raw, err := os.ReadFile("../testdata/publish/" + repairable)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{repairable: string(raw), "right.cu": right})
	before := invoke(t, dir, nil, "check", "--engine", "explore", "--fail-on", "warning", repairable)
	if before.code != ExitFindings || !strings.Contains(before.stdout, "fix (tried, and holds): ") {
		t.Fatalf("without --fix: exit code %d\n%s%s", before.code, before.stdout, before.stderr)
	}
	after := invoke(t, dir, nil, "check", "--engine", "explore", "--fix", repairable, "right.cu")
	if !strings.Contains(after.stdout, "repaired: ") || strings.Contains(after.stdout, "fix (tried, and holds): ") || after.code != ExitClean {
		t.Errorf("with --fix: exit code %d\n%s%s", after.code, after.stdout, after.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, repairable))
	if err != nil || string(text) == string(raw) || strings.Count(string(text), "\n") < strings.Count(string(raw), "\n") {
		t.Errorf("%v: the file is\n%s", err, text)
	}
	if still, err := os.ReadFile(filepath.Join(dir, "right.cu")); err != nil || string(still) != right {
		t.Errorf("%v: right.cu is\n%s", err, still)
	}
	if r := invoke(t, dir, nil, "check", "--fix", "-"); r.code != ExitUsage {
		t.Errorf("standard input: exit code %d", r.code)
	}
	// A link is no file to repair, nor one with a byte order mark: the offsets are not those of the bytes.
	marked := write(t, map[string]string{repairable: "\xEF\xBB\xBF" + string(raw)})
	if r := invoke(t, marked, nil, "check", "--engine", "explore", "--fix", repairable); r.code != ExitInternal || !strings.Contains(r.stderr, "byte order mark") {
		t.Errorf("a byte order mark: exit code %d\n%s", r.code, r.stderr)
	}
}

// TestSarifExplains: every rule in SARIF says where its page is, the other side of a finding is a related location, and a repair is a fix.
func TestSarifExplains(t *testing.T) {
	raw, err := os.ReadFile("../testdata/publish/" + repairable)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := os.ReadFile("../testdata/smoother/broken_hardcoded_phase.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{repairable: string(raw), "broken.py": string(broken)})
	text := invoke(t, dir, nil, "check", "--engine", "explore", "--format", "sarif").stdout
	for _, want := range []string{`"helpUri": "https://github.com/fencepost-dev/fencepost/blob/main/rules/doc/FP304.md"`, `"relatedLocations"`, `"fixes"`, `"insertedContent"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%.2000s", want, text)
		}
	}
}

// TestMergeInsists: reports that are joined are judged as one run is.
func TestMergeInsists(t *testing.T) {
	dir := write(t, map[string]string{"undecided.cu": undecided, "wrong.cu": wrong})
	invoke(t, dir, nil, "check", "--engine", "explore", "--output", "json=1.json", "undecided.cu")
	invoke(t, dir, nil, "check", "--engine", "explore", "--output", "json=2.json", "wrong.cu")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"1.json", 0, "1 inconclusive"},
		{"--fail-on inconclusive 1.json", 1, "FP903"},
		{"--fail-on never,inconclusive 2.json", 0, "FP403"},
		{"--statistics 1.json 2.json", 1, "     1  FP403"},
		{"--format junit 1.json 2.json", 1, `tests="2" failures="1" skipped="1"`},
	} {
		if r := invoke(t, dir, nil, append([]string{"merge"}, strings.Fields(c.args)...)...); r.code != c.code || !strings.Contains(r.stdout, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// TestUndecidedOfChange: of the kernels that nothing decided, a change answers for those that it touches; what has to hold has to
// hold whatever changed.
func TestUndecidedOfChange(t *testing.T) {
	two := undecided + strings.ReplaceAll(strings.SplitAfterN(undecided, "\n", 2)[1], "undecided", "second")
	dir, git := repository(t, map[string]string{"k.cu": two, "other.cu": right})
	changed := strings.Replace(two, "second(int *p) {", "second(int *p) { // changed", 1)
	if err := os.WriteFile(filepath.Join(dir, "k.cu"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	r := invoke(t, dir, nil, "check", "--engine", "explore", "--diff", "HEAD", "--fail-on", "inconclusive")
	if r.code != ExitFindings || !strings.Contains(r.stdout, "nothing decided kernel second") || strings.Contains(r.stdout, "nothing decided kernel undecided") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r = invoke(t, dir, nil, "check", "--engine", "explore", "--diff", "HEAD", "--require-holds", "undecided", "--require-holds", "right")
	if r.code != ExitFindings || !strings.Contains(r.stdout, "kernel undecided has to hold") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
