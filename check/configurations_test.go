package check

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// What only options show that nobody asks for, a cluster that the command line offers, a number or a member of an enumeration, is
// found, as a warning that says so.
func TestConfigurations(t *testing.T) {
	tree := openTestdata(t)
	for _, k := range filesIn(t, tree, "spread", "numbers") {
		t.Run(k.name, func(t *testing.T) {
			r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{k.name}, Engine: Explore, Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Kernels) != 1 || r.Kernels[0].Verdict != k.verdict {
				t.Fatalf("kernels %+v, want one that is %s", r.Kernels, k.verdict)
			}
			for _, p := range k.violated {
				if got := r.Kernels[0].Properties[string(p)]; got != "violated" {
					t.Errorf("%s %s, want violated", p, got)
				}
			}
			if searched := strings.Split(r.Kernels[0].Bounds["configurations"], "; "); searched[0] != "default" || !slices.Contains(searched, k.configuration) {
				t.Errorf("configurations %q, want %s among them", searched, k.configuration)
			}
			if (len(r.Findings) > 0) != (k.verdict == "violated") {
				t.Errorf("%d findings in a kernel that is %s", len(r.Findings), k.verdict)
			}
			for _, f := range r.Findings {
				named := slices.ContainsFunc(f.Notes, func(n string) bool { return strings.Contains(n, "the configuration "+k.configuration) })
				if f.Severity != finding.Warning || !named {
					t.Errorf("%s at line %d is an %s with the notes %q; want a warning that names the configuration", f.Rule, f.Line, f.Severity, f.Notes)
				}
			}
		})
	}
}
