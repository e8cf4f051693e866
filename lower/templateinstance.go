package lower

import ()

// instantiation is an instance of a function template: its arguments, or, where these are not known, the call that it is of.
type instantiation struct {
	name   string
	byCall bool
}
