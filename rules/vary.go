package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// call asks the dialect what a call means, with receiver types.
func (f *function) call(c *program.Call) (dialect.Op, bool) {
	op, known := f.file.table.Call(c, f.typeOf)
	if known && f.file.ofOwnClass(c) {
		return dialect.Op{}, false
	}
	return op, known
}

// ofOwnClass reports whether a call is of a static method that the file itself defines: its body says what it does, whatever a library has of the name.
func (f *fileFacts) ofOwnClass(c *program.Call) bool {
	name := path(c.Fun)
	scope, last := program.SplitName(name)
	return f.file.Language == program.CUDA && scope != "" && slices.ContainsFunc(f.byName[last], func(fn *program.Function) bool {
		return fn.Class != nil && len(fn.Body) > 0 && program.EndsIn(fn.Qualified, name)
	})
}

// vary says how an expression differs between the threads of one CTA.
func (f *function) vary(x program.Expr, depth int) variation {
	if depth > maxFold || x == nil || f.spent() {
		return anyhow
	}
	switch e := x.(type) {
	case *program.Int, *program.Float, *program.String, *program.Bool, *program.None:
		return uniform
	case *program.Cast:
		return f.vary(e.X, depth+1)
	case *program.Unary:
		if e.Op == "*" {
			return anyhow
		}
		return combine(f.vary(e.X, depth+1), uniform)
	case *program.Binary:
		return f.varyBinary(e, depth)
	case *program.Cond:
		return combine(f.vary(e.Test, depth+1), combine(f.vary(e.Then, depth+1), f.vary(e.Else, depth+1)))
	case *program.Call:
		return f.varyCall(e, depth)
	case *program.Attr:
		if op, ok := f.file.table.Attr(e); ok {
			return varyOp(op)
		}
	case *program.Index: // tidx, _, _ = cute.arch.thread_idx() defines tidx as thread_idx()[0]
		if c, ok := e.X.(*program.Call); ok && len(e.Args) == 1 {
			if op, known := f.call(c); known && op.Kind == dialect.ThreadIdx {
				if i, isInt := e.Args[0].(*program.Int); isInt && i.Value == 0 {
					return threadIndex
				}
				return anyhow
			} else if known {
				return varyOp(op)
			}
		}
		return anyhow
	}
	return f.varyName(x, depth)
}

func (f *function) varyBinary(e *program.Binary, depth int) variation {
	if f.linearIndex(e, 0) {
		return threadIndex
	}
	a, b := f.vary(e.X, depth+1), f.vary(e.Y, depth+1)
	if n, known := f.fold(e.Y); known && b == uniform && a == threadIndex {
		switch {
		case (e.Op == "/" || e.Op == "//") && n > 0 && n%32 == 0, e.Op == ">>" && n >= 5:
			return perWarp
		case e.Op == "%" && n == 32, e.Op == "&" && n == 31:
			return laneIndex
		case e.Op == "%" && n > 0 && n%32 == 0:
			return threadIndex // the index within a group of warps
		}
	}
	return combine(a, b)
}

// linearIndex reports whether a sum is the index of a thread in its CTA: x + y · blockDim.x, and z · blockDim.x · blockDim.y or
// (y + z · blockDim.y) · blockDim.x where there are three axes. Warps are cut from it (CUDA C++ Programming Guide, Thread
// Hierarchy).
func (f *function) linearIndex(e *program.Binary, depth int) bool {
	if e.Op != "+" || depth > 1 { // a name may be defined by a sum with itself
		return false
	}
	for _, sides := range [2][2]program.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if f.axisOf(sides[0], dialect.ThreadIdx) == "x" && f.rowsOf(sides[1]) {
			return true
		}
		if sum, ok := f.value(sides[0]).(*program.Binary); ok && f.linearIndex(sum, depth+1) && f.rowsOf(sides[1]) { // x + y · … + z · …
			return true
		}
	}
	return false
}

// rowsOf reports whether an expression is a product of the extent along x with indices along y and z.
func (f *function) rowsOf(x program.Expr) bool {
	along, rows := false, false
	var factors func(x program.Expr, depth int) bool
	factors = func(x program.Expr, depth int) bool {
		if b, ok := f.value(x).(*program.Binary); ok && b.Op == "*" && depth < 4 {
			return factors(b.X, depth+1) && factors(b.Y, depth+1)
		} else if ok && b.Op == "+" { // y + z · blockDim.y
			for _, side := range [2]program.Expr{b.X, b.Y} {
				rows = rows || f.axisOf(side, dialect.ThreadIdx) == "y"
			}
			return rows
		}
		index, extent := f.axisOf(x, dialect.ThreadIdx), f.axisOf(x, dialect.BlockDim)
		along = along || extent == "x"
		rows = rows || index == "y" || index == "z"
		return index == "y" || index == "z" || extent == "x" || extent == "y"
	}
	return factors(x, 0) && along && rows
}

// axisOf is the axis of an index or extent of the launch, "" for anything else.
func (f *function) axisOf(x program.Expr, kind dialect.Kind) string {
	a, ok := f.value(x).(*program.Attr)
	if !ok {
		return ""
	}
	if op, known := f.file.table.Attr(a); known && op.Kind == kind && op.Has("axis") {
		return op.Text("axis", "")
	}
	return ""
}

// combine is how an expression of two parts differs: an index that was computed with is no index any more.
func combine(a, b variation) variation {
	v := max(a, b)
	if v == laneIndex || v == threadIndex {
		return perLane
	}
	return v
}

func (f *function) varyCall(e *program.Call, depth int) variation {
	if op, ok := f.call(e); ok {
		if op.Kind == dialect.Uniform {
			if v := f.vary(op.Expr("x"), depth+1); v != uniform {
				return perWarp
			}
			return uniform
		}
		return varyOp(op)
	}
	if len(e.Args) == 1 && len(e.Keywords) == 0 && integerTypes[lastWord(path(e.Fun))] {
		return f.vary(e.Args[0], depth+1)
	}
	if path(e.Fun) == "sizeof" {
		return uniform
	}
	if strings.Contains(lastWord(path(e.Fun)), "shfl_sync") {
		return perWarp
	}
	return anyhow
}

func varyOp(op dialect.Op) variation {
	switch op.Kind {
	case dialect.BlockIdx, dialect.BlockDim, dialect.GridDim, dialect.ClusterRank, dialect.ClusterSize:
		return uniform
	case dialect.WarpIdx, dialect.WarpGroupIdx:
		return perWarp
	case dialect.LaneIdx:
		return laneIndex
	case dialect.ThreadIdx:
		if op.Text("axis", "x") == "x" && op.Has("axis") {
			return threadIndex
		}
		return anyhow // y and z share a warp or not by the block's shape
	case dialect.ElectOne:
		return perLane
	}
	return anyhow
}

// varyName follows a local with one definition; for others its usual name decides.
func (f *function) varyName(x program.Expr, depth int) variation {
	name := path(x)
	if name == "" {
		return anyhow
	}
	if f.active[name] { // x = f(x): the other definitions decide
		return uniform
	}
	f.active[name] = true
	defer delete(f.active, name)
	if v := f.definition(x); v != nil {
		return f.vary(v, depth+1)
	}
	if _, local := f.defs[name]; !local {
		if v := f.file.constants[lastWord(name)]; v != nil {
			return uniform
		}
	}
	if v, ok := usualNames[strings.ToLower(strings.Trim(lastWord(name), "_"))]; ok {
		return v
	}
	if strings.HasPrefix(name, "self.") && len(f.defs[name]) == 0 {
		return uniform // the host object's fields are fixed when the kernel is built
	}
	if c, ok := f.iters[name].(*program.Call); ok && strings.Contains(lastWord(path(c.Fun)), "range") {
		v := uniform
		for _, a := range c.Args {
			v = max(v, combine(f.vary(a, depth+1), uniform))
		}
		return v
	}
	if root, _, _ := strings.Cut(name, "."); f.bound[root] && f.fn.Kernel && f.isParam(root) && (root == name || len(f.defs[root])+len(f.defs[name]) == 0) {
		return uniform // launch arguments, and what is in them, are the same for every thread
	}
	if defs := f.visible(name, x.Where().Start); len(defs) > 0 && !f.bound[name] {
		v := uniform
		for _, d := range defs {
			if d.value != nil {
				v = max(v, combine(f.vary(d.value, depth+1), uniform))
			}
		}
		return v
	}
	return anyhow
}

func (f *function) isParam(name string) bool {
	for _, p := range f.fn.Params {
		if p.Name == name && p.Type != "" && !strings.Contains(p.Type, "*") && !strings.Contains(p.Type, "Tensor") && !strings.Contains(p.Type, "Pointer") {
			return true
		}
	}
	for _, p := range f.fn.Template {
		if p.Name == name {
			return true
		}
	}
	return false
}

// usualNames are what parameters that carry an index are called; they decide only where no definition does.
var usualNames = map[string]variation{
	"warp_idx": perWarp, "warp_id": perWarp, "warpid": perWarp, "warpidx": perWarp, "wid": perWarp, "warp": perWarp,
	"warp_group_idx": perWarp, "warpgroup_idx": perWarp, "wg_idx": perWarp, "warp_group_id": perWarp,
	"lane_idx": laneIndex, "lane_id": laneIndex, "laneid": laneIndex, "lane": laneIndex, "laneidx": laneIndex,
	"tidx": threadIndex, "tid": threadIndex, "thread_idx": threadIndex, "thread_id": threadIndex, "threadid": threadIndex,
}
