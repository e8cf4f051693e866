package causality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// cut is a part of a protocol as a litmus test.
type cut struct {
	*checker
	threads []thread
	ops     [][]int // of each thread
	grid    bool    // there is a barrier of the grid in it
}

// take adds an operation of a thread.
func (c *cut) take(t thread, op int) {
	i := c.part(t)
	if !slices.Contains(c.ops[i], op) {
		c.ops[i] = append(c.ops[i], op)
	}
	c.grid = c.grid || c.in[place{t.class, op}].flag
}

func (c *cut) part(t thread) int {
	if i := slices.Index(c.threads, t); i >= 0 {
		return i
	}
	c.threads, c.ops = append(c.threads, t), append(c.ops, nil)
	return len(c.threads) - 1
}

// maxThreads bounds the threads of a cut.
const maxThreads = 16

// cutOut is what a chain consists of, with all that its polls may read from; an error says why it makes no test.
func (k *checker) cutOut(a, b thread, chain []hop) (*cut, error) {
	c := &cut{checker: k}
	c.part(a)
	for _, h := range chain {
		c.take(h.from, h.left)
		c.take(h.to, h.come)
	}
	c.part(b)
	for i := 0; i < len(c.threads); i++ {
		for _, l := range slices.Clone(c.ops[i]) {
			q := k.op(place{c.threads[i].class, l})
			if q.Kind != protocol.Spin || q.Order == protocol.Barrier {
				continue
			}
			for _, s := range k.stores[q.Object] {
				if !satisfies(q, k.op(s)) {
					continue
				}
				for n := range k.p.Classes[s.class].Count {
					if c.take(thread{s.class, n}, s.op); len(c.threads) > maxThreads {
						return nil, fmt.Errorf("a poll of %s may read from more than %d threads", k.p.Flags[q.Object].Name, maxThreads)
					}
				}
			}
		}
	}
	for i, t := range c.threads {
		slices.Sort(c.ops[i])
		for _, l := range c.ops[i] {
			if o := k.op(place{t.class, l}); c.grid && o.Scope == "cta" {
				return nil, fmt.Errorf("a flag of scope .cta beside a barrier of the grid is not followed")
			}
		}
	}
	return c, nil
}

// text is the test. The format knows no barrier of the grid: where there is one in the cut, the threads of a GPU are in one
// CTA there, and barriers are told apart by their instances. Names are numbers in the order in which they come.
func (c *cut) text(u, v use, a, b thread) string {
	gpus, ctas, cells, bars := numbers{}, numbers{}, numbers{}, numbers{}
	var initial []string
	table := make([][]string, len(c.threads))
	for i, t := range c.threads {
		cta := 0
		if !c.grid {
			cta = ctas.of(c.p.Classes[t.class].CTA)
		}
		table[i] = []string{fmt.Sprintf("P%d@cta %d,gpu %d", i, cta, gpus.of(c.gpu(t.class)))}
		at := -1 // behind the operations before it stands the access
		x := u
		if t == b {
			x = v
		}
		if t == a || t == b {
			at = x.at
		}
		access := func() {
			table[i] = append(table[i], map[bool]string{true: "st.weak data, 1", false: "ld.weak r1, data"}[x.access.Write])
			at = -1
		}
		last := -1
		for _, l := range c.ops[i] {
			if at >= 0 && l >= at {
				access()
			}
			o := c.op(place{t.class, l})
			if g, ok := c.in[place{t.class, l}]; ok {
				if n := bars.of(g); n != last {
					table[i] = append(table[i], "bar.cta.sync "+strconv.Itoa(n))
					last = n
				}
				continue
			}
			name := "f" + strconv.Itoa(cells.of(o.Object))
			first := c.initial[o.Object]
			if free, lock := c.locks.free[o.Object]; lock {
				first = free
			}
			if line := fmt.Sprintf("%s=%d;", name, first); !slices.Contains(initial, line) {
				initial = append(initial, line)
			}
			how := o.Order
			if o.Order != "weak" {
				how += "." + o.Scope
			}
			if o.Kind == protocol.FlagStore {
				table[i] = append(table[i], fmt.Sprintf("st.%s %s, %d", how, name, o.Count))
				continue
			}
			label := fmt.Sprintf("LC%02d", l)
			if o.Kind == protocol.FlagSwap {
				table[i] = append(table[i], label+":", fmt.Sprintf("atom.%s.cas r0, %s, %d, %d", how, name, o.Count, o.Value), fmt.Sprintf("bne r0, %d, %s", o.Count, label))
				continue
			}
			back := map[string]string{"==": "bne", ">=": "blt", ">": "ble", "!=": "beq"}[o.Compare]
			table[i] = append(table[i], label+":", fmt.Sprintf("ld.%s r0, %s", how, name), fmt.Sprintf("%s r0, %d, %s", back, o.Count, label))
		}
		if at >= 0 {
			access()
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "PTX cut\n{ data=0; %s }\n", strings.Join(initial, " "))
	out.WriteString(memory.Columns(table))
	out.WriteString("exists (0 == 0)\n")
	return out.String()
}

// numbers numbers what it is asked for, from 0.
type numbers map[any]int

func (n numbers) of(x any) int {
	i, ok := n[x]
	if !ok {
		i = len(n)
		n[x] = i
	}
	return i
}

// solve decides whether some execution of a cut has a race.
func (k *checker) solve(text string) (*memory.Result, error) {
	test, err := memory.Read(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("a cut does not read: %w", err)
	}
	return memory.Solve(k.ctx, test, k.model, memory.Options{Property: memory.Race}), nil
}

// decide searches the executions of a chain for one in which it does not order the accesses at its ends.
func (k *checker) decide(u, v use, a, b thread, chain []hop) Answer {
	c, err := k.cutOut(a, b, chain)
	if err != nil {
		return Answer{How: err.Error()}
	}
	text := c.text(u, v, a, b)
	if k.seen[text] {
		return Answer{Verdict: engine.Holds}
	}
	r, err := k.solve(text)
	switch {
	case err != nil:
		return Answer{How: err.Error()}
	case r.Verdict == memory.Pass:
		k.seen[text] = true
		return Answer{Verdict: engine.Holds}
	case r.Verdict == memory.Inconclusive:
		return Answer{How: "memory, " + k.model.Name + ": " + r.Reason}
	}
	return Answer{How: "a cut does not order two accesses, and whether the whole does is not known"}
}

// show is an execution of a chain of flags that do not order.
func (k *checker) show(u, v use, a, b thread, chain []hop) Answer {
	out := Answer{Verdict: engine.Violated, How: "memory, " + k.model.Name + ": no release and acquire that reach each other, and no barrier, order two accesses"}
	c, err := k.cutOut(a, b, chain)
	if err != nil {
		return out
	}
	text := c.text(u, v, a, b)
	r, err := k.solve(text)
	if err != nil || r.Verdict != memory.Fail {
		return Answer{How: "the accesses are not ordered, but the cut that should show it does not"}
	}
	var s strings.Builder
	for i, t := range c.threads {
		fmt.Fprintf(&s, "P%d is %s, on GPU %d\n", i, k.named(t), k.gpu(t.class))
	}
	s.WriteString("an execution with a data race:\n" + r.Witness.Text())
	out.Example, out.Litmus = s.String(), text
	return out
}

// named is a thread in words.
func (k *checker) named(t thread) string {
	class := &k.p.Classes[t.class]
	if len(class.Threads) == class.Count && class.Count > 1 {
		return fmt.Sprintf("thread %d of CTA %d", class.Threads[t.index], class.CTA)
	}
	return class.Name
}
