package emulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/program"
)

// Report is what is known of a kernel's barriers and shared memory.
type Report struct {
	Verdict   engine.Verdict
	Reasons   []Stop // why inconclusive; Instr may be nil
	Checks    [order.Checks]engine.Verdict
	Findings  []order.Finding
	Result    *order.Result // nil where the emulation ended early
	Emulation *Emulation
	Memory    int64 // bytes of the program and of the engine
	Elapsed   time.Duration
}

// maxFindings is how many of each check the engine is asked for; what the report shows is the caller's business.
const maxFindings = 64

// Verify emulates a kernel and checks what it does with barriers and shared memory.
func Verify(f *program.File, kernel *program.Function, l Launch, o order.Options) (*Report, error) {
	begin := time.Now()
	l.Limits = o.Limits
	e, err := Kernel(f, kernel, l)
	if err != nil {
		return nil, err
	}
	r := &Report{Emulation: e}
	if e.Stop != nil {
		r.Reasons = append(r.Reasons, *e.Stop)
		r.Elapsed = time.Since(begin)
		return r, nil
	}
	o.Findings = max(o.Findings, maxFindings)
	r.check(o)
	if r.Checks[order.Race] == engine.Violated {
		// Perhaps they write the same: look again at what is written.
		if e, err := emulate(f, kernel, l, true); err == nil && e.Stop == nil {
			first := *r
			*r = Report{Emulation: e}
			if r.check(o); r.Checks[order.Race] == engine.Inconclusive {
				*r = first
			} else if r.Result.Benign > 0 {
				e.Assumed = append(e.Assumed, "what one pointer of the kernel leads to is not written through another one")
			}
		}
	}
	r.Elapsed = time.Since(begin)
	return r, nil
}

// check has the engine look at the program of the emulation.
func (r *Report) check(o order.Options) {
	r.Result = order.Verify(r.Emulation.Program, o)
	for _, w := range r.Emulation.Program.Warps {
		r.Memory += int64(cap(w.Commands)) * commandBytes
	}
	r.Memory += r.Result.Memory
	r.judge()
}

// judge takes the engine's answers for those of the kernel, where the program that it saw is all that the kernel does.
func (r *Report) judge() {
	for c, a := range r.Result.Answers {
		r.Checks[c] = a.Verdict
	}
	r.Verdict = r.Result.Verdict
	if r.Result.Reason != "" {
		r.Reasons = append(r.Reasons, Stop{Why: r.Result.Reason})
	}
	r.Findings = slices.Clone(r.Result.Findings)
	r.doubtRaces()
	for _, p := range r.Emulation.Stuck {
		r.weaken(p)
	}
	for _, p := range r.Emulation.Peeks {
		p.Why = "whether the phase is over is asked once, not in a loop, and what follows depends on the answer"
		r.weaken(p, order.Deadlock, order.Phase, order.Attribution)
	}
	for _, h := range r.Emulation.Hidden {
		if r.Emulation.Tracked { // it may write what decides control
			r.weaken(h)
		} else {
			r.weaken(h, order.Race)
		}
	}
	r.Verdict = engine.Holds
	for _, v := range r.Checks {
		if v == engine.Violated {
			r.Verdict = engine.Violated
			return
		}
		if v == engine.Inconclusive {
			r.Verdict = engine.Inconclusive
		}
	}
}

// weaken makes checks that hold inconclusive, all where none is named.
func (r *Report) weaken(why Stop, checks ...order.Check) {
	used := false
	for c := order.Check(0); c < order.Checks; c++ {
		if (len(checks) == 0 || slices.Contains(checks, c)) && r.Checks[c] == engine.Holds {
			r.Checks[c] = engine.Inconclusive
			used = true
		}
		used = used || r.Checks[c] == engine.Inconclusive && slices.Contains(checks, c)
	}
	if used {
		r.Reasons = append(r.Reasons, why)
	}
}

// doubtRaces leaves out races of accesses that may not be executed.
func (r *Report) doubtRaces() {
	sure := false
	var doubted *Stop
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		var unsure *Stop
		if f.Check == order.Race && !f.Benign {
			for _, p := range f.Points {
				if r.Emulation.Unsure[p.Place] {
					unsure = &Stop{r.Emulation.Places[p.Place], "an access that may race is executed or not as data says"}
				}
			}
			sure = sure || unsure == nil
		}
		if unsure == nil {
			kept = append(kept, f)
		} else if doubted == nil {
			doubted = unsure
		}
	}
	r.Findings = kept
	if doubted != nil && !sure && r.Checks[order.Race] == engine.Violated {
		r.Checks[order.Race] = engine.Inconclusive
		r.Reasons = append(r.Reasons, *doubted)
	}
}

// Where names the place of a command: the source line that the PTX gives, else the line of the PTX.
func Where(f *program.File, i *program.Instr) string {
	if i == nil {
		return ""
	}
	if path, ok := f.Paths[i.Loc.File]; ok && i.Loc.Line > 0 {
		return fmt.Sprintf("%s:%d", path, i.Loc.Line)
	}
	return fmt.Sprintf("%s:%d", f.Source.Name, f.Source.Position(i.Span.Start).Line)
}
