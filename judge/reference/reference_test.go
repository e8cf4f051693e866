package reference

import (
	"testing"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

var (
	t0       = kernel.Leaf(kernel.Tid)
	wholeCTA = &kernel.Stmt{Op: kernel.SyncThreads}
	both     = &kernel.Stmt{Op: kernel.BarSync, A: kernel.N(1), B: kernel.N(64)}
	warpOnly = &kernel.Stmt{Op: kernel.SyncWarp, Mask: 1<<32 - 1}
)

func put(i, v *kernel.Expr) *kernel.Stmt {
	return &kernel.Stmt{Op: kernel.Store, Name: "s", A: i, B: v}
}

func get(i *kernel.Expr) *kernel.Stmt { return &kernel.Stmt{Op: kernel.Read, Name: "s", A: i} }

func when(c *kernel.Expr, body ...*kernel.Stmt) *kernel.Stmt {
	return &kernel.Stmt{Op: kernel.If, A: c, Body: body}
}

func rounds(n *kernel.Expr, body ...*kernel.Stmt) *kernel.Stmt {
	return &kernel.Stmt{Op: kernel.For, Name: "i", A: kernel.N(0), B: n, C: kernel.N(1), Body: body}
}

func atGate(op kernel.StmtOp, at, n *kernel.Expr) *kernel.Stmt {
	return &kernel.Stmt{Op: op, Name: "b", A: at, B: n}
}

func unsigned(v int64) *kernel.Expr {
	return &kernel.Expr{Op: kernel.Const, Type: kernel.Unsigned, Value: v}
}

// What the reference says of kernels of which one knows it.
func TestJudge(t *testing.T) {
	n, i := kernel.V("n"), kernel.V("i")
	other := kernel.X(kernel.Sub, kernel.N(63), t0)
	setup := when(kernel.X(kernel.Equal, t0, kernel.N(0)), atGate(kernel.InitGate, kernel.N(0), kernel.N(64)))
	everyone := func(parity *kernel.Expr) *kernel.Stmt {
		return rounds(n, atGate(kernel.Arrive, kernel.N(0), kernel.N(1)), atGate(kernel.Wait, kernel.N(0), parity))
	}
	first := when(kernel.X(kernel.Less, t0, kernel.N(32)), put(t0, t0))
	cases := []struct {
		name, want, undefined string
		body                  []*kernel.Stmt
	}{
		{"a barrier between", "", "", []*kernel.Stmt{put(t0, t0), wholeCTA, get(other)}},
		{"no barrier", "race", "", []*kernel.Stmt{put(t0, t0), get(other)}},
		{"a barrier of warps only", "race", "", []*kernel.Stmt{put(t0, t0), warpOnly, get(other)}},
		{"within warps", "", "", []*kernel.Stmt{put(t0, t0), warpOnly, get(kernel.X(kernel.Xor, t0, kernel.N(31)))}},
		{"the next round writes early", "race", "", []*kernel.Stmt{rounds(n, put(t0, t0), wholeCTA, get(other))}},
		{"two barriers a round", "", "", []*kernel.Stmt{rounds(n, put(t0, t0), wholeCTA, get(other), wholeCTA)}},
		{"one warp alone at a barrier for two", "deadlock", "", []*kernel.Stmt{
			when(kernel.X(kernel.Less, t0, kernel.N(32)), &kernel.Stmt{Op: kernel.BarSync, A: kernel.N(1), B: kernel.N(64)})}},
		{"one warp leaves", "", "", []*kernel.Stmt{when(kernel.X(kernel.LessEqual, kernel.N(32), t0), &kernel.Stmt{Op: kernel.Return}), wholeCTA}},
		{"lanes at different barriers", "deadlock", "", []*kernel.Stmt{
			{Op: kernel.If, A: kernel.X(kernel.Less, t0, kernel.N(16)), Body: []*kernel.Stmt{wholeCTA}, Else: []*kernel.Stmt{warpOnly}}}},
		{"phases in turn", "", "", []*kernel.Stmt{setup, wholeCTA, everyone(kernel.X(kernel.And, i, kernel.N(1)))}},
		{"always the first phase", "deadlock", "", []*kernel.Stmt{setup, wholeCTA, everyone(kernel.N(0))}},
		{"before its initialisation is known", "use before init", "", []*kernel.Stmt{setup, everyone(kernel.X(kernel.And, i, kernel.N(1)))}},
		{"more arrive than there are", "arrivals", "", []*kernel.Stmt{setup, wholeCTA, atGate(kernel.Arrive, kernel.N(0), kernel.N(3))}},
		{"below zero without a sign", "deadlock", "", []*kernel.Stmt{
			when(kernel.X(kernel.Less, kernel.X(kernel.Sub, kernel.To(kernel.Unsigned, t0), unsigned(32)), unsigned(32)), both)}},
		{"below zero with a sign", "", "", []*kernel.Stmt{
			when(kernel.X(kernel.Less, kernel.X(kernel.Sub, t0, kernel.N(32)), kernel.N(32)), both)}},
		{"equal values at one line", "", "", []*kernel.Stmt{put(kernel.N(0), kernel.N(1))}},
		{"different values at one line", "race", "", []*kernel.Stmt{put(kernel.N(0), t0)}},
		{"atomics", "", "", []*kernel.Stmt{{Op: kernel.Atomic, Name: "s", A: kernel.N(0), B: kernel.N(1)}}},
		{"an atomic and a plain read", "race", "", []*kernel.Stmt{{Op: kernel.Atomic, Name: "s", A: kernel.N(0), B: kernel.N(1)}, get(kernel.N(0))}},
		{"a copy that is not awaited", "race", "", []*kernel.Stmt{when(kernel.X(kernel.Equal, t0, kernel.N(0)), &kernel.Stmt{Op: kernel.CopyAsync, Name: "s", A: kernel.N(0)},
			&kernel.Stmt{Op: kernel.CommitGroup}), wholeCTA, get(t0)}},
		{"a copy that is", "", "", []*kernel.Stmt{when(kernel.X(kernel.Equal, t0, kernel.N(0)), &kernel.Stmt{Op: kernel.CopyAsync, Name: "s", A: kernel.N(0)},
			&kernel.Stmt{Op: kernel.CommitGroup}, &kernel.Stmt{Op: kernel.WaitGroup}), wholeCTA, get(t0)}},
		{"handed over on one side only", "", "", []*kernel.Stmt{first,
			{Op: kernel.If, A: kernel.X(kernel.Less, t0, kernel.N(32)), Body: []*kernel.Stmt{{Op: kernel.BarArrive, A: kernel.N(1), B: kernel.N(64)}},
				Else: []*kernel.Stmt{{Op: kernel.BarSync, A: kernel.N(1), B: kernel.N(64)}, get(other)}}}},
		{"out of bounds", "", "an index out of bounds", []*kernel.Stmt{put(kernel.X(kernel.Add, t0, kernel.N(1)), t0)}},
	}
	for _, c := range cases {
		k := &kernel.Kernel{Warps: 2, Params: []string{"n"}, Body: c.body, Arrays: []*kernel.Array{{Name: "s", Length: 64}}, Barriers: []*kernel.Mbarrier{{Name: "b", Length: 1}}}
		a := Judge(k, 32, []int64{0, 1, 2, 3})
		if a.Kind != c.want || a.Undefined != c.undefined {
			t.Errorf("%s: %q %q, want %q %q", c.name, a.Kind, a.Undefined, c.want, c.undefined)
		}
	}
}

// Bytes wrap, a narrow shift promotes in C++ and not in the DSL, and of an int and an unsigned the unsigned decides.
func TestOperate(t *testing.T) {
	for _, c := range []struct {
		l    kernel.Language
		op   kernel.Op
		a, b number
		v    int64
		of   kernel.Type
	}{
		{kernel.CUDA, kernel.Add, number{v: 255, t: kernel.Byte}, number{v: 1, t: kernel.Byte}, 256, kernel.Int},
		{kernel.CuTe, kernel.Add, number{v: 255, t: kernel.Byte}, number{v: 1, t: kernel.Byte}, 0, kernel.Byte},
		{kernel.CuTe, kernel.Add, number{v: 255, t: kernel.Byte}, number{v: 1}, 256, kernel.Int},
		{kernel.CUDA, kernel.Sub, number{t: kernel.Unsigned}, number{v: 1}, 1<<32 - 1, kernel.Unsigned},
		{kernel.CUDA, kernel.Less, number{v: -1}, number{v: 1, t: kernel.Unsigned}, 0, kernel.Int},
		{kernel.CUDA, kernel.Rem, number{v: -7}, number{v: 4}, -3, kernel.Int},
		{kernel.CUDA, kernel.Shr, number{v: 1<<32 - 1, t: kernel.Unsigned}, number{v: 16}, 0xffff, kernel.Unsigned},
		{kernel.CuTe, kernel.Add, number{v: 1<<31 - 1}, number{v: 1}, -1 << 31, kernel.Int},
	} {
		if got := operate(c.l, c.op, c.a, c.b); got.v != c.v || got.t != c.of {
			t.Errorf("%v: %+v %d %+v is %+v, want %d of type %d", c.l, c.a, c.op, c.b, got, c.v, c.of)
		}
	}
}
