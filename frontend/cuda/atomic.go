package cuda

import (
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Orders and scopes of the compiler's own atomic functions, by the numbers of their enumerators (CUDA C++ Programming Guide, CUDA C++ Memory Model built-ins). There is no order that is weaker than relaxed:
// one to be consumed is acquired.
var (
	atomicOrders = []ir.Order{ir.Relaxed, ir.Acquire, ir.Acquire, ir.Release, ir.AcquireRelease, ir.Sequential}
	atomicScopes = []ir.Scope{ir.ScopeCTA, ir.ScopeCTA, ir.ScopeCluster, ir.ScopeGPU, ir.ScopeSys} // that of a thread alone orders nothing for others; so does relaxed
)

// ordered are the operations on memory of the compiler's own atomic functions, as the IR numbers them.
var ordered = map[string]uint8{"__nv_atomic_fetch_add": 1, "__nv_atomic_fetch_sub": 1, "__nv_atomic_fetch_and": 2, "__nv_atomic_fetch_or": 3, "__nv_atomic_fetch_xor": 4, "__nv_atomic_fetch_min": 5,
	"__nv_atomic_fetch_max": 6, "__nv_atomic_exchange_n": 9, "__nv_atomic_compare_exchange_n": 10, "__nv_atomic_add": 1, "__nv_atomic_sub": 1, "__nv_atomic_and": 2, "__nv_atomic_or": 3,
	"__nv_atomic_xor": 4, "__nv_atomic_min": 5, "__nv_atomic_max": 6}

func isAtomicBuiltin(name string) bool { return strings.HasPrefix(name, "__nv_atomic_") }

// atomicBuiltin translates an atomic function that is given its order and its scope.
func (c *compiler) atomicBuiltin(name string, x *program.Call) (value, bool) {
	nothing := value{t: voidType, op: ir.None}
	if !isAtomicBuiltin(name) {
		return value{}, false
	}
	n := len(x.Args)
	mode, modifies := ordered[name]
	switch {
	case name == "__nv_atomic_thread_fence" && n == 2:
		if order, scope := c.orderOf(x, n-2); order != ir.Relaxed {
			c.fence(order, scope)
		}
		return nothing, true
	case name == "__nv_atomic_load_n" && n == 3:
		order, scope := c.orderOf(x, n-2)
		at := c.atomicPlace(x.Args[0])
		if order == ir.Sequential {
			c.fence(order, scope)
			order = ir.Acquire
		}
		return c.ordering(order, scope, func() value { return c.load(at) }), true
	case name == "__nv_atomic_store_n" && n == 4:
		order, scope := c.orderOf(x, n-2)
		at := c.atomicPlace(x.Args[0])
		v := c.convert(c.value(x.Args[1]), at.t)
		if order == ir.Sequential {
			c.fence(order, scope)
			order = ir.Relaxed
		}
		c.ordering(order, scope, func() value { c.store(at, v); return nothing })
		return nothing, true
	case modifies && mode != 10 && n == 4:
		order, scope := c.orderOf(x, n-2)
		at := c.atomicPlace(x.Args[0])
		v := c.convert(c.value(x.Args[1]), at.t)
		if strings.HasSuffix(name, "sub") && at.t.integer() {
			v = c.compute(ir.Neg, at.t, v.op, ir.None)
		}
		return c.modify(at, mode, order, scope, v.op, ir.None), true
	case modifies && n == 7:
		order, scope := c.orderOf(x, 4)
		if failed, _ := c.orderOf(x, 5); failed == ir.Acquire && order == ir.Release { // one access has both
			order = ir.AcquireRelease
		} else if failed > order {
			order = failed
		}
		at := c.atomicPlace(x.Args[0])
		expected := c.pointee(c.decayed(c.loaded(c.expr(x.Args[1]))))
		before := c.scalar(c.convert(c.loaded(c.load(expected)), at.t))
		desired := c.convert(c.value(x.Args[2]), at.t)
		old := c.modify(at, mode, order, scope, before.op, desired.op)
		same := c.compare(ir.Equal, typeIn(at.t), old.op, before.op)
		c.store(expected, c.convert(old, expected.t))
		return c.plain(value{t: boolType, op: same}), true
	}
	c.refuse(limit.Operation, "%s with %d arguments is not translated", name, n)
	return nothing, true
}

// orderOf are the order and the scope that an atomic function is given, from an argument on.
func (c *compiler) orderOf(x *program.Call, first int) (ir.Order, ir.Scope) {
	order, known := c.constant(x.Args[first])
	scope, is := c.constant(x.Args[len(x.Args)-1])
	if !known || !is || order < 0 || order >= int64(len(atomicOrders)) || scope < 0 || scope >= int64(len(atomicScopes)) {
		c.refuse(limit.Operation, "the order and the scope of an atomic operation are not known")
	}
	if scope == 0 {
		order = 0
	}
	return atomicOrders[order], atomicScopes[scope]
}

func (c *compiler) fence(order ir.Order, scope ir.Scope) {
	in := blank(ir.Fence)
	if in.Order, in.Scope = order, scope; order != ir.Sequential {
		in.Order = ir.AcquireRelease
	}
	c.emit(in)
}

// atomicPlace is where a pointer leads, whose value others change.
func (c *compiler) atomicPlace(x program.Expr) *place {
	at := *c.pointee(c.decayed(c.loaded(c.expr(x))))
	strong := *at.t
	strong.strong = true
	at.t = &strong
	return &at
}

// ordering gives the accesses that a part of the translation emits an order and a scope.
func (c *compiler) ordering(order ir.Order, scope ir.Scope, part func() value) value {
	start := len(c.code.Insts)
	v := part()
	for k := start; k < len(c.code.Insts); k++ {
		if in := &c.code.Insts[k]; in.Op == ir.Load || in.Op == ir.Store {
			in.Order, in.Scope = order, scope
		}
	}
	return v
}

// modify emits an operation that reads and writes memory at once, and gives what was there before.
func (c *compiler) modify(at *place, mode uint8, order ir.Order, scope ir.Scope, b, d ir.Operand) value {
	if order == ir.Sequential {
		c.fence(order, scope)
		order = ir.AcquireRelease
	}
	if at.memory == nil {
		c.forgetPlace(at)
		return c.unknown(at.t)
	}
	if at.memory.lost {
		c.outside(limit.DataAddress.Says("memory is written at a place that is not known"), 0)
		return c.unknown(at.t)
	}
	if at.t.fields != nil && at.t.ofNumbers() { // each of its numbers by itself (CUDA C++ Programming Guide, atomicAdd of float2 and float4)
		for _, f := range at.t.fields {
			c.modify(c.memberOf(at, f.name), mode, order, scope, ir.None, ir.None)
		}
		return c.unknown(at.t)
	}
	if at.t.fields != nil || at.t.pointer() {
		c.refuse(limit.Source, "an atomic operation on an object")
	}
	in := c.access(ir.Atomic, at)
	in.Result = ir.Type{}
	in.Mode, in.Order, in.Scope, in.Flags = mode, order, scope, 0
	if in.B, in.C = b, d; at.t.data() || at.t.opaque {
		in.B, in.C = ir.None, ir.None
	}
	in.D = c.temp(in.Type)
	c.emit(in)
	return value{t: at.t, op: ir.Operand{Reg: in.D}}
}
