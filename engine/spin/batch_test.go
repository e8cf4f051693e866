package spin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/agree"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// Compiling a model takes SPIN the most time by far, so that many protocols share one here: a process that first chooses
// between them. Their states do not meet, so the states of the model are the sum of theirs and some more, and pan, told to
// go on after an error, reports the properties of all.

const (
	batched     = 300  // random protocols
	batchSize   = 15   // protocols a model
	batchStates = 1500 // of each protocol, at the most
)

// batch is the model of some protocols.
type batch struct {
	protocols []*protocol.Protocol
	text      string
	vector    int
	deep      int
}

func newBatch(t *testing.T, list []*protocol.Protocol) *batch {
	t.Helper()
	b := &batch{protocols: list}
	var declared, options strings.Builder
	for i, p := range list {
		m, err := build(p, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, random.Print(p))
		}
		for _, v := range m.variables {
			v.number += 1000 * (i + 1)
			v.size = max(v.size, 1) // an array: what is written of it then has an index
			fmt.Fprintf(&declared, "%s %s[%d];\n", v.width(), v.name(), v.size)
		}
		options.WriteString(":: d_step { skip; ")
		sequence(&options, m.setup)
		options.WriteString(" };\ndo\n")
		var possible []expr
		for _, c := range m.commands {
			if c.step != nil {
				possible = append(possible, c.guard)
			}
			options.WriteString(":: d_step { ")
			c.guard.write(&options)
			options.WriteString(" -> ")
			sequence(&options, of(i, c.body))
			options.WriteString(" }\n")
		}
		// Not else: a check that fails is possible for good here, and is no step.
		options.WriteString(":: atomic { ")
		not(anyOf(possible...)).write(&options)
		options.WriteString(" -> d_step { ")
		sequence(&options, of(i, m.ending))
		options.WriteString(" }; break }\nod\n")
		b.vector += m.vector()
		b.deep = max(b.deep, depth(p)+16)
	}
	b.text = declared.String() + "active proctype v_m0() {\nif\n" + options.String() + "fi\n}\n"
	return b
}

// of makes the checks in the statements of a protocol of a batch its own.
func of(i int, list []stmt) []stmt {
	var out []stmt
	for _, s := range list {
		switch s := s.(type) {
		case fail:
			out = append(out, s+fail(len(protocol.Properties)*i))
		case branch:
			out = append(out, branch{s.guard, of(i, s.body), of(i, s.other)})
		case repeat:
			var arms repeat
			for _, a := range s {
				arms = append(arms, branch{a.guard, of(i, a.body), of(i, a.other)})
			}
			out = append(out, arms)
		default:
			out = append(out, s)
		}
	}
	return out
}

var anyFailed = regexp.MustCompile(`(?m)^pan:[0-9]+: assertion violated \(?([0-9]+)<0\)? `)

// search runs SPIN over the batch: what is violated of each protocol, and the states of all.
func (b *batch) search(t *testing.T) (violated []map[protocol.Property]bool, states int) {
	t.Helper()
	w, err := newWorkshop(4 << 30)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	ctx := context.Background()
	if err := os.WriteFile(filepath.Join(w.dir, modelFile), []byte(b.text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := w.run(ctx, w.spin, "-a", "-o2", modelFile); err != nil {
		t.Fatalf("spin -a: %v\n%s", err, out)
	}
	// The same flags as Run's, but for the optimisation that these small searches are not worth.
	if out, err := w.run(ctx, w.cc, "-O0", "-w", "-DSAFETY", "-DNOFAIR", "-DNOREDUCE", "-DVECTORSZ="+strconv.Itoa(b.vector), "-o", "pan", "pan.c"); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	out, err := w.run(ctx, filepath.Join(w.dir, "pan"), "-c0", "-n", "-w18", "-m"+strconv.Itoa(b.deep))
	if err != nil || strings.Contains(out, "max search depth too small") || strings.Contains(out, "Search not completed") {
		t.Fatalf("pan: %v\n%s", err, tail(out))
	}
	violated = make([]map[protocol.Property]bool, len(b.protocols))
	for i := range violated {
		violated[i] = map[protocol.Property]bool{}
	}
	for _, m := range anyFailed.FindAllStringSubmatch(out, -1) {
		n, _ := strconv.Atoi(m[1])
		violated[n/len(protocol.Properties)][protocol.Properties[n%len(protocol.Properties)]] = true
	}
	for _, line := range strings.Split(out, "\n") {
		if m := storedLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			states, _ = strconv.Atoi(m[1])
		}
	}
	return violated, states
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

// differs says what SPIN and a search of every state say differently of a protocol. What the canonical execution leaves open
// SPIN does not look at, and the search says nothing of.
func differs(violated map[protocol.Property]bool, r *engine.Result) string {
	var out []string
	for _, prop := range protocol.Properties {
		if v := r.Properties[prop].Verdict; v != engine.Inconclusive && violated[prop] != (v == engine.Violated) {
			out = append(out, fmt.Sprintf("%s is violated by SPIN: %t, by explore: %s", prop, violated[prop], v))
		}
	}
	return strings.Join(out, "; ")
}

// drawn draws protocols that both engines can search to the end, with what the embedded one says.
func drawn(first, count int) (list []*protocol.Protocol, results []*engine.Result) {
	for seed := first; len(list) < count; seed++ {
		p := random.Protocol(seed)
		if seed%2 == 1 {
			p = agree.Split(p) // a process a thread: nothing is counted
		}
		if _, err := build(p, nil); err != nil {
			continue // one completion acts twice on an mbarrier, which the model does not cover
		}
		r := explore.Exhaust(context.Background(), p, engine.Limits{States: batchStates})
		if r.Complete && len(r.Properties) == len(protocol.Properties) && !allViolated(r) {
			list, results = append(list, p), append(results, r)
		}
	}
	return list, results
}

// allViolated reports that nothing was left to search for, so that the states are not all.
func allViolated(r *engine.Result) bool {
	for _, a := range r.Properties {
		if a.Verdict != engine.Violated {
			return false
		}
	}
	return true
}

// TestRandomBySpin: of random protocols, every second one with a class a thread, SPIN says what a search of every state
// says, and has as many states. So a disagreement of Check or of a proof with SPIN would be one with that search, which
// package agree looks for.
func TestRandomBySpin(t *testing.T) {
	needSpin(t)
	list, results := drawn(0, batched)
	for i := 0; i < batched; i += batchSize {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			some, want := list[i:i+batchSize], 0
			violated, states := newBatch(t, some).search(t)
			for k, p := range some {
				want += results[i+k].States
				if why := differs(violated[k], results[i+k]); why != "" {
					t.Errorf("%s\n%s", why, smallest(t, p))
				}
			}
			if states-extraStates != want {
				t.Errorf("SPIN has %d states, explore %d", states-extraStates, want)
				for k, p := range some {
					if _, n := newBatch(t, some[k:k+1]).search(t); n-extraStates != results[i+k].States {
						t.Errorf("of this protocol, SPIN has %d states, explore %d:\n%s", n-extraStates, results[i+k].States, smallest(t, p))
					}
				}
			}
		})
	}
}

// smallest is the smallest protocol found, in a minute, of which the two say different things.
func smallest(t *testing.T, p *protocol.Protocol) string {
	stop := time.Now().Add(time.Minute)
	return random.Print(random.Shrink(p, func(q *protocol.Protocol) bool {
		r := explore.Exhaust(context.Background(), q, engine.Limits{States: batchStates})
		if _, err := build(q, nil); err != nil || !r.Complete || allViolated(r) || time.Now().After(stop) {
			return false
		}
		violated, states := newBatch(t, []*protocol.Protocol{q}).search(t)
		return differs(violated[0], r) != "" || states-extraStates != r.States
	}))
}

// TestBatchTells: a fault in what SPIN is given shows. Here it takes every arrive.drop for an arrive.
func TestBatchTells(t *testing.T) {
	needSpin(t)
	var list, faulty []*protocol.Protocol
	for seed := 0; len(list) < 4; seed++ {
		p := random.Protocol(seed)
		q := random.Clone(p)
		drops := 0
		for c := range q.Classes {
			for l := range q.Classes[c].Ops {
				if o := &q.Classes[c].Ops[l]; o.Kind == protocol.ArriveDrop {
					o.Kind = protocol.ArriveExpectTx
					drops++
				}
			}
		}
		if r := explore.Exhaust(context.Background(), p, engine.Limits{States: batchStates}); drops > 0 && r.Complete {
			list, faulty = append(list, p), append(faulty, q)
		}
	}
	violated, states := newBatch(t, faulty).search(t)
	want, told := 0, 0
	for i, p := range list {
		r := explore.Exhaust(context.Background(), p, engine.Limits{States: batchStates})
		want += r.States
		if differs(violated[i], r) != "" {
			told++
		}
	}
	if told == 0 || states-extraStates == want {
		t.Errorf("%d of %d told, %d states, %d", told, len(list), states-extraStates, want)
	}
}
