//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
)

// TestFullOutputIsTold: a report that standard output did not take makes the exit code 3.
func TestFullOutputIsTold(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	dir := write(t, map[string]string{"clean.py": clean})
	t.Chdir(dir)
	var errs strings.Builder
	code := Main(t.Context(), []string{"--engine", "none", "clean.py"}, nil, full, &errs, func(string) string { return "" })
	if code != ExitInternal || !strings.Contains(errs.String(), "standard output") {
		t.Errorf("exit code %d, want %d\n%s", code, ExitInternal, errs.String())
	}
}
