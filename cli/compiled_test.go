package cli

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOneVerdict: every kernel of the repository's PTX has one verdict, whichever command is asked, and whether its launch is stated or not.
func TestOneVerdict(t *testing.T) {
	kernels := 0
	root := filepath.Join("..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".ptx" {
			return err
		}
		for _, flags := range [][]string{nil, {"--launch", "*=cluster:[2]"}} {
			of, handed := verdictsOfBarriers(t, append(slices.Clone(flags), path))
			out := invoke(t, ".", nil, append(append([]string{"check", "--no-cache", "--no-config", "--format", "json"}, flags...), path)...).stdout
			var r struct {
				Kernels []struct {
					Name, Verdict string
					Engines       []string
					Properties    map[string]string
				}
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%s: %v\n%s", path, err, out)
			}
			if len(r.Kernels) != len(of) {
				t.Errorf("%s: check has %d kernels, barriers %d", path, len(r.Kernels), len(of))
			}
			for _, k := range r.Kernels {
				if slices.Contains(k.Engines, "explore") && of[k.Name] == "inconclusive" { // check executes what waits for other CTAs as a grid
					continue
				}
				says := of[k.Name]
				if handed[k.Name] && k.Properties["order"] == "violated" { // of which barriers says that it assumes the contrary
					says = k.Verdict
				}
				if kernels++; says != k.Verdict {
					t.Errorf("%s %v: kernel %s is %s by check and %s by barriers", path, flags, k.Name, k.Verdict, of[k.Name])
				}
			}
		}
		return nil
	})
	if err != nil || kernels < 100 {
		t.Errorf("%d kernels, %v", kernels, err)
	}
}

// verdictsOfBarriers are the verdicts of a file's kernels by their names, and of which it is assumed that what their CTAs hand to each other is in order.
func verdictsOfBarriers(t *testing.T, args []string) (verdicts map[string]string, handed map[string]bool) {
	t.Helper()
	out := invoke(t, ".", nil, append([]string{"barriers", "--no-config", "--format", "json"}, args...)...).stdout
	verdicts, handed = map[string]string{}, map[string]bool{}
	for line := range strings.Lines(out) {
		var k struct {
			Kernel, Verdict string
			Assumed         []string
		}
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, line)
		}
		verdicts[k.Kernel] = k.Verdict
		handed[k.Kernel] = slices.Contains(k.Assumed, handsOver)
	}
	return verdicts, handed
}
