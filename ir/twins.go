package ir

import (
	"encoding/binary"
	"slices"
	"sync"
)

// twins are the values that operations compute of equal operands, by operation and operands.
type twins map[string][]int32

// maxTwins bounds the values of one operation and its operands that are kept, none of which dominates another.
const maxTwins = 8

// operation tells an operation on integers and its operands from all others; ok is false where a value is none. The terms of operands are as named says.
func (a *Affine) operation(n int32, named func(int32) int32) (key []byte, ok bool) {
	v := &a.s.Values[n]
	if v.Kind != Defined || len(v.From) > 0 {
		return nil, false
	}
	in := &a.c.Insts[v.At]
	if in.Guard >= 0 || !in.Op.Does(Integer) || in.D != v.Of || in.Op.form().d != Register || in.Extra != nil {
		return nil, false
	}
	key = append(make([]byte, 0, 96), byte(in.Op), in.Mode, in.Type.Bits, in.Result.Bits, byte(in.Flags))
	for _, is := range [4]bool{in.Type.Signed, in.Type.Data, in.Result.Signed, in.Result.Data} {
		key = append(key, 0)
		if is {
			key[len(key)-1] = 1
		}
	}
	var operands [3][]byte
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if o == None {
			continue
		}
		f := a.Of(v.At, o)
		if f.Bits < 64 && (f.Bits < in.Type.Bits || in.Type.Bits == 0) { // more of it is read than is known
			return nil, false
		}
		terms := slices.Clone(f.Terms)
		for k, t := range terms {
			if t.Atom == 0 { // two that are not known are not one
				return nil, false
			}
			if t.Atom > 0 {
				terms[k].Atom = named(t.Atom)
			}
		}
		slices.SortFunc(terms, func(x, y Term) int { return int(x.Atom - y.Atom) })
		part := binary.AppendVarint([]byte{f.Bits}, f.Const)
		for _, t := range terms {
			part = binary.AppendVarint(binary.AppendVarint(part, int64(t.Atom)), t.By)
		}
		operands[k] = part
	}
	if in.Op.Does(Commutes) {
		slices.SortFunc(operands[:2], slices.Compare)
	}
	for _, part := range operands {
		key = append(binary.AppendVarint(key, int64(len(part))), part...)
	}
	return key, true
}

// twin is the first value that the same operation has computed of the same operands, on all ways to where this one is computed; itself where there is none: dominator-based value numbering (Briggs, Cooper
// and Simpson, "Value numbering", SPE 1997). Between the two no operand can have changed: it dominates both, so that whoever comes by it again comes by the first of the two again, too.
func (a *Affine) twin(n int32) int32 {
	key, ok := a.operation(n, func(m int32) int32 { return m })
	if !ok {
		return n
	}
	at := a.s.Values[n].At
	here := a.fl.BlockOf(at)
	list := a.twins[string(key)]
	for _, m := range list {
		if before := a.s.Values[m].At; m == n || a.fl.Dominates(a.fl.BlockOf(before), here) && (a.fl.BlockOf(before) != here || before < at) {
			return m
		}
	}
	if len(list) < maxTwins {
		a.twins[string(key)] = append(list, n)
	}
	return n
}

// formulas are the values that are computed in the same way, wherever that is.
type formulas struct {
	sync.Mutex
	of    map[int32]int32
	first map[string]int32
}

// maxFormula bounds how deep formulas are compared.
const maxFormula = 50

// Formula is a value that is computed by the same operations of the same values as this one, the same for all that are. They are one number as long as what they are computed of does not change.
func (a *Affine) Formula(n int32) int32 {
	a.formulas.Lock()
	defer a.formulas.Unlock()
	if a.formulas.of == nil {
		a.formulas.of, a.formulas.first = map[int32]int32{}, map[string]int32{}
	}
	return a.formula(n, 0)
}

func (a *Affine) formula(n int32, depth int) int32 {
	if m, known := a.formulas.of[n]; known {
		return m
	}
	if depth > maxFormula {
		return n
	}
	a.formulas.of[n] = n
	key, ok := a.operation(n, func(m int32) int32 { return a.formula(m, depth+1) })
	if !ok {
		return n
	}
	m, met := a.formulas.first[string(key)]
	if !met {
		a.formulas.first[string(key)], m = n, n
	}
	a.formulas.of[n] = m
	return m
}
