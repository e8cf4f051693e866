package ir

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// ValueKind says where a value comes from.
type ValueKind uint8

const (
	Unknown ValueKind = iota // of a kernel with too many of them
	Given                    // nothing has set it since the launch
	Defined                  // an instruction sets it; From is what it was before, where a guard may keep that
	Merged                   // one of several, by the way that led to the block
	Entered                  // what it was at one of the calls of the function
	Behind                   // what a call has left of it
)

// Value is what a register or predicate holds from a place on until it is set again: a value of static single assignment form, over calls, too.
type Value struct {
	Kind ValueKind
	Of   int32   // the register; a predicate is numbered behind the registers
	At   int32   // the instruction, or the first one of the block or function
	From []int32 // what it may be a copy of, of a merged one by way, -1 where that is never gone; a guard's old value
}

// maxValues bounds the values of a kernel.
const maxValues = 1 << 21

// SSA says which value each instruction reads. Which definitions those may be is may; a value that one instruction sets, without a guard, is of that one: must.
type SSA struct {
	Values []Value
	reads  []int32 // values that instructions read, one after the other
	starts []int32 // instruction → its first one there
	uses   []int32 // instructions that read values, one after the other
	used   []int32 // value → its first one there

	c       *Kernel
	fl      *Flow
	sets    [][]int32         // variable → the instructions that set it and the calls that may
	calls   map[int32][]int32 // start of a function → its calls
	numbers map[[3]int32]int32
	todo    []int32 // values of which it is not settled what they are copies of
}

var ssa = &pass[*SSA]{name: "ssa", number: 6, needs: []Pass{definitions, controlFlow}, run: (*Kernel).findValues, print: (*Kernel).printValues,
	doc: "the values of registers and predicates, with what they may be copies of (may) and who reads them; what one unguarded instruction sets is its result (must)"}

// SSA is the kernel's.
func (c *Kernel) SSA() *SSA { return ssa.of(c) }

// variables adds the registers and predicates that an instruction reads.
func (c *Kernel) variables(in *Inst, out []int32) []int32 {
	form := in.Op.form()
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if o.Reg >= 0 && form.operands[k] != Unused {
			out = append(out, c.variable(o, form.operands[k]))
		}
	}
	for _, o := range in.more() {
		if o.Reg >= 0 {
			out = append(out, o.Reg)
		}
	}
	if in.Members.Reg >= 0 {
		out = append(out, in.Members.Reg)
	}
	if in.Guard >= 0 {
		out = append(out, int32(c.Registers)+in.Guard)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *Kernel) variable(o Operand, bank Bank) int32 {
	if bank == Predicate {
		return int32(c.Registers) + o.Reg
	}
	return o.Reg
}

func (c *Kernel) findValues() *SSA {
	s := &SSA{c: c, fl: c.Flow(), numbers: map[[3]int32]int32{}, Values: []Value{{Kind: Unknown, Of: -1}}}
	s.starts = make([]int32, len(c.Insts)+1)
	if !s.collect() {
		return s
	}
	var buffer []int32
	for b := range int32(s.fl.Blocks()) {
		for k := s.fl.Start(b); k <= s.fl.Last(b); k++ {
			if s.fl.Reached(b) {
				buffer = c.variables(&c.Insts[k], buffer[:0])
				for _, v := range buffer {
					s.reads = append(s.reads, s.before(k, v))
				}
			}
			s.starts[k+1] = int32(len(s.reads))
		}
	}
	for len(s.todo) > 0 && len(s.Values) < maxValues {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		from := s.copied(v)
		s.Values[v].From = from
	}
	if len(s.Values) >= maxValues {
		s.reads, s.Values, s.starts = nil, s.Values[:1], make([]int32, len(c.Insts)+1)
		return s
	}
	s.merge()
	s.index()
	return s
}

// collect finds what sets each variable: instructions, and calls of functions that do; false where that is too much.
func (s *SSA) collect() bool {
	c := s.c
	d := definitions.of(c)
	for _, list := range slices.Concat(d.registers, d.predicates) {
		s.sets = append(s.sets, slices.Compact(slices.Clone(list)))
	}
	s.calls = map[int32][]int32{}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == Call {
			s.calls[in.Target] = append(s.calls[in.Target], int32(k))
		}
	}
	if len(s.calls) == 0 {
		return true
	}
	sum := 0
	for v, list := range s.sets {
		entered := map[int32]bool{}
		for todo := slices.Clone(list); len(todo) > 0; { // what calls a function that sets it
			f := c.FunctionOf(todo[len(todo)-1])[0]
			todo = todo[:len(todo)-1]
			if !entered[f] {
				entered[f] = true
				todo = append(todo, s.calls[f]...)
				s.sets[v] = append(s.sets[v], s.calls[f]...)
			}
		}
		slices.Sort(s.sets[v])
		if sum += len(s.sets[v]); sum > maxValues {
			return false
		}
	}
	return true
}

// number is that of a value; it is made when it is asked for first.
func (s *SSA) number(kind ValueKind, variable, at int32) int32 {
	key := [3]int32{int32(kind), variable, at}
	n, met := s.numbers[key]
	if !met {
		n = int32(len(s.Values))
		s.numbers[key] = n
		s.Values = append(s.Values, Value{Kind: kind, Of: variable, At: at})
		if kind > Defined || kind == Defined && s.c.Insts[at].Guard >= 0 {
			s.todo = append(s.todo, n)
		}
	}
	return n
}

// before is the value that a variable has when an instruction is come to.
func (s *SSA) before(k, variable int32) int32 {
	b := s.fl.BlockOf(k)
	if n := s.set(variable, s.fl.Start(b), k); n >= 0 {
		return n
	}
	return s.enters(b, variable)
}

// set is the value that a variable is given last by the instructions from start to end; -1: none.
func (s *SSA) set(variable, start, end int32) int32 {
	list := s.sets[variable]
	n := sort.Search(len(list), func(i int) bool { return list[i] >= end })
	if n == 0 || list[n-1] < start {
		return -1
	}
	if k := list[n-1]; s.c.Insts[k].Op == Call {
		return s.number(Behind, variable, k)
	}
	return s.number(Defined, variable, list[n-1])
}

// enters is the value that a variable has when a block is come to; -1: nobody comes there.
func (s *SSA) enters(b, variable int32) int32 {
	list := s.sets[variable]
	if len(list) == 1 && s.c.Insts[list[0]].Op != Call {
		if d := s.fl.BlockOf(list[0]); d != b && s.fl.Dominates(d, b) {
			return s.number(Defined, variable, list[0])
		}
	}
	if !s.fl.Reached(b) {
		return -1
	}
	if len(list) == 0 {
		return s.number(Given, variable, -1)
	}
	var passed []int32
	n := int32(-1)
	for n < 0 {
		start := s.fl.Start(b)
		before := s.fl.before[b]
		first := s.c.FunctionOf(start)[0] == start
		if known, met := s.numbers[[3]int32{-1, variable, b}]; met {
			n = known
		} else if first && len(before) == 0 {
			n = s.entered(variable, start)
		} else if first || len(before) != 1 {
			n = s.number(Merged, variable, start)
		} else {
			passed = append(passed, b)
			b = before[0]
			n = s.set(variable, s.fl.Start(b), s.fl.Last(b)+1)
		}
	}
	for _, b := range passed {
		s.numbers[[3]int32{-1, variable, b}] = n
	}
	return n
}

// entered is what a variable is when a function is entered.
func (s *SSA) entered(variable, start int32) int32 {
	if start == s.c.Functions[0][0] && len(s.calls[start]) == 0 {
		return s.number(Given, variable, -1)
	}
	return s.number(Entered, variable, start)
}

// copied lists the values that one may be a copy of.
func (s *SSA) copied(n int32) (from []int32) {
	v := s.Values[n]
	put := func(n int32) { from = append(from, n) }
	switch v.Kind {
	case Defined:
		put(s.before(v.At, v.Of))
	case Merged:
		b := s.fl.BlockOf(v.At)
		if s.c.FunctionOf(v.At)[0] == v.At {
			put(s.entered(v.Of, v.At))
		}
		for _, p := range s.fl.before[b] {
			if n := s.set(v.Of, s.fl.Start(p), s.fl.Last(p)+1); n >= 0 {
				put(n)
			} else {
				put(s.enters(p, v.Of))
			}
		}
	case Entered:
		if v.At == s.c.Functions[0][0] {
			put(s.number(Given, v.Of, -1))
		}
		for _, k := range s.calls[v.At] {
			if s.fl.Reached(s.fl.BlockOf(k)) {
				put(s.before(k, v.Of))
			}
		}
	case Behind:
		in := &s.c.Insts[v.At]
		if in.Guard >= 0 {
			put(s.before(v.At, v.Of))
		}
		put(s.before(s.c.FunctionOf(in.Target)[1]-1, v.Of))
	}
	return from
}

// merge finds the merged values that are copies of one value only, and takes that one for them. It begins with the hope that all are, so that
// those which go round in loops are found, too. What a call has left stays a value of its own: the next call gives those of its function
// other numbers, while the caller still has what it made of the old ones.
func (s *SSA) merge() {
	same := make([]int32, len(s.Values)) // value → what it is a copy of; -1: nothing yet
	changes := make([]uint8, len(s.Values))
	readers := make([][]int32, len(s.Values))
	var todo []int32
	for n, v := range s.Values {
		same[n] = int32(n)
		if v.Kind == Merged {
			same[n] = -1
			todo = append(todo, int32(n))
			for _, f := range v.From {
				if f >= 0 {
					readers[f] = append(readers[f], int32(n))
				}
			}
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		one := int32(-1)
		for _, f := range s.Values[n].From {
			if f < 0 || same[f] < 0 || same[f] == n || one == n {
				continue
			}
			if f = same[f]; one >= 0 && one != f {
				f = n
			}
			one = f
		}
		if same[n] == n || one < 0 || one == same[n] {
			continue
		}
		if changes[n]++; changes[n] > 3 {
			one = n
		}
		same[n] = one
		todo = append(todo, readers[n]...)
	}
	take := func(list []int32) {
		for k, n := range list {
			if n >= 0 && same[n] >= 0 {
				list[k] = same[n]
			}
		}
	}
	take(s.reads)
	for n := range s.Values {
		take(s.Values[n].From)
	}
	for key, n := range s.numbers {
		if same[n] >= 0 {
			s.numbers[key] = same[n]
		}
	}
}

// index lists the instructions that read each value.
func (s *SSA) index() {
	s.used = make([]int32, len(s.Values)+1)
	for _, v := range s.reads {
		if v >= 0 {
			s.used[v+1]++
		}
	}
	for v := range s.Values {
		s.used[v+1] += s.used[v]
	}
	s.uses = make([]int32, s.used[len(s.Values)])
	next := slices.Clone(s.used)
	for k := range s.c.Insts {
		for _, v := range s.reads[s.starts[k]:s.starts[k+1]] {
			if v >= 0 {
				s.uses[next[v]] = int32(k)
				next[v]++
			}
		}
	}
	s.todo, s.calls, s.sets = nil, nil, nil
}

// Uses lists the instructions that read a value.
func (s *SSA) Uses(n int32) []int32 { return s.uses[s.used[n]:s.used[n+1]] }

// Read is the value of a register, or of a predicate, that an instruction reads; 0: it is not known.
func (s *SSA) Read(k int32, o Operand, bank Bank) int32 {
	variable := s.c.variable(o, bank)
	for _, n := range s.reads[s.starts[k]:s.starts[k+1]] {
		if n >= 0 && s.Values[n].Of == variable {
			return n
		}
	}
	return 0
}

// Result is the value that a register has behind an instruction that sets it; 0: nobody reads it.
func (s *SSA) Result(k, variable int32) int32 {
	return s.numbers[[3]int32{int32(Defined), variable, k}]
}

// Reaching lists the instructions that may have set a value; given says that perhaps none has. Where it is one, and not given, it must.
func (s *SSA) Reaching(n int32) (set []int32, given bool) {
	seen := map[int32]bool{}
	for todo := []int32{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n < 0 || seen[n] {
			continue
		}
		seen[n] = true
		switch v := &s.Values[n]; v.Kind {
		case Unknown, Given:
			given = true
		case Defined:
			set = append(set, v.At)
			fallthrough
		default:
			todo = append(todo, v.From...)
		}
	}
	slices.Sort(set)
	return set, given
}

// Name is a value's name, for reading: that of its variable, and where it comes from.
func (s *SSA) Name(n int32) string {
	v := &s.Values[n]
	if v.Of < 0 {
		return "unknown"
	}
	name := ""
	if int(v.Of) < s.c.Registers {
		name = s.c.Names[v.Of]
	} else {
		name = s.c.Tests[int(v.Of)-s.c.Registers]
	}
	switch v.Kind {
	case Defined:
		return fmt.Sprintf("%s:%d", name, v.At)
	case Merged:
		return fmt.Sprintf("%s:b%d", name, s.fl.BlockOf(v.At))
	case Entered:
		return name + ":entered"
	case Behind:
		return fmt.Sprintf("%s:behind %d", name, v.At)
	}
	return name
}

func (c *Kernel) printValues(s *SSA) string {
	var out strings.Builder
	text := c.texts()
	var order []int32
	for n := range s.Values {
		if n > 0 && (s.used[n+1] > s.used[n] || s.Values[n].Kind == Defined) {
			order = append(order, int32(n))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &s.Values[a], &s.Values[b]
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(y.Kind, x.Kind), cmp.Compare(x.Of, y.Of))
	})
	for _, n := range order {
		v := &s.Values[n]
		fmt.Fprintf(&out, "%s:", s.Name(n))
		if v.Kind == Defined {
			fmt.Fprintf(&out, " %s;", text(v.At))
		}
		from := slices.DeleteFunc(slices.Sorted(slices.Values(v.From)), func(f int32) bool { return f < 0 || f == n })
		for k, f := range slices.Compact(from) {
			word := " or"
			if k == 0 {
				word = map[bool]string{true: " else", false: " is"}[v.Kind == Defined]
			}
			fmt.Fprintf(&out, "%s %s", word, s.Name(f))
		}
		if len(v.From) > 0 {
			out.WriteString(";")
		}
		fmt.Fprintf(&out, " read by %v\n", s.Uses(n))
	}
	return out.String()
}
