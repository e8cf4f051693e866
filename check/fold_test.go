package check

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

func testFile() *source.File {
	return source.Decode("k.py", []byte(strings.Repeat("    statement()\n", 20)))
}

// kernelSaying is a kernel over lines 5 to 15 about which an engine says the given answers.
func kernelSaying(t *testing.T, answers map[protocol.Property]engine.Answer) *kernelResult {
	t.Helper()
	p := hanging()
	e := engines{
		explore: func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result {
			return says("explore", answers)
		},
		replay: replay.Run,
	}
	d, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), []*protocol.Protocol{p}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := &lower.Kernel{
		Name: "hanging", Path: "k.py", Line: 5, Instances: []*protocol.Protocol{p}, Bounds: p.Values,
		Spans: []finding.Location{{Path: "k.py", Line: 5, EndLine: 15}},
	}
	return &kernelResult{Kernel: k, decision: d}
}

func suspectAt(line int) rules.Suspect {
	return rules.Suspect{
		Rule: &rules.Rule{ID: "FP101", Name: "literal-wait-phase", Severity: finding.Error, Suspects: []protocol.Property{protocol.Deadlock, protocol.Phase}},
		Finding: finding.Finding{
			Rule: "FP101", Severity: finding.Error, Location: finding.Location{Path: "k.py", Line: line, EndLine: line}, Message: "suspicious",
		},
	}
}

func foldAll(suspects []rules.Suspect, kernels ...*kernelResult) ([]finding.Finding, []finding.Kernel) {
	return fold(&Options{}, testFile(), suspects, kernels, nil)
}

func TestFoldConfirmed(t *testing.T) {
	fs, ks := foldAll([]rules.Suspect{suspectAt(11)}, kernelSaying(t, hangs))
	if len(fs) != 1 {
		t.Fatalf("%d findings, want the suspect alone: %+v", len(fs), fs)
	}
	f := fs[0]
	if f.Severity != finding.Error || f.Verdict != "violated" || len(f.Trace) != 1 || f.Trace[0].Line != 10 || f.Kernel != "hanging" {
		t.Errorf("got %+v", f)
	}
	if len(f.Final) == 0 || !strings.Contains(strings.Join(f.Final, "\n"), "wait on gate phase 0") {
		t.Errorf("final state %q does not say who waits", f.Final)
	}
	if ks[0].Verdict != "violated" || ks[0].Properties["deadlock"] != "violated" || ks[0].Properties["race"] != "holds" {
		t.Errorf("kernel %+v", ks[0])
	}
}

// What is found only with options that nobody gives is no error.
func TestFoldMadeUp(t *testing.T) {
	k := kernelSaying(t, hangs)
	k.MadeUp = []string{"config = Config with its defaults"}
	fs, _ := foldAll(nil, k)
	if len(fs) != 1 || fs[0].Severity != finding.Warning || !strings.Contains(strings.Join(fs[0].Notes, "\n"), "found with config = Config with its defaults") {
		t.Errorf("got %+v", fs)
	}
}

func TestFoldCleared(t *testing.T) {
	fs, ks := foldAll([]rules.Suspect{suspectAt(11)}, kernelSaying(t, nil))
	if len(fs) != 1 || !fs[0].Cleared || fs[0].Severity != finding.Note || fs[0].Verdict != "holds" {
		t.Errorf("got %+v, want one cleared note", fs)
	}
	if ks[0].Verdict != "holds" {
		t.Errorf("kernel %+v", ks[0])
	}
}

func TestFoldUndecided(t *testing.T) {
	limited := kernelSaying(t, unknown)
	partial := kernelSaying(t, hangs)
	partial.Opaque = []lower.Opaque{{Line: 9, Why: limit.Call.Says("call of helper() in another file")}}
	unlowered := &kernelResult{Kernel: &lower.Kernel{Name: "hanging", Path: "k.py", Line: 5, Spans: partial.Spans}, reasons: []limit.Reason{limit.LaunchPath.Says("it could not be lowered")}}
	for name, test := range map[string]struct {
		kernels []*kernelResult
		reason  string
	}{
		"a limit":            {[]*kernelResult{limited}, "the state limit of 10"},
		"something unknown":  {[]*kernelResult{partial}, "k.py:9: not modelled: call of helper() in another file"},
		"not lowered":        {[]*kernelResult{unlowered}, "it could not be lowered"},
		"not in any kernel":  {nil, "in no kernel"},
		"one of two unknown": {[]*kernelResult{kernelSaying(t, nil), limited}, "the state limit of 10"},
	} {
		fs, ks := foldAll([]rules.Suspect{suspectAt(11)}, test.kernels...)
		if len(fs) != 1 || fs[0].Severity != finding.Warning || fs[0].Verdict != "inconclusive" || fs[0].Cleared {
			t.Errorf("%s: got %+v, want one warning", name, fs)
			continue
		}
		if notes := strings.Join(fs[0].Notes, "\n"); !strings.Contains(notes, test.reason) {
			t.Errorf("%s: notes %q do not say %q", name, notes, test.reason)
		}
		if len(ks) > 0 && ks[len(ks)-1].Verdict != "inconclusive" {
			t.Errorf("%s: kernel %+v, want inconclusive", name, ks[len(ks)-1])
		}
	}
}

// Of two suspects the one on the counterexample's path is confirmed; the other is not made an error by it.
func TestFoldBlame(t *testing.T) {
	fs, _ := foldAll([]rules.Suspect{suspectAt(7), suspectAt(11)}, kernelSaying(t, hangs))
	if len(fs) != 2 || fs[0].Verdict != "inconclusive" || fs[0].Severity != finding.Warning || fs[1].Verdict != "violated" {
		t.Errorf("got %+v", fs)
	}
}

// A violation that no suspect explains is told once, by the engine's rule, at the wait that hangs.
func TestFoldUnexplained(t *testing.T) {
	both := map[protocol.Property]engine.Answer{
		protocol.Deadlock: {Verdict: engine.Violated, Trace: toTheWait},
	}
	fs, _ := foldAll(nil, kernelSaying(t, both))
	if len(fs) != 1 {
		t.Fatalf("got %+v, want one finding", fs)
	}
	f := fs[0]
	if f.Rule != "FP120" || f.Line != 11 || f.Column != 5 || f.Severity != finding.Error || f.Verdict != "violated" {
		t.Errorf("got %+v, want FP120 at the wait, 11:5", f)
	}
	if !strings.Contains(f.Message, `"gate" never gets its 2nd arrival: thread 0 of CTA 0 waits here for ever`) || f.Help == "" {
		t.Errorf("message %q, help %q do not say who waits for what, and what to change", f.Message, f.Help)
	}
}

// A phase that is skipped on the way to a hang is no second finding, and what is left over at the end is none either.
func TestFoldOneDefect(t *testing.T) {
	k := kernelSaying(t, hangs)
	for _, p := range []protocol.Property{protocol.Phase, protocol.Race, protocol.Attribution} {
		also := *k.decision.answers[protocol.Deadlock]
		k.decision.answers[p] = &also
	}
	fs, ks := foldAll(nil, k)
	if len(fs) != 1 || fs[0].Rule != "FP120" {
		t.Fatalf("got %+v, want FP120 alone", fs)
	}
	if notes := strings.Join(fs[0].Notes, "\n"); !strings.Contains(notes, "a missed phase and a data race, too") {
		t.Errorf("notes %q do not name what was left out", notes)
	}
	if ks[0].Properties["race"] != "violated" {
		t.Errorf("the kernel's properties %v leave the race out", ks[0].Properties)
	}
}

// A pattern that is wrong on its face is reported whatever the engines say.
func TestFoldPattern(t *testing.T) {
	s := suspectAt(11)
	s.Rule = &rules.Rule{ID: "FP107", Severity: finding.Error}
	fs, _ := foldAll([]rules.Suspect{s}, kernelSaying(t, nil))
	if len(fs) != 1 || fs[0].Severity != finding.Error || fs[0].Verdict != "" || len(fs[0].KernelLines) != 1 {
		t.Errorf("got %+v", fs)
	}
}
