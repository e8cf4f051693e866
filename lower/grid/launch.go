package grid

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// launch is how the file starts a kernel: extents are 0 where they are not known.
type launch struct {
	grid, block, cluster int64
	cooperative          bool
	args, template       []program.Expr
	across, deep         program.Expr // the extents along x as they are spelt
}

// launchOf looks for the launch of a kernel in the file. Where there are several, what differs is not known.
func (c *compiler) launchOf(fn *program.Function) *launch {
	c.scope, c.program = &scope{names: map[string]symbol{}, returns: &returns{slot: -1}}, &Program{}
	c.bases = map[string]int{}
	out := &launch{cluster: 1}
	first := true
	for _, host := range c.file.Functions {
		for call := range program.Calls(host.Body) {
			l := c.launched(call, fn.Name)
			if l == nil {
				continue
			}
			if !first {
				l.grid, l.block = agree(l.grid, out.grid), agree(l.block, out.block)
				l.cooperative = l.cooperative && out.cooperative
				l.args, l.template, l.across, l.deep = nil, nil, nil, nil
			}
			out, first = l, false
		}
	}
	for _, a := range fn.Attributes {
		if call, ok := a.(*program.Call); ok && strings.Contains(pathOf(call.Fun), "cluster_dims") {
			out.cluster = max(1, c.volume(call.Args))
		}
	}
	return out
}

func agree(a, b int64) int64 {
	if a != b {
		return 0
	}
	return a
}

// launched reads kernel<<<grid, block>>>(…), kernel(…).launch(grid=…, block=…) and the runtime's cooperative launch.
func (c *compiler) launched(call *program.Call, kernel string) *launch {
	switch {
	case len(call.Launch) > 1 && lastWord(pathOf(call.Fun)) == kernel:
		l := &launch{grid: c.extent(call.Launch[0]), block: c.extent(call.Launch[1]), cluster: 1, args: call.Args, template: call.Template}
		l.grid = along(l.grid, c.extent(first(call.Launch[0])))
		l.across, l.deep = first(call.Launch[0]), first(call.Launch[1])
		return l
	case strings.HasPrefix(lastWord(pathOf(call.Fun)), "cudaLaunchCooperativeKernel") && len(call.Args) >= 3 && mentions(call.Args[0], kernel):
		return &launch{grid: along(c.extent(call.Args[1]), c.extent(first(call.Args[1]))), block: c.extent(call.Args[2]), cluster: 1, cooperative: true}
	}
	a, ok := call.Fun.(*program.Attr)
	if !ok || a.Name != "launch" {
		return nil
	}
	made, ok := a.X.(*program.Call)
	if !ok || lastWord(pathOf(made.Fun)) != kernel {
		return nil
	}
	l := &launch{cluster: 1, args: made.Args}
	for _, k := range call.Keywords {
		switch k.Name {
		case "grid":
			l.across = first(k.Value)
			l.grid = along(c.extent(k.Value), c.extent(l.across))
		case "block":
			l.block, l.deep = c.extent(k.Value), first(k.Value)
		case "cluster":
			l.cluster = max(1, c.extent(k.Value))
		case "cooperative":
			if b, isBool := k.Value.(*program.Bool); isBool {
				l.cooperative = b.Value
			}
		}
	}
	return l
}

func mentions(x program.Expr, name string) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		if n, ok := e.(*program.Name); ok && lastWord(n.Ident) == name {
			found = true
		}
		return !found
	})
	return found
}

// along is a grid that has all its CTAs along x: others are not known here, as CTAs have one index only.
func along(all, x int64) int64 {
	if all != x {
		return 0
	}
	return all
}

// first is the extent along x.
func first(x program.Expr) program.Expr {
	var list []program.Expr
	switch e := x.(type) {
	case *program.Tuple:
		list = e.Elems
	case *program.List:
		list = e.Elems
	case *program.Call:
		list = e.Args
	default:
		return x
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// spelt reports whether two expressions of the host are the same name.
func spelt(a, b program.Expr) bool {
	_, name := b.(*program.Name)
	return a != nil && name && program.DumpExpr(a) == program.DumpExpr(b)
}

// extent is the number of CTAs, or threads, that an extent makes; 0 where that is not known.
func (c *compiler) extent(x program.Expr) int64 {
	if x == nil {
		return 0
	}
	switch e := x.(type) {
	case *program.Tuple:
		return c.volume(e.Elems)
	case *program.List:
		return c.volume(e.Elems)
	case *program.Call: // dim3(128, 1)
		if lastWord(pathOf(e.Fun)) == "dim3" {
			return c.volume(e.Args)
		}
	}
	return c.volume([]program.Expr{x})
}

func (c *compiler) volume(list []program.Expr) int64 {
	n := int64(1)
	for _, x := range list {
		v := c.pure(x)(nil)
		if !isInteger(v) || v <= 0 || v > 1<<31 || n > 1<<31 {
			return 0
		}
		n *= v
	}
	return n
}
