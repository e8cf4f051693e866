package lower

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// peers gives a kernel's parameter that is a record with arrays of pointers, such as the memory that each of several GPUs
// gives to the others, its fields: an array T* field[N] is N pointers, each to memory of its own, so that the kernel may
// take one by its number. The pointers do not change while the kernel runs, as parameters do not. Other parameters stay
// what they are.
func (m *machine) peers(p program.Param, v value, s *scope) value {
	sym, ok := v.(symbol)

	return v

}

// templateScope binds the parameters of a class template to the arguments that a type is spelled with: numbers, and names
// that have one where the type stands.
func (m *machine) templateScope(c *class, args string, s *scope) *scope {
	var given []value
	for _, word := range strings.Split(args, ",") {
		if strings.ContainsAny(args, "<(") { // commas of its own
			word = ""
		}
		word = strings.TrimSpace(word)
		if n, err := strconv.ParseInt(word, 0, 32); err == nil {
			given = append(given, integer(n))
		} else if l, ok := s.lookup(word); ok {
			given = append(given, l.get())
		} else {
			given = append(given, data{})
		}
	}
	return m.templateBinding(c, given)
}

// templateBinding binds the parameters of a class template to arguments, or else to their defaults.
func (m *machine) templateBinding(c *class, args []value) *scope {
	inner := newScope(c.scope(m), true)
	for i, p := range c.decl.Template {
		switch {
		case p.Star > 0:
			inner.declare(p.Name, data{})
		case i < len(args):
			m.bindTemplate(inner, p, args[i])
		case p.Default != nil:
			m.bindTemplate(inner, p, m.evalTyped(p.Default, inner))
		default:
			inner.declare(p.Name, data{})
		}
	}
	return inner
}
