package program

import "iter"

// Walk visits n and everything below it in source order, outermost first. When fn returns false the node's children
// are not visited. Walk does not enter the bodies of nested definitions (FuncDef, ClassDef): they are listed in
// File.Functions and File.Classes, so that a loop over those with a Walk each visits every node once. Lambda bodies
// are entered.
func Walk(n Node, fn func(Node) bool) {
	if n != nil && fn(n) {
		walker(fn).below(n)
	}
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

// walker visits nodes with one closure for the whole walk: most of what is asked of a tree is asked by walks.
type walker func(Node) bool

func (w walker) expr(e Expr) {
	if e != nil && w(e) {
		w.below(e)
	}
}

func (w walker) exprs(list []Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w walker) body(list []Stmt) {
	for _, s := range list {
		if s != nil && w(s) {
			w.below(s)
		}
	}
}

// below visits what is directly below n, in source order, and what is below that.
func (w walker) below(n Node) {
	switch n := n.(type) {
	case *Name:
		w.exprs(n.Template)
	case *Call:
		w.expr(n.Fun)
		w.exprs(n.Template)
		w.exprs(n.Launch)
		w.exprs(n.Args)
		for _, k := range n.Keywords {
			w.expr(k.Value)
		}
		w.body(n.Block)
	case *Attr:
		w.expr(n.X)
	case *Binary:
		w.expr(n.X)
		w.expr(n.Y)
	case *Index:
		w.expr(n.X)
		w.exprs(n.Args)
	case *Unary:
		w.expr(n.X)
	case *IncDec:
		w.expr(n.X)
	case *Cond:
		w.expr(n.Test)
		w.expr(n.Then)
		w.expr(n.Else)
	case *SliceExpr:
		w.expr(n.Lo)
		w.expr(n.Hi)
		w.expr(n.Step)
	case *Tuple:
		w.exprs(n.Elems)
	case *List:
		w.exprs(n.Elems)
	case *Dict:
		for i := range n.Values {
			w.expr(n.Keys[i])
			w.expr(n.Values[i])
		}
	case *Starred:
		w.expr(n.X)
	case *Lambda:
		for _, p := range n.Params {
			w.expr(p.Default)
		}
		w.body(n.Body)
	case *Comp:
		w.expr(n.Key)
		w.expr(n.Elem)
		for _, c := range n.Clauses {
			w.expr(c.Target)
			w.expr(c.Iter)
			w.exprs(c.Conds)
		}
	case *AssignExpr:
		w.expr(n.Target)
		w.expr(n.Value)
	case *Cast:
		w.expr(n.X)
	case *OpaqueExpr:
		w.exprs(n.Parts)
	case *Fold:
		w.expr(n.X)
	case *Assign:
		w.exprs(n.Targets)
		w.exprs(n.Dims)
		w.expr(n.Value)
	case *ExprStmt:
		w.expr(n.X)
	case *If:
		w.expr(n.Cond)
		w.body(n.Then)
		w.body(n.Else)
	case *For:
		w.body(n.Init)
		w.expr(n.Target)
		w.expr(n.Iter)
		w.expr(n.Cond)
		w.body(n.Body)
		w.body(n.Post)
		w.body(n.Else)
	case *While:
		if n.DoWhile {
			w.body(n.Body)
			w.expr(n.Cond)
			return
		}
		w.expr(n.Cond)
		w.body(n.Body)
		w.body(n.Else)
	case *Try:
		w.body(n.Body)
		for _, h := range n.Handlers {
			w.expr(h.Type)
			w.body(h.Body)
		}
		w.body(n.Else)
		w.body(n.Finally)
	case *Raise:
		w.expr(n.X)
	case *Delete:
		w.exprs(n.Targets)
	case *With:
		for _, it := range n.Items {
			w.expr(it.X)
			w.expr(it.As)
		}
		w.body(n.Body)
	case *Return:
		w.expr(n.Value)
	case *Block:
		w.body(n.Body)
	case *Asm:
		for _, o := range n.Outputs {
			w.expr(o.X)
		}
		for _, o := range n.Inputs {
			w.expr(o.X)
		}
	}
}
