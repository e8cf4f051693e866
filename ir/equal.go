package ir

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Difference says how two kernels differ first, or nothing. Places are told apart by what they are called and where, and by
// which instructions share them; neither their numbers nor their spans count.
func Difference(a, b *Kernel) string {
	for _, x := range []struct {
		name string
		a, b any
	}{
		{"name", a.Name, b.Name}, {"registers", a.Registers, b.Registers}, {"predicates", a.Predicates, b.Predicates},
		{"special registers", a.Special, b.Special}, {"nothing", a.Nothing, b.Nothing},
		{"what is followed", [3]bool{a.Data, a.Tracked, a.Blocking}, [3]bool{b.Data, b.Tracked, b.Blocking}},
	} {
		if !reflect.DeepEqual(x.a, x.b) {
			return fmt.Sprintf("%s: %v and %v", x.name, x.a, x.b)
		}
	}
	switch {
	case !slices.Equal(a.Names, b.Names), !slices.Equal(a.Tests, b.Tests), !slices.Equal(a.Types, b.Types):
		return "names or types of registers"
	case !slices.Equal(a.Formals, b.Formals), !slices.Equal(a.Slots, b.Slots):
		return "parameters"
	case !maps.Equal(a.Directives, b.Directives), !slices.Equal(a.Assumed, b.Assumed), !maps.Equal(a.Writes, b.Writes):
		return "directives, assumptions, or what is written"
	case !maps.EqualFunc(a.Variables, b.Variables, sameVariable), !slices.EqualFunc(a.Constants, b.Constants, sameVariable):
		return "variables"
	case !maps.Equal(a.Globals, b.Globals):
		return "addresses of global variables"
	case !slices.Equal(a.Functions, b.Functions), !slices.Equal(a.Called, b.Called), len(a.Insts) != len(b.Insts):
		return fmt.Sprintf("functions: %v of %v and %v of %v", a.Called, a.Functions, b.Called, b.Functions)
	}
	return differentInsts(a, b)
}

func sameVariable(a, b *Variable) bool { return reflect.DeepEqual(a, b) }

func differentInsts(a, b *Kernel) string {
	there, back := map[uint32]uint32{}, map[uint32]uint32{}
	for k := range a.Insts {
		x, y := a.Insts[k], b.Insts[k]
		n, met := there[x.Place]
		m, again := back[y.Place]
		if met != again || met && (n != y.Place || m != x.Place) {
			return fmt.Sprintf("instruction %d shares its place with others", k)
		}
		there[x.Place], back[y.Place] = y.Place, x.Place
		at, to := &a.Places[x.Place], &b.Places[y.Place]
		if at.Name != to.Name || a.Where(at) != b.Where(to) {
			return fmt.Sprintf("place of instruction %d: %s %s and %s %s", k, a.Where(at), at.Name, b.Where(to), to.Name)
		}
		x.Place, y.Place = 0, 0
		if !reflect.DeepEqual(x, y) {
			return fmt.Sprintf("instruction %d: %s (%+v) and %s (%+v)", k, a.texts()(int32(k)), x, b.texts()(int32(k)), y)
		}
	}
	return ""
}
