package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// TestPublish decides the kernels of testdata/publish from their source: each stale read is told at the line that asks
// for it, with the execution and a test that engine/memory reads, and right kernels are silent. Each repair is applied to
// the source: then its finding is gone, and with all repairs nothing is left.
func TestPublish(t *testing.T) {
	files, err := filepath.Glob("../testdata/publish/*")
	if err != nil || len(files) < 26 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			base, text := filepath.Base(name), string(data)
			found := handoffFindings(t, base, text)
			if got, want := places(found), wanted(text); !slices.Equal(got, want) {
				t.Fatalf("found %q, want %q", got, want)
			}
			if silent := strings.Contains(text, " expect: silent\n"); silent != (len(found) == 0) || !silent && !strings.Contains(text, " expect: stale") {
				t.Errorf("%d findings do not go with the head of the file", len(found))
			}
			var all []finding.Edit
			for i := range found {
				f := &found[i]
				evident(t, f)
				if f.Fix == nil {
					if f.Severity == finding.Error {
						t.Errorf("%s at line %d has no repair", f.Rule, f.Line)
					}
					continue
				}
				all = append(all, f.Fix.Edits...)
				repaired := applied(text, f.Fix.Edits)
				if left := handoffFindings(t, base, repaired); len(left) >= len(found) {
					t.Errorf("%q leaves %q in\n%s", f.Fix.Text, places(left), repaired)
				}
			}
			if left := handoffFindings(t, base, applied(text, all)); len(all) > 0 && len(left) > 0 {
				t.Errorf("all repairs leave %q in\n%s", places(left), applied(text, all))
			}
		})
	}
}

// handoffFindings checks a text, and returns the findings of FP2xx and FP3xx.
func handoffFindings(t *testing.T, name, text string) []finding.Finding {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	r, err := Run(context.Background(), Options{Tree: tree, Engine: Explore, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
		return !strings.HasPrefix(f.Rule, "FP2") && !strings.HasPrefix(f.Rule, "FP3") || f.Severity < finding.Warning
	})
}

func places(list []finding.Finding) []string {
	out := []string{}
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %d", f.Rule, f.Line))
	}
	slices.Sort(out)
	return out
}

func wanted(text string) []string {
	out := []string{}
	for i, line := range strings.Split(text, "\n") {
		if _, rule, ok := strings.Cut(line, " want "); ok {
			out = append(out, fmt.Sprintf("%s %d", strings.Fields(rule)[0], i+1))
		}
	}
	slices.Sort(out)
	return out
}

// evident checks that a finding carries its execution, and a test that shows the same.
func evident(t *testing.T, f *finding.Finding) {
	t.Helper()
	if f.Verdict == "violated" && len(f.Trace) < 2 {
		t.Errorf("%s at line %d has no execution", f.Rule, f.Line)
	}
	p, err := memory.Read(strings.NewReader(f.Litmus))
	if err != nil {
		t.Fatalf("%v in\n%s", err, f.Litmus)
	}
	m, err := memory.LoadModel("ptx-async")
	if err != nil {
		t.Fatal(err)
	}
	stale := memory.Solve(context.Background(), p, m, memory.Options{}).Observable
	races := memory.Solve(context.Background(), p, m, memory.Options{Property: memory.Race}).Observable
	if !stale && !races {
		t.Errorf("nothing is stale in\n%s", f.Litmus)
	}
}

// applied makes edits to a text, the last in the text first.
func applied(text string, edits []finding.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b finding.Edit) int { return offset(text, b.Line, b.Column) - offset(text, a.Line, a.Column) })
	for _, e := range edits {
		text = text[:offset(text, e.Line, e.Column)] + e.Text + text[offset(text, e.EndLine, e.EndColumn):]
	}
	return text
}

// offset is where a column of a line, in UTF-16 units, is in a text.
func offset(text string, line, column int) int {
	lines := strings.SplitAfter(text, "\n")
	at := 0
	for _, l := range lines[:line-1] {
		at += len(l)
	}
	for units := 1; units < column; {
		r := []rune(text[at:])[0]
		units += utf16.RuneLen(r)
		at += len(string(r))
	}
	return at
}
