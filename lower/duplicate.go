package lower

import ()

// Objects of C++ are values: what is initialised with one has its members as of then (C++17 [class.copy.ctor]), and an
// assignment changes the members of what stands on the left (C++17 [class.copy.assign]), which pointers and references go on
// to name. Those of Python are named, never copied.
