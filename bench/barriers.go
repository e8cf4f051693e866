package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/flagmatrix"
)

const (
	barrierRuns  = 3 // the best counts
	barrierCalls = 4
	wholeTime    = time.Minute // for the whole barrier as one litmus test
)

// barriers measures the proof of the barrier of several GPUs as their number grows.
func barriers() (string, map[string]plot, error) {
	model, err := memory.LoadModel("ptx-v7.5")
	if err != nil {
		return "", nil, err
	}
	p := plot{title: "The barrier of several GPUs, 2 blocks each, 4 calls: time to all three verdicts", unit: "ms",
		series: []series{{name: "proof", colour: "#1a7f64", joined: true}, {name: "reading, as one litmus test", colour: "#c2410c", joined: true}}}
	var b strings.Builder
	fmt.Fprintf(&b, `The flag-matrix barrier ([multi-gpu.md](multi-gpu.md)) at 2 blocks of as many threads as there are GPUs, %d calls: the time to the verdicts
on leaving, overwriting and reading, the best of %d runs; and beside it the last of them alone, of the whole barrier as one litmus test, with %s.
`+"`go run ./bench -section multi-gpu docs`"+` measures this alone.

![Growth with the number of GPUs](bench-multi-gpu.svg)

| GPUs | Threads | Leaves | Not overwritten | Read | Pairs of threads | Time | As one litmus test |
| --: | --: | --- | --- | --- | --: | --: | --- |
`, barrierCalls, barrierRuns, short(wholeTime))
	hopeless := false
	for at, gpus := range []int{2, 3, 4, 6, 8, 12, 16} {
		m := &flagmatrix.Barrier{GPUs: gpus, Blocks: 2, Threads: gpus, Calls: barrierCalls}
		answers, took := proved(m, model)
		whole, alone := "a smaller one was not finished", time.Duration(0)
		if !hopeless {
			whole, alone, err = searched(m, model)
			if hopeless = alone == 0; err != nil {
				return "", nil, err
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %s; %s\n", m, short(took), whole)
		n := gpus * m.Blocks * m.Threads
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %d | %s | %s |\n", gpus, n, answers[0].Verdict, answers[1].Verdict, answers[2].Verdict,
			n*(n-n/gpus), short(took), whole)
		p.places = append(p.places, fmt.Sprintf("%d GPUs", gpus))
		p.series[0].put(at, milliseconds(took))
		p.series[1].put(at, milliseconds(alone))
	}
	return b.String(), map[string]plot{"bench-multi-gpu.svg": p}, nil
}

// proved is the answers, and the best time.
func proved(m *flagmatrix.Barrier, model *memory.Model) (answers []flagmatrix.Answer, best time.Duration) {
	for range barrierRuns {
		start := time.Now()
		answers = m.Prove(context.Background(), model, engine.Limits{Time: time.Minute})
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return answers, best
}

// searched is what comes of the whole barrier as one litmus test, and the time if there is an answer.
func searched(m *flagmatrix.Barrier, model *memory.Model) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wholeTime)
	defer cancel()
	test, err := memory.Read(strings.NewReader(m.Litmus()))
	if err != nil {
		return "does not fit: " + err.Error(), 0, nil
	}
	start := time.Now()
	r := memory.Solve(ctx, test, model, memory.Options{})
	took := time.Since(start)
	switch r.Verdict {
	case memory.Pass:
		return short(took), took, nil
	case memory.Fail:
		return "", 0, fmt.Errorf("%s: as one litmus test it fails", m)
	}
	return r.Reason, 0, nil
}
