package lower

import ()

// performed are the operators of C++'s classes that are run where they are used, whatever they do.
var performed = []string{"()", "[]", "*"}
