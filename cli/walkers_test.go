package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// walkers is how many functions docs/walkers.md may list. It only ever falls.
const walkers = 117

// TestWalkersAreListed: every function outside ir and the evaluator of CuTe DSL that finds out from syntax what a kernel means is in
// docs/walkers.md, with what is to remove it, and nothing else is.
func TestWalkersAreListed(t *testing.T) {
	listed := listedWalkers(t)
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch name := strings.TrimPrefix(path, "../"); {
		case d.IsDir() && (path != ".." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "ir"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(name, "lower/") || filepath.ToSlash(filepath.Dir(name)) == "frontend/cuda":
			return nil
		default:
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && walks(fn.Body) {
					found[name+" "+fn.Name.Name] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		if !listed[name] {
			t.Errorf("%s looks at syntax to find out what a kernel means: ask the IR for that", name)
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("%s is gone, or looks no more: take it off docs/walkers.md", name)
		}
	}
	if len(listed) > walkers {
		t.Errorf("%d functions are listed, at most %d may be", len(listed), walkers)
	}
}

// listedWalkers reads the tables: a file and its functions a row.
func listedWalkers(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../docs/walkers.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := quoted.FindAllStringSubmatch(line, -1)
		if !strings.HasPrefix(line, "| `") || len(cells) < 2 {
			continue
		}
		for _, c := range cells[1:] {
			out[cells[0][1]+" "+c[1]] = true
		}
	}
	return out
}

// walks reports whether code tells kinds of nodes apart, goes through a tree of them, or tells arithmetic operators apart.
func walks(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSwitchStmt:
			found = found || cases(n.Body, isNode) > 1
		case *ast.SwitchStmt:
			found = found || cases(n.Body, isOperator) > 1
		case *ast.SelectorExpr:
			found = found || ofProgram(n) && slices.Contains([]string{"Walk", "WalkStmts", "WalkExprs", "Exprs", "Calls"}, n.Sel.Name)
		}
		return !found
	})
	return found
}

// cases counts those of a kind.
func cases(body *ast.BlockStmt, is func(ast.Expr) bool) (n int) {
	for _, st := range body.List {
		for _, e := range st.(*ast.CaseClause).List {
			if is(e) {
				n++
			}
		}
	}
	return n
}

func isNode(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.SelectorExpr)
	return ok && ofProgram(of)
}

func isOperator(e ast.Expr) bool {
	text, ok := e.(*ast.BasicLit)
	return ok && slices.Contains([]string{`"+"`, `"-"`, `"*"`, `"/"`, `"%"`, `"<<"`, `"//"`}, text.Value)
}

func ofProgram(e *ast.SelectorExpr) bool {
	id, ok := e.X.(*ast.Ident)
	return ok && id.Name == "program"
}
