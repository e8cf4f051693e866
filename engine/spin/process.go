package spin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The programs run in a fresh directory that only we can read, on constant file names, with three environment
// variables, in a process group of their own, under limits (notes/anchors.md C1.2, C1.6, C1.16 and C4). Nothing of the
// repository that is checked is an argument, a file name or a part of the environment.

const (
	modelFile = "model.pml"
	trailFile = "model.pml.trail"
	lockFile  = "lock"
	prefix    = "fencepost-"

	maxOutput = 8 << 20
	maxTrail  = 256 << 20
	waitDelay = 500 * time.Millisecond

	fileBlocks = 1 << 20 // ulimit counts blocks of 512 or 1024 bytes

	// limited is a constant script: what to run and its limits are its arguments. A limit that a system refuses to set
	// is left to the deadline and to pan's own MEMLIM.
	limited = `ulimit -c 0 2>/dev/null; ulimit -t "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -v "$3" 2>/dev/null; shift 3; exec "$@"`
)

// workshop is the place a model is made and run in.
type workshop struct {
	dir, spin, cc, sh string
	memory            int64    // bytes of address space for each program
	held              *os.File // the lock that tells other runs that this one lives
}

// Available says which spin and C compiler would be used, and whether all that is needed is there.
func Available() (spin, cc string, ok bool) {
	spin, cc = find("spin"), find("cc")
	return spin, cc, spin != "" && cc != "" && find("sh") != ""
}

// Programs tells installed programs apart, by their bytes: what SPIN answers depends on it and on the C compiler. The rest
// of a compiler, which its driver starts, is installed with it.
func Programs() (digest []byte, ok bool) {
	spin, cc, ok := Available()
	if !ok {
		return nil, false
	}
	h := sha256.New()
	for _, name := range []string{spin, cc} {
		f, err := os.Open(name)
		if err != nil {
			return nil, false
		}
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, false
		}
		fmt.Fprintln(h, n)
	}
	return h.Sum(nil), true
}

// find looks a program up. A relative result, from a PATH with relative entries, could be a file of the repository.
func find(name string) string {
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// missing names what to install.
func missing() string {
	var need []string
	for _, name := range []string{"spin", "cc", "sh"} {
		if find(name) == "" {
			need = append(need, name)
		}
	}
	return fmt.Sprintf("%s not found: install SPIN and a C compiler (Debian, Ubuntu: apt-get install spin gcc; macOS: brew install spin)", strings.Join(need, " and "))
}

// Version is what the installed spin says it is, or "".
func Version() string {
	w, err := newWorkshop(1 << 32)
	if err != nil {
		return ""
	}
	defer w.close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, _ := w.run(ctx, w.spin, "-V")
	return version(out)
}

func newWorkshop(memory int64) (*workshop, error) {
	spin, cc, ok := Available()
	if !ok {
		return nil, errors.New(missing())
	}
	under := os.Getenv("RUNNER_TEMP")
	if !filepath.IsAbs(under) {
		under = ""
	}
	if under == "" {
		under = os.TempDir()
	}
	swept.Do(func() { sweep(under) })
	dir, err := os.MkdirTemp(under, prefix) // mode 0700
	if err != nil {
		return nil, fmt.Errorf("make a directory for spin: %w", err)
	}
	held, err := hold(filepath.Join(dir, lockFile))
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("make a directory for spin: %w", err)
	}
	return &workshop{dir: dir, spin: spin, cc: cc, sh: find("sh"), memory: memory, held: held}, nil
}

func (w *workshop) close() {
	os.RemoveAll(w.dir)
	w.held.Close()
}

var swept sync.Once

// sweep removes the workshops of runs that were killed. A workshop's lock is held as long as its process lives.
func sweep(under string) {
	left, err := filepath.Glob(filepath.Join(under, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		info, err := os.Lstat(dir)
		// A fresh one may not be locked yet.
		if err != nil || !info.IsDir() || !ours(info) || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		lock := filepath.Join(dir, lockFile)
		if info, err := os.Lstat(lock); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if held, err := hold(lock); err == nil {
			os.RemoveAll(dir)
			held.Close()
		}
	}
}

// run runs one program and returns what it printed, on both streams, without what is past the cap.
func (w *workshop) run(ctx context.Context, program string, args ...string) (string, error) {
	seconds := 3600
	if deadline, ok := ctx.Deadline(); ok {
		seconds = max(1, int(time.Until(deadline).Seconds())+1)
	}
	full := append([]string{"-c", limited, "sh", strconv.Itoa(seconds), strconv.Itoa(fileBlocks), strconv.FormatInt(w.memory>>10, 10), program}, args...)
	cmd := exec.CommandContext(ctx, w.sh, full...)
	cmd.Dir = w.dir
	path := []string{filepath.Dir(w.spin), filepath.Dir(w.cc), "/usr/bin", "/bin"}
	cmd.Env = []string{"PATH=" + strings.Join(path, ":"), "LANG=C", "TMPDIR=" + w.dir}
	out := &capped{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = waitDelay
	group(cmd)
	runtime.LockOSThread() // Pdeathsig acts when the thread that started the child ends
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		killGroup(cmd) // something it started still holds the pipe
	}
	if ctx.Err() != nil {
		return out.kept.String(), ctx.Err()
	}
	if out.cut {
		return out.kept.String(), fmt.Errorf("%s printed more than %d bytes", filepath.Base(program), maxOutput)
	}
	return out.kept.String(), err
}

// capped keeps the first maxOutput bytes.
type capped struct {
	kept bytes.Buffer // not embedded: its ReadFrom would go past the cap
	cut  bool
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), maxOutput-c.kept.Len())
	c.cut = c.cut || keep < len(p)
	c.kept.Write(p[:keep])
	return len(p), nil
}
