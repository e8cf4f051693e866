package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/engine/memory"
)

// litmusFlags are the flags of litmus.
type litmusFlags struct {
	common
	model, property, format string
	dot                     bool
	bound, jobs             int
}

// maxTests bounds the files of one call.
const maxTests = 100_000

func (a *app) litmusCommand(ctx context.Context, args []string) (int, error) {
	if len(args) > 0 && args[0] == "generate" {
		return a.generateCommand(ctx, args[1:])
	}
	p := litmusFlags{model: "ptx-async", property: "spec", format: "text"}
	f := a.newFlags("litmus")
	p.register(f)
	f.Var(choice{&p.model, memory.Models}, "model", "")
	f.Var(choice{&p.property, memory.Properties}, "property", "")
	f.Var(choice{&p.format, []string{"text", "json"}}, "format", "")
	f.BoolVar(&p.dot, "dot", false, "")
	f.IntVar(&p.bound, "bound", 2, "")
	f.IntVar(&p.jobs, "jobs", min(runtime.NumCPU(), 8), "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(litmusUsage)
	}
	if err != nil {
		return 0, err
	}
	if p.bound < 1 || p.jobs < 1 {
		return 0, usagef("--bound and --jobs are at least 1")
	}
	if p.dot && p.format == "json" {
		return 0, usagef("--dot prints graphs, --format json objects: give one of them")
	}
	files, err := p.files(paths)
	if err != nil {
		return 0, err
	}
	model, err := memory.LoadModel(p.model)
	if err != nil {
		return ExitInternal, err
	}
	return a.litmus(ctx, &p, model, files)
}

// files lists the files given, and those of the folders given.
func (p *litmusFlags) files(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		if path == "-" {
			files = append(files, path)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, usagef("%v", err)
		}
		if !info.IsDir() {
			if check.HasKernelExtension(path) && (p.property != "spec" || p.format != "text" || p.dot) {
				return nil, usagef("%s: of kernels litmus prints text, and asks one question only: no --property, --format or --dot", path)
			}
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(file, ".litmus") {
				files = append(files, file)
			}
			return err
		})
		if err != nil {
			return nil, usagef("%v", err)
		}
	}
	if len(files) == 0 {
		return nil, usagef("litmus needs at least one file; for example: fencepost litmus test.litmus")
	}
	if len(files) > maxTests {
		return nil, usagef("%d files; at most %d go into one call", len(files), maxTests)
	}
	return files, nil
}

// answer is what is printed of one file.
type answer struct {
	text    string
	verdict memory.Verdict
	err     error
}

// litmus decides the files side by side and prints the answers in the order of the files.
func (a *app) litmus(ctx context.Context, p *litmusFlags, model *memory.Model, files []string) (int, error) {
	slots := make([]chan answer, len(files))
	for i := range slots {
		slots[i] = make(chan answer, 1)
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range min(p.jobs, len(files)) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range next {
				if check.HasKernelExtension(files[i]) {
					slots[i] <- a.kernelCuts(ctx, p, model, files[i])
					continue
				}
				slots[i] <- a.decide(ctx, p, model, files[i])
			}
		}()
	}
	go func() {
		for i := range files {
			next <- i
		}
		close(next)
	}()
	defer group.Wait()
	var wrong []error
	code := ExitClean
	for i := range files {
		r := <-slots[i]
		if r.err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", files[i], r.err))
			continue
		}
		if err := a.print(r.text); err != nil {
			return ExitInternal, err
		}
		switch r.verdict {
		case memory.Inconclusive:
			code = ExitInternal
		case memory.Fail:
			code = max(code, ExitFindings)
		}
	}
	if len(wrong) > 0 {
		return 0, usagef("%v", errors.Join(wrong...))
	}
	return code, nil
}

// open opens a file, "-" for the standard input.
func (a *app) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.stdin), nil
	}
	return os.Open(path)
}

func (a *app) decide(ctx context.Context, p *litmusFlags, model *memory.Model, path string) answer {
	f, err := a.open(path)
	if err != nil {
		return answer{err: err}
	}
	defer f.Close()
	test, err := memory.Read(f)
	if err != nil {
		return answer{err: err}
	}
	o := memory.Options{Bound: p.bound, States: p.format == "text" && !p.dot}
	o.Property = memory.Property(slices.Index(memory.Properties, p.property))
	begin := time.Now()
	r := memory.Solve(ctx, test, model, o)
	out := answer{verdict: r.Verdict}
	ms := float64(time.Since(begin).Microseconds()) / 1000
	switch {
	case p.format == "json":
		reason := ""
		if r.Verdict == memory.Inconclusive {
			reason = r.Reason
		}
		line, err := json.Marshal(struct {
			File       string  `json:"file"`
			Model      string  `json:"model"`
			Property   string  `json:"property"`
			Verdict    string  `json:"verdict"`
			Observable bool    `json:"observable"`
			MS         float64 `json:"ms"`
			Reason     string  `json:"reason,omitempty"`
		}{path, p.model, p.property, r.Verdict.String(), r.Observable, ms, reason})
		return answer{string(line) + "\n", r.Verdict, err}
	case p.dot:
		if r.Witness != nil {
			out.text = r.Witness.Dot(test.Name)
		}
	default:
		out.text = cleanLines(litmusText(p, test, r, ms))
	}
	return out
}

// litmusText shows a result as herd does, and the execution that was found.
func litmusText(p *litmusFlags, test *memory.Program, r *memory.Result, ms float64) string {
	var b strings.Builder
	if p.property != "spec" {
		fmt.Fprintf(&b, "Test %s %s %s\n", test.Name, p.property, p.model)
		found := map[string]string{"termination": "some execution does not end", "race": "some execution has a data race"}[p.property]
		if !r.Observable {
			found = map[string]string{"termination": "every execution ends", "race": "no execution has a data race"}[p.property]
		}
		if r.Verdict == memory.Inconclusive {
			found = r.Reason
		}
		fmt.Fprintf(&b, "%s: %s\n", r.Verdict, found)
	} else {
		litmusStates(&b, test, r)
	}
	fmt.Fprintf(&b, "Time %s %.1f ms\n", test.Name, ms)
	if r.Witness != nil {
		b.WriteString("Execution")
		if len(r.Witness.Final) > 0 {
			b.WriteString(" that ends in " + strings.Join(r.Witness.Final, "; "))
		}
		b.WriteString("\n" + r.Witness.Text())
	}
	b.WriteString("\n")
	return b.String()
}

func litmusStates(b *strings.Builder, test *memory.Program, r *memory.Result) {
	kind := map[memory.Quantifier]string{memory.Exists: "Allowed", memory.NotExists: "Forbidden", memory.Forall: "Required"}
	fmt.Fprintf(b, "Test %s %s\n", test.Name, kind[test.Quantifier])
	positive, negative := 0, 0
	var lines []string
	for _, s := range r.States {
		if s.Holds {
			positive += s.Executions
		} else {
			negative += s.Executions
		}
		var parts []string
		for i, name := range test.Shown() {
			parts = append(parts, fmt.Sprintf("%s=%d;", name, s.Values[i]))
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	slices.Sort(lines)
	fmt.Fprintf(b, "States %d\n", len(lines))
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	if r.Reason != "" {
		fmt.Fprintf(b, "(not all are known: %s)\n", r.Reason)
	}
	b.WriteString(map[memory.Verdict]string{memory.Pass: "Ok", memory.Fail: "No", memory.Inconclusive: "Inconclusive"}[r.Verdict] + "\n")
	fmt.Fprintf(b, "Witnesses\nPositive: %d Negative: %d\n", positive, negative)
	fmt.Fprintf(b, "Condition %s (%s)\n", test.Quantifier, test.Condition())
	often := "Sometimes"
	switch {
	case positive == 0:
		often = "Never"
	case negative == 0:
		often = "Always"
	}
	fmt.Fprintf(b, "Observation %s %s %d %d\n", test.Name, often, positive, negative)
}

// memoryCommand prints a memory model.
func (a *app) memoryCommand(ctx context.Context, args []string) (int, error) {
	f := a.newFlags("memory")
	rest, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(memoryUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(rest) != 2 || rest[0] != "model" {
		return 0, usagef("memory has one verb, model, and takes a name; for example: fencepost memory model %s", memory.Models[0])
	}
	text, err := memory.ModelText(rest[1])
	if err != nil {
		return 0, usagef("%v", err)
	}
	return ExitClean, a.print(text)
}
