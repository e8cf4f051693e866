package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/fencepost-dev/fencepost/finding"
)

// Formats of other programs: reviewdog's rdjson, GitLab's code quality report, Checkstyle's and JUnit's XML.

// RulePage is where a rule is explained.
func RulePage(id string) string {
	return "https://github.com/fencepost-dev/fencepost/blob/main/rules/doc/" + id + ".md"
}

// shown are the findings that no engine cleared.
func shown(r finding.Report) []finding.Finding {
	var out []finding.Finding
	for _, f := range r.Findings {
		if !f.Cleared {
			out = append(out, f)
		}
	}
	return out
}

// told is a finding in words: what is wrong, the other places, the evidence, the way out.
func told(f finding.Finding) string { return Told(f, true) }

// Told is a finding in words, with the other places or, where a reader is shown them anyway, without.
func Told(f finding.Finding, places bool) string { return strings.Join(tell(f, places), "\n") }

// tell is the lines of told; places says whether the labels are among them.
func tell(f finding.Finding, places bool) []string {
	head := Clean(f.Message)
	if f.Verdict != "" {
		head += " (" + Clean(f.Verdict) + ")"
	}
	lines := []string{head}
	for _, l := range f.Labels {
		if places && l.Text != "" {
			lines = append(lines, where(l.Location)+": "+Clean(l.Text))
		}
	}
	for _, n := range f.Notes {
		lines = append(lines, "note: "+Clean(n))
	}
	if f.Help != "" {
		lines = append(lines, "help: "+Clean(f.Help))
	}
	lines = append(lines, repair(f)...)
	for i := range lines {
		lines[i] = finding.NoCommand(lines[i]) // a path may begin a line
	}
	return lines
}

// repair is the change that was tried, as lines.
func repair(f finding.Finding) []string {
	if f.Fix == nil {
		return nil
	}
	lines := []string{"fix (tried, and holds): " + Clean(f.Fix.Text)}
	for _, e := range f.Fix.Edits {
		text := Clean(strings.TrimSpace(e.Text))
		switch empty := e.EndLine == e.Line && e.EndColumn == e.Column; {
		case e.Text == "":
			lines = append(lines, fmt.Sprintf("  %s to %d:%d: take out", where(e.Location), e.EndLine, e.EndColumn))
		case empty:
			lines = append(lines, fmt.Sprintf("  %s: put in: %s", where(e.Location), text))
		default:
			lines = append(lines, fmt.Sprintf("  %s to %d:%d: write instead: %s", where(e.Location), e.EndLine, e.EndColumn, text))
		}
	}
	return lines
}

// writeJSON writes a document of another program's format.
func writeJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	_, err := w.Write(finding.EscapeJSON(b.Bytes()))
	return err
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdRange struct {
	Start rdPosition  `json:"start"`
	End   *rdPosition `json:"end,omitempty"`
}

type rdLocation struct {
	Path  string  `json:"path"`
	Range rdRange `json:"range"`
}

type rdRelated struct {
	Message  string     `json:"message"`
	Location rdLocation `json:"location"`
}

type rdSuggestion struct {
	Range rdRange `json:"range"`
	Text  string  `json:"text"`
}

type rdCode struct {
	Value string `json:"value"`
	URL   string `json:"url"`
}

type rdDiagnostic struct {
	Message     string         `json:"message"`
	Location    rdLocation     `json:"location"`
	Severity    string         `json:"severity"`
	Code        rdCode         `json:"code"`
	Suggestions []rdSuggestion `json:"suggestions,omitempty"`
	Related     []rdRelated    `json:"related_locations,omitempty"`
}

// RDJSON writes the Reviewdog Diagnostic Format. Its columns count bytes of UTF-8, so lines are asked for.
func RDJSON(w io.Writer, r finding.Report, line func(path string, n int) string) error {
	column := func(path string, n, units int) int {
		text := line(path, n)
		if units <= 1 || text == "" {
			return max(units, 0)
		}
		at := 0
		for k, c := range text {
			if at >= units-1 {
				return k + 1
			}
			at += max(utf16.RuneLen(c), 1)
		}
		return len(text) + 1 + max(units-1-at, 0)
	}
	place := func(l finding.Location) rdRange {
		out := rdRange{Start: rdPosition{max(l.Line, 1), column(l.Path, l.Line, l.Column)}}
		if l.EndLine > 0 {
			out.End = &rdPosition{l.EndLine, column(l.Path, l.EndLine, l.EndColumn)}
		}
		return out
	}
	type source struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	d := struct {
		Source      source         `json:"source"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
	}{source{"fencepost", "https://github.com/fencepost-dev/fencepost"}, []rdDiagnostic{}}
	for _, f := range shown(r) {
		one := rdDiagnostic{Message: strings.Join(tell(f, false), "\n"), Location: rdLocation{f.Path, place(f.Location)},
			Severity: map[finding.Severity]string{finding.Error: "ERROR", finding.Warning: "WARNING", finding.Note: "INFO"}[f.Severity],
			Code:     rdCode{f.Rule, RulePage(f.Rule)}}
		for _, l := range f.Labels {
			one.Related = append(one.Related, rdRelated{Clean(l.Text), rdLocation{l.Path, place(l.Location)}})
		}
		// A suggestion has no path, and half a repair is none.
		if f.Fix != nil && !slices.ContainsFunc(f.Fix.Edits, func(e finding.Edit) bool { return e.Path != f.Path }) {
			for _, e := range f.Fix.Edits {
				one.Suggestions = append(one.Suggestions, rdSuggestion{place(e.Location), e.Text})
			}
		}
		d.Diagnostics = append(d.Diagnostics, one)
	}
	return writeJSON(w, d)
}

// GitLab writes GitLab's code quality report: the subset of Code Climate's format that it reads.
func GitLab(w io.Writer, r finding.Report) error {
	type lines struct {
		Begin int `json:"begin"`
		End   int `json:"end"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	issues := []issue{}
	seen := map[string]int{}
	for _, f := range shown(r) {
		key := f.Identity
		if key == "" {
			key = fmt.Sprintf("%q %q %q %q", f.Rule, f.Path, f.Kernel, f.Message)
		}
		seen[key]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", key, seen[key]))
		issues = append(issues, issue{Description: told(f), CheckName: f.Rule + " " + f.Name, Fingerprint: hex.EncodeToString(sum[:16]),
			Severity: map[finding.Severity]string{finding.Error: "major", finding.Warning: "minor", finding.Note: "info"}[f.Severity],
			Location: location{f.Path, lines{max(f.Line, 1), max(f.EndLine, f.Line, 1)}}})
	}
	return writeJSON(w, issues)
}

// writeXML writes a document with what XML 1.0 cannot hold replaced.
func writeXML(w io.Writer, document any) error {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	encoder := xml.NewEncoder(&b)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("write xml: %w", err)
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// Checkstyle writes Checkstyle's XML.
func Checkstyle(w io.Writer, r finding.Report) error {
	type entry struct {
		Line     int    `xml:"line,attr"`
		Column   int    `xml:"column,attr"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
	type file struct {
		Name    string  `xml:"name,attr"`
		Entries []entry `xml:"error"`
	}
	d := struct {
		XMLName xml.Name `xml:"checkstyle"`
		Version string   `xml:"version,attr"`
		Files   []file   `xml:"file"`
	}{Version: "4.3"}
	for _, f := range shown(r) { // by path
		if n := len(d.Files); n == 0 || d.Files[n-1].Name != Clean(f.Path) {
			d.Files = append(d.Files, file{Name: Clean(f.Path)})
		}
		severity := f.Severity.String()
		if f.Severity == finding.Note {
			severity = "info"
		}
		last := &d.Files[len(d.Files)-1]
		last.Entries = append(last.Entries, entry{max(f.Line, 1), max(f.Column, 1), severity, told(f), "fencepost." + Clean(f.Rule)})
	}
	return writeXML(w, d)
}

type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	File    string     `xml:"file,attr"`
	Line    int        `xml:"line,attr"`
	Seconds string     `xml:"time,attr,omitempty"`
	Failure *junitText `xml:"failure"`
	Skipped *junitText `xml:"skipped"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// JUnit writes a test report: a test for every kernel, which fails where the verdict is violated and is skipped where nothing was
// decided, and a failed one for every finding of severity error or warning.
func JUnit(w io.Writer, r finding.Report) error {
	kernels, findings := junitSuite{Name: "kernels"}, junitSuite{Name: "findings"}
	for _, k := range r.Kernels {
		c := junitCase{Class: Clean(k.Path), Name: Clean(k.Name), File: Clean(k.Path), Line: k.Line, Seconds: fmt.Sprintf("%.3f", k.Millis/1000)}
		switch k.Verdict {
		case "violated":
			c.Failure = &junitText{Message: notHolding(k), Type: "violated", Text: strings.Join(bounds(k.Bounds), "\n")}
			kernels.Failures++
		case "inconclusive":
			reasons := make([]string, len(k.Reasons))
			for i, reason := range k.Whys() {
				reasons[i] = Clean(reason.String())
			}
			c.Skipped = &junitText{Message: "inconclusive: " + strings.Join(reasons, "; ")}
			kernels.Skipped++
		}
		kernels.Cases = append(kernels.Cases, c)
	}
	for _, f := range shown(r) {
		c := junitCase{Class: Clean(f.Path), Name: fmt.Sprintf("%s %s at line %d", Clean(f.Rule), Clean(f.Name), f.Line), File: Clean(f.Path), Line: max(f.Line, 1)}
		if f.Severity == finding.Note {
			c.Skipped = &junitText{Message: Clean(f.Message)}
			findings.Skipped++
		} else {
			lines := append(tell(f, true), steps(f)...)
			c.Failure = &junitText{Message: Clean(f.Message), Type: f.Severity.String(), Text: strings.Join(lines, "\n")}
			findings.Failures++
		}
		findings.Cases = append(findings.Cases, c)
	}
	kernels.Tests, findings.Tests = len(kernels.Cases), len(findings.Cases)
	return writeXML(w, struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}{Name: "fencepost", Tests: kernels.Tests + findings.Tests, Failures: kernels.Failures + findings.Failures, Suites: []junitSuite{kernels, findings}})
}
