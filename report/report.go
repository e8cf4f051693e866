// Package report writes what a run found: text for a terminal, versioned JSON, annotations and a step summary for GitHub.
// It only writes. Everything that comes from a source file or a file name passes Clean (or, in JSON, EscapeJSON).
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// Clean makes text fit to print; see finding.Clean, which it is.
func Clean(s string) string { return finding.Clean(s) }

// UseColor decides about colour: the flag ("always", "never", else automatic), then NO_COLOR, FORCE_COLOR and
// CLICOLOR_FORCE, then GitHub's log, which shows colour, then whether a terminal reads along.
func UseColor(flag string, getenv func(string) string, terminal bool) bool {
	forced := func(key string) bool { v := getenv(key); return v != "" && v != "0" }
	switch {
	case flag == "always":
		return true
	case flag == "never", getenv("NO_COLOR") != "":
		return false
	case forced("FORCE_COLOR"), forced("CLICOLOR_FORCE"):
		return true
	case getenv("GITHUB_ACTIONS") == "true":
		return true
	}
	return terminal && getenv("TERM") != "dumb"
}

// page collects lines; each is made safe for the runner as a whole, because two harmless pieces may make a command together.
type page struct {
	b     strings.Builder
	color bool
	above struct { // the line drawn last: many findings may stand on one, and it may be long
		text  string
		cells cells
	}
}

func (p *page) line(format string, args ...any) {
	p.b.WriteString(strings.TrimRight(finding.NoCommand(fmt.Sprintf(format, args...)), " "))
	p.b.WriteByte('\n')
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

type style string

const (
	bold   style = "1"
	red    style = "1;31"
	yellow style = "1;33"
	green  style = "1;32"
	blue   style = "1;34"
	cyan   style = "1;36"
)

func (p *page) paint(s style, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func severityStyle(s finding.Severity) style {
	switch s {
	case finding.Error:
		return red
	case finding.Warning:
		return yellow
	}
	return cyan
}

// where is "path:line:column" as a terminal or an editor makes a link of it.
func where(l finding.Location) string {
	return fmt.Sprintf("%s:%d:%d", Clean(l.Path), l.Line, max(l.Column, 1))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// summary is the last line of every report: what was looked at, what was found, and what was not looked at.
func summary(r finding.Report) string {
	s := r.Summary
	parts := []string{count(s.Errors, "error", "errors"), count(s.Warnings, "warning", "warnings")}
	if s.NotesCount > 0 {
		parts = append(parts, count(s.NotesCount, "note", "notes"))
	}
	line := strings.Join(parts, ", ") + " in " + count(s.Files, "file", "files")
	var more []string
	kernels := count(s.Kernels, "kernel", "kernels")
	if v := verdicts(s.Verdicts); v != "" {
		kernels += ": " + v
	}
	if s.Open > 0 {
		kernels += fmt.Sprintf(" (%d with something open)", s.Open)
	}
	more = append(more, kernels)
	if s.Suppressed > 0 {
		more = append(more, fmt.Sprintf("%d suppressed", s.Suppressed))
	}
	if s.Known > 0 || s.Fixed > 0 {
		more = append(more, fmt.Sprintf("%d known from the baseline, %d fixed", s.Known, s.Fixed))
	}
	if s.Cleared > 0 {
		more = append(more, count(s.Cleared, "suspect cleared", "suspects cleared"))
	}
	if s.FunctionsSkipped > 0 {
		more = append(more, count(s.FunctionsSkipped, "function with syntax errors not read", "functions with syntax errors not read"))
	}
	if s.FilesLeft > 0 {
		more = append(more, count(s.FilesLeft, "file not checked to its end", "files not checked to their end"))
	}
	if s.FilesSkipped > 0 {
		more = append(more, count(s.FilesSkipped, "file skipped", "files skipped"))
	}
	return fmt.Sprintf("%s; %s; %.2f s", line, strings.Join(more, "; "), s.Millis/1000)
}

// verdictOrder is the order in which verdicts are told: what needs the reader first.
var verdictOrder = []string{"violated", "inconclusive", "holds"}

func verdicts(counts map[string]int) string {
	var parts []string
	for _, v := range verdictOrder {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}
