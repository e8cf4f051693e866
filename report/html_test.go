package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/finding"
)

// page is a report as HTML, with what any page has to be: valid text, a policy that allows its own style and script and nothing
// else, and nothing that fetches or runs.
func pageOf(t *testing.T, r finding.Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r, o); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if !utf8.ValidString(page) || strings.ContainsRune(page, 0) {
		t.Error("the page is no valid text")
	}
	policy, _, _ := strings.Cut(page, "<title>")
	for _, tag := range []string{"style", "script"} {
		if n := strings.Count(page, "<"+tag); n != 1 {
			t.Errorf("%d elements %s", n, tag)
		}
		_, text, _ := strings.Cut(page, "<"+tag+">")
		text, _, _ = strings.Cut(text, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		hash := base64.StdEncoding.EncodeToString(sum[:])
		if !strings.Contains(strings.ReplaceAll(policy, "&#43;", "+"), tag+"-src &#39;sha256-"+hash+"&#39;") {
			t.Errorf("the policy does not allow the page's %s, %s:\n%s", tag, hash, policy)
		}
	}
	bare := regexp.MustCompile(`="[^"]*"`).ReplaceAllString(page, "=")
	if m := regexp.MustCompile(`(?i)<(img|iframe|object|embed|link|base|form|input)\b|<[^>]*\s(on[a-z]+|style|src)=|url\(|@import`).FindString(bare); m != "" {
		t.Errorf("the page has %q", m)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#finding-") && !strings.HasPrefix(m[1], "https://github.com/fencepost-dev/fencepost/blob/main/rules/doc/") {
			t.Errorf("a link leads to %s", m[1])
		}
	}
	return page
}

func TestHTMLHostile(t *testing.T) {
	for _, evil := range []string{
		`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, "a\x00b", "\xff\xfe\xc3(", "</pre></code></style>", "<!--", "]]>",
		"\u202e evil \u2066", "{{.}}", "javascript:alert(1)", "\r\n\x1b[31m", strings.Repeat("<b>", 5000), "&lt;b&gt;", "`",
	} {
		at := finding.Location{Path: evil, Line: 2, Column: 1, EndLine: 2, EndColumn: 5}
		step := finding.Step{Location: at, Actor: evil, Text: evil, From: at, By: []finding.Party{{Name: evil}, {CTA: -5, Threads: [][2]int{{7, 3}, {-1, 1 << 60}, {0, 1 << 62}}}, {Name: evil, Async: true, InFlight: 1 << 40}},
			After: []finding.Standing{{Object: evil, State: evil, Phase: -1, Come: 1 << 50, Need: -1}, {Object: evil + "2", State: "complete", Come: -4, Need: 3}}}
		racing := step
		racing.Racing = true
		kernel := finding.Kernel{Path: evil, Line: 1, Name: evil, Verdict: evil, Engines: []string{evil}, Bounds: map[string]string{evil: evil}, Properties: map[string]string{evil: "violated"},
			Reasons: []string{evil}, Open: []finding.Open{{Property: evil, Path: evil, Why: evil}}, Stopped: []finding.Stop{{Path: evil, Line: 1, Why: evil}}}
		r := finding.Report{Findings: []finding.Finding{{Rule: evil, Name: evil, Verdict: evil, Location: at, Kernel: evil, Message: evil, Labels: []finding.Label{{Location: at, Text: evil}}, Notes: []string{evil},
			Help: evil, Litmus: evil, Fix: &finding.Fix{Text: evil, Edits: []finding.Edit{{Location: at, Text: evil}}}, Trace: []finding.Step{step, racing}, Cycle: []finding.Step{step}, Stuck: []finding.Step{step}, Final: []string{evil}}},
			Kernels: []finding.Kernel{kernel}, Notes: []string{evil}}
		page := pageOf(t, r, Options{Snippet: func(string, int) string { return evil }})
		if strings.Contains(page, "<b>a") || strings.Count(page, "<b><b>") > 0 {
			t.Errorf("%.40q stands on the page as it is", evil)
		}
	}
}

// TestHTMLMany: what does not fit is counted, and the page stays one that a browser opens.
func TestHTMLMany(t *testing.T) {
	var r finding.Report
	at := finding.Location{Path: "a.py", Line: 1, Column: 1}
	var trace []finding.Step
	for i := range 200 {
		trace = append(trace, finding.Step{Location: at, Actor: "threads 0-127 of CTA 0", Text: "arrive on gate: 1 of 2 pending",
			By: []finding.Party{{Threads: [][2]int{{i, 127}}}}, After: []finding.Standing{{Object: fmt.Sprint("gate", i%40), State: "phase 0, 1 of 2 arrivals pending", Come: 1, Need: 2}}})
	}
	for i := range 10_000 {
		f := finding.Finding{Rule: "FP101", Severity: finding.Error, Location: at, Message: strings.Repeat("long ", 20), Trace: trace}
		f.Line = i + 1
		r.Findings = append(r.Findings, f)
		r.Kernels = append(r.Kernels, finding.Kernel{Path: "a.py", Name: "k", Verdict: "inconclusive", Reasons: []string{"why"}})
		r.Notes = append(r.Notes, "a note")
	}
	r.Count()
	page := pageOf(t, r, Options{})
	left := regexp.MustCompile(`lack of room: (\d+) findings, (\d+) kernels, (\d+) notes`).FindString(page)
	if len(page) > maxHTML || left == "" {
		t.Errorf("%d bytes; left out: %q", len(page), left)
	}
	if strings.Count(page, "<article") < 20 || strings.Count(page, `<li><a href="#finding-`) != maxContents {
		t.Errorf("%d findings are shown", strings.Count(page, "<article"))
	}
	if !strings.HasSuffix(page, "</html>\n") {
		t.Error("it does not end")
	}
}

// TestLanes: threads that take part in the same steps share a lane, and there are never too many.
func TestLanes(t *testing.T) {
	step := func(cta int, ranges ...[2]int) finding.Step {
		return finding.Step{Text: "arrive on gate", By: []finding.Party{{CTA: cta, Threads: ranges}}}
	}
	f := finding.Finding{Trace: []finding.Step{step(0, [2]int{0, 127}), step(1, [2]int{0, 127}), step(1, [2]int{0, 0}, [2]int{32, 32}), step(1, [2]int{64, 127})}}
	f.Trace = append(f.Trace, finding.Step{Text: "issue: 1 in flight", By: []finding.Party{{CTA: 1, Threads: [][2]int{{0, 0}}}, {CTA: 1, Name: "operations issued at line 3", Async: true, InFlight: 1}}})
	p := drawn(f, func(string, int) string { return "" })
	var titles []string
	for _, l := range p.Lanes {
		titles = append(titles, l.Title)
	}
	want := "threads 0-127 (warps 0-3); thread 0; threads 1-31, 33-63; thread 32; threads 64-127 (warps 2-3); operations issued at line 3"
	if got := strings.Join(titles, "; "); got != want || len(p.Bands) != 2 {
		t.Errorf("lanes %s\nwant  %s; %d bands", got, want, len(p.Bands))
	}
	for i := range 100 {
		f.Trace = append(f.Trace, step(i%3, [2]int{i, i + 40}), finding.Step{Actor: fmt.Sprint("unit ", i), Text: "x"})
	}
	if p = drawn(f, func(string, int) string { return "" }); len(p.Lanes) != maxLanes {
		t.Errorf("%d lanes", len(p.Lanes))
	}
	for _, r := range p.Rows {
		if r.Kind == "step" && len(r.Boxes) == 0 {
			t.Errorf("nobody takes %s", r.Title)
		}
	}
}
