package flagmatrix

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/memory"
)

// column is a thread of a litmus test, and who it is.
type column struct {
	thread
	role string
	ops  []access
}

// access is an operation with its names in the test. A write stores 1 to a cell that is 0 before; a read goes to a register.
type access struct {
	kind  kind
	call  int
	cell  string
	label int // of a barrier
}

// Labels of barriers: launches are counted from 1, the barriers of block b are behind those.
const labels = 1000

// Litmus is the whole barrier as a litmus test in the format of the public collections. The last thread of the last block
// of each GPU writes the GPU's data, every thread reads those of the other GPUs.
//
// The format knows no launches, and its barriers are of a CTA. What the order of a stream gives, that a launch begins
// behind the end of the one before, is a barrier of all threads of the GPU (notes/semantics.md 4.5: API edges
// synchronize). So the threads of a GPU are in one CTA there, and blocks are told apart by the names of their barriers;
// nothing else depends on the CTA, as all flags are of scope .sys or .gpu.
func (b *Barrier) Litmus() string {
	var columns []column
	last := thread{0, b.Blocks - 1, b.Threads - 1}
	for g := range b.GPUs {
		for block := range b.Blocks {
			for id := range b.Threads {
				t := thread{g, block, id}
				c := column{thread: t}
				for k := 1; k <= b.Calls; k++ {
					if last.gpu = g; t == last {
						c.ops = append(c.ops, access{write, k, data(g, k), 0})
					}
					for _, o := range b.call(t, k) {
						c.ops = append(c.ops, b.access(t, o))
					}
					for from := range b.GPUs {
						if from != g {
							c.ops = append(c.ops, access{read, k, data(from, k), 0})
						}
					}
				}
				columns = append(columns, c)
			}
		}
	}
	name := fmt.Sprintf("multi-gpu-barrier-%dx%dx%dx%d", b.GPUs, b.Blocks, b.Threads, b.Calls)
	if b.Fault != None {
		name += "-" + string(b.Fault)
	}
	return b.print(name, columns)
}

func data(gpu, call int) string { return fmt.Sprintf("d%dc%d", gpu, call) }

func cell(s signal) string { return fmt.Sprintf("s%df%dp%d", s.reader, s.writer, s.slot) }

// access names what an operation is about: a flag, or the number of a barrier in the thread's GPU.
func (b *Barrier) access(t thread, o op) access {
	switch o.kind {
	case boundary:
		return access{kind: boundary, call: o.call, label: o.call}
	case sync:
		return access{kind: sync, call: o.call, label: (1+t.block)*labels + o.call}
	}
	return access{kind: o.kind, call: o.call, cell: cell(o.signal)}
}

// print lays a test out: a row an instruction, all reads have to yield 1.
func (b *Barrier) print(name string, columns []column) string {
	storing, polling := b.qualifiers()
	var cells, wanted []string
	seen := map[string]bool{}
	table := make([][]string, len(columns))
	for i, c := range columns {
		head := fmt.Sprintf("P%d@cta 0,gpu %d", i, c.gpu)
		table[i] = append(table[i], head)
		reads := 0
		for n, a := range c.ops {
			if a.cell != "" && !seen[a.cell] {
				seen[a.cell] = true
				cells = append(cells, a.cell)
			}
			switch a.kind {
			case write:
				table[i] = append(table[i], "st.weak "+a.cell+", 1")
			case read:
				reads++
				table[i] = append(table[i], fmt.Sprintf("ld.weak r%d, %s", reads, a.cell))
				wanted = append(wanted, fmt.Sprintf("P%d:r%d == 1", i, reads))
			case store:
				table[i] = append(table[i], fmt.Sprintf("st.%s %s, %d", storing, a.cell, a.call))
			case poll:
				label := fmt.Sprintf("LC%02d", n)
				table[i] = append(table[i], label+":", fmt.Sprintf("ld.%s r0, %s", polling, a.cell), fmt.Sprintf("bne r0, %d, %s", a.call, label))
			case sync, boundary:
				table[i] = append(table[i], "bar.cta.sync "+strconv.Itoa(a.label))
			}
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "PTX %s\n", name)
	fmt.Fprintf(&out, "\"The barrier of %s. Barriers below %d are the ends of launches; the threads of a GPU are in one\nCTA here as the format has no others for that. Flags are signal[reader][writer][slot], data of GPU and call.\"\n{\n", b, labels)
	for _, c := range cells {
		fmt.Fprintf(&out, "%s=0; ", c)
	}
	out.WriteString("\n}\n")
	out.WriteString(memory.Columns(table))
	if len(wanted) == 0 {
		wanted = []string{"0 == 0"}
	}
	fmt.Fprintf(&out, "forall (%s)\n", strings.Join(wanted, " /\\ "))
	return out.String()
}
