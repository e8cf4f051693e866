package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// claim joins what an instance does with global memory with the others of its launch. What the engines see of all CTAs
// they decide.
func (w *sweep) claim(in *instance) {
	values := maps.Clone(in.values)
	maps.DeleteFunc(values, func(name string, _ int64) bool { return memory.IsPlace(name) })
	key := fmt.Sprint(values)
	c := w.claims[key]
	if c == nil {
		c = &memory.Claimed{Reached: memory.Territory{}, Shared: map[string]bool{}}
		c.Places, c.Extents = in.places()
		w.claims[key] = c
	}
	for root, list := range in.territory {
		if b := in.blocks[root]; len(in.flagBlocks) > 0 && b != nil && in.lost[root] == "" {
			if _, tracked := in.bufKey[objectKey{b, 0, -1}]; tracked || in.flagBlocks[root] {
				continue
			}
		}
		for _, r := range list {
			c.Reached.Add(root, r)
		}
		if o := in.owned[root]; o == nil || o.Shared {
			c.Shared[root] = true
		}
	}
}

// crossed finds memory that other CTAs may access too, and the first line that does not show it to be the CTA's own.
func (w *sweep) crossed() (finding.Open, bool) {
	for _, key := range slices.Sorted(maps.Keys(w.claims)) {
		c := w.claims[key]
		for _, root := range slices.Sorted(maps.Keys(c.Reached)) {
			at, why := memory.UnknownWrite(root, c.Reached[root])
			if why == "" && len(c.Places) > 0 {
				at, why = c.Crossed(root)
			}
			if why != "" {
				if at.Path == "" {
					at.Path, at.Line = w.k.Path, w.k.Line
				}
				return finding.Open{Property: finding.RaceGrid, Path: at.Path, Line: at.Line, Why: why}, true
			}
		}
	}
	return finding.Open{}, false
}

// lostWrite finds global memory that the kernel both writes and reads, of which not every access is compared, and elements of
// which are not shown to be one thread's each: a race of threads of one CTA would not be seen. Flags are
// asked about by the engines.
func (w *sweep) lostWrite() (finding.Open, bool) {
	for _, key := range slices.Sorted(maps.Keys(w.claims)) {
		c := w.claims[key]
		for _, root := range slices.Sorted(maps.Keys(c.Reached)) {
			why, lost := w.lost[root]
			if !lost && slices.ContainsFunc(c.Reached[root], func(r memory.ReachOf) bool { return r.Aside }) {
				why, lost = "it is reached through views whose elements are not known", true
			}
			i := slices.IndexFunc(c.Reached[root], func(r memory.ReachOf) bool { return r.Write && !r.Atomic })
			if !lost || !c.Shared[root] || i < 0 || !slices.ContainsFunc(c.Reached[root], func(r memory.ReachOf) bool { return !r.Write }) {
				continue
			}
			at := c.Reached[root][i].Site
			if at.Path == "" {
				at.Path, at.Line = w.k.Path, w.k.Line
			}
			return finding.Open{Property: string(protocol.Race), Path: at.Path, Line: at.Line, Why: fmt.Sprintf("not every access of %s is compared: %s", root, why)}, true
		}
	}
	return finding.Open{}, false
}
