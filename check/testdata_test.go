package check

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// kernelFile is a kernel of testdata with what the comment at its head says of it.
type kernelFile struct {
	name          string
	verdict       string // of the protocol: "litmus: violated" in the head says what interleavings do not see
	stale         bool
	mild          bool // "expect: warned PROPERTY": violated, and told as a warning
	violated      []protocol.Property
	open          []string          // properties beside the verdict that nothing decided: "expect: holds open=order,race-grid"
	reason        string            // of the verdict inconclusive, a part of its text
	want          []string          // "FP120 69": the rule that "# want RULE" asks for at its line; nil where the file says none
	configuration string            // of options that nobody asks for, in which what is to be found shows
	small         map[string]string // constants of a size that SPIN searches in seconds; nil without one
}

func openTestdata(t *testing.T) *source.Tree {
	t.Helper()
	tree, err := source.Open("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// kernelFiles reads the heads of all kernels of testdata that have a verdict.
func kernelFiles(t *testing.T, tree *source.Tree) []kernelFile {
	t.Helper()
	return filesIn(t, tree, kernelFolders(t)...)
}

// loweredFiles are those that are lowered: CUDA C++ and PTX are not.
func loweredFiles(t *testing.T, tree *source.Tree) []kernelFile {
	t.Helper()
	return slices.DeleteFunc(kernelFiles(t, tree), func(k kernelFile) bool { return filepath.Ext(k.name) != ".py" })
}

// filesIn reads the heads of the kernels in folders of testdata.
func filesIn(t *testing.T, tree *source.Tree, folders ...string) []kernelFile {
	t.Helper()
	var files []kernelFile
	_, err := tree.Walk(folders, HasKernelExtension, func(name string, _ bool) error {
		f, err := tree.Read(name)
		if err != nil {
			return err
		}
		files = append(files, readHead(t, f))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// kernelFolders lists the folders of kernels with a verdict: all but those of rules, of progress, of memory and
// of options that nobody asks for, which have tests of their own.
func kernelFolders(t *testing.T) (names []string) {
	t.Helper()
	all, err := os.ReadDir("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !slices.Contains([]string{"rules", "progress", "publish", "handoffs", "spread", "numbers"}, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

func readHead(t *testing.T, f *source.File) kernelFile {
	t.Helper()
	k := kernelFile{name: f.Name}
	sized := false
	for i, text := range strings.Split(string(f.Data), "\n") {
		if _, rules, ok := strings.Cut(text, " want FP"); ok {
			for _, id := range strings.Fields("FP" + rules) {
				k.want = append(k.want, fmt.Sprintf("%s %d", id, i+1))
			}
		}
	}
	for _, text := range strings.Split(string(f.Data), "\n") {
		text, comment := strings.CutPrefix(strings.TrimPrefix(text, "//"), "#")
		if !comment && !strings.HasPrefix(text, " ") {
			break // the head ends
		}
		text = strings.TrimSpace(text)
		if words, ok := strings.CutPrefix(text, "expect: "); ok {
			fields := strings.Fields(words)
			if k.verdict = fields[0]; k.verdict == "warned" {
				k.verdict, k.mild = "violated", true
			}
			for _, p := range fields[1:] {
				if names, ok := strings.CutPrefix(p, "open="); ok {
					k.open = strings.Split(names, ",")
					continue
				}
				if !slices.Contains(protocol.Properties, protocol.Property(p)) {
					t.Errorf("%s: no property is called %q", f.Name, p)
				}
				k.violated = append(k.violated, protocol.Property(p))
			}
		}
		k.stale = k.stale || text == "litmus: violated"
		if words, ok := strings.CutPrefix(text, "reason: "); ok {
			k.reason = words
		}
		if words, ok := strings.CutPrefix(text, "configuration: "); ok {
			k.configuration = words
		}
		if words, ok := strings.CutPrefix(text, "small: "); ok {
			sized = true
			for _, pair := range strings.Fields(words) {
				if name, value, ok := strings.Cut(pair, "="); ok {
					if k.small == nil {
						k.small = map[string]string{}
					}
					k.small[name] = value
				}
			}
		}
	}
	// A broken kernel that cannot be decided here says "expect: inconclusive", and what it must never be is holds.
	known := k.verdict == "holds" || k.verdict == "inconclusive" || k.verdict == "violated" && len(k.violated) > 0
	if !known || !sized {
		t.Errorf("%s: the head has no \"expect: holds\", \"expect: inconclusive\" or \"expect: violated PROPERTY...\", or no \"small: NAME=VALUE\" (or -)", f.Name)
	}
	return k
}

// TestVerdicts is the table of verdicts at the size at which the kernels are launched.
func TestVerdicts(t *testing.T) {
	tree := openTestdata(t)
	for _, k := range kernelFiles(t, tree) {
		t.Run(k.name, func(t *testing.T) {
			r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{k.name}, Engine: Explore, Jobs: 1, Verify: true, Limits: engine.Limits{Time: time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			k.compare(t, r)
		})
	}
}

// compare holds a report against the head of the file: every property that is named is violated, and every error told.
func (k *kernelFile) compare(t *testing.T, r finding.Report) {
	t.Helper()
	if len(r.Kernels) != 1 {
		t.Fatalf("%d kernels, want 1", len(r.Kernels))
	}
	got := r.Kernels[0]
	if k.stale {
		handed := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Verdict == "violated" && f.Litmus != "" })
		if got.Verdict != "violated" || got.Properties["order"] != "violated" && got.Properties["proxy"] != "violated" || !handed {
			t.Errorf("%s, order %q, proxy %q: want a stale read", got.Verdict, got.Properties["order"], got.Properties["proxy"])
		}
		got.Verdict = k.verdict
		r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Litmus != "" })
	}
	if got.Verdict != k.verdict {
		t.Errorf("%s, want %s: %q", got.Verdict, k.verdict, got.Reasons)
	}
	if k.reason != "" && !strings.Contains(strings.Join(got.Reasons, "\n"), k.reason) {
		t.Errorf("inconclusive because of %q, want %q among them", got.Reasons, k.reason)
	}
	for _, why := range got.Whys() {
		if why.Code == 0 {
			t.Errorf("a reason without a code: %q", why.Text)
		}
	}
	for _, p := range protocol.Properties {
		v, named := got.Properties[string(p)], slices.Contains(k.violated, p)
		switch {
		case named && v != "violated":
			t.Errorf("%s %s, want violated", p, v)
		case !named && v == "violated" && !p.Warning():
			t.Errorf("%s violated, which the head does not say", p)
		case slices.Contains(k.open, string(p)) && !p.Warning():
			if v != finding.IsOpen {
				t.Errorf("%s %s, want open", p, v)
			}
		case k.verdict == "holds" && v != "holds" && !p.Warning():
			t.Errorf("%s %s: %q", p, v, got.Reasons)
		}
	}
	var open []string
	for _, o := range got.Open {
		open = append(open, o.Property)
	}
	if k.verdict == "holds" && !k.stale && !slices.Equal(open, k.open) {
		t.Errorf("open are %+v, the head says open=%s", got.Open, strings.Join(k.open, ","))
	}
	errors := 0
	var told []string
	for _, f := range r.Findings {
		if f.Verdict == "violated" && (f.Help == "" || got.Verdict == "holds") {
			t.Errorf("%s at line %d is violated in a kernel of which %q is said, and its help is %q", f.Rule, f.Line, got.Verdict, f.Help)
		}
		lanes := f.Rule == ruleOf[order.Race] && f.Severity == finding.Warning && f.Verdict == "violated" // of one warp
		if f.Severity == finding.Error || lanes {
			errors++
			told = append(told, fmt.Sprintf("%s %d", f.Rule, f.Line))
			if f.Verdict == "violated" && len(f.Final)+len(f.Trace) == 0 && f.Litmus == "" && f.Rule != ruleOf[order.Divergence] && f.Rule != "FP412" { // which stands in the commands themselves
				t.Errorf("%s at line %d has no counterexample", f.Rule, f.Line)
			}
		}
	}
	if slices.Sort(told); k.want != nil && !slices.Equal(told, slices.Sorted(slices.Values(k.want))) {
		t.Errorf("errors %q, want %q", told, k.want)
	}
	if (errors > 0) != (k.verdict == "violated" && !k.mild || k.verdict == "inconclusive" && k.want != nil) {
		t.Errorf("%d errors in a kernel of which %q is expected", errors, k.verdict)
	}
}

// smallKernel lowers the kernel of a file at its small size: one with the instances of all its configurations.
func smallKernel(t *testing.T, tree *source.Tree, k *kernelFile) *lower.Kernel {
	t.Helper()
	f, err := tree.Read(k.name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table(file.Language, nil)
	if err != nil {
		t.Fatal(err)
	}
	kernels := lower.Kernels(file, table, lower.Options{Set: k.small})
	if len(kernels) == 0 {
		t.Fatalf("%s has no kernel", k.name)
	}
	whole := *kernels[0]
	whole.Instances = nil
	for _, c := range kernels {
		if c.Name != whole.Name || len(c.Instances) == 0 || len(c.Opaque) > 0 {
			t.Fatalf("%s %s: %s is not lowered: %+v", path.Base(k.name), k.small, c.Name, c.Opaque)
		}
		whole.Instances = append(whole.Instances, c.Instances...)
	}
	return &whole
}

// A grid whose CTAs wait for each other is modelled whole, as far as one an SM goes.
func TestWholeGrid(t *testing.T) {
	k := smallKernel(t, openTestdata(t), &kernelFile{name: "counter/right.py", small: map[string]string{"PRODUCERS": "131", "THREADS": "32"}})
	if n := k.Instances[0].CTAs; n != 132 {
		t.Errorf("%d CTAs, want 132", n)
	}
}

// longest keeps the two instances with the most operations: those with the most iterations.
func longest(instances []*protocol.Protocol) []*protocol.Protocol {
	size := func(p *protocol.Protocol) int {
		n := 0
		for _, c := range p.Classes {
			n += len(c.Ops)
		}
		return n
	}
	instances = slices.Clone(instances)
	slices.SortStableFunc(instances, func(a, b *protocol.Protocol) int { return size(b) - size(a) })
	return instances[:min(2, len(instances))]
}

// The shape of the published write-up, two CTAs of four threads and three iterations, has no deadlock: SPIN says so alone.
func TestPublishedShapeByPromela(t *testing.T) {
	if _, _, ok := spin.Available(); !ok {
		t.Fatal("spin and a C compiler are needed (make test installs them)")
	}
	k := smallKernel(t, openTestdata(t), &kernelFile{name: "smoother/right.py", small: map[string]string{"THREADS": "4", "ITERS": "3"}})
	for _, p := range k.Instances {
		r := spin.Run(context.Background(), p, []protocol.Property{protocol.Deadlock}, engine.Limits{Time: 10 * time.Minute})
		if a := r.Properties[protocol.Deadlock]; a.Verdict != engine.Holds || !r.Complete {
			t.Errorf("%v: deadlock %s, complete %t: %s", p.Values, a.Verdict, r.Complete, a.Reason)
		}
	}
}

// What the published smoother has and its write-up does not tell: each buffer that is raced for, and the early use.
func TestPublishedSmoother(t *testing.T) {
	r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{"smoother/published.py"}, Engine: Explore})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Kernels[0].Properties["deadlock"]; v != "holds" {
		t.Errorf("deadlock %s, want holds", v)
	}
	var got []string
	for _, f := range r.Findings {
		if f.Severity == finding.Error {
			got = append(got, f.Rule+" "+strings.Split(f.Message, `"`)[1])
		}
	}
	slices.Sort(got)
	if want := []string{"FP620 gate", "FP720 halo", "FP720 now", "FP720 then"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

// The hang of the smoother with a literal phase is told in a few lines, one for each thing that happens.
func TestReadableHang(t *testing.T) {
	r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{"smoother/broken_hardcoded_phase.py"}, Engine: Explore})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Findings[0].Trace); n > 18 {
		t.Errorf("%d lines, want at most 18", n)
	}
	if last := r.Findings[0].Final; !slices.Contains(last, "threads 0-127 of CTA 0: wait on gate phase 0 (line 36)") {
		t.Errorf("the final state %q does not say who waits", last)
	}
}
