package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fencepost-dev/fencepost/finding"
)

// maxReport bounds a report that merge reads.
const maxReport = 256 << 20

func (a *app) mergeCommand(ctx context.Context, args []string) (int, error) {
	var format, color string
	failOn := "error"
	var outs list
	f := newFlags("merge")
	f.Var(choice{&format, formats}, "format", "")
	f.Var(&outs, "output", "")
	f.Var(choice{&color, []string{"auto", "always", "never"}}, "color", "")
	f.Var(choice{&failOn, []string{"error", "warning", "note", "never"}}, "fail-on", "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(mergeUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		return 0, usagef("merge needs at least one report; for example: fencepost merge shard-1.json shard-2.json")
	}
	where, err := outputs(format, outs)
	if err != nil {
		return 0, err
	}
	var reports []finding.Report
	for _, p := range paths {
		r, err := readReport(p)
		if err != nil {
			return 0, usagef("%v", err)
		}
		reports = append(reports, r)
	}
	merged := finding.Merge(reports...)
	if err := a.writeReports(where, merged, nil, color); err != nil {
		return ExitInternal, err
	}
	return exitCode(merged, failOn), nil
}

// reportFile is the versioned JSON report; docs/json.md describes it.
type reportFile struct {
	Schema   string           `json:"schema"`
	Findings []findingEntry   `json:"findings"`
	Kernels  []finding.Kernel `json:"kernels"`
	Summary  finding.Summary  `json:"summary"`
	Notes    []string         `json:"notes"`
}

type findingEntry struct {
	Rule     string      `json:"rule"`
	Name     string      `json:"name"`
	Severity string      `json:"severity"`
	Verdict  string      `json:"verdict"`
	Path     string      `json:"path"`
	Line     int         `json:"line"`
	Column   int         `json:"column"`
	Kernel   string      `json:"kernel"`
	Message  string      `json:"message"`
	Trace    []stepEntry `json:"trace"`
}

type stepEntry struct {
	Line  int    `json:"line"`
	Actor string `json:"actor"`
	Text  string `json:"text"`
}

// readReport reads a report that `--format json` wrote.
func readReport(path string) (finding.Report, error) {
	var r finding.Report
	f, err := os.Open(path)
	if err != nil {
		return r, fmt.Errorf("read report: %w", err)
	}
	defer f.Close()
	var in reportFile
	if err := json.NewDecoder(io.LimitReader(f, maxReport)).Decode(&in); err != nil {
		return r, fmt.Errorf("read report %s: %w (want a file written with --format json)", path, err)
	}
	if in.Schema != "fencepost/v1" {
		return r, fmt.Errorf("read report %s: schema is %q, want \"fencepost/v1\" (write it with --format json)", path, in.Schema)
	}
	r.Kernels, r.Summary, r.Notes = in.Kernels, in.Summary, in.Notes
	for _, e := range in.Findings {
		fd := finding.Finding{
			Rule: e.Rule, Name: e.Name, Verdict: e.Verdict, Kernel: e.Kernel, Message: e.Message,
			Location: finding.Location{Path: e.Path, Line: e.Line, Column: e.Column, EndLine: e.Line, EndColumn: e.Column},
			Severity: severity(e.Severity),
		}
		for _, s := range e.Trace {
			fd.Trace = append(fd.Trace, finding.Step{Location: finding.Location{Path: e.Path, Line: s.Line}, Actor: s.Actor, Text: s.Text})
		}
		r.Findings = append(r.Findings, fd)
	}
	return r, nil
}

// severity reads a severity; an unknown word counts as an error, so that nothing is lost.
func severity(word string) finding.Severity {
	for _, s := range []finding.Severity{finding.Note, finding.Warning} {
		if s.String() == word {
			return s
		}
	}
	return finding.Error
}
