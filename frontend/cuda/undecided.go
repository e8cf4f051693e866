package cuda

import "github.com/fencepost-dev/fencepost/program"

// undecided reports whether another specialisation of a class template may be meant than the one that was chosen: what it asks of an argument of
// which nothing is known, such as a parameter of the kernel's own template.
func (c *compiler) undecided(class *program.Class, args []argument, around *scope) bool {
	before := c.scope
	c.scope = newScope(around)
	defer func() { c.scope = before }()
	for _, k := range c.byName[class.Qualified] {
		if k == class || len(k.Arguments) == 0 || len(k.Arguments) != len(args) {
			continue
		}
		fits, open := true, false
		for n, x := range k.Arguments {
			if _, is := parameterOf(k.Template, x); is {
				continue
			}
			if args[n].t == nil && args[n].number == nil {
				open = true
			} else if want := c.argumentOf(x); (want.t != nil || want.number != nil) && want.key() != args[n].key() {
				fits = false
				break
			}
		}
		if fits && open {
			return true
		}
	}
	return false
}
