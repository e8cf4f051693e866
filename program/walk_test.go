package program_test

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

const walked = `
def outer(x=d0):
    a = f(g(1), k=h(2))[i(3)]
    if p():
        for q in r(): s()
    else:
        with t() as u: v(lambda: w())
    def inner():
        hidden()
    return [y(z) for z in c() if b()]
`

func TestCalls(t *testing.T) {
	f := cutedsl.Read(&source.File{Data: []byte(walked)})
	var got []string
	for c := range program.Calls(f.Functions[0].Body) {
		got = append(got, program.DumpExpr(c.Fun))
	}
	if want := "f g h i p r s t v w y c b"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for c := range program.Calls(f.Functions[0].Body) {
		if program.DumpExpr(c.Fun) != "f" {
			t.Error("went on after break")
		}
		break
	}
	if got := program.DumpExpr(f.Functions[1].Body[0].(*program.ExprStmt).X); got != "(call hidden)" {
		t.Errorf("nested function: got %s", got)
	}
}

func TestWalkStops(t *testing.T) {
	f := cutedsl.Read(&source.File{Data: []byte(walked)})
	statements, expressions := 0, 0
	program.WalkStmts(f.Functions[0].Body, func(s program.Stmt) bool {
		statements++
		_, isIf := s.(*program.If)
		return !isIf
	})
	program.WalkExprs(f.Functions[0].Body[0], func(e program.Expr) bool {
		expressions++
		_, isCall := e.(*program.Call)
		return !isCall
	})
	if statements != 4 || expressions != 4 { // a = …, if, def, return; a, the index, f(…), i(…)
		t.Errorf("visited %d statements, %d expressions", statements, expressions)
	}
}
