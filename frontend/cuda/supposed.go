package cuda

import (
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// A template of the host that nothing instantiates says how block and arguments of the kernel hang together, but not with which numbers. These are guessed.

// supposition is a number that is guessed of a function of the host.
type supposition struct {
	name   string
	number int64
}

// supposing guesses a number for what templates of the host are given where nothing says it and the shape of no launch is known without: arguments and block then go together
// as the host has them. It is the first with which a CTA has two warps. Of arguments that are not known all the same the kernel takes its own for granted.
func (c *compiler) supposing(h *host, kernel *program.Function, files Files) {
	shapeless := func(s site) bool { return s.unread || s.block.extent()[0] == 0 }
	shaped := func(s site) bool { return !shapeless(s) }
	numbered := func(s site) bool {
		return !s.unread && slices.ContainsFunc(s.root.Template, func(p program.Param) bool { return c.countOf(p) != nil })
	}
	if slices.ContainsFunc(h.found, shaped) || !slices.ContainsFunc(h.found, numbered) {
		return
	}
	for _, n := range powersOfTwo(c.guess, ir.MaxThreads) {
		other, _ := c.launchers(kernel, files, n)
		if other.found = slices.DeleteFunc(other.found, shapeless); len(other.found) == 0 && !other.denied { // it does not hang on the number
			return
		}
		if slices.ContainsFunc(other.found, site.several) {
			h.found = slices.DeleteFunc(h.found, func(s site) bool { return slices.ContainsFunc(other.found, func(o site) bool { return o.at == s.at }) })
			h.found = append(other.found, h.found...)
			return
		}
	}
}

// powersOfTwo are those up to the most, from a number on, those that are less after those that are more.
func powersOfTwo(from, most int64) (out []int64) {
	for n := from; n <= most; n *= 2 {
		out = append(out, n)
	}
	for n := from / 2; n > 0; n /= 2 {
		out = append(out, n)
	}
	return out
}

// countOf is the type of a number of a template, for which one may be taken; nil where it is none.
func (c *compiler) countOf(p program.Param) *ctype {
	if p.Type == "typename" || p.Star != 0 {
		return nil
	}
	if t := c.typeOf(p.Type); t != nil && t.integer() && !t.boolean && t.class == nil {
		return t
	}
	return nil
}

// suppose gives a template of the host that nothing instantiates the number for its integers, and float for its types.
func (h *host) suppose(fn *program.Function, params map[string]*cell) {
	for _, p := range fn.Template {
		if t := h.c.countOf(p); t != nil {
			params[p.Name] = &cell{number: &ints.Number{Type: numberOf(t), N: numberOf(t).Wrap(h.number)}}
			h.supposed = append(h.supposed, supposition{p.Name, numberOf(t).Wrap(h.number)})
		} else if p.Type == "typename" && p.Star == 0 {
			kind := *realType
			kind.guessed, kind.untold = true, p.Name
			params[p.Name] = &cell{t: &kind}
		}
	}
}

// several reports whether a CTA has two warps or more.
func (s site) several() bool {
	e := s.block.extent()
	return e[0]*e[1]*e[2] >= 2*ir.Lanes
}
