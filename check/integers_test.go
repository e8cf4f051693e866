package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/source"
)

// meeting is a condition under which threads of a CTA of 128 come to a barrier, and how many they are: with as many at the
// barrier the kernel holds, with 32 more it hangs. How many they are follows from the languages' rules, not from fencepost.
type meeting struct {
	before, test string
	threads      int
}

var meetingsInCUDA = []meeting{
	{"unsigned rel = threadIdx.x - 32u;", "rel < 32u", 32},
	{"auto rel = threadIdx.x - 32;", "rel < 32", 32},
	{"using index = unsigned; index rel = threadIdx.x; rel = rel - 32;", "rel < 32", 32},
	{"", "threadIdx.x < (~0u >> 27) + 1u", 32},
	{"", "threadIdx.x < (~0 >> 27) + 33u", 32},
	{"uint8_t n = 288;", "threadIdx.x < n", 32},
	{"int last = -1;", "last < threadIdx.x", 0},
	{"int w = threadIdx.x / 32;", "(w - 1) % 4 == 3", 0},
	{"int w = threadIdx.x / 32;", "(w - 1) % 4 == -1", 32},
	{"unsigned w = threadIdx.x / 32;", "(w - 1) % 4 == 3", 32},
	{"", "(threadIdx.x - 32) / 32 == 0", 32},
	{"signed char c = 127; c++;", "c < 0 && threadIdx.x < 64", 64},
	{"char c = 200;", "c < 0 && threadIdx.x < 64", 64},
	{"unsigned char c = 200; c += 100;", "c == 44 && threadIdx.x < 64", 64},
	{"size_t span = threadIdx.x - 64;", "span < 64", 64},
	{"long span = (long)threadIdx.x - 64;", "span < 0", 64},
	{"size_t span = (size_t)threadIdx.x - 64;", "span < 64", 64},
	{"unsigned short s = threadIdx.x - 32;", "s < 32", 32},
	{"short s = threadIdx.x - 32;", "s < 32", 64},
	{"uint8_t w = threadIdx.x >> 5; w -= 2;", "w > 4", 64},
	{"uint8_t w = threadIdx.x >> 5;", "w - 2 > 4", 0},
	{"unsigned w[2]; w[0] = threadIdx.x / 32; w[1] = w[0] - 2;", "w[1] < 2", 64},
	{"auto f = [](unsigned x) { return x - 2; };", "f(threadIdx.x / 32) < 2", 64},
	{"", "sizeof(int) - 8 < 0", -1},
	{"", "(threadIdx.x / 32 ? threadIdx.x / 32 : -1) > 3", 32},
	{"", "0x80000000 > 0 && (1 << 31) < 0 && (1u << 31) > 0 && threadIdx.x < 64", 64},
	{"", "-1 >> 1 == -1 && -7 / 2 == -3 && -7 % 3 == -1 && (unsigned)-7 % 4 == 1 && threadIdx.x < 64", 64},
	{"", "uint8_t(300) == 44 && static_cast<int8_t>(200) < 0 && threadIdx.x < 64", 64},
}

var meetingsInCuTe = []meeting{
	{"rel = cutlass.Uint32(tidx) - 32", "rel < 32", 32},
	{"rel = tidx - 32", "rel < 32", 64},
	{"rel = (tidx - 32).to(cutlass.Uint32)", "rel < 32", 32},
	{"rel = cutlass.Uint32(tidx - 32)", "rel // 32 == 0", 32},
	{"rel = cutlass.Uint32(tidx); rel -= 32", "rel < 32", 32},
	{"m = ~cutlass.Uint32(0) >> 27", "tidx <= m", 32},
	{"m = ~cutlass.Int32(0) >> 27", "tidx <= m + 32", 32},
	{"", "(warp - 1) % 4 == 3", 0},
	{"", "(warp - 1) // 4 == -1", 32},
	{"n = cutlass.Uint8(288)", "tidx < n", 32},
	{"rel = cutlass.Uint8(warp) - cutlass.Uint8(2)", "rel > 4", 64},
	{"rel = cutlass.Uint8(warp) - 2", "rel > 4", 0},
	{"rel = cutlass.Int64(tidx) - 32", "rel < 0", 32},
	{"rel = cutlass.Uint64(tidx) - cutlass.Uint64(32)", "rel < 32", 32},
	{"rels = (cutlass.Uint32(tidx), 1)", "rels[0] - 32 < 32", 32},
	{"rels = [cutlass.Uint32(warp)]; rels.append(cutlass.Uint32(warp) - 1)", "rels[1] < 2", 64},
	{"n = cutlass.Int8(200)", "n < 0 and tidx < 64", 64},
	{"", "cutlass.Int32(-1) < cutlass.Uint32(tidx)", 0},
}

var meetingsInPTX = []meeting{
	{"sub.u32 a, t, 32;", "lt.u32 p, a, 32", 32},
	{"mov.u32 a, -1; shr.u32 a, a, 27;", "le.u32 p, t, a", 32},
	{"sub.s32 a, w, 1; rem.s32 a, a, 4;", "eq.s32 p, a, -1", 32},
	{"sub.s32 a, w, 1; rem.u32 a, a, 4;", "eq.s32 p, a, 3", 32},
	{"mul.lo.u32 a, w, 100; cvt.u32.u8 a, a;", "gt.u32 p, a, 150", 32},
	{"mul.lo.u32 a, w, 100; cvt.s32.s8 a, a;", "lt.s32 p, a, 0", 32},
	{"shl.b32 a, w, 31; shl.b32 b, 1, 32; add.u32 a, a, b;", "lt.s32 p, a, 0", 64},
	{"neg.s32 a, w; shr.s32 a, a, 40; add.s32 a, a, w;", "eq.s32 p, a, 0", 64},
	{"sub.s32 a, w, 3; div.s32 a, a, 2;", "eq.s32 p, a, -1", 64},
	{"sub.s32 a, w, 3; div.u32 a, a, 2;", "gt.u32 p, a, 100", 96},
	{"sub.u32 a, w, 1; min.u32 a, a, 5;", "eq.u32 p, a, 5", 32},
	{"sub.u32 a, w, 1; min.s32 a, a, 5;", "eq.s32 p, a, -1", 32},
	{"sub.u32 a, w, 1; mul.wide.u32 x, a, 4;", "gt.u64 p, x, 100", 32},
	{"sub.u32 a, w, 1; mul.wide.s32 x, a, 4;", "lt.s64 p, x, 0", 32},
	{"cvt.u64.u32 x, t; sub.s64 x, x, 64;", "lt.u64 p, x, 64", 64},
	{"setp.lt.u32 q, w, 2;", "gt.and.u32 p, w, 0, q", 32},
	{"setp.lt.u32 p|q, w, 2;", "lt.or.u32 p, w, 0, !q", 64},
}

func (c meeting) inCUDA(count int) string {
	return fmt.Sprintf("#include <cstdint>\n__global__ void __launch_bounds__(128) meet() {\n%s\nif (%s) {\nasm volatile(\"bar.sync 1, %d;\" ::: \"memory\");\n}\n}\nvoid run() { meet<<<1, 128>>>(); }\n", c.before, c.test, count)
}

func (c meeting) inCuTe(count int) string {
	var before strings.Builder
	for _, line := range strings.Split(c.before, "; ") {
		if line != "" {
			before.WriteString("    " + line + "\n")
		}
	}
	return fmt.Sprintf(`import cutlass
import cutlass.cute as cute

@cute.kernel
def meet():
    tidx, _, _ = cute.arch.thread_idx()
    warp = tidx // 32
%s    if %s:
        cute.arch.barrier(barrier_id=1, number_of_threads=%d)

@cute.jit
def run():
    meet().launch(grid=(1, 1, 1), block=(128, 1, 1))
`, before.String(), c.test, count)
}

func (c meeting) inPTX(count int) string {
	return fmt.Sprintf(`.version 8.6
.target sm_90
.address_size 64
.visible .entry meet()
.reqntid 128, 1, 1
{
  .reg .pred p, q;
  .reg .b32 t, w, a, b;
  .reg .b64 x;
  mov.u32 t, %%tid.x;
  shr.u32 w, t, 5;
  %s
  setp.%s;
  @!p bra OVER;
  bar.sync 1, %d;
OVER:
  ret;
}
`, c.before, c.test, count)
}

// TestIntegersDecide holds what conditions of each language let pass against the counts of the table.
func TestIntegersDecide(t *testing.T) {
	for _, l := range []struct {
		name  string
		cases []meeting
		text  func(meeting, int) string
	}{{"meet.cu", meetingsInCUDA, meeting.inCUDA}, {"meet.py", meetingsInCuTe, meeting.inCuTe}, {"meet.ptx", meetingsInPTX, meeting.inPTX}} {
		for _, c := range l.cases {
			t.Run(l.name+" "+c.before+" "+c.test, func(t *testing.T) {
				right, wrong := c.threads, c.threads+32
				holds, violated := "holds", "violated"
				switch c.threads {
				case -1: // there is no barrier: the condition is constant
					right, wrong, violated = 64, 96, "holds"
				case 0: // nobody comes, which is told instead
					right, wrong, holds, violated = 64, 96, "inconclusive", "inconclusive"
				case 96: // as many as the CTA has would wait for threads that have ended
					wrong = 64
				}
				if v := verdictOf(t, l.name, l.text(c, right)); v != holds {
					t.Errorf("with %d threads at the barrier: %s, want %s", right, v, holds)
				}
				if v := verdictOf(t, l.name, l.text(c, wrong)); v != violated {
					t.Errorf("with %d threads at the barrier: %s, want %s", wrong, v, violated)
				}
			})
		}
	}
}

func verdictOf(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{name}, Engine: Explore, Jobs: 1})
	if err != nil || len(r.Kernels) != 1 {
		t.Fatalf("%d kernels, %v", len(r.Kernels), err)
	}
	return r.Kernels[0].Verdict
}
