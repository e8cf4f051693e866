package finding

import (
	"slices"
	"strings"
)

// Properties that are told beside a verdict: the engines that search interleavings of one CTA or cluster do not decide them.
const (
	RaceGrid = "race-grid" // accesses that other CTAs, outside of the cluster, may be in conflict with
	Order    = "order"     // relaxed and narrow operations that guard data, under the memory model
	Proxy    = "proxy"     // accesses of the generic proxy that meet those of an asynchronous one
)

// Beside lists them in the order reports use.
var Beside = []string{RaceGrid, Order, Proxy}

// What a property beside the verdict may be, besides violated.
const (
	Held   = "holds"
	IsOpen = "open"
)

// Open is a property of a kernel that holds, which nothing decided, or of which a warning stands: why, and the first line
// that made it so.
type Open struct {
	Property string `json:"property"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Why      string `json:"why"`
}

// Leave notes that a property is open. Of several reasons for one property the first is told.
func (k *Kernel) Leave(o Open) {
	if slices.ContainsFunc(k.Open, func(p Open) bool { return p.Property == o.Property }) {
		return
	}
	k.Open = append(k.Open, o)
	slices.SortStableFunc(k.Open, func(a, b Open) int { return strings.Compare(a.Property, b.Property) })
}

// Opened lists the properties that are open.
func (k *Kernel) Opened() []string {
	names := make([]string, len(k.Open))
	for i, o := range k.Open {
		names[i] = o.Property
	}
	return names
}

// Says is the verdict with what it leaves open: "holds (order, proxy open)".
func (k *Kernel) Says() string {
	if k.Verdict != "holds" || len(k.Open) == 0 {
		return k.Verdict
	}
	return k.Verdict + " (" + strings.Join(k.Opened(), ", ") + " open)"
}
