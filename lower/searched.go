package lower

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/protocol"
)

// tracked names the buffers whose accesses the model knows, and those of them of which some accesses are of parts whose
// place is not known. Memory that is reached in ways the evaluator does not follow, such as tensors handed to library
// copies, is in none of the models, and the bound says so by leaving it out.
func (k *Kernel) tracked() (all, parts string) {
	seen, unplaced := map[string]bool{}, map[string]bool{}
	note := func(p *protocol.Protocol, list []protocol.Access) {
		for _, a := range list {
			name := p.Buffers[a.Buffer].Name
			if seen[name] = true; a.Parts == protocol.Somewhere {
				unplaced[name] = true
			}
		}
	}
	for _, p := range k.Instances {
		for _, c := range p.Classes {
			for _, b := range c.Blocks {
				note(p, b)
			}
			for _, o := range c.Ops {
				note(p, o.Access)
			}
		}
	}
	if len(seen) == 0 {
		return "no buffer", ""
	}
	names := func(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ", ") }
	return names(seen), names(unplaced)
}

func sortedLost(lost map[string]string) []string {
	var out []string
	for name, why := range lost {
		out = append(out, name+" ("+why+")")
	}
	sort.Strings(out)
	return out
}
