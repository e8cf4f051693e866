package flagmatrix

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Answer is what is known of one thing that is asked.
type Answer struct {
	Question string
	Verdict  engine.Verdict
	How      string // what was searched
	Example  string // of a violation, in lines
}

// Prove answers the three questions of the package documentation, with the model of memory given.
func (b *Barrier) Prove(ctx context.Context, model *memory.Model, lim engine.Limits) []Answer {
	p := b.Protocol()
	r := explore.Check(ctx, p, lim)
	return []Answer{
		b.interleaved(ctx, p, r, "everyone leaves every call", protocol.Deadlock, protocol.Livelock),
		b.interleaved(ctx, p, r, "no flag is overwritten while it is polled for the value before", protocol.Race),
		b.visible(ctx, model),
	}
}

// interleaved is the worst answer to some properties of the protocol.
func (b *Barrier) interleaved(ctx context.Context, p *protocol.Protocol, r *engine.Result, question string, props ...protocol.Property) Answer {
	out := Answer{Question: question, Verdict: engine.Holds}
	for _, prop := range props {
		switch a := r.Properties[prop]; {
		case out.Verdict == engine.Violated:
		case a.Verdict == engine.Violated:
			example, err := b.example(ctx, p, a.Trace, prop)
			if err != nil {
				return Answer{Question: question, How: fmt.Sprintf("%s: the trace does not replay: %v", r.Engine, err)}
			}
			out.Verdict, out.How, out.Example = a.Verdict, r.Engine+": "+a.Reason, example
		case a.Verdict == engine.Inconclusive || out.How == "":
			out.Verdict, out.How = a.Verdict, r.Engine+": "+a.Reason
		}
	}
	return out
}

// example tells a violation: the shortest of the smallest barrier that has the same fault and breaks the same property,
// after the one that was found is run again.
func (b *Barrier) example(ctx context.Context, p *protocol.Protocol, t *engine.Trace, prop protocol.Property) (string, error) {
	if _, err := replay.Run(p, t, prop); err != nil {
		return "", err
	}
	for blocks := 1; blocks <= b.Blocks; blocks++ {
		for calls := 1; calls <= b.Calls; calls++ {
			small := &Barrier{GPUs: 2, Blocks: blocks, Threads: 2, Calls: calls, Fault: b.Fault}
			q := small.Protocol()
			a := explore.Check(ctx, q, engine.Limits{States: exampleStates}).Properties[prop]
			if a.Verdict != engine.Violated {
				continue
			}
			if outcome, err := replay.Run(q, a.Trace, prop); err == nil {
				return fmt.Sprintf("shown for %s:\n%s", small, tell(q, a.Trace, outcome)), nil
			}
		}
	}
	outcome, err := replay.Run(p, t, prop)
	return tell(p, t, outcome), err
}

// exampleStates bounds the search for a short trace.
const exampleStates = 20_000

// tell puts a trace into lines.
func tell(p *protocol.Protocol, t *engine.Trace, o *replay.Outcome) string {
	var s strings.Builder
	text := func(site int) string { return p.Sites[site].Text }
	for i, step := range o.Steps {
		fmt.Fprintf(&s, "%3d. %s: %s\n", i+1, p.Classes[step.Class].Name, step.Site.Text)
	}
	if t.Pair != nil {
		var sides []string
		for _, x := range []engine.Accessor{t.Pair.First, t.Pair.Second} {
			c := &p.Classes[x.Class]
			sides = append(sides, fmt.Sprintf("%s may %s", c.Name, text(c.Blocks[x.Location][x.Index].Site)))
		}
		fmt.Fprintf(&s, "     now %s while %s\n", sides[0], sides[1])
		return s.String()
	}
	for _, blocked := range o.Blocked {
		c := &p.Classes[blocked.Class]
		fmt.Fprintf(&s, "     %s never gets through: %s", c.Name, text(c.Ops[blocked.Op].Site))
		if op := &c.Ops[blocked.Op]; op.Kind == protocol.Spin {
			fmt.Fprintf(&s, ", which is %d", o.State.Flags[op.Object])
		}
		s.WriteString("\n")
	}
	return s.String()
}

// visible decides every cut of the barrier.
func (b *Barrier) visible(ctx context.Context, model *memory.Model) Answer {
	out := Answer{Question: "data written before a call are read after it", Verdict: engine.Holds}
	seen, pairs := map[string]bool{}, 0
	var c cut
	var key []byte
	var threads []thread
	for g := range b.GPUs {
		for block := range b.Blocks {
			for id := range b.Threads {
				threads = append(threads, thread{g, block, id})
			}
		}
	}
	for _, w := range threads {
		if ctx.Err() != nil {
			return Answer{Question: out.Question, How: "stopped: " + ctx.Err().Error()}
		}
		for _, r := range threads {
			if w.gpu == r.gpu {
				continue
			}
			for k := 1; k <= b.Calls; k++ {
				pairs++
				b.between(w, r, k, &c)
				if key = b.key(&c, key); seen[string(key)] {
					continue
				}
				seen[string(key)] = true
				if a := b.decide(ctx, model, &c); a.Verdict != engine.Holds {
					a.Question = out.Question
					return a
				}
			}
		}
	}
	out.How = fmt.Sprintf("memory, %s: %d pairs of a write and a read, %d cuts that differ", model.Name, pairs, len(seen))
	return out
}

// decide searches all executions of a cut, and where one misses the write those of the whole barrier at its smallest.
func (b *Barrier) decide(ctx context.Context, model *memory.Model, c *cut) Answer {
	text, who := b.litmus(c)
	test, result, err := solve(ctx, model, text)
	switch {
	case err != nil:
		return Answer{How: err.Error()}
	case result.Verdict == memory.Pass:
		return Answer{Verdict: engine.Holds}
	case result.Verdict == memory.Inconclusive:
		return Answer{How: "memory, " + model.Name + ": " + result.Reason}
	}
	for blocks := 1; blocks <= b.Blocks; blocks++ {
		small := &Barrier{GPUs: 2, Blocks: blocks, Threads: 2, Calls: 1, Fault: b.Fault}
		if _, whole, err := solve(ctx, model, small.Litmus()); err == nil && whole.Verdict == memory.Fail {
			return Answer{Verdict: engine.Violated, How: fmt.Sprintf("memory, %s: a cut, and the whole at %s", model.Name, small),
				Example: fmt.Sprintf("%s reads what %s wrote before call %d, and may miss it:\n%s\n%s", c.parts[c.reader()].thread, c.parts[0].thread, c.call,
					strings.Join(who, "\n"), "an execution that ends in "+strings.Join(result.Witness.Final, "; ")+"\n"+result.Witness.Text())}
		}
	}
	return Answer{How: fmt.Sprintf("memory, %s: a cut of it may miss a write, and whether the whole barrier may is not known: %s", model.Name, test.Name)}
}

// reader is the part that reads.
func (c *cut) reader() int {
	for i, p := range c.parts {
		if p.keeps&has(read) != 0 {
			return i
		}
	}
	return 0
}

func solve(ctx context.Context, model *memory.Model, text string) (*memory.Program, *memory.Result, error) {
	test, err := memory.Read(strings.NewReader(text))
	if err != nil {
		return nil, nil, fmt.Errorf("the litmus test does not read: %w", err)
	}
	return test, memory.Solve(ctx, test, model, memory.Options{}), nil
}
