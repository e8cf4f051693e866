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
	"time"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	fromcuda "github.com/fencepost-dev/fencepost/frontend/cuda"
	fromptx "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// row is what is said of one kernel: by its file, by `check`, and by check/barriers of the IR of both texts.
type row struct {
	file, kernel, expected, check string
	text                          *barriers.Report // as a user gets it
	source, compiled              *barriers.Report // of one launch
	traced                        int              // operations of the threads that were compared
	open                          string           // why there is nothing to compare
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
	return strings.Join([]string{r.file, r.kernel, r.expected, r.check, verdictOf(r.text), verdictOf(r.source), verdictOf(r.compiled), fmt.Sprint(r.traced), why}, "\t")
}

const (
	templateGuess = 32 // as in cli
	maxEntries    = 6
)

// asked bounds what is asked of one kernel.
func asked() order.Options { return order.Options{Limits: engine.Limits{Time: 10 * time.Second}} }

// judged compares the kernels of a file with what a compiler has made of it. The launch is what the source says, for both; of what else they are
// given each finds out by itself. Where one is violated the other has what that was found with.
func judged(f *program.File, files fromcuda.Files, code *program.File) ([]*row, error) {
	table, err := check.Table(f.Language, nil)
	if err != nil {
		return nil, err
	}
	var symbols []string
	for _, fn := range code.Functions {
		symbols = append(symbols, fn.Name)
	}
	spelled, err := demangled(symbols)
	if err != nil {
		return nil, err
	}
	var out []*row
	for _, fn := range f.Functions {
		if !fn.Kernel {
			continue
		}
		r := &row{file: f.Source.Name, kernel: fn.Name}
		out = append(out, r)
		k, _, err := fromcuda.Translate(f, table, fn, files, templateGuess)
		if err != nil {
			r.open = err.Error()
			continue
		}
		if r.text, err = barriers.Verify(k, exec.Launch{}, asked()); err != nil {
			r.open = err.Error()
			continue
		}
		entries := slices.DeleteFunc(slices.Clone(code.Functions), func(e *program.Function) bool {
			name, _ := parts(spelled[e.Name])
			return !e.Kernel || name != fn.Name
		})
		if len(entries) == 0 {
			r.open = "nothing is compiled from it"
			continue
		}
		alone := func(n int) *ir.Kernel { // each is as it was launched
			k, _, _ := fromcuda.Translate(f, table, fn, files, templateGuess)
			k = append([]*ir.Kernel{k}, k.Others...)[n]
			k.Others, k.Unread = nil, false
			return k
		}
	pairs: // of a template: which is which is not known
		for n := range 1 + len(k.Others) {
			for _, e := range entries[:min(len(entries), maxEntries)] {
				p := &sides{row: &row{file: r.file, kernel: r.kernel, text: r.text}, text: func() *ir.Kernel { return alone(n) }, code: code, entry: e, own: k.Formals[:min(len(fn.Params), len(k.Formals))], guesses: len(k.Guesses) > 0}
				p.compare()
				if *r = *p.row; len(r.differences) == 0 {
					break pairs
				}
			}
		}
		r.text, r.source, r.compiled = brief(r.text), brief(r.source), brief(r.compiled)
	}
	return out, nil
}

// brief is a report without what the threads do.
func brief(r *barriers.Report) *barriers.Report {
	if r == nil {
		return nil
	}
	return &barriers.Report{Verdict: r.Verdict, Guessed: r.Guessed, Reasons: r.Reasons, Findings: r.Findings}
}

// sides is a kernel of a source and what it was compiled to.
type sides struct {
	*row
	text  func() *ir.Kernel
	code  *program.File
	entry *program.Function
	own   []string // parameters, in order

	guesses bool // the source leaves more open than the launch
}

// given is what the compiled kernel is given, where the source is given that, or the other way round. What names registers of one alone is left out.
func (p *sides) given(params map[string]int64, compiled bool, to *ir.Kernel) map[string]int64 {
	out := map[string]int64{}
	for name, n := range params {
		root, offset, part := strings.Cut(name, "+")
		if strings.HasPrefix(name, "%") {
			if _, there := to.Special[name]; there {
				out[name] = n
			}
			continue
		}
		for k, own := range p.own {
			theirs := fmt.Sprintf("%s_param_%d", p.entry.Name, k)
			if !compiled {
				own, theirs = theirs, own
			}
			if own == root && slices.Contains(to.Formals, theirs) {
				if part {
					theirs += "+" + offset
				}
				out[theirs] = n
			}
		}
	}
	return out
}

func (p *sides) compiledKernel() *ir.Kernel {
	k, err := fromptx.Translate(p.code, p.entry)
	if err != nil {
		p.open = "compiled: " + err.Error()
		return nil
	}
	return k
}

func (p *sides) compare() {
	l := p.row.text.Execution.Launch
	tried := l.Params
	stated := map[string]int64{} // what the text says of the launch
	for name, n := range tried {
		if _, ours := p.row.text.Numbers[name]; !ours && !strings.HasPrefix(name, "[") && !strings.HasPrefix(name, "?") {
			stated[name] = n
		}
	}
	k := p.compiledKernel()
	if k == nil {
		return
	}
	if l.Block[0] == 0 {
		p.open = "it is not known how many threads a CTA has"
		return
	}
	ask := func(k *ir.Kernel, params map[string]int64) *barriers.Report {
		r, err := barriers.Verify(k, exec.Launch{Block: l.Block, Cluster: l.Cluster, Grid: l.Grid, CTA: l.CTA, Params: params}, asked())
		if err != nil {
			p.open = err.Error()
			return nil
		}
		return r
	}
	text := p.text()
	if p.source = ask(text, stated); p.source == nil {
		return
	}
	if p.compiled = ask(k, p.given(stated, true, k)); p.compiled == nil {
		return
	}
	if p.guesses && p.source.Verdict != engine.Inconclusive {
		p.open = "the source was given what its text does not say"
		return
	}
	// What one of them tried the other did not, perhaps.
	if p.compiled.Verdict == engine.Violated && p.source.Verdict == engine.Holds {
		text = p.text()
		params := maps.Clone(stated)
		maps.Copy(params, p.given(p.compiled.Execution.Launch.Params, false, text))
		if r := ask(text, params); r != nil {
			p.source = r
		}
	} else if p.source.Verdict == engine.Violated && p.compiled.Verdict != engine.Violated {
		k = p.compiledKernel()
		if r := ask(k, p.given(p.source.Execution.Launch.Params, true, k)); r != nil {
			p.compiled = r
		}
	}
	p.verdicts()
	p.traces()
}

// verdicts notes where one of both holds and the other is violated, in all or in what is checked of them.
func (p *sides) verdicts() {
	a, b := p.source, p.compiled
	if a.Checks[order.Race] == engine.Violated && b.Verdict == engine.Holds && !slices.ContainsFunc(b.Execution.Program.Warps, accesses) {
		p.open = "the compiler leaves its accesses out"
		return
	}
	for c := order.Check(0); c < order.Checks && a.Result != nil && b.Result != nil; c++ {
		x, y := a.Checks[c], b.Checks[c]
		if !c.Warning() && (x == engine.Holds && y == engine.Violated || x == engine.Violated && y == engine.Holds) {
			p.differ("%s is %s in the source, and %s as it is compiled%s", c, x, y, foundOf(a, b, c))
		}
	}
	if a.Verdict != b.Verdict && a.Verdict != engine.Inconclusive && b.Verdict != engine.Inconclusive && len(p.differences) == 0 {
		p.differ("it is %s in the source, and %s as it is compiled", a.Verdict, b.Verdict)
	}
}

func accesses(w *order.Warp) bool {
	return slices.ContainsFunc(w.Commands, func(c order.Command) bool { return c.Kind.Access() || c.Kind == order.AsyncCopy })
}

func foundOf(a, b *barriers.Report, c order.Check) string {
	for _, r := range []*barriers.Report{a, b} {
		for _, f := range r.Findings {
			if f.Check == c && !f.Benign {
				return ": " + f.Text
			}
		}
	}
	return ""
}

func (r *row) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf("%s: %s: %s", r.file, r.kernel, fmt.Sprintf(format, args...)))
}

// traces compares what the threads do, one by one, with the numbers with which the kernel was looked at.
func (p *sides) traces() {
	k := p.compiledKernel()
	text := p.text()
	text.Launches, text.Unlaunched = nil, ""
	given := maps.Clone(p.source.Execution.Launch.Params)
	if given == nil {
		given = map[string]int64{}
	}
	maps.Copy(given, p.given(p.compiled.Execution.Launch.Params, false, text))
	maps.DeleteFunc(given, func(name string, _ int64) bool { return strings.HasPrefix(name, "[") || strings.HasPrefix(name, "?") })
	l := p.source.Execution.Launch
	at := [3]int{}
	for axis, name := range []string{"x", "y", "z"} {
		at[axis] = int(given["%ctaid."+name])
		delete(given, "%ctaid."+name)
	}
	run := func(k *ir.Kernel, params map[string]int64) (*exec.Execution, string) {
		e, err := exec.Run(k.Reduced(false), exec.Launch{Block: l.Block, Cluster: l.Cluster, Grid: l.Grid, CTA: &at, Params: params, Limits: asked().Limits})
		switch {
		case err != nil:
			return nil, err.Error()
		case e.Stop != nil:
			return nil, e.Stop.Text()
		}
		return e, ""
	}
	a, why := run(text, given)
	if why == "" {
		why = leftOut(a)
	}
	if why != "" {
		p.open = "source: " + why
		return
	}
	b, why := run(k, p.given(given, true, k))
	if why != "" {
		p.open = "compiled: " + why
		return
	}
	var variables []string
	for _, v := range b.Kernel.SharedVariables() {
		whole, _, _ := strings.Cut(v.Name, "_$_")
		variables = append(variables, whole)
	}
	names, err := demangled(variables)
	if err != nil {
		p.open = err.Error()
		return
	}
	ours := traced(a, func(name string) string { return name })
	theirs := traced(b, func(name string) string {
		whole, member, apart := strings.Cut(name, "_$_")
		if whole = variableName(names[whole]); apart {
			whole += "_$_" + member
		}
		return whole
	})
	known := map[string]bool{}
	for _, v := range ours.Variables {
		called := func(x Variable) bool { name, _, _ := strings.Cut(x.Name, "#"); return name == v.Name }
		there := slices.IndexFunc(theirs.Variables, called)
		if there < 0 || slices.ContainsFunc(theirs.Variables[there+1:], called) || // of several functions, or of several instances of one
			len(slices.DeleteFunc(slices.Clone(ours.Variables), func(x Variable) bool { return !called(x) })) > 1 {
			continue
		}
		size := theirs.Variables[there].Size
		known[v.Name] = size == v.Size || size == Unknown || v.Size == Unknown
	}
	differences, _ := Compare(ours, theirs, func(v string) bool { return known[v] }, 1)
	for _, w := range a.Program.Warps {
		p.traced += len(w.Commands)
	}
	for _, d := range differences {
		if p.source.Verdict == engine.Inconclusive { // the source says itself that it is not all
			p.open = d.String()
			continue
		}
		p.differ("%s", d)
	}
}

// leftOut says what of an execution is not among its commands; "" where all is.
func leftOut(e *exec.Execution) string {
	for _, halts := range [][]exec.Halt{e.Hidden, e.Peeks, e.Masks} {
		if len(halts) > 0 {
			return halts[0].Text()
		}
	}
	for _, p := range slices.Concat(e.Passed...) {
		return p.Why
	}
	for _, h := range e.Unsure {
		return h.Text()
	}
	return ""
}

// traced is an execution as it is compared.
func traced(e *exec.Execution, name func(string) string) *Execution {
	out := &Execution{Program: e.Program, Stuck: len(e.Stuck) > 0, Place: func(c *order.Command) string {
		at := e.Kernel.Places[c.Place]
		return e.Kernel.Where(&at)
	}, Vague: func(c *order.Command) bool { return strings.Contains(e.Kernel.Places[c.Place].Name, ".tensor.") }}
	for _, v := range e.Kernel.SharedVariables() {
		size := int(v.Size)
		if size <= 0 {
			size = Unknown
		}
		out.Variables = append(out.Variables, Variable{name(v.Name), int(v.At), size})
	}
	return out
}

// compiledFile is the PTX of a file: of other folders than testdata it stands beside it.
func compiledFile(name, root string) ([]byte, error) {
	if root == testdata {
		return compileFile(name)
	}
	return os.ReadFile(strings.TrimSuffix(name, ".cu") + ".ptx")
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

// expectation is what the head of a file of testdata says.
func expectation(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if words, ok := strings.CutPrefix(line, "// expect: "); ok {
			return strings.TrimSpace(words)
		}
	}
	return "-"
}

// TestVerdictsAgree: what the IR says of the source of a kernel of testdata it says of what nvcc makes of it, too, and the threads of both do the same.
// FENCEPOST_JUDGE names another folder of kernels, FILE.ptx beside FILE.cu is what it was compiled to; FENCEPOST_JUDGE_FILE is a part of the paths that are
// compared, and FENCEPOST_JUDGE_TABLE a file for the table of all answers.
func TestVerdictsAgree(t *testing.T) {
	compiler(t)
	root := testdata
	if other := os.Getenv("FENCEPOST_JUDGE"); other != "" {
		root = other
	}
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".cu" && strings.Contains(path, os.Getenv("FENCEPOST_JUDGE_FILE")) {
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
		if root == testdata && excused[short] != "" {
			return
		}
		code, err := compiledFile(name, root)
		if err != nil {
			mu.Lock()
			uncompiled++
			mu.Unlock()
			if root == testdata {
				t.Errorf("%s does not compile:\n%v", short, err)
			}
			return
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
	var explained map[string]string
	if root == testdata {
		explained = reasons(t, "explained_ir.txt")
	}
	report(t, rows, explained)
	t.Logf("%d files, %d do not compile", len(names), uncompiled+len(excused))
}

// report tells what was compared, and fails where the two disagree and no reason is listed.
func report(t *testing.T, rows []*row, explained map[string]string) {
	t.Helper()
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.kernel, b.kernel)) })
	if out := os.Getenv("FENCEPOST_JUDGE_TABLE"); out != "" {
		var lines strings.Builder
		for _, r := range rows {
			fmt.Fprintln(&lines, r)
		}
		if err := os.WriteFile(out, []byte(lines.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	counts, traced := map[string]int{}, 0
	for _, r := range rows {
		kind := "not compared"
		if r.compiled != nil {
			kind = fmt.Sprintf("%s in the source, %s as compiled", r.source.Verdict, r.compiled.Verdict)
		}
		if counts[kind]++; r.traced > 0 {
			traced++
		}
	}
	t.Logf("%d kernels, the commands of %d were compared one by one", len(rows), traced)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[kind], kind)
	}
	for _, r := range rows {
		which := r.file + " " + r.kernel
		if why := explained[which]; why != "" && len(r.differences) == 0 {
			t.Errorf("explained_ir.txt: %s agrees, though %s", which, why)
		} else if why == "" {
			for _, d := range r.differences {
				t.Error(d)
			}
		}
	}
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
