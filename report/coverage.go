package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
)

// CoverageText lists every kernel with its status and the line that stopped it, then the totals. Times are printed on
// request only: they are the one thing that differs from run to run.
func CoverageText(w io.Writer, c finding.Coverage, timing bool) error {
	var p page
	for _, k := range c.Kernels {
		p.line("%-12s  %s:%d  %s  [%s]%s", k.Status, Clean(k.Path), k.Line, Clean(k.Name), Clean(strings.Join(k.Mechanisms, ", ")), millis(timing, k.Millis))
		if k.Stop != nil {
			p.line("              %s", Clean(stopText(&k)))
		}
		if k.Status == finding.Proved {
			for _, o := range k.Open {
				p.line("              %s", Clean(open(o)))
			}
		}
	}
	if len(c.Kernels) > 0 {
		p.line("")
	}
	width := 0
	for _, g := range c.Groups {
		width = max(width, len(g.Name))
	}
	p.line("%-*s    all  proved  plainly violated inconclusive opaque decided   with pipelines or mbarriers  proved violated decided", width, "")
	for _, g := range append([]finding.Group{c.All}, c.Groups...) {
		t, q := &g.All, &g.Pipelined
		p.line("%-*s %6d %7d %8d %8d %12d %6d %7s   %27d %7d %8d %7s%s", width, Clean(g.Name), t.Kernels, t.Status[finding.Proved], t.Plain, t.Status[finding.Violated],
			t.Status[finding.Inconclusive], t.Status[finding.Opaque], decided(t),
			q.Kernels, q.Status[finding.Proved], q.Status[finding.Violated], decided(q), tallyTime(timing, t))
	}
	if len(c.Reasons) > 0 {
		p.line("")
		p.line("   first     any  reason")
	}
	for _, r := range c.Reasons {
		p.line("%8d%8d  %s", r.First, r.Any, Clean(clip(limit.Reason{Code: r.Code, Text: r.Class}.String(), maxCell)))
	}
	if len(c.Open) > 0 {
		p.line("")
		p.line("    open  of kernels that hold")
	}
	for _, o := range c.Open {
		p.line("%8d  %s: %s", o.Kernels, o.Property, Clean(clip(o.Class, maxCell)))
	}
	return p.writeTo(w)
}

func stopText(k *finding.Covered) string {
	more := ""
	if n := len(k.Stopped); n > 1 {
		more = fmt.Sprintf(" (and %d more)", n-1)
	}
	return fmt.Sprintf("%s:%d: %s%s", k.Stop.Path, k.Stop.Line, limit.Reason{Code: k.Stop.Code, Text: k.Stop.Why}, more)
}

// decided is the share of kernels with a verdict other than inconclusive.
func decided(t *finding.Tally) string {
	if t.Kernels == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(t.Status[finding.Proved]+t.Status[finding.Violated])/float64(t.Kernels))
}

func millis(timing bool, ms float64) string {
	if !timing {
		return ""
	}
	return fmt.Sprintf("  %.1f ms", ms)
}

func tallyTime(timing bool, t *finding.Tally) string {
	if !timing || t.Kernels == 0 {
		return ""
	}
	return fmt.Sprintf("  median %.1f ms, max %.1f ms (%s)", t.Median, t.Max, Clean(t.Slowest))
}

// CoverageMarkdown writes the same as tables for a step summary: totals first, kernels as far as there is room.
func CoverageMarkdown(w io.Writer, c finding.Coverage, timing bool) error {
	m := &markdown{room: maxMarkdown - 4096}
	m.add("## fencepost: coverage\n")
	m.groups(c, timing)
	if len(c.Reasons) > 0 {
		m.add("\n| First | Any | Reason |\n|---:|---:|---|\n")
	}
	for i, r := range c.Reasons {
		if !m.add(fmt.Sprintf("| %d | %d | %s |\n", r.First, r.Any, cell(limit.Reason{Code: r.Code, Text: r.Class}.String()))) {
			m.dropped("reasons", len(c.Reasons)-i)
			break
		}
	}
	if len(c.Open) > 0 {
		m.add("\n| Hold, and leave open | Property | Reason |\n|---:|---|---|\n")
	}
	for i, o := range c.Open {
		if !m.add(fmt.Sprintf("| %d | %s | %s |\n", o.Kernels, cell(o.Property), cell(o.Class))) {
			m.dropped("open properties", len(c.Open)-i)
			break
		}
	}
	m.covered(c.Kernels)
	if len(m.left) > 0 {
		m.b.WriteString("\nNot shown here, for lack of room: " + strings.Join(m.left, ", ") + ".\n")
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

func (m *markdown) groups(c finding.Coverage, timing bool) {
	head, rule := "| | Kernels | Proved | Plainly | Violated | Inconclusive | Opaque | Decided | With pipelines or mbarriers | Proved | Violated | Decided |", "|---|"+strings.Repeat("---:|", 11)
	if timing {
		head, rule = head+" Median | Max |", rule+"---:|---:|"
	}
	m.add("\n" + head + "\n" + rule + "\n")
	for _, g := range append([]finding.Group{c.All}, c.Groups...) {
		t, q := &g.All, &g.Pipelined
		text := fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %s | %d | %d | %d | %s |", cell(g.Name), t.Kernels, t.Status[finding.Proved], t.Plain,
			t.Status[finding.Violated], t.Status[finding.Inconclusive], t.Status[finding.Opaque], decided(t),
			q.Kernels, q.Status[finding.Proved], q.Status[finding.Violated], decided(q))
		if timing {
			text += fmt.Sprintf(" %.1f ms | %.1f ms |", t.Median, t.Max)
		}
		m.add(text + "\n")
	}
}

func (m *markdown) covered(kernels []finding.Covered) {
	if len(kernels) == 0 {
		return
	}
	m.add("\n| Status | Kernel | Where | Mechanisms | Stopped by |\n|---|---|---|---|---|\n")
	for i, k := range kernels {
		stop := ""
		if k.Stop != nil {
			stop = stopText(&k)
		}
		if names := k.Opened(); k.Status == finding.Proved && len(names) > 0 {
			stop = "open: " + strings.Join(names, ", ")
		}
		if !m.add(fmt.Sprintf("| %s | %s | %s | %s | %s |\n", k.Status, code(k.Name), code(fmt.Sprintf("%s:%d", k.Path, k.Line)),
			cell(strings.Join(k.Mechanisms, ", ")), cell(stop))) {
			m.dropped("kernels", len(kernels)-i)
			return
		}
	}
}
