package check

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

var viewPattern = regexp.MustCompile(`want (FP[0-9]{3}) "([^"]*)"`)

// TestViews runs testdata/rules/words, FP126, FP303, FP304, FP306, FP403, FP412, FP720 and FP721, and fixtures of other rules that ask for these: what the IR of CUDA C++ says of barriers that not all threads come to, of masks that do not fit the lanes, and of
// accesses that nothing orders. Missing and surplus findings both fail.
func TestViews(t *testing.T) {
	views := []string{"FP126", "FP303", "FP304", "FP306", "FP403", "FP412", "FP720", "FP721"}
	tree := openTestdata(t)
	asFixturesWant(t, tree, viewFixtures(t, tree, views), views)
}

// TestViewsOfPTX runs fixtures of rules whose patterns are of other languages, and that the IR is asked about.
func TestViewsOfPTX(t *testing.T) {
	asFixturesWant(t, openTestdata(t), []string{"rules/FP201/bulk.ptx"}, []string{"FP201", "FP209"})
}

// asFixturesWant runs fixtures, and compares what some rules say with what is wanted of them.
func asFixturesWant(t *testing.T, tree *source.Tree, names, views []string) {
	t.Helper()
	limits := engine.Limits{Time: 2 * time.Minute} // a kernel has a tenth of it
	r, err := Run(t.Context(), Options{Tree: tree, Paths: names, Engine: Explore, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := tree.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		want := map[int][][]string{}
		for i, line := range strings.Split(string(f.Data), "\n") {
			for _, m := range viewPattern.FindAllStringSubmatch(line, -1) {
				if slices.Contains(views, m[1]) {
					want[i+1] = append(want[i+1], m[1:])
				}
			}
		}
		for _, fd := range r.Findings {
			if fd.Path != name || fd.Severity < finding.Warning || fd.Cleared || !slices.Contains(views, fd.Rule) {
				continue
			}
			i := slices.IndexFunc(want[fd.Line], func(w []string) bool { return w[0] == fd.Rule && strings.Contains(fd.Message, w[1]) })
			if i < 0 {
				t.Errorf("%s:%d: surplus %s: %s", name, fd.Line, fd.Rule, fd.Message)
				continue
			}
			want[fd.Line] = slices.Delete(want[fd.Line], i, i+1)
		}
		for line, list := range want {
			for _, w := range list {
				t.Errorf("%s:%d: missing %s %q", name, line, w[0], w[1])
			}
		}
	}
}

// viewFixtures are those of the rules, and of other rules those that ask for findings of theirs.
func viewFixtures(t *testing.T, tree *source.Tree, views []string) (names []string) {
	t.Helper()
	list, err := filepath.Glob("../testdata/rules/*/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		name = strings.TrimPrefix(filepath.ToSlash(name), "../testdata/")
		f, err := tree.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		asked := slices.ContainsFunc(viewPattern.FindAllStringSubmatch(string(f.Data), -1), func(m []string) bool { return slices.Contains(views, m[1]) })
		if asked || slices.Contains(views, path.Base(path.Dir(name))) {
			names = append(names, name)
		}
	}
	for _, id := range views {
		if !slices.ContainsFunc(names, func(name string) bool { return path.Base(path.Dir(name)) == id }) {
			t.Fatalf("no fixtures of %s", id)
		}
	}
	return names
}
