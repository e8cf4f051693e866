package compiled

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// touching are the words that kernels have which threads may wait in.
var touching = regexp.MustCompile(`atomic|volatile|\bld\.`)

// TestProgressAgrees: what a kernel needs of the scheduler is the same by its text and by what nvcc makes of it, wherever both know it for as
// many threads.
func TestProgressAgrees(t *testing.T) {
	compiler(t)
	files, err := filepath.Glob(testdata + "/*/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(testdata + "/rules/*/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	agreed, answers, left := 0, 0, map[string]int{}
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !touching.Match(text) {
			continue
		}
		f, err := check.Read(&source.File{Name: file, Data: text})
		if err != nil {
			t.Fatal(err)
		}
		of := schedule(f, check.Scheduling{})
		of = slices.DeleteFunc(of, func(s check.Scheduled) bool { return s.Err != nil || len(s.From) > 0 })
		if len(of) == 0 {
			left["not decided by its text"]++
			continue
		}
		data, err := compileFile(file)
		if err != nil {
			left["does not compile"]++
			continue
		}
		p := ptx.Read(&source.File{Name: file + ".ptx", Data: data})
		for _, s := range of {
			only := func(fn *program.Function) bool {
				names, err := demangled([]string{fn.Name})
				name, _, _ := strings.Cut(names[fn.Name], "(")
				return err == nil && name == strings.ReplaceAll(s.Name, ".", "::")
			}
			compiled := schedule(p, check.Scheduling{CTAs: s.CTAs, Cooperative: s.Cooperative, Only: only})
			switch {
			case len(compiled) != 1:
				left["no kernel of this name alone"]++
			case compiled[0].Err != nil:
				left["not decided by its PTX"]++
			case compiled[0].Block != s.Block:
				left["other threads"]++
			default:
				agreed++
				for g, a := range s.Result.Answers {
					answers++
					if got := compiled[0].Result.Answers[g].Ends; got != a.Ends {
						t.Errorf("%s: %s: %s: ends %v by the text, %v by the PTX", file, s.Name, g, a.Ends, got)
					}
				}
			}
		}
	}
	t.Log(agreed, "kernels,", answers, "answers; not compared:", left)
	if agreed < 95 {
		t.Errorf("%d kernels compared, expected 95", agreed)
	}
}

func schedule(f *program.File, opt check.Scheduling) []check.Scheduled {
	return check.Schedule(context.Background(), f, dialect.New(f.Language), opt, engine.Limits{States: 1})
}
