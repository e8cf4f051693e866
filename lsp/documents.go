package lsp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// folder is a tree that is checked.
type folder struct {
	uri  string
	tree *source.Tree
	lone bool // of one document alone: the client has no folder open
}

// path is where a file of the folder is.
func (f *folder) path(name string) string {
	return filepath.Join(f.tree.Dir(), filepath.FromSlash(name))
}

// document is a file as it stands in the editor.
type document struct {
	uri     string
	folder  *folder
	name    string // in the folder
	path    string
	version int
	text    *text
	found   *result // nil before the first check
}

// fromURI is the path that a URI names.
func fromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		return "", fmt.Errorf("%.200q names no file of this machine: only file: URIs are checked", uri)
	}
	path := u.Path
	if len(path) >= 3 && path[0] == '/' && path[2] == ':' && filepath.VolumeName(path[1:]) != "" { // file:///C:/kernels
		path = path[1:]
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return "", fmt.Errorf("%.200q has no absolute path", uri)
	}
	return filepath.Clean(path), nil
}

// toURI names a file.
func toURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func (s *server) addFolders(given []workspaceFolder) {
	for _, f := range given {
		path, err := fromURI(f.URI)
		if err != nil {
			s.log(logError, err.Error())
			continue
		}
		s.addFolder(f.URI, path)
	}
}

func (s *server) addFolder(uri, path string) {
	tree, err := source.Open(path)
	if err != nil {
		s.log(logError, err.Error())
		return
	}
	s.folders = append(s.folders, &folder{uri: uri, tree: tree})
}

func (s *server) didChangeWorkspaceFolders(p *didChangeWorkspaceFoldersParams) (any, error) {
	if s.Root != "" {
		return nil, nil
	}
	var gone []*folder
	for _, r := range p.Event.Removed {
		s.folders = slices.DeleteFunc(s.folders, func(f *folder) bool {
			if f.uri != r.URI || f.lone {
				return false
			}
			gone = append(gone, f)
			return true
		})
	}
	s.addFolders(p.Event.Added)
	for _, d := range s.documents() {
		path, err := fromURI(d.uri)
		if err != nil {
			continue
		}
		home, name, err := s.home(path)
		if err == nil && home == d.folder {
			continue
		}
		s.remove(d)
		if err != nil {
			s.log(logWarning, err.Error())
			continue
		}
		s.add(&document{uri: d.uri, folder: home, name: name, version: d.version, text: d.text})
	}
	s.changed(nil)
	for _, f := range gone {
		f.tree.Close()
	}
	return nil, nil
}

// home is the deepest folder that has a file. Where the client has no folder open, it is the file's own: nothing is read that the
// user did not name.
func (s *server) home(path string) (*folder, string, error) {
	var best *folder
	var name string
	var outside error
	for _, f := range s.folders {
		rel, err := f.tree.Rel(path)
		switch {
		case err == nil && (best == nil || len(f.tree.Dir()) > len(best.tree.Dir())):
			best, name = f, rel
		case err != nil && !f.lone:
			outside = err
		}
	}
	if best != nil {
		return best, name, nil
	}
	if outside != nil {
		return nil, "", outside
	}
	tree, err := source.Open(filepath.Dir(path))
	if err != nil {
		return nil, "", err
	}
	if name, err = tree.Rel(path); err != nil {
		tree.Close()
		return nil, "", err
	}
	best = &folder{tree: tree, lone: true}
	s.folders = append(s.folders, best)
	return best, name, nil
}

// documents are those that are open, in order.
func (s *server) documents() []*document {
	var out []*document
	for _, d := range s.byURI {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *document) int { return strings.Compare(a.uri, b.uri) })
	return out
}

func (s *server) add(d *document) {
	d.path = d.folder.path(d.name)
	s.byURI[d.uri], s.byPath[d.path] = d, d
	s.enqueue(d)
}

// remove forgets a document, and what was found by checking it.
func (s *server) remove(d *document) {
	if s.running != nil && s.running.document == d {
		s.cancel()
	}
	s.queue = slices.DeleteFunc(s.queue, func(q *document) bool { return q == d })
	delete(s.byURI, d.uri)
	if s.byPath[d.path] == d {
		delete(s.byPath, d.path)
	}
	found := d.found
	d.found = nil
	for path := range found.paths(d) {
		s.publish(path)
	}
	if d.folder.lone && !slices.ContainsFunc(s.documents(), func(o *document) bool { return o.folder == d.folder }) {
		s.folders = slices.DeleteFunc(s.folders, func(f *folder) bool { return f == d.folder })
		d.folder.tree.Close()
	}
}

// asOnDisk reports whether the file of a document holds what the editor has.
func (d *document) asOnDisk() bool {
	f, err := d.folder.tree.Read(d.name)
	return err == nil && string(f.Data) == strings.TrimPrefix(d.text.data, byteOrderMark)
}

const byteOrderMark = "\ufeff"

func (s *server) didOpen(p *didOpenParams) (any, error) {
	t := &p.TextDocument
	path, err := fromURI(t.URI)
	if err != nil {
		return nil, err
	}
	if old := s.byURI[t.URI]; old != nil {
		s.remove(old)
	}
	home, name, err := s.home(path)
	if err != nil {
		return nil, err
	}
	d := &document{uri: t.URI, folder: home, name: name, version: t.Version, text: newText(t.Text)}
	s.add(d)
	if !d.asOnDisk() {
		s.changed(d)
	}
	s.hurry()
	return nil, nil
}

// open is the document that a client means.
func (s *server) open(t textDocument) (*document, error) {
	if d := s.byURI[t.URI]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%.200q is not open, or not checked", t.URI)
}

func (s *server) didChange(p *didChangeParams) (any, error) {
	d, err := s.open(p.TextDocument)
	if err != nil {
		return nil, err
	}
	before := d.text
	for _, c := range p.ContentChanges {
		after, how := c.Text, replacement{}
		if c.Range == nil {
			how = replaced(d.text.data, after)
		} else {
			from, to := d.text.offset(c.Range.Start, s.units), d.text.offset(c.Range.End, s.units)
			from, to = min(from, to), max(from, to)
			how = replacement{span{from, to}, len(c.Text)}
			after = d.text.data[:from] + c.Text + d.text.data[to:]
		}
		d.text = newText(after)
		s.move(d.path, how)
	}
	if p.TextDocument.Version != nil {
		d.version = *p.TextDocument.Version
	}
	if d.text.data != before.data {
		s.changed(d)
	}
	return nil, nil
}

func (s *server) didSave(p *documentParams) (any, error) {
	d, err := s.open(p.TextDocument)
	if err != nil {
		return nil, err
	}
	s.changed(d) // other files may have been, too, and nobody told
	s.hurry()
	return nil, nil
}

func (s *server) didClose(p *documentParams) (any, error) {
	d, err := s.open(p.TextDocument)
	if err != nil {
		return nil, err
	}
	same := d.asOnDisk()
	s.remove(d)
	if !same { // others were checked with it as it stood in the editor
		s.changed(nil)
	}
	return nil, nil
}

func (s *server) didChangeWatchedFiles(p *didChangeWatchedFilesParams) (any, error) {
	for _, c := range p.Changes {
		if s.byURI[c.URI] == nil { // what is open is checked as it stands there
			s.changed(nil)
			break
		}
	}
	return nil, nil
}
