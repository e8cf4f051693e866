package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A helper has arms for several kinds of values: isinstance(value, tuple). Which it is called with here is the program's, not an
// option's, where the value is one that the threads compute: nobody who launches the kernel hands it in. The arm for another
// kind is then no part of this kernel.

// asksKind notes that it is asked of what kind a value is.
func (g *gaps) asksKind(n program.Node, v value.Value) {
	_, computed := v.(value.Register)
	before, again := g.kinds[n]
	g.kinds[n] = computed && (before || !again)
}

// ofComputed reports whether a test asks for nothing but the kind of what the threads compute.
func (g *gapFinder) ofComputed(cond program.Expr) bool {
	switch e := cond.(type) {
	case *program.Unary:
		return g.ofComputed(e.X)
	case *program.Call:
		if value.LastName(e.Fun) == "const_expr" && len(e.Args) == 1 {
			return g.ofComputed(e.Args[0])
		}
		return g.l.kinds[e]
	}
	return false
}
