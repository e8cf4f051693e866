package barriers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// maxShapes bounds how many shapes of the CTA are tried.
const maxShapes = 10

// Shape is the shape of a CTA that was tried because nothing says what it is.
type Shape struct {
	Block   [3]int
	Report  *Report
	Without string // why it cannot be the launch that the kernel is written for; "" where it can
	Untried bool   // or only why it was not tried
}

// Excluded reports whether the shape does not go together with what the kernel does.
func (s *Shape) Excluded() bool { return s.Without != "" && !s.Untried }

// guessed reports whether nothing says what shape a CTA has. That threads are no more than so many says it of kernels with one axis alone.
func (s *search) guessed(l exec.Launch) bool {
	return l.Block[0] == 0 && s.whole.Directives["reqntid"][0] == 0 && (s.whole.Directives["maxntid"][0] == 0 || s.bounded() > 0)
}

// bounded is how many threads a CTA has at most, where that is all that is said and the threads have more than one axis; else 0.
func (s *search) bounded() int {
	if most := s.whole.Directives["maxntid"]; most[1]*most[2] == 1 && s.kernel.Axes() > 1 {
		return most[0]
	}
	return 0
}

// planes lists shapes of so many threads along two axes.
func planes(threads int) (out [][3]int) {
	for _, x := range []int{16, 32, 8, 64, 128} {
		if threads%x == 0 && threads > x {
			out = append(out, [3]int{x, threads / x, 1})
		}
	}
	return append(out, [3]int{threads, 1, 1})
}

// candidates lists shapes to try: some that are usual, a part of a warp behind whole ones among them, and those that the kernel's own
// constants speak of.
func candidates(reduced *ir.Kernel, u *ir.ThreadUse) [][3]int {
	var out [][3]int
	put := func(x, y, z int) {
		if n := x * y * z; n > 0 && n <= ir.MaxThreads && !slices.Contains(out, [3]int{x, y, z}) {
			out = append(out, [3]int{x, y, z})
		}
	}
	if u.Said > 0 {
		put(u.Said, 1, 1)
	}
	switch reduced.Axes() {
	case 3:
		put(4, 4, 4)
		put(8, 8, 2)
		put(32, 2, 2)
		if writesBy(reduced, "%tid.z") {
			break
		}
		fallthrough // there may be one plane
	case 2:
		for _, y := range []int{16, 8, 32} {
			put(u.Pitch, y, 1)
		}
		if !writesBy(reduced, "%tid.y") {
			for _, x := range append(slices.Clone(u.Extent[0]), 32, 128) {
				put(x, 1, 1)
			}
		}
		for _, x := range u.Extent[0] {
			for _, y := range append(slices.Clone(u.Extent[1]), 8, x) {
				put(x, y, 1)
			}
		}
		for _, y := range u.Extent[1] {
			put(32, y, 1)
			put(16, y, 1)
		}
		for _, s := range [][2]int{{16, 16}, {8, 8}, {32, 4}, {32, 32}} {
			put(s[0], s[1], 1)
		}
	default:
		for _, x := range slices.Concat(u.Extent[0], u.Extent[3], u.Counts) {
			if x >= ir.Lanes { // fewer are arrivals of some threads
				put(x, 1, 1)
			}
		}
		if beyond := max(u.Beyond[0], u.Beyond[3]); beyond > 0 {
			put((beyond+ir.Lanes)/ir.Lanes*ir.Lanes, 1, 1)
		}
		for _, x := range []int{128, 32, 48, 256, 1024} {
			put(x, 1, 1)
		}
	}
	return out
}

// uncommon lists shapes to try where of those above none of two warps or more goes together with the kernel, or where few do and something is wrong under each.
func uncommon(reduced *ir.Kernel) [][3]int {
	if reduced.Axes() > 1 {
		return [][3]int{{32, 2, 1}, {16, 8, 1}, {32, 8, 1}, {32, 16, 1}, {8, 16, 1}}
	}
	return [][3]int{{64, 1, 1}, {512, 1, 1}, {96, 1, 1}, {192, 1, 1}, {384, 1, 1}}
}

// along gives shapes the extents that launches say, of those axes that they say it of.
func along(said [3]int, all [][3]int) (out [][3]int) {
	for _, b := range all {
		for axis, n := range said {
			if n > 0 {
				b[axis] = n
			}
		}
		if b[0]*b[1]*b[2] <= ir.MaxThreads && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// writesBy reports whether the address of a write to shared memory is made of a special register.
func writesBy(k *ir.Kernel, special string) bool {
	return slices.ContainsFunc(k.Insts, func(in ir.Inst) bool {
		if !in.Op.Accesses() || !in.Op.Does(ir.Writes) || in.Space != ir.Shared && (in.Space != ir.Generic || !k.FromShared(&in)) {
			return false
		}
		names, _ := k.AddressOf(in.Place, false)
		return slices.Contains(names, special)
	})
}

// collides says which write the rows of a CTA's threads all make to the same places of shared, or of global memory, with different values: the kernel is
// for one row. "" where none is.
func (r *Report) collides(global bool) string {
	e := r.Execution
	b := e.Launch.Block
	if b[1]*b[2] < 2 {
		return ""
	}
	place := func(p order.Point) [3]int {
		t := e.Program.Warps[p.Warp].First + p.Lane
		return [3]int{t % b[0], t / b[0] % b[1], t / b[0] / b[1]}
	}
	for _, f := range r.Findings {
		if f.Check != order.Race || f.Benign || order.InGlobalMemory(f.Object) != global || len(f.Points) < 2 || f.Points[0].Place != f.Points[1].Place {
			continue
		}
		names, _ := e.Kernel.AddressOf(f.Points[0].Place, global)
		p, q := place(f.Points[0]), place(f.Points[1])
		for axis, name := range []string{"%tid.y", "%tid.z"} {
			if k := axis + 1; p[k] != q[k] && p[0] == q[0] && p[3-k] == q[3-k] && !slices.Contains(names, name) {
				return fmt.Sprintf("%s: rows of its threads write the same places", e.Kernel.Where(&e.Kernel.Places[f.Points[0].Place]))
			}
		}
	}
	return ""
}

// contradicts says what of a kernel does not go together with a shape; "" where nothing does.
func contradicts(u *ir.ThreadUse, b [3]int) string {
	extents := [4]int{b[0], b[1], b[2], b[0] * b[1] * b[2]}
	if u.Said > 0 && b[0] != u.Said {
		return fmt.Sprintf("a premise of the kernel says that there are %d threads along x", u.Said)
	}
	if u.Pitch > 0 && b[0] > u.Pitch && b[1] > 1 {
		return fmt.Sprintf("the kernel numbers threads by rows of %d", u.Pitch)
	}
	for axis, n := range extents {
		for _, by := range u.Multiple[axis] {
			if n%by != 0 {
				return fmt.Sprintf("the kernel divides the numbers of threads by %d", by)
			}
		}
		for _, by := range u.Extent[axis] {
			if n != by {
				return fmt.Sprintf("the kernel goes on by %d threads at a time", by)
			}
		}
		if n <= u.Beyond[axis] && len(u.Extent[axis]) == 0 && !slices.Contains(u.Counts, extents[3]) { // which may speak of threads that are not there
			return fmt.Sprintf("the kernel speaks of thread %d", u.Beyond[axis])
		}
	}
	return ""
}

// behind says which access of an execution is behind the end of a declared array, or of a row of it: "" where none is. What an author makes
// arrays for is how many threads there are.
func behind(e *exec.Execution) string {
	const offset = 1<<ir.RankBits - 1
	of := objects(e.Kernel)
	for _, h := range e.Hidden {
		if h.Beyond {
			return e.Kernel.Where(h.Place) + ": its threads access what is no shared memory"
		}
	}
	for _, w := range e.Program.Warps {
		for k := range w.Commands {
			c := &w.Commands[k]
			all := of[c.Place]
			if len(all) == 0 || c.Mask == 0 {
				continue
			}
			within := func(mask uint32, at order.Address) bool {
				first, last := ends(mask, at)
				return slices.ContainsFunc(all, func(v *ir.Variable) bool { return holds(v, first&offset, at.Size) && holds(v, last&offset, at.Size) })
			}
			fits := func(at order.Address) bool {
				if within(c.Mask, at) {
					return true
				}
				for rest := c.Mask; len(all) > 1 && rest != 0; rest &= rest - 1 { // lanes may have different arrays
					if !within(rest&-rest, at) {
						return false
					}
				}
				return len(all) > 1
			}
			if c.Kind.Access() && !fits(order.Address{Base: c.A, Stride: c.B, Size: c.C}) ||
				c.Kind == order.AsyncCopy && slices.ContainsFunc(w.Copy(c).Accesses, func(s order.Span) bool { return !fits(s.Address) }) {
				return fmt.Sprintf("%s: its threads access shared memory behind the end of %s", e.Kernel.Where(&e.Kernel.Places[c.Place]), all[0].Name)
			}
		}
	}
	return rows(e)
}

// objects are the variables that accesses are of, by place: of all instructions that one text stands for.
func objects(k *ir.Kernel) map[uint32][]*ir.Variable {
	of := map[uint32][]*ir.Variable{}
	for n := range k.Insts {
		if in := &k.Insts[n]; in.Op.Accesses() && in.Op != ir.Outside && mayBeShared(k, in) || in.Op == ir.Async {
			mine := k.ObjectsOf(in)
			all, met := of[in.Place]
			switch {
			case !met:
				of[in.Place] = mine
			case len(all) == 0 || len(mine) == 0: // one of them may be of any
				of[in.Place] = nil
			default:
				for _, v := range mine {
					if !slices.Contains(all, v) {
						all = append(slices.Clip(all), v)
					}
				}
				of[in.Place] = all
			}
		}
	}
	return of
}

// ends are the addresses of the first and the last lane of a mask.
func ends(mask uint32, at order.Address) (first, last int64) {
	low, high := -1, -1
	for l := 0; l < ir.Lanes; l++ {
		if mask>>l&1 != 0 {
			if low < 0 {
				low = l
			}
			high = l
		}
	}
	return int64(at.Base) + int64(low)*int64(at.Stride), int64(at.Base) + int64(high)*int64(at.Stride)
}

// holds reports whether an access is within a variable; dynamic ones have no end.
func holds(v *ir.Variable, at int64, size uint32) bool {
	return at >= v.At && (v.Size < 0 || at+int64(size) <= v.At+v.Size)
}

// rows looks at writes of each thread to a place of its own in a matrix: how far threads are apart along one axis says how
// many there are along the other one.
func rows(e *exec.Execution) string {
	b := e.Launch.Block
	if b[0] < 2 || b[1] < 2 {
		return ""
	}
	writes := firstWrites(e)
	for _, place := range slices.Sorted(maps.Keys(writes)) {
		at := writes[place]
		x, y := at[[2]int{1, 0}]-at[[2]int{0, 0}], at[[2]int{0, 1}]-at[[2]int{0, 0}]
		x, y = max(x, -x), max(y, -y)
		if over := x > 0 && x < y && int64(b[0]-1)*x >= y || y > 0 && y < x && int64(b[1]-1)*y >= x; over {
			return fmt.Sprintf("%s: its threads write beyond a row of an array", e.Kernel.Where(&e.Kernel.Places[place]))
		}
	}
	return ""
}

// firstWrites are the addresses that the threads of the first plane write first with each instruction, where those go along x and y evenly.
func firstWrites(e *exec.Execution) map[uint32]map[[2]int]int64 {
	b := e.Launch.Block
	all := map[uint32]map[[2]int]int64{}
	for _, w := range e.Program.Warps {
		met := map[uint32]uint32{}
		for k := range w.Commands {
			c := &w.Commands[k]
			if c.Kind != order.Write || w.CTA != 0 || c.Mask&^met[c.Place] == 0 {
				continue
			}
			met[c.Place] |= c.Mask
			for l := 0; l < ir.Lanes; l++ {
				if t := w.First + l; c.Mask>>l&1 != 0 && t < b[0]*b[1] {
					at := [2]int{t % b[0], t / b[0]}
					if all[c.Place] == nil {
						all[c.Place] = map[[2]int]int64{}
					}
					if _, met := all[c.Place][at]; !met {
						all[c.Place][at] = int64(c.A) + int64(l)*int64(c.B)
					}
				}
			}
		}
	}
	for place, at := range all {
		zero, ok := at[[2]int{0, 0}]
		x, okX := at[[2]int{1, 0}]
		y, okY := at[[2]int{0, 1}]
		even := ok && okX && okY
		for p, n := range at {
			even = even && n == zero+int64(p[0])*(x-zero)+int64(p[1])*(y-zero)
		}
		if !even {
			delete(all, place)
		}
	}
	return all
}

// suggested are shapes that fill the arrays which the threads of an execution access, each its own part.
func suggested(e *exec.Execution) (out [][3]int) {
	b := e.Launch.Block
	if b[1]*b[2] > 1 {
		writes := firstWrites(e)
		for _, place := range slices.Sorted(maps.Keys(writes)) {
			at := writes[place]
			x, y := at[[2]int{1, 0}]-at[[2]int{0, 0}], at[[2]int{0, 1}]-at[[2]int{0, 0}]
			if x > 0 && y > x && y/x <= ir.MaxThreads {
				n := int(y / x)
				out = append(out, [3]int{n, max(1, min(n, ir.MaxThreads/n)), 1})
			}
		}
		return out
	}
	for _, kind := range []order.Kind{order.Write, order.Read} {
		if n := room(e, kind); n > 1 && n <= ir.MaxThreads {
			return [][3]int{{n, 1, 1}}
		}
	}
	return nil
}

// room is how many threads have a place in each array that those of the first warp access along x, in accesses of a kind; 0: none is.
func room(e *exec.Execution, kind order.Kind) (most int) {
	w := e.Program.Warps[0]
	of := objects(e.Kernel)
	for k := range w.Commands {
		c := &w.Commands[k]
		if all := of[c.Place]; c.Kind != kind || c.B <= 0 || c.Mask != w.Lanes || len(all) != 1 || all[0].Size < 0 {
			continue
		} else if fits := int((all[0].At + all[0].Size - int64(c.A)) / int64(c.B)); most == 0 || fits < most {
			most = fits
		}
	}
	return most
}
