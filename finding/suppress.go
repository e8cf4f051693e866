package finding

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/source"
)

// Suppress takes out the findings that a comment in their file asks to be silent about: one that speaks of a line the
// finding, or one of its labels, stands on. Unused holds a finding for every comment that silences nothing (FP901)
// or is malformed (FP902): a comment that has outlived its reason would hide the next bug there.
func Suppress(fs []Finding, byFile map[string][]source.Suppression) (kept []Finding, suppressed int, unused []Finding) {
	used := map[string][]map[string]bool{} // by path, by comment: the rules it silenced
	for path, comments := range byFile {
		used[path] = make([]map[string]bool, len(comments))
	}
	for _, f := range fs {
		silent := false
		for i, c := range byFile[f.Path] {
			if c.Malformed != "" || !slices.Contains(c.Rules, f.Rule) || !standsOn(f, c.Target) {
				continue
			}
			if used[f.Path][i] == nil {
				used[f.Path][i] = map[string]bool{}
			}
			used[f.Path][i][f.Rule] = true
			silent = true
		}
		if silent {
			suppressed++
		} else {
			kept = append(kept, f)
		}
	}
	for path, comments := range byFile {
		for i, c := range comments {
			unused = append(unused, judge(path, c, used[path][i])...)
		}
	}
	Sort(unused)
	return kept, suppressed, unused
}

// Suppressible reports whether a comment silences findings of a rule: those about comments and about the gate it does not, or
// no run but the one that has them would need it.
func Suppressible(rule string) bool {
	switch rule {
	case "", "FP901", "FP902", UndecidedKernel, RequiredKernel, WorseVerdict, UnreadText, UnfinishedRun:
		return false
	}
	return true
}

func standsOn(f Finding, line int) bool {
	if f.Line <= line && line <= lastLine(f.Location) {
		return true
	}
	return slices.ContainsFunc(f.Labels, func(l Label) bool { return l.Path == f.Path && l.Line == line })
}

func judge(path string, c source.Suppression, used map[string]bool) []Finding {
	at := Location{Path: path, Line: c.Line, Column: c.Column, EndLine: c.Line, EndColumn: c.Column + 1}
	if c.Malformed != "" {
		return []Finding{{Rule: "FP902", Name: "malformed-suppression", Severity: Warning, Location: at,
			Message: "this suppression comment silences nothing: " + c.Malformed,
			Help:    "write `fencepost: ignore[FP101] why it is no defect here`"}}
	}
	var fs []Finding
	for i, rule := range c.Rules {
		if !used[rule] && !slices.Contains(c.Rules[:i], rule) {
			fs = append(fs, Finding{Rule: "FP901", Name: "unused-suppression", Severity: Warning, Location: at,
				Message: fmt.Sprintf("this comment suppresses %s, but line %d has no such finding", rule, c.Target),
				Help:    "take " + rule + " out of the comment, or move the comment to the finding's line"})
		}
	}
	return fs
}

// lastLine is the last line a location covers; writers may leave the end out.
func lastLine(l Location) int { return max(l.Line, l.EndLine) }
