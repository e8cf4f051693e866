package lower

import (
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
	}
}
