package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// kernelReport is what is printed of one kernel.
type kernelReport struct {
	file *program.File
	name string
	most int // findings of each check
	*barriers.Report
	hands bool // its CTAs hand data to each other in global memory
}

// assumed is what the verdict depends on. The order of what CTAs hand to each other is a question to the memory model, which check asks and this command does not.
func (r *kernelReport) assumed() []string {
	if r.hands {
		return append(slices.Clone(r.Assumed()), handsOver)
	}
	return r.Assumed()
}

const handsOver = "what its CTAs hand to each other in global memory is in order: fencepost check asks"

// counts are the columns of the table.
func (r *kernelReport) counts() order.Result {
	if r.Result == nil {
		return order.Result{Threads: threadsOf(r.Execution.Program)}
	}
	return *r.Result
}

func threadsOf(p *order.Program) (n int) {
	for _, w := range p.Warps {
		for m := w.Lanes; m != 0; m &= m - 1 {
			n++
		}
	}
	return n
}

// barriersText is a table of the kernels, and below it what was found in each.
func barriersText(path string, reports []kernelReport) string {
	rows := [][]string{{"kernel", "barriers", "addresses", "commands", "race tests", "threads", "memory", "time", "verdict"}}
	for k := range reports {
		r := &reports[k]
		c := r.counts()
		rows = append(rows, []string{r.name, fmt.Sprint(c.Barriers), fmt.Sprint(c.Addresses), fmt.Sprint(c.Commands), fmt.Sprint(c.Tests),
			fmt.Sprint(c.Threads), fmt.Sprintf("%.1f MiB", float64(r.Memory)/(1<<20)), fmt.Sprintf("%.1f ms", r.Elapsed.Seconds()*1000),
			r.Verdict.String()})
	}
	var b strings.Builder
	b.WriteString(path + "\n")
	columns(&b, rows)
	for k := range reports {
		reports[k].text(&b)
	}
	b.WriteString("\n")
	return b.String()
}

// columns prints rows in columns: the first and the last flush left, numbers flush right.
func columns(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			width[k] = max(width[k], len(cell))
		}
	}
	for _, row := range rows {
		for k, cell := range row {
			switch {
			case k == 0:
				fmt.Fprintf(b, "  %-*s", width[k], cell)
			case k == len(row)-1:
				fmt.Fprintf(b, "  %s", cell)
			default:
				fmt.Fprintf(b, "  %*s", width[k], cell)
			}
		}
		b.WriteString("\n")
	}
}

// text lists the findings of a kernel, the reasons for what is not known, and what the verdict depends on.
func (r *kernelReport) text(b *strings.Builder) {
	seen := map[order.Check]int{}
	for _, f := range r.Findings {
		if seen[f.Check]++; seen[f.Check] > r.most {
			continue
		}
		fmt.Fprintf(b, "%s: %s: %s: %s\n", r.at(f), r.severity(f), f.Check, f.Text)
		for _, p := range f.Points {
			fmt.Fprintf(b, "    %s: %s\n", r.where(r.instr(p)), r.pointText(p))
		}
		if f.Barrier >= 0 && f.Check == order.Race {
			fmt.Fprintf(b, "    %s: this barrier does not order them\n", r.where(&r.Execution.Kernel.Places[f.Barrier]))
		}
	}
	if n := r.more(seen); n > 0 {
		fmt.Fprintf(b, "and %d more; --findings N shows more of each check\n", n)
	}
	if r.Result != nil && r.Result.Benign > 0 {
		fmt.Fprintf(b, "%s: %d pairs of lines write the same values without order: benign races\n", r.name, r.Result.Benign)
	}
	for _, s := range r.Reasons {
		if s.Place == nil {
			fmt.Fprintf(b, "%s: inconclusive: %s\n", r.name, s.Reason())
		} else {
			fmt.Fprintf(b, "%s: inconclusive: %s: %s\n", r.where(s.Place), r.Written(s.Place), s.Reason())
		}
	}
	for _, text := range r.assumed() {
		fmt.Fprintf(b, "%s: assumed: %s\n", r.name, text)
	}
}

// more counts the findings that are not shown.
func (r *kernelReport) more(seen map[order.Check]int) (n int) {
	for _, k := range seen {
		n += max(k-r.most, 0)
	}
	return n
}

// severity of a finding: what is seen under a guessed launch is no more than a warning.
func (r *kernelReport) severity(f order.Finding) string {
	switch {
	case f.Benign:
		return "note"
	case r.Guessed, f.Check.Warning():
		return "warning"
	}
	return "error"
}

func (r *kernelReport) instr(p order.Point) *ir.Place {
	if p.Index < 0 || int(p.Place) >= len(r.Execution.Kernel.Places) {
		return nil
	}
	return &r.Execution.Kernel.Places[p.Place]
}

// at is where a finding is: its first command.
func (r *kernelReport) at(f order.Finding) string {
	for _, p := range f.Points {
		if i := r.instr(p); i != nil {
			return r.where(i)
		}
	}
	return r.name
}

func (r *kernelReport) pointText(p order.Point) string {
	if i := r.instr(p); i != nil {
		return fmt.Sprintf("thread %d: %s", r.thread(p), r.Written(i))
	}
	return fmt.Sprintf("thread %d", r.thread(p))
}

func (r *kernelReport) where(at *ir.Place) string { return r.Execution.Kernel.Where(at) }

// thread is the number of a thread in its CTA.
func (r *kernelReport) thread(p order.Point) int {
	if p.Warp < 0 || p.Warp >= len(r.Execution.Program.Warps) {
		return -1
	}
	return r.Execution.Program.Warps[p.Warp].First + p.Lane
}

// dot is the barrier dependence graph for Graphviz.
func (r *kernelReport) dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box];\n", dotName(r.name))
	if r.Result != nil && r.Result.Graph != nil && r.Verdict != engine.Inconclusive {
		for k, n := range r.Result.Graph.Nodes {
			fmt.Fprintf(&b, "  n%d [label=%s];\n", k, dotName(nodeText(n)))
		}
		for _, e := range r.Result.Graph.Edges {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", e[0], e[1])
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func nodeText(n order.Node) string {
	text := ""
	switch n.Kind {
	case order.NamedSync:
		text = fmt.Sprintf("barrier %d, generation %d", n.Object, n.Generation)
	case order.MbarWait:
		text = fmt.Sprintf("mbarrier 0x%x, phase %d", n.Object&(1<<24-1), n.Generation)
	case order.ClusterWait:
		return fmt.Sprintf("cluster barrier, phase %d", n.Generation)
	default:
		text = fmt.Sprintf("%s %d", n.Kind, n.Generation)
	}
	if n.CTA > 0 {
		text += fmt.Sprintf(", CTA %d", n.CTA)
	}
	return text
}

// dotName quotes a name for Graphviz: names in PTX have letters, digits, _, $ and %.
func dotName(s string) string {
	return `"` + strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, s) + `"`
}
