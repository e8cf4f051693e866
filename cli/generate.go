package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/flagmatrix"
	"github.com/fencepost-dev/fencepost/protocol"
)

// generateFlags are the flags of litmus generate.
type generateFlags struct {
	flagmatrix.Barrier
	broken, format, model string
	prove                 bool
}

func (a *app) generateCommand(ctx context.Context, args []string) (int, error) {
	p := generateFlags{Barrier: flagmatrix.Barrier{GPUs: 2, Blocks: 1, Calls: 2}, format: "litmus", model: "ptx-v7.5"}
	var faults []string
	for _, f := range flagmatrix.Faults {
		faults = append(faults, string(f))
	}
	f := a.newFlags("litmus generate")
	f.IntVar(&p.GPUs, "gpus", p.GPUs, "")
	f.IntVar(&p.Blocks, "blocks", p.Blocks, "")
	f.IntVar(&p.Threads, "threads", 0, "")
	f.IntVar(&p.Calls, "calls", p.Calls, "")
	f.Var(choice{&p.broken, faults}, "broken", "")
	f.Var(choice{&p.format, []string{"litmus", "model", "json", "promela"}}, "format", "")
	f.Var(choice{&p.model, memory.Models}, "model", "")
	f.BoolVar(&p.prove, "prove", false, "")
	rest, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(generateUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 || rest[0] != "multi-gpu-barrier" {
		return 0, usagef("litmus generate takes the name of a family, multi-gpu-barrier; for example: fencepost litmus generate multi-gpu-barrier --gpus 2")
	}
	p.Fault = flagmatrix.Fault(p.broken)
	if p.Threads == 0 {
		p.Threads = p.GPUs
	}
	if err := p.Validate(); err != nil {
		return 0, usagef("%v", err)
	}
	if p.prove {
		return a.proveBarrier(ctx, &p)
	}
	return ExitClean, a.generate(&p)
}

// generate prints the test, or the protocol.
func (a *app) generate(p *generateFlags) error {
	switch p.format {
	case "litmus":
		return a.print(p.Litmus())
	case "promela":
		return spin.Print(a.stdout, p.Protocol(), protocol.Properties...)
	case "json":
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return e.Encode(p.Protocol())
	}
	return a.printProtocol(p.Protocol())
}

// proveBarrier prints what is known of the barrier.
func (a *app) proveBarrier(ctx context.Context, p *generateFlags) (int, error) {
	model, err := memory.LoadModel(p.model)
	if err != nil {
		return ExitInternal, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "multi-gpu-barrier: %s\n", &p.Barrier)
	code := ExitClean
	for _, answer := range p.Prove(ctx, model, engine.Limits{}) {
		fmt.Fprintf(&b, "  %-12s  %s\n%16s%s\n", answer.Verdict, answer.Question, "", answer.How)
		for line := range strings.Lines(answer.Example) {
			fmt.Fprintf(&b, "%16s%s\n", "", strings.TrimSuffix(line, "\n"))
		}
		switch answer.Verdict {
		case engine.Violated:
			code = max(code, ExitFindings)
		case engine.Inconclusive:
			code = ExitInternal
		}
	}
	b.WriteString("bounds: these numbers of GPUs, blocks, threads and calls; every block is resident; " + map[bool]string{
		true: "all calls in one launch", false: "each call in a launch of its own"}[p.Fault == flagmatrix.OneLaunch] +
		"\nleaving and overwriting are of interleavings, where a store is seen at once; reading is of PTX's memory model\n")
	return code, a.print(cleanLines(b.String()))
}

const generateUsage = `usage: fencepost litmus generate multi-gpu-barrier [flags]

Prints the barrier that inference libraries put between the GPUs of an all-reduce, as a litmus test: block 0 of every GPU
stores the number of the call to its flag on each GPU (st.release.sys), every block polls the flags on its own GPU
(ld.acquire.sys), two sets of flags by the parity of the number, then the barrier of the block; each call in a launch of its own.
With --prove it is proved instead, at sizes far beyond what a litmus test can have: docs/multi-gpu.md says how.

flags:
  --gpus N          GPUs (default 2)
  --blocks N        blocks of each GPU (default 1)
  --threads N       threads of each block, at least as many as GPUs (default: as many)
  --calls N         calls of the barrier (default 2)
  --broken FAULT    gpu-scope       flags are stored and polled with scope .gpu
                    relaxed         flags are stored and polled without release and acquire
                    one-slot        one set of flags for all calls
                    no-cta-barrier  no barrier of the block behind the polls
                    wrong-row       threads poll what their own leader stores
                    one-launch      all calls in one launch
  --prove           say whether everyone leaves, no flag is overwritten while it is polled, and data written before are read after
  --format FORMAT   litmus (default), or the protocol that is searched: model, json, promela
  --model NAME      memory model of --prove: ptx-v7.5 (default) or ptx-v6.0

examples:
  fencepost litmus generate multi-gpu-barrier --gpus 8 --blocks 2 --threads 8 --calls 4 --prove
  fencepost litmus generate multi-gpu-barrier --blocks 2 --calls 3 --broken one-slot --prove
  fencepost litmus generate multi-gpu-barrier --broken gpu-scope | fencepost litmus -

exit codes: 0 printed, or everything holds, 1 something is violated, 2 wrong usage, 3 something is not known, or internal error
`
