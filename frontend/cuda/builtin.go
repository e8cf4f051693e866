package cuda

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// everyLane is the mask of a whole warp.
const everyLane = 0xffffffff

// shuffles are the exchanges of values between lanes, as the IR numbers them.
var shuffles = map[string]uint8{"__shfl_up_sync": 0, "__shfl_down_sync": 1, "__shfl_xor_sync": 2, "__shfl_sync": 3}

// withoutMask are the exchanges of the lanes that happen to be together, which CUDA had before 9.0, by what they are called since.
var withoutMask = map[string]string{"__shfl_up": "__shfl_up_sync", "__shfl_down": "__shfl_down_sync", "__shfl_xor": "__shfl_xor_sync", "__shfl": "__shfl_sync",
	"__ballot": "__ballot_sync", "__any": "__any_sync", "__all": "__all_sync"}

// taken are how many arguments functions of CUDA take at the least.
var taken = map[string]int{"__syncthreads_or": 1, "__syncthreads_and": 1, "__syncthreads_count": 1, "__ballot_sync": 2, "__any_sync": 2, "__all_sync": 2, "__ballot": 1, "__any": 1, "__all": 1, "abs": 1,
	"fencepost_granted": 1, "__mul24": 2, "__umul24": 2, "__popc": 1, "__clz": 1, "__builtin_popcount": 1, "__builtin_clz": 1, "__ffs": 1, "__builtin_ffs": 1, "__builtin_ctz": 1, "__cvta_generic_to_shared": 1, "__nvvm_get_smem_pointer": 1, "__reduce_add_sync": 2, "__reduce_min_sync": 2,
	"__reduce_max_sync": 2, "__ldca": 1, "__ldcg": 1, "__ldcs": 1, "__ldcv": 1, "__ldlu": 1, "__stwb": 2, "__stcg": 2, "__stcs": 2, "__stwt": 2, "__reduce_and_sync": 2, "__reduce_or_sync": 2, "__reduce_xor_sync": 2, "__match_any_sync": 2}

// builtin translates what the language of CUDA has of its own.
func (c *compiler) builtin(name string, x *program.Call) (value, bool) {
	name = libcu(name)
	if len(x.Args) < taken[name] {
		c.refuse(limit.Source, "%s with %d arguments", name, len(x.Args))
	}
	if mode, is := shuffles[name]; is && len(x.Args) >= 3 {
		return c.shuffleOf(mode, c.convert(c.expr(x.Args[0]), uintType).op, x), true
	}
	if mode, is := shuffles[withoutMask[name]]; is && len(x.Args) >= 2 {
		call := *x
		call.Args = append([]program.Expr{nil}, x.Args...)
		return c.shuffleOf(mode, ir.None, &call), true
	}
	if path := c.spelled(name).path; len(path) > 0 && c.ofGroups(path[:len(path)-1], path[len(path)-1].name) {
		if v, is := c.grouped(path[len(path)-1].name, x); is {
			return v, true
		}
	}
	if v, is := c.atomicBuiltin(name, x); is {
		return v, true
	}
	if fill, is := copiesBytes[name]; is {
		return c.bytes(fill, x)
	}
	switch name {
	case "__syncthreads":
		c.synchronize(0)
	case "fencepost_gather": // the barrier of a collective that takes what all threads of the CTA have
		if !c.inModel() {
			return value{}, false
		}
		c.synchronize(ir.Gathers)
	case "__syncthreads_or", "__syncthreads_and", "__syncthreads_count":
		in := blank(ir.BarrierCTA)
		in.Flags |= ir.Aligned
		in.A, in.B, in.C = constant(0), constant(0), c.test(c.expr(x.Args[0]))
		in.Mode = map[string]uint8{"__syncthreads_count": 1, "__syncthreads_and": 2, "__syncthreads_or": 3}[name]
		if in.Mode == 1 {
			in.D = c.temp(ir.Type{Bits: 32})
			c.emit(in)
			return value{t: intType, op: ir.Operand{Reg: in.D}}, true
		}
		in.E = c.predicate("%p")
		c.emit(in)
		return c.plain(value{t: boolType, op: ir.Operand{Reg: in.E}}), true
	case "__syncwarp":
		mask := constant(everyLane)
		if len(x.Args) > 0 {
			mask = c.convert(c.expr(x.Args[0]), uintType).op
		}
		c.syncWarp(mask)
	case "__ballot_sync", "__any_sync", "__all_sync", "__activemask", "__ballot", "__any", "__all":
		return c.vote(name, x), true
	case "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "__match_any_sync":
		return c.meet(x), true
	case "min", "max", "cuda::std::min", "cuda::std::max", "cute::min", "cute::max":
		return c.least(lastName(name), x), true
	case "cuda::std::move", "cuda::std::forward":
		if len(x.Args) != 1 {
			return value{}, false
		}
		return c.expr(x.Args[0]), true
	case "abs":
		if v := c.scalar(c.expr(x.Args[0])); v.t.integer() {
			v = c.convert(c.plain(v), typeOfNumber(ints.Promoted(numberOf(v.t))))
			return c.compute(ir.Abs, v.t, v.op, ir.None), true
		}
		return value{}, false
	case "__popc", "__clz", "__builtin_popcount", "__builtin_clz":
		v := c.convert(c.expr(x.Args[0]), uintType)
		op := map[string]ir.Op{"__popc": ir.Popc, "__clz": ir.Clz, "__builtin_popcount": ir.Popc, "__builtin_clz": ir.Clz}[name]
		return c.compute(op, intType, v.op, ir.None), true
	case "__mul24", "__umul24": // of the low 24 bits of each (CUDA C++ Programming Guide, Integer Intrinsics)
		t := intType
		if name == "__umul24" {
			t = uintType
		}
		c.assume("what " + name + " multiplies has 24 bits")
		return c.compute(ir.Mul, t, c.convert(c.expr(x.Args[0]), t).op, c.convert(c.expr(x.Args[1]), t).op), true
	case "__ffs", "__builtin_ffs", "__builtin_ctz":
		v := c.convert(c.expr(x.Args[0]), uintType).op
		lowest := c.compute(ir.And, uintType, v, c.compute(ir.Sub, uintType, constant(0), v).op)
		n := c.compute(ir.Sub, intType, constant(ir.Lanes), c.compute(ir.Clz, intType, lowest.op, ir.None).op)
		if name == "__builtin_ctz" {
			n = c.compute(ir.Sub, intType, n.op, constant(1))
		}
		return n, true
	case "__cvta_generic_to_shared", "__nvvm_get_smem_pointer": // the second is what CUTLASS asked for before CUDA 10.2
		v := c.decayed(c.loaded(c.expr(x.Args[0])))
		switch {
		case v.t.pointer() && v.t.space == ir.Shared:
			return value{t: ulongOf, op: v.op}, true
		case v.t.pointer() && v.t.space == ir.Generic && v.op.Reg != c.nothing:
			return c.compute(ir.Sub, ulongOf, v.op, constant(ir.SharedWindow)), true
		}
		return c.unknown(ulongOf), true
	case "sizeof", "alignof", "__alignof__", "__alignof":
		if n, known := c.foldedCall(x); known {
			return value{t: ulongOf, op: constant(n.N)}, true
		}
		if len(x.Args) == 1 && name == "sizeof" {
			switch of := x.Args[0].(type) {
			case *program.Name:
				return c.as("sizeof "+of.Ident, ulongOf), true
			case *program.String:
				return c.as("sizeof "+of.Value, ulongOf), true
			}
		}
		return c.unknown(ulongOf), true
	case "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu":
		return c.load(c.pointee(c.decayed(c.loaded(c.expr(x.Args[0]))))), true
	case "__stwb", "__stcg", "__stcs", "__stwt":
		at := c.pointee(c.decayed(c.loaded(c.expr(x.Args[0]))))
		c.store(at, c.convert(c.expr(x.Args[1]), at.t))
	case "fencepost_granted": // what a model takes for granted
		text, is := x.Args[0].(*program.String)
		if !is || !c.inModel() {
			return value{}, false
		}
		c.assume(text.Value)
	case "__trap", "abort":
		in := blank(ir.Exit)
		in.Mode = 1
		c.assume("no execution comes to a trap")
		c.emit(in)
	default:
		return value{}, false
	}
	return value{t: voidType, op: ir.None}, true
}

func (c *compiler) synchronize(flags ir.Flags) {
	in := blank(ir.BarrierCTA)
	in.Flags |= ir.Aligned | flags
	in.A, in.B = constant(0), constant(0)
	c.emit(in)
}

func (c *compiler) syncWarp(mask ir.Operand) {
	in := blank(ir.BarrierWarp)
	in.Members = mask
	c.emit(in)
}

// shuffleOf exchanges a value of 32 bits. Of another one lanes exchange what is not followed, and the result is not known; where it is not known how many lanes are a group, they meet
// (PTX ISA 9.7.9.6).
func (c *compiler) shuffleOf(mode uint8, mask ir.Operand, x *program.Call) value {
	v := c.loaded(c.expr(x.Args[1]))
	if v.t.scalarLike() {
		v = c.scalar(v)
	}
	by := c.convert(c.expr(x.Args[2]), intType).op
	width := int64(ir.Lanes)
	if len(x.Args) > 3 {
		n, known := c.constant(x.Args[3])
		if !known {
			width = 0
		} else {
			width = n
		}
	}
	if width < 1 || width > ir.Lanes || width&(width-1) != 0 {
		in := blank(ir.Rendezvous)
		c.ofLanes(&in, mask)
		c.emit(in)
		return c.unknown(v.t)
	}
	last := constant((ir.Lanes - width) << 8)
	if mode != 0 {
		last.Imm |= ir.Lanes - 1
	}
	return c.exchanged(mode, v, by, last, mask)
}

// ofLanes makes an exchange one of the lanes of a mask; without one, of those that are together.
func (c *compiler) ofLanes(in *ir.Inst, mask ir.Operand) {
	if in.Members = mask; mask != ir.None {
		in.Flags |= ir.Meets
	}
}

// exchanged emits one shuffle.
func (c *compiler) exchanged(mode uint8, v value, by, last, mask ir.Operand) value {
	in := blank(ir.Shuffle)
	in.Mode, in.A, in.B, in.C = mode, v.op, by, last
	c.ofLanes(&in, mask)
	whole := v.t.scalarLike() && !v.t.pointer() && typeIn(v.t).Bits <= 32
	if whole {
		in.D = c.temp(v.t.number)
	} else {
		in.A, in.D = constant(0), c.temp(uintType.number)
	}
	c.emit(in)
	if !whole {
		return c.unknown(v.t)
	}
	return value{t: v.t, op: ir.Operand{Reg: in.D}}
}

func (c *compiler) vote(name string, x *program.Call) value {
	in := blank(ir.Vote)
	in.A, in.B, in.Mode = constant(1), constant(-1), 3
	args := x.Args
	if since := withoutMask[name]; since != "" {
		name = since
	} else if name != "__activemask" {
		in.B = c.convert(c.expr(args[0]), uintType).op
		c.ofLanes(&in, in.B)
		args = args[1:]
	}
	if name != "__activemask" {
		in.A = c.test(c.expr(args[0]))
		in.Mode = map[string]uint8{"__all_sync": 0, "__any_sync": 1, "__ballot_sync": 3}[name]
	}
	return c.voted(in)
}

// voted emits a vote and gives its result.
func (c *compiler) voted(in ir.Inst) value {
	if in.Mode == 3 {
		in.D = c.temp(uintType.number)
		c.emit(in)
		return value{t: uintType, op: ir.Operand{Reg: in.D}}
	}
	in.E = c.predicate("%p")
	c.emit(in)
	return c.plain(value{t: boolType, op: ir.Operand{Reg: in.E}})
}

// meet translates a collective whose result is not followed.
func (c *compiler) meet(x *program.Call) value {
	in := blank(ir.Rendezvous)
	in.Flags, in.Members = ir.Meets, c.convert(c.expr(x.Args[0]), uintType).op
	var t *ctype
	for _, a := range x.Args[1:] {
		t = c.loaded(c.value(a)).t
	}
	c.emit(in)
	return c.unknown(t)
}

func (c *compiler) least(name string, x *program.Call) value {
	if len(x.Args) == 1 {
		if list := c.elementsOf(x.Args[0]); len(list) > 0 { // of all in a list (C++17 [alg.min.max])
			out := list[0]
			for _, e := range list[1:] {
				out = &program.Call{Place: x.Place, Fun: x.Fun, Args: []program.Expr{out, e}}
			}
			return c.value(out)
		}
	}
	if len(x.Args) != 2 {
		c.refuse(limit.Source, "%s of %d values", name, len(x.Args))
	}
	a, b := c.scalar(c.value(x.Args[0])), c.scalar(c.value(x.Args[1]))
	if !a.t.integer() || !b.t.integer() {
		t := a.t
		if !t.data() || b.t.data() && b.t.number.Bits > t.number.Bits {
			t = b.t
		}
		return c.apply(name, t, c.convert(a, t), c.convert(b, t))
	}
	t := typeOfNumber(ints.Usual(numberOf(a.t), numberOf(b.t)))
	op := map[string]ir.Op{"min": ir.Min, "max": ir.Max}[name]
	return c.compute(op, t, c.convert(a, t).op, c.convert(b, t).op)
}

// elementsOf are the elements of a list in braces, or of the array that a parameter has been given as one; none where it is neither, or has many.
func (c *compiler) elementsOf(x program.Expr) (out []program.Expr) {
	if list, is := x.(*program.List); is {
		if len(list.Elems) <= maxUnroll {
			out = list.Elems
		}
		return out
	}
	id, named := x.(*program.Name)
	if !named {
		return nil
	}
	v := c.lookup(id.Ident)
	if v == nil || v.t == nil || !v.t.array || v.t.extent < 0 || v.t.extent > maxUnroll {
		return nil
	}
	for k := range v.t.extent {
		place := program.Place{Span: id.Span}
		out = append(out, &program.Index{Place: place, X: x, Args: []program.Expr{&program.Int{Place: place, Value: k}}})
	}
	return out
}

// atomics are the operations of CUDA's atomic functions, without the scope at the end of their names, as the IR numbers them (CUDA C++ Programming Guide, Atomic Functions).
var atomics = map[string]uint8{"atomicAdd": 1, "atomicSub": 1, "atomicAnd": 2, "atomicOr": 3, "atomicXor": 4, "atomicMin": 5, "atomicMax": 6, "atomicInc": 7,
	"atomicDec": 8, "atomicExch": 9, "atomicCAS": 10}

// results are the types of what functions of CUDA compute, where that is not the type of their arguments (CUDA Math API).
var results = func() map[string]*ctype {
	half, double := halfType, scalars["double"]
	out := map[string]*ctype{"__float_as_int": intType, "__float_as_uint": uintType, "__double_as_longlong": longType, "__int_as_float": realType, "__uint_as_float": realType,
		"__longlong_as_double": double, "__half2float": realType, "__low2float": realType, "__high2float": realType, "__half_as_ushort": scalars["ushort"], "__half_as_short": scalars["short"],
		"__bfloat162float": realType, "__float2half2_rn": scalars["half2"], "__floats2half2_rn": scalars["half2"], "__floats2bfloat162_rn": bfloat2Type, "__halves2half2": scalars["half2"],
		"__half2half2": scalars["half2"], "__float2bfloat162_rn": bfloat2Type, "__float2half": half, "__float2bfloat16": bfloatType, "__double2half": half, "__double2bfloat16": bfloatType, "__low2half": half,
		"__high2half": half, "__ushort_as_half": half, "__short_as_half": half, "__double2hiint": intType, "__double2loint": intType, "__hiloint2double": double, "__ffsll": intType,
		"__byte_perm": uintType, "isnan": intType, "isinf": intType, "isfinite": intType, "lrintf": longType, "lrint": longType, "llrintf": longType, "llrint": longType, "lroundf": longType,
		"lround": longType, "clock": longType, "clock64": longType, "__popcll": intType, "__clzll": intType, "__builtin_popcountl": intType, "__builtin_popcountll": intType, "__builtin_clzl": intType, "__builtin_clzll": intType,
		"__builtin_ctzl": intType, "__builtin_ctzll": intType, "__builtin_ffsl": intType, "__builtin_ffsll": intType}
	to := map[string]*ctype{"int": intType, "uint": uintType, "ll": longType, "ull": ulongOf, "short": scalars["short"], "ushort": scalars["ushort"], "float": realType, "double": double, "half": half,
		"bfloat16": bfloatType}
	for from := range to {
		for into, t := range to {
			for _, rounding := range []string{"rn", "rz", "ru", "rd"} {
				out["__"+from+"2"+into+"_"+rounding] = t
			}
		}
	}
	return out
}()

// operation translates an operation that the dialect knows.
func (c *compiler) operation(op *dialect.Op, x *program.Call) value {
	arg := func(name string) (program.Expr, bool) {
		a, is := op.Args[name]
		return a.Expr, is && a.Expr != nil
	}
	switch op.Kind {
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce:
		return c.atomic(op, arg)
	case dialect.Load:
		p, _ := arg("ptr")
		return c.load(c.pointee(c.expr(p)))
	case dialect.FenceProxy:
		if op.Args["kind"].Text == "async" {
			in := blank(ir.Fence)
			in.Mode, in.Order, in.Scope = uint8(ir.ProxyAsync), ir.Weak, ir.NoScope
			c.emit(in)
		}
		return value{t: voidType, op: ir.None}
	case dialect.Fence:
		in := blank(ir.Fence)
		in.Order, in.Scope = fenceOrders[op.Args["sem"].Text], fenceScopes[op.Args["scope"].Text]
		c.emit(in)
		return value{t: voidType, op: ir.None}
	case dialect.GridDepLaunch, dialect.GridDepWait:
		in := blank(ir.GridDependency)
		if op.Kind == dialect.GridDepWait {
			in.Mode = 1
		}
		c.emit(in)
		return value{t: voidType, op: ir.None}
	case dialect.Nanosleep, dialect.SetMaxRegister:
		return value{t: voidType, op: ir.None}
	case dialect.CpAsyncCommit, dialect.CpAsyncWait:
		in := blank(ir.GroupCommit)
		in.Mode = uint8(ir.CpAsync)
		if op.Kind == dialect.CpAsyncWait {
			in.Op, in.A = ir.GroupWait, constant(0)
			if n, is := arg("count"); is {
				in.A = c.convert(c.expr(n), intType).op
			}
		}
		c.emit(in)
		return value{t: voidType, op: ir.None}
	case dialect.CpAsync:
		c.copyAsync(arg)
		return value{t: voidType, op: ir.None}
	case dialect.Trap, dialect.Exit:
		in := blank(ir.Exit)
		c.emit(in)
		return value{t: voidType, op: ir.None}
	case dialect.NamedBarrierSync, dialect.NamedBarrierArrive:
		in := blank(ir.BarrierCTA)
		if op.Args["aligned"].Text == "true" {
			in.Flags |= ir.Aligned
		}
		if op.Kind == dialect.NamedBarrierArrive {
			in.Flags |= ir.Arrives
		}
		in.A, in.B = c.number(op, "id", 0), c.number(op, "count", 0)
		c.emit(in)
		return value{t: voidType, op: ir.None}
	case dialect.MbarrierInit, dialect.MbarrierInval, dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx, dialect.MbarrierExpectTx, dialect.MbarrierWait,
		dialect.MbarrierTryWait, dialect.MbarrierTestWait:
		return c.mbarrier(op)
	case dialect.MbarrierInitFence:
		in := blank(ir.Fence)
		in.Mode, in.Order, in.Scope = uint8(ir.MbarrierInit), ir.Release, ir.ScopeCluster
		c.emit(in)
		return value{t: voidType, op: ir.None}
	}
	return c.asynchronous(op, arg)
}

// number is an argument of an operation; a default where it is not there.
func (c *compiler) number(op *dialect.Op, name string, otherwise int64) ir.Operand {
	a, is := op.Args[name]
	switch {
	case !is:
		return constant(otherwise)
	case a.Expr != nil:
		return c.convert(c.expr(a.Expr), intType).op
	}
	n, err := strconv.ParseInt(a.Text, 0, 64)
	if err != nil {
		c.refuse(limit.RunTime, "%s of %s is not a number", name, op.Name)
	}
	return constant(n)
}

// sharedAddress is an argument of an operation that is an address of shared memory, of the CTA or of another one of the cluster.
func (c *compiler) sharedAddress(op *dialect.Op, name string) (ir.Operand, ir.Space) {
	p := op.Args[name].Expr
	if p == nil {
		c.refuse(limit.DataAddress, "%s of what is not known", op.Name)
	}
	v := c.decayed(c.loaded(c.expr(p)))
	switch {
	case v.t.opaque, v.t.pointer() && v.op.Reg == c.nothing:
		c.refuse(limit.DataAddress, "%s of what is not known", op.Name)
	case v.t.pointer() && v.t.space == ir.Generic:
		return v.op, ir.Generic
	case v.t.pointer() && v.t.space != ir.Shared || v.address != nil || !v.t.pointer() && !v.t.integer():
		c.refuse(limit.DataAddress, "%s of what is no address of shared memory", op.Name)
	}
	return v.op, ir.Shared
}

// asynchronous translates operations of clusters and of copy engines (PTX ISA 9.7.9.25, 9.7.13.3).
func (c *compiler) asynchronous(op *dialect.Op, arg func(string) (program.Expr, bool)) value {
	none := value{t: voidType, op: ir.None}
	switch op.Kind {
	case dialect.ClusterArrive, dialect.ClusterWait, dialect.ClusterSync:
		if op.Kind != dialect.ClusterWait {
			c.clusterBarrier(ir.Arrives)
			if op.Args["sem"].Text == "relaxed" {
				c.code.Insts[len(c.code.Insts)-1].Order = ir.Relaxed
			}
		}
		if op.Kind != dialect.ClusterArrive {
			c.clusterBarrier(0)
		}
		return none
	case dialect.MapaShared:
		at, space := c.sharedAddress(op, "ptr")
		return c.mapped(at, space, c.convert(c.expr(op.Args["peer"].Expr), uintType).op, c.typeOr("void"))
	case dialect.ElectOne:
		in := blank(ir.Elect)
		in.A, in.Members, in.Flags, in.E = constant(everyLane), constant(everyLane), ir.Meets, c.predicate("%p")
		c.emit(in)
		return c.plain(value{t: boolType, op: ir.Operand{Reg: in.E}})
	case dialect.BulkCommit, dialect.BulkWait:
		in := blank(ir.GroupCommit)
		in.Mode = uint8(ir.Bulk)
		if op.Kind == dialect.BulkWait {
			in.Op, in.A = ir.GroupWait, c.number(op, "count", 0)
			if op.Args["read"].Text == "true" {
				in.Flags |= ir.ReadsDone
			}
		}
		c.emit(in)
		return none
	case dialect.TmaLoad, dialect.TmaStore:
		n, sized := arg("bytes")
		_, from := arg("src")
		_, to := arg("dst")
		if !from || !to || op.Args["mask"].Expr != nil || op.Args["pred"].Expr != nil {
			break
		}
		in := blank(ir.Async)
		in.Mode, in.B = uint8(ir.Bulk), ir.Operand{Reg: -1}
		tensor := ir.Flags(0)
		if sized {
			in.B = c.convert(c.expr(n), uintType).op
		} else { // of a tensor, whose map says how many
			tensor = ir.Tensor
		}
		in.Extra = &ir.Extra{Operands: []ir.Operand{ir.None, ir.None, ir.None, ir.None}, Offsets: make([]int64, 4)}
		global := func(name string) ir.Operand {
			v := c.decayed(c.loaded(c.expr(op.Args[name].Expr)))
			if v.input != "" {
				v = c.as(v.input, pointerTo(voidType, ir.Global))
			}
			if !v.t.pointer() || v.t.space == ir.Shared {
				c.refuse(limit.Source, "%s from or to what is not known", op.Name)
			}
			return v.op
		}
		space, other, mbar := ir.Shared, ir.Shared, ir.Shared
		if op.Kind == dialect.TmaLoad {
			in.Flags = ir.ToShared | tensor
			in.Extra.Operands[0], space = c.sharedAddress(op, "dst")
			in.Extra.Operands[1] = global("src")
			in.Extra.Operands[2], mbar = c.sharedAddress(op, "ptr")
		} else {
			in.Flags = ir.FromShared | tensor
			in.Extra.Operands[0] = global("dst")
			in.Extra.Operands[1], other = c.sharedAddress(op, "src")
		}
		if space != ir.Shared || other != ir.Shared || mbar != ir.Shared {
			break
		}
		c.emit(in)
		return none
	}
	c.refuse(limit.Operation, "%s is not translated", op.Name)
	return value{}
}

// mapped is the address of what lies at one of the CTA's shared memory in that of another CTA of the cluster, as a generic pointer.
func (c *compiler) mapped(at ir.Operand, space ir.Space, rank ir.Operand, to *ctype) value {
	in := blank(ir.MapShared)
	in.A, in.B, in.Flags, in.D = at, rank, ir.ToShared, c.temp(ulongOf.number)
	if space == ir.Generic {
		in.Offset = -ir.SharedWindow
	}
	c.emit(in)
	return value{t: pointerTo(to, ir.Generic), op: ir.Operand{Reg: in.D}}
}

// mbarrier translates an operation on an mbarrier (PTX ISA 9.7.13.15).
func (c *compiler) mbarrier(op *dialect.Op) value {
	for _, name := range []string{"peer", "pred"} {
		if _, is := op.Args[name]; is {
			c.refuse(limit.Operation, "%s with %s is not translated", op.Name, name)
		}
	}
	in := blank(ir.MbarArrive)
	in.A, in.Space = c.sharedAddress(op, "ptr")
	in.Order, in.Scope = ir.Release, ir.ScopeCTA
	switch op.Kind {
	case dialect.MbarrierInit:
		in.Op, in.B, in.Order, in.Scope = ir.MbarInit, c.number(op, "count", 1), ir.Weak, ir.NoScope
	case dialect.MbarrierInval:
		in.Op, in.Order, in.Scope = ir.MbarInval, ir.Weak, ir.NoScope
	case dialect.MbarrierArrive:
		in.B = c.number(op, "count", 1)
	case dialect.MbarrierArriveExpectTx:
		in.B, in.C = constant(1), c.number(op, "bytes", 0)
	case dialect.MbarrierExpectTx:
		in.Op, in.Order, in.C = ir.MbarExpectTx, ir.Relaxed, c.number(op, "bytes", 0)
	default:
		in.Op, in.Order = ir.MbarTest, ir.Acquire
		if token := op.Args["token"].Expr; token != nil {
			in.B = c.convert(c.expr(token), ulongOf).op
			in.Flags |= ir.Token
		} else {
			in.B = c.number(op, "phase", 0)
		}
		ordering(op, &in)
		if op.Kind != dialect.MbarrierTestWait {
			in.Mode = 1
		}
		again := c.label()
		if op.Kind == dialect.MbarrierWait {
			c.bind(again)
		}
		in.D = c.predicate("%done")
		c.emit(in)
		done := ir.Operand{Reg: in.D}
		if op.Kind == dialect.MbarrierWait {
			c.jump(again, done, false)
			return value{t: voidType, op: ir.None}
		}
		return value{t: boolType, op: done}
	}
	if in.Op == ir.MbarArrive {
		in.D = c.temp(ulongOf.number)
		ordering(op, &in)
		c.emit(in)
		return value{t: ulongOf, op: ir.Operand{Reg: in.D}}
	}
	c.emit(in)
	return value{t: voidType, op: ir.None}
}

// Orders and scopes of fences.
var (
	fenceOrders = map[string]ir.Order{"acq_rel": ir.AcquireRelease, "sc": ir.Sequential, "acquire": ir.Acquire, "release": ir.Release}
	fenceScopes = map[string]ir.Scope{"cta": ir.ScopeCTA, "cluster": ir.ScopeCluster, "gpu": ir.ScopeGPU, "sys": ir.ScopeSys}
)

// ordering sets the order and the scope that an operation on an mbarrier names.
func ordering(op *dialect.Op, in *ir.Inst) {
	if op.Args["sem"].Text == "relaxed" {
		in.Order = ir.Relaxed
	}
	if op.Args["scope"].Text == "cluster" {
		in.Scope = ir.ScopeCluster
	}
}

func (c *compiler) atomic(op *dialect.Op, arg func(string) (program.Expr, bool)) value {
	name, scope := op.Name, ir.ScopeGPU
	switch op.Args["scope"].Text {
	case "cta":
		name, scope = strings.TrimSuffix(name, "_block"), ir.ScopeCTA
	case "sys":
		name, scope = strings.TrimSuffix(name, "_system"), ir.ScopeSys
	}
	mode, known := atomics[name]
	if !known {
		c.refuse(limit.Operation, "%s is not translated", op.Name)
	}
	p, _ := arg("ptr")
	at := c.pointee(c.decayed(c.loaded(c.expr(p))))
	operand := func(name string) ir.Operand {
		x, is := arg(name)
		if !is {
			return ir.None
		}
		v := c.convert(c.value(x), at.t)
		if name == "value" && op.Kind == dialect.AtomicSub && at.t.integer() {
			v = c.compute(ir.Neg, at.t, v.op, ir.None)
		}
		return v.op
	}
	b, d := operand("value"), ir.None
	if op.Kind == dialect.AtomicCas {
		b, d = operand("cmp"), b
	}
	return c.modify(at, mode, ir.Relaxed, scope, b, d)
}

// copyAsync translates cp.async (PTX ISA 9.7.9.25.3).
func (c *compiler) copyAsync(arg func(string) (program.Expr, bool)) {
	to, ok1 := arg("dst")
	from, ok2 := arg("src")
	n, ok3 := arg("bytes")
	if !ok1 || !ok2 || !ok3 {
		c.refuse(limit.Operation, "a copy of which not all is said")
	}
	in := blank(ir.Async)
	in.Mode, in.Flags = uint8(ir.CpAsync), ir.ToShared
	dst, src := c.expr(to), c.expr(from)
	if dst.t.array {
		dst = c.decayed(dst)
	}
	if dst.t.pointer() && dst.t.space != ir.Shared {
		c.refuse(limit.Operation, "a copy to what is not shared memory")
	}
	in.Extra = &ir.Extra{Operands: []ir.Operand{dst.op, src.op, ir.None, ir.None}, Offsets: make([]int64, 4)}
	in.B = c.convert(c.expr(n), intType).op
	c.emit(in)
}
