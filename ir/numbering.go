package ir

import "slices"

// Numbering reports whether what an instruction reads are integers that follow, by arithmetic alone, from which thread it is and from what all threads of the CTA have alike, if memory
// that they read is not changed meanwhile: places, shares, strides. What conditions choose, and comparisons give, is left out, as are numbers of which nothing is known: threads may have
// them to count together.
func (c *Kernel) Numbering(k int32) bool {
	if c.Insts[k].Type.Data {
		return false
	}
	alike, s := c.UniformIfUnchanged(), c.SSA()
	heads := map[int32]bool{}
	for _, l := range c.Loops() {
		heads[c.Flow().Start(l.Header)] = true
	}
	met := map[int32]bool{}
	for todo := slices.Clone(s.reads[k]); len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; met[n] {
			continue
		}
		if met[n] = true; n <= 0 || len(met) > maxChosen {
			return false
		}
		v := &s.Values[n]
		switch known := v.Of < int32(c.Registers); {
		case known && v.Of == c.Nothing, !known:
			return false
		case alike.Registers[v.Of] == UniformCTA:
		case v.Kind == Given:
			if !c.tellsThread(v.Of) {
				return false
			}
		case v.Kind == Merged && heads[v.At]:
			todo = append(todo, v.From...)
		case v.Kind == Defined && len(v.From) == 0 && c.Insts[v.At].numbers():
			todo = append(todo, s.reads[v.At]...)
		default:
			return false
		}
	}
	return true
}

// tellsThread reports whether a register holds a special one that differs between threads of a CTA.
func (c *Kernel) tellsThread(register int32) bool {
	for name, r := range c.Special {
		if r == register && tellsThread(name) {
			return true
		}
	}
	return false
}

// numbers reports whether an instruction computes with integers, and compares none.
func (in *Inst) numbers() bool {
	return in.Op.Does(Integer) && in.Op != Set && in.Op != Cnot && !in.Type.Data && !in.Result.Data
}
