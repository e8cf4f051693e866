// Command bench measures the embedded engine beside SPIN, in one run on one machine, compares the engine with itself on
// random protocols, and writes tables and two plots:
//
//	go run ./bench docs
//
// Both engines decide all properties of the same protocols: kernels of testdata, lowered at several sizes. For each size
// the instance with the most operations is taken. The time of the embedded engine is from the file to the verdict, the
// best of some runs; SPIN's is that of making the model, compiling it and searching it, without lowering, with those of
// its flags that are best for the row.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/agree"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

const (
	runs       = 9 // of the embedded engine; the best counts
	spinTime   = 120 * time.Second
	spinMemory = 8 << 30
)

// variants are the flags that SPIN is tried with.
var variants = [][]string{{}, {"-DNOREDUCE"}, {"-DCOLLAPSE"}}

// measured is one engine on one row.
type measured struct {
	states  int
	time    time.Duration
	compile time.Duration
	memory  int64
	failed  string // why there is no verdict
}

type result struct {
	row
	own, spin measured
	verdict   string
}

func main() {
	alone := flag.Bool("alone", false, "measure the embedded engine only, and print the table")
	only := flag.Int("agree", 0, "only compare the engine with itself, on that many random protocols, and print the table")
	part := flag.String("section", "", "only measure that section of the page in the folder, and renew it: multi-gpu, grid or order")
	flag.Parse()
	err := error(nil)
	if *part != "" {
		err = renew(flag.Arg(0), *part)
	} else if *only > 0 {
		v := agreement(*only)
		if err = agreementTable(os.Stdout, v); err == nil {
			err = disagreements(v)
		}
	} else {
		err = run(*alone, flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(alone bool, out string) error {
	if out == "" && !alone {
		return fmt.Errorf("name the folder to write to: go run ./bench docs")
	}
	tree, err := source.Open("testdata")
	if err != nil {
		return fmt.Errorf("open testdata: %w; run this at the root of the repository", err)
	}
	defer tree.Close()
	var results []result
	hopeless := map[string]bool{} // families of which SPIN did not finish a smaller row
	never := map[string]bool{}    // nor the smallest
	for _, w := range rows() {
		r := result{row: w}
		p, err := r.measure(tree)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name(), err)
		}
		switch {
		case alone || w.embedded:
		case hopeless[w.family], never[w.easier]:
			never[w.family] = never[w.family] || never[w.easier]
			r.spin.failed = "a smaller one was not finished"
		default:
			r.spin = bySPIN(p)
			hopeless[w.family] = r.spin.failed != ""
			never[w.family] = hopeless[w.family] && w.smallest
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %s; SPIN %s %s\n", w.name(), r.verdict, short(r.own.time), short(r.spin.time), r.spin.failed)
		results = append(results, r)
	}
	if alone {
		return table(os.Stdout, results)
	}
	v := agreement(agreed)
	if err := write(out, results, v); err != nil {
		return err
	}
	if err := renew(out, ""); err != nil {
		return err
	}
	return disagreements(v)
}

// measure lowers a row's kernel and decides it with the embedded engine.
func (r *result) measure(tree *source.Tree) (*protocol.Protocol, error) {
	f, err := tree.Read(r.file)
	if err != nil {
		return nil, err
	}
	file, err := check.Read(f)
	if err != nil {
		return nil, err
	}
	calls, err := check.Table(file.Language, nil)
	if err != nil {
		return nil, err
	}
	var last *protocol.Protocol
	for range runs {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		p, err := r.lowered(file, calls)
		if err != nil {
			return nil, err
		}
		answer := explore.Check(context.Background(), p, engine.Limits{Time: time.Minute})
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if m := (measured{states: answer.States, time: took, memory: int64(after.TotalAlloc - before.TotalAlloc)}); last == nil || took < r.own.time {
			r.own = m
		}
		r.verdict, last = verdict(answer), p
	}
	return last, nil
}

// lowered is the instance of the kernel with the most operations.
func (r *result) lowered(file *program.File, calls *dialect.Table) (*protocol.Protocol, error) {
	kernels := lower.Kernels(file, calls, lower.Options{Set: r.set})
	if len(kernels) == 0 || len(kernels[0].Opaque) > 0 {
		return nil, fmt.Errorf("%s is not fully modelled with %v", r.file, r.set)
	}
	var longest *protocol.Protocol
	most := -1
	for _, p := range kernels[0].Instances {
		n := 0
		for _, c := range p.Classes {
			n += len(c.Ops)
		}
		if n > most {
			longest, most = p, n
		}
	}
	if longest == nil {
		return nil, fmt.Errorf("%s has no instance with %v", r.file, r.set)
	}
	return longest, nil
}

// bySPIN is the best of SPIN's variants. Where one runs out of time, those that store more states or work longer on each are
// not tried.
func bySPIN(p *protocol.Protocol) measured {
	var best measured
	for i, flags := range variants {
		a := spin.RunWith(context.Background(), p, nil, engine.Limits{Time: spinTime, Memory: spinMemory}, flags)
		m := measured{states: a.States, time: a.Elapsed, compile: a.Compiling, memory: a.Memory}
		if !a.Complete {
			for _, prop := range protocol.Properties {
				if why := a.Properties[prop]; why.Verdict == engine.Inconclusive {
					m.failed = why.Reason
				}
			}
		}
		if i == 0 || best.failed != "" && m.failed == "" || best.failed == m.failed && m.time < best.time {
			best = m
		}
		if m.failed != "" && m.time >= spinTime {
			break
		}
	}
	return best
}

// verdict is the worst of the answers, warnings aside.
func verdict(r *engine.Result) string {
	worst := engine.Holds
	for _, prop := range protocol.Properties {
		switch v := r.Properties[prop].Verdict; {
		case prop.Warning():
		case v == engine.Violated:
			return v.String()
		case v != engine.Holds:
			worst = v
		}
	}
	return worst.String()
}

// write puts the table and the plots into a folder.
func write(folder string, results []result, v *agree.Survey) error {
	f, err := os.Create(filepath.Join(folder, "bench.md"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := page(f, results); err != nil {
		return err
	}
	if err := agreementTable(f, v); err != nil {
		return err
	}
	for name, p := range map[string]plot{"bench-time.svg": times(results), "bench-growth.svg": growth(results)} {
		if err := os.WriteFile(filepath.Join(folder, name), p.svg(), 0o644); err != nil {
			return err
		}
	}
	return f.Close()
}
