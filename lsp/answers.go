package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/source"
)

// hover is what stands at a place: findings with their counterexamples and the pages of their rules, and on the line of a kernel its
// verdict.
func (s *server) hover(p *hoverParams) (any, error) {
	d := s.byURI[p.TextDocument.URI]
	if d == nil {
		return nil, nil
	}
	at := d.text.offset(p.Position, s.units)
	var parts []string
	var where span
	var rules []string
	for _, it := range s.items(d.path) {
		if it.edited || at < it.from || at > it.to {
			continue
		}
		if len(parts) == 0 {
			where = it.span
		}
		if it.kernel != nil {
			parts = append(parts, report.KernelMarkdown(*it.kernel))
			continue
		}
		parts = append(parts, report.FindingMarkdown(*it.finding))
		if !slices.Contains(rules, it.finding.Rule) {
			rules = append(rules, it.finding.Rule)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	for _, rule := range rules {
		if page := s.Page(rule); page != "" {
			parts = append(parts, page)
		}
	}
	kind := "plaintext"
	if slices.Contains(s.client.Capabilities.TextDocument.Hover.ContentFormat, "markdown") {
		kind = "markdown"
	}
	return hover{markupContent{kind, strings.Join(parts, "\n---\n\n")}, d.text.extent(where, s.units)}, nil
}

// codeActions are the repairs that were tried and hold, and comments that silence a finding.
func (s *server) codeActions(p *codeActionParams) (any, error) {
	actions := []codeAction{}
	d := s.byURI[p.TextDocument.URI]
	wanted := len(p.Context.Only) == 0 || slices.Contains(p.Context.Only, "") || slices.Contains(p.Context.Only, quickFix)
	if d == nil || !wanted || s.client.Capabilities.TextDocument.CodeAction.CodeActionLiteralSupport == nil {
		return actions, nil
	}
	meant := map[string]bool{}
	for _, given := range p.Context.Diagnostics {
		var data diagnosticData
		if json.Unmarshal(given.Data, &data) == nil { // else it is another server's
			meant[data.Identity] = data.Identity != ""
		}
	}
	from, to := d.text.offset(p.Range.Start, s.units), d.text.offset(p.Range.End, s.units)
	for _, it := range s.items(d.path) {
		if it.finding == nil || it.edited || (to < it.from || it.to < from) && !meant[it.finding.Identity] {
			continue
		}
		about := []diagnostic{s.diagnostic(it, d.text)}
		if it.edits != nil && it.generation == s.generation { // it was tried on the very text
			actions = append(actions, codeAction{Title: fmt.Sprintf("Fix %s: %s", it.finding.Rule, finding.Clean(it.finding.Fix.Text)), Kind: quickFix,
				Diagnostics: about, IsPreferred: true, Edit: s.workspaceEdit(it.edits)})
		}
		if e, ok := d.suppression(it); ok {
			actions = append(actions, codeAction{Title: "Suppress " + it.finding.Rule + " on this line", Kind: quickFix, Diagnostics: about, Edit: s.workspaceEdit([]edit{e})})
		}
	}
	return actions, nil
}

// reason is what stands in a new suppression until its author says more: one without a reason silences nothing.
const reason = "TODO: say why this is no defect"

// suppression is the comment that silences a finding where it stands.
func (d *document) suppression(it *item) (edit, bool) {
	if !finding.Suppressible(it.finding.Rule) {
		return edit{}, false
	}
	data := strings.TrimPrefix(d.text.data, byteOrderMark)
	mark := len(d.text.data) - len(data)
	line := 1 + strings.Count(d.text.data[:min(it.from, len(d.text.data))], "\n")
	at, comment, ok := source.Suppress(&source.File{Name: d.name, Data: []byte(data)}, line, it.finding.Rule, reason)
	return edit{span{at + mark, at + mark}, d.path, d.text, comment}, ok
}

// workspaceEdit puts edits into the form that the client takes.
func (s *server) workspaceEdit(edits []edit) workspaceEdit {
	var out workspaceEdit
	files := map[string]int{}
	for _, e := range edits {
		change := textEdit{s.textOf(e.path, e.in).extent(e.span, s.units), e.text}
		uri := toURI(e.path)
		var version *int
		if d := s.byPath[e.path]; d != nil {
			uri, version = d.uri, &d.version
		}
		if !s.client.Capabilities.Workspace.WorkspaceEdit.DocumentChanges {
			if out.Changes == nil {
				out.Changes = map[string][]textEdit{}
			}
			out.Changes[uri] = append(out.Changes[uri], change)
			continue
		}
		i, ok := files[uri]
		if !ok {
			i = len(out.DocumentChanges)
			files[uri] = i
			one := textDocumentEdit{}
			one.TextDocument.URI, one.TextDocument.Version = uri, version
			out.DocumentChanges = append(out.DocumentChanges, one)
		}
		out.DocumentChanges[i].Edits = append(out.DocumentChanges[i].Edits, change)
	}
	return out
}
