package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fencepost-dev/fencepost/finding"
)

// Schema names the JSON this package writes. Fields may be added under it; none changes its meaning or goes.
const Schema = "fencepost/v1"

type document struct {
	Schema   string           `json:"schema"`
	Findings []record         `json:"findings"`
	Kernels  []finding.Kernel `json:"kernels"`
	Summary  finding.Summary  `json:"summary"`
	Notes    []string         `json:"notes,omitempty"`
	Left     []string         `json:"left,omitempty"`
}

type record struct {
	Rule      string  `json:"rule"`
	Name      string  `json:"name"`
	Severity  string  `json:"severity"`
	Verdict   string  `json:"verdict"`
	Path      string  `json:"path"`
	Line      int     `json:"line"`
	Column    int     `json:"column"`
	Kernel    string  `json:"kernel"`
	Message   string  `json:"message"`
	Trace     []entry `json:"trace"`
	EndLine   int     `json:"end_line,omitempty"`
	EndColumn int     `json:"end_column,omitempty"`

	Labels       []entry           `json:"labels,omitempty"`
	Notes        []string          `json:"notes,omitempty"`
	Help         string            `json:"help,omitempty"`
	Fix          *fix              `json:"fix,omitempty"`
	Litmus       string            `json:"litmus,omitempty"`
	Cycle        []entry           `json:"cycle,omitempty"`
	Final        []string          `json:"final,omitempty"`
	Stuck        []entry           `json:"stuck,omitempty"`
	Cleared      bool              `json:"cleared,omitempty"`
	Fingerprints map[string]string `json:"fingerprints,omitempty"`
}

// entry is a step of a trace or a label. Path is left out where it is the finding's.
type entry struct {
	Line      int    `json:"line"`
	Actor     string `json:"actor,omitempty"`
	Text      string `json:"text"`
	Path      string `json:"path,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`

	From   *place             `json:"from,omitempty"`
	By     []finding.Party    `json:"by,omitempty"`
	After  []finding.Standing `json:"after,omitempty"`
	Racing bool               `json:"racing,omitempty"`
}

// place is a line. Path is left out where it is the finding's.
type place struct {
	Line int    `json:"line"`
	Path string `json:"path,omitempty"`
}

// fix is a change of the source: each edit replaces its region, which may be empty, by its text.
type fix struct {
	Text  string  `json:"text"`
	Edits []entry `json:"edits"`
}

// Keys of the fingerprints, in JSON as in SARIF.
const (
	lineHashKey = "primaryLocationLineHash"
	identityKey = "fencepost/v1"
)

// JSON writes a report as one versioned document: the exact text of everything, with what must not reach a terminal escaped.
func JSON(w io.Writer, r finding.Report) error {
	d := document{Schema: Schema, Findings: []record{}, Kernels: []finding.Kernel{}, Summary: r.Summary, Notes: r.Notes, Left: r.Left}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, toRecord(f))
	}
	for _, k := range r.Kernels {
		// Absent lists and maps are written empty, so that a reader needs no case for null.
		if k.Engines == nil {
			k.Engines = []string{}
		}
		if k.Bounds == nil {
			k.Bounds = map[string]string{}
		}
		if k.Properties == nil {
			k.Properties = map[string]string{}
		}
		if k.Open == nil {
			k.Open = []finding.Open{}
		}
		if k.Reasons == nil {
			k.Reasons = []string{}
		}
		if k.Mechanisms == nil {
			k.Mechanisms = []string{}
		}
		d.Kernels = append(d.Kernels, k)
	}
	if d.Summary.Verdicts == nil {
		d.Summary.Verdicts = map[string]int{}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	_, err := w.Write(finding.EscapeJSON(b.Bytes()))
	return err
}

func toRecord(f finding.Finding) record {
	rec := record{
		Rule: f.Rule, Name: f.Name, Severity: f.Severity.String(), Verdict: f.Verdict, Path: f.Path, Line: f.Line, Column: f.Column,
		Kernel: f.Kernel, Message: f.Message, Trace: []entry{}, EndLine: f.EndLine, EndColumn: f.EndColumn,
		Notes: f.Notes, Help: f.Help, Final: f.Final, Cleared: f.Cleared,
	}
	for to, steps := range map[*[]entry][]finding.Step{&rec.Trace: f.Trace, &rec.Cycle: f.Cycle, &rec.Stuck: f.Stuck} {
		for _, s := range steps {
			e := toEntry(f.Path, s.Location, s.Actor, s.Text)
			e.By, e.After, e.Racing = s.By, s.After, s.Racing
			if s.From.Line > 0 {
				if e.From = (&place{s.From.Line, s.From.Path}); s.From.Path == f.Path {
					e.From.Path = ""
				}
			}
			*to = append(*to, e)
		}
	}
	for _, l := range f.Labels {
		rec.Labels = append(rec.Labels, toEntry(f.Path, l.Location, "", l.Text))
	}
	rec.Litmus = f.Litmus
	if f.Fix != nil {
		rec.Fix = &fix{Text: f.Fix.Text, Edits: []entry{}}
		for _, e := range f.Fix.Edits {
			rec.Fix.Edits = append(rec.Fix.Edits, toEntry(f.Path, e.Location, "", e.Text))
		}
	}
	for key, value := range map[string]string{lineHashKey: f.LineHash, identityKey: f.Identity} {
		if value != "" {
			if rec.Fingerprints == nil {
				rec.Fingerprints = map[string]string{}
			}
			rec.Fingerprints[key] = value
		}
	}
	return rec
}

func toEntry(path string, l finding.Location, actor, text string) entry {
	e := entry{Line: l.Line, Actor: actor, Text: text, Path: l.Path, Column: l.Column, EndLine: l.EndLine, EndColumn: l.EndColumn}
	if l.Path == path {
		e.Path = ""
	}
	return e
}

const maxJSON = 256 << 20

// ReadJSON reads what JSON wrote, for `fencepost merge`.
func ReadJSON(r io.Reader) (finding.Report, error) {
	var none finding.Report
	raw, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err != nil {
		return none, fmt.Errorf("read report: %w", err)
	}
	if len(raw) > maxJSON {
		return none, fmt.Errorf("read report: larger than %d bytes (merge fewer files)", maxJSON)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return none, fmt.Errorf("read report: %w (give files written with --output json=FILE)", err)
	}
	if d.Schema != Schema {
		return none, fmt.Errorf("read report: the schema is %q, not %q (write it with this version of fencepost)", d.Schema, Schema)
	}
	report := finding.Report{Kernels: d.Kernels, Summary: d.Summary, Notes: d.Notes, Left: d.Left}
	for _, rec := range d.Findings {
		f, err := fromRecord(rec)
		if err != nil {
			return none, fmt.Errorf("read report: %w", err)
		}
		report.Findings = append(report.Findings, f)
	}
	return report, nil
}

func fromRecord(rec record) (finding.Finding, error) {
	severity, ok := finding.ParseSeverity(rec.Severity)
	if !ok {
		return finding.Finding{}, fmt.Errorf("%q is no severity", rec.Severity)
	}
	if rec.Path == "" || rec.Line < 1 {
		return finding.Finding{}, errors.New("a finding has no place")
	}
	f := finding.Finding{
		Rule: rec.Rule, Name: rec.Name, Severity: severity, Verdict: rec.Verdict, Kernel: rec.Kernel, Message: rec.Message,
		Location: finding.Location{Path: rec.Path, Line: rec.Line, Column: rec.Column, EndLine: rec.EndLine, EndColumn: rec.EndColumn},
		Notes:    rec.Notes, Help: rec.Help, Final: rec.Final, Cleared: rec.Cleared,
		LineHash: rec.Fingerprints[lineHashKey], Identity: rec.Fingerprints[identityKey],
	}
	for to, entries := range map[*[]finding.Step][]entry{&f.Trace: rec.Trace, &f.Cycle: rec.Cycle, &f.Stuck: rec.Stuck} {
		for _, e := range entries {
			s := finding.Step{Location: e.location(rec.Path), Actor: e.Actor, Text: e.Text, By: e.By, After: e.After, Racing: e.Racing}
			if e.From != nil && e.From.Line > 0 {
				s.From = entry{Line: e.From.Line, Path: e.From.Path}.location(rec.Path)
			}
			*to = append(*to, s)
		}
	}
	for _, e := range rec.Labels {
		f.Labels = append(f.Labels, finding.Label{Location: e.location(rec.Path), Text: e.Text})
	}
	f.Litmus = rec.Litmus
	if rec.Fix != nil {
		f.Fix = &finding.Fix{Text: rec.Fix.Text}
		for _, e := range rec.Fix.Edits {
			f.Fix.Edits = append(f.Fix.Edits, finding.Edit{Location: e.location(rec.Path), Text: e.Text})
		}
	}
	return f, nil
}

func (e entry) location(path string) finding.Location {
	if e.Path != "" {
		path = e.Path
	}
	return finding.Location{Path: path, Line: e.Line, Column: e.Column, EndLine: e.EndLine, EndColumn: e.EndColumn}
}
