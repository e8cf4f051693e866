package memory

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/progress"
)

// Interleaving is a test as package progress takes it: threads that take turns at one memory, in which every access is at
// once seen by all. What a schedule can do to a wait shows there; fences, scopes and proxies do not, and Solve is for them.
//
// A step is an instruction that works on memory or comes to a barrier, with the moves, arithmetic and branches behind it.
// The numbers of a state are where the threads are, their registers, the cells, and how often each thread has come to the
// barriers of each instance, less what all of them have.
type Interleaving struct {
	program *Program
	threads []progress.Thread
	regs    []int // where the registers of each thread begin
	cells   int
	meets   [][]int        // by thread and number of the instance: where its count is, -1 for who mentions it not
	labels  map[string]int // instances of barriers by number
}

// Interleave makes an Interleaving of a test; an error names the line that has no place in one. A cooperative launch
// makes the threads of a GPU those of a grid that executes together; else those of a CTA do.
func Interleave(p *Program, cooperative bool) (*Interleaving, error) {
	in := &Interleaving{program: p, labels: map[string]int{}}
	at := len(p.threads)
	for i := range p.threads {
		th := &p.threads[i]
		t := progress.Thread{Name: fmt.Sprintf("P%d", th.id), Unit: th.cta, Grid: th.gpu, Group: th.cta}
		if cooperative {
			t.Group = 0
		}
		in.threads = append(in.threads, t)
		in.regs = append(in.regs, at)
		at += len(th.regs)
		for j := range th.code {
			if err := in.translates(&th.code[j]); err != nil {
				return nil, err
			}
		}
	}
	in.cells = at
	at += len(p.cells)
	for i := range p.threads {
		mine := make([]int, len(in.labels))
		for l := range mine {
			mine[l] = -1
		}
		for j := range p.threads[i].code {
			if c := &p.threads[i].code[j]; c.op == opBarrier && mine[in.labels[c.label]] < 0 {
				mine[in.labels[c.label]] = at
				at += 2 // how often it has come, and whether it stands there
			}
		}
		in.meets = append(in.meets, mine)
	}
	return in, nil
}

func (in *Interleaving) translates(c *instruction) error {
	switch c.op {
	case opLoad, opStore, opRMW, opFence, opProxyFence, opMove, opArith, opBranch:
		return nil
	case opBarrier:
		if c.args[0].kind != none {
			return errorAt(c.line, "%s: barriers with a number or a count of threads are not followed here", c.text)
		}
		if _, ok := in.labels[c.label]; !ok {
			in.labels[c.label] = len(in.labels)
		}
		return nil
	}
	return errorAt(c.line, "%s is not followed here", c.text)
}

// Threads implements progress.System.
func (in *Interleaving) Threads() []progress.Thread { return in.threads }

// Start implements progress.System.
func (in *Interleaving) Start() []int64 {
	out := make([]int64, len(in.threads))
	for i := range in.program.threads {
		out = append(out, in.program.threads[i].initial...)
	}
	out = append(out, in.program.cells...)
	for _, mine := range in.meets {
		for _, at := range mine {
			if at >= 0 {
				out = append(out, 0, 0)
			}
		}
	}
	return out
}

// Ended implements progress.System.
func (in *Interleaving) Ended(s []int64, t int) bool {
	return int(s[t]) == len(in.program.threads[t].code)
}

// Describe implements progress.System.
func (in *Interleaving) Describe(s []int64, t int) (line, from int, text string) {
	c := &in.program.threads[t].code[s[t]]
	text = c.text
	if c.op == opLoad || c.op == opRMW {
		text += fmt.Sprintf(" finds %d", s[in.cell(c)])
	}
	next, err := in.Step(s, t)
	switch {
	case err != nil:
	case in.Ended(next, t):
		text += "; ends"
	case slices.Equal(next, s):
		text += "; again"
	}
	return c.line, 0, text
}

// maxLocal bounds the instructions behind a step; a loop of nothing else goes on in the next one.
const maxLocal = 1 << 12

// Step implements progress.System.
func (in *Interleaving) Step(s []int64, t int) ([]int64, error) {
	out := slices.Clone(s)
	code := in.program.threads[t].code
	for n := 0; n < maxLocal; n++ {
		pc := int(out[t])
		if pc == len(code) {
			return out, nil
		}
		c := &code[pc]
		if local := c.op == opFence || c.op == opProxyFence || c.op == opMove || c.op == opArith || c.op == opBranch; n > 0 && !local {
			return out, nil
		}
		out[t]++
		if err := in.execute(out, t, c); err != nil {
			return nil, err
		}
		if int(out[t]) == pc && c.op == opBarrier {
			return out, nil
		}
	}
	return out, nil
}

func (in *Interleaving) cell(c *instruction) int { return in.cells + in.program.names[c.name].cell }

// execute does one instruction, after the thread has been moved behind it.
func (in *Interleaving) execute(s []int64, t int, c *instruction) error {
	value := func(o operand) int64 {
		if o.kind == register {
			return s[in.regs[t]+o.reg]
		}
		return o.imm
	}
	set := func(v int64) {
		if c.dst >= 0 {
			s[in.regs[t]+c.dst] = v
		}
	}
	a, b := value(c.args[0]), value(c.args[1])
	switch c.op {
	case opLoad:
		set(s[in.cell(c)])
	case opStore:
		s[in.cell(c)] = a
	case opRMW:
		old := s[in.cell(c)]
		next, ok := a, true
		switch c.fn {
		case "exch":
		case "cas":
			if next = old; old == a {
				next = b
			}
		default:
			next, ok = arithmetic(c.fn, old, a)
		}
		if !ok {
			return errorAt(c.line, "%s divides by zero", c.text)
		}
		s[in.cell(c)] = next
		set(old)
	case opMove:
		set(a)
	case opArith:
		v, ok := arithmetic(c.fn, a, b)
		if !ok {
			return errorAt(c.line, "%s divides by zero", c.text)
		}
		set(v)
	case opBranch:
		if c.fn == "goto" || compare(c.fn, a, b) {
			s[t] = int64(c.target)
		}
	case opBarrier:
		in.meet(s, t, c)
	}
	return nil
}

// meet lets a thread come to a barrier, or look again whether everyone has: the threads of its CTA that mention it, each as
// often as this one. Who has to wait stays in front of it.
func (in *Interleaving) meet(s []int64, t int, c *instruction) {
	label := in.labels[c.label]
	mine := in.meets[t][label]
	if s[mine+1] == 0 {
		s[mine]++
	}
	if c.arrive {
		in.level(s, t, label)
		return
	}
	s[mine+1] = 1
	for u := range in.threads {
		if at := in.meets[u][label]; at >= 0 && in.program.sameCTA(t, u) && s[at] < s[mine] {
			s[t]--
			return
		}
	}
	s[mine+1] = 0
	in.level(s, t, label)
}

// level takes away from the counts of a CTA's barrier what they have in common, so that loops have finitely many states:
// only their differences matter.
func (in *Interleaving) level(s []int64, t, label int) {
	var counts []int
	for u := range in.threads {
		if at := in.meets[u][label]; at >= 0 && in.program.sameCTA(t, u) {
			counts = append(counts, at)
		}
	}
	least := s[counts[0]]
	for _, at := range counts {
		least = min(least, s[at])
	}
	for _, at := range counts {
		s[at] -= least
	}
}
