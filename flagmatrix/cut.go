package flagmatrix

import (
	"encoding/binary"
	"fmt"
)

// # Cuts
//
// The whole barrier has too many reads for a search of all its executions. But that a read R sees a write W is a matter of
// few operations. A cut is a part of the program: some threads, and of each some of its operations, with every operation
// on memory that a read of the cut may read from. What is said of a cut holds in the whole:
//
// Lemma. If in no execution of the cut in which all its threads end R misses W, then in none of the whole.
//
// Let E be an execution of the whole in which all threads end and R misses W, which is to say that it reads the initial
// value: its cell has no other write. Let E' be E without the operations that are not in the cut, and, of each poll,
// without the rounds before the last. E' is an execution of the cut:
//
//   - Its threads do what the cut's do. The last round of a poll yields the value that the poll waits for, so the loop ends
//     with it; nothing else branches, and no value depends on another.
//   - Every read of E' reads in E from a write in E'. R reads the initial value. A poll for the value k reads from a store
//     of k to its flag; complete adds all stores of that value to that flag which the whole has, and flags begin with 0,
//     for which no poll waits.
//   - A barrier without a count is left when all threads of the cut that mention it have come. In E all threads of the
//     block, or of the GPU, came first, these among them. What the barrier orders in E', the arrivals of these threads
//     before their departures, it orders in E.
//   - Every axiom of the model holds in E'. The base relations of E' (program order, reads-from, barriers, scopes) are
//     those of E between the operations that are left, and so are its coherence and fence orders: these contain what they
//     must, as that is no more than in E, and decide what they must. The models are monotone in the base relations:
//     every derived relation grows with them, and every axiom forbids something to be there (engine/memory accepts no
//     other model: compile.go). So what is in a derived relation of E' is in that of E, and what the axiom forbids is in
//     neither.
//
// In E' R misses W, against the premise. ∎
//
// The converse does not hold, as what a cut leaves out may order more. So where a cut fails, the whole barrier of the
// smallest size is searched for the same fault.
//
// For a write by thread w of GPU m before call k, and the read of it by thread r of GPU n behind call k, the cut has:
// of w the write and the end of its launch; of the leader's thread n of GPU m the beginning of its launch and the store of
// the flag; of thread m in r's block the poll of that flag and the barrier of the block; of r the barrier and the read.
// Threads that are several of these are there once. Each such quadruple of every call is made, and those that differ in
// names only, of GPUs, blocks, cells and barriers, are one test: a renaming takes the executions of the one to those of
// the other.

// mask is a set of kinds of operations.
type mask uint8

func has(kinds ...kind) (m mask) {
	for _, k := range kinds {
		m |= 1 << k
	}
	return m
}

// part is what a cut has of a thread for its call, in the order of the program.
type part struct {
	thread
	keeps mask
}

// cut is the part of the barrier that a read of a datum depends on.
type cut struct {
	parts []part
	call  int
}

// take adds operations of a thread.
func (c *cut) take(t thread, m mask) {
	for i := range c.parts {
		if c.parts[i].thread == t {
			c.parts[i].keeps |= m
			return
		}
	}
	c.parts = append(c.parts, part{t, m})
}

// between is the cut for the datum of thread w that thread r reads in a call.
func (b *Barrier) between(w, r thread, call int, c *cut) {
	c.parts, c.call = c.parts[:0], call
	c.take(w, has(write, boundary))
	c.take(thread{w.gpu, 0, r.gpu}, has(boundary, store))
	c.take(thread{r.gpu, r.block, w.gpu}, has(poll, sync))
	c.take(r, has(sync, read))
	b.complete(c)
}

// complete adds the stores that the polls of the cut may read from. Every store of a call's value is of that call, and
// the thread of the leader that stores to a flag is the one that the flag is named for in each version of the barrier.
func (b *Barrier) complete(c *cut) {
	for i := 0; i < len(c.parts); i++ {
		p := c.parts[i]
		if p.keeps&has(poll) == 0 {
			continue
		}
		for _, o := range b.call(p.thread, c.call) {
			if o.kind == poll {
				c.take(thread{o.signal.writer, 0, o.signal.reader}, has(boundary, store))
			}
		}
	}
}

// kept lists the operations of a part.
func (b *Barrier) kept(c *cut, p part) []op {
	var out []op
	if p.keeps&has(write) != 0 {
		out = append(out, op{kind: write, call: c.call})
	}
	for _, o := range b.call(p.thread, c.call) {
		if p.keeps&has(o.kind) != 0 {
			out = append(out, o)
		}
	}
	if p.keeps&has(read) != 0 {
		out = append(out, op{kind: read, call: c.call})
	}
	return out
}

// key is the same for cuts that differ in names only: GPUs, blocks and flags are numbered as they come.
func (b *Barrier) key(c *cut, out []byte) []byte {
	var gpus, blocks, signals []int
	number := func(list *[]int, x int) byte {
		for i, y := range *list {
			if x == y {
				return byte(i)
			}
		}
		*list = append(*list, x)
		return byte(len(*list) - 1)
	}
	out = binary.AppendUvarint(out[:0], uint64(c.call))
	for _, p := range c.parts {
		out = append(out, '|', number(&gpus, p.gpu), number(&blocks, p.gpu*b.Blocks+p.block))
		for _, o := range b.kept(c, p) {
			out = append(out, byte(o.kind))
			if o.kind == store || o.kind == poll {
				out = append(out, number(&signals, ((o.signal.reader*b.GPUs)+o.signal.writer)*2+o.signal.slot))
			}
		}
	}
	return out
}

// litmus is the cut as a test.
func (b *Barrier) litmus(c *cut) (text string, who []string) {
	var columns []column
	for i, p := range c.parts {
		col := column{thread: p.thread}
		for _, o := range b.kept(c, p) {
			if o.kind == write || o.kind == read {
				col.ops = append(col.ops, access{kind: o.kind, call: c.call, cell: "data"})
				continue
			}
			col.ops = append(col.ops, b.access(p.thread, o))
		}
		columns = append(columns, col)
		who = append(who, fmt.Sprintf("P%d is %s", i, p.thread))
	}
	return b.print(fmt.Sprintf("multi-gpu-barrier-call-%d", c.call), columns), who
}
