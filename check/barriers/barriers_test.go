package barriers

import (
	"os"
	command "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

func read(t *testing.T, path string) *program.File {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := ptx.Read(&source.File{Name: path, Data: data})
	if len(f.Notes)+len(f.Skipped) > 0 {
		t.Fatalf("%s: %v %v", path, f.Notes, f.Skipped)
	}
	return f
}

func kernel(t *testing.T, f *program.File, name string) *program.Function {
	t.Helper()
	for _, fn := range f.Functions {
		if fn.Kernel && fn.Name == name {
			return fn
		}
	}
	t.Fatalf("%s has no kernel %s", f.Source.Name, name)
	return nil
}

func translated(t *testing.T, f *program.File, fn *program.Function) *ir.Kernel {
	t.Helper()
	k, err := frontend.Translate(f, fn)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func verify(t *testing.T, f *program.File, name string, l exec.Launch) *Report {
	t.Helper()
	r, err := Verify(translated(t, f, kernel(t, f, name)), l, order.Options{Graph: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// paper is what the kernels of testdata give: those of Sharma, Bauer and Aiken's paper among them, in our words.
var paper = []struct {
	file, kernel string
	verdict      engine.Verdict
	violated     []order.Check
	barriers     int
	commands     int64
	at           string // where the first finding, or the first reason, is
}{
	{"deadlock", "deadlock", engine.Violated, []order.Check{order.Deadlock}, 0, 128, "deadlock.cu:6"},
	{"exchange", "exchange", engine.Holds, nil, 4, 64 * 6, ""},
	{"recycling", "recycling", engine.Holds, nil, 5, 32 * 10, ""},
	{"recycling", "recycling_unsafe", engine.Violated, []order.Check{order.Recycling}, 4, 32 * 8, "recycling.cu:44"},
	{"phases", "phases", engine.Holds, nil, 81, 32 * (1 + 40*4 + 40*3 + 1), ""},
	{"phases", "phases_late", engine.Violated, []order.Check{order.Race}, 81, 32 * (1 + 40*4 + 40*3 + 1), "phases.cu:16"},
}

func TestPaper(t *testing.T) {
	for _, c := range paper {
		f := read(t, filepath.Join("testdata", c.file+".ptx"))
		r := verify(t, f, c.kernel, exec.Launch{})
		var violated []order.Check
		for k, v := range r.Checks {
			if v == engine.Violated {
				violated = append(violated, order.Check(k))
			}
		}
		if r.Verdict != c.verdict || !slices.Equal(violated, c.violated) {
			t.Errorf("%s: %s, violated are %v; expected %s, %v", c.kernel, r.Verdict, violated, c.verdict, c.violated)
		}
		if r.Result.Barriers != c.barriers || r.Result.Commands != c.commands {
			t.Errorf("%s: %d dynamic barriers, %d commands; expected %d, %d", c.kernel, r.Result.Barriers, r.Result.Commands, c.barriers, c.commands)
		}
		if c.at == "" {
			continue
		}
		if got := r.Execution.Kernel.Where(&r.Execution.Kernel.Places[r.Findings[0].Points[0].Place]); !strings.HasSuffix(got, c.at) {
			t.Errorf("%s: told at %s, expected %s", c.kernel, got, c.at)
		}
	}
}

// TestExchange looks at the generations of the paper's working example and at what may run beside its first write.
func TestExchange(t *testing.T) {
	r := verify(t, read(t, "testdata/exchange.ptx"), "exchange", exec.Launch{})
	var got [][2]int
	for _, n := range r.Result.Graph.Nodes {
		got = append(got, [2]int{int(n.Object), n.Generation})
	}
	if want := [][2]int{{0, 1}, {1, 1}, {0, 2}, {1, 2}}; !slices.Equal(got, want) {
		t.Errorf("dynamic barriers are %v, expected %v", got, want)
	}
	latest, earliest, err := order.Interval(r.Execution.Program, 0, 1, 0, 1, 0)
	if err != nil || latest+1 != 1 || earliest+1 != 3 { // the paper counts commands from 1
		t.Errorf("the barrier interval of the write is (%d,%d), %v; expected (1,3)", latest+1, earliest+1, err)
	}
}

// TestParameters: a loop whose rounds a parameter says is run with numbers for it, unless it is given.
func TestParameters(t *testing.T) {
	f := read(t, "testdata/phases.ptx")
	r := verify(t, f, "phases_open", exec.Launch{})
	if numbers := r.Numbers["phases_open_param_2"]; r.Verdict != engine.Holds || !slices.Equal(numbers, []int64{0, 1, 2, 3, 4}) {
		t.Errorf("%s with numbers %v, %v", r.Verdict, r.Numbers, r.Reasons)
	}
	r = verify(t, f, "phases_open", exec.Launch{Params: map[string]int64{"phases_open_param_2": 7}})
	if r.Verdict != engine.Holds || r.Result.Barriers != 15 || len(r.Numbers) != 0 {
		t.Errorf("of 7 rounds: %s with %d dynamic barriers, numbers %v; expected holds with 15", r.Verdict, r.Result.Barriers, r.Numbers)
	}
	if _, err := exec.Run(translated(t, f, kernel(t, f, "phases_open")).Reduced(false), exec.Launch{Params: map[string]int64{"rounds": 7}}); err == nil {
		t.Error("a parameter that the kernel does not have is taken")
	}
}

// TestParametersNotRead: a parameter that the kernel has and does not read may be given.
func TestParametersNotRead(t *testing.T) {
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(".entry a(.param .u32 n) .reqntid 32 { bar.sync 0; ret; }")})
	if r := verify(t, f, "a", exec.Launch{Params: map[string]int64{"n": 3}}); r.Verdict != engine.Holds {
		t.Errorf("%s, %v", r.Verdict, r.Reasons)
	}
}

// TestCompiled compiles the kernels again: the PTX that is tested is what clang makes of the CUDA beside it.
func TestCompiled(t *testing.T) {
	clang, err := command.LookPath("clang")
	if err != nil {
		t.Skip("clang is not installed")
	}
	dir := t.TempDir()
	for _, c := range paper {
		out := filepath.Join(dir, c.file+".ptx")
		if _, err := os.Stat(out); err != nil {
			args := []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-O2", "-gline-tables-only",
				"-S", "-o", out, filepath.Join("testdata", c.file+".cu")}
			if text, err := command.Command(clang, args...).CombinedOutput(); err != nil {
				t.Fatalf("clang: %v\n%s", err, text)
			}
		}
		r := verify(t, read(t, out), c.kernel, exec.Launch{})
		if r.Verdict != c.verdict || r.Result.Barriers != c.barriers {
			t.Errorf("%s: %s with %d dynamic barriers; expected %s with %d", c.kernel, r.Verdict, r.Result.Barriers, c.verdict, c.barriers)
		}
	}
}

// TestMbarriers: rings of bulk copies and an exchange between CTAs, right and with one thing wrong.
func TestMbarriers(t *testing.T) {
	for _, c := range []struct {
		file, kernel string
		verdict      engine.Verdict
		violated     []order.Check // among others
		barriers     int
	}{
		{"ring", "ring_right", engine.Holds, nil, 15},
		{"ring", "ring_stuck_parity", engine.Violated, []order.Check{order.Attribution, order.Deadlock}, 0},
		{"ring", "ring_no_empty", engine.Violated, []order.Check{order.Attribution}, 0},
		{"ring", "ring_few_arrivals", engine.Violated, []order.Check{order.Deadlock}, 0},
		{"ring", "ring_wrong_bytes", engine.Violated, []order.Check{order.Deadlock}, 0},
		{"cluster", "cluster_right", engine.Holds, nil, 4},
		{"cluster", "cluster_early", engine.Violated, []order.Check{order.Lifetime}, 0},
	} {
		f := read(t, filepath.Join("testdata", c.file+".ptx"))
		l := exec.Launch{}
		if c.file == "cluster" {
			l.Cluster = [3]int{2, 1, 1}
		}
		r := verify(t, f, c.kernel, l)
		if r.Verdict != c.verdict || c.verdict == engine.Holds && r.Result.Barriers != c.barriers {
			t.Errorf("%s: %s (%v) with %d dynamic barriers; expected %s with %d", c.kernel, r.Verdict, r.Reasons, r.Result.Barriers, c.verdict, c.barriers)
		}
		for _, k := range c.violated {
			if r.Checks[k] != engine.Violated {
				t.Errorf("%s: %s %s, expected violated", c.kernel, k, r.Checks[k])
			}
		}
	}
}

// TestButterfly: the sum of a warp is one value where its lanes exchange with partners, in whatever order each adds, and not where only the
// first lane has all of it.
func TestButterfly(t *testing.T) {
	f := read(t, "testdata/butterfly.ptx")
	for name, want := range map[string]engine.Verdict{"butterfly": engine.Holds, "downwards": engine.Violated, "butterfly_most": engine.Holds, "downwards_most": engine.Violated} {
		if r := verify(t, f, name, exec.Launch{}); r.Verdict != want {
			t.Errorf("%s: %s, %v; expected %s", name, r.Verdict, r.Reasons, want)
		}
	}
}

// TestBenign: races of equal values are told apart from others, as far as the values follow from the same data.
func TestBenign(t *testing.T) {
	f := read(t, "testdata/benign.ptx")
	if r := verify(t, f, "benign", exec.Launch{}); r.Verdict != engine.Holds || r.Result.Benign != 2 {
		t.Errorf("benign: %s, %d benign pairs of lines, %v; expected holds with 2", r.Verdict, r.Result.Benign, r.Findings)
	}
	if r := verify(t, f, "harmful", exec.Launch{}); r.Verdict != engine.Violated || r.Result.Benign != 1 {
		t.Errorf("harmful: %s, %d benign pairs of lines, %v; expected violated with 1", r.Verdict, r.Result.Benign, r.Findings)
	}
}

// TestGeneric: a generic address that may be of shared memory is not taken for one of global memory.
func TestGeneric(t *testing.T) {
	for _, c := range []struct {
		address string
		verdict engine.Verdict
	}{
		{"mov.u32 %r1, 0; ld.param.u64 %rd1, [p];", engine.Holds},
		{"ld.param.u64 %rd1, [p];", engine.Violated}, // all lanes write one place
		{"ld.param.u64 %rd2, [p]; ld.global.u64 %rd1, [%rd2];", engine.Violated},
		{"mov.u64 %rd2, buf; cvta.shared.u64 %rd1, %rd2;", engine.Violated},
		{"mov.u64 %rd2, buf; cvta.shared.u64 %rd3, %rd2; ld.param.u64 %rd4, [p]; ld.global.u64 %rd5, [%rd4]; add.u64 %rd1, %rd3, %rd5;", engine.Inconclusive},
		{"mov.u64 %rd2, buf; cvta.shared.u64 %rd3, %rd2; ld.param.u64 %rd4, [p]; add.u64 %rd1, %rd3, %rd4;", engine.Inconclusive},
		{"mov.u64 %rd2, buf; cvta.shared.u64 %rd3, %rd2; add.cc.u64 %rd1, %rd3, 8;", engine.Inconclusive},
	} {
		text := ".entry k(.param .u64 p) .reqntid 64 { .shared .b64 buf[64]; mov.u32 %r1, %tid.x; " + c.address + " st.u32 [%rd1], %r1; ret; }"
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
		if r := verify(t, f, "k", exec.Launch{}); r.Verdict != c.verdict {
			t.Errorf("%s: %s (%v), expected %s", c.address, r.Verdict, r.Reasons, c.verdict)
		}
	}
}

// TestTensorCopies: how much of a phase's bytes each of several tensor copies writes is not in the PTX. A race with the one
// that is alone in its phase is known.
func TestTensorCopies(t *testing.T) {
	const copied = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd2, {%r2}], [bar]; "
	const behind = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [buf+128], [%rd2, {%r2}], [bar]; "
	for _, c := range []struct {
		name, copies, early string
		verdict             engine.Verdict
	}{
		{"one", copied, "", engine.Holds},
		{"one, read early", copied, "ld.shared.u32 %r4, [buf]; ", engine.Violated},
		{"two", copied + behind, "", engine.Inconclusive},
		{"two, one read early", copied + behind, "ld.shared.u32 %r4, [buf+128]; ", engine.Violated}, // it writes 16 bytes at least
		{"two, one read early behind what it surely writes", copied + behind, "ld.shared.u32 %r4, [buf+144]; ", engine.Inconclusive},
	} {
		text := ".entry k(.param .u64 p) .reqntid 32 { .shared .align 128 .b8 buf[256]; .shared .b64 bar; mov.u32 %r1, %tid.x; setp.ne.s32 %p1, %r1, 0; @%p1 bra MEET; " +
			"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 256; " + c.copies +
			"MEET: bar.sync 0; " + c.early + "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT; ld.shared.u32 %r3, [buf]; ret; }"
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
		if r := verify(t, f, "k", exec.Launch{}); r.Verdict != c.verdict {
			t.Errorf("%s: %s (%v %v), expected %s", c.name, r.Verdict, r.Reasons, r.Findings, c.verdict)
		}
	}
}

// TestTensorRing: the copies of a phase end it together, round after round, whoever waits first.
func TestTensorRing(t *testing.T) {
	const text = `.entry k(.param .u64 p) .reqntid 64 {
 .shared .align 128 .b8 buf[256]; .shared .b64 full; .shared .b64 empty;
 mov.u32 %r1, %tid.x; mov.u32 %r5, 0; setp.ne.s32 %p1, %r1, 0; @%p1 bra MEET;
 mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [empty], 1;
MEET: bar.sync 0;
 setp.eq.s32 %p2, %r1, 0; @%p2 bra FILL;
 setp.ne.s32 %p3, %r1, 32; @%p3 bra DONE;
TAKE: and.b32 %r6, %r5, 1;
W1: mbarrier.try_wait.parity.shared.b64 %p4, [full], %r6; @!%p4 bra W1;
 mbarrier.arrive.shared.b64 %rd1, [empty];
 add.s32 %r5, %r5, 1; setp.lt.s32 %p5, %r5, 4; @%p5 bra TAKE; bra DONE;
FILL: and.b32 %r6, %r5, 1; xor.b32 %r6, %r6, 1;
W2: mbarrier.try_wait.parity.shared.b64 %p4, [empty], %r6; @!%p4 bra W2;
 mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 256;
 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd2, {%r2}], [full];
 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [buf+128], [%rd2, {%r2}], [full];
 add.s32 %r5, %r5, 1; setp.lt.s32 %p5, %r5, 4; @%p5 bra FILL;
DONE: ret; }`
	r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
	for c, v := range r.Checks {
		if want := engine.Holds; v != want && order.Check(c) != order.Race {
			t.Errorf("%s: %s, expected %s (%v)", order.Check(c), v, want, r.Findings)
		}
	}
	if r.Verdict != engine.Inconclusive {
		t.Errorf("%s, expected inconclusive", r.Verdict)
	}
}

func FuzzKernel(f *testing.F) {
	names, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(names) == 0 {
		f.Fatal("no kernels to start from")
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(".entry k .reqntid 64 { .shared .b8 s[4]; a: @!p bra a; brx.idx %r1, t; t: .branchtargets a, b; call f; b: ret; } .func f { call f; }"))
	f.Add([]byte(".entry k(.param .u64 p) .reqntid 33, 3 { ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra x; bar.sync 1; x: @%p1 exit; bra.uni x; }"))
	f.Add([]byte(skeleton("tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, 0x8100010, %p1;\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];",
		"W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [done], 0; @!%p4 bra W;\ntcgen05.ld.sync.aligned.16x256b.x2.b32 {%r30}, [%r6]; tcgen05.wait::ld.sync.aligned;")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file := ptx.Read(&source.File{Name: "k.ptx", Data: data})
		for _, fn := range file.Functions {
			if !fn.Kernel {
				continue
			}
			o := order.Options{Limits: engine.Limits{Memory: 4 << 20, Time: 200 * time.Millisecond}}
			k, err := frontend.Translate(file, fn)
			if err != nil {
				continue
			}
			r, err := Verify(k, exec.Launch{}, o)
			if err == nil && r.Verdict == engine.Inconclusive && len(r.Reasons) == 0 {
				t.Errorf("%s is inconclusive without a reason", fn.Name)
			}
		}
	})
}
