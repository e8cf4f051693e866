package lower

import (
	"fmt"
	"strconv"

	"github.com/fencepost-dev/fencepost/program"
)

// mapping is a dict or, where only the keys count, a set. It keeps the order of insertion, as Python does.
type mapping struct {
	order  []string // hashes
	keys   map[string]value
	values map[string]value
	set    bool
	frozen bool  // a set that nothing changes
	lost   bool  // changed in a way that is not followed
	auto   value // defaultdict: what makes a missing value
}

// newMapping makes an empty dictionary.
func newMapping() *mapping {
	return &mapping{keys: map[string]value{}, values: map[string]value{}}
}

// newSet makes a set; it fails on elements that are not told apart.
func newSet(elems []value) (*mapping, bool) {
	d := newMapping()
	d.set = true
	for _, e := range elems {
		if !d.put(e, none{}) {
			return nil, false
		}
	}
	return d, true
}

// hash is text that is equal for equal keys and only for these; false for what has no value yet or cannot be a key.
func hash(v value) (string, bool) {
	left := maxElems
	return hashed(v, &left)
}

func hashed(v value, left *int) (string, bool) {
	if *left--; *left < 0 {
		return "", false
	}
	switch v := v.(type) {
	case integer:
		return strconv.FormatInt(int64(v), 10), true
	case float:
		if v == float(int64(v)) {
			return strconv.FormatInt(int64(v), 10), true // 1.0 and 1 are one key
		}
		return canonical(v), true
	case text, none, path, symbol:
		return canonical(v), true
	case *sequence:
		out := "("
		for _, e := range v.elems {
			h, ok := hashed(e, left)
			if !ok {
				return "", false
			}
			out += h + ","
		}
		return out + ")", true
	case *enumMember:
		if v.class.numeric {
			return hash(v.value)
		}
		return canonical(v), true
	case pointer:
		return canonical(v) + "+" + canonical(v.offset), true
	case *object, *closure, *partial, *class:
		return fmt.Sprintf("%p", v), true // identity; never printed, never sorted
	}
	return "", false
}

// put sets a key and reports whether it could.
func (d *mapping) put(key, v value) bool {
	h, ok := hash(key)
	if !ok || len(d.order) >= maxElems {
		return false
	}
	if _, old := d.keys[h]; !old {
		d.order = append(d.order, h)
		d.keys[h] = key
	}
	d.values[h] = fit(d, v)
	return true
}

// at is the value of a key; present is false where there is none, known where it cannot be told.
func (d *mapping) at(key value) (v value, present, known bool) {
	h, ok := hash(key)
	if !ok {
		return data{}, false, false
	}
	v, present = d.values[h]
	return v, present, true
}

// remove takes a key out.
func (d *mapping) remove(key value) {
	h, ok := hash(key)
	if !ok {
		return
	}
	delete(d.keys, h)
	delete(d.values, h)
	for i, o := range d.order {
		if o == h {
			d.order = append(d.order[:i:i], d.order[i+1:]...)
			return
		}
	}
}

// items lists the keys in order.
func (d *mapping) items() []value {
	out := make([]value, len(d.order))
	for i, h := range d.order {
		out[i] = d.keys[h]
	}
	return out
}

// copy is a copy of the dictionary, whose values are shared.
func (d *mapping) copy() *mapping {
	out := newMapping()
	out.set, out.frozen, out.lost, out.auto = d.set, d.frozen, d.lost, d.auto
	for _, h := range d.order {
		out.order = append(out.order, h)
		out.keys[h], out.values[h] = d.keys[h], d.values[h]
	}
	return out
}

// update puts in what another holds.
func (d *mapping) update(from *mapping) {
	for _, h := range from.order {
		d.put(from.keys[h], from.values[h])
	}
}

var mappingMethods = words("get keys values items pop setdefault update copy clear popitem")

var setMethods = words("add discard remove union intersection difference issubset issuperset update copy pop clear isdisjoint")

func (m *machine) mappingMethod(d *mapping, name string, a *arguments, n program.Node) value {
	if d.set {
		return m.setMethod(d, name, a, n)
	}
	switch name {
	case "keys":
		return &sequence{elems: d.items()}
	case "values":
		out := &sequence{}
		for _, h := range d.order {
			out.elems = append(out.elems, d.values[h])
		}
		return out
	case "items":
		out := &sequence{}
		for _, h := range d.order {
			out.elems = append(out.elems, &sequence{elems: []value{d.keys[h], d.values[h]}})
		}
		return out
	case "copy":
		return d.copy()
	case "clear":
		*d = *newMapping()
		return none{}
	case "update":
		return m.mappingUpdate(d, a)
	case "popitem":
		if len(d.order) == 0 {
			m.throw(n, "KeyError", "the dictionary is empty")
		}
		last := d.order[len(d.order)-1]
		out := &sequence{elems: []value{d.keys[last], d.values[last]}}
		d.remove(d.keys[last])
		return out
	}
	key := a.arg(0)
	v, present, known := d.at(key)
	switch {
	case !known:
		return data{}
	case name == "pop" && present:
		d.remove(key)
		return v
	case name == "setdefault" && !present:
		v = a.arg(1)
		d.put(key, v)
		return v
	case present:
		return v
	case name == "pop" && len(a.vals) < 2:
		m.throw(n, "KeyError", canonical(key))
	}
	return a.arg(1)
}

func (m *machine) mappingUpdate(d *mapping, a *arguments) value {
	if from, ok := a.get(0, "").(*mapping); ok {
		d.update(from)
	} else if pairs, ok := a.get(0, "").(*sequence); ok {
		for _, p := range pairs.elems {
			if kv, ok := p.(*sequence); ok && len(kv.elems) == 2 {
				d.put(kv.elems[0], kv.elems[1])
			}
		}
	}
	for i, name := range a.names {
		d.put(text(name), a.named[i])
	}
	return none{}
}

func (m *machine) setMethod(d *mapping, name string, a *arguments, n program.Node) value {
	other := newMapping()
	if len(a.vals) > 0 {
		if items, ok := m.iterate(a.vals[0], n); ok {
			if s, ok := newSet(items); ok {
				other = s
			} else {
				return data{}
			}
		}
	}
	switch name {
	case "add":
		d.put(a.arg(0), none{})
		return none{}
	case "discard", "remove":
		d.remove(a.arg(0))
		return none{}
	case "clear":
		*d = mapping{keys: map[string]value{}, values: map[string]value{}, set: true}
		return none{}
	case "copy":
		return d.copy()
	case "update":
		d.update(other)
		return none{}
	case "issubset":
		return boolean(len(setOf("-", d, other).order) == 0)
	case "issuperset":
		return boolean(len(setOf("-", other, d).order) == 0)
	case "isdisjoint":
		return boolean(len(setOf("&", d, other).order) == 0)
	case "union":
		return setOf("|", d, other)
	case "intersection":
		return setOf("&", d, other)
	case "difference":
		return setOf("-", d, other)
	}
	return data{}
}

// setOf is a op b for two sets, or the merge of two dicts.
func setOf(op string, a, b *mapping) *mapping {
	if op == "|" {
		out := a.copy()
		out.update(b)
		return out
	}
	out := newMapping()
	out.set, out.frozen = a.set, a.frozen
	for _, h := range a.order {
		if _, in := b.keys[h]; in == (op == "&") {
			out.put(a.keys[h], a.values[h])
		}
	}
	if op == "^" {
		out.update(setOf("-", b, a))
	}
	return out
}
