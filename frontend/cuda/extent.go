package cuda

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// extent says what a number that a kernel is given has to do with the shape that it is launched with, and with what else it is given.
type extent struct {
	special  string // an extent of the CTA or the grid, as its register is called
	multiple bool   // it is a multiple of that; else it is that
	made     *made  // what it is made of; nil: see special
}

func (e extent) String() string {
	return strings.NewReplacer("%ntid", "blockDim", "%nctaid", "gridDim").Replace(e.special)
}

// extentsGiven are the parameters of the kernel, and members of such, that hold an extent of the CTA or the grid, as the host launches it with one variable for both,
// kernel<<<1, n>>>(n), or a multiple of one of the CTA's, kernel<<<rows, n>>>(rows * n), or that are made of these and of other parameters, kernel<<<rows, n>>>(n / 2, m, m + 1). Those of the grid
// are of interest to a kernel that asks for these itself: to others they are numbers like any.
func (c *compiler) extentsGiven(kernel *program.Function, found []site, as *instance) map[string]extent {
	out := map[string]extent{}
	if slices.ContainsFunc(found, func(s site) bool { return s.unread }) {
		return out
	}
	mine := slices.DeleteFunc(slices.Clone(found), func(s site) bool { return !s.kernel.same(as) })
	if len(mine) == 0 {
		return out
	}
	specials := []string{"%ntid.x", "%ntid.y", "%ntid.z"}
	if speaks(kernel.Body, "gridDim") {
		specials = append(specials, "%nctaid.x", "%nctaid.y", "%nctaid.z")
	}
	along := func(s *site, special string) *cell {
		of, axis, _ := strings.Cut(special, ".")
		shape := s.block
		if of == "%nctaid" {
			shape = s.grid
		}
		if shape == nil {
			return nil
		}
		return shape.parts[axis]
	}
	argument := func(s *site, k int) *cell {
		if k < len(s.args) {
			return s.args[k]
		}
		return nil
	}
	shaped := !slices.ContainsFunc(mine, func(s site) bool { return s.block.extent()[0] == 0 }) // then constants are said of each launch
	plain := func(k int) *ctype {                                                               // the type of a parameter that others may be made of
		p := kernel.Params[k]
		if t := c.typeOf(p.Type); t != nil && p.Star == 0 && !p.Ref && t.countsThreads() {
			return t
		}
		return nil
	}
	hold := func(text string, t *ctype, given func(s *site) *cell) {
		if t == nil || !t.countsThreads() {
			return
		}
		agreed := func(special string, by func(a, b *cell) bool) bool {
			return !slices.ContainsFunc(mine, func(s site) bool { return !by(given(&s), along(&s, special)) })
		}
		for _, special := range specials {
			if agreed(special, (*cell).isOne) {
				out[text] = extent{special: special}
				return
			}
		}
		var all *made
		for n := range mine {
			s := &mine[n]
			one := given(s).madeBy(func(of *cell) string {
				for _, special := range specials {
					if of.isOne(along(s, special)) {
						return special
					}
				}
				for k, p := range kernel.Params {
					if _, is := out[p.Name]; !is && p.Name != text && plain(k) != nil && of.isOne(argument(s, k)) {
						return p.Name
					}
				}
				return ""
			}, 0)
			if one == nil || one.op == "" && one.of == "" && shaped || all != nil && all.String() != one.String() {
				all = nil
				break
			}
			all = one
		}
		if all != nil && len(out) < maxMade {
			out[text] = extent{made: all}
			return
		}
		for _, special := range specials[:3] {
			if agreed(special, (*cell).isMultiple) {
				out[text] = extent{special: special, multiple: true}
				return
			}
		}
	}
	for k, p := range kernel.Params {
		t := c.typeOf(p.Type)
		if t == nil || p.Star != 0 || p.Ref {
			continue
		}
		hold(p.Name, t, func(s *site) *cell { return argument(s, k) })
		for _, f := range t.fields[:min(len(t.fields), maxMembers)] {
			hold(p.Name+"."+f.name, f.t, func(s *site) *cell {
				if a := argument(s, k); a != nil {
					return a.parts[f.name]
				}
				return nil
			})
		}
	}
	return out
}

// extent is a number of which it is known what it has to do with the launch.
func (c *compiler) extent(of extent, text string, t *ctype) *variable {
	v := &variable{t: t, reg: c.register(text, t.number)}
	if of.made != nil {
		c.move(v, c.madeOf(of.made, t))
		c.assume(fmt.Sprintf("%s = %s, as the host launches it", text, of.made))
		return v
	}
	size := c.convert(value{t: uintType, op: c.special(of.special)}, t)
	is := "%s = %s, as the host launches it"
	if of.multiple {
		is = "%s is a multiple of %s, as the host launches it"
		times := fmt.Sprintf("%s.by.%s", text, of)
		c.code.Formals = append(c.code.Formals, times)
		size = c.compute(ir.Mul, t, size.op, ir.Operand{Reg: c.slot(times, fmt.Sprintf("%s/%s", text, of), 0, t.number, false)})
	}
	c.move(v, size)
	c.assume(fmt.Sprintf(is, text, of))
	return v
}

// isOne reports whether two cells hold one number that is not known.
func (a *cell) isOne(b *cell) bool { return a != nil && b != nil && a.same != "" && a.same == b.same }

// isMultiple reports whether a cell holds a multiple of what another one does, and is not known itself.
func (a *cell) isMultiple(b *cell) bool {
	switch {
	case a == nil || b == nil || a.factors == nil:
		return false
	case b.number != nil:
		return b.number.N > 1 && a.times%b.number.N == 0
	case b.factors == nil:
		return b.same != "" && slices.Contains(a.factors, b.same)
	}
	rest := slices.Clone(a.factors)
	for _, f := range b.factors {
		k := slices.Index(rest, f)
		if k < 0 {
			return false
		}
		rest = slices.Delete(rest, k, k+1)
	}
	return a.times%b.times == 0
}

// Bounds of the products that are told apart.
const (
	maxFactors = 8
	maxTimes   = 1 << 32
)

// product is the product of two numbers of which at least one is not known; nil where it cannot be told from others.
func product(a, b *cell) *cell {
	out := &cell{times: 1}
	for _, v := range [2]*cell{a, b} {
		switch {
		case v == nil:
			return nil
		case v.number != nil && v.number.N >= 1 && v.number.N < maxTimes:
			out.times *= v.number.N
		case v.factors != nil:
			out.factors, out.times = append(out.factors, v.factors...), out.times*v.times
		case v.same != "":
			out.factors = append(out.factors, v.same)
		default:
			return nil
		}
		if out.times >= maxTimes || len(out.factors) > maxFactors {
			return nil
		}
	}
	if len(out.factors) == 0 {
		return nil
	}
	slices.Sort(out.factors)
	out.same = fmt.Sprintf("%d * %s", out.times, strings.Join(out.factors, " * "))
	return out
}

// become is a cell in which a number that was not known is a certain one.
func (a *cell) become(same string, n ints.Number) *cell {
	switch {
	case a == nil:
		return nil
	case a.same == same:
		return &cell{number: &n}
	case a.made != nil:
		x, y := a.made.x.become(same, n), a.made.y.become(same, n)
		if x == a.made.x && y == a.made.y {
			return a
		}
		return combined(a.made.op, x, y)
	case slices.Contains(a.factors, same):
		out := &cell{number: &ints.Number{Type: n.Type, N: a.times}}
		for _, f := range a.factors {
			by := &cell{same: f}
			if f == same {
				by = &cell{number: &n}
			}
			if out.number != nil && by.number != nil {
				out = &cell{number: &ints.Number{Type: n.Type, N: n.Type.Wrap(out.number.N * n.N)}}
			} else {
				out = product(out, by)
			}
		}
		return out
	}
	out := a
	for name, part := range a.parts {
		now := part.become(same, n)
		if now == part {
			continue
		}
		if out == a {
			is := *a
			is.parts = maps.Clone(a.parts)
			out = &is
		}
		out.parts[name] = now
	}
	return out
}
