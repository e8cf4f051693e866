package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
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
		if !ok {
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
