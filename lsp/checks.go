package lsp

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/source"
)

// maxFindings is how many findings of a file are told.
const maxFindings = 500

// run is a check of one document, with the others as they stand.
type run struct {
	document   *document
	tree       *source.Tree
	generation int
	uris       map[string]string // of what is open, by its path
	units      encoding
	token      string // of its progress
	told       bool   // there is a progress to end

	ctx    context.Context
	cancel context.CancelFunc
	report finding.Report
	err    error
	result *result
}

// result is what a run found.
type result struct {
	items map[string][]*item // by the file they stand in
}

// item is a finding, or a kernel with its verdict, at its place in a file.
type item struct {
	span
	in         *text // the file as it was checked
	edited     bool  // the place itself was changed since
	generation int
	finding    *finding.Finding
	kernel     *finding.Kernel
	related    []related
	edits      []edit // of the repair, if all are possible
}

type edit struct {
	span
	path string
	in   *text
	text string
}

// paths are the files that a result of a document speaks of, its own among them.
func (r *result) paths(d *document) iter.Seq[string] {
	all := map[string]bool{d.path: true}
	if r != nil {
		for path := range r.items {
			all[path] = true
		}
	}
	return maps.Keys(all)
}

// enqueue has a document checked, after those that wait.
func (s *server) enqueue(d *document) {
	if !slices.Contains(s.queue, d) {
		s.queue = append(s.queue, d)
	}
}

// changed has everything checked again that may depend on what was changed, which is all: what kernels are made of, and where they
// are launched, is found out by checking them. first, if any, comes first.
func (s *server) changed(first *document) {
	s.generation++
	s.cancel()
	if first != nil {
		s.queue = slices.DeleteFunc(s.queue, func(d *document) bool { return d == first })
		s.queue = slices.Insert(s.queue, 0, first)
	}
	for _, d := range s.documents() {
		s.enqueue(d)
	}
	s.ready = false
	s.pause.Reset(s.Pause)
}

// hurry has the queue begun without a pause.
func (s *server) hurry() {
	s.ready = true
	s.pause.Stop()
}

func (s *server) cancel() {
	if s.running != nil {
		s.running.cancel()
	}
}

// next begins the next check, when none runs.
func (s *server) next() {
	if s.running != nil || !s.ready || len(s.queue) == 0 || s.state != initialized {
		return
	}
	d := s.queue[0]
	r := &run{document: d, tree: d.folder.tree, generation: s.generation, uris: map[string]string{}, units: s.units}
	for _, o := range s.byPath {
		r.uris[o.path] = o.uri
		if name, err := d.folder.tree.Rel(o.path); err == nil {
			r.tree = r.tree.With(name, []byte(o.text.data))
		}
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	s.checks++
	r.token = fmt.Sprintf("check %d", s.checks)
	s.running = r
	s.long.Reset(s.Long)
	go func() {
		r.check(s.Check)
		s.results <- r
	}()
}

func (r *run) check(check func(context.Context, *source.Tree, string) (finding.Report, error)) {
	defer recovered(&r.err)
	r.report, r.err = check(r.ctx, r.tree, r.document.name)
	if r.ctx.Err() == nil {
		r.place()
	}
}

// finished takes over what a run found.
func (s *server) finished(r *run) {
	s.running = nil
	s.long.Stop()
	if r.told {
		s.notify("$/progress", progressParams{r.token, workDoneProgress{Kind: "end"}})
	}
	stopped := r.ctx.Err() != nil
	r.cancel()
	if stopped || s.byURI[r.document.uri] != r.document {
		return // where it is to be checked again, it is in the queue
	}
	s.queue = slices.DeleteFunc(s.queue, func(d *document) bool { return d == r.document })
	if r.result == nil { // it panicked
		r.result = &result{items: map[string][]*item{}}
	}
	if r.err != nil {
		about := wrong(r.err)
		_, end := r.document.text.line(0)
		r.result.items[r.document.path] = append(r.result.items[r.document.path], &item{finding: &about, in: r.document.text, span: span{0, end}})
		s.log(logError, r.document.name+": "+about.Message)
	}
	for _, n := range r.report.Notes {
		s.log(logInfo, n)
	}
	if r.err == nil && r.report.Summary.Files == 0 {
		s.log(logInfo, r.document.name+" is not checked: it is excluded, or no kernel file by its name")
	}
	before := r.document.found
	r.document.found = r.result
	told := map[string]bool{}
	for _, of := range []*result{before, r.result} {
		for path := range of.paths(r.document) {
			if !told[path] {
				told[path] = true
				s.publish(path)
			}
		}
	}
}

// place finds the places of what was found in the files as they were checked.
func (r *run) place() {
	r.result = &result{items: map[string][]*item{}}
	folder := r.document.folder
	type seen struct {
		file *source.File
		text *text
		mark int // bytes of a byte order mark that the editor's text has and the file's has not
	}
	files := map[string]*seen{}
	read := func(name string) *seen {
		if f, ok := files[name]; ok {
			return f
		}
		f := &seen{file: &source.File{Name: name}}
		if got, err := r.tree.Read(name); err == nil { // else all of it is at the beginning
			f.file = got
		}
		data := string(f.file.Data)
		if f.file.BOM && r.uris[folder.path(name)] != "" {
			data, f.mark = byteOrderMark+data, len(byteOrderMark)
		}
		f.text = newText(data)
		files[name] = f
		return f
	}
	moved := func(s span, f *seen) span { return span{s.from + f.mark, s.to + f.mark} }
	kept, dropped := finding.Cap(slices.DeleteFunc(slices.Clone(r.report.Findings), func(f finding.Finding) bool { return f.Cleared }), maxFindings)
	if dropped > 0 {
		kept = append(kept, finding.Finding{Severity: finding.Note, Location: finding.Location{Path: r.document.name, Line: 1},
			Message: fmt.Sprintf("%d more findings are not told", dropped)})
	}
	for i := range kept {
		f := &kept[i]
		at := read(f.Path)
		it := &item{finding: f, in: at.text, generation: r.generation, span: moved(place(at.file, f.Location), at)}
		for _, l := range f.Labels {
			other := read(l.Path)
			path := folder.path(l.Path)
			it.related = append(it.related, related{
				location{cmp.Or(r.uris[path], toURI(path)), other.text.extent(moved(place(other.file, l.Location), other), r.units)},
				finding.Clean(cmp.Or(l.Text, "see also")),
			})
		}
		if f.Fix != nil {
			for _, e := range f.Fix.Edits {
				other := read(e.Path)
				if s, ok := exact(other.file, e.Location); ok {
					it.edits = append(it.edits, edit{moved(s, other), folder.path(e.Path), other.text, e.Text})
				}
			}
			if len(it.edits) != len(f.Fix.Edits) {
				it.edits = nil
			}
		}
		path := folder.path(f.Path)
		r.result.items[path] = append(r.result.items[path], it)
	}
	for i := range r.report.Kernels {
		k := &r.report.Kernels[i]
		at, path := read(k.Path), folder.path(k.Path)
		it := &item{kernel: k, in: at.text, span: moved(place(at.file, finding.Location{Path: k.Path, Line: k.Line, Column: 1}), at)}
		r.result.items[path] = append(r.result.items[path], it)
	}
}

// move has what was found in a file stay where it was found, while its text changes around it.
func (s *server) move(path string, how replacement) {
	for _, d := range s.byURI {
		if d.found == nil {
			continue
		}
		for _, it := range d.found.items[path] {
			at, ok := how.moved(it.span)
			it.span, it.edited = at, it.edited || !ok
		}
	}
}

// items is what the checks of all documents found in a file, each thing once, in order.
func (s *server) items(path string) []*item {
	var all []*item
	type key struct {
		span
		kernel     bool
		rule, text string
	}
	seen := map[key]bool{}
	for _, d := range s.documents() {
		if d.found == nil {
			continue
		}
		for _, it := range d.found.items[path] {
			k := key{span: it.span}
			if it.kernel != nil {
				k.kernel, k.text = true, it.kernel.Name
			} else {
				k.rule, k.text = it.finding.Rule, it.finding.Message
			}
			if !seen[k] {
				seen[k] = true
				all = append(all, it)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *item) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	return all
}

// textOf is the text that the places in a file are of.
func (s *server) textOf(path string, it *text) *text {
	if d := s.byPath[path]; d != nil {
		return d.text
	}
	return it
}

// publish tells the client what was found in a file.
func (s *server) publish(path string) {
	before := s.shown[path]
	p := publishDiagnosticsParams{URI: cmp.Or(before, toURI(path)), Diagnostics: []diagnostic{}}
	d := s.byPath[path]
	if d != nil {
		p.URI, p.Version = d.uri, &d.version
	}
	for _, it := range s.items(path) {
		if it.finding != nil && !it.edited {
			p.Diagnostics = append(p.Diagnostics, s.diagnostic(it, s.textOf(path, it.in)))
		}
	}
	if before != "" && before != p.URI { // one file, two ways to write its name
		s.notify("textDocument/publishDiagnostics", publishDiagnosticsParams{URI: before, Diagnostics: []diagnostic{}})
	}
	switch {
	case d != nil || len(p.Diagnostics) > 0:
		s.shown[path] = p.URI
	case before == "":
		return
	default:
		delete(s.shown, path)
	}
	s.notify("textDocument/publishDiagnostics", p)
}

var severities = map[finding.Severity]int{finding.Error: 1, finding.Warning: 2, finding.Note: 3}

func (s *server) diagnostic(it *item, t *text) diagnostic {
	f := it.finding
	takes := s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation
	d := diagnostic{Range: t.extent(it.span, s.units), Severity: severities[f.Severity], Code: f.Rule, Source: "fencepost",
		Message: report.Told(*f, !takes), Data: &diagnosticData{Identity: f.Identity}}
	if takes {
		d.RelatedInformation = it.related
	}
	if f.Rule != "" && s.Page(f.Rule) != "" {
		d.CodeDescription = &codeDescription{report.RulePage(f.Rule)}
	}
	if it.edits != nil {
		d.Data.Fix = f.Fix.Text
	}
	return d
}
