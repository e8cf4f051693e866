package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKernelCuts holds what litmus says of kernels against their heads.
func TestKernelCuts(t *testing.T) {
	files, err := filepath.Glob("../testdata/matrix/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, want, ok := strings.Cut(string(text), "\n// litmus: ")
		if !ok {
			continue
		}
		asked++
		want, _, _ = strings.Cut(want, "\n")
		r := pipe("", "litmus", file)
		code := map[string]int{"holds": ExitClean, "violated": ExitFindings}[want]
		if r.code != code || !strings.HasPrefix(r.stdout, want) || !strings.Contains(r.stdout, "gpus = 4, 2 CTAs on each in a row") {
			t.Errorf("%s: exit %d, want %s\n%s%s", file, r.code, want, r.stdout, r.stderr)
		}
	}
	if asked != 3 {
		t.Errorf("%d files ask", asked)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--set GPUS=2 --set THREADS=2 ../testdata/matrix/broken_relaxed.cu", ExitFindings, "gpus = 2"},
		{"../testdata/matrix/broken_no_sync.cu", ExitInternal, "interleavings come first: race is violated"},
		{"--property race ../testdata/matrix/right.cu", ExitUsage, "no --property"},
		{"../testdata/litmus/mp-weak.litmus ../testdata/matrix/right.cu", ExitClean, "Test mp-weak Allowed"},
	} {
		if r := pipe("", append([]string{"litmus"}, strings.Fields(c.args)...)...); r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}
