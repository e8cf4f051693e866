package interval

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// What a sample chooses for what the launch does not say.

// small and large are what is chosen from.
var (
	large = []int64{64, 128, 256, 100, 1000, 2048, 512, 333}
	small = []int64{1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 48, 64}
)

// Scales of numbers: a loop that goes round once for as many of something as the least of these is ended early by the largest number that is chosen else.
const (
	leastScale = 512
	mostScale  = 1 << 20
	maxChain   = 16 // values that a bound is made of, one of the next
)

// scaled are the numbers that the kernel is given and that end loops, by how many of what is counted one round is of, where these are many: `for (i = 0; i < (n + 4095) / 4096; i++)`.
func (a *analysis) scaled() map[int32]int64 {
	out := map[int32]int64{}
	for _, l := range a.loops {
		for _, b := range l.Blocks {
			in := &a.kernel.Insts[a.flow.Last(b)]
			if in.Op != ir.Branch || in.Guard < 0 || !slices.ContainsFunc(a.flow.Next(b), func(next int32) bool { return !l.Has(next) }) {
				continue
			}
			v := &a.ssa.Values[max(0, a.ssa.Read(a.flow.Last(b), ir.Operand{Reg: in.Guard}, ir.Predicate))]
			if v.Kind != ir.Defined || a.kernel.Insts[v.At].Op != ir.Setp {
				continue
			}
			test := &a.kernel.Insts[v.At]
			sides := [2]int32{max(0, a.ssa.Read(v.At, test.A, ir.Register)), max(0, a.ssa.Read(v.At, test.B, ir.Register))}
			for n, side := range sides {
				root, by, _ := a.chain(side, 0)
				if of := &a.ssa.Values[root]; root > 0 && of.Kind == ir.Given {
					if by *= a.stepOf(l, sides[1-n]); by > leastScale && by <= mostScale {
						out[of.Of] = max(out[of.Of], by)
					}
				}
			}
		}
	}
	return out
}

// divided are the numbers that the kernel is given and that an extent of the CTA is divided by, with the axis: each of so many parts has as many threads.
func (a *analysis) divided() map[int32]int {
	out := map[int32]int{}
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		if in.Op != ir.Div && in.Op != ir.Rem || in.A.Reg < 0 || in.B.Reg < 0 {
			continue
		}
		extent, _, _ := a.chain(max(0, a.ssa.Read(int32(k), in.A, ir.Register)), 0)
		by, _, _ := a.chain(max(0, a.ssa.Read(int32(k), in.B, ir.Register)), 0)
		x, y := &a.ssa.Values[extent], &a.ssa.Values[by]
		if extent <= 0 || by <= 0 || x.Kind != ir.Given || y.Kind != ir.Given {
			continue
		}
		for axis, name := range []string{"%ntid.x", "%ntid.y", "%ntid.z"} {
			if a.special[x.Of] == name && a.special[y.Of] == "" {
				out[y.Of] = axis
			}
		}
	}
	return out
}

// laneCounts are the constants that the text does not say, as one of a header that is not there, and that numbers are divided by which threads do not have alike, by /, %, & or >>: how many lanes a
// warp has, as a rule, or the logarithm of that. Threads of several warps would have one place in common by a larger number, and lanes of one warp places apart by a smaller one.
func (a *analysis) laneCounts() map[int32]int64 {
	if len(a.kernel.Guesses) == 0 {
		return nil
	}
	guessed := map[int32]bool{}
	for _, p := range a.kernel.Given() {
		guessed[p.Register] = !p.Pointer && slices.Contains(a.kernel.Guesses, p.Called()) && !ir.IsSize(p.Called())
	}
	out := map[int32]int64{}
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		if in.Op != ir.Div && in.Op != ir.Rem && in.Op != ir.And && in.Op != ir.Shr || in.A.Reg < 0 || in.B.Reg < 0 || a.alike.Of(in.A, ir.Register) == ir.UniformCTA {
			continue
		}
		root, _, _ := a.chain(max(0, a.ssa.Read(int32(k), in.B, ir.Register)), 0)
		v := &a.ssa.Values[root]
		if root <= 0 || v.Kind != ir.Given || !guessed[v.Of] {
			continue
		}
		if in.Op != ir.Shr {
			out[v.Of] = ir.Lanes
		} else if _, is := out[v.Of]; !is {
			out[v.Of] = int64(bits.TrailingZeros(ir.Lanes))
		}
	}
	return out
}

// divisor is one of the divisors of a number, large or small: one by which the parts are of more than one.
func divisor(of int, h uint64, small bool) int64 {
	all := []int64{1}
	for n := 2; n < of; n++ {
		if of%n == 0 {
			all = append(all, int64(n))
		}
	}
	if half := len(all) / 2; small {
		all = all[:len(all)-half]
	} else {
		all = all[half:]
	}
	return all[h%uint64(len(all))]
}

// chain follows a value to the one that it is made of by constants alone, at the farthest to a given one: by what that is divided, and what is added to it.
func (a *analysis) chain(n, until int32) (root int32, by, add int64) {
	by = 1
	for range maxChain {
		v := &a.ssa.Values[n]
		if n <= 0 || n == until || v.Kind != ir.Defined || by > mostScale {
			break
		}
		in := &a.kernel.Insts[v.At]
		if in.Guard >= 0 || in.A.Reg < 0 || in.B.Reg != -1 && in.Op != ir.Move && in.Op != ir.Convert {
			break
		}
		switch c := in.B.Imm; {
		case in.Op == ir.Move, in.Op == ir.Convert:
		case in.Op == ir.Add:
			add += c
		case in.Op == ir.Sub:
			add -= c
		case in.Op == ir.Div && c > 0 && c <= mostScale:
			by *= c
		case in.Op == ir.Shr && c > 0 && c < 20:
			by <<= c
		default:
			return n, by, add
		}
		n = max(0, a.ssa.Read(v.At, in.A, ir.Register))
	}
	return n, by, add
}

// stepOf is by how much a value goes on in each round of a loop, where that is a constant; 0: it is not.
func (a *analysis) stepOf(l *ir.Loop, n int32) (step int64) {
	n, by, _ := a.chain(n, 0)
	if v := &a.ssa.Values[n]; by != 1 || v.Kind != ir.Merged || a.flow.BlockOf(v.At) != l.Header {
		return 0
	}
	for _, w := range a.ssa.Values[n].From {
		if root, by, add := a.chain(max(0, w), n); root == n && by == 1 && add != 0 {
			step = max(step, add, -add)
		}
	}
	return step
}

func (a *analysis) sample(n, another int, l Launch) *sample {
	s := &sample{analysis: a, seed: uint64(n)*977 + 5 + uint64(another)*100_042, zeros: another > 0, numbers: map[int32]value{}, met: map[[2]int32]bool{}, states: map[int]*state{}, around: map[int64][]int64{}, ballots: map[election]ballot{}, fixed: map[string]bool{"%ntid.x": true, "%ntid.y": true, "%ntid.z": true, "%nwarpid": true}}
	s.number = func(h uint64) int64 {
		if n%2 == 0 {
			return large[h>>8%uint64(len(large))]
		}
		return small[h>>8%uint64(len(small))]
	}
	s.at = ir.Position{Block: l.Block, Cluster: [3]int{1, 1, 1}}
	for k := range s.at.Grid {
		h := scatter(s.seed, uint64(k)+1000)
		s.at.Grid[k] = 1 + int(h>>20%64)
		switch n / 2 % 4 { // else it is the first, which has something to do if any has
		case 1: // one of the next may have, too
			s.at.CTA[k] = min(int(h>>40%4), s.at.Grid[k]-1)
		case 3:
			s.at.CTA[k] = int(h >> 40 % uint64(s.at.Grid[k]))
		}
	}
	for k, axis := range []string{"x", "y", "z"} {
		if g, said := l.Params["%nctaid."+axis]; said && g > 0 && g < 1<<30 {
			s.at.Grid[k] = int(g)
			s.at.CTA[k] = min(s.at.CTA[k], int(g)-1)
			s.fixed["%nctaid."+axis] = true
		}
	}
	writes := a.kernel.WritesThrough()
	for i, p := range a.kernel.Given() {
		name := p.Called()
		if x, said := l.Params[name]; said {
			s.numbers[p.Register] = value{n: x}
			continue
		}
		if p.Pointer {
			n := a.buffers[p.Register]
			s.numbers[p.Register] = value{n: n << bufferBits}
			if writes[p.Register] && i < maxBuffers {
				a.written[n] = name
			}
			continue
		}
		x := value{s.number(scatter(s.seed, uint64(p.Register))), chosen}
		if by := a.scales[p.Register]; by > 0 && n%4 >= 2 {
			h := scatter(s.seed, uint64(p.Register)+2000)
			x.n = by*(2+int64(h>>20%3)) + small[h>>8%uint64(len(small))]
		}
		if axis, is := a.parts[p.Register]; is {
			x.n = divisor(l.Block[axis], scatter(s.seed, uint64(p.Register)+3000)>>20, n%2 == 1)
		}
		if n, is := a.lanes[p.Register]; is {
			x.n = n
		}
		if ir.IsSize(name) { // what is of one size here may be of another than what else is there
			x.taint |= opaque
		}
		s.numbers[p.Register] = x
	}
	for _, r := range a.kernel.Globals {
		s.numbers[r] = value{n: (int64(r)%maxGlobals + maxBuffers + 1) << bufferBits}
	}
	return s
}
