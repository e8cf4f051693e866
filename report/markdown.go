package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// maxMarkdown is below the 1 MiB at which GitHub refuses a step's summary whole; nobody reads more.
const maxMarkdown = 200 << 10

// maxCell bounds one cell of a table.
const maxCell = 400

// Markdown writes a step summary: the findings, their counterexamples, and every kernel with its verdict. What does
// not fit is counted.
func Markdown(w io.Writer, r finding.Report) error {
	m := &markdown{room: maxMarkdown - 4096} // the notes at the end must fit too
	m.add("## fencepost\n\n" + escape(summary(r)) + "\n")
	findings := shown(r)
	m.findings(findings)
	m.kernels(r.Kernels)
	m.details(findings)
	for i, n := range r.Notes {
		if !m.add("\n- " + escape(clip(Clean(n), maxCell))) {
			m.dropped("notes", len(r.Notes)-i)
			break
		}
	}
	if len(m.left) > 0 {
		m.b.WriteString("\n\nNot shown here, for lack of room: " + strings.Join(m.left, ", ") + ".")
	}
	m.b.WriteByte('\n')
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct {
	b    strings.Builder
	room int
	left []string
}

// add writes a piece whole or, when there is no room for it, not at all.
func (m *markdown) add(piece string) bool {
	if len(piece) > m.room {
		return false
	}
	m.room -= len(piece)
	m.b.WriteString(piece)
	return true
}

func (m *markdown) dropped(what string, n int) {
	m.left = append(m.left, fmt.Sprintf("%d %s", n, what))
}

func (m *markdown) findings(fs []finding.Finding) {
	if len(fs) == 0 {
		return
	}
	m.add("\n| | Rule | Where | Finding | Verdict |\n|---|---|---|---|---|\n")
	for i, f := range fs {
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", f.Severity, code(f.Rule), code(fmt.Sprintf("%s:%d", f.Path, f.Line)), cell(f.Message), cell(f.Verdict))
		if !m.add(row) {
			m.dropped("findings", len(fs)-i)
			return
		}
	}
}

func (m *markdown) kernels(ks []finding.Kernel) {
	if len(ks) == 0 {
		return
	}
	m.add("\n| Kernel | Where | Verdict | Engines | Bounds | Why |\n|---|---|---|---|---|---|\n")
	for i, k := range ks {
		var why []string
		if bad := notHolding(k); bad != "" {
			why = []string{bad}
		}
		for _, r := range k.Whys() {
			why = append(why, r.String())
		}
		for _, o := range k.Open {
			why = append(why, open(o))
		}
		row := fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", code(k.Name), code(fmt.Sprintf("%s:%d", k.Path, k.Line)), cell(k.Says()),
			cell(strings.Join(k.Engines, ", ")), cell(strings.Join(bounds(k.Bounds), "; ")), cell(strings.Join(why, "; ")))
		if !m.add(row) {
			m.dropped("kernels", len(ks)-i)
			return
		}
	}
}

// details are what a row of the table has no room for: the other places, the way out, the repair and the counterexample.
func (m *markdown) details(fs []finding.Finding) {
	left := 0
	for _, f := range fs {
		if len(f.Trace)+len(f.Cycle)+len(f.Labels)+len(f.Notes) == 0 && f.Help == "" && f.Fix == nil {
			continue
		}
		lines, kind := tell(f, true), "Details"
		if example := counterexample(f); len(example) > 0 {
			lines = append(append(lines, ""), example...)
		}
		if len(f.Trace)+len(f.Cycle) > 0 {
			kind = "Counterexample"
		}
		piece := fmt.Sprintf("\n<details><summary>%s: %s at %s:%d</summary>\n\n%s</details>\n", kind, html(f.Rule), html(f.Path), f.Line, block(lines))
		if !m.add(piece) {
			left++
		}
	}
	if left > 0 {
		m.dropped("counterexamples and details", left)
	}
}

// counterexample is the trace, what goes on for ever after it, and the state that it ends in, as lines.
func counterexample(f finding.Finding) []string {
	lines := steps(f)
	part := func(title string) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, title)
	}
	if len(f.Cycle) > 0 {
		part("then for ever:")
		for _, s := range f.Cycle {
			lines = append(lines, "  "+step(f.Path, s))
		}
	}
	if len(f.Final) > 0 {
		part("final state:")
		for _, s := range f.Final {
			lines = append(lines, "  "+Clean(s))
		}
	}
	return lines
}

// FindingMarkdown is one finding by itself, with its counterexample. Not every editor takes the backslashes out of Markdown, so what is
// not our own stands in blocks.
func FindingMarkdown(f finding.Finding) string {
	title := fmt.Sprintf("**%s**", f.Severity)
	if f.Rule != "" {
		title += fmt.Sprintf(" %s %s", f.Rule, f.Name)
	}
	text := title + "\n\n" + block(tell(f, true))
	if example := counterexample(f); len(example) > 0 {
		text += fmt.Sprintf("\ncounterexample (%s):\n\n%s", count(len(f.Trace), "step", "steps"), block(example))
	}
	return text
}

// KernelMarkdown is what was found out about one kernel.
func KernelMarkdown(k finding.Kernel) string {
	return fmt.Sprintf("**%s**\n\n%s", k.Says(), block(append([]string{"kernel " + Clean(k.Name)}, kernelLines(k, true)...)))
}

// block is text as it stands.
func block(lines []string) string {
	text := strings.Join(lines, "\n")
	bar := fence(text)
	return bar + "text\n" + text + "\n" + bar + "\n"
}

// fence is a run of backticks longer than any in the text, so that the text cannot end its block.
func fence(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// cell is a text in a table, with nothing in it that Markdown would act upon.
func cell(s string) string { return escape(clip(Clean(s), maxCell)) }

// code is a name in a table, as code: nothing in it makes a link or a mention. A code span has no escapes, and a bar would
// end the cell, so a backtick and a bar are replaced by what looks like them.
func code(s string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "¦").Replace(clip(Clean(s), maxCell)) + "`"
}

// html is a text inside of an HTML element.
func html(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "`", "'", "*", "&#42;", "_", "&#95;", "[", "&#91;", "@", "&#64;",
		"://", "&#58;//", "www.", "www&#46;").Replace(clip(Clean(s), maxCell))
}

// escape takes the meaning from everything Markdown knows: any ASCII punctuation may be escaped with a backslash
// (CommonMark 2.4), which also keeps bare addresses and mentions from becoming links.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@':
			b.WriteString("&#64;")
		case strings.ContainsRune("!\"#$*:.[\\]^_`{|}~", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
