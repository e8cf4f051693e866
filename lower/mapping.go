package lower

import (
	"fmt"
	"strconv"

	"github.com/fencepost-dev/fencepost/program"
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

var mappingMethods = Words("get keys values items pop setdefault update copy clear popitem")

var setMethods = Words("add discard remove union intersection difference issubset issuperset update copy pop clear isdisjoint")

func (m *machine) mappingMethod(d *Mapping, name string, a *Arguments, n program.Node) Value {
	if d.Set {
		return m.setMethod(d, name, a, n)
	}
	switch name {
	case "keys":
		return &Sequence{Elems: d.Items()}
	case "values":
		out := &Sequence{}
		for _, h := range d.Order {
			out.Elems = append(out.Elems, d.Values[h])
		}
		return out
	case "items":
		out := &Sequence{}
		for _, h := range d.Order {
			out.Elems = append(out.Elems, &Sequence{Elems: []Value{d.Keys[h], d.Values[h]}})
		}
		return out
	case "copy":
		return d.Copy()
	case "clear":
		*d = *NewMapping()
		return None{}
	case "update":
		return m.mappingUpdate(d, a)
	case "popitem":
		if len(d.Order) == 0 {
			m.throw(n, "KeyError", "the dictionary is empty")
		}
		last := d.Order[len(d.Order)-1]
		out := &Sequence{Elems: []Value{d.Keys[last], d.Values[last]}}
		d.Remove(d.Keys[last])
		return out
	}
	key := a.Arg(0)
	v, present, known := d.At(key)
	switch {
	case !known:
		return Data{}
	case name == "pop" && present:
		d.Remove(key)
		return v
	case name == "setdefault" && !present:
		v = a.Arg(1)
		d.Put(key, v)
		return v
	case present:
		return v
	case name == "pop" && len(a.Vals) < 2:
		m.throw(n, "KeyError", Canonical(key))
	}
	return a.Arg(1)
}

func (m *machine) mappingUpdate(d *Mapping, a *Arguments) Value {
	if from, ok := a.Get(0, "").(*Mapping); ok {
		d.Update(from)
	} else if pairs, ok := a.Get(0, "").(*Sequence); ok {
		for _, p := range pairs.Elems {
			if kv, ok := p.(*Sequence); ok && len(kv.Elems) == 2 {
				d.Put(kv.Elems[0], kv.Elems[1])
			}
		}
	}
	for i, name := range a.Names {
		d.Put(Text(name), a.Named[i])
	}
	return None{}
}

func (m *machine) setMethod(d *Mapping, name string, a *Arguments, n program.Node) Value {
	other := NewMapping()
	if len(a.Vals) > 0 {
		if items, ok := m.iterate(a.Vals[0], n); ok {
			if s, ok := NewSet(items); ok {
				other = s
			} else {
				return Data{}
			}
		}
	}
	switch name {
	case "add":
		d.Put(a.Arg(0), None{})
		return None{}
	case "discard", "remove":
		d.Remove(a.Arg(0))
		return None{}
	case "clear":
		*d = Mapping{Keys: map[string]Value{}, Values: map[string]Value{}, Set: true}
		return None{}
	case "copy":
		return d.Copy()
	case "update":
		d.Update(other)
		return None{}
	case "issubset":
		return Bool(len(SetOf("-", d, other).Order) == 0)
	case "issuperset":
		return Bool(len(SetOf("-", other, d).Order) == 0)
	case "isdisjoint":
		return Bool(len(SetOf("&", d, other).Order) == 0)
	case "union":
		return SetOf("|", d, other)
	case "intersection":
		return SetOf("&", d, other)
	case "difference":
		return SetOf("-", d, other)
	}
	return Data{}
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
