package random

import (
	"testing"

	"github.com/fencepost-dev/fencepost/judge/kernel"
	"github.com/fencepost-dev/fencepost/judge/reference"
)

// Most kernels that are drawn, and not changed, are right: what the comparison says of right ones would mean little otherwise.
func TestMostAreRight(t *testing.T) {
	for _, language := range []kernel.Language{kernel.CUDA, kernel.CuTe} {
		right, broken := 0, map[string]int{}
		for seed := range uint64(200) {
			if a := reference.Judge(Generate(language, seed), 12, []int64{0, 1, 2, 3}); a.Kind == "" {
				right++
			} else {
				broken[a.Kind]++
			}
		}
		if right < 170 {
			t.Errorf("%s: %d of 200 are right, want at least 170; the others: %v", language, right, broken)
		}
	}
}

// What makes a kernel small keeps it a kernel: every reduction has a text.
func TestReductions(t *testing.T) {
	for seed := range uint64(20) {
		for _, k := range reductions(Draw(kernel.CUDA, seed)) {
			if k.Text() == "" {
				t.Fatal("a kernel without a text")
			}
		}
	}
}
