package lower

// A constant of C++ that is not evaluated has one value all the same: sizeof a type that is not read, a deduced argument of a template,
// a name of a header. Neither the launch nor memory chooses it. What goes wrong with another value says nothing, so none are tried.

// unread is what a name is worth of which nothing says what it stands for. Python's may be chosen where the program is built.
func (m *machine) unread(p path) *symExpr {

	return &symExpr{atom: string(p)}
}

// missing is an argument of a call that is not followed to where it is given.
func (m *machine) missing(parameter string) value {
	return atom(parameter)
}
