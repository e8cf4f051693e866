package lower

import (
	"strings"
)

// enumMember is a member of an enumeration; there is one of each.
type enumMember struct {
	class *class
	name  string
	value value
}

// autoValue is enum.auto() until its class is complete.
type autoValue struct{}

var (
	// enumBases are the library's classes of enumerations, numericEnums those whose members count as their numbers.
	enumBases    = words("Enum IntEnum Flag IntFlag StrEnum")
	numericEnums = words("IntEnum IntFlag Flag")
)

// enumerate makes members of what the body of an enumeration bound.
func (c *class) enumerate() {
	last := integer(0)
	seen := map[string]*enumMember{}
	flag := false
	for _, b := range c.outside() {
		flag = flag || strings.HasSuffix(b, "Flag")
	}
	for _, name := range c.order {
		v := c.attrs[name]
		switch v.(type) {
		case *closure, staticMethod, classMethod, property, *class:
			continue
		}
		if strings.HasPrefix(name, "_") {
			continue
		}
		if _, auto := v.(autoValue); auto {
			v = last + 1
			if flag {
				v = integer(1)
				for v.(integer) <= last {
					v = v.(integer) * 2
				}
			}
			for _, b := range c.outside() {
				if lastWord(b) == "StrEnum" {
					v = text(strings.ToLower(name))
				}
			}
		}
		if n, ok := v.(integer); ok {
			last = n
		}
		h, hashed := hash(v)
		if old := seen[h]; hashed && old != nil { // an alias
			c.attrs[name] = old
			continue
		}
		member := &enumMember{c, name, v}
		c.attrs[name] = member
		if hashed {
			seen[h] = member
		}
	}
}

// members lists an enumeration's members in order, aliases left out.
func (c *class) members() []value {
	var out []value
	seen := map[*enumMember]bool{}
	for i := len(c.mro) - 1; i >= 0; i-- {
		for _, name := range c.mro[i].order {
			if e, ok := c.mro[i].attrs[name].(*enumMember); ok && !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// enumOf is E(v): the member of that value.
func (c *class) enumOf(v value) (value, bool) {
	if _, ok := v.(*enumMember); ok {
		return v, true
	}
	for _, e := range c.members() {
		if equals(e.(*enumMember).value, v) == value(integer(1)) {
			return e, true
		}
	}
	return data{}, false
}

// member is an attribute of a member.
func (e *enumMember) member(name string) (value, bool) {
	switch name {
	case "value", "_value_":
		return e.value, true
	case "name", "_name_":
		return text(e.name), true
	}
	return nil, false
}

// whole gives the number behind a member of an IntEnum or a word; any other value is itself.
func whole(v value) value {
	return untyped(numeral(v))
}

// numeral is whole that keeps the type.
func numeral(v value) value {
	if e, ok := v.(*enumMember); ok && e.class.numeric {
		return e.value
	}
	return v
}
