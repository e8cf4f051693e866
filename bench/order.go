package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/fencepost-dev/fencepost/bench/scale"
	verify "github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

const scaleRuns = 3 // the best counts

// ordered measures kernels in PTX of the size of those that WEFT's paper reports, as their rounds grow.
func ordered() (string, map[string]plot, error) {
	p := plot{title: "Kernels in PTX by happens-before, from text to verdict, against commands of all threads (millions)", unit: "ms"}
	colours := []string{"#1a7f64", "#c2410c", "#1d4ed8"}
	var b strings.Builder
	fmt.Fprintf(&b, `Kernels that a generator makes (bench/scale), from the text of the PTX to the verdict, the best of %d runs ([order.md](order.md)). At full size
they are as large as the kernels that WEFT's paper reports times of (on four threads of another machine): a pair of copying warps as CudaDMA's
saxpy_single (8.4 s, 3.6 GB), a dataflow kernel as Singe's hept_chem_fermi (135 s, 3.3 GB), and 1,024 threads as its prf_visc_kepler (68 s, 2.1 GB).
Race tests are the pairs of accesses of one address by different threads, one a write; memory is that of the commands and of the engine.
`+"`go run ./bench -section order docs`"+` measures this alone.

![Growth with the number of commands](bench-order.svg)

| Kernel | Rounds | Threads | Dynamic barriers | Addresses | Commands | Race tests (millions) | Memory | Time | Verdict |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |
`, scaleRuns)
	for _, n := range []string{"0.5", "1", "2", "4", "8", "16"} {
		p.places = append(p.places, n)
	}
	for i, k := range scale.Kernels() {
		s := series{name: k.Name, colour: colours[i%len(colours)], joined: true}
		for part := 8; part >= 1; part /= 2 {
			rounds := k.Rounds / part
			r, err := verified(k.PTX(rounds))
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", k.Name, err)
			}
			o := r.Result
			fmt.Fprintf(os.Stderr, "%s, %d rounds: %s\n", k.Name, rounds, short(r.Elapsed))
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s |\n", k.Name, rounds, o.Threads, o.Barriers, o.Addresses, o.Commands,
				o.Tests/1e6, size(r.Memory), short(r.Elapsed), r.Verdict)
			s.put(nearest(o.Commands), milliseconds(r.Elapsed))
		}
		p.series = append(p.series, s)
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		fmt.Fprintf(&b, "\nThe process that measured all of this took %s at most.\n", size(u.Maxrss<<10))
	}
	return b.String(), map[string]plot{"bench-order.svg": p}, nil
}

// nearest is the place of a number of commands in the plot: 0.5, 1, 2, 4, 8 or 16 million.
func nearest(commands int64) (place int) {
	for at := int64(750000); at < commands && place < 5; at *= 2 {
		place++
	}
	return place
}

// verified is the fastest of some runs.
func verified(text string) (*verify.Report, error) {
	var best *verify.Report
	for range scaleRuns {
		begin := time.Now()
		f := ptx.Read(&source.File{Name: "kernel.ptx", Data: []byte(text)})
		if len(f.Functions) != 1 {
			return nil, fmt.Errorf("%d kernels were read; expected one", len(f.Functions))
		}
		k, err := frontend.Translate(f, f.Functions[0])
		if err != nil {
			return nil, err
		}
		r, err := verify.Verify(k, exec.Launch{}, order.Options{Counts: true})
		if err != nil {
			return nil, err
		}
		if r.Verdict != engine.Holds {
			return nil, fmt.Errorf("%s: %v", r.Verdict, r.Findings)
		}
		r.Elapsed = time.Since(begin) // with reading
		if best == nil || r.Elapsed < best.Elapsed {
			best = r
		}
	}
	return best, nil
}
