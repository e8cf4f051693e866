package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
	"github.com/fencepost-dev/fencepost/wholefile"
)

// change is an edit by the bytes that it replaces.
type change struct {
	from, to int
	text     string
}

// repair writes the repairs of findings into their files, and tells of each. A repair was tried by itself: of two that touch the
// same text the first is taken, and what stands in the files then is checked again by the caller.
func repair(tree *source.Tree, fs []finding.Finding) (done []string, err error) {
	files := map[string]*source.File{}
	changes := map[string][]change{}
	for _, f := range fs {
		if f.Fix == nil || f.Cleared {
			continue
		}
		own := map[string][]change{}
		possible := true
		for _, e := range f.Fix.Edits {
			if files[e.Path] == nil {
				if files[e.Path], err = editable(tree, e.Path); err != nil {
					return nil, err
				}
			}
			src := files[e.Path]
			from, ok := src.Offset(source.Position{Line: e.Line, Column: e.Column})
			to, also := src.Offset(source.Position{Line: e.EndLine, Column: e.EndColumn})
			c := change{from, to, e.Text}
			possible = possible && ok && also && from <= to && !slices.ContainsFunc(changes[e.Path], c.meets)
			own[e.Path] = append(own[e.Path], c)
		}
		if !possible {
			continue
		}
		for name, list := range own {
			changes[name] = append(changes[name], list...)
		}
		done = append(done, fmt.Sprintf("%s:%d: %s: repaired: %s", f.Path, f.Line, f.Rule, f.Fix.Text))
	}
	for name, list := range changes {
		slices.SortStableFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
		var text bytes.Buffer
		at := 0
		for _, c := range list {
			text.Write(files[name].Data[at:c.from])
			text.WriteString(c.text)
			at = c.to
		}
		text.Write(files[name].Data[at:])
		if err := wholefile.Write(filepath.Join(tree.Dir(), filepath.FromSlash(name)), text.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// meets reports whether two changes are of the same text, or put something in at the same place.
func (c change) meets(d change) bool { return c.from <= d.to && d.from <= c.to }

// editable reads a file that is on the disk as it was decoded: of another, offsets mean nothing.
func editable(tree *source.Tree, name string) (*source.File, error) {
	f, err := tree.Read(name) // a regular file of the tree, through no link
	if err != nil {
		return nil, fmt.Errorf("repair %s: %w", name, err)
	}
	raw, err := os.ReadFile(filepath.Join(tree.Dir(), filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("repair %s: %w", name, err)
	}
	if !bytes.Equal(raw, f.Data) {
		return nil, fmt.Errorf("repair %s: it is not plain UTF-8 without a byte order mark (convert it first)", name)
	}
	return f, nil
}
