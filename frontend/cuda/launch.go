package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// Launches are the shapes of CTAs with which the file launches a kernel (<<<grid, block>>>), as far as they are constants, each once.
func Launches(f *program.File, t *dialect.Table, kernel *program.Function, files Files) (blocks [][3]int) {
	for _, l := range launchesOf(f, kernel) {
		c := newCompiler(f, t, kernel, files)
		c.hostScope(l.in)
		if b, known := c.extent(l.call.Launch, 1); known && !slices.Contains(blocks, b) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// launched is a launch and the function that it stands in.
type launched struct {
	call *program.Call
	in   *program.Function
}

func launchesOf(f *program.File, kernel *program.Function) (out []launched) {
	for _, fn := range f.Functions {
		if fn.Kernel || fn.Macro {
			continue
		}
		for _, st := range fn.Body {
			program.WalkExprs(st, func(x program.Expr) bool {
				call, ok := x.(*program.Call)
				if !ok || len(call.Launch) < 2 {
					return true
				}
				if id, ok := call.Fun.(*program.Name); ok && id.Ident == kernel.Name {
					out = append(out, launched{call, fn})
				}
				return true
			})
		}
	}
	return out
}

// launchedAs are the template arguments of the first launch whose are constants or types.
func (c *compiler) launchedAs(kernel *program.Function) []program.Expr {
	if len(kernel.Template) == 0 {
		return nil
	}
	for _, l := range launchesOf(c.file, kernel) {
		given := l.call.Template
		if id, ok := l.call.Fun.(*program.Name); ok && len(given) == 0 {
			given = id.Template
		}
		if len(given) > 0 && len(l.in.Template) == 0 {
			return given
		}
	}
	return nil
}

// hostScope declares the constants of a function of the host, those that are set once.
func (c *compiler) hostScope(fn *program.Function) {
	c.scope = newScope(c.scope)
	c.scope.fn = &activation{fn: fn}
	set := map[string]int{}
	var declared []*program.Assign
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if a, ok := st.(*program.Assign); ok {
			for _, t := range a.Targets {
				if id, ok := t.(*program.Name); ok {
					set[id.Ident]++
				}
			}
			if a.Decl && len(a.Targets) == 1 {
				declared = append(declared, a)
			}
		}
		return true
	})
	c.dims = map[string]program.Expr{}
	for _, a := range declared {
		id, ok := a.Targets[0].(*program.Name)
		if !ok || set[id.Ident] != 1 || len(a.Dims) > 0 {
			continue
		}
		if n, known := c.constant(a.Value); known {
			c.scope.names[id.Ident] = &variable{t: intType, reg: -1, number: &n}
		} else if a.Value != nil {
			c.dims[id.Ident] = a.Value
		}
	}
}

// extent reads a shape: a number, dim3(x, y, z), or the name of one.
func (c *compiler) extent(list []program.Expr, k int) (out [3]int, known bool) {
	out = [3]int{1, 1, 1}
	if k >= len(list) {
		return out, false
	}
	x := list[k]
	if id, ok := x.(*program.Name); ok && c.dims[id.Ident] != nil {
		x = c.dims[id.Ident]
	}
	var parts []program.Expr
	switch x := x.(type) {
	case *program.Call:
		if id, ok := x.Fun.(*program.Name); ok && id.Ident == "dim3" {
			parts = x.Args
		}
	case *program.List:
		parts = x.Elems
	}
	if parts == nil {
		parts = []program.Expr{x}
	}
	for axis, p := range parts {
		n, is := c.constant(p)
		if axis > 2 || !is || n < 1 || n > 1<<20 {
			return out, false
		}
		out[axis] = int(n)
	}
	return out, len(parts) > 0
}
