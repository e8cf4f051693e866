package program

import "iter"

// Walk visits n and everything below it in source order, outermost first. When fn returns false the node's children
// are not visited. Walk does not enter the bodies of nested definitions (FuncDef, ClassDef): they are listed in
// File.Functions and File.Classes, so that a loop over those with a Walk each visits every node once. Lambda bodies
// are entered.
func Walk(n Node, fn func(Node) bool) {
	if n == nil || !fn(n) {
		return
	}
	children(n, func(c Node) { Walk(c, fn) })
}

// WalkStmts visits every statement of a body, nested ones included, outermost first. When fn returns false the
// statement's own body is not visited. Definitions are visited but not entered; lambda bodies are not entered.
func WalkStmts(body []Stmt, fn func(Stmt) bool) {
	for _, s := range body {
		Walk(s, func(n Node) bool {
			st, ok := n.(Stmt)
			return ok && fn(st)
		})
	}
}

// WalkExprs visits every expression in n (a statement or an expression), those of nested statements included. When
// fn returns false the expression's parts are not visited.
func WalkExprs(n Node, fn func(Expr) bool) {
	Walk(n, func(n Node) bool {
		e, ok := n.(Expr)
		return !ok || fn(e)
	})
}

// Exprs yields every expression in a body, in Walk's order.
func Exprs(body []Stmt) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		more := true
		for _, s := range body {
			WalkExprs(s, func(e Expr) bool {
				more = more && yield(e)
				return more
			})
			if !more {
				return
			}
		}
	}
}

// Calls yields every call in a body, outer calls before the calls in their arguments.
func Calls(body []Stmt) iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for e := range Exprs(body) {
			if c, ok := e.(*Call); ok && !yield(c) {
				return
			}
		}
	}
}

// children calls fn for each direct child of n, in source order.
func children(n Node, fn func(Node)) {
	switch n := n.(type) {
	case Stmt:
		stmtChildren(n, fn)
	case Expr:
		exprChildren(n, fn)
	}
}

func stmtChildren(s Stmt, fn func(Node)) {
	expr := func(e Expr) {
		if e != nil {
			fn(e)
		}
	}
	body := func(list []Stmt) {
		for _, s := range list {
			fn(s)
		}
	}
	switch s := s.(type) {
	case *Assign:
		exprs(s.Targets, fn)
		exprs(s.Dims, fn)
		expr(s.Value)
	case *ExprStmt:
		expr(s.X)
	case *If:
		expr(s.Cond)
		body(s.Then)
		body(s.Else)
	case *For:
		body(s.Init)
		expr(s.Target)
		expr(s.Iter)
		expr(s.Cond)
		body(s.Body)
		body(s.Post)
		body(s.Else)
	case *While:
		if s.DoWhile {
			body(s.Body)
			expr(s.Cond)
			return
		}
		expr(s.Cond)
		body(s.Body)
		body(s.Else)
	case *Try:
		body(s.Body)
		for _, h := range s.Handlers {
			expr(h.Type)
			body(h.Body)
		}
		body(s.Else)
		body(s.Finally)
	case *Raise:
		expr(s.X)
	case *Delete:
		exprs(s.Targets, fn)
	case *With:
		for _, it := range s.Items {
			expr(it.X)
			expr(it.As)
		}
		body(s.Body)
	case *Return:
		expr(s.Value)
	case *Block:
		body(s.Body)
	case *Asm:
		for _, o := range s.Outputs {
			expr(o.X)
		}
		for _, o := range s.Inputs {
			expr(o.X)
		}
	}
}

func exprChildren(e Expr, fn func(Node)) {
	expr := func(e Expr) {
		if e != nil {
			fn(e)
		}
	}
	switch e := e.(type) {
	case *Name:
		exprs(e.Template, fn)
	case *Unary:
		expr(e.X)
	case *IncDec:
		expr(e.X)
	case *Binary:
		expr(e.X)
		expr(e.Y)
	case *Cond:
		expr(e.Test)
		expr(e.Then)
		expr(e.Else)
	case *Call:
		expr(e.Fun)
		exprs(e.Template, fn)
		exprs(e.Launch, fn)
		exprs(e.Args, fn)
		for _, k := range e.Keywords {
			expr(k.Value)
		}
	case *Attr:
		expr(e.X)
	case *Index:
		expr(e.X)
		exprs(e.Args, fn)
	case *SliceExpr:
		expr(e.Lo)
		expr(e.Hi)
		expr(e.Step)
	case *Tuple:
		exprs(e.Elems, fn)
	case *List:
		exprs(e.Elems, fn)
	case *Dict:
		for i := range e.Values {
			expr(e.Keys[i])
			expr(e.Values[i])
		}
	case *Starred:
		expr(e.X)
	case *Lambda:
		for _, p := range e.Params {
			expr(p.Default)
		}
		for _, s := range e.Body {
			fn(s)
		}
	case *Comp:
		compChildren(e, fn)
	case *AssignExpr:
		expr(e.Target)
		expr(e.Value)
	case *Cast:
		expr(e.X)
	case *OpaqueExpr:
		exprs(e.Parts, fn)
	}
}

func compChildren(c *Comp, fn func(Node)) {
	for _, e := range []Expr{c.Key, c.Elem} {
		if e != nil {
			fn(e)
		}
	}
	for _, cl := range c.Clauses {
		for _, e := range []Expr{cl.Target, cl.Iter} {
			if e != nil {
				fn(e)
			}
		}
		exprs(cl.Conds, fn)
	}
}

func exprs(list []Expr, fn func(Node)) {
	for _, e := range list {
		if e != nil {
			fn(e)
		}
	}
}
