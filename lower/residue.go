package lower

import "strings"

// What a CTA's place in its cluster says about its block index: with blockIdx.x = clusterid.x * 2 + 1, blockIdx.x % 2
// is 1 and blockIdx.x // 2 is clusterid.x, whatever the cluster.

// residue is e modulo n, where it is the same for all values of the unknowns in e. The unknowns must not be negative,
// as languages differ on those.
func residue(e *Expr, n int64) (r int64, ok bool) {
	switch {
	case n <= 0:
		return 0, false
	case e.IsConst:
		return e.Num % n, e.Num >= 0
	case e.Op == "+" || e.Op == "*":
		x, okx := residue(e.X, n)
		y, oky := residue(e.Y, n)
		switch {
		case e.Op == "*" && (okx && x == 0 && notNegative(e.Y) || oky && y == 0 && notNegative(e.X)):
			return 0, true
		case !okx || !oky:
			return 0, false
		case e.Op == "+":
			return (x + y) % n, true
		}
		return x * y % n, x < 1<<31 && y < 1<<31
	}
	return 0, false
}

// notNegative reports whether e is an unknown that the hardware counts from zero, or a sum or product of such.
func notNegative(e *Expr) bool {
	switch {
	case e.IsConst:
		return e.Num >= 0
	case e.Op == "+" || e.Op == "*":
		return notNegative(e.X) && notNegative(e.Y)
	case e.Op == "":
		for _, hardware := range []string{"cluster_idx.", "cluster_dim.", "block_idx.", "grid_dim."} {
			if strings.HasPrefix(e.Atom, hardware) {
				return true
			}
		}
	}
	return false
}

// quotient is x // n for x = a * b + c with b a multiple of n and 0 ≤ c < n.
func quotient(x *Expr, n int64) (Value, bool) {
	c := int64(0)
	if x.Op == "+" && x.Y.IsConst {
		x, c = x.X, x.Y.Num
	}
	if x.Op != "*" || !x.Y.IsConst || n <= 0 || c < 0 || c >= n || x.Y.Num%n != 0 || !notNegative(x.X) {
		return nil, false
	}
	return Binary("*", Symbol{x.X}, Int(x.Y.Num/n)), true
}
