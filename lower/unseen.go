package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// performed are the operators of C++'s classes that are run where they are used, whatever they do.
var performed = []string{"()", "[]", "*"}

// unseen says that an object of C++ may do what is not followed: its class, or one that it derives from, has a destructor, a
// conversion or an operator that runs without a call and that synchronizes or touches memory.
func (m *machine) unseen(c *class, n program.Node) {

	return

}

// silent are the members of a class and its bases that run without a call and are not executed there.
func (m *machine) silent(c *class) (out []*program.Function) {
	for _, d := range m.lineage(c) {
		for _, f := range d.Methods {
			if f.Destructor || f.Conversion != "" || f.Operator != "" && !slices.Contains(performed, f.Operator) {
				out = append(out, f)
			}
		}
	}
	return out
}

// dereferences reports whether a piece of C++ goes through a pointer by itself.
func dereferences(n program.Node) (found bool) {
	program.Walk(n, func(k program.Node) bool {
		switch e := k.(type) {
		case *program.Index:
			found = true
		case *program.Unary:
			found = found || e.Op == "*" && !namedExpr(e.X, "this") // the object itself is not memory that is tracked
		}
		return !found
	})
	return found
}
