package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// Constants of C++ have the names of the namespaces and classes that they stand in: those of namespaces, static ones of classes, and
// enumerators, which those around an unscoped enumeration see, too. A name is looked for from the innermost scope around the place
// where it is used outwards (C++17 [basic.lookup.unqual], [basic.lookup.qual]).

// cppConstants are the constants of a file by their full names.
type cppConstants struct {
	of map[string]*cppConstant
	// scopes are in how many namespaces a name is declared.
	scopes map[string]int
	// classes are how many classes have a name, specialisations of a template among them.
	classes map[string]int
	// derived are the classes that have bases, by their full names.
	derived map[string]*program.Class
}

// cppConstant is a declaration, the class that it is a member of, and the scope in which its value is looked up.
type cppConstant struct {
	decl  *program.Assign
	class *program.Class
	scope string
}

func constantsOf() cppConstants {
	out := cppConstants{map[string]*cppConstant{}, map[string]int{}, map[string]int{}, map[string]*program.Class{}}

	return out

}
