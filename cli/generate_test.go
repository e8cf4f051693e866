package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// pipe runs the program with a standard input.
func pipe(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	code := Main(context.Background(), args, strings.NewReader(stdin), &out, &errs, func(string) string { return "" })
	return result{code, out.String(), errs.String()}
}

func TestGenerate(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", ExitClean, "PTX multi-gpu-barrier-2x1x2x2\n"},
		{"--gpus 3 --calls 1 --broken gpu-scope", ExitClean, "st.release.gpu s1f0p1, 1"},
		{"--format model --calls 1", ExitClean, "spin             poll signal[0][1][1] for 1"},
		{"--format promela --calls 1", ExitClean, "active proctype"},
		{"--format json --calls 1", ExitClean, `"Kernel": "multi-gpu-barrier"`},
		{"--gpus 4 --blocks 2 --calls 3 --prove", ExitClean, "holds         data written before a call are read after it\n"},
		{"--calls 2 --broken one-slot --prove", ExitFindings, "may store 2 to signal[1][0][0] while GPU 1, block 0, thread 0 may poll signal[1][0][0] for 1"},
		{"--gpus 4 --threads 2", ExitUsage, "a block needs at least 4"},
		{"--broken slow", ExitUsage, "want one of gpu-scope"},
		{"--help", ExitClean, "usage: fencepost litmus generate"},
	} {
		r := pipe("", append([]string{"litmus", "generate", "multi-gpu-barrier"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
	if r := pipe("", "litmus", "generate", "ring"); r.code != ExitUsage || !strings.Contains(r.stderr, "multi-gpu-barrier") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
}

// What is generated is read again.
func TestGeneratedFromStandardInput(t *testing.T) {
	for fault, want := range map[string]int{"": ExitClean, "relaxed": ExitFindings} {
		args := []string{"litmus", "generate", "multi-gpu-barrier", "--calls", "1"}
		if fault != "" {
			args = append(args, "--broken", fault)
		}
		test := pipe("", args...).stdout
		if r := pipe(test, "litmus", "-"); r.code != want || !strings.Contains(r.stdout, "Test multi-gpu-barrier") {
			t.Errorf("%q: exit %d, want %d\n%s%s", fault, r.code, want, r.stdout, r.stderr)
		}
	}
}

// docs/multi-gpu.md shows what the command prints.
func TestDocumentedProof(t *testing.T) {
	page, err := os.ReadFile("../docs/multi-gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "$ fencepost ")
	command, shown, _ := strings.Cut(shown, "\n")
	shown, _, _ = strings.Cut(shown, "```")
	r := pipe("", strings.Fields(command)...)
	if r.code != ExitClean || len(shown) < 100 || !strings.HasPrefix(r.stdout, shown) {
		t.Errorf("the page shows\n%s\nthe command prints\n%s%s", shown, r.stdout, r.stderr)
	}
}
