package rules

import (
	"bytes"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// uncalled (FP415) reports a statement that names an operation and does not call it: it compiles, and does nothing.
func uncalled(p *Pass) {
	for _, s := range p.sites {
		if s.op.Kind != namedOnly || len(s.via) > 0 {
			continue
		}
		text := strings.TrimRight(p.File.Source.Text(s.span), "; \t\r\n")
		f := p.report(s.span, "%q is named and not called", text)
		f.Help = "call it: " + text + "()"
	}
}

// named takes down a statement that is the name of an operation.
func (w *walker) named(x program.Expr, p place) {
	if op, is := p.fn.call(&program.Call{Fun: x}); is {
		w.add(dialect.Op{Kind: namedOnly, Name: op.Name, Span: x.Where()}, p, false)
	}
}

// nameOf is the name that a statement which is not understood consists of: in C++ it may stand for a macro, whatever follows. nil: it is none.
func (f *function) nameOf(st *program.OpaqueStmt) program.Expr {
	src := f.file.file.Source
	text, ended := strings.CutSuffix(strings.TrimSpace(src.Text(st.Where())), ";")
	if !ended && !bytes.HasPrefix(bytes.TrimLeft(src.Data[min(st.Where().End, len(src.Data)):], " \t\r\n"), []byte(";")) {
		return nil
	}
	return &program.Name{Place: st.Place, Ident: strings.TrimSpace(text)}
}
