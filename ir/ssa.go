package ir

import (
	"fmt"
	"slices"
	"strings"
)

// ValueKind says where a value comes from.
type ValueKind uint8

const (
	Unknown ValueKind = iota // of a kernel with too many of them
	Given                    // nothing has set it since the launch
	Defined                  // an instruction has set it, or its guard has kept what it was before: From
	Merged                   // one of several, by the way to the block; -1 where that is never gone
	Called                   // at the start of a function, or behind a call: any that has been set
)

// Value is what a register or predicate holds until it is set again: static single assignment form, as Cytron et al. have it.
type Value struct {
	Kind ValueKind
	Of   int32 // the register; a predicate is numbered behind the registers
	At   int32 // the instruction, or the first one of the block or function
	From []int32
}

// Limits of the values of a kernel, and of the places where they may meet.
const maxValues = 1 << 21

// SSA says which value each instruction reads. What a value may be a copy of is may; what one unguarded instruction has set is of that one: must.
type SSA struct {
	Values []Value
	Order  []int32   // values, each behind those that it is made of, but for those that loops bring back
	Uses   [][]int32 // value → the instructions that read it
	reads  [][]int32 // instruction → values
	first  []int32   // instruction → the first value that it sets; 0: none
	c      *Kernel
	fl     *Flow
}

var ssa = &pass[*SSA]{name: "ssa", number: 6, needs: []Pass{definitions, controlFlow}, run: (*Kernel).findValues, print: (*Kernel).printValues,
	doc: "the values of registers and predicates, what they may be copies of (may; must where it is one) and the instructions that read them"}

// SSA is the kernel's.
func (c *Kernel) SSA() *SSA { return ssa.of(c) }

// readBy are the registers and predicates that an instruction reads, as values number them.
func (c *Kernel) readBy(in *Inst) []int32 {
	out, predicates := in.OperandsOf()
	if in.Guard >= 0 {
		predicates = append(predicates, in.Guard)
	}
	if in.Members.Reg >= 0 {
		out = append(out, in.Members.Reg)
	}
	for _, p := range predicates {
		out = append(out, int32(c.Registers)+p)
	}
	return out
}

// setBy are those that it sets.
func (c *Kernel) setBy(in *Inst) []int32 {
	out, predicates := in.Results()
	for _, p := range predicates {
		out = append(out, int32(c.Registers)+p)
	}
	return out
}

// renaming walks the tree of dominators with the value that each variable has.
type renaming struct {
	*SSA
	sets    [][]int32 // variable → instructions
	abroad  []int32   // variable → the only function that sets it, -1: none, -2: several
	joins   [][]int32 // block → the values that begin there
	current []int32   // variable → its value; 0: what the function begins with
	when    []int     // variable → when it was given that
	log     []assignment
	begun   map[[2]int32]int32 // variable and place → what it is before anything has set it
	now     int
	call    int32 // the last one on the way; -1: none
	calling int   // when that was
}

type assignment struct {
	variable, value int32
	when            int
}

func (c *Kernel) findValues() *SSA {
	s := &SSA{c: c, fl: c.Flow(), Values: []Value{{Of: -1}}, reads: make([][]int32, len(c.Insts)), first: make([]int32, len(c.Insts))}
	d := definitions.of(c)
	r := &renaming{SSA: s, sets: slices.Concat(d.registers, d.predicates), joins: make([][]int32, s.fl.Blocks()), begun: map[[2]int32]int32{}, call: -1}
	r.current, r.when, r.abroad = make([]int32, len(r.sets)), make([]int, len(r.sets)), make([]int32, len(r.sets))
	for v, list := range r.sets {
		r.abroad[v] = -1
		for _, k := range list {
			if f := c.FunctionOf(k)[0]; r.abroad[v] == -1 || r.abroad[v] == f {
				r.abroad[v] = f
			} else {
				r.abroad[v] = -2
			}
		}
	}
	if r.place() {
		for _, f := range c.Functions {
			r.walk(s.fl.BlockOf(f[0]))
		}
	}
	if len(s.Values) >= maxValues { // nothing is known then
		*s = SSA{c: c, fl: s.fl, Values: s.Values[:1], reads: make([][]int32, len(c.Insts)), first: make([]int32, len(c.Insts))}
	}
	any := map[int32][]int32{}
	for n := range s.Values {
		v := &s.Values[n]
		if v.Kind != Called {
			continue
		}
		if _, met := any[v.Of]; !met {
			for _, k := range r.sets[v.Of] {
				if set := s.Result(k, v.Of); set > 0 {
					any[v.Of] = append(any[v.Of], set)
				}
			}
		}
		v.From = any[v.Of]
	}
	s.use()
	return s
}

// use finds who reads values, and leaves those out of the order that nobody needs.
func (s *SSA) use() {
	s.Uses = make([][]int32, len(s.Values))
	needed := make([]bool, len(s.Values))
	var todo []int32
	for k, list := range s.reads {
		for _, n := range list {
			s.Uses[n] = append(s.Uses[n], int32(k))
		}
		todo = append(todo, list...)
	}
	for n := range s.Values {
		if s.Values[n].Kind == Defined {
			todo = append(todo, int32(n))
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; n >= 0 && !needed[n] {
			needed[n] = true
			todo = append(todo, s.Values[n].From...)
		}
	}
	s.Order = slices.DeleteFunc(s.Order, func(n int32) bool { return !needed[n] })
}

// loses reports whether a call in a function may set a variable: what other functions set, and in those all, for they may call themselves.
func (r *renaming) loses(f, variable int32) bool {
	return r.abroad[variable] != -1 && (r.abroad[variable] != f || f != r.c.Functions[0][0])
}

// place puts values where several may meet: in the iterated dominance frontiers of the blocks that set a variable. false: there are too many.
func (r *renaming) place() bool {
	fl, c := r.fl, r.c
	frontier, all := make([][]int32, fl.Blocks()), 0
	for b := range frontier {
		start := c.FunctionOf(fl.starts[b])[0] == fl.starts[b]
		for _, p := range fl.before[b] {
			for ; (len(fl.before[b]) > 1 || start) && fl.Reached(p) && p >= 0 && p != fl.above[b] && all < maxValues; p = fl.above[p] {
				frontier[p] = append(frontier[p], int32(b))
				if all++; fl.above[p] < 0 {
					break
				}
			}
		}
	}
	exposed := make([][]int32, len(r.sets)) // variable → blocks that read it before they set it
	calls := map[int32][]int32{}            // function → blocks
	set := make([]int32, len(r.sets))
	for b := range int32(fl.Blocks()) {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			read, sets := c.readBy(&c.Insts[k]), c.setBy(&c.Insts[k])
			if c.Insts[k].Guard >= 0 { // which may keep what was there
				read = append(read, sets...)
			}
			for _, v := range read {
				if set[v] != b+1 && len(r.sets[v]) > 0 {
					exposed[v] = append(exposed[v], b)
				}
			}
			for _, v := range sets {
				set[v] = b + 1
			}
			if f := c.FunctionOf(k)[0]; c.Insts[k].Op == Call {
				calls[f] = append(calls[f], b)
			}
		}
	}
	placed := make([]int32, fl.Blocks())
	for v, list := range r.sets {
		if one := len(list) == 1 && !r.loses(r.abroad[v], int32(v)); len(exposed[v]) == 0 || one && !slices.ContainsFunc(exposed[v], func(b int32) bool { return !fl.Dominates(fl.BlockOf(list[0]), b) || b == fl.BlockOf(list[0]) }) {
			continue
		}
		var todo []int32
		for _, k := range list {
			todo = append(todo, fl.BlockOf(k))
		}
		for f, blocks := range calls {
			if r.loses(f, int32(v)) {
				todo = append(todo, blocks...)
			}
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, to := range frontier[b] {
				if placed[to] != int32(v)+1 {
					placed[to] = int32(v) + 1
					from := make([]int32, len(fl.before[to]))
					for k := range from {
						from[k] = -1
					}
					r.joins[to] = append(r.joins[to], r.add(Value{Merged, int32(v), fl.Start(to), from}))
					todo = append(todo, to)
				}
			}
		}
		if all+len(r.Values) > maxValues {
			return false
		}
	}
	return all < maxValues
}

func (r *renaming) add(v Value) int32 {
	r.Values = append(r.Values, v)
	return int32(len(r.Values) - 1)
}

func (r *renaming) assign(variable, value int32) {
	r.log = append(r.log, assignment{variable, r.current[variable], r.when[variable]})
	r.now++
	r.current[variable], r.when[variable] = value, r.now
}

// walk goes over the blocks of a function, each with those below it.
func (r *renaming) walk(root int32) {
	type visit struct {
		block   int32
		log     int // how much of it was there before; -1: the block is still to be entered
		call    int32
		calling int
	}
	for todo := []visit{{block: root, log: -1}}; len(todo) > 0 && len(r.Values) < maxValues; {
		at := &todo[len(todo)-1]
		if at.log < 0 {
			at.log, at.call, at.calling = len(r.log), r.call, r.calling
			b := at.block
			r.block(b)
			for k := len(r.fl.below[b]) - 1; k >= 0; k-- {
				todo = append(todo, visit{block: r.fl.below[b][k], log: -1})
			}
			continue
		}
		for len(r.log) > at.log {
			last := r.log[len(r.log)-1]
			r.log = r.log[:len(r.log)-1]
			r.current[last.variable], r.when[last.variable] = last.value, last.when
		}
		r.call, r.calling = at.call, at.calling
		todo = todo[:len(todo)-1]
	}
}

func (r *renaming) block(b int32) {
	f := r.c.FunctionOf(r.fl.starts[b])[0]
	for _, n := range r.joins[b] {
		v := &r.Values[n]
		if v.At == f { // the function begins there, too
			v.From = append(v.From, r.read(f, v.Of))
		}
		r.assign(v.Of, n)
		r.Order = append(r.Order, n)
	}
	for k := r.fl.Start(b); k <= r.fl.Last(b); k++ {
		in := &r.c.Insts[k]
		for _, v := range r.c.readBy(in) {
			r.reads[k] = append(r.reads[k], r.read(f, v))
		}
		for _, v := range r.c.setBy(in) {
			value := Value{Defined, v, k, nil}
			if in.Guard >= 0 {
				value.From = []int32{r.read(f, v)}
			}
			m := r.add(value)
			if r.Order = append(r.Order, m); r.first[k] == 0 {
				r.first[k] = m
			}
			r.assign(v, m)
		}
		if in.Op == Call {
			r.now++
			r.call, r.calling = k, r.now
		}
	}
	for _, to := range r.fl.next[b] {
		for k, p := range r.fl.before[to] {
			for _, n := range r.joins[to] {
				if p == b {
					r.Values[n].From[k] = r.read(f, r.Values[n].Of)
				}
			}
		}
	}
}

// read is the value that a variable has.
func (r *renaming) read(f, variable int32) int32 {
	n, v := r.current[variable], Value{Given, variable, -1, nil}
	switch lost := r.loses(f, variable); {
	case n > 0 && (!lost || r.when[variable] > r.calling):
		return n
	case lost && r.call >= 0:
		v.Kind, v.At = Called, r.call
	case lost && (f != r.c.Functions[0][0] || r.entered()):
		v.Kind, v.At = Called, f
	}
	key := [2]int32{variable, v.At}
	if n = r.begun[key]; n == 0 {
		n = r.add(v)
		r.begun[key], r.Order = n, append(r.Order, n)
	}
	return n
}

// entered reports whether the kernel calls itself.
func (r *renaming) entered() bool {
	return slices.ContainsFunc(r.c.Insts, func(in Inst) bool { return in.Op == Call && in.Target == r.c.Functions[0][0] })
}

// Read is the value of a register, or of a predicate, that an instruction reads; 0: it is not known.
func (s *SSA) Read(k int32, o Operand, bank Bank) int32 {
	if bank == Predicate {
		o.Reg += int32(s.c.Registers)
	}
	for _, n := range s.reads[k] {
		if s.Values[n].Of == o.Reg {
			return n
		}
	}
	return 0
}

// made is the instruction that gives a register what an instruction reads of it, copies looked through; -1: there is not just one.
func (s *SSA) made(k int32, o Operand) int32 {
	for {
		n := s.Read(k, o, Register)
		if n <= 0 || s.Values[n].Kind != Defined || len(s.Values[n].From) > 0 {
			return -1
		}
		k = s.Values[n].At
		if in := &s.c.Insts[k]; in.Op == Move && in.A.Reg >= 0 {
			o = in.A
			continue
		}
		return k
	}
}

// Result is the value that an instruction gives a register; 0: there is none.
func (s *SSA) Result(k, variable int32) int32 {
	for n := s.first[k]; n > 0 && int(n) < len(s.Values) && s.Values[n].Kind == Defined && s.Values[n].At == k; n++ {
		if s.Values[n].Of == variable {
			return n
		}
	}
	return 0
}

// Reaching lists the instructions that may have set a value; given says that perhaps none has. Where it is one, and not given, it must.
func (s *SSA) Reaching(n int32) (set []int32, given bool) {
	seen := map[int32]bool{}
	for todo := []int32{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; n < 0 || seen[n] {
			continue
		}
		seen[n] = true
		v := &s.Values[n]
		given = given || v.Kind != Defined && v.Kind != Merged
		if v.Kind == Defined {
			set = append(set, v.At)
		}
		todo = append(todo, v.From...)
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
	name := slices.Concat(s.c.Names, s.c.Tests)[v.Of]
	switch v.Kind {
	case Defined, Called:
		return fmt.Sprintf("%s:%d", name, v.At)
	case Merged:
		return fmt.Sprintf("%s:b%d", name, s.fl.BlockOf(v.At))
	}
	return name
}

func (c *Kernel) printValues(s *SSA) string {
	var out strings.Builder
	text := c.texts()
	for _, n := range s.Order {
		v := &s.Values[n]
		fmt.Fprintf(&out, "%s:", s.Name(n))
		if v.Kind == Defined {
			fmt.Fprintf(&out, " %s;", text(v.At))
		}
		for k, f := range v.From {
			if word := map[bool]string{true: "else", false: "is"}[v.Kind == Defined]; k == 0 {
				fmt.Fprintf(&out, " %s", word)
			} else {
				out.WriteString(" or")
			}
			if f < 0 {
				out.WriteString(" nothing")
			} else {
				out.WriteString(" " + s.Name(f))
			}
		}
		fmt.Fprintf(&out, " read by %v\n", s.Uses[n])
	}
	return out.String()
}
