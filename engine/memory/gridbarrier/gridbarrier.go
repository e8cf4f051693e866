// Package gridbarrier writes the barrier of all threads of a grid as litmus tests (Sorensen et al., "Portable
// inter-workgroup barrier synchronisation for GPUs", OOPSLA 2016), the example of a
// talk on deciding such tests (Dartagnan, ASPLOS 2024): the threads of the first CTA each wait for the flags of other CTAs, meet, and set these flags back; the first thread of
// another CTA sets its flag when its CTA has met, and waits.
package gridbarrier

import (
	"fmt"
	"strings"
)

// Barrier is one such barrier.
type Barrier struct {
	CTAs, Threads int // threads of each CTA
	Order         Order
}

// Order is the semantics of what works on the flags.
type Order struct {
	Arrive, Gather string // the store and the load on the way in
	Free, Leave    string // and on the way out
}

// Variant is an order with its name.
type Variant struct {
	Name  string
	Order Order
}

// Right is the order with which the barrier holds.
var Right = Variant{"release-acquire", Order{"release", "acquire", "release", "acquire"}}

// Broken are the orders with one release or acquire less: with none of them it holds.
var Broken = []Variant{
	{"relaxed-arrive", Order{"relaxed", "acquire", "release", "acquire"}},
	{"relaxed-gather", Order{"release", "relaxed", "release", "acquire"}},
	{"relaxed-free", Order{"release", "acquire", "relaxed", "acquire"}},
	{"relaxed-leave", Order{"release", "acquire", "release", "relaxed"}},
}

// Litmus is the barrier as a litmus test. Each thread writes before it and reads behind it what a thread of the next CTA
// wrote; asked is whether any reads what was there before, and why says what is to be expected.
func (b Barrier) Litmus(name, why string, forbidden bool) string {
	var init, stale []string
	columns := make([][]string, b.CTAs*b.Threads)
	for t := range columns {
		columns[t] = b.thread(t, len(columns))
		init = append(init, fmt.Sprintf("x%d=0;", t))
		stale = append(stale, fmt.Sprintf("P%d:r1 == 0", t))
	}
	asked := "exists"
	if forbidden {
		asked = "~exists"
	}
	return fmt.Sprintf("PTX %s\n%q\n{\n%s\n}\n%s%s (%s)\n", name, why, strings.Join(init, " "), table(columns), asked, strings.Join(stale, ` \/ `))
}

// thread is the column of a thread.
func (b Barrier) thread(t, threads int) []string {
	cta, place := t/b.Threads, t%b.Threads
	c := []string{fmt.Sprintf("P%d@cta %d,gpu 0", t, cta), fmt.Sprintf("st.weak x%d, 1", t)}
	switch {
	case cta == 0:
		var free []string
		for of := 1 + place; of < b.CTAs; of += b.Threads {
			c = append(c, fmt.Sprintf("LC%d:", of), fmt.Sprintf("ld.%s.gpu r0, f%d", b.Order.Gather, of), fmt.Sprintf("bne r0, 1, LC%d", of))
			free = append(free, fmt.Sprintf("st.%s.gpu f%d, 2", b.Order.Free, of))
		}
		c = append(append(c, "bar.cta.sync 0"), free...)
	case place == 0:
		c = append(c, "bar.cta.sync 0", fmt.Sprintf("st.%s.gpu f%d, 1", b.Order.Arrive, cta), "LC0:",
			fmt.Sprintf("ld.%s.gpu r0, f%d", b.Order.Leave, cta), "bne r0, 2, LC0", "bar.cta.sync 1")
	default:
		c = append(c, "bar.cta.sync 0", "bar.cta.sync 1")
	}
	return append(c, fmt.Sprintf("ld.weak r1, x%d", (t+b.Threads)%threads))
}

// table writes columns as rows.
func table(columns [][]string) string {
	var b strings.Builder
	rows, width := 0, make([]int, len(columns))
	for i, c := range columns {
		rows = max(rows, len(c))
		for _, cell := range c {
			width[i] = max(width[i], len(cell))
		}
	}
	for row := range rows {
		for i, c := range columns {
			cell, end := "", " |"
			if row < len(c) {
				cell = c[row]
			}
			if i == len(columns)-1 {
				end = " ;\n"
			}
			fmt.Fprintf(&b, " %-*s%s", width[i], cell, end)
		}
	}
	return b.String()
}
