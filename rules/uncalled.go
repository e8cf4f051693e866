package rules

import (
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
