package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

var mappingMethods = value.Words("get keys values items pop setdefault update copy clear popitem")

var setMethods = value.Words("add discard remove union intersection difference issubset issuperset update copy pop clear isdisjoint")

func (m *machine) mappingMethod(d *value.Mapping, name string, a *value.Arguments, n program.Node) value.Value {
	if d.Set {
		return m.setMethod(d, name, a, n)
	}
	switch name {
	case "keys":
		return &value.Sequence{Elems: d.Items()}
	case "values":
		out := &value.Sequence{}
		for _, h := range d.Order {
			out.Elems = append(out.Elems, d.Values[h])
		}
		return out
	case "items":
		out := &value.Sequence{}
		for _, h := range d.Order {
			out.Elems = append(out.Elems, &value.Sequence{Elems: []value.Value{d.Keys[h], d.Values[h]}})
		}
		return out
	case "copy":
		return d.Copy()
	case "clear":
		*d = *value.NewMapping()
		return value.None{}
	case "update":
		return m.mappingUpdate(d, a)
	case "popitem":
		if len(d.Order) == 0 {
			m.throw(n, "KeyError", "the dictionary is empty")
		}
		last := d.Order[len(d.Order)-1]
		out := &value.Sequence{Elems: []value.Value{d.Keys[last], d.Values[last]}}
		d.Remove(d.Keys[last])
		return out
	}
	key := a.Arg(0)
	v, present, known := d.At(key)
	switch {
	case !known:
		return value.Data{}
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
		m.throw(n, "KeyError", value.Canonical(key))
	}
	return a.Arg(1)
}

func (m *machine) mappingUpdate(d *value.Mapping, a *value.Arguments) value.Value {
	if from, ok := a.Get(0, "").(*value.Mapping); ok {
		d.Update(from)
	} else if pairs, ok := a.Get(0, "").(*value.Sequence); ok {
		for _, p := range pairs.Elems {
			if kv, ok := p.(*value.Sequence); ok && len(kv.Elems) == 2 {
				d.Put(kv.Elems[0], kv.Elems[1])
			}
		}
	}
	for i, name := range a.Names {
		d.Put(value.Text(name), a.Named[i])
	}
	return value.None{}
}

func (m *machine) setMethod(d *value.Mapping, name string, a *value.Arguments, n program.Node) value.Value {
	other := value.NewMapping()
	if len(a.Vals) > 0 {
		if items, ok := m.iterate(a.Vals[0], n); ok {
			if s, ok := value.NewSet(items); ok {
				other = s
			} else {
				return value.Data{}
			}
		}
	}
	switch name {
	case "add":
		d.Put(a.Arg(0), value.None{})
		return value.None{}
	case "discard", "remove":
		d.Remove(a.Arg(0))
		return value.None{}
	case "clear":
		*d = value.Mapping{Keys: map[string]value.Value{}, Values: map[string]value.Value{}, Set: true}
		return value.None{}
	case "copy":
		return d.Copy()
	case "update":
		d.Update(other)
		return value.None{}
	case "issubset":
		return value.Bool(len(value.SetOf("-", d, other).Order) == 0)
	case "issuperset":
		return value.Bool(len(value.SetOf("-", other, d).Order) == 0)
	case "isdisjoint":
		return value.Bool(len(value.SetOf("&", d, other).Order) == 0)
	case "union":
		return value.SetOf("|", d, other)
	case "intersection":
		return value.SetOf("&", d, other)
	case "difference":
		return value.SetOf("-", d, other)
	}
	return value.Data{}
}
