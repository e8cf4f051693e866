package protocol

// LastWrites gives, for each flag and class, the location of the class's last operation that adds or stores to the
// flag, -1 without one. A thread at a location up to that one has a write still ahead of it; see Property.
func LastWrites(p *Protocol) [][]int {
	last := make([][]int, len(p.Flags))
	for f := range last {
		last[f] = make([]int, len(p.Classes))
		for c := range last[f] {
			last[f][c] = -1
		}
	}
	for c := range p.Classes {
		for l, op := range p.Classes[c].Ops {
			if op.Kind == FlagAdd || op.Kind == FlagStore {
				last[op.Object][c] = l
			}
		}
	}
	return last
}
