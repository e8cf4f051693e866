package rules

import (
	"bytes"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// uncalled (FP415) reports a statement that names an operation and does not call it: it compiles, and does nothing.
func uncalled(p *Pass) {
	src := p.File.Source
	program.WalkStmts(p.fn.fn.Body, func(st program.Stmt) bool {
		var named program.Expr
		switch st := st.(type) {
		case *program.ExprStmt:
			switch st.X.(type) {
			case *program.Name, *program.Attr:
				named = st.X
			}
		case *program.OpaqueStmt: // in C++ a name may stand for a macro, whatever follows
			text, ended := strings.CutSuffix(strings.TrimSpace(src.Text(st.Where())), ";")
			if ended || bytes.HasPrefix(bytes.TrimLeft(src.Data[min(st.Where().End, len(src.Data)):], " \t\r\n"), []byte(";")) {
				named = &program.Name{Place: st.Place, Ident: strings.TrimSpace(text)}
			}
		}
		if named == nil {
			return true
		}
		if _, is := p.fn.call(&program.Call{Fun: named}); is {
			text := strings.TrimRight(src.Text(named.Where()), "; \t\r\n")
			f := p.report(named.Where(), "%q is named and not called", text)
			f.Help = "call it: " + text + "()"
		}
		return true
	})
}
