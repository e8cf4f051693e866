package check

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestTold: what the programs of the threads show to be wrong by themselves is told at its line, and not of the right twin.
func TestTold(t *testing.T) {
	for name, want := range map[string][]string{
		"rules/FP405/counts.py":    {"FP405 17"},
		"entries/one_count.py":     nil,
		"order/broken_operand.py":  {"FP201 59"},
		"order/operand.py":         nil,
		"counter/broken_device.py": {"FP520 14"},
		"counter/device.py":        nil,
	} {
		r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{name}, Engine: Explore})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %d", f.Rule, f.Line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestSeverity: what only a gap of PTX lets happen, and what needs extents to differ that nothing says are the same, is a warning; its
// neighbour is an error.
func TestSeverity(t *testing.T) {
	for name, want := range map[string]finding.Severity{
		"pair/broken_overtaken.py":         finding.Warning,
		"pair/broken_no_tail.py":           finding.Error,
		"extents/broken_walked_apart.py":   finding.Warning,
		"extents/broken_walked_farther.py": finding.Error,
		"tensor_memory/vague_tile.py":      finding.Warning,
		"tensor_memory/broken_tile.py":     finding.Error,
	} {
		r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{name}, Engine: Explore})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 || r.Findings[0].Severity != want {
			t.Errorf("%s: %v, want one of severity %v", name, r.Findings, want)
		}
	}
}
