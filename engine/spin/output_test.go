package spin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

const header = "\n(Spin Version 6.5.2 -- 6 December 2019)\n"

const space = "Full statespace search for:\n\tnever claim - (none specified)\n\tassertion violations\t+\n"

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, out string
		whole     bool
		failed    protocol.Property
		reason    string
	}{
		{"holds", header + space + "State-vector 28 byte, depth reached 9, errors: 0\n        8 states, stored\n", true, "", ""},
		{"many states", header + space + "State-vector 28 byte, depth reached 9, errors: 0\n 1.2345e+07 states, stored\n", true, "", ""},
		{"a larger table", "pan: resizing hashtable to -w22..  done\n" + header + space + "State-vector 28 byte, depth reached 9, errors: 0\n 5e+06 states, stored\n", true, "", ""},
		{"no room for a larger table", "pan: resizing hashtable to -w22..\n" + header + space + "State-vector 28 byte, depth reached 9, errors: 0\n 5e+06 states, stored\n",
			false, "", "pan stopped for a reason of its own"},
		{"failed check", "pan:1: assertion violated (2<0) (at depth 4)\npan: wrote model.pml.trail\n" + header + "Warning: Search not completed\n" + space +
			"State-vector 28 byte, depth reached 4, errors: 1\n 4 states, stored\n", false, protocol.Phase, ""},
		{"a property that does not exist", "pan:1: assertion violated (99<0) (at depth 4)\n" + header + "Warning: Search not completed\n" + space +
			"State-vector 28 byte, depth reached 4, errors: 1\n 4 states, stored\n", false, "", "pan did not report a completed search"},
		{"memory", "pan: reached -DMEMLIM bound\n" + header + "Warning: Search not completed\n" + space +
			"State-vector 28 byte, depth reached 4, errors: 0\n 4 states, stored\n", false, "", "the memory limit was reached"},
		{"depth", "error: max search depth too small\n" + header + space + "State-vector 28 byte, depth reached 4, errors: 0\n 4 states, stored\n",
			false, "", "the depth limit was reached"},
		{"only the warning", header + "Warning: Search not completed\n" + space + "State-vector 28 byte, depth reached 4, errors: 0\n 4 states, stored\n",
			false, "", "pan did not report a completed search"},
		{"a message we do not know", "pan: something new\n" + header + space + "State-vector 28 byte, depth reached 9, errors: 0\n 8 states, stored\n",
			false, "", "pan stopped for a reason of its own"},
		{"invalid end state", "pan:1: invalid end state (at depth 3)\n" + header + space + "State-vector 28 byte, depth reached 9, errors: 1\n 8 states, stored\n",
			false, "", "pan stopped for a reason of its own"},
		{"another kind of search", header + "Bit statespace search for:\nState-vector 28 byte, depth reached 9, errors: 0\n 8 states, stored\n",
			false, "", "pan did not report a completed search"},
		{"cut off", header + space, false, "", "pan did not report a completed search"},
		{"nothing", "", false, "", "pan did not report a completed search"},
	} {
		r := read(tc.out)
		if r.whole != tc.whole || r.failed != tc.failed || tc.failed == "" && r.reason != tc.reason {
			t.Errorf("%s: %+v", tc.name, r)
		}
	}
	if n := read(header + space + "State-vector 28 byte, depth reached 9, errors: 0\n 1.2345e+07 states, stored\n").states; n != 12345000 {
		t.Errorf("%d states", n)
	}
}

func TestRetrace(t *testing.T) {
	table := "\tstate 3 -(tr 3)-> state 38 [id   2 tp   2] [D---G] model.pml:5 => D_STEP5\n" +
		"\tstate 38 -(tr 4)-> state 38 [id  17 tp   2] [D---G] model.pml:7 => D_STEP8\n" +
		"\tstate 38 -(tr 2)-> state 35 [id  22 tp   2] [A---G] model.pml:7 => else\n"
	lines := map[int]*command{8: {step: &engine.Step{Class: 1, Op: 2, N: 1}}}
	steps, err := retrace("-4:-4:-4\n1:0:2\n2:0:17\n3:0:17\n4:0:22\n", table, lines)
	if err != nil || len(steps) != 1 || steps[0] != (engine.Step{Class: 1, Op: 2, N: 2}) {
		t.Errorf("%v, %v", steps, err)
	}
	for _, bad := range []string{"1:0:99\n", "nonsense\n", "1:0\n"} {
		if _, err := retrace(bad, table, lines); err == nil {
			t.Errorf("the trail %q is accepted", bad)
		}
	}
}

// A program whose child keeps the pipe open must not hold us beyond the deadline, and must not outlive it.
func TestDeadlineEndsGrandchildren(t *testing.T) {
	needSpin(t)
	w, err := newWorkshop(4 << 30)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for _, tc := range []struct{ name, script string }{
		{"parent waits", `(sleep 5; : > late) & sleep 60`},
		{"parent is gone", `(sleep 5; : > late) & exit 0`},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		start := time.Now()
		_, err := w.run(ctx, w.sh, "-c", tc.script)
		cancel()
		if took := time.Since(start); took > 4*time.Second || err == nil {
			t.Errorf("%s: returned after %s, error %v", tc.name, took, err)
		}
	}
	time.Sleep(5 * time.Second)
	if _, err := os.Stat(filepath.Join(w.dir, "late")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a grandchild outlived the deadline")
	}
}

func TestProgramsRunApart(t *testing.T) {
	needSpin(t)
	t.Setenv("GITHUB_TOKEN", "secret")
	w, err := newWorkshop(4 << 30)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(w.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v, %v", info, err)
	}
	out, err := w.run(context.Background(), w.sh, "-c", "env; pwd; ulimit -c")
	if err != nil || strings.Contains(out, "secret") || !strings.Contains(out, w.dir) || !strings.HasSuffix(strings.TrimSpace(out), "0") {
		t.Errorf("%q, %v", out, err)
	}
	for _, line := range strings.Split(out, "\n") {
		if name, _, ok := strings.Cut(line, "="); ok && !strings.Contains("PATH LANG TMPDIR PWD OLDPWD SHLVL _", name) {
			t.Errorf("the environment has %s", name)
		}
	}
	if out, err := w.run(context.Background(), w.sh, "-c", "yes | head -c 10000000"); err == nil || len(out) != maxOutput {
		t.Errorf("%d bytes kept, error %v", len(out), err)
	}
	w.close()
	if _, err := os.Stat(w.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory is left behind")
	}
}

func TestRelativeProgramsAreNotRun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"spin", "cc", "sh"} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", ".")
	if spin, cc, ok := Available(); ok || spin != "" || cc != "" {
		t.Errorf("would run %q and %q of the current directory", spin, cc)
	}
}
