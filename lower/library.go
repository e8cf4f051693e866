package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// A call of a function that is not in the file may synchronize. What it can be trusted not to do decides between
// silence and a note that keeps the kernel from a better verdict than inconclusive.

// syncWords are parts of names that say a function waits, signals or hides either (notes/cutedsl.md 1.4 and 1.5).
var syncWords = []string{"acquire", "commit", "release", "wait", "arrive", "sync", "tail", "barrier", "mbar", "epilogue", "spin", "lock", "signal",
	"advance_to_next", "get_current_work", "semaphore", "clcfetch", "mainloop", "collective", "notify", "poll", "red_add", "flag"}

// unresolved judges a call of a function the file does not define: it notes the ones that may synchronize.
func (m *machine) unresolved(name string, e program.Node) {
	if m.host || !m.maySync(name) {
		return
	}
	m.noteOpaque(e.Where(), "call of "+clip(name)+", which is not in this file", true)
}

// unresolvedMethod judges a method of an object the file does not define. Methods of tensors, layouts and atoms are
// innumerable and harmless; those that synchronize say so.
func (m *machine) unresolvedMethod(name string, e program.Node) {
	if m.host || !saysSync(name) {
		return
	}
	m.noteOpaque(e.Where(), "call of "+clip(name)+" on an object that is not modelled", true)
}

func clip(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}

func saysSync(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "block", "") // no lock
	for _, w := range syncWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// converges reports whether a function makes the lanes of a warp wait for each other without ordering memory: shuffles,
// votes, matches and reductions (PTX ISA 9.7.9.6, 9.7.13.9 to 11).
func converges(short string) bool {
	for _, w := range []string{"__shfl_", "__ballot_sync", "__any_sync", "__all_sync", "__match_", "__reduce_", "shuffle_sync", "shfl_sync", "vote_", "warp_reduction", "warp_redux", "redux_sync"} {
		if strings.HasPrefix(short, w) {
			return true
		}
	}
	return false
}

// quietWord reports whether a name holds a word of syncWords and yet stands for something that concerns only the
// calling thread, or a prefetch.
func quietWord(short string) bool {
	return converges(short) || strings.HasPrefix(short, "tcgen05_wait") || strings.HasPrefix(short, "tcgen05_fence") || strings.Contains(short, "prefetch")
}

func (m *machine) maySync(name string) bool {
	short := lastWord(name)
	if quietWord(short) {
		return false
	}
	if m.file.Language == program.CuTe && strings.HasPrefix(name, "cutlass.") {
		return cutlassMaySync(name)
	}
	if saysSync(short) {
		return true
	}
	if m.file.Language == program.CuTe {
		return !libraryPath(name)
	}
	switch {
	case strings.HasPrefix(short, "__"), quietC[short]:
		return false // compiler intrinsics that synchronize are in the dialect
	case strings.HasSuffix(short, "_t"), short != "" && short[0] >= 'A' && short[0] <= 'Z' && !strings.Contains(name, "::"):
		return false // a type: a conversion or construction
	}
	for _, ns := range []string{"std::", "cute::", "cutlass::", "cuda::std::", "thrust::"} {
		if strings.HasPrefix(strings.TrimPrefix(name, "::"), ns) {
			return false
		}
	}
	return true
}

// cutlassMaySync judges a name of the DSL that is neither in the dialect nor in the embedded library. Most of the DSL is
// layout algebra, atoms and conversions: pure. The packages that synchronize are listed, and in these the name decides.
func cutlassMaySync(name string) bool {
	for _, quiet := range []string{"cutlass.cute.nvgpu.cpasync.fence_tma_desc", "cutlass.cute.nvgpu.cpasync.cp_fence_tma_desc"} {
		if strings.HasPrefix(name, quiet) {
			return false // the tensormap proxy: no one waits
		}
	}
	for _, pkg := range []string{"cutlass._mlir.", "cutlass.experimental."} { // one name, one instruction
		if short := strings.ToLower(lastWord(name)); strings.HasPrefix(name, pkg) && startsCopy(short) {
			return true
		}
	}
	for _, pkg := range []string{"cutlass.pipeline.", "cutlass.cute.arch.", "cutlass.cute.nvgpu.", "cutlass.cute.experimental.", "cutlass.experimental.",
		"cutlass._mlir.", "cutlass.utils.distributed.", "cutlass.utils.gemm."} {
		if strings.HasPrefix(name, pkg) {
			return saysSync(lastWord(name))
		}
	}
	// Copies with the arguments of whatever atom they are given, an mbarrier among them.
	return lastWord(name) == "block_copy"
}

// startsCopy reports whether an instruction's name, in lower case, is that of a copy that completes on an mbarrier or by
// groups: cp_async_bulk_tensor_…, CpAsyncBulkTensorGlobalToSharedClusterOp.
func startsCopy(short string) bool {
	short = strings.ReplaceAll(short, "_", "")
	return strings.Contains(short, "cpasync") || strings.Contains(short, "reduceasync") || strings.Contains(short, "stasync")
}

// quietC are functions of the C and CUDA mathematics libraries and vector types.
var quietC = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(`abs fabs fabsf min max fmin fmax fminf fmaxf exp expf exp2 exp2f log logf log2 log2f pow powf sqrt sqrtf
		rsqrt rsqrtf sin sinf cos cosf tanh tanhf erf erff floor floorf ceil ceilf round roundf rint rintf isnan isinf fma fmaf
		make_float2 make_float3 make_float4 make_int2 make_int3 make_int4 make_uint2 make_uint3 make_uint4 make_half2 make_uchar4 make_char4
		float2 float4 int2 int4 uint2 uint4 half2 half bfloat162 float double int char short long bool unsigned
		printf assert static_assert sizeof malloc free memcpy memset move forward swap numeric_limits infinity clock clock64
		static_cast reinterpret_cast const_cast bit_cast`) {
		out[n] = true
	}
	return out
}()

// libraryPath reports whether a Python name belongs to the DSL or a standard library rather than to the user's modules.
func libraryPath(name string) bool {
	top, rest, dotted := strings.Cut(name, ".")
	if !dotted && rest == "" {
		return pythonBuiltins[top]
	}
	switch top {
	case "cutlass", "math", "re", "typing", "functools", "operator", "itertools", "enum", "dataclasses", "torch", "numpy", "cuda", "collections", "inspect", "os", "sys":
		return true
	}
	return pythonBuiltins[top]
}

var pythonBuiltins = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(`abs all any bool dict divmod enumerate filter float getattr hasattr hash hex id int isinstance issubclass iter len list
		map max min next object pow print range repr reversed round set setattr slice sorted str sum super tuple type vars zip Ellipsis assert`) {
		out[n] = true
	}
	return out
}()

// importStmt binds what an import statement names.
func (m *machine) importStmt(st *program.Import, s *scope) {
	if m.file.Language != program.CuTe {
		return
	}
	if st.Name != "*" {
		s.vars[boundName(st)] = &importCell{l: m.in.low, mod: m.mod, im: st}
		return
	}
	src := m.in.low.find(m.mod, st.From)
	if src == nil || src == m.mod {
		return
	}
	m.in.low.ready(src)
	for name, loc := range src.globals.vars {
		if !strings.HasPrefix(name, "_") {
			s.vars[name] = loc
		}
	}
}
