package syntax

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Words is what a piece of code mentions.
type Words struct {
	Names  map[string]bool
	Launch bool // it launches something
}

// Mentions is what statements mention.
func Mentions(body []program.Stmt) *Words {
	w := &Words{Names: map[string]bool{}}
	w.Add(body)
	return w
}

// Add adds what statements mention.
func (w *Words) Add(body []program.Stmt) {
	for e := range program.Exprs(body) {
		w.note(e)
	}
}

func (w *Words) note(e program.Expr) {
	switch e := e.(type) {
	case *program.Name:
		w.Names[value.LastWord(e.Ident)] = true
	case *program.Attr:
		w.Names[e.Name] = true
		w.Launch = w.Launch || e.Name == "launch"
	}
}

// Any reports whether any of the names is mentioned.
func (w *Words) Any(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return w.Names[n] })
}

// Launches reports whether it launches something and mentions a kernel.
func (w *Words) Launches(kernel *program.Function) bool { return w.Launch && w.Names[kernel.Name] }

// Of adds the names in a piece of code, and answers all of them.
func (w *Words) Of(n program.Node) map[string]bool {
	program.WalkExprs(n, func(e program.Expr) bool {
		w.note(e)
		return true
	})
	return w.Names
}
