package build

import "github.com/fencepost-dev/fencepost/protocol"

// SetOutside names a flag that threads wait for with the scope of the system and that no thread of the kernel writes; "" where there is none.
func SetOutside(p *protocol.Protocol) string {
	waited, written := map[int]bool{}, map[int]bool{}
	for i := range p.Classes {
		for _, o := range p.Classes[i].Ops {
			switch o.Kind {
			case protocol.Spin:
				waited[o.Object] = waited[o.Object] || o.Scope == "sys"
			case protocol.FlagAdd, protocol.FlagStore:
				written[o.Object] = true
			}
		}
	}
	for f := range p.Flags {
		if waited[f] && !written[f] {
			return p.Flags[f].Name
		}
	}
	return ""
}
