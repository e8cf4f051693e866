package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/causality"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// kernelCuts says of the kernels of a file whether their accesses to global memory are ordered under the memory model.
func (a *app) kernelCuts(ctx context.Context, p *litmusFlags, model *memory.Model, path string) answer {
	kernels, err := p.modelled(ctx, path)
	if err != nil {
		return answer{err: err}
	}
	out := answer{verdict: memory.Pass}
	var b strings.Builder
	for _, k := range kernels {
		r := ordered(ctx, k, model)
		fmt.Fprintf(&b, "%-12s  %s:%d %s\n%14s%s\n", r.Verdict, k.Path, k.Line, k.Name, "", r.How)
		if r.Verdict == engine.Violated {
			fmt.Fprintf(&b, "%14sline %d: %s\n%14sline %d: %s\n", "", r.First.Line, r.First.Text, "", r.Second.Line, r.Second.Text)
			for line := range strings.Lines(r.Example) {
				fmt.Fprintf(&b, "%14s%s\n", "", strings.TrimSuffix(line, "\n"))
			}
		}
		var within []string
		for _, of := range [][2]string{{"ctas", "ctas"}, {"threads", "threads"}, {"assumed", "assumed"}, {"memory that is known", "races searched on"}} {
			if v := k.Bounds[of[1]]; v != "" {
				within = append(within, of[0]+" = "+v)
			}
		}
		fmt.Fprintf(&b, "%14swithin %s\n", "", strings.Join(within, "; "))
		switch {
		case r.Verdict == engine.Violated:
			out.verdict = memory.Fail
		case r.Verdict == engine.Inconclusive && out.verdict == memory.Pass:
			out.verdict = memory.Inconclusive
		}
	}
	out.text = cleanLines(b.String())
	return out
}

// ordered decides the instances of a kernel: first that interleavings have neither a race nor a hang, then the memory model.
func ordered(ctx context.Context, k *lower.Kernel, model *memory.Model) causality.Answer {
	if len(k.Opaque) > 0 {
		return causality.Answer{How: fmt.Sprintf("%s:%d: not modelled: %s", k.Opaque[0].Path, k.Opaque[0].Line, k.Opaque[0].Why)}
	}
	for _, p := range k.Instances {
		r := explore.Check(ctx, p, engine.Limits{})
		for _, prop := range protocol.Properties {
			if a := r.Properties[prop]; !prop.Warning() && a.Verdict != engine.Holds {
				return causality.Answer{How: fmt.Sprintf("interleavings come first: %s is %s (fencepost check tells more)", prop, a.Verdict)}
			}
		}
	}
	return check.Causality(ctx, k, model)
}

// modelled are the kernels of a file as protocols: all of one of CuTe DSL, and of others those that wait for what other CTAs write to memory.
func (p *litmusFlags) modelled(ctx context.Context, path string) ([]*lower.Kernel, error) {
	f, err := p.readKernels(path, p.constants)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var kernels []*lower.Kernel
	if f.program.Language == program.CuTe {
		kernels = lower.Kernels(f.program, f.table, f.lower)
	} else {
		kernels = check.Flagged(ctx, f.program, f.table, f.sources, check.Options{Constants: f.lower.Set, Settable: f.lower.Settable})
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("no kernel in it that synchronizes by memory (a kernel is @cute.kernel, or a __global__ function or .entry that waits for what other CTAs write)")
	}
	return kernels, nil
}
