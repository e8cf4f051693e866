package lower

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// TestGrowthIsProved lowers loops whose rounds look alike for a while, and some that are: whatever is said of how their
// instances grow is compared with what they are. A period of 0 says that nothing is said.
func TestGrowthIsProved(t *testing.T) {
	const meet = "    cute.arch.mbarrier_arrive(bar)\n    cute.arch.mbarrier_wait(bar, i & 1)\n"
	const also = "        cute.arch.mbarrier_arrive(bar + 1)\n"
	loop := func(before, round string) string {
		return before + "for i in cutlass.range(n):\n" + meet + round
	}
	tests := []struct {
		name, body string
		period     int
	}{
		{"rounds alike", loop("", ""), 2},
		{"a counter nobody looks at", loop("count = Int32(0)\n", "    count += 3\n"), 2},
		{"every fifth round", loop("", "    if i % 5 == 4:\n"+also), 10},
		{"the first three rounds", loop("", "    if i < 3:\n"+also), 2},
		{"all but the last round", loop("", "    if i + 1 < n:\n"+also), 2},
		{"the last round", loop("", "    if i == n - 1:\n"+also), 2},
		{"the rest of a division", loop("", "") + "if n % 3 == 1:\n    cute.arch.mbarrier_arrive(bar + 1)\n", 6},
		{"two rounds in one", "for i in cutlass.range(n):\n" + strings.ReplaceAll(meet, "i &", "(2 * i) &") + strings.ReplaceAll(meet, "i &", "(2 * i + 1) &"), 1},
		{"a while loop", "i = Int32(0)\nwhile i < n:\n" + meet + "    i += 1\n", 2},
		{"a while loop down", "i = n\nwhile i > 0:\n" + meet + "    i -= 1\n", 2},
		{"a stage that wraps", "stage = Int32(0)\nphase = Int32(0)\nfor i in range(n):\n    cute.arch.mbarrier_arrive(bar + stage)\n    cute.arch.mbarrier_wait(bar + stage, phase)\n    stage += 1\n    if stage == 3:\n        stage = Int32(0)\n        phase ^= 1\n", 6},
		{"a comparison with a number far away", "if n > 300:\n    cute.arch.mbarrier_arrive(bar + 1)\n" + loop("", ""), 0},
		{"a round far away", loop("", "    if i == 300:\n"+also), 0},
		{"from a round far away", loop("", "    if i > 300:\n"+also), 0},
		{"a value far away", loop("", "") + "if n == 300:\n    cute.arch.mbarrier_arrive(bar + 1)\n", 0},
		{"a bit of the counter", loop("", "    if (i >> 6) & 1:\n"+also), 0},
		{"the stage of a division", loop("", "    cute.arch.mbarrier_arrive(bar + 1 + min(i // 300, 1))\n"), 0},
		{"a count of objects", loop("class C:\n    pass\nc = C()\nc.n = 0\n", "    c.n += 1\n    if c.n == 300:\n"+also), 0},
		{"an attribute of a class", loop("class C:\n    n = 0\n", "    C.n += 1\n    if C.n == 300:\n"+also), 0},
		{"a square", loop("", "    if i * i > 100000:\n"+also), 0},
		{"a product with the unknown", loop("", "    if i * n > 100000:\n"+also), 0},
		{"half the rounds", loop("", "    if 2 * i < n:\n"+also), 0},
		{"a list that grows", loop("seen = []\n", "    seen.append(0)\n    if len(seen) == 300:\n"+also), 0},
		{"a list of rounds", loop("seen = []\n", "    seen.append(i)\n    if 300 in seen:\n"+also), 0},
		{"a dictionary that grows", loop("seen = {}\n", "    seen[i] = 1\n    if len(seen) == 300:\n"+also), 0},
		{"a table", loop("table = [0] * 300 + [1] * 300\n", "    if table[i]:\n"+also), 0},
		{"a text that grows", loop("word = ''\n", "    word += 'a'\n    if len(word) == 300:\n"+also), 0},
		{"the text of a number", loop("", "    if str(i) == '300':\n"+also), 0},
		{"the length of a number", loop("", "    if len(f'{i}') > 2:\n"+also), 0},
		{"leaving in the middle", loop("", "    if i == 300:\n        break\n"), 0},
		{"going on in the middle", "for i in cutlass.range(n):\n" + meet + "    if i < 300:\n        continue\n    cute.arch.mbarrier_arrive(bar + 1)\n", 0},
		{"doubling", loop("x = Int32(1)\n", "    x = x * 2 % 1000003\n    if x > 10000000:\n"+also), 0},
		{"a sum of rounds", loop("x = Int32(0)\n", "    x += i\n    if x > 100000:\n"+also), 0},
		{"a sum of rounds against rounds", loop("x = Int32(0)\n", "    x += i\n    if x > 100 * i + 50:\n"+also), 0},
		{"a square of rounds", "for j in cutlass.range(n):\n    for i in cutlass.range(n):\n" + strings.ReplaceAll(meet, "    cute", "        cute") + "    if n & 1:\n" + also, 0},
		{"a sum of rounds, divided", loop("x = Int32(0)\n", "    x += i\n    if x % 64 == 63:\n"+also), 0},
		{"Fibonacci", loop("a = Int32(1)\nb = Int32(1)\n", "    a, b = b, (a + b) % 1009\n    if a == 1008:\n"+also), 0},
		{"exclusive or", loop("x = Int32(0)\n", "    x ^= i\n    if x == 300:\n"+also), 0},
		{"a choice", loop("", "    x = 1 if i == 300 else 0\n    if x:\n"+also), 0},
		{"membership", loop("", "    if i in (3, 300):\n"+also), 0},
		{"a range", loop("", "    if i in range(300, 305):\n"+also), 0},
		{"a tuple", loop("", "    if (i, 0) == (300, 0):\n"+also), 0},
		{"truth", loop("", "    if not (i - 300):\n"+also), 0},
		{"any", loop("", "    if any([i == 300, i == 301]):\n"+also), 0},
		{"a nested loop", loop("", "    for j in cutlass.range(i // 300):\n        cute.arch.mbarrier_arrive(bar + 1)\n"), 0},
		{"a triangle", "for i in cutlass.range(n):\n    for j in cutlass.range(i % 3 + i // 300):\n        cute.arch.mbarrier_arrive(bar + 1)\n", 0},
		{"recursion", "def down(k):\n    if k == 300:\n        cute.arch.mbarrier_arrive(bar + 1)\n" + loop("", "    down(i)\n"), 0},
		{"a function's variable", "x = 0\ndef up():\n    nonlocal x\n    x += 1\n    return x\n" + loop("", "    if up() == 300:\n"+also), 0},
		{"an arrival count", loop("", "    cute.arch.mbarrier_arrive(bar + 1, arrive_count=1 + i // 300)\n"), 0},
		{"a flag", "for i in cutlass.range(n):\n    while flag[0] < i // 300:\n        pass\n" + meet, 0},
		{"a place in memory", loop("place = smem.alloc_array(Int32, 400)\n", "    place[tid + 32 * (i // 300)] = i\n"), 0},
		{"a value in shared memory", loop("place = smem.alloc_array(Int32, 1)\n", "    if tid == 0:\n        place[0] = i\n    cute.arch.sync_threads()\n    if place[0] == 300:\n        cute.arch.mbarrier_arrive(bar + 1)\n"), 0},
		{"a thread's round", loop("", "    if tid + 300 == i:\n"+also), 0},
		{"an exception", loop("", "    try:\n        if i == 300:\n            raise ValueError('x')\n    except ValueError:\n"+also), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { proved(t, python(test.body), test.period) })
	}
}

func proved(t *testing.T, text string, period int) {
	f := read("k.py", text)
	k := Kernels(f, dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) == 0 {
		if period > 0 {
			t.Fatalf("not lowered: %v", k.Opaque)
		}
		t.Logf("not lowered: %v", k.Opaque)
		return
	}
	values := k.Instances[len(k.Instances)-1].Numbers()
	p, why := k.Instance(valued(values, "n", 40))
	few(t, k.family, values, period)
	if p == nil || len(p.Repeats) == 0 {
		if period > 0 {
			t.Fatalf("nothing is said: %v", why)
		}
		if why["n"] == seemed {
			t.Error("only the last defence finds that its rounds do not repeat")
		}
		if why["n"] == "" {
			t.Errorf("no reason is given; rounds %v, values %v", k.Rounds, slices.Sorted(maps.Keys(values)))
		}
		t.Log(why)
		return
	}
	if p.Repeats[0].Period != period {
		t.Errorf("period %d, want %d (least %d)", p.Repeats[0].Period, period, p.Repeats[0].Least)
	}
	for v := int64(p.Repeats[0].Least); v < 310; v += 71 {
		large, _ := k.Instance(valued(values, "n", v+int64(p.Repeats[0].Period)))
		small, _ := k.family.lower(valued(values, "n", v), nil)
		if small == nil || large == nil || len(large.Repeats) == 0 {
			t.Fatalf("%d: no instances", v)
		}
		if err := without(small, large, large.Repeats[0]); err != nil {
			t.Fatalf("%d: %v", v, err)
		}
	}
}

// few looks at instances with so few rounds that none comes after those that repeat: all that is wrong about a period has to
// be found in these.
func few(t *testing.T, f *family, values map[string]int64, period int) {
	t.Helper()
	for n := int64(1); n < 7; n++ {
		r, _ := f.watched(valued(values, "n", n), nil)
		if r == nil {
			return
		}
		for p := 1; p <= 4; p++ {
			if _, reason := r.certified(map[string]int{"n": p}); reason == "" && (period == 0 || p%period != 0) {
				t.Errorf("%d rounds are said to repeat in an instance with %d", p, n)
			}
		}
	}
}
