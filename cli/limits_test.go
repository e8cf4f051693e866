package cli

import (
	"os"
	"strings"
	"testing"
)

// TestLimitFlags: each limit alone makes a verdict inconclusive that is holds without, and the report says which.
func TestLimitFlags(t *testing.T) {
	sources := map[string]string{}
	for _, name := range []string{"ring/right.py", "smoother/broken_hardcoded_phase.py"} {
		text, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(text)
	}
	for _, test := range []struct{ file, limit, want string }{
		{"ring/right.py", "", "1 holds"},
		{"ring/right.py", "--limit-states=100000", "1 holds"},
		{"ring/right.py", "--limit-memory=16MiB", "1 holds"},
		{"ring/right.py", "--limit-time=1h", "1 holds"},
		{"ring/right.py", "--limit-states=20", "is not shown: stopped by the work of "},
		{"ring/right.py", "--limit-memory=1KiB", "stopped by the limit of 1 KiB of memory"},
		{"ring/right.py", "--limit-time=1ns", "limit was reached"},
		{"smoother/broken_hardcoded_phase.py", "--limit-states=900", "stopped by the limit of "},
		{"smoother/broken_hardcoded_phase.py", "--limit-memory=64KiB", "stopped by the limit of 64 KiB of memory after "},
	} {
		dir := write(t, map[string]string{"kernel.py": sources[test.file]})
		args := []string{"check", "--engine", "explore", "--fail-on", "never", "kernel.py"}
		if test.limit != "" {
			args = append(args, test.limit)
		}
		if r := invoke(t, dir, nil, args...); r.code != ExitClean || !strings.Contains(r.stdout, test.want) || test.want != "1 holds" && strings.Contains(r.stdout, "1 holds") {
			t.Errorf("%s %s: no %q\n%s%s", test.file, test.limit, test.want, r.stdout, r.stderr)
		}
	}
}
