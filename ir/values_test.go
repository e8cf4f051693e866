package ir

import (
	"strings"
	"testing"
)

// TestValues has what passes say of values and addresses: a line of what one prints, by kernel.
func TestValues(t *testing.T) {
	const head = "predicates %p1, %p2, %p3\nregisters b32 %tid.x, %tid.y, %ctaid.x, %ntid.x, n, %x, %y, %z\nregisters b64 q, m, %d, %e\nspecial %tid.x, %tid.y, %ctaid.x, %ntid.x\npart n = n+0\npart q = q+0 pointer\npart m = m+0 pointer\nvariable shared s at 0 bytes 256 element 4\nvariable shared u at 256 bytes 256 element 4\n"
	for _, c := range []struct {
		name, pass, text, want string
	}{
		{"a sum", "affine", "%x = mad.b32 %tid.y, 128, 8\n%y = shl.b32 %tid.x, 2\n%z = add.b32 %x, %y\nstore.shared.b32 [%z], 0 size 4\nreturn", "%z:2: 128*%tid.y + 4*%tid.x + 8, 8 to 2162564"},
		{"what is the same for the CTA", "affine", "%x = mul.b32 %ctaid.x, %ntid.x\n%y = add.b32 %x, %tid.x\nstore.shared.b32 [%y], 0 size 4\nreturn", "%y:1: %x:0 + %tid.x modulo 2^32, -2147483648 to 2147483647"},
		{"what may have wrapped is not widened", "affine", "%x = add.b32 n, %tid.x\n%d = convert.b64.b32 %x\n%e = shl.b64 %d, 2\nstore.global.b32 [%e], 0 size 4\nreturn", "%e:2: not known"},
		{"and multiplied only modulo 2^32", "affine", "%x = add.b32 n, %tid.x\n%d = mul.wide.s64.s32 %x, 4\nstore.global.b32 [%d], 0 size 4\nreturn", "%d:1: 4*n + 4*%tid.x modulo 2^32, -8589934592 to 8589934588"},
		{"what cannot have wrapped is", "affine", "%x = mad.b32 %tid.y, 100, %tid.x\n%d = mul.wide.s64.s32 %x, 4\nstore.global.b32 [%d], 0 size 4\nreturn", "%d:1: 400*%tid.y + 4*%tid.x, 0 to 6618732"},
		{"what was computed of the same before", "affine", "%x = mul.b32 n, n\n%y = mul.b32 n, n\n%z = add.b32 %y, %tid.x\nstore.shared.b32 [%z], 0 size 4\nreturn", "%z:2: %x:0 + %tid.x modulo 2^32, -"},
		{"and with the factors exchanged", "affine", "%k = and.b32 n, 12\n%x = mul.b32 n, %k\n%y = mul.b32 %k, n\nstore.shared.b32 [%y], 0 size 4\nstore.shared.b32 [%x], 0 size 4\nreturn", "%y:2: %x:1, -"},
		{"but not on another way", "affine", "%p1 = setp.lt.s32 %tid.x, 3\n@%p1 branch b1\n%x = mul.b32 n, n\nstore.shared.b32 [%x], 0 size 4\nb1:\n%y = mul.b32 n, n\nstore.shared.b32 [%y], 0 size 4\nreturn", "%y:4: %y:4, -"},
		{"nor of what has changed", "affine", "%i = and.b32 %ctaid.x, 7\nb1:\n%i = xor.b32 %i, n\n%x = mul.b32 %i, n\n%i = xor.b32 %i, 5\n%y = mul.b32 %i, n\nstore.shared.b32 [%y], 0 size 4\n%p1 = setp.lt.s32 %i, 99\n@%p1 branch b1\nreturn", "%y:4: %y:4, -"},
		{"rounds", "affine", "%x = move.b32 0\nb1:\n%y = shl.b32 %x, 2\nstore.shared.b32 [%y], 0 size 4\n%x = add.b32 %x, 1\n%p1 = setp.lt.s32 %x, 16\n@%p1 branch b1\nreturn", "%y:1: 4*rounds of b1, 0 to 60\n"},
		{"how many", "affine", "%x = move.b32 0\nb1:\n%x = add.b32 %x, 4\n%p1 = setp.ne.s32 %x, 64\n@%p1 branch b1\nreturn", "loop b1: goes back at most 15 times"},
		{"rounds that data ends", "affine", "%x = move.b32 0\nb1:\n%x = add.b32 %x, 4\n%p1 = setp.ne.s32 %x, %y\n@%p1 branch b1\nreturn", "%x:1: 4*rounds of b1 + 4 modulo 2^32"},
		{"what a call has left", "affine", "call f\n%x = move.b32 %y\ncall f\nstore.shared.b32 [%x], 0 size 4\nreturn\nfunction f\n%y = mul.b32 %ctaid.x, %ntid.x\nreturn", "%x:1: %y:0, -"},
		{"rounds that count otherwise", "affine", "%x = move.b32 0\nb1:\n%p2 = setp.lt.b32 n, 3\n@!%p2 branch b2\n%x = and.b32 %x, 7\n%x = add.b32 %x, 1\nbranch b1\nb2:\n%x = add.b32 %x, 1\n%p1 = setp.lt.s32 %x, 16\n@%p1 branch b1\nreturn", "%x:6: %x:b1 + 1 modulo 2^32"},
		{"rounds that do not count", "affine", "%x = move.b32 0\nb1:\n%p2 = setp.lt.b32 %tid.x, 3\n@%p2 branch b1\n%x = add.b32 %x, 1\n%p1 = setp.lt.s32 %x, 16\n@%p1 branch b1\nreturn", "%x:3: %x:b1 + 1 modulo 2^32"},
		{"a test that always holds", "affine", "%x = move.b32 0\nb1:\n%x = add.b32 %x, 1\n%p1 = setp.le.b32 %x, -1\n@%p1 branch b1\nreturn", "%x:1: rounds of b1 + 1 modulo 2^32"},
		{"a quotient without a sign", "affine", "%x = div.b32 n, 1\nstore.shared.b32 [%x], 0 size 4\nreturn", "%x:0: %x:0, -2147483648 to 2147483647"},
		{"a bit that is free", "affine", "%x = shl.b32 %tid.x, 1\n%y = or.b32 %x, 1\nstore.shared.b32 [%y], 0 size 4\nreturn", "%y:1: 2*%tid.x + 1, 1 to 32767"},
		{"one of two", "affine", "%p1 = setp.lt.s32 n, 4\n@%p1 branch b1\n%x = move.b32 8\nbranch b2\nb1:\n%x = move.b32 4\nb2:\n%y = add.b32 %x, 1\nstore.shared.b32 [%y], 0 size 4\nreturn", "%y:5: %x:b3 + 1, 5 to 9"},

		{"a variable", "points-to", "%x = and.b32 %tid.x, 15\n%y = mad.b32 %x, 4, 256:u\nstore.shared.b32 [%y+4], 0 size 4\nreturn", "shared, bytes 260 to 324: of u\n"},
		{"another name for the same bytes", "points-to", "%x = mad.b32 %tid.x, 4, 0:s\n%p1 = setp.lt.b32 %tid.x, 65\n@%p1 store.shared.b32 [%x], 0 size 4\nreturn", "shared, bytes 0 to 260, 4 from one thread to the next: of s, u\n"},
		{"a branch", "points-to", "%x = load.global.b32 [q] size 4\n%p1 = setp.ge.b32 %x, 8\n@%p1 branch b1\n%y = mad.b32 %x, 4, 256:u\nstore.shared.b32 [%y], 0 size 4\nb1:\nreturn", "shared, bytes 256 to 288: of u\n"},
		{"without it", "points-to", "%x = load.global.b32 [q] size 4\n%y = mad.b32 %x, 4, 256:u\nstore.shared.b32 [%y], 0 size 4\nreturn", "shared, any bytes: of u\n"},
		{"two conditions", "points-to", "%p1 = setp.lt.b32 %tid.x, 8\n%p2 = setp.lt.b32 %tid.y, 4\n%p3 = logic.and %p1, %p2\n%x = mad.b32 %tid.y, 8, %tid.x\n@!%p3 branch b1\nstore.shared.b8 [%x], 0 size 1\nb1:\nreturn", "shared, bytes 0 to 32, 1 from"},
		{"a condition that does not hold", "points-to", "%p1 = setp.lt.b32 %tid.x, 8\n%p2 = setp.lt.b32 %tid.x, 4\n%p3 = logic.and %p1, !%p2\n@%p3 store.shared.b8 [%tid.x], 0 size 1\nreturn", "shared, bytes 4 to 8, 1 from"},
		{"a difference", "points-to", "%y = sub.s32 100, %tid.x\n%p1 = setp.lt.s32 %y, 20\n@%p1 store.shared.b8 [%tid.x], 0 size 1\nreturn", "shared, bytes 81 to 16384, 1 from"},
		{"a sum that is compared", "points-to", "%x = mad.b32 %tid.y, 8, %tid.x\n%p1 = setp.lt.b32 %x, 32\n%y = shl.b32 %x, 2\n@%p1 store.shared.b32 [%y], 0 size 4\nreturn", "shared, bytes 0 to 128, 4 from"},
		{"a buffer", "points-to", "%d = mul.wide.b64.b32 %tid.x, 8\n%e = add.b64 q, %d\nstore.global.b64 [%e+16], 0 size 8\nreturn", "global from q on, bytes 16 to 131088, 8 from one thread to the next\n"},
		{"a generic address", "points-to", "%d = convert.b64.b32 %tid.x\n%e = add.b64 %d, 1099511627776\nstore.b8 [%e], 0 size 1\nreturn", "shared, bytes 0 to 16384, 1 from one thread to the next: of s, u\n"},
		{"one of two spaces", "points-to", "%d = add.b64 0:s, 1099511627776\n%p1 = setp.lt.s32 n, 4\n%e = select.b64 %d, q, %p1\nstore.b8 [%e], 0 size 1\nreturn", "any memory, any bytes: of s\n"},
		{"a number that looks like a pointer", "points-to", "%d = add.b64 m, 1099511627776\nstore.b8 [%d], 0 size 1\nreturn", "any memory, any bytes\n"},

		{"what is called", "effects", "barrier.cta 1, 0\ncall f\nreturn\nfunction f\nstore.shared.b32 [4:s], 0 size 4\nbarrier.cta 2, 0\nreturn", "k:\n  may: writes shared, bytes 4 to 8: of s\n  must: passes barrier.cta 1\n  must: passes barrier.cta 2\nf:\n  may: writes shared, bytes 4 to 8: of s\n  must: passes barrier.cta 2\n"},
		{"what is called by some", "effects", "%p1 = setp.lt.b32 %tid.x, 8\n@%p1 call f\nreturn\nfunction f\nbarrier.cta 2, 0\nreturn", "k:\n  may: passes barrier.cta 2\nf:\n  must: passes barrier.cta 2\n"},
		{"a function that calls itself", "effects", "call f\nbarrier.cta 1, 0\nreturn\nfunction f\ncall f\nreturn", "k:\n  must: passes barrier.cta 1\n  may: anything, for a function that calls itself\n  may: not return, for a function that calls itself\n"},
		{"what descriptors describe", "effects", "tensor.mma.f16 [%x], %d, %e, 0\ngroup.commit.tcgen05\nreturn", "k:\n  may: asynchronously reads shared, any bytes\n  may: starts operations of tcgen05\n  may: accesses tensor memory\n"},
		{"asynchronous operations", "effects", "async.bulk.to_shared [256:u], [q], [0:s] bytes 16\ngroup.commit.bulk\ngroup.wait.bulk 0\nreturn", "k:\n  may: asynchronously writes shared, bytes 256 to 272: of u\n  may: asynchronously reads global from q on, bytes 0 to 16\n  may: asynchronously atomics on shared, bytes 0 to 8: of s\n  may: starts operations of bulk\n  may: waits for bulk\n"},
		{"a loop that ends", "effects", "%x = move.b32 0\nb1:\nbarrier.cta 1, 0\n%x = add.b32 %x, 1\n%p1 = setp.lt.s32 %x, 16\n@%p1 branch b1\nreturn", "k:\n  must: passes barrier.cta 1\n"},
		{"one that may not", "effects", "b1:\n%x = add.b32 %x, 1\n%p1 = setp.lt.s32 %x, 16\n@%p1 branch b1\nreturn", "may: not return, for the loop of b0"},

		{"what is written to memory may come back", "origins", "%d = add.b64 0:s, 1099511627776\nstore.local.b64 [0], %d size 8\n%e = load.local.b64 [%x] size 8\nreturn", "%e: (perhaps a generic address of shared memory)"},
		{"what is not does not", "origins", "%d = add.b64 0:s, 1099511627776\nstore.b64 [%d], 0 size 8\n%e = load.local.b64 [%x] size 8\nreturn", "%d: s (perhaps a generic address of shared memory)\n?: (perhaps a generic address of shared memory)\n"},
	} {
		k := parsed(t, head+"function k\n"+c.text)
		for _, p := range Passes() {
			if p.Name() != c.pass {
				continue
			}
			if got := "\n" + p.Print(k); !strings.Contains(got, c.want) || strings.HasPrefix(c.want, "k:") && !strings.HasSuffix(got, c.want) && !strings.HasPrefix(got, "\n"+c.want) || strings.HasPrefix(c.want, "%d: s") && got != "\n"+c.want {
				t.Errorf("%s: expected %s, got%s", c.name, c.want, got)
			}
		}
	}
}
