package kernel

import (
	"fmt"
	"strings"
)

var cudaTypes = [...]string{Int: "int", Unsigned: "unsigned", Byte: "uint8_t"}

var cudaOps = map[Op]string{Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Less: "<", LessEqual: "<=", Equal: "==", NotEqual: "!=", Both: "&&", Either: "||"}

// gates are the instructions on mbarriers and copies, as every kernel in CUDA C++ spells them for itself.
var gates = []struct {
	ops  []StmtOp
	text string
}{
	{[]StmtOp{InitGate, Arrive, Expect, Wait, BulkCopy, CopyAsync}, `__device__ __forceinline__ uint32_t address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
`},
	{[]StmtOp{InitGate}, `__device__ __forceinline__ void gate_init(uint64_t* gate, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(gate)), "r"(arrivals) : "memory");
}
`},
	{[]StmtOp{Arrive}, `__device__ __forceinline__ void gate_arrive(uint64_t* gate, uint32_t arrivals) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(address(gate)), "r"(arrivals) : "memory");
}
`},
	{[]StmtOp{Expect}, `__device__ __forceinline__ void gate_expect(uint64_t* gate, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(gate)), "r"(bytes) : "memory");
}
`},
	{[]StmtOp{Wait}, `__device__ __forceinline__ void gate_wait(uint64_t* gate, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(address(gate)), "r"(parity) : "memory");
}
`},
	{[]StmtOp{BulkCopy}, `__device__ __forceinline__ void fetch(int* to, const int* from, uint32_t bytes, uint64_t* gate) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(gate)) : "memory");
}
`},
	{[]StmtOp{CopyAsync}, `__device__ __forceinline__ void bring(int* to, const int* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory");
}
`},
}

// cuda prints the kernel as CUDA C++.
func (k *Kernel) cuda() string {
	p := &page{width: 2}
	p.line("#include <cstdint>\n")
	for _, g := range gates {
		if k.has(g.ops...) {
			p.line("%s", g.text)
		}
	}
	w := &cudaWriter{page: p, k: k}
	for _, f := range k.Functions {
		switch f.Form {
		case Plain, Template:
			w.function(f)
		case Macro:
			w.macro(f)
		}
	}
	params := []string{"const int* in", "int* out"}
	args := []string{"in", "out"}
	for _, a := range k.Arrays {
		if a.Global {
			params, args = append(params, "int* "+a.Name), append(args, a.Name)
		}
	}
	for _, n := range k.Params {
		params, args = append(params, "int "+n), append(args, n)
	}
	p.line("__global__ void kernel(%s) {", strings.Join(params, ", "))
	p.indent++
	bytes := w.storage()
	w.own(k.uses(k.Body))
	w.list(k.Body)
	p.indent--
	p.line("}\n")
	p.line("void launch(%s) {", strings.Join(params, ", "))
	block := fmt.Sprint(k.Threads())
	if k.Style.Rows {
		block = fmt.Sprintf("dim3(32, %d)", k.Warps)
	}
	if bytes > 0 {
		block += fmt.Sprintf(", %d", bytes)
	}
	p.line("  kernel<<<1, %s>>>(%s);", block, strings.Join(args, ", "))
	p.line("}")
	return p.String()
}

// shared are the arrays in shared memory.
func (k *Kernel) shared() (out []*Array) {
	for _, a := range k.Arrays {
		if !a.Global {
			out = append(out, a)
		}
	}
	return out
}

// storage declares what is in shared memory, and says how much of it is dynamic.
func (w *cudaWriter) storage() (bytes int) {
	k, shared := w.k, w.k.shared()
	switch {
	case k.Style.Struct && len(shared)+len(k.Barriers) > 0:
		w.put("struct Storage {")
		for _, b := range k.Barriers {
			w.put("  uint64_t %s[%d];", b.Name, b.Length)
		}
		for _, a := range shared {
			w.put("  alignas(16) int %s[%d];", a.Name, a.Length)
		}
		w.put("};")
		w.put("__shared__ Storage storage;")
		for _, b := range k.Barriers {
			w.put("uint64_t* %s = storage.%[1]s;", b.Name)
		}
		for _, a := range shared {
			w.put("int* %s = storage.%[1]s;", a.Name)
		}
		return 0
	case k.Style.Pool && len(shared) > 0:
		w.put("extern __shared__ __align__(16) int pool[];")
		at := 0
		for _, a := range shared {
			w.put("int* %s = pool + %d;", a.Name, at)
			at += (a.Length + 3) / 4 * 4
		}
		bytes = 4 * at
	default:
		for _, a := range shared {
			w.put("__shared__ __align__(16) int %s[%d];", a.Name, a.Length)
		}
	}
	for _, b := range k.Barriers {
		w.put("__shared__ uint64_t %s[%d];", b.Name, b.Length)
	}
	return bytes
}

type cudaWriter struct {
	*page
	k *Kernel
	// end of every line: a backslash inside a macro
	end string
	// named are the parameters of the macro that is being written
	named map[string]bool
}

func (w *cudaWriter) put(format string, args ...any) {
	w.line("%s%s", fmt.Sprintf(format, args...), w.end)
}

func (w *cudaWriter) own(u uses) {
	if u.tid {
		w.put("const %s t = %s;", cudaTypes[w.k.Index], w.index())
	}
	switch {
	case u.warp && w.k.Style.Rows:
		w.put("const int warp = threadIdx.y;")
	case u.warp:
		w.put("const int warp = threadIdx.x / 32;")
	}
	if u.lane {
		w.put("const int lane = threadIdx.x %% 32;")
	}
}

// index is the number of the thread in its block.
func (w *cudaWriter) index() string {
	if w.k.Style.Rows {
		return "threadIdx.y * blockDim.x + threadIdx.x"
	}
	return "threadIdx.x"
}

func (w *cudaWriter) params(f *Function) string {
	var out []string
	for i, p := range f.Params {
		switch {
		case p.Kind == Pointer:
			out = append(out, "int* "+p.Name)
		case p.Kind == Gate:
			out = append(out, "uint64_t* "+p.Name)
		case f.Form == Template && i == 0:
		default:
			out = append(out, cudaTypes[p.Type]+" "+p.Name)
		}
	}
	if f.Form != Closure && w.k.reaches(f.Body) {
		out = append(out, "const int* in", "int* out")
	}
	return strings.Join(out, ", ")
}

func (w *cudaWriter) function(f *Function) {
	if f.Form == Template {
		w.put("template <%s %s>", cudaTypes[f.Params[0].Type], f.Params[0].Name)
	}
	w.put("__device__ void %s(%s) {", f.Name, w.params(f))
	w.indent++
	w.own(w.k.uses(f.Body))
	w.list(f.Body)
	w.indent--
	w.put("}\n")
}

func (w *cudaWriter) macro(f *Function) {
	var names []string
	w.named = map[string]bool{}
	for _, p := range f.Params {
		names = append(names, p.Name)
		w.named[p.Name] = true
	}
	w.end = " \\"
	w.put("#define %s(%s)", f.Name, strings.Join(names, ", "))
	w.put("  do {")
	w.indent += 2
	w.list(f.Body)
	w.indent -= 2
	w.end, w.named = "", nil
	w.put("  } while (0)\n")
}

// closure stands before its call: it may use what is declared there.
func (w *cudaWriter) closure(f *Function, capture string) {
	w.put("auto %s = [%s](%s) {", f.Name, capture, w.params(f))
	w.indent++
	w.list(f.Body)
	w.indent--
	w.put("};")
}

func (w *cudaWriter) list(list []*Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *cudaWriter) block(head string, list []*Stmt) {
	w.put("%s {", head)
	w.indent++
	w.list(list)
	w.indent--
	w.put("}")
}

func (w *cudaWriter) stmt(s *Stmt) {
	a, b, c := w.expr(s.A), w.expr(s.B), w.expr(s.C)
	name := s.Name
	if w.named[name] {
		name = "(" + name + ")"
	}
	switch s.Op {
	case Declare:
		w.put("%s %s = %s;", cudaTypes[s.Type], s.Name, a)
	case Assign:
		w.put("%s = %s;", s.Name, a)
	case If:
		w.block("if ("+a+")", s.Body)
		if len(s.Else) > 0 {
			w.block("else", s.Else)
		}
	case For:
		if s.Form == AsWhile {
			w.put("int %s = %s;", s.Name, a)
			w.put("while (%s < %s) {", s.Name, b)
			w.indent++
			w.list(s.Body)
			w.put("%s += %s;", s.Name, c)
			w.indent--
			w.put("}")
			return
		}
		step := fmt.Sprintf("%s += %s", s.Name, c)
		if v, ok := s.C.IsConst(); ok && v == 1 {
			step = "++" + s.Name
		}
		if s.Form == Traced {
			w.put("#pragma unroll")
		}
		w.block(fmt.Sprintf("for (int %s = %s; %s < %s; %s)", s.Name, a, s.Name, b, step), s.Body)
	case While:
		w.block("while ("+a+")", s.Body)
	case Break:
		w.put("break;")
	case Continue:
		w.put("continue;")
	case Return:
		w.put("return;")
	case Store:
		w.put("%s[%s] = %s;", name, a, b)
	case Read:
		w.put("out[t] %s= %s[%s];", [...]string{"", "+"}[s.Form%2], name, a)
	case LoadVar:
		w.put("%s = %s[%s];", s.Other, name, a)
	case Input:
		w.put("%s = in[t];", s.Name)
	case Atomic:
		w.put("atomicAdd(&%s[%s], %s);", name, a, b)
	case SyncThreads:
		w.put("__syncthreads();")
	case SyncWarp:
		if s.Mask == 0xffffffff {
			w.put("__syncwarp();")
		} else {
			w.put("__syncwarp(0x%xu);", s.Mask)
		}
	case BarSync, BarArrive:
		verb := map[StmtOp]string{BarSync: "sync", BarArrive: "arrive"}[s.Op]
		x, constant := s.A.IsConst()
		y, alike := s.B.IsConst()
		if constant && alike && s.Form == 0 {
			w.put(`asm volatile("bar.%s %d, %d;" ::: "memory");`, verb, x, y)
		} else {
			w.put(`asm volatile("barrier.cta.%s.aligned %%0, %%1;" ::"r"(%s), "r"(%s) : "memory");`, verb, a, b)
		}
	case InitGate:
		w.put("gate_init(&%s[%s], %s);", name, a, b)
	case FenceInit:
		w.put(`asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");`)
	case Arrive:
		w.put("gate_arrive(&%s[%s], %s);", name, a, b)
	case Expect:
		w.put("gate_expect(&%s[%s], %s);", name, a, b)
	case Wait:
		w.put("gate_wait(&%s[%s], %s);", name, a, b)
	case BulkCopy:
		n, _ := s.B.IsConst()
		w.put("fetch(&%s[%s], in, %d, &%s[%s]);", name, a, 4*n, s.Other, c)
	case CopyAsync:
		w.put("bring(&%s[%s], in);", name, a)
	case CommitGroup:
		w.put(`asm volatile("cp.async.commit_group;" ::: "memory");`)
	case WaitGroup:
		w.put(`asm volatile("cp.async.wait_group %d;" ::: "memory");`, s.Count)
	case Elect:
		w.block("if (lane == 0)", s.Body)
	case Call:
		w.call(s)
	case Stand:
		w.put("(void)(%s);", a)
	}
}

func (w *cudaWriter) call(s *Stmt) {
	f := w.k.Function(s.Name)
	if f.Form == Closure {
		w.closure(f, [...]string{"&", "="}[s.Form%2])
	}
	var args []string
	name := f.Name
	for i, a := range s.Args {
		if f.Form == Template && i == 0 {
			name += "<" + w.expr(a) + ">"
			continue
		}
		args = append(args, w.expr(a))
	}
	if (f.Form == Plain || f.Form == Template) && w.k.reaches(f.Body) {
		args = append(args, "in", "out")
	}
	w.put("%s(%s);", name, strings.Join(args, ", "))
}

// expr prints an expression; operands of operators stand in parentheses unless they are plain.
func (w *cudaWriter) expr(e *Expr) string {
	if e == nil {
		return ""
	}
	arg := func(i int) string {
		text := w.expr(e.Args[i])
		switch e.Args[i].Op {
		case Const, Tid, Warp, Lane, Var, Cast, Not:
			return text
		}
		return "(" + text + ")"
	}
	switch e.Op {
	case Const:
		digits := fmt.Sprint(e.Value)
		if e.Form == 1 && e.Value >= 0 {
			digits = fmt.Sprintf("0x%x", e.Value)
		}
		switch e.Type {
		case Unsigned:
			return digits + "u"
		case Byte:
			return "uint8_t(" + digits + ")"
		}
		if e.Value < 0 {
			return "(" + digits + ")"
		}
		return digits
	case Tid:
		if e.Form == 1 && w.k.Style.Rows {
			return "(" + w.index() + ")"
		} else if e.Form == 1 {
			return w.index()
		}
		return "t"
	case Warp:
		return "warp"
	case Lane:
		return "lane"
	case Var:
		if w.named[e.Name] {
			return "(" + e.Name + ")"
		}
		return e.Name
	case Not:
		return "!(" + w.expr(e.Args[0]) + ")"
	case Cast:
		if e.Form == 1 {
			return "(" + cudaTypes[e.Type] + ")(" + w.expr(e.Args[0]) + ")"
		}
		return "static_cast<" + cudaTypes[e.Type] + ">(" + w.expr(e.Args[0]) + ")"
	case Select:
		return arg(0) + " ? " + arg(1) + " : " + arg(2)
	case Array0:
		if v, ok := e.Args[0].IsConst(); ok && v == 0 {
			return e.Name
		}
		return e.Name + " + " + arg(0)
	case Gate0:
		return e.Name
	}
	return arg(0) + " " + cudaOps[e.Op] + " " + arg(1)
}
