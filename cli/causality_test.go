package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKernelCuts asks litmus about a kernel that hands data from one CTA to another, as it is and with weaker fences.
func TestKernelCuts(t *testing.T) {
	const right = "../testdata/places/published.cu"
	text, err := os.ReadFile(right)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	with := func(name, fence string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "__threadfence()", fence)), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{right, ExitClean, "holds         "},
		{with("none.cu", ""), ExitFindings, "violated      "},
		{with("block.cu", "__threadfence_block()"), ExitFindings, "order two accesses"},
		{"../testdata/places/broken_published.cu", ExitInternal, "interleavings come first: livelock is violated"},
		{"../testdata/places/member.cu", ExitUsage, "no kernel in it that synchronizes by memory"},
		{"--property race " + right, ExitUsage, "no --property"},
		{"../testdata/litmus/mp-weak.litmus " + right, ExitClean, "Test mp-weak Allowed"},
	} {
		if r := pipe("", append([]string{"litmus"}, strings.Fields(c.args)...)...); r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}
