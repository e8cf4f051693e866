package cuda

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// everyLane is the mask of a whole warp.
const everyLane = 0xffffffff

// shuffles are the exchanges of values between lanes, as the IR numbers them.
var shuffles = map[string]uint8{"__shfl_up_sync": 0, "__shfl_down_sync": 1, "__shfl_xor_sync": 2, "__shfl_sync": 3}

// taken are how many arguments functions of CUDA take at the least.
var taken = map[string]int{"__syncthreads_or": 1, "__syncthreads_and": 1, "__syncthreads_count": 1, "__ballot_sync": 2, "__any_sync": 2, "__all_sync": 2, "abs": 1,
	"__popc": 1, "__clz": 1, "__cvta_generic_to_shared": 1, "cg::sync": 1, "cooperative_groups::sync": 1, "__reduce_add_sync": 2, "__reduce_min_sync": 2,
	"__reduce_max_sync": 2, "__reduce_and_sync": 2, "__reduce_or_sync": 2, "__reduce_xor_sync": 2, "__match_any_sync": 2}

// builtin translates what the language of CUDA has of its own.
func (c *compiler) builtin(name string, x *program.Call) (value, bool) {
	if len(x.Args) < taken[name] {
		c.refuse("%s with %d arguments", name, len(x.Args))
	}
	if mode, is := shuffles[name]; is && len(x.Args) >= 3 {
		return c.shuffle(mode, x), true
	}
	switch name {
	case "__syncthreads":
		c.synchronize()
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
	case "__ballot_sync", "__any_sync", "__all_sync", "__activemask":
		return c.vote(name, x), true
	case "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "__match_any_sync":
		return c.meet(x), true
	case "min", "max", "std::min", "std::max":
		return c.least(strings.TrimPrefix(name, "std::"), x), true
	case "abs":
		if v := c.expr(x.Args[0]); v.t.integer() {
			v = c.convert(c.plain(v), typeOfNumber(ints.Promoted(numberOf(v.t))))
			return c.compute(ir.Abs, v.t, v.op, ir.None), true
		}
		return value{}, false
	case "__popc", "__clz":
		v := c.convert(c.expr(x.Args[0]), uintType)
		op := map[string]ir.Op{"__popc": ir.Popc, "__clz": ir.Clz}[name]
		return c.compute(op, intType, v.op, ir.None), true
	case "__cvta_generic_to_shared":
		v := c.expr(x.Args[0])
		if v.t.array {
			v = c.decayed(v)
		}
		if !v.t.pointer() || v.t.space != ir.Shared {
			c.refuse("what is no address of shared memory is made one")
		}
		return value{t: ulongOf, op: v.op}, true
	case "sizeof":
		if n, known := c.foldedCall(x); known {
			return value{t: ulongOf, op: constant(n.N)}, true
		}
		c.refuse("the size of what is not known")
	case "this_thread_block", "cg::this_thread_block", "cooperative_groups::this_thread_block":
		return value{t: &ctype{name: "thread_block"}, op: ir.None}, true
	case "tiled_partition", "cg::tiled_partition", "cooperative_groups::tiled_partition":
		if len(x.Template) == 1 {
			if n, known := c.constant(x.Template[0]); known && n == ir.Lanes {
				return value{t: &ctype{name: "thread_block_tile"}, op: ir.None}, true
			}
		}
		c.refuse("a tile that is no warp")
	case "cg::sync", "cooperative_groups::sync":
		return c.group(groupOf(c.expr(x.Args[0]).t.name), "sync", x), true
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

func (c *compiler) synchronize() {
	in := blank(ir.BarrierCTA)
	in.Flags |= ir.Aligned
	in.A, in.B = constant(0), constant(0)
	c.emit(in)
}

func (c *compiler) syncWarp(mask ir.Operand) {
	in := blank(ir.BarrierWarp)
	in.Members = mask
	c.emit(in)
}

// shuffle exchanges a value of 32 bits. Of others the lanes meet, and the result is not known (PTX ISA 9.7.9.6).
func (c *compiler) shuffle(mode uint8, x *program.Call) value {
	mask := c.convert(c.expr(x.Args[0]), uintType).op
	v := c.plain(c.expr(x.Args[1]))
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
	if !v.t.scalarLike() || typeIn(v.t).Bits > 32 || width < 1 || width > ir.Lanes || width&(width-1) != 0 {
		in := blank(ir.Rendezvous)
		in.Flags, in.Members = ir.Meets, mask
		c.emit(in)
		return c.unknown(v.t)
	}
	in := blank(ir.Shuffle)
	in.Mode, in.A, in.B, in.Members, in.Flags = mode, v.op, by, mask, ir.Meets
	in.C = constant((ir.Lanes - width) << 8)
	if mode != 0 {
		in.C.Imm |= ir.Lanes - 1
	}
	in.D = c.temp(v.t.number)
	c.emit(in)
	return value{t: v.t, op: ir.Operand{Reg: in.D}}
}

func (c *compiler) vote(name string, x *program.Call) value {
	in := blank(ir.Vote)
	in.A, in.B, in.Mode = constant(1), constant(-1), 3
	if name != "__activemask" {
		in.B = c.convert(c.expr(x.Args[0]), uintType).op
		in.A = c.test(c.expr(x.Args[1]))
		in.Flags, in.Members = ir.Meets, in.B
		in.Mode = map[string]uint8{"__all_sync": 0, "__any_sync": 1, "__ballot_sync": 3}[name]
	}
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
		t = c.expr(a).t
	}
	c.emit(in)
	return c.unknown(t)
}

func (c *compiler) least(name string, x *program.Call) value {
	if len(x.Args) != 2 {
		c.refuse("%s of %d values", name, len(x.Args))
	}
	a, b := c.plain(c.expr(x.Args[0])), c.plain(c.expr(x.Args[1]))
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

// groupOf is the group of threads that a type of cooperative groups names: the CTA or a warp.
func groupOf(name string) string {
	switch {
	case name == "thread_block_tile" || strings.Contains(name, "thread_block_tile<32"):
		return "warp"
	case strings.Contains(name, "thread_block_tile"):
		return ""
	case strings.Contains(name, "thread_block"):
		return "cta"
	}
	return ""
}

// group translates a method of a group of threads.
func (c *compiler) group(kind, method string, x *program.Call) value {
	if kind == "" {
		c.refuse("a group of threads of which nothing is known")
	}
	rank := func() value {
		y := c.compute(ir.Mul, uintType, c.special("%ntid.y"), c.special("%tid.z"))
		y = c.compute(ir.Add, uintType, y.op, c.special("%tid.y"))
		y = c.compute(ir.Mul, uintType, y.op, c.special("%ntid.x"))
		return c.compute(ir.Add, uintType, y.op, c.special("%tid.x"))
	}
	switch {
	case method == "sync" && kind == "cta":
		c.synchronize()
	case method == "sync":
		c.syncWarp(constant(everyLane))
	case method == "thread_rank" && kind == "cta":
		return rank()
	case method == "thread_rank":
		return c.compute(ir.And, uintType, rank().op, constant(ir.Lanes-1))
	case (method == "size" || method == "num_threads") && kind == "warp":
		return value{t: uintType, op: constant(ir.Lanes)}
	case method == "size" || method == "num_threads":
		n := c.compute(ir.Mul, uintType, c.special("%ntid.x"), c.special("%ntid.y"))
		return c.compute(ir.Mul, uintType, n.op, c.special("%ntid.z"))
	case strings.HasPrefix(method, "shfl") && kind == "warp" && len(x.Args) >= 2:
		mode := map[string]string{"shfl_up": "__shfl_up_sync", "shfl_down": "__shfl_down_sync", "shfl_xor": "__shfl_xor_sync", "shfl": "__shfl_sync"}[method]
		call := *x
		call.Args = append([]program.Expr{&program.Int{Place: program.Place{Span: x.Span}, Value: everyLane, Based: true}}, x.Args...)
		return c.shuffle(shuffles[mode], &call)
	default:
		c.refuse("%s of a group of threads", method)
	}
	return value{t: voidType, op: ir.None}
}

// atomicModes are the operations of atomics by their names, as the IR numbers them.
var atomicModes = map[string]uint8{"Add": 1, "Sub": 1, "And": 2, "Or": 3, "Xor": 4, "Min": 5, "Max": 6, "Inc": 7, "Dec": 8, "Exch": 9, "CAS": 10}

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
	case dialect.Fence, dialect.FenceProxy, dialect.Nanosleep, dialect.SetMaxRegister, dialect.GridDepLaunch, dialect.GridDepWait:
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
		if a, is := op.Args["aligned"]; !is || a.Text != "false" {
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
		return value{t: voidType, op: ir.None}
	}
	c.refuse("%s is not translated", op.Name)
	return value{}
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
		c.refuse("%s of %s is not a number", name, op.Name)
	}
	return constant(n)
}

// mbarrier translates an operation on an mbarrier of the CTA (PTX ISA 9.7.13.15).
func (c *compiler) mbarrier(op *dialect.Op) value {
	for _, name := range []string{"peer", "pred", "token"} {
		if _, is := op.Args[name]; is {
			c.refuse("%s with %s is not translated", op.Name, name)
		}
	}
	if op.Args["space"].Text == "cluster" {
		c.refuse("%s of another CTA is not translated", op.Name)
	}
	p := op.Args["ptr"].Expr
	if p == nil {
		c.refuse("%s of what is not known", op.Name)
	}
	v := c.expr(p)
	if v.t.array {
		v = c.decayed(v)
	}
	if v.t.pointer() && v.t.space != ir.Shared || v.address != nil || !v.t.pointer() && !v.t.integer() {
		c.refuse("%s of what is no address of shared memory", op.Name)
	}
	in := blank(ir.MbarArrive)
	in.Space, in.A = ir.Shared, v.op
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
		in.Op, in.Order, in.B = ir.MbarTest, ir.Acquire, c.number(op, "phase", 0)
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
	c.emit(in)
	return value{t: voidType, op: ir.None}
}

func (c *compiler) atomic(op *dialect.Op, arg func(string) (program.Expr, bool)) value {
	name := strings.TrimPrefix(op.Name, "atomic")
	name, _, _ = strings.Cut(name, "_")
	mode, known := atomicModes[name]
	if !known {
		c.refuse("%s is not translated", op.Name)
	}
	p, _ := arg("ptr")
	ptr := c.expr(p)
	if ptr.t.array {
		ptr = c.decayed(ptr)
	}
	at := c.pointee(ptr)
	if at.memory == nil {
		c.refuse("an atomic operation on an object of the thread's own")
	}
	in := c.access(ir.Atomic, at)
	in.Result = ir.Type{}
	in.Mode, in.Order, in.Scope, in.Flags = mode, ir.Relaxed, ir.ScopeGPU, 0
	if strings.HasSuffix(op.Name, "_block") {
		in.Scope = ir.ScopeCTA
	}
	if strings.HasSuffix(op.Name, "_system") {
		in.Scope = ir.ScopeSys
	}
	operand := func(name string) ir.Operand {
		x, is := arg(name)
		if !is {
			return ir.None
		}
		v := c.convert(c.expr(x), at.t)
		if name == "value" && op.Kind == dialect.AtomicSub && at.t.integer() {
			v = c.compute(ir.Neg, at.t, v.op, ir.None)
		}
		return v.op
	}
	in.B = operand("value")
	if op.Kind == dialect.AtomicCas {
		in.B, in.C = operand("cmp"), in.B
	}
	if at.t.data() {
		in.B, in.C = ir.None, ir.None
	}
	in.D = c.temp(typeIn(at.t))
	c.emit(in)
	return value{t: at.t, op: ir.Operand{Reg: in.D}}
}

// copyAsync translates cp.async (PTX ISA 9.7.9.25.3).
func (c *compiler) copyAsync(arg func(string) (program.Expr, bool)) {
	to, ok1 := arg("dst")
	from, ok2 := arg("src")
	n, ok3 := arg("bytes")
	if !ok1 || !ok2 || !ok3 {
		c.refuse("a copy of which not all is said")
	}
	in := blank(ir.Async)
	in.Mode, in.Flags = uint8(ir.CpAsync), ir.ToShared
	dst, src := c.expr(to), c.expr(from)
	if dst.t.array {
		dst = c.decayed(dst)
	}
	if dst.t.pointer() && dst.t.space != ir.Shared {
		c.refuse("a copy to what is not shared memory")
	}
	in.Extra = &ir.Extra{Operands: []ir.Operand{dst.op, src.op, ir.None, ir.None}, Offsets: make([]int64, 4)}
	in.B = c.convert(c.expr(n), intType).op
	c.emit(in)
}
