package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// Options say how text is written.
type Options struct {
	Color bool
	// Snippet returns a line of a source file, "" if it cannot be had. Nil: no snippets.
	Snippet func(path string, line int) string
	// Verbose tells all bounds, and which engines answered, in what time.
	Verbose bool
	// Statistics counts findings by their rules, and kernels by the first reason that nothing decided them, in the place of both.
	Statistics bool
}

// A counterexample longer than this is shown with its middle left out: how it starts and how it ends up stuck tell most.
const (
	headSteps = 25
	tailSteps = 50
)

// Text writes a report for people: each finding with its snippet and counterexample, then every kernel with its verdict
// and the bounds it holds under, then one line that sums up.
func Text(w io.Writer, r finding.Report, o Options) error {
	p := &page{color: o.Color}
	if o.Snippet == nil {
		o.Snippet = func(string, int) string { return "" }
	}
	if o.Statistics {
		p.statistics(r)
	} else {
		for _, f := range r.Findings {
			p.finding(f, o.Snippet)
		}
		p.kernels(r.Kernels, o.Verbose)
	}
	for _, n := range r.Notes {
		p.line("%s: %s", p.paint(cyan, "note"), Clean(n))
	}
	p.line("%s", summary(r))
	return p.writeTo(w)
}

func (p *page) finding(f finding.Finding, line func(string, int) string) {
	head := fmt.Sprintf("%s[%s]", f.Severity, Clean(f.Rule))
	if f.Cleared {
		head = fmt.Sprintf("cleared[%s]", Clean(f.Rule))
	}
	p.line("%s%s", p.paint(severityStyle(f.Severity), head), p.paint(bold, ": "+Clean(f.Message)))
	gutter := p.snippet(f, line)
	if f.Verdict != "" {
		p.line("%s %s verdict: %s", gutter, p.paint(blue, "="), p.paint(verdictStyle(f.Verdict), verdict(f)))
	}
	for _, n := range f.Notes {
		p.line("%s %s note: %s", gutter, p.paint(blue, "="), Clean(n))
	}
	if len(f.Trace) > 0 {
		p.line("%s %s counterexample (%s):", gutter, p.paint(blue, "="), count(len(f.Trace), "step", "steps"))
		for _, s := range steps(f) {
			p.line("%s   %s", gutter, s)
		}
	}
	if len(f.Cycle) > 0 {
		p.line("%s %s then for ever:", gutter, p.paint(blue, "="))
		for _, s := range f.Cycle {
			p.line("%s   %s", gutter, step(f.Path, s))
		}
	}
	if len(f.Final) > 0 {
		p.line("%s %s final state:", gutter, p.paint(blue, "="))
		for _, s := range f.Final {
			p.line("%s   %s", gutter, Clean(s))
		}
	}
	if f.Help != "" {
		p.line("%s %s help: %s", gutter, p.paint(blue, "="), Clean(f.Help))
	}
	for i, l := range repair(f) {
		if i == 0 {
			l = p.paint(blue, "=") + " " + l
		}
		p.line("%s %s", gutter, l)
	}
	p.line("")
}

// steps returns the counterexample as numbered lines, clean: rounds that repeat folded, the middle left out if it is long still.
func steps(f finding.Finding) []string {
	digits := len(fmt.Sprint(len(f.Trace)))
	var out []string
	for _, part := range folds(f.Trace) {
		if part.rounds > 0 {
			first, last := part.from+1, part.from+part.length*part.rounds
			out = append(out, fmt.Sprintf("%*s  … steps %d to %d: the same %s again, %s", digits, "", first, last,
				count(part.length, "step", "steps"), count(part.rounds, "time", "times")))
			continue
		}
		for i := part.from; i < part.from+part.length; i++ {
			out = append(out, fmt.Sprintf("%*d. %s", digits, i+1, step(f.Path, f.Trace[i])))
		}
	}
	if left := len(out) - headSteps - tailSteps; left > 1 {
		out = slices.Concat(out[:headSteps], []string{fmt.Sprintf("… %d steps left out here; JSON and SARIF have them", left)}, out[headSteps+left:])
	}
	return out
}

// step is "threads 0-127 of CTA 0, line 41: waits on gate[0] phase 0", with the path if it is another file, and with the line of the
// kernel that calls what it is in.
func step(path string, s finding.Step) string {
	var place []string
	if s.Actor != "" {
		place = append(place, Clean(s.Actor))
	}
	switch {
	case s.Line > 0 && s.Path != "" && s.Path != path:
		place = append(place, fmt.Sprintf("%s:%d", Clean(s.Path), s.Line))
	case s.Line > 0:
		place = append(place, fmt.Sprintf("line %d", s.Line))
	}
	if s.From.Line > 0 && len(place) > 0 {
		place[len(place)-1] += fmt.Sprintf(" (called at line %d)", s.From.Line)
	}
	if len(place) == 0 {
		return Clean(s.Text)
	}
	return strings.Join(place, ", ") + ": " + Clean(s.Text)
}

// verdict is that of a finding: of one that leaves its kernel as it is, why.
func verdict(f finding.Finding) string {
	if f.Verdict == finding.IsOpen {
		return "open (an execution shows it; by itself it is counted as no error)"
	}
	return Clean(f.Verdict)
}

func verdictStyle(v string) style {
	switch v {
	case "violated":
		return red
	case "holds":
		return green
	}
	return yellow
}

func (p *page) kernels(ks []finding.Kernel, verbose bool) {
	if len(ks) == 0 {
		return
	}
	p.line("%s", p.paint(bold, "kernels"))
	for _, k := range ks {
		p.line("  %s  %s:%d %s", p.paint(verdictStyle(k.Says()), fmt.Sprintf("%-12s", Clean(k.Says()))), Clean(k.Path), k.Line, Clean(k.Name))
		for _, l := range kernelLines(k, verbose) {
			p.line("                %s", l)
		}
	}
	p.line("")
}

// kernelLines are what is told of a kernel besides its verdict. Whoever reads that a kernel holds has to see that it is so within bounds: of
// these a line stands there in any case.
func kernelLines(k finding.Kernel, verbose bool) (lines []string) {
	if how := kernelHow(k, verbose); how != "" {
		lines = append(lines, how)
	}
	list := bounds(k.Bounds)
	switch {
	case verbose:
	case k.Verdict != "holds":
		list = nil
	case len(list) > 1:
		list = []string{clip(briefly(k.Bounds), boundWidth) + " (all of them: -v)"}
	}
	for i, b := range list {
		lead := "      "
		if i == 0 {
			lead = "within"
		}
		lines = append(lines, lead+" "+b)
	}
	for _, o := range k.Open {
		lines = append(lines, Clean(open(o)))
	}
	for _, reason := range k.Whys() {
		lines = append(lines, Clean(reason.String()))
	}
	return lines
}

// briefly are the bounds that are numbers.
func briefly(b map[string]string) string {
	var parts []string
	for _, e := range finding.Equations(b, func(name string) bool { return strings.Trim(b[name], "0123456789, ") == "" }) {
		parts = append(parts, Clean(e))
	}
	if len(parts) == 0 {
		return strings.Join(bounds(b), " ")
	}
	return strings.Join(parts, "; ")
}

// open tells why a property is not shown.
func open(o finding.Open) string {
	return fmt.Sprintf("%s open (%s): %s:%d: %s", o.Property, finding.Words(o.Property), o.Path, o.Line, o.Why)
}

// kernelHow tells which properties do not hold, and who looked, how far.
func kernelHow(k finding.Kernel, verbose bool) string {
	var parts []string
	if bad := notHolding(k); bad != "" {
		parts = append(parts, bad)
	}
	if len(k.Engines) > 0 && verbose {
		parts = append(parts, "by "+Clean(strings.Join(k.Engines, " and ")))
		parts = append(parts, count(k.States, "state", "states"), fmt.Sprintf("%.1f ms", k.Millis))
	}
	return strings.Join(parts, ", ")
}

// notHolding lists the properties that do not hold, by verdict and in words.
func notHolding(k finding.Kernel) string {
	by := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(k.Properties)) {
		told := finding.Words(name)
		if only := k.Only[name]; only != "" {
			told += " (only with " + only + ")"
		}
		by[k.Properties[name]] = append(by[k.Properties[name]], Clean(told))
	}
	var parts []string
	for _, v := range []string{"violated", "inconclusive"} {
		switch n := len(by[v]); {
		case v == "inconclusive" && n > 0 && n == len(k.Properties)-len(by["violated"]):
			if len(parts) > 0 { // else the verdict has said so
				parts = append(parts, "nothing else is decided")
			}
		case n > 0:
			parts = append(parts, v+": "+strings.Join(by[v], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// boundWidth is how much of the bounds goes on one line.
const boundWidth = 120

// bounds is "THREADS = 128; k_tiles = 0, 3", by name; where that is long, a line for each of them, or several.
func bounds(b map[string]string) []string {
	var parts []string
	for _, e := range finding.Equations(b, func(string) bool { return true }) {
		parts = append(parts, Clean(e))
	}
	all := strings.Join(parts, "; ")
	if all == "" || width(all) <= boundWidth {
		return slices.DeleteFunc([]string{all}, func(s string) bool { return s == "" })
	}
	var lines []string
	for _, p := range parts {
		lines = append(lines, folded(p)...)
	}
	return lines
}

// folded breaks a list of things at its semicolons into lines, the further ones set in.
func folded(list string) []string {
	items := strings.SplitAfter(list, "; ")
	lines := items[:1:1]
	for _, item := range items[1:] {
		last := &lines[len(lines)-1]
		if width(*last)+width(item) <= boundWidth {
			*last += item
			continue
		}
		*last = strings.TrimRight(*last, " ")
		lines = append(lines, "  "+item)
	}
	return lines
}
