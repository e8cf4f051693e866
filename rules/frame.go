package rules

import "github.com/fencepost-dev/fencepost/program"

// frame is where the names of an expression mean something: a function, and what a call gave its parameters, in terms
// of the function that everything was inlined into.
type frame struct {
	fn  *function
	env map[string]program.Expr
}

// term is an expression and whose names it uses.
type term struct {
	x  program.Expr
	in *frame
}
