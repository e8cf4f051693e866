package rules

import (
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// concerned tells which functions of a file have anything to do with what the rules are about: kernels, those that may
// synchronize or share memory, and those that call one of these. Most functions of most files work out numbers, or are for
// the host.
func (f *fileFacts) concerned() []bool {
	out := make([]bool, len(f.file.Functions))
	calls := make([]map[string]bool, len(out))
	names := map[string]bool{}
	for i, fn := range f.file.Functions {
		if out[i] = fn.Kernel; !out[i] {
			calls[i], out[i] = f.callsIn(fn)
		}
		names[fn.Name] = names[fn.Name] || out[i]
	}
	for grown := true; grown; {
		grown = false
		for i, called := range calls {
			for name := range called {
				if !out[i] && names[name] {
					out[i], names[f.file.Functions[i].Name], grown = true, true, true
				}
			}
		}
	}
	return out
}

// callsIn are the names of the functions that a function calls, and whether it may execute an operation that the dialect
// knows, calls what is named after synchronization, or has a loop that may wait.
func (f *fileFacts) callsIn(fn *program.Function) (names map[string]bool, concerned bool) {
	look := func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Asm, *program.While:
			concerned = true
		case *program.Assign:
			concerned = concerned || n.Shared
		case *program.For:
			concerned = concerned || n.Iter == nil && len(n.Post) == 0
		case *program.Call:
			name := calledName(n)
			if concerned = concerned || f.table.Names(n) || !names[name] && source.HasSync([]byte(name), "producer_commit"); !concerned {
				if names == nil {
					names = map[string]bool{}
				}
				names[name] = true
			}
		}
		return !concerned
	}
	for _, s := range fn.Body {
		program.Walk(s, look)
	}
	return names, concerned
}

// calledName is the last part of what a call calls.
func calledName(c *program.Call) string {
	a, member := c.Fun.(*program.Attr)
	if member && lastWord(a.Name) == a.Name { // whatever it is a member of
		return a.Name
	}
	name := lastWord(path(c.Fun))
	if member && name == "" {
		return a.Name
	}
	return name
}
