package sarif

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/owenrumney/go-sarif/v2/sarif"
)

func result(f finding.Finding, rule int) *sarif.Result {
	id, level, at := finding.Clean(f.Rule), f.Severity.String(), uint(rule)
	r := &sarif.Result{RuleID: &id, RuleIndex: &at, Level: &level}
	location := physical(f.Location, nil)
	if f.Kernel != "" {
		kind := "function"
		location.LogicalLocations = []*sarif.LogicalLocation{{FullyQualifiedName: text(f.Kernel), Kind: &kind}}
	}
	r.Locations = []*sarif.Location{location}
	r.Message.Text = message(f, &r.RelatedLocations)
	if flow := codeFlow(f); flow != nil {
		r.CodeFlows = []*sarif.CodeFlow{flow}
	}
	if f.Fix != nil {
		r.Fixes = []*sarif.Fix{fix(f.Fix)}
	}
	fingerprints := map[string]any{}
	if f.LineHash != "" {
		fingerprints["primaryLocationLineHash"] = f.LineHash
	}
	if f.Identity != "" {
		fingerprints["fencepost/v1"] = f.Identity
	}
	r.PartialFingerprints = fingerprints
	if f.Verdict != "" {
		r.Properties = sarif.Properties{"verdict": f.Verdict}
	}
	if f.Litmus != "" {
		if r.Properties == nil {
			r.Properties = sarif.Properties{}
		}
		r.Properties["litmus"] = *clip(f.Litmus, maxText)
	}
	return r
}

// fix is a change that was tried, one artifact change a file. Inserted text is source, so it stays as it is.
func fix(f *finding.Fix) *sarif.Fix {
	out := &sarif.Fix{Description: &sarif.Message{Text: text(f.Text)}}
	files := map[string]*sarif.ArtifactChange{}
	for _, e := range f.Edits {
		change := files[e.Path]
		if change == nil {
			root := sourceRoot
			change = &sarif.ArtifactChange{ArtifactLocation: sarif.ArtifactLocation{URI: uri(e.Path), URIBaseId: &root}}
			files[e.Path] = change
			out.ArtifactChanges = append(out.ArtifactChanges, change)
		}
		line, column, endLine, endColumn, words := e.Line, e.Column, e.EndLine, e.EndColumn, e.Text
		change.Replacements = append(change.Replacements, &sarif.Replacement{
			DeletedRegion:   sarif.Region{StartLine: &line, StartColumn: &column, EndLine: &endLine, EndColumn: &endColumn},
			InsertedContent: &sarif.ArtifactContent{Text: &words},
		})
	}
	return out
}

// message is the finding's message, its notes and help, and a link to each label: GitHub shows related locations only
// where the message links to them.
func message(f finding.Finding, related *[]*sarif.Location) *string {
	lines := []string{*text(f.Message)}
	for i, l := range f.Labels {
		words := *text(l.Text)
		if words == "" {
			words = "see also"
		}
		at := physical(l.Location, &words)
		id := uint(i + 1)
		at.Id = &id
		*related = append(*related, at)
		lines = append(lines, fmt.Sprintf("[%s](%d)", strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(words), id))
	}
	for _, n := range f.Notes {
		lines = append(lines, *text("note: " + n))
	}
	if f.Help != "" {
		lines = append(lines, *text("help: " + f.Help))
	}
	return clip(strings.Join(lines, "\n"), maxText)
}

// codeFlow is the counterexample: one flow in the order of execution, each step beginning with who does it. In a long one
// the middle is left out.
func codeFlow(f finding.Finding) *sarif.CodeFlow {
	steps := slices.Clone(f.Trace)
	for _, s := range f.Cycle {
		s.Actor = strings.TrimSuffix("then for ever: "+s.Actor, ": ")
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil
	}
	flow := sarif.NewThreadFlow()
	const head = maxSteps / 4
	left := 0 // steps to leave out after head; one place is for the step that says so
	if len(steps) > maxSteps {
		left = len(steps) - maxSteps + 1
	}
	for i, s := range steps {
		switch {
		case i >= head && i < head+left-1:
			continue
		case left > 0 && i == head+left-1:
			flow.Locations = append(flow.Locations, flowLocation(f, s, i, fmt.Sprintf("%d steps are left out here", left)))
		case s.Actor != "":
			flow.Locations = append(flow.Locations, flowLocation(f, s, i, s.Actor+": "+s.Text))
		default:
			flow.Locations = append(flow.Locations, flowLocation(f, s, i, s.Text))
		}
	}
	flow.Locations[len(flow.Locations)-1].Importance = "essential"
	return &sarif.CodeFlow{ThreadFlows: []*sarif.ThreadFlow{flow}}
}

func flowLocation(f finding.Finding, s finding.Step, i int, words string) *sarif.ThreadFlowLocation {
	at, order := s.Location, i+1
	if at.Path == "" || at.Line < 1 {
		at = f.Location // a hardware unit's step stands nowhere; a viewer wants a place
	}
	out := &sarif.ThreadFlowLocation{ExecutionOrder: &order, Location: physical(at, text(words))}
	for _, a := range s.After {
		if out.State == nil {
			out.State = map[string]*sarif.MultiformatMessageString{}
		}
		out.State[*text(a.Object)] = &sarif.MultiformatMessageString{Text: text(a.State)}
	}
	return out
}

// physical makes a location. Every region has all four numbers, which GitHub wants, within what the schema allows.
func physical(l finding.Location, words *string) *sarif.Location {
	line, column := max(l.Line, 1), max(l.Column, 1)
	endLine, endColumn := max(l.EndLine, line), l.EndColumn
	if endColumn < 1 || endLine == line && endColumn <= column {
		endColumn = 1
		if endLine == line {
			endColumn = column + 1
		}
	}
	root := sourceRoot
	at := &sarif.Location{PhysicalLocation: &sarif.PhysicalLocation{
		ArtifactLocation: &sarif.ArtifactLocation{URI: uri(l.Path), URIBaseId: &root},
		Region:           &sarif.Region{StartLine: &line, StartColumn: &column, EndLine: &endLine, EndColumn: &endColumn},
	}}
	if words != nil {
		at.Message = &sarif.Message{Text: words}
	}
	return at
}

// uri encodes a path. String, other than EscapedPath, also guards a first part that holds a colon, which would read as
// a scheme.
func uri(path string) *string {
	path = strings.TrimLeft(filepath.ToSlash(path), "/")
	if path == "" {
		path = "."
	}
	s := (&url.URL{Path: path}).String()
	return &s
}

// text makes a plain-text message: clean, and without what GitHub would show as a link. All words in it are ours or the
// source's; no link in either is meant.
func text(s string) *string {
	s = strings.NewReplacer("](", "] (", "`", "'", "://", ": //", "www.", "www .").Replace(finding.Clean(s))
	return clip(s, maxText)
}

// clip cuts a text to at most n bytes, at a character's end.
func clip(s string, n int) *string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n-len("…")], "") + "…"
	}
	return &s
}
