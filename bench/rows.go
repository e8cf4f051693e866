package main

import (
	"fmt"
	"strconv"
)

// row is one protocol: a kernel of testdata at one size.
type row struct {
	family   string // rows that differ in size only
	size     string
	easier   string // a family with less of everything: where SPIN does not finish its smallest row, this one is hopeless
	smallest bool   // of its family
	curve    string // in the plot of growth, "" in the other rows
	threads  int    // a CTA, of the ring those that read: in the rows of the plot of growth
	file     string
	set      map[string]string
	embedded bool // hopeless for a search of every state: measured with the embedded engine only
}

func (r row) name() string { return r.family + " " + r.size }

func rows() []row {
	var out []row
	for _, n := range [][2]int{{2, 3}, {3, 3}, {4, 2}, {4, 3}} {
		out = append(out, smoother(n[0], n[1], "right"))
	}
	for _, threads := range []int{32, 64, 128, 256, 512, 1024} {
		out = append(out, grown(smoother(threads, 30, "right"), "smoother", threads))
	}
	twin := smoother(128, 30, "broken_hardcoded_phase")
	twin.family, twin.embedded = "smoother, phase hard-coded", true
	out = append(out, twin)
	for consumers := 1; consumers <= 4; consumers++ {
		for stages := 2; stages <= 8; stages++ {
			out = append(out, ring(consumers, stages))
		}
	}
	for _, consumers := range []int{1, 2, 4, 8, 16, 31} { // a CTA has no more than 32 warps, and one of them copies
		out = append(out, grown(ring(consumers, 4), "ring", 32*consumers))
	}
	for _, producers := range []int{2, 4, 8, 16, 32, 64} {
		out = append(out, row{family: "counter", size: fmt.Sprintf("%d producers", producers), file: "counter/right.py",
			set: map[string]string{"PRODUCERS": strconv.Itoa(producers), "THREADS": "32"}})
	}
	return append(out,
		row{family: "attention of six roles", size: "3 stages", file: "attention/right.py"},
		row{family: "GEMM of three roles", size: "2 stages", file: "tiles/right.py"},
		row{family: "scheduler, loader, workers", size: "2 stages", file: "agenda/right.py"},
		row{family: "two rings by hand", size: "3 and 2 stages", file: "handoff/right.py"},
		row{family: "main loop of two warp groups", size: "3 stages", file: "mainloop/right.py"},
	)
}

// smoother is the published kernel in its double-buffered version: two CTAs, a barrier in each that both arrive on.
func smoother(threads, iterations int, version string) row {
	return row{family: "smoother", size: fmt.Sprintf("2 x %d x %d", threads, iterations), file: "smoother/" + version + ".py",
		set: map[string]string{"THREADS": strconv.Itoa(threads), "ITERS": strconv.Itoa(iterations)}}
}

// ring is one warp that copies tiles into a ring of stages and others that read them.
func ring(consumers, stages int) row {
	r := row{family: fmt.Sprintf("ring, %d consumer warps", consumers), size: fmt.Sprintf("%d stages", stages), file: "ring/right.py",
		set: map[string]string{"STAGES": strconv.Itoa(stages), "CONSUMERS": strconv.Itoa(consumers)}}
	r.smallest = stages == 2
	if consumers > 1 {
		r.easier = ring(consumers-1, stages).family
	}
	return r
}

// grown is a row of the plot of growth.
func grown(r row, curve string, threads int) row {
	r.curve, r.threads, r.embedded = curve, threads, true
	return r
}
