//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fencepost-dev/fencepost/cli"
)

var kept [][]byte

// TestMain: started by supervise or by a test, the test binary is the program; started as a worker for a death, it dies so.
func TestMain(m *testing.M) {
	if death := os.Getenv("TEST_DEATH"); death != "" && os.Getenv(workerKey) != "" {
		switch death {
		case "memory":
			limit := syscall.Rlimit{Cur: 2 << 30, Max: 2 << 30}
			if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
				panic(err)
			}
			for {
				kept = append(kept, bytes.Repeat([]byte("x"), 64<<20))
			}
		case "stack":
			var deeper func(n int) int
			deeper = func(n int) int { return deeper(n+1) + 1 }
			os.Exit(deeper(0))
		case "panic":
			panic("test")
		case "killed":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	if os.Getenv("TEST_PROGRAM") != "" || os.Getenv(workerKey) != "" {
		main()
	}
	os.Exit(m.Run())
}

// start runs the program through a shell, $0 being its name.
func start(t *testing.T, script string, env ...string) (code int, out, errs string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.cu"), []byte("__global__ void k() { if (threadIdx.x < 3) __syncthreads(); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", script, self)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "TEST_PROGRAM=1", "XDG_CACHE_HOME="+dir), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// TestDeathIsNoUsage: a run that breaks off is told from wrong usage and from findings, without a trace.
func TestDeathIsNoUsage(t *testing.T) {
	for _, death := range []string{"memory", "stack", "panic", "killed"} {
		code, out, errs := start(t, `exec "$0" check k.cu`, "TEST_DEATH="+death)
		if code != cli.ExitInternal || out != "" || !strings.Contains(errs, "the run broke off") || strings.Contains(errs, "goroutine 1 [") {
			t.Errorf("%s: exit code %d, want %d\n%s%s", death, code, cli.ExitInternal, out, errs)
		}
	}
	if _, _, errs := start(t, `{ sleep 0.2; "$0" explain FP101; echo "code $?" >&2; } | :`); errs != fmt.Sprintf("code %d\n", 128+int(syscall.SIGPIPE)) {
		t.Errorf("a reader that went away: %s", errs)
	}
	if code, _, errs := start(t, `exec "$0" check k.cu`, "TEST_DEATH=panic", "GOTRACEBACK=all"); code != cli.ExitInternal || !strings.Contains(errs, "goroutine 1 [") {
		t.Errorf("a trace that was asked for: exit code %d\n%s", code, errs)
	}
}

// TestCodesPass: exit codes come through.
func TestCodesPass(t *testing.T) {
	for args, want := range map[string]int{"k.cu": cli.ExitFindings, "--fail-on never k.cu": cli.ExitClean, "--no-such-flag": cli.ExitUsage} {
		if code, out, errs := start(t, `exec "$0" check `+args); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s%s", args, code, want, out, errs)
		}
	}
}

// TestClosedOutputIsTold: a report that nobody can read is an error, unless it goes into a file.
func TestClosedOutputIsTold(t *testing.T) {
	for script, want := range map[string]int{
		`exec "$0" check k.cu >&-`:                      cli.ExitInternal,
		`exec "$0" version >&-`:                         cli.ExitInternal,
		`exec "$0" check k.cu >/dev/null`:               cli.ExitFindings,
		`exec "$0" check k.cu <>/dev/null 1<>/dev/null`: cli.ExitFindings,
		`"$0" check --output json=r.json k.cu >&-; code=$?; grep -q fencepost/v1 r.json && exit $code`: cli.ExitFindings,
	} {
		if code, _, errs := start(t, script); code != want || want == cli.ExitInternal && !strings.Contains(errs, "bad file descriptor") {
			t.Errorf("%s: exit code %d, want %d\n%s", script, code, want, errs)
		}
	}
}

// TestFullDiskLeavesNoHalf: where a report cannot be written whole, the one that was there stays, and nothing lies beside it.
func TestFullDiskLeavesNoHalf(t *testing.T) {
	// A limit on the size of files fails in the middle of a write, as a full disk does. ulimit counts blocks of 512 or 1024 bytes.
	code, out, errs := start(t, `mkdir out && echo before >out/r.sarif && (trap '' XFSZ; ulimit -f 2; exec "$0" check --output sarif=out/r.sarif k.cu); code=$?; ls -A out; cat out/r.sarif; exit $code`)
	if code != cli.ExitInternal || !strings.Contains(errs, "r.sarif") || !strings.HasSuffix(out, "r.sarif\nbefore\n") || strings.Count(out, "r.sarif") != 1 {
		t.Errorf("exit code %d, want %d\n%s%s", code, cli.ExitInternal, out, errs)
	}
}

// TestInterruptedRunReports: a run that is interrupted while it checks files writes a whole report that names what was left; one that
// is killed says that it broke off, and leaves no half of a file.
func TestInterruptedRunReports(t *testing.T) {
	const long = `import cutlass.cute as cute


@cute.kernel
def k():
    n = 0
    while n < 1000000000:
        n = n + 1
    cute.arch.sync_threads()


def launch():
    k().launch(grid=[1, 1, 1], block=[32, 1, 1])
`
	many := "tee $(seq -f k%g.py 6000) <long.py >/dev/null; " // many times more than are checked until the signal comes
	for signal, want := range map[string]string{"INT": "\"left\": [", "TERM": "\"left\": ["} {
		code, out, errs := start(t, "cat >long.py <<'EOF'\n"+long+"EOF\n"+many+`"$0" check -q --no-cache --engine explore --format json . & sleep 2; kill -`+signal+` $!; wait $!`)
		if code != cli.ExitInternal || !json.Valid([]byte(out)) || !strings.Contains(out, want) || !strings.Contains(errs, "stopped before the end") {
			t.Errorf("%s: exit code %d, want %d and %s\n%.2000s%.2000s", signal, code, cli.ExitInternal, want, out, errs)
		}
	}
	code, out, errs := start(t, "cat >long.py <<'EOF'\n"+long+"EOF\n"+many+`"$0" check -q --no-cache --engine explore --output json=r.json . & sleep 2; pkill -KILL -P $!; wait $!; code=$?; ls r.json; exit $code`)
	if code != cli.ExitInternal || strings.Contains(out, "r.json") || !strings.Contains(errs, "the run broke off") {
		t.Errorf("killed: exit code %d, want %d\n%.2000s%.2000s", code, cli.ExitInternal, out, errs)
	}
}
