package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// maxCases bounds a switch that falls through: each case then repeats the ones below it.
const maxCases = 64

// maxCopied bounds the statements of one file that are repeated so: nested switches would multiply them.
const maxCopied = 10_000

// size counts statements, nested ones included, up to the bound.
func size(body []program.Stmt) int {
	n := 0
	program.WalkStmts(body, func(program.Stmt) bool { n++; return n <= maxCopied })
	return n
}

// arm is one case group: the values that lead to it and its statements.
type arm struct {
	values    []program.Expr
	isDefault bool
	body      []program.Stmt
	kids      []*node
	ends      bool // by what a macro says
}

// switchStmt turns a switch into an If chain on the scrutinee. A case that falls through goes on with the
// statements of the next one.
func (r *reader) switchStmt(n *node) []program.Stmt {
	before, x := r.condition(n.child("condition"))
	body := n.child("body")
	if body == nil || x == nil {
		return opaque(n, "switch")
	}
	if body.kind != "compound_statement" || slices.ContainsFunc(body.kids, func(k *node) bool { return slices.ContainsFunc(k.kids, labelled) }) {
		return opaque(n, "switch with a case label within another statement")
	}
	arms := r.arms(body)
	if len(arms) > maxCases {
		return opaque(n, "switch of too many cases")
	}
	if !simple(x) {
		name := "switch value"
		target := &program.Name{Place: program.Place{Span: x.Where()}, Ident: name}
		before = append(before, &program.Assign{Place: program.Place{Span: x.Where()}, Targets: []program.Expr{target}, Op: "=", Value: x, Decl: true, Type: "auto"})
		x = target
	}
	inner := false
	for i := len(arms) - 1; i >= 0; i-- {
		arms[i].body = r.stmts(arms[i].kids)
		ends, rest := cutBreak(arms[i].body)
		if !ends && !arms[i].ends && i+1 < len(arms) {
			if r.copied += size(arms[i+1].body); r.copied > maxCopied {
				return opaque(n, "switch that falls through too often")
			}
			rest = append(rest[:len(rest):len(rest)], arms[i+1].body...)
		}
		arms[i].body = rest
		inner = inner || leaves(rest, true)
	}
	out := chain(place(n), x, arms)
	if inner {
		for _, a := range arms {
			if leaves(a.body, false) {
				return opaque(n, "switch with both an inner break and a continue")
			}
		}
		// An inner break leaves the switch: a loop of one turn is left the same way.
		out = []program.Stmt{&program.While{Place: place(n), Cond: &program.Bool{Place: place(n)}, Body: out, DoWhile: true, Header: span(n.child("condition"))}}
	}
	return append(before, out...)
}

// labelled reports whether a case of the switch around it stands in a statement (C++17 [stmt.switch]).
func labelled(n *node) bool {
	switch n.kind {
	case "case_statement":
		return true
	case "switch_statement", "lambda_expression":
		return false
	}
	return slices.ContainsFunc(n.kids, labelled)
}

// arms groups the cases of a switch body.
func (r *reader) arms(body *node) []*arm {
	var arms []*arm
	open := false // the last arm has no statement yet: the next case joins it
	for _, k := range body.kids {
		if a := r.labelledBy(k); a != nil {
			if open { // a label before it
				last := arms[len(arms)-1]
				a.values, a.isDefault = append(last.values, a.values...), a.isDefault || last.isDefault
				arms = arms[:len(arms)-1]
			}
			arms, open = append(arms, a), false
			continue
		}
		if k.kind != "case_statement" {
			if len(arms) > 0 && k.named {
				arms[len(arms)-1].kids = append(arms[len(arms)-1].kids, k)
				open = false
			}
			continue
		}
		if !open {
			arms = append(arms, &arm{})
		}
		a := arms[len(arms)-1]
		if v := k.child("value"); v != nil {
			a.values = append(a.values, r.expr(v))
		} else {
			a.isDefault = true
		}
		open = true
		for _, s := range k.kids {
			if s.field != "value" && s.named {
				a.kids = append(a.kids, s)
				open = false
			}
		}
	}
	return arms
}

// chain is the If ladder; the default's statements stand in the last else.
func chain(at program.Place, x program.Expr, arms []*arm) []program.Stmt {
	var out []program.Stmt
	for _, a := range arms {
		if a.isDefault {
			out = a.body
		}
	}
	for i := len(arms) - 1; i >= 0; i-- {
		a := arms[i]
		if a.isDefault || len(a.values) == 0 {
			continue
		}
		var cond program.Expr
		for _, v := range a.values {
			eq := &program.Binary{Place: program.Place{Span: v.Where()}, Op: "==", X: x, Y: v}
			if cond == nil {
				cond = eq
			} else {
				cond = &program.Binary{Place: program.Place{Span: v.Where()}, Op: "||", X: cond, Y: eq}
			}
		}
		out = []program.Stmt{&program.If{Place: at, Cond: cond, Then: a.body, Else: out}}
	}
	return out
}

// cutBreak drops the break that ends a case and all behind it, and reports whether control leaves the switch there.
func cutBreak(body []program.Stmt) (ends bool, rest []program.Stmt) {
	for i, s := range body {
		switch s := s.(type) {
		case *program.Break:
			return true, body[:i]
		case *program.Return, *program.Continue:
			return true, body[:i+1]
		case *program.OpaqueStmt:
			if s.Why == "throw" || s.Why == "goto" {
				return true, body[:i+1]
			}
		case *program.Block:
			if ends, inner := cutBreak(s.Body); ends {
				s.Body = inner
				return true, body[:i+1]
			}
		}
	}
	return false, body
}

// leaves reports whether the statements hold a break (or a continue) that belongs to the switch around them.
func leaves(body []program.Stmt, wantBreak bool) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *program.Break:
			if wantBreak {
				return true
			}
		case *program.Continue:
			if !wantBreak {
				return true
			}
		case *program.Block:
			if leaves(s.Body, wantBreak) {
				return true
			}
		case *program.If:
			if leaves(s.Then, wantBreak) || leaves(s.Else, wantBreak) {
				return true
			}
		}
	}
	return false
}

// simple reports whether evaluating the expression several times changes nothing.
func simple(x program.Expr) bool {
	switch x := x.(type) {
	case *program.Name, *program.Int, *program.Bool:
		return true
	case *program.Attr:
		return simple(x.X)
	case *program.Cast:
		return simple(x.X)
	case *program.Unary:
		return simple(x.X)
	case *program.Binary:
		return simple(x.X) && simple(x.Y)
	}
	return false
}
