package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/sethvargo/go-githubactions"
)

const (
	// The runner keeps this many annotations of each kind a step and drops the rest in silence (actions/runner,
	// ExecutionContext.cs).
	maxAnnotations = 10
	// It also cuts a message at 4096 characters; ours end before that, on a line of their own.
	maxAnnotation = 3500
)

// GitHub writes one plain line a finding, so that the log itself always has the place, and then the annotations: at
// most ten of each kind, a last notice counting those left out.
func GitHub(w io.Writer, r finding.Report) error {
	p := &page{}
	findings := shown(r)
	for _, f := range findings {
		p.line("%s: %s[%s]: %s", where(f.Location), f.Severity, Clean(f.Rule), Clean(f.Message))
	}
	p.line("%s", summary(r))
	if err := p.writeTo(w); err != nil {
		return err
	}
	// The library panics when it cannot write, so it writes into memory.
	var b bytes.Buffer
	action := githubactions.New(githubactions.WithWriter(&b), githubactions.WithGetenv(func(string) string { return "" }))
	annotate(action, findings)
	_, err := w.Write(b.Bytes())
	return err
}

func annotate(action *githubactions.Action, fs []finding.Finding) {
	var total [3]int
	for _, f := range fs {
		total[f.Severity]++
	}
	over := total[finding.Error] > maxAnnotations || total[finding.Warning] > maxAnnotations || total[finding.Note] > maxAnnotations
	budget := [3]int{maxAnnotations, maxAnnotations, maxAnnotations}
	if over {
		budget[finding.Note]-- // the last notice is needed for the count
	}
	left := total
	for _, f := range fs {
		if budget[f.Severity] == 0 {
			continue
		}
		budget[f.Severity]--
		left[f.Severity]--
		a := action.WithFieldsMap(fields(f))
		switch f.Severity {
		case finding.Error:
			a.Errorf("%s", annotation(f))
		case finding.Warning:
			a.Warningf("%s", annotation(f))
		default:
			a.Noticef("%s", annotation(f))
		}
	}
	if over {
		action.WithFieldsMap(map[string]string{"title": "fencepost"}).Noticef("GitHub shows ten annotations of a kind; not shown: %s, %s, %s. "+
			"The log and the step summary have them.", count(left[finding.Error], "error", "errors"),
			count(left[finding.Warning], "warning", "warnings"), count(left[finding.Note], "note", "notes"))
	}
}

// fields places an annotation. Columns go with a single line only: GitHub refuses them otherwise.
func fields(f finding.Finding) map[string]string {
	m := map[string]string{
		"file": Clean(f.Path), "line": strconv.Itoa(max(f.Line, 1)), "title": Clean(f.Rule + " " + f.Name),
	}
	end := max(f.EndLine, f.Line, 1)
	m["endLine"] = strconv.Itoa(end)
	if end == f.Line && f.Column > 0 {
		m["col"] = strconv.Itoa(f.Column)
		if f.EndColumn > f.Column {
			m["endColumn"] = strconv.Itoa(f.EndColumn)
		}
	}
	return m
}

// annotation is the message with its evidence, as many lines as fit.
func annotation(f finding.Finding) string {
	lines := tell(f, true)
	lines = append(lines, steps(f)...)
	for _, s := range f.Cycle {
		lines = append(lines, "then for ever: "+step(f.Path, s))
	}
	for _, s := range f.Final {
		lines = append(lines, Clean(s))
	}
	var b strings.Builder
	for i, line := range lines {
		if b.Len()+len(line) > maxAnnotation {
			if i == 0 {
				b.WriteString(clip(line, maxAnnotation))
			}
			fmt.Fprintf(&b, "\n… %d lines more in the log", len(lines)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// clip cuts a text after at most n bytes, at a character's end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
