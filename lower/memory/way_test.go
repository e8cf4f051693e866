package memory

import (
	"fmt"
	"testing"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// TestWaysOfManyNames: a name that two others lead to is looked at once, or the work doubles with each.
func TestWaysOfManyNames(t *testing.T) {
	const names = 60
	given := map[string][]program.Expr{}
	for n := range names {
		given[fmt.Sprint("v", n)] = []program.Expr{&program.Name{Ident: fmt.Sprint("v", n+1)}, &program.Name{Ident: fmt.Sprint("v", n+2)}, &program.Name{Ident: "v0"}}
	}
	look := &Looked{Given: given, Variable: func(string) (value.Value, bool) { return nil, false }, Called: func(*program.Call) (Ways, bool) { return Nowhere, true }}
	if got := look.In(&program.Name{Ident: "v0"}); got != Anyhow {
		t.Errorf("names that nothing is given: %b, want %b", got, Anyhow)
	}
	for _, last := range []string{fmt.Sprint("v", names), fmt.Sprint("v", names+1)} {
		given[last] = []program.Expr{&program.Name{Ident: "v1"}}
	}
	for range 2 { // the second answer is not made of what was looked at for the first
		if got := look.In(&program.Name{Ident: "v0"}); got != Nowhere {
			t.Errorf("names that are given each other: %b, want %b", got, Nowhere)
		}
	}
}
