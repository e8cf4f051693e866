package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// consumer is a function, or several that share the work, that says what each kind of operation does. A kind that it does not
// name is listed with what it then is.
type consumer struct {
	file      string
	functions string
	rest      string // kinds that are not named
	because   string
}

// everyKind is the kinds of an enumeration: the constants of a type in a file.
func everyKind(t *testing.T, file, typ string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		in := false
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if v.Type != nil || v.Values != nil { // else as the one before: iota
				id, _ := v.Type.(*ast.Ident)
				in = id != nil && id.Name == typ
			}
			if in {
				names = append(names, v.Names[0].Name)
			}
		}
	}
	return names
}

// named lists the kinds that functions of a file name.
func (c *consumer) named(t *testing.T, kinds []string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../"+c.file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	left := strings.Fields(c.functions)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !slices.Contains(left, fn.Name.Name) {
			continue
		}
		left = slices.DeleteFunc(left, func(name string) bool { return name == fn.Name.Name })
		ast.Inspect(fn, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if slices.Contains(kinds, n.Sel.Name) {
					names = append(names, n.Sel.Name)
				}
			case *ast.Ident:
				if strings.HasPrefix(c.file, "protocol/") && slices.Contains(kinds, n.Name) {
					names = append(names, n.Name)
				}
			}
			return true
		})
	}
	if len(left) > 0 {
		t.Errorf("%s has no function %s", c.file, left)
	}
	return names
}

func handled(t *testing.T, kinds []string, consumers []consumer) {
	if len(kinds) < 10 {
		t.Fatalf("kinds %q", kinds)
	}
	for _, c := range consumers {
		t.Run(c.file+" "+c.functions, func(t *testing.T) {
			named, rest := c.named(t, kinds), strings.Fields(c.rest)
			for _, k := range kinds {
				switch in, out := slices.Contains(named, k), slices.Contains(rest, k); {
				case !in && !out:
					t.Errorf("%s is not named: does it do nothing here? (%s)", k, c.because)
				case in && out:
					t.Errorf("%s is named now, and listed as if it were not", k)
				}
			}
			for _, k := range rest {
				if !slices.Contains(kinds, k) {
					t.Errorf("there is no kind %s", k)
				}
			}
		})
	}
}

// TestEveryKindOfProtocol: a kind of operation that is added is thought of wherever operations are given their meaning.
func TestEveryKindOfProtocol(t *testing.T) {
	const (
		open   = "Init Arrive ArriveExpectTx ExpectTx CompleteTx NamedArrive NamedSync ClusterArrive FlagAdd FlagStore Issue ArriveDrop"
		apart  = "NamedArrive NamedSync ClusterArrive ClusterWait FlagAdd FlagStore FlagSwap Spin Drain"
		blocks = "always enabled"
	)
	handled(t, everyKind(t, "protocol/protocol.go", "Kind"), []consumer{
		{"protocol/machine.go", "Enabled", open, blocks},
		{"protocol/machine.go", "Step", "Wait ClusterWait Spin Drain", "does nothing but move on"},
		{"protocol/fields.go", "Fields", "Arrive Wait " + apart, "changes only what every state has"},
		{"protocol/validate.go", "validateOp objects", "ClusterArrive ClusterWait", "names no object"},
		{"engine/explore/compile.go", "micro", "Init Arrive ArriveExpectTx ExpectTx CompleteTx ArriveDrop", "its contributions"},
		{"engine/explore/mbarriers.go", "contributions", "Init Wait " + apart, "gives nothing to an mbarrier"},
		{"engine/explore/mbarriers.go", "arrivalCounts", "Init Wait Issue " + apart, "gives nothing to an mbarrier but by effects"},
		{"engine/explore/twins.go", "usesMbar", "Issue " + apart, "names no mbarrier but by effects"},
		{"engine/explore/predicates.go", "describe", "Init Issue " + apart, "uses no mbarrier but by effects"},
		{"engine/certificate/system.go", "contributions", "Init Wait " + apart, "gives nothing to an mbarrier"},
		{"engine/certificate/system.go", "guard", "Init Arrive ArriveExpectTx ExpectTx CompleteTx NamedArrive ClusterArrive FlagAdd FlagStore Issue ArriveDrop Drain", "always enabled, or for stops"},
		{"engine/certificate/bound.go", "stops", open + " ClusterWait FlagSwap Spin", "guard says"},
		{"engine/certificate/system.go", "give barriers", "Init Arrive ArriveExpectTx ExpectTx CompleteTx Issue ArriveDrop FlagSwap Spin Drain", "its contributions, and flags has refused swaps"},
		{"engine/certificate/certificate.go", "arrivalsOn", "Init Wait Issue " + apart, "gives nothing to an mbarrier but by effects"},
		{"engine/certificate/predicates.go", "uses", "Init " + apart, "uses no mbarrier"},
		{"engine/replay/state.go", "blocks", open, blocks},
		{"engine/replay/state.go", "execute", "Wait ClusterWait Spin Drain", "does nothing but move on"},
		{"engine/spin/model.go", "enabled", open, blocks},
		{"engine/spin/model.go", "effect command", "Wait ClusterWait Spin Drain", "does nothing but move on"},
		{"engine/order/protocol.go", "class op", "", ""},
	})
}

// TestEveryKindOfDialect: what a library's call means is thought of where kernels are evaluated.
func TestEveryKindOfDialect(t *testing.T) {
	kinds := everyKind(t, "dialect/op.go", "Kind")
	evaluated := consumer{"lower/sync.go", "performWith", "", ""}
	known := evaluated.named(t, kinds)
	asked := consumer{"lower/query.go", "query", "", ""}
	for _, k := range asked.named(t, kinds) {
		if !slices.Contains(known, k) {
			known = append(known, k)
		}
	}
	for _, k := range kinds {
		if !slices.Contains(known, k) {
			t.Errorf("%s is evaluated to nothing", k)
		}
	}
}
