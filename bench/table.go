package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine/spin"
)

// page is what docs/bench.md says.
func page(w io.Writer, results []result) error {
	_, err := fmt.Fprintf(w, `# How fast the embedded engine is

Written by `+"`make bench`"+`; the figures are of the machine that ran it (%d cores, %s/%s, Go %s, SPIN %s). Both engines decide all
properties of the same protocols; of each kernel, the instance with the most operations. The embedded engine's time is from the file to the
verdict, the best of %d runs, its memory all that it allocates. SPIN's time is that of printing, compiling and searching the model, with
those of its flags that are best (all with -DSAFETY, as every property of a straight-line program is one; with and without partial order
reduction; with -DCOLLAPSE), and never includes lowering; it has %s and %s. The ratio is of the whole times. States are the counted states
of the protocol that SPIN stored; of the embedded engine, those that it searched, and the steps of its frozen runs in states that take as long.

%s
![Time to a verdict](bench-time.svg)
![Growth with the number of threads](bench-growth.svg)

`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, strings.TrimPrefix(runtime.Version(), "go"), spin.Version(), runs, short(spinTime), size(spinMemory), grows(results))
	if err != nil {
		return err
	}
	return table(w, results)
}

func table(w io.Writer, results []result) error {
	var b strings.Builder
	b.WriteString("| Kernel | Size | Verdict | States | Time | Memory | SPIN: states | time | of it compiling | memory | Ratio |\n")
	b.WriteString("| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s |\n", r.family, r.size, r.verdict, r.own.states, short(r.own.time), size(r.own.memory), r.bySPIN())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bySPIN are the columns of SPIN and of the ratio.
func (r result) bySPIN() string {
	s := r.spin
	switch {
	case s.failed != "":
		return fmt.Sprintf("%s | | | | ", s.failed)
	case s.time == 0:
		return "not tried | | | | "
	}
	return fmt.Sprintf("%d | %s | %s | %s | %.0f", s.states, short(s.time), short(s.compile), size(s.memory), r.ratio())
}

func (r result) ratio() float64 { return float64(r.spin.time) / float64(r.own.time) }

// short is a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
