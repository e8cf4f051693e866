package random

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/judge/kernel"
	"github.com/fencepost-dev/fencepost/judge/reference"
	"github.com/fencepost-dev/fencepost/source"
)

// states is the limit of a search: kernels are small, and what needs more says so.
const states = 20_000

// patience is how long fencepost may think: it can only turn holds into inconclusive.
const patience = 2 * time.Second

// values are what run-time parameters are tried with.
var values = []int64{0, 1, 2, 3, 5, 8}

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
	Errors  bool   // something was found that is an error
	Text    string // what
	Reason  string
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

// Ask runs fencepost as a user would, without SPIN and without what it remembers.
func (b *Bench) Ask(k *kernel.Kernel) (Says, error) {
	name := "kernel" + k.Language.Extension()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(k.Text()), 0o600); err != nil {
		return Says{}, err
	}
	r, err := check.Run(context.Background(), check.Options{Tree: b.tree, Paths: []string{name}, Engine: check.Explore, Jobs: 1,
		Limits: engine.Limits{States: states, Time: patience}})
	if err != nil {
		return Says{}, fmt.Errorf("%w\n%s", err, k.Text())
	}
	s := Says{Verdict: "none"}
	if len(r.Kernels) > 0 {
		s.Verdict = r.Kernels[0].Verdict
		s.Reason = strings.Join(r.Kernels[0].Reasons, "; ")
	}
	for _, f := range r.Findings {
		s.Text += fmt.Sprintf("%s line %d %s: %s\n", f.Severity, f.Line, f.Rule, f.Message)
		s.Errors = s.Errors || f.Severity == finding.Error
	}
	return s, nil
}

// Class is how an answer and what fencepost says compare.
type Class string

// The classes. The first two are disagreements.
const (
	WrongHolds   Class = "wrong holds"
	FalseError   Class = "false error"
	RightHolds   Class = "right: holds"
	RightOpen    Class = "right: inconclusive"
	RightWarned  Class = "right: violated, a warning"
	BrokenFound  Class = "broken: violated"
	BrokenWarned Class = "broken: holds with an error or violated with a warning"
	BrokenOpen   Class = "broken: inconclusive"
	Meaningless  Class = "undefined or vague"
)

// Compare executes a kernel and asks fencepost.
func (b *Bench) Compare(k *kernel.Kernel) (Class, reference.Answer, Says, error) {
	a := reference.Judge(k, 8, values)
	if !a.Whole {
		return Meaningless, a, Says{}, nil
	}
	s, err := b.Ask(k)
	if err != nil {
		return "", a, s, err
	}
	if a.Kind == "" && s.Errors { // does it have a point?
		a = reference.Judge(k, 60, values)
	}
	return classify(a, s), a, s, nil
}

func classify(a reference.Answer, s Says) Class {
	if a.Kind != "" {
		switch {
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
	case s.Errors:
		return FalseError
	case s.Verdict == "holds":
		return RightHolds
	case s.Verdict == "violated":
		return RightWarned
	}
	return RightOpen
}
