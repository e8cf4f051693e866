package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Suspect is a finding of a pattern rule. The driver drops it, or marks it cleared, when an engine proves every
// property of Rule.Suspects for the kernel.
type Suspect struct {
	Rule     *Rule
	Finding  finding.Finding
	Function *program.Function // the kernel or function it stands in
}

// Pass is what a rule's Run gets: one function of a file and its sites.
type Pass struct {
	File  *program.File
	Table *dialect.Table
	fn    *function
	sites []*site
	rule  *Rule
	out   *[]Suspect
	seen  map[string]bool
	pairs int // see tired
}

// Look applies every pattern rule for which only returns true (nil: all) to every function of a file, and cuts out what the functions hand from one CTA to another, for an engine to decide.
func Look(f *program.File, t *dialect.Table, around Around, only func(id string) bool) ([]Suspect, []Handoff) {
	facts := newFacts(f, t)
	facts.around = around
	bodies := make([][]*site, len(f.Functions))
	concerned := facts.concerned()
	walk := func(which bool) {
		for i, fn := range f.Functions {
			if concerned[i] == which {
				bodies[i] = facts.function(fn).sitesOf()
			}
		}
	}
	walk(true)
	facts.gather(bodies)
	if len(facts.polled) > 0 { // any function may write what is waited for
		walk(false)
		for i := range concerned {
			concerned[i] = true
		}
	}
	var out []Suspect
	seen := map[string]bool{}
	for _, r := range all {
		if r.Run == nil || !slices.Contains(r.Needs, f.Language) || (only != nil && !only(r.ID)) {
			continue
		}
		for i, fn := range f.Functions {
			if !concerned[i] {
				continue
			}
			facts.turn++
			r.Run(&Pass{File: f, Table: t, fn: facts.function(fn), sites: bodies[i], rule: r, out: &out, seen: seen})
		}
	}
	slices.SortStableFunc(out, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(a.Finding.Line, b.Finding.Line), cmp.Compare(a.Finding.Column, b.Finding.Column), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return out, facts.handoffs(bodies)
}

// report adds a finding at a place, once. The returned value may be given labels and help; it is valid until the next
// report, and nil when the place was reported before.
func (p *Pass) report(at source.Span, format string, args ...any) *finding.Finding {
	loc := p.location(at)
	key := fmt.Sprintf("%s %d:%d", p.rule.ID, loc.Line, loc.Column)
	if p.seen[key] {
		return &finding.Finding{}
	}
	p.seen[key] = true
	*p.out = append(*p.out, Suspect{
		Rule:     p.rule,
		Function: p.fn.fn,
		Finding: finding.Finding{
			Rule: p.rule.ID, Name: p.rule.Name, Severity: p.rule.Severity, Location: loc,
			Kernel: p.fn.fn.Qualified, Message: fmt.Sprintf(format, args...),
		},
	})
	return &(*p.out)[len(*p.out)-1].Finding
}

func (p *Pass) location(s source.Span) finding.Location {
	a, b := p.File.Source.Position(s.Start), p.File.Source.Position(s.End)
	return finding.Location{Path: p.File.Source.Name, Line: a.Line, Column: a.Column, EndLine: b.Line, EndColumn: b.Column}
}

// label adds a second region to a finding.
func (p *Pass) label(f *finding.Finding, s source.Span, format string, args ...any) {
	f.Labels = append(f.Labels, finding.Label{Location: p.location(s), Text: fmt.Sprintf(format, args...)})
}

// text is the source text of an expression on one line, shortened for messages.
func (p *Pass) text(x program.Expr) string {
	if x == nil {
		return ""
	}
	return short(p.File.Source.Text(x.Where()))
}

func short(s string) string {
	var b []rune
	space := false
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			space = len(b) > 0
			continue
		}
		if space {
			b = append(b, ' ')
			space = false
		}
		if b = append(b, r); len(b) > 28 {
			return string(b[:25]) + "..."
		}
	}
	return string(b)
}

// name says a barrier as its author does.
func (p *Pass) name(s *site) string {
	if x := s.arg("ptr"); x != nil && len(s.via) == 0 {
		if t := p.text(x); t != "" {
			return t
		}
	}
	if b := s.barrier(); b.base != "" {
		return strings.TrimPrefix(lastWord(b.base), marked)
	}
	return "the barrier"
}
