package ir

import (
	"fmt"
	"math"
	"slices"
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

var objects = &pass[[][]uint16]{name: "objects", number: 6, run: (*Kernel).pointsTo,
	doc: "the shared variables that a register's value is made of the address of, by arithmetic; not what comes through memory",
	print: func(c *Kernel, of [][]uint16) string {
		var out strings.Builder
		shared := c.SharedVariables()
		for r, list := range of {
			if len(list) == 0 {
				continue
			} else if list[0] == manyObjects {
				fmt.Fprintf(&out, "%s: many\n", c.Names[r])
				continue
			}
			fmt.Fprintf(&out, "%s:", c.Names[r])
			for _, n := range list {
				fmt.Fprintf(&out, " %s", shared[n-1].Name)
			}
			out.WriteString("\n")
		}
		return out.String()
	}}

const (
	maxObjects  = 64             // of one register
	manyObjects = math.MaxUint16 // instead of more
)

// ObjectsOf lists the shared variables that the address of an access, or those of a copy, may be made of; none where it comes from elsewhere.
func (c *Kernel) ObjectsOf(in *Inst) []*Variable {
	of := objects.of(c)
	list := objectsOf(of, in.A)
	if in.Op == Async {
		for _, o := range in.Extra.Operands[:min(2, len(in.Extra.Operands))] { // to, from
			list = slices.Concat(list, objectsOf(of, o))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) > 0 && list[len(list)-1] == manyObjects {
			return nil
		}
	}
	if len(list) > 0 && list[0] == manyObjects {
		return nil
	}
	shared := c.SharedVariables()
	var out []*Variable
	for _, n := range list {
		out = append(out, shared[n-1])
	}
	return out
}

func objectsOf(of [][]uint16, o Operand) []uint16 {
	switch {
	case o.Reg >= 0:
		return of[o.Reg]
	case o.Of > 0:
		return []uint16{o.Of}
	}
	return nil
}

// pointsTo goes from addresses to what is computed of them, until nothing is added.
func (c *Kernel) pointsTo() [][]uint16 {
	of := make([][]uint16, c.Registers)
	for again := true; again; {
		again = false
		for k := range c.Insts {
			in := &c.Insts[k]
			if !in.Op.Does(Computes) {
				continue
			}
			var all []uint16
			for b, o := range [3]Operand{in.A, in.B, in.C} {
				if in.Op.form().operands[b] == Register {
					all = append(all, objectsOf(of, o)...)
				}
			}
			for _, o := range in.more() {
				all = append(all, objectsOf(of, o)...)
			}
			registers, _ := in.Results()
			for _, d := range registers {
				switch {
				case len(of[d]) > 0 && of[d][0] == manyObjects:
					continue
				case len(of[d])+len(all) > maxObjects || len(all) > 0 && all[0] == manyObjects:
					of[d], again = []uint16{manyObjects}, true
					continue
				}
				for _, n := range all {
					if at, there := slices.BinarySearch(of[d], n); !there {
						of[d], again = slices.Insert(of[d], at, n), true
					}
				}
			}
		}
	}
	return of
}
