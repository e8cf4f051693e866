//go:build unix

package cli

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskLeavesNoHalf: where a report cannot be written whole, the one that was there stays, and nothing lies beside it.
func TestFullDiskLeavesNoHalf(t *testing.T) {
	dir := write(t, map[string]string{"zero.py": zeroCount, "r.sarif": "the report before"})
	// A limit on the size of files fails in the middle of a write, as a full disk does.
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skip(err)
	}
	small := before
	small.Cur = 2048
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	r := invoke(t, dir, nil, "--engine", "none", "--output", "sarif=r.sarif", "zero.py")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if r.code != ExitInternal || !strings.Contains(r.stderr, "r.sarif") {
		t.Errorf("exit code %d, want %d\n%s", r.code, ExitInternal, r.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "r.sarif"))
	if err != nil || string(text) != "the report before" {
		t.Errorf("%v: %.60s", err, text)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Errorf("%v: %v is left, want the two files there were", err, list)
	}
}

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
