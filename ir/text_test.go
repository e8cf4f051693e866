package ir

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestText reads instructions and prints them: as they are written, if nothing else is said.
func TestText(t *testing.T) {
	for _, c := range []struct{ text, printed string }{
		{"nop", ""},
		{"%r1 = move.b32 5", ""},
		{"%r1 = add.s32 %r2, -7", ""},
		{"%r1 = bfi.b32 %r2, %r3, 8, 3", ""},
		{"%rd1 = convert.s64.s32 %r1", ""},
		{"%rd1 = mul.wide.b64.b32 %r1, 4", ""},
		{"%f1 = apply.f32 %f2, %f3 formula 4", ""},
		{"%p1 = setp.lt.s32 %r1, 5", ""},
		{"%p1|%p2 = setp.ge.and.b32 %r1, %r2, !%p3", ""},
		{"_|%p2 = setp.eq.b32 %r1, 0x10", "_|%p2 = setp.eq.b32 %r1, 16"},
		{"%r1 = select.b32 1, 2, !%p1", ""},
		{"%p1 = logic.not %p2", ""},
		{"%rd1 = pack.b64.b32 %r1, %r2", ""},
		{"%r1, _ = unpack.b32 %rd1", ""},
		{"%r1|%p1 = shuffle.bfly.sync %r2, 16, 31 members -1", ""},
		{"%p1 = vote.all.sync !%p2, -1 members -1", ""},
		{"%r1 = vote.ballot.sync %p2, %r3 members %r3", ""},
		{"%p1 = isspacep %rd1 space \"shared\"", ""},
		{"%r5, %r6 = load.shared.b32 [%r3+16] size 8", ""},
		{"_, %r6 = load.changes.global.acquire.gpu.b32 [%rd3-16] size 8", ""},
		{"store.release.cluster.b32 [%rd1], %r1 size 4", ""},
		{"store.shared.b16 [64], 1, %r1 size 4", ""},
		{"%r1 = atomic.cas.global.acq_rel.sys.b32 [%rd1], %r2, %r3 size 4", ""},
		{"matrix.write.shared [%r1] size 16 lanes 32", ""},
		{"outside text \"a = b ! c\"", ""},
		{"@!%p1 branch b0", ""},
		{"branch.indexed %r1 to b0, b0", ""},
		{"call f", ""},
		{"@%p1 exit.trap", ""},
		{"barrier.cta.aligned 0, 128", ""},
		{"barrier.cta.arrive 1, 64", ""},
		{"%r1 = barrier.cta.popc.aligned 0, 0, %p1", ""},
		{"%p2 = barrier.cta.or.aligned 0, 0, %p1", ""},
		{"barrier.warp members -1", ""},
		{"barrier.cluster.aligned.arrive.release.cluster", ""},
		{"mbar.init.shared [%r1+8], 128", ""},
		{"%rd1 = mbar.arrive.drop.shared.release.cta [%r1+8], 1, 1024", ""},
		{"mbar.expect_tx.shared.relaxed.cta [%r1], 1024", ""},
		{"%p1 = mbar.test.try.shared [%r1+8], %r2", ""},
		{"async.bulk.to_shared [%r1], [%rd2+8], [%r9] bytes 1024", ""},
		{"async.bulk.multicast.tensor.to_shared [%r1], _, [%r9], %r4 bytes 0", ""},
		{"async.cp_async.to_shared [%r1], [%rd1] bytes 16", ""},
		{"async.arrive.tcgen05.noinc [%r1], 3", ""},
		{"group.wait.bulk.read 1", ""},
		{"stop text \"not modelled\"", ""},
		{"stop text \"not modelled\" code L009", ""},
		{"fence.acq_rel.gpu", ""},
		{"fence.async.shared", ""},
		{"fence.tensormap.acquire.sys [%rd1+0] size 128", "fence.tensormap.acquire.sys [%rd1] size 128"},
		{"griddepcontrol.wait", ""},
		{"setmaxnreg.dec 40", ""},
		{"%r1|%p1, %r2 = havoc", ""},
		{"return ! \"a b.cu\":12 ret", ""},
		{"return ! - ret", ""},
		{"return ! k.cu:3", ""},
	} {
		text := "predicates %p1, %p2, %p3\nfunction k\nb0:\n\t" + c.text + "\n\treturn ! end.cu:1 ret\nfunction f\nb1:\n\treturn ! end.cu:2 ret\n"
		k, err := Parse("k.ir", text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		want := c.printed
		if want == "" {
			want = c.text
		}
		if !strings.Contains(k.String(), "\n\t"+want+"\n") {
			t.Errorf("%s is printed as\n%s", c.text, k)
		}
		again, err := Parse("k.ir", k.String())
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if d := Difference(k, again); d != "" {
			t.Errorf("%s: read back, there differ %s", c.text, d)
		}
	}
}

// TestErrors has what is refused, with the line and what to do.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no instructions"},
		{"registers b32 %r1\n", "no instructions"},
		{"frobnicate %r1\nreturn", `line 1: "frobnicate" is neither an instruction nor a declaration`},
		{"%r1 = add.b32 %r2, %r3", "does not end with a return"},
		{"%r1 = add.b32 %r2\nreturn", "line 1: operand B is missing"},
		{"%r1 = add.b32 1, 2, 3\nreturn", "line 1: add has fewer operands"},
		{"%r1 = add.b32.b32.b32 1, 2\nreturn", "line 1: add has 3 types, expected 1"},
		{"%r1 = add.shared.b32 1, 2\nreturn", `line 1: add has no modifier "shared"`},
		{"%r1 = add.b300 1, 2\nreturn", `no modifier "b300"`},
		{"%r1 = add 1, 2\nreturn", "integers of 0 bits"},
		{"%r1 = add.b32 1, %p1\n@%p1 return\nreturn", "line 2: %p1 is a register, expected a predicate"},
		{"registers b32 %r1, %r1\nreturn", "line 1: %r1 is declared before"},
		{"predicates %p1\n%p1 = add.b32 1, 2\nreturn", "line 2: %p1 is a predicate, expected a register"},
		{"registers b32 %r1\n%r1 = add.b64 1, 2\nreturn", "line 2: its result of 64 bits does not fit %r1 of 32"},
		{"registers b32 %r1\n%p1 = setp.eq.b64 %r1, 2\nreturn", "line 2: %r1 has 32 bits, and is read as 64"},
		{"branch b7\nreturn", "line 1: no block b7"},
		{"function f\nb1:\nreturn\nfunction k\nbranch b1\nreturn", "line 5: no block b1 with instructions in function k"},
		{"b1:\nb1:\nreturn", "line 2: two blocks of one function are called b1"},
		{"branch b1\nreturn\nb1:", "line 1: no block b1 with instructions"},
		{"call g\nreturn", "line 1: no function g"},
		{"function f\nfunction g\nreturn", "function f has no instructions"},
		{"function f\nreturn\nfunction f\nreturn", "line 3: two functions are called f"},
		{"%r1 = load.shared.b32 [%r2] size 3\nreturn", "line 1: it accesses 3 bytes at once, expected a power of two"},
		{"%r1 = load.shared.b32 [%r2] size 8\nreturn", "line 1: it accesses 8 bytes; its type and parts are 4"},
		{"%r1 = load.shared.b32 %r2, size 4\nreturn", `line 1: found "%r2", expected an address`},
		{"%r1 = load.shared.b32 [%r2 size 4\nreturn", `line 1: found "size", expected "]"`},
		{"%p1 = setp.b32 1, 2\nreturn", "line 1: mode 0 of setp means nothing"},
		{"barrier.cta 99999999999999999999\nreturn", "no integer of 64 bits"},
		{"barrier.cta \"0\nreturn", "line 1: a string without its end"},
		{"matrix.shared [%r1] size 16 lanes 64\nreturn", "64 lanes, expected 1 to 32"},
		{"matrix.shared [%r1] size 16 lanes 640\nreturn", "lanes is 640, expected 0 to 255"},
		{"nop size 4\nreturn", `line 1: found "size", which nop does not have`},
		{"stop text \"no\" code L999\nreturn", "line 1: there is no such code"},
		{"nop nop\nreturn", "nop has fewer operands"},
		{"nop ! x\nreturn", `"x" is no place; expected file:line`},
		{"%r1 = nop\nreturn", "nop has fewer results"},
		{"variable shared a at 0 bytes -2\nreturn", "line 1: bytes is -2"},
		{"variable shared a at 0 bytes 4\nvariable local a at 0 bytes 4\nreturn", "line 2: two variables are called a"},
		{"followed nothing\nreturn", "there are data, tracked and blocking"},
		{"registers q32 %r1\nreturn", `"q32" is no type`},
		{"registers b32 size\nreturn", `the name "size" stands for two`},
	} {
		if k, err := Parse("k.ir", c.text); err == nil {
			t.Errorf("%q is read as\n%s", c.text, k)
		} else if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read k.ir: ") {
			t.Errorf("%q: %v; expected %s", c.text, err, c.want)
		}
	}
}

// TestFaults puts faults into a kernel that the text form cannot have.
func TestFaults(t *testing.T) {
	const text = "predicates %p1\nregisters b64 %r1\n%r1 = add.b32 %r1, 1\n@%p1 branch b1\nb1:\nreturn\nfunction f\nreturn"
	for name, spoil := range map[string]func(c *Kernel){
		"its guard":              func(c *Kernel) { c.Insts[1].Guard = 7 },
		"a result":               func(c *Kernel) { c.Insts[0].D = 99 },
		"operand A is nothing":   func(c *Kernel) { c.Insts[0].A.Reg = 99 },
		"operand C is there":     func(c *Kernel) { c.Insts[0].C = Operand{Reg: 0} },
		"cannot be negated":      func(c *Kernel) { c.Insts[0].A.Not = true },
		"out of its function":    func(c *Kernel) { c.Insts[1].Target = 3 },
		"a target":               func(c *Kernel) { c.Insts[0].Target = 3 },
		"its place":              func(c *Kernel) { c.Insts[0].Place = 99 },
		"flags":                  func(c *Kernel) { c.Insts[0].Flags = Aligned },
		"an order or a scope":    func(c *Kernel) { c.Insts[0].Scope = ScopeGPU },
		"a size":                 func(c *Kernel) { c.Insts[1].Size = 4 },
		"a type":                 func(c *Kernel) { c.Insts[0].Result = Type{} },
		"there is no op":         func(c *Kernel) { c.Insts[0].Op = ops },
		"more operands":          func(c *Kernel) { c.Insts[0].Extra = &Extra{Operands: []Operand{{}}} },
		"does not follow":        func(c *Kernel) { c.Functions[1][0]-- },
		"does not end":           func(c *Kernel) { c.Insts[3] = Blank(Nop); c.Insts[3].Guard = -1 },
		"types of them":          func(c *Kernel) { c.Types = nil },
		"an offset":              func(c *Kernel) { c.Insts[0].Offset = 4 },
		"the mask of its lanes":  func(c *Kernel) { c.Insts[0].Members = Operand{Reg: 0} },
		"offsets or targets":     func(c *Kernel) { c.Insts[1].Extra = &Extra{Targets: []int32{2}} },
		"joins predicates":       func(c *Kernel) { c.Insts[0].Join = JoinAnd },
		"has no register of its": func(c *Kernel) { c.Special["%tid.x"] = 0 },
	} {
		k, err := Parse("k.ir", text)
		if err != nil {
			t.Fatal(err)
		}
		if spoil(k); Verify(k) == nil || !strings.Contains(Verify(k).Error(), name) {
			t.Errorf("%s: %v", name, Verify(k))
		}
	}
}

// TestRandom prints kernels of random instructions, which have all that the table lets them have, and reads them back.
func TestRandom(t *testing.T) {
	for seed := range uint64(2000) {
		k := randomKernel(rand.New(rand.NewPCG(seed, 17)))
		if err := Verify(k); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k)
		}
		again, err := Parse("k.ir", k.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k)
		}
		if d := Difference(k, again); d != "" {
			t.Fatalf("seed %d: %s\n%s", seed, d, k)
		}
		k.Reduced(seed%2 == 0)
	}
}

// FuzzParse reads anything: what is a kernel is printed and read again, and no pass trips over it.
func FuzzParse(f *testing.F) {
	f.Add("kernel k\nregisters b32 %r1\nb0:\n\t@!%p1 branch b0 ! a.cu:1 bra\n\treturn\n")
	for seed := range uint64(20) {
		f.Add(randomKernel(rand.New(rand.NewPCG(seed, 4))).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Parse("k.ir", text)
		if err != nil {
			return
		}
		again, err := Parse("k.ir", k.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		if d := Difference(k, again); d != "" {
			t.Fatalf("%s\n%s", d, k)
		}
		if len(text) > 1<<13 { // passes are for kernels, and slow with many branches in each other
			return
		}
		for _, c := range []*Kernel{k, k.Reduced(true)} {
			for _, p := range Passes() {
				p.Print(c)
			}
		}
	})
}
