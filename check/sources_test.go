package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// TestIncluded: which file of the tree an include is.
func TestIncluded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"k.cu", "a/k.cu", "a/near.cuh", "a/above.cuh", "a/deep/down/k.cu", "b/near.cuh", "c/near.cuh", "include/lib/vec.cuh", "include/cuda_runtime.h", "other/math.h",
		"generated/lib/only.cuh", "b/said.cuh", "c/said.cuh", "build/out/made.cuh", "top.cuh", "x/lib/twice.cuh", "y/lib/twice.cuh", ".git/hidden.cuh"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("int x;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := `[{"directory": "` + dir + `/build", "command": "nvcc -Iout -isystem /usr/include -I ../../outside -c k.cu"}]`
	if err := os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte(commands), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	s := NewSources(tree, []string{"c"})
	for _, c := range []struct {
		from, include, want string
		premise             bool
	}{
		{"a/k.cu", `"near.cuh"`, "a/near.cuh", false},
		{"a/k.cu", `<near.cuh>`, "c/near.cuh", false}, // the configuration's directory
		{"a/deep/down/k.cu", `"../../near.cuh"`, "a/near.cuh", false},
		{"a/k.cu", `"lib/vec.cuh"`, "include/lib/vec.cuh", false},
		{"a/k.cu", `<lib/vec.cuh>`, "include/lib/vec.cuh", false},
		{"a/k.cu", `<cuda_runtime.h>`, "include/cuda_runtime.h", false},
		{"a/k.cu", `<math.h>`, "", false},
		{"a/deep/down/k.cu", `<near.cuh>`, "c/near.cuh", false},
		{"a/deep/down/k.cu", `<above.cuh>`, "a/above.cuh", false}, // of a directory that the file is in
		{"b/k.cu", `<above.cuh>`, "", false},
		{"a/k.cu", `<lib/only.cuh>`, "generated/lib/only.cuh", false},
		{"a/k.cu", `"said.cuh"`, "c/said.cuh", false},
		{"a/k.cu", `"made.cuh"`, "build/out/made.cuh", false},
		{"a/deep/down/k.cu", `"top.cuh"`, "top.cuh", false},
		{"y/k.cu", `"lib/twice.cuh"`, "y/lib/twice.cuh", false},
		{"a/k.cu", `"lib/twice.cuh"`, "x/lib/twice.cuh", true},
		{"a/k.cu", `"hidden.cuh"`, "", false},
		{"a/k.cu", `"../../../etc/passwd"`, "", false},
		{"k.cu", `"k.cu"`, "k.cu", false},
		{"a/k.cu", `"/etc/passwd"`, "", false},
	} {
		from, err := Read(source.Decode(c.from, []byte("#include "+c.include+"\n")))
		if err != nil {
			t.Fatal(err)
		}
		var i *program.Import
		for _, st := range from.Body {
			i, _ = st.(*program.Import)
		}
		f, premise := s.Include(from, i)
		got := ""
		if f != nil {
			got = f.Source.Name
		}
		if got != c.want || (premise != "") != c.premise {
			t.Errorf("%s includes %s: %q (%s), want %q", c.from, c.include, got, premise, c.want)
		}
	}
}
