package ir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// inputs lists what a kernel is given at its launch and that is the same for all threads of a CTA, by register: the parts of its
// parameters, and where the CTA is in the grid.
func (c *Kernel) inputs() map[int32]string {
	out := map[int32]string{}
	for _, p := range c.Given() {
		out[p.Register] = p.Called()
	}
	for name, r := range c.Special {
		switch base, _, _ := strings.Cut(name, "."); base {
		case "%ctaid", "%nctaid", "%clusterid", "%nclusterid":
			out[r] = name
		}
	}
	return out
}

// Given are the parts of the kernel's parameters, and the addresses of variables in global memory, as pointers that nothing else is equal to.
func (c *Kernel) Given() []Parameter {
	out := slices.Clone(c.Slots)
	for _, name := range slices.Sorted(maps.Keys(c.Globals)) {
		out = append(out, Parameter{Name: name, Register: c.Globals[name], Pointer: true})
	}
	return out
}

// Called is the name of a part of a parameter: name, or name+BYTES.
func (s *Parameter) Called() string {
	if s.Offset == 0 {
		return s.Name
	}
	return fmt.Sprintf("%s+%d", s.Name, s.Offset)
}

// Spelled is how the source names an input.
func (c *Kernel) Spelled(input string) string {
	for k := range c.Slots {
		if s := &c.Slots[k]; s.Text != "" && s.Called() == input {
			return s.Text
		}
	}
	return input
}

// InputsOf lists the inputs that an instruction's operands and its guard may be made of, and whether they may come from memory, too. Of
// an instruction that accesses memory it is the addresses, not what is stored. The kernel is one that was reduced.
func (c *Kernel) InputsOf(in *Inst) (names []string, memory bool) {
	roots, tests := c.dependsOn(in)
	return c.made.of(c, roots, tests)
}

// FromMemory reports whether what memory holds decides the guard of an instruction, and nothing of which nothing is known.
func (c *Kernel) FromMemory(in *Inst) bool {
	if in.Guard < 0 {
		return false
	}
	s := c.sliceTo(nil, []int32{in.Guard}, func(in *Inst) bool { return in.Op == Load || in.Op == Atomic })
	loads := false
	for k := range s.insts {
		switch op := c.Insts[k].Op; {
		case op == Load && c.Insts[k].Space != Local, op == Atomic:
			loads = true
		case op == Havoc || op == Outside || op == Stop:
			return false
		}
	}
	return loads && !s.registers[c.Nothing] && !slices.ContainsFunc(c.inputsIn(s), func(name string) bool { return slices.Contains(c.Guesses, name) })
}

// ChosenByData reports whether an address is made of what is read from memory and of constants, and of nothing else.
func (c *Kernel) ChosenByData(access *Inst) bool {
	at := slices.IndexFunc(c.Insts, func(in Inst) bool { return in.Place == access.Place && in.Op == access.Op && in.A == access.A })
	if at < 0 {
		return false
	}
	s, seen := c.SSA(), map[int32]bool{}
	var made func(at int32, o Operand) bool
	made = func(at int32, o Operand) bool {
		if o.Reg < 0 {
			return true
		}
		n := s.Read(at, o, Register)
		if n <= 0 || s.Values[n].Kind != Defined || len(s.Values[n].From) > 0 {
			return false
		}
		k := s.Values[n].At
		if in := &c.Insts[k]; !seen[n] && in.Op != Load {
			seen[n] = true
			return in.Op.Does(Computes) && made(k, in.A) && made(k, in.B) && made(k, in.C)
		}
		return true
	}
	return made(int32(at), access.A)
}

// NamedBy lists the inputs that an instruction's address is made of, as InputsOf has it, but for those by way of what stands in memory.
func (c *Kernel) NamedBy(in *Inst) (names []string) {
	return c.inputsIn(c.sliceTo([]Operand{in.A}, nil, func(in *Inst) bool { return in.Op == Load || in.Op == Atomic }))
}

func (c *Kernel) inputsIn(s *slice) (names []string) {
	for r, name := range c.inputs() {
		if s.registers[r] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// madeOf keeps what values were found to be made of, by the registers and predicates that were asked about.
type madeOf struct {
	sync.Mutex
	known map[[6]int32]madeFrom
}

type madeFrom struct {
	names  []string
	memory bool
}

func (m *madeOf) of(c *Kernel, roots []Operand, tests []int32) (names []string, memory bool) {
	key := [6]int32{-1, -1, -1, -1, -1, -1}
	if len(roots)+len(tests) > len(key) {
		return c.madeFrom(roots, tests)
	}
	for k, o := range roots {
		key[k] = max(o.Reg, -1)
	}
	for k, p := range tests {
		key[len(key)-1-k] = p
	}
	m.Lock()
	at, is := m.known[key]
	m.Unlock()
	if !is {
		at.names, at.memory = c.madeFrom(roots, tests)
		m.Lock()
		if m.known == nil {
			m.known = map[[6]int32]madeFrom{}
		}
		m.known[key] = at
		m.Unlock()
	}
	return slices.Clone(at.names), at.memory
}

func (c *Kernel) madeFrom(roots []Operand, tests []int32) (names []string, memory bool) {
	s := c.slice(roots, tests)
	for k := range s.insts {
		memory = memory || c.Insts[k].Op == Load || c.Insts[k].Op == Atomic
	}
	return c.inputsIn(s), memory
}

// MadeOf lists the registers and the predicates that an instruction's operands and its guard may be made of, as [Kernel.InputsOf] has it.
func (c *Kernel) MadeOf(in *Inst) (registers, predicates []int32) {
	s := c.slice(c.dependsOn(in))
	return slices.Sorted(maps.Keys(s.registers)), slices.Sorted(maps.Keys(s.predicates))
}

func (c *Kernel) dependsOn(in *Inst) (roots []Operand, tests []int32) {
	roots = []Operand{in.A}
	switch {
	case in.Op == Branch || in.Op == Return || in.Op == Exit:
		roots = nil
	case !in.accesses() && !in.spills():
		roots = append(roots, in.B, in.C, in.Members)
		if in.Extra != nil {
			roots = append(roots, in.Extra.Operands...)
		}
	}
	if in.Guard >= 0 {
		tests = append(tests, in.Guard)
	}
	return roots, tests
}
