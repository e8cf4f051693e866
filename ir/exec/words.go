package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
)

// A word is what global memory holds at an address that all threads of a CTA compute alike, and that the kernel does not write: an input, as the
// parameters are. Its name is how the address is made of these, so that it is the same for whoever loads it, in every run.

// word is the number that the launch has for what a load puts into a register, where it is a word. It notes the words that are met.
func (w *warp) word(in *ir.Inst, d int32, v value) value {
	if v.spread != nil || v.stride != 0 || v.sym == known || v.sym == unknown || d < 0 || in.Type.Data || in.Type.Bits > 64 {
		return v
	}
	m := w.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.uniform().Of(in.A, ir.Register) != ir.UniformCTA && !m.ofLaunch(in.A) { // on one way of a branch it is nothing that all threads have
		return v
	}
	name, met := m.words[v.sym]
	if !met {
		name = m.symbols.text(m.kernel, v.sym, v.base, 0)
		m.words[v.sym] = name
	}
	if name == "" {
		return v
	}
	if !slices.Contains(m.loaded[name], d) {
		m.loaded[name] = append(m.loaded[name], d)
	}
	n, given := m.launch.Params[name]
	if !given {
		n, given = m.launch.Words[d]
	}
	if given {
		const unwritten = "what one pointer of the kernel leads to is not written through another one"
		if !slices.Contains(m.assumed, unwritten) {
			m.assumed = append(m.assumed, unwritten)
		}
		return integer(in.Type.Convert(n))
	}
	return v
}

// maxDepth bounds how deep a name is made.
const maxDepth = 16

// text is what a symbol stands for at an argument; "" where that is too long to say.
func (s *symbols) text(k *ir.Kernel, n symbol, at int64, depth int) string {
	switch {
	case n == known:
		return fmt.Sprint(at)
	case n == unknown || depth > maxDepth:
		return ""
	}
	s.mu.Lock()
	c := s.made[n&^linear-firstSymbol]
	s.mu.Unlock()
	var parts []string
	for i, part := range c.s {
		if c.vary[i] {
			return ""
		}
		if part == known && c.k[i] == 0 {
			continue
		}
		of := c.k[i]
		if c.op == ir.Load { // a part of a vector is what stands there
			of += int64(c.what) * int64(c.t.Bits) / 8
		}
		text := s.text(k, part, of, depth+1)
		if text == "" {
			return ""
		}
		parts = append(parts, text)
	}
	if c.any {
		slices.Sort(parts)
	}
	plus := ""
	if at != 0 {
		plus = fmt.Sprintf("%+d", at)
	}
	switch c.op {
	case ir.Move:
		return k.Names[c.what] + plus
	case ir.Load:
		return fmt.Sprintf("[%s].b%d%s", strings.Join(parts, " "), c.t.Bits, plus)
	case ir.Havoc, ir.Apply, ir.Nop, ir.Atomic:
		return ""
	}
	return fmt.Sprintf("%s.%d(%s)%s", c.op, c.t.Bits, strings.Join(parts, " "), plus)
}

// wordsOf are the words that what decides an instruction is made of.
func (w *warp) wordsOf(in *ir.Inst) []string {
	met := map[symbol]bool{}
	var out []string
	var visit func(n symbol)
	visit = func(n symbol) {
		if n == known || n == unknown || met[n] || len(met) > 1<<8 {
			return
		}
		met[n] = true
		w.m.mu.Lock()
		name := w.m.words[n]
		w.m.mu.Unlock()
		if name != "" {
			out = append(out, name)
		}
		w.m.symbols.mu.Lock()
		c := w.m.symbols.made[n&^linear-firstSymbol]
		w.m.symbols.mu.Unlock()
		for _, part := range c.s {
			visit(part)
		}
	}
	tests, seen := []int32{in.Guard}, map[int32]bool{}
	followed := map[int32]bool{}
	var of func(in *ir.Inst)
	of = func(in *ir.Inst) {
		registers, _ := in.OperandsOf()
		for _, r := range registers {
			lost := false
			for l := 0; l < ir.Lanes; l++ {
				sym, _ := w.registers[r].lane(l)
				visit(sym)
				lost = lost || sym == unknown
			}
			if !lost || followed[r] || len(followed) > 1<<8 {
				continue
			}
			followed[r] = true
			for _, k := range w.m.kernel.SetsOf(r) { // one that was chosen by what is not known has no symbol of its own
				if made := &w.m.kernel.Insts[k]; made.Op.Does(ir.Computes) {
					_, predicates := made.OperandsOf()
					tests = append(tests, predicates...)
					of(made)
				}
			}
		}
	}
	if !in.Op.Branches() {
		of(in)
	}
	for len(tests) > 0 {
		p := tests[len(tests)-1]
		tests = tests[:len(tests)-1]
		if p < 0 || seen[p] {
			continue
		}
		seen[p] = true
		for _, k := range w.m.kernel.TestsOf(p) {
			test := &w.m.kernel.Insts[k]
			if _, predicates := test.OperandsOf(); len(predicates) > 0 {
				tests = append(tests, predicates...)
			}
			of(test)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofLaunch reports whether a register is the same for all threads, wherever they come from; the lock is held.
func (m *machine) ofLaunch(o ir.Operand) bool {
	of, known := m.launched[o.Reg]
	if !known {
		if m.launched == nil {
			m.launched = map[int32]bool{}
		}
		of = m.kernel.OfLaunch(o)
		m.launched[o.Reg] = of
	}
	return of
}

// uniform says what is the same for all threads of a CTA; the lock is held.
func (m *machine) uniform() *ir.Uniformity {
	if m.alike == nil {
		m.alike = m.kernel.UniformIfUnchanged()
	}
	return m.alike
}
