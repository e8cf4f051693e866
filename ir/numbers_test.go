package ir

import (
	"fmt"
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

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name, start string
		body        []string
		want        []int64
	}{
		{"rounds", "0", []string{"%i = add.s32 %i, 1", "%p = setp.ge.s32 %i, n"}, []int64{0, 1, 2, 3}},
		{"a ring of four", "0", []string{"%i = add.s32 %i, 1", "%q = and.b32 %i, 3", "%p = setp.ge.s32 %i, n"}, []int64{0, 1, 2, 3, 9}},
		{"a byte that wraps", "0", []string{"%i = add.s32 %i, 1", "%q = and.b32 %i, 255", "%p = setp.ge.s32 %i, n"}, []int64{0, 1, 2, 3, 258}},
		{"by threads", "%tid.x", []string{"%i = add.s32 %i, %ntid.x", "%p = setp.ge.s32 %i, n"}, []int64{0, 1, 2, 63, 64, 65, 129, 192}},
		{"tiles", "0", []string{"%m = add.s32 n, 15", "%m = shr.s32 %m, 4", "%i = add.s32 %i, 1", "%p = setp.ge.s32 %i, %m"}, []int64{0, 1, 2, 15, 16, 17, 33, 48}},
		{"a stride that is given", "0", []string{"%i = add.s32 %i, n", "%p = setp.ge.s32 %i, 100"}, []int64{1, 2, 99, 100, 101}},
		{"a bit", "0", []string{"%m = and.b32 n, 8", "%p = setp.eq.s32 %m, 0"}, []int64{0, 1, 2, 7, 8, 9}},
		{"what another input says", "0", []string{"%m = mad.s32 %i, 5, 60", "%p = setp.gt.s32 n, %m"}, []int64{0, 1, 2, 59, 60, 61}},
		{"a quotient of a compiler's", "0", []string{"%h = mul.hi.b32 n, 274877907", "%q = shr.b32 %h, 6", "%i = add.s32 %i, 1", "%p = setp.ge.s32 %i, %q"},
			[]int64{0, 1, 2, 999, 1000, 1001, 2001, 3000}},
		{"a third", "0", []string{"%q = mul.hi.s32 n, 715827883", "%p = setp.eq.s32 %q, 0"}, []int64{0, 1, 2, 5, 6, 7}},
		{"a remainder", "0", []string{"%m = rem.s32 n, 24", "%p = setp.eq.s32 %m, 0"}, []int64{0, 1, 2, 23, 24, 25}},
	} {
		k := looping(t, c.start, c.body...)
		if got := k.Numbers("n", [3]int{64, 1, 1}); !slices.Equal(got, c.want) {
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
