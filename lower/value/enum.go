package value

import "strings"

// EnumMember is a member of an enumeration; there is one of each.
type EnumMember struct {
	Class *Class
	Name  string
	Value Value
}

// AutoValue is enum.auto() until its class is complete.
type AutoValue struct{}

var (
	// EnumBases are the library's classes of enumerations, numericEnums those whose members count as their numbers.
	EnumBases    = Words("Enum IntEnum Flag IntFlag StrEnum")
	NumericEnums = Words("IntEnum IntFlag Flag")
)

// Enumerate makes members of what the body of an enumeration bound.
func (c *Class) Enumerate() {
	last := Int(0)
	seen := map[string]*EnumMember{}
	flag := false
	for _, b := range c.Outside() {
		flag = flag || strings.HasSuffix(b, "Flag")
	}
	for _, name := range c.Order {
		v := c.Attrs[name]
		switch v.(type) {
		case *Closure, StaticMethod, ClassMethod, Property, *Class:
			continue
		}
		if strings.HasPrefix(name, "_") {
			continue
		}
		if _, auto := v.(AutoValue); auto {
			v = last + 1
			if flag {
				v = Int(1)
				for v.(Int) <= last {
					v = v.(Int) * 2
				}
			}
			for _, b := range c.Outside() {
				if LastWord(b) == "StrEnum" {
					v = Text(strings.ToLower(name))
				}
			}
		}
		if n, ok := v.(Int); ok {
			last = n
		}
		h, hashed := Hash(v)
		if old := seen[h]; hashed && old != nil { // an alias
			c.Attrs[name] = old
			continue
		}
		member := &EnumMember{c, name, v}
		c.Attrs[name] = member
		if hashed {
			seen[h] = member
		}
	}
}

// Members lists an enumeration's members in order, aliases left out.
func (c *Class) Members() []Value {
	var out []Value
	seen := map[*EnumMember]bool{}
	for i := len(c.Mro) - 1; i >= 0; i-- {
		for _, name := range c.Mro[i].Order {
			if e, ok := c.Mro[i].Attrs[name].(*EnumMember); ok && !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// EnumOf is E(v): the member of that value.
func (c *Class) EnumOf(v Value) (Value, bool) {
	if _, ok := v.(*EnumMember); ok {
		return v, true
	}
	for _, e := range c.Members() {
		if Equals(e.(*EnumMember).Value, v) == Value(Int(1)) {
			return e, true
		}
	}
	return Data{}, false
}

// Member is an attribute of a member.
func (e *EnumMember) Member(name string) (Value, bool) {
	switch name {
	case "value", "_value_":
		return e.Value, true
	case "name", "_name_":
		return Text(e.Name), true
	}
	return nil, false
}

// Whole gives the number behind a member of an IntEnum or a word; any other value is itself.
func Whole(v Value) Value {
	return Untyped(Numeral(v))
}

// Numeral is whole that keeps the type.
func Numeral(v Value) Value {
	if e, ok := v.(*EnumMember); ok && e.Class.Numeric {
		return e.Value
	}
	return v
}

// Words is the set of the words of a list.
func Words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
