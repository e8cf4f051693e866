package ir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// looped is a loop of some body, with n rounds or as it says itself.
const looped = `kernel k
parameter n
part n = n+0
special %%tid.x, %%ntid.x
variable shared s at 0 bytes 1024 element 4
variable shared r at 1024 bytes 64 element 4
function k
b0:
 %%i = move.b32 %s
b1:
 @%%p branch b3
b2:
 %s
 branch b1
b3:
 return
`

func looping(t *testing.T, start string, body ...string) *Kernel {
	t.Helper()
	k, err := Parse("k.ir", fmt.Sprintf(looped, start, strings.Join(body, "\n ")))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// counted is a kernel of n rounds, or what it has instead.
const counted = `kernel k
parameter n
parameter m
part n = n+0
part m = m+0
special %%tid.x, %%ntid.x
variable shared s at 0 bytes 4096 element 4
function k
b0:
 %%i = move.s32 %s
 %%x = move.s32 1
b1:
 %%p = setp.lt.s32 %%i, n
 @!%%p branch b4
b2:
 %s
 store.shared.b32 [0:s], %%i size 4
 %%i = add.s32 %%i, 1
 branch b1
b3:
 barrier.cta.aligned 0, 0
b4:
 return
`

func TestNumbers(t *testing.T) {
	const skip = "@%q branch b4"
	for _, c := range []struct {
		name, start string
		body        []string
		want        []int64
	}{
		{"rounds", "0", nil, []int64{0, 1, 2, 3}},
		{"a ring of four", "0", []string{"%q = and.b32 %i, 3", "%a = shl.b32 %q, 2", "store.shared.b32 [%a], %i size 4"}, []int64{0, 1, 2, 3, 5, 6, 7, 8, 15}},
		{"a ring that is counted", "0", []string{"%x = add.s32 %x, 1", "%q = setp.eq.s32 %x, 3", "%x = select.s32 0, %x, %q", "store.shared.b32 [%x], %i size 4"}, []int64{0, 1, 2, 3, 4, 5, 9}},
		{"the last place", "0", []string{"%x = add.s32 %x, 1", "%x = min.s32 %x, 9", "store.shared.b32 [%x], %i size 4"}, []int64{0, 1, 2, 3, 8, 9, 10, 11, 21}},
		{"a counter in bits", "0", []string{"%y = xor.b32 %i, 21", "%q = setp.eq.s32 %y, 0", skip}, []int64{0, 1, 2, 3, 22}},
		{"what doubles", "0", []string{"%x = add.s32 %x, %x", "%y = shr.b32 %x, 20", "%q = setp.eq.s32 %y, 1", skip}, []int64{0, 1, 2, 3, 20}},
		{"a third of the way", "0", []string{"%y = mul.s32 %i, 3", "%z = add.s32 n, 1", "%q = setp.eq.s32 %y, %z", skip}, []int64{0, 1, 2, 3, 4, 5, 6, 22}},
	} {
		k, err := Parse("k.ir", fmt.Sprintf(counted, c.start, strings.Join(append(c.body, "barrier.cta.aligned 0, 0"), "\n ")))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := k.Numbers("n", Premise{Block: [3]int{64, 1, 1}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

// TestNumbersOfSides: where the barrier is left out or not by one comparison, there is a number on each side of it.
func TestNumbersOfSides(t *testing.T) {
	const text = `kernel k
parameter n
parameter m
part n = n+0
part m = m+0
special %%tid.x, %%ntid.x
function k
b0:
 %s
 @%%p branch b2
b1:
 barrier.cta.aligned 0, 0
b2:
 return
`
	for _, c := range []struct {
		name string
		body []string
		m    int64
		want []int64
	}{
		{"tiles", []string{"%x = add.s32 n, 15", "%x = shr.s32 %x, 4", "%p = setp.gt.s32 %x, 3"}, 0, []int64{0, 1, 2, 33, 49}},
		{"a bit", []string{"%x = and.b32 n, 8", "%p = setp.eq.s32 %x, 0"}, 0, []int64{0, 1, 2, 8}},
		{"bits", []string{"%x = xor.b32 n, 21", "%p = setp.eq.s32 %x, 0"}, 0, []int64{0, 1, 2, 21}},
		{"more than another input says", []string{"%x = mad.s32 m, 5, 60", "%p = setp.gt.s32 n, %x"}, 2, []int64{0, 1, 2, 70, 71}},
		{"a sum with another", []string{"%x = sub.s32 n, m", "%p = setp.eq.s32 %x, 37"}, 5, []int64{0, 1, 2, 42, 43}},
		{"a product with another", []string{"%x = mul.s32 n, m", "%p = setp.eq.s32 %x, 221"}, 13, []int64{0, 1, 2, 17, 18}},
		{"shifted as another says", []string{"%x = shl.b32 n, m", "%p = setp.eq.s32 %x, 96"}, 3, []int64{0, 1, 2, 12, 13}},
		{"a quotient of a compiler's", []string{"%h = mul.hi.s32 n, 274877907", "%q = shr.s32 %h, 6", "%p = setp.gt.s32 %q, 0"}, 0, []int64{0, 1, 2, 1000}},
		{"a remainder", []string{"%x = rem.s32 n, 24", "%p = setp.eq.s32 %x, 17"}, 0, []int64{0, 1, 2, 17, 18}},
		{"the lesser one", []string{"%x = min.s32 n, 40", "%p = setp.gt.s32 %x, 39"}, 0, []int64{0, 1, 2, 39, 40, 41}},
		{"a square", []string{"%x = mul.s32 n, n", "%p = setp.eq.s32 %x, 169"}, 0, []int64{0, 1, 2, 13, 14}},
		{"far away", []string{"%p = setp.gt.s32 n, 100000"}, 0, []int64{0, 1, 2, 100000, 100001}},
		{"a half word", []string{"%x = convert.b16.s32 n", "%y = convert.s32.b16 %x", "%p = setp.ne.s32 %y, n"}, 0, []int64{0, 1, 2, 65536, 65537}},
		{"a divisor", []string{"%x = div.s32 100, n", "%p = setp.gt.s32 %x, 7"}, 0, []int64{1, 2, 13, 15}},
		{"numbers of threads", []string{"%p = setp.lt.s32 %tid.x, n"}, 0, []int64{0, 1, 2, 32, 33, 63, 64}},
	} {
		k, err := Parse("k.ir", fmt.Sprintf(text, strings.Join(c.body, "\n ")))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := k.Numbers("n", Premise{Block: [3]int{64, 1, 1}, Values: map[int32]int64{k.InputRegister("m"): c.m}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

func TestThreads(t *testing.T) {
	for _, c := range []struct {
		name, start string
		body        []string
		want        ThreadUse
	}{
		{"warps and lanes", "0", []string{"%w = shr.b32 %tid.x, 5", "%l = and.b32 %tid.x, 31", "%p = setp.eq.s32 %w, 3"},
			ThreadUse{Multiple: [4][]int{{32}}, Beyond: [4]int{96}}},
		{"a loop over elements", "%tid.x", []string{"%i = add.s32 %i, 192", "%p = setp.gt.s32 %i, 1023"}, ThreadUse{Extent: [4][]int{{192}}}},
		{"four elements each", "%t4", []string{"%t4 = shl.b32 %tid.x, 2", "%i = add.s32 %i, 512", "%p = setp.gt.s32 %i, 4095"}, ThreadUse{Extent: [4][]int{{128}}}},
		{"a loop of its own", "0", []string{"%i = add.s32 %i, 1", "%p = setp.gt.s32 %i, 7"}, ThreadUse{}},
		{"a barrier", "0", []string{"barrier.cta.aligned 1, 96", "%p = setp.lt.s32 %tid.x, 64"}, ThreadUse{Beyond: [4]int{64, 0, 0, 95}, Counts: []int{96}}},
	} {
		got := looping(t, c.start, c.body...).Threads()
		for axis := range got.Multiple {
			if got.Beyond[axis] != c.want.Beyond[axis] || !slices.Equal(got.Multiple[axis], c.want.Multiple[axis]) || !slices.Equal(got.Extent[axis], c.want.Extent[axis]) {
				t.Errorf("%s: %+v, expected %+v", c.name, *got, c.want)
				break
			}
		}
		if !slices.Equal(got.Counts, c.want.Counts) {
			t.Errorf("%s: counts %v, expected %v", c.name, got.Counts, c.want.Counts)
		}
	}
}

// TestObjects: an access has the variables that its address is made of, and no others.
func TestObjects(t *testing.T) {
	k := looping(t, "0", "%a = move.b32 0:s", "%b = add.s32 %a, %i", "%c = load.shared.b32 [%b] size 4", "%d = add.s32 %c, 1028:r", "store.shared.b32 [%d], %i size 4",
		"%e = select.b32 %b, %d, %p", "store.shared.b32 [%e], %i size 4", "store.shared.b32 [%c], %i size 4", "%i = add.s32 %i, 1", "%p = setp.ge.s32 %i, n")
	var got []string
	for n := range k.Insts {
		if in := &k.Insts[n]; in.Op == Load || in.Op == Store {
			names := ""
			for _, v := range k.ObjectsOf(in) {
				names += v.Name
			}
			got = append(got, names)
		}
	}
	if want := []string{"s", "r", "sr", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestNumbersOfAnything: of kernels that do anything numbers are found as well, the same ones each time.
func TestNumbersOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	for n := range 600 {
		k := randomKernel(r)
		if Verify(k) != nil {
			continue
		}
		g := Premise{Block: [3]int{40, 1, 1}}
		first := k.NumbersOf([]int32{1, 2}, g)
		if again := k.NumbersOf([]int32{1, 2}, g); !slices.Equal(first, again) {
			t.Fatalf("kernel %d: %v, then %v", n, first, again)
		}
		k.Traits(g)
	}
}
