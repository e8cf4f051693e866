package memory

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// ColumnUse is an access of threads, and the mbarriers on which commits arrive that they waited for since the one before.
type ColumnUse struct {
	protocol.Access
	Mbars []int
}

// AwaitedFor are the mbarriers that those wait for who use the columns of an access, those who use no others if there are
// any: all of them, or if there is none like that, some. Of several that all wait for, those count that some wait for last: a wait
// ahead of these may be for what was there before.
func AwaitedFor(uses []ColumnUse, a protocol.Access) map[int]bool {
	within, over, latest := map[int]int{}, map[int]int{}, map[int]bool{}
	n := 0
	for _, u := range uses {
		if u.Buffer != a.Buffer || len(u.Mbars) == 0 || !protocol.Overlap(u.Elements, a.Elements) {
			continue
		}
		inside := !slices.ContainsFunc(u.Elements, func(r protocol.Range) bool {
			return protocol.Overlap([]protocol.Range{r}, a.Elements) && !Inside([]protocol.Range{r}, a.Elements)
		})
		n += int(value.Bool(inside))
		latest[u.Mbars[len(u.Mbars)-1]] = true
		for _, mbar := range slices.Compact(slices.Sorted(slices.Values(u.Mbars))) {
			over[mbar]++
			within[mbar] += int(value.Bool(inside))
		}
	}
	some, all, last := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for mbar := range over {
		some[mbar] = n == 0 || within[mbar] > 0
		if n > 0 && within[mbar] == n {
			all[mbar] = true
			if latest[mbar] {
				last[mbar] = true
			}
		}
	}
	if len(last) > 0 {
		return last
	}
	if len(all) > 0 {
		return all
	}
	return some
}
