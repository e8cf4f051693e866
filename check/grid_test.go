package check

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

var idiom = regexp.MustCompile(`(?m)^// idiom: (.*)\n__global__ void (?:__cluster_dims__\(2, 1, 1\) )?(\w+)\(`)

func scheduleText(t *testing.T, name, text string) []Scheduled {
	t.Helper()
	f, err := Read(&source.File{Name: name, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return Schedule(context.Background(), f, dialect.New(f.Language), Scheduling{}, engine.Limits{States: 1 << 20})
}

// Each idiom written as a kernel has the row of the table that it has as a program of steps, by its text and by what nvcc makes of that:
// nvcc -arch=sm_90a -ptx -lineinfo -std=c++17.
func TestIdiomsFromSource(t *testing.T) {
	text, err := os.ReadFile("../testdata/progress/idioms.cu")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../testdata/progress/idioms.ptx")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := Read(&source.File{Name: "idioms.ptx", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, m := range idiom.FindAllStringSubmatch(string(text), -1) {
		names[m[2]] = m[1]
	}
	kernels := scheduleText(t, "idioms.cu", string(text))
	if len(kernels) != 15 || len(names) != 15 {
		t.Fatalf("%d kernels, %d idioms", len(kernels), len(names))
	}
	for _, k := range kernels {
		mangled := fmt.Sprintf("_Z%d%s", len(k.Name), k.Name)
		kernels = append(kernels, schedule(compiled, nil, Scheduling{CTAs: k.CTAs, Cooperative: k.Cooperative,
			Only: func(fn *program.Function) bool { return strings.HasPrefix(fn.Name, mangled) }}, progress.Decide)...)
		names[kernels[len(kernels)-1].Name] = names[k.Name]
	}
	if len(kernels) != 30 {
		t.Fatalf("%d kernels by text and by PTX", len(kernels))
	}
	for _, k := range kernels {
		if k.Err != nil {
			t.Errorf("%s: %v", k.Name, k.Err)
			continue
		}
		row := "| " + names[k.Name] + " |"
		for _, m := range []progress.Model{progress.HSA, progress.OBE, progress.HSAOBE, progress.LOBE, progress.Fair, progress.CUDA} {
			word := "hangs"
			if k.Result.Answers[progress.Guarantee{Model: m}].Ends {
				word = "ends"
			}
			row += " " + word + " |"
		}
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("docs/progress.md has no row %q of %s within %s", row, k.Name, k.Within())
		}
	}
}

// asKernel writes a program of check-exchange-branch steps in CUDA C++: a CTA a thread, a number that says where it is.
func asKernel(p *progress.Program) string {
	var b strings.Builder
	b.WriteString("__global__ void steps(int* cells) {\n  int at = 0, old = 0;\n")
	for t, list := range p.Threads {
		fmt.Fprintf(&b, "  if (blockIdx.x == %d) {\n    while (at < %d) {\n", t, len(list))
		for pc, i := range list {
			access := fmt.Sprintf("atomicAdd(cells + %d, 0)", i.Loc)
			if i.Exch {
				access = fmt.Sprintf("atomicExch(cells + %d, %d)", i.Loc, i.Value)
			}
			fmt.Fprintf(&b, "      %sif (at == %d) {\n        old = %s;\n        at = old == %d ? %d : %d;\n      }\n",
				map[bool]string{true: "else "}[pc > 0], pc, access, i.Check, i.Jump, pc+1)
		}
		b.WriteString("    }\n  }\n")
	}
	fmt.Fprintf(&b, "}\nvoid go(int* cells) { steps<<<%d, 1>>>(cells); }\n", len(p.Threads))
	return b.String()
}

// Random programs end under the same models when they are written as kernels.
func TestStepsAsKernels(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for n := range 300 {
		p := &progress.Program{ID: fmt.Sprint("random ", n)}
		for range 2 + r.Intn(2) {
			var list []progress.Instruction
			size := 1 + r.Intn(3)
			for range size {
				list = append(list, progress.Instruction{Loc: r.Intn(2), Check: r.Intn(2), Jump: r.Intn(size + 1), Exch: r.Intn(2) == 0, Value: r.Intn(2)})
			}
			p.Threads = append(p.Threads, list)
		}
		system, err := p.System()
		if err != nil {
			t.Fatal(err)
		}
		want, err := progress.Decide(system)
		if err != nil {
			t.Fatal(err)
		}
		text := asKernel(p)
		k := scheduleText(t, "steps.cu", text)[0]
		if k.Err != nil {
			t.Fatalf("%v in\n%s", k.Err, text)
		}
		if !k.Whole() {
			t.Fatalf("%s: %s", p.ID, k.Within())
		}
		for g, a := range want.Answers {
			if got := k.Result.Answers[g].Ends; got != a.Ends {
				t.Fatalf("%s: ends %v as a kernel, %v as steps, of\n%s", g, got, a.Ends, text)
			}
		}
	}
}
