package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// claimed is what the CTAs of one launch do with global memory: of all instances that differ only in the place of the CTA.
type claimed struct {
	places  []string
	extents []int64
	reached territory
	shared  map[string]bool // memory of which threads of one CTA may have elements in common
}

// claim joins what an instance does with global memory with the others of its launch. What the engines see of all CTAs
// they decide.
func (w *sweep) claim(in *instance) {
	values := maps.Clone(in.values)
	maps.DeleteFunc(values, func(name string, _ int64) bool { return isPlace(name) })
	key := fmt.Sprint(values)
	c := w.claims[key]
	if c == nil {
		c = &claimed{reached: territory{}, shared: map[string]bool{}}
		c.places, c.extents = in.places()
		w.claims[key] = c
	}
	for root, list := range in.territory {
		if b := in.blocks[root]; len(in.flagBlocks) > 0 && b != nil && in.lost[root] == "" {
			if _, tracked := in.bufKey[objectKey{b, 0, -1}]; tracked || in.flagBlocks[root] {
				continue
			}
		}
		for _, r := range list {
			c.reached.add(root, r)
		}
		if o := in.owned[root]; o == nil || o.shared {
			c.shared[root] = true
		}
	}
}

// crossed finds memory that other CTAs may access too, and the first line that does not show it to be the CTA's own.
func (w *sweep) crossed() (finding.Open, bool) {
	for _, key := range slices.Sorted(maps.Keys(w.claims)) {
		c := w.claims[key]
		for _, root := range slices.Sorted(maps.Keys(c.reached)) {
			at, why := unknownWrite(root, c.reached[root])
			if why == "" && len(c.places) > 0 {
				at, why = c.crossed(root)
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
		for _, root := range slices.Sorted(maps.Keys(c.reached)) {
			why, lost := w.lost[root]
			if !lost && slices.ContainsFunc(c.reached[root], func(r reachOf) bool { return r.aside }) {
				why, lost = "it is reached through views whose elements are not known", true
			}
			i := slices.IndexFunc(c.reached[root], func(r reachOf) bool { return r.write && !r.atomic })
			if !lost || !c.shared[root] || i < 0 || !slices.ContainsFunc(c.reached[root], func(r reachOf) bool { return !r.write }) {
				continue
			}
			at := c.reached[root][i].site
			if at.Path == "" {
				at.Path, at.Line = w.k.Path, w.k.Line
			}
			return finding.Open{Property: string(protocol.Race), Path: at.Path, Line: at.Line, Why: fmt.Sprintf("not every access of %s is compared: %s", root, why)}, true
		}
	}
	return finding.Open{}, false
}

// unknownWrite finds a write to elements that nothing is known of: threads of one CTA may meet there, too.
func unknownWrite(root string, uses []reachOf) (at protocol.Site, why string) {
	for _, r := range uses {
		if r.write && !r.atomic && r.lost {
			return r.site, fmt.Sprintf("%s is written at an index that only the running kernel knows, and that no two threads have the same is not shown", root)
		}
	}
	return at, ""
}

// crossed is where memory may be another CTA's, too, and why; "" where it is not.
func (c *claimed) crossed(root string) (at protocol.Site, why string) {
	uses := c.reached[root]
	writes := slices.ContainsFunc(uses, func(r reachOf) bool { return r.write })
	switch {
	case c.aliases(root, writes):
		return uses[0].site, fmt.Sprintf("%s may be memory that the kernel writes, too, and which elements of it are another CTA's is not known", root)
	case !writes, !slices.ContainsFunc(uses, func(r reachOf) bool { return !r.atomic }):
		return at, ""
	}
	for _, r := range uses {
		if r.why != "" {
			return r.site, r.why
		}
	}
	for i, place := range c.places {
		if c.apart(i, uses) {
			continue
		}
		const not = "and that these elements are not those of CTAs with another"
		for _, r := range uses {
			if !c.apart(i, []reachOf{r}) {
				return r.site, fmt.Sprintf("%s is written, %s %s is not shown", root, not, place)
			}
		}
		at = uses[len(uses)-1].site
		for k, r := range uses {
			if c.apart(i, slices.Delete(slices.Clone(uses), k, k+1)) {
				at = r.site
				break
			}
		}
		return at, fmt.Sprintf("%s is written, %s %s is not shown, given what other lines access", root, not, place)
	}
	return at, ""
}

// apart reports whether some coordinate that all uses have is another one for CTAs at another place along an axis.
func (c *claimed) apart(axis int, uses []reachOf) bool {
	return slices.ContainsFunc(slices.Sorted(maps.Keys(uses[0].at)), func(how string) bool { return c.separates(how, axis, uses) })
}

// aliases reports whether memory that is no parameter by itself may be other memory that is named, and one of them is written.
func (c *claimed) aliases(root string, written bool) bool {
	words := value.Identifiers(root)
	if len(words) == 0 || strings.Join(words, ".") == root {
		return false
	}
	for other, uses := range c.reached {
		if other != root && (written || slices.ContainsFunc(uses, func(r reachOf) bool { return r.write })) && slices.ContainsFunc(value.Identifiers(other), func(word string) bool { return slices.Contains(words, word) }) {
			return true
		}
	}
	return false
}

// separates reports whether a coordinate is another one for CTAs at another place along an axis, whatever their other
// places: the sums of the uses have the same factors, and each factor is more than what all before it add up to.
func (c *claimed) separates(how string, axis int, uses []reachOf) bool {
	p := uses[0].at[how]
	for _, r := range uses[1:] {
		q, has := r.at[how]
		if !has || !maps.Equal(p.by, q.by) {
			return false
		}
		p.lo, p.hi = min(p.lo, q.lo), max(p.hi, q.hi)
	}
	if p.by[c.places[axis]] == 0 {
		return false
	}
	places := slices.SortedFunc(maps.Keys(p.by), func(a, b string) int { return int(min(1, max(-1, abs(p.by[a])-abs(p.by[b])))) })
	width := p.hi - p.lo
	for _, place := range places {
		i := slices.Index(c.places, place)
		if i < 0 || abs(p.by[place]) < width {
			return false
		}
		if len(places) > 1 && c.extents[i] == 0 && place != places[len(places)-1] {
			return false
		}
		width += abs(p.by[place]) * max(0, c.extents[i]-1)
	}
	return true
}

func abs(n int64) int64 { return max(n, -n) }
