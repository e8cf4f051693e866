// Package sarif writes a report as SARIF 2.1.0 in the form GitHub code scanning reads (notes/anchors.md B3): one run, every
// rule listed, the counterexample as a code flow. It uses go-sarif's types and none of its writers: those turn an empty
// description into null, leave URIs as they are, and write over a longer file without cutting it.
package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/fencepost-dev/fencepost/finding"
)

// Meta is what a log says about the tool.
type Meta struct {
	Version    string // "v1.2.3"; anything else is given as it is
	Rules      []Rule
	Incomplete bool // the run ended with an internal error
}

// Rule describes one rule.
type Rule struct {
	ID        string // "FP101"
	Name      string // "literal-wait-phase"
	Short     string // one sentence
	Full      string // "" for Short
	Help      string // the rule's page, Markdown
	URI       string // where the page can be read, "" for nowhere
	Severity  finding.Severity
	Precision string // "very-high", "high", "medium", "low", or "" for none
}

const (
	schema         = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	informationURI = "https://github.com/fencepost-dev/fencepost"
	sourceRoot     = "%SRCROOT%"

	// GitHub shows 5,000 results a run and 1,000 steps a flow at most; nobody reads that many.
	maxResults       = 2000
	maxSteps         = 200
	maxNotifications = 1000
	maxDescription   = 1024
	maxText          = 8192
)

var semantic = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?)$`)

// Write writes the report as one SARIF log. The worst findings stay where there are too many, and a notification counts
// the others. Cleared findings are no results.
func Write(w io.Writer, r finding.Report, m Meta) error {
	var shown []finding.Finding
	for _, f := range r.Findings {
		if !f.Cleared {
			shown = append(shown, f)
		}
	}
	shown, dropped := finding.Cap(shown, maxResults)

	run := sarif.NewRunWithInformationURI("fencepost", informationURI)
	driver := run.Tool.Driver
	if m.Version != "" {
		driver.Version = text(m.Version)
	}
	if v := semantic.FindStringSubmatch(m.Version); v != nil {
		driver.SemanticVersion = &v[1]
	}
	rules := index(m.Rules, shown)
	driver.Rules = rules.descriptors
	for _, f := range shown {
		run.Results = append(run.Results, result(f, rules.at[f.Rule]))
	}
	run.Invocations = []*sarif.Invocation{invocation(r, m, dropped)}
	run.ColumnKind = "utf16CodeUnits"
	run.OriginalUriBaseIDs = map[string]*sarif.ArtifactLocation{
		sourceRoot: {Description: sarif.NewTextMessage("The root of the checked tree.")},
	}
	return encode(w, &sarif.Report{Version: string(sarif.Version210), Schema: schema, Runs: []*sarif.Run{run}})
}

func encode(w io.Writer, log *sarif.Report) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(log); err != nil {
		return fmt.Errorf("write sarif: %w", err)
	}
	_, err := w.Write(finding.EscapeJSON(b.Bytes()))
	return err
}

// ruleIndex holds the descriptors and where each rule's stands among them.
type ruleIndex struct {
	descriptors []*sarif.ReportingDescriptor
	at          map[string]int
}

// index lists every rule, and after them whatever rule a finding names that is none of them.
func index(rules []Rule, fs []finding.Finding) ruleIndex {
	x := ruleIndex{descriptors: []*sarif.ReportingDescriptor{}, at: map[string]int{}}
	add := func(r Rule) {
		if _, seen := x.at[r.ID]; !seen {
			x.at[r.ID] = len(x.descriptors)
			x.descriptors = append(x.descriptors, descriptor(r))
		}
	}
	for _, r := range rules {
		add(r)
	}
	for _, f := range fs {
		add(Rule{ID: f.Rule, Name: f.Name, Short: f.Name, Severity: f.Severity})
	}
	return x
}

func descriptor(r Rule) *sarif.ReportingDescriptor {
	or := func(s, otherwise string) string {
		if strings.TrimSpace(s) == "" {
			return otherwise
		}
		return s
	}
	short := or(r.Short, or(r.Name, r.ID))
	help := or(r.Help, short)
	d := &sarif.ReportingDescriptor{
		ID:                   finding.Clean(r.ID),
		ShortDescription:     &sarif.MultiformatMessageString{Text: clip(short, maxDescription)},
		FullDescription:      &sarif.MultiformatMessageString{Text: clip(or(r.Full, short), maxDescription)},
		DefaultConfiguration: &sarif.ReportingConfiguration{Level: r.Severity.String()},
		Help:                 &sarif.MultiformatMessageString{Text: &help, Markdown: &help},
		Properties:           sarif.Properties{"tags": []string{"concurrency", "gpu"}, "problem.severity": problemSeverity(r.Severity)},
	}
	if r.Name != "" && r.Name != r.ID {
		d.Name = clip(finding.Clean(r.Name), 255)
	}
	if r.URI != "" {
		d.HelpURI = &r.URI
	}
	if r.Precision != "" {
		d.Properties["precision"] = r.Precision
	}
	return d
}

// problemSeverity is GitHub's word: a note is a recommendation.
func problemSeverity(s finding.Severity) string {
	if s == finding.Note {
		return "recommendation"
	}
	return s.String()
}

func invocation(r finding.Report, m Meta, dropped int) *sarif.Invocation {
	success := !m.Incomplete
	in := &sarif.Invocation{ExecutionSuccessful: &success}
	left := 0
	notify := func(at []*sarif.Location, format string, args ...any) {
		if len(in.ToolExecutionNotifications) >= maxNotifications {
			left++
			return
		}
		in.ToolExecutionNotifications = append(in.ToolExecutionNotifications,
			&sarif.Notification{Level: "note", Locations: at, Message: &sarif.Message{Text: text(fmt.Sprintf(format, args...))}})
	}
	if dropped > 0 {
		notify(nil, "%d findings are not in this log, which holds the worst %d", dropped, maxResults)
	}
	for _, n := range r.Notes {
		notify(nil, "%s", n)
	}
	for _, k := range r.Kernels {
		if k.Verdict == "inconclusive" {
			at := physical(finding.Location{Path: k.Path, Line: k.Line}, nil)
			reasons := make([]string, len(k.Reasons))
			for n, r := range k.Whys() {
				reasons[n] = r.String()
			}
			notify([]*sarif.Location{at}, "kernel %s is inconclusive: %s", k.Name, strings.Join(reasons, "; "))
		}
		for _, o := range k.Open {
			at := physical(finding.Location{Path: o.Path, Line: o.Line}, nil)
			notify([]*sarif.Location{at}, "kernel %s %s, as %s is open: %s", k.Name, k.Says(), o.Property, o.Why)
		}
	}
	if left > 0 {
		last := in.ToolExecutionNotifications[maxNotifications-1]
		last.Locations, last.Message.Text = nil, text(fmt.Sprintf("%d notifications more are left out", left+1))
	}
	return in
}
