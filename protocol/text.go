package protocol

import (
	"fmt"
	"sort"
	"strings"
)

// String prints the protocol the way a person reads it: objects, then every class with its operations; runs of
// operations that repeat are folded.
func (p *Protocol) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol %s: %d CTAs", p.Kernel, p.CTAs)
	if p.Cluster {
		b.WriteString(" (one cluster)")
	}
	if p.GPUs > 1 {
		fmt.Fprintf(&b, " on %d GPUs", p.GPUs)
	}
	b.WriteString("\n")
	keys := make([]string, 0, len(p.Values))
	for k := range p.Values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "  %s = %s\n", k, p.Values[k])
	}
	for _, m := range p.Mbars {
		fmt.Fprintf(&b, "  mbarrier %s of CTA %d, count %d", m.Name, m.CTA, m.Count)
		if m.Armed {
			b.WriteString(", left armed")
		}
		b.WriteString("\n")
	}
	for _, n := range p.Named {
		fmt.Fprintf(&b, "  named barrier %d of CTA %d, %d threads\n", n.ID, n.CTA, n.Threads)
	}
	for _, f := range p.Flags {
		fmt.Fprintf(&b, "  flag %s = %d\n", f.Name, f.Initial)
	}
	for _, c := range p.Classes {
		fmt.Fprintf(&b, "class %s: %d threads\n", c.Name, c.Count)
		p.printOps(&b, &c)
	}
	return b.String()
}

func (p *Protocol) printOps(b *strings.Builder, c *Class) {
	line := func(i int) string {
		var s strings.Builder
		for _, a := range c.Blocks[i] {
			fmt.Fprintf(&s, "      %s\n", p.place(a.Site, p.accessWords(&a)))
		}
		if i < len(c.Ops) {
			o := c.Ops[i]
			fmt.Fprintf(&s, "    %s\n", p.place(o.Site, p.opWords(&o)))
		}
		return s.String()
	}
	lines := make([]string, len(c.Ops)+1)
	for i := range lines {
		lines[i] = line(i)
	}
	for i := 0; i < len(lines); {
		period, times := repeated(lines[i:])
		if times > 1 {
			fmt.Fprintf(b, "    %d times:\n", times)
		}
		for k := 0; k < period; k++ {
			b.WriteString(lines[i+k])
		}
		i += period * times
	}
}

// repeated finds the shortest period that starts here and how often it repeats; (1, 1) if it does not.
func repeated(lines []string) (period, times int) {
	for period = 1; period <= 64 && 2*period <= len(lines); period++ {
		times = 1
		for (times+1)*period <= len(lines) && same(lines[:period], lines[times*period:(times+1)*period]) {
			times++
		}
		if times > 1 {
			return period, times
		}
	}
	return 1, 1
}

func same(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
