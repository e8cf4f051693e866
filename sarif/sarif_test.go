package sarif

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/google/go-cmp/cmp"
	gosarif "github.com/owenrumney/go-sarif/v2/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the golden file anew")

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
})

// write writes a report, checks it against the official schema, and reads it back with go-sarif.
func write(t *testing.T, r finding.Report, m Meta) (string, *gosarif.Run) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, m); err != nil {
		t.Fatal(err)
	}
	official, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := official.Validate(value); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	log, err := gosarif.FromBytes(b.Bytes())
	if err != nil || len(log.Runs) != 1 {
		t.Fatalf("%d runs, %v", len(log.Runs), err)
	}
	return b.String(), log.Runs[0]
}

func sample() (finding.Report, Meta) {
	place := func(line, from, to int) finding.Location {
		return finding.Location{Path: "kernels/two cta.py", Line: line, Column: from, EndLine: line, EndColumn: to}
	}
	r := finding.Report{
		Findings: []finding.Finding{{
			Rule: "FP101", Name: "literal-wait-phase", Severity: finding.Error, Verdict: "violated", Location: place(5, 9, 41), Kernel: "smooth",
			Message: "the wait on gate[0] has the literal phase 0 in a loop", Labels: []finding.Label{{Location: place(3, 2, 25), Text: "gate[0] is initialised here"}},
			Notes: []string{"gate completes a phase every iteration"}, Help: "toggle a phase variable", Litmus: "PTX gate\n",
			Fix: &finding.Fix{Text: "toggle the phase", Edits: []finding.Edit{
				{Location: place(5, 38, 39), Text: "phase"}, {Location: place(6, 1, 1), Text: "phase ^= 1\n"},
			}},
			Trace:    []finding.Step{{Location: place(5, 9, 41), Actor: "warp 1 of CTA 0", Text: "wait on gate[0] phase 0 passes", After: []finding.Standing{{Object: "gate[0]", State: "phase 1, 1 of 1 arrivals pending"}}}, {Actor: "the TMA unit", Text: "completes 512 bytes"}},
			Cycle:    []finding.Step{{Location: place(5, 9, 41), Actor: "warp 1 of CTA 0", Text: "poll of gate[0]: in phase 1, waits for its end"}},
			LineHash: "c129715d7a2bc9a3:1", Identity: "0123:1",
		}},
		Kernels: []finding.Kernel{
			{Path: "ring.py", Line: 4, Name: "ring", Verdict: "inconclusive", Reasons: []string{"line 9: tail() is not modelled"}},
			{Path: "ok.py", Line: 4, Name: "ok", Verdict: "holds"},
		},
		Notes: []string{"big.py: not read"},
	}
	m := Meta{Version: "v1.2.3", Rules: []Rule{
		{ID: "FP101", Name: "literal-wait-phase", Short: "A wait has a literal phase.", Full: "Longer.", Help: "# Page\n", Severity: finding.Error, Precision: "high"},
		{ID: "FP202", Name: "missing-proxy-fence", Severity: finding.Warning},
	}}
	return r, m
}

func TestGolden(t *testing.T) {
	r, m := sample()
	got, _ := write(t, r, m)
	const golden = "testdata/sample.sarif"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run with -update if it is meant:\n%s", diff)
	}
}

func TestEmptyRunHasResults(t *testing.T) {
	text, run := write(t, finding.Report{}, Meta{})
	if !strings.Contains(text, `"results": []`) || !strings.Contains(text, `"rules": []`) || run.Results == nil {
		t.Error(text)
	}
}

func TestURIs(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.cu": "a/b.cu", "sp ace.cu": "sp%20ace.cu", "x:y.cu": "./x:y.cu", "a#b?c.cu": "a%23b%3Fc.cu", "100%.cu": "100%25.cu",
		"µ(1).cu": "%C2%B5%281%29.cu", "/abs.cu": "abs.cu", "": ".", "a\x1b\u202e.cu": "a%1B%E2%80%AE.cu",
	} {
		got := *uri(path)
		if strings.ReplaceAll(strings.ReplaceAll(got, "(", "%28"), ")", "%29") != want {
			t.Errorf("uri(%q) = %s, want %s", path, got, want)
		}
		if u, err := url.Parse(got); err != nil || u.IsAbs() || u.Host != "" {
			t.Errorf("uri(%q) = %s, which GitHub reads as %+v, %v", path, got, u, err)
		}
	}
}

func TestNoLinksFromSource(t *testing.T) {
	evil := "[click](http://evil.example) `code` www.evil.example ##[error]"
	r := finding.Report{Findings: []finding.Finding{{
		Rule: "FP101", Name: "n", Location: finding.Location{Path: "a", Line: 1}, Message: evil, Notes: []string{evil}, Help: evil, Kernel: evil,
		Labels: []finding.Label{{Location: finding.Location{Path: "a", Line: 1}, Text: evil + "](http://x)"}}, Trace: []finding.Step{{Actor: evil, Text: evil}},
	}}}
	out, run := write(t, r, Meta{})
	for _, bad := range []string{"](http", "http://evil", "`code", "www.evil", "##["} {
		if strings.Contains(out, bad) {
			t.Errorf("%s is in\n%s", bad, out)
		}
	}
	if got := *run.Results[0].Message.Text; strings.Count(got, "](") != 1 || !strings.Contains(got, "](1)") {
		t.Errorf("links in %q", got)
	}
}

func TestCaps(t *testing.T) {
	var r finding.Report
	for i := range maxResults + 7 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "FP101", Name: "n", Severity: finding.Severity(i % 3), Location: finding.Location{Path: "a", Line: i + 1}, Message: "m"})
		r.Kernels = append(r.Kernels, finding.Kernel{Path: "a", Line: 1, Name: "k", Verdict: "inconclusive"})
	}
	for i := range 1234 {
		r.Findings[2].Trace = append(r.Findings[2].Trace, finding.Step{Actor: "warp 0", Text: fmt.Sprint(i)})
	}
	r.Findings[0].Cleared = true
	_, run := write(t, r, Meta{})
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(run.Results) != maxResults || len(notes) != maxNotifications || !strings.HasPrefix(*notes[0].Message.Text, "6 findings") ||
		*notes[len(notes)-1].Message.Text != "1009 notifications more are left out" {
		t.Errorf("%d results, %d notifications, %s, %s", len(run.Results), len(notes), *notes[0].Message.Text, *notes[len(notes)-1].Message.Text)
	}
	for _, res := range run.Results {
		if len(res.CodeFlows) == 0 {
			continue
		}
		steps := res.CodeFlows[0].ThreadFlows[0].Locations
		last := steps[len(steps)-1]
		if len(steps) != maxSteps || *last.ExecutionOrder != 1234 || *steps[maxSteps/4].Location.Message.Text != "1035 steps are left out here" || last.Importance != "essential" {
			t.Errorf("%d steps, %s", len(steps), *steps[maxSteps/4].Location.Message.Text)
		}
	}
}

func TestIncompleteRun(t *testing.T) {
	_, run := write(t, finding.Report{}, Meta{Version: "devel", Incomplete: true})
	if *run.Invocations[0].ExecutionSuccessful || run.Tool.Driver.SemanticVersion != nil || *run.Tool.Driver.Version != "devel" {
		t.Errorf("%+v", run.Tool.Driver)
	}
}

// Whatever a source or a merged report holds, the log is valid, places everything, and is safe to print.
func FuzzWrite(f *testing.F) {
	f.Add("a", 1, 2, 3, 4)
	f.Add("##[x](http://y)`\x1b\u202e\xff", -1, 0, -7, 1<<30)
	f.Fuzz(func(t *testing.T, s string, line, column, endLine, endColumn int) {
		at := finding.Location{Path: s, Line: line % (1 << 30), Column: column % (1 << 30), EndLine: endLine % (1 << 30), EndColumn: endColumn % (1 << 30)}
		r := finding.Report{
			Findings: []finding.Finding{{Rule: s, Name: s, Location: at, Message: s, Kernel: s, Verdict: s, Labels: []finding.Label{{Location: at, Text: s}},
				Trace: []finding.Step{{Location: at, Actor: s, Text: s}}, LineHash: s, Identity: s}},
			Kernels: []finding.Kernel{{Path: s, Line: line % (1 << 30), Name: s, Verdict: "inconclusive", Reasons: []string{s}}},
			Notes:   []string{s},
		}
		out, run := write(t, r, Meta{Version: s, Rules: []Rule{{ID: "FP101", Short: s, Help: s}}})
		if strings.Contains(out, "##[") || strings.ContainsAny(out, "\x1b\u202e\u009b") {
			t.Fatalf("%q is not safe to print", out)
		}
		region := run.Results[0].Locations[0].PhysicalLocation.Region
		if *region.EndLine < *region.StartLine || *region.EndLine == *region.StartLine && *region.EndColumn <= *region.StartColumn {
			encoded, _ := json.Marshal(region)
			t.Fatalf("the region %s is empty", encoded)
		}
	})
}
