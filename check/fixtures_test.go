package check

import (
	"context"
	"testing"
)

// TestFixturesAreDecided: what a run says of the kernels of rules' fixtures, whose launches are guessed as a rule, comes to its end.
func TestFixturesAreDecided(t *testing.T) {
	r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{"rules"}, Engine: Explore})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) < 300 {
		t.Errorf("%d kernels", len(r.Kernels))
	}
}
