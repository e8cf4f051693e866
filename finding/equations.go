package finding

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// fewAlike is how many equations are printed that differ in numbers of their names only.
const fewAlike = 4

// Equations prints values by name, those that keep asks for. Of many elements of one array that have the same value, the first stands for all.
func Equations(bounds map[string]string, keep func(string) bool) []string {
	alike := map[string][]string{}
	var order []string
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		if keep(name) {
			kind := inNames.ReplaceAllString(name, "#") + " = " + bounds[name]
			if alike[kind] == nil {
				order = append(order, kind)
			}
			alike[kind] = append(alike[kind], name)
		}
	}
	var parts []string
	for _, kind := range order {
		names := alike[kind]
		more := ""
		if len(names) > fewAlike {
			names, more = names[:1], fmt.Sprintf(" (and %d more like it)", len(names)-1)
		}
		for _, name := range names {
			parts = append(parts, name+" = "+bounds[name]+more)
		}
	}
	return parts
}

// inNames finds the numbers in the names of unknowns.
var inNames = regexp.MustCompile(`[0-9]+`)
