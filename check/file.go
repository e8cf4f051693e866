package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"runtime/debug"
	"slices"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// fileResult is what was found in one file.
type fileResult struct {
	name             string
	findings         []finding.Finding
	kernels          []finding.Kernel
	notes            []string
	suppressions     []source.Suppression
	functionsSkipped int
	unread           bool
	err              error
}

// checkFile checks one file. A panic in it becomes an error that names the file: the other files are still checked.
func checkFile(ctx context.Context, opt Options, name string) (r fileResult) {
	r.name = name
	defer func() {
		if p := recover(); p != nil {
			stack := debug.Stack()
			if of, ok := p.(*panicked); ok {
				stack = of.stack
			}
			r.err = &InternalError{name, fmt.Errorf("%v", p), string(stack)}
		}
	}()
	f, err := opt.Tree.Read(name)
	var limit *source.LimitError
	var irregular *source.NotRegularError
	switch {
	case errors.As(err, &limit), errors.As(err, &irregular):
		r.unread = true
		opt.unread(&r, 1, err.Error())
		return r
	case err != nil:
		r.unread, r.err = true, err
		return r
	}
	if !mayHoldKernels(f, opt.Wrappers) && !(cudaFile(name) && opt.sources.marksKernels(f)) {
		return r
	}
	if opt.touching.limits(name) { // the text that it was told from what is touched
		f = opt.touching.modules[name].file.Source
	}
	var key cache.Key
	var read *loads
	if opt.remembers(name) {
		only := opt.selected(name)
		key = opt.fileKey(f, only)
		if kept, ok := opt.recalled(f, key, only); ok {
			r.kernels, r.notes, r.functionsSkipped, r.suppressions = kept.Kernels, kept.Notes, kept.FunctionsSkipped, source.Suppressions(f)
			if opt.calling.includes(name) {
				r.notes = nil
			}
			return r
		}
		read = &loads{seen: map[string]bool{}, from: opt.load}
		opt.load = read.load
	}
	tree, err := opt.parse(f)
	if err != nil {
		r.unread, r.err = true, err
		return r
	}
	f = tree.Source
	r.functionsSkipped = len(tree.Skipped)
	for _, s := range tree.Skipped {
		line := f.Position(s.Span.Start).Line
		opt.unread(&r, line, fmt.Sprintf("%s:%d: function %q is not read: its text does not parse", name, line, s.Name))
	}
	for _, n := range tree.Notes {
		line := f.Position(n.Span.Start).Line
		opt.unread(&r, line, fmt.Sprintf("%s:%d: %s", name, line, n.Text))
	}
	table, err := Table(tree.Language, opt.Wrappers)
	if err != nil {
		r.err = err
		return r
	}
	looked := false // at the files around it, which are not among those loaded
	around := opt.around(name)
	suspects, handoffs := rules.Look(tree, table, func(match func(text []byte) bool) []*program.File {
		looked = true
		return around(match)
	}, opt.enabled)
	r.suppressions = source.Suppressions(f)
	var lowered []*kernelResult
	var executed, translated []*compiledKernel
	if tree.Language == program.CuTe {
		lowered, r.err = opt.lowered(ctx, tree, table, suspects)
	} else {
		translated = opt.compiled(ctx, tree, table)
		lowered, r.err = opt.kernels(ctx, opt.flagged(translated), suspects)
		unprepared(lowered, translated)
		lowered, executed = apportioned(lowered, slices.Clone(translated))
	}
	all := slices.Concat(asDecided(lowered), asDecided(executed))
	suspects = awaited(suspects, translated)
	opt.askScheduler(ctx, tree, table, suspects, lowered)
	var handed []finding.Finding
	if opt.Engine != None {
		var failed error
		suspects, handed, failed = opt.handed(newAsker(ctx), f, suspects, append(handoffs, opt.published(table, translated)...), all)
		causal, broken := opt.causal(ctx, f, lowered, handed)
		handed, r.err = append(handed, causal...), errors.Join(r.err, failed, broken)
	}
	unread := r.findings
	r.findings, r.kernels = fold(&opt, f, suspects, lowered, executed)
	r.findings = slices.Concat(withoutStale(r.findings, handed), unread, handed)
	for _, k := range executed {
		r.findings = append(r.findings, k.unpaired(&opt, table, r.findings)...)
		r.findings = append(r.findings, k.fenceless(&opt, r.findings)...)
	}
	if tree.Language == program.CUDA && opt.Engine != None && ctx.Err() == nil {
		alone, failed := opt.functions(ctx, tree, table, translated, r.findings)
		r.findings, r.err = append(r.findings, alone...), errors.Join(r.err, failed)
	}
	withStale(r.kernels, handed)
	standing(r.kernels, all, r.findings)
	if read != nil && ctx.Err() == nil && !looked {
		opt.remember(key, &r, read)
	}
	if opt.calling.includes(name) {
		r.findings, r.notes = opt.calling.findings(r.findings), nil
	}
	return r
}

// unread notes what of a file is not read; a strict run has a finding of it.
func (opt *Options) unread(r *fileResult, line int, text string) {
	if !opt.Strict {
		r.notes = append(r.notes, text)
		return
	}
	at := finding.Location{Path: r.name, Line: line, Column: 1}
	r.findings = append(r.findings, finding.Finding{Rule: finding.UnreadText, Name: "unread-text", Severity: finding.Error, Location: at, Message: text})
}

// parse reads a file. Only CUDA files are looked at beside others.
func (opt *Options) parse(f *source.File) (*program.File, error) {
	if cudaFile(f.Name) {
		return opt.sources.Parsed(f)
	}
	if opt.touching.limits(f.Name) { // it was read to tell what is touched
		return opt.touching.modules[f.Name].file, nil
	}
	return Read(f)
}

// mayHoldKernels is the pre-filter: most files of a tree hold no synchronization, and reading them costs a byte scan.
func mayHoldKernels(f *source.File, wrappers []config.Wrapper) bool {
	if path.Ext(f.Name) == ".py" {
		if !bytes.Contains(f.Data, []byte("cutlass")) && !bytes.Contains(f.Data, []byte("cute")) {
			return false
		}
		if bytes.Contains(f.Data, []byte("import")) && pythonKernel(f.Data) {
			return true // what it imports may synchronize for it
		}
	}
	if bytes.Contains(f.Data, []byte("__global__")) || path.Ext(f.Name) == ".ptx" && bytes.Contains(f.Data, []byte(".entry")) {
		return true // what it includes may synchronize for it, and one that leaves a barrier out has a word less
	}
	if extension(f.Name) == ".inc" && !bytes.Contains(f.Data, []byte("__device__")) && !bytes.Contains(f.Data, []byte("__shared__")) {
		return false // text of any language is called so
	}
	extra := make([]string, 0, len(wrappers))
	for _, w := range wrappers {
		extra = append(extra, w.Name)
	}
	return source.HasSync(f.Data, extra...)
}

var kernelDecorator = regexp.MustCompile(`^@[\w.]*kernel\b`)

// pythonKernel reports whether a line begins with a kernel's decorator. Every file that names the DSL is asked.
func pythonKernel(text []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '@')
		if i < 0 {
			return false
		}
		at := from + i
		from = at + 1
		line := at
		for line > 0 && (text[line-1] == ' ' || text[line-1] == '\t') {
			line--
		}
		if (line == 0 || text[line-1] == '\n') && kernelDecorator.Match(text[at:]) {
			return true
		}
	}
}

// Read reads a file into the kernel tree, choosing the language by the extension.
func Read(f *source.File) (*program.File, error) { return readWith(f, nil) }

func readWith(f *source.File, elsewhere *cuda.Elsewhere) (*program.File, error) {
	switch extension(f.Name) {
	case ".py":
		return cutedsl.Read(f), nil
	case ".ptx":
		return ptx.Read(f), nil
	case ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc":
		return cuda.Read(f, elsewhere), nil
	}
	return nil, fmt.Errorf("%s: not read: the extension is of no known kernel language (want .py, .cu, .cuh, .h, .hpp or .ptx)", f.Name)
}

// Table builds the dialect table of a language with the user's wrappers.
func Table(lang program.Language, wrappers []config.Wrapper) (*dialect.Table, error) {
	t := dialect.New(lang)
	for _, w := range wrappers {
		if err := t.AddWrapper(w.Name, w.Meaning); err != nil {
			return nil, err
		}
	}
	return t, nil
}
