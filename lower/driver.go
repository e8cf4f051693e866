package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/program"
)

// driver is host code that leads to a kernel's launch: a function, or, with fn nil, what a script does when it is run.
type driver struct {
	fn    *program.Function
	class *program.Class // whose object fn is a method of
	body  []program.Stmt // of the script
	// lenient drivers do not stop at an error that is raised; with force, conditions give way where one of their arms
	// holds the launch.
	lenient, force bool
	takes          map[string]program.Expr // parameters of fn that choose the kernel in a table: the key that it stands under
}

// routes is what names tell of the ways to the launch of the kernel at hand.
type routes struct {
	reaching  []string
	mentioned map[*program.Function]*syntax.Words
}

// maxDrivers bounds how many of a kernel's drivers are tried.
const maxDrivers = 8

// drivers lists the host code of a file that leads to the kernel's launch, the outermost first: a script or a function
// that sets everything up gives better values than the launching method with assumed ones (notes/cutedsl.md 3.2, R1).
// Who calls whom is told by names alone; a wrong guess costs one attempt.
func (l *lowering) drivers(kernel *program.Function) []driver {
	level := l.launchers(kernel)
	if len(level) == 0 && kernel.Class != nil { // a base of another file may launch it
		return []driver{{class: kernel.Class}, {class: kernel.Class, lenient: true}}
	}
	seen := map[*program.Function]bool{}
	var out []driver
	var keys syntax.Keys
	if len(level) == 0 && kernel.Class == nil {
		level, keys = syntax.Choosers(l.file, kernel, l.words)
	}
	for len(level) > 0 {
		var names []string
		for _, f := range level {
			seen[f] = true
			d := driver{fn: f, class: f.Class, takes: keys.ChosenBy(f)}
			if kernel.Class != nil && f.Class != nil && l.derives(kernel.Class, f.Class) {
				d.class = kernel.Class
			}
			out = append(out, d)
			names = append(names, l.callNames(f)...)
		}
		level = nil
		for _, f := range l.file.Functions {
			if f.Outer == nil && !f.Kernel && !seen[f] && l.words(f).Any(names) {
				level = append(level, f)
			}
		}
		l.reaching = append(l.reaching, names...)
	}
	slices.Reverse(out)
	if len(out) > maxDrivers { // keep the launching functions themselves: they need the fewest steps
		out = append(out[:maxDrivers-2], out[len(out)-2:]...)
	}
	if n := len(out); n > 0 {
		last := out[n-1]
		last.lenient = true
		out = append(out, last)
		last.force = true
		out = append(out, last)
	}
	if script := l.script(); script != nil && syntax.Mentions(script).Any(l.reaching) {
		out = append([]driver{{body: script}}, out...)
	}
	return out
}

// launchers are the outermost functions in which the kernel is launched, or, where a launch stands apart from the
// kernel's name, is mentioned. A kernel that is a method is launched by methods of its own class, of one derived from
// it, or of a base, where there are such.
func (l *lowering) launchers(kernel *program.Function) []*program.Function {
	l.reaching = []string{kernel.Name}
	var own, launching, naming []*program.Function
	for _, f := range l.file.Functions {
		if f.Outer != nil || f.Kernel || !l.words(f).Names[kernel.Name] && syntax.Outermost(kernel) != f {
			continue
		}
		naming = append(naming, f)
		if l.words(f).Launch {
			launching = append(launching, f)
			if f.Class != nil && kernel.Class != nil && (l.derives(f.Class, kernel.Class) || l.derives(kernel.Class, f.Class)) {
				own = append(own, f)
			}
		}
	}
	switch {
	case len(own) > 0 || kernel.Class != nil && len(kernel.Class.Bases) > 0:
		return own
	case len(launching) > 0:
		return launching
	}
	return naming
}

// derives reports whether class c is base or, in this file, derived from it.
func (l *lowering) derives(c, base *program.Class) bool {
	for range 16 {
		if c == base {
			return true
		}
		up := (*program.Class)(nil)
		for _, b := range c.Bases {
			if id, ok := b.(*program.Name); ok && l.main.Classes[id.Ident] != nil {
				up = l.main.Classes[id.Ident]
			}
		}
		if up == nil {
			return false
		}
		c = up
	}
	return false
}

// callNames are the names under which callers know a function: its own, or its class's and those of the classes
// derived from it in the file.
func (l *lowering) callNames(f *program.Function) []string {
	if f.Class == nil {
		return []string{f.Name}
	}
	names := []string{f.Class.Name}
	for i := 0; i < len(names); i++ {
		for _, c := range l.file.Classes {
			if !slices.Contains(names, c.Name) && slices.ContainsFunc(c.Bases, func(b program.Expr) bool {
				id, ok := b.(*program.Name)
				return ok && id.Ident == names[i]
			}) {
				names = append(names, c.Name)
			}
		}
	}
	if f.Name != "__call__" && f.Name != "__init__" {
		names = append(names, f.Name)
	}
	return names
}

// script is what the file does under if __name__ == "__main__".
func (l *lowering) script() []program.Stmt {
	var out []program.Stmt
	for _, st := range l.file.Body {
		if c, ok := st.(*program.If); ok && syntax.AsksForMain(c.Cond) {
			out = append(out, c.Then...)
		}
	}
	return out
}

// words is what a function mentions, functions defined in it included.
func (l *lowering) words(f *program.Function) *syntax.Words {
	if l.mentioned == nil {
		l.mentioned = map[*program.Function]*syntax.Words{}
		for _, g := range l.file.Functions {
			out := syntax.Outermost(g)
			if l.mentioned[out] == nil {
				l.mentioned[out] = syntax.Mentions(nil)
			}
			if !g.Kernel {
				l.mentioned[out].Add(g.Body)
			}
		}
	}
	if l.mentioned[f] == nil { // of another file
		l.mentioned[f] = syntax.Mentions(f.Body)
	}
	return l.mentioned[f]
}
