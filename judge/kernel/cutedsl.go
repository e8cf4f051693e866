package kernel

import (
	"fmt"
	"strings"
)

var cuteTypes = [...]string{Int: "cutlass.Int32", Unsigned: "cutlass.Uint32", Byte: "cutlass.Uint8"}

var cuteOps = map[Op]string{Add: "+", Sub: "-", Mul: "*", Div: "//", Rem: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Less: "<", LessEqual: "<=", Equal: "==", NotEqual: "!=", Both: "and", Either: "or"}

// cute prints the kernel as CuTe DSL.
func (k *Kernel) cute() string {
	p := &page{width: 4}
	w := &cuteWriter{page: p, k: k}
	p.line("import cutlass\nimport cutlass.cute as cute\nimport cutlass.pipeline as pipeline\n\n")
	for _, f := range k.Functions {
		if f.Form != Closure {
			w.function(f)
			p.line("\n")
		}
	}
	params := []string{"source: cute.Tensor", "out: cute.Tensor"}
	args := []string{"source", "out"}
	for _, a := range k.Arrays {
		if a.Global {
			params, args = append(params, a.Name+": cute.Tensor"), append(args, a.Name)
		}
	}
	for _, n := range k.Params {
		params, args = append(params, n+": cutlass.Int32"), append(args, n)
	}
	p.line("@cute.kernel\ndef kernel(%s):", strings.Join(params, ", "))
	p.indent++
	w.own(k.uses(k.Body))
	w.storage()
	for _, f := range k.Functions {
		if f.Form == Closure {
			w.function(f)
		}
	}
	w.list(k.Body)
	p.indent--
	p.line("\n\n@cute.jit\ndef main(%s):", strings.Join(params, ", "))
	p.line("    kernel(%s).launch(grid=(1, 1, 1), block=(%d, 1, 1))", strings.Join(args, ", "), k.Threads())
	return p.String()
}

// storage allocates what is in shared memory.
func (w *cuteWriter) storage() {
	shared := w.k.shared()
	w.line("smem = cutlass.utils.SmemAllocator()")
	if w.k.Style.Struct && len(shared)+len(w.k.Barriers) > 0 {
		w.line("@cute.struct\n    class Storage:")
		for _, b := range w.k.Barriers {
			w.line("    %s: cute.struct.MemRange[cutlass.Int64, %d]", b.Name, b.Length)
		}
		for _, a := range shared {
			w.line("    %s: cute.struct.Align[cute.struct.MemRange[cutlass.Int32, %d], 16]", a.Name, a.Length)
		}
		w.line("storage = smem.allocate(Storage)")
		for _, b := range w.k.Barriers {
			w.line("%s = storage.%[1]s.data_ptr()", b.Name)
		}
		for _, a := range shared {
			w.line("%s = storage.%[1]s.get_tensor(cute.make_layout(%d))", a.Name, a.Length)
		}
		return
	}
	if w.k.Style.Listed && len(shared) > 0 {
		w.line("tiles = []")
	}
	for i, a := range shared {
		tensor := fmt.Sprintf("smem.allocate_tensor(cutlass.Int32, cute.make_layout(%d), 16)", a.Length)
		if w.k.Style.Listed {
			w.line("tiles.append(%s)", tensor)
			tensor = fmt.Sprintf("tiles[%d]", i)
		}
		w.line("%s = %s", a.Name, tensor)
	}
	for _, b := range w.k.Barriers {
		w.line("%s = smem.allocate_array(cutlass.Int64, num_elems=%d)", b.Name, b.Length)
	}
}

type cuteWriter struct {
	*page
	k     *Kernel
	scope Scope
}

func (w *cuteWriter) own(u uses) {
	w.scope = Scope{"": Int}
	for _, n := range w.k.Params {
		w.scope[n] = Int
	}
	if u.tid {
		w.line("t, _, _ = cute.arch.thread_idx()")
	}
	if u.warp {
		w.line("warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())")
	}
	if u.lane {
		w.line("lane = cute.arch.lane_idx()")
	}
}

func (w *cuteWriter) function(f *Function) {
	var params []string
	for _, p := range f.Params {
		note := "cute.Tensor"
		switch p.Kind {
		case Number:
			note = cuteTypes[p.Type]
		case Gate:
			note = "cute.Pointer"
		}
		params = append(params, p.Name+": "+note)
	}
	outer := w.scope
	if f.Form != Closure {
		w.line("@cute.jit")
		if w.k.reaches(f.Body) {
			params = append(params, "source: cute.Tensor", "out: cute.Tensor")
		}
	}
	w.line("def %s(%s):", f.Name, strings.Join(params, ", "))
	w.indent++
	if f.Form == Closure {
		inner := Scope{}
		for n, t := range outer {
			inner[n] = t
		}
		w.scope = inner
	} else {
		w.own(w.k.uses(f.Body))
	}
	for _, p := range f.Params {
		w.scope[p.Name] = p.Type
	}
	w.list(f.Body)
	w.indent--
	w.scope = outer
}

func (w *cuteWriter) list(list []*Stmt) {
	if len(list) == 0 {
		w.line("pass")
	}
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *cuteWriter) block(head string, list []*Stmt) {
	w.line("%s:", head)
	w.indent++
	w.list(list)
	w.indent--
}

// typed prints an expression as a value of a type.
func (w *cuteWriter) typed(t Type, e *Expr) string {
	if _, constant := e.IsConst(); !constant && CuTe.Of(e, w.scope) == t {
		return w.expr(e)
	}
	return cuteTypes[t] + "(" + w.expr(e) + ")"
}

func (w *cuteWriter) stmt(s *Stmt) {
	a, b := w.expr(s.A), w.expr(s.B)
	switch s.Op {
	case Declare:
		w.line("%s = %s", s.Name, w.typed(s.Type, s.A))
		w.scope[s.Name] = s.Type
	case Assign:
		w.line("%s = %s", s.Name, w.typed(w.scope[s.Name], s.A))
	case If:
		w.block("if "+a, s.Body)
		if len(s.Else) > 0 {
			w.block("else", s.Else)
		}
	case For:
		w.loop(s, a, b)
	case While:
		w.block("while "+a, s.Body)
	case Store:
		w.line("%s[%s] = %s", s.Name, a, b)
	case Read:
		w.line("out[t] %s= %s[%s]", [...]string{"", "+"}[s.Form%2], s.Name, a)
	case LoadVar:
		w.line("%s = %s[%s]", s.Other, s.Name, a)
	case Input:
		w.line("%s = source[t]", s.Name)
	case Atomic:
		w.line("cute.arch.atomic_add(%s.iterator + %s, %s)", s.Name, w.operand(s.A), b)
	case SyncThreads:
		w.line("cute.arch.%s()", [...]string{"sync_threads", "barrier"}[s.Form%2])
	case SyncWarp:
		if s.Mask == 0xffffffff {
			w.line("cute.arch.sync_warp()")
		} else {
			w.line("cute.arch.sync_warp(0x%x)", s.Mask)
		}
	case BarSync, BarArrive:
		_, known := s.A.IsConst()
		_, counted := s.B.IsConst()
		if w.k.Style.Objects && known && counted {
			w.line("pipeline.NamedBarrier(barrier_id=%s, num_threads=%s).%s()", a, b, map[StmtOp]string{BarSync: "arrive_and_wait", BarArrive: "arrive"}[s.Op])
			return
		}
		if s.Op == BarArrive {
			w.line("cute.arch.barrier_arrive(barrier_id=%s, number_of_threads=%s)", a, b)
			return
		}
		w.line("cute.arch.barrier(barrier_id=%s, number_of_threads=%s)", a, b)
	case InitGate:
		w.line("cute.arch.mbarrier_init(%s + %s, %s)", s.Name, w.operand(s.A), b)
	case FenceInit:
		w.line("cute.arch.mbarrier_init_fence()")
	case Arrive:
		if n, ok := s.B.IsConst(); ok && n == 1 {
			w.line("cute.arch.mbarrier_arrive(%s + %s)", s.Name, w.operand(s.A))
		} else {
			w.line("cute.arch.mbarrier_arrive(%s + %s, arrive_count=%s)", s.Name, w.operand(s.A), b)
		}
	case Expect:
		w.line("cute.arch.mbarrier_arrive_and_expect_tx(%s + %s, %s)", s.Name, w.operand(s.A), b)
	case Wait:
		w.line("cute.arch.mbarrier_wait(%s + %s, %s)", s.Name, w.operand(s.A), b)
	case Elect:
		w.block("with cute.arch.elect_one()", s.Body)
	case Call:
		w.call(s)
	case Stand:
		w.line("%s", a)
	default:
		panic(fmt.Sprintf("CuTe DSL has no statement %d", s.Op))
	}
}

func (w *cuteWriter) loop(s *Stmt, a, b string) {
	c := w.expr(s.C)
	w.scope[s.Name] = Int
	if s.Form == AsWhile {
		w.line("%s = %s", s.Name, w.typed(Int, s.A))
		w.line("while %s < %s:", s.Name, w.operand(s.B))
		w.indent++
		w.list(s.Body)
		w.line("%s = %s + %s", s.Name, s.Name, w.operand(s.C))
		w.indent--
		return
	}
	call := "cutlass.range"
	if s.Form == Traced {
		call = "cutlass.range_constexpr"
	}
	low, high, step := a+", ", b, ", "+c
	if v, ok := s.C.IsConst(); ok && v == 1 {
		step = ""
	}
	if v, ok := s.A.IsConst(); ok && v == 0 && step == "" {
		low = ""
	}
	w.block(fmt.Sprintf("for %s in %s(%s%s%s)", s.Name, call, low, high, step), s.Body)
}

func (w *cuteWriter) call(s *Stmt) {
	f := w.k.Function(s.Name)
	var args []string
	for i, a := range s.Args {
		if f.Params[i].Kind == Number {
			args = append(args, w.typed(f.Params[i].Type, a))
		} else {
			args = append(args, w.expr(a))
		}
	}
	if f.Form != Closure && w.k.reaches(f.Body) {
		args = append(args, "source", "out")
	}
	w.line("%s(%s)", f.Name, strings.Join(args, ", "))
}

// operand prints an expression as the operand of an operator.
func (w *cuteWriter) operand(e *Expr) string {
	text := w.expr(e)
	switch e.Op {
	case Const, Tid, Warp, Lane, Var, Cast:
		if v, ok := e.IsConst(); !ok || v >= 0 {
			return text
		}
	}
	return "(" + text + ")"
}

func (w *cuteWriter) expr(e *Expr) string {
	if e == nil {
		return ""
	}
	switch e.Op {
	case Const:
		digits := fmt.Sprint(e.Value)
		if e.Form == 1 && e.Value >= 0 {
			digits = fmt.Sprintf("0x%x", e.Value)
		}
		if e.Type != Int {
			return cuteTypes[e.Type] + "(" + digits + ")"
		}
		return digits
	case Tid:
		return "t"
	case Warp:
		return "warp"
	case Lane:
		return "lane"
	case Var:
		return e.Name
	case Not:
		return "not " + w.operand(e.Args[0])
	case Cast:
		return cuteTypes[e.Type] + "(" + w.expr(e.Args[0]) + ")"
	case Select:
		return w.operand(e.Args[1]) + " if " + w.operand(e.Args[0]) + " else " + w.operand(e.Args[2])
	case Array0:
		if at, ok := e.Args[0].IsConst(); !ok || at != 0 {
			return "cute.domain_offset((" + w.expr(e.Args[0]) + ",), " + e.Name + ")"
		}
		return e.Name
	case Gate0:
		return e.Name
	}
	return w.operand(e.Args[0]) + " " + cuteOps[e.Op] + " " + w.operand(e.Args[1])
}
