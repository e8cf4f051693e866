package lower

// A member of an enumeration that the host side is given chooses among arms as a flag does: each of the others makes another
// kernel of the same source.

// someMember is a member of an enumeration that nobody gives.
func (m *machine) someMember(name string, c *class) value {
	first := c.members()[0].(*enumMember)
	if m.launch != nil {
		if o := m.launch.config.find(name); o != nil {
			return m.taken(*o)
		}
		m.offerMembers(name, name, first)
	}
	m.in.assumed[name+" = "+c.decl.Name+"."+first.name+firstMember] = true
	return first
}

// offerMembers notes that an option is one of an enumeration, or a yes or no of a record that nobody gives.
func (m *machine) offerMembers(key, name string, chosen value) {
	if chosen, ok := chosen.(*enumMember); ok {
		for _, other := range chosen.class.members() {
			if e := other.(*enumMember); e != chosen {
				m.launch.offered = append(m.launch.offered, option{key: key, name: name, chosen: chosen, other: e, spell: e.name, member: true})
			}
		}
	}
}
