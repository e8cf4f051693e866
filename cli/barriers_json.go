package cli

import (
	"encoding/json"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/limit"
)

// point is a command of a thread.
type point struct {
	At          string `json:"at"`
	CTA         int    `json:"cta"`
	Thread      int    `json:"thread"`
	Instruction string `json:"instruction,omitempty"`
}

// found is a finding.
type found struct {
	Check    string  `json:"check"`
	Severity string  `json:"severity"`
	Text     string  `json:"text"`
	Benign   bool    `json:"benign,omitempty"`
	Points   []point `json:"points"`
}

// reason is why a verdict is inconclusive.
type reason struct {
	At   string     `json:"at,omitempty"`
	Why  string     `json:"why"`
	Code limit.Code `json:"code"`
}

// shape is a shape of the CTA that was tried, with its verdict, or that was not, and why.
type shape struct {
	Block   [3]int `json:"block"`
	Verdict string `json:"verdict,omitempty"`
	LeftOut string `json:"left_out,omitempty"`
}

// json is one kernel as a line.
func (r *kernelReport) json(path string) (string, error) {
	c := r.counts()
	out := struct {
		File      string             `json:"file"`
		Kernel    string             `json:"kernel"`
		Verdict   string             `json:"verdict"`
		Checks    map[string]string  `json:"checks,omitempty"`
		Barriers  int                `json:"barriers"`
		Addresses int                `json:"addresses"`
		Commands  int64              `json:"commands"`
		Tests     int64              `json:"tests"`
		Threads   int                `json:"threads"`
		Benign    int                `json:"benign"`
		Memory    int64              `json:"memory"`
		MS        float64            `json:"ms"`
		Findings  []found            `json:"findings"`
		Reasons   []reason           `json:"reasons"`
		Numbers   map[string][]int64 `json:"numbers,omitempty"`
		Runs      int                `json:"runs,omitempty"`
		Guessed   bool               `json:"guessed"`
		Block     [3]int             `json:"block"`
		Shapes    []shape            `json:"shapes,omitempty"`
		Params    map[string]int64   `json:"params,omitempty"`
		Assumed   []string           `json:"assumed"`
	}{File: path, Kernel: r.name, Verdict: r.Verdict.String(), Barriers: c.Barriers, Addresses: c.Addresses, Commands: c.Commands,
		Tests: c.Tests, Threads: c.Threads, Benign: c.Benign, Memory: r.Memory, MS: float64(r.Elapsed.Microseconds()) / 1000,
		Findings: []found{}, Reasons: []reason{}, Numbers: r.Numbers, Runs: r.Runs, Guessed: r.Guessed, Block: r.Execution.Launch.Block, Params: r.Execution.Launch.Params, Assumed: r.assumed()}
	if r.Result != nil {
		out.Checks = map[string]string{}
		for k, v := range r.Checks {
			out.Checks[order.Check(k).String()] = v.String()
		}
	}
	for _, s := range r.Shapes {
		one := shape{Block: s.Block, LeftOut: s.Without}
		if s.Report != nil {
			one.Verdict = s.Report.Verdict.String()
		}
		out.Shapes = append(out.Shapes, one)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, r.found(f))
	}
	for _, s := range r.Reasons {
		out.Reasons = append(out.Reasons, reason{r.where(s.Place), s.Text(), s.Reason().Code})
	}
	line, err := json.Marshal(out)
	return string(line) + "\n", err
}

// found is a finding as it is printed.
func (r *kernelReport) found(f order.Finding) found {
	one := found{Check: f.Check.String(), Severity: r.severity(f), Text: f.Text, Benign: f.Benign, Points: []point{}}
	for _, p := range f.Points {
		at := point{At: r.where(r.instr(p)), Thread: r.thread(p)}
		if p.Warp >= 0 && p.Warp < len(r.Execution.Program.Warps) {
			at.CTA = r.Execution.Program.Warps[p.Warp].CTA
		}
		if i := r.instr(p); i != nil {
			at.Instruction = r.Written(i)
		}
		one.Points = append(one.Points, at)
	}
	return one
}
