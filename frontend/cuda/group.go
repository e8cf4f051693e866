package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// threads is a group of threads of cooperative groups (CUDA C++ Programming Guide, Cooperative Groups): so many lanes of a warp that stand side by
// side, or one of those below.
type threads int

const (
	ofCTA threads = -1 - iota
	ofCluster
	ofGrid
	ofActive
)

var groupTypes = map[string]threads{"thread_block": ofCTA, "cluster_group": ofCluster, "grid_group": ofGrid, "coalesced_group": ofActive}

const groupSpace = "cooperative_groups"

// ofGroups reports whether a name is one of cooperative groups: without scopes, in their namespace by any name, or in one that takes it over from there.
func (c *compiler) ofGroups(scopes []segment, name string) bool {
	if len(scopes) == 0 {
		return true
	}
	space := scopes[len(scopes)-1].name
	if space == "cg" || space == groupSpace || c.spaces[space] == groupSpace {
		return true
	}
	if slices.ContainsFunc(c.files, func(f *program.File) bool {
		return slices.ContainsFunc(f.Taken, func(t [2]string) bool { return lastName(t[0]) == space && t[1] == groupSpace+"::"+name })
	}) {
		return true
	}
	if ownNames[name] && !c.holdsAny(space) {
		c.taking(space + "::" + name + " is that of " + groupSpace)
		return true
	}
	return false
}

// ownNames are names of cooperative groups that a namespace of which nothing is read may have from there: nothing else is called so.
var ownNames = map[string]bool{"thread_block_tile": true, "tiled_partition": true, "this_thread_block": true, "coalesced_threads": true}

// holdsAny reports whether a function or a class that is read stands in a namespace, or in a class, of a name.
func (c *compiler) holdsAny(space string) bool {
	if c.holds == nil {
		c.holds = map[string]bool{}
		note := func(qualified string) {
			for {
				outer, _ := program.SplitName(qualified)
				if outer == "" || c.holds[outer] {
					return
				}
				c.holds[outer] = true
				c.holds[lastName(outer)] = true
				qualified = outer
			}
		}
		for _, f := range c.files {
			for _, fn := range f.Functions {
				note(fn.Qualified)
			}
			for _, k := range f.Classes {
				note(k.Qualified)
			}
		}
	}
	return c.holds[space] || len(c.bySimple[space]) > 0
}

// threadGroup is the type of a group that a name means; nil if it is none.
func (c *compiler) threadGroup(s segment, scopes []segment) *ctype {
	if s.name != "thread_block_tile" && groupTypes[s.name] == 0 || !c.ofGroups(scopes, s.name) {
		return nil
	}
	if s.name == "thread_block_tile" && len(s.args) > 0 {
		if all := c.argumentsOf(s); len(all) > 0 {
			if all[0].number == nil && all[0].t == nil {
				all[0].number = c.constantFor(all[0].text, ir.Lanes)
			}
			if n := all[0].number; n != nil && lanes(*n) {
				return groupOf(threads(*n))
			}
		}
		return nil
	}
	if kind := groupTypes[s.name]; kind != 0 && !s.given {
		return groupOf(kind)
	}
	return nil
}

func groupOf(kind threads) *ctype { return &ctype{name: "group", groups: kind, size: 8, align: 8} }

// lanes reports whether a tile may have so many lanes.
func lanes(n int64) bool { return n > 0 && n <= ir.Lanes && n&(n-1) == 0 }

// grouped translates what makes a group of threads, or synchronizes one, by a function.
func (c *compiler) grouped(name string, x *program.Call) (value, bool) {
	group := func(kind threads) (value, bool) {
		return value{t: groupOf(kind), op: ir.Operand{Reg: c.nothing}}, true
	}
	switch name {
	case "this_thread_block":
		return group(ofCTA)
	case "this_cluster":
		return group(ofCluster)
	case "this_grid":
		return group(ofGrid)
	case "coalesced_threads", "labeled_partition", "binary_partition":
		return group(ofActive)
	case "tiled_partition":
		var size program.Expr
		switch {
		case len(x.Template) > 0:
			size = x.Template[0]
		case len(x.Args) == 2:
			size = x.Args[1]
		default:
			return value{}, false
		}
		n, known := c.constant(size)
		of := identOf(size)
		if known && !lanes(n) && c.fit != nil && slices.Contains(c.code.Guesses, of) { // a guess that is none of a tile's
			c.fit[of] = ir.Lanes
			panic(unsupported{why: limit.Template.Sayf("a tile of %d threads is none", n), not: true, refit: true})
		}
		if !known && of != "" && len(x.Template) > 0 {
			if v := c.lookup(of); v != nil && v.input != "" { // a constant that is one of a class which is not there
				of = v.input
			}
			if fit := c.constantFor(of, ir.Lanes); fit != nil {
				n, known = *fit, true
			}
		}
		if known && lanes(n) {
			return group(threads(n))
		}
	case "reduce":
		if len(x.Args) == 3 {
			switch of := c.expr(x.Args[0]); {
			case of.t.groups > 0:
				return c.reduced(of.t.groups, x), true
			case of.t.groups == ofActive:
				return c.among(x.Args[1:]), true
			}
		}
	case "sync", "synchronize":
		if len(x.Args) == 1 {
			if of := c.expr(x.Args[0]); of.t.groups != 0 {
				return c.group(of.t, "sync", x), true
			}
		}
	}
	return value{}, false
}

// group translates a method of a group of threads.
func (c *compiler) group(of *ctype, method string, x *program.Call) value {
	kind, rank := of.groups, c.rank
	none := value{t: voidType, op: ir.None}
	switch method {
	case "sync", "barrier_arrive", "barrier_wait", "arrive", "wait":
		if method != "sync" && kind != ofCluster {
			return c.opaqueCall(method, x)
		}
		switch kind {
		case ofCTA:
			c.synchronize(0)
		case ofGrid: // all of the CTA meet first
			c.synchronize(0)
			c.jointBarrier(ir.Arrives, ir.ScopeGPU)
			c.jointBarrier(0, ir.ScopeGPU)
		case ofCluster:
			if method != "barrier_wait" && method != "wait" {
				c.clusterBarrier(ir.Arrives)
			}
			if method != "barrier_arrive" && method != "arrive" {
				c.clusterBarrier(0)
			}
		case ofActive:
			return c.opaqueCall(method, x)
		default:
			c.syncWarp(c.tile(kind, rank))
		}
		return none
	case "thread_rank":
		switch {
		case kind == ofCTA:
			return rank()
		case kind > 0:
			return c.compute(ir.And, uintType, rank().op, constant(int64(kind)-1))
		case kind == ofGrid:
			n := c.compute(ir.Mul, ulongOf, c.convert(c.rankBy("%ctaid", "%nctaid"), ulongOf).op, c.convert(c.extentOf("%ntid"), ulongOf).op)
			return c.compute(ir.Add, ulongOf, n.op, c.convert(rank(), ulongOf).op)
		case kind == ofCluster:
			n := c.compute(ir.Mul, uintType, c.special("%cluster_ctarank"), c.extentOf("%ntid").op)
			return c.compute(ir.Add, uintType, n.op, rank().op)
		case kind == ofActive: // which lanes it has is not followed
			return c.unknown(uintType)
		}
	case "meta_group_rank":
		if kind > 0 {
			return c.compute(ir.Div, uintType, rank().op, constant(int64(kind)))
		}
	case "size", "num_threads", "meta_group_size":
		n := value{t: uintType, op: constant(int64(kind))}
		switch {
		case kind == ofActive:
			return c.unknown(uintType)
		case kind == ofGrid && method != "meta_group_size":
			return c.compute(ir.Mul, ulongOf, c.convert(c.extentOf("%nctaid"), ulongOf).op, c.convert(c.extentOf("%ntid"), ulongOf).op)
		case kind == ofCluster && method != "meta_group_size":
			return c.compute(ir.Mul, uintType, c.special("%cluster_nctarank"), c.extentOf("%ntid").op)
		case kind == ofCTA || kind > 0 && method == "meta_group_size":
			n = c.extentOf("%ntid")
		}
		if method == "meta_group_size" && kind > 0 {
			n = c.compute(ir.Add, uintType, n.op, constant(int64(kind)-1))
			n = c.compute(ir.Div, uintType, n.op, constant(int64(kind)))
		}
		if kind == ofCTA || kind > 0 {
			return n
		}
	case "group_index", "thread_index", "group_dim", "dim_threads", "block_index", "dim_blocks":
		base := map[string]string{"group_index": "%ctaid", "thread_index": "%tid", "group_dim": "%ntid", "dim_threads": "%ntid"}[method]
		switch {
		case kind == ofGrid || kind == ofCluster:
			base = map[threads]map[string]string{ofGrid: {"group_dim": "%nctaid", "dim_blocks": "%nctaid", "block_index": "%ctaid"},
				ofCluster: {"group_index": "%clusterid", "dim_blocks": "%cluster_nctaid", "block_index": "%cluster_ctaid"}}[kind][method]
		case kind != ofCTA:
			base = ""
		}
		if base != "" {
			v := value{t: vectors["dim3"], parts: map[string]value{}}
			for _, axis := range []string{"x", "y", "z"} {
				v.parts[axis] = value{t: uintType, op: c.special(base + "." + axis)}
			}
			return v
		}
	case "block_rank":
		switch kind {
		case ofCluster:
			return value{t: uintType, op: c.special("%cluster_ctarank")}
		case ofGrid:
			return c.convert(c.rankBy("%ctaid", "%nctaid"), ulongOf)
		}
	case "cluster_rank":
		if kind == ofGrid {
			return c.convert(c.rankBy("%clusterid", "%nclusterid"), ulongOf)
		}
	case "num_clusters":
		if kind == ofGrid {
			return c.convert(c.extentOf("%nclusterid"), ulongOf)
		}
	case "num_blocks":
		switch kind {
		case ofCluster:
			return value{t: uintType, op: c.special("%cluster_nctarank")}
		case ofGrid:
			return c.convert(c.extentOf("%nctaid"), ulongOf)
		}
	case "map_shared_rank":
		if kind == ofCluster && len(x.Args) == 2 {
			p := c.decayed(c.loaded(c.expr(x.Args[0])))
			rank := c.convert(c.expr(x.Args[1]), uintType).op
			if p.t.pointer() && p.address == nil && (p.t.space == ir.Shared || p.t.space == ir.Generic && p.op.Reg != c.nothing) {
				return c.mapped(p.op, p.t.space, rank, p.t.to)
			}
		}
	case "is_valid":
		return value{t: boolType, op: constant(1)}
	}
	if name := groupShuffles[method]; name != "" && kind > 0 && len(x.Args) >= 2 {
		call := *x
		mask := value{t: uintType, op: c.tile(kind, rank)}
		width := &program.Int{Place: program.Place{Span: x.Span}, Value: int64(kind)}
		call.Args = []program.Expr{nil, x.Args[0], x.Args[1], width}
		return c.shuffleOf(shuffles[name], mask.op, &call)
	}
	if mode, is := groupVotes[method]; is && kind > 0 && len(x.Args) == 1 {
		in := blank(ir.Vote)
		in.B = c.tile(kind, rank)
		in.A, in.Flags, in.Members, in.Mode = c.test(c.expr(x.Args[0])), ir.Meets, in.B, mode
		return c.voted(in)
	}
	if kind == ofActive && (groupShuffles[method] != "" || groupVotes[method] != 0 || groupMatches[method]) {
		return c.among(x.Args)
	}
	return c.opaqueCall(method+" of a group of threads", x)
}

// among is an exchange of lanes of which it is not followed which they are: no memory is ordered, and what it gives is not known.
func (c *compiler) among(args []program.Expr) value {
	v := value{t: uintType}
	for k, a := range args {
		if of := c.loaded(c.value(a)); k == 0 {
			v = of
		}
	}
	c.unsure(limit.DataOperand, "lanes exchange values whose number is not followed")
	return c.unknown(v.t)
}

// reduced is cg::reduce over a tile: what a butterfly gives, the same in all lanes.
func (c *compiler) reduced(kind threads, x *program.Call) value {
	v := c.copied(c.scalar(c.value(x.Args[1])))
	by := "?"
	if call, is := x.Args[2].(*program.Call); is {
		if id, is := call.Fun.(*program.Name); is {
			by = id.Ident
		}
	}
	mask := c.tile(kind, c.rank)
	for apart := int64(kind) / 2; apart > 0; apart /= 2 {
		other := c.exchanged(2, v, constant(apart), constant((ir.Lanes-int64(kind))<<8|ir.Lanes-1), mask)
		if typeIn(v.t).Bits > 32 || v.t.pointer() {
			v = other
			continue
		}
		sum := blank(ir.Apply)
		sum.Size, sum.Type, sum.A, sum.B, sum.Flags = c.formula("reduce "+by), typeIn(v.t), v.op, other.op, ir.Commutative
		sum.D = c.temp(sum.Type)
		c.emit(sum)
		v = value{t: v.t, op: ir.Operand{Reg: sum.D}}
	}
	return v
}

var (
	groupShuffles = map[string]string{"shfl_up": "__shfl_up_sync", "shfl_down": "__shfl_down_sync", "shfl_xor": "__shfl_xor_sync", "shfl": "__shfl_sync"}
	groupMatches  = map[string]bool{"all": true, "match_any": true, "match_all": true}
	groupVotes    = map[string]uint8{"all": 0, "any": 1, "ballot": 3}
)

// rank is the number of the thread in its CTA.
func (c *compiler) rank() value { return c.rankBy("%tid", "%ntid") }

// rankBy is the number that a place has in an extent.
func (c *compiler) rankBy(at, extent string) value {
	y := c.compute(ir.Mul, uintType, c.special(extent+".y"), c.special(at+".z"))
	y = c.compute(ir.Add, uintType, y.op, c.special(at+".y"))
	y = c.compute(ir.Mul, uintType, y.op, c.special(extent+".x"))
	return c.compute(ir.Add, uintType, y.op, c.special(at+".x"))
}

// extentOf is how many places an extent has.
func (c *compiler) extentOf(extent string) value {
	n := c.compute(ir.Mul, uintType, c.special(extent+".x"), c.special(extent+".y"))
	return c.compute(ir.Mul, uintType, n.op, c.special(extent+".z"))
}

// tile is the mask of the lanes of a tile.
func (c *compiler) tile(kind threads, rank func() value) ir.Operand {
	if kind == ir.Lanes {
		return constant(everyLane)
	}
	first := c.compute(ir.And, uintType, rank().op, constant(ir.Lanes-int64(kind)))
	return c.compute(ir.Shl, uintType, constant(1<<kind-1), first.op).op
}

func (c *compiler) clusterBarrier(flags ir.Flags) { c.jointBarrier(flags, ir.ScopeCluster) }

// jointBarrier is an arrival at, or a wait for, the barrier of the cluster, or that of the grid, which has the scope of the GPU.
func (c *compiler) jointBarrier(flags ir.Flags, scope ir.Scope) {
	in := blank(ir.BarrierCluster)
	in.Flags = ir.Aligned | flags
	in.Order, in.Scope = ir.Acquire, scope
	if flags != 0 {
		in.Order = ir.Release
	}
	c.emit(in)
}
