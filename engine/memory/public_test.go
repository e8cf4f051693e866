package memory

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPublished decides the published tests, where they are: expected verdicts are those of Dartagnan (notes/litmus.md).
// ptx-async answers what ptx-v7.5 does, as they use none of its additions.
func TestPublished(t *testing.T) {
	shared := os.Getenv("FENCEPOST_SHARED")
	if shared == "" {
		t.Skip("FENCEPOST_SHARED does not say where the published tests are")
	}
	dir := filepath.Join(shared, "litmus")
	f, err := os.Open(filepath.Join(dir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	models := map[string]*Model{}
	for _, name := range Models {
		if models[name], err = LoadModel(name); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		row := strings.Split(lines.Text(), "\t")
		if len(row) < 11 || models[row[1]] == nil {
			continue
		}
		rows++
		p := load(t, filepath.Join(dir, row[0]))
		if p == nil {
			continue
		}
		o := Options{}
		if row[2] == "termination" {
			o.Property = Termination
		}
		begin := time.Now()
		r := Solve(context.Background(), p, models[row[1]], o)
		took := time.Since(begin)
		if want := map[string]Verdict{"true": Pass, "false": Fail}[row[3]]; r.Verdict != want {
			t.Errorf("%s %s %s: %s (%s), want %s", row[0], row[1], row[2], r.Verdict, r.Reason, want)
		}
		if o.Property == Spec && r.Observable != (row[10] == "y") {
			t.Errorf("%s %s: observable is %v", row[0], row[1], r.Observable)
		}
		if row[1] == "ptx-v7.5" {
			newer := Solve(context.Background(), p, models["ptx-async"], o)
			if newer.Verdict != r.Verdict || newer.Observable != r.Observable {
				t.Errorf("%s %s: ptx-async says %s, ptx-v7.5 %s", row[0], row[2], newer.Verdict, r.Verdict)
			}
		}
		t.Logf("%s\t%s\t%s\t%d\t%.1fms", row[0], row[1], row[2], r.Steps, float64(took.Microseconds())/1000)
	}
	if rows < 400 {
		t.Errorf("%d rows", rows)
	}
}

func load(t *testing.T, path string) *Program {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	return p
}
