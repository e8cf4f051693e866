package dialect

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
)

// name builds "cute.arch.f" as the readers do.
func name(lang program.Language, s string) program.Expr {
	if lang == program.CUDA {
		return &program.Name{Ident: s}
	}
	parts := strings.Split(s, ".")
	var x program.Expr = &program.Name{Ident: parts[0]}
	for _, p := range parts[1:] {
		x = &program.Attr{X: x, Name: p}
	}
	return x
}

// show prints an operation with its arguments in order.
func show(op Op) string {
	var args []string
	for _, p := range parameters(op.Kind) {
		if a, ok := op.Args[p.name]; ok {
			args = append(args, p.name+"="+showArg(a))
		}
	}
	return string(op.Kind) + "(" + strings.Join(args, ", ") + ")"
}

func showArg(a Arg) string {
	if a.Text != "" {
		return a.Text
	}
	return showExpr(a.Expr)
}

func showExpr(x program.Expr) string {
	switch e := x.(type) {
	case *program.Name:
		return e.Ident
	case *program.Attr:
		return showExpr(e.X) + "." + e.Name
	case *program.Int:
		return constantText(e)
	case *program.Binary:
		return showExpr(e.X) + e.Op + showExpr(e.Y)
	case *program.Unary:
		return e.Op + showExpr(e.X)
	}
	return "?"
}

// arg reads a test argument: a number, "word", True, None or a name.
func arg(s string) program.Expr {
	switch {
	case s == "True" || s == "False":
		return &program.Bool{Value: s == "True"}
	case s == "None":
		return &program.None{}
	case s[0] == '"':
		return &program.String{Value: strings.Trim(s, `"`)}
	case s[0] >= '0' && s[0] <= '9':
		n := int64(0)
		for _, c := range s {
			n = n*10 + int64(c-'0')
		}
		return &program.Int{Value: n}
	case strings.Contains(s, ".") && !strings.Contains(s, "::"):
		return name(program.CuTe, s)
	}
	return &program.Name{Ident: s}
}

// call reads "f(a, k=v)" with flat arguments.
func call(lang program.Language, s string) *program.Call {
	fun, rest, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	c := &program.Call{}
	if recv, method, ok := strings.Cut(fun, "->"); ok {
		c.Fun = &program.Attr{X: &program.Name{Ident: recv}, Name: method, Arrow: true}
	} else {
		if f, targs, ok := strings.Cut(fun, "<"); ok {
			fun = f
			c.Template = append(c.Template, arg(strings.TrimSuffix(targs, ">")))
		}
		c.Fun = name(lang, fun)
	}
	for _, a := range splitList(rest) {
		if k, v, ok := strings.Cut(a, "="); ok {
			c.Keywords = append(c.Keywords, program.Keyword{Name: k, Value: arg(v)})
		} else {
			c.Args = append(c.Args, arg(a))
		}
	}
	return c
}

func TestRows(t *testing.T) {
	for f, split := range map[string]func(string) []string{"rows/cutedsl.txt": components, "rows/cuda.txt": components, "rows/ptx.txt": modifiers} {
		rows, errs := parseRows(f, split)
		for _, err := range errs {
			t.Errorf("%s: %v", f, err)
		}
		if len(rows) < 20 {
			t.Errorf("%s: only %d rows", f, len(rows))
		}
	}
}

func TestEffectRows(t *testing.T) {
	for _, f := range []string{"rows/cutedsl_effects.txt", "rows/cuda_effects.txt", "rows/ptx_effects.txt"} {
		rows, errs := parseEffects(f)
		for _, err := range errs {
			t.Errorf("%s: %v", f, err)
		}
		if len(rows) < 100 {
			t.Errorf("%s: only %d names", f, len(rows))
		}
	}
}

func TestRoleRows(t *testing.T) {
	rows, errs := parseRoles("rows/cuda_premises.txt")
	for _, err := range errs {
		t.Error(err)
	}
	for name, role := range map[string]Role{"__requires": Premise, "__invariant": Claim, "__enabled": Enabled, "__implies": Implies, "requires": Unsaid} {
		if RoleOf(name) != role {
			t.Errorf("%s is %q, want %q", name, RoleOf(name), role)
		}
	}
	if len(rows) < 20 {
		t.Errorf("only %d names", len(rows))
	}
}

func TestEffect(t *testing.T) {
	for _, c := range []struct {
		lang   program.Language
		name   string
		opened []string
		want   Effect
	}{
		{program.CUDA, "__expf", nil, Computes},
		{program.CUDA, "::fmaxf", nil, Computes},
		{program.CUDA, "__exchange", nil, Unread},
		{program.CUDA, "Exchange", nil, Unread},
		{program.CUDA, "mine::expf", nil, Unread},
		{program.CUDA, "std::clamp", nil, Computes},
		{program.CUDA, "clamp", nil, Unread},
		{program.CUDA, "clamp", []string{"std"}, Computes},
		{program.CUDA, "clamp", []string{"std::clamp"}, Computes},
		{program.CUDA, "clamp", []string{"std::min"}, Unread},
		{program.CUDA, "numeric_limits::max", []string{"std"}, Computes},
		{program.CUDA, "cute::exchange", nil, Unread},
		{program.CUDA, "cute::copy", nil, Unread},
		{program.CUDA, "cute::make_layout", nil, Views},
		{program.CUDA, "local_tile", []string{"cute"}, Views},
		{program.CUDA, "local_tile", nil, Unread},
		{program.CUDA, "__shfl_xor_sync", nil, Converges},
		{program.CuTe, "cutlass.cute.arch.fmax", nil, Computes},
		{program.CuTe, "cutlass.cute.arch.settle", nil, Unread},
		{program.CuTe, "cutlass.cute.nvgpu.tcgen05.copy.Repetition", nil, Computes},
		{program.CuTe, "mine.arch.fmax", nil, Unread},
		{program.CuTe, "cutlass._mlir.dialects.arith.extf", nil, Computes},
		{program.CuTe, "cutlass._mlir.dialects.llvm.load", nil, Touches},
		{program.CuTe, "min", nil, Computes},
		{program.CuTe, "mine.min", nil, Unread},
	} {
		if got := New(c.lang).Effect(c.name, c.opened); got != c.want {
			t.Errorf("%s of %s, opened %q: %q, want %q", c.name, c.lang, c.opened, got, c.want)
		}
	}
}

func TestCall(t *testing.T) {
	for _, c := range []struct {
		lang      program.Language
		typ       string
		src, want string
	}{
		{program.CuTe, "", `cute.arch.mbarrier_wait(full, phase)`, "mbarrier_wait(ptr=full, phase=phase)"},
		{program.CuTe, "", `cute.arch.mbarrier_wait(mbar_ptr=full, phase=0)`, "mbarrier_wait(ptr=full, phase=0)"},
		{program.CuTe, "", `mbarrier_init(ptr, expected=4)`, "mbarrier_init(ptr=ptr, count=4)"},
		{program.CuTe, "", `mbarrier_arrive(remote, space="cluster")`, "mbarrier_arrive(ptr=remote, space=cluster)"},
		{program.CuTe, "", `cute.arch.mbarrier_arrive(b, None)`, "mbarrier_arrive(ptr=b)"},
		{program.CuTe, "", `cute.arch.mbarrier_arrive(b, peer, scope=Scope.CTA)`, "mbarrier_arrive(ptr=b, peer=peer, scope=cta)"},
		{program.CuTe, "", `cute.arch.mbarrier_arrive_and_expect_tx(b, n, relaxed=True)`, "mbarrier_arrive_expect_tx(ptr=b, bytes=n, sem=relaxed)"},
		{program.CuTe, "", `atomic_add(ctr, 1, sem="release", scope="gpu")`, "atomic_add(ptr=ctr, value=1, sem=release, scope=gpu)"},
		{program.CuTe, "", `load(ctr, sem="acquire", scope="gpu")`, "load(ptr=ctr, sem=acquire, scope=gpu)"},
		{program.CuTe, "", `load(ctr)`, ""},
		{program.CuTe, "", `cute.arch.barrier(barrier_id=1, number_of_threads=128)`, "named_barrier_sync(id=1, count=128, aligned=true)"},
		{program.CuTe, "", `cute.arch.barrier()`, "cta_sync()"},
		{program.CuTe, "", `cute.arch.fence_proxy("async.shared", space="cta")`, "fence_proxy(kind=async, space=cta)"},
		{program.CuTe, "", `cute.arch.fence_proxy(ProxyKind.async_global)`, "fence_proxy(kind=async, space=global)"},
		{program.CuTe, "", `cute.copy(tma_atom, a, b, tma_bar_ptr=bar)`, "tma_load(ptr=bar, dst=b, src=a, atom=tma_atom)"},
		{program.CuTe, "", `cute.copy(atom, a, b)`, ""},
		{program.CuTe, "pipeline.NamedBarrier", `bar->arrive_and_wait()`, "named_barrier_sync(id=bar.barrier_id, count=bar.num_threads)"},
		{program.CUDA, "", `__syncthreads_or(p)`, "cta_sync()"},
		{program.CUDA, "", `atomicAdd_block(p, 1)`, "atomic_add(ptr=p, value=1, sem=relaxed, scope=cta)"},
		{program.CUDA, "", `my_own(p)`, ""},
		{program.CUDA, "cutlass::arch::ClusterTransactionBarrier*", `full->wait(ph)`, "mbarrier_wait(ptr=full, phase=ph)"},
		{program.CUDA, "cutlass::arch::ClusterTransactionBarrier const&", `full->arrive(cta, p)`, "mbarrier_arrive(ptr=full, peer=cta, pred=p)"},
		{program.CUDA, "std::mutex", `full->wait(ph)`, ""},
		{program.CUDA, "auto", `full->arrive_and_expect_tx(64)`, "mbarrier_arrive_expect_tx(ptr=full, bytes=64)"},
		{program.CUDA, "", `cutlass::arch::ClusterBarrier::wait(p, ph)`, "mbarrier_wait(ptr=p, phase=ph)"},
		{program.CUDA, "", `cutlass::arch::NamedBarrier::sync(128, 1)`, "named_barrier_sync(id=1+8, count=128, aligned=true)"},
		{program.CUDA, "", `NamedBarrier::sync(128, cutlass::arch::ReservedNamedBarriers::EpilogueBarrier)`, "named_barrier_sync(id=cutlass::arch::ReservedNamedBarriers::EpilogueBarrier, count=128, aligned=true)"},
		{program.CUDA, "", `tma_store_wait<2>()`, "bulk_wait(count=2, read=true)"},
		{program.CUDA, "", `cuda::ptx::mbarrier_arrive_expect_tx(sem_release, scope_cluster, space_cluster, b, n)`, "mbarrier_arrive_expect_tx(ptr=b, bytes=n, sem=release, scope=cluster, space=cluster)"},
		{program.CUDA, "cuda::atomic_ref<int, cuda::thread_scope_block>", `r->load(memory_order_acquire)`, "load(ptr=r, sem=acquire, scope=cta)"},
		{program.CuTe, "", `nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(d, t, c, b, [], predicate=p)`, "tma_load(ptr=b, dst=d, src=t, pred=p)"},
		{program.CuTe, "", `nvvm.mbarrier_try_wait_parity(b, ph, 100)`, "mbarrier_wait(ptr=b, phase=ph)"},
		{program.CuTe, "", `nvvm.clusterlaunchcontrol_try_cancel(r, b, loc=loc, ip=ip)`, "clc_try_cancel(ptr=b, response=r, multicast=0)"},
		{program.CuTe, "", `nvvm.clusterlaunchcontrol_try_cancel(smem_address=r, mbarrier=b, multicast=m)`, "clc_try_cancel(ptr=b, response=r, multicast=m)"},
		{program.CuTe, "", `prims.mbarrier_try_wait_parity(b, ph, time_limit=100)`, "mbarrier_try_wait(ptr=b, phase=ph)"},
		{program.CuTe, "", `prims.mbarrier_wait_parity(b, ph, kind)`, "mbarrier_try_wait(ptr=b, phase=ph)"},
		{program.CuTe, "", `cute.arch.nvvm.exit()`, "exit()"},
		{program.CuTe, "", `prims.exit()`, "exit()"},
		{program.CuTe, "", `T.mbarrier_wait_parity(b, ph)`, ""}, // of another language, where it blocks
	} {
		op, ok := New(c.lang).Call(call(c.lang, c.src), func(program.Expr) string { return c.typ })
		got := ""
		if ok {
			got = show(op)
		}
		if got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.lang, c.src, got, c.want)
		}
	}
}

// A method of an object that is made on the spot is the static member with the constructor's arguments.
func TestMade(t *testing.T) {
	object := call(program.CUDA, "cutlass::arch::NamedBarrier(128, 1)")
	for method, want := range map[string]string{
		"arrive_and_wait": "named_barrier_sync(id=1+8, count=128, aligned=true)",
		"arrive":          "named_barrier_arrive(id=1+8, count=128, aligned=true)",
		"init":            "",
	} {
		got := ""
		if op, ok := New(program.CUDA).Call(&program.Call{Fun: &program.Attr{X: object, Name: method}}, nil); ok {
			got = show(op)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", method, got, want)
		}
	}
}

func TestWrapper(t *testing.T) {
	tab := New(program.CUDA)
	if err := tab.AddWrapper("my::wait", "mbarrier_wait(ptr=$0, phase=$1)"); err != nil {
		t.Fatal(err)
	}
	op, ok := tab.Call(call(program.CUDA, "my::wait(b, ph)"), nil)
	if !ok || show(op) != "mbarrier_wait(ptr=b, phase=ph)" {
		t.Errorf("got %v %v", op, ok)
	}
	if _, ok := tab.Call(call(program.CUDA, "my::wait(b)"), nil); ok {
		t.Error("a call without the phase must not match")
	}
	if _, ok := New(program.CUDA).Call(call(program.CUDA, "my::wait(b, ph)"), nil); ok {
		t.Error("a wrapper leaked into another table")
	}
	for spec, want := range map[string]string{
		"mbarrier_await(ptr=$0)":                    "unknown operation",
		"mbarrier_wait(ptr=$0)":                     `needs "phase"`,
		"mbarrier_wait(ptr=$0, phase=$1, colour=1)": "no parameter",
		"mbarrier_wait(ptr=$0, phase=parity)":       "not a parameter",
		"mbarrier_wait(ptr=$0, phase=$1":            "expected operation",
		"mbarrier_wait(ptr=$0, ptr=$1, phase=$1)":   "twice",
	} {
		if err := tab.AddWrapper("w", spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}

func instr(op string, mods string, operands ...string) program.Instr {
	i := program.Instr{Op: op, Modifiers: strings.Fields(mods)}
	for _, o := range operands {
		t := strings.Trim(o, "[]")
		i.Operands = append(i.Operands, program.Operand{Text: t, Address: t != o})
	}
	return i
}

func TestInstr(t *testing.T) {
	asm := &program.Asm{Inputs: []program.AsmOperand{{X: &program.Name{Ident: "bar"}}, {X: &program.Name{Ident: "n"}}}}
	for _, c := range []struct {
		i    program.Instr
		want string
	}{
		{instr("mbarrier", "init shared::cta b64", "[%0]", "%1"), "mbarrier_init(ptr=bar, count=n)"},
		{instr("mbarrier", "arrive shared::cta b64", "_", "[%0]"), "mbarrier_arrive(ptr=bar, space=cta)"},
		{instr("mbarrier", "arrive expect_tx release cluster shared::cluster b64", "_", "[%0]", "%1"), "mbarrier_arrive_expect_tx(ptr=bar, bytes=n, sem=release, scope=cluster, space=cluster)"},
		{instr("mbarrier", "try_wait parity shared::cta b64", "p", "[%0]", "%1"), "mbarrier_try_wait(ptr=bar, phase=n, space=cta)"},
		{instr("ld", "global acquire gpu b32", "r", "[%0+16]"), "load(ptr=%0+16, sem=acquire, scope=gpu, space=global)"},
		{instr("st", "shared b32", "[%0]", "%1"), "store(ptr=bar, value=n, sem=weak, space=cta)"},
		{instr("bar", "sync", "1", "128"), "named_barrier_sync(id=1, count=128, aligned=true)"},
		{instr("barrier", "cluster arrive relaxed aligned"), "cluster_arrive(sem=relaxed)"},
		{instr("fence", "proxy async shared::cta"), "fence_proxy(kind=async, space=cta)"},
		{instr("membar", "gl"), "fence(sem=sc, scope=gpu)"},
		{instr("cp", "async bulk commit_group"), "bulk_commit()"},
		{instr("cp", "async bulk wait_group read", "0"), "bulk_wait(count=0, read=true)"},
		{instr("cp", "async bulk global shared::cta bulk_group", "[%0]", "[s]", "64"), "tma_store(dst=bar, src=s)"},
		{instr("cp", "async bulk shared::cluster global mbarrier::complete_tx::bytes", "[d]", "[s]", "%1", "[%0]"), "tma_load(ptr=bar, dst=d, src=s, bytes=n)"},
		{instr("atom", "add release gpu global u32", "r", "[%0]", "1"), "atomic_add(ptr=bar, value=1, sem=release, scope=gpu, space=global)"},
		{instr("add", "s32", "a", "b", "c"), ""},
	} {
		asm.Instrs = []program.Instr{c.i}
		var got []string
		for _, op := range New(program.CUDA).Instr(&asm.Instrs[0], asm) {
			got = append(got, show(op))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s.%s: got %q, want %q", c.i.Op, strings.Join(c.i.Modifiers, "."), got, c.want)
		}
	}
}

// TestInstrInStatement checks what only the whole asm statement tells: peers, predicates and retry loops.
func TestInstrInStatement(t *testing.T) {
	asm := &program.Asm{
		Inputs: []program.AsmOperand{{X: &program.Name{Ident: "bar"}}, {X: &program.Name{Ident: "cta"}}, {X: &program.Name{Ident: "pred"}}},
		Instrs: []program.Instr{
			instr("setp", "eq u32", "p", "%2", "1"),
			instr("mapa", "shared::cluster u32", "remote", "%0", "%1"),
			instr("mbarrier", "arrive shared::cluster b64", "_", "[remote]"),
			instr("mbarrier", "try_wait parity b64", "q", "[%0]", "1"),
			instr("bra", "", "LOOP"),
		},
	}
	asm.Instrs[2].Pred, asm.Instrs[3].Label = "p", "LOOP"
	tab := New(program.CUDA)
	arrive := tab.Instr(&asm.Instrs[2], asm)
	if len(arrive) != 1 || showExpr(arrive[0].Expr("ptr")) != "bar" || showExpr(arrive[0].Expr("peer")) != "cta" || showExpr(arrive[0].Expr("pred")) != "pred" {
		t.Errorf("remote arrive: %+v", arrive)
	}
	if wait := tab.Instr(&asm.Instrs[3], asm); len(wait) != 1 || wait[0].Kind != MbarrierWait {
		t.Errorf("retried try_wait: %+v", wait)
	}
	if got := tab.Instr(&program.Instr{Op: "mbarrier", Modifiers: []string{"init"}}, nil); got != nil {
		t.Errorf("init without operands: %+v", got)
	}
}

func TestAttr(t *testing.T) {
	e := &program.Attr{X: &program.Name{Ident: "threadIdx"}, Name: "x"}
	if op, ok := New(program.CUDA).Attr(e); !ok || op.Kind != ThreadIdx || op.Text("axis", "") != "x" {
		t.Errorf("threadIdx.x: %v %v", op, ok)
	}
	if _, ok := New(program.CuTe).Attr(e); ok {
		t.Error("threadIdx.x is not Python")
	}
}

func TestSignaturesCoverKinds(t *testing.T) {
	if !slices.IsSorted(kindNames()) || len(kindNames()) < 50 {
		t.Error("kindNames")
	}
}
