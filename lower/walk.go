package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// A ring that goes on by one stage a tile comes back to its first stage only after as many tiles as it has stages. The
// few tiles of every combination do not get there, and a stage that is given back too early, or never, would not be
// seen. So a kernel with such a ring is lowered once more, with 2S+1 tiles (notes/semantics.md 7.4).

// turn is how often threads came round a ring of mbarriers.
type turn struct {
	ring   string // the allocation
	stages int64
	waits  int // the most that one thread waited for one of its stages
}

// round is how many times a stage must be used for both of its parities to have come back.
const round = 3

// maxTurn bounds the stages of a ring that is gone round by tiles.
const maxTurn = 16

// all searches the combinations, and the long walk that some rings need.
func (w *sweep) all() {
	w.search()
	if w.dirty || w.failed || len(w.k.Opaque) > 0 {
		return
	}
	stages := int64(0)
	for _, t := range w.turns {
		if t.stages > 1 && t.waits > 0 && t.waits < round && t.stages <= maxTurn {
			stages = max(stages, t.stages)
		}
	}
	if stages == 0 {
		return
	}
	tiles := 2*stages + 1
	var walks []string
	for i := 0; i < len(w.order); i++ {
		if key := w.order[i]; w.walks(key) && !w.unknowns[key].tried[tiles] {
			walks = append(walks, key)
		}
	}
	if len(walks) == 0 {
		return
	}
	w.sample(func(n combination.Need) int64 {
		w.meet(n)
		if w.walks(n.Key) {
			return tiles
		}
		opts := w.options(n.Key)
		return opts[min(1, len(opts)-1)]
	})
	for _, key := range walks {
		delete(w.unknowns[key].tried, tiles)
	}
	w.long = fmt.Sprintf("%s = %d, with the second value of the others", strings.Join(walks, ", "), tiles)
}

// walks reports whether an unknown is a number of tiles.
func (w *sweep) walks(key string) bool { return slices.Equal(w.l.domains[key], value.TileCounts) }

// turn notes how far the groups of an instance got round its rings.
func (w *sweep) turn(in *instance, groups []*machine) {
	for k, i := range in.mbarKey {
		same := func(at int64) (int, bool) {
			j, ok := in.mbarKey[objectKey{k.b, at, k.cta}]
			return j, ok && in.mbars[j].Count == in.mbars[i].Count
		}
		if _, inside := same(k.i - 1); inside {
			continue
		}
		t := turn{ring: k.b.Name}
		for j, ok := i, true; ok && t.stages <= maxTurn; j, ok = same(k.i + t.stages) {
			t.stages++
			for _, m := range groups {
				t.waits = max(t.waits, m.waits[in.mbars[j].Name])
			}
		}
		if name := in.mbars[i].Name; t.stages > 0 {
			t.waits = max(t.waits, w.turns[name].waits)
			w.turns[name] = t
		}
	}
}
