package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// maxFold bounds the depth of constant folding: names may define each other in a circle.
const maxFold = 32

// fold evaluates an integer expression of literals and of names that have one constant definition. It knows nothing
// of template and constructor arguments: those are not constants of the file.
func (f *function) fold(x program.Expr) (int64, bool) { return f.foldAt(x, 0) }

func (f *function) foldAt(x program.Expr, depth int) (int64, bool) {
	if depth > maxFold || x == nil || f.spent() {
		return 0, false
	}
	switch e := x.(type) {
	case *program.Int:
		return e.Value, true
	case *program.Bool:
		if e.Value {
			return 1, true
		}
		return 0, true
	case *program.Cast:
		return f.foldAt(e.X, depth+1)
	case *program.Unary:
		v, ok := f.foldAt(e.X, depth+1)
		switch e.Op {
		case "-":
			return -v, ok
		case "+":
			return v, ok
		case "~":
			return ^v, ok
		case "!":
			return truthOf(v == 0), ok
		}
	case *program.Binary:
		a, okA := f.foldAt(e.X, depth+1)
		b, okB := f.foldAt(e.Y, depth+1)
		if v, ok := logic(e.Op, a, okA, b, okB); ok {
			return v, true
		}
		if okA && okB {
			return arithmetic(e.Op, a, b)
		}
	case *program.Call: // Int32(0), uint32_t(0), static_cast in Python's clothes
		if name := lastWord(path(e.Fun)); len(e.Args) == 1 && len(e.Keywords) == 0 && integerTypes[name] {
			return f.foldAt(e.Args[0], depth+1)
		}
	case *program.Name, *program.Attr:
		if v := f.definition(x); v != nil {
			return f.foldAt(v, depth+1)
		}
	}
	return 0, false
}

var integerTypes = map[string]bool{
	"Int32": true, "Uint32": true, "Int64": true, "Uint64": true, "Int16": true, "Uint16": true, "Int8": true, "Uint8": true,
	"int": true, "uint32_t": true, "int32_t": true, "uint64_t": true, "int64_t": true, "unsigned": true, "Boolean": true,
}

// logic decides what comparisons and connectives are between constants; one side may be enough.
func logic(op string, a int64, okA bool, b int64, okB bool) (int64, bool) {
	switch op {
	case "&&":
		if okA && a == 0 || okB && b == 0 {
			return 0, true
		}
		return 1, okA && okB
	case "||":
		if okA && a != 0 || okB && b != 0 {
			return 1, true
		}
		return 0, okA && okB
	case "==":
		return truthOf(a == b), okA && okB
	case "!=":
		return truthOf(a != b), okA && okB
	case "<":
		return truthOf(a < b), okA && okB
	case "<=":
		return truthOf(a <= b), okA && okB
	case ">":
		return truthOf(a > b), okA && okB
	case ">=":
		return truthOf(a >= b), okA && okB
	}
	return 0, false
}

func arithmetic(op string, a, b int64) (int64, bool) {
	const big = int64(1) << 40 // larger values decide nothing here, and cannot overflow below
	if a > big || a < -big || b > big || b < -big {
		return 0, false
	}
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		if a > 1<<20 || a < -(1<<20) || b > 1<<20 || b < -(1<<20) {
			return 0, false
		}
		return a * b, true
	case "/", "//":
		if b > 0 && a >= 0 {
			return a / b, true
		}
	case "%":
		if b > 0 && a >= 0 {
			return a % b, true
		}
	case "<<":
		if a >= 0 && b >= 0 && b < 20 {
			return a << b, true
		}
	case ">>":
		if a >= 0 && b >= 0 && b < 63 {
			return a >> b, true
		}
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	}
	return 0, false
}

// definition returns the only value the name x ever gets, or nil: a local defined once, else a constant of the class
// or the file.
func (f *function) definition(x program.Expr) program.Expr {
	name := path(x)
	if name == "" || f.bound[name] { // parameters and loop variables have no one value
		return nil
	}
	if len(f.defs[name]) > 0 {
		return f.local(name, x.Where().Start)
	}
	if field, ok := strings.CutPrefix(name, "self."); ok {
		return f.file.classConstant(f.fn, field)
	}
	last := lastWord(name)
	if v := f.file.classConstant(f.fn, last); v != nil {
		return v
	}
	return f.file.constants[last]
}

// local is the one value a local has where it is used. Branches often define a name again in the same words; that
// counts as one definition.
func (f *function) local(name string, pos int) program.Expr {
	defs := f.visible(name, pos)
	if len(defs) == 0 || len(defs) > 8 {
		return nil
	}
	for i, d := range defs {
		if d.op != "=" || d.value == nil || (i > 0 && !same(defs[0].value, d.value)) {
			return nil
		}
	}
	return defs[0].value
}

// classConstant is a class-level value that no method reassigns, when exactly one class of the file has the name or
// the function is a method of it.
func (f *fileFacts) classConstant(fn *program.Function, field string) program.Expr {
	for ; fn != nil; fn = fn.Outer {
		if fn.Class == nil {
			continue
		}
		if v, ok := f.fields[fn.Class][field]; ok {
			return v
		}
	}
	return nil
}

// path is the dotted spelling of a name: "self.full", "smem.bars"; "" for anything else. Indexing is dropped.
func path(x program.Expr) string {
	switch e := x.(type) {
	case *program.Name:
		if strings.IndexByte(e.Ident, '>') < 0 {
			return e.Ident
		}
		return strings.ReplaceAll(e.Ident, "this->", "")
	case *program.Attr:
		if base := path(e.X); base != "" && base != "this" {
			return base + "." + e.Name
		} else if base == "this" {
			return e.Name
		}
	case *program.Index:
		return path(e.X)
	case *program.Unary:
		if e.Op == "*" || e.Op == "&" {
			return path(e.X)
		}
	case *program.Cast:
		return path(e.X)
	}
	return ""
}

func lastWord(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' || name[i] == ':' {
			return name[i+1:]
		}
	}
	return name
}

func truthOf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
