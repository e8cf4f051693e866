package thread

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine/progress"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// head is what the kernels of these tests may name.
const head = `parameter flag
parameter data
parameter n
predicates %p, %q
registers b64 flag, data
registers b32 n, %r, %s, %t
special %tid.x, %ctaid.x, %laneid
part flag = flag+0 pointer
part data = data+0 pointer
part n = n+0
variable shared tile at 0 bytes 256 element 4
variable global word at 0 bytes 8 element 4 = 3
address &word = word
function k
`

func system(t *testing.T, text string, l Launch) *System {
	t.Helper()
	k, err := ir.Parse("k.ir", head+text+"\nreturn\n")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if why := ir.Verify(k); why != nil {
		t.Fatalf("%v\n%s", why, text)
	}
	l.CTAs, l.Cluster = max(l.CTAs, 1), max(l.Cluster, 1)
	if l.Block[0] == 0 {
		l.Block = [3]int{2, 1, 1}
	}
	s, err := New(k, l)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ends executes a kernel at random and says how that ends, or why not.
func ends(s *System) string {
	for {
		at, err := s.wander(s.Start(), rand.New(rand.NewPCG(1, 1)), 1000)
		switch {
		case errors.Is(err, ErrAgain):
			s.Again()
		case err != nil:
			return err.Error()
		default:
			return string(at)
		}
	}
}

// TestStops: what decides what a thread does has to be known, and what is not followed stops it, with its line. What is data does not.
func TestStops(t *testing.T) {
	const (
		spins = "b0:\n%r = load.changes.global.relaxed.gpu.b32 [flag] size 4\n%p = setp.eq.b32 %r, 0\n@%p branch b0\nb1:"
		mbar  = "%q = setp.eq.b32 %tid.x, 0\n@%q mbar.init.shared [0], 2\nbarrier.cta.aligned 0, 0\n"
		tests = "b0:\n%p = mbar.test.try.shared [0], 0\n@!%p branch b0\nb1:"
	)
	for _, c := range []struct {
		text, want string
		launch     Launch
	}{
		{text: "%r = load.global.b32 [data] size 4\n%p = setp.eq.b32 %r, 0\n@%p barrier.cta.aligned 0, 0", want: "barrier.cta: whether it is executed is not known here"},
		{text: "%r = load.global.b32 [data] size 4\n%p = setp.eq.b32 %r, 0\n@%p branch b1\nb0:\nstore.global.b32 [data], 1 size 4\nb1:\nbarrier.cta.aligned 0, 0", want: "ends"},
		{text: "%r = load.global.b32 [data] size 4\n%p = setp.eq.b32 %r, 0\n@%p branch b1\nb0:\nbarrier.cta.aligned 0, 0\nb1:", want: "a branch on what is not known here"},
		{text: "%p = setp.lt.s32 n, 4\n@%p barrier.cta.aligned 0, 0", want: "it follows from what the kernel is given: n"},
		{text: "%p = setp.lt.s32 n, 4\n@%p barrier.cta.aligned 0, 0", launch: Launch{Params: map[string]int64{"n": 4}}, want: "ends"},
		{text: spins, want: "is stuck"},
		{text: strings.ReplaceAll(spins, ".changes.global.relaxed.gpu", ".global"), want: "is stuck"},
		{text: "store.global.relaxed.gpu.b32 [flag], 1 size 4\n" + spins, want: "ends"},
		{text: "%a = move.b64 data\nb0:\n%a = add.b64 %a, 4\n%r = load.global.b32 [%a] size 4\n%p = setp.eq.b32 %r, 0\n@%p branch b0\nb1:", want: "ends"},
		{text: "%a = load.global.b64 [data] size 8\n" + strings.ReplaceAll(spins, "[flag]", "[%a]"), want: "and there is load on a way from it"},
		{text: "%a = load.global.b64 [data] size 8\nstore.global.b32 [%a], 1 size 4\n" + spins, want: "it writes where is not known here"},
		{text: "%r = load.global.b32 [data] size 4\n%a = mad.wide.b64.b32 %r, 4, flag\nstore.global.b32 [%a], 1 size 4\n" + spins, want: "the address of what is waited for is not known here"},
		{text: "%r = load.global.b32 [data] size 4\n%a = mad.wide.b64.b32 %r, 4, data\nstore.global.b32 [%a], 1 size 4\nstore.global.relaxed.gpu.b32 [flag], 1 size 4\n" + spins, want: "ends"},
		{text: "%r = load.global.b32 [data] size 4\n%p = setp.eq.b32 %r, 0\n@%p store.global.b32 [flag], 1 size 4\n" + spins, want: "whether it writes what is waited for is not known here"},
		{text: "%s = atomic.add.global.relaxed.gpu.b32 [data], 1 size 4\n%a = mad.wide.b64.b32 %s, 4, flag\nstore.global.relaxed.gpu.b32 [%a], 1 size 4\n" + spins, want: "ends"},
		{text: "%r = load.shared.b32 [0] size 4\n%p = setp.eq.b32 %r, 0\n@%p barrier.cta.aligned 0, 0", want: "whether it is executed is not known here"},
		{text: "store.shared.b8 [%tid.x], 1 size 1\nbarrier.cta.aligned 0, 0\n%r = load.shared.b16 [0] size 2\n%p = setp.ne.b32 %r, 257\n@%p exit.trap", want: "ends"},
		{text: strings.ReplaceAll(spins, "[flag]", "[&word]"), want: "ends"},
		{text: strings.ReplaceAll(spins, "[flag]", "[&word+4]"), want: "is stuck"},
		{text: "exit.trap", want: "a thread comes to a trap"},
		{text: "%p = setp.eq.b64 flag, 0\n@%p barrier.cta.aligned 0, 0", want: "not known here"},
		{text: "%p = setp.eq.b64 flag, data\n@%p barrier.cta.aligned 0, 0", want: "not known here"},
		{text: "%a = and.b64 flag, 15\n%p = setp.eq.b64 %a, 0\n@%p barrier.cta.aligned 0, 0", want: "not known here"},
		{text: "%a = add.b64 flag, 12\n%a = sub.b64 %a, flag\n%p = setp.eq.b64 %a, 12\n@%p barrier.cta.aligned 0, 0", want: "ends"},
		{text: "barrier.cta.aligned 1, 32", launch: Launch{Fewer: true}, want: "it counts 32 threads, and fewer are executed"},
		{text: "barrier.cta.aligned 1, 32", want: "ends"},
		{text: "barrier.cta.aligned 1, 64", want: "is stuck"},
		{text: "barrier.cta.aligned.arrive 1, 64\nbarrier.cta.aligned 1, 64", want: "has arrived at this barrier before"},
		{text: "%p = setp.eq.b32 %tid.x, 0\n@%p barrier.cta 1, 64\n@!%p barrier.cta 1, 32", want: "others count"},
		{text: "%p = setp.ge.b32 %tid.x, 32\n@%p branch b1\nb0:\nbarrier.cta.aligned 1, 64\nreturn\nb1:\nbarrier.cta.aligned.arrive 1, 64\nreturn", launch: Launch{Block: [3]int{64, 1, 1}}, want: "ends"},
		{text: "barrier.cluster", want: "arrive and wait do not take turns"},
		{text: "barrier.cluster.arrive\nbarrier.cluster", launch: Launch{CTAs: 4, Cluster: 2}, want: "ends"},
		{text: "%p = setp.eq.b32 %ctaid.x, 1\n@%p barrier.cluster.arrive\n@%p barrier.cluster", launch: Launch{CTAs: 2, Cluster: 2}, want: "ends"},
		{text: "%p = setp.eq.b32 %ctaid.x, 1\n@%p branch b2\nbarrier.cluster.arrive\nbarrier.cluster\nb2:\n" + spins, launch: Launch{CTAs: 2, Cluster: 2}, want: "is stuck"},
		{text: "mbar.arrive.shared [0], 1", want: "not initialised"},
		{text: mbar + "mbar.arrive.shared [0], 1\n" + tests, want: "ends"},
		{text: mbar + "@%q mbar.arrive.shared [0], 1\n" + tests, want: "is stuck"},
		{text: mbar + strings.ReplaceAll(tests, "[0], 0", "[0], 1"), want: "ends"},
		{text: mbar + "mbar.arrive.shared [0], 1, 16\n" + tests, want: "is stuck"},
		{text: mbar + "mbar.arrive.shared [0], 1, 16\nmbar.complete_tx.shared [0], 16\n" + tests, want: "ends"},
		{text: mbar + "mbar.arrive.shared [0], 3", want: "more arrive than the mbarrier expects"},
		{text: mbar, launch: Launch{Fewer: true}, want: "fewer are executed than are launched"},
		{text: "%r = shuffle.idx.sync %r, 0, 31 members 1", want: "lane 1 executes it and is not in its mask"},
	} {
		if got := ends(system(t, c.text, c.launch)); !strings.Contains(got, c.want) {
			t.Errorf("%s\n%s, expected %s", c.text, got, c.want)
		}
	}
}

// TestAmongThreads: what threads get of a collective and of barrier.red.
func TestAmongThreads(t *testing.T) {
	const odd = "%r = and.b32 %tid.x, 1\n%p = setp.eq.b32 %r, 1\n"
	for text, want := range map[string]string{ // sets %s or %q; what the threads have then
		odd + "%s = barrier.cta.popc 0, 0, %p":                                        "20 20 20",
		odd + "%q = barrier.cta.and 0, 0, %p":                                         "0 0 0",
		odd + "%q = barrier.cta.or 0, 0, %p":                                          "1 1 1",
		odd + "%s = vote.ballot.sync %p, -1 members -1":                               "-1431655766 -1431655766 170",
		odd + "%q = vote.uni.sync %p, -1 members -1":                                  "0 0 0",
		odd + "%q = vote.any.sync !%p, -1 members -1":                                 "1 1 1",
		"%s = shuffle.bfly.sync %tid.x, 1, 31 members -1":                             "1 0 33",
		"%s = shuffle.down.sync %tid.x, 2, 31 members -1":                             "2 3 34",
		"%s|%q = elect.sync -1 members -1":                                            "1 0 1",
		odd + "@!%p branch b0\n%s = vote.ballot.sync %p, -1 members -1431655766\nb0:": "0 -1431655766 0",
		"%s = atomic.add.shared.relaxed.cta.b32 [0], 1 size 4":                        "? ? ?",
		"%s = atomic.inc.global.relaxed.gpu.b32 [&word], 3 size 4":                    "3 0 1",
		"%s = atomic.dec.global.relaxed.gpu.b32 [&word+4], 5 size 4":                  "0 5 4",
		"%s = atomic.cas.global.relaxed.gpu.b32 [&word], 3, 9 size 4":                 "3 9 9",
		"%s = atomic.max.global.relaxed.gpu.s32 [&word], %tid.x size 4":               "3 3 3",
	} {
		k := "%s = move.b32 0\n%q = setp.ne.b32 0, 0\n" + text + "\n%t = select.b32 1, 0, %q\n%s = add.b32 %s, %t\nstore.local.b32 [0], %s size 4"
		s := system(t, k, Launch{Block: [3]int{40, 1, 1}})
		for o := range s.objects {
			s.objects[o].tracked = o != nowhere && o != constant
		}
		got := map[int]string{}
		s.watch = func(e *thread, in *ir.Inst) {
			if in.Op == ir.Store && (e.t < 2 || e.t == 32) {
				if got[e.t] = "?"; e.read(in.B).known() {
					got[e.t] = fmt.Sprint(e.read(in.B).n)
				}
			}
		}
		state, err := s.Start(), error(nil)
		for round := 0; round < 100 && err == nil; round++ {
			for _, u := range slices.Concat([]int{0, 1, 32}, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, []int{20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34, 35, 36, 37, 38, 39}) {
				if err == nil && !s.Ended(state, u) {
					if state, err = s.Step(state, u); errors.Is(err, ErrAgain) {
						s.Again()
						state, err = s.Start(), nil
						break
					}
				}
			}
		}
		if all := got[0] + " " + got[1] + " " + got[32]; err != nil || all != want {
			t.Errorf("%s: %s %v, expected %s", text, all, err, want)
		}
	}
}

// TestSteps: what is said of the scheduler is the same where each instruction is a step of its own.
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	hangs, states, fine := 0, 0, 0
	for n := range 800 {
		l := Launch{CTAs: 1 + r.IntN(2+n%2), Cluster: 1, Block: [3]int{2 - n%2, 1, 1}}
		if l.CTAs == 2 {
			l.Cluster = 1 + r.IntN(2)
		}
		text := waiting(r, l.Cluster > 1)
		if n == 0 { // a thread that waits for another one only where that has written
			l.CTAs, l.Block[0] = 1, 2
			text = "%p = setp.eq.b32 %tid.x, 0\n@%p branch b1\n%r = load.changes.global.relaxed.gpu.b32 [flag] size 4\n%p = setp.eq.b32 %r, 0\n@%p exit\nb0:\nbarrier.cta 0, 0\nreturn\n" +
				"b1:\nstore.global.relaxed.gpu.b32 [flag], 1 size 4\nreturn"
		}
		s := system(t, text, l)
		whole, err := decided(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		parts, err := decided(s.apart())
		if large := (*progress.TooLargeError)(nil); errors.As(err, &large) {
			continue
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		states, fine = states+whole.States, fine+parts.States
		for g, a := range parts.Answers {
			if !a.Ends {
				hangs++
			}
			if got := whole.Answers[g].Ends; got != a.Ends {
				t.Fatalf("%s: ends %v, and %v where each instruction is a step\n%d CTAs of %d\n%s", g, got, a.Ends, l.CTAs, l.Block[0], text)
			}
		}
	}
	t.Log(hangs, "answers that a kernel may run for ever;", states, "states;", fine, "where each instruction is a step")
	if hangs < 1000 || fine < 2*states {
		t.Errorf("%d answers that a kernel may run for ever; %d states, %d where each instruction is a step", hangs, states, fine)
	}
}

// FuzzThreads: any text is executed without a panic and in bounded time.
func FuzzThreads(f *testing.F) {
	const kernel = ".version 9.0\n.target sm_90a\n.global .u32 g;\n.visible .entry k(.param .u64 p, .param .u32 n) .reqntid 2 {\n.shared .align 8 .b8 s[64];\n"
	for _, text := range []string{
		"ld.param.u64 %rd1, [p]; l: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra l; st.global.u32 [g+4], %r1; ret;",
		"mbarrier.init.shared.b64 [s], 2; bar.sync 0; mbarrier.arrive.shared.b64 %rd1, [s]; l: mbarrier.test_wait.shared.b64 %p1, [s], %rd1; @!%p1 bra l; barrier.cluster.arrive; barrier.cluster.wait;",
		"mov.u32 %r1, %tid.x; atom.shared.cas.b64 %rd1, [s+8], %rd2, 5; shfl.sync.idx.b32 %r2|%p1, %r1, 1, 31, -1; st.shared.v2.u8 [s+1], {%r1, %r2}; brx.idx %r2, t; t: .branchtargets a, b; a: b: bar.red.popc.u32 %r3, 0, %p1;",
	} {
		f.Add(kernel + text + "}")
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
		for _, fn := range file.Functions {
			if !fn.Kernel {
				continue
			}
			k, err := frontend.Translate(file, fn)
			if err != nil {
				continue
			}
			s, err := New(k, Launch{CTAs: 2, Cluster: 2, Block: [3]int{2, 1, 1}})
			if err != nil {
				continue
			}
			state := s.Start()
			for i := range 200 {
				th := i % s.threads
				if s.Ended(state, th) {
					continue
				}
				s.Describe(state, th)
				next, err := s.Step(state, th)
				if errors.Is(err, ErrAgain) {
					s.Again()
					state = s.Start()
				} else if err != nil {
					break
				} else {
					state = next
				}
			}
		}
	})
}

func decided(s *System) (r *progress.Result, err error) {
	for {
		if r, err = progress.Decide(s); !errors.Is(err, ErrAgain) {
			return r, err
		}
		s.Again()
	}
}

// waiting is a kernel that reads and writes two flags, waits for them, and comes to barriers.
func waiting(r *rand.Rand, cluster bool) string {
	var out strings.Builder
	label, depth := 0, 0
	cell := func() string { return fmt.Sprintf("[flag+%d]", 4*r.IntN(2)) }
	var block func()
	block = func() {
		for range 1 + r.IntN(3) {
			label++
			switch n := r.IntN(12); {
			case n < 2:
				fmt.Fprintf(&out, "store.global.relaxed.gpu.b32 %s, %d size 4\n", cell(), r.IntN(2))
			case n == 2:
				fmt.Fprintf(&out, "%%r = load.changes.global.relaxed.gpu.b32 %s size 4\n", cell())
			case n == 3:
				fmt.Fprintf(&out, "%%r = atomic.exch.global.relaxed.gpu.b32 %s, %d size 4\n", cell(), r.IntN(2))
			case n < 6 && depth < 2:
				depth++
				fmt.Fprintf(&out, "%%p = setp.eq.b32 %s, %d\n@%%p branch b%d\n", []string{"%r", "%tid.x", "%ctaid.x"}[r.IntN(3)], r.IntN(2), 1000+label)
				at := 1000 + label
				block()
				fmt.Fprintf(&out, "b%d:\n", at)
				depth--
			case n < 8:
				fmt.Fprintf(&out, "b%d:\n%%r = load.changes.global.relaxed.gpu.b32 %s size 4\n%%p = setp.eq.b32 %%r, %d\n@%%p branch b%d\n", label, cell(), r.IntN(2), label)
			case n == 8:
				out.WriteString("barrier.cta 0, 0\n")
			case n == 9:
				out.WriteString("%p = vote.any.sync %p, -1 members -1\n")
			case n == 10 && cluster && depth == 0:
				out.WriteString("barrier.cluster.arrive\nbarrier.cluster\n")
			case n == 11 && depth > 0 && r.IntN(3) == 0:
				out.WriteString("exit\n")
			default:
				fmt.Fprintf(&out, "%%r = add.b32 %%r, %d\n", r.IntN(2))
			}
		}
	}
	out.WriteString("%r = move.b32 0\n%p = setp.eq.b32 %tid.x, 0\n")
	block()
	return out.String()
}

// asKernel writes a program of check-exchange-branch steps as a kernel: a CTA a thread.
func asKernel(p *progress.Program) string {
	var out strings.Builder
	for t, list := range p.Threads {
		fmt.Fprintf(&out, "%%p = setp.ne.b32 %%ctaid.x, %d\n@%%p branch b%d\n", t, 1000*t+999)
		for at, i := range list {
			access := fmt.Sprintf("atomic.add.global.relaxed.gpu.b32 [flag+%d], 0", 4*i.Loc)
			if i.Exch {
				access = fmt.Sprintf("atomic.exch.global.relaxed.gpu.b32 [flag+%d], %d", 4*i.Loc, i.Value)
			}
			fmt.Fprintf(&out, "b%d:\n%%r = %s size 4\n%%p = setp.eq.b32 %%r, %d\n@%%p branch b%d\n", 1000*t+at, access, i.Check, 1000*t+i.Jump)
		}
		fmt.Fprintf(&out, "b%d:\nexit\nb%d:\n", 1000*t+len(list), 1000*t+999)
	}
	return out.String()
}

// TestPublished decides the synthesized tests of the literature as kernels, where they are, and programs at random: what a kernel needs is
// what the program needs.
func TestPublished(t *testing.T) {
	var programs []*progress.Program
	if dir := os.Getenv("FENCEPOST_SHARED"); dir != "" {
		f, err := os.Open(filepath.Join(dir, "progress", "tests.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tests, err := progress.Read(f)
		if err != nil || len(tests) < 300 {
			t.Fatalf("%d tests: %v", len(tests), err)
		}
		for k := range tests {
			programs = append(programs, &tests[k].Program)
		}
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		p := &progress.Program{}
		for range 2 + r.IntN(2) {
			var list []progress.Instruction
			for size := 1 + r.IntN(3); len(list) < size; {
				list = append(list, progress.Instruction{Loc: r.IntN(2), Check: r.IntN(2), Jump: r.IntN(size + 1), Exch: r.IntN(2) == 0, Value: r.IntN(2)})
			}
			p.Threads = append(p.Threads, list)
		}
		programs = append(programs, p)
	}
	for _, p := range programs {
		steps, err := p.System()
		if err != nil {
			t.Fatal(err)
		}
		want, err := progress.Decide(steps)
		if err != nil {
			t.Fatal(err)
		}
		text := asKernel(p)
		got, err := decided(system(t, text, Launch{CTAs: len(p.Threads), Block: [3]int{1, 1, 1}, Cooperative: p.Cooperative}))
		if err != nil {
			t.Fatalf("%s: %v", p.ID, err)
		}
		for g, a := range want.Answers {
			if got.Answers[g].Ends != a.Ends {
				t.Errorf("%s: %s: ends %v as a kernel, %v as steps", p.ID, g, got.Answers[g].Ends, a.Ends)
			}
		}
	}
	t.Log(len(programs), "programs")
}

// TestMulticast: what goes to the memory of all GPUs behind an address may be what is waited for.
func TestMulticast(t *testing.T) {
	const text = `.version 8.1
.target sm_90
.visible .entry k(.param .u64 p, .param .u64 q) .reqntid 1 {
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [q];
	multimem.red.release.sys.global.add.u32 [%rd2], 1;
l:	ld.acquire.sys.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra l;
}`
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
	k, err := frontend.Translate(f, f.Functions[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(k, Launch{CTAs: 1, Cluster: 1, Block: [3]int{1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := ends(s); !strings.HasPrefix(got, "k.ptx:6: multimem.red.release.sys.global.add.u32: it writes where is not known here") {
		t.Error(got)
	}
}
