package check

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// A hook passes the files of a commit. Where one holds functions only, nothing would be proved of them: they are
// checked as parts of the kernels that call them, in the files that import theirs.

// callers are files that are checked for what they import, and what of the findings there counts: that of the files
// that the user named.
type callers struct {
	files []string
	of    map[string][]source.Range
}

// callers finds the files that import, directly or through others, the files without kernels among those that were named. Those of Python are looked for in the
// package that a file belongs to.
func (opt *Options) callers(named []string, match func(string) bool) (callers, []string) {
	c := callers{of: map[string][]source.Range{}}
	var headers, scopes []string
	for _, name := range named {
		if f, err := opt.Tree.Read(name); cudaFile(name) && err == nil && !bytes.Contains(f.Data, []byte("__global__")) && !opt.sources.marksKernels(f) {
			headers = append(headers, name)
		}
	}
	notes := c.users(opt, headers)
	for _, name := range named {
		if path.Ext(name) != ".py" {
			continue
		}
		if f, err := opt.Tree.Read(name); err == nil && !pythonKernel(f.Data) {
			c.of[name] = []source.Range{{First: 1, Last: math.MaxInt}}
			scopes = append(scopes, opt.pkg(name))
		}
	}
	if len(scopes) == 0 {
		return c, notes
	}
	var around []string
	_, err := opt.Tree.Walk(scopes, match, func(name string, _ bool) error {
		if path.Ext(name) == ".py" {
			around = append(around, name)
		}
		return nil
	})
	if err != nil {
		return c, append(notes, fmt.Sprintf("kernels that use the files named were not looked for: %v", err))
	}
	for _, name := range slices.Sorted(maps.Keys(importers(opt.Tree, around, c.of))) {
		if !slices.Contains(named, name) && opt.holdsKernel(name) {
			c.files = append(c.files, name)
		}
	}
	return c, notes
}

// users adds the files whose kernels run functions of CUDA headers.
func (c *callers) users(opt *Options, headers []string) (notes []string) {
	for _, name := range headers {
		f, err := opt.Tree.Read(name)
		if err != nil || !source.HasSync(f.Data, "__device__", "DEVICE") {
			continue
		}
		parsed, err := opt.sources.File(name)
		if err != nil {
			continue
		}
		files, more := opt.sources.Users(parsed)
		if more {
			notes = append(notes, fmt.Sprintf("%s: of the files whose kernels use it the nearest %d are checked", name, len(files)))
		}
		if len(files) > 0 {
			c.of[name] = []source.Range{{First: 1, Last: math.MaxInt}}
		}
		for _, user := range files {
			if !slices.Contains(c.files, user) {
				c.files = append(c.files, user)
			}
		}
	}
	return notes
}

// runs reports whether a kernel runs a function of the files that were named.
func (c *callers) runs(k *ir.Kernel) bool {
	return slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return len(c.of[k.Places[in.Place].Path]) > 0 })
}

func (opt *Options) holdsKernel(name string) bool {
	f, err := opt.Tree.Read(name)
	return err == nil && pythonKernel(f.Data)
}

// pkg is the folder of the outermost package that a file is in, or its own folder.
func (opt *Options) pkg(name string) string {
	dir := path.Dir(name)
	for up := dir; ; up = path.Dir(up) {
		if _, err := opt.Tree.Read(path.Join(up, "__init__.py")); err != nil {
			return dir
		}
		if dir = up; up == "." {
			return dir
		}
	}
}

func (c *callers) includes(name string) bool { return slices.Contains(c.files, name) }

// concerned keeps the kernels that run a function of the files that were named, in some configuration.
func (c *callers) concerned(lowered []*lower.Kernel) []*lower.Kernel {
	runs := map[*program.Function]bool{}
	for _, k := range lowered {
		runs[k.Function] = runs[k.Function] || slices.ContainsFunc(k.Spans, func(l finding.Location) bool { return len(c.of[l.Path]) > 0 })
	}
	return slices.DeleteFunc(lowered, func(k *lower.Kernel) bool { return !runs[k.Function] })
}

// findings keeps what an engine showed of these kernels, and what else names a file that the user named.
func (c *callers) findings(fs []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(fs, func(f finding.Finding) bool {
		f.KernelLines = nil
		return f.Verdict != engine.Violated.String() && len(finding.Changed([]finding.Finding{f}, c.of)) == 0
	})
}
