package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// maxAsked bounds the arrays of a kernel whose writers are looked for.
const maxAsked = 64

// dependentRead (FP310) reports, in a kernel that waits for the kernels before it (griddepcontrol.wait, PTX ISA 9.7.13.13),
// a read of what one of them writes that does not stand behind the wait: it comes before, or it is a read through the
// read-only path, which the wait does not hold back. Who writes it is told by the name, in kernels of the file and its folder.
func dependentRead(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	wait := p.dependencyWait()
	if wait == nil {
		return
	}
	type read struct {
		name  string
		early bool
	}
	seen := map[read]bool{} // each costs a look through the kernels of the folder
	for _, r := range p.sites {
		e, ok := p.readFrom(r)
		as := read{e.name, r.order < wait.order}
		if !ok || seen[as] || len(seen) >= maxAsked || !telling(e.name) || !as.early && !readOnly(r) || exclusive(r, wait) {
			continue
		}
		seen[as] = true
		w := p.producer(e.name, as.early)
		if w == nil {
			continue
		}
		f := p.report(r.span, "%q is read through the read-only path although %s, which this kernel waits for, writes it", e.name, w.kernel)
		says, help := "the read may move up before this wait", "read it with an ordinary load, without __ldg or ld.global.nc"
		if as.early {
			f.Message = fmt.Sprintf("%q is read before the wait for earlier kernels, of which %s writes it and lets this one start early", e.name, w.kernel)
			says, help = "only from here on are its writes visible", "read it after the wait"
		}
		p.label(f, wait.span, "%s", says)
		f.Labels = append(f.Labels, finding.Label{Location: w.at, Text: "written here"})
		f.Help = help
	}
}

// dependencyWait is the first wait for earlier kernels.
func (p *Pass) dependencyWait() *site {
	for _, s := range p.sites {
		if s.op.Kind == dialect.GridDepWait {
			return s
		}
	}
	return nil
}

// readOnly reports whether a read is one for memory that nobody writes while the kernel runs (PTX ISA 9.7.9.9, ld.global.nc).
func readOnly(r *site) bool { return r.op.Kind == dialect.Load && r.op.Text("sem", "") == "nc" }

// common are words that say nothing of whose data a name is of.
var common = map[string]bool{
	"ptr": true, "out": true, "output": true, "in": true, "input": true, "data": true, "buf": true, "buffer": true, "result": true, "results": true,
	"res": true, "d": true, "g": true, "p": true, "m": true, "global": true, "gmem": true, "dev": true, "device": true, "params": true, "args": true, "base": true,
	"a": true, "b": true, "c": true, "x": true, "y": true, "q": true, "k": true, "v": true, "o": true, "src": true, "dst": true,
}

// telling reports whether a name has two words that say what it is, so that two kernels that use it mean one thing.
func telling(name string) bool {
	n := 0
	for _, w := range words(name) {
		if !common[strings.ToLower(w)] {
			n++
		}
	}
	return n > 1
}

// words takes a name apart at underscores and where small letters end.
func words(name string) []string {
	var out []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			if w := strings.Trim(name[start:i], "_"); w != "" {
				out = append(out, w)
			}
			start = i
		}
	}
	return out
}

// written is a write to an array that a kernel makes, by the array's name.
type written struct {
	kernel   string
	at       finding.Location
	releases bool // the kernel lets its dependents start while it runs
	carries  bool // the kernel reads the array too: it may hold what launches before have left, and which part is new is not known
}

// producer finds another kernel that writes what a name stands for. For a read before the wait it has to be one that lets its
// dependents start before it ends, and that a function launches before this one. A kernel that writes the array itself reads
// back what is its own.
func (p *Pass) producer(name string, early bool) *written {
	for _, facts := range p.folder(name, "__global__") {
		for _, fn := range facts.file.Functions {
			if !fn.Kernel {
				continue
			}
			w := facts.writes(fn, name)
			if w != nil && fn == p.fn.fn {
				return nil
			}
			if w != nil && fn.Name != p.fn.fn.Name && (!early || w.releases && !w.carries && p.launchedAfter(fn.Name)) {
				return w
			}
		}
	}
	return nil
}

// launchedAfter reports whether a function of the host names a kernel and then this one, as it does to launch them.
func (p *Pass) launchedAfter(kernel string) bool {
	for _, facts := range p.folder(p.fn.fn.Name) {
		for _, fn := range facts.file.Functions {
			if fn.Kernel {
				continue
			}
			seen := false
			for x := range program.Exprs(fn.Body) {
				n, ok := x.(*program.Name)
				seen = seen || ok && lastWord(n.Ident) == kernel
				if ok && seen && lastWord(n.Ident) == p.fn.fn.Name {
					return true
				}
			}
		}
	}
	return false
}

// writes finds the first write of a kernel to an array.
func (f *fileFacts) writes(fn *program.Function, name string) *written {
	p := &Pass{File: f.file, Table: f.table, fn: f.function(fn), sites: f.body(fn)}
	var out *written
	releases, carries := false, false
	for _, s := range p.sites {
		releases = releases || s.op.Kind == dialect.GridDepLaunch
		e, ok := p.readFrom(s)
		carries = carries || ok && e.name == name
		if e, ok := p.writtenTo(s); ok && e.name == name && out == nil {
			out = &written{kernel: fn.Qualified, at: p.location(s.span)}
		}
	}
	if out != nil {
		out.releases, out.carries = releases, carries
	}
	return out
}

// body is the sites of a function, walked once.
func (f *fileFacts) body(fn *program.Function) []*site {
	if i := slices.Index(f.file.Functions, fn); f.bodies != nil && i >= 0 {
		return f.bodies[i]
	}
	if f.walked[fn] == nil {
		f.walked[fn] = f.function(fn).sitesOf()
	}
	return f.walked[fn]
}
