package value

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Mapping is a dict or, where only the keys count, a set. It keeps the order of insertion, as Python does.
type Mapping struct {
	Order  []string // hashes
	Keys   map[string]Value
	Values map[string]Value
	Set    bool
	Frozen bool  // a set that nothing changes
	Lost   bool  // changed in a way that is not followed
	Auto   Value // defaultdict: what makes a missing value
}

// NewMapping makes an empty dictionary.
func NewMapping() *Mapping {
	return &Mapping{Keys: map[string]Value{}, Values: map[string]Value{}}
}

// NewSet makes a set; it fails on elements that are not told apart.
func NewSet(elems []Value) (*Mapping, bool) {
	d := NewMapping()
	d.Set = true
	for _, e := range elems {
		if !d.Put(e, None{}) {
			return nil, false
		}
	}
	return d, true
}

// Hash is text that is equal for equal keys and only for these; false for what has no value yet or cannot be a key.
func Hash(v Value) (string, bool) {
	left := MaxElems
	return hashed(v, &left)
}

func hashed(v Value, left *int) (string, bool) {
	if *left--; *left < 0 {
		return "", false
	}
	switch v := v.(type) {
	case Int:
		return strconv.FormatInt(int64(v), 10), true
	case Float:
		if v == Float(int64(v)) {
			return strconv.FormatInt(int64(v), 10), true // 1.0 and 1 are one key
		}
		return Canonical(v), true
	case Text, None, Path, Symbol:
		return Canonical(v), true
	case *Sequence:
		out := "("
		for _, e := range v.Elems {
			h, ok := hashed(e, left)
			if !ok {
				return "", false
			}
			out += h + ","
		}
		return out + ")", true
	case *EnumMember:
		if v.Class.Numeric {
			return Hash(v.Value)
		}
		return Canonical(v), true
	case Pointer:
		return Canonical(v) + "+" + Canonical(v.Offset), true
	case *Object, *Closure, *PartialCall, *Class:
		return fmt.Sprintf("%p", v), true // identity; never printed, never sorted
	}
	return "", false
}

// Put sets a key and reports whether it could.
func (d *Mapping) Put(key, v Value) bool {
	h, ok := Hash(key)
	if !ok || len(d.Order) >= MaxElems {
		return false
	}
	if _, old := d.Keys[h]; !old {
		d.Order = append(d.Order, h)
		d.Keys[h] = key
	}
	d.Values[h] = Fit(d, v)
	return true
}

// At is the value of a key; present is false where there is none, known where it cannot be told.
func (d *Mapping) At(key Value) (v Value, present, known bool) {
	h, ok := Hash(key)
	if !ok {
		return Data{}, false, false
	}
	v, present = d.Values[h]
	return v, present, true
}

// Remove takes a key out.
func (d *Mapping) Remove(key Value) {
	h, ok := Hash(key)
	if !ok {
		return
	}
	delete(d.Keys, h)
	delete(d.Values, h)
	for i, o := range d.Order {
		if o == h {
			d.Order = append(d.Order[:i:i], d.Order[i+1:]...)
			return
		}
	}
}

// Items lists the keys in order.
func (d *Mapping) Items() []Value {
	out := make([]Value, len(d.Order))
	for i, h := range d.Order {
		out[i] = d.Keys[h]
	}
	return out
}

// Copy is a copy of the dictionary, whose values are shared.
func (d *Mapping) Copy() *Mapping {
	out := NewMapping()
	out.Set, out.Frozen, out.Lost, out.Auto = d.Set, d.Frozen, d.Lost, d.Auto
	for _, h := range d.Order {
		out.Order = append(out.Order, h)
		out.Keys[h], out.Values[h] = d.Keys[h], d.Values[h]
	}
	return out
}

// Update puts in what another holds.
func (d *Mapping) Update(from *Mapping) {
	for _, h := range from.Order {
		d.Put(from.Keys[h], from.Values[h])
	}
}

// SetOf is a op b for two sets, or the merge of two dicts.
func SetOf(op string, a, b *Mapping) *Mapping {
	if op == "|" {
		out := a.Copy()
		out.Update(b)
		return out
	}
	out := NewMapping()
	out.Set, out.Frozen = a.Set, a.Frozen
	for _, h := range a.Order {
		if _, in := b.Keys[h]; in == (op == "&") {
			out.Put(a.Keys[h], a.Values[h])
		}
	}
	if op == "^" {
		out.Update(SetOf("-", b, a))
	}
	return out
}

// Clone copies a mapping.
func (x *Mapping) Clone() *Mapping {
	out := *x
	out.Order, out.Keys, out.Values = slices.Clone(x.Order), maps.Clone(x.Keys), maps.Clone(x.Values)
	return &out
}

// Join joins another content of the same mapping into it.
func (x *Mapping) Join(other *Mapping, join func(a, b Value) Value) bool {
	if !slices.Equal(x.Order, other.Order) {
		return false
	}
	for _, k := range x.Order {
		x.Values[k] = join(other.Values[k], x.Values[k])
	}
	return true
}
