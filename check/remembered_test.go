package check

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/finding"
)

// What is said of a file a second time is what was said the first time, and a change of anything it depends on has it checked again.
func TestRemembered(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	var opened *cache.Cache
	again := func(files map[string]string, change func(*Options)) finding.Report {
		t.Helper()
		r, err := run(t, files, func(o *Options) {
			o.Paths = []string{"ops/k.py"}
			c, err := cache.Open(o.Tree.Dir())
			if err != nil {
				t.Fatal(err)
			}
			opened = c
			if o.Cache = c; change != nil {
				change(o)
			}
		})
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	files := split("")
	files["ops/meet.py"] = "import cutlass.cute as cute\n\ndef meet():\n    cute.arch.sync_warp()\n"
	plain := func(r finding.Report) finding.Report {
		r.Summary.Millis = 0
		for i := range r.Kernels {
			r.Kernels[i].Millis = 0
		}
		return r
	}
	first := plain(again(files, nil))
	if len(first.Kernels) != 1 || len(first.Findings) != 0 {
		t.Fatalf("%+v", first)
	}
	second := again(files, nil)
	if second.Kernels[0].Millis != 0 {
		t.Errorf("the file was checked again: %v ms", second.Kernels[0].Millis)
	}
	if second = plain(second); !reflect.DeepEqual(first, second) {
		t.Errorf("first %+v\nthen %+v", first, second)
	}
	for what, change := range map[string]func(map[string]string, *Options){
		"the file":         func(f map[string]string, _ *Options) { f["ops/k.py"] += "# end\n" },
		"what it imports":  func(f map[string]string, _ *Options) { f["ops/meet.py"] += "# end\n" },
		"a file before it": func(f map[string]string, _ *Options) { f["ops/ops/meet.py"] = f["ops/meet.py"] },
		"a limit":          func(_ map[string]string, o *Options) { o.Limits.States = 12_345 },
		"a rule":           func(_ map[string]string, o *Options) { o.Enabled = func(id string) bool { return id != "FP101" } },
		"all rounds":       func(_ map[string]string, o *Options) { o.AllRounds = true },
	} {
		other := map[string]string{}
		for name, text := range files {
			other[name] = text
		}
		var opt Options
		change(other, &opt)
		r := again(other, func(o *Options) { change(map[string]string{}, o) })
		if len(r.Kernels) != 1 || r.Kernels[0].Millis == 0 {
			t.Errorf("%s changed, and the file is not checked again: %+v", what, r.Kernels)
		}
	}
	// A defect is searched again each time.
	for range 2 {
		if r := again(split(""), nil); len(r.Findings) != 1 || len(r.Findings[0].Trace)+len(r.Findings[0].Final) == 0 {
			t.Errorf("findings %+v, want one with its trace", r.Findings)
		}
	}
	if list, err := os.ReadDir(filepath.Join(home, "fencepost")); err != nil || len(list) == 0 {
		t.Errorf("nothing is kept: %v, %v", list, err)
	}
}
