package random

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/judge/kernel"
	"github.com/fencepost-dev/fencepost/judge/reference"
	"github.com/fencepost-dev/fencepost/source"
)

// states is the limit of a search: kernels are small, and what needs more says so. Nor does it leave anything for proofs for every number
// of rounds, which take ten times as long as all the rest: every whole-th kernel is asked about without limits.
const states, whole = 20_000, 16

// values are what the run-time parameters of any kernel are tried with.
var values = []int64{0, 1, 2, 3, 5, 8}

// most bounds the constants that parameters are tried with, and so the rounds of a loop.
const most = 20

// longest bounds the values of fencepost's own that the reference executes a kernel with before it calls an error false.
const longest = 200

// tried is what the parameters of a kernel are tried with: numbers that it compares something with, and the next ones, too.
func tried(k *kernel.Kernel) []int64 {
	out := slices.Clone(values)
	visit := func(e **kernel.Expr) {
		switch (*e).Op {
		case kernel.Less, kernel.LessEqual, kernel.Equal, kernel.NotEqual:
		default:
			return
		}
		for i, a := range (*e).Args {
			c, constant := a.IsConst()
			if _, both := (*e).Args[1-i].IsConst(); !constant || both || c < 0 || c > most {
				continue
			}
			for _, v := range []int64{c, c + 1} {
				if !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	k.Lists(func(list *[]*kernel.Stmt) {
		for _, s := range *list {
			s.Exprs(func(e **kernel.Expr) { kernel.Each(e, visit) })
		}
	})
	return out
}

// orders is in how many orders a kernel is executed, recheck in how many where fencepost finds what these do not show.
const orders, recheck = 24, 600

// Draw is the kernel of a seed as it is compared: every second one has been changed, once or twice.
func Draw(language kernel.Language, seed uint64) *kernel.Kernel {
	k := Generate(language, seed)
	r := rand.New(rand.NewPCG(seed, 5))
	if seed%2 == 1 {
		for range 1 + r.IntN(2) {
			Mutate(r, k)
		}
	}
	return k
}

// Says is what fencepost says of a kernel.
type Says struct {
	Verdict string // holds, violated, inconclusive; none where no kernel was found
	Open    bool   // a property beside the verdict is open: it does not plainly hold
	Errors  bool   // something was found that is an error
	Text    string // what
	Reason  string
	Values  []int64 // that the run-time parameters were given
	Found   []int64 // those of the counterexamples
}

// Bench runs fencepost on one kernel after the other, in a folder of its own.
type Bench struct {
	dir  string
	tree *source.Tree
}

// NewBench makes a bench.
func NewBench(dir string) (*Bench, error) {
	tree, err := source.Open(dir)
	return &Bench{dir, tree}, err
}

// Close ends it.
func (b *Bench) Close() error { return b.tree.Close() }

// Ask runs fencepost as a user would, without SPIN and without what it remembers. No states are no limit.
func (b *Bench) Ask(k *kernel.Kernel, states int) (Says, error) {
	name := "kernel" + k.Language.Extension()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(k.Text()), 0o600); err != nil {
		return Says{}, err
	}
	r, err := check.Run(context.Background(), check.Options{Tree: b.tree, Paths: []string{name}, Engine: check.Explore, Jobs: 1,
		Limits: engine.Limits{States: states}})
	if err != nil {
		return Says{}, fmt.Errorf("%w\n%s", err, k.Text())
	}
	s := Says{Verdict: "none"}
	if len(r.Kernels) > 0 {
		s.Verdict, s.Open = r.Kernels[0].Verdict, len(r.Kernels[0].Open) > 0
		s.Reason = strings.Join(r.Kernels[0].Reasons, "; ")
		for _, p := range k.Params {
			s.Values = given(s.Values, strings.Split(r.Kernels[0].Bounds[p], ", ")...)
		}
	}
	for _, f := range r.Findings {
		for _, note := range f.Notes { // of configurations that are not the default, too
			for _, equation := range strings.Split(note, "; ") {
				if name, n, ok := strings.Cut(equation, " = "); ok && slices.Contains(k.Params, name) {
					s.Found = given(s.Found, n)
				}
			}
		}
		s.Text += fmt.Sprintf("%s line %d %s: %s\n", f.Severity, f.Line, f.Rule, f.Message)
		s.Errors = s.Errors || f.Severity == finding.Error
	}
	return s, nil
}

// given adds values of parameters that the reference can execute a kernel with.
func given(list []int64, values ...string) []int64 {
	for _, n := range values {
		if v, err := strconv.ParseInt(n, 10, 64); err == nil && v <= longest {
			list = append(list, v)
		}
	}
	return list
}

// Class is how an answer and what fencepost says compare.
type Class string

// The classes. The first two are disagreements.
const (
	WrongHolds   Class = "wrong holds"
	FalseError   Class = "false error"
	RightHolds   Class = "right: holds"
	RightOpen    Class = "right: inconclusive"
	RightDead    Class = "right: inconclusive, with the error of a pattern where nothing was run"
	RightWarned  Class = "right: violated, a warning"
	BrokenFound  Class = "broken: violated"
	BrokenWarned Class = "broken: holds with an error or violated with a warning"
	BrokenOpen   Class = "broken: inconclusive"
	BrokenBeside Class = "broken: holds with something open"
	Meaningless  Class = "undefined or vague"
)

// Compare executes a kernel and asks fencepost, without limits before it disagrees.
func (b *Bench) Compare(k *kernel.Kernel, states int) (Class, reference.Answer, Says, error) {
	a := reference.Judge(k, orders, tried(k))
	if !a.Whole {
		return Meaningless, a, Says{}, nil
	}
	s, err := b.Ask(k, states)
	if err == nil && states > 0 && classify(a, s) == WrongHolds {
		s, err = b.Ask(k, 0)
	}
	if err != nil {
		return "", a, s, err
	}
	for _, values := range [][]int64{s.Found, slices.Concat(tried(k), s.Values)} {
		if a.Kind == "" && s.Errors && len(values) > 0 { // does it have a point?
			a = reference.Judge(k, recheck, values)
		}
	}
	return classify(a, s), a, s, nil
}

func classify(a reference.Answer, s Says) Class {
	if a.Kind != "" {
		switch {
		case s.Verdict == "holds" && !s.Errors && s.Open:
			return BrokenBeside
		case s.Verdict == "holds" && !s.Errors:
			return WrongHolds
		case s.Errors && s.Verdict == "violated":
			return BrokenFound
		case s.Errors || s.Verdict == "violated":
			return BrokenWarned
		}
		return BrokenOpen
	}
	switch {
	case a.Vague != "" || a.Undefined != "":
		return Meaningless
	case s.Errors && s.Verdict == "inconclusive":
		return RightDead
	case s.Errors:
		return FalseError
	case s.Verdict == "holds":
		return RightHolds
	case s.Verdict == "violated":
		return RightWarned
	}
	return RightOpen
}
