package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine/agree"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

const (
	// agreed is how many random protocols the engine is compared with itself on; the tests have the seeds below
	// firstSeed.
	agreed    = 100_000
	firstSeed = 1_000_000
)

// agreement is what comparing the reductions on n random protocols shows.
func agreement(n int) *agree.Survey {
	start := time.Now()
	v := agree.Run(context.Background(), firstSeed, n, func(done int) {
		fmt.Fprintf(os.Stderr, "\r%d of %d random protocols compared, %s ", done, n, short(time.Since(start)))
	})
	fmt.Fprintln(os.Stderr)
	return v
}

// agreementTable is the survey as a section of docs/bench.md. It is an error that two answers differ.
func agreementTable(w io.Writer, v *agree.Survey) error {
	var b strings.Builder
	fmt.Fprintf(&b, `
## The engine against itself

%d random protocols of all operations; %d of them have no more than %d states and are compared: %s.
Each reduction is compared on those that meet its conditions. `+"`go run ./bench -agree N`"+` does this alone, with N protocols; of a
disagreement it prints the smallest protocol that it finds, as text and as JSON.

| Reduction | Compared | Protocols |`, v.Drawn.All(), v.Compared.All(), agree.States, byStyle(v.Compared))
	line := "\n| --- | --- | --: |"
	for _, style := range random.Styles {
		fmt.Fprintf(&b, " %s |", style)
		line += " --: |"
	}
	b.WriteString(" Disagreements |" + line + " --: |\n")
	for i, y := range v.Tallies {
		fmt.Fprintf(&b, "| %s | %s | %d |", agree.Reductions[i].Name, agree.Reductions[i].What, y.Within.All())
		for _, style := range random.Styles {
			fmt.Fprintf(&b, " %d |", y.Within[style])
		}
		fmt.Fprintf(&b, " %d |\n", y.Differ)
	}
	fmt.Fprintf(&b, "\nOf %d of these searches, judged by their prospects after some hundred states, %d would have been given up with a limit that is all they\nneed. Each of these has no answer then; none has a wrong one.\n", v.Judged, v.GivenUp)
	_, err := io.WriteString(w, b.String())
	return err
}

func byStyle(c agree.Count) string {
	var out []string
	for _, style := range random.Styles {
		out = append(out, fmt.Sprintf("%d %s", c[style], style))
	}
	return strings.Join(out, ", ")
}

// disagreements prints the smallest protocol found of each reduction that answers otherwise than without it.
func disagreements(v *agree.Survey) error {
	for i, y := range v.Tallies {
		if y.Differ > 0 {
			r := &agree.Reductions[i]
			fmt.Fprintf(os.Stderr, "%s, seed %d: %s\n%s", r.Name, y.Seed, y.How, random.Print(random.Shrink(random.Protocol(y.Seed), r.Disagrees)))
		}
	}
	if n := v.Differ(); n > 0 {
		return fmt.Errorf("%d disagreements", n)
	}
	return nil
}
