package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What the models of pipelines need from the evaluator.

// ringSizes are the stages that a ring is given whose size is not known before the kernel runs: the smallest that lets
// producer and consumer work at the same time, and one more (notes/cutedsl.md 3.2, R2).
var ringSizes = []int64{2, 3}

// stages gives a ring its number of stages. The whole expression is the unknown: it stands for what the host side makes
// of the shared memory that is left.
func (m *machine) stages(n value.Value) value.Value {
	sym, ok := n.(value.Symbol)
	if !ok || m.host {
		return n
	}
	key := sym.Expr.String()
	if _, known := m.in.values[key]; !known {
		if _, known := m.peek(sym.Expr); known || m.in.choose == nil {
			return n
		}
		m.in.low.domains[key] = ringSizes
		m.in.give(key, m.in.choose(combination.Need{Key: key}))
	}
	return value.Int(m.in.values[key])
}

// joint is a place in a kernel where the lanes of a warp are taken to run together.
type joint struct{ path, span string }

// together makes the lanes of a warp meet. Where one lane arrives for its warp without a warp barrier before, as
// releases of the library do, nothing in PTX keeps another lane from falling behind, missing the next phase or reading
// the stage late: what keeps it is that compilers let the lanes of a warp reconverge after a wait and run on in step.
// That is assumed and printed. A place that not all lanes of a warp come to, such as a release under elect_one, joins
// nobody: apart remembers it.
func (m *machine) together(n program.Node) {
	if m.joins(n) {
		m.in.assumed["the lanes of a warp that release a stage together are all done with it"] = inWords
		m.warpSync(fullWarp, n)
	}
}

// meet makes the lanes of a warp converge where an operation elects one of them by itself, as elect.sync does. Where
// none of them waited for anything since they were last together they still are.
func (m *machine) meet(n program.Node) {
	for i := len(m.ops) - 1; i >= 0; i-- {
		switch o := m.ops[i]; o.Kind {
		case protocol.NamedSync:
			if m.in.nameds[o.Object].ID >= protocol.WarpBarrier {
				return
			}
		case protocol.Wait, protocol.ClusterWait, protocol.Spin, protocol.Drain:
		default:
			continue
		}
		if m.joins(n) {
			m.converge(n)
		}
		return
	}
}

// joins reports whether all lanes of the warp come to this place, and notes that the group does.
func (m *machine) joins(n program.Node) bool {
	f, at := m.place(n.Where())
	j := joint{f.Source.Name, fmt.Sprint(at)}
	if m.in.low.apart[j] {
		return false
	}
	if m.joints == nil {
		m.joints = map[joint]int{}
	}
	m.joints[j]++
	return true
}

// divided looks for places where only some lanes of a warp were joined, remembers them, and answers whether there are any.
func (in *instance) divided(groups []*machine) bool {
	type warp struct{ cta, index int64 }
	lanes := map[warp]int{}
	met := map[joint]map[warp]map[int]int{} // place → warp → times there → lanes
	for _, m := range groups {
		for _, t := range m.threads {
			w := warp{m.cta, t / 32}
			lanes[w]++
			for j, n := range m.joints {
				if met[j] == nil {
					met[j] = map[warp]map[int]int{}
				}
				if met[j][w] == nil {
					met[j][w] = map[int]int{}
				}
				met[j][w][n]++
			}
		}
	}
	found := false
	for j, warps := range met {
		for w, times := range warps {
			for _, n := range times {
				if n != lanes[w] && !in.low.apart[j] {
					in.low.apart[j], found = true, true
				}
			}
		}
	}
	return found
}
