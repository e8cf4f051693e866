package check

import (
	"os"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestUpdates: that two threads come to one element where data choose it is a warning, whatever else is wrong with the kernel; what else is, stays an error.
func TestUpdates(t *testing.T) {
	text, err := os.ReadFile("../testdata/updates/broken_both.cu")
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(t, map[string]string{"both.cu": string(text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]finding.Severity{}
	for _, f := range r.Findings {
		got[f.Line] = f.Severity
	}
	if len(got) != 2 || got[9] != finding.Warning || got[12] != finding.Error {
		t.Errorf("by line %v; want a warning at 9 and an error at 12", got)
	}
}
