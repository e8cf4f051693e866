package mutant

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// scan looks for the places of a file that a fault can be put into.
type scan struct {
	file      *program.File
	table     *dialect.Table
	functions map[string][]*program.Function
	within    []finding.Location // the functions of the kernels at hand
	faults    []Fault
	phases    map[string]bool       // names that hold the phase of a wait
	indices   map[string]bool       // names that choose the mbarrier of a stage
	partial   map[*program.For]bool // loops that only a part of the threads runs
	stores    map[string]bool       // pipelines of stores: bulk groups, no mbarriers
}

// Faults lists the faults that the operators put into a file, in the order of their lines. Statements are changed in
// the functions of within only; counts, ids and phases anywhere, because host code makes them.
func Faults(f *program.File, t *dialect.Table, within []finding.Location) []Fault {
	s := &scan{file: f, table: t, functions: map[string][]*program.Function{}, within: within, phases: map[string]bool{}, indices: map[string]bool{}, stores: map[string]bool{}}
	for _, fn := range f.Functions {
		s.functions[fn.Name] = append(s.functions[fn.Name], fn)
	}
	bodies := [][]program.Stmt{f.Body}
	for _, fn := range f.Functions {
		bodies = append(bodies, fn.Body)
	}
	for _, body := range bodies {
		s.names(body)
	}
	s.branches(bodies)
	for i, body := range bodies {
		s.host(body)
		if i > 0 && s.inside(f.Functions[i-1]) {
			s.statements(body)
			s.swaps(body)
		}
	}
	s.equalIDs(bodies)
	slices.SortStableFunc(s.faults, func(a, b Fault) int {
		return cmp.Or(a.Line-b.Line, strings.Compare(a.Operator, b.Operator))
	})
	return s.faults
}

func (s *scan) inside(fn *program.Function) bool {
	line := s.line(fn.Span)
	return slices.ContainsFunc(s.within, func(l finding.Location) bool {
		return l.Path == s.file.Source.Name && l.Line <= line && line <= max(l.Line, l.EndLine)
	})
}

func (s *scan) line(span source.Span) int { return s.file.Source.Position(span.Start).Line }

func (s *scan) text(span source.Span) string { return s.file.Source.Text(span) }

// add notes a fault. Its place is where its first edit is.
func (s *scan) add(operator string, unseen bool, probe edit, edits ...edit) {
	f := Fault{Operator: operator, Line: s.line(edits[0].span), edits: edits, probe: []edit{probe}, unseen: unseen}
	var old, now []string
	for _, e := range edits {
		first := s.line(e.span)
		last := s.file.Source.Position(max(e.span.Start, e.span.End-1)).Line
		for l := first; l <= last; l++ {
			if !slices.Contains(f.Lines, l) {
				f.Lines = append(f.Lines, l)
			}
		}
		old, now = append(old, short(s.text(e.span))), append(now, short(e.text))
	}
	f.What = strings.Join(old, "; ") + " → " + strings.Join(now, "; ")
	if len(edits) > 2 {
		f.What = old[0] + " → " + now[0] + ", " + "everywhere"
	}
	s.faults = append(s.faults, f)
}

// replace makes the fault that an expression is another one.
func (s *scan) replace(operator string, e program.Expr, text string) {
	span := e.Where()
	s.add(operator, false, edit{span, keepingLines("fencepost_probe", s.text(span))}, edit{span, keepingLines(text, s.text(span))})
}

// drop makes the fault that a statement is not there.
func (s *scan) drop(operator string, st program.Stmt, unseen bool) {
	span := s.statement(st)
	s.add(operator, unseen, s.probe(span), edit{span, keepingLines(s.nothing(), s.text(span))})
}

// nothing is the empty statement of the language.
func (s *scan) nothing() string {
	if s.file.Language == program.CuTe {
		return "pass"
	}
	return ";"
}

// probe is a wait on nothing in place of a statement: whoever runs it cannot be modelled.
func (s *scan) probe(span source.Span) edit {
	text := "cute.arch.mbarrier_wait(fencepost_probe, 0)"
	if s.file.Language == program.CUDA {
		text = `asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(fencepost_probe), "r"(fencepost_probe));`
	}
	return edit{span, keepingLines(text, s.text(span))}
}

// statement is the span of a statement, with the semicolon that ends it in C++.
func (s *scan) statement(st program.Stmt) source.Span {
	span := st.Where()
	if data := s.file.Source.Data; s.file.Language == program.CUDA && span.End < len(data) && data[span.End] == ';' {
		span.End++
	}
	return span
}
