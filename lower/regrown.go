package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Regrown looks again at how an instance is said to grow: it lowers, without a watcher, the instance with so many periods more of
// each unknown that it has Repeats for, and compares that with what it grows into. It gives those that were lowered. What
// lowering is too short of steps for is not compared.
func (k *Kernel) Regrown(values map[string]int64, periods ...int) (larger []*protocol.Protocol, err error) {
	p, _ := k.Instance(values)
	if p == nil {
		return nil, nil
	}
	f := *k.family
	for _, r := range p.Repeats {
		if r.Period < 1 || values[r.Unknown] < int64(r.Least) {
			continue
		}
		for _, n := range periods {
			q := p
			for i := 0; i < n && q != nil; i++ {
				q = q.Grow(r.Unknown, r.Period)
			}
			if q == nil {
				return larger, fmt.Errorf("the instance with %v does not grow by %d rounds of %s", values, r.Period, r.Unknown)
			}
			f.spent = 0
			plain, _ := f.lower(valued(values, r.Unknown, values[r.Unknown]+int64(n*r.Period)), nil)
			if plain == nil {
				continue
			}
			if plain.Digest() != q.Digest() {
				return larger, fmt.Errorf("the instance with %v is not, with %d periods of %d more rounds of %s, what it is said to grow into", values, n, r.Period, r.Unknown)
			}
			larger = append(larger, plain)
		}
	}
	return larger, nil
}
