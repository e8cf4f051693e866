package finding

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/source"
)

func at(rule, path string, line int) Finding {
	return Finding{Rule: rule, Severity: Error, Location: Location{Path: path, Line: line, Column: 1}}
}

func names(fs []Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s %s:%d", f.Rule, f.Path, f.Line))
	}
	return strings.Join(out, ", ")
}

func TestSuppress(t *testing.T) {
	labelled := at("FP102", "a.py", 40)
	labelled.Labels = []Label{{Location: Location{Path: "a.py", Line: 9}}}
	wide := at("FP103", "a.py", 20)
	wide.EndLine = 23
	fs := []Finding{at("FP101", "a.py", 5), at("FP101", "a.py", 6), at("FP101", "b.py", 5), labelled, wide}
	kept, n, unused := Suppress(fs, map[string][]source.Suppression{
		"a.py": {
			{Line: 4, Target: 5, Rules: []string{"FP101", "FP404"}, Reason: "r"},
			{Line: 6, Target: 6, Rules: []string{"FP101"}, Malformed: "no reason"},
			{Line: 9, Target: 9, Rules: []string{"FP102"}, Reason: "r"},
			{Line: 22, Target: 22, Rules: []string{"FP103"}, Reason: "r"},
			{Line: 30, Target: 30, Rules: []string{"FP101", "FP101"}, Reason: "r"},
		},
		"c.py": {{Line: 1, Target: 1, Rules: []string{"FP101"}, Reason: "r"}},
	})
	if n != 3 || names(kept) != "FP101 a.py:6, FP101 b.py:5" {
		t.Errorf("kept %s, suppressed %d", names(kept), n)
	}
	if want := "FP901 a.py:4, FP902 a.py:6, FP901 a.py:30, FP901 c.py:1"; names(unused) != want {
		t.Errorf("unused: %s, want %s", names(unused), want)
	}
	if !strings.Contains(unused[0].Message, "FP404") || unused[0].Severity != Warning {
		t.Errorf("%+v", unused[0])
	}
}

func TestChanged(t *testing.T) {
	lines := map[string][]source.Range{"a.py": {{First: 10, Last: 12}}}
	by := func(set func(*Finding)) Finding {
		f := at("FP101", "a.py", 50)
		set(&f)
		return f
	}
	for name, test := range map[string]struct {
		f    Finding
		want bool
	}{
		"its line":            {at("FP101", "a.py", 12), true},
		"the line after":      {at("FP101", "a.py", 13), false},
		"the line before":     {at("FP101", "a.py", 9), false},
		"another file":        {at("FP101", "b.py", 11), false},
		"a region around":     {by(func(f *Finding) { f.Line, f.EndLine = 1, 99 }), true},
		"a label":             {by(func(f *Finding) { f.Labels = []Label{{Location: Location{Path: "a.py", Line: 11}}} }), true},
		"a step":              {by(func(f *Finding) { f.Trace = []Step{{Location: Location{Path: "a.py", Line: 10}}} }), true},
		"its kernel":          {by(func(f *Finding) { f.KernelLines = []Location{{Path: "a.py", Line: 5, EndLine: 60}} }), true},
		"a helper elsewhere":  {by(func(f *Finding) { f.KernelLines = []Location{{Path: "b.py", Line: 5, EndLine: 60}} }), false},
		"nothing of it at 50": {by(func(*Finding) {}), false},
	} {
		if got := len(Changed([]Finding{test.f}, lines)) == 1; got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestDedupe(t *testing.T) {
	plain := at("FP101", "a.py", 5)
	plain.Kernel = "k1"
	proved := plain
	proved.Kernel, proved.Verdict, proved.Trace = "k2", "violated", make([]Step, 9)
	short := proved
	short.Kernel, short.Trace = "k3", make([]Step, 4)
	other := at("FP101", "a.py", 5)
	other.Column = 2
	got := Dedupe([]Finding{plain, other, proved, short, plain})
	if len(got) != 2 || got[0].Kernel != "k3" || !reflect.DeepEqual(got[0].Notes, []string{"found in these kernels too: k1, k2"}) {
		t.Errorf("%+v", got)
	}
}

func TestSortIsTotal(t *testing.T) {
	fs := []Finding{at("FP101", "a.py", 1), at("FP102", "a.py", 1), at("FP101", "a.py", 2), at("FP101", "b.py", 1), at("FP101", "a.py", 1)}
	fs[4].Column = 7
	want := "FP101 a.py:1, FP102 a.py:1, FP101 a.py:1, FP101 a.py:2, FP101 b.py:1"
	for range 20 {
		rand.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		Sort(fs)
		if names(fs) != want {
			t.Fatalf("got %s, want %s", names(fs), want)
		}
	}
}

func TestCap(t *testing.T) {
	fs := []Finding{at("FP1", "a", 1), at("FP2", "a", 2), at("FP3", "a", 3)}
	fs[0].Severity, fs[1].Severity = Note, Warning
	kept, dropped := Cap(fs, 2)
	if names(kept) != "FP2 a:2, FP3 a:3" || dropped != 1 {
		t.Errorf("kept %s, dropped %d", names(kept), dropped)
	}
	if kept, dropped := Cap(fs, 3); len(kept) != 3 || dropped != 0 {
		t.Error("nothing was to be dropped")
	}
}

func TestMerge(t *testing.T) {
	warning := at("FP201", "a.py", 3)
	warning.Severity = Warning
	cleared := at("FP301", "a.py", 4)
	cleared.Cleared = true
	one := Report{Findings: []Finding{at("FP101", "b.py", 1)}, Kernels: []Kernel{{Path: "b.py", Verdict: "violated"}}, Summary: Summary{Files: 2, Millis: 5}, Notes: []string{"n"}}
	two := Report{Findings: []Finding{warning, cleared}, Kernels: []Kernel{{Path: "a.py", Verdict: "holds"}}, Summary: Summary{Files: 3, Suppressed: 1}, Notes: []string{"n"}}
	m := Merge(one, two)
	want := Summary{Files: 5, Kernels: 2, Verdicts: map[string]int{"violated": 1, "holds": 1}, Errors: 1, Warnings: 1, Suppressed: 1, Millis: 5}
	if !reflect.DeepEqual(m.Summary, want) || m.Kernels[0].Path != "a.py" || len(m.Notes) != 1 || names(m.Findings) != "FP201 a.py:3, FP301 a.py:4, FP101 b.py:1" {
		t.Errorf("%+v", m)
	}
	if reversed := Merge(two, one); !reflect.DeepEqual(m, reversed) {
		t.Error("the order of the shards shows")
	}
}
