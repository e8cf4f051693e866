package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

const smoother = `@cute.kernel
def smooth(gate: cute.Pointer, halo):
	cute.arch.mbarrier_init(gate, 256)
    for step in range(30):
        cute.arch.mbarrier_wait(gate, 0)  # 漢 halo
`

// sample is a report with one of everything.
func sample() (finding.Report, Options) {
	place := func(line, from, to int) finding.Location {
		return finding.Location{Path: "kernels/smooth.py", Line: line, Column: from, EndLine: line, EndColumn: to}
	}
	r := finding.Report{
		Findings: []finding.Finding{
			{
				Rule: "FP101", Name: "literal-wait-phase", Severity: finding.Error, Verdict: "violated", Location: place(5, 9, 41), Kernel: "smooth",
				Message: "the wait on gate has the literal phase 0 in a loop, and the second iteration passes it at once",
				Labels: []finding.Label{
					{Location: place(3, 2, 25), Text: "initialised with 256 here"},
					{Location: finding.Location{Path: "kernels/peer.py", Line: 7, Column: 1}, Text: "arrived on here"},
				},
				Notes: []string{"gate completes a phase every iteration"}, Help: "toggle a phase variable after each wait",
				Litmus: "PTX gate\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, gate ;\nexists (P0:r0 == 0)\n",
				Fix: &finding.Fix{Text: "toggle the phase", Edits: []finding.Edit{
					{Location: place(5, 38, 39), Text: "phase"}, {Location: finding.Location{Path: "kernels/peer.py", Line: 7, Column: 1, EndLine: 7, EndColumn: 1}, Text: "phase ^= 1\n"},
				}},
				Trace: []finding.Step{
					{Location: place(5, 9, 41), Actor: "threads 0-127 of CTA 0", Text: "wait on gate[0] phase 0 passes",
						By: []finding.Party{{Threads: [][2]int{{0, 127}}}}, After: []finding.Standing{{Object: "gate[0] of CTA 0", State: "phase 1, 256 of 256 arrivals pending", Phase: 1, Need: 256}}},
					{Location: finding.Location{Path: "kernels/peer.py", Line: 7}, Actor: "threads 0-127 of CTA 1", Text: "arrive on gate[0]", From: finding.Location{Path: "kernels/smooth.py", Line: 4},
						By: []finding.Party{{CTA: 1, Threads: [][2]int{{0, 127}}}}, After: []finding.Standing{{Object: "gate[0] of CTA 0", State: "phase 1, 128 of 256 arrivals pending, 512 bytes outstanding", Phase: 1, Come: 128, Need: 256, Bytes: 512}}},
					{Actor: "the TMA unit", Text: "completes 512 bytes", By: []finding.Party{{CTA: 1, Name: "the TMA unit", Async: true, InFlight: 1}}, Racing: true},
				},
				Cycle: []finding.Step{{Location: place(5, 9, 41), Actor: "threads 0-127 of CTA 0", Text: "poll of gate[0]: in phase 1, waits for its end"}},
				Stuck: []finding.Step{{Location: place(5, 9, 41), Actor: "threads 0-127 of CTA 0", Text: "wait on gate[0] phase 1", By: []finding.Party{{Threads: [][2]int{{0, 127}}}}}},
				Final: []string{"gate[0] of CTA 0: phase 1, 128 of 256 pending", "threads 0-127 of CTA 0 wait for phase 1"},
			},
			{Rule: "FP901", Name: "unused-suppression", Severity: finding.Warning, Location: place(4, 5, 8), Message: "this comment suppresses FP102, but line 5 has no such finding"},
			{Rule: "FP301", Name: "narrow-fence", Severity: finding.Warning, Cleared: true, Location: place(4, 5, 0), Message: "cleared by the engine"},
		},
		Kernels: []finding.Kernel{
			{Path: "kernels/smooth.py", Line: 2, Name: "smooth", Verdict: "violated", Engines: []string{"explore", "spin"}, Bounds: map[string]string{"steps": "3", "THREADS": "128"},
				States: 1234, Millis: 12.4, Properties: map[string]string{"deadlock": "violated", "race": "violated", "phase": "holds", "bytes": "inconclusive"}},
			{Path: "kernels/ring.py", Line: 9, Name: "Ring.kernel", Verdict: "inconclusive", Reasons: []string{"line 14: the call to tail() is not modelled"}},
			{Path: "kernels/ok.py", Line: 1, Name: "copy", Verdict: "holds", Engines: []string{"explore"}, States: 1, Millis: 0.2, Properties: map[string]string{"deadlock": "holds", "order": "open"},
				Open: []finding.Open{{Property: "order", Path: "kernels/ok.py", Line: 4, Why: "FP301 narrow-fence: it reaches its own CTA only"}}},
		},
		Summary: finding.Summary{Files: 3, FunctionsSkipped: 2, Suppressed: 1, Cleared: 1, Millis: 410},
		Notes:   []string{"big.py: not read: 3000000 bytes, limit 2097152"},
	}
	r.Count()
	lines := strings.Split(smoother, "\n")
	return r, Options{Snippet: func(path string, n int) string {
		if path != "kernels/smooth.py" || n < 1 || n > len(lines) {
			return ""
		}
		return lines[n-1]
	}}
}

var writers = map[string]func(io.Writer, finding.Report, Options) error{
	"text":  Text,
	"color": func(w io.Writer, r finding.Report, o Options) error { o.Color = true; return Text(w, r, o) },
	"json":  func(w io.Writer, r finding.Report, _ Options) error { return JSON(w, r) },
	"github": func(w io.Writer, r finding.Report, _ Options) error {
		return GitHub(w, r)
	},
	"markdown":   func(w io.Writer, r finding.Report, _ Options) error { return Markdown(w, r) },
	"statistics": func(w io.Writer, r finding.Report, o Options) error { o.Statistics = true; return Text(w, r, o) },
	"rdjson":     func(w io.Writer, r finding.Report, o Options) error { return RDJSON(w, r, o.Snippet) },
	"gitlab":     func(w io.Writer, r finding.Report, _ Options) error { return GitLab(w, r) },
	"html":       HTML,
	"checkstyle": func(w io.Writer, r finding.Report, _ Options) error { return Checkstyle(w, r) },
	"junit":      func(w io.Writer, r finding.Report, _ Options) error { return JUnit(w, r) },
}

// TestBytesOfColumns: reviewdog counts bytes of UTF-8 where a location counts units of UTF-16.
func TestBytesOfColumns(t *testing.T) {
	r := finding.Report{Findings: []finding.Finding{{Rule: "FP101", Location: finding.Location{Path: "k", Line: 1, Column: 5, EndLine: 1, EndColumn: 9}}}}
	var b bytes.Buffer
	if err := RDJSON(&b, r, func(string, int) string { return "aµ😀b" }); err != nil { // b begins at unit 5 and byte 8; the line ends after it
		t.Fatal(err)
	}
	var got struct {
		Diagnostics []struct {
			Location struct {
				Range struct{ Start, End struct{ Column int } }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if at := got.Diagnostics[0].Location.Range; at.Start.Column != 8 || at.End.Column < 9 {
		t.Errorf("columns %d to %d, want 8 to the end", at.Start.Column, at.End.Column)
	}
}

func TestGolden(t *testing.T) {
	r, o := sample()
	for name, write := range writers {
		var b bytes.Buffer
		if err := write(&b, r, o); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "sample."+name)
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (run with -update if it is meant):\n%s", name, diff)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	r, _ := sample()
	r.Findings[0].Message = "odd ##[error] \x1b \u202e \U0001F600 <b>"
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := JSON(&again, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), again.String()); diff != "" || back.Findings[0].Message != r.Findings[0].Message {
		t.Errorf("it changed on the way:\n%s", diff)
	}
	for _, bad := range []string{"", "{}", `{"schema":"other/v1"}`, `{"schema":"fencepost/v1","findings":[{"severity":"bad","path":"a","line":1}]}`,
		`{"schema":"fencepost/v1","findings":[{"severity":"error","line":1}]}`, `{"schema":"fencepost/v1","findings":[{"severity":"error","path":"a","line":-1}]}`} {
		if _, err := ReadJSON(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestEmpty(t *testing.T) {
	for name, write := range writers {
		var b bytes.Buffer
		if err := write(&b, finding.Report{}, Options{}); err != nil || b.Len() == 0 {
			t.Errorf("%s: %q, %v", name, b.String(), err)
		}
		if strings.Contains(b.String(), "null") {
			t.Errorf("%s: %s", name, b.String())
		}
	}
}

func TestAnnotationBudget(t *testing.T) {
	var r finding.Report
	for i := range 25 {
		for s := finding.Note; s <= finding.Error; s++ {
			r.Findings = append(r.Findings, finding.Finding{Rule: "FP101", Severity: s, Location: finding.Location{Path: "a.py", Line: i + 1, Column: 2, EndLine: i + 1 + i%2}, Message: "m"})
		}
	}
	var b bytes.Buffer
	if err := GitHub(&b, r); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	for prefix, want := range map[string]int{"\n::error ": 10, "\n::warning ": 10, "\n::notice ": 10, "\na.py:": 74, "not shown: 15 errors, 15 warnings, 16 notes": 1} {
		if got := strings.Count(out, prefix); got != want {
			t.Errorf("%q: %d times, want %d", prefix, got, want)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "::") && strings.Contains(line, "col=") && !strings.Contains(line, "endLine="+regexp.MustCompile(`,line=(\d+)`).FindStringSubmatch(line)[1]) {
			t.Errorf("columns over several lines: %s", line)
		}
	}
}

func TestMarkdownCap(t *testing.T) {
	var r finding.Report
	for i := range 3000 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "FP101", Location: finding.Location{Path: "a.py", Line: i + 1}, Message: strings.Repeat("|", 300), Trace: make([]finding.Step, 3)})
		r.Kernels = append(r.Kernels, finding.Kernel{Path: "a.py", Name: "k"})
	}
	var b bytes.Buffer
	if err := Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	if b.Len() > maxMarkdown || !regexp.MustCompile(`lack of room: \d+ findings, \d+ kernels, 3000 counterexamples`).Match(b.Bytes()) {
		t.Errorf("%d bytes, ends with %q", b.Len(), b.String()[b.Len()-120:])
	}
}

func TestMarkdownInjection(t *testing.T) {
	r := finding.Report{Findings: []finding.Finding{{
		Rule: "FP101", Location: finding.Location{Path: "a|`b`<!--.py", Line: 1}, Message: "[x](http://evil) @all <img src=x> `c` \\| www.evil.com ```",
		Trace: []finding.Step{{Text: "````\n</details>"}},
	}}}
	var b bytes.Buffer
	if err := Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	table, details, _ := strings.Cut(out, "<details>")
	table = regexp.MustCompile("`[^`\n]*` \\|").ReplaceAllString(table, "") // code spans, which mean nothing but themselves
	for _, bad := range []string{"<!--", "<img", "[x](", "x](", "http:", "@all", "www.", " `c`"} {
		if strings.Contains(table, bad) {
			t.Errorf("%q is in the table:\n%s", bad, table)
		}
	}
	if !strings.Contains(details, "`````text\n") {
		t.Errorf("the fence is too short:\n%s", details)
	}
}

func TestLongTrace(t *testing.T) {
	f := finding.Finding{Trace: make([]finding.Step, 1000)}
	got := steps(f)
	if len(got) != headSteps+1+tailSteps || !strings.Contains(got[headSteps], "925 steps left out") || !strings.HasPrefix(got[len(got)-1], "1000. ") {
		t.Errorf("%d lines, %q, %q", len(got), got[headSteps], got[len(got)-1])
	}
}

func TestLongBounds(t *testing.T) {
	long := "first; " + strings.Repeat("x", 60) + "; " + strings.Repeat("y", 60)
	got := bounds(map[string]string{"threads": "32", "assumed": long})
	want := []string{"assumed = first; " + strings.Repeat("x", 60) + ";", "  " + strings.Repeat("y", 60), "threads = 32"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := bounds(map[string]string{"threads": "32", "ctas": "2"}); !slices.Equal(got, []string{"ctas = 2; threads = 32"}) {
		t.Errorf("short ones: %q", got)
	}
}

func TestLongLine(t *testing.T) {
	line := strings.Repeat("x", 5000) + "wait" + strings.Repeat("y", 5000)
	shown, under := mark(draw(line), 5001, 5005, "^")
	at := strings.IndexByte(under, '^')
	if len([]rune(shown)) > maxWidth+2 || string([]rune(shown)[at:at+4]) != "wait" || strings.Count(under, "^") != 4 {
		t.Errorf("%q\n%q", shown, under)
	}
}

func TestUseColor(t *testing.T) {
	for _, test := range []struct {
		flag, env string
		terminal  bool
		want      bool
	}{
		{"auto", "", true, true}, {"auto", "", false, false}, {"auto", "TERM=dumb", true, false},
		{"always", "NO_COLOR=1", false, true}, {"never", "FORCE_COLOR=1", true, false},
		{"auto", "NO_COLOR=1 FORCE_COLOR=1", true, false}, {"auto", "FORCE_COLOR=1", false, true}, {"auto", "CLICOLOR_FORCE=1", false, true},
		{"auto", "FORCE_COLOR=0", false, false}, {"auto", "GITHUB_ACTIONS=true", false, true}, {"", "NO_COLOR=", true, true},
	} {
		getenv := func(key string) string {
			for _, pair := range strings.Fields(test.env) {
				if k, v, _ := strings.Cut(pair, "="); k == key {
					return v
				}
			}
			return ""
		}
		if got := UseColor(test.flag, getenv, test.terminal); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

var command = regexp.MustCompile(`^::(error|warning|notice) [a-zA-Z]+=[^:,\r\n]*(,[a-zA-Z]+=[^:,\r\n]*)*::`)

// Whatever stands in the source, a report has our commands and our escape sequences only, and nothing that hides text.
func FuzzWriters(f *testing.F) {
	for _, s := range []string{"::error::x", "##[error]", "##", "[x", "\x1b[31m", "\u202e", "a\n::warning::b", ":", "", " ", "a,b:c%0A", "```"} {
		f.Add(s, s)
		f.Add(s, "##")
	}
	f.Fuzz(func(t *testing.T, s, u string) {
		at := finding.Location{Path: s, Line: 2, Column: 1, EndColumn: 3}
		r := finding.Report{
			Findings: []finding.Finding{{Rule: u, Name: s, Verdict: u, Location: at, Kernel: u, Message: s, Notes: []string{u}, Help: s, Final: []string{s}, Cycle: []finding.Step{{Location: at, Actor: u, Text: s}},
				Labels: []finding.Label{{Location: finding.Location{Path: u, Line: 1, Column: 2}, Text: s}}, Trace: []finding.Step{{Location: at, Actor: s, Text: u}, {Text: s}}}},
			Kernels: []finding.Kernel{{Path: s, Name: u, Verdict: s, Engines: []string{u}, Bounds: map[string]string{s: u}, Properties: map[string]string{s: "violated"}, Reasons: []string{s}}},
			Notes:   []string{s},
		}
		o := Options{Snippet: func(string, int) string { return strings.ReplaceAll(s, "\n", "") }}
		for name, write := range writers {
			if name == "color" {
				continue
			}
			var b bytes.Buffer
			if err := write(&b, r, o); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if err := safe(line, name == "github"); err != nil {
					t.Fatalf("%s: %v: %q", name, err, line)
				}
			}
		}
	})
}

func safe(line string, commands bool) error {
	for _, r := range line {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("it holds %U", r)
		}
	}
	if strings.Contains(line, "##[") {
		return fmt.Errorf("it holds an old command")
	}
	if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") && !(commands && command.MatchString(line)) {
		return fmt.Errorf("it is a command")
	}
	return nil
}
