package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// unprepared takes back that threads of a kernel wait for ever for words that another kernel writes before it: what they find there at first is not known.
func unprepared(lowered []*kernelResult, translated []*compiledKernel) {
	for _, r := range lowered {
		if r.answer(protocol.Livelock).verdict != engine.Violated {
			continue
		}
		for _, k := range translated {
			if k.whole == nil || k.fn != r.Function {
				continue
			}
			if name := k.preparedWord(); name != "" {
				r.Opaque = append(r.Opaque, lower.Opaque{Path: r.Path, Line: r.Line, Why: limit.Memory.Says("another kernel writes " + name + " before it, and what its threads find there at first is not known")})
				r.decision = decision{}
			}
		}
	}
}

// preparedWord is a pointer of the kernel, as the source names it, to words that its threads wait for and that another kernel writes before it; "" where there is none.
func (k *compiledKernel) preparedWord() string {
	polls := k.whole.Polls()
	for _, n := range slices.Sorted(maps.Keys(polls)) {
		if k.whole.Insts[n].Space == ir.Shared {
			continue
		}
		for _, name := range k.whole.NamedBy(&k.whole.Insts[n]) {
			if param, _, _ := strings.Cut(name, "+"); cuda.Prepared(k.file, k.fn, param) {
				return k.whole.Spelled(name)
			}
		}
	}
	return ""
}
