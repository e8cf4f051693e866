package ir

import (
	"fmt"
	"slices"
	"testing"
)

const dividedText = `kernel k
parameter n
parameter in
parameter g
part n = n+0
part in = in+0 pointer
part g = g+0
special %%tid.x, %%ntid.x, %%ctaid.x
variable shared s at 0 bytes 1024 element 4
function k
%s
`

func dividing(t *testing.T, body string) *Kernel {
	t.Helper()
	k, err := Parse("k.ir", fmt.Sprintf(dividedText, body))
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// under is a barrier of the CTA under a condition.
func under(condition string) string {
	return "b0:\n" + condition + "\n @!%p branch b2\nb1:\n barrier.cta.aligned 0, 0\nb2:\n return"
}

func TestDivided(t *testing.T) {
	const index = " %i = mul.b32 %ctaid.x, %ntid.x\n %i = add.b32 %i, %tid.x\n"
	for name, c := range map[string]struct {
		text string
		want []Division
	}{
		"a thread":                            {under(" %p = setp.eq.s32 %tid.x, 0"), []Division{ByIndex}},
		"half of them":                        {under(" %p = setp.lt.s32 %tid.x, 64"), []Division{ByIndex}},
		"all of them":                         {under(" %p = setp.lt.s32 %tid.x, 128"), nil},
		"a warp":                              {under(" %w = shr.b32 %tid.x, 5\n %p = setp.eq.s32 %w, 1"), []Division{ByIndex}},
		"a warp that is given":                {under(" %w = shr.b32 %tid.x, 5\n %p = setp.eq.s32 %w, n"), []Division{ByIndex}},
		"a bound":                             {under(index + " %p = setp.lt.s32 %i, n"), []Division{ByBound}},
		"a bound from memory":                 {under(index + " %m = load.global.b32 [in] size 4\n %p = setp.lt.s32 %i, %m"), []Division{ByBound}},
		"a rounded bound":                     {under(index + " %r = rem.s32 n, %ntid.x\n %m = sub.s32 n, %r\n %p = setp.lt.s32 %i, %m"), nil},
		"whole tiles":                         {under(index + " %m = mul.s32 n, 128\n %p = setp.lt.s32 %i, %m"), nil},
		"a small factor":                      {under(index + " %m = mul.s32 n, 3\n %p = setp.lt.s32 %i, %m"), []Division{ByBound}},
		"the number of the threads":           {under(" %p = setp.lt.s32 %tid.x, %ntid.x"), nil},
		"what all have alike":                 {under(" %p = setp.lt.s32 %ctaid.x, n"), nil},
		"of their own":                        {under(" %a = mul.b32 %tid.x, 4\n %b = add.b64 in, %a\n %m = load.global.b32 [%b] size 4\n %p = setp.gt.s32 %m, 0"), []Division{ByData}},
		"both, a bound":                       {under(" %p = setp.gt.s32 n, 0\n %q = setp.lt.s32 %tid.x, n\n %p = logic.and %p, %q"), []Division{ByBound}},
		"barriers on both ways":               {"b0:\n %p = setp.lt.s32 %tid.x, n\n @!%p branch b2\nb1:\n barrier.cta.aligned 0, 0\n branch b3\nb2:\n barrier.cta.aligned 0, 0\nb3:\n return", nil},
		"left":                                {"b0:\n %p = setp.lt.s32 %tid.x, n\n @%p branch b2\nb1:\n return\nb2:\n barrier.cta.aligned 0, 0\nb3:\n return", nil},
		"others may meet elsewhere":           {"b0:\n %p = setp.lt.s32 %tid.x, n\n @!%p branch b2\nb1:\n barrier.cta.aligned 0, 0\n branch b3\nb2:\n outside.may_sync text \"x\"\nb3:\n return", nil},
		"a loop of each thread":               {"b0:\n %i = move.b32 %tid.x\nb1:\n %p = setp.lt.s32 %i, n\n @!%p branch b3\nb2:\n barrier.cta.aligned 0, 0\n %i = add.b32 %i, %ntid.x\n branch b1\nb3:\n return", []Division{ByBound}},
		"a loop of all":                       {"b0:\n %i = move.b32 0\nb1:\n %p = setp.lt.s32 %i, n\n @!%p branch b3\nb2:\n barrier.cta.aligned 0, 0\n %i = add.b32 %i, %ntid.x\n branch b1\nb3:\n return", nil},
		"a loop with a step that data decide": {"b0:\n %i = move.b32 %tid.x\nb1:\n %p = setp.lt.s32 %i, n\n @!%p branch b4\nb2:\n barrier.cta.aligned 0, 0\n %m = load.global.b32 [in] size 4\n %q = setp.lt.s32 %m, %i\n @!%q branch b1\nb3:\n %i = add.b32 %i, %ntid.x\n branch b1\nb4:\n return", []Division{ByBound}},
		"what a loop counts with":             {"b0:\n %i = move.b32 64\nb1:\n %p = setp.gt.s32 %i, 0\n @!%p branch b5\nb2:\n %q = setp.lt.s32 %tid.x, %i\n @!%q branch b4\nb3:\n barrier.cta.aligned 0, 0\nb4:\n %i = shr.s32 %i, 1\n branch b1\nb5:\n return", []Division{ByIndex}},
		"no round of it":                      {"b0:\n %i = move.b32 512\nb1:\n %p = setp.ge.s32 %i, 128\n @!%p branch b5\nb2:\n %q = setp.lt.s32 %tid.x, %i\n @!%q branch b4\nb3:\n barrier.cta.aligned 0, 0\nb4:\n %i = shr.s32 %i, 1\n branch b1\nb5:\n return", nil},
		"an arrival":                          {"b0:\n %p = setp.lt.s32 %tid.x, n\n @!%p branch b2\nb1:\n barrier.cta.aligned.arrive 1, 128\nb2:\n return", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []Division
			for _, d := range dividing(t, c.text).Divided([3]int{128, 1, 1}, false) {
				got = append(got, d.By)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("divided by %v, want %v", got, c.want)
			}
		})
	}
}

func TestDividedSays(t *testing.T) {
	k := dividing(t, "b0:\n %i = move.b32 %tid.x\nb1:\n %p = setp.lt.s32 %i, n\n @!%p branch b3\nb2:\n barrier.cta.aligned 0, 0\n %i = add.b32 %i, %ntid.x\n branch b1\nb3:\n barrier.cta.aligned 0, 0\n return")
	d := k.Divided([3]int{256, 1, 1}, true)
	if len(d) != 1 || !d[0].Leaves || d[0].Later < 0 || k.Insts[d[0].Later].Op != BarrierCTA || d[0].Later == d[0].Barrier {
		t.Errorf("got %+v", d)
	}
	for text, divides := range map[string]bool{
		" %w = div.s32 %ntid.x, 2\n %p = setp.lt.s32 %tid.x, %w":                        true, // whatever the block is
		" %w = div.s32 %ntid.x, 32\n %w = mul.s32 %w, 32\n %p = setp.lt.s32 %tid.x, %w": false,
		" %w = sub.s32 %ntid.x, 256\n %p = setp.lt.s32 %tid.x, %w":                      false, // with some shapes alone
	} {
		if d := dividing(t, under(text)).Divided([3]int{256, 1, 1}, true); (len(d) > 0) != divides {
			t.Errorf("with a guess of the block%s divides: %+v", text, d)
		}
	}
}

func TestMisfits(t *testing.T) {
	const shuffled = " %v = shuffle.bfly.sync %v, 1, 31 members "
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"the whole warp":         {"b0:\n" + shuffled + "-1\n return", "[]"},
		"half the mask":          {"b0:\n" + shuffled + "65535\n return", "[0xffff 16 false]"},
		"a warp of several":      {"b0:\n %w = vote.ballot.sync %q, -1 members -1\n %p = setp.eq.s32 %w, n\n @!%p branch b2\nb1:\n" + shuffled + "15\nb2:\n return", "[0xf 4 false]"},
		"lanes that a mask fits": {"b0:\n %l = and.b32 %tid.x, 31\n %p = setp.lt.s32 %l, 16\n @!%p branch b2\nb1:\n" + shuffled + "65535\nb2:\n return", "[]"},
		"lanes that never come":  {"b0:\n %l = and.b32 %tid.x, 31\n %p = setp.lt.s32 %l, 16\n @!%p branch b2\nb1:\n" + shuffled + "-1\nb2:\n return", "[0xffffffff 16 true]"},
		"that meet elsewhere":    {"b0:\n %l = and.b32 %tid.x, 31\n %p = setp.lt.s32 %l, 16\n @!%p branch b2\nb1:\n" + shuffled + "-1\n branch b3\nb2:\n" + shuffled + "-1\nb3:\n return", "[]"},
		"that have left":         {"b0:\n %p = setp.lt.s32 %tid.x, 16\n @%p branch b2\nb1:\n return\nb2:\n" + shuffled + "65535\nb3:\n return", "[]"},
		"a warp of many":         {"b0:\n %p = setp.lt.s32 %tid.x, 32\n @!%p branch b2\nb1:\n" + shuffled + "-1\nb2:\n return", "[]"},
		"by data":                {"b0:\n %p = setp.lt.s32 %v, 32\n @!%p branch b2\nb1:\n" + shuffled + "-1\nb2:\n return", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, m := range dividing(t, c.text).Misfits([3]int{128, 1, 1}, true) {
				got = append(got, fmt.Sprintf("%#x %d %v", m.Mask, m.Lane, m.Branch >= 0))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("misfits %v, want %v", got, c.want)
			}
		})
	}
	if m := dividing(t, "b0:\n"+shuffled+"65535\n return").Misfits([3]int{16, 1, 1}, false); len(m) > 0 {
		t.Errorf("half a warp is all there is: %+v", m)
	}
}
