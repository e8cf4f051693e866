package lower

import (
	"fmt"
	"maps"
	slash "path"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A member of an enumeration that the host side is given chooses among arms as a flag does: each of the others makes another
// kernel of the same source. So does a text: the others are those with which the host side compares it.

// someMember is a member of an enumeration that nobody gives.
func (m *machine) someMember(name string, c *value.Class) value.Value {
	first := c.Members()[0].(*value.EnumMember)
	if m.launch != nil {
		if o := m.launch.config.find(name); o != nil {
			return m.taken(*o)
		}
		m.offerMembers(name, name, first)
	}
	m.in.assumed[name+" = "+c.Decl.Name+"."+first.Name+", the first of its members"] = madeUp
	return first
}

// offerMembers notes that an option is one of an enumeration, or a yes or no of a record that nobody gives.
func (m *machine) offerMembers(key, name string, chosen value.Value) {
	if chosen, ok := chosen.(*value.EnumMember); ok {
		for _, other := range chosen.Class.Members() {
			if e := other.(*value.EnumMember); e != chosen {
				m.launch.offered = append(m.launch.offered, option{key: key, name: name, chosen: chosen, other: e, spell: e.Name, member: true})
			}
		}
	}
}

// someEntry is what a table of the host side has under a key that nobody gives, as tables of number types have: the first of its
// values, or in a configuration another.
func (m *machine) someEntry(d *value.Mapping, key value.Value, n program.Node) (value.Value, bool) {
	if !m.host || m.launch == nil || d.Set || d.Lost || d.Auto != nil || len(d.Order) == 0 {
		return nil, false
	}
	switch key.(type) {
	case value.Symbol, value.Data:
	default:
		return nil, false
	}
	for _, v := range d.Values {
		switch v := v.(type) {
		case value.Text:
		case value.Path:
			if value.NumberType(value.LastWord(string(v))) == nil {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	at := m.file.Source.Position(n.Where().Start)
	name := fmt.Sprintf("%s:%d[%s]", slash.Base(m.file.Source.Name), at.Line, clip(value.Canonical(key)))
	if o := m.launch.config.find(name); o != nil {
		return m.taken(*o), true
	}
	first := d.Values[d.Order[0]]
	for _, h := range d.Order[1:] {
		if other := d.Values[h]; value.Canonical(other) != value.Canonical(first) {
			m.launch.offered = append(m.launch.offered, option{key: name, name: name, chosen: first, other: other, spell: value.Canonical(other), member: true})
		}
	}
	m.in.assumed[name+" = "+value.Canonical(first)+", the first of the table"] = inWords
	return first, true
}

// compares notes that a text is compared with another, or looked for among others, on the way to the launch.
func (la *launch) compares(x, y value.Value) {
	t, ok := x.(value.Text)
	if !ok {
		return
	}
	others := []value.Value{y}
	if s, ok := y.(*value.Sequence); ok {
		others = s.Elems
	}
	for _, other := range others {
		if u, ok := other.(value.Text); ok && u != t && len(la.texts) < maxQuestions {
			if la.texts == nil {
				la.texts = map[textPair]bool{}
			}
			la.texts[textPair{t, u}], la.texts[textPair{u, t}] = true, true
		}
	}
}

type textPair struct{ of, with value.Text }

// members are the options that are one of several members or texts, each with another value.
func (la *launch) members() (out []option) {
	for _, o := range la.offered {
		t, ok := o.chosen.(value.Text)
		if !ok || o.other != nil {
			if o.member {
				out = append(out, o)
			}
			continue
		}
		for _, pair := range slices.SortedFunc(maps.Keys(la.texts), func(a, b textPair) int { return strings.Compare(string(a.with), string(b.with)) }) {
			if pair.of == t {
				o.other, o.spell = pair.with, string(pair.with)
				out = append(out, o)
			}
		}
	}
	return out
}
