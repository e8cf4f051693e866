package lower

import ()

// Which member a name means is decided by the class that an expression has, not by that of the object (C++17
// [class.member.lookup]). Evaluation knows the object's class only: where an object is used as one of a base, a name that both
// classes give to something stops it.

// addressed stops where a pointer is made to an object whose class hides members of its bases: it may become one to a base.
func (m *machine) addressed(l location) value {
	return l
}
