package lower

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fencepost-dev/fencepost/program"
)

// performed are the operators of C++'s classes that are run where they are used.
var performed = []string{"operator()", "operator[]", "operator*"}

// unseen says that an object of C++ may do what is not followed: its class, or one that it derives from, has a destructor, a
// conversion or an operator that runs without a call and that synchronizes or touches memory.
func (m *machine) unseen(c *class, n program.Node) {
	if m.host || m.languageOf(c) != program.CUDA {
		return
	}
	defer m.enter(c.mod)()
	for _, f := range m.silent(c.decl, 0) {
		if slices.ContainsFunc(f.Body, func(st program.Stmt) bool { return m.touches(st) || dereferences(st) }) {
			m.noteOpaque(n.Where(), "an object of "+clip(c.decl.Name)+", whose "+clip(f.Name)+" is not read", true)
		}
	}
}

// silent are the members of a class and its bases that run without a call and are not executed there.
func (m *machine) silent(c *program.Class, depth int) []*program.Function {
	var out []*program.Function
	for _, f := range c.Methods {
		if strings.HasPrefix(f.Name, "~") || isOperator(f.Name) && !slices.Contains(performed, strings.ReplaceAll(f.Name, " ", "")) {
			out = append(out, f)
		}
	}
	for _, b := range c.Bases {
		if id, ok := b.(*program.Name); ok && depth < 16 && m.mod.classes[id.Ident] != nil {
			out = append(out, m.silent(m.mod.classes[id.Ident], depth+1)...)
		}
	}
	return out
}

// isOperator reports whether a function's name is that of an operator or a conversion: the word, which no identifier goes on with.
func isOperator(name string) bool {
	rest, is := strings.CutPrefix(name, "operator")
	return is && rest != "" && rest[0] != '_' && !unicode.IsLetter(rune(rest[0])) && !unicode.IsDigit(rune(rest[0]))
}

// dereferences reports whether a piece of C++ goes through a pointer by itself.
func dereferences(n program.Node) (found bool) {
	program.Walk(n, func(k program.Node) bool {
		switch e := k.(type) {
		case *program.Index:
			found = true
		case *program.Unary:
			found = found || e.Op == "*" && !namedExpr(e.X, "this") // the object itself is not memory that is tracked
		}
		return !found
	})
	return found
}
