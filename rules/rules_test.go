package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

func TestValidate(t *testing.T) {
	if err := validate(); err != nil {
		t.Fatal(err)
	}
	for _, r := range All() {
		if ByID(r.ID) != r {
			t.Errorf("ByID(%s)", r.ID)
		}
		if r.Property != "" && ForProperty(r.Property) != r {
			t.Errorf("ForProperty(%s)", r.Property)
		}
	}
}

// Run applies the pattern rules alone.
func Run(f *program.File, t *dialect.Table, only func(id string) bool) []Suspect {
	suspects, _ := Look(f, t, nil, only)
	return suspects
}

// read parses a source text by its file name.
func read(name, text string) *program.File {
	f := &source.File{Name: name, Data: []byte(text)}
	if strings.HasSuffix(name, ".py") {
		return cutedsl.Read(f)
	}
	if strings.HasSuffix(name, ".ptx") {
		return ptx.Read(f)
	}
	return cuda.Read(f, nil)
}

func FuzzRun(f *testing.F) {
	f.Add("k.py", "@cute.kernel\ndef k(n):\n    for i in range(n):\n        cute.arch.mbarrier_wait(b + i % 4, i & 1)\n")
	f.Add("k.cu", "__global__ void k(int* p) { int s = s + s; for (;;) { if (*p) break; } f([&]{ k(p); }); }")
	f.Add("h.cu", "__global__ void k(int* d, int* f, int* o) { if (blockIdx.x) { d[threadIdx.x] = 1; if (threadIdx.x == 0) atomicAdd(f, 1); } else { if (!threadIdx.x) while (atomicAdd(f, 0) == 0); o[0] = d[1]; } }")
	f.Add("h.py", "@cute.kernel\ndef k(d, f, o):\n    t = cute.arch.thread_idx()[0]\n    d[t] = 1\n    if t == 0: cute.arch.atomic_add(f, 1)\n    while cute.arch.load(f, Int32, sem=\"relaxed\", scope=\"gpu\") == 0: pass\n    o[t] = d[t + 1]\n")
	f.Add("c.cu", "void k(int* smem) { auto it = f([n = static_cast<int64_t>(n)] __device__(T in) -> T { }); return d(*it); }")
	f.Add("s.cu", "__global__ void k(int* p) { int s = s + 1; if (s == 0) __syncthreads(); }")
	f.Add("k.ptx", ".visible .entry k() { bar.sync 16, 5; ret; }")
	f.Fuzz(func(t *testing.T, name, text string) {
		file := read(name, text)
		Run(file, dialect.New(file.Language), nil)
	})
}

var wantPattern = regexp.MustCompile(`(?:#|//) want (FP\d+) "((?:[^"\\]|\\.)*)"`)

// expectations are the want comments of a text: line → rule → pattern.
func expectations(t *testing.T, text string) map[int][][2]string {
	out := map[int][][2]string{}
	for i, line := range strings.Split(text, "\n") {
		for _, m := range wantPattern.FindAllStringSubmatch(line, -1) {
			out[i+1] = append(out[i+1], [2]string{m[1], strings.ReplaceAll(m[2], `\"`, `"`)})
		}
	}
	return out
}

// verify runs the rules over a text and compares with its want comments; missing and surplus findings both fail.
func verify(t *testing.T, name, text string, only func(string) bool) {
	t.Helper()
	f := read(name, text)
	for _, s := range f.Skipped {
		t.Errorf("%s: function %q does not parse", name, s.Name)
	}
	for _, n := range f.Notes {
		t.Errorf("%s: %s", name, n.Text)
	}
	want := expectations(t, text)
	for line, list := range want { // what engines tell, other tests ask for
		want[line] = slices.DeleteFunc(list, func(w [2]string) bool {
			r := ByID(w[0])
			return r != nil && (r.Run == nil || !slices.Contains(r.Needs, f.Language))
		})
	}
	for _, s := range Run(f, dialect.New(f.Language), only) {
		line := s.Finding.Line
		i := slices.IndexFunc(want[line], func(w [2]string) bool {
			return w[0] == s.Rule.ID && regexp.MustCompile(w[1]).MatchString(s.Finding.Message)
		})
		if i < 0 {
			t.Errorf("%s:%d: surplus %s: %s", name, line, s.Rule.ID, s.Finding.Message)
			continue
		}
		want[line] = slices.Delete(want[line], i, i+1)
		if len(s.Finding.Message) > 120 {
			t.Errorf("%s:%d: message of %d characters", name, line, len(s.Finding.Message))
		}
	}
	for line, list := range want {
		for _, w := range list {
			t.Errorf("%s:%d: missing %s %q", name, line, w[0], w[1])
		}
	}
}

var fencePattern = regexp.MustCompile("(?s)```(python|cuda)\n(.*?)```")

// TestPages runs every fence: Bad must give exactly its findings, Good none.
func TestPages(t *testing.T) {
	for _, r := range All() {
		page := r.Page()
		_, rest, _ := strings.Cut(page, "\n## Bad\n")
		bad, rest, _ := strings.Cut(rest, "\n## Good\n")
		good, _, _ := strings.Cut(rest, "\n## How it is proved\n")
		for title, part := range map[string]string{"bad": bad, "good": good} {
			fences := fencePattern.FindAllStringSubmatch(part, -1)
			if len(fences) == 0 {
				t.Errorf("%s: no %s fence", r.ID, title)
			}
			for _, m := range fences {
				name := r.ID + " " + title + map[string]string{"python": ".py", "cuda": ".cu"}[m[1]]
				if title == "bad" && !strings.Contains(m[2], "want "+r.ID+" ") && !strings.HasPrefix(r.ID, "FP9") {
					t.Errorf("%s: no want %s", name, r.ID)
				}
				if r.Run == nil || r.Lowered { // an engine or the evaluation decides, in another test; the text must parse
					if f := read(name, m[2]); len(f.Skipped) > 0 {
						t.Errorf("%s: does not parse", name)
					}
					continue
				}
				only := func(id string) bool { return id == r.ID }
				if title == "good" {
					only = nil // a good example offends no rule at all
				}
				verify(t, name, m[2], only)
			}
		}
	}
}

// TestFixtures runs testdata/rules/FPxxx/*; the directory's rule decides, other rules must stay silent unless wanted.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("../testdata/rules/FP*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, filepath.ToSlash(name), string(data), nil)
	}
	for _, r := range All() {
		if dir := "../testdata/rules/" + r.ID; r.Run != nil {
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("rule %s has no fixtures", r.ID)
			}
		}
	}
}
