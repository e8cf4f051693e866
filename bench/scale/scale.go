// Package scale makes PTX kernels of the sizes at which WEFT was measured (Sharma, Bauer and Aiken, PLDI 2015, figures 9 and 10):
// warps that do different things, held together by named barriers.
package scale

import (
	"fmt"
	"strings"
)

// Kernel is a kernel that grows with its rounds.
type Kernel struct {
	Name   string
	Rounds int // at the size of the paper
	PTX    func(rounds int) string
}

// Kernels are a pair of copying warps that feed eight computing ones, as CudaDMA's saxpy does; twenty warps that hand results to
// each other and add up words that all of them read, as Singe's chemistry does; and 1,024 threads that exchange rows.
func Kernels() []Kernel {
	return []Kernel{{"copies", 2048, Copies}, {"dataflow", 91, Dataflow}, {"rows", 64, Rows}}
}

// writer makes the text of a kernel.
type writer struct {
	strings.Builder
	labels int
}

func (w *writer) line(format string, args ...any) {
	w.WriteByte('\t')
	fmt.Fprintf(w, format, args...)
	w.WriteString("\n")
}

// label is a new label.
func (w *writer) label(name string) string {
	w.labels++
	return fmt.Sprintf("$%s_%d", name, w.labels)
}

// begin starts a kernel of threads with some bytes of shared memory: %r1 is the thread's index, %r2 its warp's, %r3 the address of
// the shared memory, %r4 that of the word that the thread's lane has in a row.
func begin(name string, threads, bytes int) *writer {
	w := &writer{}
	fmt.Fprintf(w, ".version 7.0\n.target sm_70\n.address_size 64\n\n.visible .entry %s()\n.reqntid %d, 1, 1\n{\n", name, threads)
	w.line(".reg .pred %%p<8>;")
	w.line(".reg .b32 %%r<32>;")
	w.line(".reg .f32 %%f<8>;")
	w.line(".shared .align 16 .b8 memory[%d];", bytes)
	w.line("mov.u32 %%r1, %%tid.x;")
	w.line("shr.u32 %%r2, %%r1, 5;")
	w.line("mov.u32 %%r3, memory;")
	w.line("and.b32 %%r5, %%r1, 31;")
	w.line("shl.b32 %%r6, %%r5, 2;")
	w.line("add.s32 %%r4, %%r3, %%r6;")
	w.line("mov.f32 %%f1, 0f00000000;")
	return w
}

func (w *writer) end() string {
	w.line("ret;")
	w.WriteString("}\n")
	return w.String()
}

// loop repeats a body, which counts in %r10.
func (w *writer) loop(rounds int, body func()) {
	head := w.label("round")
	w.line("mov.u32 %%r10, 0;")
	w.WriteString(head + ":\n")
	body()
	w.line("add.s32 %%r10, %%r10, 1;")
	w.line("setp.lt.u32 %%p1, %%r10, %d;", rounds)
	w.line("@%%p1 bra %s;", head)
}

// Copies is two copying warps and eight computing ones: four dynamic barriers a round, and 8,192 in 2,048 rounds.
func Copies(rounds int) string {
	w := begin("copies", 320, 2048)
	second, third := w.label("copy"), w.label("copy")
	w.line("setp.eq.u32 %%p2, %%r2, 8;")
	w.line("@%%p2 bra %s;", second)
	w.line("setp.eq.u32 %%p2, %%r2, 9;")
	w.line("@%%p2 bra %s;", third)
	w.line("shl.b32 %%r7, %%r1, 2;")
	w.line("add.s32 %%r8, %%r3, %%r7;")
	w.loop(rounds, func() {
		for b := range 2 {
			w.line("bar.arrive %d, 288;", 1+b)
		}
		for b := range 2 {
			w.line("bar.sync %d, 288;", 3+b)
			w.line("ld.shared.f32 %%f2, [%%r8+%d];", 1024*b)
			w.line("add.f32 %%f1, %%f1, %%f2;")
		}
	})
	w.line("ret;")
	for b, at := range []string{second, third} {
		w.WriteString(at + ":\n")
		w.line("shl.b32 %%r7, %%r5, 4;")
		w.line("add.s32 %%r8, %%r3, %%r7;")
		w.loop(rounds, func() {
			w.line("bar.sync %d, 288;", 1+b)
			for half := range 2 {
				w.line("st.shared.v4.f32 [%%r8+%d], {%%f1, %%f1, %%f1, %%f1};", 1024*b+512*half)
			}
			w.line("bar.arrive %d, 288;", 3+b)
		})
		if b == 0 {
			w.line("ret;")
		}
	}
	return w.end()
}

// Dataflow is twenty warps: in each round ten pairs hand rows over, in turn from one to the other, and each warp adds to a word of
// its own, which all read in the next round while they add to others. Eleven dynamic barriers a round.
func Dataflow(rounds int) string {
	w := begin("dataflow", 640, 4096+10*1024)
	w.line("shr.u32 %%r11, %%r2, 1;")     // pair
	w.line("add.s32 %%r12, %%r11, 1;")    // its barrier
	w.line("shl.b32 %%r13, %%r11, 10;")   // its rows
	w.line("add.s32 %%r14, %%r4, %%r13;") // the lane's words of these
	w.line("shl.b32 %%r15, %%r2, 2;")     // the warp's word
	w.line("add.s32 %%r15, %%r3, %%r15;") //
	w.line("setp.eq.u32 %%p3, %%r5, 0;")  // the lane that adds
	w.loop(rounds, func() {
		consume, join := w.label("consume"), w.label("join")
		w.line("and.b32 %%r16, %%r10, 1;")
		w.line("and.b32 %%r17, %%r2, 1;")
		w.line("setp.ne.u32 %%p4, %%r16, %%r17;")
		w.line("@%%p4 bra %s;", consume)
		for k := range 8 {
			w.line("st.shared.f32 [%%r14+%d], %%f1;", 4096+128*k)
		}
		w.line("bar.arrive %%r12, 64;")
		w.line("bra %s;", join)
		w.WriteString(consume + ":\n")
		w.line("bar.sync %%r12, 64;")
		for k := range 8 {
			w.line("ld.shared.f32 %%f2, [%%r14+%d];", 4096+128*k)
		}
		w.WriteString(join + ":\n")
		w.line("mul.lo.s32 %%r18, %%r16, 80;")
		w.line("add.s32 %%r19, %%r15, %%r18;")
		w.line("sub.s32 %%r20, 80, %%r18;")
		w.line("add.s32 %%r21, %%r3, %%r20;")
		for range 286 {
			w.line("@%%p3 st.shared.f32 [%%r19], %%f1;")
		}
		for k := range 111 {
			w.line("ld.shared.f32 %%f2, [%%r21+%d];", 4*(k%20))
		}
		w.line("bar.sync 0;")
	})
	return w.end()
}

// Rows is 32 warps that write the rows of a table in turn and read rows of all others, between barriers of all threads: two dynamic
// barriers and 220,000 commands a round.
func Rows(rounds int) string {
	w := begin("rows", 1024, 160*128)
	w.line("shl.b32 %%r7, %%r2, 7;")
	w.line("add.s32 %%r8, %%r4, %%r7;") // the lane's word of the warp's first row
	w.loop(rounds, func() {
		for k := range 4 {
			w.line("st.shared.f32 [%%r8+%d], %%f1;", 4096*k)
		}
		w.line("bar.sync 0;")
		for k := range 208 {
			w.line("ld.shared.f32 %%f2, [%%r8+%d];", 128*(k%97))
		}
		w.line("bar.sync 0;")
	})
	return w.end()
}
