package protocol

import (
	"crypto/sha256"
	"maps"
	"slices"
)

// Shape tells protocols apart that engines may decide differently. It is a Digest of what decides: not the words for
// people, which are the names of objects and classes, and the places in the source, of which only counts which are on one
// line. So it outlives that lines move and files are renamed. What other values of the unknowns lead to is a part of it,
// with the values.
func (p *Protocol) Shape() [sha256.Size]byte {
	d := digest{bare: true}
	d.protocol(p)
	d.growth(p)
	return sha256.Sum256(d.b)
}

// name is a word for people.
func (d *digest) name(s string) {
	if !d.bare {
		d.text(s)
	}
}

// sites writes the places down; for a shape, each as the first one on its line.
func (d *digest) sites(list []Site) {
	type line struct {
		path string
		line int
	}
	first := map[line]int{}
	for i, s := range list {
		if !d.bare {
			d.text(s.Path)
			d.ints(s.Line, s.From)
			d.text(s.Text)
			continue
		}
		at := line{s.Path, s.Line}
		if _, ok := first[at]; !ok {
			first[at] = i
		}
		d.ints(first[at])
	}
}

// growth writes down how the protocol grows with its unknowns.
func (d *digest) growth(p *Protocol) {
	d.ints(len(p.Values), len(p.Loops), len(p.Repeats))
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		d.text(name)
		d.text(p.Values[name])
	}
	for _, l := range p.Loops {
		d.text(l.Unknown)
		d.ints(l.Class, l.Lead)
		d.list(l.Heads)
	}
	for _, r := range p.Repeats {
		d.text(r.Unknown)
		d.ints(r.Period, r.Least)
	}
}
