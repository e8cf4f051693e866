// Package random draws small protocols at random, with every kind of operation: for tests that compare engines with
// one another, or an engine with itself. The protocol of a seed is the same everywhere and always.
//
// Protocols of operations in any order are nearly all wrong from the start, and most reductions apply to few of them.
// So most protocols here are the handshakes that kernels are made of, and half of these have a fault.
//
// Shrink makes a protocol that shows something small, and Print shows it.
package random

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Style is how a protocol is drawn.
type Style int

// Styles: handshakes as they should be, handshakes with a fault or two, and operations in any order.
const (
	Right Style = iota
	Faulty
	Any
)

// Styles lists them.
var Styles = []Style{Right, Faulty, Any}

func (s Style) String() string {
	return [...]string{"handshakes", "handshakes with a fault", "any operations"}[s]
}

// StyleOf is the style of the protocol of a seed, which may be any number.
func StyleOf(seed int) Style { return [...]Style{Right, Faulty, Any, Faulty, Right}[uint(seed)%5] }

// Protocol is the protocol of a seed. It validates.
func Protocol(seed int) *protocol.Protocol {
	r := rand.New(rand.NewPCG(uint64(seed), 4))
	for {
		var p *protocol.Protocol
		switch StyleOf(seed) {
		case Any:
			p = soup(r)
		default:
			p = script(r)
		}
		if StyleOf(seed) == Faulty {
			for range 1 + r.IntN(2) {
				Fault(r, p)
			}
		}
		if p.Validate() == nil {
			divide(seed, p)
			return p
		}
	}
}

// start is a protocol without classes. Its sites are two lines: writes that one line makes do not race.
func start(name string, ctas int) *protocol.Protocol {
	return &protocol.Protocol{Kernel: name, CTAs: ctas, Cluster: ctas > 1, Sites: []protocol.Site{{Path: "random", Line: 1}, {Path: "random", Line: 2}}}
}

// chance is true once in n.
func chance(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }
