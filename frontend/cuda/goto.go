package cuda

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// labelOf is a label of the function that is translated (C++17 [stmt.label]): its text has it, and so have the macros in it.
func (c *compiler) labelOf(name string) (*activation, *label) {
	fn := c.scope.fn
	for fn.fn.Macro && fn.caller != nil {
		fn = fn.caller
	}
	if fn.labels == nil {
		fn.labels = map[string]*label{}
	}
	if fn.labels[name] == nil {
		fn.labels[name] = &label{} // it is bound where it stands, whatever is given up in between
	}
	return fn, fn.labels[name]
}

// labelled binds a label. Of one that stands in what the reader has repeated, the first is as good as any.
func (c *compiler) labelled(name string) {
	_, l := c.labelOf(name)
	if len(c.code.Insts) == 0 {
		c.emit(blank(ir.Nop))
	}
	if l.at == 0 {
		c.bind(l)
	}
}

// goTo translates a goto (C++17 [stmt.goto]).
func (c *compiler) goTo(name string) {
	fn, l := c.labelOf(name)
	there := false
	program.WalkStmts(fn.fn.Body, func(st program.Stmt) bool {
		b, is := st.(*program.Block)
		there = there || is && b.Label == name
		return !there
	})
	if !there {
		c.halt(limit.Source, "goto a label that is not found")
	}
	for s := c.scope; s != nil && s != fn.outermost; s = s.outer {
		if len(s.ends) > 0 {
			c.halt(limit.Source, "goto out of the scope of an object with a destructor")
		}
	}
	c.jump(l, ir.None, true)
}

// unlabelled ends what jumps to labels that stand in what was not translated.
func (c *compiler) unlabelled(fn *activation) {
	for _, name := range slices.Sorted(maps.Keys(fn.labels)) {
		if l := fn.labels[name]; len(l.uses) > 0 {
			c.jump(fn.end, ir.None, true)
			c.bind(l)
			c.stop(limit.Source.Says("goto a label that stands in what is not understood"))
		}
	}
}
