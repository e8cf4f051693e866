package compiled

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// row is what is said of one launch of a kernel: by its file, by `check`, by check/barriers of the IR of both texts, and how much of their threads was
// compared.
type row struct {
	file, kernel, expected, check string
	launch                        exec.Launch
	source, compiled              *barriers.Report
	extent                        Extent
	ctas                          int
	open                          string // why something, or all, is not compared
	differences                   []string
}

func verdictOf(r *barriers.Report) string {
	if r == nil {
		return "-"
	}
	out := r.Verdict.String()
	if r.Guessed {
		out += " (guessed)"
	}
	return out
}

func (r *row) String() string {
	why := r.open
	if len(r.differences) > 0 {
		why = r.differences[0]
	}
	for _, x := range []*barriers.Report{r.source, r.compiled} {
		if why == "" && x != nil && x.Verdict == engine.Inconclusive && len(x.Reasons) > 0 {
			why = x.Reasons[0].Text()
		}
	}
	return strings.Join([]string{r.file, r.kernel, fmt.Sprint(r.launch.Block), r.expected, r.check, verdictOf(r.source), verdictOf(r.compiled), fmt.Sprintf("%d CTAs %+v", r.ctas, r.extent), why}, "\t")
}

// said takes what the head of the file and `check` say of a kernel.
func (r *row) said(expected string, kernels []finding.Kernel) {
	r.expected = expected
	for _, k := range kernels {
		if k.Name == r.kernel || strings.HasSuffix(k.Name, "."+r.kernel) {
			if r.check = k.Verdict; len(k.Open) > 0 {
				r.check += " (something open)"
			}
		}
	}
	if r.check == engine.Holds.String() && r.compiled != nil && r.compiled.Verdict == engine.Violated { // of memory order and of the grid check knows more
		r.differ("check says that it holds, and it is violated as it is compiled: %s", foundOf(r.compiled, r.compiled, r.compiled.Findings[0].Check))
	}
}

func (r *row) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf("%s: %s: %s", r.file, r.kernel, fmt.Sprintf(format, args...)))
}

// compiledFile is the PTX of a file: of other folders than testdata it stands beside it.
func compiledFile(name, root string) ([]byte, error) {
	if root == testdata {
		return compileFile(name)
	}
	return os.ReadFile(strings.TrimSuffix(name, ".cu") + ".ptx")
}

// reasons reads a list of files of testdata, or of kernels in them, with why: those that nvcc does not compile, and those that
// differ for a reason.
func reasons(t *testing.T, list string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, why, ok := strings.Cut(line, ": ")
		file, _, _ := strings.Cut(name, " ")
		if _, err := os.Stat(testdata + "/" + file); err != nil || !ok || why == "" {
			t.Errorf("%s: %q: want the path of a file of testdata and a reason", list, line)
		}
		out[name] = why
	}
	return out
}

// expectation is what the head of a file of testdata says.
func expectation(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if words, ok := strings.CutPrefix(line, "// expect: "); ok {
			return strings.TrimSpace(words)
		}
	}
	return "-"
}

// TestSourceAgreesWithCompiled: what the IR says of the source of a kernel of testdata it says of what nvcc makes of it, too, and the threads of both do the
// same. FENCEPOST_JUDGE names another folder of kernels, FILE.ptx beside FILE.cu is what it was compiled to; FENCEPOST_JUDGE_FILE is a part of the paths that
// are compared, and FENCEPOST_JUDGE_TABLE a file for the table of all answers.
func TestSourceAgreesWithCompiled(t *testing.T) {
	compiler(t)
	root, part := testdata, os.Getenv("FENCEPOST_JUDGE_FILE")
	if other := os.Getenv("FENCEPOST_JUDGE"); other != "" {
		root = other
	}
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".cu" && strings.Contains(path, part) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	files := check.NewSources(tree, nil)
	excused := reasons(t, "uncompiled.txt")
	var mu sync.Mutex
	var rows []*row
	uncompiled := 0
	inParallel(names, func(name string) {
		short, _ := filepath.Rel(root, name)
		code, err := compiledFile(name, root)
		if err != nil {
			mu.Lock()
			uncompiled++
			mu.Unlock()
			if root == testdata && excused[short] == "" {
				t.Errorf("%s does not compile; mend it, or say why not in uncompiled.txt:\n%v", short, err)
			}
			return
		}
		if excused[short] != "" && root == testdata {
			t.Errorf("uncompiled.txt: %s compiles, though %s", short, excused[short])
		}
		f, err := files.File(short)
		if err != nil {
			t.Errorf("%s: %v", short, err)
			return
		}
		of, err := judged(f, files, ptx.Read(&source.File{Name: short + ".ptx", Data: code}))
		if err != nil {
			t.Errorf("%s: %v", short, err)
			return
		}
		if root == testdata {
			said, err := check.Run(context.Background(), check.Options{Tree: tree, Paths: []string{short}, Engine: check.Explore, Jobs: 1, Limits: asked().Limits})
			if err != nil {
				t.Errorf("%s: %v", short, err)
				return
			}
			for _, r := range of {
				r.said(expectation(f.Source.Data), said.Kernels)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		rows = append(rows, of...)
	})
	explained := map[string]string{}
	if root == testdata {
		explained = reasons(t, "explained.txt")
	}
	got := report(t, rows, explained)
	t.Logf("%d files, %d do not compile", len(names), uncompiled)
	if root != testdata || part != "" {
		return
	}
	for which := range explained {
		if !slices.ContainsFunc(rows, func(r *row) bool { return r.file+" "+r.kernel == which }) {
			t.Errorf("explained.txt: there is no %s", which)
		}
	}
	if 100*len(excused) > 15*len(names) {
		t.Errorf("%d of %d files are in uncompiled.txt; at most 15 of 100 may", len(excused), len(names))
	}
	if got.less(least) {
		t.Errorf("compared are %+v; expected %+v at least", got, least)
	}
}

// compared is how much is.
type compared struct {
	kernels, launches, verdicts int // verdicts: launches that neither leaves open
	Extent
}

// least is what the test compares of testdata, so that it does not come to compare less.
var least = compared{kernels: 580, launches: 585, verdicts: 430, Extent: Extent{Threads: 120_000, Steps: 4_000_000, Accesses: 2_000_000, Variables: 1_700}}

func (c compared) less(than compared) bool {
	return c.kernels < than.kernels || c.launches < than.launches || c.verdicts < than.verdicts || c.Threads < than.Threads || c.Steps < than.Steps ||
		c.Accesses < than.Accesses || c.Variables < than.Variables
}

// report tells what was compared, and fails where the two disagree and no reason is listed.
func report(t *testing.T, rows []*row, explained map[string]string) (got compared) {
	t.Helper()
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.kernel, b.kernel)) })
	if out := os.Getenv("FENCEPOST_JUDGE_TABLE"); out != "" {
		var lines strings.Builder
		for _, r := range rows {
			fmt.Fprintln(&lines, r)
		}
		if err := os.WriteFile(out, []byte(lines.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	counts, open, kernels := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, r := range rows {
		verdicts := "verdicts not compared"
		if r.compiled != nil {
			verdicts = fmt.Sprintf("%s in the source, %s as compiled", r.source.Verdict, r.compiled.Verdict)
			if r.source.Verdict != engine.Inconclusive && r.compiled.Verdict != engine.Inconclusive {
				got.verdicts++
			}
		}
		counts[verdicts]++
		got.Add(r.extent)
		which := r.file + " " + r.kernel
		if r.extent.Threads > 0 {
			got.launches++
			kernels[which] = true
		}
		if r.open != "" {
			open[r.open]++
		}
	}
	got.kernels = len(kernels)
	t.Logf("%d launches; the threads of %+v were compared one by one", len(rows), got)
	for _, list := range []map[string]int{counts, open} {
		for _, kind := range slices.Sorted(maps.Keys(list)) {
			t.Logf("%4d %s", list[kind], kind)
		}
	}
	differing := map[string]bool{}
	for _, r := range rows {
		which := r.file + " " + r.kernel
		differing[which] = differing[which] || len(r.differences) > 0
		if explained[which] == "" {
			for _, d := range r.differences {
				t.Error(d)
			}
		}
	}
	for which, differs := range differing {
		if why := explained[which]; why != "" && !differs {
			t.Errorf("explained.txt: %s agrees, though %s", which, why)
		}
	}
	return got
}

func inParallel(names []string, f func(string)) {
	work := make(chan string)
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Add(1)
		go func() {
			defer all.Done()
			for name := range work {
				f(name)
			}
		}()
	}
	for _, name := range names {
		work <- name
	}
	close(work)
	all.Wait()
}
