package ir

import (
	"fmt"
	"sort"
	"strings"
)

// Windows of the generic address space (PTX ISA 5.1): a generic address of shared memory is shared|offset. Addresses of the
// shared memory of a CTA of the cluster have its rank, plus one, above the offset; those of the own CTA have 0.
const (
	WindowBits   = 40
	SharedWindow = int64(1) << WindowBits
	ConstWindow  = int64(2) << WindowBits
	LocalWindow  = int64(3) << WindowBits
	RankBits     = 24
	OffsetMask   = 1<<RankBits - 1
)

// Variable is a declared variable with its place in its state space.
type Variable struct {
	Name  string
	Space string
	At    int64   // offset in the state space
	Size  int64   // bytes; -1: the launch gives them
	Init  []int64 // its first elements, the others are 0; nil: not known
	Elem  int64
	Parts []Part // of an object of a class that is not read: what the text names of it, by where it lies
}

// Part is something that the text names of an object of which it says no more.
type Part struct {
	Name string // as it stands behind the object's
	At   int64  // in the object
	Elem int64  // bytes of an element; 0: it has none
	Row  int64  // of something with two indices: bytes of a row
}

// ElementAt names what stands at an offset in the state space: the variable, and which element of it.
func (v *Variable) ElementAt(at int64) string {
	name, _, _ := strings.Cut(v.Name, "#") // behind it stands what tells it from a word of the IR, or from another one
	at -= v.At
	for k := len(v.Parts) - 1; k >= 0; k-- {
		p := &v.Parts[k]
		switch n := at - p.At; {
		case n < 0:
		case p.Elem == 0:
			return name + p.Name
		case p.Row > 0:
			return fmt.Sprintf("%s%s[%d][%d]", name, p.Name, n/p.Row, n%p.Row/p.Elem)
		default:
			return fmt.Sprintf("%s%s[%d]", name, p.Name, n/p.Elem)
		}
	}
	if v.Size == v.Elem || len(v.Parts) > 0 && at == 0 {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, at/v.Elem)
}

// ConstantAt is an initialised element of constant memory.
func (c *Kernel) ConstantAt(at, size int64) (int64, bool) {
	for _, v := range c.Constants {
		if at < v.At || at >= v.At+v.Size || size <= 0 {
			continue
		}
		k := (at - v.At) / max(v.Elem, 1)
		if v.Elem != size || (at-v.At)%size != 0 || v.Init == nil {
			return 0, false
		}
		if k >= int64(len(v.Init)) {
			return 0, true // the rest is zero (PTX ISA 5.4.4)
		}
		return v.Init[k], true
	}
	return 0, false
}

// Number is what operands call a shared variable by, from 1 on; 0: it is none.
func (v *Variable) number(c *Kernel) uint16 {
	for k, o := range c.SharedVariables() {
		if o == v && k+1 < manyObjects {
			return uint16(k + 1)
		}
	}
	return 0
}

// SharedVariables lists the variables in shared memory, by place.
func (c *Kernel) SharedVariables() []*Variable {
	var out []*Variable
	for _, v := range c.Variables {
		if v.Space == "shared" {
			out = append(out, v)
		}
	}
	sort.Slice(out, func(a, b int) bool {
		return out[a].At < out[b].At || out[a].At == out[b].At && out[a].Name < out[b].Name
	})
	return out
}
