package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// overlaid is memory that is read as a class of C++: the members are blocks of their own.
type overlaid struct {
	file    *program.File
	at      source.Span
	members []*block
}

// overlay reads memory as a class of the file (reinterpret_cast<SharedStorage*>(smem)).
func (m *machine) overlay(c *program.Class, p pointer, at program.Node) value {
	o := m.structAt(&class{decl: c, mod: m.mod}, p.block.name, source.Span{})
	if m.in.overlays[p.block] == nil {
		m.in.overlays[p.block] = map[string]overlaid{}
	}
	m.in.overlays[p.block][fmt.Sprintf("%s at %s", c.Qualified, canonical(p.offset))] = overlaid{m.file, at.Where(), membersOf(o, nil)}
	return o
}

// membersOf lists the memory of an object's members.
func membersOf(v value, out []*block) []*block {
	switch v := v.(type) {
	case pointer:
		return append(out, v.block)
	case *object:
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			out = membersOf(v.fields[name], out)
		}
	}
	return out
}

// loseOverlays gives up memory that is read in more than one way: as classes at several places, or by itself, too. Where members
// come to lie beside one another, or on each other, is not followed.
func (in *instance) loseOverlays() {
	accessed := map[*block]bool{}
	for k := range in.bufKey {
		accessed[k.b] = true
	}
	byName := func(a, b *block) int { return strings.Compare(a.name, b.name) }
	for _, of := range slices.SortedFunc(maps.Keys(in.overlays), byName) {
		ways := in.overlays[of]
		if len(ways) < 2 && !accessed[of] {
			continue
		}
		in.untracked(of.name, "read as a class and in another way")
		for _, key := range slices.Sorted(maps.Keys(ways)) {
			way := ways[key]
			for _, b := range way.members {
				if in.untracked(b.name, "a member of memory that is read in another way, too"); b.mbarrier {
					in.noteOpaque(way.file, way.at, "mbarriers in memory that is read in several ways", true)
				}
			}
		}
	}
}
