// Package spin is the reference engine: it prints the counted system of a protocol as a Promela model, has SPIN search
// it, and turns SPIN's trails back into traces of the protocol. It shares no search code with engine/explore, so
// that the two check each other.
package spin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Name is what results of this engine are signed with.
const Name = "spin"

const (
	defaultTime   = 60 * time.Second
	defaultMemory = 1 << 30

	// extraStates is how many states of the model are none of the protocol's: before the first step, after the last
	// one, and after the process has ended.
	extraStates = 3

	maxDepth = 20_000_000
)

// untrusted are the events in which a workflow has secrets and yet may have checked out a stranger's code
// (notes/anchors.md C1.17); no C program made from such code is run there.
var untrusted = []string{"pull_request_target", "workflow_run", "issue_comment"}

// counted are the flags with which the states of the model are those of the protocol, one for one.
var counted = []string{"-DNOREDUCE"}

// Run has SPIN decide the properties, all of them if none is named. SPIN counts no states while it searches, so of
// the limits only time and memory apply; each can only make an answer inconclusive.
func Run(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits) *engine.Result {
	return RunWith(ctx, p, props, lim, counted)
}

// RunWith is Run with pan compiled with flags of its own besides -DSAFETY: without -DNOREDUCE SPIN may leave out states
// that its partial-order reduction says are not needed, with -DCOLLAPSE it keeps them smaller and works longer.
func RunWith(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits, flags []string) *engine.Result {
	start := time.Now()
	if len(props) == 0 {
		props = protocol.Properties
	}
	if lim.Time <= 0 {
		lim.Time = defaultTime
	}
	if lim.Memory <= 0 {
		lim.Memory = defaultMemory
	}
	r := &engine.Result{Engine: Name, Properties: map[protocol.Property]engine.Answer{}}
	ctx, cancel := context.WithTimeout(ctx, lim.Time)
	defer cancel()
	left := slices.Clone(props)
	if err := decide(ctx, p, &left, lim, flags, r); err != nil {
		for _, prop := range left {
			r.Properties[prop] = engine.Undecided(reason(err, lim))
		}
	}
	if r.Complete {
		undecided(p, r)
	}
	r.Elapsed = time.Since(start)
	return r
}

func reason(err error, lim engine.Limits) limit.Reason {
	if errors.Is(err, context.DeadlineExceeded) {
		return limit.Time.Sayf("spin: the time limit of %s was reached", lim.Time)
	}
	var why limit.Reason
	if errors.As(err, &why) {
		return why.Code.Says("spin: " + err.Error())
	}
	return limit.NotRun.Says("spin: " + err.Error())
}

// decide runs the model with the checks of the properties left. pan stops at the first check that fails; the property
// is then decided, and the rest is run again without it.
func decide(ctx context.Context, p *protocol.Protocol, left *[]protocol.Property, lim engine.Limits, flags []string, r *engine.Result) error {
	if event := os.Getenv("GITHUB_EVENT_NAME"); slices.Contains(untrusted, event) {
		return limit.NotRun.Sayf("not run on the event %s, where a stranger's code could meet the workflow's secrets", event)
	}
	w, err := newWorkshop(max(4<<30, lim.Memory+1<<30))
	if err != nil {
		return err
	}
	defer w.close()
	for len(*left) > 0 {
		found, err := w.search(ctx, p, *left, lim, flags, r)
		if err != nil {
			return err
		}
		if found == "" {
			return nil
		}
		*left = slices.DeleteFunc(*left, func(prop protocol.Property) bool { return prop == found })
	}
	return nil
}

// search makes and runs one model. It returns the property it found violated; with none, all those asked for hold.
func (w *workshop) search(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits, flags []string, r *engine.Result) (protocol.Property, error) {
	m, err := build(p, props)
	if err != nil {
		return "", err
	}
	text, lines, err := m.text()
	if err != nil {
		return "", err
	}
	deep := depth(p)
	if deep > maxDepth {
		return "", limit.Size.Sayf("executions of %d steps are too long", deep)
	}
	start := time.Now()
	if err := w.compile(ctx, text, m.vector(), lim.Memory, flags); err != nil {
		return "", err
	}
	r.Compiling += time.Since(start)
	pan := filepath.Join(w.dir, "pan")
	out, runErr := w.run(ctx, pan, "-n", "-w20", "-m"+strconv.Itoa(deep))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	rep := read(out)
	r.Memory = max(r.Memory, rep.memory)
	switch {
	case rep.failed != "":
		trace, object, err := w.trace(ctx, p, rep.failed, lines)
		if errors.Is(err, errWhose) {
			r.Properties[rep.failed] = engine.Undecided(limit.Unshown.Says(err.Error()))
			return rep.failed, nil
		}
		if err != nil {
			return "", limit.Internal.Sayf("internal error: SPIN's trail of %s does not replay: %v", rep.failed, err)
		}
		r.States, r.Depth = max(r.States, rep.states-1), max(r.Depth, rep.depth)
		r.Properties[rep.failed] = engine.Answer{Verdict: engine.Violated, Trace: trace, Object: object,
			Reason: fmt.Sprintf("spin found it after %d states", rep.states)}
		return rep.failed, nil
	case !rep.whole || runErr != nil:
		if rep.reason == "" {
			rep.reason = fmt.Sprintf("pan failed: %v", runErr)
		}
		return "", limit.Size.Sayf("%s after %d states, depth %d", rep.reason, rep.states, rep.depth)
	}
	r.States, r.Depth, r.Complete = rep.states-extraStates, rep.depth, true
	for _, prop := range props {
		r.Properties[prop] = engine.Answer{Verdict: engine.Holds, Object: -1, Reason: fmt.Sprintf("spin searched %d states", r.States)}
	}
	return "", nil
}

// compile writes the model and makes pan of it.
func (w *workshop) compile(ctx context.Context, text string, vector int, memory int64, flags []string) error {
	if err := Lex(text); err != nil {
		return limit.Internal.Sayf("internal error: %v", err)
	}
	os.Remove(filepath.Join(w.dir, trailFile))
	if err := os.WriteFile(filepath.Join(w.dir, modelFile), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the Promela model: %w", err)
	}
	// -o2 keeps variables that are only written in the state, so that states are the protocol's, one for one.
	if _, err := w.run(ctx, w.spin, "-a", "-o2", modelFile); err != nil {
		return fmt.Errorf("spin -a failed: %w", err)
	}
	args := append([]string{"-O1", "-w", "-DSAFETY", "-DNOFAIR"}, flags...)
	args = append(args,
		"-DVECTORSZ="+strconv.Itoa(vector), "-DMEMLIM="+strconv.FormatInt(max(memory>>20, 64), 10), "-o", "pan", "pan.c")
	if _, err := w.run(ctx, w.cc, args...); err != nil {
		return fmt.Errorf("compile pan: %w", err)
	}
	return nil
}

// errWhose is why a race that pan found may be none: the model counts operations in flight, as the protocol does.
var errWhose = errors.New("whose operation is in flight is not modelled")

// trace reads the trail pan left and replays it.
func (w *workshop) trace(ctx context.Context, p *protocol.Protocol, prop protocol.Property, lines map[int]*command) (*engine.Trace, int, error) {
	table, err := w.run(ctx, filepath.Join(w.dir, "pan"), "-d")
	if err != nil {
		return nil, -1, err
	}
	f, err := os.Open(filepath.Join(w.dir, trailFile))
	if err != nil {
		return nil, -1, fmt.Errorf("open the trail: %w", err)
	}
	defer f.Close()
	trail, err := io.ReadAll(io.LimitReader(f, maxTrail))
	if err != nil {
		return nil, -1, fmt.Errorf("read the trail: %w", err)
	}
	steps, err := retrace(string(trail), table, lines)
	if err != nil {
		return nil, -1, err
	}
	t := &engine.Trace{Steps: steps}
	if prop == protocol.Race {
		end, err := replay.Walk(p, steps)
		if err != nil {
			return nil, -1, err
		}
		if t.Pair = end.State.Race(); t.Pair != nil && !end.State.Sure(*t.Pair) {
			return nil, -1, errWhose
		}
	}
	out, err := replay.Run(p, t, prop)
	if err != nil {
		return nil, -1, err
	}
	return t, out.Object, nil
}

// undecided takes back what holds only because the canonical execution does not say what is meant: which phase an
// arrival is for, or which phase a wait is for. The model checks nothing there.
func undecided(p *protocol.Protocol, r *engine.Result) {
	canon := protocol.Canonical(p)
	for c, class := range p.Classes {
		for l := range class.Ops {
			op := &class.Ops[l]
			for _, k := range canon.Credit[c][l] {
				if contributes(op) && (k.First == protocol.NoPhase || k.First != k.Last) {
					takeBack(r, protocol.Attribution, "not decided: the execution that says what is meant does not say which phase every arrival is for")
				}
			}
			if op.Kind == protocol.Wait && canon.WaitPhase(c, l) == protocol.NoPhase {
				takeBack(r, protocol.Phase, "not decided: the execution that says what is meant does not reach every wait")
			}
		}
	}
}

func takeBack(r *engine.Result, prop protocol.Property, why string) {
	if r.Properties[prop].Verdict == engine.Holds {
		r.Properties[prop] = engine.Undecided(limit.Unshown.Says(why))
	}
}

func contributes(op *protocol.Op) bool {
	switch op.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.CompleteTx:
		return true
	case protocol.Issue:
		return len(op.Effects) > 0
	}
	return false
}
