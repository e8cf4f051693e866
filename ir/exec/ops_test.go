package exec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
)

// TestEveryOpHasACase reads the switch of step: what it has no case for is executed as integer arithmetic.
func TestEveryOpHasACase(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "warp.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncDecl); ok && fn.Name.Name != "step" {
			return false
		}
		if c, ok := n.(*ast.CaseClause); ok {
			for _, x := range c.List {
				if s, ok := x.(*ast.SelectorExpr); ok {
					cases[s.Sel.Name] = true
				}
			}
		}
		return true
	})
	has := 0
	for _, o := range ir.Ops() {
		if !o.Does(ir.Integer) {
			has++
		}
	}
	if len(cases) != has {
		t.Errorf("step has cases for %d ops; %d are not integer arithmetic: %v", len(cases), has, cases)
	}
}

// TestEveryOpIsComputed gives all integer arithmetic known operands: its result is known, too.
func TestEveryOpIsComputed(t *testing.T) {
	for _, o := range ir.Ops() {
		if !o.Does(ir.Integer) {
			continue
		}
		in := ir.Blank(o)
		in.Type, in.Result, in.Mode = ir.Type{Bits: 32}, ir.Type{Bits: 64}, 1
		if _, ok := in.Compute(12, 5, 3, 1); !ok {
			t.Errorf("%s of known operands is not known", o)
		}
	}
}

// TestTextIsExecuted runs a kernel that is written in the text form: lanes 0 to 3 write, all meet, and lane 0 reads.
func TestTextIsExecuted(t *testing.T) {
	const text = `kernel k
special %tid.x
variable shared a at 0 bytes 16 element 4
b0:
	%r1 = shl.b32 %tid.x, 2
	%p1 = setp.lt.b32 %tid.x, 4
	@%p1 store.shared.b32 [%r1], %tid.x size 4
	barrier.cta.aligned 0, 0
	fence.acq_rel.cta
	%p2 = setp.ne.b32 %tid.x, 0
	@%p2 branch b2
b1:
	%r2 = load.shared.b32 [12] size 4
b2:
	return
`
	k, err := ir.Parse("k.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Run(k.Reduced(false), Launch{Block: [3]int{64, 1, 1}})
	if err != nil || e.Stop != nil {
		t.Fatal(err, e)
	}
	n := 0
	for _, w := range e.Program.Warps {
		n += len(w.Commands)
	}
	if n != 4 { // a barrier in each warp, a write and a read in the first
		t.Errorf("%d commands, expected 4", n)
	}
}

// TestReducedResultOfBarrier: what barrier.red gives is not known, whatever it was before.
func TestReducedResultOfBarrier(t *testing.T) {
	k, err := ir.Parse("k.ir", `predicates %p1
%r1 = move.b32 7
%r1 = barrier.cta.popc.aligned 0, 0, %p1
%p1 = setp.eq.b32 %r1, 7
@%p1 barrier.cta.aligned 1, 0
return`)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Run(k.Reduced(false), Launch{Block: [3]int{32, 1, 1}})
	if err != nil || e.Stop == nil || !strings.Contains(e.Stop.Why.Text, "depends on data") {
		t.Errorf("%v: %+v", err, e.Stop)
	}
}

// FuzzRun executes any kernel that the text form has, for a short while.
func FuzzRun(f *testing.F) {
	f.Add("%r1 = add.b32 %tid.x, 1\nmbar.init.shared [%r1], 1\nreturn")
	f.Add("barrier.cta 0, 0\nasync.bulk.to_shared [0], [%rd1], [8] bytes 16\nbranch.indexed %r1 to b0\nb0:\nreturn")
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		f.Add("%r1 = " + ir.Ops()[r.IntN(20)].Name() + ".b32 1, 2\nreturn")
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ir.Parse("k.ir", text)
		if err != nil || len(text) > 1<<12 {
			return
		}
		l := Launch{Block: [3]int{48, 1, 1}}
		l.Limits.Time, l.Limits.Memory = 50e6, 1<<20
		_, _ = Run(k.Reduced(len(text)%2 == 0), l)
	})
}

// TestMaskOfSome: that a mask names all lanes counts, also where only those that are there have it in a register.
func TestMaskOfSome(t *testing.T) {
	const text = `predicates %%p1
special %%tid.x
%%p1 = setp.lt.b32 %%tid.x, %d
@!%%p1 branch b1
b0:
	%%r1 = move.b32 -1
	%%r2 = shuffle.bfly.sync %%tid.x, 16, 31 members %%r1
b1:
	barrier.cta.aligned 0, 0
	return`
	for lanes, stops := range map[int]bool{12: true, 32: false} {
		k, err := ir.Parse("k.ir", fmt.Sprintf(text, lanes))
		if err != nil {
			t.Fatal(err)
		}
		e, err := Run(k.Reduced(false), Launch{Block: [3]int{32, 1, 1}})
		if err != nil || (e.Stop != nil) != stops {
			t.Errorf("%d lanes: %v, %+v", lanes, err, e.Stop)
		}
	}
}
