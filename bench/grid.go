package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/engine/memory/gridbarrier"
)

const gridRuns = 9 // the best counts

// gridBarriers measures the memory engine on the barrier of all threads of a grid, right and broken, as the grid grows.
func gridBarriers() (string, map[string]plot, error) {
	model, err := memory.LoadModel("ptx-async")
	if err != nil {
		return "", nil, err
	}
	p := plot{title: "The barrier of a grid: time to a verdict", unit: "ms"}
	for i, colour := range []string{"#1a7f64", "#1d4ed8", "#c2410c"} {
		p.series = append(p.series, series{name: memory.Properties[i], colour: colour, joined: true})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `The barrier of all threads of a grid (Sorensen et al., OOPSLA 2016), with real loops, as litmus tests (`+"`engine/memory/gridbarrier`"+`): right, and with one
release or acquire less. Each is decided in all three properties by ptx-async, from the text, the best of %d runs; of the broken four the
slowest counts. Published are 13.6 s for the race property of 3.3 right and 2.7 s for those of 2.2 broken (Dartagnan, in its talk of
ASPLOS 2024, compiled from OpenCL, on another machine). `+"`go run ./bench -section grid docs`"+` measures this alone.

![Growth with the grid](bench-grid.svg)

| CTAs.threads | Threads | Right: reads nothing old | ends | has no race | Broken: reads something old | ends | has a race |
| --- | --: | --: | --: | --: | --: | --: | --: |
`, gridRuns)
	var first, last [3]float64
	sizes := [][2]int{{2, 2}, {3, 3}, {4, 4}, {6, 4}}
	for at, size := range sizes {
		right, err := gridTimes(model, size, gridbarrier.Right)
		if err != nil {
			return "", nil, err
		}
		var broken [3]time.Duration
		for _, v := range gridbarrier.Broken {
			times, err := gridTimes(model, size, v)
			if err != nil {
				return "", nil, err
			}
			for i := range times {
				broken[i] = max(broken[i], times[i])
			}
		}
		fmt.Fprintf(&b, "| %d.%d | %d |", size[0], size[1], size[0]*size[1])
		for _, t := range append(right[:], broken[:]...) {
			fmt.Fprintf(&b, " %s |", short(t))
		}
		b.WriteString("\n")
		fmt.Fprintf(os.Stderr, "grid %d.%d: %v, broken %v\n", size[0], size[1], right, broken)
		p.places = append(p.places, fmt.Sprintf("%d.%d", size[0], size[1]))
		for i := range right {
			p.series[i].put(at, milliseconds(right[i]))
			if at == 0 {
				first[i] = milliseconds(right[i])
			}
			last[i] = milliseconds(right[i])
		}
	}
	b.WriteString("\nFrom 4 to 24 threads the times grow like the number of threads to the power of")
	for i, of := range memory.Properties {
		fmt.Fprintf(&b, "%s %.1f (%s)", []string{"", ",", " and"}[i], math.Log(last[i]/first[i])/math.Log(24.0/4), of)
	}
	b.WriteString(".\n")
	return b.String(), map[string]plot{"bench-grid.svg": p}, nil
}

// gridTimes is the best time for each property.
func gridTimes(model *memory.Model, size [2]int, v gridbarrier.Variant) (best [3]time.Duration, err error) {
	right := v == gridbarrier.Right
	barrier := gridbarrier.Barrier{CTAs: size[0], Threads: size[1], Order: v.Order}
	want := [3]memory.Verdict{memory.Pass, memory.Pass, memory.Fail}
	if right {
		want[memory.Race] = memory.Pass
	}
	for range gridRuns {
		for property := range best {
			start := time.Now()
			test, err := memory.Read(strings.NewReader(barrier.Litmus("grid", "", right)))
			if err != nil {
				return best, err
			}
			r := memory.Solve(context.Background(), test, model, memory.Options{Property: memory.Property(property)})
			took := time.Since(start)
			if r.Verdict != want[property] {
				return best, fmt.Errorf("%d.%d %s: %s is %s (%s)", size[0], size[1], v.Name, memory.Properties[property], r.Verdict, r.Reason)
			}
			if best[property] == 0 || took < best[property] {
				best[property] = took
			}
		}
	}
	return best, nil
}
