package lower

import "strings"

// What a CTA's place in its cluster says about its block index: with blockIdx.x = clusterid.x * 2 + 1, blockIdx.x % 2
// is 1 and blockIdx.x // 2 is clusterid.x, whatever the cluster.

// residue is e modulo n, where it is the same for all values of the unknowns in e. The unknowns must not be negative,
// as languages differ on those.
func residue(e *symExpr, n int64) (r int64, ok bool) {
	switch {
	case n <= 0:
		return 0, false
	case e.isN:
		return e.num % n, e.num >= 0
	case e.op == "+" || e.op == "*":
		x, okx := residue(e.x, n)
		y, oky := residue(e.y, n)
		switch {
		case e.op == "*" && (okx && x == 0 && notNegative(e.y) || oky && y == 0 && notNegative(e.x)):
			return 0, true
		case !okx || !oky:
			return 0, false
		case e.op == "+":
			return (x + y) % n, true
		}
		return x * y % n, x < 1<<31 && y < 1<<31
	}
	return 0, false
}

// notNegative reports whether e is an unknown that the hardware counts from zero, or a sum or product of such.
func notNegative(e *symExpr) bool {
	switch {
	case e.isN:
		return e.num >= 0
	case e.op == "+" || e.op == "*":
		return notNegative(e.x) && notNegative(e.y)
	case e.op == "":
		for _, hardware := range []string{"cluster_idx.", "cluster_dim.", "block_idx.", "grid_dim."} {
			if strings.HasPrefix(e.atom, hardware) {
				return true
			}
		}
	}
	return false
}

// quotient is x // n for x = a * b + c with b a multiple of n and 0 ≤ c < n.
func quotient(x *symExpr, n int64) (value, bool) {
	c := int64(0)
	if x.op == "+" && x.y.isN {
		x, c = x.x, x.y.num
	}
	if x.op != "*" || !x.y.isN || n <= 0 || c < 0 || c >= n || x.y.num%n != 0 || !notNegative(x.x) {
		return nil, false
	}
	return binary("*", symbol{x.x}, integer(x.y.num/n)), true
}
