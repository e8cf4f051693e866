package limit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestPages: every code has a name of its own and a page, which says what it means, what to do, and how it is told.
func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if c.Name() == "" || seen[c.Name()] {
			t.Errorf("%s: the name %q is none, or another's", c, c.Name())
		}
		seen[c.Name()] = true
		if Parse(c.String()) != c {
			t.Errorf("%s is not read as it is written", c)
		}
		page := c.Page()
		at := 0
		for _, part := range []string{"# " + c.String() + ": " + c.Name() + "\n\n", "\n## What it means\n\n", "\n## What to do\n\n- ", "\n## As it is told\n\n```text\n" + c.String() + ": "} {
			next := strings.Index(page[at:], part)
			if next < 0 {
				t.Errorf("the page of %s has no %q behind what comes before", c, part)
				break
			}
			at += next + len(part) - 1
		}
	}
	if (last-1).Page() == "" || last.Page() != "" || Code(0).String() != "" {
		t.Error("there are more pages than codes, or fewer")
	}
}

// TestEveryReasonHasACode: each code is made somewhere, and nothing makes a reason without one. What is not decided is a Reason by its type, which
// only Code makes; answers of engines and reports, which are texts as well, are made by engine.Undecided and Kernel.Because.
func TestEveryReasonHasACode(t *testing.T) {
	made := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "../limit" {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, is := n.X.(*ast.Ident); is && id.Name == "limit" {
					made[n.Sel.Name] = true
				}
			case *ast.CompositeLit:
				name, keys := typeName(n.Type), keysOf(n)
				switch {
				case name == "limit.Reason" && keys["Text"] && !keys["Code"] && path != "../finding/coverage.go": // of a report that has none
					t.Errorf("%s: a reason without a code", set.Position(n.Pos()))
				case name == "engine.Answer" && keys["Reason"] && !keys["Verdict"] && path != "../engine/engine.go":
					t.Errorf("%s: an answer that is inconclusive is made by engine.Undecided", set.Position(n.Pos()))
				case name == "finding.Kernel" && keys["Reasons"]:
					t.Errorf("%s: reasons are taken down by Because", set.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "limit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	for _, d := range f.Decls {
		g, is := d.(*ast.GenDecl)
		if !is || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			name := s.(*ast.ValueSpec).Names[0]
			if !name.IsExported() {
				continue
			}
			if codes++; !made[name.Name] {
				t.Errorf("nothing makes the code %s", name.Name)
			}
		}
	}
	if codes != len(All()) {
		t.Errorf("%d codes are declared, %d are listed", codes, len(All()))
	}
}

func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if id, is := x.X.(*ast.Ident); is {
			return id.Name + "." + x.Sel.Name
		}
	case *ast.Ident:
		return x.Name
	}
	return ""
}

func keysOf(n *ast.CompositeLit) map[string]bool {
	keys := map[string]bool{}
	for _, e := range n.Elts {
		if kv, is := e.(*ast.KeyValueExpr); is {
			if id, is := kv.Key.(*ast.Ident); is {
				keys[id.Name] = true
			}
		}
	}
	return keys
}
